//! What libopus made of the same packets (`tests/fixtures/voice/README.md`): bursts that end in frames of silence, changes
//! between the modes, discontinuous transmission, losses with and without a copy in the next packet.

use tokio::time::Instant;

use crate::frame::{FRAME, Packet};
use crate::receive::packets::SpeakerDecoder;

static FILE: &[u8] = include_bytes!("../../../../../tests/fixtures/voice/opus.bin");

#[derive(Debug, Clone, Copy, PartialEq)]
enum FrameKind {
    Whole,
    /// Lost, with a copy in the packet that follows.
    Copied,
    Lost,
}

/// A frame, and what libopus made of it.
struct GoldenFrame {
    kind: FrameKind,
    opus: &'static [u8],
    samples: Vec<i16>,
}

fn streams() -> Vec<Vec<GoldenFrame>> {
    let (mut streams, mut rest) = (Vec::new(), FILE);
    while let [kind, low, high, after @ ..] = rest {
        let (opus, after) = after.split_at(usize::from(u16::from_le_bytes([*low, *high])));
        let kind = match kind {
            0 => FrameKind::Whole,
            1 => FrameKind::Copied,
            2 => FrameKind::Lost,
            _ => {
                streams.push(Vec::new());
                rest = after;
                continue;
            }
        };
        let (sound, after) = after.split_at(2 * FRAME);
        let samples = sound.chunks(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
        streams.last_mut().unwrap().push(GoldenFrame { kind, opus, samples });
        rest = after;
    }
    streams
}

fn packet(opus: &[u8]) -> Packet {
    Packet { ssrc: 1, sequence: 0, timestamp: 0, opus: opus.into(), arrived: Instant::now() }
}

/// Ours beside libopus', frame by frame. What is lost comes with the next whole packet.
fn decoded(stream: &[GoldenFrame]) -> Vec<Vec<i16>> {
    let (mut decoder, mut samples) = (SpeakerDecoder::default(), Vec::new());
    for known in stream {
        match known.kind {
            FrameKind::Whole => decoder.play(&packet(known.opus), &mut samples),
            FrameKind::Copied | FrameKind::Lost => decoder.miss(1),
        }
    }
    assert_eq!(decoder.failures(), 0);
    samples.chunks(FRAME).map(<[i16]>::to_vec).collect()
}

fn peak(samples: &[i16]) -> i32 {
    samples.iter().map(|sample| i32::from(*sample).abs()).max().unwrap_or(0)
}

fn strength(values: impl Iterator<Item = f64>) -> f64 {
    (values.map(|value| value * value).sum::<f64>() / FRAME as f64).sqrt()
}

fn difference(one: &[i16], other: &[i16]) -> f64 {
    strength(one.iter().zip(other).map(|(one, other)| f64::from(*one) - f64::from(*other)))
}

#[test]
fn whole_streams_sound_as_libopus_decodes_them() {
    let streams = streams();
    assert_eq!(streams.iter().map(Vec::len).collect::<Vec<_>>(), [68, 64, 60, 60]);
    let modes = |stream: &[GoldenFrame]| {
        let mode = |known: &GoldenFrame| match known.opus.first().map(|first| first >> 3) {
            Some(0..=11) => "speech",
            Some(12..=15) => "both",
            _ => "music",
        };
        stream.iter().map(mode).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(modes(&streams[1]).len(), 3, "every mode of the codec is there");
    for (number, stream) in streams[..3].iter().enumerate() {
        for (at, (known, ours)) in stream.iter().zip(decoded(stream)).enumerate() {
            let loud = strength(known.samples.iter().map(|sample| f64::from(*sample)));
            let off = difference(&known.samples, &ours);
            assert!(off <= 150.0 + loud / 10.0, "stream {number}, frame {at}: {off:.0} off at {loud:.0}");
        }
    }
}

#[test]
fn frames_of_silence_behind_speech_are_quiet() {
    let stream = &streams()[0];
    let mut quiet = 0;
    for (known, ours) in stream.iter().zip(decoded(stream)) {
        if packet(known.opus).is_silence() {
            quiet += 1;
            assert!(peak(&ours) <= peak(&known.samples) + 50, "{} for {}", peak(&ours), peak(&known.samples));
        }
    }
    assert_eq!(quiet, 20);
}

#[test]
fn what_was_lost_is_the_copy_of_it_or_a_guess_that_is_no_louder_than_what_came_before() {
    let stream = &streams()[3];
    let ours = decoded(stream);
    let loudest = stream.iter().map(|known| peak(&known.samples)).max().unwrap();
    let mut as_copied = 0;
    for (known, ours) in stream.iter().zip(&ours) {
        assert!(peak(ours) <= loudest * 5 / 4, "{} where nothing is louder than {loudest}", peak(ours));
        let loud = strength(known.samples.iter().map(|sample| f64::from(*sample)));
        as_copied +=
            u32::from(known.kind == FrameKind::Copied && difference(&known.samples, ours) <= loud / 10.0);
    }
    let copied = stream.iter().filter(|known| known.kind == FrameKind::Copied).count();
    assert_eq!(copied, 6);
    // The first came before the encoder had anything to copy.
    assert!(as_copied >= 5, "{as_copied} of {copied}");
}
