//! SillyTavern's prompt, message for message (cards-and-lore 5).
//!
//! Owns the order of a chat-completion prompt with the default preset, the macros of card fields, example
//! blocks, in-chat injections and the token budget that decides what is left out. Pure: no store, no clock, no
//! model. Chat text goes through untouched. Start reading at [`StInput`] and [`build`].

mod assemble;
mod budget;
mod examples;
mod input;
#[cfg(test)]
mod tests;

pub use assemble::{NEW_CHAT, NEW_EXAMPLE, build, build_filled};
pub use budget::StOverflow;
pub use examples::{ExampleRule, examples_with, joined};
pub use input::{
    AuthorNote, ChatMessage, DEFAULT_MAIN_PROMPT, DepthEntry, ExamplePinning, NamesBehaviour, NotePlace,
    StInput, StLine,
};
