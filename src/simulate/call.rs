//! A call in a scene: people say things aloud and over each other, and the machine of real calls decides whose turn it is.
//!
//! Owns how long words take, theirs and its own, and what of its own was heard. There is no sound and no recogniser: words are
//! what one would have understood, an answer is begun when somebody has finished, and nothing is said to fill a silence. Must
//! not know what a scene expects. Start reading at [`SceneCall::open`].

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::outbox::SceneOutbox;
use crate::app::App;
use crate::clock::SharedClock;
use crate::domain::{AccountId, Author, InboundEvent, InboundMessage, Modality, Place, TurnId};
use crate::session::{
    Delivered, Delivery, DeliveryError, DeliveryStyle, Notice, Outbox, PlaceActions, SessionHandle, Settled,
    TypingGuard,
};
use crate::text::names::is_unspaced;
use crate::text::sentences::sentences_of;
use crate::voice::engines::TranscriberAbilities;
use crate::voice::turn::{Effect, FinishedUtterance, TurnEvent, TurnMachine, TurnSettings};
use crate::voice::{hints_of, turn_settings};
use crate::world::{CallMicrophone, CallVoice, Headphones, InCall, World};

/// How long one word takes to say.
const WORD: Duration = Duration::from_millis(300);

/// Letters that take as long as a word where none are set apart.
const LETTERS: usize = 3;

/// Whether something was said to somebody is known within so long after it was said.
const KNOWN_WITHIN: Duration = Duration::from_secs(60);

/// What may wait to be taken: more than is said in a minute.
const TOLD: usize = 256;

/// What is left to chance falls the same way whenever a scene is played.
const SEED: u64 = 7;

/// The recogniser of scenes: it tells words as they are said, and leaves it to others when somebody has finished.
const HEARS: TranscriberAbilities =
    TranscriberAbilities { partials: true, ends_turns: false, streaming: true };

#[derive(Debug)]
enum CallInput {
    Turn(TurnEvent),
    /// Somebody is about to say this; told in the end whether it was taken for something that is said to somebody.
    Utters(Uttered),
}

/// Somebody who is in the middle of saying something.
#[derive(Debug)]
struct Uttered {
    who: Author,
    /// What the recogniser has not told for good yet.
    text: String,
    taken: oneshot::Sender<bool>,
}

/// A call that goes on until it is dropped.
#[derive(Debug)]
pub(super) struct SceneCall {
    told: mpsc::Sender<CallInput>,
    began: Instant,
    /// Who is in it; `None` for whoever is not there as far as the familiar is concerned.
    people: BTreeMap<AccountId, Option<Author>>,
    world: Arc<World>,
    place: Place,
    session: SessionHandle,
    outbox: Arc<dyn Outbox>,
    _tasks: [AbortOnDropHandle<()>; 2],
}

impl SceneCall {
    /// It is in a call now, alone at first.
    pub(super) fn open(app: &App, place: Place, written: Arc<SceneOutbox>, clock: SharedClock) -> Self {
        let (told, tales) = mpsc::channel(TOLD);
        let (orders, errands) = mpsc::channel(TOLD);
        let session = app.session.clone();
        let began = Instant::now();
        let spoken = Arc::new(SpokenInScene::new(written, told.clone()));
        let outbox: Arc<dyn Outbox> = Arc::<SpokenInScene>::clone(&spoken);
        session.connect_place(&place, Arc::clone(&outbox));
        let settings = turn_settings(&app.config.current(), session.names(), Some(HEARS), false);
        // Nobody hears in a scene how early an answer was begun.
        let settings = TurnSettings { speculations: false, ..settings };
        let floor = Floor {
            machine: TurnMachine::new(settings, SEED),
            began,
            uttered: HashMap::new(),
            spoken,
            errands: orders,
            session: session.clone(),
            place: place.clone(),
            clock,
        };
        let tasks = [
            tokio::spawn(floor.run(tales)),
            tokio::spawn(run_scene_errands(session.clone(), place.clone(), errands)),
        ];
        let _tasks = tasks.map(AbortOnDropHandle::new);
        Self {
            told,
            began,
            people: BTreeMap::new(),
            world: Arc::clone(&app.world),
            place,
            session,
            outbox,
            _tasks,
        }
    }

