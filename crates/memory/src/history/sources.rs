//! Documents that came with messages, and what is pinned in a channel: kept in passages, so that the one is found that a
//! question is about.
//!
//! Owns the rows, how many there may be, and that none outlives the message it came with: a document hangs on its stored turn,
//! and is gone with it in the same transaction. Must not know files or how they are read. Start reading at
//! [`History::begin_document`].

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use jiff::{SignedDuration, Timestamp};
use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use super::rows::{self, audience_columns, is_seen, know_channel, millis_column, optional, parse_column};
use super::{ForgetUntil, History, HistoryError, SaidWords, Seen, Whole, search};
use crate::domain::{Audience, Author, ChannelId, MessageId, Place, StoredId};
use crate::sqlite::{from_sql, to_sql, words};

/// Documents that are read of one channel within 24 hours.
pub const DOCUMENTS_A_DAY: u32 = 40;

/// Documents of one channel that are kept; beyond that the oldest goes.
const DOCUMENTS_KEPT: u32 = 200;

/// The number of a document or pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourceId(pub i64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum SourceKind {
    /// A file that came with a message.
    Document,
    /// A message that is pinned in its channel.
    Pin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum SourceState {
    Reading,
    Read,
    /// It could not be.
    Unread,
}

/// A document or pin, without its words.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceOf {
    pub id: SourceId,
    pub kind: SourceKind,
    /// The message it came with, or is, where that is stored.
    pub turn: Option<StoredId>,
    pub channel: ChannelId,
    /// The channel's name for people, as last seen.
    pub channel_name: Option<String>,
    pub audience: Audience,
    /// Whose it is, for people.
    pub author: Option<String>,
    /// The file's name; empty for a pin.
    pub name: String,
    pub bytes: u64,
    /// When it was sent.
    pub at: Timestamp,
    pub state: SourceState,
    /// Why it could not be read; empty otherwise.
    pub problem: String,
    /// Characters behind those that were kept.
    pub left_out: u64,
    pub passages: u32,
}

/// A paragraph or so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewPassage {
    /// The headings it stands under, outermost first, with ` > ` between; empty where there are none.
    pub heading: String,
    pub text: String,
}

/// A passage with where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct SourcePassage {
    pub of: SourceOf,
    /// Its place in the document, from 0.
    pub ordinal: u32,
    pub heading: String,
    pub text: String,
}

/// A document that came with a stored message and is about to be read.
#[derive(Debug, Clone, PartialEq)]
pub struct NewDocument {
    pub turn: StoredId,
    /// The file's name, as the message tells it.
    pub name: String,
    pub bytes: u64,
    pub now: Timestamp,
}

/// What became of beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begun {
    Reading(SourceId),
    /// It was begun before.
    Known,
    /// The message no longer stands.
    Gone,
    /// As many were read there within a day as may be.
    TooMany,
}

/// What was read of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentText {
    pub passages: Vec<NewPassage>,
    /// Of the file's bytes.
    pub hash: String,
    /// Characters behind those that are kept.
    pub left_out: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct NewPin {
    pub message: MessageId,
    pub author: Author,
    pub text: String,
    /// When it was said.
    pub at: Timestamp,
}

/// A pin of a message that was never stored, by what it is the same in every copy of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnstoredPin {
    pub id: SourceId,
    pub channel: String,
    pub message: String,
    /// When the message was sent, in milliseconds since 1970.
    pub at_ms: i64,
}

/// A document as it is written down outside of the database, with its turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptSource {
    pub name: String,
    pub bytes: i64,
    pub hash: String,
    pub state: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub problem: String,
    #[serde(default)]
    pub left_out: i64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<NewPassage>,
}

/// The documents of the turn `t`, as [`KeptSource`]s are written. One that is being read is no document yet.
pub(super) const KEPT: &str =
    "(SELECT json_group_array(json_object('name', d.name, 'bytes', d.bytes, 'hash', d.hash,
        'state', d.state, 'problem', d.problem, 'left_out', d.left_out, 'passages',
        (SELECT json_group_array(json_object('heading', p.heading, 'text', p.text) ORDER BY p.ordinal)
         FROM source_passages p WHERE p.source_id = d.id)) ORDER BY d.id)
    FROM sources d WHERE d.turn_id = t.id AND d.kind = 'document' AND d.state <> 'reading')";

const COLUMNS: &str = "t.id, t.kind, t.turn_id, t.channel,
    (SELECT c.name FROM channels c WHERE c.channel = t.channel), t.audience_kind, t.audience_key, t.author, t.name, t.bytes,
    t.at_ms, t.state, t.problem, t.left_out, (SELECT count(*) FROM source_passages n WHERE n.source_id = t.id)";

