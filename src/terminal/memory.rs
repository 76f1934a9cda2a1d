//! `/memory`, `/reminders` and `/forget`: what is kept of whoever sits there, and having it forgotten.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use indicatif::{ProgressBar, ProgressStyle};
use jiff::civil::Date;
use tokio::sync::watch;

use super::screen::Screen;
use super::{Terminal, messages};
use crate::domain::{AccountId, Place, ReminderId};
use crate::embedding::Standing;

/// Facts shown at once.
const SHOWN: usize = 10;

/// A fact about or by whoever sits there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted {
    pub words: String,
    /// When it was learnt.
    pub on: Option<Date>,
    /// Whether it holds no more.
    pub is_past: bool,
}

/// What is to be forgotten of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unwanted {
    Everything,
    /// What they said that holds all these words, and what is noted of it.
    Words(String),
}

/// How much that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    pub messages: usize,
    /// What was answered to them.
    pub replies: usize,
    /// Facts in the notes.
    pub facts: usize,
    pub notes: usize,
    /// Whatever else there is.
    pub traces: usize,
}

/// What is remembered of whoever sits there. Errors are in words for them.
#[async_trait]
pub trait OwnMemory: Send + Sync + Debug {
    /// What is noted and may be said in a place that holds all of these words: what holds comes first, the newest of it.
    async fn noted(&self, place: &Place, about: &str) -> Result<Vec<Noted>, String>;

    /// How much a request covers; `None` where there is nothing.
    async fn would_forget(&self, what: &Unwanted) -> Result<Option<Extent>, String>;

    /// Forgets it so that it can be taken back for seven days. Goes on when nobody waits for it any more.
    async fn forget(&self, what: Unwanted) -> Result<Option<Extent>, String>;

    /// Takes the last request back; `None` where there is none that could be.
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
            Ok(noted) => messages::noted_told(&name, &noted[..noted.len().min(SHOWN)], noted.len()),
            Err(error) => error,
        });
    }

    /// Lists what the operator asked to be reminded of, or cancels one of it: "cancel 3".
    pub(super) async fn show_reminders(&self, what: &str) {
        let (session, operator) = (&self.parts.session, AccountId::operator());
        if what.is_empty() {
            return self.screen.note(&match session.reminders(&operator, &self.place, false).await {
                Ok(kept) => messages::reminders_told(&self.name(), &kept),
                Err(error) => error.to_string(),
            });
        }
        let Some(Ok(id)) = what.strip_prefix("cancel").map(|id| id.trim().parse()) else {
            return self.screen.note(messages::REMINDERS_USAGE);
        };
        self.screen.note(
            &match session.cancel_reminder(ReminderId(id), &operator, &self.place, false).await {
                Ok(Some(_)) => messages::reminder_cancelled(id),
                Ok(None) => messages::no_such_reminder(id),
                Err(error) => error.to_string(),
            },
        );
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
                *self.unwanted.lock() = Some(unwanted);
                messages::would_forget(&name, extent)
            }
            Ok(None) => messages::nothing_noted_to_forget(&name),
            Err(error) => error,
        };
        self.screen.note(&told);
    }

    /// What was asked about, where this line is the answer.
    pub(super) fn answered_whether_to_forget(&self) -> Option<Unwanted> {
        self.unwanted.lock().take()
    }

    pub(super) async fn forget(&self, unwanted: Unwanted) {
        let name = self.name();
        self.screen.note(&match self.parts.memory.forget(unwanted).await {
            Ok(Some(extent)) => messages::forgotten_here(&name, extent),
            Ok(None) => messages::nothing_noted_to_forget(&name),
            Err(error) => error,
        });
    }

    fn name(&self) -> String {
        self.parts.character.current().spoken_name().to_owned()
    }
}

/// Files smaller than this come too quickly to be worth a bar, in bytes.
const WORTH_A_BAR: u64 = 4 << 20;

/// Follows the model until it is ready or it is clear that there is none. The bar goes to standard error, and only where
/// that is a terminal in which nobody is typing.
pub async fn show_fetching(mut changes: watch::Receiver<Standing>, screen: Arc<Screen>) {
    let mut bar: Option<ProgressBar> = None;
    loop {
        let standing = changes.borrow_and_update().clone();
        match standing {
            Standing::Fetching { done, total } if total >= WORTH_A_BAR => {
                let bar = bar.get_or_insert_with(|| {
                    screen.remark(&messages::fetching_model(total));
                    if screen.is_prompted() { ProgressBar::hidden() } else { new_bar(total) }
                });
                bar.set_position(done);
            }
            Standing::Fetching { .. } | Standing::Loading => {}
            Standing::Ready { .. } => {
                if let Some(bar) = bar {
                    bar.finish_and_clear();
                    screen.remark(messages::MODEL_FETCHED);
                }
                return;
            }
            Standing::Failed(reason) => {
                bar.into_iter().for_each(|bar| bar.finish_and_clear());
                screen.remark(&messages::no_embedding_model(&reason));
                return;
            }
            Standing::Off => return,
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

fn new_bar(total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    // A template that cannot be read leaves the library's own.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {eta}") {
        bar.set_style(style);
    }
    bar
}
