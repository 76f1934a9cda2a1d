//! A call: the speakers' tasks, the turn machine, the session and the speech output, tied together.
//!
//! Owns the participants and carries out what the turn machine decides. Must not decide about turns itself, and must not
//! know what carries the call. Start reading at [`Call::start`].

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::task::AbortOnDropHandle;

use super::hearing::{Hearing, Outage};
use super::now::{CallsNow, voice_in};
use super::speaker_task::{SpeakerCommand, SpeakerTask};
use super::told::{hints_of, turn_settings};
use super::{CallEvent, CallNotice, CallPort, Participant};
use crate::clock::SharedClock;
use crate::config::LiveConfig;
use crate::domain::{AccountId, InboundEvent, InboundMessage, Modality, Place, TriggerHints, TurnId};
use crate::session::{Outbox, SessionHandle};
use crate::voice::end_of_turn::EndOfTurn;
use crate::voice::engines::{Synthesizer, Transcriber};
use crate::voice::frame::Packet;
use crate::voice::speech_output::{Asked, KnownVoice, OutputCommand, SpeechOutput, SpeechOutputParts};
use crate::voice::turn::{Effect, FinishedUtterance, TurnEvent, TurnMachine, TurnSettings};

/// What speakers' tasks and the speech output may tell before it is taken.
const EVENTS: usize = 1_024;

/// How much quieter it gets when somebody speaks over it, in decibels (voice 2.4: 12 to 18).
const DUCK: f32 = 15.0;

#[derive(Debug, Clone)]
pub struct CallParts {
    pub session: SessionHandle,
    pub config: Arc<LiveConfig>,
    pub clock: SharedClock,
    /// The call's own place: what is said there is one conversation with what is typed there.
    pub place: Place,
    /// What hears; without one it only speaks.
    pub transcriber: Option<Arc<dyn Transcriber>>,
    /// What hears whether somebody sounds finished.
    pub end_of_turn: EndOfTurn,
    /// What speaks; without one it only writes.
    pub synthesizer: Option<Arc<dyn Synthesizer>>,
    /// What is known of what speaks, over all its calls.
    pub known: KnownVoice,
    /// Why it has no ears or no voice, and what to do, as phrases for people; where there is nothing to say, it was
    /// switched off.
    pub why_not: [Option<String>; 2],
    /// What it says when it comes, if anything.
    pub greeting: Option<String>,
    /// Decides what is left to chance.
    pub seed: u64,
    /// Told what goes on, for whoever looks on.
    pub now: Arc<CallsNow>,
}

/// A call that goes on until the bridge closes it or this is dropped.
#[derive(Debug)]
pub struct Call {
    task: AbortOnDropHandle<CallFigures>,
}

/// What happened in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallFigures {
    /// Packets of people who do not consent; none was decoded.
    pub refused: u64,
    /// Packets that found no room.
    pub dropped: u64,
    /// Things that were said and handed in.
    pub said: u64,
    /// Sounds that were no turn.
    pub left: u64,
    /// Early answers that were kept, and all of them.
    pub speculations: (u64, u64),
}

impl Call {
    /// Takes the port and goes on behind the scenes.
    pub fn start(port: CallPort, parts: CallParts) -> Self {
        Self { task: AbortOnDropHandle::new(tokio::spawn(run_call(port, parts))) }
    }

    /// Waits for the end.
    pub async fn ended(self) -> CallFigures {
        self.task.await.unwrap_or_default()
    }
}

struct CallState {
    parts: CallParts,
    hearing: Hearing,
    machine: TurnMachine,
    speech_output: Arc<SpeechOutput>,
    errands: Errands,
    people: HashMap<AccountId, Participant>,
    tasks: HashMap<AccountId, SpeakerTask>,
    fillers: usize,
    backchannels: usize,
    figures: CallFigures,
}

