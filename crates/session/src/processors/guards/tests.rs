use proptest::prelude::*;

use super::*;

const BEFORE: &str =
    "*He nods.* Ask <@12> at 20:15, see https://a.example/x, and `run it` :wave: for 3 coins of mine.";

fn refused(before: &str, after: &str) -> Option<String> {
    let passing = Passing { keeps_dialogue: true, own_names: &["Mika"], other_names: &["Alice"] };
    refusal_of_guards(before, after, passing)
}

#[test]
fn a_text_that_keeps_what_it_must_is_taken() {
    let after =
        "*A nod.* Ask <@12> at 20:15, see https://a.example/x, and `run it` :wave: for 3 coins of mine.";
    assert_eq!(refused(BEFORE, after), None);
    assert_eq!(refused(BEFORE, BEFORE), None);
}

#[test]
fn every_guard_names_what_it_found() {
    let but = |from: &str, to: &str| refused(BEFORE, &BEFORE.replace(from, to)).unwrap();
    assert_eq!(refused(BEFORE, " \n").unwrap(), "it is empty");
    assert_eq!(but("<@12>", "him"), "\"<@12>\" is gone");
    assert_eq!(but("<@12>", "<@13>"), "\"<@12>\" is gone");
    assert_eq!(but("20:15", "8:15"), "\"20:15\" is gone");
    assert_eq!(but("3 coins", "three coins"), "\"3\" is gone");
    assert_eq!(but("https://a.example/x", "https://a.example/y"), "\"https://a.example/x\" is gone");
    assert_eq!(but("`run it`", "run it"), "\"`run it`\" is gone");
    assert_eq!(but(":wave:", ""), "\":wave:\" is gone");
    assert_eq!(but("of mine", "@everyone"), "\"@everyone\" came from nowhere");
    assert_eq!(but("of mine", "of yours"), "what is spoken was changed");
    assert_eq!(but("*He nods.*", "Here is the text: *He nods.*"), "it talks about itself: \"here is\"");
    assert_eq!(but("of mine.", "of mine.\n\n**Note:** I made it shorter"), "it talks about itself: \"note\"");
    assert_eq!(but("of mine", "<thoughts>hm</thoughts>"), "it holds a tag of the request");
    assert_eq!(but("of mine", "</text_to_transform>"), "it holds a tag of the request");
    assert_eq!(but("of mine", "⟦fc: x"), "it holds a marker of the prompt");
    assert_eq!(
        refused("He waits for a while.", "He waits.\nAlice: me too").unwrap(),
        "it speaks for somebody"
    );
    assert_eq!(refused("He waits for a long while.", "He waits.").unwrap(), "it is 0.38 times as long");
    assert!(
        refused("He waits.", "He waits, and waits, and waits for nothing.")
            .unwrap()
            .contains("times as long")
    );
    assert_eq!(refused("He says \"Go.\"", "He says \"Run.\"").unwrap(), "what is spoken was changed");
}

#[test]
fn what_was_there_before_is_no_fault_of_the_pass() {
    assert_eq!(refused("Here is the ferry, at last.", "Here is the ferry, finally."), None);
    assert_eq!(refused("The deep.\n\nNote: mind the rope", "The deep sea.\n\nNote: mind the rope"), None);
}

/// Something a text may not lose.
fn treasure() -> impl Strategy<Value = String> {
    prop_oneof![
        "<@!?[0-9]{2,6}>",
        "<#[0-9]{2,6}>",
        "<a?:[a-z]{2,5}:[0-9]{2,6}>",
        ":[a-z]{2,6}:",
        "https://[a-z]{2,6}\\.example/[a-z0-9]{0,5}",
        "`[a-z ]{1,6}`",
        "```\n[a-z \n]{1,12}```",
        "[0-9]{1,4}(\\.[0-9]{1,2})?",
        "@everyone",
    ]
}

fn prose() -> impl Strategy<Value = String> {
    "[a-zA-Zé ]{4,20}"
}

