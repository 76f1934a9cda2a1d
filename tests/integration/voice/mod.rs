//! Calls: the voice library in a fake voice server, and the familiar in a call.

mod attending;
mod bridge;
mod doing;
mod hall;
mod members;
mod packets;
mod rig;
mod transcripts;
pub(crate) mod whole;
