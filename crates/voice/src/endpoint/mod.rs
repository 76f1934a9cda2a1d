//! When somebody's turn is over.
//!
//! Owns how silence and words are weighed: what was said sounds finished or not, and how long this person pauses. Must
//! not know sound, nor what is done about a turn. Start reading at [`completeness()`], then [`Pauses`].

mod backchannel;
mod completeness;
mod stop;
mod talk;
mod words;

pub use self::backchannel::{Bid, bid, is_backchannel, is_murmur, substantial, takes_floor};
pub(crate) use self::completeness::is_listed_word;
pub use self::completeness::{Completeness, LONGEST_WAIT, Pauses, completeness, is_open, with_a_pause};
pub use self::stop::{normalized, says_stop};
pub(crate) use self::talk::TALK;
pub use self::talk::asks;
pub use self::words::{between_commas, counts_for, transcript_words};
