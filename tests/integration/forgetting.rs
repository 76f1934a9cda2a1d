//! Forgetting, through the session and every store: what a person said leaves no byte in the familiar's folder, and comes
//! back when they take their request back.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use familiar_connect::domain::*;
use familiar_connect::erase::{
    Asker, Eraser, ForgetRequest, ForgetWhat, KeepCopy, NobodyThere, Plan, Stores,
};
use familiar_connect::memory::Memory;
use familiar_connect::memory::store::{NoteEditor, NotePath};
use familiar_connect::session::DeliveryStyle;

use crate::support::stage::{APART, Stage, channel, dm, ferry, person};

async fn mentioned(stage: &mut Stage, place: &Place, who: &str, text: &str) -> MessageId {
    let message = stage.says_in(place, who, text, APART).await;
    stage.settled_in(place).await;
    stage.workers.idle().await;
    message
}

async fn asked(stage: &mut Stage, place: &Place, who: &str, text: &str, reply: &str) -> String {
    let transcript = stage.prompt_in(place, who, text, reply).await;
    stage.workers.idle().await;
    transcript
}

/// Words that only Alice ever says, in whatever case and form they stand anywhere.
const HERS: &[&str] = &["quillon", "zebrafinch", "marmalad", "oxbow", "tamarisk", "halyard"];
/// Words that only Ben says.
const HIS: &[&str] = &["gannet", "porthole"];

/// Alice and Ben talk in two channels, alone and behind its back; everything has been to a prompt and to the notes.
async fn lived() -> Stage {
    let mut stage = Stage::new().await;
    mentioned(&mut stage, &ferry(), "alice", "my zebrafinch is called Quillon and it sings").await;
    let typo = mentioned(&mut stage, &ferry(), "alice", "I live in Oxbow").await;
    stage.edits(&ferry(), &typo, "I live in Tamarisk").await;
    mentioned(&mut stage, &ferry(), "ben", "my gannet sits at the porthole").await;
    asked(&mut stage, &ferry(), "alice", "what of my zebrafinch Quillon?", "Quillon sings, you said.").await;
    asked(&mut stage, &ferry(), "ben", "and what of my gannet?", "The gannet watches the porthole.").await;
    let alone = dm("alice");
    asked(
        &mut stage,
        &alone,
        "alice",
        "I burned the marmalade, tell nobody",
        "Nobody will hear of marmalade.",
    )
    .await;
    asked(&mut stage, &alone, "alice", "remember that I hid the halyard", "I will.").await;
    let deck = channel(2, "#deck");
    let told =
        asked(&mut stage, &deck, "ben", "what is Alice's bird called that sings?", "Ask her yourself.").await;
    assert!(told.contains("Quillon"), "the scene is set: {told}");
    stage
}

fn home(stage: &Stage) -> PathBuf {
    stage.dir.path().join("familiars/mika")
}

/// Every file below the familiar's folder, as one lower-case text each.
fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.path() {
            path if path.is_dir() => found.extend(files(&path)),
            path => {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).to_lowercase();
                found.push((path, text));
            }
        }
    }
    found
}

#[track_caller]
fn assert_no_trace_of_alice(stage: &Stage) {
    let account = person("alice").account;
    let names = [account.to_string(), account.slug()];
    for (path, text) in files(&home(stage)) {
        for word in HERS.iter().map(|word| (*word).to_owned()).chain(names.iter().cloned()) {
            assert!(!text.contains(&word), "{word} stands in {}", path.display());
        }
    }
}

fn request(what: ForgetWhat, keep: KeepCopy) -> ForgetRequest {
    ForgetRequest { what, by: Asker::Person(person("alice").account), keep }
}

fn me() -> ForgetWhat {
    ForgetWhat::Person(person("alice").account)
}

