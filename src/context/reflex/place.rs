//! Where this is.

use super::{Fact, ReflexInput};
use crate::context::providers::quotable_line;
use crate::domain::PlaceKind;
use crate::text::names::prompt_label;

pub(super) const TOPIC: &[&str] = &[
    "what is this channel about",
    "whats this channel about",
    "what is this channel for",
    "whats this channel for",
    "topic of this channel",
    "topic of the channel",
    "channel topic",
    "whats the topic here",
    "what is the topic here",
    "worum geht es in diesem kanal",
    "worum geht es hier",
    "worum gehts hier",
    "thema dieses kanals",
    "thema des kanals",
    "wofür ist dieser kanal",
];

pub(super) fn topic(input: &ReflexInput<'_>) -> Option<Fact> {
    if input.place.is_one_to_one() {
        return None;
    }
    match input.world.topic() {
        Some(topic) => Fact::quoting(format!("The channel's topic reads: “{}”", quotable_line(topic))),
        None => Fact::of("The channel has no topic."),
    }
}

pub(super) const WHERE: &[&str] = &[
    "what server is this",
    "which server is this",
    "what server are we",
    "which server are we",
    "what channel is this",
    "which channel is this",
    "what channel are we",
    "name of this server",
    "name of this channel",
    "what is this server called",
    "whats this server called",
    "what is this channel called",
    "where are we right now",
    "welcher server ist das",
    "welcher kanal ist das",
    "wie heißt dieser server",
    "wie heißt der server",
    "wie heißt dieser kanal",
    "in welchem kanal",
    "auf welchem server",
];

pub(super) fn whereabouts(input: &ReflexInput<'_>) -> Option<Fact> {
    match input.place.kind {
        PlaceKind::Dm => return Fact::of(format!("This is a private conversation with {}.", input.asker())),
        PlaceKind::Terminal => return Fact::of("This is the terminal of the machine you run on."),
        PlaceKind::GuildText | PlaceKind::Thread | PlaceKind::ForumPost => {}
    }
    let channel = input.place.channel_name.as_deref().or(input.world.channel_name()).map(prompt_label)?;
    let kind = match input.place.kind {
        PlaceKind::Thread => "thread",
        PlaceKind::ForumPost => "forum post",
        _ => "channel",
    };
    Fact::of(match input.world.guild_name() {
        Some(guild) => format!("This is the {kind} {channel} on the server {}.", prompt_label(guild)),
        None => format!("This is the {kind} {channel}."),
    })
}
