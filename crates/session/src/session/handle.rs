//! The door into sessions, and the router behind it.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::sync::{Notify, OnceCell, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::conversation::{
    Alternatives, Command, Conversation, GoBack, GreetingCame, RepairRequest, Repaired, SpokeUp, Then, Ways,
    WentBack,
};
use super::forget_barrier::Gone;
use super::gates::ReplyGate;
use super::greeting::{Own, greetings_for};
use super::hours::{self, HoursMade, NoHours};
use super::outbox::{Outbox, Outboxes};
use super::parts::{GreetError, SessionParts, SubmitError};
use super::read_back::ReadBack;
use super::replay::{self, Replay, ReplayAnswer, ReplayChanges, ReplayError, answer_why};
use super::said_of_itself::SaidOfItself;
use super::speculation::{Account, EarlyAnswers};
use super::{aside, in_place, opening, scene, underway};
use crate::config::ReadDocuments;
use crate::context::{ContextPipeline, Prompt, TurnRequest, mood_word};
use crate::domain::{
    AccountId, Affect, Author, ChannelId, Coming, InboundEvent, InboundMessage, MessageId, Modality,
    NoPersona, Persona, Place, Platform, StoredTurn, TurnId, TurnTrace,
};
use crate::history::{Beginning, CameBack, HistoryError, NewPin, Visible};
use crate::llm::{ModelDescription, ModelError};
use crate::trace::Rights;
use crate::world::{Arrival, CallVoice};

/// Commands a conversation may have waiting. Beyond this the adapter waits: a channel cannot flood the process.
const MAILBOX: usize = 64;

/// How long conversations may take to let go of what was forgotten.
const FORGET_WITHIN: Duration = Duration::from_secs(5);

/// Newcomers it began to greet within a day: where, and when. Whether words came of it or not.
type Greeted = Vec<(ChannelId, Timestamp)>;

/// The way in for every adapter. Cheap to clone.
#[derive(Clone)]
pub struct SessionHandle {
    router: Arc<Router>,
}

struct Router {
    parts: Arc<SessionParts>,
    outboxes: Arc<Outboxes>,
    conversations: Mutex<HashMap<ChannelId, Awake>>,
    gate: Arc<ReplyGate>,
    early: Arc<Account>,
    read_back: ReadBack,
    /// Told when a way opens on which something may be waiting.
    way_opened: Notify,
    greeted: tokio::sync::Mutex<Greeted>,
    said_of_itself: SaidOfItself,
    /// Set once the world knows the names of everybody who ever spoke.
    introduced: OnceCell<()>,
    /// Set once what a killed program was doing to its replies is done.
    repairs_finished: OnceCell<()>,
    tasks: TaskTracker,
    /// Who is prepared for, until it is known where they are.
    expecting: TaskTracker,
    closing: CancellationToken,
    cut: CancellationToken,
}

/// A conversation that is awake, or on its way to sleep.
#[derive(Debug, Clone)]
struct Awake {
    mailbox: mpsc::Sender<Command>,
    /// Cancelled once it has taken its last command and finished what that started.
    ended: CancellationToken,
}

impl Debug for SessionHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionHandle").field("familiar", &self.router.parts.familiar).finish_non_exhaustive()
    }
}

impl SessionHandle {
    /// A router without any adapter yet.
    pub fn new(parts: SessionParts) -> Self {
        let expecting = TaskTracker::new();
        // Closed, it can be waited for; it takes tasks all the same.
        expecting.close();
        Self {
            router: Arc::new(Router {
                parts: Arc::new(parts),
                outboxes: Arc::default(),
                conversations: Mutex::default(),
                gate: Arc::default(),
                early: Arc::default(),
                read_back: ReadBack::default(),
                way_opened: Notify::new(),
                greeted: tokio::sync::Mutex::default(),
                said_of_itself: SaidOfItself::default(),
                introduced: OnceCell::new(),
                repairs_finished: OnceCell::new(),
                tasks: TaskTracker::new(),
                expecting,
                closing: CancellationToken::new(),
                cut: CancellationToken::new(),
            }),
        }
    }

    pub(super) fn greeted(&self) -> &tokio::sync::Mutex<Greeted> {
        &self.router.greeted
    }

