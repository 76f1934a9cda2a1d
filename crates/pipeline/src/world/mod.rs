//! What is true right now: who is here, what goes on, how the program itself does.
//!
//! Owns the live state that adapters, sessions and the composition root report and prompts read, as lock-free snapshots
//! (A3, A8), who is called what, and how preferences and feelings are read from words (A9, A23). Must not know how anything is
//! sent, stored or put into a prompt. Start reading at [`World`], then [`WorldSnapshot::for_place`].

mod names;
mod report;
mod signs;
mod state;
mod style;
#[cfg(test)]
mod tests;
mod view;

pub use report::{NAMELESS, World};
pub use signs::{MoodSign, reaction_sign, signs};
pub use state::{
    Activity, Arrival, BotState, CallMicrophone, CallVoice, ChannelCard, ChannelNow, GuildState, Headphones,
    InCall, Lesson, Reacted, Sighting, WorldSnapshot,
};
pub use style::{StyleChange, StylePreference, StyleSort, style_changes};
pub use view::{CallView, PlaceView};
