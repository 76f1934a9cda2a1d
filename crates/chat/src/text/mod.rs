//! Pure functions on strings.
//!
//! Owns token counting, message splitting, sentence cutting, names, keywords, turns of phrase, and what a
//! text is screened for: hidden characters, secrets, what means something to Discord or to a chat template. Must not know stores, networks or configuration.
//! Start reading at [`tokens`].

pub mod addresses;
pub mod calendar;
pub mod clip;
pub mod clock_time;
pub mod code;
pub mod control;
pub mod cues;
pub mod defuse;
pub mod distress;
pub mod due;
pub mod echo;
mod estimate;
pub mod explicit;
mod fences;
pub mod fixed_hash;
pub mod forgetting;
pub mod heading;
pub mod keywords;
pub mod likeness;
pub mod looping;
pub mod marks;
pub mod names;
pub mod particulars;
pub mod phrases;
pub mod punctuation;
pub mod quiet;
pub mod remembered;
pub mod roles;
pub mod screen;
pub mod secrets;
pub mod sentences;
pub mod short;
pub mod speech;
mod spelling;
pub mod split;
pub mod synonyms;
pub mod tokens;
pub mod tongue;
pub mod topics;
pub mod unicode;
pub mod zones;

pub use familiar_cards::dice;
