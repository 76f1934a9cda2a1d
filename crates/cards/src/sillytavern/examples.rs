//! Example dialogue: a card's `mes_example` cut into blocks of spoken lines.
//!
//! Owns the `<START>` blocks, the speaker markers, and how lore stands around them; must not know budgets or macros.

use crate::text::is_js_space;

/// What opens a block, in any case.
const START: &str = "<START>";

/// How example blocks are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExampleRule {
    /// Exactly as SillyTavern: speakers are looked for after macros were expanded, and of a block in which nobody
    /// speaks only the header is left. For comparing prompts.
    #[default]
    SillyTavern,
    /// For live turns: speakers are looked for before macros are expanded, by the literal `{{user}}:` and
    /// `{{char}}:` as well as by name, so that a name cannot forge a line; a block in which nobody speaks is kept
    /// whole as one line of the character (cards-and-lore 5, 7.3).
    Careful,
}

/// Who speaks in an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExampleSpeaker {
    User,
    Char,
}

/// One line, its speaker's marker removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExampleLine {
    pub(super) voice: ExampleSpeaker,
    pub(super) text: String,
}

/// Cuts example text at its `<START>` marks. Empty text, or a lone `<START>`, has no blocks; text that does not
/// begin with one is given one. A mark with nothing after it is an empty block, as in SillyTavern.
pub(super) fn blocks(text: &str) -> Vec<&str> {
    if text.is_empty() || text == START {
        return Vec::new();
    }
    let mut found = Vec::new();
    // Only the exact spelling counts as the opening one; any spelling separates. Text before it is a block.
    let mut from = if text.starts_with(START) { START.len() } else { 0 };
    let mut at = from;
    while let Some(next) = find_start(&text[at..]) {
        found.push(js_trim(&text[from..at + next]));
        from = at + next + START.len();
        at = from;
    }
    found.push(js_trim(&text[from..]));
    found
}

fn find_start(text: &str) -> Option<usize> {
    text.as_bytes().windows(START.len()).position(|window| window.eq_ignore_ascii_case(START.as_bytes()))
}

/// The whole text in the shape that `{{mesExamples}}` has: every block under its own `<START>`.
pub(super) fn normalised(text: &str) -> String {
    blocks(js_trim(text)).iter().map(|block| format!("{START}\n{block}\n")).collect()
}

/// Cuts a block at the lines that begin with a speaker. `users` and `chars` are markers with their colons; the
/// first that fits a line decides. Lines before the first speaker belong to the first spoken line. Of the markers
/// in what was gathered only the first is removed, wherever it stands, as SillyTavern does.
pub(super) fn spoken_lines(block: &str, users: &[String], chars: &[String]) -> Vec<ExampleLine> {
    let mut lines = Vec::new();
    let mut gathered: Vec<&str> = Vec::new();
    let mut speaking: Option<ExampleSpeaker> = None;
    for line in block.split('\n') {
        let begins = |markers: &[String]| markers.iter().any(|marker| line.starts_with(marker.as_str()));
        let turn = if begins(users) {
            Some(ExampleSpeaker::User)
        } else if begins(chars) {
            Some(ExampleSpeaker::Char)
        } else {
            None
        };
        if let Some(next) = turn {
            if let Some(previous) = speaking.filter(|previous| *previous != next) {
                lines.push(close(previous, &gathered, users, chars));
                gathered.clear();
            }
            speaking = Some(next);
        }
        gathered.push(line);
    }
    if let Some(voice) = speaking {
        lines.push(close(voice, &gathered, users, chars));
    }
    lines
}

fn close(voice: ExampleSpeaker, gathered: &[&str], users: &[String], chars: &[String]) -> ExampleLine {
    let joined = gathered.join("\n");
    let markers = if voice == ExampleSpeaker::User { users } else { chars };
    let first = markers
        .iter()
        .filter_map(|marker| joined.find(marker.as_str()).map(|at| (at, marker.len())))
        .min_by_key(|(at, length)| (*at, std::cmp::Reverse(*length)));
    let without = match first {
        Some((at, length)) => format!("{}{}", &joined[..at], &joined[at + length..]),
        None => joined,
    };
    ExampleLine { voice, text: js_trim(&without).to_owned() }
}

/// Trims what JavaScript's `trim` trims.
pub(super) fn js_trim(text: &str) -> &str {
    text.trim_matches(is_js_space)
}

/// Texts that stand one behind the other in one place, without empty ones.
pub fn joined(texts: impl Iterator<Item = String>) -> String {
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Example dialogue with lore before and behind the card's own, each beginning a block. `before` is in the order in which it
/// was called up: SillyTavern puts each in front of all that is there already, so the first ends up last.
#[must_use]
pub fn examples_with(before: Vec<String>, own: String, after: Vec<String>) -> String {
    let own = std::iter::once(own).filter(|own| own.trim() != START);
    let blocks = before.into_iter().rev().chain(own).chain(after);
    joined(blocks.filter(|text| !text.trim().is_empty()).map(opened))
}

/// Example dialogue that begins with the mark of a block.
fn opened(text: String) -> String {
    let begins = text.trim_start().get(..START.len()).is_some_and(|word| word.eq_ignore_ascii_case(START));
    if begins { text } else { format!("{START}\n{text}") }
}
