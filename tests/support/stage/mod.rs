//! A familiar's session without an adapter or a provider: a scripted model on one side, a recording outbox on the other,
//! real stores, configuration and character in a temporary folder in between.
//!
//! Where a test begins with time paused it stands still from then on, and moves only when the test says so: nothing is
//! late because the machine is busy.
//!
//! ```ignore
//! let mut stage = Stage::new().await;
//! stage.talk("alice", "hello", "Hi, Alice.").await;
//! assert_eq!(stage.delivered(), ["Hi, Alice."]);
//! ```

pub mod folder;
mod model;
mod outbox;
mod still;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use familiar_connect::app::Everywhere;
use familiar_connect::clock::{Clock, ManualClock, SharedClock};
use familiar_connect::config::{Defaults, FamiliarHome, LiveConfig, Secrets};
use familiar_connect::context::recall::{Meaning, MeaningReader, Recall};
use familiar_connect::context::{ContextPipeline, PipelineParts};
use familiar_connect::documents::{DocumentParts, Documents, Hearer};
use familiar_connect::domain::*;
use familiar_connect::embedding::{CrossEncoder, Embeddings, Reranking, TextModel};
use familiar_connect::erase::{Asker, Eraser, ForgetRequest, ForgetWhat, KeepCopy, Stores};
use familiar_connect::familiar::{InitRequest, LiveCharacter, init};
use familiar_connect::graph::Graph;
use familiar_connect::history::{History, HistoryOptions, NewTurn, RecentQuery};
use familiar_connect::identity::{Membership, Pairing};
use familiar_connect::llm::{LlmSetup, ModelSlots, ModelSource, RehearsalScript, UsageLedger};
use familiar_connect::memory::Memory;
use familiar_connect::processors::Processors;
use familiar_connect::session::{DeliveryStyle, SessionHandle, SessionParts, Upkeep};
use familiar_connect::tools::{OutsideParts, ToolBox, ToolBoxParts};
use familiar_connect::trace::{TraceOptions, TraceStore};
use familiar_connect::voice::SpeechEngines;
use familiar_connect::workers::{WorkerParts, Workers};
use familiar_connect::world::World;
use jiff::Timestamp;
use tempfile::TempDir;

use self::folder::tempdir;
pub use model::{Asked, ScriptedModels};
pub use outbox::{RecordingOutbox, Shown};
pub use still::Still;

/// Replies as messages, as on Discord.
pub const MESSAGES: DeliveryStyle = DeliveryStyle::Messages { max_chars: 2000 };

/// Settings without simulated typing, and next to no pause before an answer.
pub const QUICK: &str = "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n";

/// Settings with simulated typing, without its pauses.
pub const TYPED: &str = "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = true\nchars_per_second = 1000\n\
                         min_delay_s = 0.0\nmax_delay_s = 0.001\ninter_line_pause_s = 0.0\n";

/// What is said to nobody in particular.
pub const UNADDRESSED: TriggerHints = TriggerHints {
    mentions_familiar: false,
    replies_to_familiar: false,
    addresses_someone_else: false,
    is_unsure: false,
    is_missed: false,
};

/// What calls it.
pub const CALLED: TriggerHints = TriggerHints { mentions_familiar: true, ..UNADDRESSED };

/// What is said to somebody else.
pub const APART: TriggerHints = TriggerHints { addresses_someone_else: true, ..UNADDRESSED };

/// The card the stage plays with.
pub const CARD: &str = r#"{
  "spec": "chara_card_v2", "spec_version": "2.0",
  "data": {
    "name": "Mika", "description": "{{char}} keeps the night ferry and talks with {{user}}.",
    "personality": "dry, kind", "scenario": "The last crossing of the night.",
    "first_mes": "Evening, {{user}}. Mind the rope.",
    "mes_example": "<START>\n{{user}}: Cold?\n{{char}}: Only the tea.\n<START>\n{{user}}: Tired?\n{{char}}: The river is.",
    "post_history_instructions": "Stay on the ferry.",
    "creator_notes": "SECRET-CREATOR-NOTE", "system_prompt": "", "alternate_greetings": ["Again, {{user}}?"],
    "tags": [], "creator": "", "character_version": "", "extensions": {}
  }
}"#;

