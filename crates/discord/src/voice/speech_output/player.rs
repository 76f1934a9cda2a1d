//! The task that moves a speech output.
//!
//! Owns the reply that is being said, and what happens when an engine or the bridge fails. Start reading at
//! [`Player::run`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::clips::{Murmurs, Preparing};
use super::health::{Health, Moments};
use super::reply::{
    FirstPhrase, FirstSoundClock, LineState, PhraseLine, PhraseProgress, Reply, SpeculativeReply,
    WaitingPhrase,
};
use super::{OutputCommand, SpeechOutputParts};
use crate::domain::{AccountId, MessageId, TurnId};
use crate::session::{self, Delivery, DeliveryError, Settled};
use crate::voice::call::CallNotice;
use crate::voice::engines::{EngineError, Phrase, SpeechEvent, Synthesizer};
use crate::voice::frame::{FRAME_TIME, OUT_RATE, samples_in};
use crate::voice::turn::{SpeculationId, TurnEvent};
use familiar_voice::speech::{Shaper, SpeakingRate};

/// Between taking a frame and hearing it: Opus, the network and the listener's own buffer (voice 2.4).
const ON_ITS_WAY: Duration = Duration::from_millis(60);

/// Phrases at the engine at once: one is spoken while the next is made.
const LINES: usize = 2;

/// More sound than this is not made ahead; somebody may interrupt.
const AHEAD: Duration = Duration::from_secs(20);

/// An engine that gives nothing for so long has failed also while something is left to play.
const STALLED_ANYWAY: Duration = Duration::from_secs(8);

/// A first phrase that is nearer than this is not put off by a filler.
const WORTH_FILLING: Duration = Duration::from_millis(600);

/// Nothing is taken for so long: nobody carries the call any more.
const NOBODY_TAKES: Duration = Duration::from_secs(2);

/// How long a text may take to be posted.
const POSTED: Duration = Duration::from_secs(15);

/// The state of a speech output.
#[derive(Debug)]
pub(super) struct Player {
    parts: SpeechOutputParts,
    audible: Arc<AtomicU64>,
    moments: Arc<Moments>,
    began: Instant,
    reply: Option<Reply>,
    foreseen: Option<SpeculativeReply>,
    speaks_ahead: Arc<AtomicBool>,
    /// Its mood, for what it says next.
    mood: Option<&'static str>,
    murmurs: Murmurs,
    preparing: Preparing,
    pace: SpeakingRate,
    health: Health,
    /// How often sound had been taken, and since when that has not changed.
    taken: (u64, Instant),
    /// How far playing had come, and since when it has not gone on.
    stands: (u64, Instant),
}

impl Player {
    pub(super) fn new(
        parts: SpeechOutputParts,
        audible: Arc<AtomicU64>,
        moments: Arc<Moments>,
        speaks_ahead: Arc<AtomicBool>,
    ) -> Self {
        let now = Instant::now();
        let health = Health::new(parts.notices.clone());
        let preparing = Preparing::new(parts.known.clips.clone(), parts.known.beginnings.clone());
        Self {
            parts,
            audible,
            moments,
            began: now,
            reply: None,
            foreseen: None,
            speaks_ahead,
            mood: None,
            murmurs: Murmurs::default(),
            preparing,
            pace: SpeakingRate::default(),
            health,
            taken: (0, now),
            stands: (0, now),
        }
    }

    pub(super) async fn run(mut self, mut orders: mpsc::Receiver<OutputCommand>) {
        let mut ticks = interval(FRAME_TIME);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let is_busy = self.reply.as_ref().is_some_and(|reply| reply.over.is_none())
                || self.foreseen.as_ref().is_some_and(SpeculativeReply::is_open);
            let progress = async {
                match &mut self.reply {
                    Some(reply) => reply.progress().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                order = orders.recv() => match order {
                    Some(order) => self.take(order).await,
                    None => break,
                },
                progress = progress => self.came(progress).await,
                samples = self.murmurs.made() => self.parts.playout.push(samples),
                took = self.health.was_slow() => {
                    if let Some(took) = took {
                        tracing::info!(?took, "the voice is slow to begin; it is waited for from now on");
                        self.parts.known.beginnings.learn(took);
                    }
                }
                () = self.preparing.progress() => self.prepare(),
                _ = ticks.tick(), if is_busy => self.tick().await,
            }
        }
        self.break_off().await;
    }

