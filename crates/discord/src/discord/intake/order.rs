//! Events in the order they happened.
//!
//! Serenity hands every gateway event to its own task, so a message can be seen after the one that answers it, and a
//! deletion before the message it deletes. What is in order is the cache: it is updated on the gateway's own task,
//! before any handler runs. So each handler first catches up with the cache's older messages of that channel, one
//! handler per channel at a time, and remembers which were seen, which also makes replayed events harmless.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serenity::all::{Cache, ChannelId, Message, MessageId};
use tokio::sync::OwnedMutexGuard;
use tokio::time::timeout;

/// Messages kept per channel for catching up; also how many ids are remembered as seen.
pub(in crate::discord) const KEPT_PER_CHANNEL: usize = 64;

/// How much older than the event at hand a message may be to be caught up with. Handlers are at most this far apart;
/// anything older has been seen, even if its id is no longer remembered.
pub(super) const CATCH_UP_WINDOW_MS: i64 = 30_000;

/// Channels whose seen ids are kept. Beyond this the idle ones are forgotten.
const KEPT_CHANNELS: usize = 1024;

/// How long a handler may wait for its channel's turn. However much is said at once, a conversation takes thousands of
/// messages in this time; one that takes nothing any more must not pile up everything that is said to it.
const LONGEST_WAIT: Duration = Duration::from_secs(120);

/// Which messages of which channels have been handed on.
#[derive(Debug, Default)]
pub(in crate::discord) struct Order {
    channels: Mutex<HashMap<ChannelId, Queue>>,
    /// Counts the sessions with the gateway that began with nothing known of what was said before.
    session: AtomicU64,
}

#[derive(Debug, Clone, Default)]
struct Queue {
    seen: Arc<tokio::sync::Mutex<HandedOn>>,
    /// Somebody waited too long, so something was not handed on.
    has_given_up: Arc<AtomicBool>,
}

/// A channel's turn to hand on its events. Nobody else hands on this channel's events until it is dropped.
#[derive(Debug)]
pub(in crate::discord) struct Turn {
    seen: OwnedMutexGuard<HandedOn>,
    is_behind: bool,
}

impl Turn {
    /// Whether messages of this channel may be missing that Discord still has.
    pub(in crate::discord) fn is_behind(&self) -> bool {
        self.is_behind
    }

    pub(in crate::discord) fn catch_up(
        &mut self,
        cache: &Cache,
        channel: ChannelId,
        upto: MessageId,
        message: Option<Message>,
    ) -> Vec<Message> {
        self.seen.catch_up(cache, channel, upto, message)
    }
}

impl Order {
    /// The channels whose order is kept.
    pub(in crate::discord) fn channels(&self) -> Vec<ChannelId> {
        self.channels.lock().keys().copied().collect()
    }

