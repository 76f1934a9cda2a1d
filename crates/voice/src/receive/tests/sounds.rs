//! Sounds for tests: something a detector takes for speech, noise, quiet.

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

/// Vowels that follow each other four times a second, as a speech output would say them: pulses of a throat through the
/// resonances of a speech output.
pub(crate) fn speech(samples: usize) -> Vec<i16> {
    let vowels =
        [[700.0, 1220.0, 2600.0], [300.0, 2300.0, 3000.0], [500.0, 900.0, 2400.0], [400.0, 2000.0, 2550.0]];
    let mut out = Vec::with_capacity(samples);
    let mut phase: f32 = 0.0;
    let mut state = [[0.0_f32; 2]; 3];
    for n in 0..samples {
        let at = n as f32 / 16_000.0;
        let syllable = (at * 4.0).fract();
        let vowel = vowels[(at * 4.0) as usize % vowels.len()];
        let pitch = 120.0 + 25.0 * (at * 5.0).sin();
        phase += pitch / 16_000.0;
        let pulse = if phase >= 1.0 {
            phase -= 1.0;
            1.0
        } else {
            0.0
        };
        let mut value = 0.0;
        for (resonance, frequency) in state.iter_mut().zip(vowel) {
            let (width, turn) = (90.0_f32, frequency * std::f32::consts::TAU / 16_000.0);
            let decay = (-width * std::f32::consts::PI / 16_000.0).exp();
            let next = pulse + 2.0 * decay * turn.cos() * resonance[0] - decay * decay * resonance[1];
            resonance[1] = resonance[0];
            resonance[0] = next;
            value += next;
        }
        let loud = (syllable * std::f32::consts::PI).sin().max(0.15);
        out.push((value * loud * 2_500.0).clamp(-30_000.0, 30_000.0) as i16);
    }
    out
}

/// White noise of this loudness.
pub(crate) fn noise(samples: usize, loud: f32) -> Vec<i16> {
    let mut dice = StdRng::seed_from_u64(7);
    (0..samples).map(|_| (dice.random_range(-1.0..1.0_f32) * loud) as i16).collect()
}

/// A room in which nobody speaks.
pub(crate) fn quiet(samples: usize) -> Vec<i16> {
    noise(samples, 12.0)
}
