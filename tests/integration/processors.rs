//! Thinking before a reply and polishing after it, in a whole session.

use std::sync::Arc;
use std::time::Duration;

use familiar_connect::domain::*;
use familiar_connect::session::DeliveryStyle;
use familiar_connect::trace::Rights;

use crate::support::stage::{APART, Asked, MESSAGES, QUICK, Stage, channel, ferry};

const THOUGHTS: &str = "<thoughts>\n- She worries.\n</thoughts>\n<plans>\n1. Calm her.\n</plans>";

/// Every message is worth thinking and polish, and there is time for it.
const WORTH_IT: &str = "\n[plan.text.effort_1_2]\nstepped_thinking = true\nrecast = true\ndeadline = 20\n\
                        [plan.text.effort_3_4]\nstepped_thinking = true\nrecast = true\ndeadline = 20\n";

/// Novel style, where thinking and polish are both on.
const NOVEL: &str = "default_mode = \"full_rp\"\ntext_lull_timeout = 0.01\n";

const REPLY: &str =
    "He shrugs. \"It leaves at 20:15,\" he says, and looks at the water. He looks at the water again.";
const BETTER: &str =
    "A shrug. \"It leaves at 20:15,\" he says, eyes on the water, and there they stay for long.";

async fn thinking_stage(settings: &str) -> Stage {
    let settings = if settings.is_empty() { QUICK } else { settings };
    let stage = Stage::with(&format!("{settings}{WORTH_IT}"), MESSAGES).await;
    stage.models.play(Slot::ReasoningContext);
    stage
}

async fn novel_stage() -> Stage {
    let stage = Stage::with(&format!("{NOVEL}{WORTH_IT}"), MESSAGES).await;
    stage.models.play(Slot::PostProcessStyle);
    stage
}

/// The next request, which is for this job.
async fn asked_for(stage: &Stage, slot: Slot) -> Asked {
    let asked = stage.next_request().await;
    assert_eq!(asked.request.slot, slot);
    asked
}

async fn newest(stage: &Stage) -> Arc<TurnTrace> {
    stage.traces.whole().latest(None).await.unwrap().unwrap()
}

async fn runs(stage: &Stage) -> Vec<(String, ProcessorStatus)> {
    let trace = newest(stage).await;
    trace.processing.runs.iter().map(|run| (run.processor.clone(), run.status.clone())).collect()
}

/// What was thought in a place and is kept, the oldest first.
async fn kept_in(stage: &Stage, place: &Place) -> Vec<String> {
    let kept = stage.history.seen_by(&Visible::at(place)).thoughts(place, 10).await.unwrap();
    kept.into_iter().map(|past| past.content).collect()
}

fn skipped(name: &str, why: &str) -> (String, ProcessorStatus) {
    (name.to_owned(), ProcessorStatus::Skipped { why: why.to_owned() })
}

#[tokio::test(start_paused = true)]
async fn a_character_thinks_first_and_nobody_hears_it() {
    let mut stage = thinking_stage("").await;
    stage.says("ben", "mind the waves").await;
    asked_for(&stage, Slot::ReasoningContext).await.reply("");
    stage.answers("Always.").await;
    stage.says("alice", "is the ferry late?").await;
    let thinks = asked_for(&stage, Slot::ReasoningContext).await;
    assert_eq!(stage.outbox.typing_now(), 1, "thinking is part of typing");
    let seen = thinks.transcript();
    for part in [
        "Mika keeps the night ferry",
        "<chat>\nBen: mind the waves\nMika: Always.",
        "<to_answer>\nAlice: is the",
    ] {
        assert!(seen.contains(part), "{seen}");
    }
    thinks.reply(THOUGHTS);
    let asked = asked_for(&stage, Slot::MainProse).await;
    let told = asked.transcript();
    let (system, said): (Vec<_>, Vec<_>) =
        asked.request.messages.iter().partition(|message| message.role == Role::System);
    assert!(
        system.iter().all(|message| !message.content.contains("She worries")),
        "never in a system role: {told}"
    );
    let behind = said.last().unwrap();
    assert!(
        behind.content.contains("<thoughts>")
            && behind.content.contains("- She worries.")
            && behind.role == Role::User,
        "at depth 0: {told}"
    );
    stage.replied(asked, "<thoughts>- She worries.</thoughts>\nMika: It is on its own time.").await;
    assert_eq!(stage.delivered().last().unwrap(), "It is on its own time.");
    assert_eq!(stage.remembered().await.last().unwrap().1, "It is on its own time.");
    let trace = newest(&stage).await;
    assert_eq!(trace.processing.calls_before_first_token, 1);
    let thinking = &trace.processing.runs[0];
    assert_eq!((thinking.processor.as_str(), &thinking.status), ("thinking", &ProcessorStatus::Ran));
    assert_eq!((thinking.made.as_deref(), thinking.calls, thinking.tokens), (Some(THOUGHTS), 1, 15));
    assert_eq!(
        trace.calls.iter().map(|call| call.slot).collect::<Vec<_>>(),
        [Slot::ReasoningContext, Slot::MainProse]
    );
    let x_ray = familiar_connect::trace::render::markdown(&trace, Rights::Operator);
    assert!(x_ray.contains("## Thought first") && x_ray.contains("- She worries."), "{x_ray}");
}

