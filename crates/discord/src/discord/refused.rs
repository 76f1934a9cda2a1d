//! Why something was not done on Discord: for a model in English, for people who gave a command in their language.
//!
//! Owns how Discord's refusals are read. Must not know what was to be done. Start reading at [`Refused`].

use std::fmt::{self, Display};
use std::future::Future;

use serenity::all::HttpError;
use tokio::time::timeout;

use super::link::{CALL_DEADLINE, RestFailure, failure};
use crate::session::ToolError;
use crate::text::short::{one_line, shortened};

/// Discord's error codes for what goes wrong with what is done in its places, and what a model is told
/// (Discord's documentation, "Opcodes and Status Codes", JSON error codes).
const TOLD: [(isize, &str); 8] = [
    (CHANNEL_GONE, "this channel is gone"),
    (MESSAGE_GONE, "that message is gone"),
    (10_014, "Discord knows no such emoji"),
    (30_003, "as many messages are pinned here as Discord allows"),
    (30_010, "there are as many different reactions under that message as Discord allows"),
    (90_001, "whoever wrote that message lets the bot put nothing under it"),
    (HAS_THREAD, "that message has a thread already"),
    (LOCKED, "this thread is locked"),
];

const MISSING_PERMISSIONS: isize = 50_013;
const CHANNEL_GONE: isize = 10_003;
const MESSAGE_GONE: isize = 10_008;
const HAS_THREAD: isize = 160_004;
const LOCKED: isize = 160_005;

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refused {
    /// The bot lacks these permissions, in the words of Discord's own settings page.
    BotLacks(Vec<&'static str>),
    /// Whoever asks lacks them.
    AskerLacks(Vec<&'static str>),
    AskerUnseen,
    NoThreadsHere,
    NotConnected,
    Late,
    MessageGone,
    HasThread,
    Locked,
    ChannelGone,
    /// Discord does not accept the bot any more.
    NotAccepted,
    /// It may not, and may never; why.
    Closed(String),
    /// It may work later; why.
    Passing(String),
    /// In other words, which are English: Discord's own where people read them.
    Said(String),
}

impl Refused {
    /// What Discord refused, and what is lacking where it says that something is.
    fn of(error: &serenity::Error, lacking: &'static str) -> Self {
        let code = match error {
            serenity::Error::Http(HttpError::UnsuccessfulRequest(response)) => response.error.code,
            _ => 0,
        };
        match code {
            MISSING_PERMISSIONS if !lacking.is_empty() => return Self::BotLacks(vec![lacking]),
            MESSAGE_GONE => return Self::MessageGone,
            HAS_THREAD => return Self::HasThread,
            LOCKED => return Self::Locked,
            CHANNEL_GONE => return Self::ChannelGone,
            _ => {}
        }
        if let Some(told) = words_for_code(code) {
            return Self::Said(told.to_owned());
        }
        let plain = |why: &str| shortened(&one_line(why), 200);
        match failure(error) {
            RestFailure::Unauthorised => Self::NotAccepted,
            RestFailure::Closed(why) => Self::Closed(plain(&why)),
            RestFailure::Passing(why) | RestFailure::Unreadable(why) => Self::Passing(plain(&why)),
            RestFailure::Other(why) => Self::Said(plain(&own_words(error).unwrap_or(why))),
        }
    }

    /// Whether it will not work however often it is tried.
    pub(super) fn is_lasting(&self) -> bool {
        matches!(self, Self::ChannelGone | Self::Locked | Self::NotAccepted | Self::Closed(_))
    }
}

/// What Discord itself says, or the number of its refusal.
fn own_words(error: &serenity::Error) -> Option<String> {
    let serenity::Error::Http(HttpError::UnsuccessfulRequest(response)) = error else { return None };
    // Serenity's way to say that nothing could be made of it.
    let is_unreadable = response.error.code == -1;
    let number = || format!("HTTP {}", response.status_code.as_u16());
    Some(if is_unreadable { number() } else { response.error.message.clone() })
}

fn words_for_code(code: isize) -> Option<&'static str> {
    TOLD.iter().find(|(known, _)| *known == code).map(|(_, told)| *told)
}

/// As a model is told.
impl Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BotLacks(names) => write!(
                f,
                "the bot lacks the permission {} here; whoever manages the server can give it",
                names.join(" and ")
            ),
            Self::AskerLacks(names) => write!(
                f,
                "whoever asks lacks the permission {} here, so it is not done for them",
                names.join(" and ")
            ),
            Self::AskerUnseen => {
                f.write_str("it cannot be seen now what whoever asks may do here, so it is not done for them")
            }
            Self::NoThreadsHere => {
                f.write_str("no thread can be opened here: only in a server's text channels")
            }
            Self::NotConnected => f.write_str("there is no connection to Discord now"),
            Self::Late => f.write_str("Discord did not answer in time"),
            Self::MessageGone => f.write_str(words_for_code(MESSAGE_GONE).unwrap_or_default()),
            Self::HasThread => f.write_str(words_for_code(HAS_THREAD).unwrap_or_default()),
            Self::Locked => f.write_str(words_for_code(LOCKED).unwrap_or_default()),
            Self::ChannelGone => f.write_str(words_for_code(CHANNEL_GONE).unwrap_or_default()),
            Self::NotAccepted => f.write_str("Discord does not accept the bot any more"),
            Self::Closed(words) | Self::Passing(words) | Self::Said(words) => f.write_str(words),
        }
    }
}

impl From<Refused> for ToolError {
    fn from(refused: Refused) -> Self {
        Self::Broken(refused.to_string())
    }
}

/// Waits for Discord; what is lacking where it says that something is.
pub(super) async fn await_discord<T>(
    lacking: &'static str,
    call: impl Future<Output = serenity::Result<T>>,
) -> Result<T, Refused> {
    match timeout(CALL_DEADLINE, call).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(Refused::of(&error, lacking)),
        Err(_) => Err(Refused::Late),
    }
}
