//! What had to leave the prompt, kept in the process and found again by its words (specs mechanisms A7, M2).
//!
//! Owns the bounded store: one bucket per audience and channel, each with an index from stems to chunks. Must not know
//! how a prompt is laid out. Start reading at [`Spillover`].

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use super::chunk::Chunk;
use super::contribution::{Contribution, Importance, Placement, Quoted, TailPart, Trust};
use crate::domain::{Audience, ChannelId, Layer, Place, Role, StoredId};
use crate::history::Visible;
use crate::text::keywords;
use crate::text::names::prompt_label;

/// Most chunks kept, over all places; the oldest go first.
const CHUNKS_MAX: usize = 10_000;

/// Most text kept, in bytes; the oldest goes first.
const BYTES_MAX: usize = 16 * 1024 * 1024;

/// A chunk above this is not kept, in bytes.
const CHUNK_MAX: usize = 64 * 1024;

/// The words a chunk is found by: the first so many telling ones.
const KEYWORDS: usize = 12;

/// The words of a question that count.
const ASKED: usize = 16;

/// Least share of words in common: one of a chunk's twelve when nothing else is asked, more when more is. Where nothing is
/// asked it has to be twice as much.
const JACCARD_MIN: f32 = 0.08;
const JACCARD_MIN_IN_TALK: f32 = 0.16;

/// Least number of words in common: a single one of several is chance.
const COMMON_MIN: usize = 2;

/// A word that more of a place's chunks have than this, in percent, tells none of them apart: names, thanks, greetings.
const COMMON_PERCENT: usize = 3;

/// In a small store this many chunks may share a word and it still tells.
const SHARED_MIN: usize = 4;

/// What the source of a chunk that came back begins with; behind it stands where it was first.
pub(super) const RETURNED: &str = "spilled/";

/// How much is to come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// At most so many chunks.
    pub most: usize,
    /// Whether something is asked. If so, one word in common is enough where no other word tells anything, and a smaller
    /// share of them.
    pub is_asked: bool,
}

/// The store of one familiar.
#[derive(Debug, Default)]
pub struct Spillover {
    kept: Mutex<Kept>,
}

/// A chunk that is out of the prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Spilled {
    source: String,
    layer: Layer,
    importance: Importance,
    audience: Audience,
    text: String,
    quoted: Option<Quoted>,
    turn: Option<StoredId>,
    keywords: Vec<String>,
}

/// A chunk that a question called back.
#[derive(Debug, Clone, PartialEq)]
pub struct CalledBack {
    /// The chunk.
    pub chunk: Arc<Spilled>,
    /// The share of words in common with the question, 0 to 1.
    pub overlap: f32,
}

type Bucket = (Audience, ChannelId);
type Fingerprint = [u8; 32];

#[derive(Debug, Default)]
struct Kept {
    next: u64,
    bytes: usize,
    /// Oldest first.
    order: VecDeque<(u64, Bucket)>,
    buckets: HashMap<Bucket, Index>,
}

#[derive(Debug, Default)]
struct Index {
    chunks: BTreeMap<u64, (Fingerprint, Arc<Spilled>)>,
    known: HashMap<Fingerprint, u64>,
    /// The chunks that hold a word, each with how many words it is found by; numbers rise.
    by_word: HashMap<String, Vec<(u64, u8)>>,
}

