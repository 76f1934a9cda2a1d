//! Being called in, following, and leaving.

use familiar_connect::config::SubscriptionKind;
use familiar_connect::discord::CallTimes;
use familiar_connect::domain::{AccountId, Audience, ChannelId, GuildId, InboundEvent, TurnId};
use familiar_connect::session::{Delivery, Notice};
use familiar_connect::voice::{CallEvent, CallNotice};
use serde_json::json;
use tokio::time::timeout;

use super::hall::{Hall, brisk};
use crate::support::discord::{Channel, Fault, PATIENCE};
use crate::support::voice::{Health, Line, Sound, VoiceOptions};

async fn hall() -> Hall {
    Hall::open_with(VoiceOptions::default(), brisk(), |_| String::new()).await
}

/// With the real patience, for what must not happen while a test runs.
async fn patient_hall() -> Hall {
    Hall::open(VoiceOptions::default()).await
}

fn kept(hall: &Hall, call: &Channel) -> bool {
    hall.rig.config.subscriptions().contains(&ChannelId::from(call.id()), SubscriptionKind::Voice)
}

/// Waits until a call is not one to be taken up again.
async fn forgotten(hall: &Hall, call: &Channel) {
    let mut changes = hall.rig.config.changes();
    while kept(hall, call) {
        timeout(PATIENCE, changes.recv())
            .await
            .expect("waited in vain for the call to be forgotten")
            .unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_joins_who_calls_it_and_says_to_whom_it_listens() {
    let hall = patient_hall().await;
    hall.ben.joins(&hall.lounge, false);
    let answer = hall.runs(&hall.alice, "/subscribe-my-voice").await;
    assert!(answer.ephemeral && answer.deferred);
    assert_eq!(
        answer.content,
        format!(
            "Ada is in <#{}> and listens to you. It follows you to other calls of this server and leaves 20 seconds after \
             you. End it with `/unsubscribe-voice`.",
            hall.lounge.id()
        )
    );
    hall.lounge.shows_bot(true).await;
    let call = hall.recorder.call(0).await;
    assert_eq!(call.place.channel, ChannelId::from(hall.lounge.id()));
    assert_eq!(call.place.audience, Audience::Guild(GuildId::from(hall.home.id())));
    call.tells_of("Ben", |event| matches!(event, CallEvent::Joined(one) if one.author.label() == "ben"))
        .await;
    let joined = |name: &str| {
        call.events().into_iter().find_map(|event| match event {
            CallEvent::Joined(one) if one.author.label() == name => Some((one.consents, one.can_stop)),
            _ => None,
        })
    };
    assert_eq!((joined("alice"), joined("ben")), (Some((true, true)), Some((false, false))));
    let notice = hall.lounge.next_message().await;
    assert!(notice.content.starts_with(&format!(
        "**Ada is in this call and listens to <@{}>.** Others are not listened to unless they press **Hear me**.",
        hall.alice.id()
    )));
    assert!(
        notice.content.contains("`/unsubscribe-voice` ends it, `/forget me` has it forget"),
        "{notice:?}"
    );
    assert!(notice.allowed_mentions_are_empty(), "nobody is pinged");
    assert!(kept(&hall, &hall.lounge));

    let again = hall.runs(&hall.alice, "/subscribe-my-voice").await;
    assert_eq!(again.content, "Ada is in your call and hears you already.");
    let ben = hall.runs(&hall.ben, "/subscribe-my-voice").await;
    assert!(ben.content.starts_with("Ada hears you now too."), "{ben:?}");
    call.is_told_of_consent(&hall.ben, true).await;
    assert_eq!(hall.voice.connections(&hall.lounge), 1);

    let ben = hall.runs(&hall.ben, "/unsubscribe-voice").await;
    assert!(ben.content.starts_with("Ada does not listen to you any more."), "{ben:?}");
    call.is_told_of_consent(&hall.ben, false).await;
    let alice = hall.runs(&hall.alice, "/unsubscribe-voice").await;
    assert_eq!(alice.content, "Ada has left the call.");
    hall.lounge.shows_bot(false).await;
    call.tells_of("the end", |event| matches!(event, CallEvent::Close)).await;
    assert!(!kept(&hall, &hall.lounge));
    let nobody = hall.runs(&hall.alice, "/unsubscribe-voice").await;
    assert_eq!(nobody.content, "Ada is in no call on this server.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_stands_in_the_way_is_said() {
    let hall = patient_hall().await;
    let nowhere = hall.runs(&hall.ben, "/subscribe-my-voice").await;
    assert_eq!(
        nowhere.content,
        "You are in no voice channel that I can see. Join one, then use this command again."
    );
    let closed = hall.home.call_without("Closed", 1 << 20 | 1 << 21);
    hall.ben.joins(&closed, false);
    let lacking = hall.runs(&hall.ben, "/subscribe-my-voice").await;
    assert_eq!(
        lacking.content,
        format!(
            "I cannot join <#{}> yet: I lack Connect and Speak. Give my role these permissions in the channel's \
             permissions, then try again.",
            closed.id()
        )
    );
    let small = hall.home.call_for("Small", 1);
    hall.ben.joins(&small, false);
    let full = hall.runs(&hall.ben, "/subscribe-my-voice").await;
    assert_eq!(
        full.content,
        format!("<#{}> is full. Raise its user limit or make room, then try again.", small.id())
    );
    let stage = hall.home.stage("Stage");
    hall.ben.joins(&stage, false);
    let talks = hall.runs(&hall.ben, "/subscribe-my-voice").await;
    assert_eq!(talks.content, format!("<#{}> is a stage; I can only talk in voice channels.", stage.id()));
    hall.ben.joins(&hall.lounge, false);
    let refused = hall.ben.runs(&hall.general, "/subscribe-my-voice", json!({"everybody": true})).await;
    assert!(refused.content.starts_with("To have everybody heard you need Manage Channels"), "{refused:?}");

    hall.alice_calls().await;
    let kitchen = hall.home.call("Kitchen");
    hall.ben.joins(&kitchen, false);
    let elsewhere = hall.runs(&hall.ben, "/subscribe-my-voice").await;
    assert!(elsewhere.content.starts_with("Ada is with others in <#"), "{elsewhere:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_voice_server_that_fails_is_given_up_and_told() {
    let hall = hall().await;
    hall.voice.becomes(Health::Refusing);
    let answer = hall.runs(&hall.alice, "/subscribe-my-voice").await;
    assert!(answer.content.starts_with(&format!("I could not join <#{}>: ", hall.lounge.id())), "{answer:?}");
    hall.lounge.shows_bot(false).await;
    assert!(!kept(&hall, &hall.lounge));
    hall.voice.becomes(Health::Well);
    hall.alice_calls().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_voice_server_that_says_nothing_is_waited_for_no_longer_than_a_person_would() {
    let times = CallTimes { join: std::time::Duration::from_millis(700), ..brisk() };
    let hall = Hall::open_with(VoiceOptions::default(), times, |_| String::new()).await;
    hall.voice.becomes(Health::Mute);
    let answer = hall.runs(&hall.alice, "/subscribe-my-voice").await;
    assert!(answer.content.contains("Discord did not let the bot in in time"), "{answer:?}");
    hall.lounge.shows_bot(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_follows_who_called_it_and_leaves_after_them() {
    let hall = hall().await;
    let kitchen = hall.home.call("Kitchen");
    let first = hall.alice_calls().await;
    hall.ben.joins(&hall.lounge, false);
    hall.alice.joins(&kitchen, false);
    kitchen.shows_bot(true).await;
    first.tells_of("the end", |event| matches!(event, CallEvent::Close)).await;
    let second = hall.recorder.call(1).await;
    assert_eq!(second.place.channel, ChannelId::from(kitchen.id()));
    hall.voice.bot_is_in(&kitchen).await;
    assert!(kitchen.next_message().await.content.contains("is in this call and listens to"));
    assert!(kept(&hall, &kitchen) && !kept(&hall, &hall.lounge));
    let said = hall.voice.speaks(&hall.alice, &kitchen, &Sound::voiced(5, 200), &Line::quick()).await;
    assert_eq!(second.hears(&said).await, said.frames, "who agreed there is heard here");
    hall.alice.leaves(&kitchen);
    kitchen.shows_bot(false).await;
    assert!(
        kitchen.next_message().await.content.starts_with("-# Ada has left: whoever called it in is gone.")
    );
    second.tells_of("the end", |event| matches!(event, CallEvent::Close)).await;
    assert!(!kept(&hall, &kitchen));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_it_may_not_follow_it_stays_and_says_so() {
    let hall = patient_hall().await;
    let first = hall.alice_has_called().await;
    let closed = hall.home.call_without("Closed", 1 << 20);
    hall.alice.joins(&closed, false);
    let told = hall.lounge.next_message().await;
    let why = format!("I cannot join <#{}> yet: I lack Connect.", closed.id());
    let stays = format!("-# Ada stays here and cannot come to <#{}>. {why}", closed.id());
    assert!(told.content.starts_with(&stays), "{told:?}");
    assert!(!first.events().iter().any(|event| matches!(event, CallEvent::Close)));
    assert!(kept(&hall, &hall.lounge));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_leaves_a_call_in_which_nobody_is() {
    let times = CallTimes { grace: std::time::Duration::from_secs(3_600), ..brisk() };
    let hall = Hall::open_with(VoiceOptions::default(), times, |_| String::new()).await;
    let call = hall.alice_has_called().await;
    hall.alice.leaves(&hall.lounge);
    hall.lounge.shows_bot(false).await;
    let told = hall.lounge.next_message().await;
    assert!(told.content.starts_with("-# Ada has left: nobody was here."), "{told:?}");
    call.tells_of("the end", |event| matches!(event, CallEvent::Close)).await;
    assert!(!kept(&hall, &hall.lounge));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_wants_it_to_be_quiet_says_so_once_and_once_more() {
    let hall = patient_hall().await;
    let nobody = hall.runs(&hall.ben, "/quiet").await;
    assert_eq!(nobody.content, "Ada does not read this channel and is in no call on this server.");
    let call = hall.alice_calls().await;
    let quiet = hall.runs(&hall.alice, "/quiet").await;
    assert!(quiet.content.starts_with("Ada speaks only when spoken to"), "{quiet:?}");
    call.tells_of("quiet", |event| matches!(event, CallEvent::Quiet(true))).await;
    // It comes along to another call.
    let kitchen = hall.home.call("Kitchen");
    hall.alice.joins(&kitchen, false);
    let second = hall.recorder.call(1).await;
    second.tells_of("quiet", |event| matches!(event, CallEvent::Quiet(true))).await;
    let again = hall.runs(&hall.alice, "/wake").await;
    assert!(again.content.starts_with("Ada may join in again."), "{again:?}");
    second.tells_of("no longer", |event| matches!(event, CallEvent::Quiet(false))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn told_in_the_call_to_be_quiet_the_call_is_and_may_be_told_otherwise() {
    let hall = patient_hall().await;
    let call = hall.alice_calls().await;
    let told = |notice| CallNotice::Session { to: Delivery::to(TurnId(1), call.place.clone()), notice };
    call.notices(told(Notice::KeepsQuiet)).await;
    call.tells_of("quiet", |event| matches!(event, CallEvent::Quiet(true))).await;
    call.notices(told(Notice::JoinsInAgain)).await;
    call.tells_of("no longer", |event| matches!(event, CallEvent::Quiet(false))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_moderator_may_move_it_and_throw_it_out() {
    let hall = patient_hall().await;
    let kitchen = hall.home.call("Kitchen");
    hall.alice_calls().await;
    hall.ben.joins(&kitchen, false);
    kitchen.draws_in_the_bot();
    let second = hall.recorder.call(1).await;
    assert_eq!(second.place.channel, ChannelId::from(kitchen.id()));
    hall.voice.bot_is_in(&kitchen).await;
    // It was put here, so it stays, and hears nobody who has not agreed.
    let notice = kitchen.next_message().await;
    assert!(notice.content.contains("listens to nobody yet"), "{notice:?}");
    kitchen.throws_out_the_bot();
    second.tells_of("the end", |event| matches!(event, CallEvent::Close)).await;
    let nobody = hall.runs(&hall.alice, "/unsubscribe-voice").await;
    assert_eq!(nobody.content, "Ada is in no call on this server.");
    assert!(!kept(&hall, &kitchen), "who throws it out does not want it back");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_comes_later_is_told_once() {
    let hall = patient_hall().await;
    let call = hall.alice_has_called().await;
    hall.ben.joins(&hall.lounge, false);
    let told = hall.lounge.next_message().await;
    assert!(told.content.starts_with(&format!("<@{}>: **Ada is in this call", hall.ben.id())), "{told:?}");
    assert!(told.allowed_mentions_are_empty());
    hall.ben.leaves(&hall.lounge);
    call.tells_of(
        "Ben gone",
        |event| matches!(event, CallEvent::Left(who) if *who == AccountId::discord(hall.ben.id())),
    )
    .await;
    hall.ben.joins(&hall.lounge, false);
    let cara = hall.home.member("cara");
    cara.joins(&hall.lounge, false);
    let told = hall.lounge.next_message().await;
    assert!(told.content.starts_with(&format!("<@{}>:", cara.id())), "only she is new: {told:?}");
    assert_eq!(hall.lounge.messages().len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whom_the_gateway_does_not_introduce_is_looked_up() {
    let before = |there: &super::hall::Beforehand| {
        there.home.introduces_no_talkers();
        there.home.nickname(&there.alice, "Alice A.");
        String::new()
    };
    let hall = Hall::open_with(VoiceOptions::default(), CallTimes::default(), before).await;
    let robot = hall.home.bot("robot");
    robot.joins(&hall.lounge, false);
    hall.alice.runs(&hall.general, "/subscribe-my-voice", json!({"everybody": true})).await;
    let call = hall.recorder.call(0).await;
    let joined = |event: &CallEvent, name: &str, is_bot: bool| matches!(event, CallEvent::Joined(one) if one.author.label() == name && one.author.is_bot == is_bot);
    call.tells_of("Alice by her name", |event| joined(event, "Alice A.", false)).await;
    call.tells_of("a robot as one", |event| joined(event, "robot", true)).await;
    let notice = hall.lounge.next_message().await;
    assert!(!notice.content.contains(&robot.id().to_string()), "{notice:?}");
    // Who cannot be looked up may be a robot as well: they are told, and heard only by their own word.
    let member = format!("members/{}", hall.ben.id());
    hall.world.fails(&member, Fault::Down(500));
    hall.ben.joins(&hall.lounge, false);
    hall.lounge.next_message().await;
    let ben = AccountId::discord(hall.ben.id());
    let told =
        |event: &CallEvent| matches!(event, CallEvent::ConsentChanged { account, .. } if *account == ben);
    call.tells_of("Ben told", told).await;
    assert_eq!(call.consents(&hall.ben), Some(false));
    hall.world.works_again(&member);
    hall.ben.joins(&hall.lounge, true);
    call.tells_of("Ben by his name", |event| joined(event, "ben", false)).await;
    call.is_told_of_consent(&hall.ben, true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_a_moderator_wants_it_everybody_is_heard_who_was_told() {
    let hall = patient_hall().await;
    hall.ben.joins(&hall.lounge, false);
    // The server is hers.
    hall.alice.runs(&hall.general, "/subscribe-my-voice", json!({"everybody": true})).await;
    let call = hall.recorder.call(0).await;
    let notice = hall.lounge.next_message().await;
    assert!(notice.content.contains("does not press **Do not hear me**"), "{notice:?}");
    call.is_told_of_consent(&hall.ben, true).await;
    let cara = hall.home.member("cara");
    cara.joins(&hall.lounge, false);
    let told = hall.lounge.next_message().await;
    assert!(told.content.contains("It hears you from now on unless you press"), "{told:?}");
    call.is_told_of_consent(&cara, true).await;
    hall.ben.presses_under(&notice, "Do not hear me").await;
    call.is_told_of_consent(&hall.ben, false).await;
    assert_eq!(call.consents(&cara), Some(true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_may_have_everybody_heard_in_every_call_and_who_declines_does_so_for_all() {
    let hall = patient_hall().await;
    let everywhere = |everybody: bool| json!({"everybody": everybody, "every_call": true});
    let server = || hall.rig.config.subscriptions().server(&GuildId::from(hall.home.id())).cloned();
    let alone = hall.alice.runs(&hall.general, "/subscribe-my-voice", json!({"every_call": true})).await;
    assert!(alone.content.contains("set `everybody` to True or False as well"), "{alone:?}");
    let mods = hall.home.moderator("mods");
    mods.joins(&hall.lounge, false);
    let refused = mods.runs(&hall.general, "/subscribe-my-voice", everywhere(true)).await;
    assert!(refused.content.contains("you need Manage Server"), "{refused:?}");
    assert_eq!((server(), hall.recorder.calls().len()), (None, 0));

    let set = hall.alice.runs(&hall.general, "/subscribe-my-voice", everywhere(true)).await;
    assert!(set.content.contains("From now on Ada hears everybody in every call of this server"), "{set:?}");
    let first = hall.recorder.call(0).await;
    let notice = hall.lounge.next_message().await;
    first.is_told_of_consent(&mods, true).await;
    hall.ben.joins(&hall.lounge, false);
    hall.lounge.next_message().await;
    first.is_told_of_consent(&hall.ben, true).await;
    hall.ben.presses_under(&notice, "Do not hear me").await;
    first.is_told_of_consent(&hall.ben, false).await;
    hall.runs(&hall.alice, "/unsubscribe-voice").await;
    assert_eq!(server().map(|server| server.declined), Some(vec![hall.ben.id()]));

    // Somebody else calls it in, elsewhere, and asks for nothing.
    let kitchen = hall.home.call("Kitchen");
    let (cara, dan) = (hall.home.member("cara"), hall.home.member("dan"));
    for person in [&cara, &dan, &hall.ben] {
        person.joins(&kitchen, false);
    }
    cara.runs(&hall.general, "/subscribe-my-voice", json!({})).await;
    let second = hall.recorder.call(1).await;
    let notice = kitchen.next_message().await;
    assert!(
        notice.content.contains("does not press **Do not hear me**"),
        "it is told in every call: {notice:?}"
    );
    second.is_told_of_consent(&dan, true).await;
    let ben = AccountId::discord(hall.ben.id());
    let told =
        |event: &CallEvent| matches!(event, CallEvent::ConsentChanged { account, .. } if *account == ben);
    second.tells_of("Ben told", told).await;
    assert_eq!(second.consents(&hall.ben), Some(false), "he said so in the other call");
    // Newcomers too, but who declined before is not told that they are heard.
    hall.ben.leaves(&kitchen);
    hall.ben.joins(&kitchen, false);
    let eve = hall.home.member("eve");
    eve.joins(&kitchen, false);
    let told = kitchen.next_message().await;
    assert!(told.content.starts_with(&format!("<@{}>: **Ada", eve.id())), "{told:?}");

    hall.ben.presses_under(&notice, "Hear me").await;
    second.is_told_of_consent(&hall.ben, true).await;
    assert_eq!(server().map(|server| server.declined), Some(vec![]));
    hall.runs(&cara, "/unsubscribe-voice").await;
    kitchen.shows_bot(false).await;

    let ended = hall.alice.runs(&hall.general, "/subscribe-my-voice", everywhere(false)).await;
    assert_eq!(ended.content, "In every call of this server Ada hears only who agrees.");
    assert_eq!(server(), None);
    assert_eq!(hall.recorder.calls().len(), 2, "ending it joins no call");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_declined_before_the_server_was_switched_on_has_declined_everywhere_and_after_it_is_off_too() {
    let hall = patient_hall().await;
    let everywhere = |everybody: bool| json!({"everybody": everybody, "every_call": true});
    let server = || hall.rig.config.subscriptions().server(&GuildId::from(hall.home.id())).cloned();
    let declined = || server().map(|server| (server.hears_everybody, server.declined));
    let cara = hall.home.member("cara");
    for person in [&hall.ben, &cara] {
        person.joins(&hall.lounge, false);
    }
    let call = hall.alice_calls().await;
    let notice = hall.lounge.next_message().await;
    hall.ben.presses_under(&notice, "Do not hear me").await;
    assert_eq!(server(), None, "it is about this call");
    hall.alice.runs(&hall.general, "/subscribe-my-voice", everywhere(true)).await;
    assert_eq!(declined(), Some((true, vec![hall.ben.id()])));
    call.is_told_of_consent(&cara, true).await;
    assert_eq!(call.consents(&hall.ben), Some(false));
    // Taken out by whoever keeps the file, he says it again.
    let guild = GuildId::from(hall.home.id());
    hall.rig.config.change_server(&guild, |server| server.declined.clear()).unwrap();
    hall.ben.presses_under(&notice, "Do not hear me").await;
    assert_eq!(declined(), Some((true, vec![hall.ben.id()])));

    // She is in no call and manages the server; what goes on in the lounge ends as she says.
    let kitchen = hall.home.call("Kitchen");
    hall.alice.joins(&kitchen, false);
    kitchen.shows_bot(true).await;
    let second = hall.recorder.call(1).await;
    kitchen.next_message().await;
    cara.joins(&kitchen, false);
    kitchen.next_message().await;
    second.is_told_of_consent(&cara, true).await;
    hall.alice.leaves(&kitchen);
    let ended = hall.alice.runs(&hall.general, "/subscribe-my-voice", everywhere(false)).await;
    assert_eq!(ended.content, "In every call of this server Ada hears only who agrees.");
    second.is_told_of_consent(&cara, false).await;
    let told = kitchen.next_message().await;
    assert!(told.content.contains("Others are not listened to unless"), "{told:?}");
    assert_eq!(declined(), Some((false, vec![hall.ben.id()])), "for when it is switched on again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_called_it_in_and_declined_has_declined_after_a_restart_too() {
    let before = |there: &super::hall::Beforehand| {
        let (home, alice, ben) = (there.home.id(), there.alice.id(), there.ben.id());
        there.ben.joins(&there.lounge, false);
        format!(
            "[[subscription]]\nchannel_id = \"{}\"\nkind = \"voice\"\nguild_id = \"{home}\"\nfollows = \"{alice}\"\n\
             heard = [\"{ben}\"]\ndeclined = [\"{alice}\"]\nhears_everybody = true\n\n\
             [[server]]\nguild_id = \"{home}\"\nhears_everybody = true\ndeclined = [\"{alice}\"]\n",
            there.lounge.id(),
        )
    };
    let hall = Hall::open_with(VoiceOptions::default(), CallTimes::default(), before).await;
    let call = hall.recorder.call(0).await;
    hall.lounge.next_message().await;
    call.is_told_of_consent(&hall.alice, false).await;
    let subscriptions = hall.rig.config.subscriptions();
    let server = subscriptions.server(&GuildId::from(hall.home.id())).unwrap();
    assert_eq!(server.declined, [hall.alice.id()]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_takes_the_call_up_again_with_what_was_agreed() {
    let before = |there: &super::hall::Beforehand| {
        there.ben.joins(&there.lounge, false);
        format!(
            "[[subscription]]\nchannel_id = \"{}\"\nkind = \"voice\"\nguild_id = \"{}\"\nfollows = \"{}\"\nheard = [\"{}\"]\n",
            there.lounge.id(),
            there.home.id(),
            there.alice.id(),
            there.ben.id(),
        )
    };
    let hall = Hall::open_with(VoiceOptions::default(), CallTimes::default(), before).await;
    let call = hall.recorder.call(0).await;
    hall.voice.bot_is_in(&hall.lounge).await;
    call.is_told_of_consent(&hall.ben, true).await;
    call.is_told_of_consent(&hall.alice, false).await;
    let Hall { rig, lounge, .. } = hall;
    let home = rig.home.clone();
    let config = std::sync::Arc::clone(&rig.config);
    rig.stops().await.unwrap();
    let kept = config.subscriptions();
    assert!(
        kept.contains(&ChannelId::from(lounge.id()), SubscriptionKind::Voice),
        "{}",
        home.root().display()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_whose_people_are_gone_is_not_taken_up_again() {
    let before = |there: &super::hall::Beforehand| {
        there.alice.leaves(&there.lounge);
        format!(
            "[[subscription]]\nchannel_id = \"{}\"\nkind = \"voice\"\nguild_id = \"{}\"\nfollows = \"{}\"\n",
            there.lounge.id(),
            there.home.id(),
            there.alice.id(),
        )
    };
    let hall = Hall::open_with(VoiceOptions::default(), CallTimes::default(), before).await;
    forgotten(&hall, &hall.lounge).await;
    // The next thing that happens finds it nowhere.
    hall.alice.joins(&hall.lounge, false);
    hall.alice_calls().await;
    assert_eq!(hall.recorder.calls().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_nobody_says_anything_it_leaves_and_says_so() {
    let times = CallTimes { quiet: std::time::Duration::from_millis(200), ..brisk() };
    let hall = Hall::open_with(VoiceOptions::default(), times, |_| String::new()).await;
    // On a busy machine it has left before anybody sees it there.
    let answer = hall.runs(&hall.alice, "/subscribe-my-voice").await;
    assert!(answer.content.contains("listens to you"), "{answer:?}");
    hall.lounge.next_message().await;
    let told = hall.lounge.next_message().await;
    assert!(told.content.contains("has left: nobody said anything for"), "{told:?}");
    hall.lounge.shows_bot(false).await;
    assert!(!kept(&hall, &hall.lounge));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_forgotten_is_heard_no_more_and_status_tells_of_the_call() {
    let hall = patient_hall().await;
    hall.ben.joins(&hall.lounge, false);
    let call = hall.alice_calls().await;
    hall.runs(&hall.ben, "/subscribe-my-voice").await;
    call.is_told_of_consent(&hall.ben, true).await;
    let said = hall.voice.speaks(&hall.ben, &hall.lounge, &Sound::voiced(3, 200), &Line::quick()).await;
    call.hears(&said).await;
    let status = hall.runs(&hall.alice, "/status").await;
    let expected = format!("In call <#{}>: hears 2 people; packets: ", hall.lounge.id());
    assert!(status.content.contains(&expected), "{status:?}");
    assert!(!status.content.contains("packets: 0 taken"), "{status:?}");
    let heard = || {
        let all = hall.rig.config.subscriptions();
        let row = all.voice_in(&GuildId::from(hall.home.id())).cloned().unwrap();
        row.call.heard
    };
    assert_eq!(heard(), [hall.alice.id(), hall.ben.id()]);

    hall.runs(&hall.ben, "/forget me").await;
    call.is_told_of_consent(&hall.ben, false).await;
    assert_eq!(heard(), [hall.alice.id()]);
    let status = hall.runs(&hall.alice, "/status").await;
    assert!(status.content.contains("hears 1 person"), "{status:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_opted_out_is_not_heard_where_everybody_is_until_they_take_part_again() {
    let hall = patient_hall().await;
    hall.ben.joins(&hall.lounge, false);
    hall.alice.runs(&hall.general, "/subscribe-my-voice", json!({"everybody": true})).await;
    let call = hall.recorder.call(0).await;
    let notice = hall.lounge.next_message().await;
    call.is_told_of_consent(&hall.ben, true).await;
    let told = hall.runs(&hall.ben, "/privacy").await;
    let asked = hall.ben.presses(&hall.general, &told, "Opt out …").await;
    hall.ben.presses(&hall.general, &asked, "Opt out and forget for good").await;
    call.is_told_of_consent(&hall.ben, false).await;
    for wants in ["/subscribe-my-voice", "/forget undo"] {
        let refused = hall.runs(&hall.ben, wants).await;
        assert!(refused.content.contains("You opted out"), "{refused:?}");
    }
    hall.ben.presses_under(&notice, "Hear me").await;
    hall.ben.leaves(&hall.lounge);
    hall.ben.joins(&hall.lounge, false);
    let cara = hall.home.member("cara");
    cara.joins(&hall.lounge, false);
    // He came back before her, and only she is greeted.
    let greeted = hall.lounge.next_message().await;
    assert!(greeted.content.contains(&cara.id().to_string()), "{greeted:?}");
    assert!(!greeted.content.contains(&hall.ben.id().to_string()), "{greeted:?}");
    assert_ne!(call.consents(&hall.ben), Some(true));

    let stays = hall.runs(&hall.ben, "/privacy").await;
    hall.ben.presses(&hall.general, &stays, "Take part again").await;
    hall.runs(&hall.ben, "/subscribe-my-voice").await;
    call.is_told_of_consent(&hall.ben, true).await;
}

const LISTENS: &str = "Ada is here and listens; to whom, it says in the chat";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_it_may_the_channels_status_says_that_it_listens_until_it_leaves() {
    let hall = patient_hall().await;
    let (den, attic) = (hall.home.call_with_status("Den"), hall.home.call_with_status("Attic"));
    hall.alice.joins(&den, false);
    hall.runs(&hall.alice, "/subscribe-my-voice").await;
    den.shows_title(Some(LISTENS)).await;
    // It goes along.
    hall.alice.joins(&attic, false);
    attic.shows_title(Some(LISTENS)).await;
    den.shows_title(None).await;
    // Somebody else has something to say.
    attic.is_titled("Movie night");
    hall.runs(&hall.alice, "/unsubscribe-voice").await;
    attic.shows_bot(false).await;
    assert_eq!(attic.title().as_deref(), Some("Movie night"));
    hall.runs(&hall.alice, "/subscribe-my-voice").await;
    hall.voice.bot_is_in(&attic).await;
    hall.runs(&hall.alice, "/unsubscribe-voice").await;
    assert_eq!(attic.title().as_deref(), Some("Movie night"));
    // Set and cleared there, set here, and nothing else.
    let written = hall.world.requests("voice-status");
    assert_eq!(written.iter().filter(|request| request.status == 204).count(), 3, "{written:?}");
    assert_eq!(written.len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_channels_status_whose_setting_seemed_to_fail_is_cleared_too() {
    let hall = patient_hall().await;
    let den = hall.home.call_with_status("Den");
    hall.alice.joins(&den, false);
    hall.world.fail_next("voice-status", Fault::Down(502));
    hall.runs(&hall.alice, "/subscribe-my-voice").await;
    hall.world.sees_requests("voice-status", 1).await;
    // It was done, and only the answer was lost.
    den.is_titled(LISTENS);
    hall.runs(&hall.alice, "/unsubscribe-voice").await;
    den.shows_title(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_it_may_not_or_is_not_to_the_channels_status_is_left_alone() {
    let hall = patient_hall().await;
    hall.alice_calls().await;
    hall.runs(&hall.alice, "/unsubscribe-voice").await;
    hall.sets("channel_status = false\n");
    let den = hall.home.call_with_status("Den");
    hall.alice.joins(&den, false);
    hall.runs(&hall.alice, "/subscribe-my-voice").await;
    hall.voice.bot_is_in(&den).await;
    hall.runs(&hall.alice, "/unsubscribe-voice").await;
    assert!(hall.world.requests("voice-status").is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_have_two_calls() {
    let hall = patient_hall().await;
    let away = hall.world.guild("away");
    let (hut, dora, chat) = (away.call("Hut"), away.member("dora"), away.channel("chat"));
    hall.world.bot_is_online().await;
    dora.joins(&hut, false);
    let here = hall.alice_calls().await;
    dora.runs(&chat, "/subscribe-my-voice", json!({})).await;
    hall.voice.bot_is_in(&hut).await;
    let there = hall.recorder.call(1).await;
    let (of_alice, of_dora) = tokio::join!(
        async {
            hall.voice.speaks(&hall.alice, &hall.lounge, &Sound::voiced(1, 300), &Line::default()).await
        },
        async { hall.voice.speaks(&dora, &hut, &Sound::voiced(2, 300), &Line::default()).await },
    );
    assert_eq!(here.hears(&of_alice).await, of_alice.frames);
    assert_eq!(there.hears(&of_dora).await, of_dora.frames);
    assert!(here.owner(of_alice.ssrc).is_some_and(|owner| owner == AccountId::discord(hall.alice.id())));
    dora.runs(&chat, "/unsubscribe-voice", json!({})).await;
    hut.shows_bot(false).await;
    assert!(hall.lounge.has_bot());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn text_goes_on_beside_a_call_and_its_own_chat_is_part_of_it() {
    let hall = patient_hall().await;
    hall.rig.subscribe(&hall.general);
    let call = hall.alice_calls().await;
    hall.alice.says(&hall.general, "and in writing?");
    assert_eq!(hall.rig.next_heard().await.text, "and in writing?");
    hall.ben.says(&hall.lounge, "psst");
    hall.alice.says(&hall.lounge, "look at this");
    call.tells_of(
        "what she typed",
        |event| matches!(event, CallEvent::Typed(one) if one.text == "look at this"),
    )
    .await;
    let typed: Vec<_> = call
        .events()
        .into_iter()
        .filter_map(|event| if let CallEvent::Typed(one) = event { Some(one.text) } else { None })
        .collect();
    assert_eq!(typed, ["look at this"], "Ben has not agreed");
    hall.alice.says(&hall.general, "done");
    assert!(matches!(hall.rig.next_event().await, InboundEvent::Message(message) if message.text == "done"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn g37_a_call_that_is_being_moved_is_joined_as_soon_as_it_has_a_place() {
    let hall = patient_hall().await;
    hall.world.has_no_place_for_calls();
    let place = async {
        hall.lounge.shows_bot(true).await;
        hall.world.has_a_place_for_calls();
    };
    let (answer, ()) = tokio::join!(hall.runs(&hall.alice, "/subscribe-my-voice"), place);
    assert!(answer.content.contains("listens to you"), "{answer:?}");
    hall.voice.bot_is_in(&hall.lounge).await;
}