proptest! {
    #[test]
    fn nothing_precious_is_ever_lost_added_or_changed(
        parts in prop::collection::vec((prose(), treasure()), 1..5), lost in any::<prop::sample::Index>(),
        other in treasure()
    ) {
        let text = |parts: &[(String, String)]| parts.iter().map(|(a, b)| format!("{a} {b} ")).collect::<String>();
        let before = text(&parts);
        prop_assert_eq!(refused(&before, &before), None, "{}", before);
        let at = lost.index(parts.len());
        let mut without = parts.clone();
        without[at].1 = "word".to_owned();
        prop_assert!(refused(&before, &text(&without)).is_some(), "{}", text(&without));
        let mut changed = parts.clone();
        changed[at].1.clone_from(&other);
        prop_assert_eq!(refused(&before, &text(&changed)).is_none(), other == parts[at].1, "{}", text(&changed));
    }

    #[test]
    fn any_two_texts_are_survived(before in "\\PC{0,60}", after in "\\PC{0,60}") {
        if refused(&before, &after).is_none() {
            prop_assert_eq!(precious(&before), precious(&after));
        }
    }
}

fn found(text: &str) -> Vec<String> {
    precious(text).into_keys().collect()
}

#[test]
fn what_may_not_change_is_found() {
    assert_eq!(
        found(
            "Ask <@12> in <#3> at 20:15, see https://a.example/x?y=1. :wave: <a:dance:9> `let x = 5;` @here"
        ),
        [
            "20:15",
            ":wave:",
            "<#3>",
            "<@12>",
            "<a:dance:9>",
            "@here",
            "`let x = 5;`",
            "https://a.example/x?y=1"
        ]
    );
    assert_eq!(
        found("```rust\nlet a = 1;\n```\n1,234.50 or 3/4, ½."),
        ["1,234.50", "3/4", "```rust\nlet a = 1;\n```", "½"]
    );
    assert_eq!(found("a < b, <3 and it's: fine :) (see http://x.example)"), ["3", "http://x.example"]);
    assert_eq!(precious("1 and 1")["1"], 2);
}

#[test]
fn what_is_spoken_is_found_in_any_marks() {
    assert_eq!(dialogue("He nods. \"Go  on,\" he says. “Now.”"), ["Go on,", "Now."]);
    assert_eq!(dialogue("*nods* Go on. *sits* Now."), ["Go on.", "Now."]);
    assert_eq!(dialogue("Just a line."), Vec::<String>::new());
    assert_eq!(dialogue("a **bold** word"), Vec::<String>::new());
}

#[test]
fn a_text_that_talks_about_itself_is_known_in_every_language() {
    for (opening, ending, own) in [
        ("Here is the text:", "Note: I kept the tone.", "The ferry is late again."),
        ("Hier ist der überarbeitete Text:", "Anmerkung: gekürzt.", "Die Fähre kommt heute später."),
        ("Voici le texte :", "Remarque : plus court.", "Le bac est en retard."),
        ("Aquí tienes el texto:", "Nota: más corto.", "El barco llega tarde."),
        ("Aqui está o texto:", "Observação: mais curto.", "O barco está atrasado."),
        ("Ecco il testo:", "Nota: più breve.", "Il traghetto è in ritardo."),
        ("Hier is de tekst:", "Opmerking: korter.", "De boot is laat."),
        ("Oto tekst:", "Uwaga: krócej.", "Prom się spóźnia."),
        ("Вот исправленный текст:", "Примечание: короче.", "Паром опаздывает."),
        ("İşte düzeltilmiş metin:", "Not: daha kısa.", "Feribot geç kaldı."),
        ("以下は修正した文章です。", "注：短くしました。", "船が遅れている。"),
        ("以下是修改后的文字：", "注：更短了。", "渡轮晚点了。"),
        ("다음은 수정된 글입니다:", "참고: 더 짧게.", "배가 늦는다."),
    ] {
        assert!(opens(opening).is_some(), "{opening}");
        assert!(closing_phrase(&format!("{own}\n\n{ending}")).is_some(), "{ending}");
        assert_eq!((opens(own), closing_phrase(own)), (None, None), "{own}");
    }
    for agreed in ["Sure! The ferry", "Gerne, die Fähre", "好的，渡轮", "Конечно! Паром"] {
        assert!(
            opens(agreed).is_some() && opens(&agreed.replace(['!', ',', '，'], "")).is_none(),
            "{agreed}"
        );
    }
}
