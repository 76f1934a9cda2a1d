//! What a message is worth, through the session's door: the judgement, the tables, what is fetched ahead.

use familiar_connect::domain::*;

use crate::support::stage::{APART, MESSAGES, Stage, UNADDRESSED, dm, ferry, person};

/// The plan and the providers' outcomes of the newest turn in `place`.
async fn newest(stage: &Stage, place: &Place) -> (ExecutionPlan, Vec<ProviderOutcome>) {
    let trace = stage.traces.whole().latest(Some(&place.channel)).await.unwrap().unwrap();
    let assembly = trace.assembly.clone().unwrap();
    (assembly.plan.unwrap(), assembly.providers)
}

/// Says something to the familiar, answers for it, and looks at the plan.
async fn planned(stage: &mut Stage, text: &str) -> ExecutionPlan {
    stage.talk("alice", text, "Mm.").await;
    newest(stage, &ferry()).await.0
}

fn status<'a>(outcomes: &'a [ProviderOutcome], provider: &str) -> &'a ProviderStatus {
    &outcomes.iter().find(|outcome| outcome.provider == provider).unwrap().status
}

fn character(outcomes: &[ProviderOutcome]) -> &ProviderStatus {
    status(outcomes, "character")
}

#[tokio::test(start_paused = true)]
async fn a1_every_turn_is_judged_and_the_x_ray_says_what_and_why() {
    let mut stage = Stage::new().await;
    let judged = |plan: &ExecutionPlan| (plan.intent.category, plan.searches, plan.found_tokens, plan.depth);
    let hello = planned(&mut stage, "hi Mika!").await;
    assert_eq!(judged(&hello), (Category::Greeting, 0, 0, Depth::Axioms));
    let recall = planned(&mut stage, "do you remember what I told you about the boat?").await;
    assert_eq!(judged(&recall), (Category::Recall, 8, 3000, Depth::Full));
    assert!(recall.stepped_thinking && !recall.recast, "as its mode has it");
    let file = std::fs::read_to_string(stage.config.home().last_context(&ferry().channel)).unwrap();
    let line = file.lines().find(|line| line.starts_with("Effort")).unwrap();
    assert_eq!(
        line,
        "Effort 6 of 10, recall: 8 searches, up to 3,000 tokens of finds, told everything ordinary, answered by \
         `main_prose`, up to 12.00 s, thinks first, asks something."
    );
    assert!(file.contains("Because: asks what is remembered: “I told you about”."), "{file}");
    let job = planned(&mut stage, "roll 2d6").await;
    assert!(job.intent.addressed_to_me);
}

#[tokio::test(start_paused = true)]
async fn a1_what_one_person_said_in_several_messages_is_judged_as_one() {
    let mut stage = Stage::new().await;
    let first = stage.asked("alice", "hey").await;
    stage.says("alice", "do you remember my dog's name?").await;
    stage.restarts().await;
    first.abandoned().await;
    stage.says("alice", "please").await;
    // Where it had begun anew already, it begins once more, a second later.
    stage.restarts().await;
    // Started anew with all of it, however often.
    let mut asked = stage.next_request().await;
    while !asked.transcript().contains("please") {
        asked = stage.next_request().await;
    }
    stage.replied(asked, "Rex.").await;
    assert_eq!(newest(&stage, &ferry()).await.0.intent.category, Category::Recall);
}

#[tokio::test(start_paused = true)]
async fn a1_a_turn_that_joins_in_was_not_addressed() {
    let settings =
        "interjection = \"very_eager\"\ntext_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n";
    let mut stage = Stage::with(settings, MESSAGES).await;
    stage.says_in(&ferry(), "alice", "ben, the rope", APART).await;
    for (who, text) in [("ben", "I have it"), ("alice", "good, hold on")] {
        stage.says_in(&ferry(), who, text, UNADDRESSED).await;
    }
    let asked = stage.next_request().await;
    stage.replied(asked, "Need a hand?").await;
    let plan = newest(&stage, &ferry()).await.0;
    assert!(!plan.intent.addressed_to_me, "{plan:?}");
}

#[tokio::test(start_paused = true)]
async fn a2_a_channels_file_has_tables_of_its_own_and_another_model_replies() {
    let mut stage = Stage::new().await;
    let path = stage.config.home().channel_toml(&ferry().channel);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let sidecar = "mode = \"full_rp\"\n[plan.text.effort_1_2]\nslot = \"mood_eval\"\n";
    std::fs::write(path, sidecar).unwrap();
    stage.config.reload();
    let asked = stage.asked("alice", "good evening").await;
    assert_eq!(asked.request.slot, Slot::MoodEval);
    assert_eq!(asked.request.max_tokens, Some(1500));
    asked.reply("Evening.");
    let asked = stage.asked("alice", "She lifts the lantern and looks into the hold.").await;
    assert_eq!(asked.request.slot, Slot::MainProse);
    stage.replied(asked, "Dark.").await;
    let plan = newest(&stage, &ferry()).await.0;
    assert_eq!((plan.intent.category, plan.searches), (Category::Roleplay, 5));
    assert!(plan.stepped_thinking && plan.recast);
}

#[tokio::test(start_paused = true)]
async fn a2_a_mistake_in_a_plan_table_points_at_itself() {
    let stage = Stage::new().await;
    let path = stage.config.home().channel_toml(&ferry().channel);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, "mode = \"full_rp\"\n[plan.text.effort_12]\ndepht = \"full\"\n").unwrap();
    let _read = stage.config.channel(&ferry().channel);
    let lines: Vec<String> = stage.config.mistakes().iter().flat_map(|error| error.lines()).collect();
    assert!(lines.iter().any(|line| line.contains("effort_1_2")), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn a3_what_a_turn_will_need_is_fetched_while_somebody_types() {
    let mut stage = Stage::new().await;
    let place = dm("alice");
    stage.session.expect(&place, &person("alice"));
    stage.session.fetched().await;
    stage.says_in(&place, "alice", "hi", UNADDRESSED).await;
    stage.next_request().await.reply("Evening.");
    stage.session.settle(&place).await.unwrap();
    let (_, outcomes) = newest(&stage, &place).await;
    assert!(matches!(character(&outcomes), ProviderStatus::Cached { .. }), "{outcomes:?}");
}

#[tokio::test(start_paused = true)]
async fn a6_what_is_warm_is_dropped_when_something_is_taken_back() {
    let mut stage = Stage::new().await;
    let said = stage.says("alice", "hi").await;
    stage.answers("Evening.").await;
    let status = async |stage: &mut Stage| {
        stage.talk("alice", "and the weather on the river", "Mm.").await;
        character(&newest(stage, &ferry()).await.1).clone()
    };
    assert!(matches!(status(&mut stage).await, ProviderStatus::Cached { .. }));
    stage.deletes(&ferry(), &said).await;
    stage.settled().await;
    assert!(matches!(status(&mut stage).await, ProviderStatus::Ok { .. }));
}
