//! Lore in a conversation: what fires reaches the prompt, where it belongs, and the trace says why.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use assert_cmd::Command;
use familiar_connect::config::FamiliarHome;
use familiar_connect::domain::*;
use familiar_connect::familiar::{Existing, Writing, import_lorebook};
use familiar_connect::session::DeliveryStyle;
use serde_json::{Value, json};

use crate::support::stage::{Asked, MESSAGES, Stage, ferry};

fn harbour() -> Value {
    json!({"name": "Harbour", "entries": {
        "0": {"uid": 0, "comment": "The river", "constant": true, "key": [], "order": 10, "position": 0,
              "content": "The river freezes in no winter, {{user}}."},
        "1": {"uid": 1, "comment": "The bell", "key": ["bell"], "order": 100, "position": 1,
              "content": "The Copper Bell rings by itself before a death."},
        "2": {"uid": 2, "comment": "The keeper", "key": ["copper bell"], "order": 90, "position": 4, "depth": 1,
              "content": "Old Ansel keeps the bell."},
        "3": {"uid": 3, "comment": "The mill", "key": ["mill"], "content": "The mill is haunted."},
        "4": {"uid": 4, "comment": "The fog", "key": ["fog"], "sticky": 4, "content": "Fog hides the quay."},
    }})
}

async fn stage_with(settings: &str) -> Stage {
    stage_with_book(settings, &harbour()).await
}

async fn stage_with_book(settings: &str, book: &Value) -> Stage {
    stage_in(MESSAGES, settings, book).await
}

pub(super) async fn stage_in(style: DeliveryStyle, settings: &str, book: &Value) -> Stage {
    let quick = "text_lull_timeout = 0.01\n";
    let stage = Stage::with(&format!("{quick}{settings}[typing_simulation]\nenabled = false\n"), style).await;
    let home = FamiliarHome::new(stage.dir.path(), &FamiliarId::new("mika").unwrap());
    import_lorebook(&home, book.to_string().as_bytes(), "", Existing::Refuse, Writing::ForReal).unwrap();
    // A new process finds the book at once instead of within a second.
    stage.reopened().await
}

fn holding<'a>(asked: &'a Asked, words: &str) -> Option<&'a ChatMessage> {
    asked.request.messages.iter().find(|message| message.content.contains(words))
}

async fn lore_of_last(stage: &Stage) -> Vec<LoreRecord> {
    let trace = stage.traces.whole().latest(None).await.unwrap().unwrap();
    trace.assembly.as_ref().unwrap().lore.clone()
}

#[tokio::test(start_paused = true)]
async fn constants_stand_in_the_stable_block_and_what_was_called_up_in_the_tail() {
    let mut stage = stage_with("").await;
    let asked = stage.asked("alice", "did the bell ring?").await;
    let first = &asked.request.messages[0];
    assert_eq!(first.role, Role::System);
    assert!(first.content.contains("The river freezes in no winter"), "{}", asked.transcript());
    assert!(!first.content.contains("Copper Bell"));
    let called = holding(&asked, "The Copper Bell rings").unwrap();
    assert_eq!(called.role, Role::User, "what was looked up never instructs");
    assert!(holding(&asked, "Old Ansel").is_some(), "entries call entries");
    assert!(holding(&asked, "haunted").is_none());
    let position = |words: &str| {
        asked.request.messages.iter().position(|message| message.content.contains(words)).unwrap()
    };
    assert!(position("The Copper Bell rings") > position("did the bell ring?"));
    stage.replied(asked, "Not yet.").await;
}

#[tokio::test(start_paused = true)]
async fn what_is_always_there_stays_there_however_much_was_called_up() {
    let ships = (1..=200).map(|uid| {
        let content = format!("Ship {uid} came in with the tide and lay at the quay until noon.");
        (uid.to_string(), json!({"uid": uid, "key": ["ship"], "order": 100, "content": content}))
    });
    let mut entries: serde_json::Map<String, Value> = ships.collect();
    let river =
        json!({"uid": 0, "constant": true, "key": [], "order": 10, "content": "The river never freezes."});
    entries.insert("0".to_owned(), river);
    let book = json!({"name": "Ships", "entries": entries});
    let mut stage = stage_with_book("[lore]\nbudget_percent = 1\n", &book).await;
    let asked = stage.asked("alice", "which ship is it?").await;
    let first = &asked.request.messages[0];
    assert!(first.content.contains("The river never freezes."), "{}", asked.transcript());
    stage.replied(asked, "The last one.").await;
    let fired = lore_of_last(&stage).await.iter().filter(|record| record.fired).count();
    assert!((1..200).contains(&fired), "{fired} came in");
}