    /// Somebody comes in, and agrees to be heard.
    pub(super) async fn joins(&mut self, who: &Author) {
        self.people.insert(who.account.clone(), Some(who.clone()));
        self.tell_the_world();
        self.tell(TurnEvent::Joined {
            who: who.account.clone(),
            name: who.label().to_owned(),
            is_bot: who.is_bot,
            can_stop: false,
        })
        .await;
    }

    pub(super) async fn leaves(&mut self, who: &AccountId) {
        self.people.remove(who);
        self.tell_the_world();
        self.tell(TurnEvent::Left { who: who.clone() }).await;
    }

    /// Somebody who is in it wants nothing of theirs taken in any more: for the familiar they are not there.
    pub(super) async fn withdraws(&mut self, who: &AccountId) {
        let Some(one) = self.people.get_mut(who) else { return };
        *one = None;
        self.tell_the_world();
        self.tell(TurnEvent::Withdrew { who: who.clone() }).await;
    }

    pub(super) fn has(&self, who: &AccountId) -> bool {
        self.people.contains_key(who)
    }

    /// Who is in the call stands in prompts, as it does where a platform tells of it.
    fn tell_the_world(&self) {
        let Some(guild) = &self.place.guild else { return };
        let name = self.place.channel_name.as_deref().unwrap_or_default().trim_start_matches('#');
        let here = self.people.values().flatten().map(|one| InCall {
            account: one.account.clone(),
            name: one.label().to_owned(),
            channel: self.place.channel.clone(),
            channel_name: name.to_owned(),
            audience: self.place.audience.clone(),
            microphone: CallMicrophone::Open,
            headphones: Headphones::On,
            voice: CallVoice::Silent,
        });
        self.world.guild(guild, |state| state.tell_calls(Some(&self.place.channel), here));
    }

    /// Somebody says this, word by word, over whatever is being said. Returns once it is known whether that was something that
    /// is said to somebody. Nobody waits for bots and for those who have opted out: they are never listened to.
    pub(super) async fn says(&self, who: &Author, text: &str) -> bool {
        if who.is_bot || self.people.get(&who.account).is_none_or(Option::is_none) {
            return false;
        }
        let (taken, answered) = oneshot::channel();
        let utters = CallInput::Utters(Uttered { who: who.clone(), text: text.to_owned(), taken });
        if self.told.send(utters).await.is_err() {
            return false;
        }
        let account = &who.account;
        self.session.speaks(&self.place, account, true);
        self.tell(TurnEvent::Voice { who: account.clone(), on: true, at: self.began.elapsed() }).await;
        let mut said = String::new();
        for word in word_sized_pieces(text) {
            sleep(WORD).await;
            said.push_str(&word);
            self.tell(TurnEvent::Partial { who: account.clone(), text: said.trim_end().to_owned() }).await;
        }
        self.session.speaks(&self.place, account, false);
        self.tell(TurnEvent::Voice { who: account.clone(), on: false, at: self.began.elapsed() }).await;
        matches!(timeout(KNOWN_WITHIN, answered).await, Ok(Ok(true)))
    }

    async fn tell(&self, event: TurnEvent) {
        if self.told.send(CallInput::Turn(event)).await.is_err() {
            tracing::debug!("the call of the scene is over");
        }
    }
}

impl Drop for SceneCall {
    fn drop(&mut self) {
        self.session.disconnect_place(&self.place, &self.outbox);
    }
}

/// A text in pieces that each take as long as a word.
fn word_sized_pieces(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in text.split_inclusive(char::is_whitespace) {
        if word.chars().any(is_unspaced) {
            let letters: Vec<char> = word.chars().collect();
            words.extend(letters.chunks(LETTERS).map(|some| some.iter().collect::<String>()));
        } else {
            words.push(word.to_owned());
        }
    }
    words
}

/// Whose turn it is, and what follows from that.
struct Floor {
    machine: TurnMachine,
    began: Instant,
    uttered: HashMap<AccountId, Uttered>,
    spoken: Arc<SpokenInScene>,
    errands: mpsc::Sender<Errand>,
    session: SessionHandle,
    place: Place,
    clock: SharedClock,
}

/// So long nothing may be due.
const IDLE: Duration = Duration::from_secs(3_600);

