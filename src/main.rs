//! The `familiar` binary: nothing but a door into the library.

fn main() {}
