//! `character.toml`: what a familiar is like and what it may do, table by table.
//!
//! The structs are what the file holds: their doc comments are what the reference page and editors say of a key, their
//! types and ranges what is accepted. Start reading at [`Config`].

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::check::{Hours, Ids, Seconds, SecondsOrNone, named_tables};
use super::document::{Layers, ValueRelation};
use super::error::ConfigError;
use super::llm::LlmConfig;
use super::mcp::{self, McpServer};
use super::mode::{Answers, CrossingTalks, ModeConfig, PlanConfig, TypingSimulation};
use super::outside::{ImagesConfig, WebConfig};
use super::speech::{CallConfig, SttConfig, TtsConfig};
use super::window::WindowConfig;
use crate::domain::{ChannelMode, RenderMode};
use crate::text::phrases::{Languages, lines_in};
use crate::text::tongue::Tongue;

/// The validated settings of one familiar.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Config {
    /// The mode of channels that have none of their own.
    pub default_mode: ChannelMode,
    /// The time zone in which the familiar tells the time.
    #[serde(with = "jiff::fmt::serde::tz::required")]
    #[schemars(with = "String", extend("format" = "time-zone"))]
    pub display_tz: TimeZone,
    /// The language of what the program itself says in writing where several people read it, such as why no answer came; the
    /// character speaks as it is spoken to. Unset: as a place speaks, else as its server is set on Discord. A channel's file
    /// may say otherwise. Whoever uses a command is answered in the language of their own Discord.
    pub language: Option<Tongue>,
    /// Other names people call the familiar by; hearing one counts as being addressed.
    pub aliases: Vec<String>,
    /// In your own words: when it joins in although nobody spoke to it. The model is told in writing, and may then
    /// find nothing to say. Empty: it says something every time.
    #[serde(default)]
    #[schemars(length(max = 2000))]
    pub chattiness: String,
    /// What it answers of what is written where several people are. A channel's file may say otherwise.
    pub answers: Answers,
    /// What it does where people who do not talk with each other go on with it at once. A channel's file may say otherwise.
    pub crossing_talks: CrossingTalks,
    /// After how many messages that were not for it the familiar considers joining in.
    pub interjection: Interjection,
    /// Quiet in a text channel after which it considers joining in. 0: never for that.
    #[serde(with = "SecondsOrNone")]
    #[schemars(range(min = 0.0, max = 3600.0))]
    pub text_lull_timeout: Option<Duration>,
    /// Quiet in a call after which it considers joining in. 0: never for that.
    #[serde(with = "SecondsOrNone")]
    #[schemars(range(min = 0.0, max = 3600.0))]
    pub voice_lull_timeout: Option<Duration>,
    #[schemars(schema_with = "modes")]
    pub modes: BTreeMap<ChannelMode, ModeConfig>,
    pub plan: Arc<PlanConfig>,
    /// What of it all modes share; each has its own.
    #[serde(rename = "typing_simulation")]
    typing: TypingSimulation,
    pub llm: LlmConfig,
    pub discord: DiscordConfig,
    pub window: WindowConfig,
    pub limits: LimitsConfig,
    pub safety: SafetyConfig,
    pub render: RenderConfig,
    pub lore: LoreConfig,
    pub thinking: ThinkingConfig,
    #[serde(rename = "recasting")]
    pub recast: RecastConfig,
    pub tools: ToolsConfig,
    pub sources: SourcesConfig,
    #[serde(default)]
    #[schemars(schema_with = "mcp::servers")]
    pub mcp: BTreeMap<String, McpServer>,
    pub providers: ProvidersConfig,
    pub memory_writer: MemoryWriterConfig,
    pub memory: MemoryConfig,
    pub affect: AffectConfig,
    pub schedule: ScheduleConfig,
    pub own_messages: OwnMessagesConfig,
    pub sleep: SleepConfig,
    #[serde(rename = "voice")]
    pub call: CallConfig,
    pub stt: SttConfig,
    pub tts: TtsConfig,
}

