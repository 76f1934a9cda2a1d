//! The nouns of the live world. All names in it are other people's words, as they came.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::Arc;

use jiff::Timestamp;

use super::style::{StyleChange, StylePreference};
use crate::domain::{AccountId, Audience, ChannelId, GuildId, LikedLength, MessageId};

/// The world at one moment; never changes. Taking one is a pointer load, reading it takes no lock.
#[derive(Debug, Clone, Default)]
pub struct WorldSnapshot {
    pub(super) guilds: BoundedList<GuildId, GuildState>,
    pub(super) channels: BoundedList<ChannelId, ChannelNow>,
    pub(super) bot: Arc<BotState>,
}

impl WorldSnapshot {
    /// How the program itself does.
    pub fn bot(&self) -> &BotState {
        &self.bot
    }
}

/// A guild, as its gateway last told. Parts are shared between snapshots until they change.
#[derive(Debug, Clone, Default)]
pub struct GuildState {
    pub name: Option<String>,
    /// How many members it has, the familiar included.
    pub members: Option<u64>,
    /// What its own emoji are called that can be used, in order, at most 12.
    pub emoji: Arc<Vec<String>>,
    /// Its channels, at most 500 (what Discord allows).
    pub channels: Arc<HashMap<ChannelId, ChannelCard>>,
    /// Who is in which call, at most 200.
    pub calls: Arc<Vec<InCall>>,
    /// Who joined lately, oldest first, at most 16.
    pub arrivals: Arc<Vec<Arrival>>,
    /// What members do, at most 200; only with the presence intent.
    pub activities: Arc<Vec<Activity>>,
}

impl GuildState {
    /// Who is in its calls is told anew, by name: in all of them, or in the one of a channel. Whoever speaks goes on speaking.
    pub fn tell_calls(&mut self, of: Option<&ChannelId>, people: impl IntoIterator<Item = InCall>) {
        let before = std::mem::take(&mut self.calls);
        let speaks = |account: &AccountId| {
            before.iter().any(|one| one.account == *account && one.voice == CallVoice::Speaking)
        };
        let stays = |one: &&InCall| of.is_some_and(|of| one.channel != *of);
        let mut calls: Vec<InCall> = before.iter().filter(stays).cloned().collect();
        calls.extend(people.into_iter().map(|one| {
            let voice = if speaks(&one.account) { CallVoice::Speaking } else { one.voice };
            InCall { voice, ..one }
        }));
        calls.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.account.cmp(&b.account)));
        self.calls = Arc::new(calls);
    }
}

/// What is written over a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelCard {
    /// Its name, without `#`.
    pub name: String,
    /// Who can see it; others are not told of it.
    pub audience: Audience,
    /// Its topic, at most 300 characters.
    pub topic: Option<String>,
    /// Whether it is marked as age-restricted.
    pub is_nsfw: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InCall {
    pub account: AccountId,
    /// What they are called there.
    pub name: String,
    pub channel: ChannelId,
    pub channel_name: String,
    /// Who can see that channel; others are not told.
    pub audience: Audience,
    /// Whether they can be heard.
    pub microphone: CallMicrophone,
    /// Whether they can hear.
    pub headphones: Headphones,
    pub voice: CallVoice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallMicrophone {
    Open,
    /// Muted, by themselves or by the server.
    Muted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headphones {
    /// They hear the call.
    On,
    /// Deafened, by themselves or by the server.
    Off,
}

/// Whether somebody in a call speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallVoice {
    Silent,
    Speaking,
}

/// Somebody who came to a guild.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    pub account: AccountId,
    pub name: String,
    pub at: Timestamp,
    /// Since when they had been away, where they were here before.
    pub away_since: Option<Timestamp>,
}

/// What a member does, where presence may be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    pub account: AccountId,
    /// Their name, where it is known.
    pub name: String,
    /// A game or song, as Discord names it.
    pub doing: String,
}

#[derive(Debug, Clone, Default)]
pub struct ChannelNow {
    /// Who spoke, each once, newest last, at most 32.
    pub speakers: Arc<Vec<Sighting>>,
    /// Who is typing or was a moment ago, newest last, at most 16.
    pub typing: Arc<Vec<Sighting>>,
    /// The newest reactions, newest last, at most 16.
    pub reactions: Arc<Vec<Reacted>>,
    /// What was asked for in this session (A23), newest last, at most 32.
    pub lessons: Arc<Vec<Lesson>>,
    /// When something was last said.
    pub heard_at: Option<Timestamp>,
    /// Which length of answers people like better here, as far as that was learnt.
    pub liked_length: LikedLength,
    /// In percent, what becomes of how well tools fit here, as far as that was learnt.
    pub liked_tools: Arc<BTreeMap<String, u32>>,
}

