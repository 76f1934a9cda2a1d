//! Discord's payloads as the session's events.
//!
//! Owns the translation: names, places, audiences, attachments, hints, and what is not worth an event at all. Pure:
//! looks things up in the cache and asks nobody. Must not know sessions or subscriptions. Start reading at
//! [`message`].

mod attachments;
mod order;
mod place;
mod spoken;
mod text;

use serenity::all::{
    Cache, ChannelId, GuildChannel, GuildId, Member, Message, MessageReferenceKind, MessageType, UserId,
};

use self::place::GuildFacts;
use self::text::{Names, shown_name};
use crate::domain::{AccountId, Author, InboundMessage, MessageId, Place, TriggerHints};

pub(super) use order::{KEPT_PER_CHANNEL, Order, Turn};
pub(super) use place::{audiences, dm_place, is_thread, needed, seen_in, thread_parent};
pub(super) use spoken::SpokenTongues;
pub(super) use text::let_go_of_words;

/// Who the familiar is on Discord.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Own {
    pub user: UserId,
    /// What it is called in prompts.
    pub name: String,
}

/// The place of a guild channel. `channel` is the channel itself where it is known.
pub(super) fn guild_place(
    cache: &Cache,
    guild: GuildId,
    id: ChannelId,
    channel: Option<&GuildChannel>,
) -> Place {
    let Some(channel) = channel else { return place::unknown(guild, id) };
    let facts = match cache.guild(guild) {
        Some(cached) => GuildFacts::about(&cached, channel),
        None => GuildFacts::unknown(guild),
    };
    place::in_guild(&facts, channel)
}

/// A message for the session; `None` for what says nothing: joins, pins, boosts, empty messages.
pub(super) fn message(cache: &Cache, message: &Message, place: Place, own: &Own) -> Option<InboundMessage> {
    if !is_speech(message.kind) {
        return None;
    }
    let names = names(cache, message, &place, own);
    let text = text::readable(&message.content, &names);
    let attachments = attachments::describe(message, &names);
    if text.is_empty() && attachments.is_empty() {
        return None;
    }
    Some(InboundMessage {
        message: Some(message.id.get().into()),
        attachments,
        reply_to: answered_message(message).map(|id| id.get().into()),
        forwards: forwarded_message(message),
        hints: hints(cache, message, own),
        ..InboundMessage::said(place, author(message), text, at(message.timestamp))
    })
}

/// A message's words with its attachments as lines, as an edit carries them.
pub(super) fn full_text(cache: &Cache, message: &Message, place: &Place, own: &Own) -> String {
    let names = names(cache, message, place, own);
    let words = text::readable(&message.content, &names);
    let lines = attachments::describe(message, &names).into_iter().map(|attachment| attachment.line());
    let parts: Vec<String> = std::iter::once(words).chain(lines).filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// Discord's time as ours; a broken one is now.
pub(super) fn at(timestamp: serenity::all::Timestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(timestamp.timestamp_millis()).unwrap_or_else(|_| jiff::Timestamp::now())
}

fn is_speech(kind: MessageType) -> bool {
    matches!(
        kind,
        MessageType::Regular
            | MessageType::InlineReply
            | MessageType::ChatInputCommand
            | MessageType::ContextMenuCommand
    )
}

fn names<'a>(cache: &'a Cache, message: &'a Message, place: &'a Place, own: &'a Own) -> Names<'a> {
    let familiar = (own.user, own.name.as_str());
    Names { cache, guild: message.guild_id, place, mentions: &message.mentions, familiar }
}

/// Who sent a message.
pub(super) fn author(message: &Message) -> Author {
    Author {
        account: AccountId::discord(message.author.id.get()),
        display_name: Some(shown_name(&message.author, message.member.as_deref())),
        username: Some(message.author.name.clone()),
        is_bot: message.author.bot || message.webhook_id.is_some(),
    }
}

/// Who somebody is in a server, as far as Discord has said.
pub(super) fn author_of(user: UserId, member: Option<&Member>) -> Author {
    Author {
        account: AccountId::discord(user.get()),
        display_name: member.map(|member| member.display_name().to_owned()),
        username: member.map(|member| member.user.name.clone()),
        is_bot: member.is_some_and(|member| member.user.bot),
    }
}

/// The answered message; a forward also has a reference, but answers nothing.
fn answered_message(message: &Message) -> Option<serenity::all::MessageId> {
    let reference = message.message_reference.as_ref()?;
    (message.kind == MessageType::InlineReply && reference.kind == MessageReferenceKind::Default)
        .then_some(reference.message_id)
        .flatten()
}

/// The message that this one passes on. Who wrote that one Discord does not say.
fn forwarded_message(message: &Message) -> Option<(crate::domain::ChannelId, MessageId)> {
    let reference = message.message_reference.as_ref()?;
    let of = reference.message_id.filter(|_| reference.kind == MessageReferenceKind::Forward)?;
    Some((reference.channel_id.get().into(), of.get().into()))
}

fn hints(cache: &Cache, message: &Message, own: &Own) -> TriggerHints {
    let answered_author = answered_message(message)
        .and(message.referenced_message.as_deref())
        .map(|referenced| (referenced.author.id, referenced.webhook_id.is_some()));
    let replies_to_familiar = answered_author == Some((own.user, false));
    let mentions_familiar =
        message.mentions.iter().any(|user| user.id == own.user) || mentions_own_role(cache, message, own);
    let names_others = message.mentions.iter().any(|user| user.id != own.user)
        || !message.mention_roles.is_empty()
        || message.mention_everyone;
    let answers_others = answered_message(message).is_some() && !replies_to_familiar;
    TriggerHints {
        // Answering with the ping on lists the familiar among the mentions as well; that is one address, not two.
        mentions_familiar,
        replies_to_familiar,
        addresses_someone_else: !mentions_familiar
            && !replies_to_familiar
            && (names_others || answers_others),
        is_unsure: false,
        is_missed: false,
    }
}

/// People often pick the bot's role of the same name from the list instead of the bot.
fn mentions_own_role(cache: &Cache, message: &Message, own: &Own) -> bool {
    let Some(guild) = message.guild_id.and_then(|guild| cache.guild(guild)) else { return false };
    message
        .mention_roles
        .iter()
        .filter_map(|role| guild.roles.get(role))
        .any(|role| role.tags.bot_id == Some(own.user))
}

#[cfg(test)]
mod tests;
