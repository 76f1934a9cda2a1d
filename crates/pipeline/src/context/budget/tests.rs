use proptest::prelude::*;

use super::*;
use crate::context::chunk::Chunks;
use crate::context::contribution::{Contribution, SummaryStands, TailPart, Trust, TurnLine};
use crate::context::ingest::{chunk_dressing, ingest};
use crate::context::quality::packing_waste;
use crate::context::screen::screen;
use crate::domain::{ChannelId, Place, RenderMode, Role, StoredId, TokenEncoding};
use crate::llm::ModelDescription;
use crate::text::tokens;

fn model() -> ModelDescription {
    ModelDescription::plain("test", 8_000, TokenEncoding::CharsOver4)
}

/// What is sent around a contribution's words.
fn around(of: &Contribution) -> u32 {
    chunk_dressing(of, RenderMode::Layered, &mut |text| tokens::count(TokenEncoding::CharsOver4, text))
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
        ..Contribution::anywhere(
            source,
            layer,
            placement,
            Trust::Canon,
            format!("{source} {}", "x".repeat(tokens as usize)),
        )
    };
    made.tokens = Some(tokens.saturating_sub(around(&made)));
    made
}

fn turn(ordinal: u64, tokens: u32, importance: Importance) -> Contribution {
    let mut made = Contribution {
        turn: Some(TurnLine::of(StoredId(i64::try_from(ordinal).unwrap()), Role::Assistant, None)),
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
    BudgetPlan { layers: caps.iter().copied().collect(), ..BudgetPlan::uncapped(total, 8_000, 1_000) }
}

fn run(contributions: Vec<Contribution>, plan: &BudgetPlan) -> Result<Budgeted, PromptTooLarge> {
    let place = Place::terminal(ChannelId::new("terminal").unwrap());
    fit(screen(ingest(contributions, &model(), RenderMode::Layered), &place), plan)
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

/// Three lines of one evening, of which the first says its day, and is long.
fn of_one_evening() -> Vec<Contribution> {
    let evening: jiff::Timestamp = "2026-03-02T20:00:00Z".parse().unwrap();
    let said = |ordinal: u64, tokens: u32, prefix: &str| {
        let mut made = turn(ordinal, tokens, Importance::Normal);
        let line = made.turn.as_mut().unwrap();
        line.role = Role::User;
        line.at = Some(evening + std::time::Duration::from_secs(60 * ordinal));
        prefix.clone_into(&mut line.prefix);
        made
    };
    vec![said(1, 500, "[2026-03-02 20:01] "), said(2, 50, "[20:02] "), said(3, 50, "[20:03] ")]
}

#[test]
fn the_day_that_the_first_line_comes_to_say_has_its_room() {
    let within = |cap: u32| {
        let budgeted = run(of_one_evening(), &plan(5_000, &[(Layer::RecentHistory, Some(cap))])).unwrap();
        let lines: u32 = budgeted.kept.iter().map(|chunk| chunk.tokens).sum();
        (kept_turns(&budgeted), lines, budgeted.tokens)
    };
    let (kept, lines, tokens) = within(200);
    assert_eq!((kept.as_slice(), tokens), ([2, 3].as_slice(), lines + DAY_TOKENS));
    assert_eq!(within(lines + DAY_TOKENS).0, [2, 3]);
    assert_eq!(within(lines).0, [3], "the day would be beyond the cap");
    let (kept, lines, tokens) = within(2_000);
    assert_eq!((kept.as_slice(), tokens), ([1, 2, 3].as_slice(), lines), "it says its day already");
}

#[test]
fn the_first_line_that_is_shown_says_its_day_though_another_that_went_had_said_it() {
    let lines = of_one_evening();
    let mut budgeted = run(lines, &plan(5_000, &[(Layer::RecentHistory, Some(200))])).unwrap();
    assert_eq!(kept_turns(&budgeted), [2, 3]);
    budgeted.say_first_day(&jiff::tz::TimeZone::UTC);
    let mut lines: Vec<_> = budgeted.kept.iter().filter_map(|chunk| chunk.turn.as_ref()).collect();
    lines.sort_by_key(|line| line.at);
    let prefixes: Vec<_> = lines.into_iter().map(|line| line.prefix.as_str()).collect();
    assert_eq!(prefixes, ["[2026-03-02 20:02] ", "[20:03] "]);
}

#[test]
fn a17_identity_is_never_evicted_though_its_layer_overflows() {
    let pieces = vec![
        piece("description", Layer::Character, Placement::Description, Importance::Axiom, 900),
        piece("example", Layer::Character, Placement::Example(0), Importance::Useful, 100),
    ];
    let budgeted = run(pieces, &plan(950, &[(Layer::Character, Some(400))])).unwrap();
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

/// What of a card of 3,900 tokens, a scenario of so many and two examples is shown beside so many turns, where the layer
/// keeps `cap` for it.
fn shown_of_card(scenario: u32, turns: u64, cap: u32) -> Vec<String> {
    let piece = |source: &str, placement, importance, tokens| {
        piece(source, Layer::Character, placement, importance, tokens)
    };
    let mut offered = placed(turns, 40);
    offered.extend([
        piece("description", Placement::Description, Importance::Axiom, 3_900),
        piece("scenario", Placement::Scenario, Importance::High, scenario),
        piece("example 0", Placement::Example(0), Importance::Useful, 150),
        piece("example 1", Placement::Example(1), Importance::Useful, 150),
    ]);
    let mut plan = at_steps(6_000, 5);
    plan.layers.insert(Layer::Character, Some(cap));
    let budgeted = run(offered, &plan).unwrap();
    let card = budgeted.kept.iter().filter(|chunk| chunk.layer == Layer::Character);
    let mut shown: Vec<String> = card.map(|chunk| chunk.source.clone()).collect();
    shown.sort();
    shown
}

#[test]
fn a_long_card_is_lent_the_room_that_nobody_uses() {
    assert_eq!(shown_of_card(100, 0, 1_200).len(), 4);
    let mut shown: Vec<Vec<String>> = (0..300).map(|turns| shown_of_card(100, turns, 1_200)).collect();
    shown.dedup();
    // The turns come to want the examples' room, and get all of it at once.
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert_eq!(shown[1], ["description", "scenario"], "the scenario stays");
    assert_eq!(shown_of_card(100, 0, 0), ["description"], "a layer that is to be left out is lent nothing");
}

#[test]
fn no_example_stays_where_the_scenario_has_no_room() {
    assert_eq!(shown_of_card(1_000, 0, 1_200), ["description"]);
    assert_eq!(shown_of_card(1_000, 0, 4_100), ["description"], "though the layer has room for the examples");
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

/// How hard a piece holds on and where it stands have nothing to do with each other.
#[test]
fn contradiction_6_what_stays_is_decided_by_importance_and_where_it_stands_by_its_slot() {
    let (early, late) = (Placement::Tail(TailPart::Lore), Placement::Tail(TailPart::Facts));
    assert!(early < late);
    let first = |importance| piece("first", Layer::Content, early.clone(), importance, 100);
    let last = |importance| piece("last", Layer::Content, late.clone(), importance, 100);
    let caps = [(Layer::Content, None)];
    let kept = |one, other| {
        let budgeted = run(vec![one, other], &plan(150, &caps)).unwrap();
        budgeted.kept.iter().map(|chunk| chunk.source.clone()).collect::<Vec<_>>()
    };
    assert_eq!(kept(first(Importance::Low), last(Importance::High)), ["last"], "early is not important");
    assert_eq!(kept(first(Importance::High), last(Importance::Low)), ["first"], "nor is late");
    assert_eq!(kept(first(Importance::Low), last(Importance::Axiom)), ["last"], "5 is never evicted");
    // With room for both, what is important does not move.
    let both = run(vec![first(Importance::Low), last(Importance::Axiom)], &plan(1_000, &caps)).unwrap();
    let placed: Vec<_> =
        both.kept.iter().map(|chunk| (chunk.source.as_str(), chunk.placement.clone())).collect();
    assert!(
        placed.contains(&("first", early.clone())) && placed.contains(&("last", late.clone())),
        "{placed:?}"
    );
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

/// Turns as a history gives them: each knows what was said before it.
fn placed(count: u64, tokens: u32) -> Vec<Contribution> {
    let mut said_before = 0;
    (1..=count)
        .map(|ordinal| {
            let mut made = turn(ordinal, tokens, Importance::Normal);
            if let Some(line) = &mut made.turn {
                line.said_before = Some(said_before);
            }
            said_before += rough_tokens(&made.text);
            made
        })
        .collect()
}

fn at_steps(total: u32, least_turns: usize) -> BudgetPlan {
    BudgetPlan {
        history: HistoryCut::AtSteps { least_turns },
        ..plan(
            total,
            &[(Layer::RecentHistory, None), (Layer::Content, Some(2_000)), (Layer::Character, None)],
        )
    }
}

fn uncapped_at_steps() -> BudgetPlan {
    BudgetPlan {
        history: HistoryCut::AtSteps { least_turns: 5 },
        ..BudgetPlan::uncapped(5_000, 8_000, 1_000)
    }
}

#[test]
fn a20_the_history_begins_where_it_did_whatever_the_tail_holds_this_time() {
    let first = |turns: u64, found: u32| {
        let mut offered = placed(turns, 40);
        offered.push(piece("card", Layer::Character, Placement::Description, Importance::Axiom, 1_000));
        offered.push(piece(
            "found",
            Layer::Content,
            Placement::Tail(TailPart::Recalled),
            Importance::Normal,
            found,
        ));
        kept_turns(&run(offered, &at_steps(5_000, 5)).unwrap()).first().copied().unwrap()
    };
    let mut moves = 0;
    let mut before = 1;
    for turns in 100..300 {
        let with_little = first(turns, 40);
        assert_eq!(with_little, first(turns, 700), "{turns}");
        moves += u32::from(with_little != before);
        before = with_little;
    }
    assert!((2..=6).contains(&moves), "{moves} cuts in 200 turns");
}

#[test]
fn a20_the_history_never_begins_earlier_again_whatever_swings_beside_it() {
    let firsts = |holds: bool| {
        let (mut began, mut before, mut shown) = (None, 1, 0);
        let mut firsts = Vec::new();
        for turns in 1..=600 {
            let swing = u32::try_from(turns % 4).unwrap();
            let mut offered = placed(turns, 40);
            // What a token is worth swings with what servers report, the room with what tools are offered, and the tail
            // with what is found.
            for line in &mut offered {
                line.tokens = line.tokens.map(|tokens| tokens + tokens * swing / 30);
            }
            offered.push(piece("card", Layer::Character, Placement::Description, Importance::Axiom, 1_000));
            let recalled = Placement::Tail(TailPart::Recalled);
            offered.push(piece("found", Layer::Content, recalled, Importance::Normal, 40 + swing * 250));
            let total = 5_000 - swing * 200;
            let plan = BudgetPlan { total, began, ..uncapped_at_steps() };
            let budgeted = run(offered, &plan).unwrap();
            began = budgeted.began.filter(|_| holds);
            let kept = kept_turns(&budgeted);
            if kept[0] != before && holds {
                assert!(shown > 35, "cut at turn {turns} with only {shown} shown");
            }
            (before, shown) = (kept[0], kept.len());
            firsts.push(before);
        }
        firsts.dedup();
        firsts
    };
    let held = firsts(true);
    assert!(held.is_sorted(), "{held:?}");
    assert!((6..=26).contains(&held.len()), "{held:?}");
    assert!(firsts(false).len() > held.len(), "nothing swings");
}

#[test]
fn a20_a_history_that_was_cut_for_a_smaller_room_shows_more_in_a_larger_one() {
    let plan = |total: u32, began| BudgetPlan {
        history: HistoryCut::AtSteps { least_turns: 5 },
        began,
        ..BudgetPlan::uncapped(total, 40_000, 1_000)
    };
    let small = run(placed(300, 40), &plan(1_500, None)).unwrap();
    let again = run(placed(300, 40), &plan(1_500, small.began)).unwrap();
    assert_eq!(kept_turns(&again), kept_turns(&small));
    let large = run(placed(300, 40), &plan(30_000, small.began)).unwrap();
    assert_eq!(kept_turns(&large).len(), 300);
}

#[test]
fn a2_the_history_makes_no_room_for_what_does_not_fit_its_own() {
    let kept = |finds: u32, extra_content: u32| {
        let mut offered = placed(300, 40);
        offered.push(piece("card", Layer::Character, Placement::Description, Importance::Axiom, 1_000));
        kept_turns(&run(offered, &BudgetPlan { finds, extra_content, ..at_steps(6_000, 5) }).unwrap()).len()
    };
    assert!(kept(3_000, 2_000) < kept(0, 2_000), "it makes room");
    assert_eq!(kept(9_000, 2_000), kept(4_000, 2_000), "as much as the layer takes this once");
    assert_eq!(kept(9_000, 0), kept(2_000, 0));
    let room = |content: u32, extra_content: u32| {
        BudgetPlan { extra_content, ..plan(5_000, &[(Layer::Content, Some(content))]) }.tail_room()
    };
    assert_eq!(room(50, 50), room(50, 0), "where the history is cut does not move with a hard message");
    assert!(room(100, 0) > room(50, 0));
}

/// The summaries of a talk of `turns`, as the worker makes them: one of every 20 turns as soon as 10 more are there,
/// and at every fourth one for all before it. Turn `n` is said in second `n`.
fn summaries_of(turns: u64) -> Vec<Contribution> {
    let at = |turn: u64| Timestamp::from_second(i64::try_from(turn).unwrap()).unwrap();
    let summary = |name: &str, stands: SummaryStands| Contribution {
        stands: Some(stands.clone()),
        ..piece(
            &format!("{name}/{}-{}", stands.first, stands.last),
            Layer::HistorySummary,
            Placement::Summary(stands.last),
            Importance::High,
            60,
        )
    };
    let leaves = turns.saturating_sub(10) / 20;
    let folds: Vec<u64> = (1..=leaves).filter(|leaf| leaf % 4 == 0).map(|leaf| leaf - 1).collect();
    // A fold is made with the leaf behind it.
    let made = |fold: u64| at((fold + 1) * 20 + 10);
    let mut all = Vec::new();
    for leaf in 1..=leaves {
        let (first, last) = (leaf * 20 - 19, leaf * 20);
        let until = folds.iter().find(|fold| **fold >= leaf).map(|fold| made(*fold));
        all.push(summary(
            "leaf",
            SummaryStands { first, last, since: at(last + 10), until, replaces: false },
        ));
    }
    for (number, fold) in folds.iter().enumerate() {
        let until = folds.get(number + 1).map(|next| made(*next));
        let stands = SummaryStands { first: 1, last: fold * 20, since: made(*fold), until, replaces: true };
        all.push(summary("fold", stands));
    }
    all
}

#[test]
fn a20_between_two_cuts_the_same_summaries_stand_before_the_history_and_nothing_is_missing() {
    let mut before: Option<(u64, Vec<String>)> = None;
    let mut cuts = 0;
    for turns in 1..=600 {
        let mut offered = placed(turns, 40);
        for (number, line) in (1..).zip(offered.iter_mut().filter_map(|turn| turn.turn.as_mut())) {
            line.at = Timestamp::from_second(number).ok();
        }
        offered.push(piece("card", Layer::Character, Placement::Description, Importance::Axiom, 1_000));
        offered.extend(summaries_of(turns));
        let plan = uncapped_at_steps();
        let budgeted = run(offered, &plan).unwrap();
        let first = kept_turns(&budgeted).first().copied().unwrap();
        let shown: Vec<&SummaryStands> =
            budgeted.kept.iter().filter_map(|chunk| chunk.stands.as_ref()).collect();
        for turn in 1..first {
            let told = shown.iter().filter(|stands| (stands.first..=stands.last).contains(&turn)).count();
            assert_eq!(told, 1, "turn {turn} of {turns}, shown from {first}");
        }
        let mut names: Vec<String> = budgeted
            .kept
            .iter()
            .filter(|chunk| chunk.stands.is_some())
            .map(|chunk| chunk.source.clone())
            .collect();
        names.sort();
        match &before {
            Some((known, same)) if *known == first => assert_eq!(same, &names, "{turns} turns"),
            _ => cuts += 1,
        }
        before = Some((first, names));
    }
    assert!((8..=13).contains(&cuts), "{cuts} beginnings in 600 turns");
}

/// A summary of the turns up to `last`, made in second `since`.
fn summary_to(last: u64, since: i64, until: Option<i64>, replaces: bool) -> Contribution {
    let second = |second| Timestamp::from_second(second).unwrap();
    let first = if replaces { 1 } else { last - 19 };
    let stands = SummaryStands { first, last, since: second(since), until: until.map(second), replaces };
    Contribution {
        stands: Some(stands),
        ..piece(
            &format!("summary to {last} of {since}"),
            Layer::HistorySummary,
            Placement::Summary(last),
            Importance::High,
            60,
        )
    }
}

fn kept_summaries(budgeted: &Budgeted) -> Vec<&str> {
    let summaries = budgeted.kept.iter().filter(|chunk| chunk.stands.is_some());
    summaries.map(|chunk| chunk.source.as_str()).collect()
}

#[test]
fn a20_a_past_that_was_summed_up_anew_since_the_cut_is_not_lost_until_the_next() {
    let mut offered = placed(300, 40);
    for (number, line) in (1..).zip(offered.iter_mut().filter_map(|turn| turn.turn.as_mut())) {
        line.at = Timestamp::from_second(number).ok();
    }
    // Words under the old fold were taken back in second 299, and the past was summed up anew.
    offered.push(summary_to(200, 299, None, true));
    offered.push(summary_to(220, 230, None, false));
    let budgeted = run(offered, &uncapped_at_steps()).unwrap();
    assert!(kept_summaries(&budgeted).contains(&"summary to 200 of 299"), "{:?}", kept_summaries(&budgeted));
}

#[test]
fn why_a_turn_or_a_summary_is_not_shown_is_said_as_it_is() {
    let mut offered = placed(300, 40);
    for (number, line) in (1..).zip(offered.iter_mut().filter_map(|turn| turn.turn.as_mut())) {
        line.at = Timestamp::from_second(number).ok();
    }
    offered.push(summary_to(100, 110, Some(150), true));
    offered.push(summary_to(200, 210, None, true));
    let budgeted = run(offered, &uncapped_at_steps()).unwrap();
    let fate = |source: &str| {
        budgeted.records.iter().find(|record| record.source == source).map(|record| record.fate.clone())
    };
    assert_eq!(fate("history/1"), Some(ChunkFate::CutAhead));
    assert_eq!(fate("summary to 100 of 110"), Some(ChunkFate::ToldOtherwise));
    assert_eq!(fate("summary to 200 of 210"), Some(ChunkFate::Kept));
}

#[test]
fn a20_what_was_made_in_the_very_moment_of_the_cut_waits_for_the_next() {
    let second = |second| Timestamp::from_second(second).unwrap();
    let fold = |since, until: Option<i64>| SummaryStands {
        first: 1,
        last: 20,
        since: second(since),
        until: until.map(second),
        replaces: true,
    };
    let cut = Some(second(50));
    assert!(fold(10, Some(50)).stood_at(cut) && !fold(50, None).stood_at(cut));
    assert!(!fold(10, Some(49)).stood_at(cut) && fold(49, None).stood_at(cut));
    assert!(!fold(10, Some(50)).stood_at(None) && fold(50, None).stood_at(None));
}

#[test]
fn y9_where_the_history_is_cut_anywhere_replaced_summaries_take_no_room() {
    let offered = vec![
        turn(300, 40, Importance::Axiom),
        summary_to(100, 110, Some(210), true),
        summary_to(200, 210, Some(290), true),
        summary_to(280, 290, None, true),
    ];
    let caps = [(Layer::HistorySummary, Some(130)), (Layer::RecentHistory, None)];
    let budgeted = run(offered, &plan(5_000, &caps)).unwrap();
    assert_eq!(kept_summaries(&budgeted), ["summary to 280 of 290"]);
}

#[test]
fn y3_a_section_keeps_to_its_cap_and_the_best_of_it_stays() {
    let mood = |source: &str, relevance, tokens| Contribution {
        relevance,
        ..piece(source, Layer::Content, Placement::Tail(TailPart::Mood), Importance::Normal, tokens)
    };
    let capped = BudgetPlan {
        sections: BTreeMap::from([(Section::Mood, 250)]),
        ..plan(5_000, &[(Layer::Content, Some(2_000))])
    };
    let budgeted = run(vec![mood("dull", 0.2, 200), mood("vivid", 0.9, 200)], &capped).unwrap();
    assert_eq!(budgeted.kept.iter().map(|chunk| chunk.source.as_str()).collect::<Vec<_>>(), ["vivid"]);
    let dull = budgeted.records.iter().find(|record| record.source == "dull").unwrap();
    assert_eq!(dull.fate, ChunkFate::SectionFull);
    assert!((dull.score - 0.2).abs() < 1e-6);
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
    let placement = prop_oneof![
        Just(Placement::Example(index)),
        Just(Placement::Mode),
        Just(Placement::Summary(index as u64)),
        Just(Placement::Tail(TailPart::Recalled)),
        Just(Placement::Tail(TailPart::People)),
    ];
    let group = proptest::option::of(prop_oneof![Just("a"), Just("b"), Just("c")]);
    let what = (importance, 0usize..Layer::ALL.len(), 1u32..250, any::<bool>());
    (what, placement, group, 0.01f32..1.0).prop_map(
        move |((importance, layer, tokens, is_turn), placement, group, relevance)| {
            if is_turn {
                let importance =
                    if importance == Importance::Axiom { importance } else { Importance::Normal };
                turn(index as u64 + 1, tokens.max(5), importance)
            } else {
                Contribution {
                    group: group.map(str::to_owned),
                    relevance,
                    ..piece(&format!("p{index}"), Layer::ALL[layer], placement, importance, tokens)
                }
            }
        },
    )
}

fn any_contributions() -> impl Strategy<Value = Vec<Contribution>> {
    (0usize..16).prop_flat_map(|n| (0..n).map(any_contribution).collect::<Vec<_>>())
}

proptest! {
    // `PROPTEST_CASES=10000` runs as many as memory 5 asks for: half a minute in an unoptimised build.

    /// A17: for any offer and any plan the prompt fits, nothing immune is missing, nothing is unexplained, and the
    /// same offer gives the same result.
    #[test]
    fn a17_any_prompt_fits_explains_every_drop_and_is_deterministic(
        offered in any_contributions(),
        total in 0u32..3_000,
        caps in proptest::collection::vec(proptest::option::of(0u32..800), Layer::ALL.len()),
        at_steps in any::<bool>(),
        order in any::<u64>(),
    ) {
        let caps: Vec<_> = Layer::ALL.iter().copied().zip(caps).collect();
        let history = if at_steps {
            HistoryCut::AtSteps { least_turns: 5 }
        } else {
            HistoryCut::Anywhere
        };
        let plan = BudgetPlan { history, ..plan(total, &caps) };
        let immune: u32 = offered.iter().filter(|c| c.importance == Importance::Axiom)
            .map(|c| c.tokens.unwrap() + around(c)).sum();
        match run(offered.clone(), &plan) {
            Ok(budgeted) => {
                prop_assert!(budgeted.tokens <= plan.prompt_limit().max(immune + tail::FRAME_TOKENS));
                prop_assert!(budgeted.tokens <= plan.hard_limit());
                for figures in &budgeted.layers {
                    let cap = figures.cap.unwrap_or(u32::MAX);
                    let fixed: u32 = budgeted.kept.iter()
                        .filter(|c| c.layer == figures.layer && is_immune(c)).map(|c| c.tokens).sum();
                    // The card is lent what others do not use.
                    prop_assert!(figures.kept <= cap.max(fixed) || figures.layer == Layer::Character);
                    prop_assert!(cap > 0 || figures.kept <= fixed);
                }
                let kept_immune: u32 = budgeted.kept.iter().filter(|c| is_immune(c)).map(|c| c.tokens).sum();
                prop_assert_eq!(kept_immune, immune);
                prop_assert_eq!(budgeted.records.len(), offered.len());
                for chunk in budgeted.kept.iter().chain(&budgeted.spilled) {
                    prop_assert!(offered.iter().any(|c| c.text == chunk.text), "a chunk was cut");
                }
                prop_assert_eq!(budgeted.kept.len() + budgeted.spilled.len(), offered.len());
                prop_assert!(budgeted.records.iter().all(|record| record.score > 0.0 && !record.source.is_empty()));
                let group_fates = |name: &str| -> Vec<bool> {
                    let of = |chunks: &[Chunk], kept| -> Vec<bool> {
                        let members = chunks.iter().filter(|c| {
                            c.group.as_deref() == Some(name) && !is_immune(c) && c.turn.is_none()
                        });
                        members.map(|_| kept).collect()
                    };
                    [of(&budgeted.kept, true), of(&budgeted.spilled, false)].concat()
                };
                for name in ["a", "b", "c"] {
                    let fates = group_fates(name);
                    prop_assert!(fates.iter().all(|kept| *kept == fates[0]), "group {} is torn", name);
                }
                let mut shuffled = offered;
                let count = shuffled.len().max(1);
                for at in 0..shuffled.len() {
                    let other = usize::try_from(order.rotate_left(u32::try_from(at).unwrap()) % count as u64).unwrap();
                    shuffled.swap(at, other);
                }
                let again = run(shuffled, &plan).unwrap();
                prop_assert_eq!(&again.kept, &budgeted.kept);
                prop_assert_eq!(again.records, budgeted.records);
            }
            Err(error) => prop_assert!(
                error.needed > plan.hard_limit() && immune + tail::FRAME_TOKENS > plan.hard_limit()
            ),
        }
    }

    /// Packing waste is a share, there is none where nothing had to go, and of whole pieces without caps, groups and
    /// turns less stays free than the smallest that did not fit takes.
    #[test]
    fn a18_packing_waste_is_bounded_by_what_did_not_fit(
        offered in any_contributions(),
        sizes in proptest::collection::vec(20u32..400, 1..20),
        total in 0u32..3_000,
        caps in proptest::collection::vec(proptest::option::of(0u32..800), Layer::ALL.len()),
    ) {
        let caps: Vec<_> = Layer::ALL.iter().copied().zip(caps).collect();
        let any = plan(total, &caps);
        if let Ok(budgeted) = run(offered, &any) {
            let waste = packing_waste(&budgeted, any.prompt_limit());
            prop_assert!((0.0..=1.0).contains(&waste), "{}", waste);
            prop_assert!(!budgeted.spilled.is_empty() || waste <= 0.0, "nothing had to go: {}", waste);
        }
        let pieces = sizes.iter().enumerate().map(|(at, &size)| {
            let source = format!("piece {at:02}");
            piece(&source, Layer::Content, Placement::Mode, Importance::Normal, size)
        });
        let plain = plan(total, &[(Layer::Content, None)]);
        let budgeted = run(pieces.collect(), &plain).unwrap();
        let waste = f64::from(packing_waste(&budgeted, plain.prompt_limit()));
        let free = waste * f64::from(plain.prompt_limit());
        match budgeted.spilled.iter().map(|chunk| chunk.tokens).min() {
            Some(smallest) => prop_assert!(free < f64::from(smallest), "{} free, {} did not fit", free, smallest),
            None => prop_assert!(waste <= 0.0),
        }
    }
}