async fn run_call(port: CallPort, parts: CallParts) -> CallFigures {
    let CallPort { mut events, playout, notices, dropped } = port;
    let began = Instant::now();
    let (told, mut tales) = mpsc::channel(EVENTS);
    let (speech_output, speaking) = SpeechOutput::open(SpeechOutputParts {
        synthesizer: parts.synthesizer.clone(),
        playout,
        notices: notices.clone(),
        events: told.clone(),
        duck: DUCK,
        known: parts.known.clone(),
    });
    let outbox: Arc<dyn Outbox> = Arc::<SpeechOutput>::clone(&speech_output);
    parts.session.connect_place(&parts.place, Arc::clone(&outbox));
    let hearing = Hearing {
        transcriber: parts.transcriber.clone(),
        end_of_turn: parts.end_of_turn.clone(),
        keyterms: Arc::new(Mutex::new(parts.session.names())),
        events: told.clone(),
        outage: Arc::new(Outage::new(notices.clone())),
        notices,
        seats: Arc::default(),
        patience: Arc::default(),
        began,
        dropped,
        channel: parts.place.channel.clone(),
        now: Arc::clone(&parts.now),
        clock: Arc::clone(&parts.clock),
    };
    let mut state = CallState {
        machine: TurnMachine::new(settings_of(&parts), parts.seed),
        errands: Errands::open(
            parts.session.clone(),
            parts.place.clone(),
            told,
            Arc::downgrade(&speech_output),
        ),
        speech_output,
        hearing,
        people: HashMap::new(),
        tasks: HashMap::new(),
        fillers: 0,
        backchannels: 0,
        figures: CallFigures::default(),
        parts,
    };
    state.parts.now.begins(&state.parts.place.channel);
    state.tell_what_is_missing();
    if speaks_ahead(&state.parts) {
        let config = state.parts.config.current();
        let words = config.fillers().into_iter().chain(config.call.backchannels.clone()).collect();
        state.speech_output.tell(OutputCommand::Prepare(words));
    }
    if let Some(greeting) = state.parts.greeting.clone() {
        state.errands.send(Errand::Say(greeting));
    }
    loop {
        let now = Instant::now();
        let deadline =
            state.machine.next_deadline().map_or(now + std::time::Duration::from_secs(3600), |at| began + at);
        tokio::select! {
            event = events.recv() => match event {
                None | Some(CallEvent::Close) => break,
                Some(event) => state.take(event),
            },
            tale = tales.recv() => {
                if let Some(tale) = tale {
                    state.turn(tale);
                }
            }
            () = sleep_until(deadline) => {
                let effects = state.machine.tick(began.elapsed());
                state.carry_out(effects);
            }
        }
    }
    let figures = state.close(&outbox).await;
    // What it said last is stored by now, and what it had still wanted to say is given up.
    speaking.abort();
    figures
}

impl CallState {
    fn tell_what_is_missing(&self) {
        let [deaf, mute] = self.parts.why_not.clone();
        if self.parts.transcriber.is_none() {
            let why = deaf.unwrap_or_else(|| "speech recognition is switched off".to_owned());
            self.notice(CallNotice::HearsNothing { why });
        }
        if self.parts.synthesizer.is_none() {
            let why = mute.unwrap_or_else(|| "its voice is switched off".to_owned());
            self.notice(CallNotice::HasNoVoice { why });
        }
    }

    fn notice(&self, notice: CallNotice) {
        if self.hearing.notices.try_send(notice).is_err() {
            tracing::debug!("nobody is there to be told");
        }
    }

    fn take(&mut self, event: CallEvent) {
        match event {
            CallEvent::Packet { account, packet } => self.packet(&account, packet),
            CallEvent::Joined(participant) => self.joined(participant),
            CallEvent::Left(account) => {
                // First, for what they said last is handed in now, and with their name.
                self.tasks.remove(&account);
                self.turn(TurnEvent::Left { who: account.clone() });
                self.people.remove(&account);
                self.names();
            }
            CallEvent::ConsentChanged { account, consents } => {
                if let Some(participant) = self.people.get_mut(&account) {
                    participant.consents = consents;
                    let participant = participant.clone();
                    if consents {
                        self.joined(participant);
                    } else {
                        // Still company, but nothing of theirs is heard.
                        self.forget(&account);
                        self.company(&participant);
                    }
                }
            }
            CallEvent::Typed(message) => self.typed(*message),
            CallEvent::Quiet(is_quiet) => self.turn(TurnEvent::Quiet(is_quiet)),
            CallEvent::Disconnected { reason } => {
                tracing::info!(%reason, "the call is interrupted");
                for account in self.tasks.keys().cloned().collect::<Vec<_>>() {
                    let at = self.hearing.began.elapsed();
                    self.turn(TurnEvent::Voice { who: account, on: false, at });
                }
            }
            CallEvent::Reconnected => tracing::info!("the call goes on"),
            CallEvent::Close => {}
        }
    }

