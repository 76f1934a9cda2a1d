//! A call without Discord and without engines: scripted ears and a voice of tones on one side, a familiar on a stage on
//! the other. Time stands still unless the test lets it pass, so that nothing depends on how fast the machine is.
//!
//! ```ignore
//! let mut call = CallStage::open("").await;
//! call.joins("ana").await;
//! call.talk("ana", "What time is it?", "Late.").await;
//! ```

use std::collections::{HashMap, VecDeque};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use familiar_connect::clock::SharedClock;
use familiar_connect::domain::*;
use familiar_connect::voice::end_of_turn::EndOfTurn;
use familiar_connect::voice::engines::*;
use familiar_connect::voice::frame::{FRAME_TIME, OUT_FRAME, Packet, SILENCE};
use familiar_connect::voice::{
    Call, CallEvent, CallFigures, CallLine, CallNotice, CallParts, CallTeller, CallsNow, KnownVoice,
    Participant, Playout,
};
use familiar_connect::world::{CallMicrophone, CallVoice, Headphones, InCall};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::stage::{Asked, MESSAGES, Stage, channel, outcomes_of, person};
use super::voice::Sound;

/// How long one spoken word lasts.
pub const WORD: Duration = Duration::from_millis(300);

/// Samples per second of the voice of tones.
const RATE: u32 = 24_000;

/// What goes wrong with a recogniser when it is asked for everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarFault {
    /// What was said is lost.
    Fails,
    /// And nothing more comes.
    Closes,
    /// It says nothing.
    Stalls,
}

/// A recogniser that knows what will have been said.
#[derive(Debug, Default)]
pub struct ScriptedEars {
    lines: Arc<Mutex<HashMap<AccountId, VecDeque<String>>>>,
    open: Mutex<HashMap<AccountId, mpsc::Sender<TranscriptEvent>>>,
    /// Samples that each speaker's ear was given.
    given: Arc<Mutex<HashMap<AccountId, usize>>>,
    pub refuses: AtomicBool,
    /// It cannot be opened, for a reason that may pass.
    pub is_away: AtomicBool,
    /// For whom it has heard enough, for ten minutes.
    pub over_for: Mutex<Option<AccountId>>,
    /// It is given whole utterances.
    pub hears_whole: AtomicBool,
    pub fault: Arc<Mutex<Option<EarFault>>>,
    /// What each speaker's, as it was last opened, was told to listen for.
    pub keyterms: Mutex<HashMap<AccountId, Vec<String>>>,
    /// Theirs takes nothing, and says nothing.
    pub hangs_for: Arc<Mutex<Option<AccountId>>>,
    /// Milliseconds from being asked for everything to the final words, or to the failure.
    pub takes: Arc<AtomicU64>,
}

#[async_trait]
impl Transcriber for ScriptedEars {
    fn name(&self) -> &str {
        "scripted"
    }

    fn abilities(&self) -> TranscriberAbilities {
        let partials = !self.hears_whole.load(Ordering::Relaxed);
        TranscriberAbilities { partials, ends_turns: false, streaming: partials }
    }