impl Spillover {
    /// Takes up what was evicted from a prompt in `place`. What is there already is not taken twice, and what came
    /// from here is still here.
    pub(super) fn take_up(&self, place: &Place, evicted: Vec<Chunk>) {
        // Most of it was evicted from the last prompt too: only what is new is looked at, and not under the lock.
        let evicted: Vec<Chunk> = {
            let kept = self.lock();
            evicted.into_iter().filter(|chunk| !kept.holds(&place.channel, chunk)).collect()
        };
        let spilled: Vec<_> =
            evicted.into_iter().filter_map(|chunk| Spilled::from_chunk(chunk, place)).collect();
        let mut kept = self.lock();
        for chunk in spilled {
            kept.add(&place.channel, chunk);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a question in `channel` calls back of what `visible` names, best first.
    #[must_use]
    pub fn call_back(
        &self,
        question: &str,
        channel: &ChannelId,
        visible: &Visible,
        wanted: Wanted,
    ) -> Vec<CalledBack> {
        let mut asked = keywords::terms(question);
        asked.sort();
        asked.dedup();
        asked.truncate(ASKED);
        if asked.is_empty() {
            return Vec::new();
        }
        let kept = self.lock();
        let mut found: Vec<CalledBack> = kept
            .buckets
            .iter()
            .filter(|((audience, at), _)| at == channel && visible.includes(audience))
            .flat_map(|(_, index)| index.matching(&asked, wanted))
            .collect();
        found.sort_by(|a, b| {
            b.overlap.total_cmp(&a.overlap).then_with(|| a.chunk.source.cmp(&b.chunk.source))
        });
        found.truncate(wanted.most);
        found
    }

    /// Lets go of everything.
    pub(super) fn clear(&self) {
        *self.lock() = Kept::default();
    }

    /// Lets go of what was called back and no longer stands: deleted, edited.
    pub fn drop_chunks<'a>(&self, channel: &ChannelId, gone: impl IntoIterator<Item = &'a CalledBack>) {
        let mut kept = self.lock();
        for one in gone {
            let bucket = (one.chunk.audience.clone(), channel.clone());
            let fingerprint = one.chunk.fingerprint();
            let number = kept.buckets.get(&bucket).and_then(|index| index.known.get(&fingerprint).copied());
            if let Some(number) = number {
                kept.remove(&bucket, number);
            }
        }
    }
}

impl Spilled {
    fn from_chunk(chunk: Chunk, place: &Place) -> Option<Self> {
        // Identity and instructions are never a topic; what came back is still in the store.
        let is_topic = matches!(chunk.layer, Layer::Content | Layer::RecentHistory | Layer::HistorySummary);
        if !is_topic || chunk.text.len() > CHUNK_MAX || chunk.source.starts_with(RETURNED) {
            return None;
        }
        let mut telling: Vec<String> = Vec::with_capacity(KEYWORDS);
        for term in keywords::terms(&chunk.text) {
            if telling.len() < KEYWORDS && !telling.contains(&term) {
                telling.push(term);
            }
        }
        let quoted = chunk.quoted.or_else(|| {
            let line = chunk.turn.as_ref()?;
            let own = (line.role == Role::Assistant).then(|| "you".to_owned());
            let place = place.channel_name.as_deref().map(prompt_label);
            Some(Quoted { author: line.label.clone().or(own), place, at: None })
        });
        (!telling.is_empty()).then(|| Self {
            source: chunk.source,
            layer: chunk.layer,
            importance: chunk.importance,
            audience: chunk.audience,
            text: chunk.text,
            quoted,
            turn: chunk.turn.map(|line| line.id),
            keywords: telling,
        })
    }

    /// The stored turn it was, whose words may have been taken back since.
    #[must_use]
    pub fn turn(&self) -> Option<StoredId> {
        self.turn
    }

    /// The words.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    fn fingerprint(&self) -> Fingerprint {
        fingerprint(&self.source, &self.text)
    }
}

fn fingerprint(source: &str, text: &str) -> Fingerprint {
    let hash = Sha256::new().chain_update(source).chain_update([0]).chain_update(text);
    hash.finalize().into()
}

impl CalledBack {
    /// As a piece of context again: in the tail, a step less important than it was.
    #[must_use]
    pub fn contribution(&self) -> Contribution {
        let Spilled { source, layer, importance, audience, text, quoted, .. } = self.chunk.as_ref();
        // A turn that came back is found text, not a stretch of the conversation.
        let layer = if *layer == Layer::RecentHistory { Layer::Content } else { *layer };
        Contribution {
            importance: importance.demoted(),
            relevance: (self.overlap * 2.0).min(1.0),
            quoted: Some(quoted.clone().unwrap_or_default()),
            ..Contribution::new(
                format!("{RETURNED}{source}"),
                layer,
                Placement::Tail(TailPart::Peripheral),
                Trust::Held,
                audience.clone(),
                text.clone(),
            )
        }
    }
}

