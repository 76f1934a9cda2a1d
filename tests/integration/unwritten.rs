//! What no memory can be made of at once is not lost: it is read again, and given up where everyone can see it.

use std::time::Duration;

use familiar_connect::domain::*;
use familiar_connect::history::{PassedOver, passed_over_in};

use crate::remembering::{five_turns, mark, mentioned, note_of, waiting, writes_after_five};
use crate::support::stage::{APART, Asked, Stage, ferry};

const HENS: &str = "{\"do\":\"add\",\"file\":\"Alice\",\"text\":\"Alice keeps two hens.\",\"from\":[5]}";

const HOUR: u64 = 3_600;

async fn passed_over(stage: &Stage) -> Vec<PassedOver> {
    stage.history.passed_over("memory-writer", &ferry().channel).await.unwrap()
}

/// So much later, everything looks once more.
async fn later(stage: &Stage, seconds: u64) {
    stage.clock.advance(Duration::from_secs(seconds));
    stage.workers.wake(&ferry());
}

/// The five turns, and a model that fails three times.
async fn failed_thrice(stage: &mut Stage) {
    five_turns(stage).await.fail(ModelErrorClass::Server);
    for wait in [150, 300] {
        stage.workers.idle().await;
        assert_eq!(mark(stage).await, None, "it is tried again");
        later(stage, wait).await;
        stage.models.next_memory().await.fail(ModelErrorClass::Server);
    }
    stage.workers.idle().await;
}

#[tokio::test(start_paused = true)]
async fn y9_what_a_failing_provider_made_nothing_of_is_written_once_it_works() {
    let mut stage = writes_after_five().await;
    failed_thrice(&mut stage).await;
    let marked = mark(&stage).await;
    assert!(marked.is_some(), "the mark moves");
    assert_eq!(passed_over(&stage).await.len(), 1);
    // What is newer is written meanwhile: what was passed over blocks nothing.
    for text in ["I keep a goat", "and the goat eats rope", "so I buy rope", "from the chandler", "in Dover"]
    {
        stage.says_in(&ferry(), "ben", text, APART).await;
    }
    let asked = stage.models.next_memory().await;
    assert!(!asked.transcript().contains("two hens"), "{}", asked.transcript());
    asked.reply("{\"do\":\"add\",\"file\":\"Ben\",\"text\":\"Ben keeps a goat.\",\"from\":[1]}");
    stage.workers.idle().await;
    assert!(note_of(&stage, "ben").contains("keeps a goat"));
    assert!(!stage.models.memory_is_asked().await, "not before its time");
    let moved = mark(&stage).await;
    assert!(moved > marked);
    // A restart in between, after which nobody says anything.
    let stage = stage.reopened().await;
    stage.models.write_memories();
    stage.clock.advance(Duration::from_secs(HOUR));
    stage.workers.catch_up().await;
    let asked = stage.models.next_memory().await;
    assert!(asked.transcript().contains("two hens") && !asked.transcript().contains("eats rope"));
    asked.reply(HENS);
    stage.workers.idle().await;
    assert!(note_of(&stage, "alice").contains("Alice keeps two hens."));
    assert_eq!(passed_over(&stage).await, []);
    assert_eq!(mark(&stage).await, moved, "it never goes back");
}

