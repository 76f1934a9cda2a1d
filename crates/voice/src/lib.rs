//! Taking part in a voice call, whatever carries it and whatever understands and speaks: packets become samples and
//! "somebody speaks" ([`receive`]), words and sound tell whether somebody is finished ([`endpoint`], [`end_of_turn`]), a
//! machine decides whose turn it is ([`turn`]), a reply is cut into what is spoken in one breath ([`speech`]), played
//! ([`Playout`]), and accounted for up to the word that was heard last.
//!
//! No Discord, no recogniser, no voice, no model of language; time is passed in. Start reading at [`turn::TurnMachine`].

#![warn(unreachable_pub)]

pub mod end_of_turn;
pub mod endpoint;
pub mod frame;
mod playout;
pub mod receive;
pub mod speech;
pub mod turn;

pub use playout::Playout;
