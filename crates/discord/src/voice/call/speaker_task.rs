//! One task per speaker: packets in, what they said out.
//!
//! Owns a speaker's ear and the recogniser that listens to them. One speaker whose recogniser hangs holds up nobody else
//! (voice 2.1). Must not decide about turns. Start reading at [`SpeakerTask::open`].

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::{Instant, sleep_until};
use tokio_util::task::AbortOnDropHandle;

use super::hearing::Hearing;
use crate::domain::AccountId;
use crate::voice::call::CallNotice;
use crate::voice::end_of_turn::TurnSound;
use crate::voice::engines::{
    EngineError, SpeechInput, TranscriberAbilities, TranscriptEvent, Transcription, TranscriptionHints,
};
use crate::voice::frame::{FRAME_TIME, Packet};
use crate::voice::receive::{Feed, Listener, Perception, Sensed};
use crate::voice::turn::{Moment, TurnEvent, WHOLE_WITHIN};

/// Packets of one speaker that may wait: two seconds. The oldest goes first.
const PACKETS: usize = 100;

/// Orders that may wait.
const ORDERS: usize = 32;

/// Sound that is kept while the recogniser is being opened, while there is no seat, or while an answer is waited for: ten
/// seconds of frames.
const KEPT: usize = 500;

/// Times that a recogniser was asked and has not answered yet; the oldest is given up for one more.
const QUESTIONS: usize = 32;

/// A recogniser that could not be opened is tried again after this: where that may pass, and where it will not soon.
const AGAIN: Duration = Duration::from_secs(2);
const AGAIN_LASTING: Duration = Duration::from_secs(30);

/// Asked for everything, a recogniser that tells words while they are spoken has answered by then.
const ANSWERS_WITHIN: Duration = Duration::from_millis(2_500);

/// A recogniser, for people.
const ANY: &str = "the speech recognition";

/// How often the text channel is told that somebody cannot be decoded.
const TOLD_AGAIN: Duration = Duration::from_secs(60);

/// What an ear is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpeakerCommand {
    Listen,
    Finalize,
    StopListening,
    /// Somebody has come whose name the recogniser does not know.
    Names,
}

/// A speaker's ear. Dropping it ends everything at once; nothing of what is on its way is kept.
#[derive(Debug)]
pub(super) struct SpeakerTask {
    packets: Arc<Packets>,
    orders: mpsc::Sender<SpeakerCommand>,
    _task: AbortOnDropHandle<()>,
}

impl SpeakerTask {
    pub(super) fn open(who: AccountId, hearing: Hearing) -> Self {
        let packets = Arc::new(Packets::default());
        let (orders, told) = mpsc::channel(ORDERS);
        let work = Work {
            who,
            listener: Listener::default(),
            feed: Feed::default(),
            sound: TurnSound::new(hearing.end_of_turn.clone()),
            recogniser: Recogniser::Closed { again: Instant::now(), why: None },
            listens: false,
            unseated: None,
            told_deaf: None,
            silence_at: Instant::now(),
            speaks: false,
            goes_on: false,
            asked: VecDeque::new(),
            later: Vec::new(),
            has_words: false,
            is_dated: false,
            freed: hearing.seats.freed(),
            hearing,
        };
        let task = tokio::spawn(work.run(Arc::clone(&packets), told));
        Self { packets, orders, _task: AbortOnDropHandle::new(task) }
    }

    /// A packet came; gives whether an older one had to go for it.
    pub(super) fn packet(&self, packet: Packet) -> bool {
        self.packets.push(packet)
    }

    pub(super) fn tell(&self, order: SpeakerCommand) {
        if let Err(error) = self.orders.try_send(order) {
            tracing::warn!(%error, "an ear does not follow");
        }
    }
}

#[derive(Debug, Default)]
struct Packets {
    waiting: Mutex<VecDeque<Packet>>,
    came: Notify,
}

impl Packets {
    fn push(&self, packet: Packet) -> bool {
        let is_full = {
            let mut waiting = self.waiting.lock();
            let is_full = waiting.len() >= PACKETS;
            if is_full {
                waiting.pop_front();
            }
            waiting.push_back(packet);
            is_full
        };
        self.came.notify_one();
        is_full
    }

    fn pop(&self) -> Option<Packet> {
        self.waiting.lock().pop_front()
    }

    /// Can be dropped and asked again: nothing is lost.
    async fn next(&self) -> Packet {
        loop {
            if let Some(packet) = self.pop() {
                return packet;
            }
            self.came.notified().await;
        }
    }
}

