//! Who has spoken, and how well they are known, from what was said where the asker may hear it.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use serde::Serialize;

use super::rows::{self, TURN_COLUMNS, TURN_JOINS, is_seen};
use super::{HistoryError, Seen, Whole};
use crate::domain::{AccountId, Audience, Author, ChannelId, StoredId, StoredTurn, TokenEncoding};
use crate::sqlite::from_sql;

/// Where counting what was missed stops.
const MISSED_MAX: u32 = 1_000;

/// Who is named of those who spoke.
const SPEAKERS_MAX: usize = 8;

/// What is known of somebody from what may be seen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Acquaintance {
    /// Messages of theirs that still stand.
    pub messages: u64,
    /// When they first spoke.
    pub first: Option<Timestamp>,
    /// When they last spoke, before what is being answered.
    pub last: Option<Timestamp>,
}

/// What was said in a channel since a moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Missed {
    /// The moment: a turn of whoever missed the rest. `None` when they never spoke here.
    pub since: Option<Timestamp>,
    /// Messages by others, counted up to 1,000.
    pub messages: u64,
    /// Who wrote them and how many, most first, at most eight.
    pub speakers: Vec<(String, u64)>,
}

/// When the familiar last answered in a channel, as far as it may be seen. What it said because a reminder was due answers
/// nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Answered {
    /// Anybody, or spoke by itself.
    pub anybody: Option<Timestamp>,
    /// The person who was asked about, right behind what they said.
    pub them: Option<Timestamp>,
}

/// A message as whoever wrote it is handed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OwnTurn {
    pub at: Timestamp,
    /// Its channel's id.
    pub channel: String,
    /// Its server's id, where it was said in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Typed or spoken.
    pub modality: String,
    pub words: String,
    /// Files that came with it and were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<OwnFile>,
}

/// What is kept of a file of theirs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OwnFile {
    pub name: String,
    /// Empty where there was no room for them.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub words: String,
    /// There was no room for its words: whoever runs the program has them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub left_out: bool,
}

/// What somebody is handed of what they said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnTurns {
    /// The newest first.
    pub turns: Vec<OwnTurn>,
    /// No message of theirs is missing.
    pub is_all: bool,
}

/// Bytes that a message or a file takes in a copy beside its own line: what sets its fields apart.
const INDENTED: usize = 100;

impl Whole<'_> {
    /// What an account said itself, wherever it was, the newest first, at most so many, and as far as it fits into so many
    /// bytes of JSON. Files come after all messages: one that finds no room is named, and its words are not read. It is for
    /// nobody but them.
    pub async fn own_turns(
        self,
        account: &AccountId,
        most: u32,
        bytes: usize,
    ) -> Result<OwnTurns, HistoryError> {
        let account = account.to_string();
        self.0.read(move |tx| own_turns(tx, &account, most, bytes)).await
    }
}

fn own_turns(tx: &Transaction<'_>, account: &str, most: u32, bytes: usize) -> rusqlite::Result<OwnTurns> {
    let (mut own, mut left, mut kept) = (OwnTurns { turns: Vec::new(), is_all: true }, bytes, Vec::new());
    let mut statement = tx.prepare_cached(OWN_TURNS)?;
    let mut rows = statement.query(params![account, i64::from(most) + 1])?;
    while let Some(row) = rows.next()? {
        let files = own_files(tx, row.get(0)?)?;
        let turn = OwnTurn {
            at: rows::millis_column(row, 1)?,
            channel: row.get(2)?,
            server: row.get(3)?,
            modality: row.get(4)?,
            words: row.get(5)?,
            files: files.iter().map(|file| file.named.clone()).collect(),
        };
        let takes = in_json(&turn) + INDENTED * (1 + files.len());
        if takes > left || own.turns.len() >= most as usize {
            own.is_all = false;
            break;
        }
        left -= takes;
        kept.push(files);
        own.turns.push(turn);
    }
    for (turn, files) in own.turns.iter_mut().zip(kept) {
        for (shown, file) in turn.files.iter_mut().zip(files) {
            if file.bytes > left {
                continue;
            }
            let words = words_of_file(tx, file.source)?;
            if let Some(rest) = left.checked_sub(in_json(&words)) {
                left = rest;
                *shown = OwnFile { words, left_out: false, ..file.named };
            }
        }
    }
    Ok(own)
}

