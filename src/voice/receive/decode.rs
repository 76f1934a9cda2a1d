//! Opus payloads of one speaker to 16 kHz mono.
//!
//! Owns the decoder's state, the concealing of what was lost and the count of what could not be decoded. Must not know
//! the order of packets. Start reading at [`SpeakerDecoder::play`].

use opus2::{Channels, Decoder};

use crate::voice::frame::{FRAME, Packet, RATE};

/// The longest packet that Opus allows is 120 ms.
const MOST: usize = FRAME * 6;

/// More lost packets in a row than this are silence: a guess of more than 60 ms sounds worse than nothing.
const CONCEALED: u16 = 3;

/// Decodes one speaker.
#[derive(Debug)]
pub struct SpeakerDecoder {
    decoder: Option<Decoder>,
    buffer: Vec<i16>,
    /// Lost just now, to be guessed with the help of the next packet.
    lost: u16,
    failures: u64,
}

impl Default for SpeakerDecoder {
    fn default() -> Self {
        let decoder = Decoder::new(RATE, Channels::Mono);
        if let Err(error) = &decoder {
            tracing::error!(%error, "Opus cannot be decoded");
        }
        Self { decoder: decoder.ok(), buffer: vec![0; MOST], lost: 0, failures: 0 }
    }
}

impl SpeakerDecoder {
    /// Decodes a packet and adds its samples. What could not be decoded is silence, and counted.
    pub fn play(&mut self, packet: &Packet, samples: &mut Vec<i16>) {
        let lost = std::mem::take(&mut self.lost);
        for nth in (1..=lost).rev() {
            // The last lost frame may travel again inside the packet after it.
            let (payload, inside): (&[u8], bool) = if nth == 1 { (&packet.opus, true) } else { (&[], false) };
            self.conceal(nth, payload, inside, samples);
        }
        let decoded = match &mut self.decoder {
            Some(decoder) => decoder.decode(&packet.opus, &mut self.buffer, false).ok(),
            None => None,
        };
        match decoded {
            Some(count) => samples.extend_from_slice(self.buffer.get(..count).unwrap_or_default()),
            None => {
                self.failures += 1;
                samples.extend([0; FRAME]);
            }
        }
    }

    /// So many packets never came.
    pub fn miss(&mut self, lost: u16) {
        self.lost = self.lost.saturating_add(lost);
    }

    /// A pause: what was lost before it is of no interest any more.
    pub fn pause(&mut self) {
        self.lost = 0;
    }

    /// Packets that could not be decoded so far.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.failures
    }

    fn conceal(&mut self, nth: u16, payload: &[u8], inside: bool, samples: &mut Vec<i16>) {
        let Some(frame) = self.buffer.get_mut(..FRAME) else { return };
        let guessed = match &mut self.decoder {
            Some(decoder) if nth <= CONCEALED => decoder.decode(payload, frame, inside).is_ok(),
            _ => false,
        };
        if !guessed {
            frame.fill(0);
        }
        samples.extend_from_slice(frame);
    }
}

#[cfg(test)]
mod tests {
    use opus2::{Application, Bitrate, Encoder};
    use tokio::time::Instant;

    use super::*;
    use crate::voice::frame::SILENCE;

    fn packet(opus: &[u8]) -> Packet {
        Packet { ssrc: 1, sequence: 0, timestamp: 0, opus: opus.into(), arrived: Instant::now() }
    }

    fn tone(frames: usize) -> Vec<Vec<u8>> {
        let mut encoder = Encoder::new(48_000, Channels::Mono, Application::Voip).unwrap();
        encoder.set_bitrate(Bitrate::Bits(32_000)).unwrap();
        encoder.set_inband_fec(true).unwrap();
        encoder.set_packet_loss_perc(20).unwrap();
        (0..frames)
            .map(|frame| {
                let pcm: Vec<i16> = (0..960)
                    .map(|n| {
                        let at = (frame * 960 + n) as f32 / 48_000.0;
                        ((at * 440.0 * std::f32::consts::TAU).sin() * 8_000.0) as i16
                    })
                    .collect();
                let mut payload = vec![0; 4_000];
                let length = encoder.encode(&pcm, &mut payload).unwrap();
                payload.truncate(length);
                payload
            })
            .collect()
    }

