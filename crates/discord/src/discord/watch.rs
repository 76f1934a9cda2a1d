//! What becomes of the connection: whether events can be read, servers are described, and connections last.
//!
//! Owns the record of it, which `familiar doctor` reads from outside, and what is said of it in the log: kinds and
//! numbers, never what an event held. Must not know what events are for. Start reading at [`ConnectionWatch`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serenity::all::{Context, Event, RawEventHandler};
use serenity::async_trait;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};
use tokio_util::task::AbortOnDropHandle;

use crate::llm::FileKeeper;

/// How long a server that Discord named may stay undescribed.
const DESCRIBED_WITHIN: Duration = Duration::from_secs(30);

/// A connection that lasted so long was one; a shorter one was an attempt.
pub(super) const LASTS: Duration = Duration::from_secs(60);

/// Kinds of events that are counted apart.
const KINDS: usize = 64;

/// Longest name of a kind, in bytes. Discord's longest is about forty.
const KIND_MAX: usize = 50;

/// Events the familiar lives on: what is said, what becomes of it, where, and what people ask of it.
const LIVED_ON: [&str; 20] = [
    "READY",
    "GUILD_CREATE",
    "GUILD_UPDATE",
    "GUILD_ROLE_CREATE",
    "GUILD_ROLE_UPDATE",
    "CHANNEL_CREATE",
    "CHANNEL_UPDATE",
    "CHANNEL_DELETE",
    "THREAD_CREATE",
    "THREAD_UPDATE",
    "MESSAGE_CREATE",
    "MESSAGE_UPDATE",
    "MESSAGE_DELETE",
    "MESSAGE_DELETE_BULK",
    "MESSAGE_REACTION_ADD",
    "MESSAGE_REACTION_REMOVE",
    "INTERACTION_CREATE",
    "TYPING_START",
    "VOICE_STATE_UPDATE",
    "VOICE_SERVER_UPDATE",
];

/// What is known of the connection, for whoever looks from outside. Of the newest run of the program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ConnectionRecord {
    /// When it last changed.
    pub at: Option<Timestamp>,
    /// Why there is no connection; `None` while there is one.
    pub trouble: Option<String>,
    /// How many events could not be read, by kind.
    pub unread: BTreeMap<String, u64>,
    /// Servers that Discord named and did not describe within half a minute.
    pub undescribed: BTreeSet<u64>,
    /// Channels where Discord refused what was said, and why. It is silent there for a while, or until permissions change.
    pub refused: BTreeMap<u64, String>,
}

impl ConnectionRecord {
    /// The record at `path`; the empty one where there is none, or none that can be read.
    pub fn read(path: &Path) -> Self {
        std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }
}

/// Looks on. Cloning shares it.
#[derive(Debug, Clone)]
pub(super) struct ConnectionWatch(Arc<Watched>);

#[derive(Debug)]
struct Watched {
    state: Mutex<State>,
    file: FileKeeper,
    /// Something was said over the connection: it is there, or there again.
    connected: Notify,
}

#[derive(Debug, Default)]
struct State {
    record: ConnectionRecord,
    /// Servers that were named and not described yet.
    awaited: BTreeSet<u64>,
    /// Servers that were described before they were named: events are handled side by side, in any order.
    ahead: BTreeSet<u64>,
    awaiting: Option<AbortOnDropHandle<()>>,
    /// When the last attempt to connect was made.
    tried: Option<Instant>,
    /// Since when it has been connected.
    since: Option<Instant>,
    /// Attempts since the last connection that lasted.
    attempts: u32,
}

impl ConnectionWatch {
    /// Keeps its record at `path`, beginning with an empty one.
    pub(super) fn new(path: &Path) -> Self {
        let this = Self(Arc::new(Watched {
            state: Mutex::default(),
            file: FileKeeper::new(path.to_owned()),
            connected: Notify::new(),
        }));
        this.change(|_| true);
        this
    }

    /// Changes the record, and writes it where that made a difference.
    fn change(&self, change: impl FnOnce(&mut State) -> bool) {
        let mut state = self.0.state.lock();
        if change(&mut state) {
            state.record.at = Some(Timestamp::now());
            self.0.file.keep_json(&state.record);
        }
    }

    /// An event that could not be read. Its name comes from outside.
    fn unread(&self, kind: &str) {
        let is_name =
            kind.len() <= KIND_MAX && kind.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        let mut times = 0;
        self.change(|state| {
            let known = &mut state.record.unread;
            let kind =
                if is_name && (known.len() < KINDS || known.contains_key(kind)) { kind } else { "OTHER" };
            let count = known.entry(kind.to_owned()).or_default();
            *count += 1;
            times = *count;
            // Of a kind that comes a hundred times a second not every one is worth a write.
            times.is_power_of_two()
        });
        if times == 1 && LIVED_ON.contains(&kind) {
            tracing::warn!(
                kind,
                "Discord, or what stands in discord.api_base, sends events that cannot be read: nothing is heard of them"
            );
        } else if is_name {
            tracing::debug!(kind, times, "an event could not be read");
        }
    }