impl Floor {
    async fn run(mut self, mut tales: mpsc::Receiver<CallInput>) {
        loop {
            let due = self.machine.next_deadline().map_or(Instant::now() + IDLE, |at| self.began + at);
            let effects = tokio::select! {
                told = tales.recv() => match told {
                    None => return,
                    Some(CallInput::Turn(event)) => self.machine.handle(self.began.elapsed(), event),
                    Some(CallInput::Utters(uttered)) => {
                        self.uttered.insert(uttered.who.account.clone(), uttered);
                        Vec::new()
                    }
                },
                () = sleep_until(due) => self.machine.tick(self.began.elapsed()),
            };
            self.carry_out(effects).await;
        }
    }

    async fn carry_out(&mut self, mut effects: Vec<Effect>) {
        while !effects.is_empty() {
            let mut followed = Vec::new();
            for effect in effects {
                match effect {
                    Effect::Finalize { who } => {
                        let uttered = self.uttered.get_mut(&who);
                        let text = uttered.map(|uttered| std::mem::take(&mut uttered.text));
                        let all = TurnEvent::Final { who, text: text.unwrap_or_default(), answers: true };
                        followed.extend(self.machine.handle(self.began.elapsed(), all));
                    }
                    Effect::Submit { said } => self.submit(said).await,
                    Effect::Dropped { who, .. } => {
                        if let Some(uttered) = self.uttered.remove(&who) {
                            let _gone = uttered.taken.send(false);
                        }
                    }
                    Effect::Expect { who } => {
                        if let Some(uttered) = self.uttered.get(&who) {
                            self.session.expect_by(&self.place, &uttered.who, Modality::Voice);
                        }
                    }
                    Effect::Hold(held) => self.spoken.state.send_modify(|state| state.held = held),
                    Effect::Pause => self.spoken.state.send_modify(|state| state.paused = true),
                    Effect::Resume => self.spoken.state.send_modify(|state| state.paused = false),
                    Effect::Abandon { reply } => {
                        self.spoken.falls_silent(TurnId(reply));
                        self.order(Errand::Interrupt(TurnId(reply))).await;
                    }
                    Effect::JoinIn => self.order(Errand::JoinIn).await,
                    // Nothing is to be heard of these.
                    Effect::Listen { .. }
                    | Effect::StopListening { .. }
                    | Effect::Speculate { .. }
                    | Effect::DropSpeculation { .. }
                    | Effect::Duck(_)
                    | Effect::Filler
                    | Effect::Backchannel => {}
                }
            }
            effects = followed;
        }
    }

    async fn submit(&mut self, said: Vec<FinishedUtterance>) {
        let (mut events, mut taken) = (Vec::new(), Vec::new());
        for one in said {
            let Some(uttered) = self.uttered.remove(&one.who) else { continue };
            taken.push(uttered.taken);
            let age = self.began.elapsed().saturating_sub(one.began);
            let now = self.clock.now();
            let at = now.checked_sub(jiff::SignedDuration::try_from(age).unwrap_or_default()).unwrap_or(now);
            events.push(InboundEvent::Message(Box::new(InboundMessage {
                modality: Modality::Voice,
                hints: hints_of(&one),
                ..InboundMessage::said(self.place.clone(), uttered.who, one.text, at)
            })));
        }
        self.order(Errand::Submit { events, taken }).await;
    }

    async fn order(&self, errand: Errand) {
        if self.errands.send(errand).await.is_err() {
            tracing::error!("the session does not follow the call");
        }
    }
}

/// One thing that the session is told, in its order: what was heard of a reply is stored before what broke it off is handed in.
#[derive(Debug)]
enum Errand {
    Submit { events: Vec<InboundEvent>, taken: Vec<oneshot::Sender<bool>> },
    Interrupt(TurnId),
    JoinIn,
}

async fn run_scene_errands(session: SessionHandle, place: Place, mut errands: mpsc::Receiver<Errand>) {
    while let Some(errand) = errands.recv().await {
        let done = match errand {
            Errand::Submit { events, taken } => {
                let done = session.submit_together(&place, events, None).await;
                for taken in taken {
                    let _gone = taken.send(done.is_ok());
                }
                done
            }
            Errand::Interrupt(turn) => session.interrupt(&place, turn).await,
            Errand::JoinIn => session.join_in(&place).await,
        };
        if let Err(error) = done {
            tracing::warn!(%error, "the session did not take it");
        }
    }
}

