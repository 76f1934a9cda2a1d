//! Sound that arrives in pieces: from an HTTP body or a pipe to [`SpeechEvent`]s, with a deadline and a way to stop.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::{Stream, StreamExt as _};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, RequestBuilder, Response};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::super::cost::Meter;
use super::super::http::Service;
use super::super::pcm::{PcmBytes, WavReader};
use super::super::{EngineError, Phrase, Speech, SpeechEvent, Synthesizer, SynthesizerAbilities};
use super::{PHRASE_CHARS, sound_bounds};
use crate::net::{Cut, bounded};

/// Events that may wait. Whoever is slow to take them slows the service down, which does no harm.
const EVENTS: usize = 64;

/// No word is shorter than this part of a second: what is, is a program's or a server's words taken for sound.
const SHORTEST: usize = 50;

/// Bytes as they come.
pub(in super::super) type Pieces = Pin<Box<dyn Stream<Item = Result<Vec<u8>, EngineError>> + Send>>;

/// What bytes mean.
pub(in super::super) trait Reading: Send {
    /// The samples per second, once they are known.
    fn rate(&self) -> Option<u32>;

    /// What the answer says it is, by its `Content-Type`.
    ///
    /// # Errors
    /// When it is nothing that is read here.
    fn announced(&mut self, _kind: &str) -> Result<(), EngineError> {
        Ok(())
    }

    /// The next samples.
    ///
    /// # Errors
    /// When the bytes make no sense, or are a complaint.
    fn read(&mut self, bytes: &[u8]) -> Result<Vec<i16>, EngineError>;
}

/// How sound begins that is neither a WAV nor plain samples, played as which it would be a roar.
const OTHERS: [(&[u8], &str); 5] =
    [(b"ID3", "MP3"), (b"OggS", "Ogg"), (b"fLaC", "FLAC"), (b"\x1aE\xdf\xa3", "WebM"), (b"FORM", "AIFF")];

/// From so many bytes on it is known what something is, and from so many whether it is marked up as a page or JSON. Samples
/// that all are letters begin with a bang that no voice makes.
const KNOWN_FROM: usize = 64;
const MARKED_FROM: usize = 12;

/// What something is that is neither a WAV nor plain samples, by how it begins.
fn other(begun: &[u8]) -> Option<&'static str> {
    if let Some((_, what)) = OTHERS.iter().find(|(begins, _)| begun.starts_with(begins)) {
        return Some(*what);
    }
    if let [first, second, third, ..] = begun
        && is_mpeg_frame(*first, *second, *third)
    {
        return Some("MP3 or AAC");
    }
    let marked = text_of(begun.get(..MARKED_FROM)?)?.trim_start_matches('\u{feff}').trim_start();
    match marked.chars().next() {
        Some('<') => Some("a web page"),
        Some('{' | '[') => Some("JSON"),
        _ => text_of(begun.get(..KNOWN_FROM)?).map(|_| "text"),
    }
}

