//! From what a message asks for to what may be spent on it (A2, A5).

use super::searches::searches;
use crate::config::ChannelConfig;
use crate::domain::{Effort, ExecutionPlan, Intent, Layer, Modality};

/// What the figures depend on, besides the message.
#[derive(Debug, Clone, Copy)]
pub struct Means<'a> {
    /// How the channel is talked in, with its tables.
    pub channel: &'a ChannelConfig,
    pub modality: Modality,
    /// The model's window, in tokens.
    pub window: u32,
    /// What is still warm for whoever asks, in tokens.
    pub warm_tokens: u32,
    /// What the tools take that the model could have, in tokens; 0 where it has none.
    pub tool_tokens: u32,
}

impl<'a> Means<'a> {
    /// A model without tools, asked in writing, where nothing is warm.
    pub fn plain(channel: &'a ChannelConfig, window: u32) -> Self {
        Self { channel, modality: Modality::Text, window, warm_tokens: 0, tool_tokens: 0 }
    }
}

/// Tools that take more than one part in so many of the window are not offered: the conversation would have to make
/// room for them.
pub const TOOLS_SHARE: u32 = 4;

/// Kept free for what tools give: one part in so many of the window, at most [`RESULTS_MOST`]. What the prompt does not
/// fill is theirs as well.
const RESULTS_SHARE: u32 = 8;

/// About three finds of a search, in tokens.
const RESULTS_MOST: u32 = 2_000;

/// How much more than the content layer's cap a message of this effort may take, in tokens: what is asked with much effort
/// is what its prompt is about. Nothing where the layer has no cap.
pub(in crate::context) fn extra_content(channel: &ChannelConfig, effort: Effort) -> u32 {
    let cap = channel.figures.layers.get(&Layer::Content).copied().flatten().unwrap_or(0);
    match effort.level() {
        ..=6 => 0,
        7 | 8 => cap / 2,
        _ => cap,
    }
}

/// How sure what was found has to be enough for searching to end early, from 0 to 1 (A10): whoever listens waits with less
/// patience.
fn quorum(modality: Modality) -> f32 {
    match modality {
        Modality::Text => 0.85,
        Modality::Voice => 0.70,
    }
}

/// The plan for a message. The mode is the ceiling of every figure; the table says how much of it the message is worth.
pub fn plan_for(mut intent: Intent, means: &Means<'_>) -> ExecutionPlan {
    let Means { channel, modality, window, warm_tokens, tool_tokens } = *means;
    let (figures, table) = (&channel.figures, channel.plan.table(modality));
    let mut notes = Vec::new();
    if intent.effort > table.effort_max {
        notes.push(format!("effort {} counts as {} here", intent.effort.level(), table.effort_max.level()));
        intent.effort = Effort::new(table.effort_max.level());
    }
    let band = table.band(intent.effort);
    let reserve_tokens =
        table.reserve_tokens.map_or(figures.reserve_tokens, |most| most.min(figures.reserve_tokens));
    let (tool_tokens, result_tokens) = if tool_tokens > window / TOOLS_SHARE {
        notes.push(format!("no tools: they would take {tool_tokens} of the model's {window} tokens"));
        (0, 0)
    } else if tool_tokens > 0 {
        (tool_tokens, (window / RESULTS_SHARE).min(RESULTS_MOST))
    } else {
        (0, 0)
    };
    let capacity = window.saturating_sub(reserve_tokens).saturating_sub(tool_tokens + result_tokens);
    let budget_tokens = figures.budget_tokens.min(capacity);
    if budget_tokens < figures.budget_tokens {
        let beside = if tool_tokens > 0 { " beside its tools" } else { "" };
        notes.push(format!(
            "the model holds {budget_tokens} of the channel's {} tokens{beside}",
            figures.budget_tokens
        ));
    }
    let found_tokens = band.found_tokens.min(budget_tokens);
    let (searches, why) = searches(intent.category, warm_tokens, found_tokens, band.searches_scale);
    notes.extend(why);
    ExecutionPlan {
        modality,
        slot: band.slot,
        depth: band.depth,
        searches,
        warm_tokens,
        budget_tokens,
        found_tokens,
        reserve_tokens,
        tool_tokens,
        result_tokens,
        stepped_thinking: figures.stepped_thinking && band.stepped_thinking,
        recast: figures.recast && band.recast,
        deadline: band.deadline.min(figures.deadline),
        quorum: quorum(modality),
        intent,
        notes,
    }
}

#[cfg(test)]
mod tests;
