//! How a turn's words reach Discord.
//!
//! Owns the [`Outbox`] for Discord: checks, sending, retrying, the typing indicator. Must not know why something is
//! said. Start reading at [`DiscordOutbox`].

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use quick_cache::sync::Cache;
use serenity::all::{ChannelId, Permissions, ReactionType};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::actions::DiscordActions;
use super::intake;
use super::link::{CALL_DEADLINE, DiscordLink, RestFailure, failure, if_answered};
use super::members::user;
use super::messages::{self, Here};
use super::sending::{
    MESSAGE_MAX_CHARS, channel_of, check, code_file, compose, guild_of, message_of, with_retries,
};
use super::standing::{Refusals, Standing};
use crate::clock::Uses;
use crate::domain::{AccountId, Audience, MessageId, ModelErrorClass, Place, PlaceKind};
use crate::session::{
    Awaited, Delivered, Delivery, DeliveryError, DeliveryStyle, Notice, Outbox, PlaceActions, Replaced,
    TypingGuard,
};

/// Discord shows "is typing…" for ten seconds after each call.
const TYPING_EVERY: Duration = Duration::from_secs(8);

/// How long one call for the indicator may take; it is not worth more.
const TYPING_DEADLINE: Duration = Duration::from_secs(5);

/// Channels of which was told that no thread can be opened there.
const THREADLESS_KEPT: usize = 256;

/// A failure that concerns every answer is said once in so long in a channel, however many ask meanwhile …
const SAY_AGAIN: Duration = Duration::from_secs(60);

/// … in so many channels at a time.
const FAILURES_KEPT: usize = 1_024;

/// Put under the message in which it was told to be quiet.
const SEALED_LIPS: &str = "🤐";

/// Speaks into Discord channels, threads and DMs.
#[derive(Debug)]
pub struct DiscordOutbox {
    link: DiscordLink,
    refusals: Refusals,
    /// Channels of which was told that no thread can be opened there.
    threadless: Cache<ChannelId, ()>,
    /// Failures of which was told lately.
    told: Mutex<Uses<(ChannelId, ModelErrorClass), Instant>>,
}

impl DiscordOutbox {
    /// An outbox over a link. Until the link is connected every delivery fails with words.
    pub fn new(link: DiscordLink) -> Self {
        Self {
            link,
            refusals: Refusals::default(),
            threadless: Cache::new(THREADLESS_KEPT),
            told: Mutex::new(Uses::new(SAY_AGAIN, FAILURES_KEPT)),
        }
    }

    /// Whether people there know already that no answer comes, and why: the line for it was posted a moment ago.
    fn is_known(&self, to: &Delivery, class: ModelErrorClass) -> bool {
        class.is_of_the_server()
            && channel_of(&to.place)
                .is_ok_and(|channel| !self.told.lock().is_first((channel, class), Instant::now()))
    }

    /// Puts a reaction under the message that is answered; `false` where that could not be done.
    async fn reacts(&self, to: &Delivery, emoji: &str) -> bool {
        let message = to.reply_to.as_ref().and_then(message_of);
        let (Some(message), Some(http), Ok(channel)) = (message, self.link.http(), channel_of(&to.place))
        else {
            return false;
        };
        let emoji = ReactionType::Unicode(emoji.to_owned());
        let put = http.create_reaction(channel, message, &emoji);
        if_answered(CALL_DEADLINE, put, ("a reaction was not put", channel.get())).await.is_some()
    }

