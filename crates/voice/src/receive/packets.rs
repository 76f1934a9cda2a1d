//! One speaker's packets, put back into order and decoded: Opus payloads to 16 kHz mono.
//!
//! Owns when a packet is played, waited for or given up, the concealing of what was lost, and the trial whether Opus works on
//! this machine (voice 5, "start-up self-checks"). Must not know who speaks. Start reading at [`Jitter::push`], then
//! [`SpeakerDecoder::play`].

use std::time::Duration;

use opus2::{Application, Channels, Decoder, Encoder};
use tokio::time::Instant;

use crate::frame::{FRAME, OUT_FRAME, OUT_RATE, Packet, RATE};

/// How long a missing packet is waited for: two frames (voice 2.1).
pub(super) const GAP_WAIT: Duration = Duration::from_millis(40);

/// A jump of more packets than this is a new beginning, not a loss.
const RESYNC: i16 = 25;

/// What to do next, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum JitterStep {
    Play(Packet),
    /// So many packets never came; the one that plays next may help to guess the last of them.
    Conceal(u16),
}

/// What became of packets so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JitterFigures {
    pub played: u64,
    /// Came after they had been given up, or twice.
    pub late: u64,
    pub lost: u64,
    pub resyncs: u64,
}

/// Puts packets into order.
#[derive(Debug, Default)]
pub(super) struct Jitter {
    /// The sequence number that is due; unknown before the first packet and after a pause.
    next: Option<u16>,
    /// The newest that was played.
    last: Option<u16>,
    /// Ahead of their time, in order.
    held: Vec<Packet>,
    gap_since: Option<Instant>,
    figures: JitterFigures,
}

impl Jitter {
    /// A packet came at `now`. Adds to `steps` what is to be done about it.
    pub(super) fn push(&mut self, packet: Packet, now: Instant, steps: &mut Vec<JitterStep>) {
        let Some(due) = self.next else {
            let is_old =
                self.last.is_some_and(|last| (-RESYNC..=0).contains(&sequences_ahead(packet.sequence, last)));
            if is_old {
                self.figures.late += 1;
            } else {
                self.play(packet, steps);
            }
            return;
        };
        let ahead = sequences_ahead(packet.sequence, due);
        if ahead == 0 {
            self.play(packet, steps);
            self.play_held(steps);
        } else if !(-RESYNC..=RESYNC).contains(&ahead) {
            self.figures.resyncs += 1;
            self.held.clear();
            self.gap_since = None;
            self.play(packet, steps);
        } else if ahead < 0 {
            self.figures.late += 1;
        } else {
            let after = |held: &Packet| sequences_ahead(held.sequence, due);
            match self.held.binary_search_by_key(&ahead, after) {
                Ok(_) => self.figures.late += 1,
                Err(at) => {
                    self.held.insert(at, packet);
                    self.gap_since.get_or_insert(now);
                }
            }
        }
    }

    /// When [`Self::expire`] has something to do, if nothing comes before.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.gap_since.map(|since| since + GAP_WAIT)
    }

    /// Gives up what was waited for too long.
    pub(super) fn expire(&mut self, now: Instant, steps: &mut Vec<JitterStep>) {
        if self.deadline().is_some_and(|deadline| deadline <= now) {
            self.give_up_first(steps);
            // What is still missing behind it has been so for as long, at most.
            if !self.held.is_empty() {
                self.gap_since = Some(now);
            }
        }
    }

    /// Nothing came for a while: what is held is played, and the next packet counts as a beginning.
    pub(super) fn pause(&mut self, steps: &mut Vec<JitterStep>) {
        while !self.held.is_empty() {
            self.give_up_first(steps);
        }
        self.next = None;
    }

    /// What became of packets so far.
    pub(super) fn figures(&self) -> JitterFigures {
        self.figures
    }

    fn give_up_first(&mut self, steps: &mut Vec<JitterStep>) {
        let (Some(due), Some(first)) = (self.next, self.held.first()) else { return };
        let lost = first.sequence.wrapping_sub(due);
        self.figures.lost += u64::from(lost);
        steps.push(JitterStep::Conceal(lost));
        self.next = Some(first.sequence);
        self.play_held(steps);
    }

    fn play_held(&mut self, steps: &mut Vec<JitterStep>) {
        while self.held.first().is_some_and(|first| Some(first.sequence) == self.next) {
            let packet = self.held.remove(0);
            self.play(packet, steps);
        }
        if self.held.is_empty() {
            self.gap_since = None;
        }
    }

    fn play(&mut self, packet: Packet, steps: &mut Vec<JitterStep>) {
        self.figures.played += 1;
        self.last = Some(packet.sequence);
        self.next = Some(packet.sequence.wrapping_add(1));
        steps.push(JitterStep::Play(packet));
    }
}

/// How far `sequence` is ahead of `of`, across the wrap.
fn sequences_ahead(sequence: u16, of: u16) -> i16 {
    sequence.wrapping_sub(of).cast_signed()
}

/// The longest packet that Opus allows is 120 ms.
const MOST: usize = FRAME * 6;

