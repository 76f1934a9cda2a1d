//! What is remembered of a reply is what could be heard of it, whatever happened in between.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use proptest::prelude::*;
use tokio::sync::mpsc;

use super::*;
use crate::domain::{AccountId, ChannelId, Place};
use crate::voice::engines::{EngineError, Phrase, Speech, SpeechEvent, SpokenWord};
use crate::voice::frame::{FRAME_TIME, OUT_FRAME, OUT_RATE};

/// How long a word lasts.
const WORD: Duration = Duration::from_millis(300);

const WORDS: [&str; 12] = [
    "anchor", "barrel", "candle", "dragon", "ember", "forest", "garden", "harbour", "island", "jacket",
    "kettle", "lantern",
];

/// Says each word as a tone of [`WORD`].
#[derive(Debug)]
struct Tones;

#[async_trait]
impl Synthesizer for Tones {
    fn name(&self) -> &str {
        "tones"
    }

    async fn warm_up(&self) {}

    async fn speak(&self, phrase: &Phrase) -> Result<Speech, EngineError> {
        let (tell, events) = mpsc::channel(256);
        for (at, text) in (0_u32..).zip(phrase.text.split_whitespace()) {
            let word = SpokenWord { text: text.to_owned(), start: WORD * at, end: WORD * (at + 1) };
            tell.try_send(SpeechEvent::Words(vec![word])).unwrap();
            let tone = (0..OUT_RATE * 3 / 10).map(|n| {
                let at = n as f32 / OUT_RATE as f32 + 0.000_3;
                ((at * 400.0 * std::f32::consts::TAU).sin() * 9_000.0) as i16 | 1
            });
            tell.try_send(SpeechEvent::Samples(tone.collect())).unwrap();
        }
        tell.try_send(SpeechEvent::Done).unwrap();
        Ok(Speech::new(OUT_RATE, events))
    }
}

#[derive(Debug, Clone)]
enum Move {
    /// So many more words, with this behind them.
    Words(usize, &'static str),
    Hold(bool),
    Duck(bool),
    Wait(usize),
    Filler,
    Abandon,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => (1_usize..7, prop::sample::select(vec![" ", ", ", ". "])).prop_map(|(n, end)| Move::Words(n, end)),
        5 => (1_usize..60).prop_map(Move::Wait),
        2 => any::<bool>().prop_map(Move::Hold),
        1 => any::<bool>().prop_map(Move::Duck),
        1 => Just(Move::Filler),
        1 => Just(Move::Abandon),
    ];
    prop::collection::vec(one, 1..24)
}

/// Samples of one frame in which there is anything.
async fn frame(playout: &Playout) -> usize {
    let mut frame = [0.0; OUT_FRAME];
    playout.pull(&mut frame);
    tokio::time::advance(FRAME_TIME).await;
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    frame.iter().filter(|sample| **sample != 0.0).count()
}

/// A speech output, its task, what it plays, and what it tells its call.
fn opened(
    voice: Arc<dyn Synthesizer>,
    known: KnownVoice,
) -> (Arc<SpeechOutput>, JoinHandle<()>, Arc<Playout>, mpsc::Receiver<TurnEvent>) {
    let playout = Arc::new(Playout::new());
    let (notices, mut noticed) = mpsc::channel(64);
    let (events, told) = mpsc::channel(64);
    tokio::spawn(async move { while noticed.recv().await.is_some() {} });
    let (speech_output, task) = SpeechOutput::open(SpeechOutputParts {
        synthesizer: Some(voice),
        playout: Arc::clone(&playout),
        notices,
        events,
        duck: 15.0,
        known,
    });
    (speech_output, task, playout, told)
}

