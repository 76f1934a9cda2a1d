//! Turns with where they were said: singly, where they may be seen, and all of them in the order in which they came,
//! for what is derived from them and kept in memory.
//!
//! Must not know what they are read for. Start at [`Whole::follow`].

use std::collections::HashMap;

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::{Audience, ChannelId, ChannelMode, MessageId, StoredId, StoredTurn};

use super::reactions::{self, ReactionStance};
use super::rows;
use super::{HistoryError, Seen, Whole};

/// A stretch of a channel that is before everybody's eyes: its turns of one mode, from an ordinal on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenStretch {
    pub channel: ChannelId,
    /// The mode whose turns are shown.
    pub mode: ChannelMode,
    /// Turns with a greater ordinal are shown.
    pub above: u64,
}

impl OpenStretch {
    /// Whether a turn stands in it.
    pub fn holds(&self, channel: &ChannelId, turn: &StoredTurn) -> bool {
        *channel == self.channel && turn.mode == self.mode && turn.ordinal > self.above
    }
}

/// One turn, with where it was said.
#[derive(Debug, Clone, PartialEq)]
pub struct HeardMessage {
    pub channel: ChannelId,
    /// The channel's name for people, as last seen.
    pub channel_name: Option<String>,
    /// The turn. Its tokens are not counted, and its message and what it answers are not read: [`Seen::messages_of`]
    /// tells them of the few that are quoted.
    pub turn: StoredTurn,
    pub answers: Option<StoredId>,
    /// What people's reactions say to it. Read for those who follow the history only.
    pub stances: Vec<ReactionStance>,
}

/// How far somebody has followed what was said. The default is the very beginning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mark {
    turn: i64,
    change: i64,
}

impl Mark {
    /// A mark as it was kept.
    pub fn new(turn: i64, change: i64) -> Self {
        Self { turn, change }
    }

    /// To be kept: the last turn and the last change that were followed.
    pub fn numbers(self) -> (i64, i64) {
        (self.turn, self.change)
    }
}

/// What happened to turns, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// A turn was said, or reads differently now.
    Stands(Box<HeardMessage>),
    /// A turn was taken back or forgotten.
    Gone(StoredId),
}

/// The next stretch of what happened.
#[derive(Debug, Clone, Default)]
pub struct Followed {
    /// What happened, in order.
    pub told: Vec<Told>,
    /// Where to go on.
    pub mark: Mark,
    /// Whether that was all for now.
    pub is_all: bool,
}

impl Whole<'_> {
    /// What happened after `mark`, at most about `most` turns of it. Turns that were taken back before they were
    /// followed are passed over.
    pub async fn follow(self, mark: Mark, most: u32) -> Result<Followed, HistoryError> {
        self.0.read(move |tx| follow(tx, mark, most)).await
    }
}

impl Seen<'_> {
    /// These turns, where they still stand, in no particular order. What each answers may be one that may not be seen.
    pub async fn heard(self, turns: Vec<StoredId>) -> Result<Vec<HeardMessage>, HistoryError> {
        let visible = self.visible.clone();
        self.history
            .read(move |tx| {
                let mut single = tx.prepare_cached(SINGLE)?;
                let mut reader = HeardReader::new(tx);
                let mut heard = Vec::with_capacity(turns.len());
                for id in turns {
                    let mut rows = single.query([id.0])?;
                    let Some(row) = rows.next()? else { continue };
                    let one = reader.heard(row)?;
                    heard.extend(visible.includes(&one.turn.audience).then_some(one));
                }
                Ok(heard)
            })
            .await
    }

    /// The messages of turns, the first of each that still stands.
    pub async fn messages_of(
        self,
        turns: Vec<StoredId>,
    ) -> Result<HashMap<StoredId, MessageId>, HistoryError> {
        let visible = rows::audience_pairs(self.visible);
        self.history
            .read(move |tx| {
                let mut first = tx.prepare_cached(&format!(
                    "SELECT m.message FROM turns t JOIN turn_messages m ON m.turn_id = t.id
                     WHERE t.id = ?1 AND m.deleted_at_ms IS NULL AND {} ORDER BY m.part LIMIT 1",
                    rows::is_seen("?2")
                ))?;
                let mut messages = HashMap::with_capacity(turns.len());
                for turn in turns {
                    let message = first
                        .query_row(params![turn.0, visible], |row| rows::parse_column(row, 0))
                        .optional()?;
                    messages.extend(message.map(|message| (turn, message)));
                }
                Ok(messages)
            })
            .await
    }
}

