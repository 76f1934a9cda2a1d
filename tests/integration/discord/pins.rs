//! What is pinned in a channel, as the conversations are told.

use familiar_connect::domain::Audience;

use super::rig::Rig;
use crate::support::discord::DiscordWorld;

#[tokio::test]
async fn a4_what_is_pinned_is_told_when_it_changes_and_what_is_taken_off_is_not() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, other, alice) = (home.channel("general"), home.channel("other"), home.member("alice"));
    let rig = Rig::reading(&world, &general).await;
    let elsewhere = alice.says(&other, "nobody reads here");
    other.is_pinned(elsewhere, true);
    let first = alice.says(&general, "the bell rings twice at dusk");
    rig.next_heard().await;
    general.is_pinned(first, true);
    let (place, pins) = rig.pinned(1).await;
    assert_eq!(place.channel, general.id().into());
    assert_eq!(place.audience, Audience::Guild(home.id().into()));
    let [pin] = &pins[..] else { panic!("{pins:?}") };
    assert_eq!((&pin.message, pin.text.as_str()), (&first.into(), "the bell rings twice at dusk"));
    assert_eq!(pin.author.account.to_string(), format!("discord:{}", alice.id()));
    general.is_pinned(first, false);
    assert_eq!(rig.pinned(0).await.1, []);
}

#[tokio::test]
async fn what_is_pinned_of_whoever_is_never_let_in_is_not_told() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, alice, ben) = (home.channel("general"), home.member("alice"), home.member("ben"));
    let banned = home.role("banned");
    home.gives(&ben, &[banned]);
    let rig = Rig::start(&world, &format!("[discord.never]\nroles = [{}]", banned.0)).await;
    world.bot_is_online().await;
    rig.subscribe(&general);
    let bens = ben.says(&general, "mine is the last word");
    let hers = alice.says(&general, "the bell rings twice at dusk");
    rig.next_heard().await;
    general.is_pinned(bens, true);
    general.is_pinned(hers, true);
    let (_, pins) = rig.pinned(1).await;
    assert_eq!(pins[0].text, "the bell rings twice at dusk");
}
