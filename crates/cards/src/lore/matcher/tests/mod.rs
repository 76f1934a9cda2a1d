//! SillyTavern's rules, one test per rule of cards-and-lore 4.2; the names carry the point's number.

mod decorators;
mod groups;
mod keys;
mod properties;
mod room;
mod rounds;
mod search;
mod timed;

use serde_json::{Value, json};

use super::*;
use crate::TokenCount;
use crate::lore::LoreMode;
use crate::lore::{KeySource, LoreEffect, LoreWhy};
use crate::lore::{Lorebook, book_from_value};

/// A scan with everything at hand.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) settings: LoreSettings,
    pub(super) books: Vec<Shelved>,
    pub(super) chat: Vec<SceneLine>,
    pub(super) chat_length: Option<u64>,
    pub(super) replies: u64,
    pub(super) trigger: &'static str,
    pub(super) seed: String,
    pub(super) budget: u32,
    pub(super) description: &'static str,
    pub(super) effects: Vec<LoreEffect>,
}

impl Desk {
    /// A world file's entries, uids from 0, and a chat, oldest first.
    pub(super) fn new(entries: Value, chat: &[&str]) -> Self {
        Self {
            settings: LoreSettings::default(),
            books: vec![shelved("world", entries)],
            chat: lines(chat),
            chat_length: None,
            replies: 0,
            trigger: "normal",
            seed: "t1".to_owned(),
            budget: 949,
            description: "",
            effects: Vec::new(),
        }
    }

    pub(super) fn says(&mut self, line: &str) {
        self.chat.insert(0, SceneLine::written(line));
    }

    pub(super) fn scan(&self) -> LoreScan {
        self.scan_in(&LoreLibrary::new(&self.books))
    }

    /// Scans books that may have been scanned before.
    pub(super) fn scan_in(&self, library: &LoreLibrary) -> LoreScan {
        let expand = |text: &str| text.replace("{{char}}", "Mika").replace("{{user}}", "Alice");
        let scene = LoreScene {
            messages: &self.chat,
            chat_length: self.chat_length.unwrap_or(self.chat.len() as u64),
            replies: self.replies,
            trigger: self.trigger,
            character: &["Mika"],
            card: CardTexts { description: self.description, ..CardTexts::default() },
            seed: &self.seed,
            budget: self.budget,
            tokens: TokenCount::Quarters,
            expand: &expand,
        };
        library.scan(&self.settings, &scene, &self.effects)
    }

    /// Names of what fired, in the order it stands.
    pub(super) fn fired(&self) -> Vec<String> {
        names(&self.scan())
    }

    /// Why an entry did or did not fire.
    pub(super) fn why(&self, name: &str) -> LoreWhy {
        why(&self.scan(), name)
    }

    /// Scans and keeps what lasts.
    pub(super) fn turn(&mut self) -> Vec<String> {
        let scan = self.scan();
        self.effects = scan.effects.clone();
        names(&scan)
    }
}

pub(super) fn names(scan: &LoreScan) -> Vec<String> {
    scan.fired.iter().map(|entry| entry.name.clone()).collect()
}

pub(super) fn why(scan: &LoreScan, name: &str) -> LoreWhy {
    let fired = scan.fired.iter().find(|entry| entry.name == name).map(|entry| entry.why.clone());
    let not = || scan.not_fired.iter().find(|entry| entry.name == name).map(|entry| entry.why.clone());
    fired.or_else(not).unwrap_or_else(|| panic!("no entry {name}"))
}

pub(super) fn lines(chat: &[&str]) -> Vec<SceneLine> {
    chat.iter().rev().map(|line| SceneLine::written(line)).collect()
}

pub(super) fn shelved(name: &str, entries: Value) -> Shelved {
    Shelved { name: name.to_owned(), book: book(entries), is_characters: true }
}

/// A world file of these entries; what an entry leaves out is as SillyTavern's editor makes it.
pub(super) fn book(entries: Value) -> Lorebook {
    let mut by_id = serde_json::Map::new();
    for (uid, entry) in entries.as_array().unwrap().iter().enumerate() {
        let mut entry = entry.clone();
        let object = entry.as_object_mut().unwrap();
        object.entry("uid").or_insert(json!(uid));
        object.entry("content").or_insert(json!("text"));
        object.entry("key").or_insert(json!([]));
        by_id.insert(uid.to_string(), entry);
    }
    book_from_value(&json!({ "entries": by_id }), &mut Vec::new()).unwrap()
}

pub(super) fn by_message(key: &str, back: u32, speaker: &str) -> LoreWhy {
    LoreWhy::Key {
        key: key.to_owned(),
        filter: None,
        at: KeySource::Message { back, speaker: speaker.to_owned() },
    }
}

pub(super) fn by_entry(key: &str, name: &str) -> LoreWhy {
    LoreWhy::Key {
        key: key.to_owned(),
        filter: None,
        at: KeySource::Entry { book: "world".to_owned(), name: name.to_owned() },
    }
}

pub(super) fn searching(mode: LoreMode) -> LoreSettings {
    LoreSettings { mode, ..LoreSettings::default() }
}
