//! The terminal as a place to talk: the operator at the keyboard, one-to-one with the familiar.
//!
//! Owns reading lines, showing replies as they stream, and the few commands of a terminal. Must not know models or
//! Discord. Start reading at [`converse`].

mod fetching;
mod messages;
mod screen;

use std::sync::Arc;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};
use tokio_util::sync::CancellationToken;

pub use fetching::show_fetching;
pub use screen::{Dress, Screen, TerminalOutbox};

use crate::clock::SharedClock;
use crate::config::FamiliarHome;
use crate::domain::{
    AccountId, Author, ChannelId, InboundEvent, InboundMessage, Modality, Place, Platform, TokenEncoding,
    TriggerHints,
};
use crate::familiar::LiveCharacter;
use crate::history::History;
use crate::session::{GreetError, SessionHandle, SubmitError};
use crate::trace::{Standing, TraceStore, render};

/// What a conversation in the terminal needs.
#[derive(Debug)]
pub struct TerminalParts {
    /// Where messages go.
    pub session: SessionHandle,
    /// For the greeting that opens a first conversation.
    pub history: Arc<History>,
    /// For `/context`.
    pub traces: Arc<TraceStore>,
    /// Its name stands in front of its lines.
    pub character: Arc<LiveCharacter>,
    /// For telling where things are.
    pub home: FamiliarHome,
    /// Time.
    pub clock: SharedClock,
    /// What the operator is called.
    pub user_name: String,
    /// How a first conversation begins.
    pub opening: Opening,
}

/// How a first conversation in the terminal begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// With the card's greeting.
    Greeting,
    /// With nothing: a service has no reader, and the greeting is kept for whoever talks here first.
    Silence,
}

/// How a conversation in the terminal ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The input is at its end.
    InputClosed,
    /// The operator said goodbye.
    Quit,
    /// The program was asked to stop.
    Stopped,
}

/// Talks until the input ends, the operator quits or `stop` is cancelled.
///
/// # Errors
/// When the input cannot be read or the session no longer takes messages.
pub async fn converse(
    parts: TerminalParts,
    screen: Arc<Screen>,
    mut input: impl AsyncBufRead + Unpin,
    stop: CancellationToken,
) -> Result<Ended, TerminalError> {
    let place = Place::terminal(ChannelId::new("terminal")?);
    parts.session.connect(Platform::Terminal, Arc::new(TerminalOutbox::new(Arc::clone(&screen))));
    let conversation = Terminal { parts, screen, place };
    conversation.open().await?;
    loop {
        conversation.screen.prompt();
        let line = tokio::select! {
            line = next_line(&mut input) => line?,
            () = stop.cancelled() => return Ok(Ended::Stopped),
        };
        let Some(line) = line else { return Ok(Ended::InputClosed) };
        let answered = conversation.take(line.trim());
        let carry_on = tokio::select! {
            carry_on = answered => carry_on?,
            () = stop.cancelled() => return Ok(Ended::Stopped),
        };
        if !carry_on {
            return Ok(Ended::Quit);
        }
    }
}

