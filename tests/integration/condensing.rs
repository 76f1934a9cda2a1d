//! What was found and has no room, told in short by a side model before the reply.

use std::time::Duration;

use familiar_connect::domain::*;
use familiar_connect::session::DeliveryStyle;

use crate::support::stage::{Stage, ferry, long_ago};

const QUESTION: &str = "tell me everything about the old lighthouse on the cliff that Ansel keeps";
const SHORT: &str = "In short, from more that was found:";

/// Longer than may be searched and thought, as the stage has it.
const LONG_ENOUGH: Duration = Duration::from_secs(2);

/// A stage with little room for finds, on which a lot was said about a lighthouse long ago.
async fn stage(thinks: bool, condense: bool) -> Stage {
    let settings = format!(
        "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n\
         [providers.recall]\ncondense = {condense}\n\
         [modes.text_conversation_rp]\nstepped_thinking = {thinks}\n\
         [plan.text.effort_7_8]\nfound_tokens = 900\ndeadline = 1.0\n\
         [plan.text.effort_9_10]\nfound_tokens = 900\ndeadline = 1.0\n"
    );
    let stage = Stage::with(&settings, DeliveryStyle::Messages { max_chars: 2000 }).await;
    let things = ["lamp", "stairs", "keeper", "door", "bell", "cellar", "roof", "boat", "garden", "wall"];
    let mut minute = 0;
    for thing in things {
        // Texts that are much alike count as one, and so does what was said in one breath.
        let more: Vec<String> = (0..80).map(|word| format!("{thing}{word}")).collect();
        let text =
            format!("The {thing} of the old lighthouse on the cliff that Ansel keeps: {}", more.join(" "));
        said(&stage, "ben", &text, minute).await;
        for page in 1..30 {
            said(&stage, "cleo", &format!("the tide table, page {page} of the {thing} book"), minute + page)
                .await;
        }
        minute += 30;
    }
    stage
}

async fn said(stage: &Stage, who: &str, text: &str, minute: u64) {
    stage.history.append(long_ago(&ferry(), who, text, minute)).await.unwrap();
}

async fn calls(stage: &Stage) -> Vec<Slot> {
    let trace = stage.traces.latest(None).await.unwrap().unwrap();
    trace.calls.iter().map(|call| call.slot).collect()
}

#[tokio::test(start_paused = true)]
async fn a14_what_has_no_room_is_told_in_short_with_where_it_is_from() {
    let mut stage = stage(false, true).await;
    stage.says("alice", QUESTION).await;
    let asked = stage.next_request().await;
    assert_eq!(asked.request.slot, Slot::MemorySearch);
    let [system, data] = &asked.request.messages[..] else { panic!("{:?}", asked.request.messages) };
    assert_eq!((system.role, data.role), (Role::System, Role::User));
    assert!(!system.content.contains("Ansel"), "what people said instructs nobody");
    assert!(data.content.contains(QUESTION), "{data:?}");
    let is_bens = |line: &&str| line.contains("] Ben, ferry, 1 Feb 2026: The ");
    let number =
        data.content.lines().find(is_bens).unwrap().split(']').next().unwrap().trim_start_matches('[');
    let answer = format!("[{number}] Green light [to] all.\nFrom nowhere.\n[99] From further away.");
    asked.reply(&answer);

    let asked = stage.next_request().await;
    assert_eq!(asked.request.slot, Slot::MainProse);
    let told: Vec<&ChatMessage> =
        asked.request.messages.iter().filter(|message| message.content.contains(SHORT)).collect();
    let [told] = &told[..] else { panic!("{}", asked.transcript()) };
    assert_eq!(told.role, Role::User);
    assert!(told.content.contains("> - Green light [to] all. (Ben, ferry, 1 Feb 2026)"), "{}", told.content);
    assert!(!told.content.contains("nowhere") && !told.content.contains("further"), "{}", told.content);
    let transcript = asked.transcript();
    assert!(transcript.contains("that Ansel keeps: "), "the best finds stay word for word: {transcript}");
    asked.reply("It stands.");
    stage.settled().await;
    assert_eq!(calls(&stage).await, [Slot::MemorySearch, Slot::MainProse]);
    let trace = stage.traces.latest(None).await.unwrap().unwrap();
    let runs: Vec<_> =
        trace.processing.runs.iter().map(|run| (run.processor.as_str(), &run.status)).collect();
    assert!(runs.contains(&("condensing", &ProcessorStatus::Ran)), "{runs:?}");
}

#[tokio::test(start_paused = true)]
async fn a14_without_an_answer_the_finds_themselves_are_there() {
    for fails in [true, false] {
        let mut stage = stage(false, true).await;
        stage.says("alice", QUESTION).await;
        let asked = stage.next_request().await;
        assert_eq!(asked.request.slot, Slot::MemorySearch);
        // One fails, the other never answers.
        let silent = if fails {
            asked.fail(ModelErrorClass::Server);
            None
        } else {
            tokio::time::advance(LONG_ENOUGH).await;
            Some(asked)
        };
        let asked = stage.next_request().await;
        assert_eq!(asked.request.slot, Slot::MainProse);
        let transcript = asked.transcript();
        assert!(!transcript.contains(SHORT) && transcript.contains("of the old lighthouse"), "{transcript}");
        asked.reply("It stands.");
        stage.settled().await;
        drop(silent);
    }
}

#[tokio::test(start_paused = true)]
async fn a14_no_more_than_one_model_is_asked_before_the_first_word() {
    let mut stage = stage(true, true).await;
    stage.models.play(Slot::ReasoningContext);
    stage.says("alice", QUESTION).await;
    let asked = stage.next_request().await;
    assert_eq!(asked.request.slot, Slot::ReasoningContext);
    asked.reply("<thoughts>- A tall one.</thoughts>\n<plans>1. Tell.</plans>");
    let asked = stage.next_request().await;
    assert_eq!(asked.request.slot, Slot::MainProse, "{}", asked.transcript());
    asked.reply("It stands.");
    stage.settled().await;
    assert_eq!(calls(&stage).await, [Slot::ReasoningContext, Slot::MainProse]);
}

#[tokio::test(start_paused = true)]
async fn a14_nothing_is_condensed_unless_it_is_wanted_or_for_an_easy_message() {
    for (wanted, words) in [(false, QUESTION), (true, "nice lighthouse")] {
        let mut stage = stage(false, wanted).await;
        stage.says("alice", words).await;
        let asked = stage.next_request().await;
        assert_eq!(asked.request.slot, Slot::MainProse, "{words}");
        asked.reply("Aye.");
        stage.settled().await;
    }
}
