//! The composition root: builds the parts from the resolved configuration, watches over the tasks, drains on shutdown.
//!
//! Owns the order in which things come up and go down. Must not hold any behaviour of its own. Start reading at
//! [`App::start`].

mod calls;
mod forgetting;
mod model;
mod shutdown;
mod stores;
mod window;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::task::JoinSet;

use crate::clock::{SharedClock, SystemClock};
use crate::config::{Defaults, FamiliarHome, LiveConfig, ReloadReport, Secrets, WatchGuard};
use crate::context::recall::{Meaning, MeaningReader};
use crate::context::{ContextPipeline, PipelineParts};
use crate::documents::{DocumentParts, Documents, Hearer};
use crate::domain::{FamiliarId, Slot};
use crate::embedding::{Embeddings, HubModel};
use crate::erase::{Eraser, NobodyThere, Stores};
use crate::familiar::{FamiliarLock, LiveCharacter, make_private};
use crate::graph::Graph;
use crate::history::History;
use crate::identity::Pairing;
use crate::llm::{LOCAL_PATIENCE, LlmSetup, LocalPort, ModelSlots, ModelSource, USUAL_PORTS, UsageLedger};
use crate::mcp::McpServers;
use crate::memory::Memory;
use crate::processors::Processors;
use crate::session::{SessionHandle, SessionParts, Upkeep};
use crate::text::tokens;
use crate::tools::{OutsideParts, ToolBox, ToolBoxParts, VisionServer};
use crate::trace::TraceStore;
use crate::voice::{CallsNow, SpeechEngines};
use crate::workers::{WorkerParts, Workers};
use crate::world::{BotState, World};

pub use calls::SessionCalls;
pub use forgetting::Everywhere;
use model::rehearsal_of;
pub use model::{model_away, start_lines};
pub(crate) use model::{model_here, reranker_of};
pub use shutdown::{StopRequest, listen_for_signals};
pub(crate) use stores::{history_fails, open_history, stop_if_lost};

/// How long a reply that is under way may still take after a stop was asked for.
pub const DRAIN_GRACE: Duration = Duration::from_secs(20);

/// How long the last memories may take to be written. What is not written by then is written after the next start.
const WRITE_GRACE: Duration = Duration::from_secs(8);

/// For so long nobody wonders what is being waited for.
const UNTOLD: Duration = Duration::from_millis(300);

/// How long breaking off may take: what was delivered is still stored. A call that hangs longer is left behind.
const CUT_GRACE: Duration = Duration::from_secs(10);

#[derive(Debug, Clone)]
pub struct StartOptions {
    /// Where familiars live: `<data>/familiars/<id>`.
    pub data_dir: PathBuf,
    pub familiar: FamiliarId,
    /// A folder that is laid over the built-in defaults, when there is one.
    pub defaults_dir: Option<PathBuf>,
    pub duty: Duty,
    /// What to do where it has learnt something and the history it learnt it from is gone.
    pub without_history: WithoutHistory,
}

/// What to do where a familiar has learnt something and the history it learnt it from is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WithoutHistory {
    /// Stop, and say so: a backup may be at hand.
    #[default]
    Stop,
    /// Go on with the notes alone.
    GoOn,
}

/// What a familiar is brought up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duty {
    /// To talk with people. There can be only one.
    Serve,
    /// To look at what it did, perhaps beside the one that serves: nothing of its files is written, and what models
    /// cost is kept apart in `replays/`.
    LookOn,
}

/// Makes the models that are asked of those that the settings choose.
pub type Recasts = Box<dyn FnOnce(Arc<dyn ModelSource>) -> Arc<dyn ModelSource> + Send>;

/// What stands in for the machine's time and for the models, where a scene is played.
pub struct StandIns {
    pub clock: SharedClock,
    /// Where model servers of this machine are looked for.
    pub local_ports: &'static [LocalPort],
    pub models: Recasts,
}

impl std::fmt::Debug for StandIns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StandIns").field("clock", &self.clock).finish_non_exhaustive()
    }
}