fn modes(generator: &mut SchemaGenerator) -> Schema {
    named_tables::<ModeConfig>(generator, "channel mode", ChannelMode::ALL.map(ChannelMode::as_str))
}

impl Config {
    /// What it says in a call while it is not ready to answer, in turn: as it is set, else as it is said in the language
    /// that the recogniser listens for.
    pub fn fillers(&self) -> Vec<String> {
        let stock = || {
            let language = self.stt.language.as_ref().or(self.tts.language.as_ref());
            let language = language.map_or_else(Languages::default, |language| Languages::of(language));
            let mut words = lines_in("fillers", language).peekable();
            let hum = words.peek().is_none().then_some("Hmm."); // A word of no language.
            words.chain(hum).map(str::to_owned).collect()
        };
        self.call.fillers.clone().unwrap_or_else(stock)
    }

    /// The settings that files laid over each other come to.
    pub(super) fn resolve(layers: &Layers) -> Result<Self, ConfigError> {
        let mut config: Self = layers.read()?;
        let general = layers.rank("typing_simulation.enabled");
        for (mode, figures) in &mut config.modes {
            // Whether replies are typed is said by the later layer; within one file the mode's own switch beats the
            // general one.
            let of_mode = layers.rank(&format!("modes.{mode}.typing_simulation"));
            let enabled = if general > of_mode { config.typing.enabled } else { figures.typing_simulation };
            figures.typing = TypingSimulation { enabled, ..config.typing.clone() };
        }
        for (slot, model) in &mut config.llm.slots {
            let is_named = |key: &str| layers.is_chosen(&format!("llm.{slot}.{key}"));
            (model.is_named, model.fallbacks_are_named) = (is_named("model"), is_named("fallbacks"));
        }
        let (shortest, longest) = ("typing_simulation.min_delay_s", "typing_simulation.max_delay_s");
        layers.in_order(shortest, longest, ValueRelation::AtMost)?;
        let (short, long) =
            ("voice.interruption.min_interruption_s", "voice.interruption.short_long_boundary_s");
        layers.in_order(short, long, ValueRelation::LessThan)?;
        config.tts.check(layers)?;
        mcp::check(&config.mcp, layers)?;
        Ok(config)
    }
}

/// What is read besides messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct SourcesConfig {
    /// Which files that people send are read: text, Markdown, pages, code and PDF. A channel's file may say otherwise.
    pub documents: ReadDocuments,
}

/// Which files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadDocuments {
    /// those of messages that may be for it, and those it is asked about next or in a reply
    Addressed,
    /// all that it can see
    All,
    /// none
    Off,
}

/// How soon it considers joining in unasked (familiar-connect 1.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Interjection {
    /// not at all
    Never,
    /// after 15 messages
    VeryQuiet,
    /// after 12 messages
    Quiet,
    /// after 9 messages
    Average,
    /// after 6 messages
    Eager,
    /// after 3 messages
    VeryEager,
}

