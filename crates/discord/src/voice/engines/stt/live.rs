//! Live transcription over a connection that may break: keeps it alive, mends it, closes it when nobody speaks.
//!
//! A service says how to connect ([`LiveService`]) and how its messages read ([`LiveSession`]). Timing is after
//! voice 3.1 and familiar-connect 1.10.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::clock::doubled;
use crate::voice::engines::cost::{Meter, Tally};
use crate::voice::engines::service::Service;
use crate::voice::engines::socket::{Link, Out, next_message};
use crate::voice::engines::{
    EngineError, SpeechInput, Transcriber, TranscriberAbilities, TranscriptEvent, Transcription,
    TranscriptionHints,
};
use crate::voice::frame::RATE;

/// Inputs that may wait: ten seconds of sound, which is how long mending may take before something is lost.
const INPUTS: usize = 500;
/// Events that may wait.
const EVENTS: usize = 256;
/// How much is said again after the connection broke: what was not final, this much of it at most.
const REPLAY_SECONDS: usize = 5;
/// Sound is said again in pieces of this many samples.
const REPLAY_PIECE: usize = 1600;

/// A sign of life after so much quiet; Deepgram hangs up after 10 s.
const KEEP_ALIVE: Duration = Duration::from_secs(3);
/// The connection is closed after so much quiet.
const IDLE: Duration = Duration::from_secs(30);
/// How long a finalize may take of a service that tells words while they are spoken …
const PATIENCE: Duration = Duration::from_millis(2500);
/// … and of one that begins once all of it was handed in.
const PATIENCE_FOR_WHOLE: Duration = Duration::from_secs(6);
/// How long after the last sound said again everything ought to be final.
const AFTER_REPLAY: Duration = Duration::from_millis(500);
/// It is tried so often to connect again: at once, and then after this wait, which doubles with each further try …
const TRIES: u32 = 6;
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// … up to this one.
const LONGEST_WAIT: Duration = Duration::from_secs(16);

/// A service that listens live.
#[async_trait]
pub(crate) trait LiveService: Send + Sync + Debug + 'static {
    fn service(&self) -> &Service;

    /// What it can do.
    fn abilities(&self) -> TranscriberAbilities;

    /// Whether it is on this machine.
    fn is_here(&self) -> bool {
        false
    }

    /// The language that it takes everything for, where people are not known to speak it.
    fn takes_all_for(&self) -> Option<&'static str> {
        None
    }

    async fn dial(&self, hints: &TranscriptionHints) -> Result<Link, EngineError>;

    /// The reading and writing of one connection.
    fn session(&self, hints: &TranscriptionHints) -> Box<dyn LiveSession>;
}

pub(crate) trait LiveSession: Send {
    /// What is said first.
    fn opening(&mut self) -> Option<Out> {
        None
    }

    fn audio(&mut self, samples: &[i16]) -> Out;

    /// "What you have is all."
    fn finalize(&mut self) -> Option<Out>;

    /// A sign of life.
    fn keep_alive(&mut self) -> Option<Out> {
        None
    }

    fn closing(&mut self) -> Option<Out> {
        None
    }

    /// What a message means. Must bear anything.
    fn read(&mut self, message: &Value) -> Vec<RecogniserMessage>;
}

/// What a message means.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RecogniserMessage {
    Event(TranscriptEvent),
    /// Everything up to this sample of the connection is final.
    SettledTo(u64),
    /// Everything that was sent before the last finalize is final.
    SettledAtFinalize,
    Broken(EngineError),
}

/// A [`Transcriber`] over a live service.
#[derive(Debug)]
pub(crate) struct Live<S> {
    pub service: Arc<S>,
    pub meter: Arc<Meter>,
}

#[async_trait]
impl<S: LiveService> Transcriber for Live<S> {
    fn name(&self) -> &str {
        self.service.service().engine
    }

    fn abilities(&self) -> TranscriberAbilities {
        self.service.abilities()
    }

    fn is_here(&self) -> bool {
        self.service.is_here()
    }

