//! What is kept warm: what providers answered a moment ago, or ahead of a turn, and what had to leave the prompt
//! (A3, A6, A7, M2).
//!
//! Owns the one bounded store, whose it is, until when it holds, and the audience check at reading: an answer is found
//! again only by whoever could have asked for it in the same company. Must not know what the answers mean. Start
//! reading at [`WarmCache`].

mod spilled;
#[cfg(test)]
mod tests;

pub(super) use spilled::RETURNED;
pub use spilled::{CalledBack, Recalling};

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use tokio::time::Instant;

use super::contribution::{Contribution, Need, Placement, TailPart};
use super::request::TurnRequest;
use crate::domain::{AccountId, Audience, ChannelId, Place, TokenEncoding};
use crate::history::Visible;
use crate::text::keywords;
use spilled::{Fingerprint, Spilled};

/// All of it, in bytes, roughly.
const BYTES_MAX: u64 = 24 * 1024 * 1024;

/// Whatever is kept takes so much besides its words.
const ENTRY_BYTES: usize = 512;

/// So much of the store is for what is used again and again; the rest goes in the order in which it came.
const FOR_WHAT_IS_USED: f64 = 0.3;

/// A find is about a message when it holds this share of the message's telling words.
const ABOUT: f32 = 0.5;

/// How long what a source says stays true (A6, figures as given there).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// What is remembered: 300 s.
    Memory,
    /// What holds always: 3600 s.
    Axioms,
    /// What had to leave the prompt: a day. By then the conversation is another one, and a search finds it.
    Spilled,
}

impl Lifetime {
    fn duration(self) -> Duration {
        Duration::from_secs(match self {
            Self::Memory => 300,
            Self::Axioms => 3600,
            Self::Spilled => 24 * 3600,
        })
    }
}

/// Who asked whom what, and who could hear it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct WarmKey {
    audience: Audience,
    /// All that could be seen there then: an answer may be made of several circles' words, what is paired may be parted
    /// again, and a channel may be shut.
    visible: Visible,
    caller: Option<AccountId>,
    encoding: TokenEncoding,
    source: &'static str,
    question: String,
}

