//! Books made ready for scanning: their entries in SillyTavern's order, and the words of all of them.

use super::entry::{PreparedEntry, prepare};
use super::index::{Index, WordForms, search_words};
use super::settings::LoreSettings;
use super::surface::CardFlags;
use crate::lore::{LoreEntry, Lorebook};
use crate::macros::holds_variables;

/// A book and what it is called on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Shelved {
    /// Its folder, or the file's name: what effects and traces know it by.
    pub name: String,
    /// Its entries and its own settings.
    pub book: Lorebook,
    /// The character's own book comes before all others (SillyTavern's "character first").
    pub is_characters: bool,
}

/// Books, ready to be scanned any number of times.
#[derive(Debug)]
pub struct LoreLibrary {
    pub(super) entries: Vec<PreparedEntry>,
    pub(super) books: Vec<BookInfo>,
    pub(super) index: Index,
    notes: Vec<String>,
    holds_variables: bool,
}

/// A book's own rules.
#[derive(Debug)]
pub(super) struct BookInfo {
    pub name: String,
    pub scan_depth: Option<u32>,
    pub recursive: Option<bool>,
    pub token_budget: Option<u32>,
}

impl LoreLibrary {
    /// Makes books ready. A book that is there twice by name counts once.
    #[must_use]
    pub fn new(books: &[Shelved]) -> Self {
        Self::with_words(books, search_words)
    }

    /// The same, searched by words as somebody else tells them and their forms: inflected ones are found where it knows how.
    #[must_use]
    pub fn with_words(books: &[Shelved], words: WordForms) -> Self {
        let mut library = Self {
            entries: Vec::new(),
            books: Vec::new(),
            index: Index::new(&[], words),
            notes: Vec::new(),
            holds_variables: false,
        };
        // The character's books first, then all others; within each, higher order first, then as in the book.
        for of_character in [true, false] {
            let first = library.entries.len();
            for shelved in books.iter().filter(|shelved| shelved.is_characters == of_character) {
                if library.books.iter().all(|known| known.name != shelved.name) {
                    library.shelve(shelved);
                }
            }
            library.entries[first..].sort_by_key(|entry| std::cmp::Reverse(entry.fields.order));
        }
        library.index = Index::new(&library.entries, words);
        library.holds_variables = library.entries.iter().any(|entry| {
            holds_variables(&entry.fields.content) || entry.written_keys().any(|key| holds_variables(key))
        });
        library
    }

    fn shelve(&mut self, shelved: &Shelved) {
        let book = self.books.len();
        self.books.push(BookInfo {
            name: shelved.name.clone(),
            scan_depth: shelved.book.scan_depth,
            recursive: shelved.book.recursive_scanning,
            token_budget: shelved.book.token_budget,
        });
        let mut notes = Vec::new();
        for entry in in_source_order(&shelved.book.entries) {
            let prepared = prepare(book, entry, &mut notes);
            self.notes.extend(notes.drain(..).map(|note| format!("{}: {note}", prepared.name)));
            self.entries.push(prepared);
        }
    }

    /// Keys that are not what they look like, one line each: patterns that cannot be read, or can find nothing. Keys with
    /// macros are read with each scan, which says the same of them.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether anything in it lasts beyond a turn, so that effects have to be kept.
    #[must_use]
    pub fn lasts(&self) -> bool {
        self.entries.iter().any(|entry| {
            entry.fields.sticky.is_some()
                || entry.fields.cooldown.is_some()
                || entry.rules.keep_after_match
                || entry.rules.off_after_match
        })
    }

    /// Whether an entry's text or keys read or set what the card remembers.
    #[must_use]
    pub fn holds_variables(&self) -> bool {
        self.holds_variables
    }

    /// Whether an entry asks how often the character has replied.
    #[must_use]
    pub fn counts_replies(&self) -> bool {
        let counts =
            |entry: &PreparedEntry| entry.rules.only_after.is_some() || entry.rules.only_every.is_some();
        self.entries.iter().any(counts)
    }

    /// Whether an entry reads fields of the card.
    #[must_use]
    pub fn reads_card(&self) -> bool {
        self.entries.iter().any(|entry| entry.card != CardFlags::default())
    }

    /// The most messages any entry reads under `settings`.
    #[must_use]
    pub fn deepest(&self, settings: &LoreSettings) -> u32 {
        let own = self
            .entries
            .iter()
            .filter_map(|entry| entry.fields.scan_depth.or(self.books[entry.book].scan_depth));
        let most = own.max().unwrap_or(0).max(settings.depth);
        // A scan that has not found enough reads on, and a search reads two messages.
        let more = if settings.min_activations > 0 { super::settings::MAX_DEPTH } else { 2 };
        most.max(more).min(super::settings::MAX_DEPTH)
    }
}

/// SillyTavern keeps entries by number, and JavaScript lists numbered keys in ascending order, whatever the file's.
fn in_source_order(entries: &[LoreEntry]) -> Vec<&LoreEntry> {
    let number = |entry: &LoreEntry| entry.source_id.as_ref().and_then(|id| id.parse::<u32>().ok());
    let mut ordered: Vec<&LoreEntry> = entries.iter().collect();
    if entries.iter().all(|entry| number(entry).is_some()) {
        ordered.sort_by_key(|entry| number(entry));
    }
    ordered
}
