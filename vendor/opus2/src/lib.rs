//! Opus, as far as songbird and the voice rooms call it, over `unsafe-libopus`: libopus 1.3.1, translated to Rust.
//!
//! The crate that carries this name on the registry builds libopus with cmake, which a fresh machine does not have.
//! This one stands in its place (`[patch.crates-io]` in the package's Cargo.toml) with the same names and the same
//! results, so that a C compiler and Rust are enough. Only what is called is here.
//!
//! Control codes and error codes are those of `opus_defines.h`; behaviour is that of RFC 6716.

use std::fmt;
use std::ptr::{self, NonNull};

use unsafe_libopus as libopus;

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

fn checked(function: &'static str, value: i32) -> Result<i32> {
    if value < 0 {
        Err(Error {
            function,
            code: ErrorCode::of(value),
        })
    } else {
        Ok(value)
    }
}

fn counted(function: &'static str, value: i32) -> Result<usize> {
    checked(function, value).map(|n| n as usize)
}

/// libopus counts samples a channel, slices count all of them. More than an i32 holds is refused by libopus itself
/// (120 ms is the most a packet carries), so the cut here only keeps the number from turning negative.
fn per_channel(samples: usize, channels: Channels) -> i32 {
    i32::try_from(samples / channels as usize).unwrap_or(i32::MAX)
}

fn length(bytes: &[u8]) -> i32 {
    i32::try_from(bytes.len()).unwrap_or(i32::MAX)
}

/// No packet at all asks the decoder to conceal the loss of one; libopus knows it by the null pointer.
fn packet_pointer(packet: &[u8]) -> *const u8 {
    if packet.is_empty() {
        ptr::null()
    } else {
        packet.as_ptr()
    }
}

const SET_BITRATE: i32 = 4002;
const GET_BITRATE: i32 = 4003;
const GET_APPLICATION: i32 = 4001;
const SET_VBR: i32 = 4006;
const GET_VBR: i32 = 4007;
const SET_INBAND_FEC: i32 = 4012;
const SET_PACKET_LOSS_PERC: i32 = 4014;
const RESET_STATE: i32 = 4028;
const GET_SAMPLE_RATE: i32 = 4029;
/// `OPUS_AUTO`.
const AUTO: i32 = -1000;
/// `OPUS_BITRATE_MAX`.
const BITRATE_MAX: i32 = -1;

/// Samples to packets.
#[derive(Debug)]
pub struct Encoder {
    state: NonNull<libopus::OpusEncoder>,
    channels: Channels,
}

// SAFETY: the state is owned by this value alone and libopus keeps nothing outside it; every call that touches it
// takes `&mut self`.
unsafe impl Send for Encoder {}
// SAFETY: as above; there is no method on `&self` that reaches the state.
unsafe impl Sync for Encoder {}

impl Drop for Encoder {
    fn drop(&mut self) {
        // SAFETY: made by `opus_encoder_create`, destroyed once.
        unsafe { libopus::opus_encoder_destroy(self.state.as_ptr()) }
    }
}

impl Encoder {
    /// An encoder for 8, 12, 16, 24 or 48 thousand samples a second.
    pub fn new(sample_rate: u32, channels: Channels, application: Application) -> Result<Self> {
        let mut code = 0;
        // SAFETY: plain numbers, and a place for the error code.
        let state = unsafe {
            libopus::opus_encoder_create(
                sample_rate as i32,
                channels as i32,
                application as i32,
                &mut code,
            )
        };
        checked("opus_encoder_create", code)?;
        let state = NonNull::new(state).ok_or(Error {
            function: "opus_encoder_create",
            code: ErrorCode::AllocFail,
        })?;
        Ok(Self { state, channels })
    }

    /// One frame (2.5 to 60 ms) into `packet`; how many bytes it took.
    pub fn encode(&mut self, samples: &[i16], packet: &mut [u8]) -> Result<usize> {
        // SAFETY: pointers and lengths are those of the two slices.
        counted("opus_encode", unsafe {
            libopus::opus_encode(
                self.state.as_ptr(),
                samples.as_ptr(),
                per_channel(samples.len(), self.channels),
                packet.as_mut_ptr(),
                length(packet),
            )
        })
    }