/// A familiar that is up: everything an adapter needs.
#[derive(Debug)]
pub struct App {
    pub session: SessionHandle,
    pub config: Arc<LiveConfig>,
    pub character: Arc<LiveCharacter>,
    pub pairing: Arc<Pairing>,
    pub history: Arc<History>,
    pub traces: Arc<TraceStore>,
    pub world: Arc<World>,
    pub models: Arc<ModelSlots>,
    /// What finds the same in other words.
    pub embeddings: Embeddings,
    /// How it all hangs together.
    pub graph: Arc<Graph>,
    /// What is done behind the scenes.
    pub workers: Arc<Workers>,
    pub memory: Arc<Memory>,
    pub tools: Arc<ToolBox>,
    pub engines: Arc<SpeechEngines>,
    /// What goes on in the calls that it is in.
    pub calls: Arc<CallsNow>,
    pub eraser: Arc<Eraser>,
    pub clock: SharedClock,
    /// Leads nowhere until there is a bot.
    pub discord: crate::discord::DiscordLink,
    _watch: Option<WatchGuard>,
    /// What goes on beside the talk until it is dropped.
    _tasks: JoinSet<()>,
    /// Programs that give it tools. Absent when it only looks on.
    mcp: Option<McpServers>,
    /// Absent when it only looks on.
    lock: Option<FamiliarLock>,
}

