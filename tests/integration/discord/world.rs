//! What the gateway tells about the world, and what of it reaches a prompt.

use familiar_connect::config::{Subscription, SubscriptionKind};
use familiar_connect::domain::{AccountId, ChannelId, InboundEvent, Movement, Stance, Stands};
use familiar_connect::world::{CallMicrophone, WorldSnapshot};

use super::rig::{Rig, online_on_stage, place};
use crate::support::discord::{BOT, DiscordWorld, PATIENCE, Said};
use crate::support::stage::{MESSAGES, Stage, in_guild};

/// Waits until the world reads so.
async fn until(rig: &Rig, what: &str, holds: impl Fn(&WorldSnapshot) -> bool) {
    let waited = tokio::time::timeout(PATIENCE, async {
        while !holds(&rig.known.snapshot()) {
            tokio::task::yield_now().await;
        }
    });
    assert!(waited.await.is_ok(), "waited in vain for {what}");
}

#[tokio::test]
async fn a8_names_topics_and_calls_are_known_from_the_start_and_follow() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, lounge, alice, bea) =
        (home.channel("general"), home.call("Lounge"), home.member("alice"), home.member("bea"));
    general.is_about("tea");
    alice.joins(&lounge, true);
    let rig = Rig::online(&world).await;
    let here = in_guild(home.id(), place(&general));
    until(&rig, "the guild", |seen| {
        let view = seen.for_place(&here);
        view.topic() == Some("tea") && view.guild_name() == Some("home") && view.members() == Some(3)
    })
    .await;
    let in_call = |seen: &WorldSnapshot| {
        let calls = seen.for_place(&here).calls();
        let people = |call: &familiar_connect::world::CallView<'_>| {
            call.people.iter().map(|one| (one.name.clone(), one.microphone)).collect::<Vec<_>>()
        };
        calls.iter().map(|call| (call.name.to_owned(), people(call))).collect::<Vec<_>>()
    };
    assert_eq!(
        in_call(&rig.known.snapshot()),
        [("Lounge".to_owned(), vec![("alice".to_owned(), CallMicrophone::Muted)])]
    );
    bea.joins(&lounge, false);
    until(&rig, "two in the call", |seen| in_call(seen).iter().any(|(_, people)| people.len() == 2)).await;
    alice.leaves(&lounge);
    bea.leaves(&lounge);
    until(&rig, "an empty call", |seen| in_call(seen).is_empty()).await;
    general.is_about("coffee");
    until(&rig, "another topic", |seen| seen.for_place(&here).topic() == Some("coffee")).await;
}

#[tokio::test]
async fn a_servers_own_emoji_are_known_where_it_may_react() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, alice) = (home.channel("general"), home.member("alice"));
    home.has_emoji("pell_wave");
    let stage = Stage::with("", MESSAGES).await;
    stage.models.take_tools();
    let online = online_on_stage(&world, &stage, &[&general]).await;
    alice.says(&general, Said::text("hello").mentioning_the_bot());
    let asked = stage.next_request().await;
    assert!(asked.transcript().contains("own emoji, for `react`: :pell_wave:"), "{}", asked.transcript());
    asked.reply("Hello.");
    general.next_message().await;
    alice.says(&alice.dm(), "hello again");
    let asked = stage.next_request().await;
    assert!(!asked.transcript().contains("pell_wave"), "{}", asked.transcript());
    asked.reply("And again.");
    online.ends().await;
}

#[tokio::test]
async fn a8_a_hidden_call_is_not_told_of_in_an_open_channel() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, secret, open, alice, bea) = (
        home.channel("general"),
        home.private_call("War room"),
        home.call("Lounge"),
        home.member("alice"),
        home.member("bea"),
    );
    alice.joins(&secret, false);
    bea.joins(&open, false);
    let rig = Rig::online(&world).await;
    let here = in_guild(home.id(), place(&general));
    until(&rig, "the open call", |seen| seen.for_place(&here).calls().len() == 1).await;
    assert_eq!(rig.known.snapshot().for_place(&here).calls()[0].name, "Lounge");
}

