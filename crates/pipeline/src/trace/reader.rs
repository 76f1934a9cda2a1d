//! Records in a file that a familiar may be writing at the same time: read only, so nothing is migrated and no turn number
//! is reserved. Blocks. Start at [`TraceReader::open`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use unicode_normalization::char::is_combining_mark;

use super::store::{FEW, Selection, TraceError, TraceStore, body_of, parse_trace, that_asked};
use crate::domain::{
    ChannelId, ChatMessage, ChunkFate, ChunkRecord, LAYER_MARKER, Layer, Role, TurnId, TurnTrace,
};
use crate::sqlite::DatabaseError;
use crate::text::names::is_unspaced;
use crate::text::short::one_line;

/// How long to wait while somebody writes.
const PATIENCE: Duration = Duration::from_secs(1);

/// Looks into a `traces.db` from outside.
#[derive(Debug)]
pub struct TraceReader {
    connection: Connection,
    path: PathBuf,
}

impl TraceReader {
    /// Opens the file, which must be there.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let refused = |why| refused(path, why);
        let connection =
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(refused)?;
        connection.busy_timeout(PATIENCE).map_err(refused)?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// One turn's trace; `None` where there is none.
    pub fn get(&self, turn: TurnId) -> Result<Option<TurnTrace>, TraceError> {
        let body = body_of(&self.connection, turn).map_err(|why| refused(&self.path, why))?;
        body.map(|body| parse_trace(turn, &body)).transpose()
    }

    /// The newest traces, of one channel or of all, newest first.
    pub fn newest(&self, channel: Option<&ChannelId>, limit: usize) -> Result<Vec<TurnTrace>, TraceError> {
        self.select(&Selection { channel: channel.cloned(), ..Selection::default() }, limit)
    }

    /// The newest trace, of one channel or of all, of a turn that asked a model: greetings and silences do not. Where none of
    /// the newest did, the newest.
    pub fn latest_that_asked(&self, channel: Option<&ChannelId>) -> Result<Option<TurnTrace>, TraceError> {
        Ok(that_asked(self.newest(channel, FEW)?))
    }

    /// The traces of turns that began at a moment or later, newest first.
    pub fn since(&self, from: Timestamp, limit: usize) -> Result<Vec<TurnTrace>, TraceError> {
        self.select(&Selection { since: Some(from), ..Selection::default() }, limit)
    }

    fn select(&self, wanted: &Selection, limit: usize) -> Result<Vec<TurnTrace>, TraceError> {
        let rows = wanted.read(&self.connection, limit).map_err(|why| refused(&self.path, why))?;
        rows.into_iter().map(|(turn, body)| parse_trace(turn, &body)).collect()
    }
}

/// SQLite looks at a file only once it is read from, so that one which is none is found as late as that.
fn refused(path: &Path, why: rusqlite::Error) -> DatabaseError {
    DatabaseError::Open { path: path.to_owned(), why, mend: TraceStore::MEND }
}

/// What somebody is to this installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    /// Runs it: whoever sits at the machine, or is named its owner on the platform.
    Operator,
    /// Anybody else, who may also read the card and the lore.
    Reader,
    Person,
}

impl Rights {
    /// Whether they may read a message of the request. The card, the lore and what is looked up stand in system messages
    /// and under the prompt's own headings; the rest is the conversation that they took part in.
    pub fn may_read(self, message: &ChatMessage) -> bool {
        self != Self::Person || (message.role != Role::System && !message.content.contains(LAYER_MARKER))
    }

    /// Whether they may read a piece of what was gathered.
    pub fn may_read_piece(self, chunk: &ChunkRecord) -> bool {
        let is_authors = chunk.layer == Layer::Character || chunk.source.starts_with("lore");
        match self {
            Self::Operator => true,
            Self::Reader => !matches!(chunk.fate, ChunkFate::NotForHere { .. }),
            Self::Person => !is_authors && !matches!(chunk.fate, ChunkFate::NotForHere { .. }),
        }
    }
}

/// Characters shown on either side of a place where the words stand.
const AROUND: usize = 60;

/// Shorter words stand within others by chance: "Ana" in "danach", "Ed" in "walked".
const WITHIN_FROM_CHARS: usize = 4;