/// What understands the speaker.
#[derive(Debug)]
enum Recogniser {
    /// `why`: what failed, where something did.
    Closed {
        again: Instant,
        why: Option<EngineError>,
    },
    Opening {
        opening: AbortOnDropHandle<Result<Transcription, EngineError>>,
        kept: Vec<SpeechInput>,
    },
    Open(Transcription),
}

/// What came from it.
enum Came {
    Opened(Result<Transcription, EngineError>),
    Event(Option<TranscriptEvent>),
}

/// That the recogniser was asked for everything.
#[derive(Debug, Clone, Copy)]
struct FinalizeAsked {
    at: Instant,
    /// So long its answer is waited for.
    until: Instant,
}

struct Work {
    who: AccountId,
    hearing: Hearing,
    listener: Listener,
    feed: Feed,
    sound: TurnSound,
    recogniser: Recogniser,
    /// They are saying something.
    listens: bool,
    /// What they say while too many others speak as well, until there is a seat for them.
    unseated: Option<Vec<SpeechInput>>,
    freed: watch::Receiver<()>,
    told_deaf: Option<Instant>,
    silence_at: Instant,
    /// There is voice right now.
    speaks: bool,
    /// There was since they were last asked for.
    goes_on: bool,
    /// What is not answered yet, oldest first: whoever speaks on is asked for again before the first answer is there.
    asked: VecDeque<FinalizeAsked>,
    /// What a recogniser of whole utterances was given since the oldest of these questions.
    later: Vec<SpeechInput>,
    /// Whether any word came of what they are saying.
    has_words: bool,
    /// The recogniser was opened before somebody came.
    is_dated: bool,
}

impl Work {
    async fn run(mut self, packets: Arc<Packets>, mut orders: mpsc::Receiver<SpeakerCommand>) {
        let mut out = Perception::default();
        self.open();
        loop {
            let far = Instant::now() + Duration::from_secs(3600);
            let deadline = self.listener.deadline().unwrap_or(far);
            let awaited = self.asked.front().map(|question| question.until);
            let makes_silence = self.feed.wants_silence() && !self.listener.is_open();
            tokio::select! {
                packet = packets.next() => {
                    self.listener.packet(packet, Instant::now(), &mut out);
                    self.perceived(&out).await;
                }
                order = orders.recv() => match order {
                    Some(order) => self.take(order).await,
                    None => return,
                },
                came = next_of_recogniser(&mut self.recogniser) => self.came(came).await,
                finished = self.sound.judged() => {
                    tracing::debug!(who = %self.who, finished, "how their pause sounds");
                    self.tell(TurnEvent::Sounds { who: self.who.clone(), finished }).await;
                }
                () = sleep_until(deadline) => {
                    self.listener.tick(Instant::now(), &mut out);
                    self.perceived(&out).await;
                }
                () = sleep_until(awaited.unwrap_or(far)), if awaited.is_some() => {
                    self.no_answer_came().await;
                }
                Ok(()) = self.freed.changed(), if self.unseated.is_some() => self.sit(),
                () = sleep_until(self.silence_at), if makes_silence => {
                    self.silence_at += FRAME_TIME;
                    if let Some(silence) = self.feed.silence() {
                        self.say(SpeechInput::Samples(silence));
                    }
                }
            }
        }
    }

    fn moment(&self, at: Instant) -> Moment {
        at.saturating_duration_since(self.hearing.began)
    }

    async fn tell(&self, event: TurnEvent) {
        // The call is over; this task ends with it.
        let _gone = self.hearing.events.send(event).await;
    }

    async fn perceived(&mut self, out: &Perception) {
        for (ssrc, sequence) in &out.played {
            tracing::trace!(ssrc, sequence, "a packet is heard");
        }
        for sensed in &out.sensed {
            let Sensed::Voice { on, .. } = *sensed else { continue };
            self.speaks = on;
            self.goes_on |= on;
            if !on {
                self.hearing.seats.falls_silent(&self.who);
            } else if self.listens {
                self.sit();
            }
        }
        if self.listens && self.unseated.is_none() && !self.hearing.seats.has(&self.who) {
            self.feed.rest();
        }
        if let Some(samples) = self.feed.push(&out.samples) {
            self.say(SpeechInput::Samples(samples));
        }
        for sensed in &out.sensed {
            let who = self.who.clone();
            match *sensed {
                Sensed::Voice { on, at } => {
                    if on {
                        self.sound.goes_on()
                    } else {
                        self.sound.pauses()
                    }
                    self.tell(TurnEvent::Voice { who, on, at: self.moment(at) }).await;
                }
                Sensed::Gate { open } => {
                    let pushes_to_talk = self.listener.pushes_to_talk();
                    if !open {
                        self.silence_at = Instant::now();
                    }
                    self.tell(TurnEvent::Gate { who, open, pushes_to_talk }).await;
                }
                Sensed::Deaf => self.cannot_decode(who),
            }
        }
    }

