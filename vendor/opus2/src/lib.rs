//! Opus, as far as songbird and the voice rooms call it, over `ropus`: libopus translated to safe Rust.
//!
//! The crate that carries this name on the registry builds libopus with cmake, which a fresh machine does not have.
//! This one stands in its place (`[patch.crates-io]` in the package's Cargo.toml) with the same names and the same
//! results, so that Rust is enough. Only what is called is here.
//!
//! Error codes are those of `opus_defines.h`; behaviour is that of RFC 6716.

use std::fmt;

use ropus::opus::soft_clip::opus_pcm_soft_clip;
use ropus::opus::decoder::opus_packet_get_nb_samples;
use ropus::{OpusDecoder, OpusEncoder};

/// What an encoder favours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Application {
    /// Speech that must be understood.
    Voip = 2048,
    /// Faithfulness to the input.
    Audio = 2049,
    /// The lowest delay; no speech modes.
    LowDelay = 2051,
}

/// How many channels are interleaved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channels {
    /// One.
    Mono = 1,
    /// Left, then right.
    Stereo = 2,
}

/// How many bits a second an encoder may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bitrate {
    /// So many, 500 to 512,000.
    Bits(i32),
    /// As many as fit into the packet.
    Max,
    /// What libopus thinks right for rate and channels.
    Auto,
}

/// Why libopus refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// An argument out of range.
    BadArg = -1,
    /// Not enough room in the buffer given.
    BufferTooSmall = -2,
    /// A fault inside libopus.
    InternalError = -3,
    /// Not an Opus packet, or a damaged one.
    InvalidPacket = -4,
    /// A request that is not implemented.
    Unimplemented = -5,
    /// An encoder or decoder that is not in a usable state.
    InvalidState = -6,
    /// No memory.
    AllocFail = -7,
    /// A code that is none of these.
    Unknown = -8,
}

impl ErrorCode {
    fn of(code: i32) -> Self {
        match code {
            -1 => Self::BadArg,
            -2 => Self::BufferTooSmall,
            -3 => Self::InternalError,
            -4 => Self::InvalidPacket,
            -5 => Self::Unimplemented,
            -6 => Self::InvalidState,
            -7 => Self::AllocFail,
            _ => Self::Unknown,
        }
    }

    /// The words of `opus_strerror`.
    pub fn description(self) -> &'static str {
        match self {
            Self::BadArg => "invalid argument",
            Self::BufferTooSmall => "buffer too small",
            Self::InternalError => "internal error",
            Self::InvalidPacket => "corrupted stream",
            Self::Unimplemented => "request not implemented",
            Self::InvalidState => "invalid state",
            Self::AllocFail => "memory allocation failed",
            Self::Unknown => "unknown error",
        }
    }
}

/// A refusal, with the call that refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    function: &'static str,
    code: ErrorCode,
}

impl Error {
    /// Why.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// The function of libopus that refused.
    pub fn function(&self) -> &'static str {
        self.function
    }

    /// Why, in words.
    pub fn description(&self) -> &'static str {
        self.code.description()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.function, self.description())
    }
}

impl std::error::Error for Error {}

/// What every call gives.
pub type Result<T> = std::result::Result<T, Error>;

fn refused(function: &'static str, code: i32) -> Error {
    Error { function, code: ErrorCode::of(code) }
}

fn counted(function: &'static str, given: std::result::Result<i32, i32>) -> Result<usize> {
    given.map_err(|code| refused(function, code)).map(|n| usize::try_from(n).unwrap_or_default())
}

fn set(code: i32) -> Result<()> {
    if code < 0 { Err(refused("opus_encoder_ctl", code)) } else { Ok(()) }
}

/// libopus counts samples a channel, slices count all of them. More than an i32 holds is refused by libopus itself
/// (120 ms is the most a packet carries).
fn per_channel(samples: usize, channels: Channels) -> i32 {
    length(samples / channels as usize)
}

fn length(bytes: usize) -> i32 {
    i32::try_from(bytes).unwrap_or(i32::MAX)
}

fn rate(sample_rate: u32) -> i32 {
    i32::try_from(sample_rate).unwrap_or(-1)
}

/// How hard the encoder searches, 0 to 10. From 5 on it also looks for pitch, which costs five times as much and is not
/// heard at the 128 kbit/s that calls are sent with.
const COMPLEXITY: i32 = 4;

/// `OPUS_AUTO`.
const AUTO: i32 = -1000;
/// `OPUS_BITRATE_MAX`.
const BITRATE_MAX: i32 = -1;

/// Samples to packets.
pub struct Encoder {
    state: OpusEncoder,
    channels: Channels,
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").field("channels", &self.channels).finish_non_exhaustive()
    }
}

impl Encoder {
    /// An encoder for 8, 12, 16, 24 or 48 thousand samples a second.
    pub fn new(sample_rate: u32, channels: Channels, application: Application) -> Result<Self> {
        let mut state = OpusEncoder::new(rate(sample_rate), channels as i32, application as i32)
            .map_err(|code| refused("opus_encoder_create", code))?;
        set(state.set_complexity(COMPLEXITY))?;
        Ok(Self { state, channels })
    }

