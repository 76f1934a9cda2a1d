use serde_json::json;

use super::*;
use crate::lore::WordBoundary;

#[test]
fn lore_4_2_1_settings_are_sillytaverns_as_shipped() {
    let settings = LoreSettings::default();
    assert_eq!((settings.depth, settings.recursive, settings.whole_words), (2, true, true));
    assert_eq!(
        (settings.case_sensitive, settings.max_recursion_steps, settings.min_activations),
        (false, 0, 0)
    );
}

#[test]
fn lore_4_2_2_higher_order_is_looked_at_first_and_equals_go_by_number() {
    let desk = Desk::new(
        json!([
            {"comment": "low", "constant": true, "order": 10},
            {"comment": "high", "constant": true, "order": 200},
            {"comment": "middle b", "constant": true, "order": 100, "uid": 9},
            {"comment": "middle a", "constant": true, "order": 100, "uid": 3},
        ]),
        &[],
    );
    let scan = desk.scan();
    let activated: Vec<&str> = scan.activated.iter().map(|at| scan.fired[*at].name.as_str()).collect();
    assert_eq!(activated, ["high", "middle a", "middle b", "low"]);
    // Lower order stands earlier; equals are turned round, as SillyTavern's joining does it.
    assert_eq!(names(&scan), ["low", "middle b", "middle a", "high"]);
}

#[test]
fn lore_4_2_2_the_characters_book_comes_first_and_a_book_counts_once() {
    let mut desk = Desk::new(json!([{"comment": "own", "constant": true, "order": 1}]), &[]);
    let mut other = shelved("other", json!([{"comment": "foreign", "constant": true, "order": 900}]));
    other.is_characters = false;
    desk.books = vec![other.clone(), desk.books[0].clone(), other];
    let scan = desk.scan();
    let activated: Vec<&str> = scan.activated.iter().map(|at| scan.fired[*at].name.as_str()).collect();
    assert_eq!(activated, ["own", "foreign"]);
}

#[test]
fn lore_4_2_3_only_the_newest_messages_are_read() {
    let entries = json!([{"comment": "gate", "key": ["gate"]}]);
    assert_eq!(Desk::new(entries.clone(), &["Alice: the gate", "Bob: b"]).fired(), ["gate"]);
    let far = Desk::new(entries, &["Alice: the gate", "Bob: b", "Alice: c"]);
    assert!(far.fired().is_empty());
    assert_eq!(far.why("gate"), LoreWhy::NoKeyFound);
}

#[test]
fn lore_4_2_3_names_are_read_too_and_the_trace_says_where() {
    let desk = Desk::new(json!([{"comment": "her", "key": ["alice"]}]), &["Alice: hm", "Bob: ah"]);
    assert_eq!(desk.why("her"), by_message("alice", 2, "Alice"));
}

#[test]
fn lore_4_2_3_an_entrys_own_depth_comes_before_the_books_before_the_general_one() {
    let mut desk = Desk::new(
        json!([{"comment": "own", "key": ["gate"], "scanDepth": 3}, {"comment": "general", "key": ["gate"]}]),
        &["Alice: the gate", "Bob: b", "Alice: c"],
    );
    assert_eq!(desk.fired(), ["own"]);
    desk.books[0].book.scan_depth = Some(4);
    assert_eq!(desk.fired(), ["general", "own"]);
}

#[test]
fn lore_4_2_3_depth_0_reads_nothing_not_even_entries() {
    let desk = Desk::new(
        json!([
            {"comment": "base", "constant": true, "content": "the gate"},
            {"comment": "blind", "key": ["gate"], "scanDepth": 0},
            {"comment": "seeing", "key": ["gate"]},
        ]),
        &["Alice: the gate"],
    );
    assert_eq!(desk.why("blind"), LoreWhy::NoKeyFound);
    assert!(desk.fired().contains(&"seeing".to_owned()));
}

#[test]
fn lore_4_2_3_fields_of_the_card_are_read_where_asked_for() {
    let mut desk = Desk::new(
        json!([
            {"comment": "asks", "key": ["ferry"], "matchCharacterDescription": true},
            {"comment": "does not", "key": ["ferry"]},
        ]),
        &["Alice: hm"],
    );
    desk.description = "She keeps the ferry.";
    let at = KeySource::Card { field: "description".to_owned() };
    assert_eq!(desk.why("asks"), LoreWhy::Key { key: "ferry".to_owned(), filter: None, at });
    assert_eq!(desk.why("does not"), LoreWhy::NoKeyFound);
}

#[test]
fn lore_4_2_5_macros_in_keys_are_filled_in() {
    let desk = Desk::new(json!([{"comment": "me", "key": ["{{char}}"]}]), &["Alice: dear Mika!"]);
    assert_eq!(desk.fired(), ["me"]);
}

#[test]
fn lore_4_2_5_chat_text_is_never_filled_in() {
    let desk = Desk::new(json!([{"comment": "me", "key": ["mika"]}]), &["Alice: dear {{char}}!"]);
    assert!(desk.fired().is_empty());
}

#[test]
fn lore_4_2_5_whole_words_and_case_can_be_set_for_one_entry() {
    let desk = Desk::new(
        json!([
            {"comment": "word", "key": ["gate"]},
            {"comment": "part", "key": ["gate"], "matchWholeWords": false},
            {"comment": "exact", "key": ["Gate"], "caseSensitive": true, "matchWholeWords": false},
        ]),
        &["Alice: the gateway"],
    );
    assert_eq!(desk.fired(), ["part"]);
}

