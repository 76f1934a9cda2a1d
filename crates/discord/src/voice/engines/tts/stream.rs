//! Sound that arrives in pieces: from an HTTP body or a pipe to [`SpeechEvent`]s, with a deadline.

use std::pin::Pin;
use std::time::Duration;

use futures::{Stream, StreamExt as _};
use tokio::sync::mpsc;

use super::sound_bounds;
use crate::net::{ReadCut, bounded};
use crate::voice::engines::pcm::{PcmBytes, WavReader};
use crate::voice::engines::service::Service;
use crate::voice::engines::{EngineError, Speech, SpeechEvent};

/// Events that may wait. Whoever is slow to take them slows the service down, which does no harm.
const EVENTS: usize = 64;

/// No word is shorter than this part of a second: what is, is a program's or a server's words taken for sound.
const SHORTEST: usize = 50;

/// Bytes as they come.
pub(super) type Pieces = Pin<Box<dyn Stream<Item = Result<Vec<u8>, EngineError>> + Send>>;

/// The same pieces, within the bounds of a phrase of so many characters.
pub(super) fn bounded_pieces(
    service: &Service,
    pieces: impl Stream<Item = Result<Vec<u8>, EngineError>> + Send + 'static,
    chars: usize,
) -> Pieces {
    let service = service.clone();
    Box::pin(bounded(pieces, sound_bounds(chars)).map(move |piece| {
        piece.map_err(|cut| match cut {
            ReadCut::Broken(error) => error,
            ReadCut::TooLong(time) => service.stalled(time),
            ReadCut::TooMuch(_) => service.protocol(&format!("sound without end: {cut}")),
        })
    }))
}

/// How sound begins that is neither a WAV nor plain samples, played as which it would be a roar.
const OTHERS: [(&[u8], &str); 5] =
    [(b"ID3", "MP3"), (b"OggS", "Ogg"), (b"fLaC", "FLAC"), (b"\x1aE\xdf\xa3", "WebM"), (b"FORM", "AIFF")];

/// From so many bytes on it is known what something is, and from so many whether it is marked up as a page or JSON. Samples
/// that all are letters begin with a bang that no voice makes.
const KNOWN_FROM: usize = 64;
const MARKED_FROM: usize = 12;

/// What something is that is neither a WAV nor plain samples, by how it begins.
fn other_format(begun: &[u8]) -> Option<&'static str> {
    if let Some((_, what)) = OTHERS.iter().find(|(begins, _)| begun.starts_with(begins)) {
        return Some(*what);
    }
    if let [first, second, third, ..] = begun
        && is_mpeg_frame(*first, *second, *third)
    {
        return Some("MP3 or AAC");
    }
    let marked = bytes_as_text(begun.get(..MARKED_FROM)?)?.trim_start_matches('\u{feff}').trim_start();
    match marked.chars().next() {
        Some('<') => Some("a web page"),
        Some('{' | '[') => Some("JSON"),
        _ => bytes_as_text(begun.get(..KNOWN_FROM)?).map(|_| "text"),
    }
}

/// Bytes as text, where they are nothing else; a letter at their end may be cut.
fn bytes_as_text(bytes: &[u8]) -> Option<&str> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(broken) if broken.error_len().is_none() => {
            std::str::from_utf8(bytes.get(..broken.valid_up_to())?).ok()?
        }
        Err(_) => return None,
    };
    (!text.chars().any(|c| c.is_control() && !c.is_whitespace())).then_some(text)
}

/// The header of an MPEG audio frame, layer III, or of an AAC one (ISO 11172-3, 2.4.1.3; 13818-7, 6.2).
fn is_mpeg_frame(first: u8, second: u8, third: u8) -> bool {
    let is_aac = second & 0xf6 == 0xf0;
    let is_layer_three = second & 0xe6 == 0xe2 && second & 0x18 != 0x08;
    let (rate, bits) = ((third >> 2) & 0x03, third >> 4);
    first == 0xff && (is_aac || is_layer_three && rate != 3 && bits != 0 && bits != 15)
}

/// What a `Content-Type` names that is neither a WAV nor plain samples. What is not known is looked at.
pub(super) fn other_kind(kind: &str) -> Option<String> {
    let essence = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (family, name) = essence.split_once('/')?;
    let is_sound = match (family, name.strip_prefix("x-").unwrap_or(name)) {
        ("audio", "wav" | "wave" | "vnd.wave" | "pcm" | "raw" | "l16" | "basic") => true,
        ("audio" | "text" | "video" | "image", _)
        | ("application", "json" | "xml" | "ogg" | "problem+json") => false,
        _ => true,
    };
    (!is_sound).then_some(essence)
}

impl Service {
    pub(super) fn no_samples(&self, what: &str) -> EngineError {
        self.protocol(&format!("{what} instead of a WAV or plain samples of 16 bits"))
    }
}

/// A WAV where it begins like one, else plain samples: programs differ, and so do servers that were asked for either.
#[derive(Debug)]
pub(crate) struct WavOrPlain {
    service: Service,
    rate: u32,
    begun: Vec<u8>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Unknown,
    Wav(WavReader),
    Plain(PcmBytes),
}

impl WavOrPlain {
    pub(crate) fn new(service: Service, rate: u32) -> Self {
        Self { service, rate, begun: Vec::new(), kind: Kind::Unknown }
    }

    /// The samples per second, once they are known.
    fn rate(&self) -> Option<u32> {
        match &self.kind {
            Kind::Unknown => None,
            Kind::Wav(wav) => wav.format().map(|format| format.rate),
            Kind::Plain(_) => Some(self.rate),
        }
    }

