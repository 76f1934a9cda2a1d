//! `familiar recall --stdio` through the binary: lines in, lines out.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::binary::Machine;
use crate::support::tiny_model;

const MAY: &str = "2026-05-04T12:00:00";

fn says(conversation: &str, id: &str, speaker: &str, text: &str) -> String {
    let line = json!({
        "op": "ingest", "id": id, "conv": conversation, "session": 1, "ts": MAY, "speaker": speaker, "text": text,
    });
    line.to_string()
}

fn asks(conversation: &str, id: &str, question: &str) -> String {
    let line = json!({
        "op": "query", "qid": id, "conv": conversation, "query": question, "asked_at": "2026-06-01T12:00:00",
        "k": 10, "budgets": [20, 500],
    });
    line.to_string()
}

/// Everything the program answers to these lines, in its order.
async fn answers(lines: &[String]) -> Vec<Value> {
    let machine = Machine::new();
    let mut door = machine.start(&["recall", "--stdio"], &[]);
    for line in lines {
        door.types(line).await;
    }
    door.types(&asks("none", "the end", "the end?")).await;
    door.shows("\"the end\"").await;
    door.leaves().await;
    let mut answers: Vec<Value> =
        door.screen().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let end = answers.pop().unwrap();
    assert_eq!(end["ranked"], json!([]), "nothing was ever said there");
    answers
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect()
}

#[tokio::test]
async fn a13_what_was_told_is_found_by_its_words_and_packed_within_budgets() {
    let answers = answers(&[
        says("quay", "q1", "Ana", "The ferry to Ruk leaves at seven."),
        says("quay", "q2", "Ben", "We repainted the wheelhouse green."),
        says("quay", "q3", "Ana", "Lemon in tea is a crime."),
        json!({"op": "ready"}).to_string(),
        asks("quay", "one", "Who repainted the wheelhouse?"),
        says("quay", "q4", "Ben", "The baker has rye bread again."),
        asks("quay", "two", "Where is there rye bread?"),
    ])
    .await;
    assert_eq!(answers[0], json!({"ok": true}), "being told is not answered");
    assert_eq!(answers[1]["qid"], "one");
    assert_eq!(names(&answers[1]["ranked"])[0], "q2");
    assert_eq!(names(&answers[1]["packs"]["20"]), ["q2"], "there is no room for a second");
    assert!(names(&answers[1]["packs"]["500"]).len() > 1);
    assert_eq!(names(&answers[2]["ranked"])[0], "q4", "what was said a moment ago is found (Y13)");
}

/// A language, who said what in it, and who is asked for by which question.
type World = (&'static str, [(&'static str, &'static str); 4], &'static [(&'static str, &'static str)]);

