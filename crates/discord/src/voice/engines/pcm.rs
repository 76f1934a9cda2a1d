//! Samples as bytes: raw little-endian 16 bit, and WAV files read as they arrive.

use rubato::{FftFixedIn, Resampler as _};

use crate::voice::frame::RATE;

/// Samples that arrive in pieces of any length.
#[derive(Debug, Default)]
pub(crate) struct PcmBytes {
    odd: Option<u8>,
}

impl PcmBytes {
    /// The whole samples so far; half a one waits for the next piece.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Vec<i16> {
        let mut samples = Vec::with_capacity(bytes.len() / 2 + 1);
        let mut rest = bytes;
        if let (Some(low), [high, after @ ..]) = (self.odd, bytes) {
            samples.push(i16::from_le_bytes([low, *high]));
            (self.odd, rest) = (None, after);
        }
        let (pairs, left) = rest.as_chunks::<2>();
        samples.extend(pairs.iter().map(|pair| i16::from_le_bytes(*pair)));
        if let [low] = left {
            self.odd = Some(*low);
        }
        samples
    }
}

pub(crate) fn to_bytes(samples: &[i16]) -> Vec<u8> {
    samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
}

/// What is wrong with a WAV.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WavError {
    #[error("this is no WAV")]
    NotWav,
    /// It is compressed, floating or not 16 bit; plain is format 1.
    #[error("the WAV holds format {format} of {bits} bit; only plain 16 bit is read")]
    Format { format: u16, bits: u16 },
    #[error("{0} samples per second cannot be converted")]
    Rate(u32),
    /// It ends before its samples begin.
    #[error("the WAV ends before its sound begins")]
    Cut,
}

/// A header longer than this is none.
const HEADER_LIMIT: usize = 64 * 1024;

/// A WAV that arrives in pieces. Sizes in the header are not trusted: programs that write to a pipe do not know them.
#[derive(Debug, Default)]
pub(crate) struct WavReader {
    head: Vec<u8>,
    format: Option<Format>,
    samples: PcmBytes,
    /// Samples of an unfinished frame of several channels.
    frame: Vec<i16>,
    /// Bytes of sound still to come, where the header knows.
    left: Option<u64>,
}

/// How a WAV's samples are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    pub rate: u32,
    channels: u16,
}

impl WavReader {
    /// The format, once its header is here.
    pub(super) fn format(&self) -> Option<Format> {
        self.format
    }

    /// The next samples, channels mixed into one.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<Vec<i16>, WavError> {
        let Some(format) = self.format else {
            self.head.extend_from_slice(bytes);
            let Some((format, data, size)) = header(&self.head)? else {
                return if self.head.len() > HEADER_LIMIT { Err(WavError::NotWav) } else { Ok(Vec::new()) };
            };
            self.format = Some(format);
            // 0 and the largest number are what programs write that do not know.
            self.left = Some(u64::from(size)).filter(|size| (1..0x7fff_f000).contains(size));
            let head = std::mem::take(&mut self.head);
            return self.read(&head[data..]);
        };
        let here = match &mut self.left {
            None => bytes,
            Some(left) => {
                let here = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                *left -= here as u64;
                &bytes[..here]
            }
        };
        let samples = self.samples.read(here);
        if format.channels == 1 {
            return Ok(samples);
        }
        self.frame.extend(samples);
        let channels = usize::from(format.channels);
        let whole = self.frame.len() / channels * channels;
        let mixed = self.frame[..whole].chunks_exact(channels).map(mixed).collect();
        self.frame.drain(..whole);
        Ok(mixed)
    }
}

fn mixed(frame: &[i16]) -> i16 {
    let sum: i64 = frame.iter().map(|sample| i64::from(*sample)).sum();
    let mean = sum / i64::try_from(frame.len().max(1)).unwrap_or(1);
    i16::try_from(mean).unwrap_or_default()
}

