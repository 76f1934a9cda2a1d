//! What models of speech see of a sound: Whisper's picture of it, 80 pitches by 800 steps of 10 ms.
//!
//! Owns the arithmetic, number for number that of Whisper's feature extractor for eight seconds with its sound brought to
//! one loudness. Must not know models. Start reading at [`LogMel::of`].

use std::f32::consts::PI;
use std::sync::Arc;

use realfft::{RealFftPlanner, RealToComplex};

use crate::frame::RATE;

/// Rows of the picture, the lowest pitch first.
pub(super) const PITCHES: usize = 80;

/// Columns of the picture, 10 ms each, the oldest first.
pub(super) const STEPS: usize = 800;

/// Samples from one column to the next.
const HOP: usize = RATE as usize / 100;

/// Samples that a column is made of.
const WINDOW: usize = RATE as usize / 40;

/// Samples of the whole picture.
pub(super) const SAMPLES: usize = STEPS * HOP;

/// Frequencies of a column.
const BINS: usize = WINDOW / 2 + 1;

/// Up to this frequency, in Hz, pitches lie evenly; above, each is this much higher than the one before (Slaney's scale).
const EVEN_UP_TO: f32 = 1_000.0;
const EVEN_STEP: f32 = 200.0 / 3.0;
const LOG_STEP: f32 = 0.068_751_78;

pub(super) struct LogMel {
    fourier: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    /// How much frequencies count for each pitch, from the first that counts to the last.
    filters: Vec<(usize, Vec<f32>)>,
}

impl Default for LogMel {
    fn default() -> Self {
        let turn = |at: usize| 2.0 * PI * at as f32 / WINDOW as f32;
        Self {
            fourier: RealFftPlanner::new().plan_fft_forward(WINDOW),
            window: (0..WINDOW).map(|at| 0.5 - 0.5 * turn(at).cos()).collect(),
            filters: filters(),
        }
    }
}

impl LogMel {
    /// The picture of the last eight seconds, row by row; what is shorter stands at its end.
    pub(super) fn of(&self, sound: &[i16]) -> Vec<f32> {
        let sound = levelled(&sound[sound.len().saturating_sub(SAMPLES)..]);
        let mut column = self.fourier.make_input_vec();
        let mut spectrum = self.fourier.make_output_vec();
        let mut scratch = self.fourier.make_scratch_vec();
        let mut picture = vec![0.0; PITCHES * STEPS];
        let mut power = vec![0.0; BINS];
        let mut loudest = f32::MIN;
        for step in 0..STEPS {
            for (at, (sample, share)) in column.iter_mut().zip(&self.window).enumerate() {
                *sample = share * mirrored(&sound, step * HOP + at);
            }
            // It fails only where a buffer has another length than it made itself.
            let _ = self.fourier.process_with_scratch(&mut column, &mut spectrum, &mut scratch);
            for (power, wave) in power.iter_mut().zip(&spectrum) {
                *power = wave.norm_sqr();
            }
            for (pitch, (first, shares)) in self.filters.iter().enumerate() {
                let heard = power.iter().skip(*first);
                let energy: f32 = shares.iter().zip(heard).map(|(share, power)| share * power).sum();
                let level = energy.max(1e-10).log10();
                loudest = loudest.max(level);
                if let Some(place) = picture.get_mut(pitch * STEPS + step) {
                    *place = level;
                }
            }
        }
        // Eighty decibels below the loudest nothing is told apart.
        picture.iter_mut().for_each(|level| *level = (level.max(loudest - 8.0) + 4.0) / 4.0);
        picture
    }
}

/// The sound behind silence, brought to an average of zero and a variance of one, as a whole.
fn levelled(sound: &[i16]) -> Vec<f32> {
    let silence = SAMPLES - sound.len();
    let mut levelled = vec![0.0; silence];
    levelled.extend(sound.iter().map(|sample| f32::from(*sample) / 32_768.0));
    let many = SAMPLES as f64;
    let mean = levelled.iter().map(|sample| f64::from(*sample)).sum::<f64>() / many;
    let variance = levelled.iter().map(|sample| (f64::from(*sample) - mean).powi(2)).sum::<f64>() / many;
    let scale = (variance + 1e-7).sqrt();
    levelled.iter_mut().for_each(|sample| *sample = ((f64::from(*sample) - mean) / scale) as f32);
    levelled
}

