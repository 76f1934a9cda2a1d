use serde_json::json;

use super::*;
use crate::lore::LoreEffectKind;

fn sticky() -> Desk {
    Desk::new(
        json!([{"comment": "fog", "key": ["fog"], "sticky": 2, "cooldown": 2}]),
        &["Alice: fog", "Bob: hm"],
    )
}

#[test]
fn lore_4_2_10_it_stays_then_rests_then_may_come_again() {
    let mut desk = sticky();
    let mut seen = Vec::new();
    for _ in 0..7 {
        seen.push(desk.turn() == ["fog"]);
        desk.says("Bob: fog again");
    }
    // Called up at length 2, stays to 4, rests from 4 to 6, and the key is there all the time.
    assert_eq!(seen, [true, true, false, false, true, true, false]);
}

#[test]
fn lore_4_2_10_reasons_count_down() {
    let mut desk = sticky();
    desk.turn();
    desk.says("Bob: x");
    assert_eq!(desk.why("fog"), LoreWhy::Sticky { left: 1 });
    desk.turn();
    desk.says("Bob: x");
    assert_eq!(desk.why("fog"), LoreWhy::Cooldown { left: 2 });
}

#[test]
fn lore_4_2_10_a_chat_that_did_not_grow_voids_it() {
    let mut desk = sticky();
    desk.turn();
    desk.chat = lines(&["Alice: nothing", "Bob: hm"]);
    assert!(desk.fired().is_empty(), "a regenerated reply starts from before");
}

#[test]
fn lore_4_2_10_an_edited_entry_loses_it() {
    let mut desk = sticky();
    desk.turn();
    desk.says("Bob: x");
    desk.says("Bob: y");
    desk.chat_length = Some(3);
    assert_eq!(desk.fired(), ["fog"]);
    desk.books[0].book.entries[0].content = "other words".to_owned();
    assert!(desk.fired().is_empty());
}

#[test]
fn lore_4_2_10_effects_of_a_missing_book_wait_until_they_end() {
    let mut desk = sticky();
    desk.turn();
    let books = std::mem::take(&mut desk.books);
    desk.chat_length = Some(3);
    desk.turn();
    assert_eq!(desk.effects.len(), 2);
    desk.chat_length = Some(9);
    desk.turn();
    assert!(desk.effects.is_empty());
    desk.books = books;
}

#[test]
fn lore_4_2_10_who_stays_needs_no_draw() {
    let mut desk = Desk::new(
        json!([{"comment": "fog", "key": ["fog"], "sticky": 50, "probability": 30}]),
        &["Alice: fog"],
    );
    let first = (0..100).find(|turn| {
        desk.seed = turn.to_string();
        desk.turn() == ["fog"]
    });
    assert!(first.is_some());
    for turn in 0..30 {
        desk.seed = format!("later {turn}");
        desk.says("Bob: x");
        assert_eq!(desk.turn(), ["fog"]);
    }
}

#[test]
fn latches_hold_for_good() {
    let mut desk = Desk::new(
        json!([
            {"comment": "on", "key": ["gate"], "content": "@@keep_activate_after_match\nopen"},
            {"comment": "off", "key": ["gate"], "content": "@@dont_activate_after_match\nonce"},
        ]),
        &["Alice: gate"],
    );
    assert_eq!(desk.turn(), ["off", "on"]);
    for _ in 0..5 {
        desk.says("Bob: the gate");
        assert_eq!(desk.turn(), ["on"]);
    }
    assert_eq!(desk.why("on"), LoreWhy::Latched);
    assert_eq!(desk.why("off"), LoreWhy::HeldBack { by: "dont_activate_after_match".to_owned() });
    assert!(desk.effects.iter().all(|effect| effect.end == u64::MAX));
    assert_eq!(desk.effects[0].kind, LoreEffectKind::LatchedOn);
}
