//! Who has spoken, and how two of them know each other, from what was said where the asker may hear it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};

use crate::domain::{AccountId, Author, ChannelId};

use super::rows;
use super::{History, HistoryError, Visible};

/// Most people whose names are known for looking somebody up.
const PEOPLE_MAX: u32 = 5_000;

/// How many of each one's newest turns are looked through.
const TURNS_LOOKED_THROUGH: u32 = 2_000;

/// How soon after the other one has to speak to be talking with them.
const TOGETHER_WITHIN_MS: i64 = 10 * 60 * 1000;

/// How two people know each other, as far as visible turns tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    /// Every channel both spoke in, the one they met in most first.
    pub places: Vec<SharedPlace>,
    /// How often the first answered the second, by the platform's own reply.
    pub first_answered: u64,
    /// How often the second answered the first.
    pub second_answered: u64,
}

/// A channel in which both spoke.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedPlace {
    /// The channel.
    pub channel: ChannelId,
    /// Its name for people.
    pub name: Option<String>,
    /// How often one spoke right after the other.
    pub exchanges: u64,
    /// When they first and last did; `None` when both were only ever there at different times.
    pub together: Option<(Timestamp, Timestamp)>,
}

impl History {
    /// Everybody who spoke where `visible` reaches, with the names they had there last: by what name somebody goes in
    /// another server is that server's.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn people(&self, visible: &Visible) -> Result<Vec<Author>, HistoryError> {
        let visible = rows::audiences(visible);
        let people = self.database.read(move |tx| {
            // Jumps from account to account in the index, so that time grows with the people and not the turns.
            tx.prepare_cached(
                "WITH RECURSIVE one (account) AS (
                    SELECT min(author_account) FROM turns WHERE author_account IS NOT NULL
                    UNION ALL
                    SELECT (SELECT min(author_account) FROM turns WHERE author_account > one.account)
                    FROM one WHERE one.account IS NOT NULL LIMIT ?1)
                 SELECT t.author_account, t.author_username, t.author_display, t.author_is_bot FROM one
                 JOIN turns t ON t.id = (
                     SELECT max(id) FROM turns WHERE author_account = one.account
                       AND (audience_kind, audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?2)))",
            )?
            .query_map(params![PEOPLE_MAX, visible], |row| {
                let is_bot = row.get(3)?;
                Ok(rows::author(row, 0)?.map(|author| Author { is_bot, ..author }))
            })?
            .filter_map(Result::transpose)
            .collect()
        });
        Ok(people.await?)
    }

    /// How `first` and `second` know each other, from the newest 2,000 turns of each that `visible` names. `None`
    /// when nothing visible brings them together.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn relation(
        &self,
        first: &AccountId,
        second: &AccountId,
        visible: &Visible,
    ) -> Result<Option<Relation>, HistoryError> {
        let (first, second, visible) = (first.to_string(), second.to_string(), visible.clone());
        let known = self.database.read(move |tx| {
            let mine = spoken(tx, &first, &visible)?;
            let theirs = spoken(tx, &second, &visible)?;
            let first_answered = answers(tx, &mine, &second, &visible)?;
            let second_answered = answers(tx, &theirs, &first, &visible)?;
            let (mut spoke, others) = (by_channel(mine), by_channel(theirs));
            let mut places = Vec::new();
            for (channel, theirs) in others {
                if let Some(mine) = spoke.remove(&channel) {
                    let channel = channel.parse().map_err(|_| rows::unreadable(1))?;
                    places.push(shared_place(tx, channel, &mine, &theirs)?);
                }
            }
            places.sort_by(|a, b| b.exchanges.cmp(&a.exchanges).then_with(|| a.channel.cmp(&b.channel)));
            Ok((!places.is_empty()).then_some(Relation { places, first_answered, second_answered }))
        });
        Ok(known.await?)
    }
}

/// A turn, without its words.
struct Spoken {
    id: i64,
    channel: String,
    at_ms: i64,
    answers: Option<String>,
}

/// Everything of a person's turns that is wanted here stands in the index.
pub(super) const SPOKEN: &str = "SELECT id, channel, at_ms, reply_to FROM turns
    WHERE author_account = ?1 AND audience_kind = ?2 AND audience_key = ?3
      AND deleted_at_ms IS NULL AND role = 'user'
    ORDER BY id DESC LIMIT ?4";

/// Somebody's newest turns of those that may be seen.
fn spoken(tx: &Transaction<'_>, account: &str, visible: &Visible) -> rusqlite::Result<Vec<Spoken>> {
    let mut statement = tx.prepare_cached(SPOKEN)?;
    let mut spoken: Vec<Spoken> = Vec::new();
    for (kind, key) in visible.audiences().map(rows::audience_columns) {
        let mut found = statement.query(params![account, kind, key, TURNS_LOOKED_THROUGH])?;
        while let Some(row) = found.next()? {
            spoken.push(Spoken {
                id: row.get(0)?,
                channel: row.get(1)?,
                at_ms: row.get(2)?,
                answers: row.get(3)?,
            });
        }
    }
    spoken.sort_unstable_by_key(|one| std::cmp::Reverse(one.id));
    spoken.truncate(TURNS_LOOKED_THROUGH as usize);
    Ok(spoken)
}

/// When they spoke, by channel, oldest first.
fn by_channel(spoken: Vec<Spoken>) -> BTreeMap<String, Vec<i64>> {
    let mut by_channel: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for Spoken { channel, at_ms, .. } in spoken {
        by_channel.entry(channel).or_default().push(at_ms);
    }
    by_channel.values_mut().for_each(|times| times.sort_unstable());
    by_channel
}

/// How many of `spoken` answer `whom`, one look-up each: joined, SQLite would read both tables from end to end first.
fn answers(tx: &Transaction<'_>, spoken: &[Spoken], whom: &str, visible: &Visible) -> rusqlite::Result<u64> {
    let mut answered = tx.prepare_cached(
        "SELECT p.audience_kind, p.audience_key FROM turn_messages m JOIN turns p ON p.id = m.turn_id
         WHERE m.channel = ?1 AND m.message = ?2 AND p.author_account = ?3 AND p.deleted_at_ms IS NULL",
    )?;
    let mut count = 0;
    for one in spoken {
        let Some(message) = &one.answers else { continue };
        let audience = answered
            .query_row(params![one.channel, message, whom], |row| rows::audience_at(row, 0))
            .optional()?;
        count += u64::from(audience.is_some_and(|audience| visible.includes(&audience)));
    }
    Ok(count)
}

fn shared_place(
    tx: &Transaction<'_>,
    channel: ChannelId,
    mine: &[i64],
    theirs: &[i64],
) -> rusqlite::Result<SharedPlace> {
    let mut both: Vec<(i64, bool)> =
        mine.iter().map(|at| (*at, true)).chain(theirs.iter().map(|at| (*at, false))).collect();
    both.sort_unstable();
    let met: Vec<i64> = both
        .windows(2)
        .filter_map(|pair| match pair {
            [(before, a), (after, b)] if a != b && after - before <= TOGETHER_WITHIN_MS => Some(*after),
            _ => None,
        })
        .collect();
    let moment = |ms: Option<&i64>| ms.and_then(|ms| Timestamp::from_millisecond(*ms).ok());
    let name = tx
        .prepare_cached("SELECT name FROM channels WHERE channel = ?1")?
        .query_row([channel.as_str()], |row| row.get(0))?;
    Ok(SharedPlace {
        channel,
        name,
        exchanges: met.len() as u64,
        together: moment(met.first()).zip(moment(met.last())),
    })
}