/// More lost packets in a row than this are silence: a guess of more than 60 ms sounds worse than nothing.
const CONCEALED: u16 = 3;

#[derive(Debug)]
pub(super) struct SpeakerDecoder {
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
    pub(super) fn play(&mut self, packet: &Packet, samples: &mut Vec<i16>) {
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
    pub(super) fn miss(&mut self, lost: u16) {
        self.lost = self.lost.saturating_add(lost);
    }

    /// A pause: what was lost before it is of no interest any more.
    pub(super) fn pause(&mut self) {
        self.lost = 0;
    }

    /// Packets that could not be decoded so far.
    pub(super) fn failures(&self) -> u64 {
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
    use proptest::prelude::*;

    use super::*;

    fn packet(sequence: u16) -> Packet {
        Packet { ssrc: 1, sequence, timestamp: 0, opus: Box::default(), arrived: Instant::now() }
    }

    #[derive(Default)]
    struct Bench {
        jitter: Jitter,
        steps: Vec<JitterStep>,
    }

    impl Bench {
        fn push(&mut self, sequence: u16, now: Instant) -> &mut Self {
            self.jitter.push(packet(sequence), now, &mut self.steps);
            self
        }

        fn done(&mut self) -> Vec<String> {
            let word = |step: JitterStep| match step {
                JitterStep::Play(packet) => packet.sequence.to_string(),
                JitterStep::Conceal(lost) => format!("-{lost}"),
            };
            std::mem::take(&mut self.steps).into_iter().map(word).collect()
        }
    }

    #[test]
    fn packets_in_order_pass_at_once_also_across_the_wrap() {
        let now = Instant::now();
        let mut bench = Bench::default();
        bench.push(65_534, now).push(65_535, now).push(0, now).push(1, now);
        assert_eq!(bench.done(), ["65534", "65535", "0", "1"]);
        assert_eq!(bench.jitter.deadline(), None);
    }

    #[test]
    fn a_gap_is_waited_for_two_frames_and_then_concealed() {
        let now = Instant::now();
        let mut bench = Bench::default();
        bench.push(5, now).push(7, now).push(8, now);
        assert_eq!(bench.done(), ["5"]);
        assert_eq!(bench.jitter.deadline(), Some(now + GAP_WAIT));
        bench.jitter.expire(now + GAP_WAIT, &mut bench.steps);
        assert_eq!(bench.done(), ["-1", "7", "8"]);
        bench.push(6, now);
        assert_eq!(bench.done(), [""; 0], "too late");
        assert_eq!(bench.jitter.figures(), JitterFigures { played: 3, late: 1, lost: 1, resyncs: 0 });
    }

    #[test]
    fn what_comes_in_time_is_put_where_it_belongs() {
        let now = Instant::now();
        let mut bench = Bench::default();
        bench.push(5, now).push(8, now).push(7, now).push(7, now).push(6, now);
        assert_eq!(bench.done(), ["5", "6", "7", "8"]);
        assert_eq!(bench.jitter.figures().late, 1, "one came twice");
    }

    #[test]
    fn a_jump_is_a_new_beginning() {
        let now = Instant::now();
        let mut bench = Bench::default();
        bench.push(5, now).push(6, now).push(4000, now).push(4001, now).push(10, now);
        assert_eq!(bench.done(), ["5", "6", "4000", "4001", "10"]);
        assert_eq!(bench.jitter.figures().resyncs, 2);
    }

    #[test]
    fn after_a_pause_nothing_is_missed_and_nothing_old_is_played() {
        let now = Instant::now();
        let mut bench = Bench::default();
        bench.push(5, now).push(7, now);
        bench.jitter.pause(&mut bench.steps);
        assert_eq!(bench.done(), ["5", "-1", "7"]);
        bench.push(6, now).push(12, now).push(13, now);
        assert_eq!(bench.done(), ["12", "13"]);
    }

    proptest! {
        /// Whatever the network does, each packet is played at most once, in order between two beginnings, and at the end
        /// nothing is left lying.
        #[test]
        fn packets_are_played_once_and_in_order(
            moves in prop::collection::vec((0_u16..60, 0_u64..50), 1..200),
        ) {
            let mut now = Instant::now();
            let mut bench = Bench::default();
            for (at, (offset, wait)) in (0_u16..).zip(moves) {
                now += Duration::from_millis(wait);
                bench.jitter.expire(now, &mut bench.steps);
                // Around where it should be, some early, some twice.
                bench.push(at.wrapping_add(offset / 10), now);
            }
            bench.jitter.pause(&mut bench.steps);
            prop_assert!(bench.jitter.held.is_empty());
            let played: Vec<u16> = bench.steps.iter().filter_map(|step| match step {
                JitterStep::Play(packet) => Some(packet.sequence),
                JitterStep::Conceal(_) => None,
            }).collect();
            prop_assert!(played.windows(2).all(|pair| pair[0] < pair[1]), "{played:?}");
        }
    }
}

#[cfg(test)]
mod decode_tests {
    use opus2::{Application, Bitrate, Encoder};
    use tokio::time::Instant;

    use super::*;
    use crate::frame::SILENCE;

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

#[cfg(test)]
mod self_check_tests {
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
