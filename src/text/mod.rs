//! Pure functions on strings.
//!
//! Owns token counting, card macros, message splitting, sentence cutting and names. Must not know stores, networks or
//! configuration. Start reading at [`tokens`].

mod estimate;
pub mod macros;
pub mod tokens;
