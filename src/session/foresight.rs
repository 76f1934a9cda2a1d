//! How an answer that was begun early would begin, told to the rim before anybody knows whether it is wanted.
//!
//! Owns what is told and when that ends: the rim learns of every early answer that nothing more will come. Must not hand
//! anything over. Start reading at [`Watch::sees`].

use std::sync::Arc;

use super::outbox::{Delivery, DeliveryStyle, Foreseen, Outbox};
use super::verdict::{Passed, VerdictGate};
use crate::llm::{Delta, ModelError};
use crate::processors::Outlet;

/// So much is told, in bytes; first phrases are rarely longer.
const TOLD: usize = 240;

/// Tells one rim of one early answer. Whatever becomes of it, the rim is told at last that there is no more.
pub(super) struct Foresight {
    outbox: Arc<dyn Outbox>,
    guess: u64,
    is_whole: bool,
}

impl Foresight {
    /// A model is about to be asked.
    pub fn begin(outbox: Arc<dyn Outbox>, guess: u64, to: Delivery) -> Self {
        let this = Self { outbox, guess, is_whole: false };
        this.tell(Foreseen::Begun(Box::new(to)));
        this
    }

    /// How the rim wants it.
    pub fn style(&self) -> DeliveryStyle {
        self.outbox.style()
    }

    fn tell(&self, what: Foreseen) {
        self.outbox.foresee(self.guess, what);
    }
}

impl Drop for Foresight {
    fn drop(&mut self) {
        self.tell(Foreseen::NoMore { is_whole: self.is_whole });
    }
}

/// Reads along with a model, the way a reply is read.
pub(super) struct Watch {
    foresight: Foresight,
    gate: VerdictGate,
    outlet: Outlet,
    told: usize,
}

impl Watch {
    /// `may_pass`: whether the model was told that it need not answer.
    pub fn new(foresight: Foresight, may_pass: bool, outlet: Outlet) -> Self {
        Self { foresight, gate: VerdictGate::new(may_pass), outlet, told: 0 }
    }

    /// This came. Gives itself back as long as more of it is worth telling: nothing behind the end of a first phrase, a
    /// verdict, a wish for a tool or a failure is.
    pub fn sees(mut self, delta: &Result<Delta, ModelError>) -> Option<Self> {
        match delta {
            Ok(Delta::Text(words)) => {
                let Passed::Words(words) = self.gate.push(words) else { return None };
                let words = self.outlet.push(&words);
                self.told += words.len();
                if !words.is_empty() {
                    self.foresight.tell(Foreseen::Words(words));
                }
                (!self.outlet.is_cut() && self.told < TOLD).then_some(self)
            }
            Ok(Delta::Reasoning(_) | Delta::AttemptFailed(_)) => Some(self),
            Ok(Delta::Finished(_)) => {
                self.foresight.is_whole = true;
                None
            }
            Ok(Delta::ToolCall(_) | Delta::ThoughtAloud) | Err(_) => None,
        }
    }
}