    async fn take(&mut self, order: OutputCommand) {
        match order {
            OutputCommand::Open(to) => self.open(*to).await,
            OutputCommand::Words { to, text } => {
                if self.reply.as_ref().is_none_or(|reply| reply.to.turn != to.turn) {
                    self.open(*to).await;
                }
                self.words(&text).await;
            }
            OutputCommand::Finish { turn, settled } => self.finish(turn, settled).await,
            OutputCommand::BreakOff(turn) => {
                if self.reply.as_ref().is_some_and(|reply| reply.to.turn == turn) {
                    self.break_off().await;
                }
            }
            OutputCommand::Speculate { speculation, what } => self.speculate(speculation, what).await,
            OutputCommand::Forget { speculation } => {
                self.foreseen.take_if(|foreseen| foreseen.speculation == speculation);
            }
            OutputCommand::Duck(quiet) => self.parts.playout.duck(if quiet { self.parts.duck } else { 0.0 }),
            OutputCommand::Hold(held) => self.parts.playout.hold(held),
            OutputCommand::Murmur(words) => {
                if let Some(synthesizer) = self.voice(None)
                    && self.current().is_none()
                {
                    self.murmurs.begin(words, self.parts.known.clips.clone(), synthesizer);
                }
            }
            OutputCommand::Filler(words) => self.fill(words).await,
            OutputCommand::Prepare(words) => self.preparing.want(words),
            OutputCommand::Feels(mood) => self.mood = mood,
        }
    }

    /// Makes what will be said some day, if there is nothing else to make.
    fn prepare(&mut self) {
        if self.current().is_some() || self.foreseen.is_some() {
            self.preparing.wait();
        } else if let Some(synthesizer) = self.voice(None) {
            self.preparing.begin(synthesizer);
        } else {
            self.preparing.give_up();
        }
    }

    /// Says a little something in front of a reply of which nothing can be heard yet, or where it goes on later.
    async fn fill(&mut self, words: String) {
        let clips = self.parts.known.clips.clone();
        let usually = self.parts.known.beginnings.last().unwrap_or_default().saturating_sub(WORTH_FILLING);
        let Some(synthesizer) = self.parts.synthesizer.clone() else { return };
        let Some(reply) = self.current().filter(|reply| !reply.writes) else { return };
        if reply.ledger.is_empty() || reply.waits_for_words() {
            self.say(vec![words], true).await;
        } else if reply.ledger.start().is_none()
            && clips.has(&words, &*synthesizer)
            && reply.begins_no_sooner_than(usually)
        {
            // The engine is slow with the first phrase, and this is there already.
            let phrase = Phrase::of(words);
            reply.put_first(&phrase.text.clone(), async move { clips.speak(&phrase, synthesizer).await });
        }
    }

    /// The reply, as long as it is not over.
    fn current(&mut self) -> Option<&mut Reply> {
        self.reply.as_mut().filter(|reply| reply.over.is_none())
    }

    /// An answer that may never be wanted: as much is made ready of it as can be without anybody's noticing.
    async fn speculate(&mut self, speculation: u64, what: session::Speculated) {
        let now = self.began.elapsed();
        let known = self.foreseen.as_mut().filter(|foreseen| foreseen.speculation == speculation);
        let first = match (what, known) {
            (session::Speculated::Begun(to), _) => {
                let voice = self.voice(to.whom.as_ref());
                let displaced = self.foreseen.replace(SpeculativeReply::begun(speculation, *to));
                self.let_go(displaced).await;
                self.preparing.wait();
                if let Some(synthesizer) = voice {
                    tokio::spawn(async move { synthesizer.warm_up().await });
                }
                return;
            }
            (session::Speculated::Words(words), Some(foreseen)) => foreseen.push(&words, now),
            (session::Speculated::NoMore { is_whole }, Some(foreseen)) => {
                let first = if is_whole { foreseen.finish() } else { None };
                if first.is_none() {
                    self.nothing_is_won_by_waiting(speculation).await;
                }
                first
            }
            // It was never begun, or is being said.
            (session::Speculated::NoMore { .. }, None) => {
                self.tell(TurnEvent::Ready { speculation: SpeculationId(speculation) }).await;
                None
            }
            (session::Speculated::Words(_), None) => None,
        };
        if !self.speaks_ahead.load(Ordering::Relaxed) {
            // The way to the engine is ready before the phrase is.
            self.nothing_is_won_by_waiting(speculation).await;
        } else if let Some(text) = first {
            self.speak_ahead(text).await;
        }
    }

