//! Whether an answer of a model that nobody could read holds any of what is to be forgotten: told from its raw words,
//! so that it goes where it may, and no other request takes it along. Start at [`Mentions`].

use std::collections::BTreeSet;
use std::sync::Arc;

use super::ForgetNotes;
use crate::domain::{AccountId, StoredId};
use crate::memory::people::names_of;
use crate::memory::store::{MemoryStore, NotePath};
use crate::text::echo::Echoes;
use crate::text::keywords::terms;
use crate::text::names::names_whole_word;

/// By which words something is told to be about what is to be forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentions {
    /// What it is called, each of them enough.
    pub names: BTreeSet<String>,
    /// Words of which all must stand there, as [`terms`] writes them.
    pub terms: BTreeSet<String>,
    /// What all of it said.
    pub said: Arc<Echoes>,
}

impl Mentions {
    fn are_in(&self, plain: &str) -> bool {
        let holds_terms = || self.terms.is_subset(&terms(plain).into_iter().collect());
        self.names.iter().any(|name| names_whole_word(plain, name))
            || (!self.terms.is_empty() && holds_terms())
            || self.said.are_in(plain)
    }
}

impl ForgetNotes {
    /// Whether raw text, which may be JSON within JSON, names any of it.
    pub(super) fn is_mentioned_in(&self, raw: &str) -> bool {
        let plain = unescaped(&unescaped(raw));
        let mut ids = plain.split(|c: char| !c.is_alphanumeric());
        let mut tokens = plain.split(|c: char| !c.is_alphanumeric() && c != ':');
        let is_turn = |token: &str| {
            let turn = token.strip_prefix("t:").and_then(|turn| turn.parse().ok());
            turn.is_some_and(|turn| self.turns.contains(&StoredId(turn)))
        };
        let own = self.person.iter().flat_map(|person| [person.to_string(), person.slug()]);
        let paths = self.notes.iter().map(ToString::to_string);
        let is_fact = |id: &str| self.facts.iter().any(|fact| fact.as_str() == id);
        own.chain(paths).any(|name| names_whole_word(&plain, &name))
            || ids.any(is_fact)
            || tokens.any(is_turn)
            || self.mentions.are_in(&plain)
    }
}

/// What a person is called in the notes, and what the note is called that is to go. Blocks.
pub fn called_in_notes(
    store: &MemoryStore,
    person: Option<&AccountId>,
    note: Option<&NotePath>,
) -> BTreeSet<String> {
    let mut names: BTreeSet<String> =
        person.iter().flat_map(|person| names_of(store, &person.slug())).collect();
    let own = person.and_then(|person| NotePath::new(format!("people/{}.md", person.slug())).ok());
    for path in own.iter().chain(note) {
        let text = store.read(path).map(|note| note.text).unwrap_or_default();
        names.extend(
            text.lines().find_map(|line| line.strip_prefix("# ")).map(|title| title.trim().to_owned()),
        );
        names.extend(path.is_in("topics").then(|| path.stem().to_owned()));
    }
    names
}

/// A text without the backslashes of JSON; what ends a line there sets words apart here.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('n' | 'r' | 't') => plain.push(' '),
            Some('u') => {
                let code: String = letters.by_ref().take(4).collect();
                let meant = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                plain.push(meant.unwrap_or(' '));
            }
            Some(other) => plain.push(other),
            None => {}
        }
    }
    plain
}
