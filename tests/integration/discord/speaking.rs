//! How the familiar's words reach Discord.

use std::time::Duration;

use familiar_connect::domain::{LAYER_MARKER, ModelErrorClass, TurnId};
use familiar_connect::session::{DeliveryError, DeliveryStyle, Notice, Outbox};

use super::rig::{Rig, delivery, delivery_in};
use crate::support::discord::{Allowed, Channel, DiscordWorld, Fault, PATIENCE};
use crate::support::time::passes;

async fn online() -> (Rig, Channel) {
    let world = DiscordWorld::start().await;
    let general = world.guild("home").channel("general");
    let rig = Rig::start(&world, "").await;
    world.bot_is_online().await;
    (rig, general)
}

#[tokio::test]
async fn a_message_pings_nobody_and_only_the_first_shows_what_it_answers() {
    let (rig, general) = online().await;
    let to = delivery(&general, Some(42));
    let sent = rig.outbox.deliver(&to, "Hello @everyone <@5>.", true).await.unwrap();
    let posted = general.next_message().await;
    assert_eq!(sent.message, Some(posted.id.into()));
    assert_eq!(posted.content, "Hello @everyone <@5>.");
    assert!(posted.allowed_mentions_are_empty(), "{}", posted.body);
    assert_eq!(posted.answers(), Some(42));
    rig.outbox.deliver(&to, "And more.", false).await.unwrap();
    assert_eq!(general.next_message().await.answers(), None);
    assert_eq!(rig.outbox.style(), DeliveryStyle::Messages { max_chars: 2000 });
}

#[tokio::test]
async fn who_told_it_to_be_quiet_gets_a_reaction_or_where_none_can_be_put_a_line() {
    let (rig, general) = online().await;
    let said = rig.world.person("alice").says(&general, "hush");
    let sign = format!("PUT channels/{}/messages/{said}/reactions/%F0%9F%A4%90/@me", general.id());
    rig.outbox.notice(&delivery(&general, Some(said)), Notice::KeepsQuiet).await.unwrap();
    assert_eq!(rig.world.reactions(said), ["🤐"]);
    rig.outbox.notice(&delivery(&general, Some(said)), Notice::JoinsInAgain).await.unwrap();
    assert!(general.messages().is_empty(), "no words");
    rig.world.fail_next(&sign, Fault::Forbidden(50_013));
    rig.outbox.notice(&delivery(&general, Some(said)), Notice::KeepsQuiet).await.unwrap();
    let said = general.next_message().await;
    assert!(said.content.starts_with("-# From now on I speak only when spoken to."), "{said:?}");
    // What was spoken is no message.
    rig.outbox.notice(&delivery(&general, None), Notice::KeepsQuiet).await.unwrap();
    assert_eq!(general.next_message().await.content, said.content);
}

#[tokio::test]
async fn what_must_not_leave_is_refused_before_it_leaves() {
    let (rig, general) = online().await;
    let to = delivery(&general, None);
    let leaking = format!("Sure.\n{LAYER_MARKER} Who you are");
    for text in [" ", &"x".repeat(2001), &leaking] {
        assert!(matches!(rig.outbox.deliver(&to, text, true).await, Err(DeliveryError::Refused(_))));
    }
    assert!(general.messages().is_empty());
}

#[tokio::test]
async fn a_rate_limit_and_an_outage_are_waited_out_and_the_message_sent_once() {
    let (rig, general) = online().await;
    let line = format!("POST channels/{}/messages", general.id());
    rig.world.fail_next(&line, Fault::RateLimited(0.1));
    rig.world.fail_next(&line, Fault::Down(503));
    rig.outbox.deliver(&delivery(&general, None), "Hello.", true).await.unwrap();
    assert_eq!(rig.world.requests(&line).len(), 3);
    assert_eq!(general.messages().len(), 1);
}

#[tokio::test]
async fn a_lasting_outage_fails_in_words() {
    let (rig, general) = online().await;
    let line = format!("POST channels/{}/messages", general.id());
    for _ in 0..4 {
        rig.world.fail_next(&line, Fault::Down(502));
    }
    let error = rig.outbox.deliver(&delivery(&general, None), "Hello.", true).await.unwrap_err();
    assert_eq!(error, DeliveryError::Failed("Discord answered 502: upstream connect error".to_owned()));
}