impl App {
    /// Brings a familiar up: lock, configuration, stores, models, session. Nothing here waits for the network. With stand-ins
    /// nothing but their models is asked, and no other program is started or looked for.
    ///
    /// # Errors
    /// When another process has the familiar, or a file of it cannot be read; the message says which and what to do.
    pub async fn start(
        options: StartOptions,
        secrets: &Secrets,
        stand_ins: Option<StandIns>,
    ) -> anyhow::Result<Self> {
        crate::net::install_tls();
        let home = FamiliarHome::new(&options.data_dir, &options.familiar);
        let lock = match options.duty {
            Duty::Serve => Some(crate::familiar::lock_familiar(&home)?),
            Duty::LookOn => None,
        };
        if lock.is_some() {
            match make_private(&options.data_dir, &home) {
                Ok(0) => {}
                Ok(made) => {
                    tracing::debug!(made, "files that others on this machine could read are private now")
                }
                Err(error) => tracing::warn!(%error, "others on this machine may be able to read its files"),
            }
        }
        let defaults = options.defaults_dir.map_or_else(Defaults::embedded, Defaults::from_dir);
        let config = LiveConfig::load(home.clone(), defaults)?;
        let character = Arc::new(LiveCharacter::load(home.clone())?);
        let clock: SharedClock = match &stand_ins {
            Some(stand_ins) => Arc::clone(&stand_ins.clock),
            None => Arc::new(SystemClock),
        };
        let is_played = stand_ins.is_some();
        let pairing = Arc::new(Pairing::of(&home, Arc::clone(&clock)).context("reading what people paired")?);
        if lock.is_some()
            && let Err(error) = pairing.keep_twice()
        {
            // A full disk stops no start.
            tracing::warn!(%error, "who opted out is noted in one place only");
        }
        let local_ports = stand_ins.as_ref().map_or(USUAL_PORTS, |stand_ins| stand_ins.local_ports);
        let models = Self::models(&config, &character, secrets, &clock, (options.duty, local_ports)).await?;
        let models = Arc::new(models);
        let model_source: Arc<dyn ModelSource> = match stand_ins {
            Some(stand_ins) => (stand_ins.models)(Arc::<ModelSlots>::clone(&models)),
            None => Arc::<ModelSlots>::clone(&models),
        };

        let encoding = model_source.slot(Slot::MainProse).describe().encoding;
        let (history, traces) =
            stores::open_stores(&home, encoding, secrets.redactor(), options.duty, options.without_history)
                .await?;
        let mut tasks = JoinSet::new();
        if lock.is_some() {
            let history = Arc::clone(&history);
            tasks.spawn(async move {
                history.check().await;
            });
        }
        // Vocabularies take a moment to load; the first message should not wait for it.
        tokio::task::spawn_blocking(move || tokens::warm(encoding));

        let memory = Arc::new(Memory::by_the_clock(config.home(), Arc::clone(&clock)));
        let stores = Stores {
            home: config.home().clone(),
            history: Arc::clone(&history),
            traces: Arc::clone(&traces),
            memory: Arc::clone(&memory),
        };
        if lock.is_some() {
            tidy_up(&stores, &clock).await?;
        }
        let mut embeddings = config.current().memory.embeddings.clone();
        embeddings.endpoint =
            secrets.model_hub.clone().or(embeddings.endpoint).filter(|hub| hub != HubModel::NONE);
        // Whoever only looks on writes nothing, so what it looks up is found by words alone.
        let rerank = config.current().providers.recall.rerank.clone();
        let (embeddings, reranking) = match &lock {
            Some(_) if !is_played => (
                model::embeddings(&embeddings, &options.data_dir),
                model::reranking(&rerank, &embeddings, &options.data_dir),
            ),
            Some(_) | None => (Embeddings::off(), None),
        };
        let meaning = Arc::new(Meaning::new(embeddings.clone(), config.home().embeddings_db()));
        let reader = lock
            .is_some()
            .then(|| Arc::new(MeaningReader::start(Arc::clone(&meaning), Arc::clone(&history))));
        let pipeline = ContextPipeline::standard(PipelineParts {
            character: Arc::clone(&character),
            config: Arc::clone(&config),
            history: Arc::clone(&history),
            memory: Arc::clone(&memory),
            meaning: Some(Arc::clone(&meaning)),
            reranking,
        });
        let graph = pipeline.graph();
        if lock.is_some() {
            graph.keep().await;
        }
        tasks.spawn(pipeline.warm_up());
        let world = Arc::new(World::default());
        let workers = Arc::new(Workers::start(WorkerParts {
            character: Arc::clone(&character),
            config: Arc::clone(&config),
            history: Arc::clone(&history),
            memory: Arc::clone(&memory),
            models: Arc::clone(&model_source),
            clock: Arc::clone(&clock),
        }));
        let named = config.current().llm.base_url.clone();
        let vision = models
            .choice()
            .base_url
            .map(|base_url| VisionServer { base_url, key: secrets.llm_key_for(named.as_deref()).cloned() });
        let upkeep = Upkeep { workers: Arc::clone(&workers), reader };
        let outside = match is_played {
            true => OutsideParts::default(),
            false => OutsideParts::of(secrets, vision, Arc::clone(models.ledger())),
        };
        let tools = Arc::new(ToolBox::standard(ToolBoxParts {
            notes: Some(Arc::clone(&workers)),
            config: Arc::clone(&config),
            character: Arc::clone(&character),
            history: Arc::clone(&history),
            memory: Arc::clone(&memory),
            graph: Arc::clone(&graph),
            lore: pipeline.lore(),
            recall: pipeline.recall(),
            outside: outside.clone(),
        }));
        let ledger = Arc::<UsageLedger>::clone(models.ledger());
        let engines = Arc::new(SpeechEngines::new(Arc::clone(&config), secrets.clone(), ledger));
        let documents = Documents::new(DocumentParts {
            history: Arc::clone(&history),
            clock: Arc::clone(&clock),
            way: outside.way,
            pictures: tools.pictures(),
            voice_messages: Some(Hearer::of(
                Arc::clone(&engines),
                SpeechEngines::hears,
                SpeechEngines::words_of,
            )),
            program: std::env::current_exe().ok(),
        });
        if lock.is_some() {
            documents.mend().await?;
        }
        let known = Arc::clone(&tools);
        drop(tokio::task::spawn_blocking(move || known.warm_up()));
        let session = SessionHandle::new(SessionParts {
            tools: Arc::clone(&tools),
            documents: Arc::new(documents),
            familiar: options.familiar,
            character: Arc::clone(&character),
            config: Arc::clone(&config),
            pairing: Arc::clone(&pairing),
            history: Arc::clone(&history),
            traces: Arc::clone(&traces),
            pipeline,
            processors: Processors::new(Arc::clone(&config), Arc::clone(&model_source)),
            world: Arc::clone(&world),
            models: model_source,
            upkeep: upkeep.clone(),
            clock: Arc::clone(&clock),
        });
        let everywhere = Everywhere {
            session: session.clone(),
            world: Arc::clone(&world),
            history: Arc::clone(&history),
            upkeep,
            graph: Arc::clone(&graph),
            pairing: Arc::clone(&pairing),
            config: Arc::clone(&config),
            tools: Arc::clone(&tools),
        };
        if lock.is_some() {
            session.close_unfinished().await;
            everywhere.mend().await;
        }
        let eraser = Arc::new(Eraser::new(stores, Arc::new(everywhere), Arc::clone(&clock)));
        let mcp = (lock.is_some() && !is_played)
            .then(|| McpServers::start(Arc::clone(&config), Arc::clone(&tools), secrets.clone()));
        tasks.spawn(keep_pulse(
            Arc::clone(&world),
            Arc::clone(&tools),
            Arc::clone(&models),
            Arc::clone(&config),
            Arc::clone(&clock),
        ));
        if lock.is_some() {
            tasks.spawn(forgetting::keep_tidy(Arc::clone(&eraser)));
            tasks.spawn(session.clone().keep_reminding());
            tasks.spawn(session.clone().keep_beginning());
        }
        tasks.spawn(follow_settings(
            config.changes(),
            Arc::clone(&config),
            Arc::clone(&models),
            secrets.clone(),
        ));
        let watch = match config.watch() {
            Ok(guard) => Some(guard),
            Err(error) => {
                tracing::warn!(%error, "files are not watched; restart after editing them");
                None
            }
        };
        Ok(Self {
            session,
            config,
            character,
            pairing,
            history,
            traces,
            world,
            models,
            embeddings,
            graph,
            workers,
            memory,
            tools,
            engines,
            calls: Arc::default(),
            eraser,
            clock,
            discord: crate::discord::DiscordLink::new(),
            _watch: watch,
            _tasks: tasks,
            mcp,
            lock,
        })
    }

