//! Which parts the command line asks for, and whether to measure them. `cargo bench -- graph` gives every bench binary the
//! same words, so that all of them have to know all parts.

/// The parts of all bench binaries, and names for all of a binary.
const ALL: [&str; 36] = [
    "efforts",
    "tokens",
    "reply",
    "cards",
    "plan",
    "screen",
    "budget",
    "lore",
    "world",
    "recall",
    "hanging",
    "tools",
    "replay",
    "notes",
    "graph",
    "forgetting",
    "speakers",
    "window",
    "process",
    "allocations",
    "voice",
    "zero",
    "cloud",
    "spoken-ahead",
    "revised",
    "tailed",
    "mixed",
    "local",
    "slow",
    "dave",
    "dave-cloud",
    "overlap",
    "dave-overlap",
    "untimed",
    "receiving",
    "crowd",
];

/// Whether to measure, or only to run everything once.
pub fn is_measuring() -> bool {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    arguments.iter().any(|argument| argument == "--bench")
        && !arguments.iter().any(|argument| argument == "--test")
}

/// Whether the arguments ask for a part that goes by these names: by one of them, or by naming no part at all.
pub fn is_wanted(names: &[&str]) -> bool {
    // One that is not among them would run every part instead.
    assert!(
        names.iter().all(|name| ALL.contains(name)),
        "{names:?}: not all of them are in the list of parts"
    );
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `recall/1000` is a part of `recall`.
    let is_part = |argument: &str, part: &str| argument.split('/').next() == Some(part);
    let is_named = |part: &&str| arguments.iter().any(|argument| is_part(argument, part));
    names.iter().any(is_named) || !ALL.iter().any(is_named)
}
