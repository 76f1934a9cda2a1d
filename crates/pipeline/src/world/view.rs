//! What of the world may be told in one place.
//!
//! Owns the rule that a call in a channel not everybody here sees is not told of. Must not know how it is phrased.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::report::{SESSION, is_longer_ago};
use super::state::{
    Activity, Arrival, BotState, ChannelCard, ChannelNow, GuildState, InCall, Lesson, Reacted, Sighting,
    WorldSnapshot,
};
use super::style::StylePreference;
use crate::domain::{AccountId, Audience, ChannelId, LikedLength, Place, Visible};

/// Who spoke within this is here.
const HERE: std::time::Duration = std::time::Duration::from_secs(15 * 60);

/// Discord shows "is typing" for ten seconds after each report.
const TYPING: std::time::Duration = std::time::Duration::from_secs(10);

/// The world, seen from a place. Borrows the snapshot; nothing is copied.
#[derive(Debug, Clone, Copy)]
pub struct PlaceView<'a> {
    world: &'a WorldSnapshot,
    place: &'a Place,
    guild: Option<&'a GuildState>,
    channel: Option<&'a ChannelNow>,
}

impl WorldSnapshot {
    /// What of the world may be told in `place`.
    pub fn for_place<'a>(&'a self, place: &'a Place) -> PlaceView<'a> {
        PlaceView {
            world: self,
            place,
            guild: place.guild.as_ref().and_then(|guild| self.guilds.get(guild)),
            channel: self.channels.get(&place.channel),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallView<'a> {
    /// The voice channel's name.
    pub name: &'a str,
    pub people: Vec<&'a InCall>,
}

impl<'a> PlaceView<'a> {
    /// The topic of the channel, or of the channel a thread belongs to.
    pub fn topic(&self) -> Option<&'a str> {
        let cards = &self.guild?.channels;
        let own = |channel| cards.get(channel).and_then(|card| card.topic.as_deref());
        own(&self.place.channel).or_else(|| self.place.parent.as_ref().and_then(own))
    }

    /// Whether the channel, or the channel a thread belongs to, is marked as age-restricted.
    pub fn is_nsfw(&self) -> bool {
        let Some(guild) = self.guild else { return false };
        let card = |channel| guild.channels.get(channel).is_some_and(|card| card.is_nsfw);
        card(&self.place.channel) || self.place.parent.as_ref().is_some_and(card)
    }

    /// What the channel is called now, without `#`.
    pub fn channel_name(&self) -> Option<&'a str> {
        self.guild?.channels.get(&self.place.channel).map(|card| card.name.as_str())
    }