const COLUMN_COUNT: usize = 15;

fn source_row(row: &Row<'_>) -> rusqlite::Result<SourceOf> {
    Ok(SourceOf {
        id: SourceId(row.get(0)?),
        kind: parse_column(row, 1)?,
        turn: row.get::<_, Option<i64>>(2)?.map(StoredId),
        channel: parse_column(row, 3)?,
        channel_name: row.get(4)?,
        audience: rows::audience_at(row, 5)?,
        author: row.get(7)?,
        name: row.get(8)?,
        bytes: from_sql(row.get(9)?),
        at: millis_column(row, 10)?,
        state: parse_column(row, 11)?,
        problem: row.get(12)?,
        left_out: from_sql(row.get(13)?),
        passages: row.get(14)?,
    })
}

fn source_passage(row: &Row<'_>) -> rusqlite::Result<SourcePassage> {
    Ok(SourcePassage {
        of: source_row(row)?,
        ordinal: row.get(COLUMN_COUNT)?,
        heading: row.get(COLUMN_COUNT + 1)?,
        text: row.get(COLUMN_COUNT + 2)?,
    })
}

impl History {
    /// Whether there may be a document or pin: without any nobody has to look for them.
    pub fn has_sources(&self) -> bool {
        self.has_sources.load(Ordering::Acquire)
    }

    pub(super) fn has_sources_now(&self) {
        self.has_sources.store(true, Ordering::Release);
    }

    /// A document is about to be read: from now on it is known that it is there. It has the audience of its message.
    pub async fn begin_document(&self, new: NewDocument) -> Result<Begun, HistoryError> {
        self.has_sources_now();
        self.write(move |tx| begin_document(tx, &new)).await
    }

    /// What was read of it, or in a few words why it could not be. Where its message was taken back or forgotten meanwhile
    /// nothing is kept.
    pub async fn finish_document(
        &self,
        id: SourceId,
        read: Result<DocumentText, String>,
    ) -> Result<(), HistoryError> {
        self.write(move |tx| {
            let (text, problem) = match read {
                Ok(text) => (text, String::new()),
                Err(problem) => (DocumentText::default(), problem),
            };
            let state = if problem.is_empty() { "read" } else { "unread" };
            let is_there = tx
                .prepare_cached(
                    "UPDATE sources SET state = ?2, problem = ?3, hash = ?4, left_out = ?5
                         WHERE id = ?1 AND state = 'reading'",
                )?
                .execute(params![id.0, state, problem, text.hash, to_sql(text.left_out)])?;
            if is_there == 1 { put_passages(tx, id.0, &text.passages) } else { Ok(()) }
        })
        .await
    }

    /// At a start: what was being read when the program ended is not read any more.
    pub async fn give_up_documents(&self, problem: &'static str) -> Result<(), HistoryError> {
        let give_up = "UPDATE sources SET state = 'unread', problem = ?1 WHERE state = 'reading'";
        self.change(give_up, [problem]).await.map(drop)
    }

    /// These are all the messages that are pinned in a place; whatever else was goes. What was forgotten or taken back is not
    /// taken in again because its platform still shows it. Whether any went.
    pub async fn put_pins(&self, place: Place, pins: Vec<NewPin>) -> Result<bool, HistoryError> {
        if !pins.is_empty() {
            self.has_sources_now();
        } else if !self.has_sources() {
            return Ok(false);
        }
        self.write(move |tx| pin_all(tx, &place, &pins)).await
    }
}

impl History {
    /// The newest row of documents and pins; row 0 where there is none.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn newest_pin(&self) -> Result<SourceId, HistoryError> {
        self.one("SELECT coalesce(max(id), 0) FROM sources", (), |row| row.get(0).map(SourceId)).await
    }
}

impl Whole<'_> {
    /// Every pin that hangs on no stored message.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn unstored_pins(self) -> Result<Vec<UnstoredPin>, HistoryError> {
        let unstored = "SELECT id, channel, coalesce(message, ''), at_ms FROM sources
            WHERE kind = 'pin' AND turn_id IS NULL ORDER BY id";
        let pin = |row: &Row<'_>| {
            let id = SourceId(row.get(0)?);
            Ok(UnstoredPin { id, channel: row.get(1)?, message: row.get(2)?, at_ms: row.get(3)? })
        };
        self.0.all(unstored, (), pin).await
    }

    /// What these pins say: to be looked for in records.
    pub async fn pinned_words(self, pins: BTreeSet<SourceId>) -> Result<Vec<String>, HistoryError> {
        self.0.read(move |tx| pin_words(tx, &pins)).await
    }
}