impl Kept {
    fn holds(&self, channel: &ChannelId, chunk: &Chunk) -> bool {
        let index = self.buckets.get(&(chunk.audience.clone(), channel.clone()));
        index.is_some_and(|index| index.known.contains_key(&fingerprint(&chunk.source, &chunk.text)))
    }

    fn add(&mut self, channel: &ChannelId, chunk: Spilled) {
        let bucket = (chunk.audience.clone(), channel.clone());
        let fingerprint = chunk.fingerprint();
        let index = self.buckets.entry(bucket.clone()).or_default();
        if index.known.contains_key(&fingerprint) {
            return;
        }
        let number = self.next;
        self.next += 1;
        self.bytes += chunk.text.len();
        let words = u8::try_from(chunk.keywords.len()).unwrap_or(u8::MAX);
        for word in &chunk.keywords {
            index.by_word.entry(word.clone()).or_default().push((number, words));
        }
        index.known.insert(fingerprint, number);
        index.chunks.insert(number, (fingerprint, Arc::new(chunk)));
        self.order.push_back((number, bucket));
        while self.order.len() > CHUNKS_MAX || self.bytes > BYTES_MAX {
            let Some((oldest, bucket)) = self.order.front().cloned() else { break };
            self.remove(&bucket, oldest);
        }
    }

    fn remove(&mut self, bucket: &Bucket, number: u64) {
        // Numbers rise along the order.
        if let Ok(at) = self.order.binary_search_by_key(&number, |(number, _)| *number) {
            self.order.remove(at);
        }
        let Some(index) = self.buckets.get_mut(bucket) else { return };
        let Some((fingerprint, chunk)) = index.chunks.remove(&number) else { return };
        self.bytes -= chunk.text.len();
        index.known.remove(&fingerprint);
        for word in &chunk.keywords {
            if let Some(numbers) = index.by_word.get_mut(word) {
                if let Ok(at) = numbers.binary_search_by_key(&number, |(known, _)| *known) {
                    numbers.remove(at);
                }
                if numbers.is_empty() {
                    index.by_word.remove(word);
                }
            }
        }
        if index.chunks.is_empty() {
            self.buckets.remove(bucket);
        }
    }
}

impl Index {
    /// The best, and all that are as good as the last of them.
    fn matching(&self, asked: &[String], wanted: Wanted) -> Vec<CalledBack> {
        let asked: Vec<&String> = asked.iter().filter(|word| self.tells(word)).collect();
        let mut held: Vec<(u64, u8)> =
            asked.iter().filter_map(|word| self.by_word.get(*word)).flatten().copied().collect();
        let (least_words, least_share) = match wanted.is_asked {
            true => (COMMON_MIN.min(asked.len()), JACCARD_MIN),
            false => (COMMON_MIN, JACCARD_MIN_IN_TALK),
        };
        // Rising runs one after the other, which this joins without looking at all pairs.
        held.sort();
        let mut alike: Vec<(f32, u64)> = held
            .chunk_by(|(a, _), (b, _)| a == b)
            .filter(|same| same.len() >= least_words)
            .filter_map(|same| {
                let &(number, words) = same.first()?;
                let any = asked.len() + usize::from(words) - same.len();
                let overlap = same.len() as f32 / any.max(1) as f32;
                (overlap >= least_share).then_some((overlap, number))
            })
            .collect();
        if wanted.most > 0 && alike.len() > wanted.most {
            let (_, &mut (least, _), _) =
                alike.select_nth_unstable_by(wanted.most - 1, |a, b| b.0.total_cmp(&a.0));
            alike.retain(|(overlap, _)| *overlap >= least);
        }
        alike
            .into_iter()
            .filter_map(|(overlap, number)| {
                let (_, chunk) = self.chunks.get(&number)?;
                Some(CalledBack { chunk: Arc::clone(chunk), overlap })
            })
            .collect()
    }

    /// Whether a word tells chunks apart.
    fn tells(&self, word: &str) -> bool {
        let most = (self.chunks.len() * COMMON_PERCENT / 100).max(SHARED_MIN);
        self.by_word.get(word).is_none_or(|having| having.len() <= most)
    }
}

#[cfg(test)]
mod tests;