    /// What the guild is called now.
    pub fn guild_name(&self) -> Option<&'a str> {
        self.guild.and_then(|guild| guild.name.as_deref()).or(self.place.guild_name.as_deref())
    }

    /// How many members the guild has, the familiar included.
    pub fn members(&self) -> Option<u64> {
        self.guild?.members
    }

    /// What the guild's own emoji are called.
    pub fn emoji(&self) -> &'a [String] {
        self.guild.map_or(&[][..], |guild| &guild.emoji[..])
    }

    /// Everybody who was heard here lately, newest last; bots too.
    pub fn speakers(&self) -> &'a [Sighting] {
        self.channel.map_or(&[], |channel| channel.speakers.as_slice())
    }

    /// The people who spoke here within a quarter of an hour, newest first.
    pub fn here(&self, now: Timestamp) -> impl Iterator<Item = &'a Sighting> {
        let people = self.speakers().iter().rev();
        people.filter(move |seen| !seen.is_bot && !is_longer_ago(seen.at, now, HERE))
    }

    pub fn typing(&self, now: Timestamp) -> impl Iterator<Item = &'a Sighting> {
        let typing = self.channel.map_or(&[][..], |channel| channel.typing.as_slice());
        typing.iter().filter(move |seen| !is_longer_ago(seen.at, now, TYPING))
    }

    /// The guild's calls whose channel everybody here can see, by name.
    pub fn calls(&self) -> Vec<CallView<'a>> {
        let mut calls: Vec<CallView<'a>> = Vec::new();
        let Some(guild) = self.guild else { return calls };
        for one in guild.calls.iter().filter(|one| self.may_be_told(&one.audience)) {
            match calls.iter_mut().find(|call| call.people.iter().any(|other| other.channel == one.channel)) {
                Some(call) => call.people.push(one),
                None => calls.push(CallView { name: &one.channel_name, people: vec![one] }),
            }
        }
        calls.sort_by(|a, b| a.name.cmp(b.name));
        calls
    }

    /// Who came to the guild after a moment, oldest first.
    pub fn arrivals_since(&self, since: Timestamp) -> impl Iterator<Item = &'a Arrival> {
        let arrivals = self.guild.map_or(&[][..], |guild| guild.arrivals.as_slice());
        arrivals.iter().filter(move |one| one.at > since)
    }

    /// What members do, where presence may be seen.
    pub fn activities(&self) -> &'a [Activity] {
        self.guild.map_or(&[], |guild| guild.activities.as_slice())
    }

    /// The newest reactions in this channel, newest last.
    pub fn reactions(&self) -> &'a [Reacted] {
        self.channel.map_or(&[], |channel| channel.reactions.as_slice())
    }

    /// Which length of answers people like better in this channel.
    pub fn liked_length(&self) -> LikedLength {
        self.channel.map_or(LikedLength::AsItIs, |channel| channel.liked_length)
    }

    /// In percent, what becomes of how well tools fit in this channel, where something was learnt of that.
    pub fn liked_tools(&self) -> Option<&'a BTreeMap<String, u32>> {
        self.channel.map(|channel| &*channel.liked_tools)
    }

    /// What somebody asked for in this session, oldest first; nothing once the session is over.
    pub fn lessons(&self, account: &AccountId, now: Timestamp) -> impl Iterator<Item = &'a Lesson> {
        let is_over =
            |channel: &ChannelNow| channel.heard_at.is_none_or(|heard| is_longer_ago(heard, now, SESSION));
        let channel = self.channel.filter(|channel| !is_over(channel));
        let lessons = channel.map_or(&[][..], |channel| channel.lessons.as_slice());
        lessons.iter().filter(move |lesson| lesson.account == *account)
    }

    /// The clock that somebody said to be theirs, in this session.
    pub fn zone_of(&self, account: &AccountId, now: Timestamp) -> Option<TimeZone> {
        let zone = self.lessons(account, now).find_map(|lesson| match lesson.preference {
            StylePreference::Zone(zone) => Some(zone),
            _ => None,
        })?;
        TimeZone::get(zone).ok()
    }

    /// How the program itself does.
    pub fn bot(&self) -> &'a BotState {
        &self.world.bot
    }

    /// Whether a channel may be named here as it was called when something was said in it: not where it is closed by now to some
    /// who are here, whatever it is called by now. Of a thread only its channel's name is known, and without a channel of that
    /// name it is not named.
    pub fn may_name(&self, channel: &ChannelId, name: &str) -> bool {
        let (world, visible) = (self.world, Visible::at(self.place));
        let guilds = || {
            visible.audiences().filter_map(move |audience| match audience {
                Audience::Guild(guild) => world.guilds.get(guild),
                _ => None,
            })
        };
        if let Some(card) = guilds().find_map(|guild| guild.channels.get(channel)) {
            return visible.includes(&card.audience);
        }
        let name = name.trim_start_matches('#').trim_start_matches("forum:");
        let (of, is_thread) = name.split_once(" -> ").map_or((name, false), |(of, _)| (of, true));
        let cards = guilds().flat_map(|guild| guild.channels.values());
        let called: Vec<&ChannelCard> = cards.filter(|card| card.name == of).collect();
        if called.is_empty() {
            !is_thread
        } else {
            called.iter().any(|card| visible.includes(&card.audience))
        }
    }

    fn may_be_told(&self, audience: &Audience) -> bool {
        *audience == self.place.audience || self.is_of_own_guild(audience)
    }

    /// In a private channel of a guild everybody also sees what the whole guild sees.
    fn is_of_own_guild(&self, audience: &Audience) -> bool {
        matches!((audience, &self.place.guild), (Audience::Guild(of), Some(own)) if of == own)
    }
}