    async fn open(&self, hints: &TranscriptionHints) -> Result<Transcription, EngineError> {
        if self.refuses.load(Ordering::Relaxed) {
            return Err(EngineError::Refused { engine: "scripted", said: "no".to_owned() });
        }
        if self.is_away.load(Ordering::Relaxed) {
            return Err(EngineError::Unreachable { engine: "scripted", said: "not now".to_owned() });
        }
        let who = hints.speaker.clone().unwrap();
        if self.over_for.lock().unwrap().as_ref() == Some(&who) {
            let left = Duration::from_secs(600);
            return Err(EngineError::OverHour { said: "enough".to_owned(), left });
        }
        self.keyterms.lock().unwrap().insert(who.clone(), hints.keyterms.clone());
        let (fault, hangs_for) = (Arc::clone(&self.fault), Arc::clone(&self.hangs_for));
        let (input, mut told) = mpsc::channel(256);
        let (tell, events) = mpsc::channel(64);
        self.open.lock().unwrap().insert(who.clone(), tell.clone());
        let (lines, given, takes) =
            (Arc::clone(&self.lines), Arc::clone(&self.given), Arc::clone(&self.takes));
        tokio::spawn(async move {
            while let Some(input) = told.recv().await {
                if hangs_for.lock().unwrap().as_ref() == Some(&who) {
                    tell.closed().await;
                    return;
                }
                match input {
                    SpeechInput::Samples(samples) => {
                        *given.lock().unwrap().entry(who.clone()).or_default() += samples.len();
                    }
                    SpeechInput::Finalize => {
                        let line = lines.lock().unwrap().get_mut(&who).and_then(VecDeque::pop_front);
                        let text = line.unwrap_or_default();
                        let broken = *fault.lock().unwrap();
                        if broken == Some(EarFault::Stalls) {
                            continue;
                        }
                        let takes = Duration::from_millis(takes.load(Ordering::Relaxed));
                        if !takes.is_zero() {
                            sleep_until(Instant::now() + takes).await;
                        }
                        if broken.is_some() {
                            let said = "broken".to_owned();
                            let failed = EngineError::Unreachable { engine: "scripted", said };
                            let _gone = tell.send(TranscriptEvent::Failed(failed)).await;
                        }
                        match broken {
                            Some(EarFault::Closes) => {
                                let _gone = tell.send(TranscriptEvent::Closed).await;
                                return;
                            }
                            Some(_) => continue,
                            None => {}
                        }
                        let _gone = tell.send(TranscriptEvent::Final { text, finalized: true }).await;
                    }
                }
            }
        });
        Ok(Transcription { input, events })
    }
}

/// A voice that says every word as a tone of [`WORD`].
#[derive(Debug, Default)]
pub struct ToneVoice {
    pub times_words: AtomicBool,
    /// It is paid for.
    pub costs: AtomicBool,
    /// From this phrase on, counted from 1, it fails; 0 never does.
    pub fails_from: AtomicUsize,
    /// It takes phrases and gives nothing.
    pub stalls: AtomicBool,
    pub spoken: Mutex<Vec<String>>,
    /// What it was given before anything was said.
    pub prepared: Mutex<Vec<String>>,
    /// Milliseconds to its first sound.
    pub takes: AtomicU64,
    /// For whom it has said enough, for ten minutes.
    pub over_for: Mutex<Option<AccountId>>,
}

#[async_trait]
impl Synthesizer for ToneVoice {
    fn name(&self) -> &str {
        "tones"
    }

    async fn warm_up(&self) {}

    fn costs(&self) -> bool {
        self.costs.load(Ordering::Relaxed)
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(6)
    }

    async fn speak(&self, phrase: &Phrase) -> Result<Speech, EngineError> {
        let count = {
            let mut spoken = self.spoken.lock().unwrap();
            spoken.push(phrase.text.clone());
            spoken.len()
        };
        if phrase.listener.is_some() && *self.over_for.lock().unwrap() == phrase.listener {
            let left = Duration::from_secs(600);
            return Err(EngineError::OverHour { said: "enough".to_owned(), left });
        }
        let fails = self.fails_from.load(Ordering::Relaxed);
        if fails > 0 && count >= fails {
            return Err(EngineError::Unreachable { engine: "tones", said: "gone".to_owned() });
        }
        let (tell, events) = mpsc::channel(64);
        if self.stalls.load(Ordering::Relaxed) {
            tokio::spawn(async move { tell.closed().await });
            return Ok(Speech::new(RATE, events));
        }
        let words: Vec<String> = phrase.text.split_whitespace().map(str::to_owned).collect();
        let times_words = self.times_words.load(Ordering::Relaxed);
        let takes = Duration::from_millis(self.takes.load(Ordering::Relaxed));
        tokio::spawn(async move {
            if !takes.is_zero() {
                sleep_until(Instant::now() + takes).await;
            }
            for (at, text) in (0_u32..).zip(words) {
                if times_words {
                    let word = SpokenWord { text, start: WORD * at, end: WORD * (at + 1) };
                    let _gone = tell.send(SpeechEvent::Words(vec![word])).await;
                }
                let samples = (0..RATE * 3 / 10).map(|n| {
                    ((n as f32 / RATE as f32 * 400.0 * std::f32::consts::TAU).sin() * 9_000.0) as i16
                });
                let _gone = tell.send(SpeechEvent::Samples(samples.collect())).await;
            }
            let _gone = tell.send(SpeechEvent::Done).await;
        });
        Ok(Speech::new(RATE, events))
    }
}

