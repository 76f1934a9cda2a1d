//! What Discord's `/status` may know about the models.

use std::sync::Arc;

use crate::discord::Vitals;
use crate::domain::Slot;
use crate::llm::ModelSlots;

/// The models, seen from Discord.
#[derive(Debug)]
pub(super) struct ModelVitals(pub Arc<ModelSlots>);

impl Vitals for ModelVitals {
    fn model(&self) -> String {
        self.0.slot(Slot::MainProse).describe().model
    }

    fn spent_today_usd(&self) -> Option<f64> {
        self.0.choice().base_url.is_some().then(|| self.0.ledger().today().cost_usd())
    }

    fn unpriced_tokens_today(&self) -> u64 {
        self.0.ledger().today().total().unpriced_tokens
    }
}
