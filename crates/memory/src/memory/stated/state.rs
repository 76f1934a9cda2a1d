//! A sentence in which somebody says something of themselves, or asks for something to be remembered.

use super::clauses::{Introduced, clauses, introduced};
use super::forms::Forms;
use super::joke::is_joke;
use super::plain::{Statement, holds_secret, plain_statement};
use super::said::{Sentence, Unsaid};
use super::slots::StatedReading;
use crate::text::names::is_unspaced;
use crate::text::phrases::is_listed;

/// Longest thing to remember, in characters.
const REMEMBERED_CHARS: usize = 180;

/// Whether somebody asks for a secret to be remembered.
pub fn asks_to_keep_secret(sentence: &Sentence) -> bool {
    !is_joke(sentence) && asked_to_remember(&sentence.body).is_some_and(holds_secret)
}

/// What is to be remembered, where somebody asks for it.
fn asked_to_remember(body: &str) -> Option<&str> {
    let fitting = Forms::get()?.fitting(body);
    let mut remember = fitting.filter(|form| matches!(form.section, "remember" | "remember asked"));
    remember.find_map(|form| form.pattern.captures(body)?.name("v")).map(|asked| asked.as_str().trim())
}

/// What a sentence states, in its order; nothing where it states nothing. What stands behind something that is not
/// plain is not taken: "she said … and I live in Ghent" may be her words. A joke that is taken back states nothing.
pub fn statements(sentence: &Sentence) -> Vec<Statement> {
    if is_joke(sentence) {
        return Vec::new();
    }
    let body = sentence.body.as_str();
    let Some(asked) = asked_to_remember(body) else { return all_plain(body, sentence.about) };
    // "Remember that I live in Ghent" says where somebody lives.
    let plain = all_plain(asked, sentence.about);
    if !plain.is_empty() {
        return plain;
    }
    let is_word = asked.split_whitespace().count() < 2 && !asked.contains(is_unspaced);
    if asked.chars().count() > REMEMBERED_CHARS || is_word || names_nothing(asked) {
        return Vec::new();
    }
    vec![Statement::remembered(asked)]
}

/// Whether words only point at somebody or something: "remember me" asks for nothing to be noted.
fn names_nothing(asked: &str) -> bool {
    // What is left of "このこと" is one letter, of "妹のこと" a word.
    let is_left_over = |letter: char| ('\u{3041}'..='\u{309f}').contains(&letter);
    let mut letters = asked.chars();
    letters.next().is_some_and(is_left_over) && letters.next().is_none()
        || ["own", "said: pointing"].iter().any(|section| is_listed(section, asked))
}

/// The things said one after the other from the beginning on, as long as each of them is plain.
fn all_plain(body: &str, about: Unsaid) -> Vec<Statement> {
    let parts = clauses(body);
    let (who, parts) = match parts.split_first().and_then(|(first, rest)| Some((introduced(first)?, rest))) {
        Some((who, rest)) if plain_statement(&parts[0], about).is_none() => (Some(who), rest),
        _ => (None, parts.as_slice()),
    };
    let mut stated: Vec<Statement> = Vec::new();
    for part in parts {
        let Some(one) = plain_statement(part, about) else { break };
        let is_whole = one.is_whole;
        stated.push(one);
        // What was cut off may be the beginning of somebody else's words.
        if !is_whole {
            break;
        }
    }
    let named = match who {
        Some(Introduced::Named(name)) if !stated.is_empty() => {
            plain_statement(&format!("my name is {name}"), about)
        }
        _ => None,
    };
    named.into_iter().chain(stated).collect()
}

/// Whether a sentence tells of whoever speaks here to its end, and of nothing of theirs: what follows may go on so.
pub(super) fn is_of_oneself(body: &str) -> bool {
    all_plain(body, Unsaid::Oneself).last().is_some_and(|last| {
        last.is_whole && StatedReading::of(&last.words("who")).is_none_or(|fact| !fact.names_another())
    })
}

#[cfg(test)]
mod tests;
