//! What people plainly say of themselves, and what they then set right: found by the form of a sentence, without a model.
//! Only what can hardly be meant otherwise; the rest is for a model that understands.

mod clauses;
mod correct;
mod sentence;
mod state;

pub(super) use correct::{Correction, correction};
pub(super) use sentence::sentences;
pub(super) use state::{Statement, statements};
