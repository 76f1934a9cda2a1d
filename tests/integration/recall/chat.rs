//! Chat as people chat: short lines, a familiar that puts in a word now and then, and questions that share few words with
//! what answers them, or none.

use familiar_connect::config::RecallMethod;
use familiar_connect::context::recall::{Circumstances, RankedTurn, RecallQuery};
use familiar_connect::domain::*;
use familiar_connect::history::NewTurn;
use jiff::Timestamp;

use super::{Archive, now, query, seer};
use crate::support::stage::{channel, dm, ferry, said_at};

/// Says something, as the familiar where `who` is "mika".
async fn says(archive: &mut Archive, place: &Place, who: &str, text: &str, at: Timestamp) {
    let message = MessageId::from(archive.next);
    archive.next += 1;
    let said = said_at(place, who, text, at, message);
    let said = match who {
        "mika" => NewTurn { role: Role::Assistant, author: None, ..said },
        _ => said,
    };
    archive.history.append(said).await.unwrap();
}

async fn talk(lines: &[(&str, &str)]) -> Archive {
    let mut archive = Archive::new().await;
    let mut at: Timestamp = "2026-03-01T18:00:00Z".parse().unwrap();
    for (who, text) in lines {
        at += jiff::SignedDuration::from_mins(1);
        says(&mut archive, &ferry(), who, text, at).await;
    }
    archive
}

/// What is found, the best first, however little it is worth: who said it, and what.
async fn found(archive: &Archive, question: &str, place: &Place) -> Vec<(String, String)> {
    let asked = RecallQuery::new(question, Circumstances::alone(now(), 5));
    let ranked = archive.conversations.ranked(&asked, &seer(place)).await.unwrap();
    let turns = ranked.iter().map(|one| one.turn).collect();
    let heard = archive.history.seen_by(&seer(place)).heard(turns).await.unwrap();
    let of = |id| heard.iter().find(|heard| heard.turn.id == id).unwrap();
    let told = |one: &RankedTurn| {
        let turn = &of(one.turn).turn;
        let who = turn.author.as_ref().map_or("mika", |author| author.label());
        (who.to_owned(), turn.content.clone())
    };
    ranked.iter().map(told).collect()
}

#[tokio::test]
async fn a13_no_question_to_a_memory_is_left_without_an_answer() {
    let archive = talk(&[
        ("ana", "the soup needs salt"),
        ("ben", "true"),
        ("miriam", "I slipped on the ice and broke two ribs"),
        ("ben", "get well soon"),
        ("cleo", "the wifi password is barnacle"),
        ("ben", "cheers"),
    ])
    .await;
    for (question, who) in [
        ("what did Ana say?", "Ana"),
        ("What happened to Miriam in the accident?", "Miriam"),
        ("was hat Miriam erzählt?", "Miriam"),
        ("what is the pasword?", "Cleo"),
    ] {
        let found = found(&archive, question, &ferry()).await;
        assert_eq!(found.first().map(|(who, _)| who.as_str()), Some(who), "{question}: {found:?}");
    }
    for question in ["what did she say?", "and then?", "hm", "何を言った？", "Zażółć gęślą jaźń?"]
    {
        assert!(!found(&archive, question, &ferry()).await.is_empty(), "{question}");
        // What was said elsewhere is no answer.
        assert!(found(&archive, question, &dm("dora")).await.is_empty(), "{question}");
    }
}

#[tokio::test]
async fn a13_what_the_familiar_merely_acknowledged_is_no_find() {
    let archive = talk(&[
        ("mika", "Evening."),
        ("ben", "the spare key of the boathouse hangs behind the barometer"),
        ("mika", "Aye, noted."),
        ("ben", "and the boathouse key for guests is at the baker's"),
        ("mika", "Noted."),
        ("cleo", "lovely weather"),
        ("mika", "Aye."),
    ])
    .await;
    for question in ["where does the key of the boathouse hang?", "boathouse key?"] {
        let found = found(&archive, question, &ferry()).await;
        assert!(found[..2].iter().all(|(_, words)| words.contains("key")), "{question}: {found:?}");
    }
    // What it said itself is found like anybody's words.
    let archive =
        talk(&[("ben", "who mends nets here?"), ("mika", "Old Jory does."), ("ben", "thanks")]).await;
    let found = found(&archive, "does Jory mend nets?", &ferry()).await;
    assert!(found[..2].iter().any(|(_, words)| words.contains("Jory")), "{found:?}");
}

