//! What was said while nobody listened: after a start, and after a session that could not be resumed, every place that is
//! read is read back to the last message that is known.
//!
//! Owns how far back that goes, and which messages of the familiar's own are still to be known. Must not know what is done
//! with what was missed. Start reading at [`read_back`].

use std::time::Duration;

use serenity::all::{ChannelId, Context, GetMessages, GuildId, Message, MessageId, UserId};
use tokio::time::timeout;

use super::adapter::Adapter;
use super::intake::{self, Own};
use super::messages::Here;
use super::sending::without_mention;
use crate::domain::{InboundEvent, Place};

/// Messages that Discord gives at once at most.
const PAGE: u8 = 100;

/// How long one page may take: somebody may be waiting behind it for an answer.
const PAGE_DEADLINE: Duration = Duration::from_secs(15);

/// Reads one channel back and hands on what was missed before `upto`, oldest first, all of it stored before any of it is
/// answered.
pub(super) async fn read_back(
    adapter: &Adapter,
    ctx: &Context,
    channel: ChannelId,
    guild: Option<GuildId>,
    upto: Option<MessageId>,
) {
    let config = adapter.deps.config.current();
    let most = config.discord.read_back;
    let known = adapter.deps.session.newest_known(&channel.get().into()).await.filter(|_| most > 0);
    let known = known.and_then(|known| known.as_str().parse::<u64>().ok());
    let place = match known {
        Some(_) => place(adapter, ctx, channel, guild).await,
        None => None,
    };
    let (Some(known), Some(place)) = (known, place) else {
        return adapter.deps.session.was_read_back(&channel.get().into());
    };
    let young = jiff::Timestamp::now().saturating_sub(config.discord.answer_missed_within);
    let wanted = ReadBackLimits {
        known,
        young: young.unwrap_or(jiff::Timestamp::UNIX_EPOCH),
        most: usize::try_from(most).unwrap_or(usize::MAX),
    };
    let missed = match since(ctx, channel, upto, wanted).await {
        Ok(missed) => missed,
        Err(why) => {
            tracing::warn!(%channel, why, "what was said here while nobody listened could not be read");
            return;
        }
    };
    let own = adapter.own(&ctx.cache);
    let mut events = Vec::new();
    for mut message in missed {
        message.guild_id = guild;
        if message.author.id == own.user {
            adapter
                .deps
                .session
                .found_own(
                    &place.channel,
                    message.id.get().into(),
                    without_mention(&message.content).to_owned(),
                    intake::at(message.timestamp),
                )
                .await;
        } else if adapter.lets_in(&ctx.cache, guild, message.author.id, None).await {
            events.extend(event(ctx, &message, &place, &own));
        }
    }
    adapter.deps.session.was_read_back(&place.channel);
    if !events.is_empty() {
        tracing::info!(%channel, messages = events.len(), "read what was said while nobody listened");
        adapter.deps.session.said_meanwhile(&place, events).await;
    }
}

async fn place(
    adapter: &Adapter,
    ctx: &Context,
    channel: ChannelId,
    guild: Option<GuildId>,
) -> Option<Place> {
    if let Some(guild) = guild {
        let (place, here) = adapter.guild_place(ctx, guild, channel).await;
        return (here != Here::NotRead).then_some(place);
    }
    let person: UserId = adapter.dm_person(&ctx.http, channel).await?;
    adapter.may_dm(person).await.then(|| intake::dm_place(channel, person))
}

fn event(ctx: &Context, message: &Message, place: &Place, own: &Own) -> Option<InboundEvent> {
    let mut said = intake::message(&ctx.cache, message, place.clone(), own)?;
    said.hints.is_missed = true;
    // Over REST nobody is a member of anything; who is known by a name here keeps it.
    let known = message.guild_id.and_then(|guild| {
        let guild = ctx.cache.guild(guild)?;
        guild.members.get(&message.author.id).map(|member| member.display_name().to_owned())
    });
    said.author.display_name = known.or(said.author.display_name);
    Some(InboundEvent::Message(Box::new(said)))
}

#[derive(Clone, Copy)]
struct ReadBackLimits {
    /// The last message that is known.
    known: u64,
    /// From here on what is known comes along too: the program may have been killed before it answered.
    young: jiff::Timestamp,
    /// At most so many.
    most: usize,
}

/// The messages behind the last known one, oldest first.
async fn since(
    ctx: &Context,
    channel: ChannelId,
    upto: Option<MessageId>,
    wanted: ReadBackLimits,
) -> Result<Vec<Message>, String> {
    let (mut all, mut before) = (Vec::new(), upto);
    loop {
        let page = GetMessages::new().limit(PAGE);
        let page = before.map_or(page, |before| page.before(before));
        let messages = match timeout(PAGE_DEADLINE, channel.messages(&ctx.http, page)).await {
            Ok(Ok(messages)) => messages,
            Ok(Err(error)) => return Err(error.to_string()),
            Err(_) => return Err("Discord did not answer in time".to_owned()),
        };
        let is_last = messages.len() < usize::from(PAGE);
        before = messages.iter().map(|message| message.id).min();
        let is_known = before.is_some_and(|oldest| oldest.get() <= wanted.known);
        let is_wanted = |message: &Message| {
            message.id.get() > wanted.known || intake::at(message.timestamp) >= wanted.young
        };
        all.extend(messages.into_iter().filter(is_wanted));
        if is_last || is_known {
            break;
        }
        if all.len() >= wanted.most {
            tracing::warn!(%channel, most = wanted.most, "more was said here while nobody listened than is read back");
            break;
        }
    }
    all.sort_by_key(|message| message.id);
    all.drain(..all.len().saturating_sub(wanted.most));
    Ok(all)
}
