//! Coming online, staying there, and saying why when it cannot be done.

use familiar_connect::discord::DiscordError;
use std::time::Duration;

use serde_json::json;

use super::rig::Rig;
use crate::support::discord::{BOT, DiscordWorld, Fault};
use crate::support::time::passes;

#[tokio::test]
async fn it_identifies_with_exactly_the_intents_it_uses() {
    let world = DiscordWorld::start().await;
    world.guild("home");
    let rig = Rig::online(&world).await;
    // GUILDS, GUILD_VOICE_STATES; messages, reactions and typing in guilds and DMs; MESSAGE_CONTENT
    let in_guilds = 1 | 1 << 7 | 1 << 9 | 1 << 10 | 1 << 11;
    let in_dms = 1 << 12 | 1 << 13 | 1 << 14;
    assert_eq!(world.identifies()[0]["intents"], in_guilds | in_dms | 1 << 15);
    assert_eq!(rig.stops().await, Ok(()));
}

#[tokio::test]
async fn commands_are_registered_in_guilds_and_the_personal_ones_for_dms() {
    let (world, home) = DiscordWorld::with_home().await;
    let _rig = Rig::online(&world).await;
    let shown = |command: &serde_json::Value| {
        format!(
            "{} [{}] {}",
            command["name"].as_str().unwrap(),
            command["default_member_permissions"].as_str().unwrap_or("everybody"),
            command["description"].as_str().unwrap_or("in the menu of a message")
        )
    };
    let in_guild: Vec<String> = world.commands(Some(&home)).iter().map(shown).collect();
    insta::assert_snapshot!(in_guild.join("\n"), @r"
    subscribe-text [16] Read this channel and its threads, and answer when spoken to
    unsubscribe-text [16] Stop reading this channel
    subscribe-my-voice [everybody] Join the call I am in and listen to me; in a call it is in already, listen to me too
    unsubscribe-voice [everybody] Leave the call, or where somebody else called it in, listen to me no longer
    quiet [everybody] Here and in this server's call, speak only when spoken to
    wake [everybody] Here and in this server's call, join in again
    speak-first [16] Let it begin to speak here by itself, about days and birthdays it was told of
    channel-full-rp [16] Write long, novel-style replies in this channel
    channel-text-conversation-rp [16] Write a couple of short lines, as in a chat room, in this channel
    channel-imitate-voice [16] Write one or two short sentences, as if spoken, in this channel
    channel-backdrop [16] Say what is going on in this channel
    reset [16] Begin the conversation here anew; what was said before stays remembered
    branch [everybody] Go on in a thread of its own, which knows what was said here before
    profile [everybody] Its card's picture and name on Discord; what it is called on this server
    Go on in a thread [everybody] in the menu of a message
    memory [everybody] What is noted about you, as far as it may be seen here
    reminders [everybody] What you asked to be reminded of, as far as it may be seen here; cancel it
    forget [everybody] What you said here and elsewhere, and what is noted of it
    privacy [everybody] What is stored about you and who gets it; a copy of it, and opting out
    context [everybody] Why it said what it said: the record of one of your own turns
    lore [everybody] World lore: what was called up, and why
    greet [everybody] Say one of the character's greetings
    pair [everybody] Link your direct messages with this server, or with another account of yours
    pair-past [everybody] Let what you told it before pairing be known where you paired, too
    unpair [everybody] End what you paired with this place
    persona [everybody] Who you are in play, here or everywhere
    status [everybody] How it is, and how it writes here
    help [everybody] What this bot does and which commands it has
    Repair this reply [everybody] in the menu of a message
    ");
    let in_dms = world.commands(None);
    let names: Vec<&str> = in_dms.iter().map(|command| command["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "memory",
            "reminders",
            "forget",
            "privacy",
            "context",
            "lore",
            "greet",
            "pair",
            "pair-past",
            "unpair",
            "persona",
            "status",
            "help",
            "speak-first",
            "reset",
            "Repair this reply"
        ]
    );
    assert!(in_dms.iter().all(|command| command["contexts"] == json!([1])), "{in_dms:?}");
}

#[tokio::test]
async fn a_guild_that_is_joined_later_gets_its_commands_too() {
    let world = DiscordWorld::start().await;
    let _rig = Rig::online(&world).await;
    let new = world.guild("new");
    world.bot_is_online().await;
    assert_eq!(world.commands(Some(&new)).len(), 29);
}

#[tokio::test]
async fn a_wrong_token_ends_the_run_with_what_to_do() {
    let world = DiscordWorld::start().await;
    world.refuse_token();
    let error = Rig::start(&world, "").await.ended().await.unwrap_err();
    assert_eq!(error, DiscordError::WrongToken);
    assert!(error.to_string().contains("DISCORD_TOKEN") && !error.to_string().contains("secret"));
}

#[tokio::test]
async fn a_missing_intent_ends_the_run_with_where_to_switch_it_on() {
    let world = DiscordWorld::start().await;
    world.refuse_message_content();
    let error = Rig::start(&world, "").await.ended().await.unwrap_err();
    assert_eq!(error, DiscordError::IntentsDenied { application: Some(BOT) });
    assert!(error.to_string().contains(&format!("developers/applications/{BOT}/bot")), "{error}");
}

#[tokio::test]
async fn an_outage_at_the_start_is_waited_out() {
    let world = DiscordWorld::start().await;
    world.guild("home");
    world.fail_next("GET gateway/bot", Fault::Down(503));
    let rig = Rig::online(&world).await;
    assert!(world.requests("GET gateway/bot").len() >= 2);
    assert_eq!(rig.stops().await, Ok(()));
}

#[tokio::test]
async fn a_broken_connection_is_resumed_and_nothing_is_lost_or_heard_twice() {
    let (world, general, alice) = DiscordWorld::at_home().await;
    let rig = Rig::reading(&world, &general).await;
    alice.says(&general, "one");
    assert_eq!(rig.next_heard().await.text, "one");
    world.drop_gateway();
    alice.says(&general, "two");
    world.has_resumed(1).await;
    alice.says(&general, "three");
    assert_eq!(rig.next_heard().await.text, "two");
    assert_eq!(rig.next_heard().await.text, "three");
    assert!(rig.listener.has_nothing_more());
    assert_eq!(world.identifies().len(), 1);
}

#[tokio::test]
async fn a_forgotten_session_is_begun_anew_without_registering_again() {
    let (world, general, alice) = DiscordWorld::at_home().await;
    let rig = Rig::reading(&world, &general).await;
    world.invalidate_session();
    world.has_identified(2).await;
    alice.says(&general, "still there?");
    assert_eq!(rig.next_heard().await.text, "still there?");
    assert_eq!(world.requests(&format!("PUT applications/{BOT}/guilds")).len(), 1);
}

#[tokio::test]
async fn d28a_events_that_cannot_be_read_are_counted_by_kind_and_never_written_down() {
    let world = DiscordWorld::start().await;
    world.guild("home");
    let rig = Rig::online(&world).await;
    for kind in ["MESSAGE_CREATE", "MESSAGE_SUNG", "MESSAGE_CREATE", "words like these"] {
        world.tells(kind, json!({"id": "1", "content": "xylophone"}));
    }
    let record =
        rig.record("three kinds", |record| record.unread.len() == 3 && record.unread["MESSAGE_CREATE"] == 2);
    let record = record.await;
    assert_eq!(record.unread["MESSAGE_SUNG"], 1);
    assert_eq!(record.unread["OTHER"], 1);
    let written = std::fs::read_to_string(rig.home.connection_json()).unwrap();
    assert!(!written.contains("xylophone") && !written.contains("words"), "{written}");
}

#[tokio::test]
async fn d28a_a_server_that_is_named_and_never_described_is_told_of() {
    let world = DiscordWorld::start().await;
    let (home, lost) = (world.guild("home"), world.guild("lost"));
    world.leaves_undescribed(&lost);
    let rig = Rig::start(&world, "").await;
    world.sees_requests(&format!("PUT applications/{BOT}/guilds/{}", home.id()), 1).await;
    assert!(rig.record("any", |_| true).await.undescribed.is_empty());
    passes(Duration::from_secs(31)).await;
    let record = rig.record("the undescribed", |record| !record.undescribed.is_empty()).await;
    assert_eq!(record.undescribed.into_iter().collect::<Vec<_>>(), [lost.id()]);
}

#[tokio::test]
async fn d28c_a_gateway_that_hangs_up_is_tried_less_and_less_and_says_why() {
    let world = DiscordWorld::start().await;
    world.guild("home");
    let rig = Rig::online(&world).await;
    let before = world.connections();
    world.hangs_up_with(Some(1011));
    world.drop_gateway();
    let mut seconds = 0;
    while world.connections() < before + 5 {
        passes(Duration::from_secs(1)).await;
        seconds += 1;
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
    }
    assert!(seconds >= 15, "five attempts in {seconds} s");
    // However long it takes: what it is told by the gateway, when it asks for itself.
    let told = async {
        loop {
            passes(Duration::from_secs(5)).await;
            for _ in 0..2_000 {
                tokio::task::yield_now().await;
            }
            let record = rig.record("any", |_| true).await;
            if record.trouble.as_deref() == Some("the gateway closes with 1011") {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(24 * 60 * 60), told).await.expect("it is never told");
    world.hangs_up_with(None);
    while rig.record("any", |_| true).await.trouble.is_some() {
        passes(Duration::from_secs(5)).await;
        for _ in 0..2_000 {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(rig.stops().await, Ok(()));
}

#[tokio::test]
async fn d28c_the_days_sessions_are_never_used_up() {
    let world = DiscordWorld::start().await;
    world.guild("home");
    world.has_sessions_left(100);
    let rig = Rig::start(&world, "").await;
    rig.record("that it waits", |record| record.trouble.is_some()).await;
    assert!(world.identifies().is_empty());
    world.has_sessions_left(101);
    world.bot_is_online().await;
    rig.record("that it is there", |record| record.trouble.is_none()).await;
}