    fn takes_all_for(&self) -> Option<&'static str> {
        self.service.takes_all_for()
    }

    async fn open(&self, hints: &TranscriptionHints) -> Result<Transcription, EngineError> {
        let tally = Tally::new(&self.meter, hints.speaker.as_ref());
        tally.allow()?;
        let link = self.service.dial(hints).await?;
        let (input, inputs) = mpsc::channel(INPUTS);
        let (events_to, events) = mpsc::channel(EVENTS);
        let listening = ListeningTask {
            session: self.service.session(hints),
            service: Arc::clone(&self.service),
            hints: hints.clone(),
            events: events_to,
            tally,
            link: None,
            unsettled: VecDeque::new(),
            settled_to: 0,
            at_finalize: 0,
            final_to: 0,
            words_pending: false,
            told: false,
            owed: None,
            heard_since: None,
            ahead: Duration::ZERO,
            after_replay: None,
            last_sound: Instant::now(),
            last_sent: Instant::now(),
        };
        // Ends when both ends of the transcription are let go of.
        tokio::spawn(listening.run(link, inputs));
        Ok(Transcription { input, events })
    }
}

/// Why a transcription is over.
enum Over {
    /// Nobody listens any more.
    Unheard,
    /// It cannot go on.
    Failed(EngineError),
}

struct ListeningTask<S> {
    service: Arc<S>,
    session: Box<dyn LiveSession>,
    hints: TranscriptionHints,
    events: mpsc::Sender<TranscriptEvent>,
    tally: Tally,
    link: Option<Link>,
    /// What was sent and is not final, newest [`REPLAY_SECONDS`].
    unsettled: VecDeque<i16>,
    /// The connection's sample at which `unsettled` begins.
    settled_to: u64,
    /// The connection's sample at which the last finalize was sent.
    at_finalize: u64,
    /// The connection's sample up to which the service itself said that all is final.
    final_to: u64,
    /// Whether the newest partial holds words.
    words_pending: bool,
    /// Whether a piece that is final was told since the last finalize.
    told: bool,
    /// Since when a finalize is unanswered, or the last word behind it came.
    owed: Option<Instant>,
    /// When the first sound since the last finalize came, and how many samples have come since.
    heard_since: Option<(Instant, u64)>,
    /// How much sooner than it was spoken all of that was handed over: a service that listens live may need so much longer.
    ahead: Duration,
    /// When to finalize what was said again, should nothing follow it.
    after_replay: Option<Instant>,
    last_sound: Instant,
    last_sent: Instant,
}

impl<S: LiveService> ListeningTask<S> {
    async fn run(mut self, link: Link, mut inputs: mpsc::Receiver<SpeechInput>) {
        let ended = self.converse(link, &mut inputs).await;
        self.hang_up();
        if let Err(Over::Failed(error)) = ended {
            // Nobody may be left to be told.
            let _ = self.events.send(TranscriptEvent::Failed(error)).await;
        }
        let _ = self.events.send(TranscriptEvent::Closed).await;
    }

    async fn converse(&mut self, link: Link, inputs: &mut mpsc::Receiver<SpeechInput>) -> Result<(), Over> {
        let events = self.events.clone();
        self.greet(link).await?;
        loop {
            let due = self.next_due();
            tokio::select! {
                input = inputs.recv() => match input {
                    Some(SpeechInput::Samples(samples)) => self.sound(&samples).await?,
                    Some(SpeechInput::Finalize) => self.finalize().await?,
                    None => return Ok(()),
                },
                message = next_message(&mut self.link, self.service.service()) => match message {
                    Ok(message) => self.read(&message).await?,
                    Err(error) => self.broke(error).await?,
                },
                () = tokio::time::sleep_until(due) => self.tick().await?,
                () = events.closed() => return Ok(()),
            }
        }
    }

    fn next_due(&self) -> Instant {
        let connected = self.link.is_some();
        let owed = self.owed.map(|since| since + self.patience());
        let keep_alive = connected.then(|| self.last_sent + KEEP_ALIVE);
        let idle = connected.then(|| self.quiet_since() + IDLE);
        let due = [owed, keep_alive, idle, self.after_replay].into_iter().flatten().min();
        due.unwrap_or_else(|| Instant::now() + IDLE)
    }

    fn quiet_since(&self) -> Instant {
        // A finalize that is waited for keeps the connection, too.
        self.owed.map_or(self.last_sound, |since| since.max(self.last_sound))
    }

