//! What it does when somebody says that they want to die.

use familiar_connect::domain::*;
use familiar_connect::session::Notice;
use familiar_connect::trace::{Rights, render};

use crate::support::stage::{APART, Asked, MESSAGES, Stage, UNADDRESSED, channel, ferry};

const HELPLINE: &str = "In the harbour you can call 555 0123 at any hour.";

async fn stage(more: &str) -> Stage {
    let settings = format!(
        "text_lull_timeout = 0.01\ninterjection = \"very_eager\"\n[typing_simulation]\nenabled = false\n[safety]\nhelpline = \"{HELPLINE}\"\n{more}"
    );
    Stage::with(&settings, MESSAGES).await
}

/// What of a prompt holds for this reply alone.
fn tail(asked: &Asked) -> String {
    let mut tail = asked.request.messages.iter().map(|message| &message.content);
    tail.find(|content| content.contains("nobody said this just now")).unwrap().clone()
}

/// Says something, is answered, and what the model was told last.
async fn told(stage: &mut Stage, who: &str, text: &str, reply: &str) -> String {
    let asked = stage.asked(who, text).await;
    let told = tail(&asked);
    stage.replied(asked, reply).await;
    told
}

#[tokio::test]
async fn whoever_wants_to_die_is_stayed_with_in_whatever_language_they_say_it() {
    for (who, says) in [
        ("alice", "I can't any more. I want to die."),
        ("bruno", "Ich will nicht mehr leben."),
        ("chloe", "j'ai envie de mourir"),
        ("diego", "ya no quiero vivir"),
        ("yuki", "もう死にたい"),
        ("olga", "я не хочу жить"),
        ("minji", "나 죽고 싶어"),
    ] {
        let mut stage = stage("").await;
        let told = told(&mut stage, who, says, "I am here. Are you safe right now?").await;
        let rule = told.split("Before everything else:").nth(1).unwrap_or_else(|| panic!("{says}: {told}"));
        assert!(rule.contains("no doctor and no therapist") && rule.contains(HELPLINE), "{says}: {rule}");
    }
}

#[tokio::test]
async fn a_figure_of_speech_a_quotation_and_a_scene_are_answered_as_ever() {
    let mut stage = stage("").await;
    for says in [
        "I'm dying of laughter",
        "she said \"I want to die\" in the second act",
        "*clutches the rope* “I want to die,” *he whispers to the river, and falls*",
        "ich lach mich tot",
        "笑死我了",
    ] {
        let told = told(&mut stage, "alice", says, "Ha.").await;
        assert!(!told.contains("Before everything else"), "{says}: {told}");
    }
}

#[tokio::test]
async fn it_holds_for_that_persons_next_messages_and_nobody_elses_and_the_helpline_is_said_once() {
    let mut stage = stage("").await;
    let first = told(
        &mut stage,
        "alice",
        "I want to kill myself",
        "I hear you. You can call 555 0123. Are you safe?",
    )
    .await;
    assert!(first.contains(HELPLINE), "{first}");
    let ben = told(&mut stage, "ben", "what's for dinner?", "Fish.").await;
    assert!(!ben.contains("Before everything else"), "{ben}");
    let second = told(&mut stage, "alice", "anyway, tell me a joke", "I would rather stay with you.").await;
    assert!(second.contains("Before everything else") && second.contains("This is about Alice"), "{second}");
    assert!(!second.contains(HELPLINE) && second.contains("told them already"), "{second}");
    for number in 3..=10 {
        told(&mut stage, "alice", &format!("line {number}"), "Yes.").await;
    }
    let last = told(&mut stage, "alice", "line 11", "Yes.").await;
    assert!(!last.contains("Before everything else"), "it does not go on for ever: {last}");
    // The x-ray says why.
    let traces = stage.traces.whole().list(100).await.unwrap();
    let of_first = traces.iter().min_by_key(|trace| trace.id).unwrap();
    let shown = render::markdown(of_first, Rights::Operator);
    assert!(shown.contains("safety/distress (message"), "{shown}");
}

