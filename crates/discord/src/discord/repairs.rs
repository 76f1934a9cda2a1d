//! Changing what the familiar said: its messages edited where they stand, more of them posted, what is left over taken away.
//!
//! Whatever Discord refuses half-way, what is told afterwards is what people read. Start reading at [`replace`].

use std::collections::HashMap;
use std::future::Future;

use serenity::all::{ChannelId, CreateAllowedMentions, EditMessage, Message, MessageFlags};

use super::link::{Connected, DiscordLink, is_gone};
use super::sending::{compose, message_of, named_once, with_retries, without_mention};
use crate::domain::MessageId;
use crate::session::{DeliveryError, Replaced};

/// A message of a reply, and what it says.
struct ReplyMessage {
    id: serenity::all::MessageId,
    text: String,
}

/// Has a reply's messages read like this. Posts with the same `once` are one post.
///
/// # Errors
/// When nothing was changed.
pub(super) async fn replace(
    link: &DiscordLink,
    channel: ChannelId,
    messages: &[MessageId],
    pieces: &[String],
    once: &str,
) -> Result<Replaced, DeliveryError> {
    let there =
        link.connected().ok_or_else(|| DeliveryError::Failed("not connected to Discord".to_owned()))?;
    let (mut standing, mut files) = (Vec::new(), Vec::new());
    for id in messages.iter().filter_map(message_of) {
        // What it says now is needed if a later one is refused; somebody may have taken it away long ago.
        if let Some(message) = unless_gone(|| there.http.get_message(channel, id)).await? {
            // A file takes no other words; it goes once they stand.
            if message.attachments.is_empty() {
                standing.push(ReplyMessage { id, text: unmentioned_words(&message) });
            } else {
                files.push(id);
            }
        }
    }
    if standing.is_empty() && files.is_empty() {
        return Ok(Replaced::default());
    }
    let change = ReplyChange { link, there: &there, channel, once };
    let mut refused = change.make(&mut standing, pieces).await.err();
    if refused.is_none() {
        for file in files {
            let gone = unless_gone(|| there.http.delete_message(channel, file, None)).await;
            refused = refused.or(gone.err());
        }
    }
    let stands = |one: ReplyMessage| (MessageId::from(one.id.get()), one.text);
    Ok(Replaced { standing: standing.into_iter().map(stands).collect(), refused })
}

/// Has one message read so; `false` where it is gone.
///
/// # Errors
/// When it may read as it did.
pub(super) async fn amend(
    link: &DiscordLink,
    channel: ChannelId,
    message: &MessageId,
    text: &str,
) -> Result<bool, DeliveryError> {
    let there =
        link.connected().ok_or_else(|| DeliveryError::Failed("not connected to Discord".to_owned()))?;
    let Some(id) = message_of(message) else { return Ok(false) };
    edit_message(&there, channel, id, text).await
}

/// `false` where it is gone.
async fn edit_message(
    there: &Connected,
    channel: ChannelId,
    id: serenity::all::MessageId,
    text: &str,
) -> Result<bool, DeliveryError> {
    let edit =
        EditMessage::new().content(text).allowed_mentions(CreateAllowedMentions::new().replied_user(false));
    let edit = if text.contains("://") { edit.flags(MessageFlags::SUPPRESS_EMBEDS) } else { edit };
    let edited = unless_gone(|| there.http.edit_message(channel, id, &edit, Vec::new())).await?;
    Ok(edited.is_some())
}

/// Takes messages of others away, where that is allowed; those that are gone.
pub(super) async fn take_away(
    link: &DiscordLink,
    channel: ChannelId,
    messages: &[MessageId],
) -> Vec<MessageId> {
    let Some(there) = link.connected() else { return Vec::new() };
    let mut gone = Vec::new();
    for message in messages {
        let Some(id) = message_of(message) else { continue };
        match unless_gone(|| there.http.delete_message(channel, id, None)).await {
            Ok(_) => gone.push(message.clone()),
            Err(error) => tracing::debug!(%channel, %error, "a message of somebody else stays"),
        }
    }
    gone
}

