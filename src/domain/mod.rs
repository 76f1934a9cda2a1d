//! The nouns that every room speaks: ids, people, places, events, turns, traces.
//!
//! Owns plain data and nothing that acts. Must not know any other room, any store, any network.
//! Start reading at [`InboundEvent`] (what comes in) and [`TurnTrace`] (what a turn leaves behind).

mod affect;
mod author;
mod cache;
mod caller;
mod channel;
mod chat;
mod coming;
mod count;
mod event;
mod ids;
mod lore;
mod model;
mod paired;
mod place;
mod plan;
mod processing;
mod regard;
mod salt;
mod section;
mod tool;
mod trace;
mod visible;
mod window;

pub use affect::{Affect, Feeling, WARMTH_LASTS};
pub use author::Author;
pub use cache::{CacheFigures, CachedBy};
pub use caller::{Caller, ChangePass, Measure, ReplyPass, ToolPass};
pub use channel::{ChannelMode, Layer, Modality, RenderMode};
pub use chat::{ChatMessage, LAYER_MARKER, ReplyParent, Role, StoredTurn};
pub use coming::{Coming, Movement};
pub use count::counted;
pub use event::{Attachment, InboundEvent, InboundMessage, TriggerHints};
pub use ids::{AccountId, ChannelId, FamiliarId, GuildId, InvalidId, MessageId, Platform, StoredId, TurnId};
pub use lore::{LoreEffect, LoreEffectKind, LoreLevel, LoreRecord, LoreSource, LoreWhy};
pub use model::{FinishReason, ModelErrorClass, Slot, TokenEncoding, Usage};
pub use paired::{BondId, Paired};
pub use place::{Audience, Place, PlaceKind};
pub use plan::{Category, Depth, Effort, ExecutionPlan, Intent};
pub use processing::{Processing, ProcessorRecord, ProcessorSide, ProcessorStatus};
pub use regard::{Reaction, Regard, Stands};
pub use salt::Salt;
pub use section::Section;
pub use tool::{ToolCall, ToolResult, ToolRound, ToolSpec};
pub use trace::{
    AssemblyFigures, CancelReason, ChunkFate, ChunkRecord, EXCERPT_CHARS, LayerFigures, LayoutFigures,
    ModelCall, Outcome, ProviderOutcome, ProviderStatus, Quality, QuestionRecord, SearchFigures,
    ShortCardFigures, SilenceReason, StageTiming, TurnTrace, WorkerRun,
};
pub use visible::Visible;
pub use window::{WindowFigures, WindowVerdict};
