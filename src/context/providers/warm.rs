//! What was found for an earlier message and belongs to this one too.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::recalled::Wanted;
use super::{ContextProvider, Need, Part, ProviderError};
use crate::context::active_cache::{ActiveCache, Warm};
use crate::context::contribution::Contribution;
use crate::context::request::TurnRequest;

/// Finds that come back at once, whole ones.
const WARM_FINDS: usize = 4;

/// Contributes what searches found for this person a moment ago, in time for their message or too late, as far as it is
/// about what they say now (specs mechanisms A5, A6, A10).
#[derive(Debug)]
pub struct WarmProvider {
    cache: Arc<ActiveCache>,
}

impl WarmProvider {
    /// What `cache` keeps.
    pub(in crate::context) fn new(cache: Arc<ActiveCache>) -> Self {
        Self { cache }
    }
}

#[async_trait]
impl ContextProvider for WarmProvider {
    fn name(&self) -> &'static str {
        "warm"
    }

    fn deadline(&self) -> Duration {
        Duration::from_millis(100)
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
            // What is warm now was not then.
            return Ok(Vec::new());
        }
        let caller = request.author.as_ref().map(|author| &author.account);
        let mut warm = self.cache.about(request.utterance(), &request.place, caller);
        // What a search may remind of, warm finds may, and no more; the rest of the room is for what is asked now.
        let wanted = Wanted::by(&request.plan, request.utterance());
        warm.retain(|find| find.pieces.iter().any(|piece| piece.relevance * find.share >= wanted.least));
        warm.truncate(WARM_FINDS.min(wanted.whole));
        Ok((0..).zip(warm).flat_map(|(number, find)| pieces(number, find)).collect())
    }
}

/// The pieces of a find under names of their own: the search that finds it again numbers anew.
fn pieces(number: usize, Warm { pieces, share }: Warm) -> impl Iterator<Item = Contribution> {
    pieces.into_iter().map(move |piece| Contribution {
        relevance: piece.relevance * share,
        group: piece.group.map(|group| format!("warm/{number} {group}")),
        source: format!("warm/{}", piece.source),
        ..piece
    })
}