/// Four people, four days, in one language; whoever is asked for is the first that is found, and somebody always is.
#[tokio::test]
async fn a13_whoever_said_it_and_when_is_found_in_any_language_and_no_question_finds_nothing() {
    const DAYS: [&str; 4] =
        ["2026-03-01T10:00:00", "2026-05-12T10:00:00", "2026-05-31T10:00:00", "2026-06-01T09:00:00"];
    let worlds: [World; 5] = [
        (
            "en",
            [
                ("Ana", "I painted the wheelhouse green"),
                ("Ben", "The soup was too salty"),
                ("Cleo", "We mended the sails"),
                ("Dora", "My hat is gone"),
            ],
            &[
                ("what did Ana say?", "Ana"),
                ("what did we do in the past two weeks?", "Cleo Dora"),
                ("what happened on 12/05/2026?", "Ben"),
                ("anything on 12 May?", "Ben"),
                ("what does Zed think of quarks?", "Ana Ben Cleo Dora"),
                ("why?", "Ana Ben Cleo Dora"),
            ],
        ),
        (
            "de",
            [
                ("Ana", "Ich habe das Steuerhaus grün gestrichen"),
                ("Ben", "Die Suppe war mir zu salzig"),
                ("Cleo", "Wir haben die Segel geflickt"),
                ("Dora", "Mein Hut ist weg"),
            ],
            &[
                ("Was hat Ana gesagt?", "Ana"),
                ("Was haben wir in den letzten zwei Wochen gemacht?", "Cleo Dora"),
                ("Was war am 12.5.2026?", "Ben"),
                ("Und gestern?", "Cleo"),
                ("Warum?", "Ana Ben Cleo Dora"),
            ],
        ),
        (
            "es",
            [
                ("Ana", "Pinté la timonera de verde"),
                ("Ben", "La sopa estaba demasiado salada"),
                ("Cleo", "Arreglamos las velas de la barca"),
                ("Dora", "Perdí el sombrero"),
            ],
            &[
                ("¿qué dijo Ana?", "Ana"),
                ("¿qué pasó el 12 de mayo?", "Ben"),
                ("¿qué pasó el 12/05/2026?", "Ben"),
                ("¿qué hicimos ayer?", "Cleo"),
                ("¿por qué?", "Ana Ben Cleo Dora"),
            ],
        ),
        (
            "ja",
            [
                ("アナ", "操舵室を緑に塗った"),
                ("ベン", "スープが塩辛かった"),
                ("クレオ", "帆を一緒に直した"),
                ("ドーラ", "帽子をなくした"),
            ],
            &[
                ("アナは何て言った？", "アナ"),
                ("ベンさんは何と言いましたか", "ベン"),
                ("5月12日に何があった？", "ベン"),
                ("昨日は何をした？", "クレオ ドーラ"),
                ("なぜ？", "アナ ベン クレオ ドーラ"),
            ],
        ),
        (
            "ko",
            [
                ("민수", "조타실을 초록색으로 칠했어"),
                ("지영", "수프가 너무 짰어"),
                ("하늘", "돛을 같이 고쳤어"),
                ("도라", "모자를 잃어버렸어"),
            ],
            &[
                ("민수가 뭐라고 했어?", "민수"),
                ("5월 12일에 뭐 했어?", "지영"),
                ("어제는 뭐 했어?", "하늘"),
                ("왜?", "민수 지영 하늘 도라"),
            ],
        ),
    ];
    let mut lines = Vec::new();
    for (language, said, _) in worlds {
        for ((speaker, words), day) in said.into_iter().zip(DAYS) {
            lines.push(says(language, &format!("{language} {speaker}"), speaker, words).replace(MAY, day));
        }
    }
    lines.push(json!({"op": "ready"}).to_string());
    let asked =
        || worlds.into_iter().flat_map(|(language, _, all)| all.iter().map(move |one| (language, one)));
    lines.extend(asked().map(|(language, (question, _))| asks(language, question, question)));
    let answers = answers(&lines).await;
    assert_eq!(answers.len(), asked().count() + 1);
    for (answer, (language, (question, meant))) in answers[1..].iter().zip(asked()) {
        let found = names(&answer["ranked"]);
        let first = found.first().unwrap_or(&"nobody").trim_start_matches(language).trim();
        assert!(meant.split(' ').any(|name| name == first), "{question}: {first} before {meant}");
    }
}

#[tokio::test]
async fn a13_conversations_in_one_store_see_nothing_of_each_other() {
    let talks = ["alpha", "beta", "gamma"];
    let mut lines = Vec::new();
    for turn in 0..20 {
        for talk in talks {
            lines.push(says(
                talk,
                &format!("{talk}|{turn}"),
                "Ana",
                &format!("the password of locker {turn}"),
            ));
        }
    }
    lines.push(json!({"op": "ready"}).to_string());
    for talk in talks {
        for turn in 0..20 {
            lines.push(asks(talk, &format!("{talk} {turn}"), &format!("Ana, what about locker {turn}?")));
        }
    }
    let answers = answers(&lines).await;
    assert_eq!(answers.len(), 61);
    for (answer, number) in answers[1..].iter().zip(0..) {
        let scope = format!("{}|", talks[number / 20]);
        let found = names(&answer["ranked"]);
        assert_eq!(found[0], format!("{scope}{}", number % 20));
        let packs = answer["packs"].as_object().unwrap().values();
        for id in packs.flat_map(names).chain(found.iter().copied()) {
            assert!(id.starts_with(&scope), "{answer}");
        }
    }
}

#[tokio::test]
async fn a13_more_room_holds_all_that_less_room_holds_and_no_long_message_eats_it() {
    let long = "the ferry and its timetable, told at length ".repeat(30);
    let mut lines = vec![says("quay", "long", "Ana", &long)];
    lines.extend(
        (0..30).map(|at| says("quay", &format!("s{at}"), "Ben", &format!("the ferry timetable, page {at}"))),
    );
    let question = json!({
        "op": "query", "qid": "one", "conv": "quay", "query": "what of the ferry timetable?", "k": 40,
        "asked_at": "2026-06-01T12:00:00", "budgets": [60, 120, 300, 500, 1000],
    });
    lines.push(question.to_string());
    let answer = answers(&lines).await.remove(0);
    let pack = |budget: &str| -> Vec<String> {
        names(&answer["packs"][budget]).into_iter().map(str::to_owned).collect()
    };
    let packs = ["60", "120", "300", "500", "1000"].map(pack);
    for pair in packs.windows(2) {
        assert!(pair[1].starts_with(&pair[0]) && pair[1].len() > pair[0].len(), "{packs:?}");
    }
    assert!(packs[2].len() >= 5 && !packs[2].contains(&"long".to_owned()), "{packs:?}");
    assert!(packs[4].contains(&"long".to_owned()), "{packs:?}");
}