    pub(super) fn said_of_itself(&self) -> &SaidOfItself {
        &self.router.said_of_itself
    }

    /// Gives a platform its way out. The last one given wins.
    pub fn connect(&self, platform: Platform, outbox: Arc<dyn Outbox>) {
        self.router.outboxes.connect(platform, outbox);
        self.router.way_opened.notify_one();
    }

    /// Gives one place a way out of its own, from its next turn on: a call, while it lasts; the window, which stays.
    pub fn connect_place(&self, place: &Place, outbox: Arc<dyn Outbox>) {
        self.router.outboxes.connect_place(place.channel.clone(), outbox);
    }

    /// The place's words go the way of its platform again, unless it was given another way meanwhile.
    pub fn disconnect_place(&self, place: &Place, outbox: &Arc<dyn Outbox>) {
        self.router.outboxes.disconnect_place(&place.channel, outbox);
    }

    /// Hands in an event. Returns when its conversation has taken it, which for a message means: it will be stored,
    /// and then answered or not.
    ///
    /// # Errors
    /// When shutting down, or when nothing could answer on that platform.
    pub async fn submit(&self, mut event: InboundEvent) -> Result<(), SubmitError> {
        if event.by().is_some_and(|by| self.has_opted_out(by)) {
            return Ok(());
        }
        let place = self.entered(event.place()).await;
        *event.place_mut() = place.clone();
        self.introduce(&mut event).await;
        self.post(&place, Command::Event(Box::new(event))).await
    }

    /// Hands in what was said at about the same time in one place: all of it is stored before any of it is answered.
    /// `speculation` names the answer that was begun for it, if one was.
    ///
    /// # Errors
    /// When shutting down, or when nothing could answer on that platform.
    pub async fn submit_together(
        &self,
        place: &Place,
        mut events: Vec<InboundEvent>,
        speculation: Option<u64>,
    ) -> Result<(), SubmitError> {
        events.retain(|event| !event.by().is_some_and(|by| self.has_opted_out(by)));
        let place = self.entered(place).await;
        for event in &mut events {
            *event.place_mut() = place.clone();
            self.introduce(event).await;
        }
        self.post(&place, Command::Together { events, speculation }).await
    }

    /// Begins an answer to what somebody has perhaps finished saying. It has no effect before
    /// [`Self::submit_together`] names it: nothing is stored, said or done. `speculation` is the caller's number for it; only
    /// the newest is kept.
    ///
    /// # Errors
    /// When shutting down, or when nothing could answer on that platform.
    pub async fn speculate(&self, speculation: u64, mut message: InboundMessage) -> Result<(), SubmitError> {
        message.place = self.entered(&message.place).await;
        let place = message.place.clone();
        if self.has_opted_out(&message.author.account) {
            return self.drop_speculation(&place, speculation).await;
        }
        message.author = self.known_as(message.author).await;
        self.post(&place, Command::Speculate { speculation, message: Box::new(message) }).await
    }

    /// That answer is not wanted.
    ///
    /// # Errors
    /// When shutting down.
    pub async fn drop_speculation(&self, place: &Place, speculation: u64) -> Result<(), SubmitError> {
        self.post(place, Command::DropSpeculation(speculation)).await
    }

    /// Whether nothing that somebody says or does may be taken in. Adapters do not look at it either; what they hand in all
    /// the same stops here.
    fn has_opted_out(&self, account: &AccountId) -> bool {
        self.router.parts.pairing.has_opted_out(account)
    }

    /// How often answers were begun early since the program started, and how often that paid.
    pub fn early_answers(&self) -> EarlyAnswers {
        self.router.early.figures()
    }

    /// Ends a turn that is being spoken, because somebody interrupts it. Returns when what was heard of it is stored, so
    /// that what is handed in next stands behind it. Nothing happens where another turn runs or none.
    ///
    /// # Errors
    /// When shutting down.
    pub async fn interrupt(&self, place: &Place, turn: TurnId) -> Result<(), SubmitError> {
        self.ask(place, |answer| Command::Interrupt { turn, answer }).await
    }