    async fn speak_ahead(&mut self, text: String) {
        let whom = self.foreseen.as_ref().and_then(|foreseen| foreseen.to.whom.clone());
        let (voice, events) = (self.voice(whom.as_ref()), self.parts.events.clone());
        let Some(foreseen) = &mut self.foreseen else { return };
        match voice {
            Some(voice) => {
                // It may never be heard, so it is of nobody's hour; the next phrase is.
                foreseen.speak(Phrase { mood: self.mood, ..Phrase::of(text) }, voice, events);
            }
            None => {
                let speculation = foreseen.speculation;
                self.nothing_is_won_by_waiting(speculation).await;
            }
        }
    }

    /// Nothing more becomes of this one: nobody is to wait for it.
    async fn let_go(&self, foreseen: Option<SpeculativeReply>) {
        if let Some(SpeculativeReply { speculation, .. }) = foreseen {
            self.tell(TurnEvent::Ready { speculation: SpeculationId(speculation) }).await;
        }
    }

    async fn nothing_is_won_by_waiting(&mut self, speculation: u64) {
        let known = self.foreseen.as_mut().filter(|foreseen| foreseen.speculation == speculation);
        if known.is_some_and(SpeculativeReply::becomes_ready) {
            self.tell(TurnEvent::Ready { speculation: SpeculationId(speculation) }).await;
        }
    }

    /// What speaks to somebody, unless it failed just now.
    fn voice(&self, whom: Option<&AccountId>) -> Option<Arc<dyn Synthesizer>> {
        self.parts.synthesizer.clone().filter(|_| self.health.speaks_to(whom))
    }

    /// How long the engine may take for its next sound.
    fn patience(&self) -> (Duration, Duration) {
        let most = self.parts.synthesizer.as_ref().map_or(Duration::ZERO, |voice| voice.patience());
        (self.parts.known.beginnings.patience(most), most)
    }

    async fn open(&mut self, to: Delivery) {
        self.break_off().await;
        // An answer comes: nobody needs to hear any more that it listens.
        self.murmurs.stop();
        if let Some(old) = self.reply.take() {
            answer_waiting(old.settled, old.over);
        }
        self.preparing.wait();
        let voice = self.voice(to.whom.as_ref());
        let opened = TurnEvent::Opened { reply: to.turn.0, whom: to.whom.clone(), unasked: to.unasked };
        self.audible.store(0, Ordering::Release);
        self.moments.opened(to.turn.0);
        let foreseen = self.foreseen.take();
        let is_it = foreseen.as_ref().is_some_and(|foreseen| foreseen.to.turn == to.turn);
        let mut reply = Reply::new(to, voice.is_none());
        match foreseen {
            Some(foreseen) if is_it => (reply.chunker, reply.first) = foreseen.wanted(),
            other => self.let_go(other).await,
        }
        self.reply = Some(reply);
        self.parts.playout.hold(false);
        self.parts.playout.duck(0.0);
        if let Some(synthesizer) = voice {
            self.parts.playout.expect(true);
            tokio::spawn(async move { synthesizer.warm_up().await });
        }
        self.tell(opened).await;
    }

    async fn words(&mut self, text: &str) {
        let now = self.began.elapsed();
        let Some(turn) = self.current().map(|reply| reply.id()) else { return };
        self.moments.mark(turn, "llm_first_words");
        let Some(reply) = self.current() else { return };
        if reply.writes {
            let is_apart = reply.written.ends_with(' ');
            reply.written.push_str(if is_apart { text.trim_start_matches(' ') } else { text });
            return;
        }
        let chunks = reply.chunker.push(text, now);
        self.phrases(chunks).await;
    }

    async fn phrases(&mut self, chunks: Vec<String>) {
        self.say(chunks, false).await;
    }

