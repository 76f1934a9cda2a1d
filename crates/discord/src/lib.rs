//! The familiar on Discord ([`discord`]): gateway, intake, outbox, slash commands, calls; and what carries a call ([`voice`]):
//! engines that hear and speak, tied to a session. Nothing else names serenity or songbird.
//!
//! Its modules are rooms of the bot: who may import whom stands in `docs/architecture/map.md`. Start reading at
//! [`discord::run_discord`] and [`voice::CallLine`].

#![warn(unreachable_pub)]

use familiar_chat::{clock, domain, text};
use familiar_memory::{archive, history, memory};
use familiar_pipeline::{config, familiar, identity, llm, net, trace, world};
use familiar_session::{erase, session};

pub mod discord;
pub mod voice;