/// A file whose words are still to be read.
struct Kept {
    named: OwnFile,
    source: i64,
    /// What its words take at least.
    bytes: usize,
}

fn own_files(tx: &Transaction<'_>, turn: i64) -> rusqlite::Result<Vec<Kept>> {
    tx.prepare_cached(OWN_FILES)?
        .query_map([turn], |row| {
            let named = OwnFile { name: row.get(1)?, words: String::new(), left_out: true };
            let bytes = usize::try_from(row.get::<_, i64>(2)?).unwrap_or(usize::MAX);
            Ok(Kept { named, source: row.get(0)?, bytes })
        })?
        .collect()
}

fn words_of_file(tx: &Transaction<'_>, source: i64) -> rusqlite::Result<String> {
    let mut statement = tx.prepare_cached(WORDS_OF_FILE)?;
    let passages = statement.query_map([source], |row| row.get(0))?;
    Ok(passages.collect::<rusqlite::Result<Vec<String>>>()?.join("\n"))
}

fn in_json(what: &impl Serialize) -> usize {
    serde_json::to_string(what).map_or(0, |line| line.len())
}

/// What stands of somebody's turns.
const OWN_TURNS: &str = "SELECT id, at_ms, channel, guild, modality, content FROM turns
    WHERE author_account = ?1 AND deleted_at_ms IS NULL AND role = 'user' ORDER BY id DESC LIMIT ?2";

/// The files of a turn that were read, with how many bytes their words are.
const OWN_FILES: &str = "SELECT d.id, d.name,
        (SELECT coalesce(sum(length(CAST(text AS BLOB))), 0) FROM source_passages WHERE source_id = d.id)
    FROM sources d WHERE d.turn_id = ?1 AND d.kind = 'document' AND d.state = 'read' ORDER BY d.id";

const WORDS_OF_FILE: &str = "SELECT text FROM source_passages WHERE source_id = ?1 ORDER BY ordinal";

/// Whose last word the counting begins at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Since {
    Familiar,
    Person(AccountId),
}

impl Seen<'_> {
    /// How well an account is known, from what `visible` allows to see. `before` is the oldest message being answered;
    /// it and later ones do not count as the last time they spoke. Looks up two index entries an audience, whatever
    /// the age of the history; with `up_to`, the last row of a moment of the past, it counts that person's turns.
    pub async fn acquaintance(
        self,
        account: &AccountId,
        before: Option<StoredId>,
        up_to: Option<StoredId>,
    ) -> Result<Acquaintance, HistoryError> {
        let (account, visible) = (account.to_string(), rows::audience_pairs(self.visible));
        let before = before.map_or(i64::MAX, |id| id.0);
        self.history
            .read(move |tx| {
                let read = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, Option<i64>>(1)?));
                let (messages, first) = match up_to {
                    None => tx.prepare_cached(ACQUAINTANCE)?.query_row(params![account, visible], read),
                    Some(up_to) => tx
                        .prepare_cached(ACQUAINTANCE_THEN)?
                        .query_row(params![account, visible, up_to.0], read),
                }?;
                let last: Option<i64> = tx
                    .prepare_cached(LAST_SAID)?
                    .query_row(params![account, visible, before], |row| row.get(0))?;
                Ok(Acquaintance {
                    messages: from_sql(messages),
                    first: from_millis(first),
                    last: from_millis(last),
                })
            })
            .await
    }
}

/// Moments of one person that are looked back upon at most, among the newest 20,000 messages of everybody.
const MOMENTS: u32 = 200;
const NEWEST: i64 = 20_000;

