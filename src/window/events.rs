//! What moves on open pages, as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde_json::{Map, Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::room_now::NowIn;
use crate::domain::ChannelId;

/// So many pages follow at a time.
const STREAMS_MAX: usize = 24;

/// So many events wait for a page that is slow; it loads anew when it missed some.
const WAITING: usize = 512;

/// After so long a page asks anew, which it does by itself.
const STREAM_LIFE: Duration = Duration::from_secs(3600);

/// So often what changes from moment to moment is looked at.
const LOOKS_EVERY: Duration = Duration::from_secs(1);

/// What tells of an answer that grows. Each holds all that was said before it.
pub(super) const PIECE: &str = "piece";

/// So often a page is told of an answer that grows: the newest of what came in between.
const GROWS_EVERY: Duration = Duration::from_millis(100);

/// So long nothing need happen until the browser is told that the connection is still there.
const STILL_THERE: Duration = Duration::from_secs(20);

/// What a page follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    Talk,
    Turns,
    /// One place, which is named beside it.
    Room,
}

impl Topic {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "talk" => Some(Self::Talk),
            "turns" => Some(Self::Turns),
            "room" => Some(Self::Room),
            _ => None,
        }
    }
}

#[derive(Debug, Clone)]
struct TopicEvent {
    /// Grows within a topic.
    number: u64,
    topic: Topic,
    place: Option<ChannelId>,
    name: &'static str,
    data: Arc<str>,
}

impl TopicEvent {
    fn as_sent(&self) -> Event {
        Event::default().event(self.name).data(&*self.data).id(self.number.to_string())
    }
}

/// Tells every page that follows.
#[derive(Debug)]
pub(super) struct Events {
    tell: broadcast::Sender<TopicEvent>,
    /// The number of the newest event of each topic.
    newest: [AtomicU64; 3],
    streams: Arc<Semaphore>,
}

impl Events {
    /// `first` is a number larger than any that an earlier run of the program gave.
    pub(super) fn from(first: u64) -> Self {
        Self {
            tell: broadcast::Sender::new(WAITING),
            newest: [(); 3].map(|()| AtomicU64::new(first)),
            streams: Arc::new(Semaphore::new(STREAMS_MAX)),
        }
    }

    pub(super) fn tell(&self, topic: Topic, name: &'static str, data: &Value) {
        self.tell_of(topic, None, name, data);
    }

    /// Every page of the talk looks again.
    pub(super) fn talk_changed(&self) {
        self.tell(Topic::Talk, "stale", &Value::Object(Map::new()));
    }

    /// Pages of this place have something new to fetch.
    pub(super) fn changed(&self, place: &ChannelId) {
        self.tell_of(Topic::Room, Some(place.clone()), "stale", &Value::Object(Map::new()));
    }

    fn tell_of(&self, topic: Topic, place: Option<ChannelId>, name: &'static str, data: &Value) {
        let number = self.newest[topic as usize].fetch_add(1, Ordering::Relaxed) + 1;
        // Nobody may be following.
        let _unheard =
            self.tell.send(TopicEvent { number, topic, place, name, data: data.to_string().into() });
    }

    /// Follows a topic until `ended` or `stop`; `None` where too many do. `seen` is the last event the page knows of: where
    /// it is not the newest, the page is told that it missed some. What is `now` in a room is looked at once a second.
    pub(super) fn follow(
        &self,
        (topic, place): (Topic, Option<ChannelId>),
        seen: Option<u64>,
        now: Option<NowIn>,
        until: [CancellationToken; 2],
    ) -> Option<Response> {
        let permit = Arc::clone(&self.streams).try_acquire_owned().ok()?;
        let told = self.tell.subscribe();
        let newest = self.newest[topic as usize].load(Ordering::Relaxed);
        let first = if seen.is_some_and(|seen| seen != newest) {
            Event::default().event("stale").data("{}").id(newest.to_string())
        } else {
            // So that the page knows where it begins.
            Event::default().event("here").data("{}").id(newest.to_string())
        };
        let following = Following {
            told,
            topic,
            place,
            now,
            shown: String::new(),
            grew: None,
            held: None,
            behind: None,
            until,
            _permit: permit,
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
}

struct Following {
    told: broadcast::Receiver<TopicEvent>,
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
    _permit: OwnedSemaphorePermit,
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
                told = self.told.recv() => told,
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
                Err(broadcast::error::RecvError::Lagged(_)) => {
                    return Some(Event::default().event("stale").data("{}"));
                }
                Err(broadcast::error::RecvError::Closed) => return None,
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
        let page = events.follow((Topic::Talk, None), None, None, until).unwrap();
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