    /// One frame (2.5 to 60 ms) into `packet`; how many bytes it took.
    pub fn encode(&mut self, samples: &[i16], packet: &mut [u8]) -> Result<usize> {
        let frame = per_channel(samples.len(), self.channels);
        let room = length(packet.len());
        counted("opus_encode", self.state.encode(samples, frame, packet, room))
    }

    /// [`encode`](Self::encode) of samples from -1 to 1.
    pub fn encode_float(&mut self, samples: &[f32], packet: &mut [u8]) -> Result<usize> {
        let frame = per_channel(samples.len(), self.channels);
        let room = length(packet.len());
        counted("opus_encode_float", self.state.encode_float(samples, frame, packet, room))
    }

    /// How many bits a second may be spent.
    pub fn set_bitrate(&mut self, bitrate: Bitrate) -> Result<()> {
        set(self.state.set_bitrate(match bitrate {
            Bitrate::Bits(bits) => bits,
            Bitrate::Max => BITRATE_MAX,
            Bitrate::Auto => AUTO,
        }))
    }

    /// How many bits a second are spent.
    pub fn get_bitrate(&mut self) -> Result<Bitrate> {
        Ok(match self.state.get_bitrate() {
            AUTO => Bitrate::Auto,
            BITRATE_MAX => Bitrate::Max,
            bits => Bitrate::Bits(bits),
        })
    }

    /// Whether packets may differ in size.
    pub fn get_vbr(&mut self) -> Result<bool> {
        Ok(self.state.get_vbr() != 0)
    }

    /// The rate given at the start.
    pub fn get_sample_rate(&mut self) -> Result<u32> {
        counted("opus_encoder_ctl", Ok(self.state.get_sample_rate())).map(|hz| hz as u32)
    }

    /// What was given at the start.
    pub fn get_application(&mut self) -> Result<Application> {
        match self.state.get_application() {
            2048 => Ok(Application::Voip),
            2049 => Ok(Application::Audio),
            2051 => Ok(Application::LowDelay),
            _ => Err(refused("opus_encoder_ctl", ErrorCode::Unknown as i32)),
        }
    }

    /// Whether a packet carries a poor copy of the one before, for [`Decoder::decode`] with `fec`.
    pub fn set_inband_fec(&mut self, on: bool) -> Result<()> {
        set(self.state.set_inband_fec(i32::from(on)))
    }

    /// How much loss is expected, 0 to 100 per cent; more makes the copies of `set_inband_fec` better.
    pub fn set_packet_loss_perc(&mut self, percent: i32) -> Result<()> {
        set(self.state.set_packet_loss_perc(percent))
    }
}

/// Packets to samples.
pub struct Decoder {
    state: OpusDecoder,
    channels: Channels,
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").field("channels", &self.channels).finish_non_exhaustive()
    }
}

/// No packet at all asks the decoder to conceal the loss of one.
fn packet_or_loss(packet: &[u8]) -> Option<&[u8]> {
    (!packet.is_empty()).then_some(packet)
}

impl Decoder {
    /// A decoder that gives 8, 12, 16, 24 or 48 thousand samples a second, whatever the packets were made at.
    pub fn new(sample_rate: u32, channels: Channels) -> Result<Self> {
        let state = OpusDecoder::new(rate(sample_rate), channels as i32)
            .map_err(|code| refused("opus_decoder_create", code))?;
        Ok(Self { state, channels })
    }

    /// One packet into `samples`; how many samples a channel it held. An empty packet conceals a lost one, for as
    /// long as `samples` is. With `fec` the copy of the packet *before* this one is decoded instead, where there is
    /// one, into as many samples as were lost.
    pub fn decode(&mut self, packet: &[u8], samples: &mut [i16], fec: bool) -> Result<usize> {
        let most = per_channel(samples.len(), self.channels);
        counted("opus_decode", self.state.decode(packet_or_loss(packet), samples, most, fec))
    }

    /// [`decode`](Self::decode) to samples from -1 to 1.
    pub fn decode_float(&mut self, packet: &[u8], samples: &mut [f32], fec: bool) -> Result<usize> {
        let most = per_channel(samples.len(), self.channels);
        counted("opus_decode_float", self.state.decode_float(packet_or_loss(packet), samples, most, fec))
    }

    /// As if newly made.
    pub fn reset_state(&mut self) -> Result<()> {
        self.state.reset();
        Ok(())
    }
}

/// What a packet says of itself, undecoded.
pub mod packet {
    use super::{Result, counted, opus_packet_get_nb_samples, rate};

    /// How many samples a channel a packet holds at a rate.
    pub fn get_nb_samples(packet: &[u8], sample_rate: u32) -> Result<usize> {
        counted("opus_packet_get_nb_samples", opus_packet_get_nb_samples(packet, rate(sample_rate)))
    }
}

/// Bends samples beyond -1 and 1 back, without the click of cutting them.
#[derive(Debug)]
pub struct SoftClip {
    channels: Channels,
    memory: [f32; 2],
}

impl SoftClip {
    /// For so many channels.
    pub fn new(channels: Channels) -> Self {
        Self { channels, memory: [0.0; 2] }
    }

    /// In place; consecutive calls join without a seam.
    pub fn apply(&mut self, samples: &mut [f32]) {
        let channels = self.channels as usize;
        opus_pcm_soft_clip(samples, samples.len() / channels, channels, &mut self.memory);
    }
}
