//! What a turn is worth: from the message and the channel to what may be spent (A1, A2, A4, A5).
//!
//! Owns the judgement of a message by its words, the table of searches, and the figures of a turn. Must not know how
//! anything is searched for or laid out. Start reading at [`classify`] and [`plan_for`].

mod build;
mod intent;
mod parts;
mod searches;
mod signals;

pub(super) use build::extra_content;
pub use build::{Means, TOOLS_SHARE, plan_for};
pub use intent::{Heard, HeardBy, classify};
pub(super) use parts::is_asked;
pub use signals::facets;
