//! All notes at one moment, and whom a text names.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::SeenPerson;
use super::aliases::Alias;
use crate::domain::{AccountId, Audience, Visible};
use crate::memory::facts::{NotePage, Unreadable};
use crate::text::keywords;

/// A note as it is kept for all people at once: its text, of which few are read in a turn, and what a list of everybody
/// needs.
#[derive(Debug)]
pub(super) struct Listed {
    slug: String,
    file: Box<str>,
    aliases: Vec<String>,
    /// Other accounts of theirs.
    accounts: Vec<AccountId>,
    /// Where it may be known that they have these names.
    audience: Audience,
    /// Before whom any of it was learnt, each once, in the order of their words.
    audiences: Vec<Audience>,
}

impl Listed {
    /// # Errors
    /// When its front matter raises a doubt about who may see it.
    pub(super) fn new(slug: &str, file: &str) -> Result<Self, Unreadable> {
        let page = NotePage::parse(file)?;
        let mut audiences: Vec<Audience> = page.audiences().cloned().collect();
        audiences.sort_by_key(Audience::to_string);
        audiences.dedup();
        let front = page.front();
        Ok(Self {
            slug: slug.to_owned(),
            file: file.into(),
            aliases: front.aliases.clone(),
            accounts: front.accounts.clone(),
            audience: front.audience.clone(),
            audiences,
        })
    }
}

/// What may be seen in a place of the notes about people, as they were when they were looked at.
#[derive(Debug, Clone)]
pub struct SeenPeople {
    pub(super) roster: Arc<PeopleRoster>,
    pub(super) visible: Visible,
}

/// The notes as they were when they were looked at; never changes.
#[derive(Debug, Clone, Default)]
pub(super) struct PeopleRoster {
    notes: BTreeMap<String, Arc<Listed>>,
    /// By the slug of an account: the slug of the note it belongs to, where that is another account's.
    belongs: HashMap<String, String>,
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
    pub(super) fn new(notes: impl Iterator<Item = Arc<Listed>>, aliases: &[Alias]) -> Self {
        let notes: BTreeMap<String, Arc<Listed>> = notes.map(|note| (note.slug.clone(), note)).collect();
        let belongs = belongs(&notes);
        let mut names: HashMap<String, Vec<Name>> = HashMap::new();
        let noted = notes
            .values()
            .flat_map(|note| note.aliases.iter().map(|name| (name, &note.slug, &note.audience)));
        let written = aliases.iter().map(|alias| (&alias.name, &alias.slug, &alias.audience));
        for (name, slug, audience) in written.chain(noted) {
            let words: Vec<String> = keywords::words(name).collect();
            let Some(first) = words.first().cloned() else { continue };
            let slug = belongs.get(slug).unwrap_or(slug).clone();
            let name = Name { words, slug, audience: audience.clone() };
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
        for note in notes.values().filter(|note| !note.audiences.is_empty()) {
            *written.entry(note.audiences.clone()).or_default() += 1;
        }
        Self { notes, belongs, names, written }
    }

    /// The slug of the note in which it stands what is noted of an account.
    fn note_of<'a>(&'a self, slug: &'a str) -> &'a str {
        self.belongs.get(slug).map_or(slug, String::as_str)
    }

    /// The slugs of all notes, in order.
    #[cfg(test)]
    pub(super) fn slugs(&self) -> Vec<&str> {
        self.notes.keys().map(String::as_str).collect()
    }
}

/// Which account belongs to which other's note. One that another claims claims nobody itself, so that no way is longer
/// than a step, whatever somebody wrote by hand.
fn belongs(notes: &BTreeMap<String, Arc<Listed>>) -> HashMap<String, String> {
    let mut belongs: HashMap<String, String> = HashMap::new();
    for (kept, note) in notes {
        for other in note.accounts.iter().map(AccountId::slug) {
            let is_kept = belongs.values().any(|known| *known == other);
            if other != *kept && !is_kept && !belongs.contains_key(kept) {
                belongs.entry(other).or_insert_with(|| kept.clone());
            }
        }
    }
    belongs
}

impl SeenPeople {
    /// What is noted about an account, and about whoever else it belongs to.
    pub fn about(&self, account: &AccountId) -> Option<SeenPerson<'_>> {
        self.note(&account.slug())
    }

    /// The slug of the note in which it stands what is noted of an account.
    pub fn slug_of(&self, account: &AccountId) -> String {
        self.roster.note_of(&account.slug()).to_owned()
    }

    /// All accounts of whoever has this one, itself first.
    pub fn accounts_of(&self, account: &AccountId) -> Vec<AccountId> {
        let slug = self.slug_of(account);
        let others = self.roster.notes.get(&slug).into_iter().flat_map(|note| note.accounts.iter().cloned());
        let mut all = vec![account.clone()];
        for one in AccountId::of_slug(&slug).into_iter().chain(others) {
            if !all.iter().any(|known| known.slug() == one.slug()) && self.roster.note_of(&one.slug()) == slug
            {
                all.push(one);
            }
        }
        all
    }

    /// The accounts that belong to another's note, each with the note's: by slugs.
    pub fn joined(&self) -> impl Iterator<Item = (&str, &str)> {
        self.roster.belongs.iter().map(|(account, person)| (account.as_str(), person.as_str()))
    }

    /// The note of a slug.
    pub fn note(&self, slug: &str) -> Option<SeenPerson<'_>> {
        let slug = self.roster.note_of(slug);
        SeenPerson::parse(slug, &self.roster.notes.get(slug)?.file, &self.visible).ok()
    }

    /// How many notes have a line that may be seen.
    pub fn count(&self) -> u64 {
        let says = |audiences: &[Audience]| audiences.iter().any(|audience| self.visible.includes(audience));
        self.roster.written.iter().filter(|(audiences, _)| says(audiences)).map(|(_, notes)| notes).sum()
    }

    /// The slugs of the people a text names, in its order, each once, by names that may be known there. A name
    /// that several have names them all. A name that is an everyday word or a letter or two counts only where it is
    /// capitalised.
    pub fn named_in(&self, text: &str) -> Vec<&str> {
        let words: Vec<String> = keywords::words(text).collect();
        let mut named: Vec<&str> = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let mut step = 1;
            for name in self.roster.names.get(&words[at]).into_iter().flatten() {
                if self.visible.includes(&name.audience)
                    && words[at..].starts_with(&name.words)
                    && (is_telling_name(&name.words) || is_capitalised(text, &words[at]))
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

fn is_telling_name(name: &[String]) -> bool {
    name.len() > 1 || name.iter().all(|word| word.chars().count() > 2 && !keywords::is_stop_word(word))
}

fn is_capitalised(text: &str, folded: &str) -> bool {
    keywords::written_words(text)
        .any(|word| word.chars().next().is_some_and(char::is_uppercase) && keywords::fold(word) == folded)
}
