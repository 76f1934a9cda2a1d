//! The nouns that every room speaks: ids, people, places, events, turns, traces.
//!
//! Owns plain data and nothing that acts. Must not know any other room, any store, any network.
//! Start reading at [`InboundEvent`] (what comes in) and [`TurnTrace`] (what a turn leaves behind).

mod affect;
mod caller;
mod channel;
mod chat;
mod event;
mod exchange;
mod ids;
mod learning;
mod model;
mod persona;
mod place;
mod plan;
mod reaction;
mod reminder;
mod trace;
mod visible;
mod window;

pub use affect::{Affect, Feeling, WARMTH_LASTS};
pub use caller::{BondId, Caller, ChangePass, Paired, ReplyMeasure, ReplyPass, ToolPass};
pub use channel::{ChannelMode, Layer, Modality, RenderMode, Section};
pub use chat::{
    HELPLINE_LABEL, LAYER_MARKER, ReplyParent, SAFETY_LABEL, StoredTurn, ToolCall, ToolResult, ToolRound,
    ToolSpec, WINDOW_FORMAT,
};
pub use event::{Attachment, Coming, FileAt, InboundEvent, InboundMessage, Movement, TriggerHints};
pub use exchange::{ANSWERED_BYTES, ASKED_BYTES, Exchange};
pub use familiar_cards::Role;
pub use familiar_cards::lore::{KeySource, LoreEffect, LoreEffectKind, LoreLevel, LoreWhy};
pub use familiar_cards::sillytavern::ChatMessage;
pub use familiar_cards::text::counted;
pub use ids::{
    AccountId, Author, ChannelId, FamiliarId, GuildId, InvalidId, MessageId, Platform, Salt, StoredId,
    TurnId, made_on_discord,
};
pub use learning::{DAY_PARTS, Deed, Learned, LikedLength, Response};
pub use model::{CacheFigures, CachedBy, FinishReason, KeyFor, ModelErrorClass, Slot, TokenEncoding, Usage};
pub use persona::{InPlay, NoPersona, PERSONA_CHARS, PERSONA_NAME_CHARS, Persona};
pub use place::{Audience, Place, PlaceKind};
pub use plan::{Category, Depth, Effort, ExecutionPlan, Intent};
pub use reaction::{Reaction, Stance, Stands};
pub use reminder::{Recurrence, ReminderId, ReminderKind, Repeats};
pub use trace::{
    AssemblyFigures, Blackboard, CancelReason, ChunkFate, ChunkRecord, EXCERPT_CHARS, FINDS_NAMED,
    LayerFigures, LayoutFigures, LoreRecord, ModelCall, Outcome, Processing, ProcessorRecord, ProcessorSide,
    ProcessorStatus, ProviderOutcome, ProviderStatus, Quality, QuestionRecord, RerankFigures, RisenFind,
    SearchFigures, ShortCardFigures, SilenceReason, StageTiming, ToolSelection, TurnTrace, WorkerRun,
};
pub use visible::Visible;
pub use window::{WindowFigures, WindowVerdict};
