//! What a tool would do is asked of whoever sits at the keyboard.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::messages;
use super::screen::Screen;
use crate::domain::{Author, Place};
use crate::session::{CONFIRM_WITHIN, Confirmation, PlaceAction, PlaceActions, ToolError};
use crate::text::phrases::is_listed;
use crate::text::punctuation::has_question_mark;

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
    /// In any language there are phrases of.
    pub(super) fn of(line: &str) -> Self {
        let line = line.trim();
        let word = line.trim_matches(|c: char| !c.is_alphanumeric()).replace('’', "'");
        // Who asks back has not agreed.
        if is_listed("yes", &word) && !has_question_mark(line) {
            Self::Yes
        } else if line.is_empty() || is_listed("no", &word) {
            Self::No
        } else {
            Self::Else
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_and_no_are_understood_in_every_language_and_other_words_are_neither() {
        for (yes, no) in [
            ("Yes", "Nope."),
            ("Ja!", "nein"),
            ("oui", "non"),
            ("¡Sí!", "mejor no"),
            ("sim", "não"),
            ("sì", "lascia stare"),
            ("ja graag", "nee"),
            ("tak", "nie"),
            ("Да.", "нет"),
            ("evet", "hayır"),
            ("はい", "いいえ"),
            ("是的", "不要"),
            ("네", "아니요"),
            ("Y", " "),
        ] {
            assert_eq!(YesOrNo::of(yes), YesOrNo::Yes, "{yes}");
            assert_eq!(YesOrNo::of(no), YesOrNo::No, "{no}");
        }
        for other in
            ["yes?", "ok", "yes, and my boat?", "no idea what you mean", "what of the crew?", "?", "…"]
        {
            assert_eq!(YesOrNo::of(other), YesOrNo::Else, "{other}");
        }
    }
}
