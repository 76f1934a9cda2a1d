//! One actor per conversation: stores what comes in, decides, runs one turn at a time, answers what piled up meanwhile.

mod after_turn;
mod careful;
mod crossing;
mod day;
mod documents;
mod going_back;
mod greeted;
mod learning;
mod missed;
mod own_words;
mod quiet;
mod repairing;
mod requests;
mod running;
mod silence;
mod speak_up;
mod unfinished;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use self::going_back::{Alternatives, GoBack, WentBack};
pub use self::greeted::GreetingCame;
pub use self::requests::{RepairRequest, Repaired, Wanted};
pub use self::speak_up::SpokeUp;

use self::documents::UnreadFiles;
use self::going_back::{Answers, Replaced};
use self::learning::Joined;
use self::missed::PassedOver;
use self::running::Running;
use self::silence::asker;
use self::unfinished::Unfinished;
use super::forget_barrier::{ForgetBarrier, Gone};
use super::gates::ReplyGate;
use super::greeting::Own;
use super::opening::{Question, own_names, speakers};
use super::outbox::{Outbox, Outboxes};
use super::parts::{GreetError, SessionParts};
use super::policy::{Decision, Parted, Situation, SpokenTo, decide, join_in_at};
use super::scene;
use super::speculation::{Account, Speculation};
use super::turn::{TurnEnd, TurnJob, reached};
use super::unsaid::Unsaid;
use super::waiting::{self, Call, Waiting, newest_call};
use crate::domain::{
    Author, ChannelId, ChannelMode, InboundEvent, InboundMessage, Learned, MessageId, Place, SilenceReason,
    StoredTurn, TurnId,
};
use crate::history::{Appended, Visible};
use crate::identity::caller_in;
use crate::text::quiet::QuietAsked;
use crate::tools::PlaceActions;

/// A conversation that hears nothing for this long goes to sleep; the next event wakes a new one from the history.
const SLEEP_AFTER: Duration = Duration::from_secs(1800);

pub(super) enum Command {
    Event(Box<InboundEvent>),
    Greet {
        place: Box<Place>,
        which: Option<usize>,
        whom: Option<String>,
        answer: oneshot::Sender<Result<GreetingCame, GreetError>>,
    },
    Settle {
        answer: oneshot::Sender<()>,
    },
    Forget {
        gone: Gone,
        then: Then,
        answer: oneshot::Sender<()>,
    },
    /// Said at about the same time.
    Together {
        events: Vec<InboundEvent>,
        /// The answer that was begun for exactly this.
        speculation: Option<u64>,
    },
    Interrupt {
        turn: TurnId,
        answer: oneshot::Sender<()>,
    },
    JoinIn,
    /// Begin an answer to this; it is known by this number.
    Speculate {
        speculation: u64,
        message: Box<InboundMessage>,
    },
    DropSpeculation(u64),
    GoBack {
        place: Box<Place>,
        how: GoBack,
        answer: oneshot::Sender<WentBack>,
    },
    /// Speak, although nobody said anything.
    SpeakUp {
        place: Box<Place>,
        answer: oneshot::Sender<SpokeUp>,
    },
    /// Begin to speak, because something has come due of somebody.
    Begin {
        whom: Box<Author>,
    },
    /// How many answers there are to what was said last.
    Alternatives {
        place: Box<Place>,
        answer: oneshot::Sender<Option<Alternatives>>,
    },
    /// Somebody wants a reply repaired where they read it.
    Repair {
        place: Box<Place>,
        request: RepairRequest,
        answer: oneshot::Sender<Repaired>,
    },
    Say {
        place: Box<Place>,
        turn: Option<TurnId>,
        own: Box<Own>,
        answer: oneshot::Sender<Result<(), GreetError>>,
    },
}

/// How a conversation's words leave.
pub(super) struct Ways {
    pub outboxes: Arc<Outboxes>,
    /// Where nothing better is known.
    pub usual: Arc<dyn Outbox>,
}

impl Ways {
    fn to(&self, place: &Place) -> Arc<dyn Outbox> {
        self.outboxes.for_place(place).unwrap_or_else(|| Arc::clone(&self.usual))
    }

