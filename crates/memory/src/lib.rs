//! What a companion remembers: what was said ([`history`]), what is believed ([`memory`], notes as Markdown files that people
//! can edit), how it hangs together ([`graph`]), found again by words ([`sqlite::words`]), shown only to those who could know
//! it, and carried elsewhere ([`archive`]). All of it in one folder, a [`home`]. No model, no network, no platform.
//!
//! Start reading at [`history::History`], then [`memory::Memory`].

#![warn(unreachable_pub)]

use familiar_chat::{clock, domain, text};

pub mod archive;
pub mod graph;
pub mod history;
pub mod home;
pub mod memory;
pub mod sqlite;
#[cfg(test)]
mod stored_names_tests;
