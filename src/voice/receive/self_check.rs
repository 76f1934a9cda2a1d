//! Whether Opus works on this machine (specs voice 5, "start-up self-checks").
//!
//! Owns one trial: a tone is encoded as Discord's clients do and decoded as people in a call are. Must not know calls.
//! Start reading at [`opus_works`].

use opus2::{Application, Channels, Encoder};
use tokio::time::Instant;

use super::decode::SpeakerDecoder;
use crate::voice::frame::{FRAME, OUT_FRAME, OUT_RATE, Packet};

/// Frames of the trial: 100 ms, beyond what the codec needs to begin.
const FRAMES: u16 = 5;

/// The tone's pitch in Hz, and its amplitude.
const PITCH: f32 = 440.0;
const AMPLITUDE: f32 = 0.5;

/// The longest packet that Opus makes, in bytes (RFC 6716, 3.4).
const LARGEST: usize = 1_275;

/// Encodes and decodes a tone.
///
/// # Errors
/// In words, when one of them fails or something else comes out.
pub fn opus_works() -> Result<(), String> {
    let encoder = Encoder::new(OUT_RATE, Channels::Mono, Application::Voip);
    let mut encoder = encoder.map_err(|error| format!("no encoder: {error}"))?;
    let (mut decoder, mut samples) = (SpeakerDecoder::default(), Vec::new());
    let mut opus = vec![0; LARGEST];
    for sequence in 0..FRAMES {
        let sound = tone(usize::from(sequence) * OUT_FRAME);
        let length =
            encoder.encode_float(&sound, &mut opus).map_err(|error| format!("not encoded: {error}"))?;
        let frame = opus.get(..length).unwrap_or_default();
        let packet = Packet { ssrc: 0, sequence, timestamp: 0, opus: frame.into(), arrived: Instant::now() };
        decoder.play(&packet, &mut samples);
    }
    judge(&samples, decoder.failures())
}

fn judge(samples: &[i16], failures: u64) -> Result<(), String> {
    if failures > 0 {
        return Err(format!("{failures} of {FRAMES} frames were not decoded"));
    }
    if samples.len() != usize::from(FRAMES) * FRAME {
        return Err(format!("{} samples came out of {FRAMES} frames", samples.len()));
    }
    let last = samples.get(samples.len() - FRAME..).unwrap_or_default();
    let loudest = last.iter().map(|sample| f32::from(sample.saturating_abs())).fold(0.0, f32::max);
    let expected = AMPLITUDE * f32::from(i16::MAX);
    if (loudest - expected).abs() > expected / 2.0 {
        return Err("something else came out than went in".to_owned());
    }
    Ok(())
}

fn tone(from: usize) -> Vec<f32> {
    let step = std::f32::consts::TAU * PITCH;
    #[expect(clippy::cast_precision_loss, reason = "a few thousand samples")]
    let at = |sample: usize| (from + sample) as f32 / OUT_RATE as f32;
    (0..OUT_FRAME).map(|sample| AMPLITUDE * (step * at(sample)).sin()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opus_of_this_build_works_and_what_does_not_is_told() {
        assert_eq!(opus_works(), Ok(()));
        let frames = usize::from(FRAMES);
        assert!(judge(&vec![0; frames * FRAME], 0).is_err(), "silence is no tone");
        assert!(judge(&vec![i16::MAX; frames * FRAME], 0).is_err(), "nor is noise");
        assert!(judge(&vec![16_000; frames * FRAME], 1).is_err(), "a frame was not decoded");
        assert!(judge(&[16_000; FRAME], 0).is_err(), "frames are missing");
    }
}