impl Seen<'_> {
    /// In which passages each of some words stands, as for [`Self::leaves_holding`]; and how many passages there are that may
    /// be seen, up to `most`.
    pub async fn passages_holding(
        self,
        words: Vec<Vec<String>>,
        most: usize,
    ) -> Result<(Vec<Vec<i64>>, usize), HistoryError> {
        let (audiences, seen) = (search::audience_marks(self.visible), rows::audience_pairs(self.visible));
        self.history.read(move |tx| {
            let held = words::newest_rows(tx, "source_words", &words, &audiences, most)?;
            let count = tx
                .prepare_cached(&format!(
                    "SELECT count(*) FROM (SELECT 1 FROM sources t JOIN source_passages p ON p.source_id = t.id
                         WHERE {} LIMIT ?2)",
                    is_seen("?1")
                ))?
                .query_row(params![seen, most as i64], |row| row.get::<_, i64>(0))?;
            Ok((held.into_iter().map(|held| held.rows).collect(), usize::try_from(count).unwrap_or_default()))
        })
        .await
    }

    /// Passages by the rows in which [`Self::passages_holding`] found them, each with its row, in the order of these.
    pub async fn passages(self, at: Vec<i64>) -> Result<Vec<(i64, SourcePassage)>, HistoryError> {
        let seen = rows::audience_pairs(self.visible);
        self.history
            .read(move |tx| {
                let mut one = tx.prepare_cached(&format!(
                    "SELECT {COLUMNS}, p.ordinal, p.heading, p.text
                     FROM source_passages p JOIN sources t ON t.id = p.source_id WHERE p.id = ?2 AND {}",
                    is_seen("?1")
                ))?;
                let found = at.iter().map(|at| {
                    let read = one.query_row(params![seen, at], |row| Ok((*at, source_passage(row)?)));
                    read.optional().transpose()
                });
                found.flatten().collect()
            })
            .await
    }

    /// The passages of one document or pin from `first` on, in order, at most so many.
    pub async fn passages_of(
        self,
        id: SourceId,
        first: u32,
        most: u32,
    ) -> Result<Vec<SourcePassage>, HistoryError> {
        let sql = format!(
            "SELECT {COLUMNS}, p.ordinal, p.heading, p.text
             FROM sources t JOIN source_passages p ON p.source_id = t.id
             WHERE t.id = ?2 AND p.ordinal >= ?3 AND {} ORDER BY p.ordinal LIMIT ?4",
            is_seen("?1")
        );
        let bound = (rows::audience_pairs(self.visible), id.0, first, most);
        self.history.all(sql, bound, source_passage).await
    }

    /// The documents that came with these messages, in order.
    pub async fn documents_of(self, turns: Vec<StoredId>) -> Result<Vec<SourceOf>, HistoryError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM sources t
             WHERE t.kind = 'document' AND t.turn_id IN (SELECT value FROM json_each(?2)) AND {} ORDER BY t.id",
            is_seen("?1")
        );
        let bound = (rows::audience_pairs(self.visible), rows::row_numbers(&turns));
        self.history.all(sql, bound, source_row).await
    }

    /// The documents and pins that may be seen, the newest first; those of one channel in front.
    pub async fn sources(self, here: &ChannelId, most: u32) -> Result<Vec<SourceOf>, HistoryError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM sources t WHERE {}
             ORDER BY t.channel <> ?2, t.at_ms DESC, t.id DESC LIMIT ?3",
            is_seen("?1")
        );
        let bound = (rows::audience_pairs(self.visible), here.to_string(), most);
        self.history.all(sql, bound, source_row).await
    }
}