/// What the judge of `[providers.recall.rerank]` makes of finds, where the settings want one. It takes as long as it takes.
fn reranking(config: &LiveConfig) -> Option<Reranking> {
    let settings = config.current().providers.recall.rerank.clone();
    let folder = settings.folder.filter(|_| settings.enabled)?;
    let judge = CrossEncoder::open(&folder).unwrap();
    Some(Reranking::with(Arc::new(judge), 1, std::time::Duration::from_secs(60)))
}

/// A script that is answered settles at once; this long only a broken one takes.
const SETTLED_WITHIN: std::time::Duration = std::time::Duration::from_secs(20);

/// A familiar on a stage.
pub struct Stage {
    pub dir: Arc<TempDir>,
    pub session: SessionHandle,
    pub config: Arc<LiveConfig>,
    pub pairing: Arc<Pairing>,
    pub history: Arc<History>,
    pub traces: Arc<TraceStore>,
    pub models: Arc<ScriptedModels>,
    pub outbox: Arc<RecordingOutbox>,
    pub world: Arc<World>,
    pub clock: ManualClock,
    pub workers: Arc<Workers>,
    pub memory: Arc<Memory>,
    pub eraser: Arc<Eraser>,
    /// What the model of `[memory.embeddings]` makes of it all, where the settings name a folder.
    pub meaning: Option<Arc<Meaning>>,
    pub graph: Arc<Graph>,
    pub recall: Recall,
    pub tools: Arc<ToolBox>,
    next_message: u64,
    still: Option<Still>,
}

impl Stage {
    /// A fresh familiar, one-message delivery, no simulated typing.
    pub async fn new() -> Self {
        Self::with("", MESSAGES).await
    }

    /// A fresh familiar with extra `character.toml` lines.
    pub async fn with(settings: &str, style: DeliveryStyle) -> Self {
        Self::open(Self::installed(settings, CARD), style, Staging::usual(Minds::Scripted)).await
    }

    /// A familiar with this card whose models are asked over the wire, at the `llm.base_url` of the settings.
    pub async fn wired(settings: &str, card: &str) -> Self {
        Self::open(Self::installed(settings, card), MESSAGES, Staging::usual(Minds::OverTheWire)).await
    }

    /// The same with a way outside, which the others have not.
    pub async fn looking_outside(settings: &str, outside: OutsideParts) -> Self {
        let staging = Staging { outside, ..Staging::usual(Minds::Scripted) };
        Self::open(Self::installed(settings, CARD), MESSAGES, staging).await
    }

    /// The familiar `mika` of this data folder.
    pub async fn of(dir: Arc<TempDir>, style: DeliveryStyle) -> Self {
        Self::open(dir, style, Staging::usual(Minds::Scripted)).await
    }

    /// The same where it begins at this moment, with the test's own models, over a history that is opened in its own way.
    pub async fn over(
        dir: Arc<TempDir>,
        begins: Timestamp,
        models: Arc<dyn ModelSource>,
        history: HistoryOptions,
    ) -> Self {
        let staging = Staging { begins, history, ..Staging::usual(Minds::Given(models)) };
        Self::open(dir, MESSAGES, staging).await
    }

    /// A data folder with the familiar `mika` of this card.
    pub fn installed(settings: &str, content: &str) -> Arc<TempDir> {
        let dir = Arc::new(tempdir());
        let card = dir.path().join("mika.json");
        std::fs::write(&card, content).unwrap();
        moves_in(dir.path(), card);
        let home = home(dir.path());
        let mut settings = if settings.is_empty() { QUICK.to_owned() } else { settings.to_owned() };
        if !settings.contains("[limits]") {
            // Where time stands still, no bucket fills again.
            settings += "\n[limits]\nperson_per_minute = 0\nchannel_per_minute = 0\nguild_per_minute = 0\n";
        }
        std::fs::write(home.character_toml(), settings).unwrap();
        dir
    }

    /// The same familiar in a new process, as it were.
    pub async fn reopened(self) -> Self {
        self.session.drain().await;
        self.workers.stop().await;
        self.history.close().await.unwrap();
        self.traces.close().await.unwrap();
        let (style, numbered) = (self.outbox.style_of(), self.outbox.numbered());
        let next_message = self.next_message;
        let clock = self.clock.clone();
        let mut stage = Self::open(Arc::clone(&self.dir), style, Staging::usual(Minds::Scripted)).await;
        stage.next_message = next_message;
        stage.outbox.before.store(numbered, std::sync::atomic::Ordering::Relaxed);
        stage.clock.advance(std::time::Duration::from_secs(
            clock.now().duration_since(stage.clock.now()).as_secs().max(0).unsigned_abs(),
        ));
        stage
    }