    fn cannot_decode(&mut self, account: AccountId) {
        let now = Instant::now();
        tracing::warn!(%account, "packets come in, but nothing of them can be decoded");
        if self.told_deaf.is_none_or(|told| now.duration_since(told) >= TOLD_AGAIN)
            && self.hearing.notices.try_send(CallNotice::CannotDecode { account }).is_ok()
        {
            self.told_deaf = Some(now);
        }
    }

    async fn take(&mut self, order: SpeakerCommand) {
        match order {
            SpeakerCommand::Listen => {
                (self.listens, self.goes_on, self.has_words) = (true, true, false);
                if !self.is_whole() {
                    self.ask_no_more();
                }
                self.open();
                self.sit();
            }
            SpeakerCommand::Finalize => self.finalize().await,
            SpeakerCommand::StopListening => {
                self.feed.end();
                self.sound.ends();
                (self.listens, self.goes_on) = (false, false);
                self.unseated = None;
                self.hearing.seats.leave(&self.who);
                self.renew();
            }
            SpeakerCommand::Names => {
                self.is_dated = true;
                self.renew();
            }
        }
    }

    /// They have something for the recogniser, which goes there, or is kept until it can.
    fn sit(&mut self) {
        let is_seated = self.hearing.seats.sit(&self.who, self.speaks);
        match (is_seated, &self.unseated) {
            (true, Some(_)) => {
                tracing::info!(who = %self.who, "there is a place for them: what they said is understood now");
                for input in self.unseated.take().into_iter().flatten() {
                    // Whoever is silent may lose the seat at once: all of this was waiting for it.
                    self.hand_over(input);
                }
            }
            (false, None) => {
                tracing::info!(who = %self.who, "too many speak at once: what they say is kept until one is silent");
                self.unseated = Some(Vec::new());
            }
            _ => {}
        }
        if let Some(before) = self.feed.begin() {
            self.say(SpeechInput::Samples(before));
        }
    }

    /// They paused: whatever the recogniser has of them is wanted now.
    async fn finalize(&mut self) {
        if self.unseated.is_some() {
            // Whoever has finished needs a place for a moment only.
            self.sit();
        }
        if self.unseated.take().is_some() {
            tracing::warn!(who = %self.who, "too many spoke at once to understand what they said");
            self.deafened().await;
        } else if self.hand_over(SpeechInput::Finalize) {
            let at = Instant::now();
            let whole = self.is_whole().then(|| self.hearing.patience.now());
            if self.asked.len() >= QUESTIONS {
                self.asked.pop_front();
            }
            self.asked.push_back(FinalizeAsked { at, until: at + whole.unwrap_or(ANSWERS_WITHIN) });
            self.goes_on = false;
        } else {
            match &self.recogniser {
                Recogniser::Closed { why: Some(why), .. } => self.hearing.outage.lost(&self.who, why),
                // There is none, or it was told already that it is gone.
                Recogniser::Closed { why: None, .. } => {}
                Recogniser::Opening { .. } | Recogniser::Open(_) => {
                    let waited = ANSWERS_WITHIN;
                    self.hearing.outage.lost(&self.who, &EngineError::Stalled { engine: ANY, waited });
                }
            }
            self.deafened().await;
        }
    }

    /// Whether the recogniser tells nothing before it is asked for everything.
    fn is_whole(&self) -> bool {
        self.abilities().is_some_and(|abilities| !abilities.partials && !abilities.ends_turns)
    }

    fn abilities(&self) -> Option<TranscriberAbilities> {
        self.hearing.transcriber.as_ref().map(|transcriber| transcriber.abilities())
    }

    /// Opens the recogniser anew where it does not know everybody's name, as long as nothing is waited for.
    fn renew(&mut self) {
        let is_free = !self.listens && self.asked.is_empty();
        if self.is_dated && is_free && matches!(self.recogniser, Recogniser::Open(_)) {
            self.reopen();
        }
    }

    fn reopen(&mut self) {
        self.recogniser = Recogniser::Closed { again: Instant::now(), why: None };
        self.open();
    }

