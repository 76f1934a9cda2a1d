//! What goes into the history: turns, and what becomes of them when they are edited or taken back. The turn follows, the event
//! log remembers.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Transaction, params};
use serde::{Deserialize, Serialize};

use super::conversation::said_so_far;
use super::rows::{self, TURN_COLUMNS, TURN_JOINS, audience_columns, channel_columns};
use super::sources::unpin;
use super::state::forget_thoughts;
use super::{History, HistoryError, HistoryOptions};
use crate::domain::{
    Attachment, Author, ChannelId, ChannelMode, MessageId, Modality, Place, Role, StoredId, StoredTurn,
    TurnId,
};
use crate::sqlite::{from_sql, to_sql};

impl History {
    /// Stores a turn, unless a message of that id is already stored in that channel. Everything that belongs to
    /// it is written in one transaction: when this returns, the turn survives a crash of the program.
    pub async fn store(&self, new: NewTurn) -> Result<Appended, HistoryError> {
        self.store_and(new, |_, _, _| Ok(())).await
    }

    /// Stores a turn, and where it is new does this with it in the same transaction.
    async fn store_and(
        &self,
        new: NewTurn,
        then: impl FnOnce(&Transaction<'_>, StoredId, &NewTurn) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<Appended, HistoryError> {
        let (options, channel) = (self.options.clone(), new.place.channel.clone());
        let stored = self
            .write(move |tx| {
                let stored = store(tx, &options, &new)?;
                if let Appended::New(turn) = &stored {
                    then(tx, turn.id, &new)?;
                }
                Ok(stored)
            })
            .await;
        match &stored {
            Ok(Appended::New(_)) => {
                self.counts_stored(true);
                self.has_changed(channel);
            }
            // Nothing was written, so it says nothing of the disk.
            Ok(Appended::Known(_)) => {}
            Err(_) => self.counts_stored(false),
        }
        stored
    }

    /// Where the last that was said could not be stored, tries whether it could be now. Nothing stays of the trial, and nobody
    /// hears of it.
    pub async fn tries_storing(&self) {
        let before = self.unstored();
        if !before.is_last {
            return;
        }
        let options = self.options.clone();
        let tried = self.write(move |tx| {
            tx.execute_batch("SAVEPOINT trial")?;
            store(tx, &options, &trial())?;
            tx.execute_batch("ROLLBACK TO trial; RELEASE trial")?;
            // Nothing of that comes to the disk. This does: a page, with what stands there.
            let layout: i64 = tx.query_row("PRAGMA user_version", [], |row| row.get(0))?;
            tx.pragma_update(None, "user_version", layout)
        });
        let is_stored = tried.await.is_ok();
        let mut unstored = self.unstored.lock();
        if is_stored && unstored.messages == before.messages {
            unstored.is_last = false;
        }
    }

    fn has_changed(&self, channel: ChannelId) {
        // Nobody may be following.
        let _unheard = self.changed.send(channel);
    }

    /// [`store`](Self::store) for a reply of which is known where the words of each of its messages begin, in bytes.
    pub async fn store_reply(&self, new: NewTurn, begins: Vec<usize>) -> Result<Appended, HistoryError> {
        self.store_and(new, move |tx, id, new| begin_at(tx, id, &new.messages, &begins)).await
    }

    /// [`store`](Self::store) for what somebody said, with the message that it passes on, by its channel and id. Wherever that is
    /// stored, now or later, what passes it on is forgotten with it.
    pub async fn store_said(
        &self,
        new: NewTurn,
        forwards: Option<(ChannelId, MessageId)>,
    ) -> Result<Appended, HistoryError> {
        let Some((channel, message)) = forwards else { return self.store(new).await };
        self.store_and(new, move |tx, id, _| {
            tx.prepare_cached("UPDATE turns SET forwards_channel = ?2, forwards_message = ?3 WHERE id = ?1")?
                .execute(params![id.0, channel.as_str(), message.as_str()])
                .map(drop)
        })
        .await
    }

    /// [`store`](Self::store) for those who do not ask whether it was new.
    pub async fn append(&self, new: NewTurn) -> Result<StoredTurn, HistoryError> {
        Ok(self.store(new).await?.into_turn())
    }
}

/// A message that nobody said.
fn trial() -> NewTurn {
    let place = Place::terminal(ChannelId::from(0_u64));
    let said = NewTurn::written(place, None, "trial", Timestamp::UNIX_EPOCH, ChannelMode::TextConversationRp);
    NewTurn { role: Role::User, ..said }
}

pub(super) fn store(
    tx: &Transaction<'_>,
    options: &HistoryOptions,
    new: &NewTurn,
) -> rusqlite::Result<Appended> {
    if let Some(turn) = new.turn {
        let_go(tx, turn)?;
    }
    let (id, is_new) = store_row(tx, options, new)?;
    turn_by_id(tx, options, id).map(if is_new { Appended::New } else { Appended::Known })
}

/// A reply is no longer on its way.
pub(super) fn let_go(tx: &Transaction<'_>, turn: TurnId) -> rusqlite::Result<()> {
    tx.prepare_cached("DELETE FROM deliveries WHERE turn = ?1")?.execute([to_sql(turn.0)]).map(drop)
}

/// Its row, and whether that is new.
fn store_row(
    tx: &Transaction<'_>,
    options: &HistoryOptions,
    new: &NewTurn,
) -> rusqlite::Result<(StoredId, bool)> {
    if let Some(known) = find_any(tx, &new.place.channel, &new.messages)? {
        return Ok((known, false));
    }
    let ordinal = next_ordinal(tx, &new.place)?;
    let id = insert(tx, new, ordinal)?;
    count_tokens(tx, options, id, &new.content)?;
    Ok((id, true))
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
    .query_row(channel_columns(place), |row| row.get(0).map(from_sql))
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
        <&str>::from(new.modality),
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

/// Where the words of each of a turn's messages begin; unknown where these are not as many. Of one message nobody asks.
pub(super) fn begin_at(
    tx: &Transaction<'_>,
    id: StoredId,
    messages: &[MessageId],
    begins: &[usize],
) -> rusqlite::Result<()> {
    if messages.len() < 2 || begins.len() != messages.len() {
        return Ok(());
    }
    let mut note =
        tx.prepare_cached("UPDATE turn_messages SET begins_at = ?3 WHERE turn_id = ?1 AND message = ?2")?;
    for (message, at) in messages.iter().zip(begins) {
        note.execute(params![id.0, message.as_str(), i64::try_from(*at).ok()])?;
    }
    Ok(())
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
pub(super) fn turn_by_id(
    tx: &Transaction<'_>,
    options: &HistoryOptions,
    id: StoredId,
) -> rusqlite::Result<StoredTurn> {
    let encoding = options.encodings.first().map_or("", |encoding| encoding.as_str());
    tx.prepare_cached(&format!("SELECT {TURN_COLUMNS} FROM turns t {TURN_JOINS} WHERE t.id = ?2"))?
        .query_row(params![encoding, id.0], |row| rows::stored_turn(row).map(|read| read.turn))
}

/// One message to be stored: something a person said, or a reply as it was really delivered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewTurn {
    /// Where. Its audience travels with the words for good.
    pub place: Place,
    /// `User` for people, `Assistant` for the familiar.
    pub role: Role,
    pub author: Option<Author>,
    /// The words, attachments appended as lines.
    pub content: String,
    /// When it was said.
    pub at: Timestamp,
    /// The mode the channel had.
    pub mode: ChannelMode,
    /// Its ids on the platform: one for people, one per message sent for a long reply, none for a terminal.
    pub messages: Vec<MessageId>,
    pub reply_to: Option<MessageId>,
    /// The turn that produced it, for the familiar's own.
    pub turn: Option<TurnId>,
    pub modality: Modality,
}

impl NewTurn {
    /// What somebody wrote, or the familiar where it is nobody: an answer to nothing, without a number of its platform.
    pub fn written(
        place: Place,
        author: Option<Author>,
        content: impl Into<String>,
        at: Timestamp,
        mode: ChannelMode,
    ) -> Self {
        Self {
            place,
            role: if author.is_some() { Role::User } else { Role::Assistant },
            author,
            content: content.into(),
            at,
            mode,
            messages: Vec::new(),
            reply_to: None,
            turn: None,
            modality: Modality::Text,
        }
    }
}

/// What storing came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Appended {
    New(StoredTurn),
    /// A message of that id was already stored in that channel (a gateway replays what it sent when a connection
    /// is resumed); this is the stored one, as it reads now. Do not answer it again.
    Known(StoredTurn),
}

impl Appended {
    /// The stored turn, new or known.
    pub fn into_turn(self) -> StoredTurn {
        match self {
            Self::New(turn) | Self::Known(turn) => turn,
        }
    }
}

impl History {
    /// Stores turns in their order, all in one transaction, which is many times faster than one by one. A turn one of
    /// whose messages is stored already is passed over. The ids are in the order of the turns; of a turn that was
    /// passed over it is the one that stands there.
    pub async fn store_all(&self, new: Vec<NewTurn>) -> Result<Vec<StoredId>, HistoryError> {
        let options = self.options.clone();
        let stored =
            self.write(move |tx| new.iter().map(|new| Ok(store_row(tx, &options, new)?.0)).collect()).await?;
        Ok(stored)
    }
}

impl History {
    /// A message now reads differently. The old words go to the event log, the token counts and the search index
    /// follow, and what was thought in the channel goes. `None` when no such message is stored, it was taken back, it is one part of a longer turn (only
    /// the familiar's own replies have parts, and nobody else can edit those), or it says what it said: a pin and a link's
    /// preview are told as edits, too.
    pub async fn edit(
        &self,
        channel: &ChannelId,
        message: &MessageId,
        content: String,
        at: Timestamp,
    ) -> Result<Option<StoredTurn>, HistoryError> {
        let (there, message, options) = (channel.clone(), message.clone(), self.options.clone());
        let edited = self
            .write(move |tx| {
                let channel = there;
                let Some(found) = find_message(tx, &channel, &message)? else { return Ok(None) };
                let content = Attachment::keep_said(&found.content, &content);
                if found.parts_left != 1 || found.content == content {
                    return Ok(None);
                }
                log(tx, "edited", at, &channel, &message, &found)?;
                forget_thoughts(tx, &channel)?;
                tx.prepare_cached("UPDATE turns SET edited_at_ms = ?2 WHERE id = ?1")?
                    .execute(params![found.id.0, at.as_millisecond()])?;
                now_reads(tx, &options, found.id, &content)?;
                turn_by_id(tx, &options, found.id).map(Some)
            })
            .await?;
        if edited.is_some() {
            self.has_changed(channel.clone());
        }
        Ok(edited)
    }

