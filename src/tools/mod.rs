//! What the familiar can do besides talking.
//!
//! Owns the trait, the set of tools that are offered to the model, and the run of its calls. Everything here looks
//! things up or plays; nothing changes the world outside, so nothing asks for permission. Must not know a model's wire
//! format or a platform. Start reading at [`ToolBox`].

mod builtin;
mod guard;
mod tool;
mod tool_box;

pub(crate) use builtin::MAKE_ROOM;
pub use guard::LoopGuard;
pub use tool::{SkillText, ToolContext};
pub use tool_box::{ToolBox, ToolBoxParts};
