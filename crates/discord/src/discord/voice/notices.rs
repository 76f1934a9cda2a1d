//! What a call's own chat is told.
//!
//! Owns posting there: that the familiar listens and to whom, with the buttons to agree and to decline, and what the
//! voice room has to say in writing. Words come from `messages`. Start reading at [`Board::keep`].

use std::sync::Arc;
use std::time::Duration;

use serenity::all::{
    ButtonStyle, ChannelId, CreateActionRow, CreateAllowedMentions, CreateButton, CreateMessage,
};
use tokio::sync::{broadcast, mpsc, watch};
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::connection::Happened;
use super::taking_back::Unwanted;
use super::terms::{Manner, Standpoint};
use super::transcript::{Line, Transcript};
use crate::clock::{Clock as _, SystemClock};
use crate::config::LiveConfig;
use crate::discord::link::DiscordLink;
use crate::discord::messages::{self, Tongue};
use crate::discord::outbox::DiscordOutbox;
use crate::discord::refused::{Refused, await_discord};
use crate::discord::sending::MESSAGE_MAX_CHARS;
use crate::domain::{AccountId, MessageId};
use crate::session::{Delivery, DeliveryError, Notice, Outbox};
use crate::text::split::split_messages;
use crate::voice::CallNotice;

/// Lines of the transcript that may wait.
const LINES: usize = 256;

/// What somebody says at once is longer than this only if it is a speech; it is written in several lines then.
const LINE_MAX_CHARS: usize = 1_500;

const AGREE: &str = "voice-hear-me";
const DECLINE: &str = "voice-do-not-hear-me";

/// Whether a button of this id says that its presser agrees to be heard, or declines.
pub(in crate::discord) fn consent_of(button: &str) -> Option<bool> {
    match button {
        AGREE => Some(true),
        DECLINE => Some(false),
        _ => None,
    }
}

/// Posts something in a channel, where `consent` is a language with buttons to agree and to decline. Nobody is pinged.
///
/// # Errors
/// When Discord does not take it.
pub(super) async fn post(
    link: &DiscordLink,
    channel: ChannelId,
    text: String,
    consent: Option<Tongue>,
) -> Result<(), Refused> {
    let http = link.http().ok_or(Refused::NotConnected)?;
    let mut message =
        CreateMessage::new().content(text).allowed_mentions(CreateAllowedMentions::new().replied_user(false));
    if let Some(to) = consent {
        let button = |id: &str, label: String, style| CreateButton::new(id).label(label).style(style);
        message = message.components(vec![CreateActionRow::Buttons(vec![
            button(AGREE, messages::voice::agree(to), ButtonStyle::Primary),
            button(DECLINE, messages::voice::decline(to), ButtonStyle::Secondary),
        ])]);
    }
    await_discord("", channel.send_message(&http, message)).await.map(drop)
}

/// Posts what the voice room has to say in writing, in order.
#[derive(Debug)]
pub(super) struct Board {
    pub link: DiscordLink,
    pub config: Arc<LiveConfig>,
    pub channel: ChannelId,
    /// Who connects anew where nothing can be made out.
    pub happened: mpsc::Sender<Happened>,
    /// How long before what could not be written is tried again.
    pub rewrite: Duration,
    /// Tells of what was forgotten.
    pub forgotten: broadcast::Receiver<Unwanted>,
    /// What the familiar is called.
    pub familiar: String,
    /// Who agreed to be heard, as it stands.
    pub standpoint: watch::Receiver<Standpoint>,
}

