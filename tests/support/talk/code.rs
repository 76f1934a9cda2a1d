//! Words as sound that can be read back: each word of a scripted voice is a chord of two tones of its own. What was
//! heard of a reply is then known to the word, without any recogniser.

use std::collections::HashMap;
use std::f32::consts::TAU;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use crate::support::voice::{Heard, RATE, amplitude};

/// Samples a second of what is written.
pub const VOICE_RATE: u32 = 24_000;

/// How long a word sounds, and how long it is quiet behind it.
const TONE_MS: u32 = 120;
const GAP_MS: u32 = 40;

/// The silence behind a word.
pub const GAP: Duration = Duration::from_millis(GAP_MS as u64);

/// How long a word takes.
pub const WORD: Duration = Duration::from_millis((TONE_MS + GAP_MS) as u64);

/// Each of the two tones of a word, and how many there are of either.
const LEVEL: f32 = 0.25;
const LOW: (f32, f32, usize) = (400.0, 60.0, 16);
const HIGH: (f32, f32, usize) = (1600.0, 100.0, 16);

/// Samples that are judged together, at [`RATE`]: 5 ms.
const WINDOW: usize = 240;
const WINDOW_TIME: Duration = Duration::from_millis(5);

/// Quieter than this is between words. A word that is spoken 15 dB more quietly is well above.
const QUIET: f32 = 0.025;

/// Nothing can be read from less.
const LEAST: Duration = Duration::from_millis(25);

/// Packets further apart than this belong to different words.
const APART: Duration = Duration::from_millis(90);

/// The words that were ever spoken, by their number.
#[derive(Debug, Default)]
pub struct Codebook {
    numbers: Mutex<HashMap<String, usize>>,
}

/// A word that was heard.
#[derive(Debug, Clone, PartialEq)]
pub struct HeardWord {
    /// The word in small letters; empty for a sound that is none.
    pub word: String,
    /// When its first packet came, and its last.
    pub began: Instant,
    pub ended: Instant,
    /// How much of it sounded, 0 to 1.
    pub share: f32,
    /// The silence before it, as it was sent; nothing where packets had stopped.
    pub gap: Option<Duration>,
}

impl Codebook {
    fn number(&self, word: &str) -> usize {
        let mut numbers = self.numbers.lock().unwrap();
        let next = numbers.len();
        assert!(next < LOW.2 * HIGH.2, "a script of {next} different words");
        *numbers.entry(bare(word)).or_insert(next)
    }

    fn word(&self, number: usize) -> String {
        let numbers = self.numbers.lock().unwrap();
        numbers.iter().find(|(_, of)| **of == number).map(|(word, _)| word.clone()).unwrap_or_default()
    }

    /// A text at [`VOICE_RATE`], one [`WORD`] after the other.
    pub fn spoken(&self, text: &str) -> Vec<i16> {
        let samples = |ms: u32| (VOICE_RATE / 1000 * ms) as usize;
        let (tone, fade) = (samples(TONE_MS), samples(4) as f32);
        let mut sound = Vec::new();
        for word in text.split_whitespace() {
            let (low, high) = tones(self.number(word));
            sound.extend((0..tone).map(|at| {
                let time = at as f32 / VOICE_RATE as f32;
                let edge = (at.min(tone - at) as f32 / fade).min(1.0);
                let chord = (time * low * TAU).sin() + (time * high * TAU).sin();
                (chord * LEVEL * edge * 32_767.0) as i16
            }));
            sound.extend(std::iter::repeat_n(0, samples(GAP_MS)));
        }
        sound
    }
}

/// Reads words from packets, as they come.
#[derive(Debug, Default)]
pub struct Reader {
    /// The sound of the word that goes on.
    sound: Vec<f32>,
    span: Option<(Instant, Instant)>,
    /// Quiet windows since the last word; nothing once packets had stopped.
    quiet: Option<u32>,
    last_packet: Option<Instant>,
    /// Whole words so far.
    pub words: Vec<HeardWord>,
}

impl Reader {
    /// Takes a packet.
    pub fn push(&mut self, packet: &Heard, book: &Codebook) {
        let before = self.last_packet.replace(packet.at);
        if before.is_none_or(|before| packet.at.duration_since(before) > APART) {
            self.close(book);
            self.quiet = None;
        }
        for window in packet.samples.chunks(WINDOW) {
            let is_loud = window.iter().any(|sample| sample.abs() > QUIET);
            if !is_loud {
                self.close(book);
                self.quiet = self.quiet.map(|count| count + 1);
                continue;
            }
            let (_, last) = self.span.get_or_insert((packet.at, packet.at));
            *last = packet.at;
            self.sound.extend(window);
        }
    }

    /// Nothing follows: the word that goes on is over.
    pub fn close(&mut self, book: &Codebook) {
        let sound = std::mem::take(&mut self.sound);
        let Some((began, ended)) = self.span.take() else { return };
        let lasts = Duration::from_secs_f64(sound.len() as f64 / f64::from(RATE));
        let gap = self.quiet.replace(0).map(|count| WINDOW_TIME * count);
        if lasts < LEAST {
            return;
        }
        let share = (lasts.as_secs_f32() * 1000.0 / TONE_MS as f32).min(1.0);
        let word = book.word(number(&sound));
        // A word that fell silent in the middle and went on is one word.
        match self.words.last_mut() {
            Some(before) if before.word == word && before.share + share < 1.2 => {
                before.share += share;
                before.ended = ended;
            }
            _ => self.words.push(HeardWord { word, began, ended, share, gap }),
        }
    }
}

fn tones(number: usize) -> (f32, f32) {
    let tone = |(from, step, _): (f32, f32, usize), at: usize| from + step * at as f32;
    (tone(LOW, number % LOW.2), tone(HIGH, number / LOW.2))
}

fn number(sound: &[f32]) -> usize {
    let strongest = |(from, step, count): (f32, f32, usize)| {
        let loud = |at: &usize| amplitude(sound, from + step * *at as f32, RATE);
        (0..count).max_by(|a, b| loud(a).total_cmp(&loud(b))).unwrap_or_default()
    };
    strongest(LOW) + strongest(HIGH) * LOW.2
}

/// A word as it is compared: letters and digits, small.
pub fn bare(word: &str) -> String {
    word.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The words of a text as they are compared.
pub fn bare_words(text: &str) -> Vec<String> {
    text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
}
