//! What simulated people say, as Opus, and how loud one pitch is in what was heard.

use std::f32::consts::TAU;
use std::io::Write as _;
use std::process::{Command, Stdio};

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

/// Samples a second of everything here.
pub const RATE: u32 = 48_000;

/// Samples of one frame, 20 ms.
pub const FRAME: usize = 960;

/// What is quieter is not speech any more.
const QUIET: f32 = 0.008;

/// From so many Hz on a spoken voice is muffled.
const MUFFLED_FROM: f32 = 3_500.0;

/// As fast as people talk.
const WORDS_PER_MINUTE: u32 = 175;

/// Discord's five frames at the end of speech: an Opus frame of silence.
pub const SILENCE: [u8; 3] = [0xf8, 0xff, 0xfe];

/// How a sound is coded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// As clients code microphones: low frequencies as speech, high ones as music.
    Voice,
    /// As music throughout, where a wrong length of the frame turns all of it to noise.
    Music,
}

/// Something to say.
#[derive(Debug, Clone)]
pub struct Sound {
    /// The samples, mono, -1 to 1.
    pub samples: Vec<f32>,
    coding: Coding,
}

impl Sound {
    /// A pure tone. `level` is its amplitude, 0 to 1.
    pub fn tone(hz: f32, level: f32, ms: u32) -> Self {
        let samples = count(ms);
        Self {
            samples: (0..samples).map(|at| (at as f32 * hz * TAU / RATE as f32).sin() * level).collect(),
            coding: Coding::Voice,
        }
    }

    /// Coded another way.
    #[must_use]
    pub fn coded(mut self, coding: Coding) -> Self {
        self.coding = coding;
        self
    }

    /// Something like a vowel: a buzz through three resonances, with syllables.
    pub fn voiced(seed: u64, ms: u32) -> Self {
        let mut chance = StdRng::seed_from_u64(seed);
        let pitch: f32 = chance.random_range(95.0..230.0);
        let formants: [(f32, f32); 3] = [(550.0, 1.0), (1500.0, 0.5), (2500.0, 0.25)];
        // Sixteen harmonics, each as loud as the nearest resonance lets it be.
        let harmonics: [(f32, f32); 16] = std::array::from_fn(|at| {
            let harmonic = (at + 1) as f32;
            let hz = pitch * harmonic;
            let gains = formants.iter().map(|(centre, gain)| gain / (1.0 + ((hz - centre) / 180.0).powi(2)));
            (harmonic, gains.sum())
        });
        let mut phase = 0.0_f32;
        let samples = (0..count(ms))
            .map(|at| {
                let time = at as f32 / RATE as f32;
                let bend = 1.0 + 0.04 * (time * 3.0 * TAU).sin();
                phase = (phase + pitch * bend / RATE as f32).fract();
                let buzz: f32 =
                    harmonics.iter().map(|(harmonic, gain)| (phase * harmonic * TAU).sin() * gain).sum();
                let syllable = (0.55 + 0.45 * (time * 4.0 * TAU).sin()).max(0.0);
                buzz * syllable * 0.25
            })
            .collect();
        Self { samples, coding: Coding::Voice }
    }

    /// A sentence, spoken by espeak-ng where it is installed, else something voiced of about its length.
    pub fn speech(text: &str, voice: &str, seed: u64) -> Self {
        let words = u32::try_from(text.split_whitespace().count()).unwrap_or(1).max(1);
        match espeak(text, voice, WORDS_PER_MINUTE) {
            Some(samples) => Self { samples: muffled(samples), coding: Coding::Voice },
            // It ends where a syllable is loudest: nobody can doubt when.
            None => Self::voiced(seed, words * 250 + 75),
        }
    }

    /// With a quiet tone of its own in it.
    #[must_use]
    pub fn marked(mut self, hz: f32, level: f32) -> Self {
        for (at, sample) in self.samples.iter_mut().enumerate() {
            *sample += (at as f32 * hz * TAU / RATE as f32).sin() * level;
        }
        self
    }

    /// With a quiet room behind it.
    #[must_use]
    pub fn followed_by_quiet(self, ms: u32) -> Self {
        self.followed_by_room(ms, 0.000_5)
    }

    /// With a room behind it whose noise is this loud; 0 is what a client leaves that suppresses noise.
    #[must_use]
    pub fn followed_by_room(mut self, ms: u32, level: f32) -> Self {
        let mut chance = StdRng::seed_from_u64(self.samples.len() as u64);
        self.samples.extend((0..count(ms)).map(|_| chance.random_range(-1.0..1.0) * level));
        self
    }

