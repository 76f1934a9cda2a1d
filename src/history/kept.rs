//! Turns as they are written down outside of the database, row for row: in an export, and in what can be put back.
//!
//! Owns the form and both ways. Nothing is lost on the way out and back: ids, ordinals and the log of edits are the same
//! afterwards. Must not know files. Start at [`KeptTurn`].

use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use crate::domain::StoredId;

use super::append::count_tokens;
use super::comings::{self, KeptComing};
use super::passed_over::{self, KeptPassedOver};
use super::regards::{self, KeptReaction};
use super::{History, HistoryError, HistoryOptions};

/// One turn with everything that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptTurn {
    /// Its row; what is noted names it as evidence.
    pub id: i64,
    /// The channel.
    pub channel: String,
    /// Its number there.
    pub ordinal: i64,
    /// The platform's name.
    pub platform: String,
    /// The guild.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guild: Option<String>,
    /// Before whom it was said: kind and key.
    pub audience: (String, String),
    /// `user` or `assistant`.
    pub role: String,
    /// Who said it: account, username, display name, as they were then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<(String, Option<String>, Option<String>)>,
    /// Whether a program said it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_bot: bool,
    /// The words; empty where they were taken back.
    pub content: String,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The channel's mode then.
    pub mode: String,
    /// `text` or `voice`.
    pub modality: String,
    /// The turn that made it, of the familiar's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<i64>,
    /// The message it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// How much had been said before it, in rough tokens.
    pub said_before: i64,
    /// When it was last edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_at_ms: Option<i64>,
    /// When it was taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at_ms: Option<i64>,
    /// Its messages: id, which part, when taken back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<(String, i64, Option<i64>)>,
    /// Its edits and deletions: when, which, of which message, and the words before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<(i64, String, String, Option<String>)>,
    /// What reactions say to it: whose, what, since when.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regards: Vec<(String, String, i64)>,
    /// Its reactions as they came and went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<KeptReaction>,
}

/// A channel as it was last seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptChannel {
    /// Its id.
    pub channel: String,
    /// The platform's name.
    pub platform: String,
    /// What sort of place.
    pub kind: String,
    /// The guild.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guild: Option<String>,
    /// Its name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The guild's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guild_name: Option<String>,
    /// The last number given to a turn there.
    pub last_ordinal: i64,
    /// Up to which message of its platform it was forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgotten_to: Option<i64>,
}

/// How far a job had come: which job, in which scope, up to which turn, when.
pub type KeptMark = (String, String, i64, i64);

/// How the familiar felt, and towards whom (empty: the mood): valence, arousal, when.
pub type KeptFeeling = (String, f64, f64, i64);

/// What is told with an export besides turns and channels.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeptState {
    /// How far every job has come, so that nothing is worked through again.
    pub marks: Vec<KeptMark>,
    /// How the familiar feels.
    pub feelings: Vec<KeptFeeling>,
    /// What jobs passed over and still want to read.
    pub passed_over: Vec<KeptPassedOver>,
    /// Who came and who left.
    pub comings: Vec<KeptComing>,
}