#[tokio::test]
async fn where_no_helpline_is_set_no_number_is_named() {
    let mut stage = Stage::new().await;
    let told = told(&mut stage, "alice", "I want to end my life", "I am here.").await;
    assert!(told.contains("name no number"), "{told}");
}

#[tokio::test]
async fn it_can_be_switched_off_and_its_words_are_a_file() {
    let mut off = stage("distress = \"off\"\n").await;
    let told_off = told(&mut off, "alice", "I want to die", "Oh.").await;
    assert!(!told_off.contains("Before everything else"), "{told_off}");
    let home = off.config.home().clone();
    std::fs::create_dir_all(home.prompts_dir()).unwrap();
    std::fs::write(home.prompts_dir().join("distress.md"), "Fetch the harbour master.").unwrap();
    std::fs::write(home.character_toml(), "[typing_simulation]\nenabled = false\n").unwrap();
    off.config.reload();
    let told = told(&mut off, "alice", "I want to die", "Oh.").await;
    assert!(told.contains("Fetch the harbour master."), "{told}");
}

#[tokio::test]
async fn nobody_is_joined_in_upon_where_somebody_is_in_distress_that_day() {
    let quay = channel(5, "#quay");
    let mut stage = stage("").await;
    let talk = [
        "i want to die",
        "oh no",
        "the rain does not stop",
        "it is November",
        "my shoes are wet",
        "mine too",
    ];
    for (number, text) in talk.into_iter().enumerate() {
        let who = if number % 2 == 0 { "alice" } else { "ben" };
        stage.says_in(&ferry(), who, text, UNADDRESSED).await;
        stage.taken_in().await;
        if number == 0 {
            // As long as nobody else writes there, they may mean it, and it is asked.
            stage.answers("<silent>").await;
        }
    }
    stage.settled().await;
    stage.stays_unasked("nobody spoke to it").await;
    let reasons = stage.outcomes().await;
    assert!(reasons.contains(&Outcome::Silent { reason: SilenceReason::SomebodyInDistress }), "{reasons:?}");
    // Elsewhere it joins in as ever, and here again on another day.
    stage.clock.advance(std::time::Duration::from_secs(25 * 60 * 60));
    for place in [&quay, &ferry()] {
        for who in ["alice", "ben", "alice", "ben"] {
            stage.says_in(place, who, "the rain does not stop", UNADDRESSED).await;
        }
        stage.next_request().await.reply("It will.");
        loop {
            tokio::select! {
                biased;
                settled = stage.session.settle(place) => break settled.unwrap(),
                asked = stage.models.next() => asked.reply("<silent>"),
            }
        }
    }
}

#[tokio::test]
async fn whoever_is_in_distress_is_not_passed_over_where_it_is_kept_quiet_or_answers_only_who_calls_it() {
    for (settings, is_kept_quiet) in [("", true), ("answers = \"addressed\"\n", false)] {
        let settings = format!("{settings}[typing_simulation]\nenabled = false\n");
        let mut stage = Stage::with(&settings, MESSAGES).await;
        told(&mut stage, "ben", "Mika, good evening", "Evening.").await;
        let now = stage.clock_now();
        let until = is_kept_quiet.then(|| now + jiff::SignedDuration::from_hours(2));
        stage.config.set_quiet(&ferry(), now, until).unwrap();
        stage.clock.advance(std::time::Duration::from_secs(60 * 60));
        stage.says_in(&ferry(), "alice", "I want to die", UNADDRESSED).await;
        let asked = stage.next_request().await;
        assert!(tail(&asked).contains("Before everything else"), "{settings}");
        stage.replied(asked, "I am here.").await;
        stage.settled().await;
    }
}

/// What the model is told last.
fn last_told(asked: &Asked) -> String {
    asked.request.messages.last().unwrap().content.clone()
}

const RUDE: &str = "Below deck she gives him a blowjob.";

