//! Where the operator talks now: in a place of their own, or in the same where nothing is to be remembered.
//!
//! Must not know what is shown of it. Start reading at [`Talk`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::confirm::WindowActions;
use super::operator;
use super::outbox::WindowOutbox;
use crate::domain::{InvalidId, Place};
use crate::history::History;
use crate::session::{Outbox, SessionHandle};

/// The talk in the window.
#[derive(Debug)]
pub(super) struct Talk {
    place: Place,
    /// The same, for what is not to be remembered.
    off_the_record: Place,
    is_remembered: AtomicBool,
    pub outbox: Arc<WindowOutbox>,
}

impl Talk {
    /// From now on the place's words leave by the open pages. What was not to be remembered before a start is not after it.
    pub(super) async fn connect(
        session: &SessionHandle,
        history: &History,
        outbox: WindowOutbox,
    ) -> Result<Self, InvalidId> {
        let place = Place::window()?;
        let outbox = Arc::new(outbox);
        session.connect_place(&place, Arc::clone(&outbox) as Arc<dyn Outbox>);
        let is_remembered = match operator::place_of(history, &place.channel).await {
            Ok(last) => !last.is_some_and(|last| last.audience.is_off_the_record()),
            Err(error) => {
                tracing::warn!(%error, "whether the talk in the window is to be remembered could not be read");
                true
            }
        };
        let off_the_record = place.clone().off_the_record();
        Ok(Self { place, off_the_record, is_remembered: is_remembered.into(), outbox })
    }

    /// What the program said of before is over.
    pub(super) fn begin_anew(&self) {
        self.outbox.begin_anew();
    }

    /// Where one talks now.
    pub(super) fn place(&self) -> &Place {
        if self.is_remembered() { &self.place } else { &self.off_the_record }
    }

    pub(super) fn is_remembered(&self) -> bool {
        self.is_remembered.load(Ordering::Relaxed)
    }

    /// From now on what is said is remembered, or not.
    pub(super) fn remember(&self, is_remembered: bool) {
        self.is_remembered.store(is_remembered, Ordering::Relaxed);
    }

    /// What it asks of whoever sits there.
    pub(super) fn actions(&self) -> &WindowActions {
        self.outbox.actions()
    }

    /// The program's own words, on every page.
    pub(super) fn say_apart(&self, words: String) {
        self.outbox.say_apart(words, None);
    }
}
