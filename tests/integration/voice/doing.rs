//! Calls that its tools come into and leave, and the sounds that they play there.

use familiar_connect::domain::{AccountId, Author, Place};
use familiar_connect::session::{Outbox as _, PlaceAction};

use super::hall::Hall;
use crate::discord::rig::delivery_in;
use crate::support::discord::{Person, bits};
use crate::support::voice::VoiceOptions;

fn author(person: &Person) -> Author {
    let account = AccountId::discord(person.id());
    Author::new(account)
}

/// What comes of an action, or why nothing does.
async fn done(hall: &Hall, here: &Place, who: &Author, action: PlaceAction) -> String {
    let actions = hall.rig.outbox.actions().unwrap();
    actions.act(here, who, action).await.unwrap_or_else(|error| error.to_string())
}

#[tokio::test]
async fn it_comes_for_whoever_is_in_a_call_plays_for_those_beside_it_and_goes_when_its_caller_says_so() {
    let hall = Hall::open(VoiceOptions::default()).await;
    let here = delivery_in(&hall.world, &hall.general).place;
    let (alice, ben) = (author(&hall.alice), author(&hall.ben));
    let horn = hall.home.has_sound("Air Horn");
    let plays = |name: &str| PlaceAction::PlaySound { name: name.to_owned() };

    assert_eq!(done(&hall, &here, &alice, plays("air horn")).await, "you are in no call here");
    assert_eq!(done(&hall, &here, &alice, PlaceAction::LeaveCall).await, "you are in no call here");
    let nowhere = done(&hall, &here, &ben, PlaceAction::JoinCall).await;
    assert_eq!(nowhere, "whoever asks is in no voice channel that you can see");

    let came = done(&hall, &here, &alice, PlaceAction::JoinCall).await;
    assert_eq!(came, format!("you are in the call <#{}> now and hear whoever asked", hall.lounge.id()));
    hall.voice.bot_is_in(&hall.lounge).await;

    assert_eq!(done(&hall, &here, &alice, plays(" AIR horn ")).await, "it is played");
    assert_eq!(hall.world.played(), [(hall.lounge.id(), horn)]);
    let unknown = done(&hall, &here, &alice, plays("drum")).await;
    assert_eq!(unknown, "this server has no sound of that name; it has Air Horn");
    let outside = done(&hall, &here, &ben, plays("air horn")).await;
    assert!(outside.contains("only those in it may have a sound played"), "{outside}");
    hall.lounge.denies(&hall.ben, bits::USE_SOUNDBOARD);
    hall.ben.joins(&hall.lounge, false);
    // The bot is told of it in its own time.
    let becomes = async |before: &str| loop {
        let told = done(&hall, &here, &ben, plays("air horn")).await;
        if told != before {
            break told;
        }
        tokio::task::yield_now().await;
    };
    let denied = becomes(&outside).await;
    assert!(denied.contains("whoever asks lacks the permission Use Soundboard here"), "{denied}");
    hall.ben.is_muted_by_the_server(&hall.lounge);
    assert_eq!(becomes(&denied).await, "the server does not let whoever asks be heard in this call");
    assert_eq!(hall.world.played().len(), 1);

    let not_theirs = done(&hall, &here, &ben, PlaceAction::LeaveCall).await;
    assert!(not_theirs.contains("somebody else called you in"), "{not_theirs}");
    assert!(hall.lounge.has_bot());
    assert_eq!(done(&hall, &here, &alice, PlaceAction::LeaveCall).await, "you have left the call");
    hall.lounge.shows_bot(false).await;
}
