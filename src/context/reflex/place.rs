//! Where this is.

use super::{Fact, ReflexInput};
use crate::context::providers::quotable_line;
use crate::domain::PlaceKind;
use crate::text::names::prompt_label;

pub(super) fn topic(input: &ReflexInput<'_>) -> Option<Fact> {
    if input.place.is_one_to_one() {
        return None;
    }
    match input.world.topic() {
        Some(topic) => Fact::quoting(format!("The channel's topic reads: “{}”", quotable_line(topic))),
        None => Fact::of("The channel has no topic."),
    }
}

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
