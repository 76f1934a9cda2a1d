//! A conversation that begins anew, and that taken back: what `/reset` does on Discord.
//!
//! Where it began stands in the address of the page that offers to take it back, as it does under Discord's button: nothing
//! waits in between.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};

use super::door::SentForm;
use super::pages::Refusal;
use super::shared::Shared;
use crate::domain::Place;
use crate::history::{Beginning, HistoryError};
use crate::terminal;

/// For the talk in the window.
pub(super) const RESET_TALK: &str = "/talk/reset";

/// What became of it, in an address.
const NOTHING: &str = "nothing";
const BACK: &str = "back";
const SINCE: &str = "since";

/// What was done, on the page of the place.
#[derive(Debug)]
pub(super) struct BegunAnew {
    pub words: String,
    /// Where it is taken back, and what is sent there.
    pub action: String,
    pub undo: Option<String>,
}

impl BegunAnew {
    /// Marks where it begins, for whoever comes back later.
    pub(super) fn mark(shared: &Shared) -> Self {
        let words = terminal::begins_anew(shared.parts.character.current().spoken_name());
        Self { words, action: RESET_TALK.to_owned(), undo: None }
    }

    /// What the address of a page says of it.
    pub(super) fn told(shared: &Shared, action: &str, began: &str) -> Option<Self> {
        let character = shared.parts.character.current();
        let name = character.spoken_name();
        let words = match began {
            NOTHING => terminal::NOTHING_TO_RESET.to_owned(),
            BACK => terminal::reset_undone(name),
            SINCE => terminal::RESET_SINCE.to_owned(),
            _ => {
                parse_beginnings(began)?;
                terminal::begins_anew(name)
            }
        };
        let undo = parse_beginnings(began).is_some().then(|| began.to_owned());
        Some(Self { words, action: action.to_owned(), undo })
    }
}

/// Where it begins now, and where it began before.
fn parse_beginnings(began: &str) -> Option<(Beginning, Beginning)> {
    let (now, before) = began.split_once('-')?;
    Some((Beginning(now.parse().ok()?), Beginning(before.parse().ok()?)))
}

pub(super) async fn post_of_talk(
    State(shared): State<Arc<Shared>>,
    form: SentForm,
) -> Result<Response, Refusal> {
    let place = shared.talk.place().clone();
    let answer = begins(&shared, &place, "/talk", &form).await;
    shared.talk.begin_anew();
    shared.events.talk_changed();
    answer
}

/// Has the conversation in a place begin as a form wants it, and goes on to the page of the place, which tells of it.
pub(super) async fn begins(
    shared: &Shared,
    place: &Place,
    page: &str,
    form: &SentForm,
) -> Result<Response, Refusal> {
    let (session, channel) = (&shared.parts.session, &place.channel);
    let told = match form.0.get("began") {
        None => match session.begin_conversation(channel).await.map_err(unwritten)? {
            Some((Beginning(before), Beginning(now))) => format!("{now}-{before}"),
            None => NOTHING.to_owned(),
        },
        Some(began) => {
            let (now, before) = parse_beginnings(began).ok_or(Refusal(StatusCode::BAD_REQUEST))?;
            let is_back = session.begin_again(channel, now, before).await.map_err(unwritten)?;
            if is_back { BACK } else { SINCE }.to_owned()
        }
    };
    Ok(Redirect::to(&format!("{page}?began={told}")).into_response())
}

fn unwritten(error: HistoryError) -> Refusal {
    tracing::warn!(%error, "where a conversation begins could not be written from the window");
    Refusal(StatusCode::INTERNAL_SERVER_ERROR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_it_began_is_read_back_and_nothing_else_is() {
        assert_eq!(parse_beginnings("12-3"), Some((Beginning(12), Beginning(3))));
        for other in ["", "12", "12-", "-3", "x-y", NOTHING, BACK, SINCE] {
            assert_eq!(parse_beginnings(other), None, "{other}");
        }
    }
}