#[tokio::test]
async fn a3_typing_prepares_for_the_speaker_once_and_only_where_it_reads() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, other, alice, robot) =
        (home.channel("general"), home.channel("other"), home.member("alice"), home.bot("robot"));
    let rig = Rig::reading(&world, &general).await;
    let bea = world.person("bea");
    alice.types(&other);
    robot.types(&general);
    bea.types(&bea.dm());
    alice.types(&general);
    alice.types(&general);
    alice.says(&general, "hi");
    rig.next_heard().await;
    let here = in_guild(home.id(), place(&general));
    until(&rig, "typing", |seen| seen.for_place(&here).typing(jiff::Timestamp::now()).count() == 1).await;
    let expected = rig.listener.expected.lock().unwrap().clone();
    let told: Vec<_> =
        expected.iter().map(|(place, who)| (place.channel.clone(), who.account.clone())).collect();
    assert_eq!(told, [(ChannelId::from(general.id()), AccountId::discord(alice.id()))]);
}

#[tokio::test]
async fn a9_a_reaction_to_its_own_words_is_handed_on() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, alice) = (home.channel("general"), home.member("alice"));
    let rig = Rig::reading(&world, &general).await;
    alice.reacts(&general, 5, alice.id(), "👎");
    alice.reacts(&general, 6, BOT, "👍");
    let here = in_guild(home.id(), place(&general));
    until(&rig, "two reactions", |seen| seen.for_place(&here).reactions().len() == 2).await;
    let seen = rig.known.snapshot();
    let own: Vec<_> = seen.for_place(&here).reactions().iter().filter(|one| one.to_familiar).collect();
    assert_eq!((own.len(), own[0].emoji.as_str(), own[0].name.as_str()), (1, "👍", "alice"));
    until(&rig, "the hand-over", |_| !rig.listener.reactions.lock().unwrap().is_empty()).await;
    let handed = rig.listener.reactions.lock().unwrap().clone();
    assert_eq!(handed, [(AccountId::discord(alice.id()), "👍".to_owned())]);
}

#[tokio::test]
async fn g3_a_reaction_to_somebody_elses_words_is_an_event_of_its_place() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, alice, ben) = (home.channel("general"), home.member("alice"), home.member("ben"));
    let rig = Rig::reading(&world, &general).await;
    let quiet = home.channel("quiet");
    ben.reacts(&quiet, 4, alice.id(), "👍");
    ben.reacts(&general, 5, alice.id(), "😂");
    ben.reacts(&general, 5, alice.id(), "👍🏽");
    ben.takes_reaction_away(&general, 5, "👍🏽");
    for (emoji, stance, stands) in [
        ("😂", None, Stands::Put),
        ("👍🏽", Some(Stance::Agrees), Stands::Put),
        ("👍🏽", Some(Stance::Agrees), Stands::TakenAway),
    ] {
        let InboundEvent::Reacted { place, reaction } = rig.next_event().await else {
            panic!("another event")
        };
        assert_eq!(place.channel, ChannelId::from(general.id()), "nothing of channels that are not read");
        assert_eq!((reaction.emoji.as_str(), Stance::of_emoji(&reaction.emoji)), (emoji, stance));
        let told = (reaction.message, reaction.by, reaction.stands);
        assert_eq!(told, (5.into(), AccountId::discord(ben.id()), stands));
    }
    general.loses_reactions(5);
    let InboundEvent::ReactionsCleared { place, message, emoji, .. } = rig.next_event().await else {
        panic!("another event")
    };
    assert_eq!(place.channel, ChannelId::from(general.id()));
    assert_eq!((message, emoji), (5.into(), None));
}