/// Somebody at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    pub account: AccountId,
    /// What they are called there.
    pub name: String,
    pub is_bot: bool,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reacted {
    pub name: String,
    /// The emoji, or `:name:` of a server's own.
    pub emoji: String,
    /// Whether to the familiar's own message.
    pub to_familiar: bool,
    pub at: Timestamp,
}

/// How the program does.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BotState {
    /// The model that answers.
    pub model: Option<String>,
    /// US dollars spent today (UTC); `None` where nothing is counted.
    pub spent_usd: Option<f64>,
    /// US dollars that may be spent a day; `None` for no cap.
    pub cap_usd: Option<f64>,
    pub started: Option<Timestamp>,
    /// What it can do besides talking, by name.
    pub tools: Vec<String>,
}

/// Preferences of one person in one channel; the newest win.
const PER_PERSON: usize = 8;

/// Preferences of all people in one channel.
const PER_CHANNEL: usize = 32;

/// One preference, with the message that is its evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lesson {
    pub account: AccountId,
    /// What is wished, in the program's own terms: never the person's words.
    pub preference: StylePreference,
    /// The message it was read from.
    pub message: Option<MessageId>,
    pub at: Timestamp,
}

/// Takes a preference in or back. A newer preference of one sort replaces the older one.
pub(super) fn apply(
    known: &mut Vec<Lesson>,
    account: &AccountId,
    change: StyleChange,
    message: Option<&MessageId>,
    at: Timestamp,
) {
    let preference = match change {
        StyleChange::Undo(sort) => {
            known.retain(|lesson| lesson.account != *account || lesson.preference.sort() != sort);
            return;
        }
        StyleChange::UndoAll => {
            known.retain(|lesson| lesson.account != *account);
            return;
        }
        StyleChange::Ask(preference) => preference,
    };
    known.retain(|lesson| lesson.account != *account || lesson.preference.sort() != preference.sort());
    known.push(Lesson { account: account.clone(), preference, message: message.cloned(), at });
    let own = |lesson: &Lesson| lesson.account == *account;
    while known.iter().filter(|lesson| own(lesson)).count() > PER_PERSON {
        let Some(oldest) = known.iter().position(own) else { break };
        known.remove(oldest);
    }
    if known.len() > PER_CHANNEL {
        known.drain(..known.len() - PER_CHANNEL);
    }
}

/// Entries that are held; beyond them the one goes whose last change is the longest ago.
const HELD_MAX: usize = 2_048;

/// Bounded, and shared where nothing changes: a clone copies one pointer, the first change behind it one for each entry, and
/// none sees later changes of the other.
#[derive(Debug)]
pub(super) struct BoundedList<K, V>(Arc<HashMap<K, BoundedEntry<V>>>);

impl<K, V> Clone for BoundedList<K, V> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

#[derive(Debug, Clone, Default)]
struct BoundedEntry<V> {
    value: Arc<V>,
    /// The number of the change that last touched it.
    touched: u64,
}

impl<K, V> Default for BoundedList<K, V> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Hash + Eq + Clone, V: Clone + Default> BoundedList<K, V> {
    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.0.get(key).map(|entry| &*entry.value)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Changes one entry, made first where there is none. `stamp` grows with every change.
    pub(super) fn edit(&mut self, key: &K, stamp: u64, change: impl FnOnce(&mut V)) {
        let entries = Arc::make_mut(&mut self.0);
        if entries.len() >= HELD_MAX && !entries.contains_key(key) {
            let oldest = entries.iter().min_by_key(|(_, entry)| entry.touched).map(|(key, _)| key.clone());
            oldest.and_then(|oldest| entries.remove(&oldest));
        }
        let entry = entries.entry(key.clone()).or_default();
        entry.touched = stamp;
        change(Arc::make_mut(&mut entry.value));
    }

    /// Changes every entry for which `change` says that it is to be.
    pub(super) fn edit_where(&mut self, is_wanted: impl Fn(&V) -> bool, change: impl Fn(&mut V)) {
        if self.0.values().any(|entry| is_wanted(&entry.value)) {
            for entry in Arc::make_mut(&mut self.0).values_mut().filter(|entry| is_wanted(&entry.value)) {
                change(Arc::make_mut(&mut entry.value));
            }
        }
    }

    pub(super) fn remove(&mut self, key: &K) {
        if self.0.contains_key(key) {
            Arc::make_mut(&mut self.0).remove(key);
        }
    }
}
