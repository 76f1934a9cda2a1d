//! One line in the tail about what did not fit, so that the model can say that it has to think back
//! (M1, Y17).

use std::fmt::Write as _;

use super::budget::{BudgetPlan, Budgeted, is_immune};
use super::chunk::Chunk;
use super::contribution::{Contribution, Importance, Placement, TailPart, Trust};
use super::ingest::ingest;
use crate::domain::{ChunkFate, Layer, LayerFigures, RenderMode};
use crate::llm::ModelDescription;

/// Below this nobody has to know how full the prompt is (Y17).
const WORTH_SAYING_PERCENT: u64 = 70;

/// What was this relevant would have been of use.
const OF_USE: f32 = 0.5;

/// Adds the line where there is something to say and room to say it.
pub(super) fn add_status(
    budgeted: &mut Budgeted,
    plan: &BudgetPlan,
    model: &ModelDescription,
    layout: RenderMode,
) {
    let Some(text) = status_line(budgeted, plan) else { return };
    let line = Contribution {
        importance: Importance::Low,
        ..Contribution::anywhere(
            "budget/status",
            Layer::Core,
            Placement::Tail(TailPart::Status),
            Trust::Program,
            text,
        )
    };
    for chunk in ingest(vec![line], model, layout).chunks {
        let reached = budgeted.tokens.saturating_add(chunk.tokens);
        if reached <= plan.prompt_limit() {
            budgeted.tokens = reached;
            budgeted.records.push(chunk.record(ChunkFate::Kept));
            budgeted.kept.push(chunk);
        }
    }
}

fn status_line(budgeted: &Budgeted, plan: &BudgetPlan) -> Option<String> {
    let mut text = String::new();
    let full = u64::from(budgeted.tokens) * 100 / u64::from(plan.prompt_limit().max(1));
    if full > WORTH_SAYING_PERCENT {
        let _ = write!(text, "prompt {full}% full");
    }
    for (layer, what) in [
        (Layer::HistorySummary, "summaries"),
        (Layer::Content, "memories and lore"),
        (Layer::AuthorNote, "house rules"),
    ] {
        let left_out: u32 = missed(&budgeted.spilled, layer).map(|chunk| chunk.tokens).sum();
        if left_out == 0 {
            continue;
        }
        let offered = budgeted.layers.iter().find(|figures| figures.layer == layer);
        let share = offered.map_or(0, LayerFigures::kept_percent);
        let comma = if text.is_empty() { "" } else { "; " };
        let _ = write!(text, "{comma}{what}: {share}% kept, {left_out} tokens spilled");
    }
    (!text.is_empty()).then_some(text)
}

fn missed(spilled: &[Chunk], layer: Layer) -> impl Iterator<Item = &Chunk> {
    spilled.iter().filter(move |chunk| {
        chunk.layer == layer && chunk.turn.is_none() && !is_immune(chunk) && chunk.relevance >= OF_USE
    })
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::context::budget::fit;
    use crate::context::screen::screen;
    use crate::domain::{ChannelId, Place, TokenEncoding};

    fn model() -> ModelDescription {
        ModelDescription::plain("test", 4_000, TokenEncoding::CharsOver4)
    }

    fn plan(total: u32, content: u32) -> BudgetPlan {
        BudgetPlan {
            layers: Layer::ALL
                .iter()
                .copied()
                .map(|layer| (layer, (layer == Layer::Content).then_some(content)))
                .collect(),
            ..BudgetPlan::uncapped(total, 4_000, 0)
        }
    }

    fn found(number: usize, relevance: f32) -> Contribution {
        Contribution {
            relevance,
            ..Contribution::anywhere(
                format!("recall/{number}"),
                Layer::Content,
                Placement::Tail(TailPart::Recalled),
                Trust::Program,
                format!("{number} {}", "words ".repeat(60)),
            )
        }
    }

    fn said(offered: Vec<Contribution>, plan: &BudgetPlan) -> (Budgeted, Option<String>) {
        let place = Place::terminal(ChannelId::new("c").unwrap());
        let mut budgeted = fit(screen(ingest(offered, &model(), RenderMode::Layered), &place), plan).unwrap();
        add_status(&mut budgeted, plan, &model(), RenderMode::Layered);
        let line = budgeted.kept.iter().find(|chunk| chunk.source == "budget/status");
        let line = line.map(|chunk| chunk.text.clone());
        (budgeted, line)
    }

    #[test]
    fn m1_what_was_spilled_is_said_by_layer_and_only_if_it_was_of_use() {
        let offered = |relevance| (0..3).map(|number| found(number, relevance)).collect::<Vec<_>>();
        let (budgeted, line) = said(offered(0.9), &plan(2_000, 250));
        let left: u32 = budgeted.spilled.iter().map(|chunk| chunk.tokens).sum();
        let share = (budgeted.layers[0].kept * 100) / budgeted.layers[0].offered;
        assert_eq!(
            line.as_deref(),
            Some(format!("memories and lore: {share}% kept, {left} tokens spilled").as_str())
        );
        assert_eq!(said(offered(0.2), &plan(2_000, 250)).1, None, "nothing of use was lost");
        assert_eq!(said(offered(0.9), &plan(2_000, 2_000)).1, None, "nothing was lost");
    }

    #[test]
    fn y17_how_full_it_is_is_said_above_70_percent_and_only_if_there_is_room_to_say_it() {
        let one = |total| said(vec![found(1, 1.0)], &plan(total, 2_000));
        let (fits, _) = one(2_000);
        let taken = fits.tokens;
        assert!(one(taken * 100 / 80).1.is_some_and(|line| line.starts_with("prompt ")));
        assert_eq!(one(taken * 100 / 60).1, None);
        assert_eq!(one(taken + 3).1, None, "it does not fit");
        let (budgeted, _) = one(taken + 3);
        assert!(budgeted.tokens <= taken + 3);
    }
}