/// What keeps it from speaking on.
#[derive(Debug, Default)]
struct Voice {
    held: bool,
    paused: bool,
    /// Of this nothing more is wanted.
    silenced: Option<TurnId>,
    /// The turn that can be heard.
    audible: Option<TurnId>,
}

/// Its own voice in a call: what it says takes its time, and what was heard of it stands among what was shown.
#[derive(Debug)]
struct SpokenInScene {
    written: Arc<SceneOutbox>,
    told: mpsc::Sender<CallInput>,
    state: watch::Sender<Voice>,
    /// What was handed over of turns that are not spoken yet.
    words: Mutex<HashMap<TurnId, String>>,
}

impl SpokenInScene {
    fn new(written: Arc<SceneOutbox>, told: mpsc::Sender<CallInput>) -> Self {
        Self { written, told, state: watch::Sender::default(), words: Mutex::default() }
    }

    fn tell(&self, event: TurnEvent) {
        if self.told.try_send(CallInput::Turn(event)).is_err() {
            tracing::debug!("the call of the scene does not follow");
        }
    }

    fn falls_silent(&self, turn: TurnId) {
        self.state.send_modify(|state| (state.silenced, state.paused) = (Some(turn), false));
    }

    /// Says it, sentence by sentence and word by word; what of it was heard.
    async fn speaks(&self, to: &Delivery, text: &str) -> String {
        let (turn, reply) = (to.turn, to.turn.0);
        let is_over = move |state: &Voice| state.silenced == Some(turn);
        let mut state = self.state.subscribe();
        let (mut heard, mut shown) = (String::new(), None);
        for sentence in sentences_of(text) {
            self.tell(TurnEvent::Saying { reply, text: sentence.trim().to_owned() });
            for word in word_sized_pieces(sentence) {
                let may = state.wait_for(|state| is_over(state) || !(state.held || state.paused)).await;
                if may.is_ok_and(|state| state.silenced == Some(turn)) {
                    return heard;
                }
                let shown = *shown.get_or_insert_with(|| {
                    self.state.send_modify(|state| state.audible = Some(turn));
                    self.tell(TurnEvent::Audible { reply });
                    self.written.begins_to_say(to)
                });
                tokio::select! {
                    () = sleep(WORD) => {}
                    _ = state.wait_for(is_over) => return heard,
                }
                heard.push_str(&word);
                self.written.was_heard(shown, heard.trim_end());
            }
        }
        heard
    }
}

#[async_trait]
impl Outbox for SpokenInScene {
    fn style(&self) -> DeliveryStyle {
        DeliveryStyle::Spoken
    }

    async fn alone_with(&self, who: &AccountId) -> Option<Place> {
        self.written.alone_with(who).await
    }

    fn typing(&self, to: &Delivery) -> TypingGuard {
        self.tell(TurnEvent::Opened { reply: to.turn.0, whom: to.whom.clone(), unasked: to.unasked });
        TypingGuard::none()
    }

    async fn deliver(&self, to: &Delivery, text: &str, _first: bool) -> Result<Delivered, DeliveryError> {
        self.words.lock().entry(to.turn).or_default().push_str(text);
        Ok(Delivered::default())
    }

    async fn finish(&self, to: &Delivery, _spoke: bool) -> Settled {
        let text = self.words.lock().remove(&to.turn).unwrap_or_default();
        let heard = self.speaks(to, &text).await;
        self.state.send_modify(|state| state.audible = None);
        self.tell(TurnEvent::Closed { reply: to.turn.0 });
        let unsaid = text.get(heard.len()..).map(str::trim).filter(|rest| !rest.is_empty());
        let unsaid = unsaid.map(str::to_owned);
        Settled::Instead { text: heard.trim_end().to_owned(), unsaid, messages: Vec::new() }
    }

    fn break_off(&self, to: &Delivery) {
        self.falls_silent(to.turn);
    }

    fn works(&self, to: &Delivery, on: bool) {
        self.tell(TurnEvent::Works { reply: to.turn.0, on });
    }

    fn has_arrived(&self, turn: TurnId) -> bool {
        self.state.borrow().audible == Some(turn)
    }

    fn actions(&self) -> Option<Arc<dyn PlaceActions>> {
        self.written.actions()
    }

    async fn notice(&self, to: &Delivery, notice: Notice) -> Result<(), DeliveryError> {
        self.written.notice(to, notice).await
    }
}