    /// It is quiet: what was last said and not answered may be answered now, although nobody asked. Nothing happens where
    /// nothing is left unanswered.
    ///
    /// # Errors
    /// When shutting down, or when nothing could answer on that platform.
    pub async fn join_in(&self, place: &Place) -> Result<(), SubmitError> {
        self.post(place, Command::JoinIn).await
    }

    /// Goes back in what was said in a place. Returns when it is done; another answer comes by itself.
    ///
    /// # Errors
    /// When shutting down, or when nothing could answer on that platform.
    pub async fn go_back(&self, place: &Place, how: GoBack) -> Result<WentBack, SubmitError> {
        self.ask(place, |answer| Command::GoBack { place: Box::new(place.clone()), how, answer }).await
    }

    /// Repairs a reply where people read it. Returns when it is done, which for another answer is when it is there.
    ///
    /// # Errors
    /// When shutting down, or when nothing could answer on that platform.
    pub async fn repair(&self, place: &Place, request: RepairRequest) -> Result<Repaired, SubmitError> {
        let place = self.entered(place).await;
        self.ask(&place, |answer| Command::Repair { place: Box::new(place.clone()), request, answer }).await
    }

    /// From now on the conversation in a place begins with what is said next: what was said before stays remembered. Gives
    /// where it began and where it does now; `None` where nothing was said since it last began.
    ///
    /// # Errors
    /// When the history cannot be written.
    pub async fn begin_conversation(
        &self,
        channel: &ChannelId,
    ) -> Result<Option<(Beginning, Beginning)>, HistoryError> {
        let parts = &self.router.parts;
        let begun = parts.history.begin_conversation(channel, parts.clock.now()).await;
        parts.pipeline.forget_all();
        begun
    }

    /// Takes that back, if nobody has had it begin elsewhere since; whether it was.
    ///
    /// # Errors
    /// When the history cannot be written.
    pub async fn begin_again(
        &self,
        channel: &ChannelId,
        from: Beginning,
        to: Beginning,
    ) -> Result<bool, HistoryError> {
        let parts = &self.router.parts;
        let begun = parts.history.begin_again(channel, from, to, parts.clock.now()).await;
        parts.pipeline.forget_all();
        begun
    }

    /// Does again what a killed program was doing to a reply of its own. Only the first call does something: to be made as
    /// soon as there is a way to the platform.
    pub async fn finish_repairs(&self) {
        let Router { parts, outboxes, repairs_finished, .. } = &*self.router;
        repairs_finished.get_or_init(|| in_place::finish_repairs(parts, outboxes)).await;
    }

    /// Where the last talk of a place goes on: in the thread in which what was said last was answered, else there.
    pub async fn talk_of(&self, place: &Place) -> Place {
        aside::talk_of(&self.router.parts, place).await
    }

    /// Has it speak in a place although nobody says anything: it answers what nobody answered, else it goes on with what it
    /// said. Returns what it does, before it does it.
    ///
    /// # Errors
    /// When shutting down, or when nothing could answer on that platform.
    pub async fn speak_up(&self, place: &Place) -> Result<SpokeUp, SubmitError> {
        let place = self.entered(place).await;
        self.ask(&place, |answer| Command::SpeakUp { place: Box::new(place.clone()), answer }).await
    }

    /// How many answers are kept to what was said last in a place; `None` where it was not answered.
    ///
    /// # Errors
    /// When shutting down, or when nothing could answer on that platform.
    pub async fn alternatives(&self, place: &Place) -> Result<Option<Alternatives>, SubmitError> {
        self.ask(place, |answer| Command::Alternatives { place: Box::new(place.clone()), answer }).await
    }

    /// Says these words in a place and stores them as the familiar's own, without asking a model.
    ///
    /// # Errors
    /// When they could not be said.
    pub async fn say(&self, place: Place, words: String, modality: Modality) -> Result<(), GreetError> {
        let own = Own { modality, ..Own::written(words, "it had something to say of its own") };
        self.say_own(place, None, own).await
    }

    /// Says something that it has words for. `turn` is the one that says it, where it has a number already.
    pub(super) async fn say_own(
        &self,
        place: Place,
        turn: Option<TurnId>,
        own: Own,
    ) -> Result<(), GreetError> {
        let own = Box::new(own);
        self.ask(&place, |answer| Command::Say { place: Box::new(place.clone()), turn, own, answer }).await?
    }

