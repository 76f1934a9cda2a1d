//! The resolved settings of one familiar: all files laid over each other and validated.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;

use super::affect::{self, AffectConfig};
use super::call::{self, CallConfig};
use super::choice::choice_enum;
use super::discord::{self, DiscordConfig};
use super::embeddings::{self, EmbeddingsConfig};
use super::error::Problem;
use super::limits::{self, LimitsConfig};
use super::llm::{self, LlmConfig};
use super::lore::{self, LoreConfig};
use super::memory::{self, Compaction, MemoryWriterConfig, RecallMethod};
use super::mode::{self, MODE_CHOICES, ModeConfig};
use super::plan::{self, PlanConfig};
use super::processors::{self, RecastConfig, ThinkingConfig};
use super::read::View;
use super::render::{self, RenderConfig};
use super::schema::{Key, Kind};
use super::sleep::{self, SleepConfig};
use super::slot_prompt::{self, SlotPrompt};
use super::stt::{self, SttConfig};
use super::tools::{self, ToolsConfig};
use super::tts::{self, TtsConfig};
use super::typing::{self, TypingSimulation};
use super::voice::{self, Interruption};
use crate::domain::{ChannelMode, Slot};

/// The keys at the top of `character.toml`.
const TOP: &[Key] = &[
    Key {
        path: "default_mode",
        kind: Kind::Choice(MODE_CHOICES),
        doc: "The mode of channels that have none of their own.",
    },
    Key { path: "display_tz", kind: Kind::Zone, doc: "The time zone in which the familiar tells the time." },
    Key {
        path: "aliases",
        kind: Kind::Texts,
        doc: "Other names people call the familiar by; hearing one counts as being addressed.",
    },
    Key {
        path: "chattiness",
        kind: Kind::Prose(2000),
        doc: "In your own words: when it joins in although nobody spoke to it. The model is told in writing, and may then \
              find nothing to say. Empty: it says something every time.",
    },
    Key {
        path: "answers",
        kind: Kind::Choice(Answers::CHOICES),
        doc: "What it answers of what is written where several people are. A channel's file may say otherwise.",
    },
    Key {
        path: "interjection",
        kind: Kind::Choice(Interjection::CHOICES),
        doc: "After how many messages that were not for it the familiar considers joining in.",
    },
    Key {
        path: "text_lull_timeout",
        kind: Kind::Seconds(0.0, 3600.0),
        doc: "Quiet in a text channel after which it considers joining in. 0: never for that.",
    },
    Key {
        path: "voice_lull_timeout",
        kind: Kind::Seconds(0.0, 3600.0),
        doc: "Quiet in a call after which it considers joining in. 0: never for that.",
    },
];

/// Every key of `character.toml`, concern by concern.
pub(super) fn keys() -> Vec<Key> {
    let plan = plan::keys();
    let concerns: &[&[Key]] = &[
        TOP,
        mode::KEYS,
        &plan,
        typing::KEYS,
        llm::KEYS,
        slot_prompt::KEYS,
        discord::KEYS,
        limits::KEYS,
        render::KEYS,
        lore::KEYS,
        processors::KEYS,
        tools::KEYS,
        memory::KEYS,
        embeddings::KEYS,
        affect::KEYS,
        sleep::KEYS,
        call::KEYS,
        voice::KEYS,
        stt::KEYS,
        tts::KEYS,
    ];
    concerns.concat()
}

/// The validated settings of one familiar.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The mode of channels without one.
    pub default_mode: ChannelMode,
    /// Where the familiar's clock hangs.
    pub display_tz: TimeZone,
    /// Other names it answers to.
    pub aliases: Vec<String>,
    /// In the operator's words: when to join in.
    pub chattiness: String,
    /// What it answers in channels that say nothing else.
    pub answers: Answers,
    /// After how many messages it considers joining in.
    pub interjection: Interjection,
    /// Quiet in text before it considers joining in, 1 ms to 3600 s; `None` where quiet is no reason.
    pub text_lull_timeout: Option<Duration>,
    /// Quiet in a call before it considers joining in, 1 ms to 3600 s; `None` where quiet is no reason.
    pub voice_lull_timeout: Option<Duration>,
    /// How it is in a call.
    pub call: CallConfig,
    /// Being talked over.
    pub interruption: Interruption,
    /// Typed replies, as in the default mode; each mode has its own.
    pub typing: TypingSimulation,
    /// At least how many messages stand in the prompt word for word, as far as they fit; 1 to 1000.
    pub history_window: u32,
    /// Who sums older messages up.
    pub compaction: Compaction,
    /// How what was said earlier is ranked.
    pub recall_method: RecallMethod,
    /// The model that finds the same in other words.
    pub embeddings: EmbeddingsConfig,
    /// Whether finds without room are told in short.
    pub condense_finds: bool,
    /// Whether a side model says what of the finds helps.
    pub filter_finds: bool,
    /// When memories are written.
    pub memory_writer: MemoryWriterConfig,
    /// When notes are tidied.
    pub sleep: SleepConfig,
    /// Moods.
    pub affect: AffectConfig,
    /// Which service listens.
    pub stt: SttConfig,
    /// Which service speaks.
    pub tts: TtsConfig,
    /// Which models do which job.
    pub llm: LlmConfig,
    /// What the model of each slot is told less of; every one of [`Slot::ALL`] is present.
    pub slot_prompts: BTreeMap<Slot, SlotPrompt>,
    /// Behaviour on Discord.
    pub discord: DiscordConfig,
    /// How many answers may be begun.
    pub limits: LimitsConfig,
    /// The prompt's layout.
    pub render: RenderConfig,
    /// How lore is called up.
    pub lore: LoreConfig,
    /// What a message may cost, by its effort.
    pub plan: Arc<PlanConfig>,
    /// Thinking before a reply.
    pub thinking: ThinkingConfig,
    /// Polishing a reply.
    pub recast: RecastConfig,
    /// What may be looked up or done while answering.
    pub tools: ToolsConfig,
    /// The figures of all three modes; every one of [`ChannelMode::ALL`] is present.
    pub modes: BTreeMap<ChannelMode, ModeConfig>,
}

