//! What a list tells of a turn, kept beside its record so that nobody reads long records for a few words.
//!
//! Owns which words those are and how they are found. Start at [`TurnTold`].

use jiff::Timestamp;
use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::store::{TraceError, TraceStore};
use crate::domain::{ChannelId, Modality, Outcome, SilenceReason, TurnId, TurnTrace};
use crate::sqlite::from_sql;

/// A turn in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnTold {
    pub turn: TurnId,
    pub at: Timestamp,
    pub words: ToldWords,
}

/// Why a turn spoke or did not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldWords {
    pub trigger: String,
    /// Where it stayed silent.
    #[serde(default)]
    pub silence: Option<SilenceReason>,
    /// Whether it was said aloud, and how that came about was timed.
    #[serde(default)]
    pub is_timed_call: bool,
}

impl ToldWords {
    /// As they are kept.
    pub fn of(trace: &TurnTrace) -> Self {
        Self {
            trigger: trace.trigger.clone(),
            silence: match &trace.outcome {
                Outcome::Silent { reason } => Some(reason.clone()),
                _ => None,
            },
            is_timed_call: trace.modality == Modality::Voice && !trace.in_call.is_empty(),
        }
    }
}

impl TraceStore {
    /// The newest turns of a channel in a few words, newest first, at most so many. No record is read.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn told(&self, channel: &ChannelId, most: usize) -> Result<Vec<TurnTold>, TraceError> {
        let mut found: Vec<TurnTold> = {
            let ring = self.ring.lock();
            let here = ring.iter().rev().filter(|trace| trace.place.channel == *channel).take(most);
            here.map(|trace| TurnTold { turn: trace.id, at: trace.opened_at, words: ToldWords::of(trace) })
                .collect()
        };
        if found.len() < most {
            let (channel, limit) = (channel.clone(), i64::try_from(most).unwrap_or(i64::MAX));
            let kept = self.database.read(move |tx| {
                tx.prepare_cached(
                    "SELECT id, at_ms, told FROM traces WHERE channel = ?1 ORDER BY id DESC LIMIT ?2",
                )?
                .query_map(params![channel.as_str(), limit], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
                })?
                .collect::<rusqlite::Result<Vec<(i64, i64, Option<String>)>>>()
            });
            for (id, at, told) in kept.await? {
                let turn = TurnId(from_sql(id));
                let Some(words) = told.and_then(|told| serde_json::from_str(&told).ok()) else { continue };
                let Ok(at) = Timestamp::from_millisecond(at) else { continue };
                if found.iter().all(|known| known.turn != turn) {
                    found.push(TurnTold { turn, at, words });
                }
            }
        }
        found.sort_unstable_by_key(|told| std::cmp::Reverse(told.turn));
        found.truncate(most);
        Ok(found)
    }
}