#[tokio::test(start_paused = true)]
async fn what_a_card_remembers_lasts_in_its_conversation_and_goes_when_something_is_forgotten() {
    let book = json!({"name": "Count", "entries": {
        "0": {"uid": 0, "comment": "Rings", "key": ["bell"], "content":
              "Rings so far: {{incvar::rings}}. {{if .asked}}Alice asked before.{{/if}}{{setvar::asked::1}}"},
    }});
    let mut stage = stage_with_book("", &book).await;
    let first = stage.asked("alice", "did the bell ring?").await;
    assert!(holding(&first, "Rings so far: 1.").is_some(), "{}", first.transcript());
    assert!(holding(&first, "asked before").is_none() && holding(&first, "{{").is_none());
    // A turn that broke off sets nothing.
    first.fail(ModelErrorClass::Malformed);
    stage.settled().await;
    let again = stage.asked("alice", "the bell?").await;
    assert!(holding(&again, "Rings so far: 1.").is_some(), "{}", again.transcript());
    stage.replied(again, "Once.").await;
    let mut stage = stage.reopened().await;
    let second = stage.asked("alice", "and the bell now?").await;
    assert!(holding(&second, "Rings so far: 2. Alice asked before.").is_some(), "{}", second.transcript());
    stage.replied(second, "Twice.").await;
    let (here, channel) = (Visible::at(&ferry()), ferry().channel);
    assert_eq!(stage.history.seen_by(&here).card_variables(&channel).await.unwrap()["rings"], "2");
    let gone = stage.history.newest().await.unwrap();
    stage.history.forget(vec![gone], Default::default(), None, Arc::default()).await.unwrap();
    assert!(stage.history.seen_by(&here).card_variables(&channel).await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_trace_says_why_each_entry_fired_or_not() {
    let mut stage = stage_with("").await;
    stage.asked("alice", "did the bell ring?").await.reply("Not yet.");
    stage.settled().await;
    let lore = lore_of_last(&stage).await;
    let why = |name: &str| lore.iter().find(|record| record.name == name).unwrap().clone();
    assert!(why("The river").fired);
    let bell = why("The bell");
    assert!(bell.fired && bell.tokens > 0);
    assert_eq!(bell.why.to_string(), "the key \"bell\" is in the newest message (Alice)");
    assert_eq!(why("The keeper").why.to_string(), "the key \"copper bell\" is in the entry \"The bell\"");
    let mill = why("The mill");
    assert!(!mill.fired);
    assert_eq!(mill.why, LoreWhy::NoKeyFound);
    let trace = stage.traces.whole().latest(None).await.unwrap().unwrap();
    let text = familiar_connect::trace::render::markdown(&trace, familiar_connect::trace::Rights::Operator);
    assert!(text.contains("### Lore (3 of 5 entries called up)"), "{text}");
    assert!(text.contains("- **The bell** (harbour,"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn in_sillytaverns_order_entries_have_sillytaverns_places() {
    let mut stage = stage_with("[render]\nmode = \"st\"\n").await;
    let asked = stage.asked("alice", "did the bell ring?").await;
    let words: Vec<&str> = asked.request.messages.iter().map(|message| message.content.as_str()).collect();
    let at = |part: &str| {
        words.iter().position(|words| words.contains(part)).unwrap_or_else(|| panic!("{words:#?}"))
    };
    assert!(at("The river freezes") < at("keeps the night ferry"));
    assert!(at("keeps the night ferry") < at("The Copper Bell rings"));
    assert!(at("The Copper Bell rings") < at("did the bell ring?"));
    // Depth 1 is before the newest message.
    assert!(at("Old Ansel") < at("did the bell ring?"));
    assert!(at("Old Ansel") > at("[Start a new Chat]"));
    stage.replied(asked, "Not yet.").await;
}

#[tokio::test(start_paused = true)]
async fn in_sillytaverns_order_lore_stands_around_the_note_and_the_examples() {
    let book = json!({"name": "Quay", "entries": {
        "0": {"uid": 0, "key": ["bell"], "position": 2, "content": "Ring twice."},
        "1": {"uid": 1, "key": ["bell"], "position": 3, "content": "Ring once more."},
        "2": {"uid": 2, "key": ["bell"], "position": 5, "content": "<START>\n{{char}}: Never in winter."},
        "3": {"uid": 3, "key": ["bell"], "position": 6, "content": "<START>\n{{char}}: Late again."},
    }});
    let mut stage = stage_with_book("[render]\nmode = \"st\"\n", &book).await;
    let asked = stage.asked("alice", "did the bell ring?").await;
    let words: Vec<&str> = asked.request.messages.iter().map(|message| message.content.as_str()).collect();
    let note = words.iter().find(|words| words.contains("Ring twice.")).unwrap();
    assert!(note.starts_with("Ring twice.\n") && note.ends_with("\nRing once more."), "{words:#?}");
    assert!(note.len() > "Ring twice.\nRing once more.".len(), "the note itself: {words:#?}");
    let examples: Vec<&str> = words
        .iter()
        .copied()
        .skip_while(|words| *words != "[Example Chat]")
        .take_while(|words| *words != "[Start a new Chat]")
        .collect();
    let told = [
        "[Example Chat]",
        "Never in winter.",
        "[Example Chat]",
        "Cold?",
        "Only the tea.",
        "[Example Chat]",
        "Tired?",
        "The river is.",
        "[Example Chat]",
        "Late again.",
    ];
    assert_eq!(examples, told, "{words:#?}");
    stage.replied(asked, "Thrice.").await;
}

#[tokio::test(start_paused = true)]
async fn what_stays_lasts_beyond_a_restart() {
    let mut stage = stage_with("").await;
    let asked = stage.asked("alice", "what a fog").await;
    assert!(holding(&asked, "Fog hides").is_some());
    stage.replied(asked, "Thick.").await;
    let mut stage = stage.reopened().await;
    let asked = stage.asked("alice", "hm").await;
    assert!(holding(&asked, "Fog hides").is_some(), "called up at message 1, it stays for four");
    stage.replied(asked, "Mm.").await;
    assert!(matches!(
        lore_of_last(&stage).await.iter().find(|record| record.name == "The fog").unwrap().why,
        LoreWhy::Sticky { .. } | LoreWhy::Key { .. }
    ));
    for _ in 0..2 {
        stage.asked("alice", "hm").await.reply("Mm.");
        stage.settled().await;
    }
    let asked = stage.asked("alice", "hm").await;
    assert!(holding(&asked, "Fog hides").is_none());
    stage.replied(asked, "Mm.").await;
}

#[tokio::test(start_paused = true)]
async fn lore_4_2_10_a_turn_that_failed_or_began_anew_uses_up_no_cooldown() {
    let book = json!({"name": "Quay", "entries": {
        "0": {"uid": 0, "comment": "The gull", "key": ["gull"], "cooldown": 20, "content": "The gull steals rings."},
    }});
    let mut stage = stage_with_book("", &book).await;
    let failed = stage.asked("alice", "a gull!").await;
    assert!(holding(&failed, "steals rings").is_some());
    failed.fail(ModelErrorClass::Server);
    stage.settled().await;

    let superseded = stage.asked("alice", "the gull again").await;
    assert!(holding(&superseded, "steals rings").is_some(), "nobody was answered yet");
    stage.says("alice", "what does that gull want?").await;
    stage.restarts().await;
    superseded.abandoned().await;
    let answered = stage.next_request().await;
    assert!(holding(&answered, "steals rings").is_some(), "that turn began anew");
    stage.replied(answered, "Rings.").await;

    let rests = stage.asked("alice", "gull?").await;
    assert!(holding(&rests, "steals rings").is_none(), "{}", rests.transcript());
    stage.replied(rests, "Gone.").await;
    let lore = lore_of_last(&stage).await;
    assert!(matches!(lore[0].why, LoreWhy::Cooldown { .. }), "{lore:?}");
}

#[tokio::test(start_paused = true)]
async fn lore_4_2_9_an_outlet_stands_where_the_card_opens_it() {
    let book = json!({"name": "Quay", "entries": {
        "0": {"uid": 0, "comment": "The mill", "key": ["mill"], "position": 7, "outletName": "news", "order": 20,
              "content": "The mill burnt."},
        "1": {"uid": 1, "comment": "The rope", "key": ["mill"], "position": 7, "outletName": "news", "order": 10,
              "content": "Rope is dear."},
        "2": {"uid": 2, "comment": "The tar", "key": ["mill"], "position": 7, "outletName": "closed",
              "content": "Tar is cheap."},
    }});
    let stage = stage_with_book("", &book).await;
    let scenario = stage.dir.path().join("familiars/mika/memory/self/scenario.md");
    assert!(scenario.is_file());
    fs::write(&scenario, "The last crossing. News: {{outlet::news}}{{outlet::none}}.").unwrap();
    let mut stage = stage.reopened().await;
    let asked = stage.asked("alice", "what of the mill? {{outlet::news}}").await;
    assert!(holding(&asked, "News: Rope is dear.\nThe mill burnt..").is_some(), "{}", asked.transcript());
    assert!(
        holding(&asked, "what of the mill? {{outlet::news}}").is_some(),
        "what people say is never filled in"
    );
    assert!(holding(&asked, "Tar is cheap").is_none());
    stage.replied(asked, "Burnt.").await;
    let lore = lore_of_last(&stage).await;
    let why = |name: &str| lore.iter().find(|record| record.name == name).unwrap();
    assert!(why("The mill").fired && why("The mill").tokens > 0);
    assert_eq!(why("The tar").why, LoreWhy::NoOutlet { outlet: "closed".to_owned() });
    for _ in 0..2 {
        let asked = stage.asked("alice", "and else?").await;
        stage.replied(asked, "Hm.").await;
    }
    let asked = stage.asked("alice", "so").await;
    assert!(holding(&asked, "News: .").is_some(), "{}", asked.transcript());
    stage.replied(asked, "So.").await;
}

#[tokio::test(start_paused = true)]
async fn lore_4_3_what_is_called_up_is_there_when_it_speaks_out_loud() {
    let mut stage = stage_with("default_mode = \"imitate_voice\"\n").await;
    let asked = stage.asked("alice", "did the bell ring?").await;
    assert!(holding(&asked, "The Copper Bell rings").is_some(), "{}", asked.transcript());
    stage.replied(asked, "Not yet.").await;
}

#[tokio::test(start_paused = true)]
async fn a_search_adds_what_no_key_called_up_unless_only_keys_count() {
    let mut stage = stage_with("").await;
    let asked = stage.asked("alice", "Is the mill's twin, the haunted one, far?").await;
    assert!(holding(&asked, "The mill is haunted").is_some());
    stage.replied(asked, "No.").await;
    for (mode, is_there) in [("hybrid", true), ("keywords", false)] {
        let mut stage = stage_with(&format!("[lore]\nmode = \"{mode}\"\n")).await;
        let asked = stage.asked("alice", "Who keeps Old Ansel company?").await;
        assert_eq!(holding(&asked, "Old Ansel keeps").is_some(), is_there, "{mode}");
        stage.replied(asked, "Nobody.").await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_edited_entry_counts_in_the_next_process_and_a_broken_one_is_left_out() {
    let stage = stage_with("").await;
    let folder = stage.dir.path().join("familiars/mika/memory/lore/harbour");
    let file = |part: &str| {
        let mut names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        names.find(|path| path.to_string_lossy().contains(part)).unwrap()
    };
    let bell = file("the-bell");
    let text = fs::read_to_string(&bell).unwrap().replace("keys = [\"bell\"]", "keys = [\"gong\"]");
    fs::write(&bell, text).unwrap();
    fs::write(file("the-mill"), "+++\nkeys = [broken\n+++\nwords").unwrap();
    let mut stage = stage.reopened().await;
    let asked = stage.asked("alice", "the gong and the mill").await;
    assert!(holding(&asked, "The Copper Bell rings").is_some());
    assert!(holding(&asked, "haunted").is_none());
    stage.replied(asked, "Hm.").await;
}

/// `familiar lore test` in a folder of its own.
struct Bench(tempfile::TempDir);

impl Bench {
    fn new(book: &Value, chat: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("book.json"), book.to_string()).unwrap();
        fs::write(folder.path().join("chat.jsonl"), chat).unwrap();
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn tests(&self, more: &[&str]) -> std::process::Output {
        self.tests_book("book.json", more)
    }

    fn tests_book(&self, book: &str, more: &[&str]) -> std::process::Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_familiar"));
        command.current_dir(self.path()).env("NO_COLOR", "1");
        command.args(["lore", "test", book, "--chat", "chat.jsonl"]).args(more);
        command.output().unwrap()
    }

    fn json(&self, more: &[&str]) -> Value {
        self.json_of("book.json", more)
    }

    fn json_of(&self, book: &str, more: &[&str]) -> Value {
        let output = self.tests_book(book, &[more, &["--json"]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn fired(found: &Value) -> Vec<i64> {
    found["fired"].as_array().unwrap().iter().map(|entry| entry["uid"].as_i64().unwrap()).collect()
}

#[test]
fn lore_test_prints_what_fires_in_order_and_why() {
    let bench = Bench::new(&harbour(), "\"Ben: hm\"\n{\"name\":\"Alice\",\"mes\":\"did the bell ring?\"}\n");
    let found = bench.json(&["--char", "Mika"]);
    // Lower order first; the constant with 10, the keeper with 90, the bell with 100.
    assert_eq!(fired(&found), [0, 2, 1]);
    assert_eq!(found["activated_order"], json!([1, 0, 2]));
    assert_eq!(found["fired"][0]["content"], "The river freezes in no winter, Alice.");
    let bell = &found["fired"][2];
    assert_eq!(bell["why"]["kind"], "key");
    assert_eq!(bell["why"]["key"], "bell");
    assert_eq!(bell["why"]["at"], json!({"in": "message", "back": 1, "speaker": "Alice"}));
    assert_eq!(
        (&bell["position"], &bell["order"], &bell["book"]),
        (&json!("after"), &json!(100), &json!("Harbour"))
    );
    assert_eq!(found["fired"][1]["depth"], 1);
    assert_eq!(found["not_fired"][0]["why"]["kind"], "no_key_found");
    // A quarter of 4095 less 300.
    assert_eq!(found["budget"]["limit"], 949);
    assert_eq!(found["scan"]["messages"], 2);
}

#[test]
fn lore_test_follows_its_options() {
    let chat = "Alice: the BELLS\nBen: x\nAlice: y\n";
    let bench = Bench::new(&harbour(), chat);
    assert_eq!(fired(&bench.json(&[])), [0]);
    assert_eq!(fired(&bench.json(&["--depth", "3"])), [0], "bells is another word");
    assert_eq!(fired(&bench.json(&["--depth", "3", "--whole-words", "off"])), [0, 2, 1]);
    assert_eq!(fired(&bench.json(&["--depth", "3", "--whole-words", "off", "--recursive", "off"])), [0, 1]);
    let exact = ["--depth", "3", "--whole-words", "off", "--case-sensitive", "on"];
    assert_eq!(fired(&bench.json(&exact)), [0]);
    let found = bench.json(&["--context", "340"]);
    assert_eq!(found["budget"], json!({"limit": 10, "used": 0, "overflowed": true}));
    let river = found["not_fired"].as_array().unwrap().iter().find(|entry| entry["uid"] == 0).unwrap();
    assert_eq!(river["why"]["kind"], "budget");
}

#[test]
fn lore_test_is_a_table_for_people_and_refuses_what_is_no_book() {
    let bench = Bench::new(&harbour(), "Alice: did the bell ring?\n");
    let text = String::from_utf8(bench.tests(&[]).stdout).unwrap();
    insta::assert_snapshot!(text);
    fs::write(bench.path().join("book.json"), "{}").unwrap();
    assert_eq!(bench.tests(&[]).status.code(), Some(2));
}

#[test]
fn lore_test_reads_the_book_of_a_card() {
    let bench = Bench::new(
        &json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Ada", "character_book": {
            "entries": [{"id": 7, "keys": ["{{char}}"], "content": "c", "enabled": true, "insertion_order": 1}]}}}),
        "Alice: hello Ada\n",
    );
    assert_eq!(fired(&bench.json(&[])), [7]);
}

#[test]
fn lore_test_reads_a_familiar_and_a_book_as_they_lie_unpacked() {
    let card = json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Ada", "first_mes": "Hello.",
        "character_book": {"name": "Harbour", "entries": [
            {"id": 7, "keys": ["{{char}}"], "content": "c", "enabled": true, "insertion_order": 1}]}}});
    let bench = Bench::new(&card, "Alice: hello Ada\n");
    let mut init = Command::new(env!("CARGO_BIN_EXE_familiar"));
    init.current_dir(bench.path()).args(["init", "book.json"]).assert().success();
    let files = |folder: &str| fs::read_dir(bench.path().join(folder)).unwrap().count();
    let before = files("data/familiars/ada");
    let found = bench.json_of("data/familiars/ada", &[]);
    assert_eq!((fired(&found), &found["scan"]["char"]), (vec![7], &json!("Ada")));
    assert_eq!(files("data/familiars/ada"), before, "it is only looked at");
    let found = bench.json_of("data/familiars/ada/memory/lore/harbour", &["--char", "Ada"]);
    assert_eq!(fired(&found), [7]);
    // As the examples that come with the program lie.
    fs::create_dir(bench.path().join("source")).unwrap();
    fs::write(bench.path().join("source/avatar.png"), "no card").unwrap();
    fs::rename(bench.path().join("book.json"), bench.path().join("source/card.json")).unwrap();
    assert_eq!(fired(&bench.json_of("source", &[])), [7]);
    fs::create_dir(bench.path().join("empty")).unwrap();
    let refused = bench.tests_book("empty", &[]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("there is no lorebook in empty"), "{said}");
}
