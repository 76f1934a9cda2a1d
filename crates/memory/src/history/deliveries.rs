//! Replies on their way: what of them has been posted, kept as it is posted, so that a program that is killed knows at its
//! next start what people have read of it.
//!
//! Owns the rows of unfinished replies and how they become turns. Must not know who posts them. Start reading at
//! [`History::delivering`].

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Transaction, params};

use crate::domain::{AccountId, ChannelId, MessageId, Place, StoredId, TurnId};
use crate::sqlite::{from_sql, to_sql};

use super::append::{add_message, find_any, let_go, now_reads, store};
use super::rows::{to_json, unreadable_column};
use super::{History, HistoryError, HistoryOptions, NewTurn};

#[derive(Debug, Clone, PartialEq)]
pub struct Delivering {
    /// As it would be stored if nothing more of it arrived: its content is what has arrived, and may be empty. Its turn
    /// tells it from others; without one nothing is kept.
    pub reply: NewTurn,
    pub answers: Vec<StoredId>,
    /// What is being posted right now; until that is known, nobody can say whether it arrived.
    pub being_sent: Option<String>,
    /// Its only message is being edited: after a kill it may read less than what has arrived, and is to read so.
    pub grows: bool,
}

/// A reply that the program did not finish because it was killed, as it was stored afterwards.
#[derive(Debug, Clone, PartialEq)]
pub struct Unfinished {
    /// The turn that gave it.
    pub turn: TurnId,
    pub place: Place,
    pub text: String,
    /// How many messages that was.
    pub messages: usize,
    pub answers: Vec<StoredId>,
    /// Who had said that.
    pub authors: Vec<AccountId>,
    /// When the reply began.
    pub at: Timestamp,
}

impl History {
    /// Writes down how far a reply has come. Survives the program, however that ends; what a power cut takes are these
    /// rows alone.
    pub async fn delivering(&self, now: Delivering) -> Result<(), HistoryError> {
        let Some(turn) = now.reply.turn else { return Ok(()) };
        self.database.jot(move |tx| {
            tx.prepare_cached(
                "INSERT INTO deliveries (turn, channel, reply, answers, being_sent, grows) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (turn) DO UPDATE SET reply = excluded.reply, being_sent = excluded.being_sent,
                    grows = excluded.grows, is_closed = 0",
            )?
            .execute(params![
                to_sql(turn.0),
                now.reply.place.channel.as_str(),
                to_json(&now.reply)?,
                to_json(&now.answers)?,
                now.being_sent,
                now.grows
            ])
            .map(drop)
        }).await
    }

    /// Nothing of this reply is to be kept.
    pub async fn not_delivered(&self, turn: TurnId) -> Result<(), HistoryError> {
        self.write(move |tx| let_go(tx, turn)).await
    }

    /// Stores what a program that was killed had posted of its replies, as it would have been stored had they been broken
    /// off. To be called once at every start, before anything is said.
    pub async fn close_deliveries(&self) -> Result<Vec<Unfinished>, HistoryError> {
        let options = self.options.clone();
        self.write(move |tx| close_open(tx, &options)).await
    }

    /// A message of the familiar's own that is not known stands in a channel. If it is what a killed program was just
    /// posting, it is stored with the reply it belongs to; whether it was. Its own notices are no replies.
    pub async fn arrived_after_all(
        &self,
        channel: &ChannelId,
        message: MessageId,
        text: String,
        at: Timestamp,
    ) -> Result<bool, HistoryError> {
        let (channel, options) = (channel.clone(), self.options.clone());
        self.write(move |tx| arrived_after_all(tx, &options, &channel, &message, &text, at)).await
    }
}

/// Something is being forgotten: no unfinished reply may keep it. Those that go on are written down anew with their next
/// part, where they hold nothing of it.
pub(super) fn let_go_of_all(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    tx.execute("DELETE FROM deliveries", []).map(drop)
}

