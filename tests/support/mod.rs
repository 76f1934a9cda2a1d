//! The fake world around the program: what integration tests run against.

pub mod binary;
pub mod call;
pub mod cards;
pub mod discord;
pub mod embedder;
pub mod log;
pub mod mcp_server;
pub mod nobody;
pub mod page;
pub mod programs;
pub mod provider;
pub mod rows;
pub mod shared;
pub mod speech;
pub mod stage;
pub mod talk;
pub mod time;
pub mod tiny_ending;
pub mod tiny_model;
pub mod voice;
pub mod window;