    /// `is_clip`: words that are said again and again.
    async fn say(&mut self, chunks: Vec<String>, is_clip: bool) {
        for text in chunks {
            // The model may have taken longer than is waited for.
            self.parts.playout.expect(true);
            let Some(reply) = self.current() else { return };
            let piece = reply.ledger.add(&text);
            reply.waiting.push_back(WaitingPhrase { piece, text, is_clip });
        }
        self.begin_lines();
    }

    /// Gives the engine as much to do as it may have.
    fn begin_lines(&mut self) {
        let Some(synthesizer) = &self.parts.synthesizer else { return };
        let queued = self.parts.playout.queued();
        let Some(reply) = self.reply.as_mut().filter(|reply| reply.over.is_none()) else { return };
        while reply.lines.len() < LINES && queued < samples_in(AHEAD, OUT_RATE) as u64 {
            let Some(WaitingPhrase { piece, text, is_clip }) = reply.waiting.pop_front() else { return };
            let phrase = Phrase { text, listener: reply.to.whom.clone(), mood: self.mood };
            let (synthesizer, clips) = (Arc::clone(synthesizer), self.parts.known.clips.clone());
            let first = if is_clip { None } else { reply.first.take() };
            // Behind another phrase it waits for that one as well, and a sound that is kept says nothing of the engine.
            let is_alone = reply.lines.is_empty() && !is_clip;
            let (opening, since, clock) = match first.filter(|first| first.text == phrase.text) {
                Some(FirstPhrase { opening, clock, .. }) => (opening, clock.asked, Some(clock)),
                None => (
                    AbortOnDropHandle::new(tokio::spawn(async move {
                        if is_clip {
                            clips.speak(&phrase, synthesizer).await
                        } else {
                            synthesizer.speak(&phrase).await
                        }
                    })),
                    Instant::now(),
                    is_alone.then(FirstSoundClock::begin),
                ),
            };
            let state = LineState::Opening(opening);
            reply.lines.push_back(PhraseLine { piece, state, since, clock });
        }
    }

    async fn came(&mut self, progress: PhraseProgress) {
        let Some(line) = self.reply.as_mut().and_then(|reply| reply.lines.front_mut()) else { return };
        // That an engine has taken a phrase is no sound yet.
        if matches!(progress, PhraseProgress::Event(_)) {
            line.since = Instant::now();
        }
        let is_sound = matches!(progress, PhraseProgress::Event(Some(SpeechEvent::Samples(_))));
        if let Some(clock) = line.clock.take_if(|_| is_sound) {
            self.parts.known.beginnings.learn(clock.took());
        }
        let piece = line.piece;
        match progress {
            PhraseProgress::Opened(Ok(speech)) => {
                let shaper = Box::new(Shaper::new(speech.rate));
                line.state = LineState::Speaking { speech, shaper };
            }
            PhraseProgress::Opened(Err(error)) | PhraseProgress::Event(Some(SpeechEvent::Failed(error))) => {
                self.fail(piece, &error).await;
            }
            PhraseProgress::Event(Some(SpeechEvent::Samples(samples))) => self.samples(&samples).await,
            PhraseProgress::Event(Some(SpeechEvent::Words(words))) => {
                if let Some(reply) = &mut self.reply {
                    reply.ledger.timed(piece, words);
                }
            }
            PhraseProgress::Event(Some(SpeechEvent::Done) | None) => self.line_done().await,
        }
    }

    async fn samples(&mut self, samples: &[i16]) {
        let Some(reply) = &mut self.reply else { return };
        let Some(line) = reply.lines.front_mut() else { return };
        let LineState::Speaking { shaper, .. } = &mut line.state else { return };
        let ready = shaper.push(samples);
        if !ready.is_empty() {
            self.moments.mark(reply.to.turn.0, "tts_first_audio");
            let piece = line.piece;
            reply.ledger.trimmed(piece, shaper.trimmed());
            self.play(piece, ready).await;
        }
    }

    /// Puts sound of a phrase behind what is played.
    async fn play(&mut self, piece: usize, ready: Vec<f32>) {
        let Some(reply) = &mut self.reply else { return };
        let begins = reply.ledger.played(piece, self.parts.playout.end(), ready.len());
        self.parts.playout.push(ready);
        if let Some(text) = begins {
            let saying = TurnEvent::Saying { reply: reply.id(), text };
            self.tell(saying).await;
        }
    }

