use proptest::prelude::*;

use super::*;
use crate::context::chunk::{Chunks, dressing, ingest};
use crate::context::contribution::{Contribution, Trust, TurnLine};
use crate::context::weed::weed;
use crate::domain::{Audience, ChannelId, Place, RenderMode, Role, StoredId, TokenEncoding};
use crate::llm::ModelDescription;
use crate::text::tokens;

fn model() -> ModelDescription {
    ModelDescription {
        model: "test".to_owned(),
        context_window: 8_000,
        encoding: TokenEncoding::CharsOver4,
        token_ratio: 1.0,
        reasons_natively: false,
    }
}

/// What is sent around a contribution's words.
fn around(of: &Contribution) -> u32 {
    dressing(of, RenderMode::Layered, &mut |text| tokens::count(TokenEncoding::CharsOver4, text))
}

/// A contribution that takes this many tokens in the prompt, where it can be made so small.
fn piece(
    source: &str,
    layer: Layer,
    placement: Placement,
    importance: Importance,
    tokens: u32,
) -> Contribution {
    let mut made = Contribution {
        importance,
        ..Contribution::new(
            source,
            layer,
            placement,
            Trust::Canon,
            Audience::Canon,
            format!("{source} {}", "x".repeat(tokens as usize * 4)),
        )
    };
    made.tokens = Some(tokens.saturating_sub(around(&made)));
    made
}

fn turn(ordinal: u64, tokens: u32, importance: Importance) -> Contribution {
    let mut made = Contribution {
        turn: Some(TurnLine {
            id: StoredId(i64::try_from(ordinal).unwrap()),
            role: Role::Assistant,
            label: None,
            prefix: String::new(),
        }),
        ..piece(
            &format!("history/{ordinal}"),
            Layer::RecentHistory,
            Placement::Turn(ordinal),
            importance,
            tokens,
        )
    };
    made.tokens = Some(tokens.saturating_sub(around(&made)));
    made
}

fn plan(total: u32, caps: &[(Layer, Option<u32>)]) -> BudgetPlan {
    BudgetPlan {
        layers: caps.iter().copied().collect(),
        total,
        window: 8_000,
        reserve: 1_000,
        history_block: 1,
    }
}

fn run(contributions: Vec<Contribution>, plan: &BudgetPlan) -> Result<Budgeted, PromptTooLarge> {
    let place = Place::terminal(ChannelId::new("terminal").unwrap());
    fit(weed(ingest(contributions, &model(), RenderMode::Layered), &place), plan)
}

fn kept_turns(budgeted: &Budgeted) -> Vec<u64> {
    let mut kept: Vec<u64> = budgeted.kept.iter().filter_map(ordinal).collect();
    kept.sort_unstable();
    kept
}

#[test]
fn a17_a_full_layer_loses_its_oldest_turns_and_keeps_no_holes() {
    let turns = vec![
        turn(1, 10, Importance::Normal),
        turn(2, 500, Importance::Normal),
        turn(3, 50, Importance::Normal),
        turn(4, 50, Importance::Axiom),
    ];
    let budgeted = run(turns, &plan(5_000, &[(Layer::RecentHistory, Some(200))])).unwrap();
    assert_eq!(kept_turns(&budgeted), [3, 4], "turn 1 would fit, but turn 2 in between does not");
}

#[test]
fn a17_identity_is_never_evicted_though_its_layer_overflows() {
    let pieces = vec![
        piece("description", Layer::Character, Placement::Description, Importance::Axiom, 900),
        piece("example", Layer::Character, Placement::Example(0), Importance::Useful, 100),
    ];
    let budgeted = run(pieces, &plan(5_000, &[(Layer::Character, Some(400))])).unwrap();
    assert_eq!(budgeted.kept.len(), 1);
    assert_eq!(budgeted.kept[0].source, "description");
    assert!(budgeted.notes[0].contains("900 of 400"), "{:?}", budgeted.notes);
}

#[test]
fn examples_leave_before_history_when_the_whole_prompt_is_full() {
    let pieces = vec![
        piece("example", Layer::Character, Placement::Example(0), Importance::Useful, 300),
        turn(1, 300, Importance::Normal),
        turn(2, 300, Importance::Axiom),
    ];
    let caps = [(Layer::Character, Some(2_000)), (Layer::RecentHistory, Some(2_000))];
    let budgeted = run(pieces, &plan(700, &caps)).unwrap();
    assert_eq!(kept_turns(&budgeted), [1, 2]);
    assert_eq!(budgeted.kept.len(), 2);
}

#[test]
fn what_cannot_fit_the_window_is_an_error_with_figures() {
    let pieces =
        vec![piece("description", Layer::Character, Placement::Description, Importance::Axiom, 7_500)];
    let error = run(pieces, &plan(5_000, &[(Layer::Character, None)])).unwrap_err();
    assert_eq!((error.needed, error.limit, error.window, error.reserve), (7_500, 7_000, 8_000, 1_000));
}

#[test]
fn a_layer_without_a_budget_gets_nothing() {
    let pieces = vec![piece("found", Layer::Content, Placement::Mode, Importance::High, 1)];
    assert!(run(pieces, &plan(5_000, &[])).unwrap().kept.is_empty());
}