#[tokio::test]
async fn a24_newcomers_are_known_without_a_privileged_intent() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, cara) = (home.channel("general"), home.member("cara"));
    let rig = Rig::reading(&world, &general).await;
    home.greets_newcomer(&cara, &general);
    let here = in_guild(home.id(), place(&general));
    until(&rig, "Cara", |seen| {
        seen.for_place(&here).arrivals_since(jiff::Timestamp::UNIX_EPOCH).any(|one| one.name == "cara")
    })
    .await;
    until(&rig, "Cara, kept", |_| !rig.listener.comings.lock().unwrap().is_empty()).await;
    let kept = rig.listener.comings.lock().unwrap()[0].clone();
    assert_eq!((kept.account, kept.movement), (AccountId::discord(cara.id()), Movement::Came));
    assert_eq!((kept.guild, kept.name.as_str()), (home.id().into(), "cara"));
    let asked = world.identifies()[0]["intents"].as_u64().unwrap();
    assert_eq!(asked & ((1 << 1) | (1 << 8)), 0, "neither members nor presences are asked for");
}

#[tokio::test]
async fn who_comes_where_nothing_is_read_is_not_kept() {
    let world = DiscordWorld::start().await;
    let (home, away, called) = (world.guild("home"), world.guild("away"), world.guild("called"));
    let (general, lobby, hall) = (home.channel("general"), away.channel("lobby"), called.channel("hall"));
    let (alice, ben, cara) = (home.member("alice"), away.member("ben"), called.member("cara"));
    let rig = Rig::reading(&world, &general).await;
    let in_call = Subscription::new(ChannelId::from(77), SubscriptionKind::Voice, Some(called.id().into()));
    rig.config.subscribe(in_call).unwrap();
    away.greets_newcomer(&ben, &lobby);
    called.greets_newcomer(&cara, &hall);
    home.greets_newcomer(&alice, &general);
    until(&rig, "two newcomers", |_| rig.listener.comings.lock().unwrap().len() >= 2).await;
    let mut kept: Vec<_> = rig.listener.comings.lock().unwrap().iter().map(|one| one.name.clone()).collect();
    kept.sort();
    assert_eq!(kept, ["alice", "cara"]);
}

#[tokio::test]
async fn a8_presence_is_asked_for_only_where_it_is_wanted() {
    let world = DiscordWorld::start().await;
    world.guild("home");
    let _rig = Rig::start(&world, "presence = true").await;
    world.bot_is_online().await;
    let asked = world.identifies()[0]["intents"].as_u64().unwrap();
    let wanted = (1 << 1) | (1 << 8);
    assert_eq!(asked & wanted, wanted);
}

/// The whole way: a gateway event, the world, the prompt of the next turn.
#[tokio::test]
async fn a8_a_topic_a_call_and_a_typist_reach_the_next_prompt() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, lounge, alice, bea) =
        (home.channel("general"), home.call("Lounge"), home.member("alice"), home.member("bea"));
    let stage = Stage::with("", MESSAGES).await;
    let online = online_on_stage(&world, &stage, &[&general]).await;
    general.is_about("who sank the ferry");
    bea.joins(&lounge, true);
    let here = in_guild(home.id(), place(&general));
    let told = tokio::time::timeout(PATIENCE, async {
        loop {
            let seen = stage.world.snapshot();
            let view = seen.for_place(&here);
            if view.topic().is_some() && !view.calls().is_empty() {
                return;
            }
            tokio::task::yield_now().await;
        }
    });
    told.await.expect("the world is told");
    bea.types(&general);
    alice.says(&general, Said::text("hello").mentioning_the_bot());
    let asked = stage.next_request().await;
    let prompt = asked.transcript();
    assert!(prompt.contains("In the call Lounge: bea (muted)"), "{prompt}");
    assert!(prompt.contains("Topic of the channel: “who sank the ferry”"), "{prompt}");
    asked.reply("Nobody.");
    general.next_message().await;
    online.ends().await;
}
