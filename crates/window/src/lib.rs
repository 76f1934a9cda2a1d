//! Where the operator sits: pages in a browser ([`window`]), talk at the keyboard ([`terminal`]), and what is wrong, looked for
//! from outside ([`doctor`]).
//!
//! Its modules are rooms of the bot: who may import whom stands in `docs/architecture/map.md`. Start reading at
//! [`window::Window`] and [`doctor::examine`].

#![warn(unreachable_pub)]

use familiar_chat::{clock, domain, text};
use familiar_discord::{discord, voice};
use familiar_memory::{archive, graph, history, home, memory, sqlite};
use familiar_pipeline::{config, context, embedding, familiar, identity, llm, trace, world};
use familiar_session::{documents, erase, mcp, session, workers};

pub mod doctor;
pub mod terminal;
pub mod window;
