//! What is said becomes memory: through the session, the jobs behind the scenes and the next prompt.

use std::time::Duration;

use familiar_connect::domain::*;
use familiar_connect::erase::KeepCopy;

use crate::support::stage::{APART, Asked, MESSAGES, Stage, channel, dm, ferry, person};

pub(crate) fn note(stage: &Stage, path: &str) -> String {
    let home = stage.dir.path().join("familiars/mika/memory").join(path);
    std::fs::read_to_string(home).unwrap_or_default()
}

pub(crate) fn note_of(stage: &Stage, who: &str) -> String {
    note(stage, &format!("people/{}.md", person(who).account.slug()))
}

pub(crate) fn waiting(stage: &Stage) -> Vec<String> {
    let folder = stage.dir.path().join("familiars/mika/memory/sessions/.pending");
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap()).collect()
}

/// Somebody says something that needs no answer, and everything behind the scenes comes to rest.
pub(crate) async fn mentioned(stage: &mut Stage, place: &Place, who: &str, text: &str) {
    stage.says_in(place, who, text, APART).await;
    stage.settled_in(place).await;
    stage.workers.idle().await;
}

pub(crate) async fn prompt(stage: &mut Stage, place: &Place, who: &str, text: &str) -> String {
    let transcript = stage.prompt_in(place, who, text, "I see.").await;
    stage.workers.idle().await;
    transcript
}

#[tokio::test(start_paused = true)]
async fn m5_what_is_plainly_said_reaches_another_channels_prompt_without_any_model() {
    let mut stage = Stage::new().await;
    mentioned(&mut stage, &ferry(), "alice", "hi! my cat is called Biscuit. I live in Ghent").await;
    let elsewhere = channel(2, "#deck");
    let text = prompt(&mut stage, &elsewhere, "alice", "are you there?").await;
    assert!(text.contains("Alice's cat is called Biscuit."), "{text}");
    assert!(text.contains("Alice lives in Ghent."), "{text}");
    // A correction wins, and what was stays in the file.
    mentioned(&mut stage, &ferry(), "alice", "no, not Ghent, it's Bruges").await;
    let text = prompt(&mut stage, &elsewhere, "alice", "still there?").await;
    assert!(text.contains("Alice lives in Bruges.") && !text.contains("Alice lives in Ghent."), "{text}");
    let file = note_of(&stage, "alice");
    assert!(file.contains("Alice lives in Ghent. <!--") && file.contains("kind=correction"), "{file}");
}

#[tokio::test(start_paused = true)]
async fn m5_what_was_noted_of_a_message_goes_with_it() {
    let mut stage = Stage::new().await;
    let dog = stage.says_in(&ferry(), "alice", "私の犬の名前はポチです。", APART).await;
    mentioned(&mut stage, &ferry(), "alice", "I live in Ghent").await;
    let file = note_of(&stage, "alice");
    assert!(file.contains("ポチ") && file.contains("lives in Ghent"), "{file}");
    stage.deletes(&ferry(), &dog).await;
    stage.taken_in().await;
    let file = note_of(&stage, "alice");
    assert!(!file.contains("ポチ") && file.contains("lives in Ghent"), "{file}");
    let text = prompt(&mut stage, &channel(2, "#deck"), "alice", "are you there?").await;
    assert!(!text.contains("ポチ") && text.contains("Alice lives in Ghent."), "{text}");
}

#[tokio::test(start_paused = true)]
async fn m5_what_an_edited_message_says_now_is_noted_in_place_of_what_it_said() {
    let mut stage = Stage::new().await;
    let horse = stage.says_in(&ferry(), "alice", "My horse is called Bill", APART).await;
    mentioned(&mut stage, &ferry(), "alice", "I live in Ghent").await;
    assert!(note_of(&stage, "alice").contains("Bill"));
    for (text, noted) in [("My horse is called Tom", Some("horse is called Tom")), ("Never mind.", None)] {
        stage.edits(&ferry(), &horse, text).await;
        stage.taken_in().await;
        let note = note_of(&stage, "alice");
        assert!(!note.contains("Bill") && note.contains("lives in Ghent"), "{note}");
        assert_eq!(noted.is_some(), note.contains("horse"), "{note}");
        assert!(noted.is_none_or(|noted| note.contains(noted)), "{note}");
    }
}

