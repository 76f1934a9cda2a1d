//! Who says something of themselves that does not fit what they said before is known to have done so (G5).

use crate::remembering::{mentioned, note_of, prompt, waiting};
use crate::support::stage::{APART, MESSAGES, Stage, channel, dm, ferry};

const LINE: &str = "Alice told you otherwise before on 1 March 2026: “Alice lives in Ghent.”";

#[tokio::test(start_paused = true)]
async fn g5_you_told_me_something_else_before() {
    let mut stage = Stage::new().await;
    mentioned(&mut stage, &ferry(), "alice", "I live in Ghent").await;
    let deck = channel(2, "#deck");
    let text = prompt(&mut stage, &deck, "alice", "I live in Ghent, as you know").await;
    assert!(!text.contains("told you otherwise"), "the same again: {text}");
    let text = prompt(&mut stage, &deck, "ben", "I live in Bruges").await;
    assert!(!text.contains("told you otherwise"), "somebody else: {text}");
    let text = prompt(&mut stage, &deck, "alice", "I live in Bruges").await;
    assert!(text.contains(LINE), "{text}");
    // From now on that is what holds.
    let text = prompt(&mut stage, &deck, "alice", "so it is").await;
    assert!(!text.contains("told you otherwise"), "{text}");
    assert!(note_of(&stage, "alice").contains("Alice lives in Bruges."));
}

#[tokio::test(start_paused = true)]
async fn g5_whoever_sets_themselves_right_is_not_told_of_it() {
    let mut stage = Stage::new().await;
    mentioned(&mut stage, &ferry(), "alice", "I live in Ghent").await;
    let text = prompt(&mut stage, &ferry(), "alice", "no wait, I live in Bruges").await;
    assert!(!text.contains("told you otherwise"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn contradiction_8_what_was_told_alone_is_not_held_against_anybody_in_public() {
    let mut stage = Stage::new().await;
    let alone = dm("alice");
    stage.talk_in(&alone, "alice", "I live in Ghent", "I see.").await;
    stage.workers.idle().await;
    let text = prompt(&mut stage, &ferry(), "alice", "I live in Bruges").await;
    assert!(!text.contains("Ghent"), "{text}");
    let text = prompt(&mut stage, &alone, "alice", "I live in Antwerp").await;
    assert!(text.contains(LINE), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_writes_nothing_of_what_is_plainly_said_either() {
    let mut stage = Stage::with(
        "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n[memory_writer]\ndry_run = true\n",
        MESSAGES,
    )
    .await;
    for _ in 0..2 {
        mentioned(&mut stage, &ferry(), "alice", "my cat is called Biscuit").await;
    }
    assert_eq!(note_of(&stage, "alice"), "");
    let waiting = waiting(&stage);
    assert!(waiting.len() == 1 && waiting[0].contains("Alice's cat is called Biscuit."), "{waiting:?}");
}

#[tokio::test(start_paused = true)]
async fn what_waits_for_a_yes_goes_with_the_message_it_was_learnt_from() {
    let mut stage = Stage::with(
        "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n[memory_writer]\ndry_run = true\n",
        MESSAGES,
    )
    .await;
    let cat = stage.says_in(&ferry(), "alice", "my cat is called Biscuit", APART).await;
    mentioned(&mut stage, &ferry(), "alice", "I live in Ghent").await;
    assert!(waiting(&stage).concat().contains("Biscuit"));
    stage.deletes(&ferry(), &cat).await;
    stage.taken_in().await;
    let left = waiting(&stage).concat();
    assert!(!left.contains("Biscuit") && left.contains("lives in Ghent"), "{left}");
}

#[tokio::test(start_paused = true)]
async fn what_it_is_to_remember_of_its_own_abilities_ends_in_a_month() {
    let mut stage = Stage::new().await;
    mentioned(&mut stage, &ferry(), "alice", "remember that you can open the south door").await;
    mentioned(&mut stage, &ferry(), "alice", "remember that the party is on Friday").await;
    let file = note_of(&stage, "alice");
    let line = |words: &str| file.lines().find(|line| line.contains(words)).unwrap().to_owned();
    assert!(
        line("south door").contains("kind=ability") && line("south door").contains("until=2026-03-31"),
        "{file}"
    );
    assert!(!line("party").contains("until="), "{file}");
}