/// Why a conversation in the terminal broke off.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// The keyboard or pipe failed.
    #[error("the input cannot be read: {0}")]
    Input(#[from] std::io::Error),
    /// The session no longer takes messages.
    #[error(transparent)]
    Session(#[from] SubmitError),
    /// Our own constant is not a usable id.
    #[error(transparent)]
    Id(#[from] crate::domain::InvalidId),
}

/// The next line, `None` at the end. Bytes that are no UTF-8 become `�`: a slip of the keyboard or a file in another
/// encoding ends no conversation.
async fn next_line(input: &mut (impl AsyncBufRead + Unpin)) -> std::io::Result<Option<String>> {
    let mut line = Vec::new();
    let read = input.read_until(b'\n', &mut line).await?;
    Ok((read > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
}

struct Terminal {
    parts: TerminalParts,
    screen: Arc<Screen>,
    place: Place,
}

impl Terminal {
    /// A first conversation opens with the card's greeting; later ones go on where they stopped.
    async fn open(&self) -> Result<(), TerminalError> {
        let character = self.parts.character.current();
        self.screen.note(&messages::opening(character.spoken_name()));
        let is_new = self
            .parts
            .history
            .last_assistant(&self.place.channel, TokenEncoding::Estimate)
            .await
            .is_ok_and(|turn| turn.is_none());
        if self.parts.opening == Opening::Greeting && is_new && !character.greetings.is_empty() {
            self.greet(None).await?;
        }
        Ok(())
    }

    async fn take(&self, line: &str) -> Result<bool, TerminalError> {
        let mut words = line.split_whitespace();
        match words.next() {
            None => return Ok(true),
            Some("/quit" | "/exit" | "/bye") => return Ok(false),
            Some("/help") => self.screen.note(&messages::help()),
            Some("/where") => self.screen.note(&messages::whereabouts(self.parts.home.root())),
            Some("/context") => self.show_context(words.next()).await,
            Some("/why") => self.show_why(line.trim_start_matches("/why").trim()).await,
            Some("/greet") => match words.next().map(str::parse::<usize>) {
                None => self.greet(None).await?,
                Some(Ok(number)) if number > 0 => self.greet(Some(number - 1)).await?,
                Some(_) => self.screen.note(&messages::greet_usage()),
            },
            Some(command) if command.starts_with('/') => {
                self.screen.note(&messages::unknown_command(command))
            }
            Some(_) => {
                self.parts.session.submit(InboundEvent::Message(Box::new(self.message(line)))).await?;
                self.parts.session.settle(&self.place).await?;
            }
        }
        Ok(true)
    }

    async fn greet(&self, which: Option<usize>) -> Result<(), TerminalError> {
        match self.parts.session.greet(self.place.clone(), which, Some(self.parts.user_name.clone())).await {
            Ok(()) => Ok(()),
            Err(GreetError::Submit(error)) => Err(error.into()),
            Err(error) => {
                self.screen.note(&error.to_string());
                Ok(())
            }
        }
    }

    async fn show_context(&self, turn: Option<&str>) {
        let found = match turn {
            Some(turn) => match turn.parse() {
                Ok(turn) => self.parts.traces.get(turn).await,
                Err(error) => return self.screen.note(&error.to_string()),
            },
            None => self.parts.traces.latest(Some(&self.place.channel)).await,
        };
        match found {
            Ok(Some(trace)) => self.screen.note(&render::markdown(&trace, Standing::Operator)),
            Ok(None) => self.screen.note(&messages::no_turn_yet()),
            Err(error) => self.screen.note(&error.to_string()),
        }
    }

    async fn show_why(&self, words: &str) {
        if words.is_empty() {
            return self.screen.note(messages::WHY_WHAT);
        }
        let found = match self.parts.traces.latest_that_asked(&self.place.channel).await {
            Ok(Some(trace)) => trace,
            Ok(None) => return self.screen.note(&messages::no_turn_yet()),
            Err(error) => return self.screen.note(&error.to_string()),
        };
        match self.parts.session.why(&found, words, Standing::Operator).await {
            Ok(answer) => self.screen.note(&answer),
            Err(error) => self.screen.note(&error.to_string()),
        }
    }

    fn message(&self, text: &str) -> InboundMessage {
        InboundMessage {
            place: self.place.clone(),
            author: Author {
                account: AccountId::operator(),
                display_name: Some(self.parts.user_name.clone()),
                username: None,
                is_bot: false,
            },
            message: None,
            text: text.to_owned(),
            attachments: Vec::new(),
            reply_to: None,
            modality: Modality::Text,
            at: self.parts.clock.now(),
            hints: TriggerHints::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn bytes_that_are_no_text_do_not_end_the_conversation() {
        let mut input = &b"caf\xe9?\nstill here"[..];
        assert_eq!(next_line(&mut input).await.unwrap().as_deref(), Some("caf\u{fffd}?\n"));
        assert_eq!(next_line(&mut input).await.unwrap().as_deref(), Some("still here"));
        assert_eq!(next_line(&mut input).await.unwrap(), None);
    }
}
