use serde_json::json;

use super::*;

#[test]
fn lore_4_2_4_rules_before_the_keys_are_told() {
    let mut desk = Desk::new(
        json!([
            {"comment": "off", "constant": true, "disable": true},
            {"comment": "quiet only", "constant": true, "triggers": ["quiet"]},
            {"comment": "others", "constant": true, "characterFilter": {"isExclude": false, "names": ["Bob"]}},
            {"comment": "not me", "constant": true, "characterFilter": {"isExclude": true, "names": ["Mika"]}},
            {"comment": "mine", "constant": true, "characterFilter": {"isExclude": false, "names": ["Mika"]}},
            {"comment": "later", "constant": true, "delay": 5},
            {"comment": "keyless"},
        ]),
        &["Alice: hm", "Bob: ah"],
    );
    assert_eq!(desk.fired(), ["mine"]);
    assert_eq!(desk.why("off"), LoreWhy::Disabled);
    assert_eq!(desk.why("quiet only"), LoreWhy::OtherTrigger { trigger: "normal".to_owned() });
    assert_eq!(desk.why("others"), LoreWhy::OtherCharacter);
    assert_eq!(desk.why("not me"), LoreWhy::OtherCharacter);
    assert_eq!(desk.why("later"), LoreWhy::Delay { left: 3 });
    assert_eq!(desk.why("keyless"), LoreWhy::NoKeys);
    desk.trigger = "quiet";
    assert_eq!(desk.fired(), ["mine", "quiet only"]);
}

#[test]
fn lore_4_2_8_entries_call_entries_and_the_trace_names_the_caller() {
    let desk = Desk::new(
        json!([
            {"comment": "gate", "key": ["gate"], "content": "Built by the Glass King."},
            {"comment": "king", "key": ["glass king"], "content": "He had a crown."},
            {"comment": "crown", "key": ["crown"]},
        ]),
        &["Alice: the gate"],
    );
    assert_eq!(desk.fired(), ["crown", "king", "gate"]);
    assert_eq!(desk.why("king"), by_entry("glass king", "gate"));
    assert_eq!(desk.why("crown"), by_entry("crown", "king"));
    assert_eq!(desk.scan().passes, 4);
}

#[test]
fn lore_4_2_8_prevent_and_exclude_keep_out_of_it() {
    let desk = Desk::new(
        json!([
            {"comment": "silent", "key": ["gate"], "content": "the moon", "preventRecursion": true},
            {"comment": "calling", "key": ["gate"], "content": "the sun"},
            {"comment": "moon", "key": ["moon"]},
            {"comment": "sun", "key": ["sun"], "excludeRecursion": true},
        ]),
        &["Alice: the gate"],
    );
    assert_eq!(desk.fired(), ["calling", "silent"]);
    assert_eq!(desk.why("moon"), LoreWhy::NoKeyFound);
    assert_eq!(desk.why("sun"), LoreWhy::NotByEntries { key: "sun".to_owned() });
}

#[test]
fn lore_4_2_8_switches_and_steps_bound_it() {
    let entries = json!([
        {"comment": "a", "key": ["gate"], "content": "bee"},
        {"comment": "b", "key": ["bee"], "content": "sea"},
        {"comment": "c", "key": ["sea"]},
    ]);
    let mut desk = Desk::new(entries, &["Alice: gate"]);
    for (steps, fired) in [(1, 1), (2, 2), (0, 3)] {
        desk.settings.max_recursion_steps = steps;
        assert_eq!(desk.fired().len(), fired, "{steps} steps");
    }
    desk.settings.recursive = false;
    assert_eq!(desk.fired(), ["a"]);
    desk.books[0].book.recursive_scanning = Some(true);
    assert_eq!(desk.fired().len(), 3, "the book's own rule comes first");
}