    async fn line_done(&mut self) {
        let Some(reply) = &mut self.reply else { return };
        let Some(PhraseLine { piece, state: LineState::Speaking { mut shaper, .. }, .. }) =
            reply.lines.pop_front()
        else {
            return;
        };
        let rest = shaper.finish();
        self.play(piece, rest).await;
        let Some(reply) = &mut self.reply else { return };
        reply.ledger.done(piece, shaper.trimmed(), &mut self.pace);
        // The next one has waited for its turn, not for its engine; unless this was put in front of it meanwhile.
        if let Some(next) = reply.lines.front_mut().filter(|next| next.clock.is_none()) {
            next.since = Instant::now();
        }
        self.begin_lines();
    }

    /// The engine does not go on with this phrase: what is left is written.
    async fn fail(&mut self, piece: usize, error: &EngineError) {
        tracing::warn!(%error, "the rest of a reply is written");
        let pace = self.pace;
        let whom = self.reply.as_ref().and_then(|reply| reply.to.whom.clone());
        self.health.failed(whom.as_ref(), error);
        if let Some(reply) = self.reply.as_mut().filter(|reply| reply.over.is_none()) {
            reply.lines.clear();
            reply.waiting.clear();
            reply.writes = true;
            reply.written = reply.ledger.cut_from(piece, pace);
            let rest = reply.chunker.take_rest();
            if !reply.written.is_empty() {
                // What follows begins with a word, here or in what the model has still to say.
                reply.written.push(' ');
            }
            reply.written.push_str(rest.trim_start());
        }
        self.tick().await;
    }

    async fn finish(&mut self, turn: TurnId, settled: oneshot::Sender<Settled>) {
        let now = self.began.elapsed();
        let Some(reply) = self.reply.as_mut().filter(|reply| reply.to.turn == turn) else {
            answer_waiting(Some(settled), None);
            return;
        };
        reply.settled = Some(settled);
        reply.is_whole = true;
        if let Some(over) = reply.over.clone() {
            answer_waiting(reply.settled.take(), Some(over));
            return;
        }
        let mut chunks = reply.chunker.tick(now);
        chunks.extend(reply.chunker.finish());
        self.phrases(chunks).await;
        self.tick().await;
    }

    /// Looks whether something began, ended or does not go on.
    async fn tick(&mut self) {
        let now = Instant::now();
        let moment = self.began.elapsed();
        let position = self.parts.playout.position();
        let queued = self.parts.playout.queued();
        if position != self.stands.0 {
            self.stands = (position, now);
        }
        let (patience, most) = self.patience();
        if let Some(first) = self.foreseen.as_mut().and_then(|foreseen| foreseen.tick(moment)) {
            self.speak_ahead(first).await;
        }
        let Some(reply) = self.current() else { return };
        let chunks = reply.chunker.tick(moment);
        let began = !reply.audible && reply.ledger.start().is_some_and(|start| position > start);
        let id = reply.id();
        if began {
            reply.audible = true;
            self.audible.store(id.wrapping_add(1), Ordering::Release);
            self.moments.mark(id, "playback_start");
            self.tell(TurnEvent::Audible { reply: id }).await;
        }
        self.phrases(chunks).await;
        let Some(reply) = self.current() else { return };
        let runs_dry = queued < samples_in(FRAME_TIME, OUT_RATE) as u64;
        let stalled = reply.lines.pop_front_if(|line| {
            let silent = now.duration_since(line.since);
            let is_silent = (silent >= patience && runs_dry) || silent >= patience.max(STALLED_ANYWAY);
            is_silent && !line.has_begun()
        });
        if let Some(line) = stalled {
            let (piece, waited) = (line.piece, now.duration_since(line.since));
            let error = EngineError::Stalled { engine: "the speech engine", waited };
            self.health.wait_on(line, most);
            Box::pin(self.fail(piece, &error)).await;
            return;
        }
        let is_made = reply.is_made();
        if is_made && self.parts.playout.is_idle() {
            self.close();
            self.tell(TurnEvent::Closed { reply: id }).await;
        } else if self.is_forsaken(now, queued) {
            tracing::warn!("nobody takes what is said");
            self.break_off().await;
        }
    }