    /// What is said in the sound of this name that came with a message stands in the message from now on, as people would have
    /// written it: in its line, for whoever reads the message later. Nothing changes where the message was taken back or
    /// forgotten meanwhile, or has it already. No edit is logged: nobody changed what they said.
    pub async fn tell_said(&self, turn: StoredId, name: &str, said: &str) -> Result<(), HistoryError> {
        let (name, said, options) = (name.to_owned(), said.to_owned(), self.options.clone());
        let channel = self
            .write(move |tx| {
                let found: Option<(ChannelId, String)> = tx
                    .prepare_cached(
                        "SELECT channel, content FROM turns WHERE id = ?1 AND deleted_at_ms IS NULL",
                    )?
                    .query_row([turn.0], |row| Ok((rows::parse_column(row, 0)?, row.get(1)?)))
                    .optional()?;
                let Some((channel, content)) = found else { return Ok(None) };
                let Some(told) = Attachment::with_said(&content, &name, &said) else { return Ok(None) };
                now_reads(tx, &options, turn, &told)?;
                Ok(Some(channel))
            })
            .await?;
        if let Some(channel) = channel {
            self.has_changed(channel);
        }
        Ok(())
    }

    /// Messages were taken back: their words then stand only in the event log, until they are forgotten. A turn is gone when
    /// all its messages are, or where nobody knows which of its words stood in one that is. What was thought in the channel
    /// goes with them. Returns the turns that lost words. Unknown messages are passed over.
    pub async fn delete(
        &self,
        channel: &ChannelId,
        messages: &[MessageId],
        at: Timestamp,
    ) -> Result<Vec<StoredId>, HistoryError> {
        let (there, messages, options) = (channel.clone(), messages.to_vec(), self.options.clone());
        let gone = self
            .write(move |tx| {
                let (channel, mut gone) = (there, Vec::new());
                forget_thoughts(tx, &channel)?;
                for message in &messages {
                    unpin(tx, &channel, message)?;
                    let lost = take_out(tx, &options, &channel, message, &messages, at)?;
                    gone.extend(lost.filter(|lost| !gone.contains(lost)));
                }
                Ok(gone)
            })
            .await?;
        if !gone.is_empty() {
            self.has_changed(channel.clone());
        }
        Ok(gone)
    }
}

/// A turn's words are these now; the token counts and the search index follow.
pub(super) fn now_reads(
    tx: &Transaction<'_>,
    options: &HistoryOptions,
    id: StoredId,
    content: &str,
) -> rusqlite::Result<()> {
    tx.prepare_cached("UPDATE turns SET content = ?2 WHERE id = ?1")?.execute(params![id.0, content])?;
    tx.prepare_cached("DELETE FROM turn_tokens WHERE turn_id = ?1")?.execute([id.0])?;
    count_tokens(tx, options, id, content)
}

/// A message that still stands, and the turn it belongs to.
pub(super) struct StandingMessage {
    pub id: StoredId,
    pub content: String,
    /// How many of the turn's messages still stand.
    pub parts_left: u32,
}

fn find_message(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    message: &MessageId,
) -> rusqlite::Result<Option<StandingMessage>> {
    tx.prepare_cached(
        "SELECT t.id, t.content,
            (SELECT count(*) FROM turn_messages p WHERE p.turn_id = t.id AND p.deleted_at_ms IS NULL)
         FROM turn_messages m JOIN turns t ON t.id = m.turn_id
         WHERE m.channel = ?1 AND m.message = ?2 AND m.deleted_at_ms IS NULL",
    )?
    .query_row([channel.as_str(), message.as_str()], |row| {
        Ok(StandingMessage { id: StoredId(row.get(0)?), content: row.get(1)?, parts_left: row.get(2)? })
    })
    .optional()
}

/// One of the messages that are taken back goes; the turn that lost words by that.
fn take_out(
    tx: &Transaction<'_>,
    options: &HistoryOptions,
    channel: &ChannelId,
    message: &MessageId,
    all: &[MessageId],
    at: Timestamp,
) -> rusqlite::Result<Option<StoredId>> {
    let Some(found) = find_message(tx, channel, message)? else { return Ok(None) };
    let (turn, parts) = (found.id, pieces(tx, found.id)?);
    let is_whole = parts.iter().all(|piece| all.contains(&piece.message));
    // Other words are being put in its place, with fewer messages: what stands in the end is stored then.
    if !is_whole && is_being_repaired(tx, turn)? {
        take_back(tx, channel, message, at)?;
        return Ok(None);
    }
    let cut = if is_whole { None } else { without(&found.content, &parts, message) };
    let old = match &cut {
        Some(cut) => StandingMessage { content: cut.gone.clone(), parts_left: 1, ..found },
        None if is_whole => found,
        None => StandingMessage { parts_left: 1, ..found },
    };
    log(tx, "deleted", at, channel, message, &old)?;
    take_back(tx, channel, message, at)?;
    if let Some(cut) = cut {
        tx.prepare_cached(
            "UPDATE turn_messages SET begins_at = begins_at - ?3 WHERE turn_id = ?1 AND begins_at > ?2",
        )?
        .execute(params![turn.0, cut.at, cut.bytes])?;
        now_reads(tx, options, turn, &cut.left)?;
    } else if old.parts_left == 1 {
        parts.iter().try_for_each(|piece| take_back(tx, channel, &piece.message, at))?;
        empty(tx, turn, at)?;
    } else {
        return Ok(None);
    }
    Ok(Some(turn))
}

/// Nothing of a turn stands any more.
pub(super) fn empty(tx: &Transaction<'_>, turn: StoredId, at: Timestamp) -> rusqlite::Result<()> {
    tx.prepare_cached("UPDATE turns SET content = '', deleted_at_ms = ?2 WHERE id = ?1")?
        .execute(params![turn.0, at.as_millisecond()])?;
    tx.prepare_cached("DELETE FROM turn_tokens WHERE turn_id = ?1")?.execute([turn.0]).map(drop)
}

/// One message more shows a turn, behind those it has.
pub(super) fn add_message(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    message: &MessageId,
    turn: StoredId,
) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT OR IGNORE INTO turn_messages (channel, message, turn_id, part)
         SELECT ?1, ?2, ?3, coalesce(max(part), -1) + 1 FROM turn_messages WHERE turn_id = ?3",
    )?
    .execute(params![channel.as_str(), message.as_str(), turn.0])
    .map(drop)
}