/// Bytes as text, where they are nothing else; a letter at their end may be cut.
fn text_of(bytes: &[u8]) -> Option<&str> {
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
fn other_kind(kind: &str) -> Option<String> {
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

/// Plain samples.
#[derive(Debug)]
pub(in super::super) struct Plain {
    pub(in super::super) engine: &'static str,
    pub(in super::super) rate: u32,
    pub(in super::super) bytes: PcmBytes,
}

impl Reading for Plain {
    fn rate(&self) -> Option<u32> {
        Some(self.rate)
    }

    fn announced(&mut self, kind: &str) -> Result<(), EngineError> {
        other_kind(kind).map_or(Ok(()), |what| Err(no_samples(self.engine, &what)))
    }

    fn read(&mut self, bytes: &[u8]) -> Result<Vec<i16>, EngineError> {
        Ok(self.bytes.read(bytes))
    }
}

fn no_samples(engine: &'static str, what: &str) -> EngineError {
    EngineError::Protocol { engine, said: format!("{what} instead of a WAV or plain samples of 16 bits") }
}

/// A WAV where it begins like one, else plain samples: programs differ, and so do servers that were asked for either.
#[derive(Debug)]
pub(in super::super) struct WavOrPlain {
    pub(in super::super) engine: &'static str,
    /// For plain samples.
    pub(in super::super) rate: u32,
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
    pub(in super::super) fn new(engine: &'static str, rate: u32) -> Self {
        Self { engine, rate, begun: Vec::new(), kind: Kind::Unknown }
    }
}

impl Reading for WavOrPlain {
    fn rate(&self) -> Option<u32> {
        match &self.kind {
            Kind::Unknown => None,
            Kind::Wav(wav) => wav.format().map(|format| format.rate),
            Kind::Plain(_) => Some(self.rate),
        }
    }

    fn announced(&mut self, kind: &str) -> Result<(), EngineError> {
        other_kind(kind).map_or(Ok(()), |what| Err(no_samples(self.engine, &what)))
    }

    fn read(&mut self, bytes: &[u8]) -> Result<Vec<i16>, EngineError> {
        match &mut self.kind {
            Kind::Wav(wav) => wav.read(bytes).map_err(|error| error.of(self.engine)),
            Kind::Plain(plain) => Ok(plain.read(bytes)),
            Kind::Unknown => {
                self.begun.extend_from_slice(bytes);
                if let Some(what) = other(&self.begun) {
                    return Err(no_samples(self.engine, what));
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
pub(in super::super) struct Flow {
    pub(in super::super) service: Service,
    pub(in super::super) pieces: Pieces,
    /// Characters of the phrase, which say how much sound there can be.
    pub(in super::super) chars: usize,
    pub(in super::super) reading: Box<dyn Reading>,
    /// The longest wait for the next piece.
    pub(in super::super) patience: Duration,
    /// Cancelled when nobody listens any more.
    pub(in super::super) token: CancellationToken,
}

impl Flow {
    /// Waits for the first sound, so that the rate is known and an early failure is an error of the call.
    ///
    /// # Errors
    /// When the first piece does not come, or makes no sense.
    pub(in super::super) async fn begin(mut self) -> Result<Speech, EngineError> {
        let service = self.service.clone();
        let pieces = bounded(self.pieces, sound_bounds(self.chars));
        self.pieces = Box::pin(pieces.map(move |piece| {
            piece.map_err(|cut| match cut {
                Cut::Broken(error) => error,
                Cut::TooLong(time) => service.stalled(time),
                Cut::TooMuch(_) => service.protocol(&format!("sound without end: {cut}")),
            })
        }));
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
        let token = self.token.clone();
        // Ends with the sound, or when the token says that nobody listens.
        tokio::spawn(self.pump(first, (sound, rate), to));
        Ok(Speech::new(rate, events).stopped_by(token))
    }

    async fn next(&mut self) -> Result<Option<Vec<i16>>, EngineError> {
        let piece = tokio::time::timeout(self.patience, self.pieces.next()).await;
        match piece.map_err(|_| self.service.stalled(self.patience))? {
            Some(bytes) => self.reading.read(&bytes?).map(Some),
            None => Ok(None),
        }
    }

    async fn pump(
        mut self,
        first: Vec<i16>,
        (mut sound, rate): (Soundness, u32),
        to: mpsc::Sender<SpeechEvent>,
    ) {
        let token = self.token.clone();
        let all = async {
            let mut samples = Some(first);
            loop {
                let event = match samples {
                    Some(samples) if samples.is_empty() => None,
                    Some(samples) => Some(SpeechEvent::Samples(samples)),
                    None => {
                        let whole = sound.end().map_err(|said| self.service.protocol(said));
                        return whole.map_or_else(SpeechEvent::Failed, |()| SpeechEvent::Done);
                    }
                };
                if let Some(event) = event
                    && to.send(event).await.is_err()
                {
                    return SpeechEvent::Done;
                }
                samples = match self.next().await {
                    Ok(next) => next,
                    Err(error) => return SpeechEvent::Failed(error),
                };
                if let Err(said) = sound.hear(samples.as_deref().unwrap_or_default(), rate) {
                    return SpeechEvent::Failed(self.service.protocol(said));
                }
            }
        };
        let last = tokio::select! {
            last = all => last,
            () = token.cancelled() => return,
        };
        // Nobody may be left to be told.
        let _ = to.send(last).await;
    }
}

/// A service that answers each phrase with one stream of sound.
#[async_trait]
pub(in super::super) trait HttpVoice: Send + Sync + std::fmt::Debug + 'static {
    /// Name and key.
    fn service(&self) -> &Service;

    /// The client, shared so that connections stay warm.
    fn http(&self) -> &Client;

    /// Where it is, for getting ready.
    fn base(&self) -> &str;

    /// What it can do.
    fn abilities(&self) -> SynthesizerAbilities;

    /// The request for a phrase.
    fn request(&self, phrase: &Phrase) -> RequestBuilder;

    /// How the answer reads.
    fn reading(&self) -> Box<dyn Reading>;
}

/// A [`Synthesizer`] over HTTP.
#[derive(Debug)]
pub(in super::super) struct OverHttp<V> {
    pub(in super::super) voice: V,
    pub(in super::super) meter: Arc<Meter>,
    /// The longest wait for the first sound, and for the next.
    pub(in super::super) patience: Duration,
}

#[async_trait]
impl<V: HttpVoice> Synthesizer for OverHttp<V> {
    fn name(&self) -> &str {
        self.voice.service().engine
    }

    fn abilities(&self) -> SynthesizerAbilities {
        self.voice.abilities()
    }

    fn costs(&self) -> bool {
        self.meter.costs()
    }

    fn patience(&self) -> Duration {
        self.patience
    }

    async fn warm_up(&self) {
        let request = self.voice.http().head(self.voice.base()).timeout(self.patience).send();
        // Any answer at all leaves a connection behind, which is all that is wanted.
        let _ = request.await;
    }

    async fn speak(&self, phrase: &Phrase) -> Result<Speech, EngineError> {
        let service = self.voice.service();
        let chars = ready(service, &self.meter, phrase)?;
        let response = service.send(self.voice.request(phrase), self.patience).await?;
        count(&self.meter, phrase, chars);
        let mut reading = self.voice.reading();
        if let Some(kind) = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()) {
            reading.announced(kind)?;
        }
        let flow = Flow {
            service: service.clone(),
            pieces: pieces(service.clone(), response),
            chars,
            reading,
            patience: self.patience,
            token: CancellationToken::new(),
        };
        flow.begin().await
    }
}

fn pieces(service: Service, response: Response) -> Pieces {
    let stream = response.bytes_stream();
    Box::pin(stream.map(move |piece| match piece {
        Ok(bytes) => Ok(bytes.to_vec()),
        Err(error) => Err(service.broken(&error)),
    }))
}

/// Whether a phrase may be spoken, and how many characters it is.
pub(in super::super) fn ready(
    service: &Service,
    meter: &Meter,
    phrase: &Phrase,
) -> Result<usize, EngineError> {
    let chars = phrase.text.chars().count();
    let refuse = |said: String| Err(EngineError::Unsupported { engine: service.engine, said });
    if phrase.text.trim().is_empty() {
        return refuse("a phrase without words".to_owned());
    }
    if chars > PHRASE_CHARS {
        return refuse(format!("a phrase of {chars} characters; {PHRASE_CHARS} is the most"));
    }
    meter.allow(phrase.listener.as_ref())?;
    Ok(chars)
}

/// Writes a phrase down.
#[expect(clippy::cast_precision_loss, reason = "a phrase has a few thousand characters at most")]
pub(in super::super) fn count(meter: &Meter, phrase: &Phrase, chars: usize) {
    meter.count(phrase.listener.as_ref(), chars as f64, None);
}
