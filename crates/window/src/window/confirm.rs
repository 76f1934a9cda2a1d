//! What a tool would do is asked on the pages of the talk.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::events::{Events, Topic};
use super::messages;
use crate::domain::{Author, Place};
use crate::familiar::LiveCharacter;
use crate::session::{CONFIRM_WITHIN, Confirmation, PlaceAction, PlaceActions, ToolError};
use crate::text::short::one_line;

/// What can be done in the window besides talking: asking.
#[derive(Debug)]
pub(super) struct WindowActions {
    events: Arc<Events>,
    character: Arc<LiveCharacter>,
    open: Mutex<AskedNow>,
}

/// What is asked now, by its number.
#[derive(Debug, Default)]
struct AskedNow {
    newest: u64,
    open: BTreeMap<u64, (QuestionView, oneshot::Sender<bool>)>,
}

/// A question, as it stands in the talk.
#[derive(Debug, Clone, Template)]
#[template(path = "question.html")]
pub(super) struct QuestionView {
    pub number: u64,
    /// Who asks, and why.
    pub asks: String,
    /// In the words of whoever caused it, and of a model.
    pub what: String,
    /// Of the session whose page it stands on; of none where it is told to all, which put their own in.
    pub csrf: String,
}

impl WindowActions {
    pub(super) fn new(events: Arc<Events>, character: Arc<LiveCharacter>) -> Self {
        Self { events, character, open: Mutex::default() }
    }

    /// What is asked now, the longest asked first.
    pub(super) fn open(&self, csrf: &str) -> Vec<QuestionView> {
        let open = self.open.lock();
        open.open.values().map(|(view, _)| QuestionView { csrf: csrf.to_owned(), ..view.clone() }).collect()
    }

    /// A press. One that comes too late does nothing.
    pub(super) fn answered(&self, number: u64, is_yes: bool) {
        let asked = self.open.lock().open.remove(&number);
        if let Some((_, answer)) = asked {
            // Nobody waits for it where the answer it was for is not being written any more.
            let _unheard = answer.send(is_yes);
        }
    }
}

/// Takes the question from all pages, however it ended.
struct Withdrawn<'a>(&'a WindowActions, u64);

impl Drop for Withdrawn<'_> {
    fn drop(&mut self) {
        let Self(actions, number) = self;
        actions.open.lock().open.remove(number);
        actions.events.tell(Topic::Talk, "answered", &json!({ "question": number }));
    }
}

#[async_trait]
impl PlaceActions for WindowActions {
    async fn may(&self, _: &Place, _: &Author, _: &PlaceAction) -> Result<(), ToolError> {
        Err(ToolError::Broken("that cannot be done in the window".to_owned()))
    }

    async fn confirms(&self, ask: Confirmation) -> bool {
        let (answer, answered) = oneshot::channel();
        let character = self.character.current();
        let view = {
            let mut questions = self.open.lock();
            questions.newest += 1;
            let view = QuestionView {
                number: questions.newest,
                asks: messages::confirm_question(character.spoken_name(), ask.after_others_words),
                what: one_line(&ask.what.to_string()),
                csrf: String::new(),
            };
            questions.open.insert(view.number, (view.clone(), answer));
            view
        };
        let _withdrawn = Withdrawn(self, view.number);
        match view.render() {
            Ok(html) => {
                self.events.tell(Topic::Talk, "question", &json!({ "question": view.number, "html": html }));
            }
            Err(error) => tracing::error!(%error, "a question could not be shown in the window"),
        }
        timeout(CONFIRM_WITHIN, answered).await.is_ok_and(|answer| answer.unwrap_or(false))
    }
}
