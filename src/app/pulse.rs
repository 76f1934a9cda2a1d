//! How the program does, told to the world every few seconds.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::clock::SharedClock;
use crate::config::LiveConfig;
use crate::domain::{ModelErrorClass, Slot};
use crate::llm::ModelSlots;
use crate::tools::ToolBox;
use crate::world::{BotState, Trouble, World};

/// How old what is told of the models may be.
const EVERY: Duration = Duration::from_secs(5);

/// What the pulse is taken of.
#[derive(Debug)]
pub(super) struct Pulse {
    pub(super) world: Arc<World>,
    pub(super) tools: Arc<ToolBox>,
    pub(super) models: Arc<ModelSlots>,
    pub(super) config: Arc<LiveConfig>,
    pub(super) clock: SharedClock,
}

impl Pulse {
    /// Tells for as long as it runs; its owner ends it.
    pub(super) async fn keep(self) {
        let started = self.clock.now();
        loop {
            self.world.bot(self.state(started));
            tokio::time::sleep(EVERY).await;
        }
    }

    fn state(&self, started: Timestamp) -> BotState {
        let health = self.models.health();
        let model = self.models.slot(Slot::MainProse).describe();
        let answered = health.last_answer.as_ref().map(|answer| answer.at);
        // A failure that was followed by an answer is over.
        let trouble = health.last_error.filter(|error| answered.is_none_or(|answered| answered < error.at));
        BotState {
            model: Some(model.model.clone()),
            first_token: health
                .last_answer
                .and_then(|answer| answer.first_token_ms)
                .map(Duration::from_millis),
            trouble: trouble.map(|error| Trouble { at: error.at, what: words(error.class).to_owned() }),
            spent_usd: self
                .models
                .choice()
                .base_url
                .is_some()
                .then(|| self.models.ledger().today().cost_usd()),
            cap_usd: self.config.current().llm.daily_cost_cap_usd,
            started: Some(started),
            tools: if self.tools.are_for(&model) { self.tools.names() } else { Vec::new() },
        }
    }
}

/// A failure in a word or two, without anything an outsider could use.
fn words(class: ModelErrorClass) -> &'static str {
    match class {
        ModelErrorClass::RateLimited => "asked too often",
        ModelErrorClass::Server => "its server failed",
        ModelErrorClass::Network => "no connection to it",
        ModelErrorClass::BrokeOff => "its answer broke off",
        ModelErrorClass::Timeout => "it did not answer in time",
        ModelErrorClass::ModelMissing => "it is not there",
        ModelErrorClass::Authentication => "its key is not accepted",
        ModelErrorClass::KeyMissing => "it wants a key",
        ModelErrorClass::Quota => "no credit left",
        ModelErrorClass::CostCap => "today's budget is spent",
        ModelErrorClass::ContextLength => "too much to read at once",
        ModelErrorClass::ContentFilter => "a filter refused",
        ModelErrorClass::Malformed | ModelErrorClass::BadRequest => "it answered nonsense",
        ModelErrorClass::WebPage => "something else answered",
        ModelErrorClass::Cancelled => "broken off",
    }
}