    /// Whether there is sound and nobody takes it.
    fn is_forsaken(&mut self, now: Instant, queued: u64) -> bool {
        let pulls = self.parts.playout.pulls();
        if pulls != self.taken.0 || queued == 0 {
            self.taken = (pulls, now);
        }
        now.duration_since(self.taken.1) >= NOBODY_TAKES
    }

    fn close(&mut self) {
        self.parts.playout.expect(false);
        self.parts.playout.hold(false);
        self.parts.playout.duck(0.0);
        let Some(reply) = &mut self.reply else { return };
        let text = reply.ledger.text();
        let written = std::mem::take(&mut reply.written).trim().to_owned();
        if written.is_empty() {
            if reply.audible {
                self.health.spoke();
            }
            reply.over = Some(Settled::Instead { text, unsaid: None, messages: Vec::new() });
            answer_waiting(reply.settled.take(), reply.over.clone());
            return;
        }
        reply.over = Some(Settled::Instead {
            text: text.clone(),
            unsaid: Some(written.clone()),
            messages: Vec::new(),
        });
        let (to, settled, notices) = (reply.to.clone(), reply.settled.take(), self.parts.notices.clone());
        tokio::spawn(async move {
            let posted = post_unspoken(&notices, to, written.clone()).await;
            answer_waiting(settled, Some(with_written(text, written, posted)));
        });
    }

    /// Falls silent for good.
    async fn break_off(&mut self) {
        let pace = self.pace;
        let Some(reply) = self.reply.as_mut().filter(|reply| reply.over.is_none()) else { return };
        self.parts.playout.expect(false);
        let stood = if self.parts.playout.position() == self.stands.0 {
            self.stands.1.elapsed()
        } else {
            Duration::ZERO
        };
        let reached = self.parts.playout.clear();
        // Before a pause everything was heard. A frame is taken every so often, also while it plays.
        let on_its_way = ON_ITS_WAY.saturating_sub(stood.saturating_sub(FRAME_TIME));
        let heard = reached.saturating_sub(samples_in(on_its_way, OUT_RATE) as u64);
        let split = reply.ledger.until(heard, pace);
        let rest =
            [split.unsaid, reply.written.trim().to_owned(), reply.chunker.take_rest().trim().to_owned()];
        let unsaid = rest.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        reply.lines.clear();
        reply.waiting.clear();
        reply.over = Some(Settled::Instead {
            text: split.heard,
            unsaid: (!unsaid.is_empty()).then_some(unsaid),
            messages: Vec::new(),
        });
        answer_waiting(reply.settled.take(), reply.over.clone());
        let id = reply.id();
        self.tell(TurnEvent::Closed { reply: id }).await;
    }

    async fn tell(&self, event: TurnEvent) {
        if self.parts.events.send(event).await.is_err() {
            tracing::debug!("the call is over");
        }
    }
}

fn answer_waiting(waiting: Option<oneshot::Sender<Settled>>, settled: Option<Settled>) {
    let nothing = Settled::Instead { text: String::new(), unsaid: None, messages: Vec::new() };
    if let Some(waiting) = waiting {
        // Nobody waits any more: the turn was broken off from above.
        let _gone = waiting.send(settled.unwrap_or(nothing));
    }
}

/// Posts what cannot be spoken.
async fn post_unspoken(
    notices: &mpsc::Sender<CallNotice>,
    to: Delivery,
    text: String,
) -> Result<Vec<MessageId>, DeliveryError> {
    let (posted, answered) = oneshot::channel();
    let late = || DeliveryError::Failed("the text was not posted in time".to_owned());
    let sent = async {
        let gone = |()| DeliveryError::Forbidden("the call is over".to_owned());
        notices.send(CallNotice::Written { to, text, posted }).await.map_err(|_| gone(()))?;
        answered.await.map_err(|_| gone(()))?
    };
    timeout(POSTED, sent).await.map_err(|_| late())?
}

fn with_written(spoken: String, written: String, posted: Result<Vec<MessageId>, DeliveryError>) -> Settled {
    match posted {
        Ok(messages) => {
            let text = if spoken.is_empty() { written } else { format!("{spoken}\n{written}") };
            Settled::Instead { text, unsaid: None, messages }
        }
        Err(error) => {
            tracing::warn!(%error, "what could not be spoken could not be written either");
            Settled::Instead { text: spoken, unsaid: Some(written), messages: Vec::new() }
        }
    }
}
