use super::*;
use crate::context::budget::{BudgetPlan, fit};
use crate::context::chunk::Chunks;
use crate::context::contribution::{Contribution, Importance, Quoted, TailPart, TurnLine};
use crate::context::ingest::ingest;
use crate::context::screen::screen;
use crate::domain::{ChannelId, Layer, Place, RenderMode, Role, StoredId, TokenEncoding};
use crate::llm::ModelDescription;

const STORY: &str =
    "On the last evening of the fair Ana told everybody on the pier that she had sold the old boat";

fn model() -> ModelDescription {
    ModelDescription::plain("test", 8_000, TokenEncoding::CharsOver4)
}

fn place() -> Place {
    Place::terminal(ChannelId::new("terminal").unwrap())
}

fn held(source: &str, text: &str) -> Contribution {
    Contribution::looked_up(source, TailPart::Recalled, place().audience, text)
}

fn turn(ordinal: u64, text: &str) -> Contribution {
    Contribution {
        turn: Some(TurnLine::of(StoredId(1), Role::User, Some("Ana".to_owned()))),
        trust: Trust::Chat,
        layer: Layer::RecentHistory,
        placement: Placement::Turn(ordinal),
        ..held(&format!("history/{ordinal}"), text)
    }
}

fn survivors(offered: Vec<Contribution>) -> Vec<String> {
    let Chunks { chunks, dropped, .. } = ingest(offered, &model(), RenderMode::Layered);
    assert!(dropped.iter().all(|record| record.fate == ChunkFate::Duplicate));
    chunks.into_iter().map(|chunk| chunk.piece.source).collect()
}

#[test]
fn a15_the_survivor_has_the_better_importance_and_relevance_of_both() {
    let low = Contribution { relevance: 0.9, importance: Importance::Low, ..held("low", STORY) };
    let high = Contribution { relevance: 0.2, importance: Importance::High, ..held("high", STORY) };
    let Chunks { chunks, dropped, .. } = ingest(vec![low, high], &model(), RenderMode::Layered);
    assert_eq!((chunks.len(), dropped.len()), (1, 1));
    let kept = &chunks[0];
    assert_eq!((kept.source.as_str(), kept.importance), ("high", Importance::High));
    assert!((kept.relevance - 0.9).abs() < f32::EPSILON);
}

#[test]
fn a15_near_doubles_and_shortened_copies_of_looked_up_text_go() {
    assert_eq!(survivors(vec![held("a", STORY), held("b", &format!("{}!", STORY.to_uppercase()))]), ["a"]);
    let short = held("short", &format!("{} […]", &STORY[..STORY.find(" pier").unwrap()]));
    assert_eq!(survivors(vec![short.clone(), held("whole", STORY)]), ["whole"]);
    assert_eq!(survivors(vec![held("whole", STORY), short]), ["whole"]);
    let different = STORY.replace("sold the old boat", "kept the old boat");
    assert_eq!(survivors(vec![held("a", STORY), held("b", &different)]), ["a", "b"]);
}

#[test]
fn a15_the_operators_words_are_not_crowded_out_and_nor_are_turns() {
    let canon = Contribution {
        trust: Trust::Canon,
        audience: Audience::Canon,
        placement: Placement::Scenario,
        importance: Importance::Low,
        ..held("card", STORY)
    };
    let loud = Contribution { importance: Importance::High, ..held("loud", STORY) };
    assert_eq!(survivors(vec![canon.clone(), loud.clone()]), ["card"]);
    assert_eq!(survivors(vec![loud, canon]), ["card"]);
    assert_eq!(survivors(vec![turn(1, "yes"), turn(2, "yes")]), ["history/1", "history/2"]);
}

#[test]
fn a15_what_different_people_said_or_different_places_know_is_no_double() {
    let by = |who: &str, source: &str| Contribution {
        quoted: Some(Quoted { author: Some(who.to_owned()), ..Quoted::default() }),
        ..held(source, STORY)
    };
    assert_eq!(survivors(vec![by("Ana", "a"), by("Ben", "b")]), ["a", "b"]);
    assert_eq!(survivors(vec![by("Ana", "a"), by("Ana", "b")]), ["a"]);
    let elsewhere = Contribution {
        audience: Place::terminal(ChannelId::new("other").unwrap()).audience,
        importance: Importance::High,
        ..held("elsewhere", STORY)
    };
    if elsewhere.audience != place().audience {
        assert_eq!(survivors(vec![held("here", STORY), elsewhere]), ["here", "elsewhere"]);
    }
}

#[test]
fn a15_what_stands_in_the_prompt_as_a_turn_is_not_quoted_as_well() {
    let offered = || vec![turn(1, STORY), turn(2, "and then?"), held("recalled", &format!("Ana: {STORY}"))];
    let fates = |history: u32| -> Vec<(String, ChunkFate)> {
        let layers = Layer::ALL
            .iter()
            .copied()
            .map(|layer| (layer, (layer == Layer::RecentHistory).then_some(history)));
        let plan = BudgetPlan { layers: layers.collect(), ..BudgetPlan::uncapped(8_000, 8_000, 0) };
        let budgeted =
            fit(screen(ingest(offered(), &model(), RenderMode::Layered), &place()), &plan).unwrap();
        budgeted.records.into_iter().map(|record| (record.source, record.fate)).collect()
    };
    assert!(fates(8_000).contains(&("recalled".to_owned(), ChunkFate::Duplicate)));
    let tight = fates(15);
    assert!(tight.contains(&("history/1".to_owned(), ChunkFate::LayerFull)), "{tight:?}");
    assert!(tight.contains(&("recalled".to_owned(), ChunkFate::Kept)), "its turn had to go: {tight:?}");
}
