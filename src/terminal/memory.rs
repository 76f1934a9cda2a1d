//! `/memory` and `/forget`: what is noted about whoever sits there, and having it forgotten.

use std::fmt::Debug;
use std::sync::PoisonError;

use async_trait::async_trait;
use jiff::civil::Date;

use super::{Terminal, messages};
use crate::domain::Place;

/// Facts shown at once.
const SHOWN: usize = 10;

/// A fact about or by whoever sits there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted {
    /// Its words.
    pub words: String,
    /// When it was learnt.
    pub on: Option<Date>,
    /// Whether it holds no more.
    pub is_past: bool,
}

/// What is to be forgotten of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unwanted {
    /// All of it.
    Everything,
    /// What they said that holds all these words, and what is noted of it.
    Words(String),
}

/// How much that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Messages of theirs.
    pub messages: usize,
    /// What was answered to them.
    pub replies: usize,
    /// Facts in the notes.
    pub facts: usize,
    /// Whole notes.
    pub notes: usize,
    /// Whatever else there is.
    pub traces: usize,
}

/// What is remembered of whoever sits there. Errors are in words for them.
#[async_trait]
pub trait OwnMemory: Send + Sync + Debug {
    /// What is noted and may be said in a place that holds all of these words: what holds comes first, the newest of it.
    async fn noted(&self, place: &Place, about: &str) -> Result<Vec<Noted>, String>;

    /// How much a wish covers; `None` where there is nothing.
    async fn would_forget(&self, what: &Unwanted) -> Result<Option<Extent>, String>;

    /// Forgets it so that it can be taken back for seven days. Goes on when nobody waits for it any more.
    async fn forget(&self, what: Unwanted) -> Result<Option<Extent>, String>;

    /// Takes the last wish back; `None` where there is none that could be.
    async fn undo(&self) -> Result<Option<Extent>, String>;
}

impl Terminal {
    pub(super) async fn show_memory(&self, about: &str) {
        let name = self.name();
        self.screen.note(&match self.parts.memory.noted(&self.place, about).await {
            Ok(noted) if noted.is_empty() => {
                let left = self.parts.memory.would_forget(&Unwanted::Everything).await;
                let is_heard = left.is_ok_and(|left| left.is_some_and(|extent| extent.messages > 0));
                messages::nothing_noted(&name, about, is_heard)
            }
            Ok(noted) => messages::noted(&name, &noted[..noted.len().min(SHOWN)], noted.len()),
            Err(error) => error,
        });
    }

    /// Says what would go. It goes with the next line, if that says so.
    pub(super) async fn ask_to_forget(&self, what: &str) {
        let (memory, name) = (&self.parts.memory, self.name());
        let unwanted = match what.split_once(char::is_whitespace).unwrap_or((what, "")) {
            ("me", "") => Unwanted::Everything,
            ("undo", "") => {
                return self.screen.note(&match memory.undo().await {
                    Ok(Some(extent)) => messages::is_back(&name, extent),
                    Ok(None) => messages::NOTHING_TO_UNDO.to_owned(),
                    Err(error) => error,
                });
            }
            ("" | "what", "") => return self.screen.note(messages::FORGET_WHAT),
            ("what", words) => Unwanted::Words(words.trim().to_owned()),
            // What would go is said, and goes only with a yes.
            _ => Unwanted::Words(what.to_owned()),
        };
        let told = match memory.would_forget(&unwanted).await {
            Ok(Some(extent)) => {
                *self.unwanted.lock().unwrap_or_else(PoisonError::into_inner) = Some(unwanted);
                messages::would_forget(&name, extent)
            }
            Ok(None) => messages::nothing_to_forget(&name),
            Err(error) => error,
        };
        self.screen.note(&told);
    }

    /// What was asked about, where this line is the answer.
    pub(super) fn answered_whether_to_forget(&self) -> Option<Unwanted> {
        self.unwanted.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) async fn forget(&self, unwanted: Unwanted) {
        let name = self.name();
        self.screen.note(&match self.parts.memory.forget(unwanted).await {
            Ok(Some(extent)) => messages::forgotten(&name, extent),
            Ok(None) => messages::nothing_to_forget(&name),
            Err(error) => error,
        });
    }

    fn name(&self) -> String {
        self.parts.character.current().spoken_name().to_owned()
    }
}