/// What is there of engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engines {
    Both,
    NoVoice,
    NoEars,
}

/// Who said what.
type Transcript = Arc<Mutex<Vec<(String, String)>>>;

/// A call.
pub struct CallStage {
    pub stage: Stage,
    pub ears: Arc<ScriptedEars>,
    pub voice: Arc<ToneVoice>,
    pub playout: Arc<Playout>,
    /// What the text channel was told.
    pub written: Arc<Mutex<Vec<String>>>,
    /// What it was told of what was said, by whom.
    pub transcript: Transcript,
    /// What it tells whoever looks on.
    pub now: Arc<CallsNow>,
    teller: CallTeller,
    call: Option<Call>,
    sequences: HashMap<AccountId, u16>,
    /// For each 20 ms whether the familiar was to be heard.
    heard: Vec<bool>,
}

/// What everybody's speech is like, in frames of 20 ms: coded once for all tests.
static SPEECH: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| Sound::voiced(11, 7_000).frames());

/// Where the call is.
pub fn wheelhouse() -> Place {
    channel(9, "Wheelhouse")
}

/// Somebody in the call, as the platform tells of it.
pub fn in_call(who: &str, voice: CallVoice) -> InCall {
    let (place, author) = (wheelhouse(), person(who));
    InCall {
        name: author.label().to_owned(),
        account: author.account,
        channel: place.channel,
        channel_name: "Wheelhouse".to_owned(),
        audience: place.audience,
        microphone: CallMicrophone::Open,
        headphones: Headphones::On,
        voice,
    }
}

impl CallStage {
    pub async fn open(settings: &str) -> Self {
        Self::with(settings, Engines::Both).await
    }

    /// With Ana in it, who agreed to be heard.
    pub async fn with_ana(settings: &str) -> Self {
        let mut call = Self::open(settings).await;
        call.joins("ana").await;
        call
    }

    pub async fn with(settings: &str, engines: Engines) -> Self {
        Self::hearing_ends(settings, engines, EndOfTurn::default()).await
    }

