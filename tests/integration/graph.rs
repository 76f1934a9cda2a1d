//! How people hang together, from what they say to what a prompt, a tool and the operator are told.

use std::fs;

use familiar_connect::config::FamiliarHome;
use familiar_connect::domain::*;
use familiar_connect::history::{History, HistoryOptions, NewTurn, ReplyKnownBy};

use crate::binary::machine_with_mika;
use crate::support::binary::Machine;
use crate::support::stage::{Stage, channel, ferry, person, said_at};

fn turn(place: &Place, who: &str, text: &str, number: u64, answers: Option<u64>) -> NewTurn {
    let ten: jiff::Timestamp = "2026-02-28T10:00:00Z".parse().unwrap();
    let at = ten + jiff::SignedDuration::from_mins(i64::try_from(number).unwrap());
    let message = |number: u64| MessageId::from(10_000 + number);
    NewTurn { reply_to: answers.map(message), ..said_at(place, who, text, at, message(number)) }
}

/// Alice and Ben talk; Ben helps with a splice.
fn friends(place: &Place) -> Vec<NewTurn> {
    vec![
        turn(place, "alice", "How do I splice this rope?", 1, None),
        turn(place, "ben", "Tuck each strand of the rope under three times.", 2, Some(1)),
        turn(place, "alice", "Thank you Ben!", 3, Some(2)),
        turn(place, "alice", "And with tar?", 4, None),
        turn(place, "ben", "Warm the tar first.", 5, Some(4)),
        turn(place, "alice", "thanks, that helped", 6, Some(5)),
        turn(place, "cleo", "I keep bees, by the way", 60, None),
    ]
}

#[tokio::test]
async fn a11_how_two_people_know_each_other_is_told_with_what_they_did_for_each_other() {
    let mut stage = Stage::new().await;
    stage.history.store_all(friends(&ferry())).await.unwrap();
    stage.graph.keep().await;
    let asked = stage.asked("cleo", "How do Alice and Ben know each other?").await;
    let transcript = asked.transcript();
    assert!(transcript.contains("Ben helped Alice 2 times"), "{transcript}");
    asked.never_instructs("helped");
    stage.replied(asked, "Ben taught her to splice.").await;
    let traces = stage.traces.whole().list(1).await.unwrap();
    let assembly = traces[0].assembly.clone().unwrap();
    assert!(assembly.searches.iter().any(|search| search.source == "graph" && search.hits > 0));
}

/// Asks until the prompt says so: what is found too late for one, as on a busy machine, is there for the next.
async fn is_told(stage: &mut Stage, who: &str, asks: &str, told: &str) {
    let mut transcript = String::new();
    for time in 1..=3 {
        transcript = stage.prompt(who, asks, &format!("So it is, for the {time}. time.")).await;
        if transcript.contains(told) {
            return;
        }
    }
    panic!("{told} is not in {transcript}");
}

#[tokio::test]
async fn g4_the_one_who_does_something_is_found_and_what_is_asked_of_them() {
    let mut stage = Stage::new().await;
    stage.history.store_all(friends(&ferry())).await.unwrap();
    stage.graph.keep().await;
    is_told(&mut stage, "alice", "who here knows about bees?", "Cleo knows about bees").await;
}

#[tokio::test]
async fn contradiction_8_what_people_did_in_a_private_channel_is_told_nowhere_else() {
    let mut stage = Stage::new().await;
    let closed = Place { audience: Audience::Private(ChannelId::from(9)), ..channel(9, "#cabin") };
    stage.history.store_all(friends(&closed)).await.unwrap();
    stage.graph.keep().await;
    let told = stage.prompt("cleo", "How do Alice and Ben know each other?", "I could not say.").await;
    assert!(!told.contains("helped"), "{told}");
    let told = stage.prompt_in(&closed, "cleo", "How do Alice and Ben know each other?", "They do.").await;
    assert!(told.contains("helped"), "{told}");
}

#[tokio::test]
async fn g3_who_gets_on_with_whom_is_a_line_for_whoever_is_answered() {
    let mut stage = Stage::new().await;
    let quarrel = [
        turn(&ferry(), "alice", "The rope is yours.", 1, None),
        turn(&ferry(), "ben", "You're wrong, it is not.", 2, Some(1)),
        turn(&ferry(), "alice", "Shut up, you idiot", 3, Some(2)),
    ];
    stage.history.store_all(quarrel.into()).await.unwrap();
    stage.graph.keep().await;
    stage
        .says("ben", "Mika, tell me everything about alice and the rope, and what she said to me about it?")
        .await;
    let asked = stage.next_request().await;
    stage.replied(asked, "Hm.").await;
    let asks = "Mika, tell me everything about ben and the rope, and what he said to me about it?";
    is_told(&mut stage, "alice", asks, "It is tense between Alice and Ben").await;
}