#[test]
fn lore_4_2_5_the_unicode_rule_can_be_chosen() {
    let mut desk = Desk::new(json!([{"comment": "cat", "key": ["кот"]}]), &["Alice: котик"]);
    assert_eq!(desk.fired(), ["cat"]);
    desk.settings.boundary = WordBoundary::Unicode;
    assert!(desk.fired().is_empty());
}

#[test]
fn lore_4_2_5_patterns_go_over_the_whole_text_and_ignore_the_other_rules() {
    let desk = Desk::new(
        json!([
            {"comment": "boundary", "key": ["/\\bgat/"]},
            {"comment": "case", "key": ["/GATE/"]},
            {"comment": "flag", "key": ["/GATE/i"]},
            {"comment": "across", "key": ["/gate[\\s\\S]*Bob/"]},
            {"comment": "start", "key": ["/^Alice/"]},
        ]),
        &["Bob: yes", "Alice: the gates"],
    );
    // Every message stands behind U+0001, the first one too, as in SillyTavern.
    assert_eq!(desk.fired(), ["across", "flag", "boundary"]);
    assert_eq!(desk.why("boundary"), by_message("/\\bgat/", 1, "Alice"));
}

#[test]
fn lore_4_2_5_a_broken_pattern_is_plain_text_and_reported() {
    let desk = Desk::new(json!([{"comment": "odd", "key": ["/(/"]}]), &["Alice: what is /(/ ?"]);
    let mut desk = desk;
    desk.settings.whole_words = false;
    let scan = desk.scan();
    assert_eq!(names(&scan), ["odd"]);
    assert!(scan.notes[0].contains("no usable regular expression"), "{:?}", scan.notes);
}

#[test]
fn lore_4_2_5_filter_keys_count_beside_patterns_too() {
    let entries =
        json!([{"comment": "r", "key": ["/g.te/"], "keysecondary": ["/n..th/"], "selective": true}]);
    assert!(Desk::new(entries.clone(), &["Alice: the gate"]).fired().is_empty());
    assert_eq!(Desk::new(entries, &["Alice: the north gate"]).fired(), ["r"]);
}

#[test]
fn lore_4_2_5_a_key_that_could_search_for_ever_is_off_and_said() {
    let entries = json!([{"comment": "bomb", "key": ["/(?:(?=[^]*q).)*z/", "gate"]}]);
    let scan = Desk::new(entries, &["Alice: the gate q z"]).scan();
    assert_eq!(names(&scan), ["bomb"], "its other key still counts");
    assert!(scan.notes[0].contains("switched off"), "{:?}", scan.notes);
}

#[test]
fn lore_4_2_5_a_key_that_took_too_long_is_named_and_stays_off() {
    let entries = json!([{"comment": "slow", "key": ["/(a+)+\\1$/"]}]);
    let line = format!("Alice: {}b", "a".repeat(2000));
    let desk = Desk::new(entries, &[&line]);
    let scan = desk.scan();
    assert!(scan.fired.is_empty());
    assert!(scan.notes[0].contains(r#""/(a+)+\1$/" took too long"#), "{:?}", scan.notes);
}

#[test]
fn lore_4_2_5_a_key_with_macros_that_took_too_long_stays_off_too() {
    let entries = json!([{"comment": "slow", "key": ["/{{char}}|(a+)+\\1$/"]}]);
    let long = format!("Alice: {}b", "a".repeat(2000));
    let (long, short) = (Desk::new(entries.clone(), &[&long]), Desk::new(entries, &["Alice: aa"]));
    assert_eq!(names(&short.scan()), ["slow"]);
    let library = LoreLibrary::new(&long.books);
    assert!(long.scan_in(&library).notes[0].contains("took too long"));
    assert!(
        short.scan_in(&library).fired.is_empty(),
        "it is not tried again, not even where it would be found"
    );
}

#[test]
fn lore_4_2_5_filter_keys_follow_all_four_rules() {
    let entry = |name: &str, logic: u32| {
        json!({"comment": name, "key": ["gate"], "keysecondary": ["north", "old"], "selective": true,
               "selectiveLogic": logic})
    };
    let fired = |text: &str| {
        let entries = json!([entry("any", 0), entry("not all", 1), entry("not any", 2), entry("all", 3)]);
        let mut names = Desk::new(entries, &[text]).fired();
        names.sort();
        names
    };
    assert_eq!(fired("Alice: gate"), ["not all", "not any"]);
    assert_eq!(fired("Alice: north gate"), ["any", "not all"]);
    assert_eq!(fired("Alice: old north gate"), ["all", "any"]);
    assert!(fired("Alice: old north").is_empty());
}

#[test]
fn lore_4_2_5_filter_keys_do_not_count_where_the_entry_is_not_selective() {
    let entries = json!([{"comment": "g", "key": ["gate"], "keysecondary": ["never"], "selective": false}]);
    assert_eq!(Desk::new(entries, &["Alice: gate"]).fired(), ["g"]);
}

#[test]
fn lore_4_2_5_a_filter_that_says_no_is_told() {
    let entries = json!([{"comment": "g", "key": ["gate"], "keysecondary": ["north"], "selective": true}]);
    let why = Desk::new(entries, &["Alice: gate"]).why("g");
    assert_eq!(why, LoreWhy::FilterKeys { key: "gate".to_owned(), logic: "and_any".to_owned() });
    assert_eq!(
        why.to_string(),
        "the key \"gate\" is there, but its filter keys say no (one of them has to be there)"
    );
}
