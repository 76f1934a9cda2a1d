//! Language models.
//!
//! Owns the [`CompletionModel`] trait (all that other rooms see), its clients, the slots and what they cost.
//! Must not know prompts' meaning, stores or Discord. Start reading at [`CompletionModel`], then [`ModelSlots`].

mod api;
mod attempt;
mod cache_rules;
mod catalogue;
mod chain;
mod check_up;
mod choice;
mod circuit_breaker;
mod decode;
mod discover;
mod endpoint;
mod failure;
mod health;
mod ledger;
mod permits;
mod ratio;
mod rehearsal;
mod request;
mod sampling;
mod session_key;
mod slots;
mod state;
mod takes;
mod think;
mod transport;

pub use api::{
    AttemptReport, CompletionModel, CompletionRequest, CompletionStream, Delta, ModelDescription, ModelError,
    ModelSource, Screened, SharedModel, ToolCallDelta, ToolChoice,
};
pub use catalogue::{ModelFacts, Prices};
pub use check_up::{
    KeyAccount, KeyState, ModelCheckUp, ModelFinding, ModelFindings, Reach, ServerState, Trial, check_up,
    https_works,
};
pub use choice::{ChosenSource, ModelChoice};
pub use circuit_breaker::{Circuit, CircuitBreaker, OpenModel};
pub use decode::{DecodeError, Decoder, Ending};
pub use discover::{
    LOCAL_PATIENCE, LocalKind, LocalPort, LocalServer, USUAL_PORTS, discover_local, discover_on,
};
pub use endpoint::BadBaseUrl;
pub use health::{Health, LastAnswer, LastError};
pub use ledger::{DayUsage, SlotUsage, SpeechUsage, UsageLedger};
pub use rehearsal::{ExampleLine, RehearsalModel, RehearsalScript};
pub use request::tool_tokens;
pub use sampling::SamplingField;
pub use session_key::SessionKey;
pub use slots::{LlmSetup, LlmSetupError, ModelSlots, TokenCounting};
pub(crate) use state::Keeper;
pub use takes::{Refusal, RoleOrder, Takes};
pub use transport::install_tls;