impl History {
    /// These turns, those that are there, by their ids.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn kept(&self, turns: Vec<StoredId>) -> Result<Vec<KeptTurn>, HistoryError> {
        let kept = self.database.read(move |tx| {
            let mut one = tx.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?;
            let mut kept = Vec::with_capacity(turns.len());
            for turn in turns {
                if let Some(row) = one.query_row([turn.0], bare).optional()? {
                    kept.push(whole(tx, row)?);
                }
            }
            Ok(kept)
        });
        Ok(kept.await?)
    }

    /// The turns after one, by their ids, at most so many.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn kept_after(&self, after: StoredId, most: u32) -> Result<Vec<KeptTurn>, HistoryError> {
        let kept = self.database.read(move |tx| {
            let rows: Vec<KeptTurn> = tx
                .prepare_cached(&format!("{SELECT} WHERE id > ?1 ORDER BY id LIMIT ?2"))?
                .query_map([after.0, i64::from(most)], bare)?
                .collect::<rusqlite::Result<_>>()?;
            rows.into_iter().map(|row| whole(tx, row)).collect()
        });
        Ok(kept.await?)
    }

    /// Puts turns where they were, with the rows they had. Those that are there stay as they are; how many were not.
    /// Summaries over them are made anew, and whatever follows the history hears of them.
    ///
    /// # Errors
    /// When the database refuses; none of them is put back then.
    pub async fn put_back(&self, turns: Vec<KeptTurn>) -> Result<usize, HistoryError> {
        let options = self.options.clone();
        let put = self.change(move |tx| {
            turns.iter().try_fold(0, |put, turn| Ok(put + usize::from(put_one(tx, &options, turn)?)))
        });
        Ok(put.await?)
    }

    /// Every channel, by its id.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn kept_channels(&self) -> Result<Vec<KeptChannel>, HistoryError> {
        let kept = self.database.read(|tx| {
            tx.prepare_cached(
                "SELECT channel, platform, kind, guild, name, guild_name, last_ordinal, forgotten_to FROM channels
                 ORDER BY channel",
            )?
            .query_map([], |row| {
                Ok(KeptChannel {
                    channel: row.get(0)?,
                    platform: row.get(1)?,
                    kind: row.get(2)?,
                    guild: row.get(3)?,
                    name: row.get(4)?,
                    guild_name: row.get(5)?,
                    last_ordinal: row.get(6)?,
                    forgotten_to: row.get(7)?,
                })
            })?
            .collect()
        });
        Ok(kept.await?)
    }

    /// What is told with an export besides turns and channels.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn kept_state(&self) -> Result<KeptState, HistoryError> {
        let kept = self.database.read(|tx| {
            let marks = tx
                .prepare_cached(
                    "SELECT worker, scope, last_turn_id, updated_at_ms FROM watermarks ORDER BY worker, scope",
                )?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
                .collect::<rusqlite::Result<_>>()?;
            let feelings = tx
                .prepare_cached("SELECT towards, valence, arousal, at_ms FROM feelings ORDER BY towards")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
                .collect::<rusqlite::Result<_>>()?;
            Ok(KeptState { marks, feelings, passed_over: passed_over::all_kept(tx)?, comings: comings::all_kept(tx, None)? })
        });
        Ok(kept.await?)
    }

    /// Puts channels and the rest where nothing is known of them.
    ///
    /// # Errors
    /// When the database refuses; nothing has changed then.
    pub async fn put_state(&self, channels: Vec<KeptChannel>, state: KeptState) -> Result<(), HistoryError> {
        let put = self.change(move |tx| {
            for one in &channels {
                put_channel(tx, one)?;
            }
            for (worker, scope, turn, at) in &state.marks {
                tx.prepare_cached("INSERT OR IGNORE INTO watermarks VALUES (?1, ?2, ?3, ?4)")?
                    .execute(params![worker, scope, turn, at])?;
            }
            for (towards, valence, arousal, at) in &state.feelings {
                tx.prepare_cached("INSERT OR IGNORE INTO feelings VALUES (?1, ?2, ?3, ?4)")?
                    .execute(params![towards, valence, arousal, at])?;
            }
            for stretch in &state.passed_over {
                passed_over::put_kept(tx, stretch)?;
            }
            for coming in &state.comings {
                comings::put_kept(tx, coming)?;
            }
            Ok(())
        });
        Ok(put.await?)
    }
}

const SELECT: &str = "SELECT id, channel, ordinal, platform, guild, audience_kind, audience_key, role, author_account,
    author_username, author_display, author_is_bot, content, at_ms, mode, modality, turn, reply_to, said_before,
    edited_at_ms, deleted_at_ms FROM turns";

/// A turn by its own row.
fn bare(row: &Row<'_>) -> rusqlite::Result<KeptTurn> {
    let account: Option<String> = row.get(8)?;
    let (username, display) = (row.get(9)?, row.get(10)?);
    Ok(KeptTurn {
        id: row.get(0)?,
        channel: row.get(1)?,
        ordinal: row.get(2)?,
        platform: row.get(3)?,
        guild: row.get(4)?,
        audience: (row.get(5)?, row.get(6)?),
        role: row.get(7)?,
        author: account.map(|account| (account, username, display)),
        is_bot: row.get(11)?,
        content: row.get(12)?,
        at_ms: row.get(13)?,
        mode: row.get(14)?,
        modality: row.get(15)?,
        turn: row.get(16)?,
        reply_to: row.get(17)?,
        said_before: row.get(18)?,
        edited_at_ms: row.get(19)?,
        deleted_at_ms: row.get(20)?,
        messages: Vec::new(),
        events: Vec::new(),
        regards: Vec::new(),
        reactions: Vec::new(),
    })
}

