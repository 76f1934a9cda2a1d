//! Azure AI Speech over REST: SSML in, plain samples out.

use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, RequestBuilder};

use super::super::http::Service;
use super::super::pcm::PcmBytes;
use super::super::{Phrase, SynthesizerAbilities};
use super::stream::{HttpVoice, Plain, Reading};

/// What is asked for.
const FORMAT: &str = "raw-24khz-16bit-mono-pcm";
const RATE: u32 = 24_000;

/// Azure, in one region.
#[derive(Debug)]
pub(in super::super) struct Azure {
    pub(in super::super) service: Service,
    pub(in super::super) http: Client,
    /// `https://<region>.tts.speech.microsoft.com`.
    pub(in super::super) base: String,
    pub(in super::super) voice: String,
}

impl HttpVoice for Azure {
    fn service(&self) -> &Service {
        &self.service
    }

    fn http(&self) -> &Client {
        &self.http
    }

    fn base(&self) -> &str {
        &self.base
    }

    fn abilities(&self) -> SynthesizerAbilities {
        SynthesizerAbilities { word_times: false, streaming: true, directions: false }
    }

    fn request(&self, phrase: &Phrase) -> RequestBuilder {
        self.http
            .post(format!("{}/cognitiveservices/v1", self.base.trim_end_matches('/')))
            .header("Ocp-Apim-Subscription-Key", self.service.key_header())
            .header("X-Microsoft-OutputFormat", FORMAT)
            .header(CONTENT_TYPE, "application/ssml+xml")
            .body(ssml(&self.voice, &phrase.text))
    }

    fn reading(&self) -> Box<dyn Reading> {
        Box::new(Plain { engine: self.service.engine, rate: RATE, bytes: PcmBytes::default() })
    }
}

/// The phrase as SSML. A voice's name begins with its language: `en-US-AmberNeural`.
pub(in super::super) fn ssml(voice: &str, text: &str) -> String {
    let language: Vec<&str> = voice.splitn(3, '-').take(2).collect();
    let language = if language.len() == 2 { language.join("-") } else { "en-US".to_owned() };
    format!(
        "<speak version=\"1.0\" xmlns=\"http://www.w3.org/2001/10/synthesis\" xml:lang=\"{}\"><voice \
         name=\"{}\">{}</voice></speak>",
        escaped(&language),
        escaped(voice),
        escaped(text)
    )
}

/// Text that means itself in XML; characters that XML cannot hold are left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' | '\t' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