#[tokio::test(start_paused = true)]
async fn y9_a_refusal_is_asked_again_for_days_and_then_given_up_where_it_can_be_seen() {
    let mut stage = writes_after_five().await;
    five_turns(&mut stage).await.fail(ModelErrorClass::ContentFilter);
    stage.workers.idle().await;
    let mut asked_again = 0;
    for hours in [1, 6, 24, 72, 168, 1_000, 1_000] {
        later(&stage, hours * HOUR).await;
        tokio::select! {
            biased;
            asked = stage.models.next_memory() => {
                asked_again += 1;
                asked.fail(ModelErrorClass::ContentFilter);
            }
            () = stage.workers.idle() => {}
        }
        stage.workers.idle().await;
    }
    assert_eq!(asked_again, 5);
    let history = stage.dir.path().join("familiars/mika/history.db");
    let seen = passed_over_in(&history).unwrap();
    assert!(seen.len() == 1 && seen[0].not_before.is_none() && seen[0].tries == 5, "{seen:?}");
    // Another model, and the operator's word.
    assert_eq!(stage.history.read_again().await.unwrap(), 1);
    later(&stage, 1).await;
    stage.models.next_memory().await.reply(HENS);
    stage.workers.idle().await;
    assert!(note_of(&stage, "alice").contains("Alice keeps two hens."));
    assert_eq!(passed_over_in(&history).unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn y9_an_answer_nobody_could_read_waits_for_people_until_a_better_one_comes() {
    let mut stage = writes_after_five().await;
    five_turns(&mut stage).await.reply("Sure! Alice is nice.");
    stage.models.next_memory().await.reply("As I said, {\"do\": she is nice.");
    stage.workers.idle().await;
    assert_eq!(waiting(&stage).len(), 1);
    // In vain again: there is still one answer to look at.
    later(&stage, HOUR).await;
    stage.models.next_memory().await.reply("She is very nice.");
    stage.models.next_memory().await.reply("She is, {\"do\":");
    stage.workers.idle().await;
    let kept = waiting(&stage);
    assert!(kept.len() == 1 && !kept[0].contains("As I said"), "{kept:?}");
    later(&stage, 6 * HOUR).await;
    stage.models.next_memory().await.reply(HENS);
    stage.workers.idle().await;
    assert!(note_of(&stage, "alice").contains("Alice keeps two hens."));
    assert!(waiting(&stage).is_empty() && passed_over(&stage).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn y9_nothing_at_all_is_no_answer() {
    let mut stage = writes_after_five().await;
    five_turns(&mut stage).await.reply("");
    stage.models.next_memory().await.reply(" ");
    stage.workers.idle().await;
    assert!(mark(&stage).await.is_some() && passed_over(&stage).await.len() == 1);
    later(&stage, HOUR).await;
    stage.models.next_memory().await.reply(HENS);
    stage.workers.idle().await;
    assert!(note_of(&stage, "alice").contains("Alice keeps two hens."));
}

#[tokio::test(start_paused = true)]
async fn m4_what_is_read_late_changes_nothing_that_was_said_since() {
    let mut stage = writes_after_five().await;
    failed_thrice(&mut stage).await;
    mentioned(&mut stage, &ferry(), "alice", "I live in Bruges").await;
    later(&stage, HOUR).await;
    // What is new is due too, and comes first.
    stage.models.next_memory().await.reply("{\"do\":\"nothing\"}");
    let late: Asked = stage.models.next_memory().await;
    let material = late.transcript();
    assert!(material.contains("two hens"), "{material}");
    let known = material.lines().find(|line| line.contains(": Alice lives in Bruges.")).unwrap();
    let id = known.split(':').next().unwrap();
    late.reply(&format!(
        "{{\"do\":\"supersede\",\"fact\":\"{id}\",\"text\":\"Alice sold her boat by the harbour.\",\"from\":[1,5]}}\n\
         {{\"do\":\"end\",\"fact\":\"{id}\",\"from\":[5]}}"
    ));
    stage.workers.idle().await;
    let file = note_of(&stage, "alice");
    assert!(file.contains("Alice lives in Bruges.") && !file.contains("gone="), "{file}");
    assert!(!file.contains("harbour"), "{file}");
}

#[tokio::test(start_paused = true)]
async fn contradiction_16_what_was_forgotten_meanwhile_is_not_read_again() {
    use familiar_connect::erase::KeepCopy;
    let mut stage = writes_after_five().await;
    failed_thrice(&mut stage).await;
    for who in ["alice", "ben"] {
        let me = crate::support::stage::person(who).account;
        stage.forgets(&me, KeepCopy::Nothing).await;
    }
    later(&stage, HOUR).await;
    stage.workers.idle().await;
    assert!(!stage.models.memory_is_asked().await);
    assert_eq!(passed_over(&stage).await, []);
}
