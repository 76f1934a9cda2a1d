use proptest::prelude::*;

use super::*;

const CHARS: TokenEncoding = TokenEncoding::CharsOver4;

fn said(lines: &[&str]) -> Vec<WordedLine> {
    lines.iter().map(|text| WordedLine { prefix: "Alice: ".to_owned(), text: (*text).to_owned() }).collect()
}

fn known() -> Vec<String> {
    vec!["Alice".to_owned()]
}

#[test]
fn y9_what_a_summary_lost_is_added_by_weight() {
    let lines = said(&[
        "My sister Noor gets married on 14 June in Ghent.",
        "we bring 3 kg of rice and talked about Rotterdam on the way",
        "the weather was nice",
    ]);
    let wanted = particulars_to_keep(&lines, &known());
    let text =
        from_answer("Alice's sister is getting married in Ghent.", &lines, &wanted, 60, CHARS).unwrap();
    assert_eq!(text, "Alice's sister is getting married in Ghent.\nAlso: Noor; 14 June; Rotterdam; 3 kg.");
    let small =
        from_answer("Alice's sister is getting married in Ghent.", &lines, &wanted, 17, CHARS).unwrap();
    assert_eq!(
        small, "Alice's sister is getting married in Ghent.\nAlso: Noor; 3 kg.",
        "what does not fit is passed over"
    );
}

#[test]
fn y9_a_number_without_a_unit_is_not_added() {
    let lines = said(&["my sister Noor has 17 of them and 3 kg of rice", "and 4,200 more"]);
    let wanted = particulars_to_keep(&lines, &known());
    assert!(wanted.iter().any(|one| one.text == "17 of"), "{wanted:?}");
    let text = from_answer("They talked about rice and sisters.", &lines, &wanted, 60, CHARS).unwrap();
    assert_eq!(text, "They talked about rice and sisters.\nAlso: Alice; Noor; 3 kg.");
}

#[test]
fn y9_a_length_of_time_alone_is_no_topic() {
    let lines = said(&[
        "Timer: tea (8 min late: I was away.) my sister Noor comes at 19:30 with 3 kg of rice",
        "der Zahnarzt war 22 h und 18 Stunden zu spät",
    ]);
    let wanted = particulars_to_keep(&lines, &known());
    for length in ["8 min", "22 h", "18 Stunden"] {
        assert!(wanted.iter().any(|one| one.text == length), "{length} in {wanted:?}");
    }
    let line = also(&wanted.iter().collect::<Vec<_>>(), 200, CHARS);
    for length in ["8 min", "22 h", "18 Stunden"] {
        assert!(!line.contains(length), "{length} in {line}");
    }
    assert!(line.contains("Noor") && line.contains("19:30") && line.contains("3 kg"), "{line}");
}

#[test]
fn y9_an_answer_of_no_use_is_told_from_one() {
    let lines = said(&["My sister Noor gets married on 14 June in Ghent."]);
    let wanted = particulars_to_keep(&lines, &known());
    for useless in [
        "",
        "   ",
        "I'm sorry, but I can't help with that request.",
        "{\"error\": {\"code\": 500}}",
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor.",
        "```\n```",
    ] {
        assert_eq!(from_answer(useless, &lines, &wanted, 60, CHARS), None, "{useless:?}");
    }
    let dressed = "```\n**Summary:** \n- Alice's sister Noor gets married on 14 June in Ghent.\n```";
    assert!(from_answer(dressed, &lines, &wanted, 60, CHARS).unwrap().contains("Noor gets married"));
}

#[test]
fn y9_secrets_do_not_get_into_the_notes() {
    assert!(clean_line("my key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD").len() < 60);
}

#[test]
fn y9_excerpts_keep_what_tells_most() {
    let mut lines = said(&["My daughter Ines is allergic to nuts."]);
    for n in 0..200 {
        lines.extend(said(&[["that is nice", "hm, who knows", "it rained again, didn't it?"][n % 3]]));
    }
    let text = excerpts(&lines, &known(), 40, CHARS);
    assert!(text.starts_with("Alice: My daughter Ines is allergic to nuts."), "{text}");
    assert!(tokens::count(CHARS, &text) <= 40, "{text}");
}

#[test]
fn y9_a_sentence_of_an_emphasised_passage_leaves_no_mark_open() {
    let lines =
        said(&["*Noor turns the ledger to page 12 again. Then she waits for Ines.* \"Well?\" she says."]);
    let text = excerpts(&lines, &known(), 60, CHARS);
    assert!(text.contains("Alice: Noor turns the ledger to page 12 again."), "{text}");
    assert!(text.contains("Alice: Then she waits for Ines."), "{text}");
    assert!(!text.contains('*'), "{text}");
}

#[test]
fn y9_remainders_are_taken_apart_again() {
    let lines = lines_of_notes(["Alice went home. Ben stayed.\nAlso: Noor; 14 June."]);
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(texts, ["Alice went home.", "Ben stayed.", "Noor", "14 June"]);
    let wanted: Vec<String> = particulars_to_keep(&lines, &known()).into_iter().map(|one| one.text).collect();
    assert!(
        ["Noor", "14 June", "Alice"].iter().all(|name| wanted.contains(&(*name).to_owned())),
        "{wanted:?}"
    );
}

proptest! {
    #[test]
    fn y9_no_summary_is_larger_than_its_cap_whatever_the_model_says(
        answer in "([A-Z]?[a-z]{1,9}|[0-9]{1,3}|[.,!?\n]| ){0,120}",
        lines in prop::collection::vec("([A-Z]?[a-z]{1,9}|[0-9]{1,3}( kg)?|14 June|[.,!?]| ){1,30}", 1..20),
        cap in 1_u32..200,
    ) {
        let lines: Vec<WordedLine> = lines.into_iter().map(|text| WordedLine { prefix: "Ben: ".to_owned(), text }).collect();
        let names = ["Ben".to_owned()];
        let wanted = particulars_to_keep(&lines, &names);
        if let Some(text) = from_answer(&answer, &lines, &wanted, cap, CHARS) {
            prop_assert!(tokens::count(CHARS, &text) <= cap, "{} > {}: {}", tokens::count(CHARS, &text), cap, text);
        }
        let text = excerpts(&lines, &names, cap, CHARS);
        prop_assert!(tokens::count(CHARS, &text) <= cap, "{} > {}: {}", tokens::count(CHARS, &text), cap, text);
    }

    #[test]
    fn y9_with_room_enough_nothing_is_lost(
        answer in "(Ben|went|home|and|[a-z]{3,6}| ){5,40}",
        lines in prop::collection::vec("([A-Z]?[a-z]{2,9}|[0-9]{1,3}( kg)?|14 June| ){1,30}", 1..10),
    ) {
        let lines: Vec<WordedLine> = lines.into_iter().map(|text| WordedLine { prefix: "Ben: ".to_owned(), text }).collect();
        let wanted = particulars_to_keep(&lines, &["Ben".to_owned()]);
        if let Some(text) = from_answer(&answer, &lines, &wanted, 10_000, CHARS) {
            prop_assert!(lost(&text, &wanted).is_empty(), "{:?} lost in {}", lost(&text, &wanted), text);
        }
    }
}