impl Seen<'_> {
    /// When somebody spoke, up to a row and with it, the oldest first; the newest 200 moments.
    pub async fn spoke_at(
        self,
        account: &AccountId,
        up_to: StoredId,
    ) -> Result<Vec<Timestamp>, HistoryError> {
        let bound = (account.to_string(), rows::audience_pairs(self.visible), up_to.0, NEWEST, MOMENTS);
        let mut moments = self.history.all(SPOKE_AT, bound, |row| rows::millis_column(row, 0)).await?;
        moments.reverse();
        Ok(moments)
    }

    /// When the familiar last answered somebody before each audience, right behind what they said up to a row.
    pub async fn answered_at(
        self,
        account: &AccountId,
        up_to: StoredId,
    ) -> Result<Vec<(Audience, Timestamp)>, HistoryError> {
        let bound = (account.to_string(), rows::audience_pairs(self.visible), up_to.0, NEWEST, MOMENTS);
        let answered = |row: &Row<'_>| Ok((rows::audience_at(row, 0)?, rows::millis_column(row, 2)?));
        self.history.all(ANSWERED_AT, bound, answered).await
    }

    /// When the familiar last answered in a channel, and there this person, before a row. For the person the newest 1,000
    /// messages are looked through.
    pub async fn answered_here(
        self,
        channel: &ChannelId,
        account: Option<&AccountId>,
        before: Option<StoredId>,
    ) -> Result<Answered, HistoryError> {
        let bound = (
            channel.to_string(),
            account.map(ToString::to_string),
            before.map_or(i64::MAX, |id| id.0),
            rows::audience_pairs(self.visible),
        );
        let answered = |row: &Row<'_>| {
            Ok(Answered { anybody: from_millis(row.get(0)?), them: from_millis(row.get(1)?) })
        };
        self.history.one(ANSWERED_HERE, bound, answered).await
    }

    /// What somebody said from a moment on up to a row and with it, the oldest first; the newest 200 messages.
    pub async fn said_by(
        self,
        account: &AccountId,
        from: Timestamp,
        up_to: StoredId,
        encoding: TokenEncoding,
    ) -> Result<Vec<StoredTurn>, HistoryError> {
        let sql = format!(
            "SELECT {TURN_COLUMNS} FROM turns t {TURN_JOINS}
             WHERE t.author_account = ?2 AND t.deleted_at_ms IS NULL AND t.role = 'user' AND t.at_ms >= ?4
             AND t.id <= ?5 AND t.id > ?5 - {NEWEST} AND {} ORDER BY t.id DESC LIMIT {MOMENTS}",
            is_seen("?3")
        );
        let visible = rows::audience_pairs(self.visible);
        let bound = (encoding.as_str(), account.to_string(), visible, from.as_millisecond(), up_to.0);
        let mut turns =
            self.with_tokens(self.history.all(sql, bound, rows::stored_turn).await?, encoding).await?;
        turns.reverse();
        Ok(turns)
    }
}

/// `?1` account, `?2` audiences as JSON, `?3` the row up to which, `?4` how many rows back, `?5` how many.
pub(super) const SPOKE_AT: &str = "SELECT t.at_ms FROM json_each(?2) v CROSS JOIN turns t
    WHERE t.author_account = ?1 AND t.audience_kind = v.value ->> 0 AND t.audience_key = v.value ->> 1
      AND t.deleted_at_ms IS NULL AND t.role = 'user' AND t.id <= ?3 AND t.id > ?3 - ?4
    ORDER BY t.id DESC LIMIT ?5";

/// The same parameters. One message of somebody else's may stand between.
const ANSWERED_AT: &str = "SELECT u.audience_kind, u.audience_key, max((SELECT r.at_ms FROM turns r
      WHERE r.channel = u.channel AND r.role = 'assistant' AND r.deleted_at_ms IS NULL
        AND r.ordinal BETWEEN u.ordinal + 1 AND u.ordinal + 2
      ORDER BY r.ordinal LIMIT 1)) answered
    FROM (SELECT t.channel, t.ordinal, t.audience_kind, t.audience_key FROM json_each(?2) v CROSS JOIN turns t
      WHERE t.author_account = ?1 AND t.audience_kind = v.value ->> 0 AND t.audience_key = v.value ->> 1
        AND t.deleted_at_ms IS NULL AND t.role = 'user' AND t.id <= ?3 AND t.id > ?3 - ?4
      ORDER BY t.id DESC LIMIT ?5) u
    GROUP BY 1, 2 HAVING answered IS NOT NULL";