#[tokio::test(start_paused = true)]
async fn the_last_thoughts_are_thought_on_from_and_attributed() {
    let mut stage = thinking_stage("").await;
    for n in 1..=4 {
        stage.says("alice", &format!("line {n}")).await;
        let thinks = asked_for(&stage, Slot::ReasoningContext).await;
        let seen = thinks.transcript();
        let earlier: Vec<usize> = (1..n).filter(|past| seen.contains(&format!("thought {past}"))).collect();
        assert_eq!(earlier, (n.max(3) - 2..n).collect::<Vec<_>>(), "the last two: {seen}");
        thinks.reply(&format!("<thoughts>- thought {n}</thoughts>"));
        let asked = stage.next_request().await;
        let told = asked.transcript();
        for past in earlier {
            assert!(told.contains(&format!("thought {past}")), "{told}");
        }
        assert_eq!(told.contains("before you answered Alice"), n > 1, "{told}");
        stage.replied(asked, &format!("answer {n}")).await;
    }
    assert_eq!(
        kept_in(&stage, &ferry()).await,
        ["<thoughts>\n- thought 3\n</thoughts>", "<thoughts>\n- thought 4\n</thoughts>"]
    );
    assert!(kept_in(&stage, &channel(2, "#deck")).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn whatever_becomes_of_thinking_the_reply_comes() {
    for (answer, status) in [
        (None, ProcessorStatus::Failed { why: "scripted failure".to_owned() }),
        (Some(""), ProcessorStatus::Failed { why: "the model gave no thoughts".to_owned() }),
        (Some("[[]] {} 42"), ProcessorStatus::Failed { why: "the model gave no thoughts".to_owned() }),
    ] {
        let mut stage = thinking_stage("").await;
        stage.says("alice", "hello").await;
        let thinks = asked_for(&stage, Slot::ReasoningContext).await;
        match answer {
            None => thinks.fail(ModelErrorClass::Server),
            Some(answer) => thinks.reply(answer),
        }
        asked_for(&stage, Slot::MainProse).await.reply("Evening.");
        stage.settled().await;
        assert_eq!(stage.delivered(), ["Evening."]);
        assert_eq!(runs(&stage).await[0], ("thinking".to_owned(), status));
        assert!(kept_in(&stage, &ferry()).await.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_thinks_too_long_is_not_waited_for() {
    let mut stage = thinking_stage("[thinking]\ntimeout = 0.1\n[typing_simulation]\nenabled = false\n").await;
    stage.says("alice", "hello").await;
    let thinks = asked_for(&stage, Slot::ReasoningContext).await;
    tokio::time::advance(Duration::from_millis(101)).await;
    let asked = asked_for(&stage, Slot::MainProse).await;
    thinks.abandoned().await;
    stage.replied(asked, "Evening.").await;
    assert_eq!(stage.delivered(), ["Evening."]);
    assert_eq!(runs(&stage).await[0], ("thinking".to_owned(), ProcessorStatus::Late));
}

#[tokio::test(start_paused = true)]
async fn more_words_while_it_thinks_start_it_anew() {
    let mut stage = thinking_stage("").await;
    stage.says("alice", "wait").await;
    let first = asked_for(&stage, Slot::ReasoningContext).await;
    stage.says("alice", "I mean, good evening").await;
    stage.restarts().await;
    let second = asked_for(&stage, Slot::ReasoningContext).await;
    first.abandoned().await;
    assert!(second.transcript().contains("<to_answer>\nAlice: wait\nAlice: I mean, good evening"));
    second.reply(THOUGHTS);
    asked_for(&stage, Slot::MainProse).await.reply("Good evening.");
    stage.settled().await;
    let mut traces = stage.traces.whole().list(10).await.unwrap();
    traces.sort_by_key(|trace| trace.id);
    assert_eq!(traces[0].processing.runs[0].status, ProcessorStatus::BrokenOff);
    assert_eq!(traces[1].processing.runs[0].status, ProcessorStatus::Ran);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_is_assembled_again_is_not_thought_about_again() {
    let mut stage = thinking_stage("").await;
    // What others wrote at length is left out, so that the prompt is assembled twice.
    stage.says_in(&ferry(), "ben", &"waves ".repeat(12_000), APART).await;
    stage.says("alice", "what does he mean?").await;
    let first = asked_for(&stage, Slot::ReasoningContext).await;
    stage.says("alice", "and you?").await;
    stage.restarts().await;
    first.abandoned().await;
    asked_for(&stage, Slot::ReasoningContext).await.reply(THOUGHTS);
    let asked = asked_for(&stage, Slot::MainProse).await;
    let told = asked.transcript();
    assert!(told.contains("and you?") && !told.contains("waves") && told.contains("She worries"));
    stage.replied(asked, "Well.").await;
    assert_eq!(newest(&stage).await.processing.calls_before_first_token, 1);
}

#[tokio::test(start_paused = true)]
async fn thinking_is_passed_over_where_it_has_no_place_and_says_so() {
    let stage = thinking_stage(
        "[modes.text_conversation_rp]\nstepped_thinking = false\n[typing_simulation]\nenabled = false\n",
    );
    let mut off = stage.await;
    off.says("alice", "hello").await;
    asked_for(&off, Slot::MainProse).await.reply("Evening.");
    off.settled().await;
    assert_eq!(runs(&off).await[0], skipped("thinking", "switched off for this channel or its mode"));
    assert_eq!(newest(&off).await.processing.calls_before_first_token, 0);

    let mut native = thinking_stage("").await;
    native.models.main_reasons_natively();
    native.says("alice", "hello").await;
    asked_for(&native, Slot::MainProse).await.reply("Evening.");
    native.settled().await;
    assert_eq!(runs(&native).await[0], skipped("thinking", "scripted thinks by itself"));

    let mut small = Stage::new().await;
    small.models.play(Slot::ReasoningContext);
    small.says("alice", "hello").await;
    asked_for(&small, Slot::MainProse).await.reply("Evening.");
    small.settled().await;
    assert_eq!(runs(&small).await[0], skipped("thinking", "the message is not worth it (effort 1 of 10)"));

    let mut rehearsing = Stage::with(&format!("{QUICK}{WORTH_IT}"), MESSAGES).await;
    rehearsing.says("alice", "hello").await;
    asked_for(&rehearsing, Slot::MainProse).await.reply("Evening.");
    rehearsing.settled().await;
    assert_eq!(runs(&rehearsing).await[0], skipped("thinking", "there is no language model for it"));

    let mut capped = thinking_stage("").await;
    capped.says("alice", "hello").await;
    asked_for(&capped, Slot::ReasoningContext).await.fail(ModelErrorClass::CostCap);
    asked_for(&capped, Slot::MainProse).await.reply("Evening.");
    capped.settled().await;
    assert_eq!(runs(&capped).await[0], skipped("thinking", "today's cost cap is reached"));
}

#[tokio::test(start_paused = true)]
async fn a_channels_own_switch_beats_its_mode() {
    let mut stage = thinking_stage("").await;
    let file = stage.config.home().channel_toml(&ferry().channel);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "mode = \"text_conversation_rp\"\nstepped_thinking = false\n").unwrap();
    stage.says("alice", "hello").await;
    asked_for(&stage, Slot::MainProse).await.reply("Evening.");
    stage.settled().await;
    assert_eq!(runs(&stage).await[0], skipped("thinking", "switched off for this channel or its mode"));
}

#[tokio::test(start_paused = true)]
async fn a_taken_back_message_takes_the_thoughts_about_it_along() {
    let mut stage = thinking_stage("").await;
    let message = stage.says("alice", "my secret").await;
    asked_for(&stage, Slot::ReasoningContext).await.reply(THOUGHTS);
    stage.answers("Mhm.").await;
    assert_eq!(kept_in(&stage, &ferry()).await.len(), 1);
    stage.deletes(&ferry(), &message).await;
    stage.settled().await;
    assert!(kept_in(&stage, &ferry()).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_streamed_reply_never_shows_a_hidden_block() {
    let stage = Stage::with(&format!("{QUICK}{WORTH_IT}"), DeliveryStyle::Live).await;
    stage.models.play(Slot::ReasoningContext);
    let mut stage = stage;
    stage.says("alice", "hello").await;
    asked_for(&stage, Slot::ReasoningContext).await.reply(THOUGHTS);
    let mut asked = stage.next_request().await;
    for piece in
        ["<tho", "ughts", ">SECRET", "</thou", "ghts>\n", "Even", "ing <pl", "ans>SECRET</plans>", "all."]
    {
        asked.say(piece);
    }
    asked.end();
    stage.settled().await;
    assert_eq!(stage.delivered().concat(), "Evening all.");
}

#[tokio::test(start_paused = true)]
async fn a_reply_is_held_back_polished_and_both_texts_are_kept() {
    let mut stage = novel_stage().await;
    stage.says("alice", "when does it leave?").await;
    asked_for(&stage, Slot::MainProse).await.reply(&format!("<think>hm</think>{REPLY}"));
    let behaviour = asked_for(&stage, Slot::PostProcessStyle).await;
    assert!(stage.delivered().is_empty() && stage.outbox.typing_now() == 1, "still typing");
    let material = behaviour.transcript();
    assert!(
        material.contains("<text_to_transform>\nHe shrugs.")
            && material.contains("Alice: when does it leave?")
    );
    behaviour.reply(REPLY);
    asked_for(&stage, Slot::PostProcessStyle).await.reply(BETTER);
    stage.settled().await;
    assert_eq!(stage.delivered(), [BETTER]);
    assert_eq!(stage.remembered().await.last().unwrap().1, BETTER);
    let trace = newest(&stage).await;
    assert_eq!((trace.reply.as_deref(), trace.processing.written.as_deref()), (Some(BETTER), Some(REPLY)));
    assert_eq!(trace.calls.len(), 3);
    assert_eq!(stage.outbox.typing_now(), 0);
    let x_ray = familiar_connect::trace::render::markdown(&trace, Rights::Operator);
    assert!(x_ray.contains("## Recast") && x_ray.contains("As the model wrote it"), "{x_ray}");
}

/// What a side model is shown of the card holds no macro: of an outlet, the reply's own prompt alone knows the lore.
#[tokio::test(start_paused = true)]
async fn an_outlet_of_the_card_is_not_shown_to_side_models_as_it_is_written() {
    let stage = novel_stage().await;
    let scenario = stage.dir.path().join("familiars/mika/memory/self/scenario.md");
    std::fs::write(&scenario, "The last crossing. {{outlet::rumours}}").unwrap();
    let mut stage = stage.reopened().await;
    stage.models.play(Slot::ReasoningContext);
    stage.models.play(Slot::PostProcessStyle);
    stage.says("alice", "when does it leave?").await;
    let mut shown = Vec::new();
    for (slot, reply) in [
        (Slot::ReasoningContext, THOUGHTS),
        (Slot::MainProse, REPLY),
        (Slot::PostProcessStyle, REPLY),
        (Slot::PostProcessStyle, BETTER),
    ] {
        let asked = asked_for(&stage, slot).await;
        shown.push(asked.transcript());
        asked.reply(reply);
    }
    stage.settled().await;
    assert!(shown.iter().filter(|prompt| prompt.contains("The last crossing.")).count() >= 3, "{shown:?}");
    assert!(shown.iter().all(|prompt| !prompt.contains("{{outlet")), "{shown:?}");
}

#[tokio::test(start_paused = true)]
async fn polish_that_fails_or_is_refused_leaves_the_reply() {
    for answer in
        [None, Some(""), Some("Sure! Here is the text."), Some("He shrugs. \"It leaves at nine,\" he says.")]
    {
        let mut stage = novel_stage().await;
        stage.says("alice", "when does it leave?").await;
        asked_for(&stage, Slot::MainProse).await.reply(REPLY);
        for _ in 0..2 {
            let asked = asked_for(&stage, Slot::PostProcessStyle).await;
            match answer {
                None => asked.fail(ModelErrorClass::Server),
                Some(answer) => asked.reply(answer),
            }
        }
        stage.settled().await;
        assert_eq!(stage.delivered(), [REPLY], "{answer:?}");
        let trace = newest(&stage).await;
        assert_eq!(trace.processing.written, None);
        let after = trace.processing.runs.iter().filter(|run| run.side == ProcessorSide::After);
        assert!(after.clone().count() == 2 && after.clone().all(|run| run.status != ProcessorStatus::Ran));
    }
}

#[tokio::test(start_paused = true)]
async fn a_polish_that_takes_too_long_sends_the_original() {
    let mut stage = Stage::with(&format!("{NOVEL}[recasting]\ntimeout = 0.1\n{WORTH_IT}"), MESSAGES).await;
    stage.models.play(Slot::PostProcessStyle);
    stage.says("alice", "when does it leave?").await;
    asked_for(&stage, Slot::MainProse).await.reply(REPLY);
    let polish = asked_for(&stage, Slot::PostProcessStyle).await;
    tokio::time::advance(Duration::from_millis(101)).await;
    polish.abandoned().await;
    stage.settled().await;
    assert_eq!(stage.delivered(), [REPLY]);
    assert!(runs(&stage).await.contains(&("recast/behaviour".to_owned(), ProcessorStatus::Late)));
}

#[tokio::test(start_paused = true)]
async fn more_words_while_a_reply_is_polished_start_it_anew() {
    let mut stage = novel_stage().await;
    stage.says("alice", "when does it leave?").await;
    asked_for(&stage, Slot::MainProse).await.reply(REPLY);
    let polish = asked_for(&stage, Slot::PostProcessStyle).await;
    stage.says("alice", "never mind").await;
    stage.restarts().await;
    let again = asked_for(&stage, Slot::MainProse).await;
    polish.abandoned().await;
    stage.replied(again, "Good.").await;
    assert_eq!(stage.delivered(), ["Good."], "nothing of the first reply");
    assert_eq!(
        stage.outcomes().await[0],
        Outcome::Cancelled { reason: CancelReason::Superseded, messages: 0 }
    );
    assert_eq!(runs(&stage).await.last().unwrap(), &skipped("recast", "5 characters are too few to polish"));
}

#[tokio::test(start_paused = true)]
async fn shutting_down_does_not_wait_for_polish() {
    let mut stage = novel_stage().await;
    stage.says("alice", "when does it leave?").await;
    asked_for(&stage, Slot::MainProse).await.reply(REPLY);
    let polish = asked_for(&stage, Slot::PostProcessStyle).await;
    stage.session.cut_short();
    polish.abandoned().await;
    stage.session.drain().await;
    assert!(stage.delivered().is_empty());
    assert!(runs(&stage).await.contains(&("recast/behaviour".to_owned(), ProcessorStatus::BrokenOff)));
}

#[tokio::test(start_paused = true)]
async fn a_greeting_is_never_polished() {
    let stage = novel_stage().await;
    stage.session.greet(ferry(), None, Some("Alice".to_owned())).await.unwrap();
    assert!(!stage.models.was_asked_again().await);
}

#[tokio::test(start_paused = true)]
async fn what_is_written_as_if_spoken_becomes_speakable_and_streams() {
    let mut stage =
        Stage::with("default_mode = \"imitate_voice\"\ntext_lull_timeout = 0.01\n", DeliveryStyle::Live)
            .await;
    stage.models.play(Slot::PostProcessStyle);
    stage.models.play(Slot::ReasoningContext);
    stage.says("alice", "well?").await;
    let mut asked = asked_for(&stage, Slot::MainProse).await;
    asked.say("**Well**, 😀 see [the map](https://a.example/x). Then");
    stage.outbox.until_delivered(1).await;
    assert_eq!(stage.delivered().concat(), "Well, see the map.", "the first sentence is out already");
    asked.say(" we go.");
    asked.end();
    stage.settled().await;
    assert_eq!(stage.delivered().concat(), "Well, see the map. Then we go.");
    assert!(!stage.models.was_asked_again().await, "no model call");
    assert!(runs(&stage).await.contains(&("speech form".to_owned(), ProcessorStatus::Ran)));
}
