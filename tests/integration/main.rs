//! The one integration-test binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod ahead;
mod binary;
mod caching;
mod call;
mod call_people;
mod callers;
mod cards;
mod compaction;
mod condensing;
mod conversations;
mod dialogues;
mod discord;
mod docs;
mod doctor;
mod embedding;
mod forgetting;
mod graph;
mod init;
mod killed;
mod llm;
mod lore;
mod lore_table;
mod memory;
mod pairing;
mod plan;
mod processors;
mod prompt;
mod recall;
mod recall_stdio;
mod remembering;
mod replay;
mod screen;
mod sections;
mod session;
mod session_properties;
mod soak;
mod speech;
#[path = "../support/mod.rs"]
mod support;
mod tools;
mod unwritten;
mod voice;
mod world;
