//! Who has spoken, and how two of them know each other, from what was said where the asker may hear it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::{Transaction, params};

use crate::domain::{AccountId, Author, ChannelId, Role};
use crate::sqlite::from_sql;

use super::rows;
use super::{History, HistoryError, Visible};

/// Most people whose names are known for looking somebody up.
const PEOPLE_MAX: u32 = 5_000;

/// How many of each one's newest turns are looked through.
const TURNS_LOOKED_THROUGH: u32 = 5_000;

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
    /// Everybody who ever spoke, with the names they had last. Only for finding out whom a name means: what they said
    /// is for those who could hear it.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn people(&self) -> Result<Vec<Author>, HistoryError> {
        let people = self.database.read(|tx| {
            // Jumps from account to account in the index, so that time grows with the people and not the turns.
            tx.prepare_cached(
                "WITH RECURSIVE one (account) AS (
                    SELECT min(author_account) FROM turns WHERE author_account IS NOT NULL
                    UNION ALL
                    SELECT (SELECT min(author_account) FROM turns WHERE author_account > one.account)
                    FROM one WHERE one.account IS NOT NULL LIMIT ?1)
                 SELECT t.author_account, t.author_username, t.author_display, t.author_is_bot FROM one
                 JOIN turns t ON t.id = (SELECT max(id) FROM turns WHERE author_account = one.account)",
            )?
            .query_map([PEOPLE_MAX], |row| {
                let is_bot = row.get(3)?;
                Ok(rows::author(row, 0)?.map(|author| Author { is_bot, ..author }))
            })?
            .filter_map(Result::transpose)
            .collect()
        });
        Ok(people.await?)
    }

    /// How `first` and `second` know each other, from the newest 5,000 turns of each that `visible` names. `None`
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
        let (first, second, visible) = (first.to_string(), second.to_string(), visible.as_json());
        let known = self.database.read(move |tx| {
            let mut spoke = spoken(tx, &first, &visible)?;
            let others = spoken(tx, &second, &visible)?;
            let first_answered = answers(tx, &first, &second, &visible)?;
            let second_answered = answers(tx, &second, &first, &visible)?;
            let mut places = Vec::new();
            for (channel, theirs) in others {
                if let Some(mine) = spoke.remove(&channel) {
                    places.push(shared_place(tx, channel, &mine, &theirs)?);
                }
            }
            places.sort_by(|a, b| b.exchanges.cmp(&a.exchanges).then_with(|| a.channel.cmp(&b.channel)));
            Ok((!places.is_empty()).then_some(Relation { places, first_answered, second_answered }))
        });
        Ok(known.await?)
    }
}

/// When somebody spoke, by channel, oldest first.
fn spoken(
    tx: &Transaction<'_>,
    account: &str,
    visible: &str,
) -> rusqlite::Result<BTreeMap<ChannelId, Vec<i64>>> {
    let mut statement = tx.prepare_cached(
        "SELECT channel, at_ms FROM turns
         WHERE author_account = ?1 AND deleted_at_ms IS NULL
            AND (audience_kind, audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?2))
         ORDER BY id DESC LIMIT ?3",
    )?;
    let mut found = statement.query(params![account, visible, TURNS_LOOKED_THROUGH])?;
    let mut by_channel: BTreeMap<ChannelId, Vec<i64>> = BTreeMap::new();
    while let Some(row) = found.next()? {
        by_channel.entry(rows::parsed(row, 0)?).or_default().push(row.get(1)?);
    }
    for times in by_channel.values_mut() {
        times.sort_unstable();
    }
    Ok(by_channel)
}

fn answers(tx: &Transaction<'_>, who: &str, whom: &str, visible: &str) -> rusqlite::Result<u64> {
    tx.prepare_cached(
        "SELECT count(*) FROM (
            SELECT t.channel, t.reply_to FROM turns t
            WHERE t.author_account = ?1 AND t.role = ?4 AND t.deleted_at_ms IS NULL
                AND (t.audience_kind, t.audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?3))
            ORDER BY t.id DESC LIMIT ?5) a
         JOIN turn_messages m ON m.channel = a.channel AND m.message = a.reply_to
         JOIN turns p ON p.id = m.turn_id
         WHERE p.author_account = ?2 AND p.deleted_at_ms IS NULL
            AND (p.audience_kind, p.audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?3))",
    )?
    .query_row(params![who, whom, visible, Role::User.as_str(), TURNS_LOOKED_THROUGH], |row| {
        row.get(0).map(from_sql)
    })
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
