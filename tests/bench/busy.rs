//! A world in which much goes on.

use std::sync::Arc;

use familiar_connect::domain::{AccountId, Audience, Author, ChannelId, GuildId, Place};
use familiar_connect::world::{CallMicrophone, CallVoice, ChannelCard, Headphones, InCall, World};

use crate::corpus;
use crate::stage::known_as;

pub fn place() -> Place {
    let guild = GuildId::from(7);
    Place { guild: Some(guild.clone()), audience: Audience::Guild(guild), ..corpus::place() }
}

pub fn person(id: u64) -> Author {
    known_as(id, &format!("Person {id}"))
}

/// A bot in a hundred guilds, with a full one to read from.
pub fn fill(world: &World) {
    for guild in 0..100_u64 {
        for channel in 0..10_u64 {
            let place = Place { channel: ChannelId::from(guild * 100 + channel), ..place() };
            world.spoke(&place, &person(channel), corpus::said_at(channel));
        }
        world.guild(&GuildId::from(guild), |state| {
            let cards = (0..500_u64).map(|id| {
                let card = ChannelCard {
                    name: format!("channel-{id}"),
                    topic: Some("What it is for".to_owned()),
                    audience: familiar_connect::domain::Audience::Guild(GuildId::from(guild)),
                    is_nsfw: false,
                };
                (ChannelId::from(guild * 1000 + id), card)
            });
            state.channels = Arc::new(cards.collect());
            let calls = (0..50_u64).map(|id| InCall {
                account: AccountId::discord(id),
                name: format!("Person {id}"),
                channel: ChannelId::from(id % 4),
                channel_name: format!("Call {}", id % 4),
                audience: Audience::Guild(GuildId::from(guild)),
                microphone: CallMicrophone::Open,
                headphones: Headphones::On,
                voice: CallVoice::Silent,
            });
            state.calls = Arc::new(calls.collect());
        });
    }
    for id in 0..32 {
        world.spoke(&place(), &person(id), corpus::said_at(id));
    }
}
