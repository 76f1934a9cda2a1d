//! The real Discord adapter in a fake Discord, with a listener where the conversations would be.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use familiar_connect::clock::SystemClock;
use familiar_connect::config::{Defaults, FamiliarHome, LiveConfig, Subscription, SubscriptionKind};
use familiar_connect::discord::{
    CallDeps, ConnectionRecord, Conversations, DiscordDeps, DiscordError, DiscordLink, DiscordOutbox,
    run_discord,
};
use familiar_connect::domain::{AccountId, Audience, Author, Coming};
use familiar_connect::domain::{
    ChannelId, FamiliarId, InboundEvent, InboundMessage, Learned, MessageId, NoPersona, Persona, Place,
    PlaceKind, Platform, ReminderId, Slot, TurnId, TurnTrace, Usage, Visible,
};
use familiar_connect::erase::{Eraser, NobodyThere, Stores};
use familiar_connect::familiar::{Character, LiveCharacter};
use familiar_connect::history::{Beginning, History, HistoryError, HistoryOptions, NewPin, Reminder};
use familiar_connect::identity::Pairing;
use familiar_connect::llm::{LlmSetup, ModelSlots, RehearsalScript};
use familiar_connect::memory::Memory;
use familiar_connect::session::{Delivery, EarlyAnswers, GreetError, RepairRequest, Repaired};
use familiar_connect::text::tongue::Tongue;
use familiar_connect::trace::{TraceOptions, TraceStore};
use familiar_connect::world::World;
use secrecy::SecretString;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::support::discord::{Channel, DiscordWorld, Guild, PATIENCE, Person, Said};
use crate::support::stage::folder::tempdir;
use crate::support::stage::{Asked, Stage, in_guild};

/// The bot of a stage's familiar, online.
pub struct Online {
    stop: CancellationToken,
    running: JoinHandle<Result<(), DiscordError>>,
}

impl Online {
    /// Ends it as the program would.
    pub async fn ends(self) {
        self.stop.cancel();
        self.running.await.unwrap().unwrap();
    }
}

/// Brings the bot of a stage's familiar online. It reads these channels.
pub async fn online_on_stage(world: &DiscordWorld, stage: &Stage, channels: &[&Channel]) -> Online {
    for channel in channels {
        let reads = Subscription::new(ChannelId::from(channel.id()), SubscriptionKind::Text, None);
        stage.config.subscribe(reads).unwrap();
    }
    let link = DiscordLink::new();
    stage.session.connect(Platform::Discord, Arc::new(DiscordOutbox::new(link.clone())));
    let character = LiveCharacter::load(stage.config.home().clone()).unwrap();
    let deps = DiscordDeps {
        token: SecretString::from(world.token()),
        link,
        session: Arc::new(stage.session.clone()),
        config: Arc::clone(&stage.config),
        traces: Arc::clone(&stage.traces),
        character: Arc::new(character),
        api_base: Some(world.api_base()),
        pairing: Arc::clone(&stage.pairing),
        world: Arc::clone(&stage.world),
        memory: Arc::clone(&stage.memory),
        eraser: Arc::clone(&stage.eraser),
        models: models(&stage.config).await,
        calls: None,
    };
    let stop = CancellationToken::new();
    let running = tokio::spawn(run_discord(deps, stop.clone()));
    world.bot_is_online().await;
    Online { stop, running }
}

/// A bot that is starting or online.
pub struct Rig {
    pub world: DiscordWorld,
    pub listener: Arc<Listener>,
    pub config: Arc<LiveConfig>,
    pub traces: Arc<TraceStore>,
    pub known: Arc<World>,
    pub history: Arc<History>,
    pub memory: Arc<Memory>,
    pub pairing: Arc<Pairing>,
    pub outbox: DiscordOutbox,
    pub home: FamiliarHome,
    stop: CancellationToken,
    task: JoinHandle<Result<(), DiscordError>>,
    _folder: tempfile::TempDir,
}

impl Rig {
    /// Starts the bot with default settings and waits until it is online.
    pub async fn online(world: &DiscordWorld) -> Self {
        let rig = Self::start(world, "").await;
        world.bot_is_online().await;
        rig
    }

    /// Online in a world of its own, where it reads the one channel that Alice is in.
    pub async fn in_general() -> (Self, Channel, Person) {
        let (world, general, alice) = DiscordWorld::at_home().await;
        (Self::reading(&world, &general).await, general, alice)
    }

    /// Online, where it reads this channel.
    pub async fn reading(world: &DiscordWorld, channel: &Channel) -> Self {
        let rig = Self::online(world).await;
        rig.subscribe(channel);
        rig
    }

