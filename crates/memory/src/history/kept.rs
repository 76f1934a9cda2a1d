//! Turns as they are written down outside of the database, row for row: in an export, and in what can be put back.
//!
//! Owns the form and both ways. Nothing is lost on the way out and back: ids, ordinals and the log of edits are the same
//! afterwards. Must not know files. Start at [`KeptTurn`].

use std::collections::BTreeSet;
use std::sync::Arc;

use rusqlite::{OptionalExtension as _, Transaction, params};
use serde::{Deserialize, Serialize};

use crate::domain::{AccountId, StoredId};
use crate::text::echo::Echoes;

use super::append::count_tokens;
use super::jobs::{self, KeptPassedOver};
use super::reminders::{KeptReminder, kept_reminders, put_reminders, reminders_going_with};
use super::rows::{from_json, row_numbers, to_json};
use super::sources::{self, KeptSource, put_sources};
use super::{History, HistoryError, HistoryOptions, Whole};

/// One turn with everything that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptTurn {
    /// Its row; what is noted names it as evidence.
    pub id: i64,
    pub channel: String,
    pub ordinal: i64,
    pub platform: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guild: Option<String>,
    /// Before whom it was said: kind and key.
    pub audience: (String, String),
    pub role: String,
    /// Who said it: account, username, display name, as they were then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<(String, Option<String>, Option<String>)>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_bot: bool,
    /// The words; empty where they were taken back.
    pub content: String,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The channel's mode then.
    pub mode: String,
    pub modality: String,
    /// The turn that made it, of the familiar's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// The message that it passes on, by channel and id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forwards: Option<(String, String)>,
    /// How much had been said before it, in rough tokens.
    pub said_before: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_at_ms: Option<i64>,
    /// When it was taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<KeptMessage>,
    /// Its edits and deletions: when, which, of which message, and the words before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<(i64, String, String, Option<String>)>,
    /// What reactions say to it: whose, what, since when.
    #[serde(rename = "regards", default, skip_serializing_if = "Vec::is_empty")]
    pub stances: Vec<(String, String, i64)>,
    /// Its reactions as they came and went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<KeptReaction>,
    /// Documents that came with it, as far as they were read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<KeptSource>,
}

impl KeptTurn {
    pub fn is_by(&self, account: &AccountId) -> bool {
        self.author.as_ref().is_some_and(|(by, ..)| *by == account.to_string())
    }

    /// Everything it says and said: its words, those before it was edited or taken back, and those of its documents.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let before = self.events.iter().filter_map(|(.., old)| old.as_deref());
        let documents = self.sources.iter().flat_map(|source| &source.passages).map(|one| one.text.as_str());
        [self.content.as_str()].into_iter().chain(before).chain(documents)
    }

    /// Whether it is a reply to a message of this turn, as the platform says.
    pub fn replies_to(&self, to: &Self) -> bool {
        let reply_to = self.reply_to.as_ref();
        self.channel == to.channel
            && reply_to.is_some_and(|id| to.messages.iter().any(|KeptMessage(own, ..)| own == id))
    }

    /// Its messages, as [`Self::forwards`] names one.
    pub fn named(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.messages.iter().map(|KeptMessage(id, ..)| (self.channel.clone(), id.clone()))
    }
}

/// One message of a turn: its id, which part it is, when it was taken back, and at which byte its words begin, where that is
/// known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptMessage(
    pub String,
    pub i64,
    pub Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")] pub Option<i64>,
);

/// A channel as it was last seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptChannel {
    pub channel: String,
    pub platform: String,
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guild: Option<String>,
    /// Its name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guild_name: Option<String>,
    /// The last number given to a turn there.
    pub last_ordinal: i64,
    /// The last number that is no part of its conversation any more, and since when, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins: Option<(i64, i64)>,
    /// Up to which message of its platform it was forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgotten_to: Option<i64>,
}

/// How far a job had come: which job, in which scope, up to which turn, when.
pub type KeptMark = (String, String, i64, i64);

/// How the familiar felt, and towards whom (empty: the mood): valence, arousal, when, and before which audience it was moved.
/// Of what was kept before there was an audience, a person's is for themselves alone, and a mood is passed over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptFeeling(pub String, pub f64, pub f64, pub i64, #[serde(default)] pub Option<(String, String)>);

/// One entry of the log of reactions: whose, which emoji, whether it was put or taken away, when.
pub type KeptReaction = (String, String, bool, i64);

/// Somebody who came or left: guild, account, name, whether they came, when.
pub type KeptComing = (String, String, String, bool, i64);