fn begin_document(tx: &Transaction<'_>, new: &NewDocument) -> rusqlite::Result<Begun> {
    // In the line of a message brackets are round, so that nothing ends it.
    let name = new.name.replace('[', "(").replace(']', ")");
    let stands = tx
        .prepare_cached("SELECT channel FROM turns WHERE id = ?1 AND deleted_at_ms IS NULL")?
        .query_row([new.turn.0], |row| row.get::<_, String>(0))
        .optional()?;
    let Some(channel) = stands else { return Ok(Begun::Gone) };
    let is_known = tx
        .prepare_cached(
            "SELECT 1 FROM sources WHERE turn_id = ?1 AND kind = 'document' AND name = ?2 AND bytes = ?3",
        )?
        .exists(params![new.turn.0, name, to_sql(new.bytes)])?;
    if is_known {
        return Ok(Begun::Known);
    }
    let since = new.now.checked_sub(SignedDuration::from_hours(24)).unwrap_or(Timestamp::MIN);
    let lately: u32 = tx
        .prepare_cached(
            "SELECT count(*) FROM sources WHERE channel = ?1 AND kind = 'document' AND at_ms > ?2",
        )?
        .query_row(params![channel, since.as_millisecond()], |row| row.get(0))?;
    if lately >= DOCUMENTS_A_DAY {
        return Ok(Begun::TooMany);
    }
    let reading =
        KeptSource { name, bytes: to_sql(new.bytes), state: "reading".to_owned(), ..KeptSource::default() };
    put_sources(tx, new.turn.0, &[reading])?;
    let id = tx.last_insert_rowid();
    tx.prepare_cached(
        "DELETE FROM sources WHERE kind = 'document' AND id IN (
            SELECT id FROM sources WHERE channel = ?1 AND kind = 'document' ORDER BY at_ms DESC, id DESC LIMIT -1 OFFSET ?2)",
    )?
    .execute(params![channel, DOCUMENTS_KEPT])?;
    Ok(Begun::Reading(SourceId(id)))
}

fn put_passages(tx: &Transaction<'_>, source: i64, passages: &[NewPassage]) -> rusqlite::Result<()> {
    let mut put = tx.prepare_cached(
        "INSERT INTO source_passages (source_id, ordinal, heading, text, terms_of)
         SELECT id, ?2, ?3, ?4, audience_kind || ':' || audience_key FROM sources WHERE id = ?1",
    )?;
    for (ordinal, one) in (0_i64..).zip(passages) {
        put.execute(params![source, ordinal, one.heading, one.text])?;
    }
    Ok(())
}

fn pin_all(tx: &Transaction<'_>, place: &Place, pins: &[NewPin]) -> rusqlite::Result<bool> {
    let channel = place.channel.as_str();
    let mut known = BTreeSet::new();
    let has_any_gone;
    {
        let mut stands = tx.prepare_cached(
            "SELECT s.id, s.message, p.text FROM sources s LEFT JOIN source_passages p ON p.source_id = s.id
             WHERE s.channel = ?1 AND s.kind = 'pin'",
        )?;
        let mut rows = stands.query([channel])?;
        let mut gone = Vec::new();
        while let Some(row) = rows.next()? {
            let (id, message): (i64, Option<MessageId>) = (row.get(0)?, optional(row, 1)?);
            let text: Option<String> = row.get(2)?;
            let is_same =
                |pin: &&NewPin| Some(&pin.message) == message.as_ref() && Some(&pin.text) == text.as_ref();
            match pins.iter().find(is_same) {
                Some(pin) => drop(known.insert(pin.message.clone())),
                None => gone.push(id),
            }
        }
        has_any_gone = !gone.is_empty();
        let mut remove = tx.prepare_cached("DELETE FROM sources WHERE id = ?1")?;
        gone.into_iter().try_for_each(|id| remove.execute([id]).map(drop))?;
    }
    // What is forgotten of a channel is noted there, also where nothing was ever said.
    know_channel(tx, place)?;
    for pin in pins.iter().filter(|pin| !known.contains(&pin.message)) {
        put_pin(tx, place, pin)?;
    }
    Ok(has_any_gone)
}

fn put_pin(tx: &Transaction<'_>, place: &Place, pin: &NewPin) -> rusqlite::Result<()> {
    let (channel, message) = (place.channel.as_str(), pin.message.as_str());
    let is_unwanted = tx
        .prepare_cached(
            "SELECT 1 WHERE EXISTS (SELECT 1 FROM turn_messages WHERE channel = ?1 AND message = ?2
                                    AND deleted_at_ms IS NOT NULL)
                OR EXISTS (SELECT 1 FROM channels WHERE channel = ?1 AND forgotten_to >= CAST(?2 AS INTEGER)
                           AND NOT EXISTS (SELECT 1 FROM turn_messages WHERE channel = ?1 AND message = ?2))",
        )?
        .exists([channel, message])?;
    if is_unwanted {
        return Ok(());
    }
    let (audience_kind, audience_key) = audience_columns(&place.audience);
    tx.prepare_cached(
        "INSERT INTO sources (kind, channel, message, turn_id, audience_kind, audience_key, account, author, name, bytes,
            hash, at_ms, state, problem, left_out)
         SELECT 'pin', ?1, ?2, t.id, coalesce(t.audience_kind, ?3), coalesce(t.audience_key, ?4), ?5, ?6, '', ?7, '', ?8,
            'read', '', 0
         FROM (SELECT 1) LEFT JOIN turn_messages m ON m.channel = ?1 AND m.message = ?2 LEFT JOIN turns t ON t.id = m.turn_id",
    )?
    .execute(params![
        channel,
        message,
        audience_kind,
        audience_key,
        pin.author.account.to_string(),
        pin.author.label(),
        pin.text.len() as i64,
        pin.at.as_millisecond()
    ])?;
    let text = NewPassage { heading: String::new(), text: pin.text.clone() };
    put_passages(tx, tx.last_insert_rowid(), &[text])
}