impl Board {
    /// Until the other end falls silent.
    pub(super) async fn keep(self, mut notices: mpsc::Receiver<CallNotice>) {
        let outbox = DiscordOutbox::new(self.link.clone());
        let (lines, said) = mpsc::channel(LINES);
        let transcript = Transcript {
            link: self.link.clone(),
            config: Arc::clone(&self.config),
            channel: self.channel,
            tongue: self.link.tongue_at(self.channel),
            again: self.rewrite,
            forgotten: self.forgotten,
        };
        let transcript = AbortOnDropHandle::new(tokio::spawn(transcript.keep(said)));
        let mirror = |who: Option<AccountId>, said: jiff::Timestamp, name: &str, text: &str| {
            if !self.config.current().call.transcript {
                return;
            }
            for words in split_messages(text, LINE_MAX_CHARS) {
                let text = messages::voice::transcript_line(said.as_second(), name, &words);
                let line = Line { who: who.clone(), text, said, at: Instant::now() };
                if let Err(mpsc::error::TrySendError::Full(_)) = lines.try_send(line) {
                    tracing::warn!(channel = %self.channel, "the transcript does not follow");
                }
            }
        };
        while let Some(notice) = notices.recv().await {
            let to = self.link.tongue_at(self.channel);
            let text = match notice {
                CallNotice::Written { to: delivery, text, posted } => {
                    posted.send(write(&outbox, &delivery, &text).await).ok();
                    continue;
                }
                CallNotice::Session { to: delivery, notice } => {
                    let manner = match notice {
                        Notice::KeepsQuiet => Some(Manner::Quiet { until: jiff::Timestamp::MAX }),
                        Notice::JoinsInAgain => Some(Manner::JoinsIn),
                        _ => None,
                    };
                    if let Some(manner) = manner {
                        self.happened.send(Happened::Told(manner)).await.ok();
                    }
                    if let Err(error) = outbox.notice(&delivery, notice).await {
                        tracing::warn!(channel = %self.channel, %error, "a notice was not posted");
                    }
                    continue;
                }
                CallNotice::HearsNothing { why } => {
                    tracing::warn!(channel = %self.channel, why, "no speech recognition in this call");
                    messages::voice::hears_nothing(to, &why)
                }
                CallNotice::MissesWords { why } => {
                    tracing::warn!(channel = %self.channel, why, "words in this call were not understood");
                    messages::voice::misses_words(to, &why)
                }
                CallNotice::HearsAgain => messages::voice::hears_again(to),
                CallNotice::HasNoVoice { why } => {
                    tracing::warn!(channel = %self.channel, why, "no voice in this call");
                    messages::voice::has_no_voice(to, &why)
                }
                CallNotice::SpeaksAgain => messages::voice::speaks_again(to),
                CallNotice::NotHeard { account, why } => messages::voice::not_heard(to, account.id(), &why),
                CallNotice::NotSpokenTo { account, why } => {
                    messages::voice::not_spoken_to(to, account.id(), &why)
                }
                // Where everybody is heard who does not decline, not everybody has said yes to being posted.
                CallNotice::Heard { author, .. } if !self.standpoint.borrow().has_agreed(&author.account) => {
                    continue;
                }
                CallNotice::Heard { author, at, text } => {
                    mirror(Some(author.account.clone()), at, author.label(), &text);
                    continue;
                }
                CallNotice::Said { text } => {
                    mirror(None, SystemClock.now(), &self.familiar, &text);
                    continue;
                }
                CallNotice::CannotDecode { account } => {
                    // Where there is no room, somebody was told already.
                    self.happened.try_send(Happened::Undecodable(account)).ok();
                    continue;
                }
            };
            if let Err(error) = post(&self.link, self.channel, text, None).await {
                tracing::warn!(channel = %self.channel, %error, "a notice about the call was not posted");
            }
        }
        drop(lines);
        if let Err(error) = transcript.await {
            tracing::warn!(channel = %self.channel, %error, "the transcript broke off");
        }
    }
}

/// Text as messages that fit.
async fn write(outbox: &DiscordOutbox, to: &Delivery, text: &str) -> Result<Vec<MessageId>, DeliveryError> {
    let mut posted = Vec::new();
    for (at, piece) in split_messages(text, MESSAGE_MAX_CHARS).into_iter().enumerate() {
        posted.extend(outbox.deliver(to, &piece, at == 0).await?.message);
    }
    Ok(posted)
}
