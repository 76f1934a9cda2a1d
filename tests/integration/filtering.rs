//! What was found is looked at once more by a side model (seed 004, tier 3): ANSWER, or ESCALATE and GREP, two calls at most.

use std::time::Duration;

use familiar_connect::domain::*;
use familiar_connect::memory::store::{NoteEditor, NotePath};

use crate::support::stage::{Asked, MESSAGES, Stage, dm, ferry, long_ago};

const QUESTION: &str = "where does Ansel keep the brass key of the lighthouse?";
/// One that it thinks about first, where it thinks.
const HARD: &str = "tell me everything about the old lighthouse on the cliff that Ansel keeps";

const SAID: &str = "Ansel keeps the brass key of the lighthouse under the third stair";
const SHORT: &str = "In short, of what was found:";

/// Longer than may be searched and thought, as the stage has it.
const LONG_ENOUGH: Duration = Duration::from_secs(2);

/// A stage on which somebody said long ago what is asked now, and a note says more.
async fn stage(settings: &str) -> Stage {
    let settings = format!(
        "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n{settings}\n\
         [modes.text_conversation_rp.layers]\nrecent_history = 160\n\
         [plan.text.effort_7_8]\ndeadline = 1.0\n[plan.text.effort_5_6]\ndeadline = 1.0\n\
         [plan.text.effort_3_4]\ndeadline = 1.0\n"
    );
    let stage = Stage::with(&settings, MESSAGES).await;
    let page = |page: u64| long_ago(&ferry(), "cleo", &format!("the tide table, page {page}"), page);
    let said = [long_ago(&ferry(), "ben", SAID, 0)].into_iter().chain((1..40).map(page));
    stage.history.store_all(said.collect()).await.unwrap();
    let note = NotePath::new("topics/harbour.md").unwrap();
    let text = "- The spare of it hangs in Dunja's shed. <!-- f=k1 to=guild:7 -->\n\
                - Dunja's shed is never locked. <!-- f=k2 to=dm:discord:99 -->\n";
    let guild = ferry().audience;
    let text = text.replace("guild:7", &guild.to_string());
    stage.memory.whole().store.write(&note, &text, NoteEditor::Operator).unwrap();
    stage
}

const ON: &str =
    "[providers.recall]\nfilter = true\n[modes.text_conversation_rp]\nstepped_thinking = false\n";

async fn asked(stage: &mut Stage) -> Asked {
    let asked = stage.asked("alice", QUESTION).await;
    assert_eq!(asked.request.slot, Slot::MemorySearch);
    asked
}

/// The reply is asked for; with what.
async fn main_prompt(stage: &mut Stage) -> String {
    let asked = stage.next_request().await;
    assert_eq!(asked.request.slot, Slot::MainProse, "{}", asked.transcript());
    let transcript = asked.transcript();
    stage.replied(asked, "Under the stair.").await;
    transcript
}

async fn runs(stage: &Stage) -> Vec<(String, ProcessorStatus, Option<String>)> {
    let trace = stage.traces.whole().latest(None).await.unwrap().unwrap();
    let runs = trace.processing.runs.iter().filter(|run| run.processor == "filter");
    runs.map(|run| (run.processor.clone(), run.status.clone(), run.made.clone())).collect()
}

#[tokio::test(start_paused = true)]
async fn seed_8_tier_3_an_answer_takes_the_place_of_the_finds() {
    let mut stage = stage(ON).await;
    let first = asked(&mut stage).await;
    let [system, data] = &first.request.messages[..] else { panic!("{:?}", first.request.messages) };
    assert_eq!((system.role, data.role), (Role::System, Role::User));
    assert!(!system.content.contains("Ansel") && data.content.contains(SAID), "{data:?}");
    first.reply("**ANSWER:** Ben said that it is under the third stair.");
    let prompt = main_prompt(&mut stage).await;
    assert!(
        prompt.contains(SHORT) && prompt.contains("Ben said that it is under the third stair."),
        "{prompt}"
    );
    assert!(!prompt.contains(SAID), "the find itself is left out: {prompt}");
    let runs = runs(&stage).await;
    assert!(
        matches!(&runs[..], [(_, ProcessorStatus::Ran, Some(made))] if made.contains("third stair")),
        "{runs:?}"
    );
    let trace = stage.traces.whole().latest(None).await.unwrap().unwrap();
    let calls: Vec<_> = trace.calls.iter().map(|call| call.slot).collect();
    assert_eq!(calls, [Slot::MemorySearch, Slot::MainProse]);
    let figures = trace.assembly.as_ref().unwrap();
    assert!(figures.chunks.iter().any(|chunk| chunk.source.starts_with("recalled/filtered from")));
    assert!(figures.chunks.iter().any(|chunk| chunk.fate == ChunkFate::NotNeeded));
}

