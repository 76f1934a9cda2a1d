//! Which sorts of context a message gets at all (specs mechanisms A4).

use crate::context::providers::{Need, Part};
use crate::domain::{Category, Depth, ExecutionPlan};

/// Whether a provider is asked. The floor always is; everything else by the message's category, as deep as the plan
/// goes, and only while there are searches to spend.
pub(in crate::context) fn is_asked(plan: &ExecutionPlan, part: Part, need: Need) -> bool {
    if need == Need::Floor {
        return true;
    }
    let by_category = match part {
        Part::Identity | Part::Project | Part::Working | Part::Current => true,
        Part::Spirit | Part::Neurons => plan.intent.category != Category::Greeting,
        Part::LiveNews => plan.intent.needs_tools,
    };
    let by_depth = match part {
        Part::Spirit | Part::Neurons | Part::LiveNews => plan.depth > Depth::Axioms && plan.searches > 0,
        Part::Identity | Part::Project | Part::Working | Part::Current => true,
    };
    by_category && by_depth
}