fn unmentioned_words(message: &Message) -> String {
    without_mention(&message.content).to_owned()
}

/// Tries again while that may help; nothing where the message is gone.
async fn unless_gone<T, F>(mut call: impl FnMut() -> F) -> Result<Option<T>, DeliveryError>
where
    F: Future<Output = serenity::Result<T>>,
{
    with_retries(|| {
        let called = call();
        async {
            match called.await {
                Err(error) if is_gone(&error) => Ok(None),
                called => called.map(Some),
            }
        }
    })
    .await
}

struct ReplyChange<'a> {
    link: &'a DiscordLink,
    there: &'a Connected,
    channel: ChannelId,
    once: &'a str,
}

impl ReplyChange<'_> {
    /// All of it, or as far as it can be set back nothing. `standing` is what people read afterwards.
    async fn make(&self, standing: &mut Vec<ReplyMessage>, pieces: &[String]) -> Result<(), DeliveryError> {
        let before: HashMap<_, _> = standing.iter().map(|one| (one.id, one.text.clone())).collect();
        if let Err(refused) = self.show(standing, pieces).await {
            self.set_back(standing, &before).await;
            return Err(refused);
        }
        while standing.len() > pieces.len() {
            let Some(last) = standing.last().map(|last| last.id) else { break };
            unless_gone(|| self.there.http.delete_message(self.channel, last, None)).await?;
            standing.pop();
        }
        Ok(())
    }

    /// Edits the messages that are there, and posts what does not fit in them.
    async fn show(&self, standing: &mut Vec<ReplyMessage>, pieces: &[String]) -> Result<(), DeliveryError> {
        for (at, piece) in pieces.iter().enumerate().take(standing.len()) {
            match self.edit(&mut standing[at], piece).await {
                Ok(true) => {}
                Ok(false) => {
                    standing.remove(at);
                    return Err(DeliveryError::Failed("a message of it is gone".to_owned()));
                }
                Err(refused) => {
                    // Nobody knows whether it was changed all the same.
                    let id = standing[at].id;
                    if let Ok(Some(message)) =
                        unless_gone(|| self.there.http.get_message(self.channel, id)).await
                    {
                        standing[at].text = unmentioned_words(&message);
                    }
                    return Err(refused);
                }
            }
        }
        for (at, piece) in pieces.iter().enumerate().skip(standing.len()) {
            let message = named_once(compose(self.channel, piece, None, None), format!("{}{at}", self.once));
            let posted = with_retries(|| self.link.post(&self.there.http, self.channel, &message)).await?;
            standing.extend(posted.map(|id| ReplyMessage { id, text: piece.clone() }));
        }
        Ok(())
    }

    /// Has those that were there read as they did, and takes away what was posted.
    async fn set_back(
        &self,
        standing: &mut Vec<ReplyMessage>,
        before: &HashMap<serenity::all::MessageId, String>,
    ) {
        for at in (0..standing.len()).rev() {
            let id = standing[at].id;
            let set_back = match before.get(&id) {
                Some(text) => self.edit(&mut standing[at], text).await.map(drop),
                None => {
                    unless_gone(|| self.there.http.delete_message(self.channel, id, None)).await.map(|_| {
                        standing.remove(at);
                    })
                }
            };
            if let Err(error) = set_back {
                tracing::warn!(channel = %self.channel, %error, "a part of a changed reply could not be set back");
            }
        }
    }

    /// `false` where it is gone.
    async fn edit(&self, one: &mut ReplyMessage, text: &str) -> Result<bool, DeliveryError> {
        if one.text == text {
            return Ok(true);
        }
        let is_there = edit_message(self.there, self.channel, one.id, text).await?;
        if is_there {
            text.clone_into(&mut one.text);
        }
        Ok(is_there)
    }
}