/// Puts the documents of a turn where it stands.
pub(super) fn put_sources(tx: &Transaction<'_>, turn: i64, kept: &[KeptSource]) -> rusqlite::Result<()> {
    let mut put = tx.prepare_cached(
        "INSERT INTO sources (kind, channel, message, turn_id, audience_kind, audience_key, account, author, name, bytes,
            hash, at_ms, state, problem, left_out)
         SELECT 'document', channel,
            (SELECT message FROM turn_messages m WHERE m.turn_id = t.id ORDER BY part LIMIT 1), id, audience_kind,
            audience_key, author_account, coalesce(author_display, author_username), ?2, ?3, ?4, at_ms, ?5, ?6, ?7
         FROM turns t WHERE id = ?1 AND deleted_at_ms IS NULL",
    )?;
    for one in kept {
        let KeptSource { name, bytes, hash, state, problem, left_out, passages } = one;
        if put.execute(params![turn, name, bytes, hash, state, problem, left_out])? == 1 {
            put_passages(tx, tx.last_insert_rowid(), passages)?;
        }
    }
    Ok(())
}

/// A message was taken back: what of it was pinned, also where it was never stored.
pub(super) fn unpin(tx: &Transaction<'_>, channel: &ChannelId, message: &MessageId) -> rusqlite::Result<()> {
    tx.prepare_cached("DELETE FROM sources WHERE channel = ?1 AND message = ?2 AND kind = 'pin'")?
        .execute([channel.as_str(), message.as_str()])
        .map(drop)
}

/// The pins that a request covers and that hang on no stored message, which forgetting those takes along.
pub(super) fn unstored_pins(
    tx: &Transaction<'_>,
    said: &SaidWords,
    until: ForgetUntil,
) -> rusqlite::Result<BTreeSet<SourceId>> {
    let (of, channel) = match said {
        SaidWords::By(account) | SaidWords::With(account, _) => (Some(account.to_string()), None),
        SaidWords::In(channel) => (None, Some(channel.as_str())),
    };
    let mut all = tx.prepare_cached(
        "SELECT s.id, p.text FROM sources s JOIN source_passages p ON p.source_id = s.id
         WHERE s.kind = 'pin' AND s.turn_id IS NULL AND (s.at_ms <= ?3 OR s.id <= ?4)
           AND s.account = coalesce(?1, s.account) AND s.channel = coalesce(?2, s.channel)",
    )?;
    let mut rows = all.query(params![of, channel, until.at.as_millisecond(), until.newest_pin])?;
    let mut found = BTreeSet::new();
    while let Some(row) = rows.next()? {
        if said.holds(row.get_ref(1)?.as_str()?) {
            found.insert(SourceId(row.get(0)?));
        }
    }
    Ok(found)
}

pub(super) fn pin_words(tx: &Transaction<'_>, pins: &BTreeSet<SourceId>) -> rusqlite::Result<Vec<String>> {
    let mut words = tx.prepare_cached("SELECT text FROM source_passages WHERE source_id = ?1")?;
    let texts = pins.iter().map(|pin| words.query_map([pin.0], |row| row.get(0))?.collect());
    texts.collect::<rusqlite::Result<Vec<Vec<String>>>>().map(|texts| texts.concat())
}

/// Removes pins, which are not taken in again.
pub(super) fn forget_pins(tx: &Transaction<'_>, pins: &BTreeSet<SourceId>) -> rusqlite::Result<()> {
    let mut mark = tx.prepare_cached(
        "UPDATE channels SET forgotten_to = max(coalesce(forgotten_to, 0), CAST(s.message AS INTEGER))
         FROM (SELECT channel, message FROM sources WHERE id = ?1) AS s
         WHERE channels.channel = s.channel AND platform = 'discord'",
    )?;
    let mut remove = tx.prepare_cached("DELETE FROM sources WHERE id = ?1")?;
    for pin in pins {
        mark.execute([pin.0])?;
        remove.execute([pin.0])?;
    }
    Ok(())
}
