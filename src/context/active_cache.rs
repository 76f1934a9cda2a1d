//! What providers said a moment ago and still holds (specs mechanisms A3, A6).
//!
//! Owns expiry, the bound, and the audience check at reading: an answer is found again only by whoever could have asked
//! for it in the same company. Must not know what the answers mean. Start reading at [`ActiveCache`].

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::time::Instant;

use super::contribution::{Contribution, Placement, TailPart};
use super::providers::{Kept, Lifetime, Need};
use super::request::TurnRequest;
use crate::domain::{AccountId, Audience, Place, TokenEncoding};
use crate::history::Visible;
use crate::text::keywords;

/// Answers kept at once, besides those of searches. The one that was not asked for longest goes first.
pub const ACTIVE_CACHE_MAX: usize = 512;

/// Answers of searches kept at once: every message asks for others, and those before are worth something only as long
/// as the talk is about the same.
pub const SEARCHES_MAX: usize = 128;

/// A find is about a message when it holds this share of the message's telling words.
const ABOUT: f32 = 0.5;

/// Who asked whom what, and who could hear it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct AnswerKey {
    audience: Audience,
    /// What else could be seen there then: an answer may be made of several circles' words.
    sees: Vec<Audience>,
    provider: &'static str,
    caller: Option<AccountId>,
    encoding: TokenEncoding,
    question: String,
}

impl AnswerKey {
    pub(super) fn new(provider: &'static str, kept: &Kept, request: &TurnRequest) -> Self {
        Self {
            audience: request.place.audience.clone(),
            sees: request.place.sees.clone(),
            provider,
            caller: request.author.as_ref().map(|author| author.account.clone()),
            encoding: request.model.encoding,
            question: kept.key.clone(),
        }
    }
}

#[derive(Debug)]
struct Answer {
    said: Said,
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
    /// How often something was forgotten.
    forgotten: u64,
}

impl Answers {
    /// Makes room for one more answer of a search, or of another sort.
    fn make_room(&mut self, is_search: bool, now: Instant) {
        let most = if is_search { SEARCHES_MAX } else { ACTIVE_CACHE_MAX };
        let is_alike = |answer: &Answer| (answer.need == Need::Search) == is_search;
        let is_full =
            |answers: &Self| answers.by_key.values().filter(|answer| is_alike(answer)).count() >= most;
        if !is_full(self) {
            return;
        }
        self.by_key.retain(|_, answer| answer.until > now);
        if is_full(self) {
            let alike = self.by_key.iter().filter(|(_, answer)| is_alike(answer));
            let oldest = alike.min_by_key(|(_, answer)| answer.used).map(|(key, _)| key.clone());
            self.by_key.retain(|key, _| Some(key) != oldest.as_ref());
        }
    }
}

/// What was said.
#[derive(Debug, Clone)]
struct Said {
    pieces: Arc<Vec<Contribution>>,
    /// Its finds, with what they are about; worked out when that is first asked.
    finds: Arc<OnceLock<Vec<Find>>>,
}

impl Said {
    fn finds(&self) -> &[Find] {
        self.finds.get_or_init(|| finds(&self.pieces))
    }
}

/// Pieces of an answer that stay or go together.
#[derive(Debug)]
struct Find {
    pieces: Range<usize>,
    /// The telling words in them.
    terms: BTreeSet<Box<str>>,
}

/// When somebody began to look something up, in acts of forgetting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Begun(u64);

/// A find that was made a moment ago.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Warm {
    /// Its lines, which stay or go together.
    pub pieces: Vec<Contribution>,
    /// How much of what is asked it speaks about, 0 to 1.
    pub share: f32,
}

impl ActiveCache {
    /// The answer, if it still holds and every piece of it may be used in `place`.
    pub(super) fn get(&self, key: &AnswerKey, place: &Place) -> Option<Arc<Vec<Contribution>>> {
        let visible = Visible::at(place);
        let mut answers = self.lock();
        answers.uses += 1;
        let now = answers.uses;
        let answer = answers.by_key.get_mut(key)?;
        let holds = answer.until > Instant::now()
            && answer.said.pieces.iter().all(|piece| visible.includes(&piece.audience));
        if !holds {
            answers.by_key.remove(key);
            return None;
        }
        answer.used = now;
        Some(Arc::clone(&answer.said.pieces))
    }

    /// To be asked before anything is read that is [`put`](Self::put) later.
    pub(super) fn begin(&self) -> Begun {
        Begun(self.lock().forgotten)
    }

