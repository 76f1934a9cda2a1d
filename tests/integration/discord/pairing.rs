//! `/pair`, `/pair-past` and `/unpair`, as people use them.

use familiar_connect::domain::{AccountId, Audience, ChannelId, Place, PlaceKind, Visible};
use serde_json::json;

use super::rig::Rig;
use crate::support::discord::{Answer, DiscordWorld, Person};

/// The code in an answer.
fn code(answer: &Answer) -> String {
    assert!(answer.ephemeral && answer.deferred, "only the caller sees it: {answer:?}");
    let code = answer.content.split("**").nth(1).unwrap_or_else(|| panic!("no code: {answer:?}"));
    assert_eq!(code.len(), 6, "{answer:?}");
    code.to_owned()
}

/// A direct message as a place, with what is paired.
async fn alone(rig: &Rig, person: &Person) -> Place {
    let place = Place {
        kind: PlaceKind::Dm,
        audience: Audience::Dm(AccountId::discord(person.id())),
        ..Place::terminal(ChannelId::from(person.dm().id()))
    };
    rig.pairing.entered(&place).await
}

async fn server(rig: &Rig, guild: u64) -> Place {
    let place = Place {
        guild: Some(guild.into()),
        kind: PlaceKind::GuildText,
        audience: Audience::Guild(guild.into()),
        ..Place::terminal(ChannelId::from(1_u64))
    };
    rig.pairing.entered(&place).await
}

#[tokio::test]
async fn m14_a_direct_conversation_is_paired_with_a_server_and_parted_again() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, alice, ben) = (home.channel("general"), home.member("alice"), home.member("ben"));
    let rig = Rig::start(&world, &format!("dm_allowlist = [{}, {}]", alice.id(), ben.id())).await;
    world.bot_is_online().await;

    let mut words = Vec::new();
    let made = alice.runs(&alice.dm(), "/pair", json!({})).await;
    let code = code(&made);
    words.push(made.content.replace(&code, "CODE"));
    let given = json!({"code": code.to_lowercase()});
    let mut told = |answer: Answer| {
        assert!(answer.ephemeral, "{answer:?}");
        words.push(answer.content);
    };
    told(alice.runs(&alice.dm(), "/pair", given.clone()).await);
    told(ben.runs(&general, "/pair", given.clone()).await);
    assert_eq!(
        alone(&rig, &alice).await.told_to(),
        &alone(&rig, &alice).await.audience,
        "nothing is paired yet"
    );
    told(alice.runs(&general, "/pair", given.clone()).await);
    told(alice.runs(&general, "/pair", given).await);
    let said = alone(&rig, &alice).await.told_to().clone();
    assert!(Visible::at(&server(&rig, home.id()).await).includes(&said));
    assert!(!Visible::at(&server(&rig, home.id()).await).includes(&alone(&rig, &alice).await.audience));

    told(alice.runs(&general, "/pair-past", json!({})).await);
    told(alice.runs(&alice.dm(), "/pair-past", json!({})).await);
    assert!(Visible::at(&server(&rig, home.id()).await).includes(&alone(&rig, &alice).await.audience));
    told(alice.runs(&alice.dm(), "/pair-past", json!({})).await);
    told(ben.runs(&general, "/unpair", json!({})).await);
    told(alice.runs(&general, "/unpair", json!({})).await);
    assert!(!Visible::at(&server(&rig, home.id()).await).includes(&said));
    assert!(!Visible::at(&server(&rig, home.id()).await).includes(&alone(&rig, &alice).await.audience));
    insta::assert_snapshot!(words.join("\n"));
}

#[tokio::test]
async fn m14_another_account_is_taken_for_the_same_person_alone() {
    let (world, home) = DiscordWorld::with_home().await;
    let (alice, alt) = (home.member("alice"), home.member("alt"));
    let rig = Rig::start(&world, &format!("dm_allowlist = [{}, {}]", alice.id(), alt.id())).await;
    world.bot_is_online().await;
    let made = alice.runs(&alice.dm(), "/pair", json!({})).await;
    let asked = alt.runs(&alt.dm(), "/pair", json!({"code": code(&made)})).await;
    assert!(asked.content.starts_with(&format!("This code is from <@{}>.", alice.id())), "{asked:?}");
    assert!(alone(&rig, &alt).await.paired.accounts.is_empty(), "nothing is paired by a code alone");
    let left = alt.presses(&alt.dm(), &asked, "It is not mine").await;
    assert_eq!(left.content, "Nothing was paired.");
    let asked = alt.runs(&alt.dm(), "/pair", json!({"code": code(&made)})).await;
    let taken = alt.presses(&alt.dm(), &asked, "It is mine").await;
    assert!(
        taken.content.starts_with("Paired. From now on, what you tell me alone from either account"),
        "{taken:?}"
    );
    assert_eq!(alone(&rig, &alt).await.paired.accounts, [AccountId::discord(alice.id())]);
    assert!(server(&rig, home.id()).await.paired.is_empty(), "no server learns of it");
    let told = alt.runs(&alt.dm(), "/privacy", json!({})).await;
    assert!(told.content.contains(&format!("You are paired with <@{}>", alice.id())), "{told:?}");
}

#[tokio::test]
async fn m14_guessing_is_cut_off_and_strangers_get_no_code_in_direct_messages() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, alice, mallory) = (home.channel("general"), home.member("alice"), home.member("mallory"));
    let _rig = Rig::start(&world, &format!("dm_allowlist = [{}]", alice.id())).await;
    world.bot_is_online().await;
    let refused = mallory.runs(&mallory.dm(), "/pair", json!({})).await;
    assert!(refused.content.contains("allow-list"), "{refused:?}");
    for guess in ["AAAAAA", "BBBBBB", "CCCCCC", "DDDDDD", "no code"] {
        let answer = mallory.runs(&general, "/pair", json!({"code": guess})).await;
        assert!(answer.content.starts_with("That code does not work here."), "{answer:?}");
    }
    let answer = mallory.runs(&general, "/pair", json!({"code": "EEEEEE"})).await;
    assert_eq!(answer.content, "Too many wrong codes. Wait 10 minutes, then try again.");
}

#[tokio::test]
async fn who_opted_out_is_told_to_take_part_again_before_anything_is_paired() {
    let (world, general, alice) = DiscordWorld::at_home().await;
    let rig = Rig::start(&world, &format!("dm_allowlist = [{}]", alice.id())).await;
    world.bot_is_online().await;
    rig.pairing.opt_out(&AccountId::discord(alice.id())).unwrap();
    for given in [json!({}), json!({"code": "AAAAAA"})] {
        let refused = alice.runs(&general, "/pair", given).await;
        assert!(refused.content.starts_with("You opted out"), "{refused:?}");
        assert!(refused.content.contains("`/privacy` lets you take part again"), "{refused:?}");
    }
    rig.pairing.opt_in(&AccountId::discord(alice.id())).unwrap();
    code(&alice.runs(&general, "/pair", json!({})).await);
}
