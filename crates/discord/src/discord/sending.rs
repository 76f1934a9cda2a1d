//! What every message that is posted or changed is made of and sent by: whom it calls, what tells it from another, trying
//! again.
//!
//! Must not know what is said. Start reading at [`compose`].

use std::future::Future;
use std::time::Duration;

use serenity::all::{
    ChannelId, CreateAllowedMentions, CreateAttachment, CreateMessage, GuildId, MessageFlags,
    MessageReference, MessageReferenceKind, Nonce, UserId,
};
use tokio::time::{Instant, sleep, timeout_at};

use super::link::{CALL_DEADLINE, RestFailure, failure};
use super::members::user;
use crate::clock::doubled;
use crate::domain::{LAYER_MARKER, MessageId, Place, Platform};
use crate::session::{Awaited, DeliveryError};
use crate::text::code::sole_code_block;

/// Discord's limit for one message, in Unicode scalar values.
pub(super) const MESSAGE_MAX_CHARS: usize = 2000;

/// First pause before trying again; each further one is twice as long. Rate limits are waited out below; this is for 5xx
/// and broken connections.
const RETRY_FIRST_PAUSE: Duration = Duration::from_millis(500);

/// How often a message is tried in all.
const ATTEMPTS: u32 = 4;

/// A message by Discord's own number.
pub(super) fn message_of(id: &MessageId) -> Option<serenity::all::MessageId> {
    let number = id.as_str().parse::<u64>().ok().filter(|id| *id != 0)?;
    Some(serenity::all::MessageId::new(number))
}

/// What must never leave: nothing at all, too much for one message, or pieces of our own prompt.
pub(super) fn check(text: &str) -> Result<(), DeliveryError> {
    let reason = if text.trim().is_empty() {
        "the text is empty".to_owned()
    } else if text.chars().count() > MESSAGE_MAX_CHARS && code_file(text).is_none() {
        format!("the text is longer than {MESSAGE_MAX_CHARS} characters")
    } else if text.contains(LAYER_MARKER) {
        "it repeats a heading of the prompt".to_owned()
    } else {
        return Ok(());
    };
    Err(DeliveryError::Refused(reason))
}

pub(super) fn channel_of(place: &Place) -> Result<ChannelId, DeliveryError> {
    match (place.platform, place.channel.as_str().parse::<u64>()) {
        (Platform::Discord, Ok(id)) if id != 0 => Ok(ChannelId::new(id)),
        _ => Err(DeliveryError::Refused(format!("{} is not a Discord channel", place.channel))),
    }
}

pub(super) fn guild_of(place: &Place) -> Option<GuildId> {
    let id = place.guild.as_ref()?.as_str().parse().ok().filter(|id| *id != 0)?;
    Some(GuildId::new(id))
}

/// Makes a repeated attempt harmless: Discord returns the message it already has.
pub(super) fn nonced(message: CreateMessage) -> CreateMessage {
    named_once(message, format!("{:016x}", rand::random::<u64>()))
}

pub(super) fn named_once(message: CreateMessage, nonce: String) -> CreateMessage {
    message.nonce(Nonce::String(nonce)).enforce_nonce(true)
}

/// Nobody is ever pinged by a reply: allowed mentions are empty, and the answered person is not pinged either. Only whoever
/// asked to be told something is called by it. Nor does a link unfold into what somebody else wrote.
pub(super) fn compose(
    channel: ChannelId,
    text: &str,
    answers: Option<&MessageId>,
    awaited: Option<&Awaited>,
) -> CreateMessage {
    let whom = awaited.and_then(|awaited| user(awaited.whom.as_ref()?));
    let allowed = CreateAllowedMentions::new().replied_user(false);
    let (text, allowed) = match whom {
        Some(id) => (format!("{}{text}", mention(id)), allowed.users([id])),
        None => (text.to_owned(), allowed),
    };
    let message = CreateMessage::new().content(text.as_str()).allowed_mentions(allowed);
    let message = match awaited {
        Some(awaited) => named_once(message, awaited.once.clone()),
        None => nonced(message),
    };
    let message = if text.contains("://") { message.flags(MessageFlags::SUPPRESS_EMBEDS) } else { message };
    match answers.and_then(message_of) {
        Some(id) => message.reference_message(
            MessageReference::new(MessageReferenceKind::Default, channel)
                .message_id(id)
                .fail_if_not_exists(false),
        ),
        None => message,
    }
}

/// Code of more than a message as a file in its language; nothing for everything else.
pub(super) fn code_file(text: &str) -> Option<CreateAttachment> {
    let block = sole_code_block(text).filter(|_| text.chars().count() > MESSAGE_MAX_CHARS)?;
    Some(CreateAttachment::bytes(block.code, format!("code.{}", block.ending)))
}

/// What stands before words that call somebody; it is no part of what was said.
fn mention(id: UserId) -> String {
    format!("<@{id}> ")
}

/// The familiar's own words as it said them, without the call before them.
pub(super) fn without_mention(content: &str) -> &str {
    let id = content.strip_prefix("<@").and_then(|rest| rest.split_once("> "));
    id.filter(|(id, _)| id.bytes().all(|digit| digit.is_ascii_digit())).map_or(content, |(_, rest)| rest)
}

/// Tries again while the failure may pass and the deadline has not.
pub(super) async fn with_retries<T, F>(mut call: impl FnMut() -> F) -> Result<T, DeliveryError>
where
    F: Future<Output = serenity::Result<T>>,
{
    let deadline = Instant::now() + CALL_DEADLINE;
    let mut attempt = 1;
    loop {
        let pause = doubled(RETRY_FIRST_PAUSE, attempt, CALL_DEADLINE);
        let error = match timeout_at(deadline, call()).await {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(error)) => error,
            Err(_) => {
                return Err(DeliveryError::Failed("Discord did not take the message in time".to_owned()));
            }
        };
        match failure(&error) {
            RestFailure::Closed(why) => return Err(DeliveryError::Forbidden(why)),
            RestFailure::Passing(_) if attempt < ATTEMPTS && Instant::now() + pause < deadline => {
                tracing::debug!(%error, attempt, "trying again");
            }
            RestFailure::Passing(why) | RestFailure::Unreadable(why) | RestFailure::Other(why) => {
                return Err(DeliveryError::Failed(why));
            }
            RestFailure::Unauthorised => {
                return Err(DeliveryError::Failed("Discord no longer accepts the bot's token".to_owned()));
            }
        }
        sleep(pause).await;
        attempt += 1;
    }
}
