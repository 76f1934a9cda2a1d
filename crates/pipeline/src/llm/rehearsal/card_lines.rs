//! What it says in its character's words: the greeting, and the nearest line of the example dialogue. Start at [`example`].

use super::heard::SaidLine;
use super::script::{RehearsalExample, RehearsalScript};
use super::topic::{overlap, telling};
use crate::text::phrases::asks;

/// A greeting, else a plain line.
pub(super) fn opening(script: &RehearsalScript, person: Option<&str>) -> String {
    match (script.greetings.first(), person) {
        (Some(greeting), _) => fill_macros(greeting, script, person),
        (None, Some(person)) => format!("Hello, {person}. I am {}.", script.name),
        (None, None) => format!("Hello. I am {}.", script.name),
    }
}

/// The example line whose cue or words are nearest to what was said, and that was not said already. What answers a question is
/// no answer to somebody who only tells something.
pub(super) fn example(
    script: &RehearsalScript,
    last: &SaidLine,
    wants_something: bool,
    own: &[&str],
) -> Option<String> {
    let wanted = telling(&last.words);
    // One word of a whole sentence makes no answer to it.
    let enough = wanted.len().div_ceil(3).max(1);
    let mut best: Option<(usize, String)> = None;
    let is_answer = |example: &RehearsalExample| example.cue.as_deref().is_some_and(asks);
    for example in script.examples.iter().filter(|example| wants_something || !is_answer(example)) {
        let line = fill_macros(&example.line, script, last.who.as_deref());
        let cue = example.cue.as_deref().map(telling).unwrap_or_default();
        let (asked, said) = (overlap(&wanted, &cue), overlap(&wanted, &telling(&line)));
        let score = 2 * asked + said;
        let said_before = own.iter().any(|said| said.contains(line.as_str()));
        let fits = asked >= enough || said >= enough.max(2);
        if fits && !said_before && best.as_ref().is_none_or(|(top, _)| score > *top) {
            best = Some((score, line));
        }
    }
    best.map(|(_, line)| line)
}

/// Fills in the two macros a card's lines may hold, in any case.
fn fill_macros(line: &str, script: &RehearsalScript, person: Option<&str>) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("{{") {
        text.push_str(&rest[..at]);
        let Some(end) = rest[at..].find("}}").map(|end| at + end + 2) else {
            text.push_str(&rest[at..]);
            return text;
        };
        let macro_name = rest[at + 2..end - 2].trim();
        if macro_name.eq_ignore_ascii_case("user") {
            text.push_str(person.unwrap_or("you"));
        } else if macro_name.eq_ignore_ascii_case("char") {
            text.push_str(&script.name);
        } else {
            text.push_str(&rest[at..end]);
        }
        rest = &rest[end..];
    }
    text.push_str(rest);
    text
}