/// What is told with an export besides turns and channels.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeptState {
    /// How far every job has come, so that nothing is worked through again.
    pub marks: Vec<KeptMark>,
    pub feelings: Vec<KeptFeeling>,
    /// What jobs passed over and still want to read.
    pub passed_over: Vec<KeptPassedOver>,
    pub comings: Vec<KeptComing>,
    pub reminders: Vec<KeptReminder>,
}

/// What people put under turns: with the row of the turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptUnder {
    pub reactions: Vec<(i64, KeptReaction)>,
    /// Row, whose, what, since when.
    #[serde(rename = "regards")]
    pub stances: Vec<(i64, String, String, i64)>,
}

/// Some turns, and whatever else there is of some people: what goes when these are forgotten, and comes back when that is
/// undone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KeptShare {
    /// With the reactions of these people alone: others may have themselves forgotten before it is undone.
    pub turns: Vec<KeptTurn>,
    pub feelings: Vec<KeptFeeling>,
    /// What they put under turns of others.
    #[serde(default)]
    pub under: KeptUnder,
    #[serde(default)]
    pub comings: Vec<KeptComing>,
    #[serde(default)]
    pub reminders: Vec<KeptReminder>,
}

impl KeptShare {
    /// Takes these turns out, and whatever else there is of these people; the turns that went.
    pub fn take_out(
        &mut self,
        is_unwanted: impl Fn(i64) -> bool,
        people: &BTreeSet<AccountId>,
    ) -> Vec<KeptTurn> {
        let people: BTreeSet<String> = people.iter().map(ToString::to_string).collect();
        let taken = self.turns.extract_if(.., |turn| is_unwanted(turn.id)).collect();
        self.under.reactions.retain(|(row, _)| !is_unwanted(*row));
        self.under.stances.retain(|(row, ..)| !is_unwanted(*row));
        for turn in &mut self.turns {
            turn.stances.retain(|(by, ..)| !people.contains(by));
            turn.reactions.retain(|(by, ..)| !people.contains(by));
        }
        self.feelings.retain(|KeptFeeling(towards, ..)| !people.contains(towards));
        self.under.reactions.retain(|(_, (by, ..))| !people.contains(by));
        self.under.stances.retain(|(_, by, ..)| !people.contains(by));
        self.comings.retain(|(_, by, ..)| !people.contains(by));
        self.reminders.retain(|one| !people.contains(&one.account));
        taken
    }

    /// Whether there is anything to be put back; the familiar's answers to nothing are not.
    pub fn says_something(&self) -> bool {
        let Self { turns, feelings, under, comings, reminders } = self;
        turns.iter().any(|turn| turn.role != "assistant")
            || !(feelings.is_empty() && comings.is_empty() && reminders.is_empty())
            || *under != KeptUnder::default()
    }
}

impl Whole<'_> {
    /// These turns, those that are there, by their ids.
    pub async fn kept(self, turns: Vec<StoredId>) -> Result<Vec<KeptTurn>, HistoryError> {
        self.0.read(move |tx| kept_turns(tx, &turns, None)).await
    }

    /// The turns after one, by their ids, at most so many.
    pub async fn kept_after(self, after: StoredId, most: u32) -> Result<Vec<KeptTurn>, HistoryError> {
        let bound = (after.0, None::<String>, most);
        self.0.all(turn_query("WHERE t.id > ?1 ORDER BY t.id LIMIT ?3"), bound, |row| from_json(row, 0)).await
    }

    /// These turns and all else that is of some people, as [`History::forget`] takes them away.
    pub async fn kept_share(
        self,
        turns: Vec<StoredId>,
        people: impl IntoIterator<Item = AccountId>,
        echoes: Arc<Echoes>,
    ) -> Result<KeptShare, HistoryError> {
        let people: BTreeSet<AccountId> = people.into_iter().collect();
        self.0
            .read(move |tx| {
                let ids = row_numbers(&turns);
                let accounts = to_json(&people.iter().map(ToString::to_string).collect::<Vec<_>>())?;
                let reminders = reminders_going_with(tx, &turns, &people, &echoes)?;
                Ok(KeptShare {
                    turns: kept_turns(tx, &turns, Some(&accounts))?,
                    feelings: feelings(tx, Some(&accounts))?,
                    under: tx.prepare_cached(UNDER)?.query_row([&accounts, &ids], |row| from_json(row, 0))?,
                    comings: comings(tx, Some(&accounts))?,
                    reminders: kept_reminders(tx, Some(&reminders))?,
                })
            })
            .await
    }
}