    /// What can be done in a place; whoever only carries words there leaves that to its platform.
    fn actions(&self, place: &Place) -> Option<Arc<dyn PlaceActions>> {
        self.to(place).actions().or_else(|| self.outboxes.lasting(place)?.actions())
    }
}

/// What a conversation does after it let go of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Answers nothing until it is told to go on, two minutes at most: what is to be forgotten can still be looked up.
    Wait,
    GoOn,
}

/// So long a conversation waits at most.
const WAIT_MAX: Duration = Duration::from_secs(120);

pub(super) struct Conversation {
    parts: Arc<SessionParts>,
    ways: Ways,
    place: Place,
    cut: CancellationToken,
    gate: Arc<ReplyGate>,
    early: Arc<Account>,
    waiting: Waiting,
    running: Option<Running>,
    superseded: u32,
    /// No answer begins before: one that begins anew soon after another, or one that its day has take a while.
    restarts_at: Option<Instant>,
    /// When the newest message, a question to nobody, is answered if nobody else does.
    proactive: Option<Instant>,
    /// What the model found unfinished.
    unfinished: Option<Unfinished>,
    /// Until when nothing is answered, because something is being forgotten.
    waits_until: Option<Instant>,
    unanswered: u32,
    spoken_to: SpokenTo,
    parted: Parted,
    /// What was answered to what was said last.
    answers: Answers,
    /// A reply that is gone because another answer to the same words was wanted, and what it answered.
    replaced: Option<Replaced>,
    /// How often it found nothing to say when it could have joined in, since it last spoke; and when.
    passes: u32,
    last_pass: TurnId,
    /// What those who spoke here lately are called, newest last, each once.
    speakers: Vec<String>,
    settlers: Vec<oneshot::Sender<()>>,
    /// What it had still wanted to say where its last reply broke off; for the next turn.
    unsaid: Option<Unsaid>,
    /// An answer that was begun early.
    speculation: Option<Speculation>,
    /// When somebody last said that they want to die.
    distress: Option<Timestamp>,
    /// Why the answer that comes next began late, for its record.
    took_its_time: Option<String>,
    /// What was read back and left alone because it was said while nobody listened.
    passed_over: PassedOver,
    unread: UnreadFiles,
    /// What was learnt here, and the last time that it joined in.
    learned: Learned,
    joined: Option<Joined>,
    /// The reply that somebody in the call talked over last, and when that broke it off.
    cut_off: Option<(TurnId, Instant)>,
}

impl Conversation {
    pub(super) fn new(
        parts: Arc<SessionParts>,
        ways: Ways,
        place: Place,
        cut: CancellationToken,
        gate: Arc<ReplyGate>,
        early: Arc<Account>,
    ) -> Self {
        Self {
            parts,
            ways,
            place,
            cut,
            gate,
            early,
            waiting: Waiting::default(),
            running: None,
            superseded: 0,
            restarts_at: None,
            proactive: None,
            unfinished: None,
            waits_until: None,
            unanswered: 0,
            spoken_to: SpokenTo::default(),
            parted: Parted::default(),
            answers: Answers::default(),
            replaced: None,
            passes: 0,
            last_pass: TurnId(0),
            speakers: Vec::new(),
            settlers: Vec::new(),
            unsaid: None,
            speculation: None,
            distress: None,
            took_its_time: None,
            passed_over: PassedOver::default(),
            unread: UnreadFiles::default(),
            learned: Learned::default(),
            joined: None,
            cut_off: None,
        }
    }

    pub(super) async fn run(mut self, mut commands: mpsc::Receiver<Command>) {
        self.remember().await;
        self.remember_distress().await;
        let mut asleep_at = Instant::now() + SLEEP_AFTER;
        loop {
            let rest_at = self.unfinished.as_ref().map(|unfinished| unfinished.until);
            let waits_for = [self.proactive, rest_at, self.waits_until, self.restarts_at];
            let may_sleep = self.running.is_none() && waits_for.iter().all(Option::is_none);
            tokio::select! {
                command = commands.recv() => match command {
                    Some(command) => {
                        asleep_at = Instant::now() + SLEEP_AFTER;
                        self.take(command).await;
                    }
                    None => break,
                },
                end = finished(&mut self.running) => self.after_turn(end).await,
                () = reached(self.proactive) => self.speak_unasked(),
                () = reached(rest_at) => self.no_rest_came(),
                () = reached(self.waits_until) => self.waits_until = None,
                () = reached(self.restarts_at) => self.restarts_at = None,
                () = tokio::time::sleep_until(asleep_at), if may_sleep => commands.close(),
            }
            self.start_if_called().await;
            self.tell_settled();
        }
        (self.waits_until, self.restarts_at) = (None, None);
        self.start_if_called().await;
        // Nobody can write any more; what was taken is still answered, or its trace says why not.
        while self.running.is_some() {
            let end = finished(&mut self.running).await;
            self.after_turn(end).await;
            self.restarts_at = None;
            self.start_if_called().await;
        }
        self.settlers.clear();
    }

