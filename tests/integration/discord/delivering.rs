//! How a reply arrives: code as a file, and not while whoever it answers is still typing.

use familiar_connect::session::DeliveryStyle;

use super::rig::{online_on_stage, place};
use crate::support::discord::{Channel, DiscordWorld, Person, Posted, Said, bits};
use crate::support::stage::{Asked, Stage};

const QUIET: &str =
    "answers = \"addressed\"\ntext_lull_timeout = 0.0\n[typing_simulation]\nenabled = false\n";

async fn quiet_stage() -> Stage {
    Stage::with(QUIET, DeliveryStyle::Messages { max_chars: 2000 }).await
}

async fn asks(stage: &Stage, who: &Person, channel: &Channel, text: &str) -> Asked {
    who.says(channel, Said::text(text).mentioning_the_bot());
    stage.next_request().await
}

/// What stands in a channel of what the bot posted.
fn standing(channel: &Channel) -> Vec<Posted> {
    channel.messages().into_iter().filter(|posted| !posted.is_deleted).collect()
}

/// Words around code of more than a message.
fn long_code() -> (String, String) {
    let code = "fn ferry() { /* the rope */ }\n".repeat(120);
    (format!("Here it is.\n```rust\n{code}```\nRun it twice."), code)
}

#[tokio::test]
async fn code_of_more_than_a_message_goes_as_a_file_of_its_language_and_is_remembered_whole() {
    let world = DiscordWorld::start().await;
    let home = world.guild("home");
    let (general, alice, ben) = (home.channel("general"), home.member("alice"), home.member("ben"));
    let stage = quiet_stage().await;
    let (stop, running) = online_on_stage(&world, &stage, &[&general]).await;
    let (reply, code) = long_code();
    asks(&stage, &alice, &general, "write me a ferry").await.reply(&reply);
    let words = general.next_message().await;
    let file = general.next_message().await;
    let end = general.next_message().await;
    assert_eq!((words.content.as_str(), end.content.as_str()), ("Here it is.", "Run it twice."));
    assert_eq!((file.content.as_str(), file.files.as_slice()), ("", &[("code.rs".to_owned(), code)][..]));
    assert!(file.allowed_mentions_are_empty());
    let asked = asks(&stage, &ben, &general, "what does it do?").await;
    let told = asked.transcript();
    assert!(told.contains("Here it is.") && told.contains("fn ferry()"), "{told}");
    asked.reply("It crosses.");
    general.next_message().await;
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn where_no_file_may_be_attached_code_goes_in_messages() {
    let world = DiscordWorld::start().await;
    let home = world.guild("home");
    let (general, alice) = (home.channel_without("general", bits::ATTACH_FILES), home.member("alice"));
    let stage = quiet_stage().await;
    let (stop, running) = online_on_stage(&world, &stage, &[&general]).await;
    asks(&stage, &alice, &general, "write me a ferry").await.reply(&long_code().0);
    stage.session.settle(&place(&general)).await.unwrap();
    let posted = standing(&general);
    assert!(posted.len() > 1 && posted.iter().all(|posted| posted.files.is_empty()), "{posted:?}");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_reply_with_a_file_takes_no_other_answer_and_may_be_deleted() {
    let world = DiscordWorld::start().await;
    let home = world.guild("home");
    let (general, alice) = (home.channel("general"), home.member("alice"));
    let stage = quiet_stage().await;
    let (stop, running) = online_on_stage(&world, &stage, &[&general]).await;
    asks(&stage, &alice, &general, "write me a ferry").await.reply(&long_code().0);
    let first = general.next_message().await;
    stage.session.settle(&place(&general)).await.unwrap();
    let stood = || {
        let all = standing(&general).into_iter();
        all.map(|posted| (posted.content, posted.files.len())).collect::<Vec<_>>()
    };
    let before = stood();
    let panel = alice.chooses_on(&general, first.id, "Repair this reply").await;
    let told = alice.presses(&general, &panel, "Another answer").await;
    assert!(told.content.contains("part of it is a file"), "{told:?}");
    assert!(!stage.models.was_asked_again().await, "nobody pays for what cannot be shown");
    assert_eq!(stood(), before);
    let panel = alice.chooses_on(&general, first.id, "Repair this reply").await;
    alice.presses(&general, &panel, "Delete it").await;
    assert_eq!(stood(), []);
    let asked = asks(&stage, &alice, &general, "why not?").await;
    assert!(!asked.transcript().contains("fn ferry()"), "what is not there is not remembered");
    asked.reply("The tide.");
    general.next_message().await;
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn whoever_types_on_is_waited_for_and_answered_once() {
    let world = DiscordWorld::start().await;
    let home = world.guild("home");
    let (general, alice, ben) = (home.channel("general"), home.member("alice"), home.member("ben"));
    let stage = quiet_stage().await;
    let (stop, running) = online_on_stage(&world, &stage, &[&general]).await;
    let here = place(&general);
    let typing = || {
        let world = stage.world.snapshot();
        world.for_place(&here).typing(stage.clock_now()).count()
    };
    let asked = asks(&stage, &alice, &general, "what do I owe").await;
    alice.types(&general);
    while typing() == 0 {
        tokio::task::yield_now().await;
    }
    asked.reply("Two coins.");
    let again = asks(&stage, &alice, &general, "for the horse, I mean").await;
    let told = again.transcript();
    assert!(told.contains("what do I owe") && told.contains("for the horse"), "{told}");
    again.reply("Five for a horse.");
    assert_eq!(general.next_message().await.content, "Five for a horse.");
    // Whoever else types is not waited for.
    let asked = asks(&stage, &alice, &general, "and a goat?").await;
    ben.types(&general);
    while typing() == 0 {
        tokio::task::yield_now().await;
    }
    asked.reply("One.");
    assert_eq!(general.next_message().await.content, "One.");
    assert_eq!(general.messages().len(), 2);
    stop.cancel();
    running.await.unwrap().unwrap();
}
