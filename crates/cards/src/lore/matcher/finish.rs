//! The end of a scan: what stands where, and a word on every entry that does not (cards-and-lore 4.2.9).

use super::decorators::DepthRule;
use super::outcome::{BudgetUse, EntryOutcome, FiredEntry, LoreScan};
use super::rounds::Scan;
use crate::lore::LorePosition;
use crate::lore::{LoreLevel, LoreWhy};

impl Scan<'_> {
    /// Books that say how many tokens they may take keep to it; the lowest priority, else order, goes first
    /// (cards-and-lore 4.1).
    pub(super) fn trim_books(&mut self) {
        for (book, info) in self.library.books.iter().enumerate() {
            let Some(limit) = info.token_budget.filter(|limit| *limit > 0) else { continue };
            let mut members: Vec<usize> =
                self.active.iter().copied().filter(|i| self.library.entries[*i].book == book).collect();
            let mut used: u32 = 0;
            for &index in &members {
                let text = self.content(index);
                used = used.saturating_add(self.scene.tokens.of(&text));
            }
            members.retain(|index| !self.library.entries[*index].fields.ignore_budget);
            members.sort_by_key(|index| {
                let entry = &self.library.entries[*index].fields;
                (entry.priority.unwrap_or(entry.order), entry.order, std::cmp::Reverse(*index))
            });
            for index in members {
                if used <= limit {
                    break;
                }
                let text = self.content(index);
                self.why[index] = LoreWhy::Budget { needed: used, limit };
                used = used.saturating_sub(self.scene.tokens.of(&text));
                self.is_active[index] = false;
                self.overflowed = true;
            }
        }
        let is_active = &self.is_active;
        self.active.retain(|index| is_active[*index]);
    }

    pub(super) fn finish(mut self) -> LoreScan {
        for index in 0..self.library.entries.len() {
            if !self.is_active[index] {
                continue;
            }
            let entry = &self.library.entries[index];
            if self.content(index).trim().is_empty() {
                self.why[index] = LoreWhy::Empty;
            } else if entry.fields.position == LorePosition::Outlet && entry.fields.outlet_name.is_empty() {
                self.why[index] = LoreWhy::NoOutlet { outlet: String::new() };
            } else {
                continue;
            }
            self.is_active[index] = false;
        }
        let shown: Vec<usize> = self.active.iter().copied().filter(|index| self.is_active[*index]).collect();
        // Higher order first, equals as they were called up; a prompt has it the other way round.
        let mut ordered = shown.clone();
        ordered.sort_by_key(|index| std::cmp::Reverse(self.library.entries[*index].fields.order));
        ordered.reverse();
        let fired: Vec<FiredEntry> = ordered.iter().map(|index| self.fired(*index)).collect();
        let activated =
            shown.iter().filter_map(|index| ordered.iter().position(|other| other == index)).collect();
        let not_fired = (0..self.library.entries.len())
            .filter(|index| !self.is_active[*index])
            .map(|index| self.verdict(index))
            .collect();
        for key in self.surface.given_up() {
            self.notes.push(format!(
                "the key \"{key}\" took too long to look for and counts as not found; it stays off until its book is \
                 read again"
            ));
        }
        let used = fired.iter().fold(0_u32, |sum, entry| sum.saturating_add(entry.tokens));
        LoreScan {
            fired,
            activated,
            not_fired,
            budget: BudgetUse { limit: self.limit, used, overflowed: self.overflowed },
            passes: self.passes,
            effects: self.timed.after(self.library, &self.active, &self.matched),
            notes: self.notes,
        }
    }

    fn fired(&mut self, index: usize) -> FiredEntry {
        let content = self.content(index);
        let entry = &self.library.entries[index];
        let read = u32::try_from(self.scene.messages.len()).unwrap_or(u32::MAX);
        FiredEntry {
            book: self.library.books[entry.book].name.clone(),
            uid: entry.fields.uid,
            source_id: entry.source_id.clone(),
            name: entry.name.clone(),
            position: entry.fields.position,
            depth: match entry.depth {
                DepthRule::FromEnd(depth) => depth,
                DepthRule::FromStart(depth) => read.saturating_sub(depth),
            },
            role: entry.fields.role,
            order: entry.fields.order,
            outlet: entry.fields.outlet_name.clone(),
            tokens: self.scene.tokens.of(&content),
            content,
            level: self.level[index],
            why: self.why[index].clone(),
            is_steady: self.is_steady(index),
            yields: entry.rules.yields,
        }
    }

    /// Always on, in every turn, in the same words.
    fn is_steady(&self, index: usize) -> bool {
        let entry = &self.library.entries[index];
        let always = matches!(self.why[index], LoreWhy::Constant | LoreWhy::Forced)
            && entry.chance.is_none()
            && entry.groups.is_empty()
            && entry.fields.triggers.is_empty()
            && entry.fields.delay_until_recursion == 0
            && [entry.fields.sticky, entry.fields.cooldown, entry.fields.delay].iter().all(Option::is_none)
            && entry.rules.only_after.is_none()
            && entry.rules.only_every.is_none()
            && self.level[index] == LoreLevel::Full;
        always && crate::macros::volatile_macros(&entry.fields.content).is_empty()
    }

    fn verdict(&self, index: usize) -> EntryOutcome {
        let entry = &self.library.entries[index];
        EntryOutcome {
            book: self.library.books[entry.book].name.clone(),
            uid: entry.fields.uid,
            source_id: entry.source_id.clone(),
            name: entry.name.clone(),
            why: self.why[index].clone(),
        }
    }
}