    pub(super) fn parts(&self) -> &Arc<SessionParts> {
        &self.router.parts
    }

    /// A channel was read back, or there is nothing in it to be read back: what a killed program said there is known by now.
    pub fn was_read_back(&self, channel: &ChannelId) {
        self.router.read_back.put(channel);
        self.router.way_opened.notify_one();
    }

    /// Whether it is known what was said in a place while this program did not run.
    pub(super) fn is_read_back(&self, there: &Place) -> bool {
        self.router.read_back.has(there)
    }

    pub(super) fn way_opened(&self) -> &Notify {
        &self.router.way_opened
    }

    /// The way out of a place that stays, whatever comes and goes.
    pub(super) fn lasting_way(&self, place: &Place) -> Option<Arc<dyn Outbox>> {
        self.router.outboxes.lasting(place)
    }

    /// Returns when nothing more is taken.
    pub(super) async fn closing(&self) {
        self.router.closing.cancelled().await;
    }

    /// A persona, where nobody would take whoever plays it for somebody else.
    ///
    /// # Errors
    /// [`NoPersona::Taken`] where its name is somebody else's.
    pub fn playable(&self, account: &AccountId, persona: Persona) -> Result<Persona, NoPersona> {
        let is_free = self.router.parts.world.may_appear_as(account, &persona.name);
        if is_free { Ok(persona) } else { Err(NoPersona::Taken) }
    }

    /// Every name the familiar answers to.
    pub fn names(&self) -> Vec<String> {
        opening::own_names(&self.router.parts)
    }

    /// How it feels right now as far as it shows in a place, from -1 (gloomy) to 1 (glad), and in a word; 0 and none where
    /// it is even, feelings are switched off or not known.
    pub async fn mood(&self, place: &Place) -> (f64, Option<&'static str>) {
        let here = Visible::at(&self.entered(place).await);
        let felt = self.feels(&here).await;
        felt.map_or((0.0, None), |felt| (felt.mood.valence.clamp(-1.0, 1.0), mood_word(felt)))
    }