#[test]
fn lore_4_2_8_delayed_entries_wait_for_their_level() {
    let desk = Desk::new(
        json!([
            {"comment": "base", "key": ["gate"], "content": "x"},
            {"comment": "first", "constant": true, "delayUntilRecursion": 1, "content": "y"},
            {"comment": "second", "constant": true, "delayUntilRecursion": 2, "content": "z"},
        ]),
        &["Alice: gate"],
    );
    let scan = desk.scan();
    let activated: Vec<&str> = scan.activated.iter().map(|at| scan.fired[*at].name.as_str()).collect();
    assert_eq!(activated, ["base", "first", "second"]);
    let alone = Desk::new(json!([{"comment": "first", "constant": true, "delayUntilRecursion": true}]), &[]);
    assert_eq!(alone.why("first"), LoreWhy::WaitsForRecursion { level: 1 });
}

#[test]
fn lore_4_2_8_min_activations_reads_further_back() {
    let mut desk = Desk::new(
        json!([{"comment": "old", "key": ["gate"]}, {"comment": "older", "key": ["moon"]}]),
        &["Alice: the moon", "Alice: the gate", "Bob: b", "Bob: c"],
    );
    assert!(desk.fired().is_empty());
    desk.settings.min_activations = 1;
    assert_eq!(desk.fired(), ["old"]);
    desk.settings.min_activations = 2;
    assert_eq!(desk.fired(), ["older", "old"]);
    desk.settings.max_recursion_steps = 5;
    assert!(desk.fired().is_empty(), "a limit of steps switches it off");
}

#[test]
fn lore_4_2_8_reading_further_back_leaves_out_what_entries_say() {
    let mut desk = Desk::new(
        json!([
            {"comment": "base", "constant": true, "content": "the moon", "preventRecursion": false},
            {"comment": "moon", "key": ["moon"], "excludeRecursion": true},
        ]),
        &["Alice: a", "Alice: b", "Alice: c"],
    );
    desk.settings.min_activations = 2;
    assert_eq!(desk.fired(), ["base"]);
}

#[test]
fn lore_4_2_9_depth_roles_and_positions_come_along() {
    let desk = Desk::new(
        json!([{"comment": "d", "constant": true, "position": 4, "depth": 3, "role": 1, "content": "Hello {{user}}"}]),
        &[],
    );
    let fired = &desk.scan().fired[0];
    assert_eq!((fired.position.as_str(), fired.depth, fired.role.as_str()), ("at_depth", 3, "user"));
    assert_eq!(fired.content, "Hello Alice");
}

#[test]
fn lore_4_2_9_what_has_no_text_left_is_not_inserted() {
    let desk = Desk::new(
        json!([
            {"comment": "blank", "constant": true, "content": " "},
            {"comment": "only lines", "constant": true, "content": "@@depth 2"},
            {"comment": "no outlet", "constant": true, "position": 7},
        ]),
        &[],
    );
    assert!(desk.fired().is_empty());
    assert_eq!(desk.why("blank"), LoreWhy::Empty);
    assert_eq!(desk.why("only lines"), LoreWhy::Empty);
    assert_eq!(desk.why("no outlet"), LoreWhy::NoOutlet { outlet: String::new() });
}

#[test]
fn hidden_keys_call_entries_and_stand_in_no_prompt() {
    let desk = Desk::new(
        json!([
            {"comment": "base", "constant": true, "content": "Words.{{hidden_key:moon}}"},
            {"comment": "moon", "key": ["moon"]},
        ]),
        &[],
    );
    assert_eq!(desk.why("moon"), by_entry("moon", "base"));
}

#[test]
fn what_is_constant_and_the_same_every_time_is_told_apart() {
    let desk = Desk::new(
        json!([
            {"comment": "always", "constant": true},
            {"comment": "clock", "constant": true, "content": "It is {{time}}."},
            {"comment": "maybe", "constant": true, "probability": 99.99},
            {"comment": "called", "key": ["alice"]},
        ]),
        &["Alice: hm"],
    );
    let scan = desk.scan();
    let constant: Vec<&str> =
        scan.fired.iter().filter(|entry| entry.is_steady).map(|entry| entry.name.as_str()).collect();
    assert_eq!(constant, ["always"]);
}
