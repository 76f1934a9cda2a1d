//! What is pinned in the channels that are read: fetched at a start, when a channel is subscribed, and whenever its pins change.
//!
//! Owns when Discord is asked. Must not know what is done with pins. Start reading at [`read_pins`].

use std::sync::Arc;
use std::time::Duration;

use serenity::all::{Cache, ChannelId, Context, GuildId, Http};

use super::adapter::Adapter;
use super::intake;
use super::link::if_answered;
use super::messages::Here;
use super::sending::{channel_of, guild_of};
use crate::domain::Place;
use crate::history::NewPin;

/// How long Discord may take to tell them, its rate limits included.
const PINS_DEADLINE: Duration = Duration::from_secs(30);

/// Pins of one channel, the newest first; Discord tells no more at once.
const PINS_MAX: usize = 50;

/// Reads the pins of every channel of a guild that is read in it. One after the other: Discord counts requests.
pub(super) async fn read_pins_of_guild(adapter: &Arc<Adapter>, ctx: &Context, guild: GuildId) {
    for channel in adapter.channels_read(&ctx.cache, guild) {
        read_pins(adapter, ctx, channel, Some(guild)).await;
    }
}

/// Reads what is pinned in a channel, if it is read there. Of direct messages nothing is: there everything is at hand.
pub(super) async fn read_pins(adapter: &Adapter, ctx: &Context, channel: ChannelId, guild: Option<GuildId>) {
    let Some(guild) = guild else { return };
    let (place, here) = adapter.guild_place(ctx, guild, channel).await;
    if here != Here::NotRead {
        read_pins_in(adapter, &ctx.cache, &ctx.http, place).await;
    }
}

/// Reads what is pinned in a channel of a server that is read.
pub(super) async fn read_pins_in(adapter: &Adapter, cache: &Arc<Cache>, http: &Http, place: Place) {
    let (Some(guild), Ok(channel)) = (guild_of(&place), channel_of(&place)) else { return };
    let cannot = ("what is pinned here cannot be read", channel.get());
    let Some(pinned) = if_answered(PINS_DEADLINE, http.get_pins(channel), cannot).await else { return };
    let own = adapter.own(cache);
    let mut pins = Vec::new();
    for mut message in pinned.into_iter().take(PINS_MAX) {
        message.guild_id = Some(guild);
        let text = intake::full_text(cache, &message, &place, &own);
        if text.is_empty() || !adapter.takes_in(cache, Some(guild), message.author.id).await {
            continue;
        }
        pins.push(NewPin {
            message: message.id.get().into(),
            author: intake::author(&message),
            text,
            at: intake::at(message.timestamp),
        });
    }
    adapter.deps.session.pinned(place, pins).await;
}
