//! What providers said a moment ago and still holds (specs mechanisms A3, A6).
//!
//! Owns expiry, the bound, and the audience check at reading: an answer is found again only by whoever could have asked
//! for it in the same company. Must not know what the answers mean. Start reading at [`ActiveCache`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::contribution::Contribution;
use super::providers::{Kept, Lifetime, Need};
use super::request::TurnRequest;
use super::weed::may_be_used;
use crate::domain::{AccountId, Audience, Place, TokenEncoding};

/// Answers kept at once. The one that was not asked for longest goes first.
pub const ACTIVE_CACHE_MAX: usize = 512;

/// Who asked whom what, and who could hear it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct AnswerKey {
    audience: Audience,
    provider: &'static str,
    caller: Option<AccountId>,
    encoding: TokenEncoding,
    question: String,
}

impl AnswerKey {
    pub(super) fn new(provider: &'static str, kept: &Kept, request: &TurnRequest) -> Self {
        Self {
            audience: request.place.audience.clone(),
            provider,
            caller: request.author.as_ref().map(|author| author.account.clone()),
            encoding: request.model.encoding,
            question: kept.key.clone(),
        }
    }
}

#[derive(Debug)]
struct Answer {
    pieces: Arc<Vec<Contribution>>,
    until: Instant,
    need: Need,
    /// When it was last asked for, as a running number.
    used: u64,
}

/// The answers of one familiar's providers, shared by all turns.
#[derive(Debug, Default)]
pub(super) struct ActiveCache(Mutex<Answers>);

#[derive(Debug, Default)]
struct Answers {
    by_key: HashMap<AnswerKey, Answer>,
    uses: u64,
}

impl ActiveCache {
    /// The answer, if it still holds and every piece of it may be used in `place`.
    pub(super) fn get(&self, key: &AnswerKey, place: &Place) -> Option<Arc<Vec<Contribution>>> {
        let mut answers = self.lock();
        answers.uses += 1;
        let now = answers.uses;
        let answer = answers.by_key.get_mut(key)?;
        let holds = answer.until > Instant::now()
            && answer.pieces.iter().all(|piece| may_be_used(&piece.audience, place));
        if !holds {
            answers.by_key.remove(key);
            return None;
        }
        answer.used = now;
        Some(Arc::clone(&answer.pieces))
    }

    pub(super) fn put(&self, key: AnswerKey, pieces: Vec<Contribution>, lifetime: Lifetime, need: Need) {
        let now = Instant::now();
        let mut answers = self.lock();
        answers.uses += 1;
        let used = answers.uses;
        if answers.by_key.len() >= ACTIVE_CACHE_MAX && !answers.by_key.contains_key(&key) {
            answers.by_key.retain(|_, answer| answer.until > now);
        }
        if answers.by_key.len() >= ACTIVE_CACHE_MAX && !answers.by_key.contains_key(&key) {
            let oldest =
                answers.by_key.iter().min_by_key(|(_, answer)| answer.used).map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                answers.by_key.remove(&oldest);
            }
        }
        let until = now + lifetime.duration();
        answers.by_key.insert(key, Answer { pieces: Arc::new(pieces), until, need, used });
    }

    /// What searches for this person in this company found and still holds, in tokens.
    pub(super) fn warm_tokens(&self, audience: &Audience, caller: Option<&AccountId>) -> u32 {
        let now = Instant::now();
        let answers = self.lock();
        let warm = answers.by_key.iter().filter(|(key, answer)| {
            answer.need == Need::Search
                && answer.until > now
                && key.audience == *audience
                && key.caller.as_ref() == caller
        });
        warm.flat_map(|(_, answer)| answer.pieces.iter()).map(tokens).fold(0, u32::saturating_add)
    }

    /// Drops everything that was learnt before an audience: something was taken back there.
    pub(super) fn forget(&self, audience: &Audience) {
        self.lock().by_key.retain(|key, answer| {
            key.audience != *audience && answer.pieces.iter().all(|piece| piece.audience != *audience)
        });
    }

    /// Answers kept right now, expired ones included.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lock().by_key.len()
    }

    fn lock(&self) -> MutexGuard<'_, Answers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A piece's size; where nobody counted, four letters are about a token.
pub(super) fn tokens(piece: &Contribution) -> u32 {
    piece.tokens.unwrap_or_else(|| u32::try_from(piece.text.len() / 4).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests;
