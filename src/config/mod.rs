//! What people write to set a familiar up, and the only place that reads it.
//!
//! Owns `character.toml` over the defaults, the channel sidecars, the subscriptions, the mode instructions, the
//! program's own prompts, the sections, skills and notes that people add, and the environment. A file is read in two stages: as a tree that remembers where every value stands (unknown keys
//! refused), then as validated settings. Must not know what the settings are used for.
//!
//! Start reading at [`LiveConfig`].

mod affect;
mod call;
mod channel;
mod check;
mod choice;
mod defaults;
mod discord;
mod dotenv;
mod edit;
mod embeddings;
mod error;
mod familiar;
mod files;
mod home;
mod limits;
mod live;
mod llm;
mod lore;
mod memory;
mod merge;
mod mode;
mod pages;
mod plan;
mod processors;
mod prompts;
mod read;
pub mod reference;
mod render;
mod report;
mod schema;
mod secrets;
mod servers;
mod sleep;
mod slot_prompt;
mod source;
mod state;
mod stt;
mod subscriptions;
mod tools;
mod tree;
mod tts;
mod typing;
mod voice;
mod watch;

pub use affect::AffectConfig;
pub use call::{CallConfig, SpeakAhead};
pub use channel::{BACKDROP_MAX_CHARS, ChannelConfig};
pub use defaults::{CHARACTER_TOML, Defaults};
pub use discord::{DiscordConfig, Strangers};
pub use dotenv::{Noted, note_secret};
pub use embeddings::EmbeddingsConfig;
pub use error::{ConfigError, Problem, ProblemKind};
pub use familiar::{Answers, Config, Interjection};
pub(crate) use files::write_atomic;
pub use home::FamiliarHome;
pub use limits::LimitsConfig;
pub use live::LiveConfig;
pub use llm::{LlmConfig, ReasoningEffort, Sampling, SlotConfig};
pub use lore::{LoreConfig, LoreMode, WordBoundary};
pub use memory::{Compaction, MemoryWriterConfig, RecallMethod};
pub use mode::{HistoryStyle, ModeConfig};
pub use pages::{
    Condition, Fact, Lasting, Occasion, Origin, Pages, Passing, PlaceNote, PromptSection, SKILL_MAX_TOKENS,
    Setting, Skill, Stands, Weight,
};
pub use plan::{EffortBand, PlanConfig, PlanTable};
pub use processors::{RecastConfig, RecastPasses, ThinkingCalls, ThinkingConfig};
pub use prompts::PromptName;
pub use render::{RenderConfig, SystemMessages};
pub use report::{Change, ReloadReport};
pub use secrets::{LlmKeySource, Redactor, Secrets, SpeechSecrets};
pub use servers::ServerTerms;
pub use sleep::SleepConfig;
pub use slot_prompt::{ShortCard, SlotPrompt};
pub use stt::{SttConfig, SttProvider};
pub use subscriptions::{
    CallTerms, Subscribed, Subscription, SubscriptionKind, Subscriptions, forget_in_calls,
};
pub use tools::{ToolUse, ToolsConfig};
pub use tts::{GeminiDirection, TtsConfig, TtsProvider};
pub use typing::TypingSimulation;
pub use voice::{InterruptTolerance, Interruption};
pub use watch::WatchGuard;