    /// With an end-of-turn model.
    pub async fn hearing_ends(settings: &str, engines: Engines, end_of_turn: EndOfTurn) -> Self {
        let settings = format!("{settings}\n[typing_simulation]\nenabled = false\n");
        let stage = Stage::with(&settings, MESSAGES).await;
        let now = Arc::<CallsNow>::default();
        let (line, port) = CallLine::open();
        let (ears, voice) = (Arc::new(ScriptedEars::default()), Arc::new(ToneVoice::default()));
        let clock: SharedClock = Arc::new(stage.clock.clone());
        let transcriber: Arc<dyn Transcriber> = Arc::<ScriptedEars>::clone(&ears);
        let synthesizer: Arc<dyn Synthesizer> = Arc::<ToneVoice>::clone(&voice);
        let teller = line.teller();
        let playout = Arc::clone(&line.playout);
        let call = Call::start(
            port,
            CallParts {
                session: stage.session.clone(),
                config: Arc::clone(&stage.config),
                clock,
                place: wheelhouse(),
                transcriber: (engines != Engines::NoEars).then_some(transcriber),
                synthesizer: (engines != Engines::NoVoice).then_some(synthesizer),
                why_not: [Some("there is no key for it".to_owned()), None],
                known: KnownVoice::default(),
                end_of_turn,
                greeting: None,
                seed: 5,
                now: Arc::clone(&now),
            },
        );
        let written = Arc::new(Mutex::new(Vec::new()));
        let (kept, mut notices) = (Arc::clone(&written), line.notices);
        let transcript: Transcript = Arc::default();
        let mirror = Arc::clone(&transcript);
        tokio::spawn(async move {
            let mut next = 77_u64;
            while let Some(notice) = notices.recv().await {
                let line = match notice {
                    CallNotice::Heard { author, text, .. } => {
                        mirror.lock().unwrap().push((author.label().to_owned(), text));
                        continue;
                    }
                    CallNotice::Said { text } => {
                        mirror.lock().unwrap().push(("Mika".to_owned(), text));
                        continue;
                    }
                    CallNotice::Written { text, posted, .. } => {
                        let _gone = posted.send(Ok(vec![MessageId::from(next)]));
                        next += 1;
                        text
                    }
                    CallNotice::Session { notice, .. } => format!("{notice:?}"),
                    CallNotice::HearsNothing { why } => format!("hears nothing: {why}"),
                    CallNotice::MissesWords { why } => format!("misses words: {why}"),
                    CallNotice::HearsAgain => "hears again".to_owned(),
                    CallNotice::HasNoVoice { why } => format!("has no voice: {why}"),
                    CallNotice::SpeaksAgain => "speaks again".to_owned(),
                    CallNotice::NotHeard { account, why } => format!("does not hear {account}: {why}"),
                    CallNotice::NotSpokenTo { account, why } => format!("does not speak to {account}: {why}"),
                    CallNotice::CannotDecode { .. } => "cannot decode".to_owned(),
                };
                kept.lock().unwrap().push(line);
            }
        });
        let mut open = Self {
            stage,
            ears,
            voice,
            playout,
            written,
            transcript,
            now,
            teller,
            call: Some(call),
            sequences: HashMap::new(),
            heard: Vec::new(),
        };
        // Until what will be said again and again is made.
        open.pass(600).await;
        *open.voice.prepared.lock().unwrap() = std::mem::take(&mut *open.voice.spoken.lock().unwrap());
        open.heard.clear();
        open
    }

    /// Somebody who agreed to be heard.
    pub async fn joins(&mut self, who: &str) {
        self.joins_as(who, true).await;
    }

    pub async fn joins_as(&mut self, who: &str, consents: bool) {
        let author = person(who);
        self.teller.tell(CallEvent::Joined(Participant { author, consents, can_stop: false })).await;
        self.settle().await;
    }

    pub async fn tell(&self, event: CallEvent) {
        self.teller.tell(event).await;
        self.settle().await;
    }

    /// What the recogniser will make of the next thing that they say.
    pub fn will_have_said(&self, who: &str, text: &str) {
        let mut lines = self.ears.lines.lock().unwrap();
        lines.entry(person(who).account).or_default().push_back(text.to_owned());
    }

    /// The recogniser tells what is being said.
    pub async fn partial(&self, who: &str, text: &str) {
        self.recogniser_tells(who, TranscriptEvent::Partial { text: text.to_owned() }).await;
    }

    pub async fn recogniser_tells(&self, who: &str, event: TranscriptEvent) {
        let tell = self.ears.open.lock().unwrap().get(&person(who).account).cloned();
        tell.expect("nobody listens to them").send(event).await.unwrap();
        self.settle().await;
    }

    /// Samples that their recogniser was given.
    pub fn given(&self, who: &str) -> usize {
        self.ears.given.lock().unwrap().get(&person(who).account).copied().unwrap_or(0)
    }

    /// They make a sound of speech for so long, seven seconds at most, and go on.
    pub async fn speaks(&mut self, who: &str, ms: usize) {
        self.frames(who, &SPEECH[..ms / 20]).await;
    }