impl Interjection {
    /// Messages not meant for it until it considers joining in; `None` where it never does.
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

/// How the familiar behaves on Discord.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct DiscordConfig {
    /// A proxy in front of Discord's REST API. Empty: Discord itself.
    #[schemars(url)]
    pub api_base: Option<String>,
    /// The user ids that may always talk to the familiar in direct messages.
    #[serde(with = "Ids")]
    pub dm_allowlist: Vec<u64>,
    /// What becomes of direct messages from anybody else.
    pub strangers: Strangers,
    /// The user ids of those who run the familiar: what they say is the operator's. Empty: only whoever is at the
    /// keyboard of its machine.
    #[serde(with = "Ids")]
    pub operators: Vec<u64>,
    /// Post replies as Discord replies, with the arrow to the message they answer. Where several people asked at
    /// once they always are.
    pub reply_reference: bool,
    /// Show a reply while it is written: its message appears with the first sentence and is edited about once a second
    /// until it is whole. Takes the place of typing it in several messages.
    pub show_as_written: bool,
    /// Tell everybody who uses `/status` what was spent today. Operators are told in any case.
    pub show_spending: bool,
    /// Show beside its name what its schedule has it do, and its mood.
    pub status_line: bool,
    /// Let people read the card, the lore and what was looked up in the record of a turn of theirs (`/context`).
    pub show_prompt: bool,
    /// Listen to other bots too. Two bots that answer each other never stop by themselves.
    pub answer_bots: bool,
    /// After a start, and whenever Discord has forgotten the session: how many messages of each place that is read
    /// are read that were said meanwhile, the newest. Messages; 0 reads none.
    #[schemars(range(min = 0, max = 5000))]
    pub read_back: u32,
    /// What was said to the familiar while it was not there is still answered if it is no older than this. 0
    /// answers none of it.
    #[serde(rename = "answer_missed_within_s", with = "Seconds")]
    #[schemars(range(min = 0.0, max = 86_400.0))]
    pub answer_missed_within: Duration,
    /// Nothing but these is taken in or answered, and none of its commands are for others. An empty list lets everybody in.
    pub only: AccessList,
    /// Nothing of these is, whatever else is set.
    pub never: AccessList,
    /// Know who joins and what members play. Needs "Presence Intent" and "Server Members Intent" switched on for
    /// the application; holds from the next start on.
    pub presence: bool,
}

/// People and places of Discord's, by their ids. Operators are let in wherever the place is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
pub struct AccessList {
    /// The ids of people.
    #[serde(with = "Ids")]
    pub users: Vec<u64>,
    /// The ids of roles; whoever has one of them counts as listed.
    #[serde(with = "Ids")]
    pub roles: Vec<u64>,
    /// The ids of channels; their threads and posts count as listed.
    #[serde(with = "Ids")]
    pub channels: Vec<u64>,
    /// The ids of servers.
    #[serde(with = "Ids")]
    pub servers: Vec<u64>,
}

impl DiscordConfig {
    /// Whether somebody with these roles is let in, wherever the place is.
    pub fn lets_in(&self, person: u64, roles: &[u64]) -> bool {
        let is_in = |list: &AccessList| {
            list.users.contains(&person) || roles.iter().any(|role| list.roles.contains(role))
        };
        let is_free = self.only.users.is_empty() && self.only.roles.is_empty();
        (is_free || is_in(&self.only)) && !is_in(&self.never)
    }

    /// Whether a channel is open to the familiar, by itself, by the one that it hangs on and by its server.
    pub fn is_open(&self, server: Option<u64>, channel: u64, parent: Option<u64>) -> bool {
        let has_channel = |list: &AccessList| {
            list.channels.contains(&channel) || parent.is_some_and(|parent| list.channels.contains(&parent))
        };
        let has_server = |list: &AccessList| server.is_some_and(|server| list.servers.contains(&server));
        let is_let_in = (self.only.channels.is_empty() || has_channel(&self.only))
            && (self.only.servers.is_empty() || server.is_none() || has_server(&self.only));
        is_let_in && !has_channel(&self.never) && !has_server(&self.never)
    }
}

/// What becomes of direct messages from people who are on no list (M13).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strangers {
    /// whoever is on a server in which it reads may write to it, anybody else is told once a day that they are not
    /// read
    Members,
    /// they are told once a day that they are not read
    Refuse,
    /// they are answered in short, so often, without tools, and nothing is noted about them
    SmallTalk,
}

/// How many answers may be begun; 0 is no limit. One that is begun anew because more was said counts again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct LimitsConfig {
    /// Answers that one person may have begun, at once and then in a minute; whoever goes on is told once. 0: no
    /// limit.
    #[schemars(range(min = 0, max = 10_000))]
    pub person_per_minute: u32,
    /// The same for all of one channel together. 0: no limit.
    #[schemars(range(min = 0, max = 10_000))]
    pub channel_per_minute: u32,
    /// The same for all of one server together. 0: no limit.
    #[schemars(range(min = 0, max = 10_000))]
    pub guild_per_minute: u32,
}