    /// How long it is, in milliseconds.
    pub fn ms(&self) -> u32 {
        u32::try_from(self.samples.len() / (RATE as usize / 1000)).unwrap()
    }

    /// As Opus frames of 20 ms.
    pub fn frames(&self) -> Vec<Vec<u8>> {
        let application = match self.coding {
            Coding::Voice => opus2::Application::Voip,
            Coding::Music => opus2::Application::LowDelay,
        };
        let mut encoder = opus2::Encoder::new(RATE, opus2::Channels::Mono, application).unwrap();
        self.samples
            .chunks(FRAME)
            .map(|chunk| {
                let mut frame: Vec<i16> =
                    chunk.iter().map(|sample| (sample.clamp(-1.0, 1.0) * 32_767.0) as i16).collect();
                frame.resize(FRAME, 0);
                let mut coded = vec![0; 1000];
                let length = encoder.encode(&frame, &mut coded).unwrap();
                coded.truncate(length);
                coded
            })
            .collect()
    }
}

fn count(ms: u32) -> usize {
    ms as usize * RATE as usize / 1000
}

/// The amplitude of one pitch in some samples of -1 to 1 (Goertzel).
pub fn amplitude(samples: &[f32], hz: f32, rate: u32) -> f32 {
    if samples.is_empty() {
        return 0.0;
    }
    let turn = TAU * hz / rate as f32;
    let weight = 2.0 * turn.cos();
    let (mut last, mut before) = (0.0_f32, 0.0_f32);
    for &sample in samples {
        let next = sample + weight * last - before;
        before = last;
        last = next;
    }
    (last * last + before * before - weight * last * before).max(0.0).sqrt() * 2.0 / samples.len() as f32
}

/// Opus frames decoded one after the other, as samples of -1 to 1.
pub fn decoded<'a>(frames: impl IntoIterator<Item = &'a [u8]>, rate: u32) -> Vec<f32> {
    let mut decoder = opus2::Decoder::new(rate, opus2::Channels::Mono).unwrap();
    let mut samples = Vec::new();
    let mut buffer = vec![0_i16; 5760];
    for frame in frames {
        let count = decoder.decode(frame, &mut buffer, false).unwrap();
        samples.extend(buffer[..count].iter().map(|sample| f32::from(*sample) / 32_768.0));
    }
    samples
}

/// Without the hiss of its consonants, which reaches up to where the tones are that tell voices apart.
fn muffled(mut samples: Vec<f32>) -> Vec<f32> {
    let share = 1.0 - (-TAU * MUFFLED_FROM / RATE as f32).exp();
    // 24 dB an octave.
    for _ in 0..4 {
        let mut level = 0.0;
        for sample in &mut samples {
            level += share * (*sample - level);
            *sample = level;
        }
    }
    samples
}

/// A sentence in a voice of espeak-ng, from its first sound to its last; nothing where that is not installed.
pub fn espeak(text: &str, voice: &str, words_per_minute: u32) -> Option<Vec<f32>> {
    let mut running = Command::new("espeak-ng")
        .args(["-v", voice, "-s", &words_per_minute.to_string(), "--stdin", "--stdout"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    running.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = running.wait_with_output().ok()?;
    let header = output.stdout.get(..44)?;
    let rate = u32::from_le_bytes(header[24..28].try_into().ok()?);
    let samples: Vec<f32> = output.stdout[44..]
        .chunks_exact(2)
        .map(|pair| f32::from(i16::from_le_bytes([pair[0], pair[1]])) / 32_768.0)
        .collect();
    // It adds a third of a second of silence.
    let sounds = |sample: &f32| sample.abs() > QUIET;
    let (first, last) = (samples.iter().position(sounds)?, samples.iter().rposition(sounds)?);
    let samples = &samples[first..=last];
    let step = f64::from(rate) / f64::from(RATE);
    let count = (samples.len() as f64 / step) as usize;
    let resampled = (0..count.saturating_sub(1)).map(|at| {
        let place = at as f64 * step;
        let (before, part) = (place as usize, place.fract() as f32);
        let next = samples.get(before + 1).copied().unwrap_or_default();
        samples[before] * (1.0 - part) + next * part
    });
    Some(resampled.collect())
}
