//! The newest part of a conversation as it was fetched ahead, brought up to the turn that it is for.

use crate::context::request::TurnRequest;
use crate::domain::StoredTurn;
use crate::history::{AsOf, Conversation, PlacedTurn, WindowQuery, rough_tokens};
use crate::text::tokens;

/// A conversation, and how much of it was asked for.
#[derive(Debug)]
pub(super) struct Window {
    pub query: WindowQuery,
    pub read: Conversation,
}

impl Window {
    /// What the history would say to `wanted` now, when nothing but the turns being answered was said since; `None`
    /// where that cannot be told without asking it.
    pub(super) fn at_turn(
        &self,
        wanted: WindowQuery,
        request: &TurnRequest,
        as_of: AsOf,
    ) -> Option<Conversation> {
        let fits = self.query.mode == wanted.mode
            && self.query.encoding == wanted.encoding
            && self.query.rough_tokens >= wanted.rough_tokens
            && self.query.max_turns >= wanted.max_turns
            && wanted.until.is_none();
        let is_new = |turn: &&StoredTurn| {
            turn.id > as_of.row() && !self.read.turns.iter().any(|placed| placed.turn.id == turn.id)
        };
        let mut new: Vec<&StoredTurn> = request.pending.iter().filter(is_new).collect();
        new.sort_by_key(|turn| turn.ordinal);
        if !fits || new.iter().any(|turn| turn.mode != wanted.mode) {
            return None;
        }
        let mut said = self.read.said;
        let fresh: Vec<PlacedTurn> = new
            .into_iter()
            .map(|turn| {
                let said_before = said;
                said += rough_tokens(&turn.content);
                // A turn to be answered was counted under another model's encoding, perhaps.
                let tokens = tokens::count(wanted.encoding, &turn.content);
                PlacedTurn { turn: StoredTurn { tokens, ..turn.clone() }, said_before }
            })
            .collect();
        let all = || self.read.turns.iter().chain(&fresh);
        let reach = all().last().map_or(0, |newest| {
            let end = newest.said_before + rough_tokens(&newest.turn.content);
            end.saturating_sub(wanted.rough_tokens)
        });
        // As the history walks back: to the first turn that begins before the reach, and no further.
        let reached = all().rev().take_while(|placed| placed.said_before >= reach).count() + 1;
        let count = all().count();
        let from = count.saturating_sub(reached.min(wanted.max_turns as usize));
        let uncovered = self.read.uncovered.saturating_add(u32::try_from(fresh.len()).unwrap_or(u32::MAX));
        Some(Conversation {
            crystals: self.read.crystals.clone(),
            covered_to: self.read.covered_to,
            uncovered,
            turns: all().skip(from).cloned().collect(),
            said,
        })
    }
}
