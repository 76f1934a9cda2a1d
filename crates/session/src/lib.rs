//! A turn, whatever the adapter: conversations as actors and whether to speak ([`session`]), what the model may look up or do
//! ([`tools`]), by other programs as well ([`mcp`]), files that people send ([`documents`]), what is done to a reply ([`processors`]) and behind the scenes
//! ([`workers`]), and forgetting ([`erase`]). No platform, no call, no window.
//!
//! Its modules are rooms of the bot: who may import whom stands in `docs/architecture/map.md`. Start reading at
//! [`session::SessionHandle`].

#![warn(unreachable_pub)]

use familiar_chat::{clock, domain, text};
use familiar_memory::{graph, history, home, memory};
use familiar_pipeline::{config, context, embedding, familiar, identity, llm, net, trace, world};

pub mod documents;
pub mod erase;
pub mod mcp;
pub mod processors;
pub mod session;
pub mod tools;
pub mod workers;