    /// A conversation that wakes up knows from the history whom it spoke to last.
    async fn remember(&mut self) {
        let here = Visible::at(&self.place);
        let seen = self.parts.history.seen_by(&here);
        if let Ok(count) = seen.count_since_last_reply(&self.place.channel).await {
            self.unanswered = count;
        }
        if let Ok(Some(reply)) = seen.last_assistant(&self.place.channel, self.parts.encoding()).await {
            let recent = self.recent().await;
            let before =
                recent.iter().rev().find(|turn| turn.ordinal < reply.ordinal && turn.author.is_some());
            if let Some((asked, author)) = before.and_then(|turn| Some((turn.at, turn.author.as_ref()?))) {
                self.spoken_to.put(author.account.clone(), asked, reply.at);
            }
        }
    }

    async fn recent(&self) -> Vec<StoredTurn> {
        scene::recent(&self.parts, &self.place).await
    }

    async fn take(&mut self, command: Command) {
        match command {
            Command::Event(event) => self.happened(*event).await,
            Command::Speculate { speculation, message } => self.speculate(speculation, &message).await,
            Command::DropSpeculation(speculation) => {
                self.speculation.take_if(|begun| begun.number == speculation);
            }
            Command::Together { events, speculation } => {
                self.speculation.take_if(|begun| Some(begun.number) != speculation);
                for event in events {
                    self.happened(event).await;
                }
            }
            Command::Interrupt { turn, answer } => {
                self.end(turn).await;
                self.cut_off = Some((turn, Instant::now()));
                let _gone = answer.send(());
            }
            Command::JoinIn => {
                if self.may_speak_unasked() {
                    self.waiting.call_newest(Call::JoinIn("nobody else spoke in the call"));
                }
            }
            Command::Say { place, turn, own, answer } => {
                self.place = *place;
                let said = self.say_own(turn, *own).await;
                let _gone = answer.send(said);
            }
            Command::Greet { place, which, whom, answer } => {
                self.place = *place;
                let said = self.greet(which, whom).await;
                if said.is_ok() {
                    self.unanswered = 0;
                }
                // Nobody waits for the answer any more: the greeting was posted all the same.
                let _unheard = answer.send(said);
            }
            Command::GoBack { place, how, answer } => {
                self.place = *place;
                let went = self.go_back(how).await;
                let _unheard = answer.send(went);
            }
            Command::SpeakUp { place, answer } => {
                self.place = *place;
                let spoke = self.speak_up().await;
                let _unheard = answer.send(spoke);
            }
            Command::Begin { whom } => self.begin(*whom).await,
            Command::Alternatives { place, answer } => {
                self.place = *place;
                let alternatives = self.alternatives().await;
                let _unheard = answer.send(alternatives);
            }
            Command::Repair { place, request, answer } => {
                self.place = *place;
                self.repair(request, answer).await;
            }
            Command::Settle { answer } => self.settlers.push(answer),
            Command::Forget { gone, then, answer } => {
                self.waits_until = (then == Then::Wait).then(|| Instant::now() + WAIT_MAX);
                self.forget(&gone).await;
                let _unheard = answer.send(());
            }
        }
    }

