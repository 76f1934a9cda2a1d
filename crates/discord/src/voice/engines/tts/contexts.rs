//! One warm socket that speaks several phrases at once, each a context of its own.
//!
//! A context per phrase, not per reply: where a phrase ends and when its words are spoken is then said by the service
//! itself, and stopping one phrase leaves the others alone.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::{count_phrase, ready, sound_bounds};
use crate::voice::engines::cost::Meter;
use crate::voice::engines::service::Service;
use crate::voice::engines::socket::{Link, Out, next_message};
use crate::voice::engines::{EngineError, Phrase, Speech, SpeechEvent, SpokenWord, Synthesizer};
use crate::voice::frame::lasting;

/// Samples per second, of every service: half of what a call plays, less to carry, and nothing of a voice lies above.
pub(super) const RATE: u32 = 24_000;
/// Events of one phrase that may wait: more than half a minute of sound as services cut it.
const EVENTS: usize = 1024;
/// Orders that may wait.
const ORDERS: usize = 32;
/// The socket is closed after so long without a phrase; services do it themselves a little later.
const IDLE: Duration = Duration::from_secs(240);

/// A service that speaks over a socket.
#[async_trait]
pub(crate) trait SocketVoice: Send + Sync + Debug + 'static {
    fn service(&self) -> &Service;

    async fn dial(&self) -> Result<Link, EngineError>;

    /// What begins a phrase.
    fn begin(&self, context: &str, text: &str) -> Vec<Value>;

    fn stop(&self, context: &str) -> Value;

    /// What a message means. Must bear anything.
    fn read(&self, message: &Value) -> Vec<ContextMessage>;
}

/// What a message says, and about which phrase; `None` where it does not say, which is all of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ContextMessage {
    pub context: Option<String>,
    pub what: What,
}

/// What a message says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum What {
    /// Sound, with words timed from the beginning of this very sound.
    Sound(Vec<i16>, Vec<SpokenWord>),
    /// Words timed from the beginning of the phrase.
    Words(Vec<SpokenWord>),
    /// All of it was sent.
    Done,
    Failed(EngineError),
}

/// A [`Synthesizer`] over a socket.
#[derive(Debug)]
pub(crate) struct OverSocket<V> {
    voice: Arc<V>,
    meter: Arc<Meter>,
    /// Begins with the first order, for engines are made where no runtime may be; ends with this.
    orders: OnceLock<mpsc::Sender<SocketCommand>>,
    patience: Duration,
}

#[derive(Debug)]
enum SocketCommand {
    /// Connect, if there is no connection.
    WarmUp(oneshot::Sender<()>),
    Speak(PhraseUnderWay),
}

#[derive(Debug)]
struct PhraseUnderWay {
    text: String,
    /// Closed once nobody listens.
    to: mpsc::Sender<SpeechEvent>,
    samples: u64,
    /// More than these are none of this phrase.
    most_samples: u64,
    /// When the next ones must be here.
    due: Instant,
    /// Whether it was begun a second time, on another connection.
    asked_again: bool,
}

impl<V: SocketVoice> OverSocket<V> {
    pub(crate) fn new(voice: V, meter: Arc<Meter>, patience: Duration) -> Self {
        Self { voice: Arc::new(voice), meter, orders: OnceLock::new(), patience }
    }

    fn orders(&self) -> &mpsc::Sender<SocketCommand> {
        self.orders.get_or_init(|| {
            let (orders, taken) = mpsc::channel(ORDERS);
            let desk = SocketTask {
                voice: Arc::clone(&self.voice),
                patience: self.patience,
                link: None,
                phrases: HashMap::new(),
                next: 0,
                quiet_since: Instant::now(),
                stops: FuturesUnordered::new(),
            };
            tokio::spawn(desk.run(taken));
            orders
        })
    }
}

#[async_trait]
impl<V: SocketVoice> Synthesizer for OverSocket<V> {
    fn name(&self) -> &str {
        self.voice.service().engine
    }

    fn costs(&self) -> bool {
        self.meter.costs()
    }