    fn named(&self, mut guilds: BTreeSet<u64>) {
        let watch = Arc::downgrade(&self.0);
        let awaiting = tokio::spawn(async move {
            sleep(DESCRIBED_WITHIN).await;
            if let Some(watch) = watch.upgrade() {
                Self(watch).still_awaited();
            }
        });
        let mut state = self.0.state.lock();
        for described in std::mem::take(&mut state.ahead) {
            guilds.remove(&described);
        }
        state.awaited = guilds;
        state.awaiting = Some(AbortOnDropHandle::new(awaiting));
    }

    fn still_awaited(&self) {
        let awaited = self.0.state.lock().awaited.clone();
        if awaited.is_empty() {
            return;
        }
        tracing::warn!(
            servers = ?awaited,
            "Discord named servers and has not said in {} s what is in them: nothing is heard there",
            DESCRIBED_WITHIN.as_secs()
        );
        self.change(|state| {
            state.record.undescribed = awaited;
            true
        });
    }

    fn described(&self, guild: u64) {
        self.change(|state| {
            if !state.awaited.remove(&guild) {
                state.ahead.insert(guild);
            }
            state.record.undescribed.remove(&guild)
        });
    }

    /// The session is there, or there again.
    fn is_connected(&self) {
        self.change(|state| {
            state.since = Some(Instant::now());
            state.record.trouble.take().is_some()
        });
        self.0.connected.notify_waiters();
    }

    /// An attempt to connect is made; which one since the last connection that lasted, from 1.
    pub(super) fn tries(&self) -> u32 {
        let mut state = self.0.state.lock();
        let now = Instant::now();
        let lasted = state.since.is_some_and(|since| now.duration_since(since) >= LASTS);
        state.attempts = if lasted { 1 } else { state.attempts + 1 };
        state.tried = Some(now);
        state.ahead.clear();
        state.since = None;
        state.attempts
    }

    /// Nothing has been tried yet of what is about to be. Attempts before are still counted.
    pub(super) fn begins_anew(&self) {
        self.0.state.lock().tried = None;
    }

    /// Waits until an attempt has not come to anything for [`LASTS`].
    pub(super) async fn comes_to_nothing(&self) {
        loop {
            let connected = self.0.connected.notified();
            let waits = {
                let state = self.0.state.lock();
                match (state.since, state.tried) {
                    (None, Some(tried)) => Some(tried + LASTS),
                    _ => None,
                }
            };
            match waits {
                Some(until) if until <= Instant::now() => return,
                // An attempt may be made, or come to something, meanwhile.
                Some(until) => tokio::select! {
                    () = tokio::time::sleep_until(until) => {}
                    () = connected => {}
                },
                None => sleep(LASTS / 4).await,
            }
        }
    }

    /// There is no connection, why, and when the next attempt is made. Told once, and again when it is something else.
    pub(super) fn troubled(&self, why: &str, retry_in: Duration) {
        let retry_in_s = retry_in.as_secs();
        if self.is_new_trouble(why) {
            tracing::warn!(why, retry_in_s, "not connected to Discord; it is tried until it is");
        } else {
            tracing::debug!(why, retry_in_s, "still not connected to Discord");
        }
    }

    fn is_new_trouble(&self, why: &str) -> bool {
        let mut is_new = false;
        self.change(|state| {
            is_new = state.record.trouble.as_deref() != Some(why);
            state.record.trouble = Some(why.to_owned());
            is_new
        });
        is_new
    }

    /// Discord refused what was said in a channel.
    pub(super) fn refused(&self, channel: u64, why: &str) {
        self.change(|state| state.record.refused.insert(channel, why.to_owned()).as_deref() != Some(why));
    }

    /// It may speak in a channel again.
    pub(super) fn admitted(&self, channel: u64) {
        self.change(|state| state.record.refused.remove(&channel).is_some());
    }
}

#[async_trait]
impl RawEventHandler for ConnectionWatch {
    async fn raw_event(&self, _: Context, event: Event) {
        match event {
            Event::Unknown(unknown) => self.unread(&unknown.kind),
            Event::Ready(ready) => {
                self.is_connected();
                self.named(ready.ready.guilds.iter().map(|guild| guild.id.get()).collect());
            }
            Event::Resumed(_) => self.is_connected(),
            Event::GuildCreate(created) => self.described(created.guild.id.get()),
            Event::GuildDelete(deleted) if !deleted.guild.unavailable => {
                self.described(deleted.guild.id.get())
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn why_there_is_no_connection_is_told_once_until_it_is_another_reason_or_was_connected() {
        let dir = tempfile::tempdir().unwrap();
        let watch = ConnectionWatch::new(&dir.path().join("connection.json"));
        let told = ["refused", "refused", "timed out", "timed out"].map(|why| watch.is_new_trouble(why));
        assert_eq!(told, [true, false, true, false]);
        watch.is_connected();
        assert!(watch.is_new_trouble("timed out"), "that is another outage");
    }

    #[tokio::test]
    async fn a_server_described_before_it_is_named_is_not_awaited() {
        let dir = tempfile::tempdir().unwrap();
        let watch = ConnectionWatch::new(&dir.path().join("connection.json"));
        watch.described(1);
        watch.named(BTreeSet::from([1, 2]));
        assert_eq!(watch.0.state.lock().awaited, BTreeSet::from([2]));
        watch.described(2);
        assert!(watch.0.state.lock().awaited.is_empty());
    }
}