    /// Starts the bot with these lines under `[discord]`; those that stand before such a line of their own are above it.
    pub async fn start(world: &DiscordWorld, settings: &str) -> Self {
        Self::start_with(world, settings, "", None).await
    }

    /// Starts the bot so that it can join calls, with these subscriptions from before.
    pub async fn calling(world: &DiscordWorld, subscriptions: &str, calls: CallDeps) -> Self {
        let rig = Self::start_with(world, "", subscriptions, Some(calls)).await;
        world.bot_is_online().await;
        rig
    }

    /// Starts the bot with this schedule and these lines under `[discord]`, and waits until it is online.
    pub async fn living(world: &DiscordWorld, schedule: &str, settings: &str) -> Self {
        let rig = Self::start_of(world, settings, "", schedule, None).await;
        world.bot_is_online().await;
        rig
    }

    async fn start_with(
        world: &DiscordWorld,
        settings: &str,
        subscriptions: &str,
        calls: Option<CallDeps>,
    ) -> Self {
        Self::start_of(world, settings, subscriptions, "", calls).await
    }

    async fn start_of(
        world: &DiscordWorld,
        settings: &str,
        subscriptions: &str,
        schedule: &str,
        calls: Option<CallDeps>,
    ) -> Self {
        let folder = tempdir();
        let home = FamiliarHome::new(folder.path(), &FamiliarId::new("ada").unwrap());
        std::fs::create_dir_all(home.channels_dir()).unwrap();
        let (above, settings) = settings.split_once("[discord]\n").unwrap_or(("", settings));
        let toml = format!("{above}[discord]\napi_base = \"{}\"\n{settings}\n", world.api_base());
        std::fs::write(home.character_toml(), toml).unwrap();
        std::fs::write(home.subscriptions_toml(), subscriptions).unwrap();
        std::fs::write(home.schedule_md(), schedule).unwrap();
        let config = LiveConfig::load(home.clone(), Defaults::embedded()).unwrap();
        let traces = Arc::new(TraceStore::open(&home.traces_db(), TraceOptions::default()).await.unwrap());
        let known = Arc::new(World::default());
        let history = Arc::new(History::open(&home.history_db(), HistoryOptions::default()).await.unwrap());
        let memory = Arc::new(Memory::at(&home));
        let stores = Stores {
            home: home.clone(),
            history: Arc::clone(&history),
            traces: Arc::clone(&traces),
            memory: Arc::clone(&memory),
        };
        let pairing = Arc::new(Pairing::of(&home, Arc::new(SystemClock)).unwrap());
        let (link, listener, stop) =
            (DiscordLink::new(), Arc::new(Listener::default()), CancellationToken::new());
        let deps = DiscordDeps {
            token: SecretString::from(world.token()),
            link: link.clone(),
            session: Arc::clone(&listener) as Arc<dyn Conversations>,
            config: Arc::clone(&config),
            traces: Arc::clone(&traces),
            character: Arc::new(LiveCharacter::starting_as(ada(), config.home().clone())),
            api_base: None,
            pairing: Arc::clone(&pairing),
            world: Arc::clone(&known),
            memory: Arc::clone(&memory),
            eraser: Arc::new(Eraser::new(stores, Arc::new(NobodyThere(home.clone())), Arc::new(SystemClock))),
            models: models(&config).await,
            calls,
        };
        Self {
            world: world.clone(),
            listener,
            outbox: DiscordOutbox::new(link),
            config,
            traces,
            known,
            history,
            memory,
            pairing,
            home,
            task: tokio::spawn(run_discord(deps, stop.clone())),
            stop,
            _folder: folder,
        }
    }

    /// Subscribes a channel behind the commands' back.
    pub fn subscribe(&self, channel: &Channel) {
        let channel = ChannelId::from(channel.id());
        self.config.subscribe(Subscription::new(channel, SubscriptionKind::Text, None)).unwrap();
    }

    /// What the bot has written down of its connection, once it reads so.
    pub async fn record(&self, what: &str, is_so: impl Fn(&ConnectionRecord) -> bool) -> ConnectionRecord {
        let path = self.home.connection_json();
        let waited = tokio::time::timeout(PATIENCE, async {
            loop {
                let record = ConnectionRecord::read(&path);
                if is_so(&record) {
                    return record;
                }
                tokio::task::yield_now().await;
            }
        });
        let found = waited.await;
        found.unwrap_or_else(|_| panic!("waited in vain for {what}: {:?}", ConnectionRecord::read(&path)))
    }

    /// The next event that was handed in.
    pub async fn next_event(&self) -> InboundEvent {
        self.listener.next().await
    }

