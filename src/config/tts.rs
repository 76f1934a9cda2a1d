//! `[tts]`: what turns text into speech (specs voice 3.2, familiar-connect 1.3).

use std::time::Duration;

use super::choice::choice_enum;
use super::error::{Problem, ProblemKind};
use super::read::View;
use super::schema::{Key, Kind};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "tts.provider",
        kind: Kind::Choice(TtsProvider::CHOICES),
        doc: "Which service speaks. `\"auto\"` takes the first that is set up: a command or server named here, a service with its key and voice, espeak-ng.",
    },
    Key {
        path: "tts.language",
        kind: Kind::Prose(35),
        doc: "The language that the familiar speaks, such as `en` or `de`; for Cartesia, which speaks English where this is \
              empty, and for listening.",
    },
    Key {
        path: "tts.timeout",
        kind: Kind::Seconds(0.5, 60.0),
        doc: "How long the first sound of a phrase, and the next, may take before the phrase counts as failed. Gemini and commands get at least 10 seconds.",
    },
    Key { path: "tts.azure_voice", kind: Kind::Text, doc: "Azure: the voice's name." },
    Key {
        path: "tts.azure_region",
        kind: Kind::Text,
        doc: "Azure: the region, such as `westeurope`. `AZURE_SPEECH_REGION` comes first.",
    },
    Key {
        path: "tts.azure_url",
        kind: Kind::Address,
        doc: "Azure: another address than the region's. Empty: the region's.",
    },
    Key {
        path: "tts.cartesia_voice_id",
        kind: Kind::Uuid,
        doc: "Cartesia: the voice's id. Required when Cartesia is the provider.",
    },
    Key { path: "tts.cartesia_model", kind: Kind::Text, doc: "Cartesia: the model." },
    Key { path: "tts.cartesia_url", kind: Kind::Address, doc: "Cartesia: where it is." },
    Key {
        path: "tts.elevenlabs_voice_id",
        kind: Kind::Text,
        doc: "ElevenLabs: the voice's id. Required when ElevenLabs is the provider.",
    },
    Key { path: "tts.elevenlabs_model", kind: Kind::Text, doc: "ElevenLabs: the model." },
    Key {
        path: "tts.elevenlabs_url",
        kind: Kind::Address,
        doc: "ElevenLabs: where it is; accounts of one continent have an address of their own.",
    },
    Key { path: "tts.gemini_voice", kind: Kind::Text, doc: "Gemini: the voice's name." },
    Key { path: "tts.gemini_model", kind: Kind::Text, doc: "Gemini: the model." },
    Key { path: "tts.gemini_url", kind: Kind::Address, doc: "Gemini: where it is." },
    Key {
        path: "tts.gemini_audio_profile",
        kind: Kind::Prose(2000),
        doc: "Gemini direction: whose voice this is, in a sentence.",
    },
    Key { path: "tts.gemini_scene", kind: Kind::Prose(2000), doc: "Gemini direction: where it speaks." },
    Key {
        path: "tts.gemini_context",
        kind: Kind::Prose(2000),
        doc: "Gemini direction: what is going on around it.",
    },
    Key {
        path: "tts.gemini_style",
        kind: Kind::Prose(2000),
        doc: "Gemini direction: the manner of speaking.",
    },
    Key { path: "tts.gemini_pace", kind: Kind::Prose(2000), doc: "Gemini direction: the speed." },
    Key { path: "tts.gemini_accent", kind: Kind::Prose(2000), doc: "Gemini direction: the accent." },
    Key {
        path: "tts.openai_url",
        kind: Kind::Address,
        doc: "A server with OpenAI's interface, up to and without `/audio/speech`. Empty: OpenAI itself.",
    },
    Key { path: "tts.openai_model", kind: Kind::Text, doc: "The model there." },
    Key { path: "tts.openai_voice", kind: Kind::Text, doc: "The voice there." },
    Key {
        path: "tts.openai_rate",
        kind: Kind::Count(8000, 192_000),
        doc: "Samples per second of the plain sound that comes from there.",
    },
    Key {
        path: "tts.piper_url",
        kind: Kind::Address,
        doc: "Piper's own server, with the path that takes text: `http://127.0.0.1:5000/synthesize`, of older ones `http://127.0.0.1:5000/`.",
    },
    Key {
        path: "tts.piper_voice",
        kind: Kind::Text,
        doc: "Piper: the voice, where the server has several. Unset: the server's.",
    },
    Key {
        path: "tts.command",
        kind: Kind::Text,
        doc: "A program that speaks, with its arguments: it gets the text on its standard input, or in place of `{text}`, and writes a WAV or plain 16-bit samples. No shell is involved.",
    },
    Key {
        path: "tts.command_rate",
        kind: Kind::Count(8000, 192_000),
        doc: "Samples per second of a command's plain samples.",
    },
    Key {
        path: "tts.espeak_voice",
        kind: Kind::Text,
        doc: "espeak-ng: the voice, such as `en-gb` or `de+f3`.",
    },
    Key { path: "tts.espeak_words_per_minute", kind: Kind::Count(80, 450), doc: "espeak-ng: the speed." },
    Key {
        path: "tts.price_per_1000_characters_usd",
        kind: Kind::Number(0.0, 100.0),
        doc: "US dollars per 1000 characters, for the account of costs. Unset: the service's list price.",
    },
    Key {
        path: "tts.daily_cap_usd",
        kind: Kind::Number(0.0, 100_000.0),
        doc: "US dollars per day (UTC) after which no paid service speaks; replies are written then. Unset: no cap.",
    },
    Key {
        path: "tts.person_hour_characters",
        kind: Kind::Count(0, 1_000_000),
        doc: "Characters that one person is answered aloud in an hour. Unset: no cap.",
    },
    Key {
        path: "tts.greetings",
        kind: Kind::Texts,
        doc: "What it may say when it joins a call, one picked at random. Empty: \"Hello!\".",
    },
];