/// What was said in all, what is remembered, whether it was broken off, and for how long it was audible.
async fn played(script: Vec<Move>) -> (Vec<String>, Vec<String>, bool, Duration) {
    let (speech_output, task, playout, mut told) = opened(Arc::new(Tones), KnownVoice::default());
    tokio::spawn(async move { while told.recv().await.is_some() {} });
    let to = Delivery::to(TurnId(1), Place::terminal(ChannelId::from(1)));
    let _typing = speech_output.typing(&to);
    let (mut said, mut samples, mut is_over) = (Vec::new(), 0, false);
    for one in script {
        match one {
            Move::Words(count, end) => {
                let words: Vec<&str> = (0..count).map(|n| WORDS[(said.len() + n) % WORDS.len()]).collect();
                said.extend(words.iter().map(|word| (*word).to_owned()));
                speech_output.deliver(&to, &format!("{}{end}", words.join(" ")), false).await.unwrap();
            }
            Move::Hold(held) => speech_output.tell(OutputCommand::Hold(held)),
            Move::Duck(quiet) => speech_output.tell(OutputCommand::Duck(quiet)),
            Move::Wait(frames) => {
                for _ in 0..frames {
                    samples += frame(&playout).await;
                }
            }
            Move::Filler => speech_output.tell(OutputCommand::Filler("hm".to_owned())),
            Move::Abandon => {
                is_over = true;
                speech_output.tell(OutputCommand::BreakOff(TurnId(1)));
            }
        }
    }
    speech_output.tell(OutputCommand::Hold(false));
    let ending = {
        let (speech_output, to) = (Arc::clone(&speech_output), to.clone());
        tokio::spawn(async move { speech_output.finish(&to, true).await })
    };
    for _ in 0..6_000 {
        samples += frame(&playout).await;
        if ending.is_finished() {
            break;
        }
    }
    // What fades out is heard as well.
    samples += frame(&playout).await;
    let Settled::Instead { text, .. } = ending.await.unwrap() else { panic!("it is told what was heard") };
    task.abort();
    let plain = |word: &str| word.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let remembered = text.split_whitespace().map(plain).filter(|word| word != "hm").collect::<Vec<_>>();
    let fillers = text.split_whitespace().filter(|word| plain(word) == "hm").count();
    let heard = Duration::from_secs_f64(samples as f64 / f64::from(OUT_RATE));
    (said, remembered, is_over, heard.saturating_sub(WORD * u32::try_from(fillers).unwrap()))
}

proptest! {
    #[test]
    fn what_is_remembered_is_what_was_audible(script in moves()) {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let (said, remembered, is_over, heard) = runtime.block_on(played(script));
        prop_assert!(said.starts_with(&remembered), "{said:?}: {remembered:?}");
        let audible = heard.as_secs_f64() / WORD.as_secs_f64();
        let off = (remembered.len() as f64 - audible).abs();
        prop_assert!(off <= 1.0, "remembered {} words, heard {audible}", remembered.len());
        if !is_over {
            prop_assert_eq!(remembered, said, "nobody broke it off");
        }
    }
}

/// A speech output that says four words, and what it plays.
async fn four_words(known: KnownVoice) -> (Arc<SpeechOutput>, Arc<Playout>, Delivery) {
    let (speech_output, _task, playout, mut told) = opened(Arc::new(Tones), known);
    tokio::spawn(async move { while told.recv().await.is_some() {} });
    let to = Delivery::to(TurnId(1), Place::terminal(ChannelId::from(1)));
    let _typing = speech_output.typing(&to);
    speech_output.deliver(&to, "anchor barrel candle dragon. ", false).await.unwrap();
    (speech_output, playout, to)
}

async fn remembered(speech_output: &SpeechOutput, to: &Delivery) -> String {
    let Settled::Instead { text, .. } = speech_output.finish(to, true).await else {
        panic!("it is told what was heard")
    };
    text
}

#[tokio::test(start_paused = true)]
async fn what_was_played_before_a_pause_was_heard_to_its_end() {
    for (frames_of_pause, heard) in [(0, "anchor"), (1, "anchor"), (6, "anchor barrel")] {
        let (speech_output, playout, to) = four_words(KnownVoice::default()).await;
        // Half of the second word, and a little more.
        while playout.position() < u64::from(OUT_RATE) * 480 / 1_000 {
            frame(&playout).await;
        }
        if frames_of_pause > 0 {
            speech_output.tell(OutputCommand::Hold(true));
        }
        for _ in 0..frames_of_pause {
            frame(&playout).await;
        }
        speech_output.tell(OutputCommand::BreakOff(TurnId(1)));
        assert_eq!(remembered(&speech_output, &to).await, heard, "{frames_of_pause} frames");
    }
}