    async fn open(dir: Arc<TempDir>, style: DeliveryStyle, staging: Staging) -> Self {
        let Staging { begins, minds, history, outside } = staging;
        let still = Still::hold();
        let home = home(dir.path());
        let config = LiveConfig::load(home.clone(), Defaults::embedded()).unwrap();
        let character = Arc::new(LiveCharacter::load(home.clone()).unwrap());
        let history = Arc::new(History::open(&home.history_db(), history).await.unwrap());
        let traces = Arc::new(TraceStore::open(&home.traces_db(), TraceOptions::default()).await.unwrap());
        let clock = ManualClock::at(begins);
        let shared: SharedClock = Arc::new(clock.clone());
        let models = Arc::new(ScriptedModels::new());
        let pairing = Arc::new(Pairing::of(&home, Arc::clone(&shared)).unwrap());
        pairing.asks(Arc::new(EverybodyIsThere));
        let memory = Arc::new(Memory::by_the_clock(&home, Arc::clone(&shared)));
        let meaning = config.current().memory.embeddings.folder.as_ref().map(|folder| {
            let embeddings = Embeddings::with(Arc::new(TextModel::open(folder).unwrap()), 1);
            Arc::new(Meaning::new(embeddings, home.embeddings_db()).patient())
        });
        let pipeline = ContextPipeline::standard(PipelineParts {
            character: Arc::clone(&character),
            config: Arc::clone(&config),
            history: Arc::clone(&history),
            memory: Arc::clone(&memory),
            meaning: meaning.clone(),
            reranking: reranking(&config),
        });
        let world = Arc::new(World::default());
        let source: Arc<dyn ModelSource> = match minds {
            Minds::Scripted => Arc::<ScriptedModels>::clone(&models),
            Minds::OverTheWire => Arc::new(over_the_wire(&config, &home, &shared).await),
            Minds::Given(models) => models,
        };
        let workers = Arc::new(Workers::start(WorkerParts {
            character: Arc::clone(&character),
            config: Arc::clone(&config),
            history: Arc::clone(&history),
            memory: Arc::clone(&memory),
            models: Arc::clone(&source),
            clock: Arc::clone(&shared),
        }));
        let reader = meaning
            .as_ref()
            .map(|meaning| Arc::new(MeaningReader::start(Arc::clone(meaning), Arc::clone(&history))));
        let upkeep = Upkeep { workers: Arc::clone(&workers), reader };
        let (graph, recall) = (pipeline.graph(), pipeline.recall());
        let tools = Arc::new(ToolBox::standard(ToolBoxParts {
            config: Arc::clone(&config),
            character: Arc::clone(&character),
            history: Arc::clone(&history),
            memory: Arc::clone(&memory),
            graph: Arc::clone(&graph),
            lore: pipeline.lore(),
            recall: recall.clone(),
            outside: outside.clone(),
            notes: Some(Arc::clone(&workers)),
        }));
        let session = SessionHandle::new(SessionParts {
            tools: Arc::clone(&tools),
            documents: Arc::new(Documents::new(DocumentParts {
                history: Arc::clone(&history),
                clock: Arc::clone(&shared),
                way: outside.way,
                pictures: tools.pictures(),
                voice_messages: Some(Hearer::of(
                    Arc::new(SpeechEngines::new(
                        Arc::clone(&config),
                        Secrets::default(),
                        Arc::new(UsageLedger::open(home.root(), Arc::clone(&shared))),
                    )),
                    SpeechEngines::hears,
                    SpeechEngines::words_of,
                )),
                program: Some(env!("CARGO_BIN_EXE_familiar").into()),
            })),
            familiar: home.id().clone(),
            character,
            config: Arc::clone(&config),
            pairing: Arc::clone(&pairing),
            history: Arc::clone(&history),
            traces: Arc::clone(&traces),
            pipeline,
            processors: Processors::new(Arc::clone(&config), Arc::clone(&source)),
            world: Arc::clone(&world),
            models: source,
            upkeep: upkeep.clone(),
            clock: Arc::clone(&shared),
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
        let stores = Stores {
            home,
            history: Arc::clone(&history),
            traces: Arc::clone(&traces),
            memory: Arc::clone(&memory),
        };
        let eraser = Arc::new(Eraser::new(stores, Arc::new(everywhere), shared));
        let outbox = Arc::new(RecordingOutbox::new(style));
        session.connect(Platform::Discord, Arc::<RecordingOutbox>::clone(&outbox));
        session.connect(Platform::Terminal, Arc::<RecordingOutbox>::clone(&outbox));
        Self {
            dir,
            session,
            config,
            pairing,
            history,
            traces,
            models,
            outbox,
            world,
            clock,
            workers,
            memory,
            eraser,
            meaning,
            graph,
            recall,
            tools,
            next_message: 1000,
            still: Some(still),
        }
    }

    /// Someone writes in `#ferry`, addressed to the familiar.
    pub async fn says(&mut self, who: &str, text: &str) -> MessageId {
        self.says_in(&ferry(), who, text, CALLED).await
    }

    /// Someone writes somewhere.
    pub async fn says_in(&mut self, place: &Place, who: &str, text: &str, hints: TriggerHints) -> MessageId {
        let event = self.message(place, who, text, hints);
        let InboundEvent::Message(message) = &event else { unreachable!() };
        let id = message.message.clone().unwrap();
        self.session.submit(event).await.unwrap();
        id
    }

    /// A message event with the next id, five seconds after the last.
    pub fn message(&mut self, place: &Place, who: &str, text: &str, hints: TriggerHints) -> InboundEvent {
        self.next_message += 1;
        self.clock.advance(std::time::Duration::from_secs(5));
        InboundEvent::Message(Box::new(InboundMessage {
            message: Some(MessageId::from(self.next_message)),
            hints,
            ..InboundMessage::said(place.clone(), person(who), text, self.clock.now())
        }))
    }

    /// Whoever wrote a message takes it back.
    pub async fn deletes(&self, place: &Place, message: &MessageId) {
        let (place, at) = (place.clone(), self.clock.now());
        let gone = InboundEvent::Deleted { place, messages: vec![message.clone()], at };
        self.session.submit(gone).await.unwrap();
    }

    /// Whoever wrote a message says something else in it.
    pub async fn edits(&self, place: &Place, message: &MessageId, text: &str) {
        let (place, message, at) = (place.clone(), message.clone(), self.clock.now());
        let edited = InboundEvent::Edited { place, message, text: text.to_owned(), at };
        self.session.submit(edited).await.unwrap();
    }

    /// Somebody has all forgotten that they said.
    pub async fn forgets(&self, who: &AccountId, keep: KeepCopy) {
        let (what, by) = (ForgetWhat::Person(who.clone()), Asker::Person(who.clone()));
        self.eraser.forget(ForgetRequest { what, by, keep }).await.unwrap();
    }

    /// The time on the stage.
    pub fn clock_now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The next request that reaches the model.
    pub async fn next_request(&self) -> Asked {
        // Time stands still on a stage but for what is waited for: this is soon over.
        let next = tokio::time::timeout(std::time::Duration::from_secs(3600), self.models.next()).await;
        next.expect("no request reaches the model")
    }

    /// The model calls a tool, and is asked again.
    pub async fn calls(&self, asked: Asked, tool: &str, arguments: serde_json::Value) -> Asked {
        asked.call(tool, arguments);
        self.next_request().await
    }

    /// Someone calls it in `#ferry`, and the model is asked.
    pub async fn asked(&mut self, who: &str, text: &str) -> Asked {
        self.asked_in(&ferry(), who, text).await
    }

    /// The same somewhere.
    pub async fn asked_in(&mut self, place: &Place, who: &str, text: &str) -> Asked {
        self.says_in(place, who, text, CALLED).await;
        self.next_request().await
    }

    /// The next request is answered so, and `#ferry` has nothing left to do.
    pub async fn answers(&self, reply: &str) {
        self.replied(self.next_request().await, reply).await;
    }

    /// This request is answered so, and `#ferry` has nothing left to do.
    pub async fn replied(&self, asked: Asked, reply: &str) {
        self.replied_in(&ferry(), asked, reply).await;
    }

    /// The same somewhere.
    pub async fn replied_in(&self, place: &Place, asked: Asked, reply: &str) {
        asked.reply(reply);
        self.settled_in(place).await;
    }

    /// Someone calls it in `#ferry` and is answered so.
    pub async fn talk(&mut self, who: &str, text: &str, reply: &str) {
        self.talk_in(&ferry(), who, text, reply).await;
    }

    /// The same somewhere.
    pub async fn talk_in(&mut self, place: &Place, who: &str, text: &str, reply: &str) {
        let asked = self.asked_in(place, who, text).await;
        self.replied_in(place, asked, reply).await;
    }

    /// Someone calls it in `#ferry` and is answered so; what the model was told.
    pub async fn prompt(&mut self, who: &str, text: &str, reply: &str) -> String {
        self.prompt_in(&ferry(), who, text, reply).await
    }

    /// The same somewhere.
    pub async fn prompt_in(&mut self, place: &Place, who: &str, text: &str, reply: &str) -> String {
        let asked = self.asked_in(place, who, text).await;
        let told = asked.transcript();
        self.replied_in(place, asked, reply).await;
        told
    }

    /// Lets the second pass that lies between two beginnings of one answer, once all that was said has been taken in.
    pub async fn restarts(&self) {
        self.taken_in().await;
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
    }

    /// Waits until all that was said in `#ferry` has been taken in: interrupting a turn that does not run waits for no more.
    pub async fn taken_in(&self) {
        self.session.interrupt(&ferry(), TurnId(u64::MAX)).await.unwrap();
    }

    /// Waits until `#ferry` has nothing left to do.
    pub async fn settled(&self) {
        self.settled_in(&ferry()).await;
    }

    /// Waits until a place has nothing left to do. A turn waits for its model as long as the model's own deadlines
    /// allow, and a scripted model has none: a request that the script does not answer fails the test here.
    pub async fn settled_in(&self, place: &Place) {
        let settled = tokio::time::timeout(SETTLED_WITHIN, self.session.settle(place));
        tokio::select! {
            biased;
            settled = settled => match settled {
                Ok(settled) => settled.unwrap(),
                Err(_) => panic!("a turn goes on: is a request still held open, or a summary not written?"),
            },
            asked = self.models.unexpected() => {
                panic!("the model was asked this and nobody answers: {}", asked.gist())
            }
        }
    }

    /// What was delivered so far, anywhere.
    pub fn delivered(&self) -> Vec<String> {
        self.outbox.delivered()
    }

    /// What the history holds of `#ferry`: (speaker, words).
    pub async fn remembered(&self) -> Vec<(String, String)> {
        self.remembered_in(&ferry()).await
    }

    /// What the history holds of a place.
    pub async fn remembered_in(&self, place: &Place) -> Vec<(String, String)> {
        let turns = self.stored_in(place).await;
        turns
            .into_iter()
            .map(|turn| {
                let who = turn.author.map_or_else(|| "Mika".to_owned(), |author| author.label().to_owned());
                (who, turn.content)
            })
            .collect()
    }

    /// The turns of a place as they are stored.
    pub async fn stored_in(&self, place: &Place) -> Vec<StoredTurn> {
        let visible = self.history.whole().visible().await.unwrap();
        let query =
            RecentQuery { mode: None, max_turns: 1000, until: None, encoding: TokenEncoding::CharsOver4 };
        self.history.seen_by(&visible).recent(&place.channel, query).await.unwrap()
    }

    /// From now on paused time goes on by itself again where nothing runs.
    pub fn goes_on(&mut self) {
        self.still = None;
    }

    /// The model is asked nothing, though everybody had time for it and the stores have answered.
    pub async fn stays_unasked(&self, why: &str) {
        for _ in 0..200 {
            tokio::task::yield_now().await;
            self.stored_in(&ferry()).await;
            assert!(!self.models.was_asked_again().await, "{why}");
        }
    }

    /// Every turn's outcome, oldest first.
    pub async fn outcomes(&self) -> Vec<Outcome> {
        outcomes_of(&self.traces).await
    }
}

/// Every turn's outcome, oldest first.
pub async fn outcomes_of(traces: &TraceStore) -> Vec<Outcome> {
    let mut traces = traces.whole().list(1000).await.unwrap();
    traces.sort_by_key(|trace| trace.id);
    traces.into_iter().map(|trace| trace.outcome.clone()).collect()
}

/// A platform on which nobody ever leaves, and places are what the test says they are.
#[derive(Debug)]
pub struct EverybodyIsThere;

#[async_trait::async_trait]
impl Membership for EverybodyIsThere {
    async fn place_now(&self, place: &Place) -> Place {
        place.clone()
    }

    async fn is_in(&self, _: &AccountId, _: &GuildId) -> Option<bool> {
        Some(true)
    }
}

/// What a familiar is put on a stage with.
#[derive(Debug)]
struct Staging {
    begins: Timestamp,
    minds: Minds,
    history: HistoryOptions,
    /// Its way outside.
    outside: OutsideParts,
}

impl Staging {
    /// On an evening, without a way outside.
    fn usual(minds: Minds) -> Self {
        Self {
            begins: "2026-03-01T20:00:00Z".parse().unwrap(),
            history: HistoryOptions::new(minds.encodings()),
            minds,
            outside: OutsideParts::default(),
        }
    }
}

/// Who answers for the models.
#[derive(Debug)]
enum Minds {
    Scripted,
    OverTheWire,
    Given(Arc<dyn ModelSource>),
}

impl Minds {
    /// How turns are counted when they are stored.
    fn encodings(&self) -> Vec<TokenEncoding> {
        match self {
            Self::Scripted => vec![TokenEncoding::CharsOver4],
            Self::OverTheWire => vec![TokenEncoding::Estimate, TokenEncoding::O200k],
            Self::Given(models) => vec![models.slot(Slot::MainProse).describe().encoding],
        }
    }
}

async fn over_the_wire(config: &LiveConfig, home: &FamiliarHome, clock: &SharedClock) -> ModelSlots {
    ModelSlots::build(LlmSetup {
        config: &config.current().llm,
        api_key: Some("sk-test-key".to_owned().into()),
        clock: Arc::clone(clock),
        state_dir: home.root().to_owned(),
        rehearsal: RehearsalScript::new("Mika", &[], ""),
        local_ports: &[],
        local_patience: std::time::Duration::ZERO,
    })
    .await
    .unwrap()
}

/// A familiar of this card comes into a data folder.
pub fn moves_in(data_dir: &Path, card: PathBuf) {
    let request = InitRequest::new(card, data_dir.to_owned());
    init(&request, |_| {}).unwrap();
}

fn home(data_dir: &Path) -> FamiliarHome {
    FamiliarHome::new(data_dir, &FamiliarId::new("mika").unwrap())
}

/// A person by a lower-case name.
pub fn person(who: &str) -> Author {
    let id = 10 + who.bytes().map(u64::from).sum::<u64>();
    let mut name = who.to_owned();
    if let Some(first) = name.get_mut(0..1) {
        first.make_ascii_uppercase();
    }
    Author { username: Some(who.to_owned()), ..known_as(id, &name) }
}

/// Somebody on Discord by the name that is shown.
pub fn known_as(id: u64, name: &str) -> Author {
    Author::called(AccountId::discord(id), name)
}

/// `#ferry`.
pub fn ferry() -> Place {
    channel(1, "#ferry")
}

/// What somebody said there long ago, so many minutes after ten o'clock of a Sunday, for the history; the minute is its
/// message's number too.
pub fn long_ago(place: &Place, who: &str, text: &str, minute: u64) -> NewTurn {
    let ten: Timestamp = "2026-02-01T10:00:00Z".parse().unwrap();
    let at = ten + jiff::SignedDuration::from_mins(i64::try_from(minute).unwrap());
    said_at(place, who, text, at, MessageId::from(10_000 + minute))
}

/// What somebody said there, for the history.
pub fn said_at(place: &Place, who: &str, text: &str, at: Timestamp, message: MessageId) -> NewTurn {
    NewTurn {
        messages: vec![message],
        ..NewTurn::written(place.clone(), Some(person(who)), text, at, ChannelMode::TextConversationRp)
    }
}

/// A guild channel that everyone in the guild can see.
pub fn channel(id: u64, name: &str) -> Place {
    Place {
        platform: Platform::Discord,
        kind: PlaceKind::GuildText,
        channel_name: Some(name.to_owned()),
        guild_name: Some("Harbour".to_owned()),
        ..in_guild(7, Place::terminal(ChannelId::from(id)))
    }
}

/// A place as one that everyone in another guild can see.
pub fn in_guild(guild: u64, place: Place) -> Place {
    let guild = GuildId::from(guild);
    Place { guild: Some(guild.clone()), audience: Audience::Guild(guild), ..place }
}

/// A direct message with someone.
pub fn dm(who: &str) -> Place {
    let account = person(who).account;
    Place::new(
        Platform::Discord,
        ChannelId::new(format!("dm-{}", account.id())).unwrap(),
        PlaceKind::Dm,
        Audience::Dm(account),
    )
}

/// Whether a provider was not done in time. One that says at once what time it is is never without an answer.
pub fn is_late(outcome: &ProviderOutcome) -> bool {
    match outcome.status {
        ProviderStatus::Late => true,
        ProviderStatus::Partly { .. } => outcome.provider == "live",
        _ => false,
    }
}