#[tokio::test]
async fn a13_the_word_itself_goes_before_words_that_may_stand_for_it() {
    let told = "the crew came aboard at nine, the sails were dry, the ropes coiled, the deck scrubbed and Olga was happy with \
                the boat and its new varnish";
    let archive = talk(&[
        ("ben", "great, that was a great and superb evening, wonderful"),
        ("cleo", "yes wonderful, excellent, superb, I was glad and pleased"),
        ("ben", "delighted too, cheerful all day, excellent"),
        ("cleo", "bye"),
        ("ana", told),
        ("ben", "the tide is late"),
        ("cleo", "cheerful people, glad and joyful, delighted, pleased"),
        ("ben", "joyful, glad, pleased, delighted"),
        ("cleo", "so joyful, so glad, so cheerful"),
    ])
    .await;
    let found = found(&archive, "who was happy?", &ferry()).await;
    assert_eq!(found[0].1, told, "{found:?}");
    let asked = RecallQuery::new("who was happy?", Circumstances::alone(now(), 5));
    let ranked = archive.conversations.ranked(&asked, &seer(&ferry())).await.unwrap();
    let around: Vec<f32> = ranked
        .iter()
        .map(|one| one.why().find(|(name, ..)| *name == "words around").map_or(0.0, |(_, value, _)| value))
        .collect();
    // However many words that may stand for it are about elsewhere.
    assert!(around[0] == 1.0 && around[1..].iter().all(|other| *other < 0.95), "{around:?}");
}

/// Of the questions about a chat, the share whose first find answers them, and of whose answers are among five.
async fn of_a_chat(table: &str) -> (f64, f64) {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let (questions, said): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("? "));
    let mut archive = Archive::new().await;
    let mut at: Timestamp = "2026-03-01T18:00:00Z".parse().unwrap();
    for line in &said {
        let fields: Vec<&str> = line.split('\t').collect();
        at += jiff::SignedDuration::from_mins(1);
        let (at, who, text) = match fields.as_slice() {
            [when, who, text] => (format!("{when}:00Z").parse().unwrap(), who, text),
            [who, text] => (at, who, text),
            _ => panic!("{line}"),
        };
        says(&mut archive, &channel(1, "#chat"), who, text, at).await;
    }
    let (mut firsts, mut among) = (0.0, 0.0);
    for line in &questions {
        let (question, answers) = line[2..].split_once('\t').unwrap();
        let answers: Vec<i64> = answers.split(' ').map(|number| number.parse().unwrap()).collect();
        let circumstances = Circumstances { most: 5, ..query("", RecallMethod::Fused).circumstances };
        let asked = RecallQuery::new(question, Circumstances { least: 0.0, ..circumstances });
        let ranked = archive.conversations.ranked(&asked, &seer(&channel(1, "#chat"))).await.unwrap();
        let found: Vec<i64> = ranked.iter().map(|one| one.turn.0).collect();
        firsts += f64::from(u8::from(found.first().is_some_and(|first| answers.contains(first))));
        let held =
            answers.iter().filter(|answer| found.contains(answer)).count() as f64 / answers.len() as f64;
        among += held;
        println!("{question} {found:?}, answered by {answers:?}");
    }
    (firsts / questions.len() as f64, among / questions.len() as f64)
}

#[tokio::test]
async fn a13_a_chat_of_short_lines_is_remembered() {
    let (first, among_five) = of_a_chat(include_str!("../../fixtures/recall/chat.tsv")).await;
    println!("first {first:.3}, among five {among_five:.3}");
    assert!(first >= 0.18 && among_five >= 0.76, "first {first:.3}, among five {among_five:.3}");
}

/// The same chat in thirteen languages.
const CHATS: [(&str, &str); 13] = [
    ("en", include_str!("../../fixtures/recall/languages/en.tsv")),
    ("de", include_str!("../../fixtures/recall/languages/de.tsv")),
    ("fr", include_str!("../../fixtures/recall/languages/fr.tsv")),
    ("es", include_str!("../../fixtures/recall/languages/es.tsv")),
    ("pt", include_str!("../../fixtures/recall/languages/pt.tsv")),
    ("it", include_str!("../../fixtures/recall/languages/it.tsv")),
    ("nl", include_str!("../../fixtures/recall/languages/nl.tsv")),
    ("pl", include_str!("../../fixtures/recall/languages/pl.tsv")),
    ("ru", include_str!("../../fixtures/recall/languages/ru.tsv")),
    ("tr", include_str!("../../fixtures/recall/languages/tr.tsv")),
    ("ja", include_str!("../../fixtures/recall/languages/ja.tsv")),
    ("zh", include_str!("../../fixtures/recall/languages/zh.tsv")),
    ("ko", include_str!("../../fixtures/recall/languages/ko.tsv")),
];

/// The share of the answers that must be among five finds, in every language.
const AMONG_FIVE: f64 = 0.85;

#[tokio::test]
async fn a13_a_chat_is_remembered_in_every_language() {
    let mut missed = Vec::new();
    for (language, chat) in CHATS {
        let (first, among_five) = of_a_chat(chat).await;
        println!("{language}: first {first:.3}, among five {among_five:.3}");
        if among_five < AMONG_FIVE {
            missed.push(format!("{language} {among_five:.3}"));
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}
