//! Engines that know what was said, and fail now and then.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use familiar_connect::domain::AccountId;
use familiar_connect::voice::engines::*;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// Samples a second of the voice.
const RATE: u32 = 24_000;

/// How long one word lasts, in samples: 300 ms.
const WORD: u32 = RATE * 3 / 10;

/// So much of what recognisers were asked and told is kept, to tell the story of what went wrong.
const REMEMBERED: usize = 4_000;

/// The words of its replies; each is said as a tone of its own, so that what was heard can be read from the sound. The
/// first one begins every reply and stands nowhere else.
pub const WORDS: [&str; 24] = [
    "well", "anchor", "barrel", "candle", "dragon", "ember", "forest", "garden", "harbour", "island",
    "jacket", "kettle", "lantern", "meadow", "needle", "orchard", "pebble", "quarry", "ribbon", "saddle",
    "timber", "umbrella", "valley", "willow",
];

/// The tone of a word.
pub fn pitch(word: usize) -> f32 {
    400.0 + 100.0 * word as f32
}

/// Which word that is.
pub fn word_of(text: &str) -> Option<usize> {
    let plain: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
    WORDS.iter().position(|word| *word == plain.to_lowercase())
}

/// What goes wrong next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Something cannot be recognised.
    Fails,
    /// The connection ends.
    Closes,
    /// The last words take their time.
    Slow,
}

#[derive(Debug, Default)]
struct Lines {
    /// What people are about to have said.
    waiting: HashMap<AccountId, VecDeque<String>>,
    /// What was told of, and what was lost on the way.
    told: BTreeSet<String>,
    lost: BTreeSet<String>,
    fault: Option<Fault>,
    refuses: bool,
    faults: usize,
    /// What every recogniser was asked and told lately, in order.
    log: VecDeque<String>,
}

/// A recogniser.
#[derive(Debug, Default)]
pub struct Ears(Arc<Mutex<Lines>>);

impl Ears {
    pub fn will_hear(&self, who: &AccountId, line: String) {
        self.0.lock().unwrap().waiting.entry(who.clone()).or_default().push_back(line);
    }

    /// They are gone, and what they were about to have said with them.
    pub fn forget(&self, who: &AccountId) {
        let mut lines = self.0.lock().unwrap();
        lines.note(who, "gone");
        let waiting = lines.waiting.remove(who).unwrap_or_default();
        lines.lost.extend(waiting);
    }

    pub fn breaks(&self, fault: Fault) {
        self.0.lock().unwrap().fault = Some(fault);
    }

    pub fn heals(&self) {
        self.0.lock().unwrap().fault = None;
    }

    pub fn refuses(&self, refuses: bool) {
        self.0.lock().unwrap().refuses = refuses;
    }

    /// What was asked and told around these words.
    pub fn around(&self, text: &str) -> Vec<String> {
        let lines = self.0.lock().unwrap();
        let Some(at) = lines.log.iter().position(|line| line.contains(text)) else { return Vec::new() };
        lines.log.iter().skip(at.saturating_sub(15)).take(60).cloned().collect()
    }

    /// (told as final words, lost by a fault or because they left, faults so far)
    pub fn figures(&self) -> (BTreeSet<String>, BTreeSet<String>, usize) {
        let lines = self.0.lock().unwrap();
        (lines.told.clone(), lines.lost.clone(), lines.faults)
    }
}

impl Lines {
    fn note(&mut self, who: &AccountId, what: &str) {
        let at = Instant::now();
        if self.log.len() >= REMEMBERED {
            self.log.pop_front();
        }
        self.log.push_back(format!("{at:?} {who} {what}"));
    }

    fn said(&mut self, who: &AccountId) -> Vec<String> {
        self.waiting.get_mut(who).map(|waiting| waiting.drain(..).collect()).unwrap_or_default()
    }
}

#[async_trait]
impl Transcriber for Ears {
    fn name(&self) -> &str {
        "soaked"
    }

    fn abilities(&self) -> TranscriberAbilities {
        TranscriberAbilities { partials: true, ends_turns: false, streaming: true }
    }

    async fn open(&self, hints: &TranscriptionHints) -> Result<Transcription, EngineError> {
        if self.0.lock().unwrap().refuses {
            return Err(EngineError::Unreachable { engine: "soaked", said: "not now".to_owned() });
        }
        let who = hints.speaker.clone().unwrap();
        let (input, told) = mpsc::channel(256);
        let (tell, events) = mpsc::channel(64);
        tokio::spawn(listen(Arc::clone(&self.0), who, told, tell));
        Ok(Transcription { input, events })
    }
}

