//! What the terminal may see of memory and have forgotten, and keeping count of what was stored last.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

use super::App;
use crate::clock::SharedClock;
use crate::config::LiveConfig;
use crate::domain::{AccountId, Place, Slot, Visible};
use crate::erase::{Asker, EraseError, Eraser, ForgetRequest, ForgetWhat, KeepCopy, Plan};
use crate::identity::Pairing;
use crate::llm::ModelSlots;
use crate::memory::Memory;
use crate::terminal::{Extent, Noted, OwnMemory, Unwanted};
use crate::text::keywords::terms;
use crate::tools::ToolBox;
use crate::world::{BotState, World};

#[derive(Debug)]
struct OfTheOperator {
    memory: Arc<Memory>,
    eraser: Arc<Eraser>,
    pairing: Arc<Pairing>,
    config: Arc<LiveConfig>,
    clock: SharedClock,
}

impl App {
    /// What is remembered of whoever sits at the terminal, as far as it may be seen there.
    pub fn own_memory(&self) -> Arc<dyn OwnMemory> {
        Arc::new(OfTheOperator {
            memory: Arc::clone(&self.memory),
            eraser: Arc::clone(&self.eraser),
            pairing: Arc::clone(&self.pairing),
            config: Arc::clone(&self.config),
            clock: Arc::clone(&self.clock),
        })
    }
}

#[async_trait]
impl OwnMemory for OfTheOperator {
    async fn noted(&self, place: &Place, about: &str) -> Result<Vec<Noted>, String> {
        let here = self.pairing.entered(place).await;
        let wanted: BTreeSet<String> = terms(about).into_iter().collect();
        let found = self.memory.seen_by(&Visible::at(&here)).facts_of(AccountId::operator()).await;
        let found = found.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        let today = self.clock.now().to_zoned(self.config.current().display_tz.clone()).date();
        let mut noted: Vec<Noted> = found
            .into_iter()
            .filter(|fact| fact.holds(&wanted))
            .map(|fact| Noted { is_past: fact.is_past(today), on: fact.data.on, words: fact.words })
            .collect();
        noted.sort_by_key(|fact| (fact.is_past, Reverse(fact.on)));
        Ok(noted)
    }

    async fn would_forget(&self, what: &Unwanted) -> Result<Option<Extent>, String> {
        self.eraser.plan(&request(what.clone())).await.map(extent).map_err(|error| error.to_string())
    }

    async fn forget(&self, what: Unwanted) -> Result<Option<Extent>, String> {
        let eraser = Arc::clone(&self.eraser);
        to_its_end(async move { eraser.forget(request(what)).await }).await.map(extent)
    }

    async fn undo(&self) -> Result<Option<Extent>, String> {
        let eraser = Arc::clone(&self.eraser);
        let undone = to_its_end(async move { eraser.undo(&terminal_asker()).await }).await?;
        Ok(undone.and_then(extent))
    }
}

/// Whatever becomes of who waits for it: conversations stand still until it is done.
async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, EraseError>> + Send + 'static,
) -> Result<T, String> {
    tokio::spawn(work).await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
}

fn terminal_asker() -> Asker {
    Asker::Person(AccountId::operator())
}

fn request(what: Unwanted) -> ForgetRequest {
    let person = AccountId::operator();
    let what = match what {
        Unwanted::Everything => ForgetWhat::Person(person),
        Unwanted::Words(words) => ForgetWhat::Words { person, words },
    };
    ForgetRequest { what, by: terminal_asker(), keep: KeepCopy::SevenDays }
}

fn extent(plan: Plan) -> Option<Extent> {
    // Transcripts are of calls, where nobody speaks from a terminal.
    let Plan { messages, replies, facts, notes, traces, transcripts: _, copies: _ } = plan;
    (!plan.is_empty()).then_some(Extent { messages, replies, facts, notes, traces })
}

/// How old what is told of the models may be.
const EVERY: Duration = Duration::from_secs(5);

/// What the pulse is taken of.
#[derive(Debug)]
pub(super) struct MemoryPulse {
    pub(super) world: Arc<World>,
    pub(super) tools: Arc<ToolBox>,
    pub(super) models: Arc<ModelSlots>,
    pub(super) config: Arc<LiveConfig>,
    pub(super) clock: SharedClock,
}

impl MemoryPulse {
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
