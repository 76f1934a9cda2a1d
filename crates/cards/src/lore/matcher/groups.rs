//! Inclusion groups: of the entries of a group at most one comes in (cards-and-lore 4.2.7).

use std::collections::HashSet;

use super::chance::draw;
use super::rounds::{PassState, Scan};
use crate::lore::KeyLogic;
use crate::lore::{LoreEffectKind, LoreWhy};

impl Scan<'_> {
    /// Takes the losers out of `new`, which is in the order of admission, and notes to whom they lost.
    pub(super) fn settle_groups(&mut self, new: &mut Vec<usize>, state: PassState) {
        let mut groups: Vec<String> = Vec::new();
        for &index in new.iter() {
            for group in &self.library.entries[index].groups {
                if !groups.contains(group) {
                    groups.push(group.clone());
                }
            }
        }
        let mut out: HashSet<usize> = HashSet::new();
        for group in groups {
            let members: Vec<usize> = new
                .iter()
                .copied()
                .filter(|index| !out.contains(index) && self.library.entries[*index].groups.contains(&group))
                .collect();
            let (winners, served) = self.winners(&group, &members, state);
            for index in members.into_iter().filter(|index| !winners.contains(index)) {
                out.insert(index);
                let winner = winners.first().filter(|_| !served);
                let winner = winner.map(|winner| self.library.entries[*winner].name.clone());
                self.refuse(index, LoreWhy::Group { group: group.clone(), winner });
            }
        }
        new.retain(|index| !out.contains(index));
    }

    /// Who stays of a group's new members, and whether the group was served by an earlier pass.
    fn winners(&mut self, group: &str, members: &[usize], state: PassState) -> (Vec<usize>, bool) {
        let library = self.library;
        let sticky: Vec<usize> =
            members.iter().copied().filter(|i| self.timed.is(*i, LoreEffectKind::Sticky)).collect();
        if !sticky.is_empty() {
            return (sticky, false);
        }
        let is_served = self.active.iter().any(|i| library.entries[*i].groups.iter().any(|g| g == group));
        let scored = self.best_scored(members, state);
        if is_served {
            return (Vec::new(), true);
        }
        if scored.len() <= 1 {
            return (scored, false);
        }
        let prior = scored.iter().copied().filter(|i| library.entries[*i].fields.group_override);
        // Of equals the first stays, as a stable sort would have it.
        let prior = prior.reduce(|best, next| {
            if library.entries[next].fields.order > library.entries[best].fields.order { next } else { best }
        });
        if let Some(prior) = prior {
            return (vec![prior], false);
        }
        let total: f64 = scored.iter().map(|i| f64::from(library.entries[*i].fields.group_weight)).sum();
        let rolled = draw(&[self.scene.seed, "group", group]) * total;
        let mut passed = 0.0;
        let winner = scored.iter().copied().find(|i| {
            passed += f64::from(library.entries[*i].fields.group_weight);
            rolled <= passed
        });
        (winner.or(scored.last().copied()).into_iter().collect(), false)
    }

    /// Without those that count keys and found fewer than the best member.
    fn best_scored(&mut self, members: &[usize], state: PassState) -> Vec<usize> {
        let (library, general) = (self.library, self.settings.group_scoring);
        let counts = |i: usize| library.entries[i].fields.use_group_scoring.unwrap_or(general);
        if !members.iter().any(|i| counts(*i)) {
            return members.to_vec();
        }
        let scores: Vec<usize> = members.iter().map(|i| self.score(*i, state)).collect();
        let best = scores.iter().copied().max().unwrap_or(0);
        let scored = members.iter().copied().zip(scores);
        scored.filter(|(i, score)| !counts(*i) || *score >= best).map(|(i, _)| i).collect()
    }

    /// How many keys of an entry are there; of the filter keys only where they ask for presence.
    fn score(&mut self, index: usize, state: PassState) -> usize {
        let scope = self.scope(index, state);
        let how = self.comparing(index);
        let keys = self.keys[index].clone();
        if keys.primary.is_empty() {
            return 0;
        }
        let mut there = |keys: &[super::keys::EntryKey]| {
            keys.iter().filter(|key| self.surface.find(key, how, &scope, &scope).is_some()).count()
        };
        let primary = there(&keys.primary);
        let secondary = there(&keys.secondary);
        match self.library.entries[index].fields.logic {
            _ if keys.secondary.is_empty() => primary,
            KeyLogic::AndAny => primary + secondary,
            KeyLogic::AndAll if secondary == keys.secondary.len() => primary + secondary,
            _ => primary,
        }
    }
}
