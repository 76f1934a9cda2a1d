//! Reminders, timers and open loops: what somebody asked to be told again, kept until it has been said.
//!
//! Owns the rows, how many there may be, and how far the saying of one has come, so that a program that is killed at any
//! moment says each once. Must not know clocks, words or who says it. Start reading at [`History::remind`].

use std::collections::BTreeSet;

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use super::rows::{
    self, audience_columns, from_json, is_seen, millis_column, optional, parse_column, to_json,
};
use super::{History, HistoryError, Seen, Whole};
use crate::domain::{
    AccountId, Author, ChannelId, GuildId, Place, Recurrence, ReminderId, ReminderKind, StoredId, TurnId,
    Visible,
};
use crate::sqlite::{from_sql, to_sql};
use crate::text::echo::Echoes;

/// Open reminders, timers and loops of one person.
pub const REMINDERS_OF_ONE: u32 = 50;

/// What one person who does not manage a channel has announced to everybody in it, so that nobody's announcements crowd out
/// those of others.
pub const RITUALS_OF_ONE: u32 = 2;

/// Those of one server, so that nobody fills the room of all others.
pub const REMINDERS_OF_SERVER: u32 = 200;

/// Those of everybody.
pub const REMINDERS_MAX: u32 = 1_000;

/// Characters of what somebody is reminded of.
pub const REMINDER_CHARS: usize = 500;

#[derive(Debug, Clone, PartialEq)]
pub struct NewReminder {
    pub kind: ReminderKind,
    pub asker: Author,
    pub place: Place,
    /// What it is about, in the words of whoever asked; at most [`REMINDER_CHARS`] characters.
    pub words: String,
    /// None for an open loop.
    pub due: Option<Timestamp>,
    /// The name of the time zone it was asked in.
    pub zone: String,
    pub recurrence: Option<Recurrence>,
    pub made: Timestamp,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Reminder {
    pub id: ReminderId,
    pub what: NewReminder,
    /// When it was last said.
    pub fired: Option<Timestamp>,
    /// The turn that is to say it, or was when the program ended.
    pub turn: Option<TurnId>,
    /// What that turn said is stored.
    pub is_said: bool,
    /// How often it could not be said.
    pub tries: u32,
}

/// Why nothing more is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRoom {
    /// This person has as many open as one may have.
    OfTheirs,
    /// This person has as many announced in this channel as one may have.
    OfTheirRituals,
    OfTheServer,
    ForAnybody,
}

/// Whose reminders somebody may see and take back besides their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlsoOf<'a> {
    Nobody,
    /// What is for everybody in a channel in which they are.
    Place(&'a ChannelId),
    /// Everybody's of a channel that they manage.
    Managed(&'a ChannelId),
}

impl AlsoOf<'_> {
    /// The channel, and the kind that counts there where not all do.
    fn columns(self) -> (Option<String>, Option<&'static str>) {
        match self {
            Self::Nobody => (None, None),
            Self::Place(channel) => (Some(channel.to_string()), Some(ReminderKind::Ritual.as_str())),
            Self::Managed(channel) => (Some(channel.to_string()), None),
        }
    }
}

/// A reminder as it is written down outside of the database: who asked, when it was made, and its columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptReminder {
    pub kind: String,
    pub account: String,
    pub asker: String,
    pub channel: String,
    pub place: String,
    /// Before whom it was asked: kind and key.
    pub audience: (String, String),
    pub words: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at_ms: Option<i64>,
    pub zone: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<String>,
    pub made_at_ms: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fired_at_ms: Option<i64>,
}

const COLUMNS: &str =
    "t.id, t.kind, t.asker, t.place, t.words, t.due_at_ms, t.zone, t.recurrence, t.made_at_ms,
    t.fired_at_ms, t.turn, t.said_at_ms IS NOT NULL, t.tries";