    fn patience(&self) -> Duration {
        let abilities = self.service.abilities();
        let tells_early = abilities.partials || abilities.ends_turns;
        let patience = if tells_early { PATIENCE } else { PATIENCE_FOR_WHOLE };
        let left = self.at_finalize.saturating_sub(self.final_to) / u64::from(RATE);
        patience + self.ahead.min(Duration::from_secs(left))
    }

    async fn sound(&mut self, samples: &[i16]) -> Result<(), Over> {
        self.last_sound = Instant::now();
        let (_, heard) = self.heard_since.get_or_insert((self.last_sound, 0));
        *heard += samples.len() as u64;
        self.after_replay = None;
        self.tally.heard(samples.len()).map_err(Over::Failed)?;
        self.unsettled.extend(samples);
        let limit = REPLAY_SECONDS * RATE as usize;
        let surplus = self.unsettled.len().saturating_sub(limit);
        self.unsettled.drain(..surplus);
        self.settled_to += surplus as u64;
        if self.link.is_none() {
            // What waits is said once the connection is there.
            return self.mend().await;
        }
        let out = self.session.audio(samples);
        self.send(out).await
    }

    async fn finalize(&mut self) -> Result<(), Over> {
        if self.unsettled.is_empty() && !self.words_pending {
            return self.tell(nothing_more()).await;
        }
        let now = Instant::now();
        self.owed = Some(now);
        self.ahead = self.heard_since.take().map_or(Duration::ZERO, |(since, samples)| {
            Duration::from_secs(samples / u64::from(RATE)).saturating_sub(now - since)
        });
        if self.link.is_none() {
            return self.mend().await;
        }
        self.send_finalize().await
    }

    async fn send_finalize(&mut self) -> Result<(), Over> {
        self.at_finalize = self.settled_to + self.unsettled.len() as u64;
        self.after_replay = None;
        match self.session.finalize() {
            Some(out) => self.send(out).await,
            None => Ok(()),
        }
    }

    async fn send(&mut self, out: Out) -> Result<(), Over> {
        let Some(link) = &self.link else { return Ok(()) };
        self.last_sent = Instant::now();
        // A connection that has ended says why through the other queue.
        match tokio::time::timeout(PATIENCE, link.to.send(out)).await {
            Ok(_) => Ok(()),
            Err(_) => {
                let stalled = self.service.service().stalled(PATIENCE);
                self.broke(stalled).await
            }
        }
    }

    async fn read(&mut self, message: &str) -> Result<(), Over> {
        let all = match self.service.service().json(message, "a message") {
            Ok(message) => self.session.read(&message),
            Err(error) => vec![RecogniserMessage::Broken(error)],
        };
        for heard in all {
            match heard {
                RecogniserMessage::SettledTo(sample) => {
                    if sample > self.final_to {
                        self.final_to = sample;
                        // What is left is waited for from here on.
                        self.owed = self.owed.map(|_| Instant::now());
                    }
                    self.settle(sample);
                }
                RecogniserMessage::SettledAtFinalize => self.settle(self.at_finalize),
                RecogniserMessage::Broken(error) if !error.may_pass() => return Err(Over::Failed(error)),
                RecogniserMessage::Broken(error) => {
                    self.owed = None;
                    self.words_pending = false;
                    self.settle(u64::MAX);
                    self.tell(TranscriptEvent::Failed(error)).await?;
                }
                RecogniserMessage::Event(event) => self.event(event).await?,
            }
        }
        Ok(())
    }

    async fn event(&mut self, mut event: TranscriptEvent) -> Result<(), Over> {
        match &mut event {
            TranscriptEvent::Partial { text } => self.words_pending = !text.trim().is_empty(),
            TranscriptEvent::Final { finalized, text } => {
                self.words_pending = false;
                // An answer that comes late, or to a finalize of our own, is a piece like any other.
                *finalized = *finalized && self.owed.take().is_some();
                self.told = !*finalized && !text.trim().is_empty();
                if text.is_empty() && !*finalized {
                    return Ok(());
                }
            }
            TranscriptEvent::EndOfTurn { .. } => {
                self.words_pending = false;
                // The engine was faster than the finalize on its way.
                if self.owed.take().is_some() {
                    self.tell(event).await?;
                    return self.tell(nothing_more()).await;
                }
            }
            _ => {}
        }
        self.tell(event).await
    }

