//! An entry made ready for scanning: its decorators taken out, its keys read.
//!
//! Must not know the other entries. Start reading at [`PreparedEntry`].

use std::collections::HashMap;

use parking_lot::Mutex;
use serde_json::{Map, Value};

use super::decorators::{self, Decorators, DepthRule};
use super::keys::EntryKey;
use super::surface::{CARD_FIELDS, CardFlags};
use crate::fnv::{FNV_BASIS, fnv};
use crate::lore::file::entry_file;
use crate::lore::{LoreEntry, LorePosition};

/// Keys of one entry that are kept as they read with their macros filled in.
const FILLED_MAX: usize = 64;

#[derive(Debug)]
pub(super) struct PreparedEntry {
    pub book: usize,
    /// As its book has it, with what its own lines say put in: they come before its fields. Depth and chance stand beside it.
    /// Without decorators and what only others read, macros still in it; no time it stays, rests or waits for is 0.
    pub fields: LoreEntry,
    pub source_id: String,
    pub name: String,
    /// Empty where some hold macros.
    pub keys: KeySet,
    /// Keys with macros have to be read anew in every scan.
    pub keys_hold_macros: bool,
    /// Such keys by their text with the macros filled in, with what is to be said of them: a pattern that took too long stays
    /// off.
    filled: Mutex<HashMap<String, (EntryKey, Vec<String>)>>,
    pub card: CardFlags,
    pub depth: DepthRule,
    pub chance: Option<f64>,
    pub groups: Vec<String>,
    pub characters: Option<CharacterFilter>,
    pub rules: Decorators,
    /// What it was when an effect began.
    pub hash: u64,
}

/// Which characters an entry is for.
#[derive(Debug)]
pub(super) struct CharacterFilter {
    pub names: Vec<String>,
    pub excludes: bool,
}

/// Every key of an entry.
#[derive(Debug, Clone, Default)]
pub(super) struct KeySet {
    pub primary: Vec<EntryKey>,
    pub secondary: Vec<EntryKey>,
    pub additional: Vec<Vec<EntryKey>>,
    pub exclude_any: Vec<EntryKey>,
    pub exclude_all: Vec<Vec<EntryKey>>,
}

impl PreparedEntry {
    /// Every key, as written.
    pub(super) fn written_keys(&self) -> impl Iterator<Item = &String> {
        let lists = [&self.fields.keys, &self.fields.secondary_keys, &self.rules.exclude_any];
        lists.into_iter().chain(&self.rules.additional).chain(&self.rules.exclude_all).flatten()
    }

    /// Reads the keys, after `fill` has filled in their macros.
    pub(super) fn filled_keys(&self, fill: &dyn Fn(&str) -> String, notes: &mut Vec<String>) -> KeySet {
        let mut known = self.filled.lock();
        if known.len() > FILLED_MAX {
            known.clear();
        }
        self.key_set(|key| {
            let (key, said) = known.entry(fill(key)).or_insert_with_key(|filled| {
                let mut said = Vec::new();
                (EntryKey::read(filled, &mut said), said)
            });
            notes.extend(said.iter().cloned());
            key.clone()
        })
    }

    fn key_set(&self, mut read: impl FnMut(&String) -> EntryKey) -> KeySet {
        let mut list = |keys: &Vec<String>| keys.iter().map(&mut read).collect::<Vec<_>>();
        KeySet {
            primary: list(&self.fields.keys),
            secondary: list(&self.fields.secondary_keys),
            additional: self.rules.additional.iter().map(&mut list).collect(),
            exclude_any: list(&self.rules.exclude_any),
            exclude_all: self.rules.exclude_all.iter().map(&mut list).collect(),
        }
    }
}

/// An entry of the book of this number, made ready.
pub(super) fn prepare(book: usize, entry: &LoreEntry, notes: &mut Vec<String>) -> PreparedEntry {
    let (rules, content) = decorators::read_decorators(&entry.content);
    let chance = rules.probability.or_else(|| entry.use_probability.then_some(entry.probability));
    let at_depth = rules.depth.map(|_| LorePosition::AtDepth);
    let lasting = |messages: Option<u32>| messages.filter(|messages| *messages > 0);
    let fields = LoreEntry {
        match_whole_words: rules.whole_words.or(entry.match_whole_words),
        scan_depth: rules.scan_depth.or(entry.scan_depth),
        // A named place comes before a depth.
        position: rules.position.or(at_depth).unwrap_or(entry.position),
        role: rules.role.unwrap_or(entry.role),
        outlet_name: entry.outlet_name.trim().to_owned(),
        exclude_recursion: rules.exclude_recursion.unwrap_or(entry.exclude_recursion),
        prevent_recursion: rules.prevent_recursion.unwrap_or(entry.prevent_recursion),
        sticky: lasting(entry.sticky),
        cooldown: lasting(entry.cooldown),
        delay: lasting(entry.delay),
        content: content.to_owned(),
        rest: Map::new(),
        ..entry.clone()
    };
    let mut prepared = PreparedEntry {
        book,
        fields,
        source_id: entry.source_id.clone().unwrap_or_else(|| entry.uid.to_string()),
        name: entry.label(),
        keys: KeySet::default(),
        keys_hold_macros: false,
        filled: Mutex::default(),
        card: card_flags(entry),
        depth: rules.depth.unwrap_or(DepthRule::FromEnd(entry.depth)),
        chance: chance.filter(|chance| *chance < 100.0),
        groups: entry.group.split(',').map(str::trim).filter(|g| !g.is_empty()).map(str::to_owned).collect(),
        characters: character_filter(entry),
        hash: fnv(FNV_BASIS, entry_file(entry).bytes()),
        rules,
    };
    let keys_hold_macros = prepared.written_keys().any(|key| key.contains("{{") || key.contains('<'));
    if !keys_hold_macros {
        prepared.keys = prepared.key_set(|key| EntryKey::read(key, notes));
    }
    PreparedEntry { keys_hold_macros, ..prepared }
}

/// A field that the model does not name: among the extensions, or at the top.
pub(in crate::lore) fn unmodelled<'e>(entry: &'e LoreEntry, names: &[&str]) -> Option<&'e Value> {
    let extensions = entry.rest.get("extensions").and_then(Value::as_object);
    names.iter().find_map(|name| extensions.and_then(|e| e.get(*name)).or_else(|| entry.rest.get(*name)))
}

/// Whether an entry looks for its keys in the card or in who is in play.
pub(in crate::lore) fn looks_in_card(entry: &LoreEntry) -> bool {
    card_flags(entry) != CardFlags::default()
}

fn card_flags(entry: &LoreEntry) -> CardFlags {
    let mut flags = 0;
    for (bit, (_, names)) in CARD_FIELDS.iter().enumerate() {
        if unmodelled(entry, names).and_then(crate::coerce::switch) == Some(true) {
            flags |= 1 << bit;
        }
    }
    CardFlags(flags)
}

fn character_filter(entry: &LoreEntry) -> Option<CharacterFilter> {
    let filter = unmodelled(entry, &["characterFilter", "character_filter"])?;
    let names = filter.get("names")?.as_array()?;
    let names: Vec<String> = names.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let excludes = ["isExclude", "is_exclude"]
        .iter()
        .any(|key| filter.get(*key).and_then(crate::coerce::switch) == Some(true));
    (!names.is_empty()).then_some(CharacterFilter { names, excludes })
}
