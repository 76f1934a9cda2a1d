//! From a message to a prompt, and from a prompt to a model: the settings ([`config`]), who the familiar is ([`familiar`]) and
//! whom it deals with ([`identity`]), what is true right now ([`world`]), the context within its budget ([`context`]), texts
//! as vectors ([`embedding`]), models ([`llm`]) and the record of it all ([`trace`]). No session, no platform, no call.
//!
//! Its modules are rooms of the bot: who may import whom stands in `docs/architecture/map.md`. Start reading at
//! [`context::ContextPipeline`].

#![warn(unreachable_pub)]

use familiar_chat::{clock, domain, text};
use familiar_memory::{graph, history, home, memory, sqlite};

pub mod config;
pub mod context;
pub mod embedding;
pub mod familiar;
pub mod identity;
pub mod llm;
pub mod net;
pub mod trace;
pub mod world;
