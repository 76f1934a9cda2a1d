//! How well somebody is known, and what was said since a moment: what prompts tell about people without counting turns.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};

use crate::domain::{AccountId, Author, ChannelId, StoredId};
use crate::sqlite::from_sql;

use super::Visible;
use super::rows;
use super::{History, HistoryError};

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

/// Whose last word the counting begins at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Since {
    /// The familiar's own.
    Familiar,
    /// A person's.
    Person(AccountId),
}

impl History {
    /// How well an account is known, from what `visible` allows to see. `before` is the oldest message being answered;
    /// it and later ones do not count as the last time they spoke. Looks up two index entries an audience, whatever
    /// the age of the history; with `up_to`, the last row of a moment of the past, it counts that person's turns.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn acquaintance(
        &self,
        account: &AccountId,
        visible: &Visible,
        before: Option<StoredId>,
        up_to: Option<StoredId>,
    ) -> Result<Acquaintance, HistoryError> {
        let (account, visible) = (account.to_string(), rows::audiences(visible));
        let before = before.map_or(i64::MAX, |id| id.0);
        let known = self.database.read(move |tx| {
            let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, Option<i64>>(1)?));
            let (messages, first) = match up_to {
                None => tx.prepare_cached(ACQUAINTANCE)?.query_row(params![account, visible], read),
                Some(up_to) => {
                    tx.prepare_cached(ACQUAINTANCE_THEN)?.query_row(params![account, visible, up_to.0], read)
                }
            }?;
            let last: Option<i64> = tx
                .prepare_cached(LAST_SAID)?
                .query_row(params![account, visible, before], |row| row.get(0))?;
            Ok(Acquaintance { messages: from_sql(messages), first: moment(first), last: moment(last) })
        });
        Ok(known.await?)
    }

    /// Everybody who ever spoke, by every name they spoke under, in the order in which the names were first heard. Reads
    /// every message once.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn authors(&self) -> Result<Vec<Author>, HistoryError> {
        let authors = self.database.read(move |tx| {
            let mut statement = tx.prepare_cached(AUTHORS)?;
            let rows = statement.query_map([], |row| rows::author(row, 0))?;
            rows.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()
        });
        Ok(authors.await?)
    }

    /// What was said in a channel since somebody's last word there, without what is being answered, as far as `visible`
    /// allows to see it.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn missed(
        &self,
        channel: &ChannelId,
        since: Since,
        visible: &Visible,
        before: Option<StoredId>,
    ) -> Result<Missed, HistoryError> {
        let (channel, visible) = (channel.clone(), rows::audiences(visible));
        let before = before.map_or(i64::MAX, |id| id.0);
        let missed = self.database.read(move |tx| {
            let started = last_word(tx, &channel, &since, before)?;
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
                let Some(author) = rows::author(row, 0)? else { continue };
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
            Ok(Missed { since: moment(Some(at)), messages, speakers })
        });
        Ok(missed.await?)
    }
}

const AUTHORS: &str = "SELECT author_account, author_username, author_display FROM turns
    WHERE author_account IS NOT NULL GROUP BY 1, 2, 3 ORDER BY min(id)";

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

/// `?1` channel, `?2` account, `?3` the row before which to look. Looks through the channel's newest 2,000 messages.
const LAST_WORD_OF_PERSON: &str = "SELECT ordinal, at_ms FROM (
        SELECT t.ordinal, t.at_ms, t.author_account FROM turns t
        WHERE t.channel = ?1 AND t.role = 'user' AND t.deleted_at_ms IS NULL AND t.id < ?3
        ORDER BY t.ordinal DESC LIMIT 2000)
    WHERE author_account = ?2 ORDER BY ordinal DESC LIMIT 1";

const LAST_WORD_OF_FAMILIAR: &str = "SELECT t.ordinal, t.at_ms FROM turns t
    WHERE t.channel = ?1 AND t.role = 'assistant' AND t.deleted_at_ms IS NULL AND t.id < ?2
    ORDER BY t.ordinal DESC LIMIT 1";

fn last_word(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    of: &Since,
    before: i64,
) -> rusqlite::Result<Option<(i64, i64)>> {
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    match of {
        Since::Familiar => tx
            .prepare_cached(LAST_WORD_OF_FAMILIAR)?
            .query_row(params![channel.as_str(), before], read)
            .optional(),
        Since::Person(account) => tx
            .prepare_cached(LAST_WORD_OF_PERSON)?
            .query_row(params![channel.as_str(), account.to_string(), before], read)
            .optional(),
    }
}

fn moment(ms: Option<i64>) -> Option<Timestamp> {
    Timestamp::from_millisecond(ms?).ok()
}