/// What it does for those who are in danger.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct SafetyConfig {
    /// What it does when somebody says that they want to die or to hurt themselves.
    pub distress: Distress,
    /// Where help is to be had, in your own words: a helpline of your country, an address. Said once to whoever is in
    /// distress, in their language. Empty: it names no number.
    #[serde(default)]
    #[schemars(length(max = 500))]
    pub helpline: String,
    /// Hold it to `prompts/open_place.md` alone with somebody too, whose age it does not know. On servers it is held to
    /// it in every channel that is not age-restricted.
    pub open_alone: bool,
    /// Where that holds, hold back a reply with explicit sexual words in it, by a short list in thirteen languages: the model
    /// is asked once more, and if it writes such words again, a line says that the answer was kept back.
    pub holds_back: bool,
}

/// What it does when somebody says that they want to die.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Distress {
    /// for their next messages of that day it answers as `prompts/distress.md` says, before everything else, and
    /// joins no conversation there
    Careful,
    /// nothing else than the card and your prompts have it do
    Off,
}

/// How a prompt is laid out.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct RenderConfig {
    /// The order of the prompt's parts.
    pub mode: RenderMode,
    /// Whether instructions go out as several system messages or as one; some servers take only one. A model whose
    /// server refuses the order of roles is asked in turns by itself.
    pub system_messages: SystemMessages,
    /// What `{{user}}` becomes where no single person is meant.
    pub user_fallback: String,
}

/// One system message or several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SystemMessages {
    /// each part is a message of its own
    Separate,
    /// all of them are joined into the first message
    Merged,
    /// the same, and people and familiar take turns: what one side says in a row is joined
    Alternate,
}

/// How lore entries are called up.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct LoreConfig {
    /// How lore entries are called up.
    pub mode: LoreMode,
    /// How many of the newest messages are read for keys. An entry's or a book's own number comes first; 0 reads
    /// none.
    #[schemars(range(min = 0, max = 1000))]
    pub scan_depth: u32,
    /// The most lore may take of a prompt, in percent of what the turn may take. Spoken replies have at most 600
    /// tokens of lore.
    #[schemars(range(min = 1, max = 100))]
    pub budget_percent: u32,
    /// Whether the text of an entry may call up further entries. A book's own rule comes first.
    pub recursive: bool,
    /// How many passes there are at most: 1 is no recursion, 0 is no limit. Any limit switches `min_activations`
    /// off.
    #[schemars(range(min = 0, max = 100))]
    pub max_recursion_steps: u32,
    /// Reads further back, message by message, until so many entries are called up. 0 never does.
    #[schemars(range(min = 0, max = 100))]
    pub min_activations: u32,
    /// Whether a key of one word has to stand alone. An entry's own rule comes first.
    pub whole_words: bool,
    /// What standing alone means.
    pub word_boundary: WordBoundary,
    /// Whether keys are only found in the case they are written in. An entry's own rule comes first.
    pub case_sensitive: bool,
    /// Whether of a group only the entries with the most keys found take part in the draw.
    pub group_scoring: bool,
    /// How many entries a search may add in hybrid mode; in retrieval mode at least five.
    #[schemars(range(min = 0, max = 20))]
    pub hybrid_extra: u32,
}

/// How lore entries are called up (cards-and-lore 4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoreMode {
    /// by keys alone, as in SillyTavern
    Keywords,
    /// by a search for what was said; keys are words like others
    Retrieval,
    /// by keys, and a search may add a few
    Hybrid,
}

/// Where a word ends (cards-and-lore 4.2, "Rust traps").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WordBoundary {
    /// as in SillyTavern: every letter outside a to z ends a word
    St,
    /// letters of every alphabet belong to words; keys in scripts without spaces are found anywhere
    Unicode,
}