    /// The next event, which is a message.
    pub async fn next_heard(&self) -> InboundMessage {
        match self.next_event().await {
            InboundEvent::Message(message) => *message,
            other => panic!("not a message: {other:?}"),
        }
    }

    /// What is said to be pinned, and where, once as many are.
    pub async fn pinned(&self, count: usize) -> (Place, Vec<NewPin>) {
        let told = tokio::time::timeout(PATIENCE, async {
            loop {
                let heard = self.listener.heard.notified();
                let last = self.listener.pinned.lock().unwrap().last().cloned();
                if let Some(pinned) = last.filter(|(_, pins)| pins.len() == count) {
                    return pinned;
                }
                heard.await;
            }
        });
        told.await.expect("nothing is told of what is pinned")
    }

    /// How the run of the bot ended by itself.
    pub async fn ended(self) -> Result<(), DiscordError> {
        tokio::time::timeout(PATIENCE, self.task).await.expect("the bot should have ended").unwrap()
    }

    /// Ends the bot as the program would.
    pub async fn stops(self) -> Result<(), DiscordError> {
        self.stop.cancel();
        self.ended().await
    }
}

fn ada() -> Character {
    Character {
        name: "Ada".to_owned(),
        greetings: vec!["Hello there.\nSit down.".to_owned(), "You again!".to_owned()],
        group_greetings: vec!["Hello, all of you.".to_owned()],
        ..Character::default()
    }
}

/// A channel as a place; what matters here is only its id.
pub fn place(channel: &Channel) -> Place {
    Place::new(
        Platform::Discord,
        ChannelId::from(channel.id()),
        PlaceKind::Dm,
        Audience::Dm(AccountId::discord(1)),
    )
}

/// Somebody asks the bot of a stage, and its model is asked.
pub async fn asks(stage: &Stage, who: &Person, channel: &Channel, text: &str) -> Asked {
    who.says(channel, Said::text(text).mentioning_the_bot());
    stage.next_request().await
}

/// A channel of a server that everybody there can see.
pub fn place_in(home: &Guild, channel: &Channel) -> Place {
    Place { kind: PlaceKind::GuildText, ..in_guild(home.id(), place(channel)) }
}

/// A turn's delivery into a channel.
pub fn delivery(channel: &Channel, reply_to: Option<u64>) -> Delivery {
    Delivery { reply_to: reply_to.map(MessageId::from), ..Delivery::to(TurnId(7), place(channel)) }
}

/// A turn's delivery into a channel of a server.
pub fn delivery_in(world: &DiscordWorld, channel: &Channel) -> Delivery {
    let guild = world.guild_of(channel).into();
    Delivery::to(TurnId(7), Place { guild: Some(guild), kind: PlaceKind::GuildText, ..place(channel) })
}

/// Takes events instead of conversations.
#[derive(Debug, Default)]
pub struct Listener {
    events: Mutex<VecDeque<InboundEvent>>,
    pub greetings: Mutex<Vec<(Place, Option<usize>)>>,
    pub expected: Mutex<Vec<(Place, Author)>>,
    pub reactions: Mutex<Vec<(AccountId, String)>>,
    pub comings: Mutex<Vec<Coming>>,
    /// What was said to be pinned, each time all of it.
    pub pinned: Mutex<Vec<(Place, Vec<NewPin>)>>,
    heard: Notify,
    /// A channel whose conversation takes nothing until it is let go.
    held: Mutex<Option<(ChannelId, CancellationToken)>>,
}

impl Listener {
    async fn next(&self) -> InboundEvent {
        let found = tokio::time::timeout(PATIENCE, async {
            loop {
                let heard = self.heard.notified();
                if let Some(event) = self.events.lock().unwrap().pop_front() {
                    return event;
                }
                heard.await;
            }
        });
        found.await.expect("waited in vain for an event")
    }

    /// From now on a channel's conversation takes nothing, until what is returned is cancelled.
    pub fn hold(&self, channel: &Channel) -> CancellationToken {
        let go = CancellationToken::new();
        *self.held.lock().unwrap() = Some((ChannelId::from(channel.id()), go.clone()));
        go
    }

    /// Nothing more has come in than what was taken.
    pub fn has_nothing_more(&self) -> bool {
        self.events.lock().unwrap().is_empty()
    }
}

#[async_trait]
impl Conversations for Listener {
    async fn submit(&self, event: InboundEvent) -> Result<(), String> {
        let held = self.held.lock().unwrap().clone();
        if let Some((_, go)) = held.filter(|(channel, _)| *channel == event.place().channel) {
            go.cancelled().await;
        }
        self.events.lock().unwrap().push_back(event);
        self.heard.notify_one();
        Ok(())
    }

