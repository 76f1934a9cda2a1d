//! Pairing, from the code to the prompt: what somebody says alone is known where they want it, from then on (M14).

use familiar_connect::domain::*;

use crate::remembering::prompt;
use crate::support::stage::{MESSAGES, QUICK, Stage, channel, dm, ferry, in_guild, person};

fn pair(stage: &Stage, from: &Place, with: &Place, who: &str) {
    let account = person(who).account;
    let code = stage.pairing.invite(&account, from).unwrap().unwrap().code;
    stage.pairing.redeem(&account, with, &code).unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn m14_what_is_said_alone_after_pairing_is_known_on_the_server_and_nothing_else() {
    let mut stage = Stage::new().await;
    let alone = dm("alice");
    prompt(&mut stage, &alone, "alice", "I live in Ghent. The old wreck is my secret place").await;
    pair(&stage, &alone, &ferry(), "alice");
    prompt(&mut stage, &alone, "alice", "my cat is called Biscuit. I hide her toys behind the lighthouse")
        .await;
    let text = prompt(
        &mut stage,
        &ferry(),
        "alice",
        "what do you know of me, of Ghent, the wreck, my cat and the lighthouse?",
    )
    .await;
    assert!(text.contains("cat is called Biscuit"), "{text}");
    assert!(text.contains("behind the lighthouse"), "the message itself is recalled: {text}");
    assert!(
        !text.contains("lives in Ghent")
            && !text.contains("I live in Ghent")
            && !text.contains("secret place"),
        "{text}"
    );
    // Neither what it answered alone, nor anything for other servers and other people.
    let elsewhere = in_guild(8, channel(5, "#elsewhere"));
    for (place, who) in [(&elsewhere, "alice"), (&dm("ben"), "ben")] {
        let text = prompt(&mut stage, place, who, "what of Alice's cat Biscuit and the lighthouse?").await;
        assert!(!text.contains("called Biscuit.") && !text.contains("behind the lighthouse"), "{text}");
    }
    let text = prompt(&mut stage, &alone, "alice", "what do you know of Ghent and my cat?").await;
    assert!(
        text.contains("lives in Ghent") && text.contains("cat is called Biscuit"),
        "alone it knows all: {text}"
    );
}

#[tokio::test(start_paused = true)]
async fn m14_after_unpairing_the_server_knows_nothing_of_it_and_the_person_still_does() {
    let mut stage = Stage::new().await;
    let alone = dm("alice");
    pair(&stage, &alone, &ferry(), "alice");
    prompt(&mut stage, &alone, "alice", "my cat is called Biscuit").await;
    assert!(stage.pairing.part(&person("alice").account, &ferry()).unwrap());
    let text = prompt(&mut stage, &ferry(), "alice", "what is my cat called?").await;
    assert!(!text.contains("Biscuit"), "{text}");
    let text = prompt(&mut stage, &alone, "alice", "what is my cat called?").await;
    assert!(text.contains("cat is called Biscuit"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn contradiction_17_the_past_reaches_the_server_by_a_second_command_only() {
    let mut stage = Stage::new().await;
    let alone = dm("alice");
    prompt(&mut stage, &alone, "alice", "my cat is called Biscuit").await;
    pair(&stage, &alone, &ferry(), "alice");
    let text = prompt(&mut stage, &ferry(), "alice", "what is my cat called?").await;
    assert!(!text.contains("Biscuit"), "{text}");
    stage.pairing.share_past(&person("alice").account).unwrap();
    let text = prompt(&mut stage, &ferry(), "alice", "and what was my cat called again?").await;
    assert!(text.contains("cat is called Biscuit"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn m14_two_accounts_are_one_person_alone_and_no_server_learns_of_it() {
    let mut stage = Stage::new().await;
    let (alone, other) = (dm("alice"), dm("alt"));
    let code = stage.pairing.invite(&person("alice").account, &alone).unwrap().unwrap().code;
    stage.pairing.redeem(&person("alt").account, &other, &code).unwrap().unwrap();
    prompt(&mut stage, &alone, "alice", "my cat is called Biscuit").await;
    let text = prompt(&mut stage, &other, "alt", "who am I?").await;
    assert!(
        text.contains("from another account of theirs") && text.contains("cat is called Biscuit"),
        "{text}"
    );
    let text = prompt(&mut stage, &ferry(), "alt", "who am I, and what of Biscuit the cat?").await;
    assert!(!text.contains("called Biscuit") && !text.contains("another account"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn m14_a_long_conversation_alone_is_summed_up_for_the_two_of_them() {
    let mut stage = Stage::with(QUICK, MESSAGES).await;
    let alone = dm("alice");
    pair(&stage, &alone, &ferry(), "alice");
    for number in 0..24 {
        prompt(&mut stage, &alone, "alice", &format!("the {number}th rope lies on deck {number}")).await;
    }
    let told = stage.history.whole().summaries(&alone.channel).await.unwrap();
    assert!(!told.is_empty(), "a summary holds more than one message");
    assert!(told.iter().all(|summary| summary.audience == alone.audience), "{told:?}");
}
