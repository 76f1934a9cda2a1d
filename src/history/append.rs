//! Storing a turn.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::domain::{ChannelId, MessageId, Place, StoredId, StoredTurn};
use crate::sqlite::{from_sql, to_sql};

use super::deliveries::let_go;
use super::rows::{self, TURN_COLUMNS, TURN_JOINS, audience_columns, kind_name, modality_name};
use super::window::said_so_far;
use super::{Appended, History, HistoryError, HistoryOptions, NewTurn};

impl History {
    /// Stores a turn, unless a message of that id is already stored in that channel. Everything that belongs to
    /// it is written in one transaction: when this returns, the turn survives a crash of the program.
    ///
    /// # Errors
    /// When the database refuses; nothing is stored then.
    pub async fn store(&self, new: NewTurn) -> Result<Appended, HistoryError> {
        let (options, pulse, channel) = (self.options.clone(), self.pulse.clone(), new.place.channel.clone());
        let marked = move |stored: &Appended| {
            if let Appended::New(turn) = stored {
                pulse.said(turn, &channel);
            }
        };
        Ok(self.database.write_then(move |transaction| store(transaction, &options, &new), marked).await?)
    }

    /// [`store`](Self::store) for those who do not ask whether it was new.
    ///
    /// # Errors
    /// As [`store`](Self::store).
    pub async fn append(&self, new: NewTurn) -> Result<StoredTurn, HistoryError> {
        Ok(self.store(new).await?.into_turn())
    }
}

pub(super) fn store(
    tx: &Transaction<'_>,
    options: &HistoryOptions,
    new: &NewTurn,
) -> rusqlite::Result<Appended> {
    if let Some(turn) = new.turn {
        let_go(tx, turn)?;
    }
    if let Some(known) = find_any(tx, &new.place.channel, &new.messages)? {
        return read(tx, options, known).map(Appended::Known);
    }
    let ordinal = next_ordinal(tx, &new.place)?;
    let id = insert(tx, new, ordinal)?;
    count_tokens(tx, options, id, &new.content)?;
    read(tx, options, id).map(Appended::New)
}

pub(super) fn find_any(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    messages: &[MessageId],
) -> rusqlite::Result<Option<StoredId>> {
    let mut find =
        tx.prepare_cached("SELECT turn_id FROM turn_messages WHERE channel = ?1 AND message = ?2")?;
    for message in messages {
        let found = find.query_row([channel.as_str(), message.as_str()], |row| row.get(0)).optional()?;
        if let Some(id) = found {
            return Ok(Some(StoredId(id)));
        }
    }
    Ok(None)
}

/// Notes the channel's present names on the way: they are what people are shown about older turns too.
pub(super) fn next_ordinal(tx: &Transaction<'_>, place: &Place) -> rusqlite::Result<u64> {
    tx.prepare_cached(
        "INSERT INTO channels (channel, platform, kind, guild, name, guild_name, last_ordinal)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1)
         ON CONFLICT (channel) DO UPDATE SET
            kind = excluded.kind, guild = excluded.guild,
            name = coalesce(excluded.name, name), guild_name = coalesce(excluded.guild_name, guild_name),
            last_ordinal = last_ordinal + 1
         RETURNING last_ordinal",
    )?
    .query_row(
        params![
            place.channel.as_str(),
            place.platform.as_str(),
            kind_name(place.kind),
            place.guild.as_ref().map(|guild| guild.as_str()),
            place.channel_name,
            place.guild_name,
        ],
        |row| row.get(0).map(from_sql),
    )
}

pub(super) fn insert(tx: &Transaction<'_>, new: &NewTurn, ordinal: u64) -> rusqlite::Result<StoredId> {
    let (audience_kind, audience_key) = audience_columns(&new.place.audience);
    let author = new.author.as_ref();
    let said_before = said_so_far(tx, &new.place.channel)?;
    tx.prepare_cached(
        "INSERT INTO turns (channel, ordinal, platform, guild, audience_kind, audience_key, role, author_account,
            author_username, author_display, author_is_bot, content, at_ms, mode, modality, turn, reply_to,
            said_before)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
    )?
    .execute(params![
        new.place.channel.as_str(),
        to_sql(ordinal),
        new.place.platform.as_str(),
        new.place.guild.as_ref().map(|guild| guild.as_str()),
        audience_kind,
        audience_key,
        new.role.as_str(),
        author.map(|author| author.account.to_string()),
        author.and_then(|author| author.username.as_deref()),
        author.and_then(|author| author.display_name.as_deref()),
        author.is_some_and(|author| author.is_bot),
        new.content,
        new.at.as_millisecond(),
        new.mode.as_str(),
        modality_name(new.modality),
        new.turn.map(|turn| to_sql(turn.0)),
        new.reply_to.as_ref().map(MessageId::as_str),
        said_before,
    ])?;
    let id = tx.last_insert_rowid();
    let mut note = tx.prepare_cached(
        "INSERT OR IGNORE INTO turn_messages (channel, message, turn_id, part) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (part, message) in (0_i64..).zip(&new.messages) {
        note.execute(params![new.place.channel.as_str(), message.as_str(), id, part])?;
    }
    Ok(StoredId(id))
}

/// Counts a turn's words under every encoding the history was opened with.
pub(super) fn count_tokens(
    tx: &Transaction<'_>,
    options: &HistoryOptions,
    id: StoredId,
    content: &str,
) -> rusqlite::Result<()> {
    let mut keep = tx.prepare_cached(
        "INSERT OR REPLACE INTO turn_tokens (turn_id, encoding, tokens) VALUES (?1, ?2, ?3)",
    )?;
    for encoding in &options.encodings {
        keep.execute(params![id.0, encoding.as_str(), (options.counter)(*encoding, content)])?;
    }
    Ok(())
}

/// One turn by its row, its tokens under the first encoding the history was opened with.
pub(super) fn read(
    tx: &Transaction<'_>,
    options: &HistoryOptions,
    id: StoredId,
) -> rusqlite::Result<StoredTurn> {
    let encoding = options.encodings.first().map_or("", |encoding| encoding.as_str());
    tx.prepare_cached(&format!("SELECT {TURN_COLUMNS} FROM turns t {TURN_JOINS} WHERE t.id = ?2"))?
        .query_row(params![encoding, id.0], |row| rows::stored_turn(row).map(|read| read.turn))
}