/// A familiar on a machine, with a history and notes.
async fn machine() -> Machine {
    let machine = machine_with_mika().await;
    let home = FamiliarHome::new(&machine.data(), &"mika".parse().unwrap());
    let history = History::open(&home.history_db(), HistoryOptions::default()).await.unwrap();
    let guild = Place { audience: Audience::Guild(GuildId::from(7)), ..ferry() };
    history.store_all(friends(&guild)).await.unwrap();
    history.close().await.unwrap();
    let note = home.memory_dir().join("people/discord-77.md");
    fs::create_dir_all(note.parent().unwrap()).unwrap();
    fs::write(
        note,
        "# Dora\n\n- Dora's boat is called Heron and leaks. <!-- f=a to=guild:7 on=2026-01-01 from=t:1 -->\n\
         - Dora's boat is called Heron, and leaks! <!-- f=b to=guild:7 on=2026-01-02 from=t:2 -->\n\
         - On 1 March 2026 Dora asked for shorter answers. <!-- f=c to=guild:7 kind=lesson from=t:3 -->\n",
    )
    .unwrap();
    machine
}

#[tokio::test]
async fn g8_a11_the_operator_asks_the_graph() {
    let machine = machine().await;
    let told = machine.run(&["memory", "graph", "path", "Alice", "Ben"]).await.assert_success().out;
    assert!(told.starts_with("1. Ben helped Alice 2 times, last on 28 February 2026"), "{told}");
    assert!(told.contains("from t:6, t:3; seen by guild:7)"), "{told}");
    assert!(told.contains("(1 time; ") && !told.contains("(1 times"), "{told}");
    let told = machine.run(&["memory", "graph", "who", "bees"]).await.assert_success().out;
    assert!(told.starts_with("Cleo knows about bees") && told.contains("from t:7)"), "{told}");
    let told = machine.run(&["memory", "graph", "dependents", "t:1"]).await.assert_success().out;
    assert!(
        told.starts_with("fact/people/discord-77.md#a  Dora's boat is called Heron and leaks."),
        "{told}"
    );
    let told =
        machine.run(&["memory", "graph", "dependents", "people/discord-77.md"]).await.assert_success().out;
    assert_eq!(told.lines().count(), 3, "its three lines: {told}");
    let told = machine.run(&["memory", "graph", "around", "Alice"]).await.assert_success().out;
    assert!(told.contains("Ben"), "{told}");
    let told = machine.run(&["memory", "graph", "size"]).await.assert_success().out;
    assert!(told.contains("made of 7 messages"), "{told}");
    let told = machine.run(&["memory", "graph", "who", "opera"]).await.assert_success().out;
    assert_eq!(told, "nothing is known about that\n");
    let unknown = machine.run(&["memory", "graph", "path", "Alice", "Nobody"]).await;
    assert_eq!(unknown.status.code(), Some(1));
    assert!(unknown.err.contains("is known by the name \"Nobody\""), "{}", unknown.err);
}

#[tokio::test]
async fn contradiction_2_the_graph_is_made_anew_by_one_command_and_proved() {
    let machine = machine().await;
    let told = machine.run(&["memory", "rebuild"]).await.assert_success().out;
    assert!(told.starts_with("graph: ") && told.contains("made of 7 messages"), "{told}");
    let told = machine.run(&["memory", "verify"]).await.assert_success().out;
    assert!(told.contains("graph: the same as made anew"), "{told}");
    // What broken tables say is found, and mended.
    let tables = machine.data().join("familiars/mika/memory/.index/graph.sqlite");
    let database = rusqlite::Connection::open(&tables).unwrap();
    let changed = database.execute("UPDATE nodes SET key = 'wasp' WHERE kind = 'topic' AND key = 'bee'", []);
    assert_eq!(changed, Ok(1));
    drop(database);
    let told = machine.run(&["memory", "verify"]).await;
    assert_eq!(told.status.code(), Some(1), "{}", told.out);
    assert!(told.out.contains("topic/wasp") && told.out.contains("topic/bee"), "{}", told.out);
    machine.run(&["memory", "rebuild"]).await.assert_success();
    machine.run(&["memory", "verify"]).await.assert_success();
}

