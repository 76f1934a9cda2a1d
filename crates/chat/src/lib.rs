//! What a chat is made of, for a program that takes part in one: the nouns ([`domain`]: ids, events, places and their
//! audience) and pure functions on what people write ([`text`]: sentences, names, phrases and dates in thirteen
//! languages, secrets, token counts). No disk, no network, no model; the time comes from a [`clock`] that tests set.
//!
//! Start reading at [`domain::InboundEvent`], then [`text::phrases`].

#![warn(unreachable_pub)]

pub mod clock;
pub mod domain;
pub mod text;
