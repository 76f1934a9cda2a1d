//! Character cards, lorebooks, card macros and SillyTavern's order of the prompt.
//!
//! Everything that makes a character: [`read_card`] takes a card out of whatever holds it (PNG, CHARX, JPEG, WEBP, JSON,
//! YAML; versions 1, 2 and 3 and their dialects), [`lore`] reads every format of lorebook and decides which entries a
//! chat calls up, [`macros`] fills in `{{char}}` and its kin, [`sillytavern`] puts a prompt together message for
//! message as SillyTavern does, and [`write`](mod@write) goes back to a card file.
//!
//! The crate is pure: bytes and plain values in, plain values out. It opens no file, reads no clock, asks no network and
//! knows no model. Everything that is read leniently is said in a line of its own (`warnings`), and what is refused
//! is refused with one line, the limit it broke and the byte where it broke it ([`Refusal`]).
//!
//! ```
//! use familiar_cards::read_card;
//!
//! let card = read_card(br#"{"spec": "chara_card_v2", "data": {"name": "Mara", "first_mes": "Hello, {{user}}."}}"#)?;
//! assert_eq!(card.name, "Mara");
//! assert_eq!(card.greetings().collect::<Vec<_>>(), ["Hello, {{user}}."]);
//! # Ok::<(), familiar_cards::Refusal>(())
//! ```

#![warn(missing_docs, unreachable_pub)]

mod assets;
mod card;
mod character;
pub mod coerce;
mod container;
pub mod dice;
pub mod fnv;
pub mod lore;
pub mod macros;
mod payload;
mod refusal;
mod role;
pub mod sentences;
pub mod sillytavern;
mod spec;
pub mod text;
mod tokens;
pub mod write;

pub use card::{Card, Picture, Spec, TEXT_FIELDS};
pub use character::{Character, DepthPrompt};
pub use container::Container;
pub use refusal::{Limit, Refusal, RefusalKind};
pub use role::Role;
pub use spec::read_card;
pub use tokens::TokenCount;
