//! Reactions under messages: every one as it came and went, and what they say to whoever wrote them (G3).
//!
//! Owns who put what under which message. The log only grows; what stands now follows from it, and what that says lies in
//! the table `regards`. Must not know what follows from a reaction. Start at [`History::react`].

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Transaction, params};

use crate::domain::{AccountId, ChannelId, MessageId, Reaction, Stance, Stands, StoredId};

use super::{History, HistoryError, rows};

/// Reactions that say something kept under one message; more say the same again.
const EACH_MAX: u32 = 64;

/// Entries of the log under one message; beyond that only what is taken away is written down.
const EVENTS_MAX: i64 = 512;

/// Longest emoji that is kept, in characters: custom ones have names.
const EMOJI_CHARS: usize = 64;

/// What somebody says to whoever wrote a message, by a reaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReactionStance {
    pub by: AccountId,
    pub stance: Stance,
    pub at: Timestamp,
}

impl History {
    /// Keeps that a reaction was put under a stored message that still stands, or taken away. Whether that changed what is
    /// said to whoever wrote it: nobody says anything to themselves or to a program. What was read ahead holds where it did
    /// not.
    pub async fn react(&self, channel: &ChannelId, reaction: Reaction) -> Result<bool, HistoryError> {
        let channel = channel.clone();
        let work = move |tx: &Transaction<'_>| {
            let Some(turn) = standing_turn(tx, &channel, &reaction.message)? else { return Ok(false) };
            let by = reaction.by.to_string();
            let emoji: String = reaction.emoji.chars().take(EMOJI_CHARS).collect();
            let is_put = reaction.stands == Stands::Put;
            let standing = standing_reactions(tx, turn)?;
            let was_put = standing.get(&(by.clone(), emoji.clone())).copied().unwrap_or(false);
            if was_put != is_put && (!is_put || events(tx, turn)? < EVENTS_MAX) {
                log_reaction(tx, turn, &by, &emoji, is_put, reaction.at)?;
            }
            let Some(stance) = Stance::of_emoji(&emoji) else { return Ok(false) };
            if is_put {
                return add_reaction(tx, turn, &by, stance, reaction.at);
            }
            let says_the_same = |((who, other), is_put): (&(String, String), &bool)| {
                *is_put && *who == by && *other != emoji && Stance::of_emoji(other) == Some(stance)
            };
            if standing.iter().any(says_the_same) { Ok(false) } else { unsay(tx, turn, &by, stance) }
        };
        self.write(work).await
    }

    /// All reactions under a message, or all with one emoji, were taken away by somebody who may.
    pub async fn clear_reactions(
        &self,
        channel: &ChannelId,
        message: &MessageId,
        emoji: Option<String>,
        at: Timestamp,
    ) -> Result<(), HistoryError> {
        let (channel, message) = (channel.clone(), message.clone());
        let work = move |tx: &Transaction<'_>| {
            let Some(turn) = standing_turn(tx, &channel, &message)? else { return Ok(false) };
            let standing = standing_reactions(tx, turn)?;
            let is_meant = |one: &str| emoji.as_deref().is_none_or(|emoji| emoji == one);
            for ((by, emoji), _) in standing.iter().filter(|((_, one), is_put)| **is_put && is_meant(one)) {
                log_reaction(tx, turn, by, emoji, false, at)?;
            }
            let mut has_changed = false;
            for one in reactions_to(tx, turn)? {
                let by = one.by.to_string();
                let is_still_said = standing.iter().any(|((who, other), is_put)| {
                    *is_put && *who == by && !is_meant(other) && Stance::of_emoji(other) == Some(one.stance)
                });
                // Without an entry of the log it is from before there was one: then it goes with all of them.
                let was_said = emoji.is_none()
                    || standing.keys().any(|(who, other)| {
                        *who == by && is_meant(other) && Stance::of_emoji(other) == Some(one.stance)
                    });
                if was_said && !is_still_said {
                    has_changed |= unsay(tx, turn, &by, one.stance)?;
                }
            }
            Ok(has_changed)
        };
        self.write(work).await?;
        Ok(())
    }
}

/// The turn of a message that still stands.
fn standing_turn(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    message: &MessageId,
) -> rusqlite::Result<Option<StoredId>> {
    tx.prepare_cached(
        "SELECT t.id FROM turn_messages m JOIN turns t ON t.id = m.turn_id
         WHERE m.channel = ?1 AND m.message = ?2 AND m.deleted_at_ms IS NULL AND t.deleted_at_ms IS NULL",
    )?
    .query_row([channel.as_str(), message.as_str()], |row| row.get(0).map(StoredId))
    .optional()
}

/// Who put which emoji there, and whether it still stands.
fn standing_reactions(
    tx: &Transaction<'_>,
    turn: StoredId,
) -> rusqlite::Result<BTreeMap<(String, String), bool>> {
    tx.prepare_cached("SELECT account, emoji, is_put FROM reactions WHERE turn_id = ?1 ORDER BY at_ms, id")?
        .query_map([turn.0], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?
        .collect()
}

fn events(tx: &Transaction<'_>, turn: StoredId) -> rusqlite::Result<i64> {
    tx.prepare_cached("SELECT count(*) FROM reactions WHERE turn_id = ?1")?
        .query_row([turn.0], |row| row.get(0))
}

fn log_reaction(
    tx: &Transaction<'_>,
    turn: StoredId,
    account: &str,
    emoji: &str,
    is_put: bool,
    at: Timestamp,
) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO reactions (turn_id, account, emoji, is_put, at_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![turn.0, account, emoji, is_put, at.as_millisecond()])
    .map(drop)
}

fn add_reaction(
    tx: &Transaction<'_>,
    turn: StoredId,
    by: &str,
    stance: Stance,
    at: Timestamp,
) -> rusqlite::Result<bool> {
    let rows = tx
        .prepare_cached(
            "INSERT OR IGNORE INTO regards (turn_id, account, regard, at_ms)
             SELECT t.id, ?2, ?3, ?4 FROM turns t
             WHERE t.id = ?1 AND t.role = 'user' AND t.author_is_bot = 0
               AND t.author_account IS NOT NULL AND t.author_account <> ?2
               AND (SELECT count(*) FROM regards r WHERE r.turn_id = t.id) < ?5",
        )?
        .execute(params![turn.0, by, stance.as_str(), at.as_millisecond(), EACH_MAX])?;
    Ok(rows > 0)
}

fn unsay(tx: &Transaction<'_>, turn: StoredId, by: &str, stance: Stance) -> rusqlite::Result<bool> {
    let rows = tx
        .prepare_cached("DELETE FROM regards WHERE turn_id = ?1 AND account = ?2 AND regard = ?3")?
        .execute(params![turn.0, by, stance.as_str()])?;
    Ok(rows > 0)
}

/// Whether there are any at all: most histories are followed without looking for them.
pub(super) fn any(tx: &Transaction<'_>) -> rusqlite::Result<bool> {
    tx.prepare_cached("SELECT EXISTS (SELECT 1 FROM regards)")?.query_row([], |row| row.get(0))
}

/// What is said to a turn.
pub(super) fn reactions_to(tx: &Transaction<'_>, turn: StoredId) -> rusqlite::Result<Vec<ReactionStance>> {
    tx.prepare_cached("SELECT account, regard, at_ms FROM regards WHERE turn_id = ?1")?
        .query_map([turn.0], |row| {
            Ok(ReactionStance {
                by: rows::parse_column(row, 0)?,
                stance: rows::parse_column(row, 1)?,
                at: rows::millis_column(row, 2)?,
            })
        })?
        .collect()
}
