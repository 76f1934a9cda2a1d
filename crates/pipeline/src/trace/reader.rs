//! Records in a file that a familiar may be writing at the same time: read only, so nothing is migrated and no turn number
//! is reserved. Blocks. Start at [`TraceReader::open`].

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};

use super::store::{FEW, Selection, TraceError, body_of, parse_trace, that_asked};
use crate::domain::{
    ChannelId, ChatMessage, ChunkFate, ChunkRecord, LAYER_MARKER, Layer, Role, TurnId, TurnTrace,
};
use crate::sqlite::DatabaseError;
use crate::text::keywords::{is_unspaced_letter, terms, words as every_word, written_words};
use crate::text::short::one_line;

/// How long to wait while somebody writes.
const PATIENCE: Duration = Duration::from_secs(1);

/// Looks into a `traces.db` from outside.
#[derive(Debug)]
pub struct TraceReader {
    connection: Connection,
}

impl TraceReader {
    /// Opens the file, which must be there.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let refused = |why| DatabaseError::Open { path: path.to_owned(), why };
        let connection =
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(refused)?;
        connection.busy_timeout(PATIENCE).map_err(refused)?;
        Ok(Self { connection })
    }

    /// One turn's trace; `None` where there is none.
    pub fn get(&self, turn: TurnId) -> Result<Option<TurnTrace>, TraceError> {
        let body = body_of(&self.connection, turn).map_err(DatabaseError::from)?;
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
        let rows = wanted.read(&self.connection, limit).map_err(DatabaseError::from)?;
        rows.into_iter().map(|(turn, body)| parse_trace(turn, &body)).collect()
    }
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

/// What a turn's record says about some words.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordWords<'a> {
    /// Where they stand in what was sent to the model, in its order.
    pub sent: Vec<Sent>,
    /// Pieces that hold them and were not sent, with what became of them.
    pub left_out: Vec<&'a ChunkRecord>,
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

/// The words of a search. A text holds them that holds all of them, as words are told apart where something is to be
/// forgotten: in any of their forms, and between letters that no spaces part.
#[derive(Debug)]
pub struct SoughtWords {
    words: BTreeSet<String>,
    /// Whether no search is about any of them: then they count as they are.
    are_small: bool,
}

impl SoughtWords {
    pub fn of(words: &str) -> Self {
        let are_small = terms(words).is_empty();
        let none = Self { words: BTreeSet::new(), are_small };
        Self { words: none.read(words), ..none }
    }

    pub fn are_in(&self, text: &str) -> bool {
        !self.words.is_empty() && self.words.is_subset(&self.read(text))
    }

    fn read(&self, text: &str) -> BTreeSet<String> {
        if self.are_small { every_word(text).collect() } else { terms(text).into_iter().collect() }
    }

    /// How many of them stand in a text.
    fn count_in(&self, text: &str) -> usize {
        self.words.intersection(&self.read(text)).count()
    }

    /// Where they stand in a text that holds them, as they are written there: the first place with most of them.
    fn excerpt(&self, text: &str) -> Option<String> {
        if !self.are_in(text) {
            return None;
        }
        let places = pieces(text).into_iter().filter(|piece| self.count_in(&text[piece.clone()]) > 0);
        let excerpts = places.map(|place| around(text, place));
        excerpts.min_by_key(|excerpt| Reverse(self.count_in(excerpt)))
    }
}

/// Where the words of a text stand, in bytes; where no spaces part words, each pair of letters.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let (mut pieces, mut behind) = (Vec::new(), 0);
    for word in written_words(text) {
        let Some(at) = text[behind..].find(word).map(|gap| behind + gap) else { break };
        behind = at + word.len();
        if !word.contains(is_unspaced_letter) {
            pieces.push(at..behind);
            continue;
        }
        let letters: Vec<usize> = word.char_indices().map(|(letter, _)| at + letter).collect();
        let pair = |number: usize| letters[number]..letters.get(number + 2).copied().unwrap_or(behind);
        pieces.extend((0..letters.len()).map(pair));
    }
    pieces
}

/// A place in a text with some of what stands around it.
fn around(text: &str, place: Range<usize>) -> String {
    let (before, found, after) = (&text[..place.start], &text[place.clone()], &text[place.end..]);
    let head: String = before.chars().rev().take(AROUND).collect::<Vec<_>>().into_iter().rev().collect();
    let tail: String = after.chars().take(AROUND).collect();
    let open = if head.len() < before.len() { "…" } else { "" };
    let close = if tail.len() < after.len() { "…" } else { "" };
    format!("{open}{head}{found}{tail}{close}")
}

/// Looks for words in what a turn sent and in what it left out. What was held back for its audience is looked through for the
/// operator only.
pub fn find_words<'a>(trace: &'a TurnTrace, sought: &SoughtWords, reader: Rights) -> RecordWords<'a> {
    let sent = (1..)
        .zip(&trace.request)
        .filter(|(_, sent)| reader.may_read(sent))
        .filter_map(|(message, sent)| {
            let excerpt = sought.excerpt(&one_line(&sent.content))?;
            Some(Sent { message, role: sent.role, excerpt })
        })
        .collect();
    let left_out = trace
        .assembly
        .iter()
        .flat_map(|assembly| &assembly.chunks)
        .filter(|chunk| chunk.fate != ChunkFate::Kept)
        .filter(|chunk| reader.may_read_piece(chunk))
        .filter(|chunk| chunk.excerpt.as_ref().is_some_and(|text| sought.are_in(text)))
        .collect();
    RecordWords { sent, left_out }
}
