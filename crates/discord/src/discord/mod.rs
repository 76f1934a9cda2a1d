//! The Discord adapter.
//!
//! Owns everything that speaks to Discord: the gateway, what comes in (`intake`), what goes out ([`DiscordOutbox`]),
//! the slash commands, calls and every sentence a person can read there (`messages`). Must not know how a prompt is made or
//! a model called; nothing outside this room names serenity. Start reading at [`run_discord()`].

mod access;
mod actions;
mod adapter;
mod check_up;
mod commands;
mod conversations;
mod feed;
mod gateway;
mod how_to_forget;
mod intake;
mod link;
mod listening;
mod members;
mod messages;
mod missed;
mod outbox;
mod permissions;
mod pins;
mod presence;
mod questions;
mod reading;
mod refused;
mod repairs;
mod run;
mod sending;
mod standing;
mod tongues;
mod voice;
mod watch;

pub use adapter::DiscordDeps;
pub use check_up::{ChannelState, DiscordFindings, Switches, TokenState, check_up_discord};
pub use conversations::Conversations;
pub use link::DiscordLink;
pub use listening::{ChannelListed, ListenError, Listening, ServerListed};
pub use outbox::DiscordOutbox;
pub use permissions::{application_of, invite_link};
pub use run::{DiscordError, run_discord};
pub use voice::calls::{CallDeps, CallHost, Recogniser};
pub use voice::{CallTimes, PacketCounts, dave_works, track_works};
pub use watch::ConnectionRecord;