#[tokio::test(start_paused = true)]
async fn contradiction_16_forgetting_a_person_leaves_no_byte_of_theirs_and_others_words_stay() {
    let mut stage = lived().await;
    assert!(files(&home(&stage)).iter().any(|(_, text)| text.contains("quillon")));
    let plan = stage.eraser.plan(&request(me(), KeepCopy::SevenDays)).await.unwrap();
    assert_eq!((plan.messages, plan.replies, plan.notes), (5, 3, 1), "{plan:?}");
    assert!(plan.facts >= 2, "{plan:?}");
    let done = stage.eraser.forget(request(me(), KeepCopy::SevenDays)).await.unwrap();
    assert_eq!(done, plan, "it was told as it was");
    assert_no_trace_of_alice(&stage);
    let all = files(&home(&stage));
    assert!(
        HIS.iter()
            .all(|word| all.iter().any(|(path, text)| path.ends_with("history.db") && text.contains(word)))
    );
    // Neither is it in memory: the very next prompts, in any place, know nothing of it.
    let deck = channel(2, "#deck");
    let told =
        asked(&mut stage, &deck, "ben", "what is Alice's pet called, and my gannet?", "No idea.").await;
    let told = told.to_lowercase();
    assert!(!HERS.iter().any(|word| told.contains(word)), "{told}");
    assert!(told.contains("gannet"));
    let told = asked(&mut stage, &dm("alice"), "alice", "what do you know about me?", "Nothing.")
        .await
        .to_lowercase();
    assert!(!HERS.iter().any(|word| told.contains(word)), "{told}");
}

#[tokio::test(start_paused = true)]
async fn contradiction_16_a_hard_wish_keeps_nothing_and_a_soft_one_comes_back_to_whoever_wished_it() {
    let mut stage = lived().await;
    let before = stage.remembered().await;
    let note = home(&stage).join(format!("memory/people/{}.md", person("alice").account.slug()));
    let noted = fs::read_to_string(&note).unwrap();
    let alice = Asker::Person(person("alice").account);
    stage.eraser.forget(request(me(), KeepCopy::SevenDays)).await.unwrap();
    assert_ne!(stage.remembered().await, before);
    assert!(stage.eraser.undo(&Asker::Person(person("ben").account)).await.unwrap().is_none(), "not his");
    assert!(stage.eraser.undo(&Asker::Operator).await.unwrap().is_none(), "nor the operator's");
    assert!(stage.eraser.undo(&alice).await.unwrap().is_some());
    assert_eq!(stage.remembered().await, before);
    assert_eq!(fs::read_to_string(&note).unwrap(), noted);
    let told =
        asked(&mut stage, &channel(2, "#deck"), "ben", "what is Alice's bird called that sings?", "Ask her.")
            .await;
    assert!(told.contains("Quillon"), "{told}");
    assert!(stage.eraser.undo(&alice).await.unwrap().is_none(), "once");
    stage.eraser.forget(request(me(), KeepCopy::Nothing)).await.unwrap();
    assert!(stage.eraser.undo(&alice).await.unwrap().is_none());
    assert_no_trace_of_alice(&stage);
}