fn reminder(row: &Row<'_>) -> rusqlite::Result<Reminder> {
    let millis =
        |column: usize| row.get::<_, Option<i64>>(column)?.map(|_| millis_column(row, column)).transpose();
    Ok(Reminder {
        id: ReminderId(row.get(0)?),
        what: NewReminder {
            kind: parse_column(row, 1)?,
            asker: from_json(row, 2)?,
            place: from_json(row, 3)?,
            words: row.get(4)?,
            due: millis(5)?,
            zone: row.get(6)?,
            recurrence: optional(row, 7)?,
            made: millis_column(row, 8)?,
        },
        fired: millis(9)?,
        turn: row.get::<_, Option<i64>>(10)?.map(|turn| TurnId(from_sql(turn))),
        is_said: row.get(11)?,
        tries: row.get(12)?,
    })
}

impl History {
    /// Keeps one; its number, or why there is no room.
    pub async fn remind(&self, new: NewReminder) -> Result<Result<ReminderId, NoRoom>, HistoryError> {
        self.remind_within(new, RITUALS_OF_ONE).await
    }

    /// The same for whoever manages the channel it is for: nobody's announcements crowd out theirs, so that they may have as
    /// many there as one person may have of anything.
    pub async fn remind_as_manager(
        &self,
        new: NewReminder,
    ) -> Result<Result<ReminderId, NoRoom>, HistoryError> {
        self.remind_within(new, REMINDERS_OF_ONE).await
    }

    async fn remind_within(
        &self,
        new: NewReminder,
        rituals: u32,
    ) -> Result<Result<ReminderId, NoRoom>, HistoryError> {
        let kept = self.write(move |tx| keep(tx, &new, rituals)).await?;
        self.reminded.notify_one();
        Ok(kept)
    }

    /// Takes one of somebody's own away, or of those, where it may be seen; what it was.
    pub async fn cancel_reminder(
        &self,
        id: ReminderId,
        of: &AccountId,
        also: AlsoOf<'_>,
        visible: &Visible,
    ) -> Result<Option<Reminder>, HistoryError> {
        let (of, (channel, kind), seen) = (of.to_string(), also.columns(), rows::audience_pairs(visible));
        self.write(move |tx| {
            let sql = format!(
                "SELECT {COLUMNS} FROM reminders t WHERE t.id = ?1
                     AND (t.account = ?2 OR (t.channel = ?4 AND t.kind = coalesce(?5, t.kind))) AND {}",
                is_seen("?3")
            );
            let found = tx.query_row(&sql, params![id.0, of, seen, channel, kind], reminder).optional()?;
            tx.execute("DELETE FROM reminders WHERE id = ?1", [found.as_ref().map(|one| one.id.0)])?;
            Ok(found)
        })
        .await
    }

    /// A turn is about to say it: whatever ends the program now, it is known that it may have been said.
    pub async fn reminding(&self, id: ReminderId, turn: TurnId) -> Result<(), HistoryError> {
        let begun = "UPDATE reminders SET turn = ?2 WHERE id = ?1";
        self.change(begun, (id.0, to_sql(turn.0))).await.map(drop)
    }

    /// It was said at `at`, and comes again at `next` or is done with.
    pub async fn was_reminded(
        &self,
        id: ReminderId,
        at: Timestamp,
        next: Option<Timestamp>,
    ) -> Result<(), HistoryError> {
        let Some(next) = next else {
            return self.change("DELETE FROM reminders WHERE id = ?1", [id.0]).await.map(drop);
        };
        let again = "UPDATE reminders SET due_at_ms = ?3, fired_at_ms = ?2, turn = NULL, said_at_ms = NULL,
             tries = 0, not_before_ms = NULL WHERE id = ?1";
        self.change(again, (id.0, at.as_millisecond(), next.as_millisecond())).await.map(drop)
    }

    /// It could not be said, and is tried again from `again` on.
    pub async fn not_reminded(&self, id: ReminderId, again: Timestamp) -> Result<(), HistoryError> {
        let failed = "UPDATE reminders SET tries = tries + 1, not_before_ms = ?2 WHERE id = ?1";
        self.change(failed, (id.0, again.as_millisecond())).await.map(drop)
    }