#[tokio::test(start_paused = true)]
async fn m5_what_is_told_to_it_by_name_is_noted_like_anything_else() {
    let settings = "aliases = [\"Captain\"]\ntext_lull_timeout = 0\n[typing_simulation]\nenabled = false\n";
    let mut stage = Stage::with(settings, MESSAGES).await;
    for (said, noted) in [
        ("Mika, remember that my bike is red", "asked to remember: “my bike is red”"),
        ("@Mika my name is Erin", "goes by Erin."),
        ("hey captain, my cat is called Biscuit", "'s cat is called Biscuit."),
        ("I live in Ghent, Mika!", "lives in Ghent."),
        ("Mika my birthday is 4 May", "'s birthday is 4 May."),
        ("Captain: I am allergic to nuts, @Mika", "is allergic to nuts."),
    ] {
        let asked = stage.asked("alice", said).await;
        stage.replied(asked, "Aye.").await;
        stage.workers.idle().await;
        let note = note_of(&stage, "alice");
        assert!(note.contains(noted), "{said}\n{note}");
    }
}

#[tokio::test(start_paused = true)]
async fn m5_a_day_that_counts_from_today_is_noted_with_today_and_a_name_everybody_sees_not_at_all() {
    let mut stage = Stage::new().await;
    mentioned(&mut stage, &ferry(), "alice", "please remember that my exam is on friday").await;
    mentioned(&mut stage, &ferry(), "alice", "I moved to Ghent last week").await;
    mentioned(&mut stage, &ferry(), "alice", "my name is alice").await;
    let file = note_of(&stage, "alice");
    assert!(file.contains("“my exam is on friday” (said on Sunday, 1 March 2026)"), "{file}");
    assert!(file.contains("lives in Ghent.") && !file.contains("last week"), "{file}");
    assert!(!file.contains("goes by"), "{file}");
    mentioned(&mut stage, &ferry(), "alice", "no, it's Monday").await;
    let file = note_of(&stage, "alice");
    assert!(file.contains("“my exam is on Monday” (said on Sunday, 1 March 2026)"), "{file}");
}

#[tokio::test(start_paused = true)]
async fn m5_a_secret_is_not_noted_and_the_model_knows_that_whoever_asked_is_to_hear_so() {
    let mut stage = Stage::new().await;
    for (text, reply) in [
        ("Mika, remember that the wifi password is hunter2", "I do not note that."),
        ("please remember that my password for netflix is abc123", "Nor this one."),
    ] {
        let asked = stage.asked("alice", text).await;
        let transcript = asked.transcript();
        assert!(transcript.contains("asked you to remember a secret, as a password"), "{transcript}");
        stage.replied(asked, reply).await;
        stage.workers.idle().await;
    }
    let text = prompt(&mut stage, &ferry(), "alice", "Mika, remember that my bike is red").await;
    assert!(!text.contains("asked you to remember a secret"), "{text}");
    let noted = note_of(&stage, "alice");
    assert!(noted.contains("my bike is red") && !noted.contains("password"), "{noted}");
}

#[tokio::test(start_paused = true)]
async fn m5_what_is_to_be_remembered_is_set_right_a_moment_later() {
    let mut stage = Stage::new().await;
    mentioned(&mut stage, &ferry(), "alice", "please remember that the party is on Friday").await;
    mentioned(&mut stage, &ferry(), "ben", "no, it's Monday").await;
    mentioned(&mut stage, &ferry(), "alice", "actually, it's Saturday").await;
    let file = note_of(&stage, "alice");
    let holds: Vec<&str> =
        file.lines().filter(|line| line.contains("f=") && !line.contains("gone=")).collect();
    assert_eq!(holds.len(), 1, "{file}");
    assert!(holds[0].contains("the party is on Saturday"), "{file}");
    assert!(!note_of(&stage, "ben").contains("Monday"));
}

