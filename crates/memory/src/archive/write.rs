//! The way out, and the lines that both ways have.

use std::io::{self, Write};
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::task::JoinError;

use crate::domain::StoredId;
use crate::history::{
    History, HistoryError, KeptChannel, KeptComing, KeptFeeling, KeptMark, KeptPassedOver, KeptReminder,
    KeptTurn, PlacedResponse,
};
use crate::memory::Memory;
use crate::memory::store::{NotePath, StoreError};

/// Turns read at a time.
const STRETCH: u32 = 1_000;

/// Authored folders: the card's own export has them.
const AUTHORED: [&str; 2] = ["self", "lore"];

/// Why memories could not be written out.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A line could not be written.
    #[error("the memories cannot be written: {0}")]
    Io(#[from] io::Error),
    #[error("it was broken off")]
    BrokenOff(#[from] JoinError),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// All of them, with the notes and how far everything had come.
    Everything,
    /// What was said from one moment to before another, with its channels and nothing else.
    Between(Timestamp, Timestamp),
}

/// Writes memories out, line by line: the same memories, the same bytes. How many turns.
///
/// # Errors
/// When a store cannot be read or a line not be written.
pub async fn export(
    history: &History,
    memory: &Memory,
    span: Span,
    out: &mut (dyn Write + Send),
) -> Result<u64, ExportError> {
    write_archive_line(out, &ArchiveLine::FamiliarMemory { version: VERSION })?;
    for channel in history.whole().kept_channels().await? {
        write_archive_line(out, &ArchiveLine::Channel(channel))?;
    }
    let mut after = StoredId(0);
    let mut count = 0;
    loop {
        let turns = history.whole().kept_after(after, STRETCH).await?;
        let Some(last) = turns.last().map(|turn| StoredId(turn.id)) else { break };
        after = last;
        for turn in turns.into_iter().filter(|turn| is_in(span, turn.at_ms)) {
            count += 1;
            write_archive_line(out, &ArchiveLine::Turn(Box::new(turn)))?;
        }
    }
    if span != Span::Everything {
        return Ok(count);
    }
    let state = history.whole().kept_state().await?;
    for mark in state.marks {
        write_archive_line(out, &ArchiveLine::Mark(mark))?;
    }
    for feeling in state.feelings {
        write_archive_line(out, &ArchiveLine::Feeling(feeling))?;
    }
    for stretch in state.passed_over {
        write_archive_line(out, &ArchiveLine::PassedOver(stretch))?;
    }
    for coming in state.comings {
        write_archive_line(out, &ArchiveLine::Coming(coming))?;
    }
    for reminder in state.reminders {
        write_archive_line(out, &ArchiveLine::Reminder(Box::new(reminder)))?;
    }
    for response in history.whole().all_responses(None).await? {
        write_archive_line(out, &ArchiveLine::Response(response.into()))?;
    }
    let store = Arc::clone(memory.whole().store);
    let notes = tokio::task::spawn_blocking(move || notes(&store)).await??;
    for note in notes {
        write_archive_line(out, &ArchiveLine::Note(note))?;
    }
    Ok(count)
}

fn is_in(span: Span, at_ms: i64) -> bool {
    match span {
        Span::Everything => true,
        Span::Between(from, to) => (from.as_millisecond()..to.as_millisecond()).contains(&at_ms),
    }
}

/// Every note that is a memory and text, by its path.
fn notes(store: &crate::memory::store::MemoryStore) -> Result<Vec<NoteLine>, StoreError> {
    let (mut notes, mut after) = (Vec::new(), None);
    loop {
        let listing = store.list(None, after.as_ref())?;
        for file in &listing.files {
            if is_memory(&file.path)
                && let Ok(note) = store.read(&file.path)
            {
                notes.push(NoteLine { path: file.path.to_string(), text: note.text });
            }
        }
        after = listing.files.last().map(|file| file.path.clone());
        if !listing.is_more {
            return Ok(notes);
        }
    }
}

/// What the program writes: Markdown and the names of people.
pub(super) fn is_memory(path: &NotePath) -> bool {
    let is_written = path.is_markdown() || path.as_str() == "people/_aliases.json";
    is_written && !AUTHORED.iter().any(|folder| path.is_in(folder))
}

fn write_archive_line(out: &mut (dyn Write + Send), line: &ArchiveLine) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

/// The form's number; a reader refuses a higher one.
pub(super) const VERSION: u32 = 5;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArchiveLine {
    /// The first line: which form it is.
    FamiliarMemory {
        version: u32,
    },
    Channel(KeptChannel),
    /// A turn, in the order in which they came.
    Turn(Box<KeptTurn>),
    /// How far a job had come.
    Mark(KeptMark),
    Feeling(KeptFeeling),
    /// A stretch that a job passed over and still wants to read.
    PassedOver(KeptPassedOver),
    /// Somebody who came to a guild, or left.
    Coming(KeptComing),
    /// What somebody asked to be reminded of.
    Reminder(Box<KeptReminder>),
    /// What somebody who let it learn did with a reply. It is theirs, so it is written out; it is not taken in, because who lets
    /// it learn stands in no export.
    Response(ResponseLine),
    Note(NoteLine),
}

/// What somebody did with a reply: without any words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResponseLine {
    pub account: String,
    pub deed: String,
    pub at: Timestamp,
    /// Where the reply stands, its row, and how many characters it had.
    pub channel: String,
    pub reply: i64,
    pub reply_characters: u32,
    /// What its turn used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

impl From<PlacedResponse> for ResponseLine {
    fn from(placed: PlacedResponse) -> Self {
        let PlacedResponse { channel, response, .. } = placed;
        Self {
            account: response.by.to_string(),
            deed: response.deed.as_str().to_owned(),
            at: response.at,
            channel: channel.to_string(),
            reply: response.reply.0,
            reply_characters: response.chars,
            tools: response.tools,
        }
    }
}

/// A note as it stands in its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteLine {
    /// Its path in the memory folder.
    pub path: String,
    pub text: String,
}