/// How thinking before a reply is done.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct ThinkingConfig {
    /// How many requests thoughts and plans take.
    pub calls: ThinkingCalls,
    /// How many earlier sets of thoughts of a channel are kept and thought on from; 0 keeps none.
    #[schemars(range(min = 0, max = 10))]
    pub keep: u32,
    /// How long thinking may take; a reply never waits for it longer than the mode's `deadline`.
    #[serde(with = "Seconds")]
    #[schemars(range(min = 0.1, max = 120.0))]
    pub timeout: Duration,
}

/// How a reply is polished.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct RecastConfig {
    /// Which passes polish a reply, in this order.
    pub passes: RecastPasses,
    /// How long all passes together may take; after that the reply is sent as far as it was polished.
    #[serde(with = "Seconds")]
    #[schemars(range(min = 0.1, max = 120.0))]
    pub timeout: Duration,
}

/// How thoughts and plans are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingCalls {
    /// both together, while context is gathered
    One,
    /// one after the other, the plans knowing the thoughts
    Each,
}

/// Which passes a reply goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecastPasses {
    /// whether the character would say it so, then the rhythm of its sentences
    Both,
    /// only whether the character would say it so
    Behaviour,
    /// only the rhythm of its sentences
    Rhythm,
}

/// What may be looked up or done while answering.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct ToolsConfig {
    /// Whether the model may call tools while it answers.
    #[serde(rename = "use")]
    pub usage: ToolUse,
    /// Which of them the model is told of.
    pub offer: ToolOffer,
    /// How often one reply may stop to call tools; after that it has to answer.
    #[schemars(range(min = 1, max = 10))]
    pub max_rounds: u32,
    /// How long one tool may take.
    #[serde(rename = "deadline_s", with = "Seconds")]
    #[schemars(range(min = 0.1, max = 120.0))]
    pub deadline: Duration,
    /// What whoever asked for it has to confirm by a button before it is done.
    pub confirm: ToolConfirm,
    /// Tools that are not offered, by name.
    pub disabled: Vec<String>,
    /// The model that tells what pictures show (`image_describe`), at the server of `[llm]`. Empty: none does. The
    /// server holds from the next start on.
    #[schemars(length(max = 200))]
    pub vision_model: Option<String>,
    pub web: WebConfig,
    pub images: ImagesConfig,
}

/// What of the things that are done for somebody they have to confirm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolConfirm {
    /// what is done after the familiar has read what others wrote, which is always confirmed
    OthersWords,
    /// that, and what reaches other people: polls, pins, pictures
    Reaching,
    /// all of it
    Everything,
}

impl ToolConfirm {
    /// Whether something is confirmed that was not caused by what others wrote.
    pub fn asks(self, reaches_others: bool) -> bool {
        match self {
            Self::OthersWords => false,
            Self::Reaching => reaches_others,
            Self::Everything => true,
        }
    }
}

/// Whether the model may call tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolUse {
    /// where the model can call tools: in its own way, or by a block in its reply
    Auto,
    /// whatever is known about the model
    Always,
    /// no tools
    Never,
}