    /// A session with the gateway begins: what was said before is not told again.
    pub(in crate::discord) fn begins_anew(&self) {
        self.session.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits for a channel's turn; `None` when that took longer than [`LONGEST_WAIT`]. Said once, however many give up;
    /// whoever is next reads back what they had to say.
    pub(in crate::discord) async fn turn(&self, channel: ChannelId) -> Option<Turn> {
        let queue = {
            let mut channels = self.channels.lock();
            if channels.len() >= KEPT_CHANNELS {
                channels.retain(|_, queue| Arc::strong_count(&queue.seen) > 1);
            }
            channels.entry(channel).or_default().clone()
        };
        let Ok(mut seen) = timeout(LONGEST_WAIT, queue.seen.lock_owned()).await else {
            if !queue.has_given_up.swap(true, Ordering::Relaxed) {
                let waited_s = LONGEST_WAIT.as_secs();
                tracing::warn!(%channel, waited_s, "more is said here than can be taken in; it is read back later");
            }
            return None;
        };
        let session = self.session.load(Ordering::Relaxed) + 1;
        let is_new = std::mem::replace(&mut seen.session, session) != session;
        let is_behind = queue.has_given_up.swap(false, Ordering::Relaxed) || is_new;
        Some(Turn { seen, is_behind })
    }
}

/// The newest ids that were handed on, at most [`KEPT_PER_CHANNEL`].
#[derive(Debug, Default)]
struct HandedOn {
    ids: BTreeSet<MessageId>,
    /// The last session in which this channel had a turn; 0 for none.
    session: u64,
}

impl HandedOn {
    /// The cached messages of a channel up to `upto` that were not handed on yet, oldest first; they count as handed
    /// on from now. `message` itself is taken from the argument if the cache has already let go of it.
    fn catch_up(
        &mut self,
        cache: &Cache,
        channel: ChannelId,
        upto: MessageId,
        message: Option<Message>,
    ) -> Vec<Message> {
        let recent = upto.created_at().timestamp_millis() - CATCH_UP_WINDOW_MS;
        let mut waiting: Vec<Message> = cache
            .channel_messages(channel)
            .map(|messages| {
                let due = |message: &&Message| {
                    message.id <= upto
                        && message.id.created_at().timestamp_millis() >= recent
                        && !self.ids.contains(&message.id)
                };
                messages.values().filter(due).cloned().collect()
            })
            .unwrap_or_default();
        if let Some(message) = message
            && !waiting.iter().any(|cached| cached.id == message.id)
        {
            waiting.push(message);
        }
        waiting.retain(|message| self.ids.insert(message.id));
        waiting.sort_by_key(|message| message.id);
        while self.ids.len() > KEPT_PER_CHANNEL {
            self.ids.pop_first();
        }
        waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: u64) -> Message {
        let mut message = Message::default();
        message.id = MessageId::new(id);
        message
    }

    fn ids(messages: &[Message]) -> Vec<u64> {
        messages.iter().map(|message| message.id.get()).collect()
    }

    #[tokio::test]
    async fn a_message_is_handed_on_once_however_often_it_comes() {
        let (order, cache, channel) = (Order::default(), Cache::new(), ChannelId::new(1));
        let mut turn = order.turn(channel).await.unwrap();
        assert_eq!(ids(&turn.catch_up(&cache, channel, MessageId::new(5), Some(message(5)))), [5]);
        assert!(turn.catch_up(&cache, channel, MessageId::new(5), Some(message(5))).is_empty());
        assert_eq!(ids(&turn.catch_up(&cache, channel, MessageId::new(3), Some(message(3)))), [3]);
    }

    #[tokio::test]
    async fn what_is_remembered_is_bounded() {
        let (order, cache, channel) = (Order::default(), Cache::new(), ChannelId::new(1));
        let mut turn = order.turn(channel).await.unwrap();
        for id in 1..=200 {
            turn.catch_up(&cache, channel, MessageId::new(id), Some(message(id)));
        }
        assert_eq!(turn.seen.ids.len(), KEPT_PER_CHANNEL);
    }

    #[tokio::test(start_paused = true)]
    async fn however_many_wait_each_has_its_turn_in_order() {
        let (order, channel) = (Order::default(), ChannelId::new(1));
        let first = order.turn(channel).await;
        let mut waiting: Vec<_> = (0..1000).map(|_| Box::pin(order.turn(channel))).collect();
        for turn in &mut waiting {
            assert!(futures::poll!(turn).is_pending());
        }
        assert!(order.turn(ChannelId::new(2)).await.is_some(), "channels never wait for each other");
        drop(first);
        for turn in waiting {
            assert!(turn.await.is_some());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_too_long_gives_up_and_the_next_one_is_behind() {
        let (order, channel) = (Order::default(), ChannelId::new(1));
        let stuck = order.turn(channel).await;
        let mut late = Box::pin(order.turn(channel));
        assert!(futures::poll!(&mut late).is_pending());
        tokio::time::advance(LONGEST_WAIT).await;
        assert!(late.await.is_none());
        drop(stuck);
        assert!(order.turn(channel).await.unwrap().is_behind());
        assert!(!order.turn(channel).await.unwrap().is_behind());
    }

    #[tokio::test]
    async fn every_channel_is_behind_once_in_every_session() {
        let (order, one, two) = (Order::default(), ChannelId::new(1), ChannelId::new(2));
        for _ in 0..2 {
            order.begins_anew();
            for channel in [one, two] {
                assert!(order.turn(channel).await.unwrap().is_behind());
                assert!(!order.turn(channel).await.unwrap().is_behind());
            }
        }
    }
}
