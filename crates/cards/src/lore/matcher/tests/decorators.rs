use serde_json::{Value, json};

use super::*;

fn one(content: &str, chat: &[&str]) -> Desk {
    Desk::new(json!([{"comment": "e", "key": ["gate"], "content": content}]), chat)
}

#[test]
fn v3_activate_and_dont_activate() {
    assert_eq!(one("@@activate\nx", &["Alice: hm"]).why("e"), LoreWhy::Forced);
    let off = one("@@dont_activate\nx", &["Alice: gate"]);
    assert_eq!(off.why("e"), LoreWhy::HeldBack { by: "dont_activate".to_owned() });
    assert_eq!(one("@@dont_activate\n@@activate\nx", &["Alice: hm"]).fired(), ["e"], "activate wins");
}

#[test]
fn v3_places() {
    let placed = |content: &str| {
        let fired = one(content, &["Alice: a", "Bob: b", "Alice: gate"]).scan().fired.remove(0);
        (fired.position.as_str(), fired.depth, fired.role.as_str(), fired.content)
    };
    assert_eq!(placed("@@depth 7\n@@role user\nx"), ("at_depth", 7, "user", "x".to_owned()));
    assert_eq!(placed("@@end\nx"), ("at_depth", 0, "system", "x".to_owned()));
    assert_eq!(placed("@@reverse_depth 1\nx"), ("at_depth", 2, "system", "x".to_owned()));
    assert_eq!(placed("@@depth 7\n@@position after_desc\nx").0, "after");
    assert_eq!(placed("@@position before_desc\nx").0, "before");
}

#[test]
fn v3_keys() {
    let fires = |content: &str, text: &str| !one(content, &[text]).fired().is_empty();
    assert!(!fires("@@additional_keys north, south\nx", "Alice: gate"));
    assert!(fires("@@additional_keys north, south\nx", "Alice: south gate"));
    assert!(!fires("@@additional_keys north\n@@additional_keys old\nx", "Alice: north gate"));
    assert!(!fires("@@exclude_keys closed\nx", "Alice: closed gate"));
    assert!(fires("@@exclude_keys_all closed, shut\nx", "Alice: closed gate"));
    assert!(!fires("@@match_full_word\nx", "Alice: gateway"));
    assert!(fires("@@match_partial_word\nx", "Alice: gateway"));
}

#[test]
fn v3_depth_of_reading() {
    let chat = ["Alice: gate", "Bob: b", "Alice: c"];
    assert!(one("x", &chat).fired().is_empty());
    assert_eq!(one("@@scan_depth 3\nx", &chat).fired(), ["e"]);
}

#[test]
fn v3_counting_replies() {
    let mut desk = one("@@activate_only_after 2\nx", &["Alice: gate"]);
    assert_eq!(desk.why("e"), LoreWhy::HeldBack { by: "activate_only_after".to_owned() });
    desk.replies = 2;
    assert_eq!(desk.fired(), ["e"]);
    let mut desk = one("@@activate_only_every 3\nx", &["Alice: gate"]);
    let fired: Vec<bool> = (0..7)
        .map(|replies| {
            desk.replies = replies;
            !desk.fired().is_empty()
        })
        .collect();
    assert_eq!(fired, [true, false, false, true, false, false, true]);
}

#[test]
fn v3_ignore_on_max_context_goes_first() {
    let entry = |name: &str, order: u32, content: String| -> Value {
        json!({"comment": name, "constant": true, "order": order, "content": content})
    };
    let large = "x".repeat(80);
    let mut desk = Desk::new(
        json!([
            entry("yields", 9, format!("@@ignore_on_max_context\n{large}")),
            entry("stays", 1, large.clone())
        ]),
        &[],
    );
    desk.budget = 30;
    assert_eq!(desk.fired(), ["stays"]);
}

#[test]
fn what_is_not_acted_on_is_taken_out_all_the_same() {
    let desk = one("@@is_user_icon a\n@@instruct_depth 2\nwords", &["Alice: gate"]);
    assert_eq!(desk.scan().fired[0].content, "words");
}