fn follow(tx: &Transaction<'_>, mark: Mark, most: u32) -> rusqlite::Result<Followed> {
    let mut reader = HeardReader { stances: reactions::any(tx)?, ..HeardReader::new(tx) };
    let mut followed = Followed { mark, ..Followed::default() };
    if mark == Mark::default() {
        // Turns are read as they stand now, so what changed before now need not be told.
        let newest = "SELECT coalesce(max(seq), 0) FROM turn_changes";
        followed.mark.change = tx.prepare_cached(newest)?.query_row([], |row| row.get(0))?;
    }
    let mut said = tx.prepare_cached(SAID_SINCE)?;
    let mut rows = said.query([mark.turn, i64::from(most)])?;
    let mut read = 0;
    while let Some(row) = rows.next()? {
        read += 1;
        followed.mark.turn = row.get(0)?;
        if !row.get::<_, bool>(IS_GONE)? {
            followed.told.push(Told::Stands(Box::new(reader.heard(row)?)));
        }
    }
    if read == most {
        return Ok(followed);
    }
    let mut changed =
        tx.prepare_cached("SELECT seq, turn_id FROM turn_changes WHERE seq > ?1 ORDER BY seq")?;
    let mut single = tx.prepare_cached(SINGLE)?;
    let mut rows = changed.query([followed.mark.change])?;
    while let Some(row) = rows.next()? {
        followed.mark.change = row.get(0)?;
        let id = StoredId(row.get(1)?);
        let mut rows = single.query([id.0])?;
        followed.told.push(match rows.next()? {
            Some(row) => Told::Stands(Box::new(reader.heard(row)?)),
            None => Told::Gone(id),
        });
    }
    followed.is_all = true;
    Ok(followed)
}

macro_rules! heard_sql {
    ($rest:literal) => {
        concat!(
            "SELECT t.id, t.ordinal, t.role, t.author_account, t.author_username, t.author_display,
                t.author_is_bot, t.content, t.at_ms, t.mode, t.turn, t.audience_kind, t.audience_key, t.channel,
                m.turn_id, t.deleted_at_ms IS NOT NULL
             FROM turns t LEFT JOIN turn_messages m ON m.channel = t.channel AND m.message = t.reply_to ",
            $rest
        )
    };
}

pub(super) const SINGLE: &str = heard_sql!("WHERE t.id = ?1 AND t.deleted_at_ms IS NULL");
pub(super) const SAID_SINCE: &str = heard_sql!("WHERE t.id > ?1 ORDER BY t.id LIMIT ?2");

/// The column that says whether a turn was taken back.
const IS_GONE: usize = 15;

/// Reads turns. Most of them share channel and audience with the one before, which are then not made out again.
struct HeardReader<'a> {
    tx: &'a Transaction<'a>,
    /// Whether what reactions say is read too.
    stances: bool,
    place: Option<(ChannelId, Option<String>)>,
    audience: Option<(String, String, Audience)>,
}

impl<'a> HeardReader<'a> {
    fn new(tx: &'a Transaction<'a>) -> Self {
        Self { tx, stances: false, place: None, audience: None }
    }

    fn heard(&mut self, row: &Row<'_>) -> rusqlite::Result<HeardMessage> {
        let audience = self.audience(row)?;
        let (channel, channel_name) = self.place(row)?;
        let turn = rows::bare_turn(row, audience)?;
        let stances = if self.stances { reactions::reactions_to(self.tx, turn.id)? } else { Vec::new() };
        let answers = row.get::<_, Option<i64>>(14)?.map(StoredId);
        Ok(HeardMessage { channel, channel_name, turn, answers, stances })
    }

    fn audience(&mut self, row: &Row<'_>) -> rusqlite::Result<Audience> {
        let (kind, key) = (row.get_ref(11)?.as_str()?, row.get_ref(12)?.as_str()?);
        if let Some((known_kind, known_key, audience)) = &self.audience
            && known_kind == kind
            && known_key == key
        {
            return Ok(audience.clone());
        }
        let audience = rows::audience_at(row, 11)?;
        self.audience = Some((kind.to_owned(), key.to_owned(), audience.clone()));
        Ok(audience)
    }

    fn place(&mut self, row: &Row<'_>) -> rusqlite::Result<(ChannelId, Option<String>)> {
        let channel = row.get_ref(13)?.as_str()?;
        if let Some(known) = self.place.as_ref().filter(|(known, _)| known.as_str() == channel) {
            return Ok(known.clone());
        }
        let name = self
            .tx
            .prepare_cached("SELECT name FROM channels WHERE channel = ?1")?
            .query_row([channel], |row| row.get(0))?;
        let place = (rows::parse_column(row, 13)?, name);
        self.place = Some(place.clone());
        Ok(place)
    }
}