    /// Keeps an answer; not one that may have been read before something was taken back.
    pub(super) fn put(
        &self,
        begun: Begun,
        key: AnswerKey,
        pieces: Vec<Contribution>,
        lifetime: Lifetime,
        need: Need,
    ) {
        let now = Instant::now();
        let mut answers = self.lock();
        if begun.0 != answers.forgotten {
            return;
        }
        answers.uses += 1;
        let used = answers.uses;
        if !answers.by_key.contains_key(&key) {
            answers.make_room(need == Need::Search, now);
        }
        let until = now + lifetime.duration();
        let said = Said { pieces: Arc::new(pieces), finds: Arc::default() };
        let answer = Answer { said, until, need, used };
        answers.by_key.insert(key, answer);
    }

    /// What searches for this person in this company found, still holds, and speaks about what is asked, the nearest
    /// first. Parts of notes are not among it: notes are looked at anew every time, so that an edited one holds at
    /// once (specs mechanisms Y13).
    pub(super) fn about(&self, question: &str, place: &Place, caller: Option<&AccountId>) -> Vec<Warm> {
        let asked: BTreeSet<String> = keywords::terms(question).into_iter().collect();
        if asked.is_empty() {
            return Vec::new();
        }
        let now = Instant::now();
        let visible = Visible::at(place);
        let mut warm: Vec<Warm> = Vec::new();
        let mut seen = BTreeSet::new();
        for said in self.searches(place, caller, now) {
            for find in said.finds() {
                let share = share(&asked, &find.terms);
                let pieces = &said.pieces[find.pieces.clone()];
                let may_be_used = pieces.iter().all(|piece| visible.includes(&piece.audience));
                let is_note = pieces.iter().any(|piece| piece.placement == Placement::Tail(TailPart::People));
                let words = || pieces.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>().join("\n");
                if share >= ABOUT && may_be_used && !is_note && seen.insert(words()) {
                    warm.push(Warm { pieces: pieces.to_vec(), share });
                }
            }
        }
        let first = |warm: &Warm| warm.pieces.first().map(|piece| piece.text.clone());
        warm.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| first(a).cmp(&first(b))));
        warm
    }

    /// The answers that searches for somebody in some company gave and that still hold. What is looked for in them is
    /// looked for without the lock.
    fn searches(&self, place: &Place, caller: Option<&AccountId>, now: Instant) -> Vec<Said> {
        let answers = self.lock();
        let is_wanted = |(key, answer): &(&AnswerKey, &Answer)| {
            let is_theirs =
                key.audience == place.audience && key.sees == place.sees && key.caller.as_ref() == caller;
            answer.need == Need::Search && answer.until > now && is_theirs
        };
        let wanted = answers.by_key.iter().filter(is_wanted);
        wanted.map(|(_, answer)| answer.said.clone()).collect()
    }

    /// The size of [`Self::about`], in tokens.
    pub(super) fn warm_tokens(&self, question: &str, place: &Place, caller: Option<&AccountId>) -> u32 {
        let warm = self.about(question, place, caller);
        warm.iter().flat_map(|find| &find.pieces).map(tokens).fold(0, u32::saturating_add)
    }

    /// Drops everything, whatever it is: what was made of somebody's words is not marked, and who may see a place changes.
    pub(super) fn forget_all(&self) {
        let mut answers = self.lock();
        answers.forgotten += 1;
        answers.by_key.clear();
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

/// An answer's finds: pieces of a group are one.
fn finds(pieces: &[Contribution]) -> Vec<Find> {
    let mut finds: Vec<Find> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let terms = keywords::terms(&piece.text).into_iter().map(String::into_boxed_str);
        match finds.last_mut() {
            Some(find) if piece.group.is_some() && pieces[find.pieces.start].group == piece.group => {
                find.pieces.end = at + 1;
                find.terms.extend(terms);
            }
            _ => finds.push(Find { pieces: at..at + 1, terms: terms.collect() }),
        }
    }
    finds
}

/// How much of what is asked stands in a find, 0 to 1.
fn share(asked: &BTreeSet<String>, held: &BTreeSet<Box<str>>) -> f32 {
    let both = asked.iter().filter(|term| held.contains(term.as_str())).count();
    #[expect(clippy::cast_precision_loss, reason = "the words of a message")]
    let share = both as f32 / asked.len() as f32;
    share
}

/// A piece's size; where nobody counted, four letters are about a token.
pub(super) fn tokens(piece: &Contribution) -> u32 {
    piece.tokens.unwrap_or_else(|| u32::try_from(piece.text.len() / 4).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests;