    async fn models(
        config: &LiveConfig,
        character: &LiveCharacter,
        secrets: &Secrets,
        clock: &SharedClock,
        (duty, local_ports): (Duty, &[LocalPort]),
    ) -> anyhow::Result<ModelSlots> {
        let character = character.current();
        let llm = secrets.over_llm(&config.current().llm);
        let mut state_dir = config.home().root().to_owned();
        if duty == Duty::LookOn {
            state_dir.push("replays");
        }
        let setup = LlmSetup {
            config: &llm,
            api_key: secrets.llm_key_for(llm.base_url.as_deref()).cloned(),
            clock: Arc::clone(clock),
            state_dir,
            rehearsal: rehearsal_of(&character, clock.now().to_zoned(config.current().display_tz.clone())),
            local_ports,
            local_patience: LOCAL_PATIENCE,
        };
        ModelSlots::build(setup).await.context("setting up the models")
    }

    /// Takes the familiar down in order: no new events, what is being said is said and stored, what is worth remembering
    /// is written down, what else is done behind the scenes is broken off, the stores are checkpointed. `hurry` ends both
    /// waits at once. What only looked on leaves the stores alone. Where writing memories takes its time, `writes` is told.
    pub async fn stop(self, hurry: impl Future<Output = ()>, writes: impl FnOnce()) {
        let drained = self.session.drain();
        tokio::pin!(drained, hurry);
        let mut is_patient = true;
        tokio::select! {
            // First: where nothing is being said, nothing is broken off, however great the hurry.
            biased;
            () = &mut drained => {}
            () = async { tokio::select! { () = &mut hurry => {}, () = tokio::time::sleep(DRAIN_GRACE) => {} } } => {
                is_patient = false;
                tracing::info!("breaking off what is being said");
                self.session.cut_short();
                if tokio::time::timeout(CUT_GRACE, drained).await.is_err() {
                    tracing::error!("a conversation does not end; its last words may not be stored");
                }
            }
        }
        if is_patient && self.lock.is_some() {
            let concluded = self.workers.conclude_all(WRITE_GRACE);
            tokio::pin!(concluded);
            let is_slow = tokio::select! {
                () = &mut concluded => false,
                () = &mut hurry => false,
                () = tokio::time::sleep(UNTOLD) => true,
            };
            if is_slow {
                writes();
                tokio::select! {
                    () = concluded => {}
                    () = &mut hurry => {}
                }
            }
        }
        if let Some(mcp) = &self.mcp {
            mcp.stop().await;
        }
        self.workers.stop().await;
        self.models.flush().await;
        if self.lock.is_none() {
            return;
        }
        if let Err(error) = self.graph.close().await {
            tracing::error!(%error, "the graph could not be checkpointed");
        }
        if let Err(error) = self.history.close().await {
            tracing::error!(%error, "the history could not be checkpointed");
        }
        if let Err(error) = self.traces.close().await {
            tracing::error!(%error, "the traces could not be checkpointed");
        }
    }
}

