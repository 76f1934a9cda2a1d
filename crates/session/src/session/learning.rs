//! What was learnt in a place from what people did with replies, for whoever shows it or takes it away.

use super::handle::SessionHandle;
use super::parts::SessionParts;
use crate::domain::{AccountId, Learned, Place};
use crate::history::{HistoryError, Visible};

impl SessionHandle {
    /// What was learnt in a place, as far as it may be seen there.
    pub async fn learned(&self, place: &Place) -> Learned {
        learned(self.parts(), &self.entered(place).await).await
    }

    /// Lets go of all that was learnt in a place; from how many responses that was.
    ///
    /// # Errors
    /// When the history cannot be written.
    pub async fn unlearn(&self, place: &Place) -> Result<usize, HistoryError> {
        self.parts().history.forget_responses_in(&place.channel).await
    }

    /// Lets go of all that was learnt from one person, wherever; from how many responses that was.
    ///
    /// # Errors
    /// When the history cannot be written.
    pub async fn unlearn_from(&self, account: &AccountId) -> Result<usize, HistoryError> {
        self.parts().history.forget_responses_of(account).await
    }
}

pub(super) async fn learned(parts: &SessionParts, place: &Place) -> Learned {
    let here = Visible::at(place);
    match parts.history.seen_by(&here).responses(&place.channel).await {
        Ok(responses) => Learned::from(&responses, parts.clock.now(), &parts.config.current().display_tz),
        Err(error) => {
            tracing::warn!(%error, channel = %place.channel, "what was learnt there could not be read");
            Learned::default()
        }
    }
}