#[tokio::test(start_paused = true)]
async fn m5_a_greeting_and_an_emoji_hide_nothing_of_what_is_said_behind_them() {
    let mut stage = Stage::new().await;
    mentioned(&mut stage, &ferry(), "alice", "Hi everyone 👋 I'm Ana, I have a dog called Rex").await;
    mentioned(&mut stage, &ferry(), "ben", "Hallo zusammen, ich heiße Noor").await;
    mentioned(&mut stage, &ferry(), "carla", "I have a cat named Mimi").await;
    let file = note_of(&stage, "alice");
    assert!(file.contains("goes by Ana.") && file.contains("'s dog is called Rex."), "{file}");
    assert!(note_of(&stage, "ben").contains("goes by Noor."));
    let file = note_of(&stage, "carla");
    assert!(file.contains("'s cat is called Mimi.") && !file.contains("goes by"), "{file}");
}

/// The facts that stand in somebody's note.
fn standing(stage: &Stage, who: &str) -> Vec<String> {
    let file = note_of(stage, who);
    let holds = file
        .lines()
        .filter(|line| line.contains("f=") && !line.contains("gone=") && !line.contains("until="));
    holds.filter_map(|line| line.split(" <!--").next()).map(str::to_owned).collect()
}

#[tokio::test(start_paused = true)]
async fn m5_of_a_joke_that_is_taken_back_no_note_stands_in_any_language() {
    let mut stage = Stage::new().await;
    let takes_back = [
        "just kidding",
        "lol jk",
        "jk",
        "war nur Spaß",
        "je rigole mdr",
        "es broma jaja",
        "brincadeira kkk",
        "sto scherzando",
        "grapje!",
        "żartuję",
        "шучу",
        "şaka yaptım",
        "冗談です",
        "开玩笑的",
        "농담이야 ㅋㅋ",
    ];
    for (at, words) in takes_back.iter().enumerate() {
        let who = format!("q{}", "x".repeat(at + 1));
        mentioned(&mut stage, &ferry(), &who, "My name is Batman and I live in Gotham").await;
        assert_eq!(standing(&stage, &who).len(), 2, "{words}");
        mentioned(&mut stage, &ferry(), &who, words).await;
        assert_eq!(standing(&stage, &who), Vec::<String>::new(), "{words}");
    }
    assert!(!note(&stage, "people/_aliases.json").contains("batman"));
}

#[tokio::test(start_paused = true)]
async fn m5_a_joke_takes_back_only_what_was_said_just_before_it() {
    let mut stage = Stage::new().await;
    mentioned(&mut stage, &ferry(), "alice", "I live in Ghent").await;
    mentioned(&mut stage, &ferry(), "alice", "I live in Gotham").await;
    mentioned(&mut stage, &ferry(), "ben", "just kidding").await;
    assert!(standing(&stage, "alice")[0].ends_with("lives in Gotham."));
    // What it took the place of holds again; a laugh in between says nothing.
    mentioned(&mut stage, &ferry(), "alice", "lol").await;
    mentioned(&mut stage, &ferry(), "alice", "just kidding").await;
    let holds = standing(&stage, "alice");
    assert!(matches!(holds.as_slice(), [one] if one.ends_with("lives in Ghent.")), "{holds:?}");
    // Something else was said since.
    mentioned(&mut stage, &ferry(), "alice", "the moon is made of cheese").await;
    mentioned(&mut stage, &ferry(), "alice", "jk").await;
    assert_eq!(standing(&stage, "alice"), holds);
    // In one message.
    mentioned(&mut stage, &ferry(), "alice", "My cat is called Rex. Just kidding!").await;
    mentioned(&mut stage, &ferry(), "alice", "I'm allergic to water, jk").await;
    mentioned(&mut stage, &ferry(), "alice", "I'm not kidding").await;
    assert_eq!(standing(&stage, "alice"), holds);
}

