use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::lore::WordBoundary;

/// Words that are often there, patterns that are none, patterns that explode, macros.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("gate".to_owned()),
        Just("moon".to_owned()),
        Just("/(/".to_owned()),
        Just("/(a+)+$/".to_owned()),
        Just(r"/(?<=g)a(\w)\1?/gi".to_owned()),
        Just("{{char}}".to_owned()),
        Just("玄天".to_owned()),
        Just(" ".to_owned()),
        "\\PC{0,12}",
        "/\\PC{0,12}/[gimsuy]{0,2}",
    ]
}

fn entry() -> impl Strategy<Value = Value> {
    let flags = prop::collection::vec(any::<bool>(), 10);
    let numbers = prop::collection::vec(0_u32..6, 8);
    let keys = (prop::collection::vec(key(), 0..3), prop::collection::vec(key(), 0..3));
    let text = prop_oneof![
        Just("the gate and the moon".to_owned()),
        Just("@@depth 2\n@@exclude_keys moon\n@@activate_only_every 2\nA gate. Old.\n\nVery old.".to_owned()),
        Just("{{hidden_key:gate".to_owned()),
        "(@@[a-z_]{1,20} \\PC{0,8}\n){0,3}\\PC{0,80}",
    ];
    (flags, numbers, keys, text, 0_u32..101, "[ab]?(,[ab])?").prop_map(|(f, n, (key, filter), text, chance, group)| {
        json!({
            "key": key, "keysecondary": filter, "selective": f[0], "selectiveLogic": n[0] % 4,
            "constant": f[1] && f[2], "disable": f[2] && f[3], "content": text, "order": n[1],
            "position": n[2], "probability": chance, "excludeRecursion": f[4], "preventRecursion": f[5],
            "delayUntilRecursion": n[3] / 2, "group": group, "groupOverride": f[6], "useGroupScoring": f[7],
            "sticky": n[4], "cooldown": n[5], "delay": n[6] / 3, "ignoreBudget": f[8] && f[9],
            "vectorized": f[9], "scanDepth": if f[3] { json!(n[7]) } else { Value::Null },
        })
    })
}

fn desk() -> impl Strategy<Value = Desk> {
    let settings = (0_u32..5, any::<[bool; 5]>(), 0_u32..4, 0_u32..4, 0_usize..3);
    (
        prop::collection::vec(entry(), 0..12),
        prop::collection::vec("(Alice|Bob): (the gate |moon |玄天宗 |\\PC{0,20}){0,3}", 0..6),
        settings,
        1_u32..200,
        any::<u32>(),
    )
        .prop_map(|(entries, chat, (depth, flags, steps, least, mode), budget, seed)| {
            let chat: Vec<&str> = chat.iter().map(String::as_str).collect();
            let mut desk = Desk::new(Value::Array(entries), &chat);
            desk.settings = LoreSettings {
                mode: [LoreMode::Keywords, LoreMode::Hybrid, LoreMode::Retrieval][mode],
                depth,
                recursive: flags[0],
                max_recursion_steps: steps,
                min_activations: least,
                whole_words: flags[1],
                boundary: if flags[2] { WordBoundary::Unicode } else { WordBoundary::St },
                case_sensitive: flags[3],
                group_scoring: false,
                search: 3,
                fallback: if flags[4] { Fallback::Levels } else { Fallback::None },
                constants_first: flags[4],
            };
            desk.budget = budget;
            desk.seed = seed.to_string();
            desk.replies = u64::from(seed % 7);
            desk
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_scan_ends_repeats_itself_and_answers_for_every_entry(mut desk in desk()) {
        for _ in 0..3 {
            let scan = desk.scan();
            prop_assert_eq!(&scan, &desk.scan());
            let entries = desk.books[0].book.entries.len();
            prop_assert_eq!(scan.fired.len() + scan.not_fired.len(), entries);
            let mut activated = scan.activated.clone();
            activated.sort_unstable();
            prop_assert_eq!(activated, (0..scan.fired.len()).collect::<Vec<_>>());
            for entry in &scan.fired {
                prop_assert!(!entry.content.trim().is_empty());
            }
            for verdict in &scan.not_fired {
                prop_assert!(!verdict.why.to_string().is_empty());
            }
            let orders: Vec<i64> = scan.fired.iter().map(|entry| entry.order).collect();
            prop_assert!(orders.is_sorted());
            desk.effects = scan.effects;
            desk.says("Bob: the gate again");
        }
    }

    #[test]
    fn the_room_is_kept_where_nobody_ignores_it(mut desk in desk()) {
        for entry in &mut desk.books[0].book.entries {
            entry.ignore_budget = false;
            entry.prevent_recursion = false;
        }
        desk.settings.mode = LoreMode::Keywords;
        // SillyTavern forgets the room of passes that no pass follows; with one pass there is nothing to forget.
        desk.settings.max_recursion_steps = 1;
        let scan = desk.scan();
        prop_assert!(scan.budget.used < scan.budget.limit.max(1) || scan.fired.is_empty(), "{:?}", scan.budget);
    }

    #[test]
    fn at_most_one_of_a_group_comes_in_where_nobody_stays(desk in desk()) {
        let scan = desk.scan();
        let groups = |name: &str, uid: u32| {
            let entry = &desk.books[0].book.entries[uid as usize];
            entry.group.split(',').any(|group| group.trim() == name)
        };
        for group in ["a", "b"] {
            let members = scan.fired.iter().filter(|entry| groups(group, entry.uid)).count();
            prop_assert!(members <= 1, "{members} of group {group}");
        }
    }
}
