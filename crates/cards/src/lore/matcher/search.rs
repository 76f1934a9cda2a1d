//! A search for entries that have no key for what was said (cards-and-lore 4.3).

use super::index::WANTED;
use super::rounds::{PassState, Scan};
use crate::lore::{LoreMode, LoreWhy};

/// Entries that have keys of their own, which were not said, must fit far better.
const UNMISTAKABLE: f32 = 0.5;

/// Messages that are searched with (cards-and-lore 4.2.11).
const MESSAGES: usize = 2;

/// What a search may add where it is the only way in (SillyTavern's number for vectors).
const ALONE: usize = 5;

impl Scan<'_> {
    /// Adds what the last messages are about and no key called up. It shares the room with what the keys found, and its
    /// entries call no others.
    pub(super) fn search(&mut self) {
        let most = match self.settings.mode {
            LoreMode::Keywords => return,
            LoreMode::Hybrid => self.settings.search as usize,
            LoreMode::Retrieval => (self.settings.search as usize).max(ALONE),
        };
        let library = self.library;
        let asked: Vec<&str> = self
            .scene
            .messages
            .iter()
            .take(MESSAGES)
            .map(|line| without_speaker(&line.line, &line.speaker))
            .collect();
        let mut found: Vec<(usize, f32)> = library
            .index
            .scores(&asked.join("\n"))
            .into_iter()
            .filter(|(index, score)| {
                let entry = &library.entries[*index];
                let is_for_search = entry.fields.vectorized
                    || entry.keys.primary.is_empty()
                    || self.settings.mode == LoreMode::Retrieval;
                *score >= if is_for_search { WANTED } else { UNMISTAKABLE }
            })
            .filter(|(index, _)| self.may_be_added(*index))
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(most);
        let found = found.into_iter().map(|(index, score)| (index, LoreWhy::Retrieved { score })).collect();
        let mut base: u32 = 0;
        for index in self.active.clone() {
            let text = self.content(index);
            base = base.saturating_add(self.scene.tokens.of(&text));
        }
        self.admit(found, base, PassState::Initial);
    }

    /// Whether nobody said no: neither its own rules, nor its filter keys, nor a draw.
    fn may_be_added(&self, index: usize) -> bool {
        !self.is_active[index]
            && !self.rolled_out[index]
            && matches!(self.why[index], LoreWhy::NoKeyFound | LoreWhy::NoKeys | LoreWhy::NotByEntries { .. })
    }
}

/// The words of a line, without its speaker's name: who speaks is not what is spoken about.
fn without_speaker<'l>(line: &'l str, speaker: &str) -> &'l str {
    line.strip_prefix(speaker).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(line)
}