impl WarmKey {
    pub(super) fn new(source: &'static str, question: impl Into<String>, request: &TurnRequest) -> Self {
        Self {
            audience: request.place.audience.clone(),
            visible: request.visible(),
            caller: request.author.as_ref().map(|author| author.account.clone()),
            encoding: request.model.encoding,
            source,
            question: question.into(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum StoredKey {
    Asked(WarmKey),
    Spilled(ChannelId, Fingerprint),
}

#[derive(Debug)]
struct WarmEntry {
    until: Instant,
    bytes: u64,
    is: Warm,
}

#[derive(Debug)]
enum Warm {
    Answer(WarmAnswer),
    Spilled(Arc<Spilled>),
}

#[derive(Debug)]
struct WarmAnswer {
    pieces: Arc<Vec<Contribution>>,
    need: Need,
    /// Its finds, with what they are about; worked out when that is first asked.
    finds: OnceLock<Vec<Find>>,
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
pub(super) struct LookupStart(u64);

/// A find that was made a moment ago.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WarmFind {
    /// Its lines, which stay or go together.
    pub pieces: Vec<Contribution>,
    /// How much of what is asked it speaks about, 0 to 1.
    pub share: f32,
}

#[derive(Debug, Clone)]
struct ByBytes;

impl Weighter<Arc<StoredKey>, Arc<WarmEntry>> for ByBytes {
    fn weight(&self, _: &Arc<StoredKey>, kept: &Arc<WarmEntry>) -> u64 {
        kept.bytes
    }
}

/// Everything of one familiar that is warm, shared by all turns.
#[derive(Debug)]
pub struct WarmCache {
    kept: Cache<Arc<StoredKey>, Arc<WarmEntry>, ByBytes>,
    /// How often something was forgotten.
    forgotten: AtomicU64,
}

impl Default for WarmCache {
    fn default() -> Self {
        let options = OptionsBuilder::new()
            .shards(1)
            .estimated_items_capacity(4_096)
            .weight_capacity(BYTES_MAX)
            .hot_allocation(FOR_WHAT_IS_USED)
            .build();
        let hasher = DefaultHashBuilder::default();
        let kept = match options {
            Ok(options) => Cache::with_options(options, ByBytes, hasher, DefaultLifecycle::default()),
            // Only what is missing above could be wrong.
            Err(_) => Cache::with(4_096, BYTES_MAX, ByBytes, hasher, DefaultLifecycle::default()),
        };
        Self { kept, forgotten: AtomicU64::new(0) }
    }
}

impl WarmCache {
    /// To be asked before anything is read that is [`put`](Self::put) later.
    pub(super) fn begin(&self) -> LookupStart {
        LookupStart(self.forgotten.load(Ordering::SeqCst))
    }

    /// Keeps an answer; not one that may have been read before something was taken back.
    pub(super) fn put(
        &self,
        begun: LookupStart,
        key: WarmKey,
        pieces: Vec<Contribution>,
        lifetime: Lifetime,
        need: Need,
    ) {
        let bytes = pieces.iter().map(|piece| piece.text.len() + ENTRY_BYTES).sum();
        let answer = WarmAnswer { pieces: Arc::new(pieces), need, finds: OnceLock::new() };
        self.keep(begun, StoredKey::Asked(key), lifetime, bytes, Warm::Answer(answer));
    }

    /// The answer, if it still holds and every piece of it may be used in `place`.
    pub(super) fn get(&self, key: WarmKey, place: &Place) -> Option<Arc<Vec<Contribution>>> {
        let kept = self.holding(&StoredKey::Asked(key))?;
        let Warm::Answer(answer) = &kept.is else { return None };
        let visible = Visible::at(place);
        let may_be_used = answer.pieces.iter().all(|piece| visible.includes(&piece.audience));
        may_be_used.then(|| Arc::clone(&answer.pieces))
    }

    fn keep(&self, begun: LookupStart, key: StoredKey, lifetime: Lifetime, bytes: usize, is: Warm) {
        if self.begin() != begun {
            return;
        }
        let bytes = u64::try_from(bytes + ENTRY_BYTES).unwrap_or(u64::MAX);
        if self.kept.weight().saturating_add(bytes) > BYTES_MAX {
            let now = Instant::now();
            self.kept.retain(|_, kept| kept.until > now);
        }
        let until = Instant::now() + lifetime.duration();
        self.kept.insert(Arc::new(key), Arc::new(WarmEntry { until, bytes, is }));
    }

    fn holding(&self, key: &StoredKey) -> Option<Arc<WarmEntry>> {
        let kept = self.kept.get(key)?;
        if kept.until <= Instant::now() {
            self.kept.remove(key);
            return None;
        }
        Some(kept)
    }

    /// What searches for this person in this company found, still holds, and speaks about what is asked, the nearest
    /// first. Parts of notes are not among it: notes are looked at anew every time, so that an edited one holds at
    /// once (Y13).
    pub(super) fn about(&self, question: &str, place: &Place, caller: Option<&AccountId>) -> Vec<WarmFind> {
        let asked: BTreeSet<String> = keywords::terms(question).into_iter().collect();
        if asked.is_empty() {
            return Vec::new();
        }
        let now = Instant::now();
        let visible = Visible::at(place);
        let is_theirs = |key: &StoredKey| {
            matches!(key, StoredKey::Asked(key) if key.audience == place.audience
                && key.caller.as_ref() == caller && key.visible == visible)
        };
        let mut warm: Vec<WarmFind> = Vec::new();
        let mut seen = BTreeSet::new();
        for (_, kept) in self.kept.iter().filter(|(key, kept)| kept.until > now && is_theirs(key)) {
            let Warm::Answer(answer) = &kept.is else { continue };
            if answer.need != Need::Search {
                continue;
            }
            for find in answer.finds.get_or_init(|| finds(&answer.pieces)) {
                let share = share_held(&asked, &find.terms);
                let pieces = &answer.pieces[find.pieces.clone()];
                let may_be_used = pieces.iter().all(|piece| visible.includes(&piece.audience));
                let is_note = pieces.iter().any(|piece| piece.placement == Placement::Tail(TailPart::People));
                let words = || pieces.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>().join("\n");
                if share >= ABOUT && may_be_used && !is_note && seen.insert(words()) {
                    warm.push(WarmFind { pieces: pieces.to_vec(), share });
                }
            }
        }
        let first = |warm: &WarmFind| warm.pieces.first().map(|piece| piece.text.clone());
        warm.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| first(a).cmp(&first(b))));
        warm
    }

    /// The size of [`Self::about`], in tokens; where nobody counted, four letters are about one.
    pub(super) fn warm_tokens(&self, question: &str, place: &Place, caller: Option<&AccountId>) -> u32 {
        let rough = |piece: &Contribution| u32::try_from(piece.text.len() / 4).unwrap_or(u32::MAX);
        let tokens = |piece: &Contribution| piece.tokens.unwrap_or_else(|| rough(piece));
        let warm = self.about(question, place, caller);
        warm.iter().flat_map(|find| &find.pieces).map(tokens).fold(0, u32::saturating_add)
    }

    /// Drops all answers, whatever they are: what was made of somebody's words is not marked. What was spilled is
    /// looked at again before it comes back, and stays.
    pub(super) fn cool(&self) {
        self.forgotten.fetch_add(1, Ordering::SeqCst);
        self.kept.retain(|_, kept| matches!(kept.is, Warm::Spilled(_)));
    }

    pub(super) fn forget_all(&self) {
        self.forgotten.fetch_add(1, Ordering::SeqCst);
        self.kept.clear();
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
fn share_held(asked: &BTreeSet<String>, held: &BTreeSet<Box<str>>) -> f32 {
    let both = asked.iter().filter(|term| held.contains(term.as_str())).count();
    #[expect(clippy::cast_precision_loss, reason = "the words of a message")]
    let share = both as f32 / asked.len() as f32;
    share
}
