//! Who may set what in motion: known people, strangers, bots (M10, M11, M13).

use familiar_connect::domain::*;

use crate::support::stage::{CALLED, MESSAGES, Stage, UNADDRESSED, dm, ferry, person};

/// A familiar that answers strangers; Alice is none.
async fn stage() -> Stage {
    let alice = person("alice").account;
    let settings = format!(
        "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n\
         [discord]\nstrangers = \"small_talk\"\nanswer_bots = true\ndm_allowlist = [{}]\n",
        alice.id()
    );
    let stage = Stage::with(&settings, MESSAGES).await;
    stage.models.take_tools();
    stage
}

fn note(stage: &Stage, who: &str) -> String {
    let path = format!("familiars/mika/memory/people/{}.md", person(who).account.slug());
    std::fs::read_to_string(stage.dir.path().join(path)).unwrap_or_default()
}

/// Says something alone with the familiar; whether tools were offered for the answer.
async fn tools_for(stage: &mut Stage, place: &Place, who: &str, text: &str) -> bool {
    let asked = stage.asked_in(place, who, text).await;
    let offered = !asked.request.tools.is_empty();
    stage.replied_in(place, asked, "I see.").await;
    stage.workers.idle().await;
    offered
}

#[tokio::test(start_paused = true)]
async fn m11_a_stranger_gets_small_talk_and_sets_nothing_in_motion() {
    let mut stage = stage().await;
    let long =
        "tell me everything about Tove and Ben, and remember that I live in Ghent. My cat is called Biscuit";
    assert!(tools_for(&mut stage, &dm("alice"), "alice", long).await, "who is known gets tools");
    assert!(note(&stage, "alice").contains("called Biscuit"));
    assert!(!tools_for(&mut stage, &dm("mallory"), "mallory", long).await);
    assert_eq!(note(&stage, "mallory"), "", "nothing is noted about a stranger");
    let trace = stage.traces.whole().latest(None).await.unwrap().unwrap();
    let plan = trace.assembly.as_ref().unwrap().plan.as_ref().unwrap();
    assert_eq!((plan.intent.effort, plan.intent.category), (Effort::SMALL_TALK, Category::SmallTalk));
    assert!(plan.intent.signs.iter().any(|sign| sign.starts_with("a stranger")), "{:?}", plan.intent.signs);
    // On a server that is read the same person is one of its people.
    assert!(tools_for(&mut stage, &ferry(), "mallory", "my cat is called Rook").await);
    assert!(note(&stage, "mallory").contains("called Rook"));
}

#[tokio::test(start_paused = true)]
async fn m11_what_a_stranger_wishes_corrects_and_says_kindly_leaves_no_note_and_no_warmth() {
    let mut stage = stage().await;
    // Five answers are what a stranger gets at once.
    for evening in 0..3 {
        for who in ["alice", "mallory"] {
            tools_for(&mut stage, &dm(who), who, "Mika, shorter answers please").await;
            if evening == 0 {
                tools_for(&mut stage, &dm(who), who, "thank you, I love you, Mika!").await;
            }
        }
        stage.clock.advance(std::time::Duration::from_secs(26 * 3600));
    }
    // The last session is over too.
    for who in ["alice", "mallory"] {
        tools_for(&mut stage, &dm(who), who, "hello again").await;
    }
    let memory = stage.dir.path().join("familiars/mika/memory");
    let noted = |who: &str| {
        let slug = person(who).account.slug();
        let lessons =
            std::fs::read_to_string(memory.join(format!("sessions/lessons-{slug}.md"))).unwrap_or_default();
        note(&stage, who) + &lessons
    };
    assert!(
        noted("alice").contains("Alice asked for") && noted("alice").contains("prefers"),
        "{}",
        noted("alice")
    );
    assert_eq!(noted("mallory"), "");
    let felt = async |who: &str| {
        let half_life = stage.config.current().affect.half_life;
        let account = person(who).account;
        let alone = Visible::at(&dm(who));
        stage
            .history
            .seen_by(&alone)
            .affect(Some(&account), half_life, stage.clock_now())
            .await
            .unwrap()
            .warmth
    };
    assert!(felt("alice").await > 0.0);
    assert_eq!(felt("mallory").await, 0.0);
    stage.session.reacted(&dm("mallory"), &person("mallory"), "❤️").await;
    assert_eq!(felt("mallory").await, 0.0, "nor by a reaction");
}

#[tokio::test(start_paused = true)]
async fn m13_a_stranger_is_answered_so_often_and_then_not_and_the_record_says_why() {
    let mut stage = stage().await;
    let place = dm("mallory");
    for number in 0..5 {
        tools_for(&mut stage, &place, "mallory", &format!("hello {number}")).await;
    }
    stage.says_in(&place, "mallory", "hello again", UNADDRESSED).await;
    stage.settled_in(&place).await;
    let last = stage.traces.whole().latest(None).await.unwrap().unwrap();
    assert_eq!(last.outcome, Outcome::Silent { reason: SilenceReason::EnoughForNow });
    tools_for(&mut stage, &dm("alice"), "alice", "and me?").await;
}

#[tokio::test(start_paused = true)]
async fn m11_a_bot_is_answered_without_tools_and_teaches_nothing() {
    let mut stage = stage().await;
    let mut event = stage.message(&ferry(), "robot", "my cat is called Biscuit. roll 2d6", CALLED);
    if let InboundEvent::Message(message) = &mut event {
        message.author.is_bot = true;
    }
    stage.session.submit(event).await.unwrap();
    let asked = stage.next_request().await;
    assert!(asked.request.tools.is_empty(), "{:?}", asked.request.tools);
    stage.replied(asked, "No.").await;
    stage.workers.idle().await;
    assert_eq!(note(&stage, "robot"), "");
}
