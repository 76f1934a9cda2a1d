//! The Discord rim.
//!
//! Owns everything that speaks to Discord: the gateway, what comes in (`intake`), what goes out ([`DiscordOutbox`]),
//! the slash commands and every sentence a person can read there (`messages`). Must not know how a prompt is made or
//! a model called; nothing outside this room names serenity or poise. Start reading at [`DiscordOutbox`].

#[allow(dead_code, unused_imports, reason = "the gateway that reads with it lands next")]
mod intake;
#[allow(dead_code, reason = "the gateway that connects it lands next")]
mod link;
#[allow(dead_code, reason = "the commands that speak them land next")]
mod messages;
mod outbox;
#[allow(dead_code, reason = "the gateway that asks for them lands next")]
mod permissions;

pub use link::DiscordLink;
pub use outbox::DiscordOutbox;
pub use permissions::{application_of, invite_link};