#[test]
fn a17_groups_leave_together() {
    let grouped = |source: &str, importance, tokens| Contribution {
        group: Some("call".to_owned()),
        ..piece(source, Layer::Content, Placement::Mode, importance, tokens)
    };
    let pieces = vec![grouped("call", Importance::High, 50), grouped("result", Importance::Low, 500)];
    let budgeted = run(pieces, &plan(5_000, &[(Layer::Content, Some(200))])).unwrap();
    assert!(budgeted.kept.is_empty());
    assert!(budgeted.records.iter().any(|record| record.fate == ChunkFate::WithGroup));
}

#[test]
fn a20_cut_history_starts_at_a_block_while_that_is_cheap() {
    let turns = (1..=30).map(|n| turn(n, 10, Importance::Normal)).collect();
    let aligned = BudgetPlan { history_block: 10, ..plan(5_000, &[(Layer::RecentHistory, Some(180))]) };
    assert_eq!(kept_turns(&run(turns, &aligned).unwrap()).first(), Some(&20), "18 fit from 13 on");
    let turns = (1..=30).map(|n| turn(n, 10, Importance::Normal)).collect();
    let tight = BudgetPlan { history_block: 10, ..plan(5_000, &[(Layer::RecentHistory, Some(60))]) };
    let kept = kept_turns(&run(turns, &tight).unwrap());
    assert!(kept.len() >= 3, "a block may not cost more than half of what fits: {kept:?}");
}

#[test]
fn a15_the_more_important_of_two_equal_texts_stays() {
    let same = |source: &str, importance| Contribution {
        text: "the same words".to_owned(),
        ..piece(source, Layer::Character, Placement::Scenario, importance, 4)
    };
    let Chunks { chunks, dropped, .. } = ingest(
        vec![same("low", Importance::Low), same("high", Importance::High)],
        &model(),
        RenderMode::Layered,
    );
    assert_eq!(chunks.len(), 1);
    assert_eq!(chunks[0].source, "high");
    assert_eq!((dropped[0].source.as_str(), &dropped[0].fate), ("low", &ChunkFate::Duplicate));
}

fn any_contribution(index: usize) -> impl Strategy<Value = Contribution> {
    let importance = prop_oneof![
        Just(Importance::Low),
        Just(Importance::Useful),
        Just(Importance::Normal),
        Just(Importance::High),
        Just(Importance::Axiom),
    ];
    (importance, 0usize..Layer::ALL.len(), 1u32..400, any::<bool>()).prop_map(
        move |(importance, layer, tokens, is_turn)| {
            if is_turn {
                let importance =
                    if importance == Importance::Axiom { importance } else { Importance::Normal };
                turn(index as u64 + 1, tokens.max(5), importance)
            } else {
                piece(&format!("p{index}"), Layer::ALL[layer], Placement::Example(index), importance, tokens)
            }
        },
    )
}

fn any_contributions() -> impl Strategy<Value = Vec<Contribution>> {
    (0usize..40).prop_flat_map(|n| (0..n).map(any_contribution).collect::<Vec<_>>())
}

proptest! {
    /// A17: for any offer and any plan the prompt fits, nothing immune is missing, nothing is unexplained, and the
    /// same offer gives the same result.
    #[test]
    fn a17_any_prompt_fits_explains_every_drop_and_is_deterministic(
        offered in any_contributions(),
        total in 0u32..6_000,
        caps in proptest::collection::vec(proptest::option::of(0u32..1_500), Layer::ALL.len()),
        block in 1u64..20,
    ) {
        let caps: Vec<_> = Layer::ALL.into_iter().zip(caps).collect();
        let plan = BudgetPlan { history_block: block, ..plan(total, &caps) };
        let immune: u32 = offered.iter().filter(|c| c.importance == Importance::Axiom)
            .map(|c| c.tokens.unwrap() + around(c)).sum();
        match run(offered.clone(), &plan) {
            Ok(budgeted) => {
                prop_assert!(budgeted.tokens <= plan.prompt_limit().max(immune));
                prop_assert!(budgeted.tokens <= plan.hard_limit());
                for figures in &budgeted.layers {
                    let cap = figures.cap.unwrap_or(u32::MAX);
                    let fixed: u32 = budgeted.kept.iter()
                        .filter(|c| c.layer == figures.layer && is_immune(c)).map(|c| c.tokens).sum();
                    prop_assert!(figures.kept <= cap.max(fixed));
                }
                let kept_immune: u32 = budgeted.kept.iter().filter(|c| is_immune(c)).map(|c| c.tokens).sum();
                prop_assert_eq!(kept_immune, immune);
                prop_assert_eq!(budgeted.records.len(), offered.len());
                let again = run(offered, &plan).unwrap();
                prop_assert_eq!(&again.kept, &budgeted.kept);
                prop_assert_eq!(again.records, budgeted.records);
            }
            Err(error) => prop_assert!(error.needed > plan.hard_limit() && immune > plan.hard_limit()),
        }
    }
}
