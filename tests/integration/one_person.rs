//! Two accounts of one person: what one was told of is known of the other, where it may be known, and is forgotten with it.

use std::fs;

use familiar_connect::domain::*;
use familiar_connect::erase::{Asker, ForgetRequest, ForgetWhat, KeepCopy};

use crate::remembering::{mentioned, note, note_of, prompt};
use crate::support::stage::{Stage, channel, dm, ferry, person};

/// Alice, who writes as Ben, too; and nobody knows that yet.
async fn with_two_accounts() -> (Stage, AccountId, AccountId) {
    let mut stage = Stage::new().await;
    mentioned(&mut stage, &ferry(), "alice", "my cat is called Biscuit").await;
    prompt(&mut stage, &dm("alice"), "alice", "I live in Ghent").await;
    mentioned(&mut stage, &ferry(), "ben", "my dog is called Rex").await;
    (stage, person("alice").account, person("ben").account)
}

#[tokio::test(start_paused = true)]
async fn told_by_one_account_it_is_known_of_the_other_in_the_same_place_and_nowhere_else() {
    let (mut stage, alice, ben) = with_two_accounts().await;
    let deck = channel(2, "#deck");
    let text = prompt(&mut stage, &deck, "ben", "are you there?").await;
    assert!(!text.contains("Alice's cat is called Biscuit."), "they are two: {text}");
    stage.eraser.join(&alice, &ben).await.unwrap();
    assert_eq!(note_of(&stage, "ben"), "");
    let both = note_of(&stage, "alice");
    assert!(both.contains("called Biscuit.") && both.contains("called Rex."), "{both}");
    assert!(both.contains(&format!("by={ben}")), "who said it stays: {both}");

    let text = prompt(&mut stage, &deck, "ben", "and now?").await;
    assert!(text.contains("Alice's cat is called Biscuit.") && text.contains("dog is called Rex."), "{text}");
    assert!(!text.contains("lives in Ghent"), "what was said alone with one account stays there: {text}");
    let text = prompt(&mut stage, &dm("ben"), "ben", "just us two").await;
    assert!(!text.contains("lives in Ghent"), "alone with the other account is another place: {text}");
    let text = prompt(&mut stage, &dm("alice"), "alice", "and us").await;
    assert!(text.contains("Alice lives in Ghent."), "{text}");

    // What either says from now on stands in the one note, and what the other is called is no new name.
    mentioned(&mut stage, &ferry(), "ben", "my horse is called Flint").await;
    let both = note_of(&stage, "alice");
    assert!(both.contains("called Flint.") && !both.contains("is now called"), "{both}");
    assert_eq!(note_of(&stage, "ben"), "");
    let about = Visible::at(&deck);
    let of_ben = stage.memory.seen_by(&about).facts_of(ben.clone()).await.unwrap().unwrap();
    assert!(of_ben.iter().any(|fact| fact.words.contains("Biscuit")), "what /memory shows: {of_ben:?}");

    // Taken apart they are two again; what was noted stays where it is.
    assert!(stage.eraser.part(&alice, &ben).await.unwrap());
    mentioned(&mut stage, &ferry(), "ben", "my goat is called Basil").await;
    assert!(note_of(&stage, "ben").contains("called Basil."));
    assert!(!note_of(&stage, "alice").contains("Basil") && note_of(&stage, "alice").contains("Rex"));
}

#[tokio::test(start_paused = true)]
async fn contradiction_16_forgotten_by_either_account_they_are_forgotten_by_both_and_come_back_so() {
    let (mut stage, alice, ben) = with_two_accounts().await;
    mentioned(&mut stage, &ferry(), "chloe", "my parrot is called Quill").await;
    stage.eraser.join(&alice, &ben).await.unwrap();
    let before = (stage.remembered().await, note_of(&stage, "alice"));
    let by = Asker::Person(ben.clone());
    let request =
        ForgetRequest { what: ForgetWhat::Person(ben.clone()), by: by.clone(), keep: KeepCopy::SevenDays };
    let plan = stage.eraser.plan(&request).await.unwrap();
    assert_eq!((plan.messages, plan.facts, plan.notes), (3, 3, 1), "each counts once: {plan:?}");
    assert_eq!(stage.eraser.forget(request.clone()).await.unwrap(), plan);
    let said = stage.remembered().await;
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(note_of(&stage, "alice"), "");
    assert!(note_of(&stage, "chloe").contains("Quill"));
    assert_eq!(stage.eraser.plan(&request).await.unwrap().messages, 0);
    assert_eq!(stage.eraser.undo(&by).await.unwrap(), Some(plan));
    assert_eq!((stage.remembered().await, note_of(&stage, "alice")), before);
    assert_eq!(stage.eraser.undo(&by).await.unwrap(), None, "once");
    assert_eq!(stage.memory.accounts_of(&ben).await, [ben.clone(), alice.clone()]);
    // One may still have a single fact of the other's forgotten, and somebody else may not.
    let fact = note_of(&stage, "alice");
    let line = fact.lines().find(|line| line.contains("Biscuit")).unwrap();
    let id = line.split("f=").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    let one = |by: &AccountId| ForgetRequest {
        what: ForgetWhat::Fact(id.clone()),
        by: Asker::Person(by.clone()),
        keep: KeepCopy::Nothing,
    };
    assert!(stage.eraser.plan(&one(&person("chloe").account)).await.unwrap().is_empty());
    stage.eraser.forget(one(&ben)).await.unwrap();
    let left = note_of(&stage, "alice");
    assert!(!left.contains("Biscuit") && left.contains("Rex"), "{left}");
}

#[tokio::test(start_paused = true)]
async fn what_a_crash_leaves_of_two_notes_is_one_at_the_next_start_with_everything_once() {
    let (stage, alice, ben) = with_two_accounts().await;
    let bens = note_of(&stage, "ben");
    stage.eraser.join(&alice, &ben).await.unwrap();
    let both = note_of(&stage, "alice");
    // It came as far as the one note and not to taking the other away.
    let path = stage.dir.path().join("familiars/mika/memory/people").join(format!("{}.md", ben.slug()));
    fs::write(&path, bens).unwrap();
    assert_eq!(stage.eraser.tidy().await.unwrap(), 1);
    assert_eq!((note_of(&stage, "alice"), path.exists()), (both, false));
    assert_eq!(stage.eraser.tidy().await.unwrap(), 0);
    assert!(!note(&stage, "people/_aliases.json").is_empty());
}
