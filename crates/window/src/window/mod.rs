//! The window: a page in a browser of this machine, at which the operator talks with the familiar and sees what it did.
//!
//! Owns the one port the program listens on, who may come in there, and what is shown. Must not know Discord, models or
//! how prompts are made: it hands in events and reads what was stored, like any adapter, and nothing can be done here that
//! cannot be done elsewhere. Start reading at [`Window`].

mod accent;
mod assets;
mod assistants;
mod beginnings;
mod busy;
mod closing;
mod compare;
mod confirm;
mod door;
mod edit;
mod entrance;
mod events;
mod export;
mod follow;
mod forget;
mod health;
mod hear;
mod hours;
mod listening;
mod map;
mod markdown;
mod memory;
mod message_view;
mod messages;
mod metrics;
mod models;
mod names;
mod note_begin;
mod note_edit;
mod note_href;
mod one_person;
mod operator;
mod outbox;
mod pages;
mod personas;
mod proposals;
mod request_view;
mod room_now;
mod rooms;
mod server;
mod settings;
mod setup;
mod shared;
mod sign_in;
mod slider;
mod spent;
mod talk;
mod talk_now;
mod turn_view;
mod why;
mod xray;

use std::path::PathBuf;
use std::sync::Arc;

use secrecy::SecretString;

use crate::clock::SharedClock;
use crate::config::LiveConfig;
use crate::discord::DiscordLink;
use crate::erase::Eraser;
use crate::familiar::LiveCharacter;
use crate::graph::Graph;
use crate::history::History;
use crate::identity::Pairing;
use crate::memory::Memory;
use crate::session::SessionHandle;
use crate::trace::TraceStore;
use crate::voice::{CallsNow, SpeechEngines};
use crate::world::World;

pub use assistants::{ASSISTANT_BYTES, Assistants};
pub use health::{HealthNow, HealthSource, Job, JobCosts, ModelNow};
pub use messages::{
    enter_or_window, nobody_lives_here, not_open, where_to_open, window_comes_up, window_opened,
};
pub use server::{Doorway, DoorwayParts, Window, WindowError};
pub use setup::{ExampleCard, Setup, SetupParts};

#[derive(Debug)]
pub struct WindowParts {
    pub session: SessionHandle,
    pub history: Arc<History>,
    pub memory: Arc<Memory>,
    pub traces: Arc<TraceStore>,
    /// Who people are in play.
    pub pairing: Arc<Pairing>,
    /// How people and topics are connected.
    pub graph: Arc<Graph>,
    /// Who types, and who is in which call.
    pub world: Arc<World>,
    pub health: Arc<dyn HealthSource>,
    pub eraser: Arc<Eraser>,
    pub character: Arc<LiveCharacter>,
    /// Where it is served, and by which clock times are told.
    pub config: Arc<LiveConfig>,
    pub clock: SharedClock,
    /// The servers it is in, once it is connected.
    pub discord: DiscordLink,
    /// What speaks, where something does.
    pub engines: Arc<SpeechEngines>,
    pub calls: Arc<CallsNow>,
    /// What the operator is called.
    pub user_name: String,
    /// What signs in as often as one likes, where the operator set one.
    pub token: Option<SecretString>,
    /// Holds the address that signs in once, for as long as the window is open.
    pub address_file: PathBuf,
    /// For the model and the bot of Discord.
    pub setup: SetupParts,
    /// What the operator's own assistants may ask, where they are let in.
    pub assistants: Option<Assistants>,
}
