//! Stay, rest and latch: what lasts beyond a turn (cards-and-lore 4.2.10).

use std::collections::{BTreeMap, HashSet};

use super::entry::PreparedEntry;
use super::shelf::LoreLibrary;
use crate::lore::{LoreEffect, LoreEffectKind};

/// The effects in force in one scan.
#[derive(Debug, Default)]
pub(super) struct Timed {
    chat_length: u64,
    active: HashSet<(usize, LoreEffectKind)>,
    kept: BTreeMap<(String, u32, LoreEffectKind), LoreEffect>,
}

impl Timed {
    /// What still holds of `effects` when the chat is `chat_length` messages long. Those of books that are not here
    /// wait until they end; those of entries that were edited are void.
    pub(super) fn check(library: &LoreLibrary, effects: &[LoreEffect], chat_length: u64) -> Self {
        let mut timed = Self { chat_length, ..Self::default() };
        let mut sorted: Vec<&LoreEffect> = effects.iter().collect();
        // A stay that ends begins a rest, so stays come first.
        sorted.sort_by_key(|effect| effect.kind);
        for effect in sorted {
            timed.take_over(library, effect);
        }
        timed
    }

    fn take_over(&mut self, library: &LoreLibrary, effect: &LoreEffect) {
        if self.chat_length <= effect.start && !effect.protected {
            return;
        }
        let key = (effect.book.clone(), effect.uid, effect.kind);
        let known = library.entries.iter().enumerate().find(|(_, entry)| {
            entry.fields.uid == effect.uid && library.books[entry.book].name == effect.book
        });
        let Some((index, entry)) = known else {
            if self.chat_length < effect.end {
                self.kept.insert(key, effect.clone());
            }
            return;
        };
        if entry.hash != effect.hash || self.kept.contains_key(&key) {
            return;
        }
        if self.chat_length >= effect.end {
            if effect.kind == LoreEffectKind::Sticky && entry.fields.cooldown.is_some() {
                self.begin(library, index, LoreEffectKind::Cooldown, true);
                self.active.insert((index, LoreEffectKind::Cooldown));
            }
            return;
        }
        self.active.insert((index, effect.kind));
        self.kept.insert(key, effect.clone());
    }

    pub(super) fn is(&self, entry: usize, kind: LoreEffectKind) -> bool {
        self.active.contains(&(entry, kind))
    }

    /// Messages until an effect ends.
    pub(super) fn left(&self, library: &LoreLibrary, entry: usize, kind: LoreEffectKind) -> u64 {
        let prepared = &library.entries[entry];
        let key = (library.books[prepared.book].name.clone(), prepared.fields.uid, kind);
        self.kept.get(&key).map_or(0, |effect| effect.end.saturating_sub(self.chat_length))
    }

    /// What lasts after these entries were called up, `matched` of them by a key.
    pub(super) fn after(
        mut self,
        library: &LoreLibrary,
        fired: &[usize],
        matched: &HashSet<usize>,
    ) -> Vec<LoreEffect> {
        for &index in fired {
            let entry = &library.entries[index];
            if entry.fields.sticky.is_some() {
                self.begin(library, index, LoreEffectKind::Sticky, false);
            }
            if entry.fields.cooldown.is_some() {
                self.begin(library, index, LoreEffectKind::Cooldown, false);
            }
            if matched.contains(&index) && entry.rules.keep_after_match {
                self.begin(library, index, LoreEffectKind::LatchedOn, false);
            }
            if matched.contains(&index) && entry.rules.off_after_match {
                self.begin(library, index, LoreEffectKind::LatchedOff, false);
            }
        }
        self.kept.into_values().collect()
    }

    /// Begins an effect. One that runs already goes on as it is.
    fn begin(&mut self, library: &LoreLibrary, index: usize, kind: LoreEffectKind, protected: bool) {
        let entry = &library.entries[index];
        let book = library.books[entry.book].name.clone();
        let effect = LoreEffect {
            book: book.clone(),
            uid: entry.fields.uid,
            kind,
            hash: entry.hash,
            start: self.chat_length,
            end: self.end(entry, kind),
            protected,
        };
        let key = (book, entry.fields.uid, kind);
        if protected {
            self.kept.insert(key, effect);
        } else {
            self.kept.entry(key).or_insert(effect);
        }
    }

    fn end(&self, entry: &PreparedEntry, kind: LoreEffectKind) -> u64 {
        let length = match kind {
            LoreEffectKind::Sticky => u64::from(entry.fields.sticky.unwrap_or(0)),
            LoreEffectKind::Cooldown => u64::from(entry.fields.cooldown.unwrap_or(0)),
            LoreEffectKind::LatchedOn | LoreEffectKind::LatchedOff => return u64::MAX,
        };
        self.chat_length.saturating_add(length)
    }
}
