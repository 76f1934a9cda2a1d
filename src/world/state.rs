//! The nouns of the live world. All names in it are other people's words, as they came.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::lessons::Lesson;
use super::shelf::Shelf;
use super::view::PlaceView;
use crate::domain::{AccountId, Audience, ChannelId, GuildId, Place};

/// The world at one moment; never changes. Taking one is a pointer load, reading it takes no lock.
#[derive(Debug, Clone, Default)]
pub struct WorldSnapshot {
    pub(super) guilds: Shelf<GuildId, GuildState>,
    pub(super) channels: Shelf<ChannelId, ChannelState>,
    pub(super) bot: Arc<BotState>,
}

impl WorldSnapshot {
    /// What of the world may be told in `place`.
    #[must_use]
    pub fn for_place<'a>(&'a self, place: &'a Place) -> PlaceView<'a> {
        PlaceView::new(self, place)
    }

    /// How the program itself does.
    #[must_use]
    pub fn bot(&self) -> &BotState {
        &self.bot
    }
}

/// A guild, as its gateway last told. Parts are shared between snapshots until they change.
#[derive(Debug, Clone, Default)]
pub struct GuildState {
    /// Its name.
    pub name: Option<String>,
    /// How many members it has, the familiar included.
    pub members: Option<u64>,
    /// Its channels, at most 500 (what Discord allows).
    pub channels: Arc<HashMap<ChannelId, ChannelCard>>,
    /// Who is in which call, at most 200.
    pub calls: Arc<Vec<InCall>>,
    /// Who joined lately, oldest first, at most 16.
    pub arrivals: Arc<Vec<Arrival>>,
    /// What members do, at most 200; only with the presence intent.
    pub activities: Arc<Vec<Activity>>,
}

/// What is written over a channel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChannelCard {
    /// Its name, without `#`.
    pub name: String,
    /// Its topic, at most 300 characters.
    pub topic: Option<String>,
    /// Whether it is marked as age-restricted.
    pub is_nsfw: bool,
}

/// Somebody in a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InCall {
    /// Who.
    pub account: AccountId,
    /// What they are called there.
    pub name: String,
    /// The voice channel.
    pub channel: ChannelId,
    /// Its name.
    pub channel_name: String,
    /// Who can see that channel; others are not told.
    pub audience: Audience,
    /// Whether they can be heard.
    pub microphone: Microphone,
    /// Whether they can hear.
    pub headphones: Headphones,
    /// Whether they are speaking now.
    pub voice: Voice,
}

/// A microphone in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Microphone {
    /// Others hear it.
    Open,
    /// Muted, by themselves or by the server.
    Muted,
}

/// Headphones in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headphones {
    /// They hear the call.
    On,
    /// Deafened, by themselves or by the server.
    Off,
}

/// Whether somebody in a call speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// Quiet.
    Silent,
    /// Speaking at this moment.
    Speaking,
}

/// Somebody who came to a guild.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// Who.
    pub account: AccountId,
    /// Their name.
    pub name: String,
    /// When.
    pub at: Timestamp,
    /// Since when they had been away, where they were here before.
    pub away_since: Option<Timestamp>,
}

/// What a member does, where presence may be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    /// Who.
    pub account: AccountId,
    /// Their name, where it is known.
    pub name: String,
    /// A game or song, as Discord names it.
    pub doing: String,
}

/// A conversation's surroundings.
#[derive(Debug, Clone, Default)]
pub struct ChannelState {
    /// Who spoke, each once, newest last, at most 32.
    pub speakers: Arc<Vec<Seen>>,
    /// Who is typing or was a moment ago, newest last, at most 16.
    pub typing: Arc<Vec<Seen>>,
    /// The newest reactions, newest last, at most 16.
    pub reactions: Arc<Vec<Reacted>>,
    /// What was asked for in this session (A23), newest last, at most 32.
    pub lessons: Arc<Vec<Lesson>>,
    /// When something was last said.
    pub heard_at: Option<Timestamp>,
}

/// Somebody at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Who.
    pub account: AccountId,
    /// What they are called there.
    pub name: String,
    /// Whether a program.
    pub is_bot: bool,
    /// When.
    pub at: Timestamp,
}

/// A reaction to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reacted {
    /// By whom.
    pub name: String,
    /// The emoji, or `:name:` of a server's own.
    pub emoji: String,
    /// Whether to the familiar's own message.
    pub to_familiar: bool,
    /// When.
    pub at: Timestamp,
}

/// How the program does.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BotState {
    /// The model that answers.
    pub model: Option<String>,
    /// How long its newest answer took to begin.
    pub first_token: Option<Duration>,
    /// The newest failure, when nothing was answered since.
    pub trouble: Option<Trouble>,
    /// US dollars spent today (UTC); `None` where nothing is counted.
    pub spent_usd: Option<f64>,
    /// US dollars that may be spent a day; `None` for no cap.
    pub cap_usd: Option<f64>,
    /// When the program came up.
    pub started: Option<Timestamp>,
    /// What it can do besides talking, by name.
    pub tools: Vec<String>,
}

/// A failure of the model that was not yet followed by an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// When.
    pub at: Timestamp,
    /// What sort, in a word or two, for people.
    pub what: String,
}
