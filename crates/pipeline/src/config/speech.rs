//! `[voice]`, `[stt]` and `[tts]`: how it is in a call, what listens and what speaks (voice 3.1, 3.2,
//! familiar-connect 1.3, 1.10).

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::check::{Days, Seconds, SecondsOrNone};
use super::document::Layers;
use super::error::ConfigError;

/// How it is in a call.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct CallConfig {
    /// Begin an answer while somebody may still be speaking, and throw it away if they go on.
    pub answer_ahead: bool,
    /// Whether the first phrase of an answer that is begun early is also spoken early, unheard, to be ready at
    /// once.
    pub speak_ahead: SpeakAhead,
    /// How long the first word of an answer may take in a call before the call's chat is told that none comes.
    #[serde(with = "Seconds")]
    #[schemars(range(min = 3.0, max = 120.0))]
    pub answer_within: Duration,
    /// In calls it answers only who says its name, and whoever it answered for so long after that; it does not
    /// join in by itself then. 0: it also answers what is meant for it without its name.
    #[serde(with = "SecondsOrNone")]
    #[schemars(range(min = 0.0, max = 3600.0))]
    pub wake_window: Option<Duration>,
    /// Notice who pushes a button to talk, and answer them as soon as they let go.
    pub push_to_talk: bool,
    /// What it says when nothing was to be heard for more than a second after somebody spoke to it, in turn.
    /// Empty: nothing. Unset: a word or two in the language of `stt.language`, else of `tts.language`; where neither is
    /// known, “Hmm.”
    pub fillers: Option<Vec<String>>,
    /// What it lets hear, in turn, in the pauses of somebody who has spoken to it for more than six seconds and is
    /// not finished; at most once in twelve seconds. Empty: nothing.
    #[serde(rename = "nods")]
    pub backchannels: Vec<String>,
    /// Say in the status of the voice channel that it listens there, where the bot may set it and nobody else's
    /// stands.
    pub channel_status: bool,
    /// Write into the call's own chat what it hears of those who agreed, and what was heard of its replies.
    pub transcript: bool,
    /// After so many days transcripts are deleted from the chat; looked after at each start and call, and once a day.
    /// 0: never.
    #[serde(rename = "transcript_days", with = "Days")]
    #[schemars(range(min = 0, max = 3650))]
    pub transcript_kept: Duration,
    /// What it says behind its greeting when it joins a call, so that nobody has to read to know that it listens.
    /// Empty: nothing; the call's chat is told in any case.
    #[serde(default)]
    #[schemars(length(max = 300))]
    pub joining_notice: String,
    /// How long it stays in a call after whoever called it in has left.
    #[serde(with = "Seconds")]
    #[schemars(range(min = 0.0, max = 3600.0))]
    pub follow_grace: Duration,
    /// How long it stays in a call in which nobody is.
    #[serde(with = "Seconds")]
    #[schemars(range(min = 1.0, max = 86_400.0))]
    pub alone_timeout: Duration,
    /// How long it stays in a call in which nobody whom it hears says anything, nor writes in the call's chat.
    #[serde(with = "Seconds")]
    #[schemars(range(min = 60.0, max = 604_800.0))]
    pub quiet_timeout: Duration,
    pub interruption: Interruption,
}

/// Whether the first phrase of an early answer is spoken before it is known whether the answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpeakAhead {
    /// only once it is wanted
    Never,
    /// where the voice costs nothing
    Free,
    /// also where it is paid for in vain if they go on
    Always,
}

impl SpeakAhead {
    /// Whether to, with a voice that costs money or does not.
    pub fn may(self, costs: bool) -> bool {
        match self {
            Self::Never => false,
            Self::Free => !costs,
            Self::Always => true,
        }
    }
}

/// What happens when somebody speaks while the familiar does.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Interruption {
    /// How likely the familiar goes on talking when somebody briefly makes a sound over it of which no word is
    /// known. Words stop it, whatever stands here; nods do not.
    #[serde(rename = "interrupt_tolerance")]
    pub tolerance: InterruptTolerance,
    /// Speech shorter than this does not count as an interruption.
    #[serde(rename = "min_interruption_s", with = "Seconds")]
    #[schemars(range(min = 0.0, max = 600.0))]
    pub min_interruption: Duration,
    /// From this length on an interruption is a turn of its own. Must be more than `min_interruption_s`.
    #[serde(rename = "short_long_boundary_s", with = "Seconds")]
    #[schemars(range(min = 0.0, max = 3600.0))]
    pub short_long_boundary: Duration,
}

/// How likely it goes on talking through a short interruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InterruptTolerance {
    /// goes on in 10% of cases
    VeryMeek,
    /// 20%
    Meek,
    /// 30%
    Average,
    /// 45%
    Stubborn,
    /// 60%
    VeryStubborn,
}

