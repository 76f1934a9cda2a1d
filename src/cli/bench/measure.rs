//! How long the parts of a call take, as they are set up: the recogniser, the voice, the model, and the way from words to
//! sound in this program itself.
//!
//! Owns one measurement of each. Must not know how often or for whom. Start reading at [`spoken`].

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use async_trait::async_trait;
use futures::StreamExt as _;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use crate::domain::{Place, TurnId};
use crate::llm::{CompletionModel, CompletionRequest, Delta};
use crate::session::{Delivery, Outbox as _};
use crate::voice::engines::{
    EngineError, Phrase, Speech, SpeechEvent, SpeechInput, Synthesizer, Transcriber, TranscriptEvent,
    TranscriptionHints, to_heard_rate,
};
use crate::voice::frame::{FRAME, FRAME_TIME, OUT_FRAME, OUT_RATE};
use crate::voice::{KnownVoice, Playout, SpeechOutput, SpeechOutputParts};

/// Nothing is waited for longer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Quieter than this is no speech any more: what a voice says ends with some silence.
const QUIET: u16 = 400;

/// So long after the last sound the recogniser is asked for everything, as in a call where the client has stopped.
const ASKED_AFTER: Duration = Duration::from_millis(60);

/// A phrase as a voice says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpokenPhrase {
    /// Until its first sound.
    pub first: Duration,
    pub rate: u32,
    pub samples: Vec<i16>,
}

/// Has a voice say a phrase.
///
/// # Errors
/// When it fails, or gives no sound.
pub(super) async fn spoken(voice: &dyn Synthesizer, text: &str) -> anyhow::Result<SpokenPhrase> {
    voice.warm_up().await;
    let asked = Instant::now();
    let mut speech = voice.speak(&Phrase::of(text)).await?;
    let (mut samples, mut first) = (Vec::new(), None);
    while let Ok(Some(event)) = timeout(PATIENCE, speech.events.recv()).await {
        match event {
            SpeechEvent::Samples(more) => {
                first.get_or_insert_with(|| asked.elapsed());
                samples.extend(more);
            }
            SpeechEvent::Words(_) => {}
            SpeechEvent::Done => break,
            SpeechEvent::Failed(error) => return Err(error.into()),
        }
    }
    let first = first.context("the voice gave nothing")?;
    Ok(SpokenPhrase { first, rate: speech.rate, samples })
}

/// What a recogniser made of something, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HeardPhrase {
    /// From the end of the speech to its last words.
    pub last_words: Duration,
    pub text: String,
}

/// Speaks to a recogniser as somebody in a call does: in real time, and then nothing.
///
/// # Errors
/// When it fails, or does not answer.
pub(super) async fn heard(ears: &dyn Transcriber, said: &SpokenPhrase) -> anyhow::Result<HeardPhrase> {
    let mut samples = to_heard_rate(said.rate, &said.samples)?;
    let last = samples.iter().rposition(|sample| sample.unsigned_abs() > QUIET);
    samples.truncate(last.map_or(0, |last| last + 1));
    let mut ear = ears.open(&TranscriptionHints::default()).await?;
    let mut frames = interval(FRAME_TIME);
    frames.set_missed_tick_behavior(MissedTickBehavior::Burst);
    for frame in samples.chunks(FRAME) {
        frames.tick().await;
        if ear.input.send(SpeechInput::Samples(frame.into())).await.is_err() {
            break;
        }
    }
    let ended = Instant::now();
    tokio::time::sleep(ASKED_AFTER).await;
    // Where nobody listens any more the events say why.
    ear.input.send(SpeechInput::Finalize).await.ok();
    let mut text = String::new();
    while let Ok(Some(event)) = timeout(PATIENCE, ear.events.recv()).await {
        match event {
            TranscriptEvent::Final { text: more, finalized } => {
                text.push_str(&more);
                if finalized {
                    return Ok(HeardPhrase { last_words: ended.elapsed(), text });
                }
            }
            TranscriptEvent::EndOfTurn { text } => {
                return Ok(HeardPhrase { last_words: ended.elapsed(), text });
            }
            TranscriptEvent::Failed(error) => return Err(error.into()),
            TranscriptEvent::Closed => break,
            _ => {}
        }
    }
    bail!("the recogniser gave nothing")
}

/// Until a model's first word.
///
/// # Errors
/// When it fails, or says nothing.
pub(super) async fn first_word_after(
    model: &dyn CompletionModel,
    request: CompletionRequest,
) -> anyhow::Result<Duration> {
    let asked = Instant::now();
    let mut stream = model.complete(request).await.context("the model failed")?;
    while let Ok(Some(delta)) = timeout(PATIENCE, stream.next()).await {
        match delta.context("the model failed")? {
            Delta::Text(words) if !words.trim().is_empty() => return Ok(asked.elapsed()),
            Delta::Finished(_) => break,
            _ => {}
        }
    }
    bail!("the model gave nothing")
}

/// From the first words of an answer to the frame in which they sound, with a voice that takes no time: the program's own
/// part of that way, without Discord.
///
/// # Errors
/// When no sound comes.
pub(super) async fn own(place: Place) -> anyhow::Result<Duration> {
    let playout = Arc::new(Playout::new());
    let (notices, _notices) = mpsc::channel(8);
    let (events, mut told) = mpsc::channel(256);
    tokio::spawn(async move { while told.recv().await.is_some() {} });
    let (speech_output, task) = SpeechOutput::open(SpeechOutputParts {
        synthesizer: Some(Arc::new(AtOnce)),
        playout: Arc::clone(&playout),
        notices,
        events,
        duck: 0.0,
        known: KnownVoice::default(),
    });
    let to = Delivery::to(TurnId(1), place);
    let _typing = speech_output.typing(&to);
    let mut frames = interval(FRAME_TIME);
    let mut frame = vec![0.0; OUT_FRAME];
    frames.tick().await;
    let said = Instant::now();
    if speech_output.deliver(&to, "It is late, very late.", true).await.is_err() {
        bail!("the speech_output gave nothing");
    }
    let mut took = None;
    while said.elapsed() < PATIENCE {
        frames.tick().await;
        if playout.pull(&mut frame) {
            took = Some(said.elapsed());
            break;
        }
    }
    task.abort();
    took.context("the speech_output gave nothing")
}

/// A voice that has everything ready.
#[derive(Debug)]
struct AtOnce;

#[async_trait]
impl Synthesizer for AtOnce {
    fn name(&self) -> &str {
        "none"
    }

    async fn warm_up(&self) {}

    async fn speak(&self, _phrase: &Phrase) -> Result<Speech, EngineError> {
        let (tell, events) = mpsc::channel(2);
        let tone = (0..OUT_RATE / 4).map(|n| if n % 100 < 50 { 8_000 } else { -8_000 }).collect();
        // There is room for both.
        tell.try_send(SpeechEvent::Samples(tone)).ok();
        tell.try_send(SpeechEvent::Done).ok();
        Ok(Speech::new(OUT_RATE, events))
    }
}
