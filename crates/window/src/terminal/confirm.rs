//! What a tool would do is asked of whoever sits at the keyboard.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::messages;
use super::screen::Screen;
use crate::domain::{Author, Place};
use crate::session::{CONFIRM_WITHIN, Confirmation, PlaceAction, PlaceActions, ToolError};

/// Something that is to be confirmed by the next line.
#[derive(Debug)]
pub(super) struct NextLineQuestion {
    pub(super) shown: String,
    /// Closed when nobody waits for it any more.
    pub(super) answer: oneshot::Sender<bool>,
}

/// What can be done in a terminal besides talking: asking.
#[derive(Debug)]
pub(super) struct TerminalActions {
    screen: Arc<Screen>,
    ask: mpsc::Sender<NextLineQuestion>,
}

impl TerminalActions {
    /// With what it asks, one after the other.
    pub(super) fn new(screen: Arc<Screen>) -> (Arc<Self>, mpsc::Receiver<NextLineQuestion>) {
        let (ask, questions) = mpsc::channel(1);
        (Arc::new(Self { screen, ask }), questions)
    }
}

#[async_trait]
impl PlaceActions for TerminalActions {
    async fn may(&self, _: &Place, _: &Author, _: &PlaceAction) -> Result<(), ToolError> {
        Err(ToolError::Broken("that cannot be done in a terminal".to_owned()))
    }

    /// Only where somebody sees the question: what comes out of a file was written without it.
    async fn confirms(&self, ask: Confirmation) -> bool {
        if !self.screen.is_prompted() {
            return false;
        }
        let (answer, answered) = oneshot::channel();
        let question =
            NextLineQuestion { shown: messages::confirm_question(&self.screen.name(), &ask), answer };
        let asked = async {
            self.ask.send(question).await.ok()?;
            answered.await.ok()
        };
        timeout(CONFIRM_WITHIN, asked).await.ok().flatten().unwrap_or(false)
    }
}

/// A line that answers whether something shall be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum YesOrNo {
    Yes,
    No,
    /// It says something else, which is a no, and is to be heard.
    Else,
}

impl YesOrNo {
    pub(super) fn of(line: &str) -> Self {
        match &*line.trim().to_lowercase() {
            "yes" | "y" => Self::Yes,
            "no" | "n" | "" => Self::No,
            _ => Self::Else,
        }
    }
}
