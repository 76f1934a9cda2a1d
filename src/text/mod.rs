//! Pure functions on strings.
//!
//! Owns token counting, message splitting, sentence cutting and names. Must not know stores, networks or
//! configuration. Start reading at [`tokens`].

mod estimate;
pub mod tokens;
