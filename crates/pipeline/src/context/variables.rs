//! What cards remember by themselves, from turn to turn of a conversation (cards-and-lore 2.5).
//!
//! Owns which values a turn starts with and which last once it is answered. Lore and card are read side by side, so each
//! sees what was stored and what it set itself; what both set is stored in SillyTavern's order, lore first. Must not know
//! macros. Start reading at [`CardVariables`].

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;

use super::request::TurnRequest;
use crate::domain::{Place, TurnId};
use crate::history::History;
use familiar_cards::macros::Variables;

/// Turns whose variables are kept until they are answered; a turn that broke off never is.
const TURNS_KEPT: usize = 64;

/// Who reads and sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VariableOwner {
    Lore,
    Card,
}

/// The variables of turns under way.
#[derive(Debug)]
pub(super) struct CardVariables {
    history: Arc<History>,
    turns: Mutex<VecDeque<TurnVariables>>,
}

#[derive(Debug)]
struct TurnVariables {
    id: TurnId,
    place: Place,
    stored: BTreeMap<String, String>,
    lore: Arc<Variables>,
    card: Arc<Variables>,
}

impl CardVariables {
    pub(super) fn new(history: Arc<History>) -> Self {
        Self { history, turns: Mutex::default() }
    }

    /// What a turn starts with. The same one is given anew each time a prompt is assembled; what cannot be read is empty.
    pub(super) async fn of(&self, request: &TurnRequest, whose: VariableOwner) -> Arc<Variables> {
        let is_known = self.turns.lock().iter().any(|turn| turn.id == request.turn);
        let read = if is_known { None } else { Some(self.stored(request).await) };
        let mut turns = self.turns.lock();
        // Meanwhile another reader of the same turn may have begun it.
        let known = turns.iter().position(|turn| turn.id == request.turn);
        let mut turn = known.and_then(|at| turns.remove(at)).unwrap_or_else(|| TurnVariables {
            id: request.turn,
            place: request.place.clone(),
            stored: read.unwrap_or_default(),
            lore: Arc::default(),
            card: Arc::default(),
        });
        let fresh = Arc::new(Variables::new(turn.stored.clone()));
        match whose {
            VariableOwner::Lore => turn.lore = Arc::clone(&fresh),
            VariableOwner::Card => turn.card = Arc::clone(&fresh),
        }
        turns.truncate(TURNS_KEPT - 1);
        turns.push_front(turn);
        fresh
    }

    async fn stored(&self, request: &TurnRequest) -> BTreeMap<String, String> {
        let visible = request.visible();
        self.history.seen_by(&visible).card_variables(&request.place.channel).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "what the card remembers could not be read");
            BTreeMap::new()
        })
    }

    /// The turn was answered, and nothing was forgotten since it began: what was set in it lasts.
    pub(super) async fn answered(&self, id: TurnId) {
        let begun = {
            let mut turns = self.turns.lock();
            turns.iter().position(|turn| turn.id == id).and_then(|at| turns.remove(at))
        };
        let Some(turn) = begun else { return };
        let mut values = turn.stored.clone();
        for set in [&turn.lore, &turn.card] {
            values.extend(
                set.values().into_iter().filter(|(name, value)| turn.stored.get(name) != Some(value)),
            );
        }
        if values != turn.stored
            && let Err(error) = self.history.keep_card_variables(&turn.place, values).await
        {
            tracing::warn!(turn = %id, %error, "what the card remembers could not be kept");
        }
    }
}