/// `?1` channel, `?2` account, `?3` the row before which to look, `?4` audiences as JSON.
const ANSWERED_HERE: &str = "SELECT
    (SELECT t.at_ms FROM turns t
      WHERE t.channel = ?1 AND t.role = 'assistant' AND t.deleted_at_ms IS NULL AND t.id < ?3
        AND (t.audience_kind, t.audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?4))
        AND NOT EXISTS (SELECT 1 FROM reminded m WHERE m.turn_id = t.id)
      ORDER BY t.ordinal DESC LIMIT 1),
    (SELECT t.at_ms FROM turns t
      WHERE t.channel = ?1 AND t.role = 'assistant' AND t.deleted_at_ms IS NULL AND t.id < ?3
        AND t.ordinal > (SELECT max(n.ordinal) FROM turns n WHERE n.channel = ?1) - 1000
        AND (t.audience_kind, t.audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?4))
        AND NOT EXISTS (SELECT 1 FROM reminded m WHERE m.turn_id = t.id)
        AND EXISTS (SELECT 1 FROM turns u
          WHERE u.channel = ?1 AND u.ordinal = t.ordinal - 1 AND u.author_account = ?2)
      ORDER BY t.ordinal DESC LIMIT 1)";

impl Whole<'_> {
    /// Everybody who ever spoke, by every name they spoke under, in the order in which the names were first heard. Reads
    /// every message once.
    pub async fn authors(self) -> Result<Vec<Author>, HistoryError> {
        let authors = self.0.all(AUTHORS, (), |row| rows::author_columns(row, 0)).await?;
        Ok(authors.into_iter().flatten().collect())
    }

    /// An account, as it last spoke; `None` where nothing of it stands. Reads what it said itself.
    pub async fn author(self, account: &AccountId) -> Result<Option<Author>, HistoryError> {
        let found = self.0.all(AUTHOR, [account.to_string()], |row| rows::author_columns(row, 0)).await?;
        Ok(found.into_iter().flatten().next())
    }
}

impl Seen<'_> {
    /// What was said in a channel since somebody's last word there, without what is being answered.
    pub async fn missed(
        self,
        channel: &ChannelId,
        since: Since,
        before: Option<StoredId>,
    ) -> Result<Missed, HistoryError> {
        let (channel, visible) = (channel.clone(), rows::audience_pairs(self.visible));
        let before = before.map_or(i64::MAX, |id| id.0);
        self.history
            .read(move |tx| {
                let started = last_word(tx, &channel, &since, before, &visible)?;
                let Some((ordinal, at)) = started else { return Ok(Missed::default()) };
                let own = match &since {
                    Since::Familiar => String::new(),
                    Since::Person(account) => account.to_string(),
                };
                let mut statement = tx.prepare_cached(MISSED)?;
                let mut rows =
                    statement.query(params![channel.as_str(), ordinal, before, own, MISSED_MAX, visible])?;
                let mut people: Vec<(Author, u64)> = Vec::new();
                while let Some(row) = rows.next()? {
                    let Some(author) = rows::author_columns(row, 0)? else { continue };
                    match people.iter_mut().find(|(known, _)| known.account == author.account) {
                        Some((_, count)) => *count += 1,
                        None => people.push((author, 1)),
                    }
                }
                let messages = people.iter().map(|(_, count)| count).sum();
                people.sort_by(|(a, most), (b, more)| more.cmp(most).then_with(|| a.label().cmp(b.label())));
                people.truncate(SPEAKERS_MAX);
                let speakers =
                    people.into_iter().map(|(author, count)| (author.label().to_owned(), count)).collect();
                Ok(Missed { since: from_millis(Some(at)), messages, speakers })
            })
            .await
    }
}

const AUTHORS: &str = "SELECT author_account, author_username, author_display FROM turns
    WHERE author_account IS NOT NULL GROUP BY 1, 2, 3 ORDER BY min(id)";

const AUTHOR: &str = "SELECT author_account, author_username, author_display FROM turns
    WHERE author_account = ?1 AND deleted_at_ms IS NULL AND role = 'user' ORDER BY id DESC LIMIT 1";

/// `?1` account, `?2` audiences as JSON.
pub(super) const ACQUAINTANCE: &str = "SELECT coalesce(sum(a.messages), 0), min(a.first_at_ms)
    FROM json_each(?2) v CROSS JOIN acquaintances a
    WHERE a.account = ?1 AND a.audience_kind = v.value ->> 0 AND a.audience_key = v.value ->> 1";

/// `?1` account, `?2` audiences as JSON, `?3` the last row that was there.
const ACQUAINTANCE_THEN: &str = "SELECT count(*), min(t.at_ms)
    FROM json_each(?2) v CROSS JOIN turns t
    WHERE t.author_account = ?1 AND t.audience_kind = v.value ->> 0 AND t.audience_key = v.value ->> 1
      AND t.deleted_at_ms IS NULL AND t.role = 'user' AND t.id <= ?3";