    fn loudness(samples: &[i16]) -> f64 {
        let sum: f64 = samples.iter().map(|s| f64::from(*s) * f64::from(*s)).sum();
        (sum / samples.len().max(1) as f64).sqrt()
    }

    #[test]
    fn a_packet_becomes_twenty_milliseconds_at_sixteen_kilohertz() {
        let mut decoder = SpeakerDecoder::default();
        let mut samples = Vec::new();
        for payload in tone(10) {
            decoder.play(&packet(&payload), &mut samples);
        }
        assert_eq!(samples.len(), 10 * FRAME);
        let loud = loudness(&samples[3 * FRAME..]);
        assert!((4_500.0..6_500.0).contains(&loud), "{loud}: 8000 at its peak is 5657 on average");
    }

    #[test]
    fn lost_packets_keep_their_time_and_are_guessed() {
        let mut decoder = SpeakerDecoder::default();
        let mut samples = Vec::new();
        let payloads = tone(12);
        for (at, payload) in payloads.iter().enumerate() {
            match at {
                6 => decoder.miss(1),
                _ => decoder.play(&packet(payload), &mut samples),
            }
        }
        assert_eq!(samples.len(), 12 * FRAME);
        assert!(loudness(&samples[6 * FRAME..7 * FRAME]) > 2_000.0, "the hole is filled");
        let mut long = Vec::new();
        decoder.miss(20);
        decoder.play(&packet(&payloads[11]), &mut long);
        assert_eq!(long.len(), 21 * FRAME);
        assert!(loudness(&long[..10 * FRAME]) < 1.0, "a long hole is silence");
    }

    /// What is lost is another tone than what came before: no guess finds that, only the copy in the packet after it.
    #[test]
    fn what_travels_again_in_the_next_packet_is_heard_and_not_guessed() {
        let mut encoder = Encoder::new(48_000, Channels::Mono, Application::Voip).unwrap();
        encoder.set_bitrate(Bitrate::Bits(32_000)).unwrap();
        encoder.set_inband_fec(true).unwrap();
        encoder.set_packet_loss_perc(30).unwrap();
        const LOST: usize = 20;
        let payloads: Vec<Vec<u8>> = (0..LOST + 4)
            .map(|frame| {
                let hz = if frame < LOST { 250.0 } else { 900.0 };
                let pcm: Vec<i16> = (0..960)
                    .map(|n| {
                        let at = (frame * 960 + n) as f32 / 48_000.0;
                        ((at * hz * std::f32::consts::TAU).sin() * 8_000.0) as i16
                    })
                    .collect();
                let mut payload = vec![0; 4_000];
                let length = encoder.encode(&pcm, &mut payload).unwrap();
                payload.truncate(length);
                payload
            })
            .collect();
        let crossings =
            |samples: &[i16]| samples.windows(2).filter(|pair| (pair[0] < 0) != (pair[1] < 0)).count();
        let hole = |is_copied: bool| {
            let (mut decoder, mut samples) = (SpeakerDecoder::default(), Vec::new());
            for payload in &payloads[..LOST] {
                decoder.play(&packet(payload), &mut samples);
            }
            if is_copied {
                decoder.miss(1);
                decoder.play(&packet(&payloads[LOST + 1]), &mut samples);
            } else {
                decoder.conceal(1, &[], false, &mut samples);
            }
            crossings(&samples[LOST * FRAME..(LOST + 1) * FRAME])
        };
        // 900 Hz cross the middle 36 times in 20 ms, 250 Hz ten times.
        let (copied, guessed) = (hole(true), hole(false));
        assert!(copied >= 24, "{copied} crossings");
        assert!(guessed <= 18, "{guessed} crossings");
    }

    #[test]
    fn rubbish_is_counted_and_silence_frames_are_silent() {
        let mut decoder = SpeakerDecoder::default();
        let mut samples = Vec::new();
        decoder.play(&packet(&[0xFF, 0xFF, 0xFF, 1, 2, 3]), &mut samples);
        assert_eq!((decoder.failures(), samples.len()), (1, FRAME));
        samples.clear();
        decoder.play(&packet(&SILENCE), &mut samples);
        assert_eq!(decoder.failures(), 1);
        assert!(loudness(&samples) < 1.0);
    }
}