    /// Returns when one was kept since the last look.
    pub async fn reminder_kept(&self) {
        self.reminded.notified().await;
    }
}

impl Seen<'_> {
    /// Those of one person that may be seen, with others': the next due first, what has no moment last.
    pub async fn reminders(self, of: &AccountId, also: AlsoOf<'_>) -> Result<Vec<Reminder>, HistoryError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM reminders t
             WHERE (t.account = ?1 OR (t.channel = ?3 AND t.kind = coalesce(?4, t.kind))) AND {}
             ORDER BY t.due_at_ms IS NULL, t.due_at_ms, t.id",
            is_seen("?2")
        );
        let (channel, kind) = also.columns();
        let bound = (of.to_string(), rows::audience_pairs(self.visible), channel, kind);
        self.history.all(sql, bound, reminder).await
    }
}

impl Whole<'_> {
    /// Those that are to be said by now, the longest due first.
    pub async fn reminders_due(self, now: Timestamp) -> Result<Vec<Reminder>, HistoryError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM reminders t
             WHERE t.due_at_ms <= ?1 AND coalesce(t.not_before_ms, 0) <= ?1
             ORDER BY t.due_at_ms, t.id"
        );
        self.0.all(sql, [now.as_millisecond()], reminder).await
    }

    /// When the next of those that are not due yet, or are to be tried again later, is to be said.
    pub async fn next_reminder(self, now: Timestamp) -> Result<Option<Timestamp>, HistoryError> {
        let next = "SELECT min(max(due_at_ms, coalesce(not_before_ms, 0))) FROM reminders
             WHERE due_at_ms IS NOT NULL AND max(due_at_ms, coalesce(not_before_ms, 0)) > ?1";
        let next: Option<i64> = self.0.one(next, [now.as_millisecond()], |row| row.get(0)).await?;
        Ok(next.and_then(|next| Timestamp::from_millisecond(next).ok()))
    }

    /// Before whom the newest message of a channel was said; `None` where none is stored.
    pub async fn newest_audience(
        self,
        channel: &ChannelId,
    ) -> Result<Option<crate::domain::Audience>, HistoryError> {
        let newest =
            "SELECT audience_kind, audience_key FROM turns WHERE channel = ?1 ORDER BY ordinal DESC LIMIT 1";
        Ok(self.0.all(newest, [channel.to_string()], |row| rows::audience_at(row, 0)).await?.pop())
    }
}

fn keep(
    tx: &Transaction<'_>,
    new: &NewReminder,
    rituals_max: u32,
) -> rusqlite::Result<Result<ReminderId, NoRoom>> {
    let account = new.asker.account.to_string();
    let guild = new.place.guild.as_ref().map(GuildId::as_str);
    let (theirs, rituals, servers, all): (u32, u32, u32, u32) = tx.query_row(
        "SELECT count(*) FILTER (WHERE account = ?1),
            count(*) FILTER (WHERE account = ?1 AND channel = ?3 AND kind = ?4),
            count(*) FILTER (WHERE place ->> 'guild' = ?2), count(*)
         FROM reminders",
        params![account, guild, new.place.channel.as_str(), ReminderKind::Ritual.as_str()],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
    )?;
    if theirs >= REMINDERS_OF_ONE {
        return Ok(Err(NoRoom::OfTheirs));
    }
    if new.kind == ReminderKind::Ritual && rituals >= rituals_max {
        return Ok(Err(NoRoom::OfTheirRituals));
    }
    if servers >= REMINDERS_OF_SERVER {
        return Ok(Err(NoRoom::OfTheServer));
    }
    if all >= REMINDERS_MAX {
        return Ok(Err(NoRoom::ForAnybody));
    }
    let (audience_kind, audience_key) = audience_columns(&new.place.audience);
    tx.execute(
        "INSERT INTO reminders (kind, account, asker, channel, place, audience_kind, audience_key, words, due_at_ms, zone,
            recurrence, made_at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        params![
            new.kind.as_str(),
            account,
            to_json(&new.asker)?,
            new.place.channel.as_str(),
            to_json(&new.place)?,
            audience_kind,
            audience_key,
            new.words,
            new.due.map(Timestamp::as_millisecond),
            new.zone,
            new.recurrence.as_ref().map(ToString::to_string),
            new.made.as_millisecond(),
        ],
    )?;
    Ok(Ok(ReminderId(tx.last_insert_rowid())))
}

