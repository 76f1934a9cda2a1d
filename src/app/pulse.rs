//! What the world is told of the program itself, every few seconds.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::clock::SharedClock;
use crate::config::LiveConfig;
use crate::domain::Slot;
use crate::llm::ModelSlots;
use crate::tools::ToolBox;
use crate::world::{BotState, World};

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
        let model = self.models.slot(Slot::MainProse).describe();
        BotState {
            model: Some(model.model.clone()),
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