/// `?1` account, `?2` audiences as JSON, `?3` the row before which to look.
pub(super) const LAST_SAID: &str = "SELECT max((SELECT t.at_ms FROM turns t
        WHERE t.author_account = ?1 AND t.audience_kind = v.value ->> 0 AND t.audience_key = v.value ->> 1
          AND t.deleted_at_ms IS NULL AND t.role = 'user' AND t.id < ?3
        ORDER BY t.id DESC LIMIT 1))
    FROM json_each(?2) v";

/// `?1` channel, `?2` the ordinal after which to look, `?3` the row before which, `?4` whose own words do not count.
/// Newest first, so that the names are the newest ones.
pub(super) const MISSED: &str = "SELECT t.author_account, t.author_username, t.author_display FROM turns t
    WHERE t.channel = ?1 AND t.role = 'user' AND t.ordinal > ?2 AND t.deleted_at_ms IS NULL AND t.id < ?3
      AND t.author_account IS NOT ?4
      AND (t.audience_kind, t.audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?6))
    ORDER BY t.ordinal DESC LIMIT ?5";

/// `?1` channel, `?2` account, `?3` the row before which to look, `?4` audiences as JSON. Looks through the channel's
/// newest 2,000 messages.
const LAST_WORD_OF_PERSON: &str = "SELECT ordinal, at_ms FROM (
        SELECT t.ordinal, t.at_ms, t.author_account FROM turns t
        WHERE t.channel = ?1 AND t.role = 'user' AND t.deleted_at_ms IS NULL AND t.id < ?3
          AND (t.audience_kind, t.audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?4))
        ORDER BY t.ordinal DESC LIMIT 2000)
    WHERE author_account = ?2 ORDER BY ordinal DESC LIMIT 1";

const LAST_WORD_OF_FAMILIAR: &str = "SELECT t.ordinal, t.at_ms FROM turns t
    WHERE t.channel = ?1 AND t.role = 'assistant' AND t.deleted_at_ms IS NULL AND t.id < ?2
      AND (t.audience_kind, t.audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?3))
    ORDER BY t.ordinal DESC LIMIT 1";

fn last_word(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    of: &Since,
    before: i64,
    visible: &str,
) -> rusqlite::Result<Option<(i64, i64)>> {
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    match of {
        Since::Familiar => tx
            .prepare_cached(LAST_WORD_OF_FAMILIAR)?
            .query_row(params![channel.as_str(), before, visible], read)
            .optional(),
        Since::Person(account) => tx
            .prepare_cached(LAST_WORD_OF_PERSON)?
            .query_row(params![channel.as_str(), account.to_string(), before, visible], read)
            .optional(),
    }
}

fn from_millis(ms: Option<i64>) -> Option<Timestamp> {
    Timestamp::from_millisecond(ms?).ok()
}

/// Most people whose names are known for looking somebody up.
const PEOPLE_MAX: u32 = 5_000;

impl Seen<'_> {
    /// Everybody who spoke, with the names they had there last: by what name somebody goes in another server is that
    /// server's.
    pub async fn people(self) -> Result<Vec<Author>, HistoryError> {
        let bound = (PEOPLE_MAX, rows::audience_pairs(self.visible));
        let author = |row: &Row<'_>| {
            let is_bot = row.get(3)?;
            Ok(rows::author_columns(row, 0)?.map(|author| Author { is_bot, ..author }))
        };
        Ok(self.history.all(PEOPLE, bound, author).await?.into_iter().flatten().collect())
    }
}

/// `?1` how many at most, `?2` audiences as JSON. Everybody stands in `acquaintances` once an audience, so that time grows
/// with the people and not the turns.
pub(super) const PEOPLE: &str = "WITH one (account) AS (
        SELECT DISTINCT account FROM acquaintances
        WHERE (audience_kind, audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?2)) LIMIT ?1)
    SELECT t.author_account, t.author_username, t.author_display, t.author_is_bot FROM one
    JOIN turns t ON t.id = (
        SELECT max((SELECT max(s.id) FROM turns s
            WHERE s.author_account = one.account AND s.audience_kind = v.value ->> 0
              AND s.audience_key = v.value ->> 1 AND s.deleted_at_ms IS NULL AND s.role = 'user'))
        FROM json_each(?2) v)";