/// The format, where the sound begins and how long the header says it is; `None` while it is not all here.
fn header(bytes: &[u8]) -> Result<Option<(Format, usize, u32)>, WavError> {
    let expected: [(usize, &[u8]); 2] = [(0, b"RIFF"), (8, b"WAVE")];
    for (at, word) in expected {
        let here = bytes.get(at..bytes.len().min(at + 4)).unwrap_or_default();
        if !word.starts_with(here) {
            return Err(WavError::NotWav);
        }
    }
    let number =
        |at: usize| -> Option<u16> { Some(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?])) };
    let long = |at: usize| -> Option<u32> { Some(u32::from(number(at)?) | u32::from(number(at + 2)?) << 16) };
    let (mut at, mut format) = (12, None);
    loop {
        let (Some(name), Some(size)) = (bytes.get(at..at + 4), long(at + 4)) else { return Ok(None) };
        let body = at + 8;
        match (name, format) {
            (b"data", None) => return Err(WavError::NotWav),
            (b"data", Some(format)) => return Ok(Some((format, body, size))),
            (b"fmt ", _) => {
                let (Some(kind), Some(channels), Some(rate), Some(bits)) =
                    (number(body), number(body + 2), long(body + 4), number(body + 14))
                else {
                    return Ok(None);
                };
                // 0xFFFE is "extensible"; of 16 bit it is plain all the same.
                if !matches!(kind, 1 | 0xfffe) || bits != 16 || channels == 0 || rate == 0 {
                    return Err(WavError::Format { format: kind, bits });
                }
                format = Some(Format { rate, channels });
            }
            _ => {}
        }
        // Chunks begin at even places.
        let step =
            usize::try_from(size).ok().and_then(|size| size.checked_add(size % 2)).unwrap_or(usize::MAX);
        at = body.saturating_add(step);
        if at > HEADER_LIMIT {
            return Err(WavError::NotWav);
        }
    }
}

/// A WAV file's rate and its samples, channels mixed into one.
///
/// # Errors
/// When it is none, or not plain 16 bit.
pub fn read_wav(bytes: &[u8]) -> Result<(u32, Vec<i16>), WavError> {
    let mut reader = WavReader::default();
    let samples = reader.read(bytes)?;
    match reader.format() {
        Some(format) => Ok((format.rate, samples)),
        None if bytes.is_empty() => Err(WavError::NotWav),
        None => Err(WavError::Cut),
    }
}

/// A WAV file of mono samples.
pub fn wav_bytes(rate: u32, samples: &[i16]) -> Vec<u8> {
    let sound = to_bytes(samples);
    let size = u32::try_from(sound.len()).unwrap_or(u32::MAX);
    let long = u32::to_le_bytes;
    let [one, frame, bits] = [1_u16, 2, 16].map(u16::to_le_bytes);
    [
        b"RIFF".as_slice(),
        &long(size.saturating_add(36)),
        b"WAVEfmt ",
        &long(16),
        &one,
        &one,
        &long(rate),
        &long(rate.saturating_mul(2)),
        &frame,
        &bits,
        b"data",
        &long(size),
        &sound,
    ]
    .concat()
}

/// Samples per piece that is resampled at once.
const PIECE: usize = 1024;

/// Sound at the rate that transcribers hear.
///
/// # Errors
/// When the rate is none.
pub fn to_heard_rate(rate: u32, samples: &[i16]) -> Result<Vec<i16>, WavError> {
    if rate == RATE {
        return Ok(samples.to_vec());
    }
    let (from, to) = (rate as usize, RATE as usize);
    let mut resampler = FftFixedIn::<f32>::new(from, to, PIECE, 1, 1).map_err(|_| WavError::Rate(rate))?;
    let scaled = |sample: &i16| f32::from(*sample) / f32::from(i16::MAX);
    let mut out: Vec<f32> = Vec::new();
    // What the filter holds back comes out with silence behind it.
    let silence = vec![0; PIECE * 5 - samples.len() % PIECE];
    let all: Vec<f32> = samples.iter().chain(&silence).map(scaled).collect();
    for piece in all.chunks_exact(PIECE) {
        let made = resampler.process(&[piece], None).map_err(|_| WavError::Rate(rate))?;
        out.extend(made.into_iter().flatten());
    }
    let begin = resampler.output_delay().min(out.len());
    let wanted = samples.len() * to / from;
    #[expect(clippy::cast_possible_truncation, reason = "clamped to what fits")]
    let sample = |value: &f32| (value.clamp(-1.0, 1.0) * f32::from(i16::MAX)) as i16;
    Ok(out[begin..].iter().take(wanted).map(sample).collect())
}

/// Makes 24 kHz of 16 kHz: three samples for two, between neighbours on a straight line. What an engine listens for lies
/// far below the images this leaves.
#[derive(Debug, Default)]
pub(crate) struct ToTwentyFour {
    before: i16,
    odd: bool,
}

impl ToTwentyFour {
    /// The next samples. One sample late, so that pieces join.
    pub(super) fn read(&mut self, samples: &[i16]) -> Vec<i16> {
        let mut out = Vec::with_capacity(samples.len() * 3 / 2 + 1);
        let between = |from: i16, to: i16, thirds: i32| {
            let mixed = (i32::from(from) * (3 - thirds) + i32::from(to) * thirds) / 3;
            i16::try_from(mixed).unwrap_or_default()
        };
        for sample in samples {
            if self.odd {
                out.push(between(self.before, *sample, 1));
            } else {
                out.push(self.before);
                out.push(between(self.before, *sample, 2));
            }
            self.odd = !self.odd;
            self.before = *sample;
        }
        out
    }
}