    /// The word alone, as far as it shows before somebody.
    pub async fn mood_word(&self, before: &Visible) -> Option<&'static str> {
        mood_word(self.feels(before).await?)
    }

    async fn feels(&self, before: &Visible) -> Option<Affect> {
        let parts = &self.router.parts;
        let affect = parts.config.current().affect.clone();
        if !affect.enabled {
            return None;
        }
        match parts.history.seen_by(before).affect(None, affect.half_life, parts.clock.now()).await {
            Ok(felt) => Some(felt),
            Err(error) => {
                tracing::warn!(%error, "its mood could not be read");
                None
            }
        }
    }

    /// Somebody begins to type, or to speak: what an answer to them will need is fetched ahead, in the background
    /// (A3). Returns at once; nothing is lost when it is never followed by a message.
    pub fn expect(&self, place: &Place, who: &Author) {
        self.expect_by(place, who, Modality::Text);
    }

    /// As [`Self::expect`], of somebody whose answer will be given this way.
    pub fn expect_by(&self, place: &Place, who: &Author, modality: Modality) {
        if self.router.closing.is_cancelled() || who.is_bot || self.has_opted_out(&who.account) {
            return;
        }
        let (this, place) = (self.clone(), place.clone());
        let who = self.router.parts.world.introduced(who.clone());
        self.router.expecting.spawn(async move {
            let place = this.entered(&place).await;
            let parts = &this.router.parts;
            parts.pipeline.prefetch(opening::ahead(parts, &place, &who, modality));
        });
    }

    /// Somebody begins to speak in the call of a place, or ends: prompts say who speaks.
    pub fn speaks(&self, place: &Place, who: &AccountId, on: bool) {
        let Some(guild) = &place.guild else { return };
        let voice = if on { CallVoice::Speaking } else { CallVoice::Silent };
        self.router.parts.world.speaking(guild, who, voice);
    }

    /// Waits until what is fetched ahead is there.
    pub async fn fetched(&self) {
        self.router.expecting.wait().await;
        self.router.parts.pipeline.fetched().await;
    }

    async fn introduce(&self, event: &mut InboundEvent) {
        if let InboundEvent::Message(message) = event {
            message.author = self.known_as(message.author.clone()).await;
        }
    }

    /// The author by the name that is theirs alone, whichever adapter an event comes in by: it is stored with what they say,
    /// and is what every prompt calls them.
    async fn known_as(&self, author: Author) -> Author {
        let Router { parts, introduced, .. } = &*self.router;
        parts.world.answers_to(opening::own_names(parts));
        let known = introduced.get_or_try_init(|| async {
            for author in parts.history.whole().authors().await? {
                let _known = parts.world.introduced(author);
            }
            Ok::<_, HistoryError>(())
        });
        if let Err(error) = known.await {
            tracing::warn!(%error, "who had which name first could not be read");
        }
        parts.world.introduced(author)
    }

    /// A place as it is now, with what people paired with it: whichever adapter an event comes in by.
    pub(super) async fn entered(&self, place: &Place) -> Place {
        self.router.parts.pairing.entered(place).await
    }

    /// Posts one of the card's greetings (group greetings first in a guild), stored as the familiar's own turn; where nobody has
    /// said anything behind one that stands, in its place.
    /// `which` counts from 0; `None` is the first. `whom` is greeted by name where only one person can be; without it
    /// that is whoever spoke there last.
    ///
    /// # Errors
    /// When there is no such greeting or it could not be posted.
    pub async fn greet(
        &self,
        place: Place,
        which: Option<usize>,
        whom: Option<String>,
    ) -> Result<GreetingCame, GreetError> {
        let place = self.entered(&place).await;
        let greet = |answer| Command::Greet { place: Box::new(place.clone()), which, whom, answer };
        self.ask(&place, greet).await?
    }

    /// What [`Self::greet`] can say in a place, in the order in which it counts them.
    pub fn greetings(&self, place: &Place) -> Vec<String> {
        greetings_for(&self.router.parts, place)
    }

    /// Waits until a place has nothing left to do: everything handed in before is stored and answered or left.
    ///
    /// # Errors
    /// When shutting down.
    pub async fn settle(&self, place: &Place) -> Result<(), SubmitError> {
        self.ask(place, |answer| Command::Settle { answer }).await
    }

    /// Turns are being forgotten, or were: conversations let go of them, what is being answered begins anew without them
    /// (at once, or when they are told to go on), what is being said already is remembered only where it holds nothing of
    /// them, and everything that is kept warm for prompts goes. Returns when every conversation has let go, or after five
    /// seconds.
    pub async fn forget(&self, gone: &Gone, then: Then) {
        self.router.parts.pipeline.forget_all();
        self.router.parts.documents.let_go();
        let awake: Vec<Awake> = {
            let conversations = self.router.conversations.lock();
            conversations.values().filter(|awake| !awake.ended.is_cancelled()).cloned().collect()
        };
        let told = awake.into_iter().map(|awake| async move {
            let (answer, answered) = oneshot::channel();
            let command = Command::Forget { gone: gone.clone(), then, answer };
            // One that fell asleep has nothing to let go of.
            if awake.mailbox.send(command).await.is_ok() {
                let _asleep = answered.await;
            }
        });
        if tokio::time::timeout(FORGET_WITHIN, futures::future::join_all(told)).await.is_err() {
            tracing::warn!("a conversation is slow to let go of what was forgotten");
        }
        self.router.parts.pipeline.forget_all();
    }

    /// Everything that was said is read again into what is looked up in memory, as it stands now. In the background.
    pub fn read_anew(&self) {
        drop(tokio::spawn(self.router.parts.pipeline.warm_up()));
    }

    /// What a turn did with some words, in Markdown: told, left out, kept but not looked up.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub async fn why(&self, trace: &TurnTrace, words: &str, reader: Rights) -> Result<String, HistoryError> {
        answer_why(&self.router.parts.history, trace, words, reader).await
    }

    /// The newest message of a channel that is stored; `None` where none is, or the history cannot be read.
    pub async fn newest_known(&self, channel: &ChannelId) -> Option<MessageId> {
        self.router.parts.history.newest_message(channel).await.unwrap_or_else(|error| {
            tracing::warn!(%channel, %error, "the newest message known could not be read");
            None
        })
    }

    /// The channels of the newest conversations alone with somebody, at most so many.
    pub async fn direct_messages(&self, most: usize) -> Vec<ChannelId> {
        self.router.parts.history.direct_messages(most).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "which direct messages there were could not be read");
            Vec::new()
        })
    }

    /// A message of the familiar's own stands in a channel. If a program that was killed was just posting it, it is part
    /// of what was said.
    pub async fn found_own(&self, channel: &ChannelId, message: MessageId, text: String, at: Timestamp) {
        match self.router.parts.history.arrived_after_all(channel, message, text, at).await {
            Ok(true) => {
                tracing::info!(%channel, "a message that was on its way when the program ended had arrived")
            }
            Ok(false) => {}
            Err(error) => tracing::warn!(%channel, %error, "a message of its own could not be stored"),
        }
    }

    /// Stores what a program that was killed had posted of its replies. To be called once at a start, before any adapter hands
    /// anything in.
    pub async fn close_unfinished(&self) {
        underway::close_unfinished(&self.router.parts).await;
    }

    /// Somebody came to a guild or left it: that is kept, and who was away before is known to be back. Whether they are new
    /// there.
    pub async fn came(&self, coming: Coming) -> bool {
        if self.has_opted_out(&coming.account) {
            return false;
        }
        let parts = &self.router.parts;
        match parts.history.came(coming).await {
            Ok(Some(CameBack { coming, away_since: Some(away_since), .. })) => {
                let Coming { guild, account, name, at, .. } = coming;
                let arrival = Arrival { account, name, at, away_since: Some(away_since) };
                parts.world.arrived(&guild, arrival);
                false
            }
            Ok(known) => known.is_some_and(|came| came.is_new),
            Err(error) => {
                tracing::warn!(%error, "that somebody came or left could not be stored");
                false
            }
        }
    }

    /// These are the messages that are pinned in a place, and no others.
    pub async fn pinned(&self, place: Place, mut pins: Vec<NewPin>) {
        pins.retain(|pin| !self.has_opted_out(&pin.author.account));
        match self.router.parts.history.put_pins(place, pins).await {
            // What was found of it may be warm.
            Ok(true) => self.router.parts.pipeline.cool(),
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "what is pinned could not be stored"),
        }
    }

    /// Somebody reacted to one of the familiar's own messages, which may please it or not (A9).
    pub async fn reacted(&self, place: &Place, who: &Author, emoji: &str) {
        if self.has_opted_out(&who.account) {
            return;
        }
        scene::reacted(&self.router.parts, place, who, emoji).await;
    }

    /// Whether pictures that are sent to a place with nobody else in it are looked at.
    pub fn sees_pictures(&self, place: &Place) -> bool {
        let parts = &self.router.parts;
        parts.picture_use().is_some() && parts.config.channel_in(place).documents != ReadDocuments::Off
    }

    /// What makes its prompts, for whoever measures it.
    pub fn pipeline(&self) -> &ContextPipeline {
        &self.router.parts.pipeline
    }

    /// What a turn in writing would ask [`Self::pipeline`] for that answers the last `waiting` of these stored messages of a
    /// place, oldest first; the very last calls the familiar. It is judged and planned as every turn is, and nothing comes of
    /// it: the benches measure what it takes. `None` where nothing was said.
    pub fn request_for(
        &self,
        turn: TurnId,
        place: &Place,
        said: &[StoredTurn],
        waiting: usize,
    ) -> Option<TurnRequest> {
        opening::request_for(&self.router.parts, turn, place, said, waiting)
    }

    /// Assembles the prompt of a past turn again, as of its moment. Nothing is stored, and no model is asked.
    ///
    /// # Errors
    /// See [`ReplayError`].
    pub async fn rebuild(&self, trace: &TurnTrace, changes: ReplayChanges) -> Result<Prompt, ReplayError> {
        replay::rebuild(&self.router.parts, trace, changes).await
    }

    /// The model that [`Self::replay`] would ask.
    pub fn asked_by(&self, replay: &Replay) -> ModelDescription {
        replay::model_of(&self.router.parts, replay).describe()
    }

    /// Asks a model what it would say to a past turn's request, telling its words as they come. Nothing is stored or posted.
    ///
    /// # Errors
    /// When the model fails.
    pub async fn replay(
        &self,
        trace: &TurnTrace,
        replay: Replay,
        told: impl FnMut(&str) + Send,
    ) -> Result<ReplayAnswer, ModelError> {
        replay::ask_anew(&self.router.parts, trace, replay, told).await
    }

    /// Has a model write down the hours it keeps, where there are none yet.
    ///
    /// # Errors
    /// See [`NoHours`].
    pub async fn make_hours(&self) -> Result<HoursMade, NoHours> {
        hours::make_hours(&self.router.parts).await
    }

    /// A place is no longer read: what is worth remembering of it is written down soon. Returns at once.
    pub fn conclude(&self, place: &Place) {
        self.router.parts.upkeep.workers.conclude(place);
    }

    /// Stops taking events and waits until what is being said is said and stored. [`Self::cut_short`] ends the wait.
    pub async fn drain(&self) {
        {
            // Under the lock, so that nothing can be woken behind this.
            let mut awake = self.router.conversations.lock();
            self.router.closing.cancel();
            awake.clear();
        }
        self.router.expecting.wait().await;
        self.router.parts.pipeline.close();
        self.router.tasks.close();
        self.router.tasks.wait().await;
    }

    /// Breaks off every turn; what was delivered is still stored.
    pub fn cut_short(&self) {
        self.router.cut.cancel();
    }

    /// Conversations that are awake.
    pub fn conversations(&self) -> usize {
        self.router.conversations.lock().len()
    }

    /// What waits in the fullest mailbox of a conversation, and how much fits into one.
    pub fn fullest_mailbox(&self) -> (usize, usize) {
        let awake = self.router.conversations.lock();
        let waiting = awake.values().map(|awake| MAILBOX.saturating_sub(awake.mailbox.capacity()));
        (waiting.max().unwrap_or_default(), MAILBOX)
    }

    /// Posts a command, and waits for what its conversation answers.
    async fn ask<T>(
        &self,
        place: &Place,
        command: impl FnOnce(oneshot::Sender<T>) -> Command,
    ) -> Result<T, SubmitError> {
        let (answer, answered) = oneshot::channel();
        self.post(place, command(answer)).await?;
        answered.await.map_err(|_| SubmitError::Closed)
    }

    pub(super) async fn post(&self, place: &Place, mut command: Command) -> Result<(), SubmitError> {
        loop {
            let Awake { mailbox, ended } = self.conversation(place)?;
            match mailbox.send(command).await {
                Ok(()) => return Ok(()),
                // It went to sleep between look-up and delivery. Another is woken once it is done, so that a place
                // never has two.
                Err(mpsc::error::SendError(returned)) => {
                    command = returned;
                    ended.cancelled().await;
                }
            }
        }
    }

    /// A place's conversation, woken if needed. The lock spans look-up and insertion, so that two events can never
    /// wake two conversations for one place.
    fn conversation(&self, place: &Place) -> Result<Awake, SubmitError> {
        let outbox = self.router.outboxes.lasting(place).ok_or(SubmitError::NoOutbox(place.platform))?;
        let mut conversations = self.router.conversations.lock();
        if self.router.closing.is_cancelled() {
            return Err(SubmitError::Closed);
        }
        if let Some(awake) = conversations.get(&place.channel)
            && !awake.ended.is_cancelled()
        {
            return Ok(awake.clone());
        }
        conversations.retain(|_, awake| !awake.ended.is_cancelled());
        let (mailbox, commands) = mpsc::channel(MAILBOX);
        let conversation = Conversation::new(
            Arc::clone(&self.router.parts),
            Ways { outboxes: Arc::clone(&self.router.outboxes), usual: outbox },
            place.clone(),
            self.router.cut.child_token(),
            Arc::clone(&self.router.gate),
            Arc::clone(&self.router.early),
        );
        let ended = CancellationToken::new();
        let awake = Awake { mailbox, ended: ended.clone() };
        // A guard, so that one that panicked counts as ended too.
        let guard = ended.drop_guard();
        self.router.tasks.spawn(async move {
            conversation.run(commands).await;
            drop(guard);
        });
        conversations.insert(place.channel.clone(), awake.clone());
        Ok(awake)
    }
}
