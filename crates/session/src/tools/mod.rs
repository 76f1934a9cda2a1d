//! What the familiar can do besides talking.
//!
//! Owns the trait, the set of tools that are offered to the model, the run of its calls, and who has to be asked before
//! something is done. Must not know a model's wire format or a platform. Start reading at [`ToolBox`].

mod actions;
mod builtin;
mod error;
mod guard;
mod proposed;
#[cfg(test)]
mod reference_tests;
mod select;
#[cfg(test)]
mod taint_tests;
mod tool;
mod tool_box;

pub use actions::{
    CONFIRM_CHARS, CONFIRM_WITHIN, Confirmation, POLL_ANSWER_CHARS, POLL_ANSWERS, POLL_HOURS,
    POLL_QUESTION_CHARS, PlaceAction, PlaceActions, PostedFile, THREAD_NAME_CHARS, too_long_to_confirm,
};
pub(crate) use builtin::{MAKE_ROOM, REACT};
pub use builtin::{
    OutsideParts, ServiceAddresses, ToolBoxParts, VisionServer, quoted_lines, read_any_arguments,
};
pub(crate) use guard::canonical;
pub use proposed::{Every, MeantMessage, Proposed};
pub use select::{Fit, Ranking, ToolText};
pub(crate) use tool::OWN_LABEL;
pub use tool::{
    AnyTool, Effect, Gives, NoArguments, ReadCall, Shelf, SkillText, Tool, ToolContext, ToolEntry, ToolError,
    any, read_arguments, schema_of,
};
pub use tool_box::{HasActed, ToolBox, ToolTurn};