    /// The next samples.
    ///
    /// # Errors
    /// When the bytes make no sense, or are a complaint.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<Vec<i16>, EngineError> {
        match &mut self.kind {
            Kind::Wav(wav) => wav.read(bytes).map_err(|error| self.service.protocol(&error.to_string())),
            Kind::Plain(plain) => Ok(plain.read(bytes)),
            Kind::Unknown => {
                self.begun.extend_from_slice(bytes);
                if let Some(what) = other_format(&self.begun) {
                    return Err(self.service.no_samples(what));
                }
                let is_wav = self.begun.starts_with(b"RIFF");
                if self.begun.len() < KNOWN_FROM && !is_wav {
                    return Ok(Vec::new());
                }
                self.kind = match is_wav {
                    true => Kind::Wav(WavReader::default()),
                    false => Kind::Plain(PcmBytes::default()),
                };
                let begun = std::mem::take(&mut self.begun);
                self.read(&begun)
            }
        }
    }
}

/// How loud no voice is on average, of full scale: random numbers are at 0.58, a loud voice below 0.3.
const ROAR: f64 = 0.5;

/// Whether what comes is a voice, as far as numbers tell.
#[derive(Debug, Default)]
struct Soundness {
    samples: usize,
    squares: f64,
    is_silent: bool,
}

impl Soundness {
    /// Takes the next samples.
    ///
    /// # Errors
    /// In words, when all up to now is a roar.
    fn hear(&mut self, samples: &[i16], rate: u32) -> Result<(), &'static str> {
        self.is_silent = (self.samples == 0 || self.is_silent) && samples.iter().all(|sample| *sample == 0);
        self.samples += samples.len();
        let square = |sample: &i16| f64::from(*sample) * f64::from(*sample);
        let squares: f64 = samples.iter().map(square).sum();
        self.squares += squares;
        let is_roar = |squares: f64, count: usize| {
            #[expect(clippy::cast_precision_loss, reason = "a few million samples")]
            let mean = squares / count.max(1) as f64;
            count >= rate as usize / SHORTEST && mean.sqrt() > ROAR * f64::from(i16::MAX)
        };
        if is_roar(squares, samples.len()) || is_roar(self.squares, self.samples) {
            return Err("a roar instead of a voice");
        }
        Ok(())
    }

    /// All of it was heard.
    ///
    /// # Errors
    /// In words, when it was nothing.
    fn end(&self) -> Result<(), &'static str> {
        if self.is_silent { Err("silence throughout") } else { Ok(()) }
    }
}

/// Sound on its way.
pub(super) struct Flow {
    service: Service,
    pieces: Pieces,
    reading: WavOrPlain,
    /// The longest wait for the next piece.
    patience: Duration,
}

impl Flow {
    /// `rate`: that of plain samples.
    pub(super) fn new(service: Service, pieces: Pieces, rate: u32, patience: Duration) -> Self {
        Self { reading: WavOrPlain::new(service.clone(), rate), service, pieces, patience }
    }

    /// Waits for the first sound, so that the rate is known and an early failure is an error of the call.
    ///
    /// # Errors
    /// When the first piece does not come, or makes no sense.
    pub(super) async fn begin(mut self) -> Result<Speech, EngineError> {
        let mut first = Vec::new();
        let rate = loop {
            match self.next().await? {
                Some(samples) => first.extend(samples),
                None if first.is_empty() => return Err(self.service.protocol("an answer without sound")),
                None => {
                    let said = format!("{} samples, which nobody can hear", first.len());
                    return Err(self.service.protocol(&said));
                }
            }
            let is_enough = |rate: &u32| first.len() >= *rate as usize / SHORTEST;
            if let Some(rate) = self.reading.rate().filter(is_enough) {
                break rate;
            }
        };
        let mut sound = Soundness::default();
        sound.hear(&first, rate).map_err(|said| self.service.protocol(said))?;
        let (to, events) = mpsc::channel(EVENTS);
        // Ends with the sound, or when nobody listens.
        tokio::spawn(async move {
            let last = tokio::select! {
                last = self.pump(first, (sound, rate), &to) => last,
                () = to.closed() => return,
            };
            // Nobody may be left to be told.
            let _ = to.send(last).await;
        });
        Ok(Speech::new(rate, events))
    }

    async fn next(&mut self) -> Result<Option<Vec<i16>>, EngineError> {
        let piece = tokio::time::timeout(self.patience, self.pieces.next()).await;
        match piece.map_err(|_| self.service.stalled(self.patience))? {
            Some(bytes) => self.reading.read(&bytes?).map(Some),
            None => Ok(None),
        }
    }

    /// Hands on the samples; gives what comes last.
    async fn pump(
        mut self,
        first: Vec<i16>,
        (mut sound, rate): (Soundness, u32),
        to: &mpsc::Sender<SpeechEvent>,
    ) -> SpeechEvent {
        let mut samples = first;
        loop {
            if !samples.is_empty() && to.send(SpeechEvent::Samples(samples)).await.is_err() {
                return SpeechEvent::Done;
            }
            samples = match self.next().await {
                Ok(Some(samples)) => samples,
                Ok(None) => {
                    let whole = sound.end().map_err(|said| self.service.protocol(said));
                    return whole.map_or_else(SpeechEvent::Failed, |()| SpeechEvent::Done);
                }
                Err(error) => return SpeechEvent::Failed(error),
            };
            if let Err(said) = sound.hear(&samples, rate) {
                return SpeechEvent::Failed(self.service.protocol(said));
            }
        }
    }
}
