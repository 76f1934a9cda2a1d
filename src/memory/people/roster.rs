//! All notes at one moment, and whom a text names.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Note;
use super::words::{Holding, Words};
use crate::domain::{AccountId, Audience};
use crate::text::keywords;

/// The notes as they were when they were looked at; never changes.
#[derive(Debug, Clone, Default)]
pub struct Roster {
    notes: BTreeMap<String, Arc<Note>>,
    /// By a name's first word: the whole name and whose it is.
    names: HashMap<String, Vec<(Vec<String>, String)>>,
    words: Words,
    /// How many of them say anything.
    written: HashMap<Audience, u64>,
}

impl Roster {
    /// What is the same in `before` is not made again.
    pub(super) fn new(
        notes: impl Iterator<Item = Arc<Note>>,
        aliases: &BTreeMap<String, String>,
        before: &Self,
    ) -> Self {
        let notes: BTreeMap<String, Arc<Note>> = notes.map(|note| (note.slug.clone(), note)).collect();
        let mut names: HashMap<String, Vec<(Vec<String>, String)>> = HashMap::new();
        let own = notes.values().flat_map(|note| note.aliases.iter().map(|name| (name, &note.slug)));
        for (name, slug) in aliases.iter().chain(own) {
            let words: Vec<String> = keywords::words(name).collect();
            let Some(first) = words.first().cloned() else { continue };
            let known = names.entry(first).or_default();
            if !known.contains(&(words.clone(), slug.clone())) {
                known.push((words, slug.clone()));
            }
        }
        for known in names.values_mut() {
            // Of "Ana" and "Ana Maria" the longer is meant where it fits.
            known.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        }
        let words = Words::new(notes.values(), &before.words);
        let mut written: HashMap<Audience, u64> = HashMap::new();
        for note in notes.values().filter(|note| !note.text.is_empty()) {
            *written.entry(note.audience.clone()).or_default() += 1;
        }
        Self { notes, names, words, written }
    }

    /// The note about an account.
    #[must_use]
    pub fn about(&self, account: &AccountId) -> Option<&Arc<Note>> {
        self.notes.get(&account.slug())
    }

    /// The note of a slug.
    #[must_use]
    pub fn note(&self, slug: &str) -> Option<&Arc<Note>> {
        self.notes.get(slug)
    }

    /// How many notes that say anything were learnt before audiences that `is_visible` names.
    pub fn count(&self, is_visible: impl Fn(&Audience) -> bool) -> u64 {
        self.written.iter().filter(|(audience, _)| is_visible(audience)).map(|(_, notes)| notes).sum()
    }

    /// Every note, by slug.
    pub fn notes(&self) -> impl Iterator<Item = &Arc<Note>> {
        self.notes.values()
    }

    /// The parts of notes that hold any of some stems, by slug and in their order. Blocks: the first question after a
    /// change reads every note that came or changed.
    #[must_use]
    pub fn holding(&self, stems: &[String]) -> Vec<Holding<'_>> {
        self.words.holding(stems)
    }

    /// The slugs of the people a text names, in its order, each once. A name that is an everyday word or a letter or
    /// two counts only where it is capitalised.
    #[must_use]
    pub fn named_in(&self, text: &str) -> Vec<&str> {
        let words: Vec<String> = keywords::words(text).collect();
        let mut named: Vec<&str> = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let mut step = 1;
            for (name, slug) in self.names.get(&words[at]).into_iter().flatten() {
                if words[at..].starts_with(name) && (is_telling(name) || is_capitalised(text, &words[at])) {
                    if !named.contains(&slug.as_str()) {
                        named.push(slug);
                    }
                    step = step.max(name.len());
                }
            }
            at += step;
        }
        named
    }
}

fn is_telling(name: &[String]) -> bool {
    name.len() > 1 || name.iter().all(|word| word.chars().count() > 2 && !keywords::is_stop_word(word))
}

fn is_capitalised(text: &str, folded: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric())
        .any(|word| word.chars().next().is_some_and(char::is_uppercase) && keywords::fold(word) == folded)
}
