//! An entry made ready for scanning: its decorators taken out, its keys read.
//!
//! Must not know the other entries. Start reading at [`PreparedEntry`].

use std::collections::HashMap;

use parking_lot::Mutex;
use serde_json::Value;

use super::decorators::{self, Decorators, DepthRule};
use super::keys::EntryKey;
use super::surface::{CARD_FIELDS, CardFlags};
use crate::Role;
use crate::lore::file::entry_file;
use crate::lore::{KeyLogic, LoreEntry, LorePosition};
use crate::macros::holds_variables;

/// Keys of one entry that are kept as they read with their macros filled in.
const FILLED_MAX: usize = 64;

/// An entry, ready.
#[derive(Debug)]
pub(super) struct PreparedEntry {
    pub book: usize,
    pub uid: u32,
    pub source_id: String,
    pub name: String,
    pub enabled: bool,
    pub constant: bool,
    pub selective: bool,
    pub logic: KeyLogic,
    pub keys: KeySet,
    /// Keys with macros have to be read anew in every scan.
    pub raw: Option<RawKeys>,
    pub case_sensitive: Option<bool>,
    pub whole_words: Option<bool>,
    pub scan_depth: Option<u32>,
    pub card: CardFlags,
    pub order: i64,
    pub priority: Option<i64>,
    pub position: LorePosition,
    pub depth: DepthRule,
    pub role: Role,
    pub outlet: String,
    pub chance: Option<f64>,
    pub groups: Vec<String>,
    pub group_override: bool,
    pub group_weight: u32,
    pub group_scoring: Option<bool>,
    pub exclude_recursion: bool,
    pub prevent_recursion: bool,
    pub delay_until_recursion: u32,
    pub sticky: u32,
    pub cooldown: u32,
    pub delay: u32,
    pub vectorized: bool,
    pub ignore_budget: bool,
    pub triggers: Vec<String>,
    pub characters: Option<CharacterFilter>,
    pub rules: Decorators,
    /// Without decorators, macros still in it.
    pub content: String,
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

/// Keys as written, of an entry of which some hold macros.
#[derive(Debug, Default)]
pub(super) struct RawKeys {
    primary: Vec<String>,
    secondary: Vec<String>,
    additional: Vec<Vec<String>>,
    exclude_any: Vec<String>,
    exclude_all: Vec<Vec<String>>,
    /// By their text with the macros filled in, with what is to be said of them: a pattern that took too long stays off.
    read: Mutex<HashMap<String, (EntryKey, Vec<String>)>>,
}

impl RawKeys {
    fn hold_macros(&self) -> bool {
        self.all().any(|key| key.contains("{{") || key.contains('<'))
    }

    pub(super) fn hold_variables(&self) -> bool {
        self.all().any(|key| holds_variables(key))
    }

    fn all(&self) -> impl Iterator<Item = &String> {
        let lists = [&self.primary, &self.secondary, &self.exclude_any];
        lists.into_iter().chain(&self.additional).chain(&self.exclude_all).flatten()
    }

