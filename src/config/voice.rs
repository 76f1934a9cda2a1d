//! `[voice.interruption]` and `[tts]`: talking and being talked over (specs familiar-connect 1.3, 1.10).

use std::time::Duration;

use super::choice::choice_enum;
use super::error::{Problem, ProblemKind};
use super::read::{Order, View};
use super::schema::{Key, Kind};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "voice.interruption.interrupt_tolerance",
        kind: Kind::Choice(InterruptTolerance::CHOICES),
        doc: "How likely the familiar goes on talking when somebody speaks briefly over it.",
    },
    Key {
        path: "voice.interruption.min_interruption_s",
        kind: Kind::Seconds(0.0, 600.0),
        doc: "Speech shorter than this does not count as an interruption.",
    },
    Key {
        path: "voice.interruption.short_long_boundary_s",
        kind: Kind::Seconds(0.0, 3600.0),
        doc: "From this length on an interruption is a turn of its own. Must be more than `min_interruption_s`.",
    },
    Key { path: "tts.provider", kind: Kind::Choice(TtsProvider::CHOICES), doc: "Which service speaks." },
    Key { path: "tts.azure_voice", kind: Kind::Text, doc: "Azure: the voice's name." },
    Key {
        path: "tts.cartesia_voice_id",
        kind: Kind::Uuid,
        doc: "Cartesia: the voice's id. Required when Cartesia is the provider.",
    },
    Key { path: "tts.cartesia_model", kind: Kind::Text, doc: "Cartesia: the model." },
    Key { path: "tts.gemini_voice", kind: Kind::Text, doc: "Gemini: the voice's name." },
    Key { path: "tts.gemini_model", kind: Kind::Text, doc: "Gemini: the model." },
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
        path: "tts.greetings",
        kind: Kind::Texts,
        doc: "What it may say when it joins a call, one picked at random. Empty: \"Hello!\".",
    },
];

/// What happens when somebody speaks while the familiar does.
#[derive(Debug, Clone, PartialEq)]
pub struct Interruption {
    /// Its stubbornness.
    pub tolerance: InterruptTolerance,
    /// Shorter speech is ignored; 0 to 600 s.
    pub min_interruption: Duration,
    /// Longer speech is a turn of its own; always above `min_interruption`.
    pub short_long_boundary: Duration,
}

choice_enum! {
    /// How likely it goes on talking through a short interruption.
    pub enum InterruptTolerance {
        VeryMeek = "very_meek", "goes on in 10% of cases";
        Meek = "meek", "20%";
        Average = "average", "30%";
        Stubborn = "stubborn", "45%";
        VeryStubborn = "very_stubborn", "60%";
    }
}

impl InterruptTolerance {
    /// The probability of going on, before mood (specs familiar-connect 1.3).
    #[must_use]
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

impl Interruption {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        let (min, boundary) =
            ("voice.interruption.min_interruption_s", "voice.interruption.short_long_boundary_s");
        view.in_order(min, boundary, Order::LessThan)?;
        Ok(Self {
            tolerance: view
                .choice("voice.interruption.interrupt_tolerance", InterruptTolerance::from_word)?,
            min_interruption: view.seconds(min)?,
            short_long_boundary: view.seconds(boundary)?,
        })
    }
}

/// Which service speaks, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TtsConfig {
    /// The service.
    pub provider: TtsProvider,
    /// Azure's voice.
    pub azure_voice: String,
    /// Cartesia's voice, a UUID; always there when Cartesia is the provider.
    pub cartesia_voice_id: Option<String>,
    /// Cartesia's model.
    pub cartesia_model: String,
    /// Gemini's voice.
    pub gemini_voice: String,
    /// Gemini's model.
    pub gemini_model: String,
    /// Stage directions for Gemini.
    pub gemini_direction: GeminiDirection,
    /// What it may say on joining a call.
    pub greetings: Vec<String>,
}

choice_enum! {
    /// The services that can speak.
    pub enum TtsProvider {
        Azure = "azure", "Azure AI Speech";
        Cartesia = "cartesia", "Cartesia";
        Gemini = "gemini", "Google Gemini";
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

impl TtsConfig {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        let provider = view.choice("tts.provider", TtsProvider::from_word)?;
        let cartesia_voice_id = view.optional_text("tts.cartesia_voice_id")?;
        if let (TtsProvider::Cartesia, None, Some(node)) =
            (provider, &cartesia_voice_id, view.node("tts.provider"))
        {
            return Err(Problem::at(
                &node.place,
                ProblemKind::Needs {
                    key: "tts.provider = \"cartesia\"".to_owned(),
                    needs: "tts.cartesia_voice_id".to_owned(),
                },
            ));
        }
        Ok(Self {
            provider,
            azure_voice: view.text("tts.azure_voice")?,
            cartesia_voice_id,
            cartesia_model: view.text("tts.cartesia_model")?,
            gemini_voice: view.text("tts.gemini_voice")?,
            gemini_model: view.text("tts.gemini_model")?,
            gemini_direction: GeminiDirection {
                audio_profile: view.optional_text("tts.gemini_audio_profile")?,
                scene: view.optional_text("tts.gemini_scene")?,
                context: view.optional_text("tts.gemini_context")?,
                style: view.optional_text("tts.gemini_style")?,
                pace: view.optional_text("tts.gemini_pace")?,
                accent: view.optional_text("tts.gemini_accent")?,
            },
            greetings: view.texts("tts.greetings")?,
        })
    }
}
