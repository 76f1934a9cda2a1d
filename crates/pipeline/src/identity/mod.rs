//! Who somebody is to the familiar (M10), and which places they want to be known in as they are known
//! alone: pairing (M14). Who they are in play. And who wants to be known nowhere.
//!
//! Owns codes, bonds, personas, who opted out, and the file they are kept in; and who counts as what. Must not know what was said, nor who asks how. Nothing is ever
//! paired but by the two ends: a code is asked for at one of them and given at the other, within ten minutes. What is
//! paired holds from then on; what was said before stays where it was until the person says otherwise.
//! Start reading at [`Pairing`] and [`caller_in`].

mod bonds;
mod callers;
mod codes;
mod pairing;
mod personas;
#[cfg(test)]
mod tests;

pub use bonds::{BondEnd, CodeRefusal};
pub use callers::{Membership, caller_in, is_operator};
pub use codes::{CODE_LENGTH, CODE_LIFETIME, TRIES_EACH, TRIES_WINDOW};
pub use pairing::{Invitation, JoinedEnds, Pairing, PairingError};
pub use personas::{OwnPersonas, PlayedIn};
