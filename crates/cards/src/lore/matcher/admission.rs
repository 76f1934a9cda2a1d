//! Who of a pass's candidates comes in: sticky ones first, groups, the draw, the room (cards-and-lore 4.2.6).

use super::chance::draw;
use super::levels::levels;
use super::rounds::{PassState, Scan};
use super::settings::Fallback;
use crate::lore::{LoreEffectKind, LoreLevel, LoreWhy};
use crate::tokens::TokenTally;

impl Scan<'_> {
    /// Lets candidates in, with the reasons they have. `base` is what earlier text takes of the room, in tokens. Gives
    /// those whose draw did not fail, in order: whether there was room for them or not, they are what the pass found.
    pub(super) fn admit(&mut self, found: Vec<(usize, LoreWhy)>, base: u32, state: PassState) -> Vec<usize> {
        let mut reasons: Vec<(usize, LoreWhy)> = found;
        reasons.sort_by_key(|(index, why)| {
            let is_sticky = self.timed.is(*index, LoreEffectKind::Sticky);
            let is_always_there = matches!(why, LoreWhy::Constant | LoreWhy::Forced);
            let is_first = self.settings.constants_first && is_always_there;
            (self.library.entries[*index].rules.yields, !is_first, !is_sticky, *index)
        });
        let mut new: Vec<usize> = reasons.iter().map(|(index, _)| *index).collect();
        self.settle_groups(&mut new, state);
        let mut tally = TokenTally::new(self.scene.tokens);
        for (index, why) in reasons.into_iter().filter(|(index, _)| new.contains(index)) {
            let ignores = self.library.entries[index].fields.ignore_budget;
            if self.overflowed && !ignores && self.settings.fallback == Fallback::None {
                self.refuse_for_room(index, base, tally);
                continue;
            }
            if let Some(lost) = self.draw_lost(index) {
                self.rolled_out[index] = true;
                self.refuse(index, lost);
                continue;
            }
            if let Some(level) = self.room_for(index, base, &mut tally) {
                self.level[index] = level;
                self.active.push(index);
                self.is_active[index] = true;
                self.why[index] = why;
            }
        }
        new.retain(|index| !self.rolled_out[*index]);
        new
    }

    fn draw_lost(&self, index: usize) -> Option<LoreWhy> {
        let entry = &self.library.entries[index];
        let chance = entry.chance?;
        if self.timed.is(index, LoreEffectKind::Sticky) {
            return None;
        }
        let book = &self.library.books[entry.book].name;
        let rolled = draw(&[self.scene.seed, "entry", book, &entry.fields.uid.to_string()]) * 100.0;
        (rolled > chance).then_some(LoreWhy::Roll { chance, rolled })
    }

    /// At which level an entry fits, if at any; books what it takes.
    fn room_for(&mut self, index: usize, base: u32, tally: &mut TokenTally<'_>) -> Option<LoreLevel> {
        let text = self.content(index);
        let library = self.library;
        let mut with = *tally;
        with.add(&text);
        if library.entries[index].fields.ignore_budget {
            *tally = with;
            return Some(LoreLevel::Full);
        }
        let limit = self.limit;
        let fits = |tally: &TokenTally<'_>| base.saturating_add(tally.total()) < limit;
        if !self.overflowed && fits(&with) {
            *tally = with;
            return Some(LoreLevel::Full);
        }
        if self.settings.fallback == Fallback::Levels {
            let levels = levels(&text);
            // Once something had to be shortened, what comes after it comes at its shortest, which may be the whole of it.
            let skipped = if self.overflowed { levels.len().saturating_sub(1) } else { 1 };
            for (level, text) in levels.into_iter().skip(skipped) {
                let mut with = *tally;
                with.add(&text);
                if fits(&with) {
                    self.overflowed = true;
                    *tally = with;
                    self.contents[index] = Some(text);
                    return Some(level);
                }
            }
        } else {
            // What did not fit still counts for what comes after it, as in SillyTavern.
            *tally = with;
        }
        self.overflowed = true;
        let needed = base.saturating_add(with.total());
        self.refuse(index, LoreWhy::Budget { needed, limit });
        None
    }

    fn refuse_for_room(&mut self, index: usize, base: u32, tally: TokenTally<'_>) {
        let text = self.content(index);
        let mut with = tally;
        with.add(&text);
        let needed = base.saturating_add(with.total());
        self.refuse(index, LoreWhy::Budget { needed, limit: self.limit });
    }
}