    /// [`encode`](Self::encode) of samples from -1 to 1.
    pub fn encode_float(&mut self, samples: &[f32], packet: &mut [u8]) -> Result<usize> {
        // SAFETY: pointers and lengths are those of the two slices.
        counted("opus_encode_float", unsafe {
            libopus::opus_encode_float(
                self.state.as_ptr(),
                samples.as_ptr(),
                per_channel(samples.len(), self.channels),
                packet.as_mut_ptr(),
                length(packet),
            )
        })
    }

    fn set(&mut self, request: i32, value: i32) -> Result<()> {
        // SAFETY: each request used here takes one i32.
        checked("opus_encoder_ctl", unsafe {
            libopus::opus_encoder_ctl!(self.state.as_ptr(), request, value)
        })
        .map(|_| ())
    }

    fn get(&mut self, request: i32) -> Result<i32> {
        let mut value = 0i32;
        // SAFETY: each request used here writes one i32.
        checked("opus_encoder_ctl", unsafe {
            libopus::opus_encoder_ctl!(self.state.as_ptr(), request, &mut value)
        })?;
        Ok(value)
    }

    /// How many bits a second may be spent.
    pub fn set_bitrate(&mut self, bitrate: Bitrate) -> Result<()> {
        let value = match bitrate {
            Bitrate::Bits(bits) => bits,
            Bitrate::Max => BITRATE_MAX,
            Bitrate::Auto => AUTO,
        };
        self.set(SET_BITRATE, value)
    }

    /// How many bits a second are spent.
    pub fn get_bitrate(&mut self) -> Result<Bitrate> {
        Ok(match self.get(GET_BITRATE)? {
            AUTO => Bitrate::Auto,
            BITRATE_MAX => Bitrate::Max,
            bits => Bitrate::Bits(bits),
        })
    }

    /// Whether packets may differ in size.
    pub fn set_vbr(&mut self, on: bool) -> Result<()> {
        self.set(SET_VBR, i32::from(on))
    }

    /// Whether packets may differ in size.
    pub fn get_vbr(&mut self) -> Result<bool> {
        Ok(self.get(GET_VBR)? != 0)
    }

    /// Whether a packet carries a poor copy of the one before, for [`Decoder::decode`] with `fec`.
    pub fn set_inband_fec(&mut self, on: bool) -> Result<()> {
        self.set(SET_INBAND_FEC, i32::from(on))
    }

    /// How much loss is expected, 0 to 100 per cent; more makes the copies of `set_inband_fec` better.
    pub fn set_packet_loss_perc(&mut self, percent: i32) -> Result<()> {
        self.set(SET_PACKET_LOSS_PERC, percent)
    }

    /// The rate given at the start.
    pub fn get_sample_rate(&mut self) -> Result<u32> {
        Ok(self.get(GET_SAMPLE_RATE)? as u32)
    }

    /// What was given at the start.
    pub fn get_application(&mut self) -> Result<Application> {
        match self.get(GET_APPLICATION)? {
            2048 => Ok(Application::Voip),
            2049 => Ok(Application::Audio),
            2051 => Ok(Application::LowDelay),
            _ => Err(Error {
                function: "opus_encoder_ctl",
                code: ErrorCode::Unknown,
            }),
        }
    }

    /// As if newly made.
    pub fn reset_state(&mut self) -> Result<()> {
        // SAFETY: the request takes no argument.
        checked("opus_encoder_ctl", unsafe {
            libopus::opus_encoder_ctl_impl(
                self.state.as_ptr(),
                RESET_STATE,
                libopus::varargs::VarArgs::new(Vec::new()),
            )
        })
        .map(|_| ())
    }
}

/// Packets to samples.
#[derive(Debug)]
pub struct Decoder {
    state: NonNull<libopus::OpusDecoder>,
    channels: Channels,
}