/// What a turn's record says about some words.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordWords<'a> {
    /// Where they stand in what was sent to the model, in its order.
    pub sent: Vec<Sent>,
    /// Pieces that hold them and were not sent, with what became of them.
    pub left_out: Vec<&'a ChunkRecord>,
    /// Whether they were looked for within longer words.
    pub is_within: bool,
}

impl RecordWords<'_> {
    pub fn is_empty(&self) -> bool {
        self.sent.is_empty() && self.left_out.is_empty()
    }
}

/// One place in the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Which message, from 1, as the x-ray numbers them.
    pub message: usize,
    pub role: Role,
    /// The words with some of what stands around them.
    pub excerpt: String,
}

/// Words that somebody asks for; letter case and spacing do not matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordsAsked {
    searchable: String,
    may_be_within: bool,
}

impl WordsAsked {
    /// As they stand from the beginning of a word on: "Ana" is not in "banana", "dentist" is in "dentists".
    pub fn of(words: &str) -> Self {
        Self { searchable: searchable(words), may_be_within: false }
    }

    /// The same within longer words, too: "Boot" is in "Segelboot". `None` where they are too short for that to mean them.
    pub fn within(self) -> Option<Self> {
        let is_long = self.searchable.chars().count() >= WITHIN_FROM_CHARS;
        is_long.then_some(Self { may_be_within: true, ..self })
    }

    /// Whether they stand in a text.
    pub fn are_in(&self, text: &str) -> bool {
        self.start_in(&searchable(text)).is_some()
    }

    /// Where they begin in a searchable text. Where no spaces part words any letter may begin one.
    fn start_in(&self, text: &str) -> Option<usize> {
        let is_spaced = |c: char| (c.is_alphanumeric() || is_combining_mark(c)) && !is_unspaced(c);
        let mut before = None;
        text.char_indices().find_map(|(at, letter)| {
            let is_within = before.replace(letter).is_some_and(is_spaced) && is_spaced(letter);
            let may_begin = self.may_be_within || !is_within;
            (may_begin && text[at..].starts_with(&self.searchable)).then_some(at)
        })
    }
}

/// Looks for words in what a turn sent and in what it left out. What was held back for its audience is looked through for the
/// operator only.
pub fn find_words<'a>(trace: &'a TurnTrace, words: &WordsAsked, reader: Rights) -> RecordWords<'a> {
    if words.searchable.is_empty() {
        return RecordWords::default();
    }
    let sent = (1..)
        .zip(&trace.request)
        .filter(|(_, sent)| reader.may_read(sent))
        .filter_map(|(message, sent)| {
            let excerpt = around_words(&one_line(&sent.content), words)?;
            Some(Sent { message, role: sent.role, excerpt })
        })
        .collect();
    let left_out = trace
        .assembly
        .iter()
        .flat_map(|assembly| &assembly.chunks)
        .filter(|chunk| chunk.fate != ChunkFate::Kept)
        .filter(|chunk| reader.may_read_piece(chunk))
        .filter(|chunk| chunk.excerpt.as_ref().is_some_and(|text| words.are_in(text)))
        .collect();
    RecordWords { sent, left_out, is_within: words.may_be_within }
}

/// Every run of white space one space, and lower case letter by letter: [`around_words`] has to know which became which.
fn searchable(text: &str) -> String {
    one_line(text).chars().flat_map(char::to_lowercase).collect()
}

/// Where the words stand in a text, as they are written there.
fn around_words(text: &str, words: &WordsAsked) -> Option<String> {
    // A letter in lower case may be longer or shorter than it is in upper case: which byte belongs to which is kept.
    let (mut lower, mut from) = (String::with_capacity(text.len()), Vec::with_capacity(text.len()));
    for (at, letter) in text.char_indices() {
        lower.extend(letter.to_lowercase());
        from.resize(lower.len(), (at, at + letter.len_utf8()));
    }
    let at = words.start_in(&lower)?;
    let (begin, _) = *from.get(at)?;
    let (_, end) = *from.get(at + words.searchable.len() - 1)?;
    let (before, found, after) = (&text[..begin], &text[begin..end], &text[end..]);
    let head: String = before.chars().rev().take(AROUND).collect::<Vec<_>>().into_iter().rev().collect();
    let tail: String = after.chars().take(AROUND).collect();
    let open = if head.len() < before.len() { "…" } else { "" };
    let close = if tail.len() < after.len() { "…" } else { "" };
    Some(format!("{open}{head}{found}{tail}{close}"))
}
