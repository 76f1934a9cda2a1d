//! Whether an entry is called up in a pass: its rules first, then its keys (cards-and-lore 4.2.4, 4.2.5).

use super::keys::{Comparing, EntryKey, Form};
use super::rounds::{PassReading, PassState, Scan};
use super::settings::MAX_DEPTH;
use super::surface::{CARD_FIELDS, CardFlags, KeyPlace, ScanScope};
use crate::lore::KeyLogic;
use crate::lore::LoreMode;
use crate::lore::{KeySource, LoreEffectKind, LoreWhy};

/// What stands between an entry and its keys.
enum EntryGate {
    Open,
    Passed(LoreWhy),
    Shut(LoreWhy),
    /// Other entries may not call it.
    ShutToEntries,
}

impl Scan<'_> {
    /// Notes why an entry stays away, unless a better reason is known.
    pub(super) fn refuse(&mut self, index: usize, why: LoreWhy) {
        let is_vaguer = match (&why, &self.why[index]) {
            (LoreWhy::NoKeyFound, _) => true,
            // Who lost a group's draw is asked again in the next pass, when the group is served.
            (LoreWhy::Group { winner: None, group }, LoreWhy::Group { group: before, .. }) => group == before,
            _ => false,
        };
        if !is_vaguer {
            self.why[index] = why;
        }
    }

    pub(super) fn consider(&mut self, index: usize, state: PassState, level: u32) -> Option<LoreWhy> {
        match self.gate(index, state, level) {
            EntryGate::Open => self.look_for_keys(index, state),
            EntryGate::Passed(why) => Some(why),
            EntryGate::Shut(why) => {
                self.refuse(index, why);
                None
            }
            EntryGate::ShutToEntries => {
                self.note_missed_call(index);
                None
            }
        }
    }

    /// Every rule that comes before the keys, in SillyTavern's order.
    fn gate(&self, index: usize, state: PassState, level: u32) -> EntryGate {
        let entry = &self.library.entries[index];
        if let Some(why) = self.unsuitable(index) {
            return EntryGate::Shut(why);
        }
        let is_sticky = self.timed.is(index, LoreEffectKind::Sticky);
        let waits = entry.fields.delay_until_recursion;
        if waits > 0 && !is_sticky && (state != PassState::Recursion || waits > level) {
            return EntryGate::Shut(LoreWhy::WaitsForRecursion { level: waits });
        }
        if state == PassState::Recursion && entry.fields.exclude_recursion && self.recursive() && !is_sticky {
            return EntryGate::ShutToEntries;
        }
        let rules = &entry.rules;
        if rules.forced {
            return EntryGate::Passed(LoreWhy::Forced);
        }
        if let Some(by) = self.held_back(index) {
            return EntryGate::Shut(LoreWhy::HeldBack { by: by.to_owned() });
        }
        if entry.fields.constant {
            return EntryGate::Passed(LoreWhy::Constant);
        }
        if is_sticky {
            let left = self.timed.left(self.library, index, LoreEffectKind::Sticky);
            return EntryGate::Passed(LoreWhy::Sticky { left });
        }
        if self.timed.is(index, LoreEffectKind::LatchedOn) {
            return EntryGate::Passed(LoreWhy::Latched);
        }
        if self.settings.mode == LoreMode::Retrieval {
            return EntryGate::Shut(LoreWhy::NoKeyFound);
        }
        let has_keys = self.keys[index].primary.iter().any(|key| !matches!(key.form, Form::Blank));
        if has_keys { EntryGate::Open } else { EntryGate::Shut(LoreWhy::NoKeys) }
    }

    /// Why an entry is out of the question in this turn, whatever was said.
    pub(super) fn unsuitable(&self, index: usize) -> Option<LoreWhy> {
        let entry = &self.library.entries[index];
        if !entry.fields.enabled {
            return Some(LoreWhy::Disabled);
        }
        let trigger = self.scene.trigger;
        if !entry.fields.triggers.is_empty() && !entry.fields.triggers.iter().any(|known| known == trigger) {
            return Some(LoreWhy::OtherTrigger { trigger: trigger.to_owned() });
        }
        if let Some(filter) = &entry.characters {
            let is_named = filter.names.iter().any(|name| self.scene.character.contains(&name.as_str()));
            if is_named == filter.excludes {
                return Some(LoreWhy::OtherCharacter);
            }
        }
        let delay = u64::from(entry.fields.delay.unwrap_or(0));
        if self.scene.chat_length < delay {
            return Some(LoreWhy::Delay { left: delay - self.scene.chat_length });
        }
        if self.timed.is(index, LoreEffectKind::Cooldown) && !self.timed.is(index, LoreEffectKind::Sticky) {
            let left = self.timed.left(self.library, index, LoreEffectKind::Cooldown);
            return Some(LoreWhy::Cooldown { left });
        }
        None
    }

    /// Which of its own lines holds an entry back.
    pub(super) fn held_back(&self, index: usize) -> Option<&'static str> {
        let rules = &self.library.entries[index].rules;
        let replies = self.scene.replies;
        if rules.never {
            return Some("dont_activate");
        }
        if rules.only_after.is_some_and(|after| replies < after) {
            return Some("activate_only_after");
        }
        if rules.only_every.is_some_and(|every| !replies.is_multiple_of(every)) {
            return Some("activate_only_every");
        }
        self.timed.is(index, LoreEffectKind::LatchedOff).then_some("dont_activate_after_match")
    }

    /// What an entry reads in this pass. Depth 0 reads nothing, not even what other entries say.
    pub(super) fn scope(&self, index: usize, state: PassState) -> ScanScope {
        let entry = &self.library.entries[index];
        let general = self.library.books[entry.book].scan_depth.unwrap_or(self.settings.depth);
        let general = general.saturating_add(self.further);
        let depth = entry.fields.scan_depth.unwrap_or(general).min(MAX_DEPTH);
        if depth == 0 {
            return ScanScope { messages: 0..0, card: CardFlags::default(), entries: 0..0 };
        }
        let entries = if state == PassState::FurtherBack || !self.calls_allowed(entry) {
            0
        } else {
            self.surface.entries()
        };
        ScanScope {
            messages: 0..(depth as usize).min(self.surface.messages()),
            card: entry.card,
            entries: 0..entries,
        }
    }

    pub(super) fn comparing(&self, index: usize) -> Comparing {
        let entry = &self.library.entries[index];
        Comparing {
            case_sensitive: entry.fields.case_sensitive.unwrap_or(self.settings.case_sensitive),
            whole_words: entry.fields.match_whole_words.unwrap_or(self.settings.whole_words),
            boundary: self.settings.boundary,
        }
    }

    fn look_for_keys(&mut self, index: usize, state: PassState) -> Option<LoreWhy> {
        let scope = self.scope(index, state);
        let read = self.read[index];
        let fresh = ScanScope {
            messages: read.messages.min(scope.messages.end)..scope.messages.end,
            card: if read.card { CardFlags::default() } else { scope.card },
            entries: read.entries.min(scope.entries.end)..scope.entries.end,
        };
        if fresh.is_empty() {
            self.refuse(index, LoreWhy::NoKeyFound);
            return None;
        }
        let how = self.comparing(index);
        let keys = self.keys[index].clone();
        let found = keys
            .primary
            .iter()
            .find_map(|key| self.surface.find(key, how, &scope, &fresh).map(|place| (key, place)));
        let Some((key, place)) = found else {
            self.read[index] = PassReading {
                messages: read.messages.max(scope.messages.end),
                entries: read.entries.max(scope.entries.end),
                card: true,
            };
            self.refuse(index, LoreWhy::NoKeyFound);
            return None;
        };
        let mut is_there = |key: &EntryKey| self.surface.find(key, how, &scope, &scope).is_some();
        let held_back = if keys.exclude_any.iter().any(&mut is_there) {
            Some("exclude_keys")
        } else if keys.exclude_all.iter().any(|list| list.iter().all(&mut is_there)) {
            Some("exclude_keys_all")
        } else if keys.additional.iter().any(|list| !list.iter().any(&mut is_there)) {
            Some("additional_keys")
        } else {
            None
        };
        if let Some(by) = held_back {
            self.refuse(index, LoreWhy::HeldBack { by: by.to_owned() });
            return None;
        }
        let entry = &self.library.entries[index];
        let filter = if entry.fields.selective && !keys.secondary.is_empty() {
            let Some(filter) = filter_key(entry.fields.logic, &keys.secondary, &mut is_there) else {
                let why = LoreWhy::FilterKeys {
                    key: key.written.clone(),
                    logic: entry.fields.logic.as_str().to_owned(),
                };
                self.refuse(index, why);
                return None;
            };
            filter
        } else {
            None
        };
        self.matched.insert(index);
        Some(LoreWhy::Key { key: key.written.clone(), filter, at: self.source(place) })
    }

    fn source(&self, place: KeyPlace) -> KeySource {
        match place {
            KeyPlace::Message(back) => KeySource::Message {
                back: u32::try_from(back).unwrap_or(u32::MAX).saturating_add(1),
                speaker: self.scene.messages.get(back).map(|line| line.speaker.clone()).unwrap_or_default(),
            },
            KeyPlace::Card(field) => KeySource::Card { field: CARD_FIELDS[field].0.to_owned() },
            KeyPlace::Entry(index) => {
                let entry = &self.library.entries[index];
                KeySource::Entry {
                    book: self.library.books[entry.book].name.clone(),
                    name: entry.name.clone(),
                }
            }
        }
    }

    /// An entry that other entries may not call: worth a word only where one would have.
    fn note_missed_call(&mut self, index: usize) {
        if self.why[index] != LoreWhy::NoKeyFound || self.settings.mode == LoreMode::Retrieval {
            return;
        }
        let scope = ScanScope { messages: 0..0, ..self.scope(index, PassState::Recursion) };
        if scope.entries.is_empty() {
            return;
        }
        let how = self.comparing(index);
        let keys = self.keys[index].clone();
        let missed = keys.primary.iter().find(|key| self.surface.find(key, how, &scope, &scope).is_some());
        if let Some(key) = missed {
            self.refuse(index, LoreWhy::NotByEntries { key: key.written.clone() });
        }
    }
}

/// Whether the filter keys agree, and by which of them; the inner `None` is agreement by absence.
fn filter_key(
    logic: KeyLogic,
    keys: &[EntryKey],
    is_there: &mut impl FnMut(&EntryKey) -> bool,
) -> Option<Option<String>> {
    match logic {
        KeyLogic::AndAny => keys.iter().find(|key| is_there(key)).map(|key| Some(key.written.clone())),
        KeyLogic::NotAll => keys.iter().any(|key| !is_there(key)).then_some(None),
        KeyLogic::NotAny => (!keys.iter().any(is_there)).then_some(None),
        KeyLogic::AndAll => keys.iter().all(is_there).then(|| keys.last().map(|key| key.written.clone())),
    }
}
