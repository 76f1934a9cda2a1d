//! Which parts the command line asks for, and whether to measure them. `cargo bench -- graph` gives every bench binary the
//! same words, so that all of them have to know all parts.

/// The parts of the bench of calls.
pub const CALLS: [&str; 15] = [
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

/// The parts of the others, and names for all of a binary.
const OTHERS: [&str; 21] = [
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
];

/// Whether to measure, or only to run everything once.
pub fn is_measuring() -> bool {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    arguments.iter().any(|argument| argument == "--bench")
        && !arguments.iter().any(|argument| argument == "--test")
}

/// Whether the arguments ask for a part that goes by these names: by one of them, or by naming no part at all.
pub fn is_wanted(names: &[&str]) -> bool {
    let is_known = |name: &&str| OTHERS.contains(name) || CALLS.contains(name);
    // One that is not among them would run every part instead.
    assert!(names.iter().all(is_known), "{names:?}: not all of them are in the list of parts");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `recall/1000` is a part of `recall`.
    let is_part = |argument: &str, part: &str| argument.split('/').next() == Some(part);
    let is_named = |part: &&str| arguments.iter().any(|argument| is_part(argument, part));
    names.iter().any(is_named) || !OTHERS.iter().chain(&CALLS).any(is_named)
}
