//! What had to make room and belongs to what is talked about now.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::{ContextProvider, Need, Part, ProviderError};
use crate::context::contribution::Contribution;
use crate::context::request::TurnRequest;
use crate::context::spillover::{CalledBack, Spillover, Wanted};
use crate::domain::StoredId;
use crate::history::History;

/// What comes back at once, and in talk that is searched for little: there a single word is chance, and every line of the
/// tail is read anew with every reply.
const CALLED_BACK: Wanted = Wanted { most: 4, is_asked: true };
const CALLED_BACK_IN_TALK: Wanted = Wanted { most: 1, is_asked: false };

/// Up to so many searches it is talk (specs mechanisms A5: small talk 2, a scene 5).
const TALK_SEARCHES: u32 = 5;

/// Contributes what the words of the question call back from the spillover (specs mechanisms A7). What was deleted or
/// edited since does not come back.
#[derive(Debug)]
pub struct SpilledProvider {
    spillover: Arc<Spillover>,
    history: Arc<History>,
}

impl SpilledProvider {
    /// Calls back from `spillover`; `history` knows what still stands.
    #[must_use]
    pub fn new(spillover: Arc<Spillover>, history: Arc<History>) -> Self {
        Self { spillover, history }
    }
}

#[async_trait]
impl ContextProvider for SpilledProvider {
    fn name(&self) -> &'static str {
        "spillover"
    }

    fn deadline(&self) -> Duration {
        Duration::from_millis(250)
    }

    fn part(&self) -> Part {
        Part::Neurons
    }

    fn need(&self) -> Need {
        Need::Search
    }

    fn tells_the_moment(&self) -> bool {
        true
    }

    async fn contribute(&self, request: &TurnRequest) -> Result<Vec<Contribution>, ProviderError> {
        if request.as_of.is_some() {
            // What is spilled now was not there then.
            return Ok(Vec::new());
        }
        let channel = &request.place.channel;
        let wanted = if request.plan.searches <= TALK_SEARCHES { CALLED_BACK_IN_TALK } else { CALLED_BACK };
        let found = self.spillover.call_back(request.utterance(), channel, &request.visible(), wanted);
        let turns: Vec<_> = found.iter().filter_map(|one| one.chunk.turn()).collect();
        let turns = self.history.turns(&turns, request.model.encoding).await;
        let standing: HashMap<StoredId, String> = turns
            .map_err(|error| ProviderError(error.to_string()))?
            .into_iter()
            .map(|turn| (turn.id, turn.content))
            .collect();
        let still_stands = |one: &CalledBack| {
            // Weeding may have taken invisible characters out of what was kept.
            let words = one.chunk.text();
            let is_said = |said: &String| said == words || crate::text::unicode::visible(said) == words;
            one.chunk.turn().is_none_or(|turn| standing.get(&turn).is_some_and(is_said))
        };
        let (standing, gone): (Vec<_>, Vec<_>) = found.into_iter().partition(still_stands);
        self.spillover.drop_chunks(channel, &gone);
        Ok(standing.iter().map(CalledBack::contribution).collect())
    }
}