    /// A packet is decoded only where there is a task for its speaker, which only who consents has.
    fn packet(&mut self, account: &AccountId, packet: Packet) {
        match self.tasks.get(account) {
            Some(ear) => {
                self.hearing.dropped.fetch_add(u64::from(ear.packet(packet)), Ordering::Relaxed);
            }
            None => self.figures.refused += 1,
        }
    }

    fn joined(&mut self, participant: Participant) {
        let account = participant.author.account.clone();
        self.company(&participant);
        self.people.insert(account.clone(), participant.clone());
        self.names();
        if participant.consents {
            let hearing = self.hearing.clone();
            self.tasks.entry(account.clone()).or_insert_with(|| SpeakerTask::open(account, hearing));
        }
    }

    fn company(&mut self, participant: &Participant) {
        self.turn(TurnEvent::Joined {
            who: participant.author.account.clone(),
            name: participant.author.label().to_owned(),
            is_bot: participant.author.is_bot,
            can_stop: participant.can_stop,
        });
    }

    /// Names are what recognisers get wrong most.
    fn names(&self) {
        let mut terms = self.parts.session.names();
        let people = self.people.values().filter(|one| !one.author.is_bot);
        terms.extend(people.map(|one| one.author.label().to_owned()));
        terms.sort();
        terms.dedup();
        let known = {
            let mut keyterms = self.hearing.keyterms.lock();
            std::mem::replace(&mut *keyterms, terms.clone())
        };
        // A name too many does no harm.
        if terms.iter().any(|term| !known.contains(term)) {
            self.tasks.values().for_each(|ear| ear.tell(SpeakerCommand::Names));
        }
    }

    /// They are not listened to any more, and what they have not said to the end is not kept, not even what is on its way.
    fn forget(&mut self, account: &AccountId) {
        self.tasks.remove(account);
        self.parts.now.forget(&self.parts.place.channel, account);
        self.turn(TurnEvent::Withdrew { who: account.clone() });
    }

    fn typed(&mut self, mut message: InboundMessage) {
        let who = message.author.account.clone();
        if !message.hints.addresses_someone_else && !message.author.is_bot {
            let verdict = self.machine.judge(&who, &message.text);
            message.hints.mentions_familiar |= verdict.is_for_familiar();
        }
        self.turn(TurnEvent::Typed { who, text: message.text.clone() });
        // It is in a call: what it answers is heard.
        message.modality = Modality::Voice;
        let events = vec![InboundEvent::Message(Box::new(message))];
        self.errands.send(Errand::Submit { events, speculation: None });
    }

