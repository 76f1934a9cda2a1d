//! What its own day shows on Discord, who lets it begin to speak, and talk that goes on in a thread.

use std::time::Duration;

use familiar_connect::config::PromptName;
use familiar_connect::domain::{AccountId, Coming, GuildId, ModelErrorClass, Movement, Slot};
use familiar_connect::text::tongue::Tongue;
use serde_json::json;

use super::rig::{Rig, online_on_stage};
use crate::support::discord::{DiscordWorld, Fault, Said};
use crate::support::stage::{MESSAGES, Stage, ferry};

const ASLEEP: &str = "- 00:00-24:00 asleep: under the lantern stair\n";

#[tokio::test]
async fn its_status_line_tells_what_its_day_has_it_do_and_goes_where_that_is_switched_off() {
    let world = DiscordWorld::start().await;
    world.guild("home");
    let rig = Rig::living(&world, ASLEEP, "").await;
    let shown = world.presence(1).await;
    assert_eq!(shown["status"], "idle");
    let activity = &shown["activities"][0];
    assert_eq!(
        (&activity["type"], &activity["state"]),
        (&json!(4), &json!("asleep, under the lantern stair"))
    );
    rig.stops().await.unwrap();

    let (world, general, alice) = DiscordWorld::at_home().await;
    let _rig = Rig::living(&world, ASLEEP, "status_line = false").await;
    let told = alice.runs(&general, "/status", json!({})).await;
    assert!(
        told.content.starts_with("Ada is asleep until 00:00: under the lantern stair."),
        "{}",
        told.content
    );
    assert!(world.presences().is_empty());
}

#[tokio::test]
async fn status_says_how_it_is_and_what_runs_it_only_to_whoever_runs_it() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, alice, boss) = (home.channel("general"), home.member("alice"), home.member("boss"));
    let settings = format!("operators = [{}]", boss.id());
    let _rig = Rig::living(&world, "- 00:00-24:00 busy: mending nets", &settings).await;
    let [told, all] = [&alice, &boss].map(|who| who.runs(&general, "/status", json!({})));
    let (told, all) = (told.await.content, all.await.content);
    assert!(told.starts_with("Ada is busy until 00:00: mending nets."), "{told}");
    assert!(!told.contains("z-ai/glm-5.1") && all.contains("model: z-ai/glm-5.1"), "{told}\n{all}");
}

#[tokio::test]
async fn status_says_first_how_it_is_in_its_own_words_of_which_nothing_is_told_that_anybody_said() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, deck, alice) = (home.channel("general"), home.channel("deck"), home.member("alice"));
    let stage = Stage::with("", MESSAGES).await;
    let online = online_on_stage(&world, &stage, &[&general, &deck]).await;
    for place in [&deck, &general] {
        alice.says(place, Said::text("the treasure lies under the stair").mentioning_the_bot());
        stage.next_request().await.reply(&format!("Not a word of it in {}.", place.id()));
        place.next_message().await;
    }
    let told = tokio::join!(alice.runs(&general, "/status", json!({})), async {
        let asked = stage.next_request().await;
        assert_eq!(asked.request.slot, Slot::MoodEval);
        assert!(asked.request.at_once && asked.request.max_tokens >= Some(800), "a model may think first");
        let sent = asked.transcript();
        assert!(sent.contains("keeps the night ferry") && sent.contains("Your mood: even."), "{sent}");
        assert!(sent.contains(PromptName::OpenPlace.built_in().split(':').next().unwrap()), "{sent}");
        for kept in ["treasure", "Not a word", "alice", "Alice"] {
            assert!(!sent.contains(kept), "{kept}: {sent}");
        }
        asked.reply("Dry feet and hot tea.\nCould be worse.");
    });
    let words = told.0.content;
    assert!(words.starts_with("> Dry feet and hot tea. Could be worse.\nMika is up and about."), "{words}");
    // Nobody is asked again so soon, not even where none had words.
    let again = alice.runs(&general, "/status", json!({})).await;
    assert_eq!(again.content, words);
    assert!(!stage.models.was_asked_again().await);
    let told = tokio::join!(alice.runs(&deck, "/status", json!({})), async {
        stage.next_request().await.fail(ModelErrorClass::CostCap);
    });
    assert!(told.0.content.starts_with("Mika is up and about."), "{}", told.0.content);
    let again = alice.runs(&deck, "/status", json!({})).await;
    assert!(again.content.starts_with("Mika is up and about."), "{}", again.content);
    online.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_model_that_hangs_has_no_words_of_how_it_is_and_is_not_asked_again_at_once() {
    let stage = Stage::new().await;
    let session = stage.session.clone();
    let asking = tokio::spawn(async move { session.how_it_is(&ferry(), Tongue::German).await });
    let asked = stage.next_request().await;
    assert!(asked.transcript().contains("\"de\""), "{}", asked.transcript());
    tokio::time::advance(Duration::from_secs(7)).await;
    assert_eq!(asking.await.unwrap(), None);
    assert_eq!(stage.session.how_it_is(&ferry(), Tongue::German).await, None);
    assert!(!stage.models.was_asked_again().await);
}