    /// Their client sends this, in its time.
    pub async fn sounds(&mut self, who: &str, sound: &Sound) {
        self.frames(who, &sound.frames()).await;
    }

    async fn frames(&mut self, who: &str, frames: &[Vec<u8>]) {
        for opus in frames {
            self.packet(who, opus);
            self.pass(20).await;
        }
    }

    /// A frame of speech of each, at the same time.
    pub async fn speaks_at_once(&mut self, people: &[&str]) {
        for who in people {
            self.packet(who, &SPEECH[0]);
        }
        self.pass(20).await;
    }

    /// Their client stops sending.
    pub fn stops(&mut self, who: &str) {
        for _ in 0..5 {
            self.packet(who, &SILENCE);
        }
    }

    /// They say this, for so long, and stop.
    pub async fn utters(&mut self, who: &str, text: &str, ms: usize) {
        self.will_have_said(who, text);
        self.speaks(who, ms).await;
        self.stops(who);
    }

    /// They say this, stop, and are taken to be finished.
    pub async fn says(&mut self, who: &str, text: &str) {
        self.utters(who, text, 1_200).await;
        self.pass(700).await;
    }

    /// They say this, and the model is asked.
    pub async fn asked(&mut self, who: &str, text: &str) -> Asked {
        self.says(who, text).await;
        self.next_request().await
    }

    /// They say this, and are answered so to the end.
    pub async fn talk(&mut self, who: &str, text: &str, reply: &str) {
        let asked = self.asked(who, text).await;
        self.replied(asked, reply).await;
    }

    /// The next request is answered so, to the end.
    pub async fn answers(&mut self, reply: &str) {
        let asked = self.next_request().await;
        self.replied(asked, reply).await;
    }

    /// This request is answered so, to the end.
    pub async fn replied(&mut self, asked: Asked, reply: &str) {
        asked.reply(reply);
        self.until_said().await;
    }

    /// Their client sends this.
    pub fn sends(&mut self, who: &str, opus: &[u8]) {
        self.packet(who, opus);
    }

    /// What everybody's voice is like: frames as they are sent, and pieces of them as they are decoded to samples.
    pub fn voice_of_all(&self) -> Vec<Vec<u8>> {
        let frames = &SPEECH[..60];
        let mut decoder = opus2::Decoder::new(16_000, opus2::Channels::Mono).unwrap();
        let (mut samples, mut frame) = (Vec::new(), vec![0; 1_920]);
        for opus in frames {
            let count = decoder.decode(opus, &mut frame, false).unwrap();
            samples.extend_from_slice(&frame[..count]);
        }
        let decoded = samples.chunks_exact(160).skip(20).step_by(7);
        let pieces = decoded.map(|piece| piece.iter().flat_map(|sample| sample.to_le_bytes()).collect());
        frames.iter().filter(|frame| frame.len() > 16).cloned().chain(pieces).collect()
    }

    fn packet(&mut self, who: &str, opus: &[u8]) {
        let account = person(who).account;
        let sequence = self.sequences.entry(account.clone()).or_default();
        *sequence = sequence.wrapping_add(1);
        let packet = Packet {
            ssrc: ssrc(&account),
            sequence: *sequence,
            timestamp: u32::from(*sequence) * 960,
            opus: opus.into(),
            arrived: Instant::now(),
        };
        self.teller.packet(account, packet);
    }

    /// Time passes, and the familiar is listened to.
    pub async fn pass(&mut self, ms: u64) {
        for _ in 0..ms.div_ceil(20) {
            let mut frame = [0.0; OUT_FRAME];
            self.playout.pull(&mut frame);
            self.heard.push(frame.iter().any(|sample| sample.abs() > 0.001));
            tokio::time::advance(FRAME_TIME).await;
            self.settle().await;
        }
    }

    /// Everybody does what there is to do at this moment.
    async fn settle(&self) {
        for _ in 0..60 {
            tokio::task::yield_now().await;
        }
    }

