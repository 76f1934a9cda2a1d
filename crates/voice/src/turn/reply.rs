//! What is known of the familiar's own reply, from the moment it is being prepared to the moment it is over.

use std::collections::{BTreeMap, BTreeSet};

use super::{Effect, Moment, UtteranceId};
use familiar_chat::domain::AccountId;

#[derive(Debug, Default)]
pub(super) struct Reply {
    pub id: u64,
    pub whom: Option<AccountId>,
    pub unasked: bool,
    pub opened: Moment,
    pub audible: Option<Moment>,
    /// What was said of it so far, heard or not yet.
    pub saying: String,
    pub filler: bool,
    /// When the last of its fillers was.
    pub filled: Option<Moment>,
    /// Since when something is looked up or done for it.
    pub works: Option<Moment>,
    pub held: bool,
    /// When it became quieter.
    pub ducked: Option<Moment>,
    pub paused: Option<Paused>,
    /// Since when it is on its way out.
    pub ending: Option<Moment>,
    /// Since when two people talk over it.
    pub crowded: Option<Moment>,
    /// What was said over it and does not matter.
    pub harmless: BTreeSet<UtteranceId>,
    /// For these it was quiet already.
    pub heard_out: BTreeSet<UtteranceId>,
    /// Whether it goes on talking through this.
    pub rolled: BTreeMap<UtteranceId, bool>,
}

/// Silent, but not for good.
#[derive(Debug, Clone)]
pub(super) struct Paused {
    pub since: Moment,
    pub utterance: UtteranceId,
}

impl Reply {
    pub(super) fn opened(id: u64, whom: Option<AccountId>, unasked: bool, now: Moment) -> Self {
        Self { id, whom, unasked, opened: now, ..Self::default() }
    }

    /// Undoes what it did to the sound: whatever is said next is said aloud.
    pub(super) fn let_go(&mut self) -> Vec<Effect> {
        let paused = self.paused.take().map(|_| Effect::Resume);
        let held = std::mem::take(&mut self.held).then_some(Effect::Hold(false));
        let ducked = self.ducked.take().map(|_| Effect::Duck(false));
        paused.into_iter().chain(held).chain(ducked).collect()
    }
}
