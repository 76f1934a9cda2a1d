//! The one integration-test binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod answering;
#[cfg(unix)]
mod at_the_terminal;
mod binary;
mod caching;
mod call;
mod call_engines;
mod call_people;
mod callers;
mod cards;
mod ceilings;
mod compaction;
mod conversations;
mod damage;
mod days;
mod dialogues;
mod discord;
mod docs;
mod doctor;
mod embedding;
mod end_of_turn;
mod filtering;
mod forgetting;
mod graph;
mod init;
mod killed;
mod languages;
mod llm;
mod log;
mod looking_outside;
mod lore;
mod lore_table;
mod memory;
mod missed;
mod names;
mod night;
mod pairing;
mod parting;
mod plan;
mod processors;
mod prompt;
mod recall;
mod recall_stdio;
mod remembering;
mod reminders;
mod replay;
mod reranking;
mod screen;
mod sections;
mod session;
mod session_properties;
mod side_jobs;
mod soak;
mod speculation;
mod speech;
mod stuck;
#[allow(dead_code, reason = "the benches use more of it")]
#[path = "../support/mod.rs"]
mod support;
mod told_before;
mod tools;
mod unwritten;
mod verbs;
mod voice;
mod world;