impl ToolUse {
    /// Whether a model gets tools that is known to take them, or not. It depends on nothing of the message: tools stand
    /// in front of the prompt, and a prompt that has them one time and not the next is never cached.
    pub fn gives(self, takes_tools: bool) -> bool {
        match self {
            Self::Auto => takes_tools,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// Which tools a model is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolOffer {
    /// all where the model's server keeps prompts and there are at most 64, else those that fit
    Auto,
    /// those that fit what is answered, at most eight
    Fitting,
    /// all, wherever they take at most a quarter of the model's window
    All,
}

/// `[providers.…]`: what is kept in view and what is looked up.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct ProvidersConfig {
    pub history: HistoryConfig,
    pub recall: RecallConfig,
}

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct HistoryConfig {
    /// As far as they fit, at least this many of the channel's newest messages are in the prompt word for word.
    #[schemars(range(min = 1, max = 1000))]
    pub window_size: u32,
    /// Who sums up what a conversation has no room for.
    pub compaction: Compaction,
}

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct RecallConfig {
    /// How what was said earlier is ranked when it is looked up.
    pub method: RecallMethod,
    /// Let the model of `[llm.memory_search]` say first what of the finds helps, or which pattern to search the notes
    /// for: one or two requests that the reply waits for, never in a call, and only where nothing thinks before the
    /// reply.
    pub filter: bool,
    pub rerank: RerankConfig,
}

/// Whether and by which model finds are put in order once more.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct RerankConfig {
    /// Let a second small model on this machine read the question together with each of the best 32 finds, and put
    /// those first that answer it. Holds from the next start on, like all of this table.
    pub enabled: bool,
    /// A folder with the files of a cross-encoder (`config.json`, `tokenizer.json`, `model.safetensors`), used as it
    /// is. Empty: they are fetched once from the hub of `[memory.embeddings]` and kept in the data folder, under
    /// `models`.
    #[schemars(length(max = 1_000))]
    pub folder: Option<PathBuf>,
    /// Which model is fetched.
    pub model: RerankModel,
    /// No reply waits for it longer than this, in seconds; then the finds stay in the order they have.
    #[serde(rename = "deadline_s", with = "Seconds")]
    #[schemars(range(min = 0.01, max = 60.0))]
    pub deadline: Duration,
}

/// A cross-encoder that goes by a short name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RerankModel {
    /// 91 MB
    English,
    /// fourteen languages, 471 MB and slower
    Multilingual,
}

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct MemoryConfig {
    pub embeddings: EmbeddingsConfig,
}

/// When memories are written.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct MemoryWriterConfig {
    /// After this many new messages memories are written.
    #[schemars(range(min = 1, max = 10_000))]
    pub turn_threshold: u32,
    /// After this long without a message memories are written, however few are new.
    #[serde(with = "Seconds")]
    #[schemars(range(min = 1.0, max = 604_800.0))]
    pub idle_timeout: Duration,
    /// Write nothing into the notes unseen, neither what a model proposes nor what people plainly say; leave it in
    /// `memory/sessions/.pending/` for `familiar memory approve`.
    pub dry_run: bool,
}

/// How candidates of a search are ordered (Y11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecallMethod {
    /// words, runs of letters, who said it, when, and what stands around it, weighed together
    Fused,
    /// by words alone
    Text,
    /// by how alike the texts are as a whole
    Vector,
    /// words and likeness, four to six
    Hybrid,
    /// by words, what is old counting less
    #[serde(rename = "time")]
    TimeWeighted,
    /// by words, what matters in itself counting more
    Importance,
}

/// Who sums older messages up (Y6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Compaction {
    /// the program, in time
    Auto,
    /// the model, when it asks for it by the tool `make_room`; until then older messages are left out
    Soft,
    /// the model by that tool, and the program once 85 % of the room are taken
    Hybrid,
}

/// Where the embedding model comes from and what it may use.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct EmbeddingsConfig {
    /// Find what means the same in other words, with a small model on this machine. Without it memory is searched
    /// by words alone. Holds from the next start on, like all of this table.
    pub enabled: bool,
    /// A folder with the model's files (`config.json`, `tokenizer.json`, `model.safetensors`), used as it is.
    /// Empty: they are fetched once and kept in the data folder, under `models`.
    #[schemars(length(max = 1_000))]
    pub folder: Option<PathBuf>,
    /// Which model is fetched: `english` (91 MB), `multilingual` (471 MB, some fifty languages), or any sentence
    /// encoder of the BERT kind by its name on the hub.
    #[schemars(extend("format" = "hub-model"))]
    pub model: String,
    /// Which state of it, so that tomorrow's is the same. Empty: for the two that have a short name the one that was
    /// tried, for others the newest.
    #[schemars(length(max = 200))]
    pub revision: Option<String>,
    /// The SHA-256 of its `model.safetensors`; a file that has another is thrown away. Empty: that of the two that have
    /// a short name is known, others are not checked.
    #[schemars(length(max = 64))]
    pub sha256: Option<String>,
    /// Where the hub is, or a mirror of it. Empty: nothing is fetched.
    #[schemars(url)]
    pub endpoint: Option<String>,
    /// How many processors the model may use at a time.
    #[schemars(range(min = 1, max = 64))]
    pub threads: u32,
}