#[tokio::test]
async fn broken_lines_are_answered_and_the_next_is_taken() {
    let answers = answers(&[
        "{\"op\":\"ingest\"".to_owned(),
        says("quay", "q1", "Ana", "The ferry leaves at seven."),
        json!({"op": "query", "qid": "half", "conv": "quay"}).to_string(),
        "not json at all".to_owned(),
        "\u{0}\u{1}".to_owned(),
        asks("quay", "whole", "When does the ferry leave?"),
    ])
    .await;
    assert_eq!(answers[0]["line"], 1);
    assert!(answers[0]["error"].as_str().is_some_and(|error| !error.is_empty()));
    assert_eq!((&answers[1]["qid"], &answers[1]["line"]), (&json!("half"), &json!(3)));
    assert!(answers[2]["error"].is_string() && answers[3]["error"].is_string());
    assert_eq!(names(&answers[4]["ranked"]), ["q1"]);
}

#[tokio::test]
async fn the_same_lines_are_answered_with_the_same_bytes() {
    let mut lines: Vec<String> = (0..40)
        .map(|turn| {
            says("quay", &turn.to_string(), ["Ana", "Ben"][turn % 2], &format!("rope {} boat", turn % 4))
        })
        .collect();
    lines.push(asks("quay", "one", "which rope belongs to the boat?"));
    assert_eq!(answers(&lines).await, answers(&lines).await);
}

#[tokio::test]
async fn y11_a_models_folder_finds_what_means_the_same() {
    let machine = Machine::new();
    tiny_model::put(&machine.path().join("tiny"));
    let mut door = machine.start(&["recall", "--stdio", "--embeddings", "on", "--model-folder", "tiny"], &[]);
    for line in [
        says("quay", "q1", "Ana", "The barometer hangs in the pantry."),
        says("quay", "q2", "Ben", "We repainted the door green."),
        json!({"op": "ready"}).to_string(),
        asks("quay", "one", "where is the aneroid?"),
    ] {
        door.types(&line).await;
    }
    door.shows("\"one\"").await;
    door.leaves().await;
    let answer: Value = serde_json::from_str(door.screen().lines().last().unwrap()).unwrap();
    assert_eq!(names(&answer["ranked"])[0], "q1");
}

#[tokio::test]
async fn y14_a_cross_encoder_in_a_folder_has_the_last_word() {
    let machine = Machine::new();
    tiny_model::put_judge(&machine.path().join("judge"), "bert", "lantern");
    let mut door = machine.start(&["recall", "--stdio", "--rerank-folder", "judge"], &[]);
    for line in [
        says("quay", "q1", "Ana", "The lantern holds the boat keys."),
        says("quay", "q2", "Ben", "The boat keys are where they always are, the boat keys."),
        json!({"op": "ready"}).to_string(),
        asks("quay", "one", "where are the boat keys?"),
    ] {
        door.types(&line).await;
    }
    door.shows("\"one\"").await;
    door.leaves().await;
    let answer: Value = serde_json::from_str(door.screen().lines().last().unwrap()).unwrap();
    assert_eq!(names(&answer["ranked"]), ["q1", "q2"]);
    tiny_model::put(&machine.path().join("tiny"));
    let refused = machine.run(&["recall", "--stdio", "--rerank-folder", "tiny"]).await;
    assert!(refused.err.contains("it embeds and does not judge"), "{}", refused.err);
}

#[tokio::test]
async fn embeddings_need_a_folder_with_a_model() {
    let machine = Machine::new();
    let refused = machine.run(&["recall", "--stdio", "--embeddings", "on"]).await;
    assert!(!refused.status.success());
    assert!(refused.err.contains("--model-folder"), "{}", refused.err);
    let refused = machine.run(&["recall", "--stdio", "--model-folder", "nowhere"]).await;
    assert!(!refused.status.success());
    assert!(refused.err.contains("config.json"), "{}", refused.err);
    let taken = machine.start(&["recall", "--stdio", "--embeddings", "off"], &[]);
    drop(taken);
}

/// Lines as somebody in a hurry might write them.
fn line() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "ingest",
        "ready",
        "query",
        "conv",
        "7",
        "null",
        "[]",
        "ferry \u{301}\u{65e5}",
    ]);
    let field = prop::sample::select(vec![
        "op", "id", "conv", "ts", "speaker", "text", "qid", "query", "k", "budgets",
    ]);
    prop_oneof![
        3 => prop::collection::btree_map(field, word, 0..8).prop_map(|fields| json!(fields).to_string()),
        1 => "[\\PC]{0,40}".prop_map(|noise| noise.replace(['\n', '\r'], " ")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_lines_bring_the_door_down(lines in prop::collection::vec(line(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            answers(&lines).await;
        });
    }
}