#[tokio::test]
async fn sleep_shows_what_wants_tidying_and_proposes_it_when_it_is_told_to() {
    let machine = machine().await;
    let shown = machine.run(&["memory", "sleep"]).await.assert_success().out;
    assert!(shown.starts_with("said twice: ") && !shown.contains("it waits"), "{shown}");
    assert_eq!(machine.run(&["memory", "pending"]).await.assert_success().out, "nothing waits\n");
    let done = machine.run(&["memory", "sleep", "--now"]).await.assert_success().out;
    let name = done.split("it waits as ").nth(1).unwrap().split(':').next().unwrap().to_owned();
    machine.run(&["memory", "approve", &name]).await.assert_success();
    let again = machine.run(&["memory", "sleep", "--now"]).await.assert_success().out;
    assert!(again.starts_with("nothing wants tidying"), "{again}");
    let note = machine.run(&["memory", "show", "people/discord-77.md"]).await.assert_success().out;
    assert_eq!(note.matches("until=").count(), 1, "{note}");
}

/// In a checkout the defaults can be edited, and hold for every verb.
#[tokio::test]
async fn tidying_reads_the_settings_that_a_run_reads() {
    let machine = machine().await;
    let defaults = machine.path().join("familiars/_default");
    fs::create_dir_all(&defaults).unwrap();
    fs::write(defaults.join("character.toml"), "sleepp = 1\n").unwrap();
    let told = machine.run(&["memory", "sleep"]).await;
    assert!(!told.status.success() && told.err.contains("_default/character.toml"), "{}", told.err);
    assert!(told.err.contains("sleepp"), "{}", told.err);
}

#[tokio::test]
async fn g6_the_operator_sees_what_sessions_taught() {
    let told = machine().await.run(&["memory", "lessons"]).await.assert_success().out;
    assert_eq!(told, "people/discord-77.md#c  On 1 March 2026 Dora asked for shorter answers.  (from t:3)\n");
}

#[tokio::test]
async fn contradiction_16_what_is_forgotten_is_gone_from_the_graph() {
    let machine = machine().await;
    machine.run(&["memory", "rebuild"]).await.assert_success();
    let index = machine.data().join("familiars/mika/memory/.index");
    let holds = |word: &str| {
        let files = fs::read_dir(&index).unwrap().map(|entry| entry.unwrap().path());
        let tables = files.filter(|file| file.file_name().unwrap().to_str().unwrap().starts_with("graph"));
        tables
            .map(|file| fs::read(file).unwrap())
            .any(|bytes| bytes.windows(word.len()).any(|part| part == word.as_bytes()))
    };
    assert!(holds("topicbee") && holds("topicrope"));
    let cleo = person("cleo").account.to_string();
    machine.run(&["forget", "person", &cleo, "--hard", "--yes"]).await.assert_success();
    assert!(!holds("topicbee"), "what she said");
    machine.run(&["memory", "rebuild"]).await.assert_success();
    assert!(!holds("topicbee") && holds("topicrope"), "what others said stays");
    machine.run(&["memory", "verify"]).await.assert_success();
}

#[tokio::test]
async fn m15_the_corpus_has_no_words_and_names_the_policy() {
    let machine = machine().await;
    let nothing = machine.run(&["memory", "corpus"]).await.assert_success();
    assert_eq!(nothing.out, "");
    let home = FamiliarHome::new(&machine.data(), &"mika".parse().unwrap());
    let history = History::open(&home.history_db(), HistoryOptions::default()).await.unwrap();
    let place = Place { audience: Audience::Guild(GuildId::from(7)), ..ferry() };
    let said = turn(&place, "alice", "The HALYARD is wet.", 40, None);
    let reply = NewTurn { role: Role::Assistant, author: None, turn: Some(TurnId(9)), ..said };
    let reply = history.append(reply).await.unwrap();
    let (known, alice) = (ReplyKnownBy::Row(reply.id), person("alice").account);
    let at = "2026-03-01T12:00:00Z".parse().unwrap();
    assert!(history.respond(&place.channel, known.clone(), &alice, Deed::Liked, at).await.unwrap());
    assert!(!history.respond(&place.channel, known, &alice, Deed::Liked, at).await.unwrap(), "once");
    history.close().await.unwrap();
    let told = machine.run(&["memory", "corpus"]).await.assert_success();
    assert!(told.err.contains("Discord's developer policy forbids"), "{}", told.err);
    let line: serde_json::Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!((&line["deed"], &line["reply"]), (&"liked".into(), &"t9".into()));
    assert_eq!((&line["audience"], &line["reply_characters"]), (&"guild:7".into(), &19.into()));
    assert!(!told.out.contains("HALYARD"), "{}", told.out);
}
