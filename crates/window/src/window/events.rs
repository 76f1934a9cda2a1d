//! What moves on open pages, as server-sent events.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::response::sse::Event;
use serde_json::{Map, Value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};

use crate::domain::ChannelId;

/// So many pages follow at a time.
const STREAMS_MAX: usize = 24;

/// So many events wait for a page that is slow; it loads anew when it missed some.
const WAITING: usize = 512;

/// What tells of an answer that grows. Each holds all that was said before it.
pub(super) const PIECE: &str = "piece";

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

/// Something that happened, for the pages that follow its topic.
#[derive(Debug, Clone)]
pub(super) struct TopicEvent {
    /// Grows within a topic.
    number: u64,
    pub topic: Topic,
    pub place: Option<ChannelId>,
    pub name: &'static str,
    data: Arc<str>,
}

impl TopicEvent {
    pub(super) fn as_sent(&self) -> Event {
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

    /// The number of the newest event of a topic. What a page read before it is on the page.
    pub(super) fn newest(&self, topic: Topic) -> u64 {
        self.newest[topic as usize].load(Ordering::Relaxed)
    }

    /// Listens from now on; `None` where too many do.
    pub(super) fn listen(&self, topic: Topic) -> Option<Listening> {
        let permit = Arc::clone(&self.streams).try_acquire_owned().ok()?;
        let told = self.tell.subscribe();
        Some(Listening { told, newest: self.newest(topic), _permit: permit })
    }
}

/// What one of the pages that follow is told, of every topic.
#[derive(Debug)]
pub(super) struct Listening {
    pub told: broadcast::Receiver<TopicEvent>,
    /// The number of the newest event of its topic when it began to listen.
    pub newest: u64,
    _permit: OwnedSemaphorePermit,
}
