//! All notes at one moment, and whom a text names.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::PersonNote;
use super::aliases::Alias;
use crate::domain::{AccountId, Audience, Visible};
use crate::text::keywords;

/// The notes as they were when they were looked at; never changes.
#[derive(Debug, Clone, Default)]
pub struct PeopleRoster {
    notes: BTreeMap<String, Arc<PersonNote>>,
    /// By a name's first word: the names that begin with it, the longest first.
    names: HashMap<String, Vec<Name>>,
    /// How many notes say something to whom: each set of audiences, in the order of their words.
    written: HashMap<Vec<Audience>, u64>,
}

/// A name and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Name {
    words: Vec<String>,
    slug: String,
    /// Where it may be known that they have it.
    audience: Audience,
}

impl PeopleRoster {
    pub(super) fn new(notes: impl Iterator<Item = Arc<PersonNote>>, aliases: &[Alias]) -> Self {
        let notes: BTreeMap<String, Arc<PersonNote>> = notes.map(|note| (note.slug.clone(), note)).collect();
        let mut names: HashMap<String, Vec<Name>> = HashMap::new();
        let noted = notes.values().flat_map(|note| {
            let front = note.page().front();
            front.aliases.iter().map(|name| (name, &note.slug, &front.audience))
        });
        let written = aliases.iter().map(|alias| (&alias.name, &alias.slug, &alias.audience));
        for (name, slug, audience) in written.chain(noted) {
            let words: Vec<String> = keywords::words(name).collect();
            let Some(first) = words.first().cloned() else { continue };
            let name = Name { words, slug: slug.clone(), audience: audience.clone() };
            let known = names.entry(first).or_default();
            if !known.contains(&name) {
                known.push(name);
            }
        }
        for known in names.values_mut() {
            // Of "Ana" and "Ana Maria" the longer is meant where it fits.
            known.sort_by(|a, b| {
                b.words.len().cmp(&a.words.len()).then_with(|| (&a.words, &a.slug).cmp(&(&b.words, &b.slug)))
            });
        }
        let mut written: HashMap<Vec<Audience>, u64> = HashMap::new();
        for note in notes.values() {
            let mut audiences: Vec<Audience> = note.page().audiences().cloned().collect();
            audiences.sort_by_key(Audience::to_string);
            audiences.dedup();
            if !audiences.is_empty() {
                *written.entry(audiences).or_default() += 1;
            }
        }
        Self { notes, names, written }
    }

    /// The note about an account.
    pub fn about(&self, account: &AccountId) -> Option<&Arc<PersonNote>> {
        self.notes.get(&account.slug())
    }

    /// The note of a slug.
    pub fn note(&self, slug: &str) -> Option<&Arc<PersonNote>> {
        self.notes.get(slug)
    }

    /// How many notes have a line that may be seen where `visible` is.
    pub fn count(&self, visible: &Visible) -> u64 {
        let says = |audiences: &[Audience]| audiences.iter().any(|audience| visible.includes(audience));
        self.written.iter().filter(|(audiences, _)| says(audiences)).map(|(_, notes)| notes).sum()
    }

    /// Every note, by slug.
    pub fn notes(&self) -> impl Iterator<Item = &Arc<PersonNote>> {
        self.notes.values()
    }

    /// The slugs of the people a text names, in its order, each once, by names that may be known where `visible` is. A
    /// name that several have names them all. A name that is an everyday word or a letter or two counts only where it is
    /// capitalised.
    pub fn named_in(&self, text: &str, visible: &Visible) -> Vec<&str> {
        let words: Vec<String> = keywords::words(text).collect();
        let mut named: Vec<&str> = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let mut step = 1;
            for name in self.names.get(&words[at]).into_iter().flatten() {
                if visible.includes(&name.audience)
                    && words[at..].starts_with(&name.words)
                    && (is_telling(&name.words) || is_capitalised(text, &words[at]))
                {
                    if !named.contains(&name.slug.as_str()) {
                        named.push(&name.slug);
                    }
                    step = step.max(name.words.len());
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