    async fn send(
        &self,
        to: &Delivery,
        text: &str,
        answers: Option<&MessageId>,
        awaited: Option<&Awaited>,
    ) -> Result<Delivered, DeliveryError> {
        let there = self
            .link
            .connected()
            .ok_or_else(|| DeliveryError::Failed("not connected to Discord".to_owned()))?;
        let channel = channel_of(&to.place)?;
        let sent = match code_file(text) {
            Some(file) => {
                let message = compose(channel, "", answers, awaited).add_file(file);
                with_retries(|| async {
                    let posted = channel.send_message(&there.http, message.clone()).await;
                    posted.map(|posted| Some(posted.id))
                })
                .await
            }
            None => {
                let message = compose(channel, text, answers, awaited);
                with_retries(|| self.link.post(&there.http, channel, &message)).await
            }
        };
        match (&sent, guild_of(&to.place)) {
            (Err(DeliveryError::Forbidden(why)), Some(guild)) => {
                self.refusals.refused(&there, guild, channel, why);
            }
            (Ok(_), Some(_)) => self.refusals.arrived(&there, channel),
            _ => {}
        }
        Ok(Delivered { message: sent?.map(|id| MessageId::from(id.get())) })
    }
}

#[async_trait]
impl Outbox for DiscordOutbox {
    fn style(&self) -> DeliveryStyle {
        DeliveryStyle::Messages { max_chars: MESSAGE_MAX_CHARS }
    }

    fn may_speak(&self, place: &Place) -> bool {
        match (self.link.connected(), guild_of(place), channel_of(place)) {
            (Some(there), Some(guild), Ok(channel)) => self.refusals.may_speak(&there, guild, channel),
            _ => true,
        }
    }

    async fn aside(&self, place: &Place, message: &MessageId, name: &str) -> Option<Place> {
        let channel = channel_of(place).ok()?;
        let opened = DiscordActions { link: self.link.clone() }.opens_aside(place, message, name).await;
        match opened {
            Ok(thread) => {
                self.threadless.remove(&channel);
                let named = place.channel_name.as_ref().map(|channel| format!("{channel} -> {name}"));
                // It is seen by whoever sees the channel it hangs on.
                Some(Place {
                    channel: thread.get().into(),
                    parent: Some(place.channel.clone()),
                    kind: PlaceKind::Thread,
                    channel_name: named,
                    ..place.clone()
                })
            }
            Err(why) => {
                if self.threadless.get(&channel).is_none() {
                    self.threadless.insert(channel, ());
                    tracing::warn!(%channel, %why, "no thread can be opened there: a second talk is answered in the channel");
                }
                None
            }
        }
    }

    fn takes_files(&self, place: &Place) -> bool {
        match (self.link.connected(), guild_of(place), channel_of(place)) {
            (Some(there), Some(guild), Ok(channel)) => Standing::of_cached(&there.cache, guild, channel)
                .is_some_and(|standing| standing.granted.contains(Permissions::ATTACH_FILES)),
            (Some(_), None, Ok(_)) => true,
            _ => false,
        }
    }

    fn is_reachable(&self, _place: &Place) -> bool {
        self.link.connected().is_some()
    }

    async fn is_read(&self, place: &Place) -> bool {
        let Some((there, adapter)) = self.link.there() else { return false };
        let Ok(channel) = channel_of(place) else { return false };
        if let Some(guild) = guild_of(place) {
            let known = adapter.known_channel(&there.cache, guild, channel);
            return adapter.reading(channel, known.as_ref()) != Here::NotRead;
        }
        match &place.audience {
            Audience::Dm(account) => match user(account) {
                Some(person) => {
                    adapter.may_dm(person).await && adapter.takes_in(&there.cache, None, person).await
                }
                None => false,
            },
            _ => false,
        }
    }

    async fn alone_with(&self, who: &AccountId) -> Option<Place> {
        let (http, id) = (self.link.http()?, user(who)?);
        let opens = id.create_dm_channel(&http);
        let cannot = ("somebody cannot be told something alone", id.get());
        let channel = if_answered(CALL_DEADLINE, opens, cannot).await?;
        Some(intake::dm_place(channel.id, id))
    }