    async fn happened(&mut self, event: InboundEvent) {
        // It was asked before, too; since then they may have opted out, and what they said before is forgotten by now.
        if event.by().is_some_and(|by| self.parts.pairing.has_opted_out(by)) {
            return;
        }
        match event {
            InboundEvent::Message(message) => self.heard(*message).await,
            InboundEvent::Edited { place, message, text, at } => {
                self.edited(&place, &message, &text, at).await
            }
            InboundEvent::Deleted { messages, at, .. } => self.deleted(&messages, at).await,
            InboundEvent::Reacted { place, reaction } => {
                self.counts_reaction(&reaction).await;
                if let Err(error) = self.parts.history.react(&place.channel, reaction).await {
                    tracing::warn!(%error, "a reaction could not be stored");
                }
            }
            InboundEvent::ReactionsCleared { place, message, emoji, at } => {
                self.counts_cleared(&message, emoji.as_deref()).await;
                let history = &self.parts.history;
                if let Err(error) = history.clear_reactions(&place.channel, &message, emoji, at).await {
                    tracing::warn!(%error, "that reactions were taken away could not be stored");
                }
            }
        }
    }

    /// Ends this turn, and waits until what was heard of it is stored.
    async fn end(&mut self, turn: TurnId) {
        let Some(running) = self.running.as_ref().filter(|running| running.turn == turn) else { return };
        running.stop_by_hand();
        let ended = finished(&mut self.running).await;
        self.after_turn(ended).await;
    }

    async fn last_speaker(&self) -> Option<String> {
        let recent = self.recent().await;
        recent.iter().rev().find_map(|turn| turn.author.as_ref()).map(|author| author.label().to_owned())
    }

    async fn heard(&mut self, message: InboundMessage) {
        self.place = message.place.clone();
        let recent = self.recent().await;
        let mode = self.parts.config.channel_in(&self.place).mode;
        let mut said = scene::said_with_attachments(&message, mode);
        if message.hints.is_missed && !self.may_store(&mut said).await {
            return;
        }
        let stored = match self.parts.history.store_said(said, message.forwards.clone()).await {
            Ok(Appended::New(turn)) => turn,
            Ok(Appended::Known(turn)) if message.hints.is_missed && self.was_left(&turn, &recent).await => {
                turn
            }
            Ok(Appended::Known(turn)) if !message.hints.is_missed && self.passed_over.take(turn.id) => {
                self.waiting.delete(message.message.as_slice());
                self.unanswered = self.waiting.by_people();
                turn
            }
            // A gateway that resumes sends again what we already have.
            Ok(Appended::Known(_)) => return,
            Err(error) => {
                tracing::error!(%error, channel = %self.place.channel, "a message could not be stored");
                self.not_stored(&message, &recent, error.is_damage()).await;
                return;
            }
        };
        self.tell_world(&message, &recent).await;
        self.parts.upkeep.wake(&self.place);
        if !message.author.is_bot {
            self.unanswered = self.unanswered.saturating_add(1);
            self.speakers = speakers(&recent, &message.author);
        }
        self.proactive = None;
        // Its day decides along.
        self.parts.character.look_again().await;
        self.look_at_learned().await;
        let quiet_asked = self.quiet_asked(&message);
        let decision = self.decide(&message, quiet_asked.as_ref(), &recent);
        let decision = self.if_careful(decision, &message);
        let decision = self.unless_asleep(decision, &message);
        self.takes_heed(&message, quiet_asked, &decision).await;
        let decision = self.gated(self.if_missed(decision, &message), &message);
        tracing::debug!(channel = %self.place.channel, ?decision, "heard a message");
        let is_expected = decision.is_awaited();
        if is_expected {
            scene::taken_in(&self.parts, &message, &stored).await;
        }
        self.counts_message(&message, &decision, &recent).await;
        self.read_files(&message, &stored, &decision).await;
        self.takes_its_time(&message, &decision);
        self.waiting.push(stored.clone(), message.modality, decision.call());
        if message.hints.is_unsure || matches!(decision, Decision::MayPass(_)) {
            self.waiting.doubt_newest();
        }
        // What may not even be meant for it does not break off an answer to somebody who called it.
        if is_expected {
            self.interrupt_running(&message.author.account);
        }
        if let Decision::IfQuiet(_) = &decision {
            let quiet = self.parts.config.current().text_lull_timeout;
            self.proactive = quiet.map(|quiet| Instant::now() + quiet);
        }
        if decision == Decision::Silent(SilenceReason::AddressedToSomeoneElse) {
            self.spoken_to.turns_away(&message.author.account);
        }
        if decision == Decision::Silent(SilenceReason::SaidMeanwhile) {
            self.passed_over.put(stored.id);
        }
        if let Decision::Silent(reason) | Decision::IfQuiet(reason) = decision {
            self.stayed_silent(self.parts.traces.next_turn(), message.modality, Some(&stored), reason).await;
        }
    }

