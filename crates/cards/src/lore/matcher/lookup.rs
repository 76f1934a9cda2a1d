//! An entry asked for by its name or by what it is about, outside a turn's scan: whoever asks wants to read it, so
//! chance, groups, timed effects and room do not count.

use std::collections::BTreeMap;

use super::entry::PreparedEntry;
use super::keys::{Comparing, Form};
use super::shelf::LoreLibrary;
use crate::lore::WordBoundary;

/// What an entry is asked for by: better than any search is a key that was said, better than that its name.
const BY_SEARCH: f32 = 0.0;
const BY_KEY: f32 = 1.0;
const BY_EXACT_KEY: f32 = 2.0;
const BY_NAME: f32 = 3.0;

/// An entry, to be read.
#[derive(Debug, Clone, PartialEq)]
pub struct LorePage {
    /// The book's folder.
    pub book: String,
    /// Its number in our model of the book.
    pub uid: u32,
    /// What the entry is called.
    pub name: String,
    /// Its text, macros filled in and decorators taken out; never blank.
    pub content: String,
    /// How surely it is what was asked for: the share of the question that it covers, 0 to 1, and more where it is named.
    pub nearness: f32,
}

impl LoreLibrary {
    /// The entries that `words` name, hold a key of, or are about: the nearest first, at most `most`. Entries that are
    /// switched off, never come, or are for none of the names in `character` are not among them.
    #[must_use]
    pub fn look_up(
        &self,
        words: &str,
        character: &[&str],
        most: usize,
        expand: &dyn Fn(&str) -> String,
    ) -> Vec<LorePage> {
        let folded = words.trim().to_lowercase();
        if folded.is_empty() {
            return Vec::new();
        }
        let mut found: BTreeMap<usize, f32> =
            self.index.scores(words).into_iter().map(|(index, score)| (index, BY_SEARCH + score)).collect();
        for (index, entry) in self.entries.iter().enumerate() {
            if let Some(nearness) = nearness(entry, words, &folded) {
                found.insert(index, nearness);
            }
        }
        let mut found: Vec<(&PreparedEntry, f32)> = found
            .into_iter()
            .map(|(index, nearness)| (&self.entries[index], nearness))
            .filter(|(entry, _)| entry.may_be_read_by(character))
            .collect();
        found.sort_by(|(a, near), (b, nearer)| {
            nearer.total_cmp(near).then_with(|| b.fields.order.cmp(&a.fields.order))
        });
        // One that is named is meant; what else holds its name is not.
        if found.first().is_some_and(|(_, nearness)| *nearness >= BY_NAME) {
            found.retain(|(_, nearness)| *nearness >= BY_NAME);
        }
        found
            .into_iter()
            .map(|(entry, nearness)| LorePage {
                book: self.books[entry.book].name.clone(),
                uid: entry.fields.uid,
                nearness,
                name: entry.name.clone(),
                content: expand(&entry.fields.content).trim().to_owned(),
            })
            .filter(|page| !page.content.is_empty())
            .take(most)
            .collect()
    }
}

impl PreparedEntry {
    fn may_be_read_by(&self, character: &[&str]) -> bool {
        let is_for = |names: &[String]| names.iter().any(|name| character.contains(&name.as_str()));
        let suits = self.characters.as_ref().is_none_or(|filter| is_for(&filter.names) != filter.excludes);
        self.fields.enabled && !self.rules.never && suits
    }
}

fn nearness(entry: &PreparedEntry, words: &str, folded: &str) -> Option<f32> {
    if entry.name.trim().to_lowercase() == folded {
        return Some(BY_NAME);
    }
    let how = Comparing { case_sensitive: false, whole_words: true, boundary: WordBoundary::Unicode };
    let plain = || {
        entry.keys.primary.iter().filter_map(|key| match &key.form {
            Form::Plain(plain) => Some(plain),
            Form::Blank | Form::Pattern(_) => None,
        })
    };
    if plain().any(|key| key.folded == folded) {
        return Some(BY_EXACT_KEY);
    }
    plain().any(|key| key.is_in(words, folded, how)).then_some(BY_KEY)
}
