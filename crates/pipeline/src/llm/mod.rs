//! Language models.
//!
//! Owns the [`CompletionModel`] trait (all that other rooms see), its clients, the slots and what they cost.
//! Must not know prompts' meaning, stores or Discord. Start reading at [`CompletionModel`], then [`ModelSlots`].

mod api;
mod attempt;
mod catalogue;
mod chain;
mod check_up;
mod circuit_breaker;
mod decode;
mod endpoint;
mod failure;
mod hidden;
mod ledger;
mod permits;
mod rehearsal;
mod request;
mod sampling;
mod side;
mod slots;
mod text_tools;
mod window;

pub use api::{
    CompletionModel, CompletionRequest, CompletionStream, Delta, ModelDescription, ModelError, ModelSource,
    Redaction, SentPicture, SharedModel, ToldRequest, ToolCallDelta, ToolChoice,
};
pub use catalogue::{ModelFacts, Prices, STARTING_RATIO, listed_prices};
pub use check_up::{
    KeyAccount, KeyState, LOCAL_PATIENCE, LastAnswer, LastError, LocalKind, LocalPort, LocalServer,
    ModelCheckUp, ModelFinding, ModelFindings, ModelHealth, NetworkUse, ServerState, Spending, Trial,
    USUAL_PORTS, Unfit, UnfitServer, check_up, discover_on, https_works,
};
pub use circuit_breaker::OpenModel;
pub use decode::{DecodeError, Decoder, Ending};
pub use endpoint::{BadBaseUrl, other_host};
pub use hidden::{TagFilter, strip_hidden};
pub use ledger::FileKeeper;
pub use ledger::{DayUsage, PicturesUsage, SlotUsage, SpeechUsage, UsageLedger};
pub use rehearsal::{RehearsalExample, RehearsalScript};
pub use request::{SessionKey, tool_tokens};
pub use sampling::{RoleOrder, SamplingField, SamplingRefusal, Takes, ToolForm};
pub use side::{SideAnswer, ask_side};
pub use slots::{ChosenSource, LlmSetup, LlmSetupError, ModelChoice, ModelSlots};
pub use text_tools::tools_in_words;