    fn patience(&self) -> Duration {
        self.patience
    }

    async fn warm_up(&self) {
        let (done, waits) = oneshot::channel();
        if self.orders().send(SocketCommand::WarmUp(done)).await.is_ok() {
            // Whether it worked shows with the first phrase.
            let _ = waits.await;
        }
    }

    async fn speak(&self, phrase: &Phrase) -> Result<Speech, EngineError> {
        let chars = ready(self.voice.service(), &self.meter, phrase)?;
        let (to, events) = mpsc::channel(EVENTS);
        let speaking = PhraseUnderWay {
            text: phrase.text.clone(),
            to,
            samples: 0,
            most_samples: sound_bounds(chars).bytes / 2,
            due: Instant::now() + self.patience,
            asked_again: false,
        };
        let order =
            tokio::time::timeout(self.patience, self.orders().send(SocketCommand::Speak(speaking))).await;
        if !matches!(order, Ok(Ok(()))) {
            return Err(self.voice.service().stalled(self.patience));
        }
        count_phrase(&self.meter, phrase, chars);
        Ok(Speech::new(RATE, events))
    }
}

/// Waits until nobody listens to a context any more.
type Stop = futures::future::BoxFuture<'static, String>;

/// Whoever sits at the socket.
struct SocketTask<V> {
    voice: Arc<V>,
    patience: Duration,
    link: Option<Link>,
    phrases: HashMap<String, PhraseUnderWay>,
    next: u64,
    quiet_since: Instant,
    stops: FuturesUnordered<Stop>,
}

impl<V: SocketVoice> SocketTask<V> {
    async fn run(mut self, mut orders: mpsc::Receiver<SocketCommand>) {
        loop {
            let due = self.phrases.values().map(|speaking| speaking.due).min();
            let due = due.unwrap_or(self.quiet_since + IDLE);
            let idle = self.phrases.is_empty() && self.link.is_none();
            tokio::select! {
                order = orders.recv() => match order {
                    Some(SocketCommand::WarmUp(done)) => {
                        // It will be tried again with the first phrase, and told then.
                        let _ = self.connect().await;
                        self.quiet_since = Instant::now();
                        // Whoever asked may have gone.
                        let _ = done.send(());
                    }
                    Some(SocketCommand::Speak(speaking)) => self.speak(speaking).await,
                    None => return,
                },
                message = next_message(&mut self.link, self.voice.service()) => match message {
                    Ok(message) => self.read(&message).await,
                    Err(error) => self.broke(error).await,
                },
                Some(context) = self.stops.next() => self.stop(&context).await,
                () = tokio::time::sleep_until(due), if !idle => self.late().await,
            }
        }
    }

    async fn connect(&mut self) -> Result<(), EngineError> {
        if self.link.as_ref().is_none_or(|link| link.to.is_closed()) {
            self.link = None;
            self.link = Some(self.voice.dial().await?);
        }
        Ok(())
    }

    async fn speak(&mut self, mut speaking: PhraseUnderWay) {
        let connected = tokio::select! {
            connected = self.connect() => connected,
            () = speaking.to.closed() => return,
        };
        if let Err(error) = connected {
            return fail(&speaking, error).await;
        }
        speaking.due = Instant::now() + self.patience;
        self.place(speaking).await;
    }

    /// Begins a phrase on the connection there is.
    async fn place(&mut self, speaking: PhraseUnderWay) {
        self.next += 1;
        let context = format!("phrase-{}", self.next);
        for message in self.voice.begin(&context, &speaking.text) {
            self.send(message).await;
        }
        let (to, name) = (speaking.to.clone(), context.clone());
        self.stops.push(Box::pin(async move {
            to.closed().await;
            name
        }));
        self.phrases.insert(context, speaking);
    }

    async fn send(&mut self, message: Value) {
        let Some(link) = &self.link else { return };
        let out = Out::Text(message.to_string());
        // A dead connection tells why through the other queue; a full one is a dead one.
        let _ = tokio::time::timeout(self.patience, link.to.send(out)).await;
    }