    /// The next request that reaches the model, however long the stores take.
    pub async fn next_request(&mut self) -> Asked {
        let models = Arc::clone(&self.stage.models);
        self.in_time("a request", async move { models.next().await }).await
    }

    /// Waits until so many messages stand in its text channel, however long the stores take.
    pub async fn is_written(&mut self, messages: usize) {
        let written = Arc::clone(&self.written);
        let all = async move {
            while written.lock().unwrap().len() < messages {
                tokio::task::yield_now().await;
            }
        };
        self.in_time("what is written", all).await;
    }

    /// Waits by the real clock, while the call's stands still. Time passes only where nothing came for so long that
    /// something must be waiting for it.
    async fn in_time<T>(&mut self, what: &str, done: impl Future<Output = T>) -> T {
        let mut done = pin!(done);
        for _ in 0..80 {
            let began = std::time::Instant::now();
            while began.elapsed() < Duration::from_millis(250) {
                tokio::select! {
                    biased;
                    done = &mut done => return done,
                    () = tokio::task::yield_now() => std::thread::yield_now(),
                }
            }
            self.pass(20).await;
        }
        panic!("waited in vain for {what}");
    }

    /// Time passes until something is true.
    pub async fn until(&mut self, what: &str, is_true: impl Fn(&Self) -> bool) {
        // What a thread works out beside the clock by hand takes its time on a busy machine.
        let began = std::time::Instant::now();
        for passed in 0.. {
            if is_true(self) {
                return;
            }
            assert!(
                passed < 3_000 || began.elapsed() < Duration::from_secs(10),
                "it never came to this: {what}"
            );
            self.pass(20).await;
            std::thread::yield_now();
        }
    }

    /// Time passes until the familiar can be heard.
    pub async fn until_audible(&mut self) {
        self.until("it can be heard", |call| call.heard.last() == Some(&true)).await;
    }

    /// Time passes until it has said everything and that is stored.
    pub async fn until_said(&mut self) {
        self.until_audible().await;
        self.until("it has finished", |call| call.playout.is_idle()).await;
        self.pass(100).await;
        self.stored().await;
    }

    /// Waits until everything is stored.
    pub async fn stored(&mut self) {
        let session = self.stage.session.clone();
        self.in_time("stored", async move { session.settle(&wheelhouse()).await }).await.unwrap();
    }

    /// What became of so many turns, as soon as they have all ended.
    pub async fn ended(&mut self, turns: usize) -> Vec<Outcome> {
        let traces = Arc::clone(&self.stage.traces);
        let ended = async move {
            loop {
                let outcomes = outcomes_of(&traces).await;
                if outcomes.len() >= turns {
                    return outcomes;
                }
                tokio::task::yield_now().await;
            }
        };
        let outcomes = self.in_time("the end of a turn", ended).await;
        self.settle().await;
        outcomes
    }

    /// For how long it was to be heard so far.
    pub fn heard_ms(&self) -> usize {
        self.heard.iter().filter(|heard| **heard).count() * 20
    }

    /// What the history holds: (speaker, words).
    pub async fn remembered(&self) -> Vec<(String, String)> {
        self.stage.remembered_in(&wheelhouse()).await
    }

    /// The call ends.
    pub async fn close(mut self) -> (Stage, CallFigures) {
        self.teller.tell(CallEvent::Close).await;
        let call = self.call.take().unwrap();
        let figures = patiently("the end", call.ended()).await;
        (self.stage, figures)
    }
}

fn ssrc(account: &AccountId) -> u32 {
    account.id().parse().unwrap()
}

/// Waits by the real clock, while the call's stands still.
pub async fn patiently<T>(what: &str, done: impl Future<Output = T>) -> T {
    let began = std::time::Instant::now();
    let gives_up = async {
        while began.elapsed() < Duration::from_secs(60) {
            tokio::task::yield_now().await;
            std::thread::yield_now();
        }
    };
    tokio::select! {
        biased;
        done = done => done,
        () = gives_up => panic!("waited in vain for {what}"),
    }
}
