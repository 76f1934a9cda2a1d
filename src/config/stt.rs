//! `[stt]`: what turns speech into text (specs voice 3.1).

use std::path::PathBuf;

use super::choice::choice_enum;
use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "stt.provider",
        kind: Kind::Choice(SttProvider::CHOICES),
        doc: "Which service listens. `\"auto\"` takes the first that is set up: Deepgram by its key, the server of \
              `openai_url`, the key for models.",
    },
    Key {
        path: "stt.language",
        kind: Kind::Prose(35),
        doc: "The language that is spoken, such as `en` or `de`. Empty: that of `tts.language`; where that is empty too, the \
              service finds it out.",
    },
    Key { path: "stt.deepgram_url", kind: Kind::Address, doc: "Deepgram: where it is." },
    Key { path: "stt.deepgram_model", kind: Kind::Text, doc: "Deepgram: the model." },
    Key { path: "stt.flux_model", kind: Kind::Text, doc: "Deepgram Flux: the model." },
    Key {
        path: "stt.openai_url",
        kind: Kind::Address,
        doc: "A server with OpenAI's interface, up to and without the path. Empty: OpenAI itself.",
    },
    Key {
        path: "stt.openai_path",
        kind: Kind::Text,
        doc: "The path there that takes whole utterances; whisper.cpp's server has `/inference`.",
    },
    Key { path: "stt.openai_model", kind: Kind::Text, doc: "The model there for whole utterances." },
    Key {
        path: "stt.realtime_model",
        kind: Kind::Text,
        doc: "The model there for live transcription. Those that tell words while they are spoken answer soonest; `\"gpt-4o-transcribe\"` and Whisper begin once somebody has paused.",
    },
    Key {
        path: "stt.end_of_turn_model",
        kind: Kind::Prose(1_000),
        doc: "An ONNX file of an end-of-turn model such as Smart Turn v3, which hears on this machine whether somebody sounds \
              finished. Empty: that is told by the words alone.",
    },
    Key { path: "stt.openrouter_model", kind: Kind::Text, doc: "OpenRouter: the model." },
    Key {
        path: "stt.price_per_minute_usd",
        kind: Kind::Number(0.0, 100.0),
        doc: "US dollars per minute, for the account of costs. Unset: the service's list price.",
    },
    Key {
        path: "stt.daily_cap_usd",
        kind: Kind::Number(0.0, 100_000.0),
        doc: "US dollars per day (UTC) after which no paid service listens. Unset: no cap.",
    },
    Key {
        path: "stt.person_hour_minutes",
        kind: Kind::Number(0.0, 60.0),
        doc: "Minutes of one person's speech in an hour. Unset: no cap.",
    },
];

/// What turns speech into text.
#[derive(Debug, Clone, PartialEq)]
pub struct SttConfig {
    /// Which service.
    pub provider: SttProvider,
    /// The language that is spoken, as in BCP 47; `None` for the familiar's own.
    pub language: Option<String>,
    /// Where Deepgram is.
    pub deepgram_url: String,
    /// Deepgram's model.
    pub deepgram_model: String,
    /// Deepgram's model that also tells when a turn ends.
    pub flux_model: String,
    /// A server with OpenAI's interface, up to and without the path; `None` for OpenAI itself.
    pub openai_url: Option<String>,
    /// The path there for whole utterances.
    pub openai_path: String,
    /// The model there for whole utterances.
    pub openai_model: String,
    /// The model there for live transcription.
    pub realtime_model: String,
    /// The file of an end-of-turn model; `None` where words alone tell when somebody is finished.
    pub end_of_turn_model: Option<PathBuf>,
    /// OpenRouter's model.
    pub openrouter_model: String,
    /// US dollars per minute; `None` for the list price.
    pub price_per_minute_usd: Option<f64>,
    /// US dollars per UTC day; `None` for no cap.
    pub daily_cap_usd: Option<f64>,
    /// Minutes of one person in an hour; `None` for no cap.
    pub person_hour_minutes: Option<f64>,
}

choice_enum! {
    /// The services that can listen.
    pub enum SttProvider {
        Auto = "auto", "the first that is set up";
        Deepgram = "deepgram", "Deepgram, live";
        Flux = "flux", "Deepgram Flux, live, which also tells when a turn ends";
        OpenAi = "openai", "OpenAI or a server like it, whole utterances";
        Realtime = "realtime", "OpenAI or a server like it, live";
        OpenRouter = "openrouter", "OpenRouter, whole utterances";
        None = "none", "nothing listens";
    }
}

impl SttConfig {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self {
            provider: view.choice("stt.provider", SttProvider::from_word)?,
            language: view.optional_text("stt.language")?,
            deepgram_url: view.text("stt.deepgram_url")?,
            deepgram_model: view.text("stt.deepgram_model")?,
            flux_model: view.text("stt.flux_model")?,
            openai_url: view.optional_text("stt.openai_url")?,
            openai_path: view.text("stt.openai_path")?,
            openai_model: view.text("stt.openai_model")?,
            realtime_model: view.text("stt.realtime_model")?,
            end_of_turn_model: view.optional_text("stt.end_of_turn_model")?.map(PathBuf::from),
            openrouter_model: view.text("stt.openrouter_model")?,
            price_per_minute_usd: view.optional_number("stt.price_per_minute_usd")?,
            daily_cap_usd: view.optional_number("stt.daily_cap_usd")?,
            person_hour_minutes: view.optional_number("stt.person_hour_minutes")?,
        })
    }
}
