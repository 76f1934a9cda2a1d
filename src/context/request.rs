//! What a turn asks the pipeline for.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::contribution::Contribution;
use super::providers::Facet;
use crate::config::ChannelConfig;
use crate::domain::{Author, ExecutionPlan, Modality, Place, StoredId, StoredTurn, TurnId};
use crate::history::Visible;
use crate::llm::ModelDescription;
use crate::world::WorldSnapshot;

/// One turn's question: who said what, where, and for which model the prompt is.
#[derive(Debug, Clone)]
pub struct TurnRequest {
    /// The turn; seeds everything random in it, so that a replay gives the same prompt.
    pub turn: TurnId,
    /// Where.
    pub place: Place,
    /// How the channel is talked in.
    pub channel: Arc<ChannelConfig>,
    /// Written or heard.
    pub modality: Modality,
    /// Whether the model may find that there is nothing to answer, or not yet.
    pub may_pass: bool,
    /// The messages being answered, oldest first; already stored. Never evicted.
    pub pending: Vec<StoredTurn>,
    /// What the message asks about: names, times, relations (A14).
    pub facets: Vec<Facet>,
    /// Whom the reply is for: the last person who spoke.
    pub author: Option<Author>,
    /// The names of everybody who spoke here lately, for whom `{{user}}` means.
    pub speakers: Vec<String>,
    /// Now.
    pub now: Timestamp,
    /// The time zone times are told in.
    pub display_tz: TimeZone,
    /// What was said later is not looked at, so that a replay sees what the turn saw; `None` for up to now.
    pub as_of: Option<Timestamp>,
    /// What the turn's own record says about its moment; `None` for a turn that runs now, and for one without a record.
    pub told: Option<Arc<[Contribution]>>,
    /// For which model.
    pub model: ModelDescription,
    /// What may be spent on it.
    pub plan: Arc<ExecutionPlan>,
    /// The world as it was when the turn was opened.
    pub world: Arc<WorldSnapshot>,
}

impl TurnRequest {
    /// The newest message being answered; empty where there is none.
    #[must_use]
    pub fn utterance(&self) -> &str {
        self.pending.last().map_or("", |turn| turn.content.as_str())
    }

    /// Whether a turn was before what is being answered, as far as it matters: not one of the messages being answered,
    /// nor later than them where the turn runs again.
    #[must_use]
    pub fn is_past(&self, turn: StoredId) -> bool {
        self.pending.iter().all(|pending| pending.id != turn)
            && self.last_row().is_none_or(|last| turn <= last)
    }

    /// The last row that the history may show to a turn that runs again; `None` for one that runs now.
    #[must_use]
    pub fn last_row(&self) -> Option<StoredId> {
        self.as_of.and(self.pending.iter().map(|turn| turn.id).max())
    }

    /// The day it is, by the clock times are told by.
    #[must_use]
    pub fn today(&self) -> Date {
        self.now.to_zoned(self.display_tz.clone()).date()
    }

    /// What may be looked up for a prompt in this place.
    #[must_use]
    pub fn visible(&self) -> Visible {
        Visible::at(&self.place)
    }
}