fn is_being_repaired(tx: &Transaction<'_>, turn: StoredId) -> rusqlite::Result<bool> {
    tx.prepare_cached("SELECT EXISTS (SELECT 1 FROM repairs WHERE turn_id = ?1)")?
        .query_row([turn.0], |row| row.get(0))
}

/// A message of a turn does not stand any more.
pub(super) fn take_back(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    message: &MessageId,
    at: Timestamp,
) -> rusqlite::Result<()> {
    tx.prepare_cached("UPDATE turn_messages SET deleted_at_ms = ?3 WHERE channel = ?1 AND message = ?2")?
        .execute(params![channel.as_str(), message.as_str(), at.as_millisecond()])
        .map(drop)
}

/// A message of a turn that still stands, and where its words begin, where that is known.
struct Piece {
    message: MessageId,
    begins_at: Option<usize>,
}

fn pieces(tx: &Transaction<'_>, id: StoredId) -> rusqlite::Result<Vec<Piece>> {
    tx.prepare_cached(
        "SELECT message, begins_at FROM turn_messages WHERE turn_id = ?1 AND deleted_at_ms IS NULL ORDER BY part",
    )?
    .query_map([id.0], |row| {
        let begins_at = row.get::<_, Option<i64>>(1)?.and_then(|at| usize::try_from(at).ok());
        Ok(Piece { message: rows::parse_column(row, 0)?, begins_at })
    })?
    .collect()
}