impl InterruptTolerance {
    /// The probability of going on, before mood (familiar-connect 1.3).
    pub fn keep_talking(self) -> f64 {
        match self {
            Self::VeryMeek => 0.10,
            Self::Meek => 0.20,
            Self::Average => 0.30,
            Self::Stubborn => 0.45,
            Self::VeryStubborn => 0.60,
        }
    }
}

/// What turns speech into text.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct SttConfig {
    /// Which service listens. `"auto"` takes the first that is set up: Deepgram by its key, the server of
    /// `openai_url`, the key for models.
    pub provider: SttProvider,
    /// The language that is spoken, such as `en` or `de`. Empty: that of `tts.language`; where that is empty too,
    /// the service finds it out.
    #[schemars(length(max = 35))]
    pub language: Option<String>,
    /// Deepgram: where it is.
    #[schemars(url)]
    pub deepgram_url: String,
    /// Deepgram: the model.
    pub deepgram_model: String,
    /// Deepgram Flux: the model.
    pub flux_model: String,
    /// A server with OpenAI's interface, up to and without the path. Empty: OpenAI itself.
    #[schemars(url)]
    pub openai_url: Option<String>,
    /// The path there that takes whole utterances; whisper.cpp's server has `/inference`.
    pub openai_path: String,
    /// The model there for whole utterances.
    pub openai_model: String,
    /// The model there for live transcription. Those that tell words while they are spoken answer soonest;
    /// `"gpt-4o-transcribe"` and Whisper begin once somebody has paused.
    pub realtime_model: String,
    /// An ONNX file of an end-of-turn model such as Smart Turn v3, which hears on this machine whether somebody
    /// sounds finished. Empty: that is told by the words alone.
    #[schemars(length(max = 1_000))]
    pub end_of_turn_model: Option<PathBuf>,
    /// OpenRouter: the model.
    pub openrouter_model: String,
    /// US dollars per minute, for the account of costs. Unset: the service's list price.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub price_per_minute_usd: Option<f64>,
    /// US dollars per day (UTC) after which no paid service listens. Unset: no cap.
    #[schemars(range(min = 0.0, max = 100_000.0))]
    pub daily_cap_usd: Option<f64>,
    /// Minutes of one person's speech in an hour. Unset: no cap.
    #[schemars(range(min = 0.0, max = 60.0))]
    pub person_hour_minutes: Option<f64>,
}

/// The services that can listen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SttProvider {
    /// the first that is set up
    Auto,
    /// Deepgram, live
    Deepgram,
    /// Deepgram Flux, live, which also tells when a turn ends
    Flux,
    /// OpenAI or a server like it, whole utterances
    #[serde(rename = "openai")]
    OpenAi,
    /// OpenAI or a server like it, live
    Realtime,
    /// OpenRouter, whole utterances
    #[serde(rename = "openrouter")]
    OpenRouter,
    /// nothing listens
    None,
}

