//! Pure functions on strings.
//!
//! Owns token counting, card macros, message splitting, sentence cutting and names. Must not know stores, networks or
//! configuration. Start reading at [`tokens`].

mod estimate;
mod fences;
pub mod macros;
pub mod names;
pub mod sentences;
pub mod split;
pub mod tokens;
pub mod unicode;
