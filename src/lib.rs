//! Familiar-Connect: a Discord companion that a server's people come to treat as one of them.
//!
//! One process runs one *familiar* (a character). Events come in at the adapter (`discord`, the terminal),
//! travel through `session` → `context` → `llm`, and leave through an outbox at the same adapter. The rooms
//! and who may import whom are described in `docs/architecture/map.md` and checked by
//! `tests/architecture.rs`.
//!
//! Start reading at [`domain`], then [`session`].

#![warn(unreachable_pub)]

pub use familiar_chat::{clock, domain, text};
pub use familiar_discord::{discord, voice};
pub use familiar_memory::{archive, graph, history, home, memory, sqlite};
pub use familiar_pipeline::{config, context, embedding, familiar, identity, llm, net, trace, world};
pub use familiar_session::{documents, erase, mcp, processors, session, tools, workers};
pub use familiar_window::{doctor, terminal, window};

pub mod app;
pub mod cli;
pub mod simulate;
