//! Things and how many of them there are, in words.

/// `1 day`, `2 days`, `1 entry`, `3 entries`.
#[must_use]
pub fn counted(count: u64, unit: &str) -> String {
    let before_y = unit.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']));
    match (count, before_y) {
        (1, _) => format!("1 {unit}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {unit}s"),
    }
}