/// What is left of a turn's words without those of one message.
struct Cut {
    at: i64,
    bytes: i64,
    gone: String,
    left: String,
}

/// `None` where it is not known which words those are, or no others are left.
fn without(content: &str, pieces: &[Piece], message: &MessageId) -> Option<Cut> {
    let begins: Vec<usize> = pieces.iter().map(|piece| piece.begins_at).collect::<Option<_>>()?;
    let place = pieces.iter().position(|piece| &piece.message == message)?;
    let from = begins[place];
    let to = begins.get(place + 1).copied().unwrap_or(content.len());
    let left = format!("{}{}", content.get(..from)?, content.get(to..)?).trim_end().to_owned();
    let gone = content.get(from..to)?.trim_end().to_owned();
    let (at, bytes) = (i64::try_from(from).ok()?, i64::try_from(to - from).ok()?);
    (!left.is_empty()).then_some(Cut { at, bytes, gone, left })
}

pub(super) fn log(
    tx: &Transaction<'_>,
    kind: &str,
    at: Timestamp,
    channel: &ChannelId,
    message: &MessageId,
    found: &StandingMessage,
) -> rusqlite::Result<()> {
    // Of a longer turn that goes whole only the last deletion carries the words, so that they are not kept once per part.
    let old = (found.parts_left == 1).then_some(&found.content);
    tx.prepare_cached(
        "INSERT INTO events (at_ms, kind, channel, turn_id, message, old_content)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![at.as_millisecond(), kind, channel.as_str(), found.id.0, message.as_str(), old])?;
    Ok(())
}
