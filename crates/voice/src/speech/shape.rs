//! Samples of an engine, made ready to be played.
//!
//! Owns the trimming of silence at the ends, the fades and the way to 48 kHz. Must not know words. Start reading at
//! [`Shaper::push`].

use std::time::Duration;

use rubato::{FftFixedIn, Resampler};

use crate::frame::{OUT_RATE, lasting, samples_in};

/// What is quieter is silence: about -42 dB.
const QUIET: f32 = 0.008;

/// What stays before the first sound (voice 2.3: 20 ms at most): the soft beginning of a consonant. Every
/// millisecond of it is waited for.
const LEAD: Duration = Duration::from_millis(10);

/// Silence that stays behind the last sound. Engines add up to half a second, which would be a hole in a sentence.
const TRAIL: Duration = Duration::from_millis(140);

/// Silence that is waited through to see whether something follows; a longer pause is meant.
const PAUSE: Duration = Duration::from_millis(600);

/// Fades at both ends: 5 ms at 48 kHz.
const FADE: usize = 240;

pub struct Shaper {
    rate: u32,
    resampler: Option<FftFixedIn<f32>>,
    pending: Vec<f32>,
    /// Samples of the resampler that stand for nothing, to be skipped.
    skip: usize,
    /// Samples that went in and must come out, for the end.
    owed: f64,
    has_begun: bool,
    trimmed: usize,
    /// Silence that is played only if something follows.
    silence: Vec<f32>,
    /// The last samples, which may have to fade out.
    tail: Vec<f32>,
    faded_in: usize,
}

impl std::fmt::Debug for Shaper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shaper")
            .field("rate", &self.rate)
            .field("has_begun", &self.has_begun)
            .finish_non_exhaustive()
    }
}

impl Shaper {
    /// For samples at `rate` per second.
    pub fn new(rate: u32) -> Self {
        let rate = rate.max(1);
        let resampler = (rate != OUT_RATE)
            .then(|| FftFixedIn::new(rate as usize, OUT_RATE as usize, (rate / 50).max(1) as usize, 1, 1))
            .and_then(|made| made.map_err(|error| tracing::error!(%error, rate, "no way to 48 kHz")).ok());
        let skip = resampler.as_ref().map_or(0, Resampler::output_delay);
        Self {
            rate,
            resampler,
            pending: Vec::new(),
            skip,
            owed: 0.0,
            has_begun: false,
            trimmed: 0,
            silence: Vec::new(),
            tail: Vec::new(),
            faded_in: 0,
        }
    }

    /// Takes samples; gives what can be played now, 48 kHz.
    pub fn push(&mut self, samples: &[i16]) -> Vec<f32> {
        let samples = samples.iter().map(|sample| f32::from(*sample) / 32_768.0);
        if self.has_begun {
            self.pending.extend(samples);
        } else {
            self.pending.extend(samples);
            self.trim_front();
        }
        let out = if self.has_begun { self.resample() } else { Vec::new() };
        self.hold_back(out)
    }

    /// The phrase is over; gives the rest.
    pub fn finish(&mut self) -> Vec<f32> {
        let mut out = Vec::new();
        if self.has_begun {
            let rest = self.flush();
            out = self.hold_back(rest);
        }
        self.silence.truncate(samples_in(TRAIL, OUT_RATE));
        let mut last = std::mem::take(&mut self.tail);
        last.append(&mut self.silence);
        let length = last.len().min(FADE);
        let from = last.len() - length;
        for (at, sample) in last.iter_mut().skip(from).enumerate() {
            *sample *= (length - at) as f32 / length.max(1) as f32;
        }
        out.extend(last);
        out
    }

    /// How much of the phrase's beginning was cut away: by so much its words come earlier.
    pub fn trimmed(&self) -> Duration {
        lasting(self.trimmed, self.rate)
    }

    fn trim_front(&mut self) {
        let lead = samples_in(LEAD, self.rate);
        let cut = match self.pending.iter().position(|sample| sample.abs() > QUIET) {
            Some(first) => {
                self.has_begun = true;
                first.saturating_sub(lead)
            }
            None => self.pending.len().saturating_sub(lead),
        };
        self.pending.drain(..cut);
        self.trimmed += cut;
    }

    fn resample(&mut self) -> Vec<f32> {
        let Some(resampler) = &mut self.resampler else { return std::mem::take(&mut self.pending) };
        let mut out = Vec::new();
        loop {
            let wanted = resampler.input_frames_next();
            if self.pending.len() < wanted {
                break;
            }
            let input: Vec<f32> = self.pending.drain(..wanted).collect();
            self.owed += wanted as f64 * f64::from(OUT_RATE) / f64::from(self.rate);
            match resampler.process(&[input], None) {
                Ok(channels) => out.extend(channels.into_iter().next().unwrap_or_default()),
                Err(error) => tracing::error!(%error, "samples could not be brought to 48 kHz"),
            }
        }
        let skipped = self.skip.min(out.len());
        self.skip -= skipped;
        out.drain(..skipped);
        self.owed -= out.len() as f64;
        out
    }

