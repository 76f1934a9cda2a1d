//! What a call is made of: packets that come in, samples of a fixed rate.
//!
//! Owns the units everything in this room counts in. Start reading at [`Packet`].

use std::time::Duration;

use tokio::time::Instant;

/// Samples per second of what is heard, mono. Speech recognisers and the voice detector want exactly this, and Opus
/// decodes to it by itself (voice 0.5).
pub const RATE: u32 = 16_000;

/// Samples of one frame of [`FRAME_TIME`] at [`RATE`].
pub const FRAME: usize = 320;

/// How long one frame is. Discord's clients send one packet for each.
pub const FRAME_TIME: Duration = Duration::from_millis(20);

/// Samples per second of what is said, mono; the bridge makes two channels of it.
pub const OUT_RATE: u32 = 48_000;

/// Samples of one frame of [`FRAME_TIME`] at [`OUT_RATE`].
pub const OUT_FRAME: usize = 960;

/// One RTP packet of a speaker, decrypted, without header extension and padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    /// Whose stream; which account that is, whoever carries the call knows.
    pub ssrc: u32,
    pub sequence: u16,
    /// Counts samples at 48 kHz; wraps. Some clients let it run on while nothing is sent, some do not.
    pub timestamp: u32,
    pub opus: Box<[u8]>,
    pub arrived: Instant,
}

/// What Discord's clients send five times before they fall silent.
pub const SILENCE: [u8; 3] = [0xF8, 0xFF, 0xFE];

/// Ends every frame that members of a call encrypt between them (daveprotocol.com, "Payload Format").
const ENCRYPTED: [u8; 2] = [0xFA, 0xFA];

/// How many bytes such a frame has of that encryption, as the byte before its end says: the tag, a counter of one to five
/// bytes, that byte and the end.
const ENCRYPTION: std::ops::RangeInclusive<usize> = 12..=16;

/// The length of an RTP header, in bytes, without contributing sources (RFC 3550, 5.1).
const RTP_HEADER: usize = 12;

impl Packet {
    /// Reads an RTP packet whose payload is in the clear. `offset` bytes of what follows the header are a header
    /// extension, the last `padding` are none of the payload's. `None` when it is malformed or holds nothing, or what
    /// members have encrypted between them: the voice library passes that on as it is while a call does without that
    /// encryption, and what was on its way when it ended would be heard as noise.
    pub fn from_rtp(bytes: &[u8], offset: usize, padding: usize, arrived: Instant) -> Option<Self> {
        let sources = usize::from(bytes.first()? & 0x0f) * 4;
        let body = bytes.get(RTP_HEADER + sources..)?;
        let end = body.len().checked_sub(padding)?;
        let opus = body.get(offset..end).filter(|opus| !opus.is_empty() && !is_encrypted(opus))?;
        let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        Some(Self {
            ssrc: number(8)?,
            sequence: u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?),
            timestamp: number(4)?,
            opus: opus.into(),
            arrived,
        })
    }

    /// Whether it says "now comes nothing".
    pub fn is_silence(&self) -> bool {
        *self.opus == SILENCE
    }
}

/// One sound in several million ends like this as well; it is lost like a packet on the way.
fn is_encrypted(opus: &[u8]) -> bool {
    let [.., length, first, second] = *opus else { return false };
    let length = usize::from(length);
    [first, second] == ENCRYPTED && ENCRYPTION.contains(&length) && length <= opus.len()
}

/// How long so many samples at `rate` per second last.
pub fn lasting(samples: usize, rate: u32) -> Duration {
    Duration::from_micros((samples as u64).saturating_mul(1_000_000) / u64::from(rate.max(1)))
}

/// How many samples at `rate` per second that long is.
pub fn samples_in(time: Duration, rate: u32) -> usize {
    usize::try_from(time.as_micros().saturating_mul(u128::from(rate)) / 1_000_000).unwrap_or(usize::MAX)
}
