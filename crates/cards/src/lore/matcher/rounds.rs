//! The passes over the entries: first by what was said, then by what the entries found say, and so on
//! (cards-and-lore 4.2.4 to 4.2.8).

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use super::entry::{KeySet, PreparedEntry};
use super::outcome::LoreScan;
use super::scene::LoreScene;
use super::settings::LoreSettings;
use super::shelf::LoreLibrary;
use super::surface::Surface;
use super::timed::Timed;
use crate::lore::{LoreEffect, LoreLevel, LoreWhy};
use crate::tokens::TokenTally;

/// Passes at most, whatever the settings say: chains of entries that call each other are short in real books.
const MAX_PASSES: u32 = 256;

/// What a pass reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PassState {
    /// What was said.
    Initial,
    /// And what the entries found so far say.
    Recursion,
    /// What was said, one message further back; not what entries say.
    FurtherBack,
}

/// A scan under way.
#[derive(Debug)]
pub(super) struct Scan<'a> {
    pub library: &'a LoreLibrary,
    pub settings: &'a LoreSettings,
    pub scene: &'a LoreScene<'a>,
    pub keys: Vec<Cow<'a, KeySet>>,
    pub timed: Timed,
    pub surface: Surface,
    /// In the order they were called up.
    pub active: Vec<usize>,
    pub is_active: Vec<bool>,
    /// Their draw failed; final for this scan.
    pub rolled_out: Vec<bool>,
    /// Why each was called up, or the best reason so far why not.
    pub why: Vec<LoreWhy>,
    pub level: Vec<LoreLevel>,
    /// Texts, once their macros are filled in.
    pub contents: Vec<Option<String>>,
    pub limit: u32,
    pub overflowed: bool,
    /// How far each entry's keys were looked for in vain.
    pub read: Vec<PassReading>,
    /// Called up by a key, in this scan.
    pub matched: HashSet<usize>,
    /// Messages beyond the depth that are read by now.
    pub further: u32,
    pub passes: u32,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PassReading {
    pub messages: usize,
    pub entries: usize,
    pub card: bool,
}

impl LoreLibrary {
    /// Scans a chat. `effects` are what the channel's last scan gave back.
    #[must_use]
    pub fn scan(&self, settings: &LoreSettings, scene: &LoreScene<'_>, effects: &[LoreEffect]) -> LoreScan {
        let mut notes = self.notes().to_vec();
        let keys = self
            .entries
            .iter()
            .map(|entry| {
                if entry.keys_hold_macros {
                    Cow::Owned(entry.filled_keys(scene.expand, &mut notes))
                } else {
                    Cow::Borrowed(&entry.keys)
                }
            })
            .collect();
        let number = self.entries.len();
        let deepest = self.deepest(settings) as usize;
        let mut scan = Scan {
            library: self,
            settings,
            scene,
            keys,
            timed: Timed::check(self, effects, scene.chat_length),
            surface: Surface::new(scene, deepest),
            active: Vec::new(),
            is_active: vec![false; number],
            rolled_out: vec![false; number],
            why: vec![LoreWhy::NoKeyFound; number],
            level: vec![LoreLevel::Full; number],
            contents: vec![None; number],
            limit: scene.budget.max(1),
            overflowed: false,
            read: vec![PassReading::default(); number],
            matched: HashSet::new(),
            further: 0,
            passes: 0,
            notes,
        };
        scan.run();
        scan.search();
        scan.trim_books();
        scan.finish()
    }
}

impl Scan<'_> {
    fn run(&mut self) {
        let mut levels: BTreeSet<u32> =
            self.library.entries.iter().map(|e| e.fields.delay_until_recursion).filter(|l| *l > 0).collect();
        let mut level = levels.pop_first().unwrap_or(0);
        let mut recursed = TokenTally::new(self.scene.tokens);
        let mut state = PassState::Initial;
        let most = match self.settings.max_recursion_steps {
            0 => MAX_PASSES,
            steps => steps.min(MAX_PASSES),
        };
        while self.passes < most {
            self.passes += 1;
            let mut found: Vec<(usize, LoreWhy)> = Vec::new();
            for index in 0..self.library.entries.len() {
                if !self.is_active[index] && !self.rolled_out[index] {
                    found.extend(self.consider(index, state, level).map(|why| (index, why)));
                }
            }
            let new = self.admit(found, recursed.total(), state);
            let callers: Vec<usize> = new
                .into_iter()
                .filter(|index| !self.library.entries[*index].fields.prevent_recursion)
                .collect();
            let Some(next) = self.next(state, !callers.is_empty(), &mut levels, &mut level) else { return };
            for index in callers {
                let text = self.calling_text(index);
                if !text.is_empty() {
                    recursed.add(&text);
                    self.surface.add(index, &text, self.passes);
                }
            }
            state = next;
        }
        if self.passes == MAX_PASSES {
            self.notes
                .push(format!("the entries called each other {MAX_PASSES} times; that is where it stopped"));
        }
    }

    /// What the next pass reads; `None` when there is none.
    fn next(
        &mut self,
        state: PassState,
        found_callers: bool,
        levels: &mut BTreeSet<u32>,
        level: &mut u32,
    ) -> Option<PassState> {
        let recursive = self.recursive() && !self.overflowed;
        if recursive && (found_callers || (state == PassState::FurtherBack && self.surface.entries() > 0)) {
            return Some(PassState::Recursion);
        }
        let wanted = self.settings.min_activations as usize;
        let depth = self.settings.depth.saturating_add(self.further);
        if !self.overflowed
            && self.settings.max_recursion_steps == 0
            && self.active.len() < wanted
            && depth <= u32::try_from(self.scene.messages.len()).unwrap_or(u32::MAX)
        {
            self.further += 1;
            return Some(PassState::FurtherBack);
        }
        *level = levels.pop_first()?;
        Some(PassState::Recursion)
    }

    /// Books may say for themselves whether their entries call others; one that says yes is enough for a pass.
    pub(super) fn recursive(&self) -> bool {
        self.library.books.iter().any(|book| book.recursive.unwrap_or(self.settings.recursive))
    }

    pub(super) fn calls_allowed(&self, entry: &PreparedEntry) -> bool {
        self.library.books[entry.book].recursive.unwrap_or(self.settings.recursive)
    }

    /// An entry's text, macros filled in.
    pub(super) fn content(&mut self, index: usize) -> String {
        let scene = self.scene;
        let raw = &self.library.entries[index].fields.content;
        self.contents[index].get_or_insert_with(|| (scene.expand)(raw)).clone()
    }

    /// An entry's text as other entries' keys are looked for in it: hidden keys count here and nowhere else
    /// (cards-and-lore 2.5).
    fn calling_text(&mut self, index: usize) -> String {
        let raw = &self.library.entries[index].fields.content;
        if raw.contains("{{hidden_key") {
            (self.scene.expand)(&with_hidden_keys(raw))
        } else {
            self.content(index)
        }
    }
}

/// `{{hidden_key:words}}` as its words.
fn with_hidden_keys(text: &str) -> String {
    const OPEN: &str = "{{hidden_key";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(OPEN) {
        let inner = rest[at + OPEN.len()..].trim_start_matches(':');
        let Some(end) = inner.find("}}") else { break };
        out.push_str(&rest[..at]);
        out.push_str(&inner[..end]);
        rest = &inner[end + 2..];
    }
    out.push_str(rest);
    out
}