    async fn said_meanwhile(&self, _: &Place, events: Vec<InboundEvent>) {
        self.events.lock().unwrap().extend(events);
        self.heard.notify_one();
    }

    // Nothing is known, so nothing is read back.
    async fn newest_known(&self, _: &ChannelId) -> Option<MessageId> {
        None
    }

    async fn found_own(&self, _: &ChannelId, _: MessageId, _: String, _: jiff::Timestamp) {}

    fn was_read_back(&self, _: &ChannelId) {}

    async fn reminders(&self, _: &AccountId, _: &Place, _: bool) -> Result<Vec<Reminder>, HistoryError> {
        Ok(Vec::new())
    }

    async fn cancel_reminder(
        &self,
        _: ReminderId,
        _: &AccountId,
        _: &Place,
        _: bool,
    ) -> Result<Option<Reminder>, HistoryError> {
        Ok(None)
    }

    async fn repair(&self, _: &Place, _: RepairRequest) -> Result<Repaired, String> {
        Ok(Repaired::NotKnown)
    }

    async fn begin_conversation(
        &self,
        _: &ChannelId,
    ) -> Result<Option<(Beginning, Beginning)>, HistoryError> {
        Ok(None)
    }

    async fn begin_again(&self, _: &ChannelId, _: Beginning, _: Beginning) -> Result<bool, HistoryError> {
        Ok(false)
    }

    async fn finish_repairs(&self) {}

    async fn direct_messages(&self, _: usize) -> Vec<ChannelId> {
        Vec::new()
    }

    fn playable(&self, _: &AccountId, persona: Persona) -> Result<Persona, NoPersona> {
        Ok(persona)
    }

    async fn greet(&self, place: Place, which: Option<usize>) -> Result<(), GreetError> {
        let available = 3;
        if which.is_some_and(|which| which >= available) {
            return Err(GreetError::NoSuchGreeting { available });
        }
        self.greetings.lock().unwrap().push((place, which));
        Ok(())
    }

    async fn why(&self, trace: &TurnTrace, words: &str) -> Result<String, HistoryError> {
        Ok(format!("{} and {words}", trace.id))
    }

    fn conclude(&self, _: &Place) {}

    fn expect(&self, place: &Place, who: &Author) {
        self.expected.lock().unwrap().push((place.clone(), who.clone()));
        self.heard.notify_one();
    }

    async fn reacted(&self, _: &Place, who: &Author, emoji: String) {
        self.reactions.lock().unwrap().push((who.account.clone(), emoji));
        self.heard.notify_one();
    }

    async fn came(&self, coming: Coming) -> bool {
        self.comings.lock().unwrap().push(coming);
        self.heard.notify_one();
        false
    }

    async fn greet_newcomer(&self, _: &Place, _: Author) {}

    async fn pinned(&self, place: Place, pins: Vec<NewPin>) {
        self.pinned.lock().unwrap().push((place, pins));
        self.heard.notify_one();
    }

    async fn learned(&self, _: &Place) -> Learned {
        Learned::default()
    }

    async fn unlearn(&self, _: &Place) -> Result<usize, HistoryError> {
        Ok(0)
    }

    async fn unlearn_from(&self, _: &AccountId) -> Result<usize, HistoryError> {
        Ok(0)
    }

    async fn mood_word(&self, _: &Visible) -> Option<&'static str> {
        None
    }

    async fn how_it_is(&self, _: &Place, _: Tongue) -> Option<String> {
        None
    }

    fn early_answers(&self) -> EarlyAnswers {
        EarlyAnswers::default()
    }
}

/// Models that nobody asks, on a day that has cost something.
async fn models(config: &LiveConfig) -> Arc<ModelSlots> {
    let mut named = config.current().llm.clone();
    named.base_url = Some("http://127.0.0.1:9/v1".to_owned());
    let main = named.slots.get_mut(&Slot::MainProse).unwrap();
    (main.model, main.is_named) = ("z-ai/glm-5.1".to_owned(), true);
    let setup = LlmSetup {
        config: &named,
        api_key: None,
        clock: Arc::new(SystemClock),
        state_dir: config.home().root().to_owned(),
        rehearsal: RehearsalScript::new("Ada", &[], ""),
        local_ports: &[],
        local_patience: Duration::ZERO,
    };
    let models = ModelSlots::build(setup).await.unwrap();
    let used = |prompt_tokens| Usage { prompt_tokens, ..Usage::default() };
    models.ledger().record(Slot::MainProse, &used(1_000), Some(0.25));
    models.ledger().record(Slot::MainProse, &used(1_234_567), None);
    models.ledger().flush().await;
    Arc::new(models)
}