    async fn read(&mut self, message: &str) {
        let all = match self.voice.service().json(message, "a message") {
            Ok(message) => self.voice.read(&message),
            Err(error) => vec![ContextMessage { context: None, what: What::Failed(error) }],
        };
        for told in all {
            let contexts: Vec<String> = match told.context {
                Some(context) => vec![context],
                None => self.phrases.keys().cloned().collect(),
            };
            for context in contexts {
                self.told(&context, told.what.clone()).await;
            }
        }
    }

    async fn told(&mut self, context: &str, what: What) {
        // A phrase that was stopped may have sound on its way.
        let Some(speaking) = self.phrases.get_mut(context) else { return };
        speaking.due = Instant::now() + self.patience;
        let mut is_endless = false;
        let events = match what {
            What::Sound(samples, mut words) => {
                let before = lasting(usize::try_from(speaking.samples).unwrap_or(usize::MAX), RATE);
                for word in &mut words {
                    (word.start, word.end) = (word.start + before, word.end + before);
                }
                speaking.samples += samples.len() as u64;
                is_endless = speaking.samples > speaking.most_samples;
                if is_endless {
                    vec![SpeechEvent::Failed(self.voice.service().protocol("sound without end"))]
                } else {
                    vec![SpeechEvent::Words(words), SpeechEvent::Samples(samples)]
                }
            }
            What::Words(words) => vec![SpeechEvent::Words(words)],
            What::Done => vec![SpeechEvent::Done],
            What::Failed(error) => vec![SpeechEvent::Failed(error)],
        };
        let mut over = false;
        for event in events {
            let empty = match &event {
                SpeechEvent::Samples(samples) => samples.is_empty(),
                SpeechEvent::Words(words) => words.is_empty(),
                SpeechEvent::Done | SpeechEvent::Failed(_) => {
                    over = true;
                    false
                }
            };
            // One who does not take what is said must not hold up the others.
            over |= !empty && speaking.to.try_send(event).is_err();
        }
        if is_endless {
            self.stop(context).await;
        } else if over {
            self.phrases.remove(context);
            self.quiet_since = Instant::now();
        }
    }

    async fn stop(&mut self, context: &str) {
        if self.phrases.remove(context).is_none() {
            return;
        }
        self.quiet_since = Instant::now();
        self.send(self.voice.stop(context)).await;
    }

    /// Phrases whose sound does not come fail; a socket that is silent to all of them is not used again.
    async fn late(&mut self) {
        let now = Instant::now();
        if self.phrases.is_empty() {
            if self.quiet_since + IDLE <= now {
                self.link = None;
            }
            return;
        }
        let late: Vec<String> = self
            .phrases
            .iter()
            .filter(|(_, speaking)| speaking.due <= now)
            .map(|(context, _)| context.clone())
            .collect();
        for context in late {
            if let Some(speaking) = self.phrases.remove(&context) {
                self.send(self.voice.stop(&context)).await;
                fail(&speaking, self.voice.service().stalled(self.patience)).await;
            }
        }
        if self.phrases.is_empty() {
            self.link = None;
            self.quiet_since = now;
        }
    }

    /// The connection broke: what has not begun to sound is asked for once more, the rest fails.
    async fn broke(&mut self, error: EngineError) {
        self.link = None;
        self.stops.clear();
        let phrases: Vec<PhraseUnderWay> = self.phrases.drain().map(|(_, speaking)| speaking).collect();
        self.quiet_since = Instant::now();
        for mut speaking in phrases {
            if speaking.samples > 0 || speaking.asked_again || !error.may_pass() {
                fail(&speaking, error.clone()).await;
                continue;
            }
            speaking.asked_again = true;
            match self.connect().await {
                Ok(()) => self.place(speaking).await,
                Err(error) => fail(&speaking, error).await,
            }
        }
    }
}

async fn fail(speaking: &PhraseUnderWay, error: EngineError) {
    tokio::select! {
        // Nobody may be left to be told.
        _ = speaking.to.send(SpeechEvent::Failed(error)) => {}
        () = speaking.to.closed() => {}
    }
}