    fn turn(&mut self, event: TurnEvent) {
        // A stand-in may hear by now, and settings may be others.
        if matches!(event, TurnEvent::Opened { .. } | TurnEvent::Voice { on: true, .. }) {
            self.machine.configure(settings_of(&self.parts));
        }
        // What was on its way when somebody withdrew would have them speak for as long as the call goes on.
        let speaks = voice_in(&event).filter(|(who, on)| !on || self.tasks.contains_key(*who));
        self.parts.now.told(&self.parts.place.channel, &event);
        if let Some((who, on)) = speaks {
            self.parts.session.speaks(&self.parts.place, who, on);
        }
        let effects = self.machine.handle(self.hearing.began.elapsed(), event);
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            self.parts.now.did(&self.parts.place.channel, self.parts.clock.now(), &effect);
            match effect {
                Effect::Listen { who } => self.order(&who, SpeakerCommand::Listen),
                Effect::Finalize { who } => self.order(&who, SpeakerCommand::Finalize),
                Effect::StopListening { who } => self.order(&who, SpeakerCommand::StopListening),
                Effect::Expect { who } => {
                    if let Some(participant) = self.people.get(&who) {
                        let author = &participant.author;
                        self.parts.session.expect_by(&self.parts.place, author, Modality::Voice);
                    }
                }
                Effect::Speculate { speculation, who, text, is_unsure } => {
                    let hints =
                        TriggerHints { mentions_familiar: true, is_unsure, ..TriggerHints::default() };
                    if let Some(message) = self.heard(&who, text, self.parts.clock.now(), hints) {
                        self.speech_output.may_speak_ahead(speaks_ahead(&self.parts));
                        self.errands.send(Errand::Speculate {
                            speculation: speculation.0,
                            message: Box::new(message),
                        });
                    }
                }
                Effect::DropSpeculation { speculation } => {
                    self.speech_output.tell(OutputCommand::Forget { speculation: speculation.0 });
                    self.errands.send(Errand::DropSpeculation(speculation.0));
                }
                Effect::Submit { said } => self.submit(said),
                Effect::Dropped { utterance, who, why } => {
                    self.figures.left += 1;
                    tracing::debug!(?utterance, %who, ?why, "no turn");
                }
                Effect::Duck(quiet) => {
                    tracing::debug!("it is {}", if quiet { "quieter" } else { "as loud as ever" });
                    self.speech_output.tell(OutputCommand::Duck(quiet));
                }
                Effect::Hold(held) => self.speech_output.tell(OutputCommand::Hold(held)),
                Effect::Pause => {
                    tracing::debug!("it falls silent");
                    self.speech_output.tell(OutputCommand::Hold(true));
                }
                Effect::Resume => self.speech_output.tell(OutputCommand::Hold(false)),
                Effect::Abandon { reply } => {
                    tracing::debug!(reply, "it falls silent");
                    self.speech_output.tell(OutputCommand::BreakOff(TurnId(reply)));
                    self.errands.send(Errand::Interrupt(TurnId(reply)));
                }
                Effect::Filler => self.fill(),
                Effect::Backchannel => self.backchannel(),
                Effect::JoinIn => self.errands.send(Errand::JoinIn),
            }
        }
    }

    fn order(&self, who: &AccountId, order: SpeakerCommand) {
        if let Some(ear) = self.tasks.get(who) {
            ear.tell(order);
        }
    }

    fn fill(&mut self) {
        let config = self.parts.config.current();
        let mut fillers = config.fillers();
        if !fillers.is_empty() {
            let words = fillers.swap_remove(self.fillers % fillers.len());
            self.fillers += 1;
            self.speech_output.tell(OutputCommand::Filler(words));
        }
    }

    fn backchannel(&mut self) {
        let config = self.parts.config.current();
        let listed = &config.call.backchannels;
        if let Some(words) = listed.get(self.backchannels % listed.len().max(1)) {
            self.backchannels += 1;
            self.speech_output.tell(OutputCommand::Murmur(words.clone()));
        }
    }

    fn submit(&mut self, said: Vec<FinishedUtterance>) {
        if let Some(last) = said.iter().rfind(|one| one.verdict.may_be_for_familiar()) {
            let at = |moment| self.hearing.began + moment;
            self.speech_output.asked(Asked {
                silent: at(last.ended),
                words: at(last.settled),
                over: Instant::now(),
            });
        }
        let speculation = said.iter().find_map(|one| one.speculation).map(|speculation| speculation.0);
        let messages: Vec<InboundMessage> = said.into_iter().filter_map(|one| self.message(one)).collect();
        self.figures.said += messages.len() as u64;
        for message in &messages {
            let (author, at, text) = (message.author.clone(), message.at, message.text.clone());
            self.notice(CallNotice::Heard { author, at, text });
        }
        let events = messages.into_iter().map(|one| InboundEvent::Message(Box::new(one))).collect();
        self.errands.send(Errand::Submit { events, speculation });
    }

    fn message(&self, said: FinishedUtterance) -> Option<InboundMessage> {
        let age = self.hearing.began.elapsed().saturating_sub(said.began);
        let now = self.parts.clock.now();
        let hints = hints_of(&said);
        let at = now.checked_sub(jiff::SignedDuration::try_from(age).unwrap_or_default()).unwrap_or(now);
        self.heard(&said.who, said.text, at, hints)
    }

    fn heard(
        &self,
        who: &AccountId,
        text: String,
        at: Timestamp,
        hints: TriggerHints,
    ) -> Option<InboundMessage> {
        // Nothing more is taken from whoever does not want to be heard any more.
        let author = self.people.get(who).filter(|one| one.consents)?.author.clone();
        let said = InboundMessage::said(self.parts.place.clone(), author, text, at);
        Some(InboundMessage { modality: Modality::Voice, hints, ..said })
    }

    async fn close(mut self, outbox: &Arc<dyn Outbox>) -> CallFigures {
        let effects = self.machine.close();
        self.carry_out(effects);
        self.parts.now.ends(&self.parts.place.channel);
        for who in self.people.keys() {
            self.parts.session.speaks(&self.parts.place, who, false);
        }
        self.tasks.clear();
        self.errands.finish().await;
        self.parts.session.disconnect_place(&self.parts.place, outbox);
        self.figures.speculations = self.machine.speculations();
        self.figures.dropped = self.hearing.dropped.load(Ordering::Relaxed);
        self.figures
    }
}