/// With its messages and what happened to them.
fn whole(tx: &Transaction<'_>, turn: KeptTurn) -> rusqlite::Result<KeptTurn> {
    let messages = tx
        .prepare_cached(
            "SELECT message, part, deleted_at_ms FROM turn_messages WHERE turn_id = ?1 ORDER BY part, message",
        )?
        .query_map([turn.id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let events = tx
        .prepare_cached(
            "SELECT at_ms, kind, message, old_content FROM events WHERE turn_id = ?1 ORDER BY id",
        )?
        .query_map([turn.id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let regards = tx
        .prepare_cached(
            "SELECT account, regard, at_ms FROM regards WHERE turn_id = ?1 ORDER BY account, regard",
        )?
        .query_map([turn.id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let reactions = regards::reactions_of(tx, turn.id)?;
    Ok(KeptTurn { messages, events, regards, reactions, ..turn })
}

fn put_channel(tx: &Transaction<'_>, one: &KeptChannel) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO channels (channel, platform, kind, guild, name, guild_name, last_ordinal, forgotten_to)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (channel) DO UPDATE SET
            forgotten_to = max(coalesce(forgotten_to, excluded.forgotten_to), coalesce(excluded.forgotten_to, forgotten_to))",
    )?
    .execute(params![
        one.channel,
        one.platform,
        one.kind,
        one.guild,
        one.name,
        one.guild_name,
        one.last_ordinal,
        one.forgotten_to
    ])
    .map(drop)
}

fn put_one(tx: &Transaction<'_>, options: &HistoryOptions, turn: &KeptTurn) -> rusqlite::Result<bool> {
    let author = turn.author.as_ref();
    // As standing first: that it was taken back is told below, as it was when it happened, so that every count that
    // triggers keep comes out the same.
    let is_new = tx
        .prepare_cached(
            "INSERT OR IGNORE INTO turns (id, channel, ordinal, platform, guild, audience_kind, audience_key, role,
                author_account, author_username, author_display, author_is_bot, content, at_ms, mode,
                modality, turn, reply_to, said_before, edited_at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)",
        )?
        .execute(params![
            turn.id,
            turn.channel,
            turn.ordinal,
            turn.platform,
            turn.guild,
            turn.audience.0,
            turn.audience.1,
            turn.role,
            author.map(|(account, ..)| account),
            author.and_then(|(_, username, _)| username.as_ref()),
            author.and_then(|(.., display)| display.as_ref()),
            turn.is_bot,
            turn.content,
            turn.at_ms,
            turn.mode,
            turn.modality,
            turn.turn,
            turn.reply_to,
            turn.said_before,
            turn.edited_at_ms,
        ])?
        > 0;
    if !is_new {
        return Ok(false);
    }
    let mut message = tx.prepare_cached(
        "INSERT OR IGNORE INTO turn_messages (channel, message, turn_id, part, deleted_at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (id, part, gone) in &turn.messages {
        message.execute(params![turn.channel, id, turn.id, part, gone])?;
    }
    let mut event = tx.prepare_cached(
        "INSERT INTO events (at_ms, kind, channel, turn_id, message, old_content) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for (at, kind, id, old) in &turn.events {
        event.execute(params![at, kind, turn.channel, turn.id, id, old])?;
    }
    let mut regard = tx.prepare_cached(
        "INSERT OR IGNORE INTO regards (turn_id, account, regard, at_ms) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (account, what, at) in &turn.regards {
        regard.execute(params![turn.id, account, what, at])?;
    }
    for one in &turn.reactions {
        regards::log(tx, StoredId(turn.id), one)?;
    }
    match turn.deleted_at_ms {
        Some(gone) => {
            tx.prepare_cached("UPDATE turns SET deleted_at_ms = ?2 WHERE id = ?1")?
                .execute([turn.id, gone])?;
        }
        None => {
            count_tokens(tx, options, StoredId(turn.id), &turn.content)?;
            tx.prepare_cached("INSERT INTO turn_changes (turn_id) VALUES (?1)")?.execute([turn.id])?;
        }
    }
    empty_summaries(tx, &turn.channel, turn.ordinal)?;
    Ok(true)
}

/// What was made of a stretch is made anew: something in it reads differently.
fn empty_summaries(tx: &Transaction<'_>, channel: &str, ordinal: i64) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM crystals WHERE channel = ?1 AND level = 1 AND ?2 BETWEEN first_ordinal AND last_ordinal",
        "UPDATE crystals SET stale = 1, text = '', tokens = 0
         WHERE channel = ?1 AND level = 0 AND ?2 BETWEEN first_ordinal AND last_ordinal",
        "DELETE FROM digests WHERE channel = ?1 AND ?2 BETWEEN first_ordinal AND last_ordinal",
    ] {
        tx.prepare_cached(sql)?.execute(params![channel, ordinal])?;
    }
    Ok(())
}