impl History {
    /// Puts a share back where nothing of it is there; all or nothing. Doing it again does nothing.
    pub async fn put_share(&self, share: KeptShare) -> Result<(), HistoryError> {
        let options = self.options.clone();
        self.notice_sources(&share.turns);
        self.write(move |tx| {
            for turn in &share.turns {
                put_turn(tx, &options, turn)?;
            }
            put_feelings(tx, &share.feelings)?;
            put_comings(tx, &share.comings)?;
            put_reminders(tx, &share.reminders)?;
            let under = to_json(&share.under)?;
            tx.execute(
                "INSERT INTO reactions (turn_id, account, emoji, is_put, at_ms)
                 SELECT t.id, v.value ->> '$[1][0]', v.value ->> '$[1][1]', v.value ->> '$[1][2]', v.value ->> '$[1][3]'
                 FROM json_each(?1, '$.reactions') v JOIN turns t ON t.id = v.value ->> 0
                 WHERE NOT EXISTS (SELECT 1 FROM reactions r
                    WHERE r.turn_id = t.id AND r.account = v.value ->> '$[1][0]' AND r.emoji = v.value ->> '$[1][1]'
                      AND r.is_put = v.value ->> '$[1][2]' AND r.at_ms = v.value ->> '$[1][3]')",
                [&under],
            )?;
            tx.execute(
                "INSERT OR IGNORE INTO regards (turn_id, account, regard, at_ms)
                 SELECT t.id, v.value ->> 1, v.value ->> 2, v.value ->> 3
                 FROM json_each(?1, '$.regards') v JOIN turns t ON t.id = v.value ->> 0 AND t.deleted_at_ms IS NULL",
                [&under],
            )
            .map(drop)
        })
        .await
    }

    fn notice_sources(&self, turns: &[KeptTurn]) {
        if turns.iter().any(|turn| !turn.sources.is_empty()) {
            self.has_sources_now();
        }
    }

    /// Puts turns where they were, with the rows they had. Those that are there stay as they are; how many were not.
    /// Summaries over them are made anew, and whatever follows the history hears of them.
    pub async fn put_back(&self, turns: Vec<KeptTurn>) -> Result<usize, HistoryError> {
        let options = self.options.clone();
        self.notice_sources(&turns);
        self.write(move |tx| {
            turns.iter().try_fold(0, |put, turn| Ok(put + usize::from(put_turn(tx, &options, turn)?)))
        })
        .await
    }
}

impl Whole<'_> {
    /// Every channel, by its id.
    pub async fn kept_channels(self) -> Result<Vec<KeptChannel>, HistoryError> {
        let channels =
            "SELECT json_object('channel', channel, 'platform', platform, 'kind', kind, 'guild', guild,
                'name', name, 'guild_name', guild_name, 'last_ordinal', last_ordinal,
                'begins', CASE WHEN begins_behind > 0 THEN json_array(begins_behind, begins_at_ms) END,
                'forgotten_to', forgotten_to)
             FROM channels ORDER BY channel";
        self.0.all(channels, (), |row| from_json(row, 0)).await
    }

    /// What is told with an export besides turns and channels.
    pub async fn kept_state(self) -> Result<KeptState, HistoryError> {
        self.0.read(|tx| {
            let marks = tx
                .prepare_cached(
                    "SELECT worker, scope, last_turn_id, updated_at_ms FROM watermarks ORDER BY worker, scope",
                )?
                .query_map([], |row| row.try_into())?
                .collect::<rusqlite::Result<_>>()?;
            Ok(KeptState {
                marks,
                feelings: feelings(tx, None)?,
                passed_over: jobs::all_kept(tx)?,
                comings: comings(tx, None)?,
                reminders: kept_reminders(tx, None)?,
            })
        })
        .await
    }
}

impl History {
    /// Puts channels and the rest where nothing is known of them.
    pub async fn put_state(&self, channels: Vec<KeptChannel>, state: KeptState) -> Result<(), HistoryError> {
        self.write(move |tx| {
            for one in &channels {
                tx.prepare_cached(
                    "INSERT INTO channels (channel, platform, kind, guild, name, guild_name, last_ordinal, forgotten_to,
                        begins_behind, begins_at_ms)
                     SELECT v ->> 'channel', v ->> 'platform', v ->> 'kind', v ->> 'guild', v ->> 'name',
                        v ->> 'guild_name', v ->> 'last_ordinal', v ->> 'forgotten_to',
                        coalesce(v ->> '$.begins[0]', 0), coalesce(v ->> '$.begins[1]', 0)
                     FROM (SELECT ?1 AS v) WHERE true
                     ON CONFLICT (channel) DO UPDATE SET
                        forgotten_to = max(coalesce(forgotten_to, excluded.forgotten_to),
                                           coalesce(excluded.forgotten_to, forgotten_to))",
                )?
                .execute([to_json(one)?])?;
            }
            for mark in state.marks {
                tx.prepare_cached("INSERT OR IGNORE INTO watermarks VALUES (?1, ?2, ?3, ?4)")?.execute(mark)?;
            }
            put_feelings(tx, &state.feelings)?;
            put_comings(tx, &state.comings)?;
            put_reminders(tx, &state.reminders)?;
            state.passed_over.iter().try_for_each(|stretch| jobs::put_kept(tx, stretch))
        })
        .await
    }
}

