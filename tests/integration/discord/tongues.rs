//! Which language the program speaks to whom.

use familiar_connect::domain::{ChannelId, ModelErrorClass, TurnId};
use familiar_connect::session::{Notice, Outbox};
use serde_json::json;

use super::rig::{Rig, delivery_in};
use crate::support::discord::{Channel, DiscordWorld, Guild};

async fn failure_in(rig: &Rig, world: &DiscordWorld, channel: &Channel) -> String {
    let notice =
        Notice::ModelFailed { turn: TurnId(7), class: ModelErrorClass::Timeout, wait: None, key_for: None };
    rig.outbox.notice(&delivery_in(world, channel), notice).await.unwrap();
    channel.next_message().await.content
}

async fn online(settings: &str) -> (DiscordWorld, Guild, Rig) {
    let (world, home) = DiscordWorld::with_home().await;
    let rig = Rig::start(&world, settings).await;
    world.bot_is_online().await;
    (world, home, rig)
}

#[tokio::test]
async fn a_place_where_german_is_spoken_is_told_of_failures_in_german_and_another_is_not() {
    let (world, home) = DiscordWorld::with_home().await;
    let (quay, general, alice) = (home.channel("quay"), home.channel("general"), home.member("alice"));
    let rig = Rig::start(&world, "").await;
    world.bot_is_online().await;
    rig.subscribe(&quay);
    rig.subscribe(&general);
    alice.says(&quay, "Die Fähre ist heute wieder nicht gekommen.");
    assert!(rig.next_heard().await.text.starts_with("Die Fähre"));
    // What other programs write there says nothing of that.
    let news = home.webhook("news");
    for post in
        ["The ferry is late and the pier is closed.", "All that is left is what they have on the boats."]
    {
        news.says(&quay, post);
        assert_eq!(rig.next_heard().await.text, post);
    }
    let told = failure_in(&rig, &world, &quay).await;
    assert_eq!(told, "-# Das Modell hat zu lange gebraucht. Versuch es noch mal. (t7)");
    let told = failure_in(&rig, &world, &general).await;
    assert_eq!(told, "-# The model took too long. Try again. (t7)");
}

#[tokio::test]
async fn a_set_language_goes_before_the_one_that_is_spoken_and_a_channel_s_before_the_familiar_s() {
    let (world, home, rig) = online("language = \"pt\"\n[discord]\n").await;
    let (quay, general, alice) = (home.channel("quay"), home.channel("general"), home.member("alice"));
    rig.subscribe(&quay);
    let own = rig.config.home().channel_toml(&ChannelId::from(general.id()));
    std::fs::create_dir_all(own.parent().unwrap()).unwrap();
    std::fs::write(own, "mode = \"full_rp\"\nlanguage = \"ja\"\n").unwrap();
    alice.says(&quay, "Die Fähre ist heute wieder nicht gekommen.");
    rig.next_heard().await;
    let told = failure_in(&rig, &world, &quay).await;
    assert_eq!(told, "-# O modelo demorou demais. Tente de novo. (t7)");
    let told = failure_in(&rig, &world, &general).await;
    assert_eq!(told, "-# モデルの返事に時間がかかりすぎました。もう一度どうぞ。 (t7)");
}

#[tokio::test]
async fn who_uses_a_command_is_answered_in_the_language_of_their_own_client() {
    let (_world, home, rig) = online("language = \"de\"\n[discord]\n").await;
    let (general, mo) = (home.channel("general"), home.moderator("mo"));
    let answers = async |locale| {
        let reader = mo.reading(locale);
        let answer = reader.runs(&general, "/unsubscribe-text", json!({})).await;
        assert!(answer.ephemeral);
        answer.content.replace(&general.id().to_string(), "GENERAL")
    };
    assert_eq!(answers("fr").await, "Ada ne lit pas <#GENERAL>. Pour commencer : `/subscribe-text`.");
    assert_eq!(answers("es-419").await, "Ada no lee <#GENERAL>. Para empezar: `/subscribe-text`.");
    assert_eq!(answers("tlh").await, "Ada does not read <#GENERAL>. Start with `/subscribe-text`.");
    // What everybody reads is in the place's language.
    let told = mo.reading("fr").runs(&general, "/subscribe-text", json!({})).await;
    assert!(told.content.starts_with("Ada lit maintenant"), "{told:?}");
    let public = general.next_message().await.content;
    assert!(public.starts_with("-# Ada liest ab jetzt diesen Kanal"), "{public}");
    drop(rig);
}

#[tokio::test]
async fn commands_are_described_in_every_language_within_discords_lengths() {
    let (_world, home, rig) = online("").await;
    let (general, mo) = (home.channel("general"), home.moderator("mo"));
    mo.runs(&general, "/help", json!({})).await;
    let registered = home.commands();
    assert!(registered.len() > 20, "{registered:?}");
    let mut all = registered;
    while let Some(one) = all.pop() {
        all.extend(one["options"].as_array().cloned().unwrap_or_default());
        // An option of type 3 is a text, and has a description.
        let is_of_messages = one["type"] == 3 && one["description"].as_str().is_none_or(str::is_empty);
        let (localized, most) = match is_of_messages {
            true => (&one["name_localizations"], 32),
            false => (&one["description_localizations"], 100),
        };
        let localized = localized.as_object().unwrap_or_else(|| panic!("{one}"));
        let locales: Vec<&str> = localized.keys().map(String::as_str).collect();
        assert_eq!(locales.len(), 6, "{one}");
        for locale in ["de", "es-ES", "es-419", "fr", "ja", "pt-BR"] {
            let words = localized[locale].as_str().unwrap();
            assert!((1..=most).contains(&words.chars().count()), "{words}");
        }
    }
    drop(rig);
}