    fn flush(&mut self) -> Vec<f32> {
        let Some(resampler) = &self.resampler else { return std::mem::take(&mut self.pending) };
        let real = self.pending.len() as f64 * f64::from(OUT_RATE) / f64::from(self.rate);
        let owed = (self.owed + real).round().max(0.0) as usize;
        // Enough zeros behind it to push out all that is still inside.
        let more = resampler.output_delay() + 2 * resampler.input_frames_max();
        self.pending.extend(std::iter::repeat_n(0.0, more));
        let mut out = self.resample();
        out.truncate(owed);
        out
    }

    /// Keeps back what may have to fade or to be left out.
    fn hold_back(&mut self, samples: Vec<f32>) -> Vec<f32> {
        for mut sample in samples {
            if self.faded_in < FADE {
                sample *= self.faded_in as f32 / FADE as f32;
                self.faded_in += 1;
            }
            self.silence.push(sample);
            if sample.abs() > QUIET {
                self.tail.append(&mut self.silence);
            }
        }
        let mut out = Vec::new();
        // Long pauses are played as they are.
        let over = self.silence.len().saturating_sub(samples_in(PAUSE, OUT_RATE));
        if over > 0 {
            out.append(&mut self.tail);
            out.extend(self.silence.drain(..over));
        }
        let ready = self.tail.len().saturating_sub(FADE);
        out.extend(self.tail.drain(..ready));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shaped(rate: u32, samples: &[i16]) -> (Vec<f32>, Duration) {
        let mut shaper = Shaper::new(rate);
        let mut out = Vec::new();
        for piece in samples.chunks(700) {
            out.extend(shaper.push(piece));
        }
        out.extend(shaper.finish());
        (out, shaper.trimmed())
    }

    fn tone(rate: u32, seconds: f32) -> Vec<i16> {
        (0..(rate as f32 * seconds) as usize)
            .map(|n| ((n as f32 / rate as f32 * 300.0 * std::f32::consts::TAU).sin() * 12_000.0) as i16)
            .collect()
    }

    #[test]
    fn every_rate_comes_out_at_48_khz_as_long_and_as_loud_as_it_was() {
        for rate in [16_000, 22_050, 24_000, 44_100, 48_000] {
            let (out, _) = shaped(rate, &tone(rate, 1.0));
            let (length, wanted) = (out.len() as i64, 48_000);
            assert!((length - wanted).abs() < 400, "{rate}: {length}");
            let middle = &out[10_000..38_000];
            let loud = (middle.iter().map(|s| s * s).sum::<f32>() / middle.len() as f32).sqrt();
            assert!((loud - 12_000.0 / 32_768.0 / 2.0_f32.sqrt()).abs() < 0.01, "{rate}: {loud}");
        }
    }

    #[test]
    fn silence_at_the_ends_is_cut_and_said_to_be() {
        let mut samples = vec![0; 24_000 / 2];
        samples.extend(tone(24_000, 0.5));
        samples.extend(vec![0; 24_000 / 2]);
        let (out, trimmed) = shaped(24_000, &samples);
        assert!((480..=491).contains(&trimmed.as_millis()), "{trimmed:?}");
        let expected = 0.5 + 0.01 + 0.14;
        let seconds = out.len() as f32 / 48_000.0;
        assert!((seconds - expected).abs() < 0.02, "{seconds}");
        let first = out.iter().position(|s| s.abs() > 0.01).unwrap();
        assert!(first <= 620, "{first}: 10 ms of silence and a fade");
    }

    #[test]
    fn it_begins_and_ends_without_a_click() {
        let (out, _) = shaped(48_000, &tone(48_000, 0.2));
        assert!(out[0].abs() < 1e-3 && out[out.len() - 1].abs() < 0.01);
        assert!(out.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 0.05));
    }

    #[test]
    fn pauses_inside_stay() {
        let mut samples = tone(24_000, 0.3);
        samples.extend(vec![0; 24_000 / 2]);
        samples.extend(tone(24_000, 0.3));
        let (out, _) = shaped(24_000, &samples);
        assert!((out.len() as f32 / 48_000.0 - 1.1).abs() < 0.03);
        let (nothing, _) = shaped(24_000, &vec![0; 24_000]);
        assert!(nothing.is_empty());
    }
}
