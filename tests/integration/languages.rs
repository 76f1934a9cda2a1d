//! What works in English works in every language there is data for: a table of sayings, through the doors of the program.

use std::fmt::Debug;

use familiar_connect::config::{Defaults, FamiliarHome, LiveConfig};
use familiar_connect::context::recall::window_in;
use familiar_connect::context::{Heard, HeardBy, Means, classify, plan_for};
use familiar_connect::domain::*;
use familiar_connect::memory::stated::{message_sentences, statements};
use familiar_connect::text::names::names_whole_word;
use familiar_connect::voice::endpoint::{Completeness, completeness, is_backchannel, says_stop};
use familiar_connect::world::{StyleChange, StylePreference, style_changes};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::remembering::mentioned;
use crate::support::stage::{Stage, ferry};

const LANGUAGES: [&str; 13] = ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "ru", "tr", "ja", "zh", "ko"];

/// What the table has of a behaviour: the language, what is said, what comes of it.
fn of(behaviour: &str) -> Vec<(&'static str, &'static str, &'static str)> {
    let table = include_str!("../fixtures/languages/table.tsv");
    let rows =
        table.lines().filter(|row| !row.starts_with('#')).map(|row| row.split('\t').collect::<Vec<_>>());
    let rows: Vec<_> = rows
        .filter(|row| row[0] == behaviour)
        .map(|row| (row[1], row[2], row.get(3).copied().unwrap_or_default()))
        .collect();
    for language in LANGUAGES {
        assert!(rows.iter().any(|(of, ..)| *of == language), "{behaviour} in {language}");
    }
    rows
}

/// Every row of a behaviour comes out as it should.
#[track_caller]
fn holds<T: Debug + PartialEq>(
    behaviour: &str,
    is: impl Fn(&'static str) -> T,
    should: impl Fn(&'static str) -> T,
) {
    let missed: Vec<String> = of(behaviour)
        .into_iter()
        .filter_map(|(language, said, comes)| {
            let (is, should) = (is(said), should(comes));
            (is != should).then(|| format!("{language} {said}: {is:?}"))
        })
        .collect();
    assert!(missed.is_empty(), "{behaviour}:\n{}", missed.join("\n"));
}

fn pell() -> Vec<String> {
    vec!["Pell".to_owned()]
}

fn judged(text: &str) -> Intent {
    classify(&Heard {
        names: &pell(),
        speakers: &["Ana".to_owned(), "Ben".to_owned()],
        ..Heard::said(text, HeardBy::Overheard, ChannelMode::TextConversationRp)
    })
}

/// The plans of messages in a channel with nothing set.
fn planner() -> impl Fn(&str) -> ExecutionPlan {
    let folder = tempfile::tempdir().unwrap();
    let home = FamiliarHome::new(folder.path(), &FamiliarId::new("pell").unwrap());
    let config = LiveConfig::load(home, Defaults::embedded()).unwrap();
    let channel = config.channel(&ChannelId::new("1").unwrap());
    move |text| {
        let means = Means::plain(&channel, 32_000);
        plan_for(judged(text), &means)
    }
}

#[test]
fn its_name_is_heard_in_a_sentence() {
    holds("name", |said| (names_whole_word(said, "Pell"), judged(said).addressed_to_me), |_| (true, true));
    holds(
        "noname",
        |said| (names_whole_word(said, "Pell"), judged(said).addressed_to_me),
        |_| (false, false),
    );
}

#[test]
fn a_spoken_reply_is_told_to_stop() {
    holds("stop", |said| says_stop(said, &pell()), |_| true);
    holds("nostop", |said| says_stop(said, &pell()), |_| false);
}

#[test]
fn a_recogniser_set_to_a_language_has_its_fillers() {
    for (language, first, second) in of("filler") {
        let folder = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(folder.path(), &FamiliarId::new("pell").unwrap());
        std::fs::create_dir_all(home.root()).unwrap();
        std::fs::write(home.character_toml(), format!("[stt]\nlanguage = \"{language}\"\n")).unwrap();
        let config = LiveConfig::load(home, Defaults::embedded()).unwrap();
        assert_eq!(config.current().fillers(), [first, second], "{language}");
    }
}

#[test]
fn what_is_remembered_is_searched_for_and_thanks_are_not() {
    let planned = planner();
    holds("remember", |said| planned(said).searches >= 8, |_| true);
    holds("chat", |said| planned(said).searches <= 2, |_| true);
}

#[test]
fn an_unknown_language_is_taken_for_a_question() {
    let planned = planner();
    for said in [
        "muistatko mitä kerroin sinulle veneestäni",
        "minns du vad jag berättade om min båt",
        "क्या तुम्हें मेरी नाव याद है",
        // Words that are everyday ones of a language there is data for, and a greeting of one.
        "kommer du ihåg vad jag sa",
        "hej minns du båten",
        "чи ти пам'ятаєш мій човен",
        "сећаш ли се мог чамца",
    ] {
        let plan = planned(said);
        assert!(plan.intent.asks && plan.searches >= 8, "{said}: {plan:?}");
    }
}

#[test]
fn what_is_plainly_stated_is_noted() {
    let noted = |said: &str| {
        let stated: Vec<_> = message_sentences(said).iter().flat_map(statements).collect();
        stated.iter().map(|one| one.words("Ana")).collect::<Vec<_>>().join(" ")
    };
    holds("note", noted, str::to_owned);
    holds("keep", noted, |words| format!("Ana asked to remember: “{words}”"));
    holds("left", noted, |_| String::new());
}

#[tokio::test(start_paused = true)]
async fn what_no_phrase_notes_waits_for_the_model() {
    let mut stage = Stage::new().await;
    stage.models.write_memories();
    for (_, said, _) in of("left") {
        mentioned(&mut stage, &ferry(), "alice", said).await;
    }
    stage.session.conclude(&ferry());
    let asked = stage.models.next_memory().await;
    let material = asked.transcript();
    for (language, said, _) in of("left") {
        assert!(material.contains(said), "{language} {said}: {material}");
    }
    asked.reply("{\"do\":\"nothing\"}");
    stage.workers.idle().await;
}

#[test]
fn a_date_is_read() {
    let now: Timestamp = "2026-03-18T15:30:00Z".parse().unwrap();
    let read = |said: &str| {
        window_in(said, now, &TimeZone::UTC).map_or_else(String::new, |window| {
            let day = |at: Timestamp| at.to_zoned(TimeZone::UTC).date().to_string();
            let end = window.to.checked_sub(jiff::SignedDuration::from_secs(1)).unwrap();
            format!("{} {}", day(window.from), day(end))
        })
    };
    holds("date", read, str::to_owned);
}

#[test]
fn a_question_is_a_question() {
    holds("question", |said| judged(said).asks, |_| true);
    holds("statement", |said| judged(said).asks, |_| false);
}

#[test]
fn who_listens_is_told_from_who_wants_to_speak() {
    holds("nod", is_backchannel, |_| true);
    holds("claim", is_backchannel, |_| false);
}

#[test]
fn a_sentence_is_over_where_it_is() {
    holds("open", |said| completeness(said, &pell()), |_| Completeness::Unfinished);
    holds("whole", |said| completeness(said, &pell()), |_| Completeness::Finished);
}

#[test]
fn a_wish_is_heard() {
    holds("shorter", style_changes, |_| vec![StyleChange::Ask(StylePreference::Shorter)]);
    holds("callme", style_changes, |name| vec![StyleChange::Ask(StylePreference::CallMe(name.to_owned()))]);
}