    fn settle(&mut self, sample: u64) {
        let count = usize::try_from(sample.saturating_sub(self.settled_to)).unwrap_or(usize::MAX);
        let count = count.min(self.unsettled.len());
        self.unsettled.drain(..count);
        self.settled_to += count as u64;
    }

    async fn tick(&mut self) -> Result<(), Over> {
        let now = Instant::now();
        if self.owed.is_some_and(|since| since + self.patience() <= now) {
            return self.unanswered().await;
        }
        if self.after_replay.is_some_and(|due| due <= now) {
            return self.send_finalize().await;
        }
        if self.link.is_none() {
            return Ok(());
        }
        if self.quiet_since() + IDLE <= now {
            self.hang_up();
        } else if self.last_sent + KEEP_ALIVE <= now {
            self.last_sent = now;
            if let Some(out) = self.session.keep_alive() {
                return self.send(out).await;
            }
        }
        Ok(())
    }

    /// A finalize that is not answered. Where all that was said is final already, nothing is missing; else it is lost,
    /// whether a word of it was told or not.
    async fn unanswered(&mut self) -> Result<(), Over> {
        self.owed = None;
        if std::mem::take(&mut self.told) && !self.words_pending {
            self.settle(self.at_finalize);
            return self.tell(nothing_more()).await;
        }
        self.words_pending = false;
        self.hang_up();
        let stalled = self.service.service().stalled(self.patience());
        self.tell(TranscriptEvent::Failed(stalled)).await
    }

    /// Lets go of the connection; the next sound opens a new one.
    fn hang_up(&mut self) {
        if let (Some(link), Some(goodbye)) = (&self.link, self.session.closing()) {
            // A full queue means a dead connection.
            let _ = link.to.try_send(goodbye);
        }
        self.link = None;
        self.settle(u64::MAX);
        self.tally.write();
    }

    async fn broke(&mut self, error: EngineError) -> Result<(), Over> {
        self.link = None;
        if !error.may_pass() {
            return Err(Over::Failed(error));
        }
        tracing::debug!(engine = self.service.service().engine, "the connection broke: {error}");
        if self.unsettled.is_empty() && self.owed.is_none() {
            // Nothing is lost; the next sound opens a new one.
            return Ok(());
        }
        self.mend().await
    }

    /// Connects again, at once and then after growing waits, and says again what was not final.
    async fn mend(&mut self) -> Result<(), Over> {
        let (mut tried, mut wait) = (0, Duration::ZERO);
        loop {
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.events.closed() => return Err(Over::Unheard),
            }
            let error = match self.service.dial(&self.hints).await {
                Ok(link) => return Box::pin(self.greet(link)).await,
                Err(error) if !error.may_pass() => return Err(Over::Failed(error)),
                Err(error) => error,
            };
            tried += 1;
            if tried == TRIES {
                return Err(Over::Failed(error));
            }
            let asked = match error {
                EngineError::RateLimited { retry_after, .. } => retry_after.unwrap_or_default(),
                _ => Duration::ZERO,
            };
            wait = doubled(FIRST_WAIT, tried, LONGEST_WAIT).max(asked.min(IDLE));
        }
    }

    /// The first words on a new connection.
    async fn greet(&mut self, link: Link) -> Result<(), Over> {
        self.session = self.service.session(&self.hints);
        self.link = Some(link);
        (self.settled_to, self.final_to) = (0, 0);
        self.words_pending = false;
        if let Some(out) = self.session.opening() {
            self.send(out).await?;
        }
        if self.unsettled.is_empty() {
            return Ok(());
        }
        let again: Vec<i16> = self.unsettled.iter().copied().collect();
        for piece in again.chunks(REPLAY_PIECE) {
            let out = self.session.audio(piece);
            self.send(out).await?;
        }
        if self.owed.is_some() {
            self.owed = Some(Instant::now());
            return self.send_finalize().await;
        }
        let lasts = Duration::from_secs(again.len() as u64) / RATE;
        self.after_replay = Some(Instant::now() + lasts + AFTER_REPLAY);
        Ok(())
    }

    async fn tell(&mut self, event: TranscriptEvent) -> Result<(), Over> {
        self.events.send(event).await.map_err(|_| Over::Unheard)
    }
}

/// The answer to a finalize when nothing is left to say.
fn nothing_more() -> TranscriptEvent {
    TranscriptEvent::Final { text: String::new(), finalized: true }
}

#[cfg(test)]
mod tests;