fn close_open(tx: &Transaction<'_>, options: &HistoryOptions) -> rusqlite::Result<Vec<Unfinished>> {
    // Whoever was to say whether a part had arrived had a whole life of the program for it.
    tx.execute("DELETE FROM deliveries WHERE is_closed = 1", [])?;
    let mut open =
        tx.prepare_cached("SELECT turn, reply, answers, being_sent, grows FROM deliveries ORDER BY turn")?;
    let rows: Vec<(i64, String, String, Option<String>, bool)> = open
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut closed = Vec::new();
    for (turn, reply, answers, being_sent, grows) in rows {
        let turn = TurnId(from_sql(turn));
        let (Ok(reply), Ok(answers)) =
            (serde_json::from_str::<NewTurn>(&reply), serde_json::from_str::<Vec<StoredId>>(&answers))
        else {
            let_go(tx, turn)?;
            continue;
        };
        let mut into = None;
        if !reply.content.trim().is_empty() {
            // Storing it takes its row away.
            let row =
                store(tx, options, &NewTurn { content: reply.content.trim().to_owned(), ..reply.clone() })?;
            let id = row.into_turn().id;
            into = Some(id);
            if grows {
                have_read(tx, id, &reply)?;
            }
            closed.push(Unfinished {
                turn,
                place: reply.place.clone(),
                text: reply.content.trim().to_owned(),
                messages: reply.messages.len().max(1),
                authors: authors(tx, &answers)?,
                answers: answers.clone(),
                at: reply.at,
            });
        }
        let_go(tx, turn)?;
        if let Some(being_sent) = being_sent {
            tx.prepare_cached(
                "INSERT INTO deliveries (turn, channel, reply, answers, being_sent, closed_into, is_closed)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1)",
            )?
            .execute(params![
                to_sql(turn.0),
                reply.place.channel.as_str(),
                to_json(&reply)?,
                to_json(&answers)?,
                being_sent,
                into.map(|id| id.0)
            ])?;
        }
    }
    Ok(closed)
}

/// A message that was being edited is to read what is stored, once there is a way to it.
fn have_read(tx: &Transaction<'_>, id: StoredId, reply: &NewTurn) -> rusqlite::Result<()> {
    tx.prepare_cached("INSERT OR REPLACE INTO repairs VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![
            id.0,
            to_json(&reply.place)?,
            to_json(&[reply.content.trim()])?,
            format!("grown{}", id.0)
        ])
        .map(drop)
}

fn authors(tx: &Transaction<'_>, turns: &[StoredId]) -> rusqlite::Result<Vec<AccountId>> {
    let mut author =
        tx.prepare_cached("SELECT author_account FROM turns WHERE id = ?1 AND author_account IS NOT NULL")?;
    let mut all: Vec<AccountId> = Vec::new();
    for turn in turns {
        let account: Option<String> = author.query_row([turn.0], |row| row.get(0)).optional()?;
        all.extend(account.and_then(|account| account.parse().ok()));
    }
    all.sort();
    all.dedup();
    Ok(all)
}

fn arrived_after_all(
    tx: &Transaction<'_>,
    options: &HistoryOptions,
    channel: &ChannelId,
    message: &MessageId,
    text: &str,
    at: Timestamp,
) -> rusqlite::Result<bool> {
    if find_any(tx, channel, std::slice::from_ref(message))?.is_some() {
        return Ok(false);
    }
    let mut waiting = tx.prepare_cached(
        "SELECT turn, reply, being_sent, closed_into FROM deliveries WHERE channel = ?1 AND is_closed = 1",
    )?;
    let rows: Vec<(i64, String, String, Option<i64>)> = waiting
        .query_map([channel.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
        .collect::<rusqlite::Result<_>>()?;
    // The platform cuts white space from both ends.
    let Some((turn, reply, part, into)) = rows.into_iter().find(|(_, _, part, _)| part.trim() == text.trim())
    else {
        return Ok(false);
    };
    let reply: NewTurn = serde_json::from_str(&reply).map_err(|_| unreadable_column(1))?;
    let_go(tx, TurnId(from_sql(turn)))?;
    let Some(id) = into.map(StoredId) else {
        let content = part.trim().to_owned();
        store(tx, options, &NewTurn { content, messages: vec![message.clone()], at, ..reply })?;
        return Ok(true);
    };
    let content = format!("{}\n\n{}", reply.content.trim(), part.trim());
    add_message(tx, channel, message, id)?;
    now_reads(tx, options, id, &content)?;
    Ok(true)
}
