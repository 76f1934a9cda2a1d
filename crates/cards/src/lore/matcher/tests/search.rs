use serde_json::json;

use super::*;

fn harbour() -> serde_json::Value {
    json!([
        {"comment": "The Glass Harbour", "key": ["port vitrine"],
         "content": "Ships moor at the Glass Harbour when the fog is low."},
        {"comment": "Bakery", "key": ["bread"], "content": "The bakery opens at dawn and sells rye bread."},
        {"comment": "Old war", "key": [], "content": "The war of the lamps ended sixty years ago."},
        {"comment": "Tides", "key": ["tide table"], "vectorized": true, "content": "Spring tides flood the lower quay."},
    ])
}

#[test]
fn hybrid_adds_what_no_key_called_up_and_says_how_well_it_fits() {
    let mut desk = Desk::new(harbour(), &["Alice: How did the war of the lamps end?"]);
    assert!(desk.fired().is_empty());
    desk.settings = searching(LoreMode::Hybrid);
    assert_eq!(desk.fired(), ["Old war"]);
    assert!(matches!(desk.why("Old war"), LoreWhy::Retrieved { score } if (0.25..=1.0).contains(&score)));
}

#[test]
fn hybrid_takes_an_entry_with_keys_only_when_it_is_unmistakable() {
    let mut desk = Desk::new(harbour(), &["Alice: Tell me about the Glass Harbour!"]);
    desk.settings = searching(LoreMode::Hybrid);
    assert_eq!(desk.fired(), ["The Glass Harbour"]);
    desk.chat =
        lines(&["Alice: I walked a long way along the harbour yesterday with my sister and two dogs"]);
    assert!(desk.fired().is_empty());
}

#[test]
fn hybrid_prefers_keys_and_takes_each_once() {
    let mut desk = Desk::new(harbour(), &["Alice: bread from the bakery"]);
    desk.settings = searching(LoreMode::Hybrid);
    assert_eq!(desk.fired(), ["Bakery"]);
    assert_eq!(desk.why("Bakery"), by_message("bread", 1, "Alice"));
}

#[test]
fn hybrid_adds_no_more_than_asked_and_keeps_to_the_room() {
    let mut desk = Desk::new(harbour(), &["Alice: The war of the lamps? Do spring tides flood the quay?"]);
    desk.settings = searching(LoreMode::Hybrid);
    assert_eq!(desk.fired().len(), 2);
    desk.settings.search = 1;
    assert_eq!(desk.fired().len(), 1);
    desk.settings.search = 3;
    desk.budget = 5;
    assert!(desk.fired().is_empty());
}

#[test]
fn a_search_does_not_overrule_a_no() {
    let mut desk = Desk::new(
        json!([
            {"comment": "war of the lamps", "key": ["war"], "keysecondary": ["peace"], "selective": true},
            {"comment": "lamps and war", "disable": true, "vectorized": true},
            {"comment": "lamps at war", "vectorized": true, "content": "@@dont_activate\nlamps at war"},
        ]),
        &["Alice: the war of the lamps"],
    );
    desk.settings = searching(LoreMode::Hybrid);
    assert!(desk.fired().is_empty());
}

#[test]
fn retrieval_reads_keys_as_words_and_keeps_what_is_always_on() {
    let mut entries = harbour();
    entries.as_array_mut().unwrap().push(json!({"comment": "always", "constant": true}));
    let mut desk = Desk::new(entries, &["Alice: is there bread at the bakery"]);
    desk.settings = searching(LoreMode::Retrieval);
    assert_eq!(desk.fired(), ["Bakery", "always"]);
    assert!(matches!(desk.why("Bakery"), LoreWhy::Retrieved { .. }));
}

#[test]
fn scripts_without_spaces_are_searched_too() {
    let mut desk = Desk::new(
        json!([
            {"comment": "sect", "key": [], "content": "玄天宗位于北方的雪山之上。"},
            {"comment": "city", "key": [], "content": "海港城市以玻璃闻名。"},
        ]),
        &["Alice: 玄天宗在哪里？"],
    );
    desk.settings = searching(LoreMode::Hybrid);
    assert_eq!(desk.fired(), ["sect"]);
}
