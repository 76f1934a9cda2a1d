//! A reply on its way to sound and back to words: where it is cut while it streams ([`Chunker`]), how an engine's samples
//! are made ready to be played ([`Shaper`]), and which words were heard when it was broken off ([`Ledger`]).

mod chunk;
mod heard;
mod shape;

use std::time::Duration;

pub use self::chunk::Chunker;
pub use self::heard::{Ledger, SpeakingRate, Split};
pub use self::shape::Shaper;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenWord {
    /// The word, with the marks that cling to it.
    pub text: String,
    /// From the phrase's first sample.
    pub start: Duration,
    pub end: Duration,
}
