//! What was found or told before and belongs to this message too: finds for an earlier one, and what had to make room.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;

use super::recalled::FindsWanted;
use super::{ContextAsk, ContextProvider, Pieces, Profile};
use crate::context::contribution::Contribution;
use crate::context::request::TurnRequest;
use crate::context::warm::{CalledBack, Recalling, WarmCache, WarmFind};
use crate::domain::StoredId;
use crate::history::History;

/// Finds that come back at once, whole ones.
const WARM_FINDS: usize = 4;

/// Contributes what searches found for this person a moment ago, in time for their message or too late, as far as it is
/// about what they say now (A5, A6, A10).
#[derive(Debug)]
pub(crate) struct WarmProvider {
    pub(in crate::context) cache: Arc<WarmCache>,
}

#[async_trait]
impl ContextProvider for WarmProvider {
    fn profile(&self) -> Profile {
        Profile::search("warm", 100).of_the_moment()
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        if request.as_of.is_some() {
            // What is warm now was not then.
            return Ok(Vec::new());
        }
        let caller = request.author.as_ref().map(|author| &author.account);
        let mut warm = self.cache.about(request.utterance(), &request.place, caller);
        // What a search may remind of, warm finds may, and no more; the rest of the room is for what is asked now.
        let wanted = FindsWanted::by(&request.plan, request.utterance());
        warm.retain(|find| find.pieces.iter().any(|piece| piece.relevance * find.share >= wanted.least));
        warm.truncate(WARM_FINDS.min(wanted.whole));
        Ok((0..).zip(warm).flat_map(|(number, find)| find_pieces(number, find)).collect())
    }
}

/// The pieces of a find under names of their own: the search that finds it again numbers anew.
fn find_pieces(number: usize, WarmFind { pieces, share }: WarmFind) -> impl Iterator<Item = Contribution> {
    pieces.into_iter().map(move |piece| Contribution {
        relevance: piece.relevance * share,
        group: piece.group.map(|group| format!("warm/{number} {group}")),
        source: format!("warm/{}", piece.source),
        ..piece
    })
}

/// What comes back at once, and in talk that is searched for little: there a single word is chance, and every line of the
/// tail is read anew with every reply.
const CALLED_BACK: Recalling = Recalling { most: 4, is_asked: true };
const CALLED_BACK_IN_TALK: Recalling = Recalling { most: 1, is_asked: false };

/// Up to so many searches it is talk (A5: small talk 2, a scene 5).
const TALK_SEARCHES: u32 = 5;

/// Contributes what the words of the question call back from the spillover (A7). What was deleted or
/// edited since does not come back.
#[derive(Debug)]
pub(crate) struct SpilledProvider {
    pub(in crate::context) cache: Arc<WarmCache>,
    /// Knows what still stands.
    pub(in crate::context) history: Arc<History>,
}

#[async_trait]
impl ContextProvider for SpilledProvider {
    fn profile(&self) -> Profile {
        Profile::search("spillover", 250).of_the_moment()
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        if request.as_of.is_some() {
            // What is spilled now was not there then.
            return Ok(Vec::new());
        }
        let channel = &request.place.channel;
        let wanted = if request.plan.searches <= TALK_SEARCHES { CALLED_BACK_IN_TALK } else { CALLED_BACK };
        let visible = request.visible();
        let found = self.cache.call_back(request.utterance(), channel, &visible, wanted);
        let turns: Vec<_> = found.iter().map(CalledBack::turn).collect();
        let turns = self.history.seen_by(&visible).turns(&turns, request.model.encoding).await?;
        let standing: HashMap<StoredId, String> =
            turns.into_iter().map(|turn| (turn.id, turn.content)).collect();
        let still_stands = |one: &CalledBack| {
            // Screening may have taken invisible characters out of what was kept.
            let words = one.text();
            let is_said = |said: &String| said == words || crate::text::unicode::visible(said) == words;
            standing.get(&one.turn()).is_some_and(is_said)
        };
        let (standing, gone): (Vec<_>, Vec<_>) = found.into_iter().partition(still_stands);
        self.cache.drop_chunks(channel, &gone);
        Ok(standing.iter().map(CalledBack::contribution).collect())
    }
}
