//! Whom the settings let in.

use serde_json::json;

use super::rig::Rig;
use crate::support::discord::DiscordWorld;

#[tokio::test]
async fn nothing_of_whoever_is_never_let_in_is_taken_in_and_what_is_theirs_they_still_have() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, alice, ben) = (home.channel("general"), home.member("alice"), home.member("ben"));
    let rig = Rig::start(&world, &format!("[discord.never]\nusers = [{}]", ben.id())).await;
    world.bot_is_online().await;
    rig.subscribe(&general);
    ben.types(&general);
    let said = ben.says(&general, "hello Ada");
    ben.edits(&general, said, "hello there, Ada");
    ben.says(&ben.dm(), "Ada?");
    alice.says(&general, "good evening");
    assert_eq!(rig.next_heard().await.text, "good evening");
    assert!(rig.listener.has_nothing_more());
    assert!(rig.listener.expected.lock().unwrap().is_empty());
    let refused = ben.runs(&general, "/status", json!({})).await;
    assert!(refused.ephemeral && refused.content.contains("is not open to you here"), "{refused:?}");
    for theirs in ["/privacy", "/forget me"] {
        let told = ben.runs(&general, theirs, json!({})).await;
        assert!(!told.content.contains("is not open to you"), "{theirs}: {told:?}");
    }
}

#[tokio::test]
async fn where_roles_are_listed_whoever_has_one_is_let_in_and_operators_always() {
    let (world, home) = DiscordWorld::with_home().await;
    let general = home.channel("general");
    let (alice, ben, boss) = (home.member("alice"), home.member("ben"), home.member("boss"));
    let (crew, banned) = (home.role("crew"), home.role("banned"));
    home.gives(&alice, &[crew]);
    let settings = format!(
        "operators = [{}]\n[discord.only]\nroles = [{}]\n[discord.never]\nroles = [{}]",
        boss.id(),
        crew.0,
        banned.0
    );
    let rig = Rig::start(&world, &settings).await;
    world.bot_is_online().await;
    rig.subscribe(&general);
    for (who, says) in [(&ben, "let me in"), (&alice, "aye"), (&boss, "as you were")] {
        who.says(&general, says);
    }
    assert_eq!(rig.next_heard().await.text, "aye");
    assert_eq!(rig.next_heard().await.text, "as you were");
    home.gives(&alice, &[crew, banned]);
    alice.says(&general, "still here");
    boss.says(&general, "no");
    assert_eq!(rig.next_heard().await.text, "no", "never wins");
    assert!(rig.listener.has_nothing_more());
    let refused = ben.runs(&general, "/status", json!({})).await;
    assert!(refused.content.contains("is not open to you here"), "{refused:?}");
    let told = boss.runs(&general, "/status", json!({})).await;
    assert!(told.content.contains("This channel: read"), "{told:?}");
}

#[tokio::test]
async fn a_channel_or_server_that_is_not_let_in_is_not_read_whoever_subscribed_it() {
    let world = DiscordWorld::start().await;
    let (home, other) = (world.guild("home"), world.guild("other"));
    let (general, closed, far) = (home.channel("general"), home.channel("closed"), other.channel("far"));
    let (alice, thread) = (home.member("alice"), closed.thread("aside"));
    other.takes_in(&alice);
    let settings = format!("[discord.never]\nchannels = [{}]\nservers = [{}]", closed.id(), other.id());
    let rig = Rig::start(&world, &settings).await;
    world.bot_is_online().await;
    for channel in [&general, &closed, &far] {
        rig.subscribe(channel);
    }
    for channel in [&closed, &thread, &far, &general] {
        alice.says(channel, format!("in {}", channel.id()).as_str());
    }
    assert_eq!(rig.next_heard().await.text, format!("in {}", general.id()));
    assert!(rig.listener.has_nothing_more());
    let refused = alice.runs(&closed, "/status", json!({})).await;
    assert!(refused.content.contains("is not open to you here"), "{refused:?}");
}