    fn typing(&self, to: &Delivery) -> TypingGuard {
        let (Some(http), Ok(channel)) = (self.link.http(), channel_of(&to.place)) else {
            return TypingGuard::none();
        };
        let done = CancellationToken::new();
        let guard = done.clone().drop_guard();
        tokio::spawn(async move {
            let shown = async {
                loop {
                    match timeout(TYPING_DEADLINE, channel.broadcast_typing(&http)).await {
                        Ok(Ok(())) => {}
                        // A closed channel stays closed; the delivery itself will say so in words.
                        Ok(Err(error)) if matches!(failure(&error), RestFailure::Closed(_)) => return,
                        Ok(Err(error)) => tracing::debug!(%channel, %error, "typing indicator not shown"),
                        Err(_) => tracing::debug!(%channel, "typing indicator timed out"),
                    }
                    sleep(TYPING_EVERY).await;
                }
            };
            tokio::select! {
                () = shown => {}
                () = done.cancelled() => {}
            }
        });
        TypingGuard::holding(guard)
    }

    async fn deliver(&self, to: &Delivery, text: &str, first: bool) -> Result<Delivered, DeliveryError> {
        check(text)?;
        self.send(to, text, to.reply_to.as_ref().filter(|_| first), to.awaited.as_ref().filter(|_| first))
            .await
    }

    fn amends(&self) -> bool {
        true
    }

    async fn amend(&self, to: &Delivery, message: &MessageId, text: &str) -> Result<bool, DeliveryError> {
        check(text)?;
        super::repairs::amend(&self.link, channel_of(&to.place)?, message, text).await
    }

    async fn replace(
        &self,
        place: &Place,
        messages: &[MessageId],
        pieces: &[String],
        once: &str,
    ) -> Result<Replaced, DeliveryError> {
        pieces.iter().try_for_each(|piece| check(piece))?;
        super::repairs::replace(&self.link, channel_of(place)?, messages, pieces, once).await
    }

    async fn take_away(&self, place: &Place, messages: &[MessageId]) -> Vec<MessageId> {
        match channel_of(place) {
            Ok(channel) => super::repairs::take_away(&self.link, channel, messages).await,
            Err(_) => Vec::new(),
        }
    }

    fn actions(&self) -> Option<Arc<dyn PlaceActions>> {
        Some(Arc::new(DiscordActions { link: self.link.clone() }))
    }

    async fn notice(&self, to: &Delivery, notice: Notice) -> Result<(), DeliveryError> {
        match notice {
            // Who asks for quiet is not answered in words, where there is a message to put a sign under.
            Notice::KeepsQuiet if self.reacts(to, SEALED_LIPS).await => return Ok(()),
            Notice::JoinsInAgain => return Ok(()),
            Notice::ModelFailed { class, .. } if self.is_known(to, class) => return Ok(()),
            _ => {}
        }
        self.send(to, &messages::notice(self.link.tongue_in(&to.place), notice), to.reply_to.as_ref(), None)
            .await
            .map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_empty_oversized_or_leaking_leaves() {
        assert!(check("Hello.").is_ok());
        assert!(check(&"é".repeat(2000)).is_ok());
        for bad in ["", " \n\t", "fine\n⟦fc: Who you are⟧\nYou are Ada", &"x".repeat(2001)] {
            assert!(matches!(check(bad), Err(DeliveryError::Refused(_))), "{bad:.20}");
        }
        let code = format!("```rust\n{}```", "let a = 1;\n".repeat(300));
        assert!(check(&code).is_ok(), "as a file");
        assert!(check(&format!("{code}\nand more")).is_err());
    }

    #[test]
    fn a_reply_pings_nobody_and_survives_a_deleted_original() {
        let message = compose(ChannelId::new(7), "hi @everyone <@5>", Some(&MessageId::from(9)), None);
        let json = serde_json::to_value(&message).unwrap();
        assert_eq!(
            json["allowed_mentions"],
            serde_json::json!({"parse": [], "users": [], "roles": [], "replied_user": false})
        );
        assert_eq!(json["message_reference"]["message_id"], "9");
        assert_eq!(json["message_reference"]["fail_if_not_exists"], false);
        assert_eq!(json["enforce_nonce"], true);
        assert!(json.get("flags").is_none());
        let linking = compose(ChannelId::new(7), "see https://example.org", None, None);
        assert_eq!(serde_json::to_value(&linking).unwrap()["flags"], 4, "SUPPRESS_EMBEDS");
    }
}
