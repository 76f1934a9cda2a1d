//! Reminders on Discord: who is called by one, and the list of one's own.

use std::time::Duration;

use familiar_connect::clock::Clock as _;
use familiar_connect::domain::*;
use familiar_connect::history::NewReminder;
use serde_json::json;

use super::rig::{online_on_stage, place_in};
use crate::support::discord::{DiscordWorld, bits};
use crate::support::stage::{MESSAGES, Stage, known_as};

#[tokio::test]
async fn a_reminder_calls_whoever_asked_and_nobody_else_and_the_list_shows_ones_own_alone() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, alice, bea) = (home.channel("general"), home.member("alice"), home.member("bea"));
    let stage = Stage::with("", MESSAGES).await;
    let online = online_on_stage(&world, &stage, &[&general]).await;
    let asked = |who: u64, words: &str, seconds: u64| NewReminder {
        kind: ReminderKind::Reminder,
        asker: known_as(who, "alice"),
        place: place_in(&home, &general),
        words: words.to_owned(),
        due: Some(stage.clock.now() + Duration::from_secs(seconds)),
        zone: "UTC".to_owned(),
        recurrence: None,
        made: stage.clock.now(),
    };
    let words = format!("tell @everyone and <@{}> of the cat", bea.id());
    let soon = stage.history.remind(asked(alice.id(), &words, 60)).await.unwrap().unwrap();
    stage.history.remind(asked(bea.id(), "the SURPRISE", 6000)).await.unwrap().unwrap();
    let later = stage.history.remind(asked(alice.id(), "feed the dog", 6000)).await.unwrap().unwrap();

    let list = alice.runs(&general, "/reminders", json!({})).await;
    assert!(list.ephemeral && list.content.contains("feed the dog"), "{}", list.content);
    assert!(!list.content.contains("SURPRISE"), "{}", list.content);
    let left = alice.picks(&general, &list, &later.to_string()).await;
    assert!(left.content.starts_with("Cancelled: feed the dog"), "{}", left.content);

    // Whoever manages the channel sees what others asked for in it, and cancels it.
    let spam = stage.history.remind(asked(bea.id(), "buy my soap", 6000)).await.unwrap().unwrap();
    let list = alice.runs(&general, "/reminders", json!({})).await;
    assert!(!list.content.contains("soap"), "{}", list.content);
    let moderator = home.moderator("mo");
    let list = moderator.runs(&general, "/reminders", json!({})).await;
    assert!(list.content.contains("buy my soap, for"), "{}", list.content);
    let left = moderator.picks(&general, &list, &spam.to_string()).await;
    assert!(left.content.starts_with("Cancelled: buy my soap"), "{}", left.content);
    assert_eq!(bea.runs(&general, "/reminders", json!({})).await.content.matches("soap").count(), 0);

    // What is announced is shown to all; only whoever asked for it, or manages the channel, cancels it.
    let ritual = NewReminder { kind: ReminderKind::Ritual, ..asked(bea.id(), "film night", 6000) };
    let ritual = stage.history.remind(ritual).await.unwrap().unwrap();
    let list = alice.runs(&general, "/reminders", json!({})).await;
    assert!(list.content.contains("film night"), "{}", list.content);
    assert!(!list.components.to_string().contains("film night"), "{}", list.components);
    let list = moderator.runs(&general, "/reminders", json!({})).await;
    let left = moderator.picks(&general, &list, &ritual.to_string()).await;
    assert!(left.content.starts_with("Cancelled: film night"), "{}", left.content);

    stage.clock.advance(Duration::from_secs(60));
    let session = stage.session.clone();
    let said = tokio::spawn(async move { session.remind_due().await });
    stage.next_request().await.fail(ModelErrorClass::Server);
    let posted = general.next_message().await;
    assert!(
        posted.content.starts_with(&format!("<@{}> You asked me to remind you", alice.id())),
        "{posted:?}"
    );
    assert_eq!(posted.body["allowed_mentions"]["parse"], json!([]));
    assert_eq!(posted.body["allowed_mentions"]["users"], json!([alice.id().to_string()]), "{posted:?}");
    said.await.unwrap();
    let list = alice.runs(&general, "/reminders", json!({})).await;
    assert!(list.content.contains("keeps no reminders of yours"), "{soon}: {}", list.content);

    // Where it may not speak any more, whoever asked is told alone in the end, and once.
    let alone = alice.dm();
    general.denies_the_bot(bits::SEND_MESSAGES);
    stage.history.remind(asked(alice.id(), "close the hatch", 60)).await.unwrap().unwrap();
    for _ in 0..10 {
        stage.clock.advance(Duration::from_secs(2 * 60 * 60));
        stage.session.remind_due().await;
    }
    let told: Vec<_> = alone.messages().into_iter().map(|posted| posted.content).collect();
    let [told] = &told[..] else { panic!("{told:?}") };
    assert!(told.contains("You asked me to remind you: close the hatch"), "{told}");
    assert_eq!(general.messages().len(), 1);
    online.ends().await;
}