#[tokio::test(start_paused = true)]
async fn what_nobody_takes_is_given_up_and_was_not_heard() {
    let (speech_output, playout, to) = four_words(KnownVoice::default()).await;
    frame(&playout).await;
    let asked = tokio::time::Instant::now();
    assert_eq!(remembered(&speech_output, &to).await, "");
    let waited = asked.elapsed();
    assert!((Duration::from_secs(2)..Duration::from_secs(3)).contains(&waited), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_sound_that_was_made_once_is_there_in_the_next_call() {
    let known = KnownVoice::default();
    let (speech_output, playout, to) = four_words(known.clone()).await;
    speech_output.tell(OutputCommand::Prepare(vec!["hm".to_owned()]));
    for _ in 0..60 {
        frame(&playout).await;
    }
    assert!(!known.clips.has("hm", &Tones), "there is something else to say");
    speech_output.tell(OutputCommand::BreakOff(TurnId(1)));
    remembered(&speech_output, &to).await;
    for _ in 0..60 {
        frame(&playout).await;
    }
    assert!(known.clips.has("hm", &Tones));
}

/// Speaks as [`Tones`] does, and knows for whom each phrase was.
#[derive(Debug, Default)]
struct Listeners(Mutex<Vec<Option<AccountId>>>);

#[async_trait]
impl Synthesizer for Listeners {
    fn name(&self) -> &str {
        Tones.name()
    }

    async fn warm_up(&self) {}

    async fn speak(&self, phrase: &Phrase) -> Result<Speech, EngineError> {
        self.0.lock().push(phrase.listener.clone());
        Tones.speak(phrase).await
    }
}

/// A speech output that said the first phrase of an answer early, and for whom each phrase was. What is wanted so much later is said.
async fn said_early(wanted_after: Duration, answer: &str) -> (String, Vec<Option<AccountId>>) {
    let listeners = Arc::new(Listeners::default());
    let (speech_output, task, playout, mut told) =
        opened(Arc::<Listeners>::clone(&listeners), KnownVoice::default());
    speech_output.may_speak_ahead(true);
    let mut to = Delivery::to(TurnId(1), Place::terminal(ChannelId::from(1)));
    to.whom = Some(AccountId::discord(7));
    speech_output.speculate(4, Speculated::Begun(Box::new(to.clone())));
    speech_output.speculate(4, Speculated::Words(answer.to_owned()));
    speech_output.speculate(4, Speculated::NoMore { is_whole: true });
    assert!(matches!(told.recv().await, Some(TurnEvent::Ready { .. })));
    tokio::spawn(async move { while told.recv().await.is_some() {} });
    tokio::time::advance(wanted_after).await;
    // Its end is known as soon as it is wanted: what was made is taken later than that.
    let _typing = speech_output.typing(&to);
    speech_output.deliver(&to, answer, false).await.unwrap();
    let ending = {
        let (speech_output, to) = (Arc::clone(&speech_output), to.clone());
        tokio::spawn(async move { remembered(&speech_output, &to).await })
    };
    for _ in 0..6_000 {
        frame(&playout).await;
        if ending.is_finished() {
            break;
        }
    }
    task.abort();
    (ending.await.unwrap(), std::mem::take(&mut *listeners.0.lock()))
}

#[tokio::test(start_paused = true)]
async fn a_first_phrase_that_was_made_long_ago_is_not_taken_for_a_stalled_one() {
    // Which of two things that are there a task takes first is up to chance.
    for _ in 0..30 {
        let (heard, _) = said_early(Duration::from_secs(5), "anchor barrel candle dragon.").await;
        assert_eq!(heard, "anchor barrel candle dragon.");
    }
}

#[tokio::test(start_paused = true)]
async fn a_phrase_that_may_never_be_wanted_uses_up_nobodys_hour() {
    let answer = "anchor barrel candle dragon. ember forest garden harbour. ";
    let (heard, listeners) = said_early(Duration::ZERO, answer).await;
    assert_eq!(heard, answer.trim());
    assert_eq!(listeners, [None, Some(AccountId::discord(7))]);
}