#[tokio::test]
async fn whoever_manages_a_channel_or_is_alone_with_it_lets_it_begin_to_speak() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, mo, alice) = (home.channel("general"), home.moderator("mo"), home.member("alice"));
    let rig = Rig::online(&world).await;
    let unread = mo.runs(&general, "/speak-first", json!({"on": true})).await;
    assert!(unread.content.contains("does not read here"), "{}", unread.content);
    rig.subscribe(&general);
    let begins = mo.runs(&general, "/speak-first", json!({"on": true})).await;
    assert!(begins.content.contains("between 9:00 and 21:00, 1 time a day at most"), "{}", begins.content);
    let alone = alice.dm();
    alice.runs(&alone, "/speak-first", json!({"on": true})).await;
    let ids = |channels: &[u64]| {
        let mut ids: Vec<String> = channels.iter().map(u64::to_string).collect();
        ids.sort();
        ids
    };
    let may = || rig.config.speaks_first_in().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(may(), ids(&[general.id(), alone.id()]));
    let ends = mo.runs(&general, "/speak-first", json!({"on": false})).await;
    assert!(ends.content.contains("only after somebody else"), "{}", ends.content);
    assert_eq!(may(), ids(&[alone.id()]));
}

#[tokio::test]
async fn whoever_is_new_is_greeted_once_where_that_is_asked_for() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, mo, alice) = (home.channel("general"), home.moderator("mo"), home.member("alice"));
    let (cleo, dora, emil) = (home.member("cleo"), home.member("dora"), home.member("emil"));
    let stage = Stage::with("", MESSAGES).await;
    let online = online_on_stage(&world, &stage, &[&general]).await;
    home.greets_newcomer(&dora, &general);
    // Nobody asked for that yet, and the next request is another one.
    let asks = async |what: &str| {
        alice.says(&general, Said::text(what).mentioning_the_bot());
        let asked = stage.next_request().await;
        assert!(asked.transcript().contains(what), "{}", asked.transcript());
        asked.reply(&format!("Aye: {what}"));
        general.next_message().await;
    };
    asks("is it raining?").await;
    let set = mo.runs(&general, "/speak-first", json!({"on": false, "newcomers": true})).await;
    assert!(set.content.contains("greets whoever is new"), "{}", set.content);
    home.greets_newcomer(&cleo, &general);
    let asked = stage.next_request().await;
    assert!(asked.transcript().contains("Greet cleo now"), "{}", asked.transcript());
    asked.reply("Evening, Cleo. Mind the rope.");
    let greeting = general.next_message().await;
    assert!(greeting.content.contains("Evening, Cleo."), "{greeting:?}");
    let left = Coming {
        guild: GuildId::from(home.id()),
        account: AccountId::discord(cleo.id()),
        name: "cleo".to_owned(),
        movement: Movement::Left,
        at: jiff::Timestamp::now(),
    };
    stage.session.came(left).await;
    home.greets_newcomer(&cleo, &general);
    asks("is it still raining?").await;
    // Who talked here before is nobody new, and nobody is greeted where it is to be quiet.
    home.greets_newcomer(&alice, &general);
    asks("and now?").await;
    mo.runs(&general, "/quiet", json!({})).await;
    home.greets_newcomer(&emil, &general);
    asks("will it stop?").await;
    online.ends().await;
}

#[tokio::test]
async fn the_talk_goes_on_in_a_thread_from_a_message_or_from_here_on() {
    let (world, general, alice) = DiscordWorld::at_home().await;
    let rig = Rig::online(&world).await;
    let unread = alice.runs(&general, "/branch", json!({})).await;
    assert!(unread.content.contains("does not read here"), "{}", unread.content);
    rig.subscribe(&general);
    let said = alice.says(&general, "the soup needs salt");
    let told = alice.chooses_on(&general, said, "Go on in a thread").await;
    assert!(
        told.content.starts_with(&format!("The thread is open: <#{said}>. What was said here")),
        "{told:?}"
    );
    let twice = alice.chooses_on(&general, said, "Go on in a thread").await;
    assert_eq!(twice.content, "That message has a thread already.");
    alice.runs(&general, "/branch", json!({"name": "Rope"})).await;
    let threads = general.threads();
    assert_eq!(threads.len(), 2);
    assert!(threads.iter().any(|(_, name)| name == "Rope"), "{threads:?}");
}

#[tokio::test]
async fn whoever_runs_it_gives_it_the_cards_picture_and_name_and_a_server_its_nickname() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, alice, boss) = (home.channel("general"), home.member("alice"), home.member("boss"));
    let rig = Rig::living(&world, "", &format!("operators = [{}]", boss.id())).await;
    let refused = alice.runs(&general, "/profile picture", json!({})).await;
    assert!(refused.content.contains("only whoever runs this bot"), "{}", refused.content);
    let none = boss.runs(&general, "/profile picture", json!({})).await;
    assert!(none.content.contains("no picture"), "{}", none.content);
    let assets = rig.home.self_dir().join("assets");
    std::fs::create_dir_all(&assets).unwrap();
    std::fs::write(assets.join("avatar.png"), [0x89, b'P', b'N', b'G']).unwrap();
    boss.runs(&general, "/profile picture", json!({})).await;
    let named = boss.runs(&general, "/profile name", json!({})).await;
    assert!(named.content.contains("the card's name now"), "{}", named.content);
    let needs = alice.runs(&general, "/profile nickname", json!({"name": "Addie"})).await;
    assert!(needs.content.contains("Manage Nicknames"), "{}", needs.content);
    boss.runs(&general, "/profile nickname", json!({})).await;
    let told = |line: &str| world.requests(line).last().unwrap().body.clone();
    let changes = world.requests("PATCH users/@me");
    assert!(changes[0].body["avatar"].as_str().unwrap().starts_with("data:image/png;base64,"));
    assert_eq!(changes[1].body["username"], "Ada");
    assert_eq!(told("members/@me")["nick"], "Ada");
    world.fail_next("PATCH users/@me", Fault::Down(400));
    let limited = boss.runs(&general, "/profile name", json!({})).await;
    assert!(limited.content.contains("a few times an hour"), "{}", limited.content);
}