/// As they are written down, those of one person or all.
pub(super) fn kept_reminders(
    tx: &Transaction<'_>,
    which: Option<&[i64]>,
) -> rusqlite::Result<Vec<KeptReminder>> {
    let which = which.map(|which| to_json(&which)).transpose()?;
    tx.prepare_cached(
        "SELECT json_object('kind', kind, 'account', account, 'asker', asker, 'channel', channel, 'place', place,
            'audience', json_array(audience_kind, audience_key), 'words', words, 'due_at_ms', due_at_ms, 'zone', zone,
            'recurrence', recurrence, 'made_at_ms', made_at_ms, 'fired_at_ms', fired_at_ms)
         FROM reminders WHERE ?1 IS NULL OR id IN (SELECT value FROM json_each(?1)) ORDER BY id",
    )?
    .query_map([which], |row| from_json(row, 0))?
    .collect()
}

/// Puts them where none is that was asked by the same person at the same moment.
pub(super) fn put_reminders(tx: &Transaction<'_>, kept: &[KeptReminder]) -> rusqlite::Result<()> {
    let mut put = tx.prepare_cached(
        "INSERT INTO reminders (kind, account, asker, channel, place, audience_kind, audience_key, words, due_at_ms, zone,
            recurrence, made_at_ms, fired_at_ms)
         SELECT v ->> 'kind', v ->> 'account', v ->> 'asker', v ->> 'channel', v ->> 'place', v ->> '$.audience[0]',
            v ->> '$.audience[1]', v ->> 'words', v ->> 'due_at_ms', v ->> 'zone', v ->> 'recurrence',
            v ->> 'made_at_ms', v ->> 'fired_at_ms' FROM (SELECT ?1 AS v)
         WHERE NOT EXISTS (SELECT 1 FROM reminders r
            WHERE r.account = v ->> 'account' AND r.made_at_ms = v ->> 'made_at_ms' AND r.words = v ->> 'words')",
    )?;
    kept.iter().try_for_each(|one| put.execute([to_json(one)?]).map(drop))
}

/// What goes with turns that are forgotten, by row: what somebody asked to be reminded of who is forgotten, what repeats
/// words that are, and where a whole channel is forgotten and nobody in particular, what was asked for there.
pub(super) fn reminders_going_with(
    tx: &Transaction<'_>,
    turns: &[StoredId],
    people: &BTreeSet<AccountId>,
    echoes: &Echoes,
) -> rusqlite::Result<Vec<i64>> {
    let people: BTreeSet<String> = people.iter().map(ToString::to_string).collect();
    let turns = rows::row_numbers(turns);
    let mut all = tx.prepare_cached(
        "SELECT id, account, words, ?1 AND channel IN (SELECT channel FROM turns WHERE id IN (SELECT value FROM json_each(?2)))
            AND NOT EXISTS (SELECT 1 FROM turns t
                WHERE t.channel = reminders.channel AND t.id NOT IN (SELECT value FROM json_each(?2)))
         FROM reminders ORDER BY id",
    )?;
    let mut rows = all.query(params![people.is_empty(), turns])?;
    let mut going = Vec::new();
    while let Some(row) = rows.next()? {
        let account = row.get_ref(1)?.as_str()?;
        if people.contains(account) || echoes.are_in(row.get_ref(2)?.as_str()?) || row.get(3)? {
            going.push(row.get(0)?);
        }
    }
    Ok(going)
}

pub(super) fn forget_reminders(tx: &Transaction<'_>, going: &[i64]) -> rusqlite::Result<()> {
    let mut delete = tx.prepare_cached("DELETE FROM reminders WHERE id = ?1")?;
    going.iter().try_for_each(|id| delete.execute([id]).map(drop))
}
