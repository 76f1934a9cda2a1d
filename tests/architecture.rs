//! Placeholder until the walls stand.

#[test]
fn nothing_yet() {}
