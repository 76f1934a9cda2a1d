//! Who the familiar is: cards, lorebooks, and the folder they are unpacked to.
//!
//! Owns reading every card container and spec into one card, unpacking to Markdown, the lorebook model,
//! and the install folder (create, open, lock, list, export). Must not know prompts, sessions or models.
//! Start reading at [`Character`].

mod character;

pub use character::{Character, DepthPrompt};