    /// Who is here. After a start the history knows who was here before, and what they asked for in this session.
    async fn tell_world(&self, message: &InboundMessage, recent: &[StoredTurn]) {
        let world = &self.parts.world;
        if world.snapshot().for_place(&self.place).speakers().is_empty() {
            scene::remembered(&self.parts, &self.place, recent).await;
        }
        world.spoke(&self.place, &message.author, message.at);
    }

    fn decide(
        &self,
        message: &InboundMessage,
        quiet_asked: Option<&QuietAsked>,
        recent: &[StoredTurn],
    ) -> Decision {
        let config = self.parts.config.current();
        let names = own_names(&self.parts);
        let start = config.interjection.messages();
        let start = start.map(|start| self.learned.join_in_at(start, message.at, &config.display_tz));
        let here = self.parts.config.channel_in(&message.place);
        decide(
            message,
            &Situation {
                recent,
                unanswered: self.unanswered,
                threshold: start.map(|start| join_in_at(start, self.passes, self.last_pass)),
                answers: here.answers,
                is_novel: here.mode == ChannelMode::FullRp,
                quiet_asked,
                kept_quiet_since: here.kept_quiet_since(message.at),
                quiet_until: here.quiet_until.filter(|until| *until < Timestamp::MAX),
                names: &names,
                answer_bots: config.discord.answer_bots,
                spoken_to: &self.spoken_to,
                is_answering: self.is_answering(),
            },
        )
    }

    /// A stranger who has had their answers gets none, whatever they said.
    fn gated(&self, decision: Decision, message: &InboundMessage) -> Decision {
        if decision.call().is_none() {
            return decision;
        }
        let config = self.parts.config.current();
        let caller = caller_in(&config, &self.place, Some(&message.author));
        match self.gate.pass(caller, Some(&message.author.account), &self.place) {
            Some(_) => decision,
            None => Decision::Silent(SilenceReason::EnoughForNow),
        }
    }

    /// What was said here is not what it was: nothing that was made ready of it holds.
    fn was_changed(&mut self) {
        self.parts.pipeline.cool();
        self.speculation = None;
        self.parts.upkeep.wake(&self.place);
    }