/// The beginning of a turn as a [`KeptTurn`] is written; of its reactions those of the accounts `?2`, or all where that is null.
const TURN: &str = "SELECT json_object('id', t.id, 'channel', channel, 'ordinal', ordinal, 'platform', platform,
    'guild', guild, 'audience', json_array(audience_kind, audience_key), 'role', role,
    'author', json(iif(author_account IS NULL, NULL, json_array(author_account, author_username, author_display))),
    'is_bot', json(iif(author_is_bot, 'true', 'false')), 'content', content, 'at_ms', at_ms, 'mode', mode,
    'modality', modality, 'turn', turn, 'reply_to', reply_to,
    'forwards', CASE WHEN forwards_message IS NOT NULL THEN json_array(forwards_channel, forwards_message) END,
    'said_before', said_before, 'edited_at_ms', edited_at_ms, 'deleted_at_ms', deleted_at_ms,
    'messages', (SELECT json_group_array(json_array(message, part, m.deleted_at_ms, begins_at) ORDER BY part, message)
                 FROM turn_messages m WHERE m.turn_id = t.id),
    'events', (SELECT json_group_array(json_array(e.at_ms, kind, message, old_content) ORDER BY e.id)
               FROM events e WHERE e.turn_id = t.id),
    'regards', (SELECT json_group_array(json_array(account, regard, r.at_ms) ORDER BY account, regard)
                FROM regards r WHERE r.turn_id = t.id
                  AND (?2 IS NULL OR account IN (SELECT value FROM json_each(?2)))),
    'reactions', (SELECT json_group_array(json_array(account, emoji, json(iif(is_put, 'true', 'false')), r.at_ms)
                                          ORDER BY r.at_ms, r.id)
                  FROM reactions r WHERE r.turn_id = t.id
                    AND (?2 IS NULL OR account IN (SELECT value FROM json_each(?2))))";

/// The query for turns as [`TURN`] writes them, with the documents that came with them.
pub(super) fn turn_query(which: &str) -> String {
    format!("{TURN}, 'sources', {}) FROM turns t {which}", sources::KEPT)
}

/// What the accounts `?1` put under other turns than `?2`, as [`KeptUnder`] is written.
const UNDER: &str = "SELECT json_object(
    'reactions', (SELECT json_group_array(
                    json_array(turn_id, json_array(account, emoji, json(iif(is_put, 'true', 'false')), at_ms))
                    ORDER BY at_ms, id)
                  FROM reactions WHERE account IN (SELECT value FROM json_each(?1))
                    AND turn_id NOT IN (SELECT value FROM json_each(?2))),
    'regards', (SELECT json_group_array(json_array(turn_id, account, regard, at_ms) ORDER BY turn_id, regard)
                FROM regards WHERE account IN (SELECT value FROM json_each(?1))
                  AND turn_id NOT IN (SELECT value FROM json_each(?2))))";

pub(super) fn kept_turns(
    tx: &Transaction<'_>,
    turns: &[StoredId],
    reactions_of: Option<&str>,
) -> rusqlite::Result<Vec<KeptTurn>> {
    let mut one = tx.prepare_cached(&turn_query("WHERE t.id = ?1"))?;
    let found = turns.iter().map(|turn| {
        one.query_row(params![turn.0, reactions_of], |row| from_json(row, 0)).optional().transpose()
    });
    found.flatten().collect()
}

/// What is felt towards some accounts, or towards everybody and in general.
fn feelings(tx: &Transaction<'_>, towards: Option<&str>) -> rusqlite::Result<Vec<KeptFeeling>> {
    tx.prepare_cached(
        "SELECT towards, valence, arousal, at_ms, audience_kind, audience_key FROM feelings
         WHERE ?1 IS NULL OR towards IN (SELECT value FROM json_each(?1)) ORDER BY towards, audience_kind, audience_key",
    )?
    .query_map([towards], |row| {
        let before = Some((row.get(4)?, row.get(5)?));
        Ok(KeptFeeling(row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, before))
    })?
    .collect()
}