async fn listen(
    lines: Arc<Mutex<Lines>>,
    who: AccountId,
    mut told: mpsc::Receiver<SpeechInput>,
    tell: mpsc::Sender<TranscriptEvent>,
) {
    let mut samples = 0;
    while let Some(input) = told.recv().await {
        match input {
            SpeechInput::Samples(more) => {
                let before = samples;
                // Made-up silence is not speech.
                samples += more.iter().filter(|sample| **sample != 0).count();
                // Words are known more than half a second after they begin.
                if before < 9_600 && samples >= 9_600 {
                    let line =
                        lines.lock().unwrap().waiting.get(&who).and_then(|waiting| waiting.front().cloned());
                    if let Some(text) = line {
                        lines.lock().unwrap().note(&who, &format!("partial {text}"));
                        let _gone = tell.send(TranscriptEvent::Partial { text }).await;
                    }
                }
            }
            SpeechInput::Finalize => {
                samples = 0;
                let fault = {
                    let mut lines = lines.lock().unwrap();
                    lines.note(&who, "finalize");
                    let fault = lines.fault.take();
                    lines.faults += usize::from(fault.is_some());
                    fault
                };
                // What was said by now is what it answers with, whenever that is.
                let said = lines.lock().unwrap().said(&who);
                takes(if fault == Some(Fault::Slow) { 1_500 } else { 180 }).await;
                if tell.is_closed() {
                    lines.lock().unwrap().lost.extend(said);
                    return;
                }
                let event = answer(&mut lines.lock().unwrap(), &who, fault, said);
                let _gone = tell.send(event).await;
                if fault == Some(Fault::Closes) {
                    let _gone = tell.send(TranscriptEvent::Closed).await;
                    return;
                }
            }
        }
    }
}

fn answer(lines: &mut Lines, who: &AccountId, fault: Option<Fault>, said: Vec<String>) -> TranscriptEvent {
    lines.note(who, &format!("{fault:?} {said:?}"));
    if matches!(fault, Some(Fault::Fails | Fault::Closes)) {
        lines.lost.extend(said);
        let said = "broken".to_owned();
        return TranscriptEvent::Failed(EngineError::Unreachable { engine: "soaked", said });
    }
    let text = said.join(" ");
    lines.told.extend(said);
    TranscriptEvent::Final { text, finalized: true }
}

/// Time of the play passes.
async fn takes(ms: u64) {
    sleep_until(Instant::now() + Duration::from_millis(ms)).await;
}

/// A voice of tones. Fails or falls silent where it is told to.
#[derive(Debug, Default)]
pub struct Voice {
    broken: Mutex<Option<Fault>>,
    /// Phrases and failures so far.
    pub spoken: Mutex<(usize, usize)>,
}

impl Voice {
    pub fn breaks(&self, fault: Fault) {
        *self.broken.lock().unwrap() = Some(fault);
    }

    pub fn heals(&self) {
        *self.broken.lock().unwrap() = None;
    }
}

#[async_trait]
impl Synthesizer for Voice {
    fn name(&self) -> &str {
        "tones"
    }

    async fn warm_up(&self) {}

    async fn speak(&self, phrase: &Phrase) -> Result<Speech, EngineError> {
        let fault = self.broken.lock().unwrap().take();
        {
            let mut spoken = self.spoken.lock().unwrap();
            spoken.0 += 1;
            spoken.1 += usize::from(fault.is_some());
        }
        if fault == Some(Fault::Fails) {
            return Err(EngineError::Unreachable { engine: "tones", said: "gone".to_owned() });
        }
        let (tell, events) = mpsc::channel(64);
        let words: Vec<String> = phrase.text.split_whitespace().map(str::to_owned).collect();
        tokio::spawn(async move {
            takes(if fault == Some(Fault::Slow) { 1_200 } else { 120 }).await;
            for (at, text) in (0_u32..).zip(words) {
                if fault == Some(Fault::Closes) && at == 2 {
                    let said = "in the middle".to_owned();
                    let failed = EngineError::Unreachable { engine: "tones", said };
                    let _gone = tell.send(SpeechEvent::Failed(failed)).await;
                    return;
                }
                let hz = pitch(word_of(&text).unwrap_or(WORDS.len()));
                let long = Duration::from_millis(300);
                let word = SpokenWord { text, start: long * at, end: long * (at + 1) };
                let _gone = tell.send(SpeechEvent::Words(vec![word])).await;
                let tone = (0..WORD)
                    .map(|n| ((n as f32 / RATE as f32 * hz * std::f32::consts::TAU).sin() * 9_000.0) as i16);
                if tell.send(SpeechEvent::Samples(tone.collect())).await.is_err() {
                    return;
                }
            }
            let _gone = tell.send(SpeechEvent::Done).await;
        });
        Ok(Speech::new(RATE, events))
    }
}