    async fn edited(&mut self, place: &Place, message: &MessageId, text: &str, at: Timestamp) {
        let stored = match self.parts.history.edit(&self.place.channel, message, text.to_owned(), at).await {
            Ok(Some(stored)) => stored,
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(%error, "an edit could not be stored");
                return;
            }
        };
        self.parts.upkeep.workers.relearn(place, &stored).await;
        self.was_changed();
        self.waiting.edit(&stored);
        let Some(running) = &mut self.running else { return };
        if waiting::edit_waiting(&mut running.answers, &stored) && running.may_begin_anew() {
            self.start_anew();
        }
    }

    async fn deleted(&mut self, messages: &[MessageId], at: Timestamp) {
        let here = self.place.channel.clone();
        self.deleted_in(&here, messages, at).await;
    }

    /// What a talk in a thread is about may stand in the channel above.
    async fn deleted_in(&mut self, channel: &ChannelId, messages: &[MessageId], at: Timestamp) {
        let gone = match self.parts.history.delete(channel, messages, at).await {
            Ok(gone) => gone,
            Err(error) => {
                tracing::warn!(%error, "a deletion could not be stored");
                return;
            }
        };
        self.answers.let_go_of(&gone);
        self.was_replaced(&gone).await;
        self.parts.upkeep.workers.unlearn(gone).await;
        self.was_changed();
        if self.waiting.delete(messages) {
            // It waited for an answer to the newest message.
            self.proactive = None;
        }
        self.unless_it_is_gone();
        let Some(running) = &mut self.running else { return };
        if *channel == self.place.channel {
            running.gone.extend_from_slice(messages);
        }
        if waiting::delete(&mut running.answers, messages) && !running.has_spoken() {
            let still_asked = newest_call(&running.answers).is_some();
            running.begins_anew_or_ends(still_asked);
        }
    }

    /// Turns were forgotten, here or elsewhere. What is being answered begins anew, since its prompt may hold them; what
    /// is being said already is said to its end, and is remembered only as far as it holds nothing of them.
    async fn forget(&mut self, gone: &Gone) {
        let turns = &gone.turns;
        if self.waiting.forget(turns) {
            self.proactive = None;
        }
        self.unless_it_is_gone();
        self.speakers.clear();
        // Both may hold it.
        (self.speculation, self.unsaid, self.answers) = (None, None, Answers::forgotten());
        self.unread = UnreadFiles::default();
        let Some(running) = &mut self.running else { return };
        running.unsaid = None;
        let is_withdrawn =
            waiting::forget(&mut running.answers, turns) && newest_call(&running.answers).is_none();
        if !running.has_spoken() {
            running.begins_anew_or_ends(!is_withdrawn);
        }
        running.forget_barrier.forgets(gone).await;
    }

    fn speak_unasked(&mut self) {
        let now = self.parts.clock.now();
        // A call knows by itself whether it was told to be quiet, and does not come here.
        let is_kept_quiet = self.parts.config.channel_in(&self.place).is_kept_quiet(now);
        if self.proactive.take().is_some() && !is_kept_quiet && self.may_speak_unasked() {
            self.waiting.call_newest(Call::JoinIn("it went quiet and nobody had answered"));
        }
    }

    async fn start_if_called(&mut self) {
        if self.running.is_some() || self.waits_until.is_some() || self.restarts_at.is_some() {
            return;
        }
        if !self.waiting.is_called() {
            return;
        }
        self.proactive = None;
        if let Some(unfinished) = self.unfinished.take() {
            // The rest came, or something else: all of it is answered together.
            self.waiting.restore(&unfinished.calls);
        }
        let Some(answers) = self.waiting.take_called(&Visible::at(&self.place)) else { return };
        let outbox = self.ways.to(&self.place);
        if !outbox.may_speak(&self.place) {
            // It is remembered all the same.
            tracing::debug!(channel = %self.place.channel, "may not speak there: no answer is begun");
            return;
        }
        // What is being answered is no longer listened to: it does not make the next word one too many.
        self.unanswered = 0;
        let Some((asking, call)) = newest_call(&answers) else { return };
        let apart = self.apart(asking, call).await;
        if let Err(full) = self.gate.take(&self.parts.config.current(), &self.place, asker(asking, call)) {
            self.held_back(asking, call, full).await;
            return;
        }
        let speculation = self.speculation.take().filter(|begun| begun.answers(&answers));
        if speculation.is_some() {
            self.early.keeps();
        }
        let turn = speculation.as_ref().map_or_else(|| self.parts.traces.next_turn(), |begun| begun.turn);
        let job = TurnJob {
            turn,
            forget_barrier: ForgetBarrier::default(),
            actions: self.ways.actions(&self.place),
            unsaid: self.unsaid.take(),
            late: self.took_its_time.clone(),
            speculation,
            in_place: None,
            apart,
            place: self.place.clone(),
            pending: answers.iter().map(|one| one.turn.clone()).collect(),
            question: Question::of(&self.parts, &answers, asking, call),
            asking: asking.turn.clone(),
            call,
            speakers: self.speakers.clone(),
        };
        self.runs(job, outbox, answers, None);
    }

    fn tell_settled(&mut self) {
        let is_quiet = self.proactive.is_none() && self.unfinished.is_none();
        if self.running.is_none() && !self.waiting.is_called() && is_quiet {
            for settler in self.settlers.drain(..) {
                let _gone = settler.send(());
            }
        }
    }
}

/// The running turn's end, or never when none runs.
async fn finished(running: &mut Option<Running>) -> (Running, TurnEnd) {
    let Some(current) = running.as_mut() else { return std::future::pending().await };
    let end = match (&mut current.task).await {
        Ok(end) => end,
        Err(error) => {
            tracing::error!(%error, "a turn panicked");
            TurnEnd::broken(error.to_string())
        }
    };
    match running.take() {
        Some(ended) => (ended, end),
        None => std::future::pending().await,
    }
}
