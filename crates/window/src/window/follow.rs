//! Who follows what moves on a page.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::stream;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::events::{Events, Listening, PIECE, Topic, TopicEvent};
use super::pages::{Refusal, Visitor};
use super::room_now::NowIn;
use super::rooms;
use super::shared::Shared;
use crate::domain::ChannelId;

/// After so long a page asks anew, which it does by itself.
const STREAM_LIFE: Duration = Duration::from_secs(3600);

/// So often what changes from moment to moment is looked at.
const LOOKS_EVERY: Duration = Duration::from_secs(1);

/// So often a page is told of an answer that grows: the newest of what came in between.
const GROWS_EVERY: Duration = Duration::from_millis(100);

/// So long nothing need happen until the browser is told that the connection is still there.
const STILL_THERE: Duration = Duration::from_secs(20);

#[derive(Debug, Deserialize)]
pub(super) struct Follow {
    #[serde(default)]
    topic: String,
    /// Of a room.
    place: Option<String>,
    /// The newest event that a page knows of; browsers name it by themselves only where its connection broke off.
    seen: Option<u64>,
}

/// What moves on a page, as it happens.
pub(super) async fn follow_events(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Query(Follow { topic, place, seen: known }): Query<Follow>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let session = visitor.session.ok_or(Refusal(StatusCode::UNAUTHORIZED))?;
    let topic = Topic::named(&topic).ok_or(Refusal(StatusCode::NOT_FOUND))?;
    let place = place.filter(|_| topic == Topic::Room).map(ChannelId::new).transpose();
    let place = place.map_err(|_| Refusal(StatusCode::NOT_FOUND))?;
    let now = match &place {
        Some(channel) => rooms::now_in(&shared, channel.clone()).await.ok(),
        None => None,
    };
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok()).or(known);
    let until = [session.ended, shared.door.stop.clone()];
    follow(&shared.events, (topic, place), seen, now, until).ok_or(Refusal(StatusCode::SERVICE_UNAVAILABLE))
}

/// Follows a topic until `ended` or `stop`; `None` where too many do. `seen` is the last event the page knows of: where
/// it is not the newest, the page is told that it missed some. What is `now` in a room is looked at once a second.
fn follow(
    events: &Events,
    (topic, place): (Topic, Option<ChannelId>),
    seen: Option<u64>,
    now: Option<NowIn>,
    until: [CancellationToken; 2],
) -> Option<Response> {
    let listening = events.listen(topic)?;
    let newest = listening.newest;
    let first = if seen.is_some_and(|seen| seen != newest) {
        Event::default().event("stale").data("{}").id(newest.to_string())
    } else {
        // So that the page knows where it begins.
        Event::default().event("here").data("{}").id(newest.to_string())
    };
    let following = Following {
        listening,
        topic,
        place,
        now,
        shown: String::new(),
        grew: None,
        held: None,
        behind: None,
        until,
    };
    let followed = stream::unfold((Some(first), following), |(first, mut following)| async move {
        let event = match first {
            Some(first) => first,
            None => following.next().await?,
        };
        Some((Ok::<_, Infallible>(event), (None, following)))
    });
    let over = futures::StreamExt::take_until(followed, tokio::time::sleep(STREAM_LIFE));
    Some(Sse::new(over).keep_alive(KeepAlive::new().interval(STILL_THERE)).into_response())
}

struct Following {
    listening: Listening,
    topic: Topic,
    place: Option<ChannelId>,
    now: Option<NowIn>,
    /// What the page was told of it last.
    shown: String,
    /// When it was last told of an answer that grows.
    grew: Option<Instant>,
    /// What it is told of that next.
    held: Option<TopicEvent>,
    /// What it is told right behind what was held.
    behind: Option<TopicEvent>,
    until: [CancellationToken; 2],
}

impl Following {
    /// What is now in the room, where that changed.
    fn looked(&mut self) -> Option<Event> {
        let html = self.now.as_ref()?.html();
        if html == self.shown {
            return None;
        }
        let data = json!({ "html": html }).to_string();
        self.shown = html;
        Some(Event::default().event("now").data(data))
    }

    /// What was held, if anything was.
    fn released(&mut self) -> Option<Event> {
        let held = self.held.take()?;
        self.grew = Some(Instant::now());
        Some(held.as_sent())
    }

    async fn next(&mut self) -> Option<Event> {
        if let Some(behind) = self.behind.take() {
            return Some(behind.as_sent());
        }
        loop {
            let [one, other] = &self.until;
            let due = self.grew.map_or_else(Instant::now, |grew| grew + GROWS_EVERY);
            let told = tokio::select! {
                told = self.listening.told.recv() => told,
                () = one.cancelled() => return None,
                () = other.cancelled() => return None,
                () = tokio::time::sleep_until(due), if self.held.is_some() => return self.released(),
                () = tokio::time::sleep(LOOKS_EVERY), if self.now.is_some() => {
                    if let Some(event) = self.looked() {
                        return Some(event);
                    }
                    continue;
                }
            };
            match told {
                Ok(told) if told.topic == self.topic && told.place == self.place => {
                    if let Some(now) = &mut self.now {
                        now.renew().await;
                    }
                    if told.name == PIECE {
                        self.held = Some(told);
                        if Instant::now() >= due {
                            return self.released();
                        }
                    } else {
                        let Some(grown) = self.released() else { return Some(told.as_sent()) };
                        self.behind = Some(told);
                        return Some(grown);
                    }
                }
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => {
                    return Some(Event::default().event("stale").data("{}"));
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn of_an_answer_that_grows_a_page_is_told_the_newest_a_few_times_a_second() {
        let events = Events::from(0);
        let until = [(); 2].map(|()| CancellationToken::new());
        let page = follow(&events, (Topic::Talk, None), None, None, until).unwrap();
        let mut sent = page.into_body().into_data_stream();
        let mut until = async |end: &str| {
            let mut told = String::new();
            while !told.contains(end) {
                told.push_str(std::str::from_utf8(&sent.next().await.unwrap().unwrap()).unwrap());
            }
            told
        };
        let grows = |words: &str| events.tell(Topic::Talk, PIECE, &json!({ "html": words }));
        for words in ["The", "The kettle", "The kettle is", "The kettle is hot"] {
            grows(words);
        }
        events.tell(Topic::Talk, "done", &json!({}));
        // The first at once, and all of it before anything else is told.
        let told = until("done").await;
        assert_eq!(told.matches(PIECE).count(), 2, "{told}");
        assert!(told.contains("\"The\"") && told.contains("The kettle is hot"), "{told}");
        // Where nothing else comes, what was held comes by itself.
        grows("And now it is");
        grows("And now it is cold");
        let told = until("cold").await;
        assert_eq!(told.matches(PIECE).count(), 1, "{told}");
    }
}
