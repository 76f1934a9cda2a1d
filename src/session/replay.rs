//! A past turn, run again: the same question at the same moment, with another budget or another model (specs
//! mechanisms A28).
//!
//! What was said later is left out. What is derived (summaries, indexes) and what is set up (the card, the lore, the
//! settings) is as it is today, and so is the program: that is what a replay is for.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::handle::SessionParts;
use super::opening::{Opening, Question, open};
use crate::config::ChannelConfig;
use crate::context::{AssembleError, Called, Prompt};
use crate::domain::{Slot, StoredTurn, TurnTrace};
use crate::history::HistoryError;

/// People whose names count as speakers of the channel.
const SPEAKERS: usize = 16;

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
    let Some(asking) = pending.last().cloned() else { return Err(ReplayError::NothingToAnswer) };
    let authors = parts.history.recent_authors(&trace.place.channel, SPEAKERS).await?;
    let speakers: Vec<String> = authors.iter().rev().map(|author| author.label().to_owned()).collect();
    let mut channel = parts.config.channel_in(&trace.place);
    if let Some(budget) = changes.budget_tokens {
        channel = Arc::new(with_budget(&channel, budget));
    }
    let question = question(&pending, &asking);
    let mut request = open(
        parts,
        Opening {
            turn: trace.id,
            place: &trace.place,
            channel: &channel,
            question: &question,
            pending,
            author: asking.author,
            speakers: &speakers,
        },
    );
    request.now = trace.opened_at;
    // The reply may carry the very moment the turn was opened; what was answered is in the request anyway.
    request.as_of = Some(trace.opened_at - Duration::from_millis(1));
    Ok(parts.pipeline.assemble(&request, None).await?)
}

fn question(pending: &[StoredTurn], asking: &StoredTurn) -> Question {
    let account = |turn: &StoredTurn| turn.author.as_ref().map(|author| author.account.to_string());
    let asker = account(asking);
    let lines: Vec<_> =
        pending.iter().filter(|turn| account(turn) == asker).map(|turn| turn.content.as_str()).collect();
    let askers: BTreeSet<_> = pending.iter().map(account).collect();
    Question {
        text: lines.join("\n"),
        askers: askers.len().max(1),
        called: Called::Addressed,
        reply_age: None,
    }
}

/// The channel with another total, every layer's share in proportion.
fn with_budget(channel: &ChannelConfig, budget: u32) -> ChannelConfig {
    let scaled = |cap: u32| {
        let share = u64::from(cap) * u64::from(budget) / u64::from(channel.budget_tokens.max(1));
        u32::try_from(share).unwrap_or(u32::MAX)
    };
    ChannelConfig {
        budget_tokens: budget,
        layers: channel.layers.iter().map(|(&layer, &cap)| (layer, cap.map(scaled))).collect(),
        ..channel.clone()
    }
}
