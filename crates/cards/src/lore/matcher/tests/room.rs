use serde_json::json;

use super::*;
use crate::lore::LoreLevel;

fn words(letters: usize) -> String {
    "x".repeat(letters)
}

#[test]
fn lore_4_2_6_the_first_that_does_not_fit_stops_all_later_ones() {
    let mut desk = Desk::new(
        json!([
            {"comment": "a", "constant": true, "order": 3, "content": words(40)},
            {"comment": "large", "constant": true, "order": 2, "content": words(400)},
            {"comment": "small", "constant": true, "order": 1, "content": "x"},
        ]),
        &[],
    );
    desk.budget = 50;
    let scan = desk.scan();
    assert_eq!(names(&scan), ["a"]);
    assert!(scan.budget.overflowed);
    assert_eq!(why(&scan, "large"), LoreWhy::Budget { needed: 111, limit: 50 });
    assert!(matches!(why(&scan, "small"), LoreWhy::Budget { limit: 50, .. }));
}

#[test]
fn lore_4_2_6_what_reaches_the_budget_is_too_much() {
    // 39 letters and a line end are ten tokens.
    let mut desk = Desk::new(json!([{"comment": "a", "constant": true, "content": words(39)}]), &[]);
    desk.budget = 10;
    assert!(desk.fired().is_empty());
    desk.budget = 11;
    assert_eq!(desk.fired(), ["a"]);
}

#[test]
fn lore_4_2_6_ignore_budget_comes_in_all_the_same() {
    let mut desk = Desk::new(
        json!([
            {"comment": "large", "constant": true, "order": 3, "content": words(400)},
            {"comment": "must", "constant": true, "order": 2, "content": words(400), "ignoreBudget": true},
            {"comment": "small", "constant": true, "order": 1, "content": "x"},
        ]),
        &[],
    );
    desk.budget = 50;
    assert_eq!(desk.fired(), ["must"]);
}

#[test]
fn lore_4_2_6_recursed_text_counts_and_want_of_room_ends_recursion() {
    let entries = json!([
        {"comment": "a", "key": ["gate"], "content": format!("bee {}", words(76))},
        {"comment": "b", "key": ["bee"], "content": format!("sea {}", words(76))},
        {"comment": "c", "key": ["sea"], "content": words(7)},
    ]);
    let mut desk = Desk::new(entries, &["Alice: gate"]);
    desk.budget = 43;
    assert_eq!(desk.fired(), ["b", "a"]);
    assert!(matches!(desk.why("c"), LoreWhy::Budget { .. }));
    desk.budget = 42;
    let scan = desk.scan();
    assert_eq!(names(&scan), ["a"]);
    assert_eq!(why(&scan, "c"), LoreWhy::NoKeyFound, "nothing was read after the room was gone");
}

#[test]
fn lore_4_2_6_a_draw_is_final_for_the_turn_and_the_same_for_the_same_turn() {
    let entries = json!([{"comment": "maybe", "key": ["gate"], "probability": 50}]);
    let mut desk = Desk::new(entries, &["Alice: gate"]);
    let mut fired = 0;
    for turn in 0..400 {
        desk.seed = format!("t{turn}");
        let first = desk.scan();
        assert_eq!(first, desk.scan(), "a regenerated reply meets the same lore");
        if first.fired.is_empty() {
            let LoreWhy::Roll { chance, rolled } = why(&first, "maybe") else { panic!("{first:?}") };
            assert!((chance - 50.0).abs() < f64::EPSILON && rolled > 50.0);
        } else {
            fired += 1;
        }
    }
    assert!((150..250).contains(&fired), "{fired}");
}

#[test]
fn lore_4_2_6_probability_can_be_switched_off() {
    let entries = json!([{"comment": "sure", "constant": true, "probability": 0, "useProbability": false}]);
    assert_eq!(Desk::new(entries, &[]).fired(), ["sure"]);
}

#[test]
fn a_books_own_budget_sends_the_lowest_priority_away_first() {
    let mut desk = Desk::new(
        json!([
            {"comment": "dear", "constant": true, "order": 1, "content": words(100)},
            {"comment": "cheap", "constant": true, "order": 9, "content": words(100)},
        ]),
        &[],
    );
    desk.books[0].book.token_budget = Some(30);
    assert_eq!(desk.fired(), ["cheap"]);
    desk.books[0].book.entries[0].priority = Some(50);
    assert_eq!(desk.fired(), ["dear"]);
}

#[test]
fn constants_have_their_room_first_where_that_is_wanted() {
    let mut desk = Desk::new(
        json!([
            {"comment": "called", "key": ["gate"], "order": 100, "content": words(120)},
            {"comment": "also called", "key": ["gate"], "order": 90, "content": words(120)},
            {"comment": "always", "constant": true, "order": 10, "content": words(60)},
        ]),
        &["Alice: gate"],
    );
    desk.budget = 50;
    assert_eq!(desk.fired(), ["called"], "in SillyTavern the order alone decides");
    desk.settings.constants_first = true;
    assert_eq!(desk.fired(), ["always", "called"]);
    assert!(matches!(desk.why("also called"), LoreWhy::Budget { limit: 50, .. }));
}

#[test]
fn y15_after_one_that_was_shortened_what_fits_whole_still_comes() {
    let long = format!("The gate is old. It was built long ago.\n\n{}", words(400));
    let mut desk = Desk::new(
        json!([
            {"comment": "long", "constant": true, "order": 3, "content": long},
            {"comment": "huge", "constant": true, "order": 2, "content": words(400)},
            {"comment": "brief", "constant": true, "order": 1, "content": "The well is dry."},
        ]),
        &[],
    );
    desk.budget = 30;
    desk.settings.fallback = Fallback::Levels;
    let scan = desk.scan();
    assert_eq!(names(&scan), ["brief", "long"]);
    assert_eq!((scan.fired[0].content.as_str(), scan.fired[0].level), ("The well is dry.", LoreLevel::Full));
    assert!(matches!(why(&scan, "huge"), LoreWhy::Budget { .. }));
}

#[test]
fn y15_what_does_not_fit_whole_comes_shorter_but_never_cut() {
    let text = format!("The gate is old. It was built long ago.\n\n{}", words(400));
    let mut desk = Desk::new(
        json!([
            {"comment": "first", "constant": true, "order": 3, "content": text},
            {"comment": "second", "constant": true, "order": 2, "content": text.replace("gate", "tower")},
            {"comment": "third", "constant": true, "order": 1, "content": words(400)},
        ]),
        &[],
    );
    desk.budget = 20;
    desk.settings.fallback = Fallback::Levels;
    let scan = desk.scan();
    let told: Vec<(&str, LoreLevel)> =
        scan.fired.iter().map(|entry| (entry.content.as_str(), entry.level)).collect();
    assert_eq!(
        told,
        [
            ("The tower is old.", LoreLevel::Line),
            ("The gate is old. It was built long ago.", LoreLevel::Paragraph)
        ]
    );
    assert!(scan.budget.overflowed && scan.budget.used < 20);
    assert!(matches!(why(&scan, "third"), LoreWhy::Budget { .. }));
}
