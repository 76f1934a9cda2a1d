//! What people write to set a familiar up, and the only place that reads it.
//!
//! Owns `character.toml` over the defaults, the channel sidecars, the subscriptions, the mode instructions, the program's
//! own prompts, the sections, skills and notes that people add, and the environment. A file is read in two stages: as a
//! tree that remembers where every value stands, checked against the schema that is derived from the structs, then into
//! these structs. Must not know what the settings are used for.
//!
//! Start reading at [`LiveConfig`].

mod channel;
mod check;
mod defaults;
mod document;
mod edit;
mod error;
mod file;
mod live;
mod llm;
mod mcp;
mod mode;
mod outside;
mod pages;
#[cfg(test)]
mod reference_tests;
mod report;
mod secrets;
mod settings;
mod source;
mod speech;
mod subscriptions;
mod watch;
mod window;

pub use channel::{BACKDROP_MAX_CHARS, ChannelConfig, QUIET_MINUTES, quiet_until};
pub use check::EMBEDDING_MODELS;
pub use defaults::{CHARACTER_TOML, Defaults, PromptName};
pub use error::{ConfigError, Problem, Unwritable, likest_names};
pub use familiar_memory::home::FamiliarHome;
pub use file::write_atomic;
#[cfg(test)]
pub(crate) use live::settled;
pub use live::{
    ChannelSetting, LiveConfig, SettingFrom, SettingInput, SettingKind, SettingListed, SettingsWritten,
    sidecars,
};
pub use llm::{LlmConfig, ReasoningEffort, Sampling, ShortCard, SlotConfig, SlotPrompt};
pub use mcp::{McpAsker, McpReach, McpServer, ToolEffect};
pub use mode::{Answers, CrossingTalks, HistoryStyle, ModeConfig, PlanConfig, TypingSimulation};
pub use outside::{ImagesConfig, SearchService, WebConfig};
pub use pages::condition::{Condition, Occasion, Setting};
pub use pages::{Origin, Pages, PlaceNote, PromptSection, SectionPlace, Skill, Weight};
pub use report::ReloadReport;
#[cfg(feature = "fastembed")]
pub use secrets::onnx_runtime;
pub use secrets::{
    LlmKeySource, MisspeltName, OldSecret, Redactor, SecretNoted, Secrets, SpeechSecrets, is_openai,
    may_be_key, note_secret, own_folder,
};
pub use settings::{
    Compaction, Config, Distress, EmbeddingsConfig, LoreConfig, LoreMode, MemoryWriterConfig,
    OwnMessagesConfig, ReadDocuments, RecallMethod, RecastConfig, RecastPasses, RerankConfig, RerankModel,
    Strangers, SystemMessages, ThinkingCalls, ToolOffer, ToolUse, WordBoundary,
};
pub use speech::{CallConfig, GeminiDirection, SttConfig, SttProvider, TtsConfig, TtsProvider};
pub use subscriptions::{
    CallTerms, ReadBecause, ServerTerms, Subscribed, Subscription, SubscriptionKind, Subscriptions,
    forget_in_calls,
};
pub use watch::WatchGuard;
pub use window::{OPERATOR_TOKEN_CHARS, OpenBrowser, WindowConfig, is_operator_token};