// SAFETY: the state is owned by this value alone and libopus keeps nothing outside it; every call that touches it
// takes `&mut self`.
unsafe impl Send for Decoder {}
// SAFETY: as above; there is no method on `&self` that reaches the state.
unsafe impl Sync for Decoder {}

impl Drop for Decoder {
    fn drop(&mut self) {
        // SAFETY: made by `opus_decoder_create`, destroyed once.
        unsafe { libopus::opus_decoder_destroy(self.state.as_ptr()) }
    }
}

impl Decoder {
    /// A decoder that gives 8, 12, 16, 24 or 48 thousand samples a second, whatever the packets were made at.
    pub fn new(sample_rate: u32, channels: Channels) -> Result<Self> {
        let mut code = 0;
        // SAFETY: plain numbers, and a place for the error code.
        let state = unsafe {
            libopus::opus_decoder_create(sample_rate as i32, channels as i32, &mut code)
        };
        checked("opus_decoder_create", code)?;
        let state = NonNull::new(state).ok_or(Error {
            function: "opus_decoder_create",
            code: ErrorCode::AllocFail,
        })?;
        Ok(Self { state, channels })
    }

    /// One packet into `samples`; how many samples a channel it held. An empty packet conceals a lost one, for as
    /// long as `samples` is. With `fec` the copy of the packet *before* this one is decoded instead, where there is
    /// one, into as many samples as were lost.
    pub fn decode(&mut self, packet: &[u8], samples: &mut [i16], fec: bool) -> Result<usize> {
        // SAFETY: pointers and lengths are those of the two slices; the state is ours alone.
        counted("opus_decode", unsafe {
            libopus::opus_decode(
                self.state.as_mut(),
                packet_pointer(packet),
                length(packet),
                samples.as_mut_ptr(),
                per_channel(samples.len(), self.channels),
                i32::from(fec),
            )
        })
    }

    /// [`decode`](Self::decode) to samples from -1 to 1.
    pub fn decode_float(
        &mut self,
        packet: &[u8],
        samples: &mut [f32],
        fec: bool,
    ) -> Result<usize> {
        // SAFETY: pointers and lengths are those of the two slices; the state is ours alone.
        counted("opus_decode_float", unsafe {
            libopus::opus_decode_float(
                self.state.as_mut(),
                packet_pointer(packet),
                length(packet),
                samples.as_mut_ptr(),
                per_channel(samples.len(), self.channels),
                i32::from(fec),
            )
        })
    }

    /// As if newly made.
    pub fn reset_state(&mut self) -> Result<()> {
        // SAFETY: the request takes no argument; the state is ours alone.
        checked("opus_decoder_ctl", unsafe {
            libopus::opus_decoder_ctl_impl(
                self.state.as_mut(),
                RESET_STATE,
                libopus::varargs::VarArgs::new(Vec::new()),
            )
        })
        .map(|_| ())
    }
}

/// What a packet says of itself, undecoded.
pub mod packet {
    use super::{Result, counted, length, libopus};

    /// How many samples a channel a packet holds at a rate.
    pub fn get_nb_samples(packet: &[u8], sample_rate: u32) -> Result<usize> {
        // SAFETY: pointer and length are those of the slice.
        counted("opus_packet_get_nb_samples", unsafe {
            libopus::opus_packet_get_nb_samples(packet.as_ptr(), length(packet), sample_rate as i32)
        })
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
        Self {
            channels,
            memory: [0.0; 2],
        }
    }

    /// In place; consecutive calls join without a seam.
    pub fn apply(&mut self, samples: &mut [f32]) {
        // SAFETY: pointer and length are those of the slice; the memory holds one number for each of two channels.
        unsafe {
            libopus::opus_pcm_soft_clip(
                samples.as_mut_ptr(),
                per_channel(samples.len(), self.channels),
                self.channels as i32,
                self.memory.as_mut_ptr(),
            );
        }
    }
}
