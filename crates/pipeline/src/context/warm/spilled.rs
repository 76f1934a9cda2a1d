//! What had to leave the prompt, found again by its words.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::{Lifetime, StoredKey, Warm, WarmCache, WarmEntry};
use crate::context::chunk::Chunk;
use crate::context::contribution::{Contribution, Importance, Quoted, TailPart};
use crate::domain::{Audience, ChannelId, Place, Role, StoredId};
use crate::history::Visible;
use crate::text::fixed_hash::fixed_hash;
use crate::text::keywords;
use crate::text::names::prompt_label;

/// A chunk above this is not kept, in bytes.
const CHUNK_MAX: usize = 64 * 1024;

/// The words a chunk is found by: the first so many telling ones; and the words of a question that count.
const KEYWORDS: usize = 12;
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
pub(in crate::context) const RETURNED: &str = "spilled/";

pub(super) type Fingerprint = [u8; 32];

/// How much is to come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recalling {
    /// At most so many chunks.
    pub most: usize,
    /// Whether something is asked. If so, one word in common is enough where no other word tells anything, and a smaller
    /// share of them.
    pub is_asked: bool,
}

/// A message that is out of the prompt. Notes, finds and summaries are looked up anew by whoever needs them: nobody could
/// tell here whether what they were made of still stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spilled {
    source: String,
    importance: Importance,
    audience: Audience,
    text: String,
    quoted: Quoted,
    turn: StoredId,
    /// Hashed: a question's words are looked for in all of them.
    keywords: Vec<u64>,
}

/// A chunk that a question called back.
#[derive(Debug, Clone, PartialEq)]
pub struct CalledBack {
    chunk: Arc<Spilled>,
    /// The share of words in common with the question, 0 to 1.
    overlap: f32,
}

impl WarmCache {
    /// Takes up what was evicted from a prompt in `place`. What is there already is not taken twice, and what came
    /// from here is still here.
    pub(in crate::context) fn take_up(&self, place: &Place, evicted: Vec<Chunk>) {
        let begun = self.begin();
        for chunk in evicted {
            // Most of it was evicted from the last prompt too: only what is new is looked at.
            let key = StoredKey::Spilled(place.channel.clone(), fingerprint(&chunk.source, &chunk.text));
            if self.kept.contains_key(&key) {
                continue;
            }
            if let Some(spilled) = Spilled::from_chunk(chunk, place) {
                let bytes = spilled.text.len();
                self.keep(begun, key, Lifetime::Spilled, bytes, Warm::Spilled(Arc::new(spilled)));
            }
        }
    }

    /// What a question in `channel` calls back of what `visible` names, best first.
    pub fn call_back(
        &self,
        question: &str,
        channel: &ChannelId,
        visible: &Visible,
        wanted: Recalling,
    ) -> Vec<CalledBack> {
        let mut asked = keywords::terms(question);
        asked.sort();
        asked.dedup();
        asked.truncate(ASKED);
        let mut asked: Vec<u64> = asked.iter().map(fixed_hash).collect();
        if asked.is_empty() {
            return Vec::new();
        }
        let now = Instant::now();
        let spilled = |(key, kept): (Arc<StoredKey>, Arc<WarmEntry>)| match (&*key, &kept.is) {
            (StoredKey::Spilled(at, _), Warm::Spilled(chunk)) if at == channel && kept.until > now => {
                visible.includes(&chunk.audience).then(|| Arc::clone(chunk))
            }
            _ => None,
        };
        let chunks: Vec<Arc<Spilled>> = self.kept.iter().filter_map(spilled).collect();
        // A word that many chunks have tells none of them apart.
        let most = (chunks.len() * COMMON_PERCENT / 100).max(SHARED_MIN);
        asked.retain(|word| chunks.iter().filter(|chunk| chunk.keywords.contains(word)).count() <= most);
        let (least_words, least_share) = match wanted.is_asked {
            true => (COMMON_MIN.min(asked.len()).max(1), JACCARD_MIN),
            false => (COMMON_MIN, JACCARD_MIN_IN_TALK),
        };
        let mut found: Vec<CalledBack> = chunks
            .into_iter()
            .filter_map(|chunk| {
                let same = asked.iter().filter(|word| chunk.keywords.contains(word)).count();
                let any = asked.len() + chunk.keywords.len() - same;
                #[expect(clippy::cast_precision_loss, reason = "the words of a message")]
                let overlap = same as f32 / any.max(1) as f32;
                (same >= least_words && overlap >= least_share).then_some(CalledBack { chunk, overlap })
            })
            .collect();
        found.sort_by(|a, b| {
            b.overlap.total_cmp(&a.overlap).then_with(|| a.chunk.source.cmp(&b.chunk.source))
        });
        found.truncate(wanted.most);
        found
    }

    /// Lets go of what was called back and no longer stands: deleted, edited.
    pub(in crate::context) fn drop_chunks<'a>(
        &self,
        channel: &ChannelId,
        gone: impl IntoIterator<Item = &'a CalledBack>,
    ) {
        for CalledBack { chunk, .. } in gone {
            self.kept.remove(&StoredKey::Spilled(channel.clone(), fingerprint(&chunk.source, &chunk.text)));
        }
    }
}

impl Spilled {
    fn from_chunk(chunk: Chunk, place: &Place) -> Option<Self> {
        let chunk = chunk.piece;
        let line = chunk.turn.filter(|_| chunk.text.len() <= CHUNK_MAX)?;
        let mut telling: Vec<u64> = Vec::with_capacity(KEYWORDS);
        for term in keywords::terms(&chunk.text) {
            let term = fixed_hash(&term);
            if telling.len() < KEYWORDS && !telling.contains(&term) {
                telling.push(term);
            }
        }
        let own = (line.role == Role::Assistant).then(|| "you".to_owned());
        let place = place.channel_name.as_deref().map(prompt_label);
        let quoted = Quoted { author: line.label.or(own), place, at: None };
        (!telling.is_empty()).then_some(Self {
            source: chunk.source,
            importance: chunk.importance,
            audience: chunk.audience,
            text: chunk.text,
            quoted,
            turn: line.id,
            keywords: telling,
        })
    }
}

fn fingerprint(source: &str, text: &str) -> Fingerprint {
    Sha256::new().chain_update(source).chain_update([0]).chain_update(text).finalize().into()
}

impl CalledBack {
    /// The stored turn it was, whose words may have been taken back since.
    pub fn turn(&self) -> StoredId {
        self.chunk.turn
    }

    pub fn text(&self) -> &str {
        &self.chunk.text
    }

    /// As a piece of context again: in the tail, a step less important than it was.
    pub fn contribution(&self) -> Contribution {
        let Spilled { source, importance, audience, text, quoted, .. } = self.chunk.as_ref();
        Contribution {
            importance: importance.demoted(),
            relevance: (self.overlap * 2.0).min(1.0),
            quoted: Some(quoted.clone()),
            // A turn that came back is found text, not a stretch of the conversation.
            ..Contribution::looked_up(
                format!("{RETURNED}{source}"),
                TailPart::Peripheral,
                audience.clone(),
                text.clone(),
            )
        }
    }
}

#[cfg(test)]
mod tests;
