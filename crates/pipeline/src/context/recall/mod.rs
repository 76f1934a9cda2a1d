//! Looking things up for a turn: one question over everything the familiar has, fused into one ranking
//! (A11 to A13, Y11, Y14).
//!
//! Owns the sources, how their answers are ranked and how the rankings are joined. Must not know prompts, layers or
//! budgets. Start reading at [`Recall`].

mod ahead;
mod asked;
mod conversation;
mod field;
mod graph;
mod holdings;
mod index;
mod lore;
mod meaning;
mod near;
mod notes;
mod query;
mod rank;
mod run;
mod signals;
mod sources;
mod summaries;
mod time;
mod vectors;
mod weights;

pub(super) use ahead::{Awaited, Due, awaited_in, due_in, words_for};
pub use conversation::ConversationSource;
pub use graph::GraphSource;
pub use holdings::PipelineParts;
pub use lore::LoreSource;
pub(super) use lore::{entry_key, is_lore, is_of_entry};
pub use meaning::{Meaning, MeaningError, MeaningReader, Meant, Pace};
pub use notes::NotesSource;
pub use query::{Circumstances, QueryClass, RecallQuery};
pub use run::{RERANKED, Recall, Recalled};
pub use signals::RankedTurn;
pub use sources::DocumentSource;
pub use summaries::SummarySource;
pub use time::{TimeWindow, window_in};

use std::fmt::Debug;

use async_trait::async_trait;
use jiff::Timestamp;
use tokio::task::JoinError;

use crate::domain::{Audience, ChannelId, StoredId};
use crate::graph::GraphError;
use crate::history::{HistoryError, Visible};
use crate::memory::index::IndexError;
use crate::text::keywords;
use crate::world::PlaceView;

/// One line of what was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundLine {
    pub text: String,
    /// Whose, for people; `None` for the familiar's own or where nobody in particular wrote it.
    pub author: Option<String>,
    /// Where it was said: the channel, and its name for people as last seen.
    pub place: Option<(ChannelId, String)>,
    pub at: Option<Timestamp>,
    /// Where it was learnt.
    pub audience: Audience,
    /// Provenance: message ids, or file and heading.
    pub source: String,
    /// The stored turn it is, where it is one.
    pub turn: Option<StoredId>,
    /// Whether this line itself was found, rather than came along.
    pub is_hit: bool,
}

impl FoundLine {
    /// The name of the channel that it was said in, where that may be named here.
    pub fn named_place(&self, here: PlaceView<'_>) -> Option<&str> {
        let (channel, name) = self.place.as_ref()?;
        here.may_name(channel, name).then_some(name.as_str())
    }
}

/// Something that was found: an exchange, a paragraph of a note, what two people have to do with each other. Whole, as
/// it should be quoted.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The same for the same find, whichever search brought it.
    pub key: String,
    /// Its lines in order; never empty.
    pub lines: Vec<FoundLine>,
    /// Turns that are quoted with it, as far as they are no lines of it yet: read once it is known that it is quoted.
    pub beside: Vec<StoredId>,
    /// How likely it is to be what was asked for, 0 to 1, comparable between sources.
    pub score: f32,
}

impl Found {
    /// One line that nobody said here: of a note, of the lore, about two people.
    pub(in crate::context) fn known(
        key: String,
        text: String,
        audience: Audience,
        source: String,
        score: f32,
    ) -> Self {
        let line = FoundLine {
            text,
            author: None,
            place: None,
            at: None,
            audience,
            source,
            turn: None,
            is_hit: true,
        };
        Self { key, lines: vec![line], beside: Vec::new(), score }
    }
}

/// How much of a question a text holds, by how much each of its words tells.
fn held(text: &str, terms: &[String], idf: &[f32]) -> f32 {
    let words = keywords::terms(text);
    terms.iter().zip(idf).filter(|(term, _)| words.contains(term)).map(|(_, idf)| idf).sum()
}

/// Why a source could not be searched. The others still are.
#[derive(Debug, thiserror::Error)]
pub enum RecallError {
    /// The history could not be read.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The notes could not be.
    #[error(transparent)]
    Notes(#[from] IndexError),
    /// The graph could not be brought up to date.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The program is going down.
    #[error("the search was broken off")]
    BrokenOff(#[from] JoinError),
}

/// Somewhere to look things up.
#[async_trait]
pub trait RecallSource: Send + Sync + Debug {
    /// Its name in traces.
    fn name(&self) -> &'static str;

    /// How much its ranking counts for a question of this class; 1 is ordinary (contradiction 13).
    fn weight(&self, class: QueryClass) -> f32;

    /// Whether it is worth asking in this way to put the question.
    fn takes(&self, _query: &RecallQuery) -> bool {
        true
    }

    /// Whether its search takes one of the places that a plan allows. One that is cheap and mostly not there does not: what
    /// somebody sent must not keep a small question from being looked up in the notes.
    fn takes_a_place(&self) -> bool {
        true
    }

    /// What it has, best first, at most three times as many as are asked for; nothing that `visible` may not see, not
    /// even as context.
    ///
    /// # Errors
    /// When it could not look.
    async fn search(&self, query: &RecallQuery, visible: &Visible) -> Result<Vec<Found>, RecallError>;

    /// Reads what else is to be quoted with those finds of its own that are quoted.
    ///
    /// # Errors
    /// When it could not look. The finds are as they were then.
    async fn complete(
        &self,
        _found: &mut [Found],
        _query: &RecallQuery,
        _visible: &Visible,
    ) -> Result<(), RecallError> {
        Ok(())
    }

    /// Gets ready for the first question, where that takes long.
    async fn warm_up(&self) {}
}