/// A sample of the sound with half a window before it and behind it, in which it is mirrored.
fn mirrored(sound: &[f32], at: usize) -> f32 {
    let from_begin = at.abs_diff(WINDOW / 2);
    let last = sound.len() - 1;
    let at = if from_begin > last { 2 * last - from_begin } else { from_begin };
    sound.get(at).copied().unwrap_or(0.0)
}

/// Triangles, each over its pitch and its two neighbours, of one area.
fn filters() -> Vec<(usize, Vec<f32>)> {
    let top = scale(RATE as f32 / 2.0);
    let corner = |at: usize| frequency(top * at as f32 / (PITCHES + 1) as f32);
    let filter = |pitch| {
        let (low, middle, high) = (corner(pitch), corner(pitch + 1), corner(pitch + 2));
        let share = |bin: usize| {
            let here = bin as f32 * RATE as f32 / WINDOW as f32;
            ((here - low) / (middle - low)).min((high - here) / (high - middle)) * 2.0 / (high - low)
        };
        let counting = (0..BINS).map(|bin| (bin, share(bin))).filter(|(_, share)| *share > 0.0);
        let (bins, shares): (Vec<usize>, Vec<f32>) = counting.unzip();
        (bins.first().copied().unwrap_or(0), shares)
    };
    (0..PITCHES).map(filter).collect()
}

/// Where a frequency in Hz lies on the scale of pitches.
fn scale(frequency: f32) -> f32 {
    if frequency < EVEN_UP_TO {
        frequency / EVEN_STEP
    } else {
        EVEN_UP_TO / EVEN_STEP + (frequency / EVEN_UP_TO).ln() / LOG_STEP
    }
}

fn frequency(scale: f32) -> f32 {
    let even = EVEN_UP_TO / EVEN_STEP;
    if scale < even { scale * EVEN_STEP } else { EVEN_UP_TO * ((scale - even) * LOG_STEP).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sound(samples: i64) -> Vec<i16> {
        let sample = |at: i64| (at * at / 97) % 4_001 - 2_000 + (at * 37) % 801 - 400;
        (0..samples).map(|at| i16::try_from(sample(at)).unwrap()).collect()
    }

    /// What Whisper's feature extractor of Hugging Face's transformers 5.24 makes of the same sounds
    /// (`WhisperFeatureExtractor(chunk_length=8)`, `do_normalize=True`), at places all over the picture.
    #[test]
    fn a_picture_is_the_same_as_whispers() {
        let places = [
            (0, 0),
            (0, 799),
            (3, 487),
            (3, 488),
            (10, 600),
            (20, 650),
            (30, 700),
            (40, 720),
            (50, 500),
            (60, 640),
            (70, 777),
            (79, 799),
            (79, 600),
            (5, 798),
        ];
        let short = [
            0.4827, 0.8861, 1.3638, 1.3545, 0.974, 1.2569, 1.1179, 1.1098, 1.0666, 1.0363, 1.0563, 1.3604,
            1.0197, 0.7945,
        ];
        let long = [
            0.8569, 0.8372, 0.7215, 0.8533, 0.8632, 1.2422, 1.3138, 0.9235, 1.0951, 1.0946, 0.8293, 0.8799,
            0.9559, 0.7132,
        ];
        for (samples, expected) in [(50_000, short), (150_000, long)] {
            let picture = LogMel::default().of(&sound(samples));
            assert_eq!(picture.len(), PITCHES * STEPS);
            for ((pitch, step), expected) in places.into_iter().zip(expected) {
                let found = picture[pitch * STEPS + step];
                assert!((found - expected).abs() < 0.002, "{samples}, {pitch}, {step}: {found}, {expected}");
            }
        }
    }

    #[test]
    fn silence_has_a_picture_too() {
        let picture = LogMel::default().of(&[]);
        assert!(picture.iter().all(|level| level.is_finite()));
    }
}
