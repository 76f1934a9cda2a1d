//! Sound that arrives in pieces: from an HTTP body or a pipe to [`SpeechEvent`]s, with a deadline and a way to stop.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::{Stream, StreamExt as _};
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

    /// The next samples.
    ///
    /// # Errors
    /// When the bytes make no sense, or are a complaint.
    fn read(&mut self, bytes: &[u8]) -> Result<Vec<i16>, EngineError>;
}

/// Plain samples.
#[derive(Debug, Default)]
pub(in super::super) struct Plain {
    pub(in super::super) rate: u32,
    pub(in super::super) bytes: PcmBytes,
}

impl Reading for Plain {
    fn rate(&self) -> Option<u32> {
        Some(self.rate)
    }

    fn read(&mut self, bytes: &[u8]) -> Result<Vec<i16>, EngineError> {
        Ok(self.bytes.read(bytes))
    }
}

/// How sound and text begin that are neither a WAV nor plain samples, played as which they would be a roar.
const OTHERS: [(&[u8], &str); 9] = [
    (b"ID3", "MP3"),
    (&[0xff, 0xfb], "MP3"),
    (&[0xff, 0xf3], "MP3"),
    (b"OggS", "Ogg"),
    (b"fLaC", "FLAC"),
    (b"<!DO", "a web page"),
    (b"<!do", "a web page"),
    (b"<htm", "a web page"),
    (b"{\"", "JSON"),
];

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

    fn read(&mut self, bytes: &[u8]) -> Result<Vec<i16>, EngineError> {
        match &mut self.kind {
            Kind::Wav(wav) => wav.read(bytes).map_err(|error| error.of(self.engine)),
            Kind::Plain(plain) => Ok(plain.read(bytes)),
            Kind::Unknown => {
                self.begun.extend_from_slice(bytes);
                if self.begun.len() < 4 {
                    return Ok(Vec::new());
                }
                if let Some((_, what)) = OTHERS.iter().find(|(begins, _)| self.begun.starts_with(begins)) {
                    let said = format!("{what} instead of a WAV or plain samples of 16 bits");
                    return Err(EngineError::Protocol { engine: self.engine, said });
                }
                self.kind = match self.begun.starts_with(b"RIFF") {
                    true => Kind::Wav(WavReader::default()),
                    false => Kind::Plain(PcmBytes::default()),
                };
                let begun = std::mem::take(&mut self.begun);
                self.read(&begun)
            }
        }
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
        let (to, events) = mpsc::channel(EVENTS);
        let token = self.token.clone();
        // Ends with the sound, or when the token says that nobody listens.
        tokio::spawn(self.pump(first, to));
        Ok(Speech::new(rate, events).stopped_by(token))
    }

    async fn next(&mut self) -> Result<Option<Vec<i16>>, EngineError> {
        let piece = tokio::time::timeout(self.patience, self.pieces.next()).await;
        match piece.map_err(|_| self.service.stalled(self.patience))? {
            Some(bytes) => self.reading.read(&bytes?).map(Some),
            None => Ok(None),
        }
    }

    async fn pump(mut self, first: Vec<i16>, to: mpsc::Sender<SpeechEvent>) {
        let token = self.token.clone();
        let all = async {
            let mut samples = Some(first);
            loop {
                let event = match samples {
                    Some(samples) if samples.is_empty() => None,
                    Some(samples) => Some(SpeechEvent::Samples(samples)),
                    None => return SpeechEvent::Done,
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
        let flow = Flow {
            service: service.clone(),
            pieces: pieces(service.clone(), response),
            chars,
            reading: self.voice.reading(),
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