/// Which service speaks, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct TtsConfig {
    /// The service.
    pub provider: TtsProvider,
    /// The familiar's language, as in BCP 47, where it is known.
    pub language: Option<String>,
    /// The longest wait for the next sound, 0.5 to 60 s.
    pub timeout: Duration,
    /// Azure's voice.
    pub azure_voice: String,
    /// Azure's region.
    pub azure_region: Option<String>,
    /// Another address than the region's.
    pub azure_url: Option<String>,
    /// Cartesia's voice, a UUID; always there when Cartesia is the provider.
    pub cartesia_voice_id: Option<String>,
    /// Cartesia's model.
    pub cartesia_model: String,
    /// Where Cartesia is.
    pub cartesia_url: String,
    /// ElevenLabs' voice; always there when ElevenLabs is the provider.
    pub elevenlabs_voice_id: Option<String>,
    /// ElevenLabs' model.
    pub elevenlabs_model: String,
    /// Where ElevenLabs is.
    pub elevenlabs_url: String,
    /// Gemini's voice.
    pub gemini_voice: String,
    /// Gemini's model.
    pub gemini_model: String,
    /// Where Gemini is.
    pub gemini_url: String,
    /// Stage directions for Gemini.
    pub gemini_direction: GeminiDirection,
    /// A server with OpenAI's interface; `None` for OpenAI itself.
    pub openai_url: Option<String>,
    /// The model there.
    pub openai_model: String,
    /// The voice there.
    pub openai_voice: String,
    /// Samples per second from there.
    pub openai_rate: u32,
    /// Piper's server, path included.
    pub piper_url: Option<String>,
    /// Piper's voice.
    pub piper_voice: Option<String>,
    /// A command line that speaks.
    pub command: Option<String>,
    /// Samples per second of its plain samples.
    pub command_rate: u32,
    /// espeak-ng's voice.
    pub espeak_voice: String,
    /// espeak-ng's speed, 80 to 450.
    pub espeak_words_per_minute: u32,
    /// US dollars per 1000 characters; `None` for the list price.
    pub price_per_1000_characters_usd: Option<f64>,
    /// US dollars per UTC day; `None` for no cap.
    pub daily_cap_usd: Option<f64>,
    /// Characters per person and hour; `None` for no cap.
    pub person_hour_characters: Option<u32>,
    /// What it may say on joining a call.
    pub greetings: Vec<String>,
}

