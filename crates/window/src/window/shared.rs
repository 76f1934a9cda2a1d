//! What every page works with.

use std::sync::{Arc, OnceLock};

use axum::extract::FromRef;
use jiff::Timestamp;
use parking_lot::Mutex;

use super::WindowParts;
use super::accent::Accent;
use super::door::Door;
use super::events::Events;
use super::message_view::Heads;
use super::setup::Setup;
use super::talk_now::Talk;
use crate::doctor::DoctorCheck;

/// One for all pages, for as long as the window is open.
#[derive(Debug)]
pub(super) struct Shared {
    pub parts: WindowParts,
    pub door: Door,
    pub setup: Setup,
    pub events: Arc<Events>,
    pub talk: Talk,
    pub heads: Heads,
    pub examined: Examined,
    /// When it was last tried whether what is said can be stored again.
    pub tried_storing: Mutex<Option<Timestamp>>,
    /// The colour of its picture, once that was looked at; `None` where it has none.
    pub accent: OnceLock<Option<Accent>>,
    /// Held while memories are written out.
    pub exporting: Arc<tokio::sync::Mutex<()>>,
    /// Held while a model is asked about a past turn, or for the hours it keeps.
    pub asking: tokio::sync::Mutex<()>,
    /// Held while the notes are looked through for what wants tidying.
    pub tidying: tokio::sync::Mutex<()>,
    /// Held while a reply is said aloud.
    pub speaking: tokio::sync::Mutex<()>,
}

/// What the doctor said last.
#[derive(Debug, Default)]
pub(super) struct Examined {
    pub last: Mutex<Option<(Timestamp, Vec<DoctorCheck>)>>,
    /// Held while it looks: once at a time.
    pub looking: tokio::sync::Mutex<()>,
}

impl FromRef<Arc<Shared>> for Door {
    fn from_ref(shared: &Arc<Shared>) -> Self {
        shared.door.clone()
    }
}

impl FromRef<Arc<Shared>> for Setup {
    fn from_ref(shared: &Arc<Shared>) -> Self {
        shared.setup.clone()
    }
}