choice_enum! {
    /// What it answers of what is written where several people are.
    pub enum Answers {
        Addressed = "addressed", "who mentions it, replies to it or says its name, and nobody else";
        Conversation = "conversation", "also whom it is talking with, and it joins in as `interjection` says";
        All = "all", "everything that is not plainly for somebody else";
    }
}

choice_enum! {
    /// How soon it considers joining in unasked (specs familiar-connect 1.3).
    pub enum Interjection {
        Never = "never", "not at all";
        VeryQuiet = "very_quiet", "after 15 messages";
        Quiet = "quiet", "after 12 messages";
        Average = "average", "after 9 messages";
        Eager = "eager", "after 6 messages";
        VeryEager = "very_eager", "after 3 messages";
    }
}

impl Interjection {
    /// Messages not meant for it until it considers joining in; `None` where it never does.
    #[must_use]
    pub fn messages(self) -> Option<u32> {
        match self {
            Self::Never => None,
            Self::VeryQuiet => Some(15),
            Self::Quiet => Some(12),
            Self::Average => Some(9),
            Self::Eager => Some(6),
            Self::VeryEager => Some(3),
        }
    }
}

/// Reads a channel mode's word.
pub(super) fn mode_from_word(word: &str) -> Option<ChannelMode> {
    word.parse().ok()
}

impl Config {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        let default_mode = view.choice("default_mode", mode_from_word)?;
        let mut modes = BTreeMap::new();
        for mode in ChannelMode::ALL {
            modes.insert(mode, ModeConfig::resolve(view, mode)?);
        }
        let mut slot_prompts = BTreeMap::new();
        for slot in Slot::ALL {
            slot_prompts.insert(slot, SlotPrompt::resolve(view, slot)?);
        }
        Ok(Self {
            default_mode,
            display_tz: view.zone("display_tz")?,
            aliases: view.texts("aliases")?,
            chattiness: view.text("chattiness")?,
            answers: view.choice("answers", Answers::from_word)?,
            interjection: view.choice("interjection", Interjection::from_word)?,
            text_lull_timeout: Some(view.seconds("text_lull_timeout")?).filter(|quiet| !quiet.is_zero()),
            voice_lull_timeout: Some(view.seconds("voice_lull_timeout")?).filter(|quiet| !quiet.is_zero()),
            interruption: Interruption::resolve(view)?,
            call: CallConfig::resolve(view)?,
            typing: TypingSimulation::resolve(view, default_mode)?,
            history_window: view.count("providers.history.window_size")?,
            embeddings: EmbeddingsConfig::resolve(view)?,
            compaction: view.choice("providers.history.compaction", Compaction::from_word)?,
            recall_method: view.choice("providers.recall.method", RecallMethod::from_word)?,
            condense_finds: view.flag("providers.recall.condense")?,
            filter_finds: view.flag("providers.recall.filter")?,
            memory_writer: MemoryWriterConfig::resolve(view)?,
            sleep: SleepConfig::resolve(view)?,
            affect: AffectConfig::resolve(view)?,
            stt: SttConfig::resolve(view)?,
            tts: TtsConfig::resolve(view)?,
            llm: LlmConfig::resolve(view)?,
            slot_prompts,
            discord: DiscordConfig::resolve(view)?,
            limits: LimitsConfig::resolve(view)?,
            render: RenderConfig::resolve(view)?,
            lore: LoreConfig::resolve(view)?,
            plan: Arc::new(PlanConfig::resolve(view)?),
            thinking: ThinkingConfig::resolve(view)?,
            recast: RecastConfig::resolve(view)?,
            tools: ToolsConfig::resolve(view)?,
            modes,
        })
    }
}
