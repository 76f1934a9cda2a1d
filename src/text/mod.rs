//! Pure functions on strings.
//!
//! Owns token counting, card macros, message splitting, sentence cutting, names and turns of phrase. Must not know
//! stores, networks or configuration. Start reading at [`tokens`].

pub mod cues;
mod estimate;
mod fences;
pub mod macros;
pub mod names;
pub mod sentences;
pub mod split;
pub mod tokens;
pub mod unicode;
pub mod zones;
