//! A past turn, run again.

use familiar_connect::domain::*;
use familiar_connect::session::{ReplayChanges, ReplayError};

use crate::support::stage::{Stage, ferry};

async fn answers(stage: &mut Stage, words: &str, reply: &str) -> TurnId {
    stage.talk("alice", words, reply).await;
    stage.traces.whole().latest(Some(&ferry().channel)).await.unwrap().unwrap().id
}

#[tokio::test]
async fn a28_a_replay_sees_what_the_turn_saw_and_nothing_later() {
    let mut stage = Stage::new().await;
    answers(&mut stage, "The rope is green.", "So it is.").await;
    let turn = answers(&mut stage, "What colour is the rope?", "Green.").await;
    answers(&mut stage, "It was painted red today.", "Shame.").await;

    let trace = stage.traces.whole().get(turn).await.unwrap().unwrap();
    let again = stage.session.rebuild(&trace, ReplayChanges::default()).await.unwrap();
    let chat = |messages: &[ChatMessage]| -> Vec<String> {
        messages.iter().filter(|m| m.role != Role::System).map(|m| m.content.clone()).collect()
    };
    assert_eq!(chat(again.messages()), chat(&trace.request), "the same question at the same moment");
    assert!(!again.messages().iter().any(|message| message.content.contains("painted red")));
    assert_eq!(stage.outcomes().await.len(), 3, "a replay leaves no turn behind");
}

#[tokio::test]
async fn a28_a_replay_within_a_smaller_budget_keeps_less_and_still_the_question() {
    let mut stage = Stage::new().await;
    for number in 0..12 {
        answers(&mut stage, &format!("Line {number}: {}", "rope and tar ".repeat(20)), "Aye.").await;
    }
    let turn = answers(&mut stage, "How many lines was that?", "Twelve.").await;
    let trace = stage.traces.whole().get(turn).await.unwrap().unwrap();
    let small = ReplayChanges { budget_tokens: Some(900), ..ReplayChanges::default() };
    let again = stage.session.rebuild(&trace, small).await.unwrap();
    let then = trace.assembly.as_ref().unwrap().prompt_tokens;
    let now = again.figures().prompt_tokens;
    assert!(now <= 900 && now < then, "{now} of {then}");
    assert!(again.messages().iter().any(|message| message.content.contains("How many lines")));
}

#[tokio::test]
async fn a28_a_replay_does_without_a_piece_and_takes_as_much_effort_as_it_is_told_to() {
    let mut stage = Stage::new().await;
    answers(&mut stage, "The rope is green.", "So it is.").await;
    let turn = answers(&mut stage, "What colour is the rope?", "Green.").await;
    let trace = stage.traces.whole().get(turn).await.unwrap().unwrap();
    let chunks = &trace.assembly.as_ref().unwrap().chunks;
    let can_go = |chunk: &&ChunkRecord| chunk.fate == ChunkFate::Kept && chunk.importance < 5;
    let gone = chunks.iter().find(can_go).unwrap().source.clone();
    let stays = chunks.iter().find(|chunk| chunk.importance == 5).unwrap().source.clone();
    let changes = ReplayChanges {
        effort: Some(Effort::new(8)),
        without: vec![gone.clone(), stays.clone()],
        ..ReplayChanges::default()
    };
    let again = stage.session.rebuild(&trace, changes).await.unwrap();
    let fate = |source: &str| {
        let found = again.figures().chunks.iter().find(|chunk| chunk.source == source);
        found.map(|chunk| chunk.fate.clone())
    };
    assert!(matches!(fate(&gone), Some(ChunkFate::LeftOut { .. })), "{gone}: {:?}", fate(&gone));
    assert_eq!(fate(&stays), Some(ChunkFate::Kept), "{stays}");
    let effort = |figures: &AssemblyFigures| figures.plan.as_ref().unwrap().intent.effort.level();
    assert_ne!(effort(trace.assembly.as_ref().unwrap()), 8);
    assert_eq!(effort(again.figures()), 8);
}

#[tokio::test]
async fn a28_a_turn_whose_question_was_taken_back_cannot_be_run_again() {
    let mut stage = Stage::new().await;
    let turn = answers(&mut stage, "forget this", "Forgotten.").await;
    let mut trace = (*stage.traces.whole().get(turn).await.unwrap().unwrap()).clone();
    trace.pending = vec![StoredId(9_999)];
    let refused = stage.session.rebuild(&trace, ReplayChanges::default()).await;
    assert!(matches!(refused, Err(ReplayError::NothingToAnswer)), "{refused:?}");
}

#[tokio::test]
async fn a28_why_it_did_not_remember() {
    let mut stage = Stage::new().await;
    answers(&mut stage, "My dentist is Doctor Quill in Bath.", "Poor you.").await;
    for number in 0..60 {
        let talk = format!("Talk number {number} of ropes: {}", "tar and twine ".repeat(20));
        answers(&mut stage, &talk, "Aye.").await;
    }
    let turn = answers(&mut stage, "hello", "Hello.").await;
    let trace = stage.traces.whole().get(turn).await.unwrap().unwrap();
    let told = stage.session.why(&trace, "number 30", familiar_connect::trace::Rights::Person).await.unwrap();
    assert!(told.contains("It is kept, but was not looked up"), "{told}");
    assert!(told.contains("Talk number 30 of ropes"), "{told}");
    let summed_up =
        stage.session.why(&trace, "Quill", familiar_connect::trace::Rights::Reader).await.unwrap();
    assert!(summed_up.contains("It was told"), "a summary holds names: {summed_up}");
    let unknown =
        stage.session.why(&trace, "zeppelin", familiar_connect::trace::Rights::Person).await.unwrap();
    assert!(unknown.contains("holds these words"), "{unknown}");
    let within = stage.session.why(&trace, "wine", familiar_connect::trace::Rights::Person).await.unwrap();
    assert!(within.contains("longer words hold it") && within.contains("twine"), "{within}");
}
