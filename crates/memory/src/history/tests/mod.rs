//! A history in a temporary folder, and people who say things in it.

mod answers;
mod append;
mod around;
mod change;
mod deliveries;
mod forget;
mod heard;
mod people;
mod plans;
mod reactions;
mod recent;
mod reminders;
mod rooms;
mod search;
mod seen;
mod sources;
mod summaries;
mod thoughts;
mod unread;
mod window;

use std::ops::Deref;

use jiff::Timestamp;
use tempfile::TempDir;

use crate::domain::{
    AccountId, Audience, Author, ChannelId, ChannelMode, GuildId, MessageId, Place, PlaceKind, Platform,
    Role, StoredTurn, TokenEncoding, TurnId, Visible,
};

use super::{History, HistoryOptions, NewTurn, RecentQuery};

/// A history whose folder lives as long as it does.
pub(super) struct Scratch {
    pub(super) history: History,
    pub(super) folder: TempDir,
}

impl Deref for Scratch {
    type Target = History;
    fn deref(&self) -> &History {
        &self.history
    }
}

pub(super) async fn scratch() -> Scratch {
    scratch_with(HistoryOptions::new([TokenEncoding::CharsOver4])).await
}

/// In which Alice has said all that, in messages of these numbers.
pub(super) async fn scratch_of(said_before: &[(u64, &str)]) -> Scratch {
    let history = scratch().await;
    for (message, words) in said_before {
        history.append(said(*message, words)).await.unwrap();
    }
    history
}

pub(super) async fn scratch_with(options: HistoryOptions) -> Scratch {
    let folder = TempDir::new().unwrap();
    let history = History::open(&folder.path().join("history.db"), options).await.unwrap();
    Scratch { history, folder }
}

/// `#general` of guild 1, unless another channel is named.
pub(super) fn guild_place(channel: u64) -> Place {
    Place {
        guild: Some(GuildId::from(1)),
        channel_name: Some("#general".to_owned()),
        guild_name: Some("Home".to_owned()),
        ..Place::new(
            Platform::Discord,
            channel.into(),
            PlaceKind::GuildText,
            Audience::Guild(GuildId::from(1)),
        )
    }
}

pub(super) fn person(number: u64, name: &str) -> Author {
    Author { username: Some(name.to_lowercase()), ..Author::called(AccountId::discord(number), name) }
}

/// Alice says something in channel 7 at `second`.
pub(super) fn said(message: u64, content: &str) -> NewTurn {
    NewTurn {
        messages: vec![MessageId::from(message)],
        ..NewTurn::written(
            guild_place(7),
            Some(person(1, "Alice")),
            content,
            Timestamp::from_second(i64::try_from(message).unwrap()).unwrap(),
            ChannelMode::TextConversationRp,
        )
    }
}

/// The familiar answers in channel 7.
pub(super) fn replied(messages: &[u64], content: &str) -> NewTurn {
    NewTurn {
        role: Role::Assistant,
        author: None,
        messages: messages.iter().copied().map(MessageId::from).collect(),
        turn: Some(TurnId(1)),
        ..said(messages.first().copied().unwrap_or(0), content)
    }
}

pub(super) fn channel() -> ChannelId {
    ChannelId::from(7)
}

/// Who is in that channel.
pub(super) fn here() -> Visible {
    Visible::at(&guild_place(7))
}

pub(super) fn newest(max_turns: u32) -> RecentQuery {
    RecentQuery { mode: None, max_turns, until: None, encoding: TokenEncoding::CharsOver4 }
}

pub(super) fn contents(turns: &[StoredTurn]) -> Vec<&str> {
    turns.iter().map(|turn| turn.content.as_str()).collect()
}