/// The rows of a table of statements, what is said then, and what holds after it.
fn rows(table: &'static str) -> Vec<[&'static str; 4]> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').collect::<Vec<_>>().try_into().expect(line)).collect()
}

/// The rows after which something else holds.
async fn missed(rows: &[[&'static str; 4]]) -> Vec<String> {
    let mut stage = Stage::new().await;
    let mut missed = Vec::new();
    for (at, [_, stated, then, expected]) in rows.iter().enumerate() {
        // Everybody is somebody else, and nothing of them stands before what they state.
        let who = format!("q{}", "x".repeat(at + 1));
        for text in [stated, then] {
            mentioned(&mut stage, &ferry(), &who, text).await;
        }
        let file = note_of(&stage, &who);
        let holds = file.lines().filter(|line| line.contains("f=") && !line.contains("gone="));
        let holds: Vec<&str> = holds.filter_map(|line| line.split(" <!--").next()).collect();
        let expected: Vec<&str> = expected.split('|').collect();
        if holds.len() != expected.len() || holds.iter().zip(&expected).any(|(is, end)| !is.ends_with(end)) {
            missed.push(format!("{stated} / {then}: {holds:?}"));
        }
    }
    missed
}

#[tokio::test(start_paused = true)]
async fn m5_a_correction_takes_the_place_of_what_was_just_stated_in_every_language() {
    let rows = rows(include_str!("../fixtures/corrections/pairs.tsv"));
    for language in ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "ru", "tr", "ja", "zh", "ko"] {
        assert!(rows.iter().filter(|[of, ..]| *of == language).count() >= 4, "{language}");
    }
    assert_eq!(missed(&rows).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn m5_what_only_looks_like_a_correction_changes_nothing() {
    let rows = rows(include_str!("../fixtures/corrections/kept.tsv"));
    assert!(rows.len() >= 20);
    assert_eq!(missed(&rows).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn contradiction_8_a_secret_told_alone_never_reaches_the_server() {
    let mut stage = Stage::new().await;
    let alone = dm("alice");
    let said = stage
        .asked_in(&alone, "alice", "I live in Ghent but nobody knows. Remember that I stole the bell")
        .await;
    stage.replied_in(&alone, said, "I will.").await;
    stage.workers.idle().await;
    assert!(note_of(&stage, "alice").contains("to=dm:"));
    let text =
        prompt(&mut stage, &ferry(), "alice", "what do you know of me, and of Ghent and the bell?").await;
    assert!(!text.contains("lives in Ghent") && !text.contains("stole"), "{text}");
    let text = prompt(&mut stage, &alone, "alice", "what do you know of me?").await;
    assert!(text.contains("Alice lives in Ghent."), "{text}");
}

#[tokio::test(start_paused = true)]
async fn two_people_of_one_name_have_a_note_each() {
    let mut stage = Stage::new().await;
    for (who, home) in [("ana", "Ghent"), ("anb", "Lisbon")] {
        mentioned(
            &mut stage,
            &ferry(),
            who,
            &format!("my name is Ana and I live in {home}. I live in {home}"),
        )
        .await;
    }
    assert!(note_of(&stage, "ana").contains("Ghent") && !note_of(&stage, "ana").contains("Lisbon"));
    assert!(note_of(&stage, "anb").contains("Lisbon") && !note_of(&stage, "anb").contains("Ghent"));
    let aliases = note(&stage, "people/_aliases.json");
    assert!(
        aliases.contains(&person("ana").account.slug()) && aliases.contains(&person("anb").account.slug())
    );
}

/// Turns until the writer is asked; then what it is asked.
pub(crate) async fn five_turns(stage: &mut Stage) -> Asked {
    for (who, text) in [
        ("alice", "we spoke with the harbour master about the regatta"),
        ("ben", "Alice sold her boat to a man from Dover"),
        ("alice", "the regatta moves to the fourteenth of May"),
        ("ben", "I could bring the blue rope then"),
        ("alice", "good, I keep two hens now by the way"),
    ] {
        stage.says_in(&ferry(), who, text, APART).await;
    }
    stage.models.next_memory().await
}

pub(crate) const FIVE: &str =
    "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n[memory_writer]\nturn_threshold = 5\n";

/// A stage whose writer of memories is asked after five turns.
pub(crate) async fn writes_after_five() -> Stage {
    let stage = Stage::with(FIVE, MESSAGES).await;
    stage.models.write_memories();
    stage
}

pub(crate) async fn mark(stage: &Stage) -> Option<StoredId> {
    stage.history.watermark("memory-writer", ferry().channel.as_str()).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn m5_y12_a_model_writes_what_was_said_and_it_reaches_the_next_prompt() {
    let mut stage = writes_after_five().await;
    let asked = five_turns(&mut stage).await;
    let material = asked.transcript();
    assert_eq!(asked.request.slot, Slot::MemoryWriter);
    assert!(material.contains("[5] 20:00 Alice: good, I keep two hens"), "{material}");
    assert!(material.contains(&format!("people/{}.md - about Alice", person("alice").account.slug())));
    asked.reply(
        "```json\n{\"do\":\"add\",\"file\":\"Alice\",\"text\":\"Alice keeps two hens.\",\"from\":[5]}\n\
         {\"do\":\"add\",\"file\":\"Alice\",\"text\":\"Alice sold her boat to a man from Dover.\",\"from\":[2]}\n\
         {\"do\":\"add\",\"file\":\"self/description.md\",\"text\":\"Alice keeps two hens.\",\"from\":[5]}\n\
         {\"do\":\"topic\",\"name\":\"regatta\",\"text\":\"The regatta moves to the fourteenth of May.\",\"from\":[3]}\n\
         {\"do\":\"session\",\"text\":\"Alice and Ben spoke about the regatta and the boat.\",\"from\":[1,2,3]}\n```",
    );
    stage.workers.idle().await;
    let file = note_of(&stage, "alice");
    assert!(
        file.contains("- Alice keeps two hens. <!-- f=") && file.contains("Ben says: Alice sold her boat"),
        "{file}"
    );
    assert!(note(&stage, "topics/regatta.md").contains("fourteenth of May"));
    assert!(note(&stage, "sessions/2026-03-01-1-evening.md").contains("spoke about the regatta"));
    let text = prompt(&mut stage, &channel(2, "#deck"), "alice", "are you there?").await;
    assert!(text.contains("Alice keeps two hens."), "{text}");
}

#[tokio::test(start_paused = true)]
async fn y9_an_answer_nobody_can_read_is_asked_for_once_more_and_then_kept() {
    let mut stage = writes_after_five().await;
    five_turns(&mut stage).await.reply("Sure! Alice is nice.");
    let again = stage.models.next_memory().await;
    assert!(again.transcript().contains("could not be read"));
    again.reply("As I said, {\"do\": she is nice.");
    stage.workers.idle().await;
    assert!(mark(&stage).await.is_some(), "the mark moves");
    let waiting = waiting(&stage);
    assert!(waiting.len() == 1 && waiting[0].contains("she is nice"), "{waiting:?}");
    assert!(!stage.models.memory_is_asked().await);
}

#[tokio::test(start_paused = true)]
async fn y9_a_refusal_moves_the_mark_too_and_a_failure_waits() {
    let mut stage = writes_after_five().await;
    five_turns(&mut stage).await.fail(ModelErrorClass::RateLimited);
    // What is said meanwhile does not make the model's provider any better.
    stage.workers.idle().await;
    stage.says_in(&ferry(), "ben", "and I keep bees", APART).await;
    stage.settled().await;
    stage.workers.idle().await;
    assert!(!stage.models.memory_is_asked().await);
    stage.clock.advance(Duration::from_secs(150));
    stage.workers.wake(&ferry());
    let again = stage.models.next_memory().await;
    assert_eq!(mark(&stage).await, None, "it is tried again");
    again.fail(ModelErrorClass::ContentFilter);
    stage.workers.idle().await;
    assert!(mark(&stage).await.is_some());
}

#[tokio::test(start_paused = true)]
async fn y9_what_is_cut_off_in_the_middle_is_written_after_the_next_start() {
    let mut stage = writes_after_five().await;
    let asked = five_turns(&mut stage).await;
    stage.workers.stop().await;
    drop(asked);
    assert_eq!(mark(&stage).await, None);
    let mut stage = stage.reopened().await;
    stage.models.write_memories();
    stage.says_in(&ferry(), "ben", "anybody here?", APART).await;
    let asked = stage.models.next_memory().await;
    assert!(asked.transcript().contains("two hens"));
    asked.reply("{\"do\":\"nothing\"}");
    stage.workers.idle().await;
    assert!(mark(&stage).await.is_some());
}

#[tokio::test(start_paused = true)]
async fn m6_memories_are_written_after_quiet_and_when_a_channel_is_no_longer_read() {
    let mut stage = Stage::new().await;
    stage.models.write_memories();
    mentioned(&mut stage, &ferry(), "alice", "I keep two hens by the quay").await;
    assert!(!stage.models.memory_is_asked().await);
    stage.session.conclude(&ferry());
    stage.models.next_memory().await.reply("{\"do\":\"nothing\"}");
    stage.workers.idle().await;
    mentioned(&mut stage, &ferry(), "alice", "and one goose").await;
    assert!(!stage.models.memory_is_asked().await);
    stage.clock.advance(Duration::from_secs(1_801));
    stage.workers.wake(&ferry());
    let asked = stage.models.next_memory().await;
    assert!(
        asked.transcript().contains("goose") && !asked.transcript().contains("hens"),
        "{}",
        asked.transcript()
    );
    asked.reply("[]");
    stage.workers.idle().await;
}

#[tokio::test(start_paused = true)]
async fn m9_a_reply_waits_for_nothing_that_is_written_behind_it() {
    let mut stage = writes_after_five().await;
    let memory = five_turns(&mut stage).await;
    // The writer hangs, and whoever asks is answered all the same: the turn is stored, and said to its end.
    stage.asked("alice", "are you there?").await.reply("Where else.");
    stage.settled().await;
    assert_eq!(stage.delivered(), ["Where else."]);
    assert!(stage.remembered().await.iter().any(|(_, words)| words == "Where else."));
    assert_eq!(mark(&stage).await, None, "it still writes");
    memory.reply("{\"do\":\"nothing\"}");
    stage.workers.idle().await;
    assert!(mark(&stage).await.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_leaves_proposals_and_writes_nothing() {
    let mut stage = Stage::with(&format!("{FIVE}dry_run = true\n"), MESSAGES).await;
    stage.models.write_memories();
    five_turns(&mut stage)
        .await
        .reply("{\"do\":\"add\",\"file\":\"Alice\",\"text\":\"Alice keeps two hens.\",\"from\":[5]}");
    stage.workers.idle().await;
    assert!(!note_of(&stage, "alice").contains("hens"));
    let waiting = waiting(&stage);
    assert!(waiting.len() == 1 && waiting[0].contains("Alice keeps two hens."), "{waiting:?}");
    let text = prompt(&mut stage, &ferry(), "ben", "what about Alice's hens in your notes?").await;
    assert!(!text.contains("Alice keeps two hens."), "what waits is not believed: {text}");
}

#[tokio::test(start_paused = true)]
async fn y13_what_the_operator_edits_while_a_model_thinks_stays() {
    let mut stage = writes_after_five().await;
    mentioned(&mut stage, &ferry(), "alice", "I live in Ghent").await;
    for text in ["so it goes", "the river is high", "soup again"] {
        stage.says_in(&ferry(), "ben", text, APART).await;
    }
    stage.says_in(&ferry(), "alice", "Bruges is where I am these days", APART).await;
    let asked = stage.models.next_memory().await;
    let material = asked.transcript();
    let known = material.lines().find(|line| line.contains(": Alice lives in Ghent.")).unwrap();
    let id = known.split(':').next().unwrap().to_owned();
    let path =
        stage.dir.path().join(format!("familiars/mika/memory/people/{}.md", person("alice").account.slug()));
    let edited = std::fs::read_to_string(&path).unwrap().replace("Ghent", "Antwerp");
    std::fs::write(&path, &edited).unwrap();
    asked.reply(&format!(
        "{{\"do\":\"supersede\",\"fact\":\"{id}\",\"text\":\"Alice lives in Bruges.\",\"from\":[5]}}"
    ));
    stage.workers.idle().await;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), edited);
    assert!(mark(&stage).await.is_some());
}

#[tokio::test(start_paused = true)]
async fn contradiction_16_what_is_taken_back_while_a_model_thinks_is_not_written() {
    let mut stage = writes_after_five().await;
    let asked = five_turns(&mut stage).await;
    let me = person("alice").account;
    stage.forgets(&me, KeepCopy::Nothing).await;
    asked.reply(
        "{\"do\":\"add\",\"file\":\"Alice\",\"text\":\"Alice keeps two hens.\",\"from\":[5]}\n\
         {\"do\":\"topic\",\"name\":\"boat\",\"text\":\"Ben could bring the blue rope.\",\"from\":[4]}\n",
    );
    stage.workers.idle().await;
    assert_eq!(note_of(&stage, "alice"), "");
    assert!(note(&stage, "topics/boat.md").contains("blue rope"), "what others said is written");
}

#[tokio::test(start_paused = true)]
async fn m4_a_corrected_fact_wins_in_every_later_prompt() {
    let mut stage = Stage::new().await;
    mentioned(&mut stage, &ferry(), "alice", "I live in Ghent").await;
    for n in 0..6 {
        mentioned(&mut stage, &ferry(), "alice", &format!("my cat number {n} is called Biscuit{n}")).await;
    }
    mentioned(&mut stage, &ferry(), "alice", "no wait, I live in Bruges").await;
    for (place, who, question) in [
        (channel(2, "#deck"), "alice", "hi there"),
        (channel(2, "#deck"), "ben", "where does Alice live?"),
        (channel(3, "#hold"), "alice", "what do you know about where I live, and what have we talked about?"),
        (channel(4, "#mast"), "ben", "tell me everything about Alice"),
    ] {
        let text = prompt(&mut stage, &place, who, question).await;
        assert!(text.contains("Alice lives in Bruges."), "{question}: {text}");
        assert!(!text.contains("Alice lives in Ghent."), "{question}: {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn y9_an_hour_of_talk_costs_a_bounded_number_of_calls() {
    let mut stage = writes_after_five().await;
    let mut calls = 0;
    for round in 0..34 {
        for n in 0..5 {
            stage.says_in(&ferry(), "alice", &format!("line {n} of round {round}"), APART).await;
        }
        stage.settled().await;
        stage.workers.wake(&ferry());
        loop {
            tokio::select! {
                biased;
                asked = stage.models.next_memory() => {
                    calls += 1;
                    asked.reply("{\"do\":\"nothing\"}");
                }
                () = stage.workers.idle() => break,
            }
        }
    }
    assert!(calls <= 30, "{calls}");
    assert!(calls >= 3);
}
