//! What the tests of other modules ask the pipeline for.

use super::*;
use crate::context::plan::{Means, classify, plan_for};
use crate::domain::{ChannelId, TokenEncoding};

/// The request of a turn at the keyboard that answers what was heard, for one model of a window of so many tokens, without
/// tools. Whatever else a test wants it says itself.
pub(in crate::context) fn request_of(
    heard: Heard<'_>,
    channel: Arc<ChannelConfig>,
    window: u32,
) -> TurnRequest {
    let means = Means { modality: heard.modality, ..Means::plain(&channel, window) };
    let plan = plan_for(classify(&heard), &means);
    let opening = TurnOpening {
        turn: TurnId(1),
        place: Place::terminal(ChannelId::new("desk").unwrap()),
        channel,
        heard,
        may_pass: false,
        pending: Vec::new(),
        author: None,
        now: Timestamp::UNIX_EPOCH,
        display_tz: TimeZone::UTC,
        world: Arc::default(),
    };
    opening.planned(plan, ModelDescription::plain("m", window, TokenEncoding::CharsOver4))
}