#[tokio::test(start_paused = true)]
async fn seed_8_tier_3_a_pattern_is_looked_for_once_in_what_may_be_seen() {
    let mut stage = stage(ON).await;
    asked(&mut stage).await.reply("ESCALATE: is there another key?; GREP: spare|SHED");
    let second = stage.next_request().await;
    assert_eq!(second.request.slot, Slot::MemorySearch);
    let transcript = second.transcript();
    assert!(transcript.contains("spare of it hangs in Dunja"), "{transcript}");
    assert!(!transcript.contains("never locked"), "somebody else's: {transcript}");
    second.reply("ANSWER: Ben named the third stair; a spare hangs in Dunja's shed.");
    let prompt = main_prompt(&mut stage).await;
    assert!(prompt.contains("a spare hangs in Dunja's shed"), "{prompt}");
    assert_eq!(runs(&stage).await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn seed_8_tier_3_there_is_no_third_question_and_whatever_is_malformed_leaves_the_finds() {
    for answers in [
        &["I think it is under the stair."][..],
        &["ANSWER: NOTHING"],
        &[""],
        &["ESCALATE: hm; GREP: (?=spare)"],
        &["ESCALATE: hm; GREP: spare", "ESCALATE: still hm; GREP: shed"],
        &["ESCALATE: hm; GREP: spare", "It is in the shed."],
    ] {
        let mut stage = stage(ON).await;
        stage.says("alice", QUESTION).await;
        for answer in answers {
            let asked = stage.next_request().await;
            assert_eq!(asked.request.slot, Slot::MemorySearch, "{answers:?}");
            asked.reply(answer);
        }
        let prompt = main_prompt(&mut stage).await;
        assert!(prompt.contains(SAID) && !prompt.contains(SHORT), "{answers:?}: {prompt}");
    }
}

#[tokio::test(start_paused = true)]
async fn seed_8_tier_3_a_model_that_fails_or_hangs_leaves_the_finds() {
    for hangs in [false, true] {
        let mut stage = stage(ON).await;
        let first = asked(&mut stage).await;
        let silent = if hangs {
            tokio::time::advance(LONG_ENOUGH).await;
            Some(first)
        } else {
            first.fail(ModelErrorClass::Server);
            None
        };
        let prompt = main_prompt(&mut stage).await;
        assert!(prompt.contains(SAID) && !prompt.contains(SHORT), "{prompt}");
        drop(silent);
    }
}

#[tokio::test(start_paused = true)]
async fn contradiction_8_what_is_said_of_finds_is_for_the_smallest_circle_of_them() {
    let mut stage = stage(ON).await;
    let alone = dm("alice");
    let note = NotePath::new("topics/secrets.md").unwrap();
    let to = &alone.audience;
    let text =
        format!("- The brass key of the lighthouse is a fake that Ansel keeps. <!-- f=s1 to={to} -->\n");
    stage.memory.whole().store.write(&note, &text, NoteEditor::Operator).unwrap();
    let first = stage.asked_in(&alone, "alice", QUESTION).await;
    assert!(first.transcript().contains("is a fake"), "{}", first.transcript());
    first.reply("ANSWER: It is a fake.");
    stage.next_request().await.reply("It is not what it seems.");
    stage.settled_in(&alone).await;
    // On the server the finds do not hold it, and what was said of them elsewhere is not there either.
    let first = asked(&mut stage).await;
    assert!(!first.transcript().contains("is a fake"), "{}", first.transcript());
    first.reply("no idea");
    let prompt = main_prompt(&mut stage).await;
    assert!(!prompt.contains("fake"), "{prompt}");
}

#[tokio::test(start_paused = true)]
async fn seed_8_tier_3_it_is_off_by_default_and_where_something_thinks_first() {
    let mut plain = stage("").await;
    plain.says("alice", QUESTION).await;
    let prompt = main_prompt(&mut plain).await;
    assert!(prompt.contains(SAID), "{prompt}");
    let mut thinking =
        stage("[providers.recall]\nfilter = true\n[modes.text_conversation_rp]\nstepped_thinking = true\n")
            .await;
    thinking.models.play(Slot::ReasoningContext);
    thinking.says("alice", HARD).await;
    let asked = thinking.next_request().await;
    assert_eq!(asked.request.slot, Slot::ReasoningContext);
    asked.reply("<thoughts>- Hm.</thoughts>\n<plans>1. Tell.</plans>");
    main_prompt(&mut thinking).await;
}
