//! An outbox that remembers what it was given.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use familiar_connect::domain::{ChannelId, MessageId, Place, PlaceKind, TurnId};
use familiar_connect::session::{
    Delivered, Delivery, DeliveryError, DeliveryStyle, Notice, Outbox, TypingGuard,
};
use tokio::sync::Notify;

/// One thing that was shown.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    Said { to: Delivery, text: String, first: bool },
    Notice { to: Delivery, notice: Notice },
}

#[derive(Debug)]
pub struct RecordingOutbox {
    /// Messages that were numbered before a restart.
    pub(super) before: AtomicU64,
    style: DeliveryStyle,
    shown: Mutex<Vec<Shown>>,
    failures: Mutex<VecDeque<DeliveryError>>,
    typing: Arc<Mutex<usize>>,
    typed: Mutex<usize>,
    turns: Mutex<Vec<TurnId>>,
    opens_threads: AtomicBool,
    changed: Notify,
}

impl RecordingOutbox {
    pub fn new(style: DeliveryStyle) -> Self {
        Self {
            before: AtomicU64::new(0),
            style,
            shown: Mutex::default(),
            failures: Mutex::default(),
            typing: Arc::default(),
            typed: Mutex::default(),
            turns: Mutex::default(),
            opens_threads: AtomicBool::new(true),
            changed: Notify::new(),
        }
    }

    /// From now on no thread can be opened.
    pub fn opens_no_threads(&self) {
        self.opens_threads.store(false, Ordering::Relaxed);
    }

    /// What was to fail does not any more.
    pub fn fails_no_more(&self) {
        self.failures.lock().unwrap().clear();
    }

    pub fn style_of(&self) -> DeliveryStyle {
        self.style
    }

    pub fn delivered(&self) -> Vec<String> {
        let said = |shown: &Shown| match shown {
            Shown::Said { text, .. } => Some(text.clone()),
            Shown::Notice { .. } => None,
        };
        self.shown.lock().unwrap().iter().filter_map(said).collect()
    }

    pub fn shown(&self) -> Vec<Shown> {
        self.shown.lock().unwrap().clone()
    }

    pub fn notices(&self) -> Vec<Notice> {
        let notice = |shown: &Shown| match shown {
            Shown::Notice { notice, .. } => Some(notice.clone()),
            Shown::Said { .. } => None,
        };
        self.shown.lock().unwrap().iter().filter_map(notice).collect()
    }

    /// How many messages have a number; one behind a restart has none of theirs.
    pub(super) fn numbered(&self) -> u64 {
        self.before.load(Ordering::Relaxed) + self.shown.lock().unwrap().len() as u64
    }

    /// The next delivery fails.
    pub fn fail_next(&self, error: DeliveryError) {
        self.failures.lock().unwrap().push_back(error);
    }

    /// How many "is typing…" are shown right now.
    pub fn typing_now(&self) -> usize {
        *self.typing.lock().unwrap()
    }

    /// How often the indicator was switched on.
    pub fn typing_shown(&self) -> usize {
        *self.typed.lock().unwrap()
    }

    /// Every turn that began to answer, in order.
    pub fn turns(&self) -> Vec<TurnId> {
        self.turns.lock().unwrap().clone()
    }

    /// Waits until this many pieces were delivered.
    pub async fn until_delivered(&self, count: usize) {
        let waiting = async {
            loop {
                let changed = self.changed.notified();
                if self.delivered().len() >= count {
                    return;
                }
                changed.await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(20), waiting).await.expect("not delivered");
    }

    fn show(&self, shown: Shown) {
        self.shown.lock().unwrap().push(shown);
        self.changed.notify_waiters();
    }
}

struct Typing(Arc<Mutex<usize>>);

impl Drop for Typing {
    fn drop(&mut self) {
        *self.0.lock().unwrap() -= 1;
    }
}

#[async_trait]
impl Outbox for RecordingOutbox {
    fn style(&self) -> DeliveryStyle {
        self.style
    }

    async fn aside(&self, place: &Place, message: &MessageId, name: &str) -> Option<Place> {
        self.opens_threads.load(Ordering::Relaxed).then(|| Place {
            channel: ChannelId::new(message.as_str()).unwrap(),
            parent: Some(place.channel.clone()),
            kind: PlaceKind::Thread,
            channel_name: Some(name.to_owned()),
            ..place.clone()
        })
    }

    fn typing(&self, to: &Delivery) -> TypingGuard {
        *self.typed.lock().unwrap() += 1;
        let mut turns = self.turns.lock().unwrap();
        if turns.last() != Some(&to.turn) {
            turns.push(to.turn);
        }
        drop(turns);
        *self.typing.lock().unwrap() += 1;
        TypingGuard::holding(Typing(Arc::clone(&self.typing)))
    }

    async fn deliver(&self, to: &Delivery, text: &str, first: bool) -> Result<Delivered, DeliveryError> {
        if let Some(error) = self.failures.lock().unwrap().pop_front() {
            return Err(error);
        }
        self.show(Shown::Said { to: to.clone(), text: text.to_owned(), first });
        Ok(Delivered { message: Some(MessageId::from(900_000 + self.numbered())) })
    }

    async fn notice(&self, to: &Delivery, notice: Notice) -> Result<(), DeliveryError> {
        self.show(Shown::Notice { to: to.clone(), notice });
        Ok(())
    }
}
