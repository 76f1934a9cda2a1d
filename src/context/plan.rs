//! What a turn is worth: from the message and the channel to what may be spent (specs mechanisms A1, A2, A5).

use crate::config::ChannelConfig;
use crate::domain::{Category, Depth, Effort, ExecutionPlan, Intent, Modality, Slot};

/// The plan of a turn about which nothing is known but where and how it was said.
#[must_use]
pub fn usual_plan(channel: &ChannelConfig, modality: Modality) -> ExecutionPlan {
    ExecutionPlan {
        intent: Intent {
            effort: Effort::new(5),
            category: Category::SmallTalk,
            needs_tools: false,
            addressed_to_me: true,
            should_reply: true,
            signs: Vec::new(),
        },
        modality,
        slot: Slot::MainProse,
        depth: Depth::Full,
        searches: 2,
        budget_tokens: channel.budget_tokens,
        stepped_thinking: channel.stepped_thinking,
        recast: channel.recast,
        deadline: channel.deadline,
        quorum: 0.85,
    }
}