    /// Reads the keys, after `fill` has filled in their macros.
    pub(super) fn read(&self, fill: &dyn Fn(&str) -> String, notes: &mut Vec<String>) -> KeySet {
        let mut read = self.read.lock();
        if read.len() > FILLED_MAX {
            read.clear();
        }
        let mut one = |key: &String| {
            let filled = fill(key);
            let (key, said) = read.entry(filled).or_insert_with_key(|filled| {
                let mut said = Vec::new();
                (EntryKey::read(filled, &mut said), said)
            });
            notes.extend(said.iter().cloned());
            key.clone()
        };
        let mut list = |keys: &Vec<String>| keys.iter().map(&mut one).collect::<Vec<_>>();
        KeySet {
            primary: list(&self.primary),
            secondary: list(&self.secondary),
            additional: self.additional.iter().map(&mut list).collect(),
            exclude_any: list(&self.exclude_any),
            exclude_all: self.exclude_all.iter().map(&mut list).collect(),
        }
    }
}

/// An entry of the book of this number, made ready.
pub(super) fn prepare(book: usize, entry: &LoreEntry, notes: &mut Vec<String>) -> PreparedEntry {
    let (rules, content) = decorators::read_decorators(&entry.content);
    let raw = RawKeys {
        primary: entry.keys.clone(),
        secondary: entry.secondary_keys.clone(),
        additional: rules.additional.clone(),
        exclude_any: rules.exclude_any.clone(),
        exclude_all: rules.exclude_all.clone(),
        read: Mutex::default(),
    };
    let has_macros = raw.hold_macros();
    let keys = if has_macros { KeySet::default() } else { raw.read(&|key: &str| key.to_owned(), notes) };
    let chance = rules.probability.or_else(|| entry.use_probability.then_some(entry.probability));
    PreparedEntry {
        book,
        uid: entry.uid,
        source_id: entry.source_id.clone().unwrap_or_else(|| entry.uid.to_string()),
        name: entry.label(),
        enabled: entry.enabled,
        constant: entry.constant,
        selective: entry.selective,
        logic: entry.logic,
        keys,
        raw: has_macros.then_some(raw),
        case_sensitive: entry.case_sensitive,
        whole_words: rules.whole_words.or(entry.match_whole_words),
        scan_depth: entry.scan_depth,
        card: card_flags(entry),
        order: entry.order,
        priority: entry.priority,
        position: entry_position(entry, &rules),
        depth: rules.depth.unwrap_or(DepthRule::FromEnd(entry.depth)),
        role: rules.role.unwrap_or(entry.role),
        outlet: entry.outlet_name.trim().to_owned(),
        chance: chance.filter(|chance| *chance < 100.0),
        groups: entry.group.split(',').map(str::trim).filter(|g| !g.is_empty()).map(str::to_owned).collect(),
        group_override: entry.group_override,
        group_weight: entry.group_weight,
        group_scoring: entry.use_group_scoring,
        exclude_recursion: rules.exclude_recursion.unwrap_or(entry.exclude_recursion),
        prevent_recursion: rules.prevent_recursion.unwrap_or(entry.prevent_recursion),
        delay_until_recursion: entry.delay_until_recursion,
        sticky: entry.sticky.unwrap_or(0),
        cooldown: entry.cooldown.unwrap_or(0),
        delay: entry.delay.unwrap_or(0),
        vectorized: entry.vectorized,
        ignore_budget: entry.ignore_budget,
        triggers: entry.triggers.clone(),
        characters: character_filter(entry),
        content: content.to_owned(),
        hash: fnv(&entry_file(entry)),
        rules,
    }
}

/// Where an entry stands; its own lines come before its fields, a named place before a depth.
fn entry_position(entry: &LoreEntry, rules: &Decorators) -> LorePosition {
    let at_depth = rules.depth.map(|_| LorePosition::AtDepth);
    rules.position.or(at_depth).unwrap_or(entry.position)
}

/// A field that the model does not name: at the top, or among the extensions.
fn other<'e>(entry: &'e LoreEntry, names: &[&str]) -> Option<&'e Value> {
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
        if other(entry, names).and_then(crate::coerce::switch) == Some(true) {
            flags |= 1 << bit;
        }
    }
    CardFlags(flags)
}

fn character_filter(entry: &LoreEntry) -> Option<CharacterFilter> {
    let filter = other(entry, &["characterFilter", "character_filter"])?;
    let names = filter.get("names")?.as_array()?;
    let names: Vec<String> = names.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let excludes = ["isExclude", "is_exclude"]
        .iter()
        .any(|key| filter.get(*key).and_then(crate::coerce::switch) == Some(true));
    (!names.is_empty()).then_some(CharacterFilter { names, excludes })
}

/// FNV-1a: the same on every machine and in every release, since effects are kept by it.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