/// When it begins to speak by itself, in places where `/speak-first` lets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct OwnMessagesConfig {
    /// How often it does in one place and day (`display_tz`), at most; what it finds not worth saying counts too. 0:
    /// nowhere.
    #[schemars(range(min = 0, max = 10))]
    pub per_day: u32,
    /// From this hour of the day on, where its schedule does not have it asleep or busy.
    #[schemars(range(min = 0, max = 23))]
    pub from_hour: u8,
    /// Until this hour.
    #[schemars(range(min = 1, max = 24))]
    pub to_hour: u8,
}

/// What its own day has to do with its answers, where it has a `schedule.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct ScheduleConfig {
    /// Have it be awake, busy and asleep as its schedule says: asleep it joins no conversation, and busy or asleep it
    /// takes a while and answers briefly. Not in novels, whose hours are their own.
    pub follow: bool,
    /// The longest that whoever speaks to it while it sleeps waits until it begins to answer; while it is busy, half of
    /// that. In calls, at the terminal and in the window nobody waits. 0: it answers at once.
    #[serde(rename = "longest_wait_s", with = "Seconds")]
    #[schemars(range(min = 0.0, max = 300.0))]
    pub longest_wait: Duration,
}

/// Whether and how the familiar feels.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct AffectConfig {
    /// Let kind and unkind words move the familiar's mood and its warmth for whoever says them. At most one line
    /// of the prompt.
    pub enabled: bool,
    /// Hours until half of a mood has passed. Warmth for a person lasts 60 times as long.
    #[serde(rename = "half_life_h", with = "Hours")]
    #[schemars(range(min = 0.1, max = 720.0))]
    pub half_life: Duration,
}

/// Whether and when notes are tidied.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct SleepConfig {
    /// Look the notes through once a night for what stands there twice, contradicts itself or is long over, and
    /// propose what to do; `familiar memory pending` lists it. Changes nothing by itself and asks no model.
    pub enabled: bool,
    /// From this hour on, by `display_tz`, once nobody has talked for 20 minutes.
    #[schemars(range(min = 0, max = 23))]
    pub hour: u32,
    /// Write an entry into a journal of its own in that night, for each place in which it talked that day: one question
    /// to the model for summaries each, 20 at most. Known where those talked.
    pub journal: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settled;

    fn discord(settings: &str) -> DiscordConfig {
        settled(settings).unwrap().1.current().discord.clone()
    }

    #[test]
    fn whoever_is_listed_by_account_or_role_is_let_in_and_never_wins() {
        let may = |settings: &str, person: u64, roles: &[u64]| discord(settings).lets_in(person, roles);
        assert!(may("", 1, &[]));
        let only_one = "[discord.only]\nusers = [1]\n";
        assert!(may(only_one, 1, &[]) && !may(only_one, 2, &[7]));
        let only_role = "[discord.only]\nroles = [7]\n";
        assert!(may(only_role, 2, &[7]) && !may(only_role, 2, &[8]));
        assert!(!may("[discord.only]\nusers = [1]\n[discord.never]\nroles = [9]\n", 1, &[9]));
        assert!(!may("[discord.never]\nusers = [1]\n", 1, &[]));
    }

    #[test]
    fn a_thread_is_open_and_shut_with_the_channel_that_it_hangs_on() {
        let only = discord("[discord.only]\nchannels = [5]\n");
        assert!(only.is_open(Some(1), 5, None) && only.is_open(Some(1), 8, Some(5)));
        assert!(!only.is_open(Some(1), 6, None));
        let never = discord("[discord.never]\nchannels = [5]\n");
        assert!(!never.is_open(Some(1), 8, Some(5)) && never.is_open(Some(1), 6, None));
    }
}
