//! Scenes that a person can read, played by the program itself: who is there, what happens, what one would expect.
//!
//! Owns the file of a scene, how it is played through the session that the bot itself uses, and what is made of it. Nothing of
//! a familiar's own data is touched: whoever plays moves into a folder of the scene's. Must not know the command line. Start
//! reading at [`Scene`], then [`play()`].

mod call;
mod cast;
mod checks;
mod clock;
mod cost;
mod expect;
mod model;
mod outbox;
mod play;
mod read;
mod scene;

pub use cost::{CostRow, EveningCost, cost_of};
pub use expect::SceneVerdict;
pub use play::{PlayOptions, Played, SceneEvent, play};
pub use read::{SceneError, line_of};
pub use scene::{PEOPLE_MAX, SCENE_BYTES_MAX, STEPS_MAX, Scene};