    /// The recogniser took what they said, and says nothing. What people are told to be lost is not answered later: the
    /// answer of one that gets whole utterances is let go of, and what they said since goes to a new one. The turn machine
    /// sees to the others'.
    async fn no_answer_came(&mut self) {
        let Some(question) = self.asked.pop_front() else { return };
        let is_whole = self.is_whole();
        // Words before it are not those that it was asked for.
        if is_whole || !self.has_words {
            let error = EngineError::Stalled { engine: ANY, waited: question.at.elapsed() };
            tracing::warn!(%error, who = %self.who, "what they say is not understood");
            self.hearing.outage.lost(&self.who, &error);
        }
        if is_whole {
            self.hearing.patience.was_too_short();
            self.begin_anew();
            self.goes_without().await;
        }
    }

    /// Gives what they said since the question that is let go of to a new recogniser, with the questions about that.
    fn begin_anew(&mut self) {
        let mut later = std::mem::take(&mut self.later);
        if !self.has_more() {
            // It is the silence behind their words.
            later.clear();
        }
        let until = Instant::now() + self.hearing.patience.now();
        for question in &mut self.asked {
            // After that, nobody waits for it any more.
            question.until = until.min(question.at + WHOLE_WITHIN);
        }
        self.reopen();
        for input in later {
            self.hand_over(input);
        }
        self.leave_behind();
    }

    /// Whether something was said after what was asked for first.
    fn has_more(&self) -> bool {
        self.goes_on || !self.asked.is_empty()
    }

    /// An answer of a recogniser of whole utterances will not come. Whoever said more is not deaf for that: to them it is as
    /// if nothing had been understood so far.
    async fn goes_without(&self) {
        if self.has_more() {
            self.tell(TurnEvent::Final { who: self.who.clone(), text: String::new(), answers: true }).await;
        } else {
            self.deafened().await;
        }
    }

    /// An answer came: it is the oldest question's. A recogniser that listens all the time answers all that it was asked at
    /// once.
    fn settle(&mut self) -> Option<FinalizeAsked> {
        let oldest = self.asked.pop_front();
        if self.abilities().is_some_and(|abilities| abilities.streaming) {
            self.asked.clear();
        }
        self.leave_behind();
        oldest
    }

    /// What belongs to the question that is oldest now is no later than it.
    fn leave_behind(&mut self) {
        let next = self.later.iter().position(|input| *input == SpeechInput::Finalize);
        self.later.drain(..next.map_or(self.later.len(), |at| at + 1));
    }

    /// Nothing is waited for any more.
    fn ask_no_more(&mut self) {
        self.asked.clear();
        self.later.clear();
    }