fn put_feelings(tx: &Transaction<'_>, feelings: &[KeptFeeling]) -> rusqlite::Result<()> {
    let mut put = tx.prepare_cached(
        "INSERT OR IGNORE INTO feelings (towards, valence, arousal, at_ms, audience_kind, audience_key)
         SELECT ?1, ?2, ?3, ?4, coalesce(?5, 'dm'), coalesce(?6, ?1) WHERE ?1 <> '' OR ?5 IS NOT NULL",
    )?;
    for KeptFeeling(towards, valence, arousal, at, before) in feelings {
        let (kind, key) = before.as_ref().map(|(kind, key)| (kind, key)).unzip();
        put.execute(params![towards, valence, arousal, at, kind, key])?;
    }
    Ok(())
}

fn comings(tx: &Transaction<'_>, of: Option<&str>) -> rusqlite::Result<Vec<KeptComing>> {
    tx.prepare_cached(
        "SELECT guild, account, name, is_joining, at_ms FROM comings
         WHERE ?1 IS NULL OR account IN (SELECT value FROM json_each(?1)) ORDER BY id",
    )?
    .query_map([of], |row| row.try_into())?
    .collect()
}

fn put_comings(tx: &Transaction<'_>, comings: &[KeptComing]) -> rusqlite::Result<()> {
    let mut put = tx.prepare_cached(
        "INSERT INTO comings (guild, account, name, is_joining, at_ms) SELECT ?1, ?2, ?3, ?4, ?5
         WHERE NOT EXISTS (SELECT 1 FROM comings
            WHERE guild = ?1 AND account = ?2 AND is_joining = ?4 AND at_ms = ?5)",
    )?;
    comings.iter().try_for_each(|coming| put.execute(coming.clone()).map(drop))
}

fn put_turn(tx: &Transaction<'_>, options: &HistoryOptions, turn: &KeptTurn) -> rusqlite::Result<bool> {
    let kept = to_json(turn)?;
    // As standing first: that it was taken back is told below, as it was when it happened, so that every count that
    // triggers keep comes out the same.
    let is_new = tx
        .prepare_cached(
            "INSERT OR IGNORE INTO turns (id, channel, ordinal, platform, guild, audience_kind, audience_key, role,
                author_account, author_username, author_display, author_is_bot, content, at_ms, mode,
                modality, turn, reply_to, forwards_channel, forwards_message, said_before, edited_at_ms)
             SELECT v ->> 'id', v ->> 'channel', v ->> 'ordinal', v ->> 'platform', v ->> 'guild', v ->> '$.audience[0]',
                v ->> '$.audience[1]', v ->> 'role', v ->> '$.author[0]', v ->> '$.author[1]', v ->> '$.author[2]',
                coalesce(v ->> 'is_bot', 0), v ->> 'content', v ->> 'at_ms', v ->> 'mode', v ->> 'modality',
                v ->> 'turn', v ->> 'reply_to', v ->> '$.forwards[0]', v ->> '$.forwards[1]', v ->> 'said_before',
                v ->> 'edited_at_ms'
             FROM (SELECT ?1 AS v)",
        )?
        .execute([&kept])?
        > 0;
    if !is_new {
        return Ok(false);
    }
    for sql in [
        "INSERT OR IGNORE INTO turn_messages (channel, message, turn_id, part, deleted_at_ms, begins_at)
         SELECT ?1 ->> 'channel', value ->> 0, ?1 ->> 'id', value ->> 1, value ->> 2, value ->> 3
         FROM json_each(?1, '$.messages')",
        "INSERT INTO events (at_ms, kind, channel, turn_id, message, old_content)
         SELECT value ->> 0, value ->> 1, ?1 ->> 'channel', ?1 ->> 'id', value ->> 2, value ->> 3
         FROM json_each(?1, '$.events')",
        "INSERT OR IGNORE INTO regards (turn_id, account, regard, at_ms)
         SELECT ?1 ->> 'id', value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1, '$.regards')",
        "INSERT INTO reactions (turn_id, account, emoji, is_put, at_ms)
         SELECT ?1 ->> 'id', value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?1, '$.reactions')",
    ] {
        tx.prepare_cached(sql)?.execute([&kept])?;
    }
    match turn.deleted_at_ms {
        Some(gone) => {
            tx.prepare_cached("UPDATE turns SET deleted_at_ms = ?2 WHERE id = ?1")?
                .execute([turn.id, gone])?;
        }
        None => {
            put_sources(tx, turn.id, &turn.sources)?;
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