#[tokio::test(start_paused = true)]
async fn contradiction_16_after_seven_days_the_copy_is_destroyed() {
    let stage = lived().await;
    stage.eraser.forget(request(me(), KeepCopy::SevenDays)).await.unwrap();
    let kept = || fs::read_dir(home(&stage).join("forgotten")).unwrap().count();
    assert_eq!(kept(), 4, "tombstones, key, copy and who may take it back");
    stage.clock.advance(Duration::from_secs(6 * 86_400));
    stage.eraser.tidy().await.unwrap();
    assert_eq!(kept(), 4);
    stage.clock.advance(Duration::from_secs(2 * 86_400));
    stage.eraser.tidy().await.unwrap();
    assert_eq!(kept(), 1, "the tombstones");
    assert!(stage.eraser.undo(&Asker::Person(person("alice").account)).await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn contradiction_16_what_somebody_else_passed_on_is_forgotten_with_whoever_said_it() {
    let mut stage = lived().await;
    let words = "the tamarisk blooms again";
    let hers = mentioned(&mut stage, &ferry(), "alice", words).await;
    let deck = channel(2, "#deck");
    let mut event = stage.message(&deck, "ben", "", APART);
    let InboundEvent::Message(message) = &mut event else { unreachable!() };
    message.attachments.push(Attachment {
        kind: "forwarded".to_owned(),
        name: "message".to_owned(),
        bytes: None,
        text: Some(words.to_owned()),
        address: None,
    });
    message.forwards = Some((ferry().channel, hers));
    stage.session.submit(event).await.unwrap();
    stage.settled_in(&deck).await;
    stage.workers.idle().await;
    let before = stage.remembered().await;
    stage.eraser.forget(request(me(), KeepCopy::SevenDays)).await.unwrap();
    assert_no_trace_of_alice(&stage);
    stage.eraser.undo(&Asker::Person(person("alice").account)).await.unwrap();
    assert_eq!(stage.remembered().await, before);
}

/// The stores of a stage whose program is gone.
async fn stores(stage: &Stage) -> Stores {
    let home = stage.config.home().clone();
    let clock = Arc::new(stage.clock.clone());
    Stores {
        history: Arc::clone(&stage.history),
        traces: Arc::clone(&stage.traces),
        memory: Arc::new(Memory::by_the_clock(&home, clock)),
        home,
    }
}

#[tokio::test(start_paused = true)]
async fn contradiction_16_what_a_crash_broke_off_is_finished_at_the_next_start() {
    let stage = lived().await;
    // Written down, and the notes already done: there the crash comes.
    let stores = stores(&stage).await;
    let eraser = Eraser::new(
        stores.clone(),
        Arc::new(NobodyThere(stores.home.clone())),
        Arc::new(stage.clock.clone()),
    );
    let folder = stores.home.forgotten_dir();
    let request = serde_json::to_value(request(me(), KeepCopy::Nothing)).unwrap();
    let order = serde_json::json!({
        "id": "20260301-200000-abcd", "at": stage.clock_now(), "wish": request, "turns": [], "facts": [], "notes": [],
        "plan": Plan::default()
    });
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("20260301-200000-abcd.order.json"), order.to_string()).unwrap();
    let note = NotePath::new(format!("people/{}.md", person("alice").account.slug())).unwrap();
    stores.memory.whole().store.delete(&note, NoteEditor::Forget).unwrap();
    assert_eq!(eraser.tidy().await.unwrap(), 1);
    assert_no_trace_of_alice(&stage);
    assert_eq!(eraser.tidy().await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn contradiction_16_an_old_backup_that_is_put_back_forgets_again() {
    let mut stage = lived().await;
    let copy = tempfile::tempdir().unwrap();
    let note = format!("people/{}.md", person("alice").account.slug());
    let memory = home(&stage).join("memory");
    fs::copy(memory.join(&note), copy.path().join("note.md")).unwrap();
    // As docs/operations/backup.md says it is done while the program runs.
    let rows = stage.history.whole().kept_after(StoredId(0), 10_000).await.unwrap();
    let of_alice = rows.len();
    stage.eraser.forget(request(me(), KeepCopy::Nothing)).await.unwrap();
    mentioned(&mut stage, &ferry(), "alice", "hello again, I keep hens now").await;
    stage.history.put_back(rows).await.unwrap();
    fs::copy(copy.path().join("note.md"), memory.join(&note)).unwrap();
    assert!(files(&home(&stage)).iter().any(|(_, text)| text.contains("quillon")), "it is back");
    assert_eq!(stage.eraser.tidy().await.unwrap(), 1);
    for (path, text) in files(&home(&stage)) {
        assert!(!HERS.iter().any(|word| text.contains(word)), "{}", path.display());
    }
    let left = stage.history.whole().kept_after(StoredId(0), 10_000).await.unwrap();
    assert!(
        left.len() < of_alice && left.iter().any(|turn| turn.content.contains("hens")),
        "what she said since stays"
    );
    assert_eq!(stage.eraser.tidy().await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn contradiction_16_single_things_are_forgotten_with_the_messages_they_came_from() {
    let mut stage = lived().await;
    let note = home(&stage).join(format!("memory/people/{}.md", person("alice").account.slug()));
    let text = fs::read_to_string(&note).unwrap();
    let line = text.lines().find(|line| line.contains("Tamarisk") || line.contains("Oxbow")).unwrap();
    let id = line.split("f=").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    // Ben may not request for what is hers.
    let bens = ForgetRequest {
        what: ForgetWhat::Fact(id.clone()),
        by: Asker::Person(person("ben").account),
        keep: KeepCopy::SevenDays,
    };
    assert!(stage.eraser.forget(bens).await.unwrap().is_empty());
    let plan = stage.eraser.forget(request(ForgetWhat::Fact(id), KeepCopy::SevenDays)).await.unwrap();
    assert!(plan.facts >= 1 && plan.messages == 1, "{plan:?}");
    let all = files(&home(&stage));
    for word in ["tamarisk", "oxbow"] {
        assert!(all.iter().all(|(_, text)| !text.contains(word)), "{word}");
    }
    assert!(all.iter().any(|(_, text)| text.contains("quillon")), "the rest stays");
    let words = ForgetWhat::Words { person: person("alice").account, words: "the marmalade".to_owned() };
    let plan = stage.eraser.forget(request(words, KeepCopy::SevenDays)).await.unwrap();
    assert_eq!((plan.messages, plan.replies), (1, 1), "{plan:?}");
    let told = asked(&mut stage, &dm("alice"), "alice", "what did I burn?", "No idea.").await;
    assert!(!told.contains("marmalade") && told.contains("halyard"), "{told}");
    assert!(files(&home(&stage)).iter().all(|(_, text)| !text.contains("marmalade")));
}

#[tokio::test(start_paused = true)]
async fn contradiction_16_whoever_is_being_answered_is_answered_without_what_was_forgotten() {
    let mut stage = lived().await;
    let held =
        stage.asked_in(&channel(2, "#deck"), "ben", "so what is Alice's bird called that sings?").await;
    assert!(held.transcript().contains("Quillon"));
    let eraser = Arc::clone(&stage.eraser);
    eraser.forget(request(me(), KeepCopy::Nothing)).await.unwrap();
    drop(held);
    let again = stage.next_request().await;
    assert!(!again.transcript().contains("Quillon"), "{}", again.transcript());
    stage.replied_in(&channel(2, "#deck"), again, "Ask her.").await;
    assert_no_trace_of_alice(&stage);
}

/// What is asked, where and by whom; what it still says after the request; whether its answer is remembered.
const SAID_MEANWHILE: [(&str, &str, &str, bool); 3] = [
    ("alice", "what of my zebrafinch?", "It sings.", false),
    (
        "ben",
        "what did Alice say of her bird?",
        "\u{201c}My zebrafinch is called Quillon and it sings\u{201d}.",
        false,
    ),
    ("ben", "what is Alice's bird called that sings?", "Ask her yourself.", true),
];

#[tokio::test(start_paused = true)]
async fn contradiction_16_a_reply_that_is_being_said_is_remembered_only_if_it_holds_nothing_forgotten() {
    for (who, question, rest, is_remembered) in SAID_MEANWHILE {
        let mut stage = Stage::with("", DeliveryStyle::Live).await;
        mentioned(&mut stage, &ferry(), "alice", "my zebrafinch is called Quillon and it sings").await;
        let place = channel(2, "#deck");
        let mut held = stage.asked_in(&place, who, question).await;
        held.say("Let me think. ");
        stage.outbox.until_delivered(1).await;
        stage.eraser.forget(request(me(), KeepCopy::Nothing)).await.unwrap();
        held.say(rest);
        held.end();
        stage.settled_in(&place).await;
        stage.workers.idle().await;
        assert!(stage.delivered().concat().ends_with(rest), "it is said to its end");
        let own = stage.remembered_in(&place).await.into_iter().any(|(who, _)| who == "Mika");
        assert_eq!(own, is_remembered, "{question}");
        assert_no_trace_of_alice(&stage);
    }
}

#[tokio::test(start_paused = true)]
async fn contradiction_16_a_short_reply_that_is_being_said_is_not_remembered_where_it_holds_the_words() {
    for (rest, is_remembered) in [("Quillon.", false), ("Ask her.", true)] {
        let mut stage = Stage::with("", DeliveryStyle::Live).await;
        mentioned(&mut stage, &ferry(), "alice", "my dear old grandmother is Quillon").await;
        let place = channel(2, "#deck");
        let mut held = stage.asked_in(&place, "alice", "who is she again?").await;
        held.say("Let me think. ");
        stage.outbox.until_delivered(1).await;
        let words = ForgetWhat::Words { person: person("alice").account, words: "Quillon".to_owned() };
        stage.eraser.forget(request(words, KeepCopy::Nothing)).await.unwrap();
        held.say(rest);
        held.end();
        stage.settled_in(&place).await;
        stage.workers.idle().await;
        assert!(stage.delivered().concat().ends_with(rest), "it is said to its end");
        let own = stage.remembered_in(&place).await.into_iter().any(|(who, _)| who == "Mika");
        assert_eq!(own, is_remembered, "{rest}");
    }
}

#[tokio::test(start_paused = true)]
async fn contradiction_16_a_card_remembers_nothing_of_a_reply_over_which_something_was_forgotten() {
    let book = serde_json::json!({"name": "Pets", "entries": {
        "0": {"uid": 0, "comment": "Pets", "key": ["bird"], "content": "{{setvar::asker::{{user}}}}Birds sing."},
    }});
    for is_forgotten in [false, true] {
        let mut stage = super::lore::stage_in(DeliveryStyle::Live, "", &book).await;
        mentioned(&mut stage, &ferry(), "alice", "my zebrafinch is called Quillon").await;
        let place = channel(2, "#deck");
        let mut held = stage.asked_in(&place, "ben", "what is her bird called?").await;
        assert!(held.transcript().contains("Birds sing."), "{}", held.transcript());
        held.say("Let me think. ");
        stage.outbox.until_delivered(1).await;
        if is_forgotten {
            stage.eraser.forget(request(me(), KeepCopy::Nothing)).await.unwrap();
        }
        held.say("Ask her yourself.");
        held.end();
        stage.settled_in(&place).await;
        let kept = stage.history.seen_by(&Visible::at(&place)).card_variables(&place.channel).await.unwrap();
        assert_eq!(kept.contains_key("asker"), !is_forgotten, "{kept:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn contradiction_16_summaries_are_made_anew_from_what_is_left() {
    let mut stage = Stage::new().await;
    for n in 0..40 {
        let (who, text) = match n % 4 {
            0 => ("alice", format!("Captain Quillon{n} owes me {n} crowns since Tuesday")),
            _ => ("ben", format!("Captain Gannet{n} crossed the river at {}:15", n % 12)),
        };
        stage.says_in(&ferry(), who, &text, APART).await;
    }
    stage.settled().await;
    stage.workers.idle().await;
    let texts = |stage: &Stage| {
        let history = Arc::clone(&stage.history);
        async move {
            let summaries = history.whole().summaries(&ferry().channel).await.unwrap();
            summaries.iter().map(|summary| (summary.text.clone(), summary.stale)).collect::<Vec<_>>()
        }
    };
    let before = texts(&stage).await;
    assert!(before.iter().any(|(text, _)| text.contains("Quillon")), "{before:?}");
    stage.eraser.forget(request(me(), KeepCopy::SevenDays)).await.unwrap();
    stage.workers.idle().await;
    let after = texts(&stage).await;
    assert_eq!(after.len(), before.len(), "the past stays covered: {after:?}");
    assert!(after.iter().all(|(text, stale)| !stale && !text.contains("Quillon")), "{after:?}");
    assert!(after.iter().any(|(text, _)| text.contains("Gannet")), "{after:?}");
    stage.eraser.undo(&Asker::Person(person("alice").account)).await.unwrap();
    stage.workers.idle().await;
    let back = texts(&stage).await;
    assert!(back.iter().any(|(text, _)| text.contains("Quillon")), "{back:?}");
    assert_eq!(stage.history.verify().await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn contradiction_16_a_channel_is_forgotten_with_what_was_learnt_there() {
    let mut stage = lived().await;
    let plan = ForgetRequest {
        what: ForgetWhat::Channel(ferry().channel),
        by: Asker::Operator,
        keep: KeepCopy::Nothing,
    };
    let done = stage.eraser.forget(plan).await.unwrap();
    assert!(done.messages >= 5 && done.facts >= 1, "{done:?}");
    assert!(stage.remembered().await.is_empty());
    for (path, text) in files(&home(&stage)) {
        for word in ["oxbow", "tamarisk", "porthole"] {
            assert!(!text.contains(word), "{word} stands in {}", path.display());
        }
    }
    let told = asked(&mut stage, &dm("alice"), "alice", "what did I hide?", "The halyard.").await;
    assert!(told.contains("halyard"), "other places stay: {told}");
    let theirs = ForgetRequest {
        what: ForgetWhat::Channel(ferry().channel),
        by: Asker::Person(person("ben").account),
        keep: KeepCopy::Nothing,
    };
    assert!(stage.eraser.forget(theirs).await.is_err(), "that is not for one person to decide");
}