    fn understood(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.has_words = true;
            self.hearing.outage.understood();
        }
    }

    async fn deafened(&self) {
        self.tell(TurnEvent::Deafened { who: self.who.clone() }).await;
    }

    /// Sound for the recogniser. Without a seat it is kept while they speak; who gave theirs up says nothing.
    fn say(&mut self, input: SpeechInput) {
        if let SpeechInput::Samples(samples) = &input {
            self.sound.hear(samples);
        }
        if let Some(kept) = &mut self.unseated {
            if kept.len() < KEPT {
                kept.push(input);
            }
        } else if self.hearing.seats.has(&self.who) {
            self.hand_over(input);
        }
    }

    /// Gives something to the recogniser; whether it took it.
    fn hand_over(&mut self, input: SpeechInput) -> bool {
        let is_later = !self.asked.is_empty() && self.is_whole() && self.later.len() < KEPT;
        let copy = is_later.then(|| input.clone());
        let taken = self.pass_on(input);
        self.later.extend(copy.filter(|_| taken));
        taken
    }

    fn pass_on(&mut self, input: SpeechInput) -> bool {
        match &mut self.recogniser {
            Recogniser::Closed { .. } => false,
            Recogniser::Opening { kept, .. } => {
                let has_room = kept.len() < KEPT;
                if has_room {
                    kept.push(input);
                }
                has_room
            }
            Recogniser::Open(open) => {
                let taken = open.input.try_send(input).is_ok();
                if !taken {
                    self.hearing.dropped.fetch_add(1, Ordering::Relaxed);
                }
                taken
            }
        }
    }

    fn open(&mut self) {
        let Recogniser::Closed { again, .. } = self.recogniser else { return };
        let Some(transcriber) = self.hearing.transcriber.clone().filter(|_| again <= Instant::now()) else {
            return;
        };
        let hints = TranscriptionHints {
            keyterms: self.hearing.keyterms.lock().clone(),
            speaker: Some(self.who.clone()),
        };
        self.is_dated = false;
        let opening = tokio::spawn(async move { transcriber.open(&hints).await });
        self.recogniser = Recogniser::Opening { opening: AbortOnDropHandle::new(opening), kept: Vec::new() };
    }

    async fn came(&mut self, came: Came) {
        let who = self.who.clone();
        match came {
            Came::Opened(Ok(open)) => {
                if let Recogniser::Opening { kept, .. } =
                    std::mem::replace(&mut self.recogniser, Recogniser::Open(open))
                {
                    for input in kept {
                        self.hand_over(input);
                    }
                }
                self.renew();
            }
            Came::Opened(Err(error)) => self.lost(&error).await,
            Came::Event(None | Some(TranscriptEvent::Closed)) => {
                // Whoever says nothing just now misses nothing by it.
                if self.listens && !self.has_words {
                    let said = "the connection ended".to_owned();
                    self.hearing.outage.lost(&self.who, &EngineError::Unreachable { engine: ANY, said });
                }
                self.recogniser = Recogniser::Closed { again: Instant::now(), why: None };
                self.ask_no_more();
                self.deafened().await;
            }
            Came::Event(Some(event)) => match event {
                TranscriptEvent::Partial { text } => {
                    self.understood(&text);
                    self.tell(TurnEvent::Partial { who, text }).await;
                }
                TranscriptEvent::Final { text, finalized } => {
                    self.understood(&text);
                    if finalized && let Some(question) = self.settle() {
                        self.hearing.patience.was_answered_after(question.at.elapsed());
                    }
                    self.tell(TurnEvent::Final { who, text, answers: finalized }).await;
                    self.renew();
                }
                TranscriptEvent::Sure { percent } => self.hearing.is_sure_of(&who, percent),
                TranscriptEvent::EagerEndOfTurn { text } => {
                    self.understood(&text);
                    self.tell(TurnEvent::Eager { who, text }).await;
                }
                TranscriptEvent::TurnResumed => self.tell(TurnEvent::Resumed { who }).await,
                TranscriptEvent::EndOfTurn { text } => {
                    self.understood(&text);
                    self.ask_no_more();
                    self.tell(TurnEvent::Ended { who, text }).await;
                }
                TranscriptEvent::Failed(error) => {
                    tracing::warn!(%error, %who, "what they say is not understood");
                    self.hearing.outage.lost(&self.who, &error);
                    if self.is_whole() {
                        // It answers one question. What they said since is with the recogniser, and is asked for as ever.
                        self.settle();
                        self.goes_without().await;
                    } else {
                        self.ask_no_more();
                        self.deafened().await;
                    }
                }
                TranscriptEvent::Closed => {}
            },
        }
    }

    async fn lost(&mut self, error: &EngineError) {
        tracing::warn!(%error, who = %self.who, "nothing can be understood");
        let pause = if error.may_pass() { AGAIN } else { AGAIN_LASTING };
        self.recogniser = Recogniser::Closed { again: Instant::now() + pause, why: Some(error.clone()) };
        // What may have passed before anybody says something is no matter.
        if !error.may_pass() || self.listens {
            self.hearing.outage.lost(&self.who, error);
        }
        self.ask_no_more();
        self.deafened().await;
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.hearing.seats.leave(&self.who);
    }
}

/// What comes next of a recogniser; never, where there is none. Can be dropped and asked again.
async fn next_of_recogniser(recogniser: &mut Recogniser) -> Came {
    match recogniser {
        Recogniser::Closed { .. } => std::future::pending().await,
        Recogniser::Opening { opening, .. } => Came::Opened(match opening.await {
            Ok(opened) => opened,
            Err(error) => Err(EngineError::Unreachable { engine: "the recogniser", said: error.to_string() }),
        }),
        Recogniser::Open(open) => Came::Event(open.events.recv().await),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn of_packets_that_nobody_takes_the_oldest_go_first() {
        let packets = Packets::default();
        let packet = |sequence| Packet {
            ssrc: 1,
            sequence,
            timestamp: 0,
            opus: Box::from([0_u8].as_slice()),
            arrived: Instant::now(),
        };
        let dropped = (0..103).filter(|sequence| packets.push(packet(*sequence))).count();
        assert_eq!(dropped, 3);
        assert_eq!(packets.next().await.sequence, 3);
        assert_eq!(packets.waiting.lock().back().map(|packet| packet.sequence), Some(102));
    }
}