#[tokio::test]
async fn closed_doors_are_told_apart() {
    let (world, home) = DiscordWorld::with_home().await;
    let general = home.channel("general");
    let (locked, gone, mute) =
        (general.thread("old"), home.channel("gone"), home.channel_without("mute", 1 << 11));
    let rig = Rig::online(&world).await;
    locked.lock();
    gone.vanish();
    let mut words = Vec::new();
    for channel in [&locked, &gone, &mute] {
        match rig.outbox.deliver(&delivery(channel, None), "Hello?", true).await {
            Err(DeliveryError::Forbidden(why)) => words.push(why),
            other => panic!("not a closed door: {other:?}"),
        }
    }
    insta::assert_snapshot!(words.join("\n"), @r"
    the thread is locked
    the channel no longer exists
    the bot lacks the permission Send Messages there
    ");
}

#[tokio::test]
async fn typing_is_shown_again_until_it_ends() {
    let (rig, general) = online().await;
    let typing = rig.outbox.typing(&delivery(&general, None));
    general.sees_typing(1).await;
    passes(Duration::from_secs(9)).await;
    general.sees_typing(2).await;
    drop(typing);
    passes(Duration::from_secs(60)).await;
    rig.outbox.deliver(&delivery(&general, None), "Done.", true).await.unwrap();
    assert_eq!(general.typing_shown(), 2);
}

#[tokio::test]
async fn a_failure_that_everybody_meets_is_said_once_a_minute_in_a_channel() {
    let world = DiscordWorld::start().await;
    let home = world.guild("home");
    let (general, deck) = (home.channel("general"), home.channel("deck"));
    let rig = Rig::start(&world, "").await;
    world.bot_is_online().await;
    let fails = |turn, class| Notice::ModelFailed { turn: TurnId(turn), class, wait: None, key_for: None };
    let (limited, broke) = (ModelErrorClass::RateLimited, ModelErrorClass::BrokeOff);
    for turn in [7, 8] {
        rig.outbox.notice(&delivery(&general, None), fails(turn, limited)).await.unwrap();
    }
    rig.outbox.notice(&delivery(&deck, None), fails(9, limited)).await.unwrap();
    for turn in [10, 11] {
        rig.outbox.notice(&delivery(&general, None), fails(turn, broke)).await.unwrap();
    }
    passes(Duration::from_secs(60)).await;
    rig.outbox.notice(&delivery(&general, None), fails(12, limited)).await.unwrap();
    let turns = |channel: &Channel| {
        let said = channel.messages().into_iter().map(|message| message.content);
        said.map(|line| line.rsplit_once("(t").unwrap().1.trim_end_matches(')').to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(turns(&general), ["7", "10", "11", "12"], "what concerns one answer is said of each");
    assert_eq!(turns(&deck), ["9"]);
}

#[tokio::test]
async fn a_model_failure_is_one_short_line_with_its_turn() {
    let (rig, general) = online().await;
    let notice =
        Notice::ModelFailed { turn: TurnId(7), class: ModelErrorClass::Timeout, wait: None, key_for: None };
    rig.outbox.notice(&delivery(&general, None), notice).await.unwrap();
    assert_eq!(general.next_message().await.content, "-# The model took too long. Try again. (t7)");
}

#[tokio::test]
async fn before_it_is_connected_nothing_is_delivered() {
    let world = DiscordWorld::start().await;
    let general = world.guild("home").channel("general");
    world.refuse_token();
    let rig = Rig::start(&world, "").await;
    let error = rig.outbox.deliver(&delivery(&general, None), "Hello.", true).await.unwrap_err();
    assert_eq!(error, DeliveryError::Failed("not connected to Discord".to_owned()));
}

#[tokio::test]
async fn d28b_what_was_taken_is_delivered_whatever_the_answer_reads_like() {
    let (rig, general) = online().await;
    let line = format!("POST channels/{}/messages", general.id());
    rig.world.fails(&line, Fault::Garbled);
    let sent = rig.outbox.deliver(&delivery(&general, None), "Hello.", true).await.unwrap();
    assert_eq!(sent.message, None);
    assert_eq!(general.messages().len(), 1);
    assert_eq!(rig.world.requests(&line).len(), 1);
}

#[tokio::test]
async fn d28f_rate_limits_are_waited_out_as_long_as_they_say() {
    for in_headers in [true, false] {
        let (rig, general) = online().await;
        let posts = Allowed { requests: 2, within: Duration::from_millis(300) };
        let all = Allowed { requests: 5, within: Duration::from_millis(300) };
        rig.world.limits(Some(posts), Some(all), in_headers);
        let to = delivery(&general, None);
        let said: Vec<String> = (0..12).map(|number| format!("Line {number}.")).collect();
        let posted = said.iter().map(|text| rig.outbox.deliver(&to, text, true));
        let posted = futures::future::join_all(posted).await;
        assert!(posted.iter().all(Result::is_ok), "{posted:?}");
        let mut seen: Vec<String> = general.messages().into_iter().map(|one| one.content).collect();
        seen.sort_by_key(|text| said.iter().position(|one| one == text));
        assert_eq!(seen, said);
        let refused = rig.world.requests("/messages").iter().filter(|one| one.status == 429).count();
        assert!(refused <= 12, "{refused} refusals for 12 messages");
    }
}

#[tokio::test]
async fn d28d_where_it_was_refused_it_is_silent_until_its_permissions_change() {
    const READ_MESSAGE_HISTORY: u64 = 1 << 16;
    let (world, home) = DiscordWorld::with_home().await;
    // Who owns a server may do everything there, and somebody has to.
    let (general, _owner) = (home.channel("general"), home.member("alice"));
    let rig = Rig::online(&world).await;
    let to = delivery_in(&rig.world, &general);
    assert!(rig.outbox.may_speak(&to.place));
    rig.world.fail_next(&format!("POST channels/{}/messages", general.id()), Fault::Forbidden(50_013));
    let refused = rig.outbox.deliver(&to, "Hello?", true).await.unwrap_err();
    assert!(matches!(refused, DeliveryError::Forbidden(_)), "{refused}");
    assert!(!rig.outbox.may_speak(&to.place));
    let record = rig.record("the refusal", |record| record.refused.contains_key(&general.id())).await;
    assert_eq!(record.refused[&general.id()], "the bot lacks the permission Send Messages there");

    general.denies_the_bot(READ_MESSAGE_HISTORY);
    let admitted = async {
        while !rig.outbox.may_speak(&to.place) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, admitted).await.expect("permissions have changed");
    rig.record("that it is over", |record| record.refused.is_empty()).await;
}