/// Which service speaks, and how.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct TtsConfig {
    /// Which service speaks. `"auto"` takes the first that is set up: a command or server named here, a service
    /// with its key and voice, espeak-ng.
    pub provider: TtsProvider,
    /// The language that the familiar speaks, such as `en` or `de`; for Cartesia, which speaks English where this
    /// is empty, and for listening.
    #[schemars(length(max = 35))]
    pub language: Option<String>,
    /// How long the first sound of a phrase, and the next, may take before the phrase counts as failed. Gemini and
    /// commands get at least 10 seconds.
    #[serde(with = "Seconds")]
    #[schemars(range(min = 0.5, max = 60.0))]
    pub timeout: Duration,
    /// Azure: the voice's name.
    pub azure_voice: String,
    /// Azure: the region, such as `westeurope`. `AZURE_SPEECH_REGION` comes first.
    pub azure_region: Option<String>,
    /// Azure: another address than the region's. Empty: the region's.
    #[schemars(url)]
    pub azure_url: Option<String>,
    /// Cartesia: the voice's id. Required when Cartesia is the provider.
    #[schemars(extend("format" = "uuid"))]
    pub cartesia_voice_id: Option<String>,
    /// Cartesia: the model.
    pub cartesia_model: String,
    /// Cartesia: where it is.
    #[schemars(url)]
    pub cartesia_url: String,
    /// ElevenLabs: the voice's id. Required when ElevenLabs is the provider.
    pub elevenlabs_voice_id: Option<String>,
    /// ElevenLabs: the model.
    pub elevenlabs_model: String,
    /// ElevenLabs: where it is; accounts of one continent have an address of their own.
    #[schemars(url)]
    pub elevenlabs_url: String,
    /// Gemini: the voice's name.
    pub gemini_voice: String,
    /// Gemini: the model.
    pub gemini_model: String,
    /// Gemini: where it is.
    #[schemars(url)]
    pub gemini_url: String,
    #[serde(flatten)]
    pub gemini_direction: GeminiDirection,
    /// A server with OpenAI's interface, up to and without `/audio/speech`. Empty: OpenAI itself.
    #[schemars(url)]
    pub openai_url: Option<String>,
    /// The model there.
    pub openai_model: String,
    /// The voice there.
    pub openai_voice: String,
    /// Samples per second of the plain sound that comes from there.
    #[schemars(range(min = 8000, max = 192_000))]
    pub openai_rate: u32,
    /// How it speaks, in your own words, for a model there that takes instructions; its mood is said with it. Unset:
    /// no instructions are sent.
    #[schemars(length(max = 2000))]
    pub openai_direction: Option<String>,
    /// Piper's own server, with the path that takes text: `http://127.0.0.1:5000/synthesize`, of older ones
    /// `http://127.0.0.1:5000/`.
    #[schemars(url)]
    pub piper_url: Option<String>,
    /// Piper: the voice, where the server has several. Unset: the server's.
    pub piper_voice: Option<String>,
    /// A program that speaks, with its arguments: it gets the text on its standard input, or in place of `{text}`,
    /// and writes a WAV or plain 16-bit samples. No shell is involved.
    pub command: Option<String>,
    /// Samples per second of a command's plain samples.
    #[schemars(range(min = 8000, max = 192_000))]
    pub command_rate: u32,
    /// espeak-ng: the voice, such as `en-gb` or `de+f3`.
    pub espeak_voice: String,
    /// espeak-ng: the speed.
    #[schemars(range(min = 80, max = 450))]
    pub espeak_words_per_minute: u32,
    /// US dollars per 1000 characters, for the account of costs. Unset: the service's list price.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub price_per_1000_characters_usd: Option<f64>,
    /// US dollars per day (UTC) after which no paid service speaks; replies are written then. Unset: no cap.
    #[schemars(range(min = 0.0, max = 100_000.0))]
    pub daily_cap_usd: Option<f64>,
    /// Characters that one person is answered aloud in an hour. Unset: no cap.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub person_hour_characters: Option<u32>,
    /// What it may say when it joins a call, one picked at random. Empty: "Hello!".
    pub greetings: Vec<String>,
}

/// Six optional stage directions, composed into the front of what Gemini is asked to say.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
pub struct GeminiDirection {
    /// Gemini direction: whose voice this is, in a sentence.
    #[serde(rename = "gemini_audio_profile")]
    #[schemars(length(max = 2000))]
    pub audio_profile: Option<String>,
    /// Gemini direction: where it speaks.
    #[serde(rename = "gemini_scene")]
    #[schemars(length(max = 2000))]
    pub scene: Option<String>,
    /// Gemini direction: what is going on around it.
    #[serde(rename = "gemini_context")]
    #[schemars(length(max = 2000))]
    pub context: Option<String>,
    /// Gemini direction: the manner of speaking.
    #[serde(rename = "gemini_style")]
    #[schemars(length(max = 2000))]
    pub style: Option<String>,
    /// Gemini direction: the speed.
    #[serde(rename = "gemini_pace")]
    #[schemars(length(max = 2000))]
    pub pace: Option<String>,
    /// Gemini direction: the accent.
    #[serde(rename = "gemini_accent")]
    #[schemars(length(max = 2000))]
    pub accent: Option<String>,
}

/// The services that can speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TtsProvider {
    /// the first that is set up
    Auto,
    /// Azure AI Speech
    Azure,
    /// Cartesia
    Cartesia,
    /// ElevenLabs
    #[serde(rename = "elevenlabs")]
    ElevenLabs,
    /// Google Gemini
    Gemini,
    /// OpenAI or a server like it
    #[serde(rename = "openai")]
    OpenAi,
    /// a Piper server
    Piper,
    /// a program on this machine
    Command,
    /// espeak-ng on this machine
    Espeak,
    /// nothing speaks
    None,
}

impl TtsConfig {
    /// Refuses a provider that lacks what it cannot do without.
    pub(super) fn check(&self, layers: &Layers) -> Result<(), ConfigError> {
        let needs = match self.provider {
            TtsProvider::Cartesia => ("cartesia", "cartesia_voice_id", &self.cartesia_voice_id),
            TtsProvider::ElevenLabs => ("elevenlabs", "elevenlabs_voice_id", &self.elevenlabs_voice_id),
            TtsProvider::Piper => ("piper", "piper_url", &self.piper_url),
            TtsProvider::Command => ("command", "command", &self.command),
            _ => return Ok(()),
        };
        match needs {
            (_, _, Some(_)) => Ok(()),
            (provider, key, None) => {
                let what = format!("`tts.provider = \"{provider}\"` needs `tts.{key}` to be set");
                Err(layers.problem("tts.provider", what).labelled("set here").into())
            }
        }
    }
}