fn speaks_ahead(parts: &CallParts) -> bool {
    let costs = parts.synthesizer.as_ref().is_some_and(|synthesizer| synthesizer.costs());
    parts.config.current().call.speak_ahead.may(costs)
}

fn settings_of(parts: &CallParts) -> TurnSettings {
    let hears = parts.transcriber.as_ref().map(|transcriber| transcriber.abilities());
    turn_settings(&parts.config.current(), parts.session.names(), hears, parts.synthesizer.is_some())
}

/// Errands that may wait; more than a minute of talk.
const ERRANDS: usize = 64;

/// One thing to do.
#[derive(Debug)]
pub(super) enum Errand {
    Submit { events: Vec<InboundEvent>, speculation: Option<u64> },
    Speculate { speculation: u64, message: Box<InboundMessage> },
    DropSpeculation(u64),
    Interrupt(TurnId),
    JoinIn,
    Say(String),
}

#[derive(Debug)]
pub(super) struct Errands {
    orders: mpsc::Sender<Errand>,
    task: AbortOnDropHandle<()>,
}

impl Errands {
    pub(super) fn open(
        session: SessionHandle,
        place: Place,
        events: mpsc::Sender<TurnEvent>,
        output: Weak<SpeechOutput>,
    ) -> Self {
        let (orders, told) = mpsc::channel(ERRANDS);
        let task = AbortOnDropHandle::new(tokio::spawn(run_errands(session, place, events, output, told)));
        Self { orders, task }
    }

    pub(super) fn send(&self, errand: Errand) {
        if let Err(error) = self.orders.try_send(errand) {
            tracing::error!(%error, "the session does not follow the call");
        }
    }

    /// Waits until everything is done.
    pub(super) async fn finish(self) {
        let Self { orders, task } = self;
        drop(orders);
        if let Err(error) = task.await {
            tracing::error!(%error, "the call's last words may not be stored");
        }
    }
}

/// One after the other: what was heard of a reply is stored before what interrupted it is handed in. The call itself never
/// waits for a store.
async fn run_errands(
    session: SessionHandle,
    place: Place,
    events: mpsc::Sender<TurnEvent>,
    output: Weak<SpeechOutput>,
    mut told: mpsc::Receiver<Errand>,
) {
    while let Some(errand) = told.recv().await {
        match errand {
            Errand::Submit { events: said, speculation } => {
                warn(session.submit_together(&place, said, speculation).await);
                let (valence, word) = session.mood(&place).await;
                if let Some(output) = output.upgrade() {
                    output.tell(OutputCommand::Feels(word));
                }
                if events.try_send(TurnEvent::Mood(valence)).is_err() {
                    tracing::debug!("its mood is not told");
                }
            }
            Errand::Speculate { speculation, message } => {
                warn(session.speculate(speculation, *message).await)
            }
            Errand::DropSpeculation(speculation) => warn(session.drop_speculation(&place, speculation).await),
            Errand::Interrupt(turn) => warn(session.interrupt(&place, turn).await),
            Errand::JoinIn => warn(session.join_in(&place).await),
            Errand::Say(words) => {
                // It takes as long as it is spoken; what is said meanwhile does not wait for it.
                let (session, place) = (session.clone(), place.clone());
                tokio::spawn(async move { warn(session.say(place, words, Modality::Voice).await) });
            }
        }
    }
}

fn warn(done: Result<(), impl std::fmt::Display>) {
    if let Err(error) = done {
        tracing::warn!(%error, "the session did not take it");
    }
}