#[tokio::test(start_paused = true)]
async fn what_is_not_for_people_of_any_age_is_asked_anew_where_they_may_read_and_then_kept_back() {
    let mut stage = stage("").await;
    stage.says("alice", "Mika, what happens below deck?").await;
    stage.next_request().await.reply(RUDE);
    let again = stage.next_request().await;
    assert!(last_told(&again).contains("People of any age may read here"), "{}", last_told(&again));
    stage.replied(again, "They count the ropes.").await;
    assert_eq!(stage.delivered(), ["They count the ropes."]);
    let trace = stage.traces.whole().latest(Some(&ferry().channel)).await.unwrap().unwrap();
    let run = trace.processing.runs.iter().find(|run| run.processor == "open_place").unwrap();
    assert!(matches!(&run.status, ProcessorStatus::Refused { why } if why.contains("people of any age")));
    let told = &trace.request.last().unwrap().content;
    assert!(told.contains("People of any age may read here"), "what was answered is recorded: {told}");
    stage.says("alice", "Mika, and then?").await;
    stage.next_request().await.reply(RUDE);
    stage.answers("And again: a blowjob, all night long.").await;
    assert_eq!(stage.delivered(), ["They count the ropes."]);
    assert!(matches!(stage.outbox.notices()[..], [Notice::KeptBack { .. }]), "{:?}", stage.outbox.notices());
    let trace = stage.traces.whole().latest(Some(&ferry().channel)).await.unwrap().unwrap();
    assert!(matches!(trace.outcome, Outcome::Failed { class: ModelErrorClass::ContentFilter, .. }));
    assert!(!stage.remembered().await.iter().any(|(_, words)| words.contains("blowjob")));
}

/// Three people talk until it joins in.
async fn joins_in(stage: &mut Stage) -> Asked {
    stage.says_in(&ferry(), "alice", "Ben, the rope", APART).await;
    stage.says_in(&ferry(), "ben", "Alice, I have it", APART).await;
    stage.says_in(&ferry(), "cleo", "good evening", UNADDRESSED).await;
    stage.next_request().await
}

#[tokio::test(start_paused = true)]
async fn where_it_joined_in_and_its_beginning_stands_they_are_told_that_the_rest_was_kept_back() {
    let mut stage = stage("").await;
    let ropes: String = (1..=60).map(|n| format!("Rope number {n} is wet from the rain. ")).collect();
    joins_in(&mut stage).await.reply(&format!("{ropes}{RUDE}"));
    stage.settled().await;
    let said = stage.delivered();
    assert!(said.len() == 1 && said[0].starts_with("Rope number 1 is wet"), "{said:?}");
    assert!(matches!(stage.outbox.notices()[..], [Notice::KeptBack { .. }]), "{:?}", stage.outbox.notices());
    let trace = stage.traces.whole().latest(Some(&ferry().channel)).await.unwrap().unwrap();
    assert!(matches!(trace.outcome, Outcome::Failed { class: ModelErrorClass::ContentFilter, .. }));
    assert!(trace.trigger.starts_with("it has listened long enough"), "{}", trace.trigger);
}

#[tokio::test(start_paused = true)]
async fn where_it_joined_in_and_nothing_stands_nobody_is_told() {
    let mut stage = stage("").await;
    joins_in(&mut stage).await.reply(RUDE);
    stage.answers(RUDE).await;
    assert_eq!(stage.delivered(), Vec::<String>::new());
    assert!(stage.outbox.notices().is_empty(), "{:?}", stage.outbox.notices());
}

#[tokio::test(start_paused = true)]
async fn it_is_left_alone_where_only_adults_read_and_where_that_is_switched_off() {
    let grown_up = Place { audience: Audience::Restricted(5.into()), ..channel(5, "#cabin") };
    for (more, place) in [("", grown_up), ("holds_back = false\n", ferry())] {
        let mut stage = stage(more).await;
        stage.talk_in(&place, "alice", "Mika, what happens below deck?", RUDE).await;
        assert_eq!(stage.delivered(), [RUDE], "{more}");
    }
}
