//! A past turn, run again: the same question at the same moment, with another budget or another model (specs
//! mechanisms A28).
//!
//! What was said later is left out, and what only the moment knew (who was here, the mood, thoughts) comes from the
//! turn's record. What is derived (summaries, indexes) and what is set up (the card, the lore, the settings) is as it is
//! today, and so is the program: that is what a replay is for. Where none of it has changed, the prompt is the same byte
//! for byte.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::conversation::{POLICY_WINDOW, speakers};
use super::handle::SessionParts;
use super::opening::{Opening, Question, open};
use crate::config::ChannelConfig;
use crate::context::{AssembleError, Called, Contribution, Prompt};
use crate::domain::{Slot, StoredTurn, TokenEncoding, TurnTrace};
use crate::history::{HistoryError, RecentQuery, Visible};
use crate::identity::caller;

/// What is to be different this time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReplayChanges {
    /// The channel's budget in tokens; its layers' shares grow and shrink with it. `None` for what is configured.
    pub budget_tokens: Option<u32>,
}

/// Why a turn cannot be run again.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// There is nothing to answer any more.
    #[error("the messages that turn answered are no longer kept, or it answered none")]
    NothingToAnswer,
    /// The history refused.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// No prompt could be made.
    #[error(transparent)]
    Assemble(#[from] AssembleError),
}

/// Assembles the prompt of a past turn again. Nothing is stored, and no model is asked.
pub(super) async fn rebuild(
    parts: &SessionParts,
    trace: &TurnTrace,
    changes: ReplayChanges,
) -> Result<Prompt, ReplayError> {
    let encoding = parts.models.slot(Slot::MainProse).describe().encoding;
    let pending = parts.history.turns(&trace.pending, encoding).await?;
    let Some(asking) = asking(trace, &pending).cloned() else { return Err(ReplayError::NothingToAnswer) };
    // The reply may carry the very moment the turn was opened; what was answered is in the request anyway.
    let as_of = trace.opened_at - Duration::from_millis(1);
    let speakers = speakers_then(parts, trace, &pending, as_of, encoding).await?;
    let mut channel = parts.config.channel_in(&trace.place);
    if let Some(budget) = changes.budget_tokens {
        channel = Arc::new(with_budget(&channel, budget));
    }
    let question = question(trace, &pending, &asking);
    let plan = trace.assembly.as_ref().and_then(|assembly| assembly.plan.as_ref());
    let mut request = open(
        parts,
        Opening {
            turn: trace.id,
            place: &trace.place,
            channel: &channel,
            question: &question,
            pending,
            author: asking.author.clone(),
            pass: &caller(&parts.config.current(), &trace.place, asking.author.as_ref()).reply(),
            speakers: &speakers,
            warm_tokens: plan.map(|plan| plan.warm_tokens),
            tool_tokens: plan.map(|plan| plan.tool_tokens),
        },
    );
    request.now = trace.opened_at;
    request.as_of = Some(as_of);
    request.told = told(trace);
    match parts.pipeline.assemble(&request, None).await {
        // As the turn itself does it.
        Err(AssembleError::TooLarge(_)) if request.pending.len() > 1 => {
            request.pending = vec![asking];
            Ok(parts.pipeline.assemble(&request, None).await?)
        }
        assembled => Ok(assembled?),
    }
}

/// The message that was answered: as recorded, else the last one.
fn asking<'a>(trace: &TurnTrace, pending: &'a [StoredTurn]) -> Option<&'a StoredTurn> {
    let recorded = trace.question.as_ref().map(|question| question.asking);
    pending.iter().find(|turn| Some(turn.id) == recorded).or(pending.last())
}

/// What was asked; of a turn without a record everything counts as asked.
fn question(trace: &TurnTrace, pending: &[StoredTurn], asking: &StoredTurn) -> Question {
    let has_spoken_to_it = |turn: &&StoredTurn| {
        trace.question.as_ref().is_none_or(|question| question.addressed.contains(&turn.id))
    };
    let addressed: Vec<&StoredTurn> = pending.iter().filter(has_spoken_to_it).collect();
    let called = if has_spoken_to_it(&asking) { Called::Addressed } else { Called::Overheard };
    let may_pass = trace.question.as_ref().is_some_and(|question| question.may_pass);
    Question { may_pass, ..Question::put_by(&addressed, asking, called, trace.modality) }
}

/// Who had spoken lately when the newest of the pending messages came.
async fn speakers_then(
    parts: &SessionParts,
    trace: &TurnTrace,
    pending: &[StoredTurn],
    as_of: Timestamp,
    encoding: TokenEncoding,
) -> Result<Vec<String>, HistoryError> {
    let by_person = |turn: &&StoredTurn| turn.author.as_ref().is_some_and(|author| !author.is_bot);
    let Some(newest) = pending.iter().rfind(by_person) else { return Ok(Vec::new()) };
    let waiting = u32::try_from(pending.len()).unwrap_or(u32::MAX);
    let query = RecentQuery {
        visible: Visible::at(&trace.place),
        mode: None,
        max_turns: POLICY_WINDOW.saturating_add(waiting),
        until: Some(as_of),
        encoding,
    };
    let mut recent = parts.history.recent(&trace.place.channel, query).await?;
    recent.retain(|turn| pending.iter().all(|waiting| waiting.id != turn.id));
    recent.extend(pending.iter().cloned());
    recent.sort_by_key(|turn| turn.ordinal);
    recent.retain(|turn| turn.ordinal < newest.ordinal);
    let seen = recent.len().saturating_sub(POLICY_WINDOW as usize);
    Ok(newest.author.as_ref().map(|author| speakers(&recent[seen..], author)).unwrap_or_default())
}

/// What the record says about the moment; `None` where it was made before there were such records.
fn told(trace: &TurnTrace) -> Option<Arc<[Contribution]>> {
    let moment = &trace.assembly.as_ref()?.moment;
    let pieces = moment.iter().filter_map(|piece| serde_json::from_value(piece.clone()).ok());
    (!moment.is_empty()).then(|| pieces.collect())
}

/// The channel with another total, every layer's share in proportion.
fn with_budget(channel: &ChannelConfig, budget: u32) -> ChannelConfig {
    let scaled = |cap: u32| {
        let share = u64::from(cap) * u64::from(budget) / u64::from(channel.budget_tokens.max(1));
        u32::try_from(share).unwrap_or(u32::MAX)
    };
    ChannelConfig {
        budget_tokens: budget,
        sections: channel.sections.iter().map(|(&section, &cap)| (section, scaled(cap))).collect(),
        layers: channel.layers.iter().map(|(&layer, &cap)| (layer, cap.map(scaled))).collect(),
        ..channel.clone()
    }
}