/// Before anything is read: what was begun is finished, what an old backup brought back is forgotten again, and what
/// crashes left behind goes.
async fn tidy_up(stores: &Stores, clock: &SharedClock) -> anyhow::Result<()> {
    let eraser = Eraser::new(stores.clone(), Arc::new(NobodyThere(stores.home.clone())), Arc::clone(clock));
    let finished = eraser.tidy().await.context("finishing what somebody asked to be forgotten")?;
    if finished > 0 {
        tracing::info!(finished, "forgot what was still to be forgotten");
    }
    let home = stores.home.clone();
    match tokio::task::spawn_blocking(move || crate::familiar::sweep(&home)).await {
        Ok(0) | Err(_) => {}
        Ok(swept) => tracing::info!(swept, "removed what kills had left"),
    }
    let store = Arc::clone(stores.memory.whole().store);
    match tokio::task::spawn_blocking(move || store.sweep()).await {
        Ok(Ok(0)) | Err(_) => {}
        Ok(Ok(swept)) => tracing::info!(swept, "removed what broken off writes had left"),
        Ok(Err(error)) => tracing::warn!(%error, "the memory folder could not be swept"),
    }
    Ok(())
}

/// How old what is told of the models may be.
const PULSE_EVERY: Duration = Duration::from_secs(5);

/// Tells the world of the program itself, for as long as it runs; its owner ends it.
async fn keep_pulse(
    world: Arc<World>,
    tools: Arc<ToolBox>,
    models: Arc<ModelSlots>,
    config: Arc<LiveConfig>,
    clock: SharedClock,
) {
    let started = clock.now();
    loop {
        let model = models.slot(Slot::MainProse).describe();
        world.bot(BotState {
            tools: if tools.are_for(&model) { tools.names() } else { Vec::new() },
            model: Some(model.model),
            spent_usd: (!models.choice().rehearses()).then(|| models.ledger().today().cost_usd()),
            cap_usd: config.current().llm.daily_cost_cap_usd,
            started: Some(started),
        });
        tokio::time::sleep(PULSE_EVERY).await;
    }
}

/// So often a server of this machine is looked for while it rehearses: one may be started after it.
const LOOKS_AGAIN: Duration = Duration::from_secs(60);

/// Edited settings hold from the next request on, and so does a model server that comes up while it rehearses.
async fn follow_settings(
    mut changes: tokio::sync::broadcast::Receiver<ReloadReport>,
    config: Arc<LiveConfig>,
    models: Arc<ModelSlots>,
    secrets: Secrets,
) {
    use tokio::sync::broadcast::error::RecvError;
    let mut last = config.current().llm.base_url.clone();
    loop {
        let rehearses = last.is_none() && models.choice().rehearses();
        tokio::select! {
            heard = changes.recv() => if matches!(heard, Err(RecvError::Closed)) {
                return;
            },
            () = tokio::time::sleep(LOOKS_AGAIN), if rehearses => {}
        }
        let file = config.current();
        let llm = secrets.over_llm(&file.llm);
        match models.reconfigure(&llm, secrets.llm_key_for(llm.base_url.as_deref())).await {
            Ok(None) => {}
            Ok(Some(choice)) if choice.rehearses() => {
                tracing::warn!("{}", choice.advice.unwrap_or_default());
            }
            Ok(Some(choice)) => tracing::warn!("another model server is asked. Model from now on: {choice}"),
            Err(error) => tracing::error!(
                "the new llm.base_url is not taken over, requests go where they went: {error}"
            ),
        }
        if llm.base_url != file.llm.base_url && file.llm.base_url != last {
            tracing::warn!(
                "FAMILIAR_LLM_BASE_URL is set and decides; llm.base_url in the file changes nothing"
            );
        }
        last.clone_from(&file.llm.base_url);
    }
}
