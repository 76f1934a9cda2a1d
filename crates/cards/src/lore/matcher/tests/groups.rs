use serde_json::json;

use super::*;
use crate::lore::LoreEffectKind;

#[test]
fn lore_4_2_7_one_of_a_group_comes_in_by_weight() {
    let mut desk = Desk::new(
        json!([
            {"comment": "heavy", "constant": true, "group": "mood", "groupWeight": 300},
            {"comment": "light", "constant": true, "group": "mood", "groupWeight": 100},
        ]),
        &[],
    );
    let mut heavy = 0;
    for turn in 0..400 {
        desk.seed = turn.to_string();
        let scan = desk.scan();
        assert_eq!(scan.fired.len(), 1);
        assert_eq!(scan, desk.scan());
        if names(&scan) == ["heavy"] {
            heavy += 1;
            let winner = Some("heavy".to_owned());
            assert_eq!(why(&scan, "light"), LoreWhy::Group { group: "mood".to_owned(), winner });
        }
    }
    assert!((250..350).contains(&heavy), "{heavy}");
}

#[test]
fn lore_4_2_7_override_takes_the_highest_order() {
    let desk = Desk::new(
        json!([
            {"comment": "plain", "constant": true, "group": "g", "order": 900},
            {"comment": "lower", "constant": true, "group": "g", "groupOverride": true, "order": 5},
            {"comment": "higher", "constant": true, "group": "g", "groupOverride": true, "order": 6},
        ]),
        &[],
    );
    assert_eq!(desk.fired(), ["higher"]);
}

#[test]
fn lore_4_2_7_scoring_keeps_those_with_the_most_keys() {
    let mut desk = Desk::new(
        json!([
            {"comment": "two", "key": ["gate", "north"], "group": "g"},
            {"comment": "one", "key": ["gate"], "group": "g", "groupWeight": 100000},
        ]),
        &["Alice: north gate"],
    );
    desk.settings.group_scoring = true;
    assert_eq!(desk.fired(), ["two"]);
}

#[test]
fn lore_4_2_7_filter_keys_score_only_where_they_ask_for_presence() {
    let entry = |name: &str, logic: u32| {
        json!({"comment": name, "key": ["gate"], "keysecondary": ["north", "old"], "selective": true,
               "selectiveLogic": logic, "group": "g", "useGroupScoring": true})
    };
    let any = Desk::new(json!([entry("any", 0), entry("not all", 1)]), &["Alice: north gate"]);
    assert_eq!(any.fired(), ["any"]);
    let all = Desk::new(json!([entry("all", 3), entry("any", 0)]), &["Alice: old north gate"]);
    assert_eq!(all.scan().fired.len(), 1, "both score three: the draw decides");
}

#[test]
fn lore_4_2_7_a_served_group_is_closed_to_later_passes() {
    let desk = Desk::new(
        json!([
            {"comment": "first", "key": ["gate"], "group": "g", "content": "the moon"},
            {"comment": "second", "key": ["moon"], "group": "g"},
        ]),
        &["Alice: gate"],
    );
    assert_eq!(desk.fired(), ["first"]);
    assert_eq!(desk.why("second"), LoreWhy::Group { group: "g".to_owned(), winner: None });
}

#[test]
fn lore_4_2_7_groups_can_be_listed() {
    let desk = Desk::new(
        json!([
            {"comment": "both", "constant": true, "group": "a, b", "groupOverride": true, "order": 9},
            {"comment": "a", "constant": true, "group": "a"},
            {"comment": "b", "constant": true, "group": "b"},
            {"comment": "free", "constant": true},
        ]),
        &[],
    );
    assert_eq!(desk.fired(), ["both", "free"]);
}

#[test]
fn lore_4_2_7_who_stays_wins_the_group() {
    let mut desk = Desk::new(
        json!([
            {"comment": "sticky", "key": ["gate"], "group": "g", "sticky": 3},
            {"comment": "favourite", "key": ["moon"], "group": "g", "groupOverride": true},
        ]),
        &["Alice: gate"],
    );
    assert_eq!(desk.turn(), ["sticky"]);
    desk.says("Bob: the moon");
    assert_eq!(desk.fired(), ["sticky"]);
    assert_eq!(desk.effects[0].kind, LoreEffectKind::Sticky);
}
