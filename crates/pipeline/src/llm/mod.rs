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
mod discover;
mod endpoint;
mod failure;
mod hidden;
mod ledger;
mod permits;
mod pulse;
mod rehearsal;
mod request;
mod sampling;
mod server;
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
    KeyAccount, KeyState, ModelCheckUp, ModelFinding, ModelFindings, NetworkUse, ServerState, Spending,
    Trial, check_up, https_works,
};
pub use circuit_breaker::OpenModel;
pub use decode::{DecodeError, Decoder, Ending};
pub use discover::{
    LOCAL_PATIENCE, LocalKind, LocalPort, LocalServer, USUAL_PORTS, Unfit, UnfitServer, discover_on,
};
pub use endpoint::{BadBaseUrl, may_be_key_for, other_host};
pub use hidden::{TagFilter, strip_hidden};
pub use ledger::FileKeeper;
pub use ledger::{DayUsage, PicturesUsage, SlotUsage, SpeechUsage, UsageLedger};
pub use pulse::{LastAnswer, LastError, ModelHealth};
pub use rehearsal::{RehearsalExample, RehearsalScript};
pub use request::{SessionKey, tool_tokens};
pub use sampling::{RoleOrder, SamplingField, SamplingRefusal, Takes, ToolForm};
pub use side::{SideAnswer, ask_side};
pub use slots::{ChosenSource, LlmSetup, LlmSetupError, ModelChoice, ModelSlots};
pub use text_tools::tools_in_words;