choice_enum! {
    /// The services that can speak.
    pub enum TtsProvider {
        Auto = "auto", "the first that is set up";
        Azure = "azure", "Azure AI Speech";
        Cartesia = "cartesia", "Cartesia";
        ElevenLabs = "elevenlabs", "ElevenLabs";
        Gemini = "gemini", "Google Gemini";
        OpenAi = "openai", "OpenAI or a server like it";
        Piper = "piper", "a Piper server";
        Command = "command", "a program on this machine";
        Espeak = "espeak", "espeak-ng on this machine";
        None = "none", "nothing speaks";
    }
}

/// Six optional stage directions, composed into the front of what Gemini is asked to say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GeminiDirection {
    /// Whose voice.
    pub audio_profile: Option<String>,
    /// Where.
    pub scene: Option<String>,
    /// What is going on.
    pub context: Option<String>,
    /// The manner.
    pub style: Option<String>,
    /// The speed.
    pub pace: Option<String>,
    /// The accent.
    pub accent: Option<String>,
}

/// What the named provider cannot do without: the key and whether it is there.
fn required(config: &TtsConfig) -> Option<(&'static str, bool)> {
    match config.provider {
        TtsProvider::Cartesia => Some(("tts.cartesia_voice_id", config.cartesia_voice_id.is_some())),
        TtsProvider::ElevenLabs => Some(("tts.elevenlabs_voice_id", config.elevenlabs_voice_id.is_some())),
        TtsProvider::Piper => Some(("tts.piper_url", config.piper_url.is_some())),
        TtsProvider::Command => Some(("tts.command", config.command.is_some())),
        _ => None,
    }
}

impl TtsConfig {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        let config = Self {
            provider: view.choice("tts.provider", TtsProvider::from_word)?,
            language: view.optional_text("tts.language")?,
            timeout: view.seconds("tts.timeout")?,
            azure_voice: view.text("tts.azure_voice")?,
            azure_region: view.optional_text("tts.azure_region")?,
            azure_url: view.optional_text("tts.azure_url")?,
            cartesia_voice_id: view.optional_text("tts.cartesia_voice_id")?,
            cartesia_model: view.text("tts.cartesia_model")?,
            cartesia_url: view.text("tts.cartesia_url")?,
            elevenlabs_voice_id: view.optional_text("tts.elevenlabs_voice_id")?,
            elevenlabs_model: view.text("tts.elevenlabs_model")?,
            elevenlabs_url: view.text("tts.elevenlabs_url")?,
            gemini_voice: view.text("tts.gemini_voice")?,
            gemini_model: view.text("tts.gemini_model")?,
            gemini_url: view.text("tts.gemini_url")?,
            gemini_direction: GeminiDirection {
                audio_profile: view.optional_text("tts.gemini_audio_profile")?,
                scene: view.optional_text("tts.gemini_scene")?,
                context: view.optional_text("tts.gemini_context")?,
                style: view.optional_text("tts.gemini_style")?,
                pace: view.optional_text("tts.gemini_pace")?,
                accent: view.optional_text("tts.gemini_accent")?,
            },
            openai_url: view.optional_text("tts.openai_url")?,
            openai_model: view.text("tts.openai_model")?,
            openai_voice: view.text("tts.openai_voice")?,
            openai_rate: view.count("tts.openai_rate")?,
            piper_url: view.optional_text("tts.piper_url")?,
            piper_voice: view.optional_text("tts.piper_voice")?,
            command: view.optional_text("tts.command")?,
            command_rate: view.count("tts.command_rate")?,
            espeak_voice: view.text("tts.espeak_voice")?,
            espeak_words_per_minute: view.count("tts.espeak_words_per_minute")?,
            price_per_1000_characters_usd: view.optional_number("tts.price_per_1000_characters_usd")?,
            daily_cap_usd: view.optional_number("tts.daily_cap_usd")?,
            person_hour_characters: view.optional_count("tts.person_hour_characters")?,
            greetings: view.texts("tts.greetings")?,
        };
        match (required(&config), view.node("tts.provider")) {
            (Some((needs, false)), Some(node)) => Err(Problem::at(
                &node.place,
                ProblemKind::Needs {
                    key: format!("tts.provider = \"{}\"", config.provider),
                    needs: needs.to_owned(),
                },
            )),
            _ => Ok(config),
        }
    }
}
