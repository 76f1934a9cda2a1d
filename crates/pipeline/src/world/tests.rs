use std::sync::Arc;

use jiff::Timestamp;
use proptest::prelude::*;

use super::state::BoundedList;
use super::*;
use crate::domain::{AccountId, Audience, Author, ChannelId, GuildId, Place, PlaceKind, Platform};

fn place(channel: u64) -> Place {
    Place {
        guild: Some(GuildId::from(7)),
        channel_name: Some("#ferry".to_owned()),
        guild_name: Some("Harbour".to_owned()),
        ..Place::new(
            Platform::Discord,
            ChannelId::from(channel),
            PlaceKind::GuildText,
            Audience::Guild(GuildId::from(7)),
        )
    }
}

fn person(id: u64, name: &str) -> Author {
    Author::called(AccountId::discord(id), name)
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn in_call(id: u64, name: &str, channel: u64, audience: Audience) -> InCall {
    InCall {
        account: AccountId::discord(id),
        name: name.to_owned(),
        channel: ChannelId::from(channel),
        channel_name: format!("call {channel}"),
        audience,
        microphone: CallMicrophone::Open,
        headphones: Headphones::On,
        voice: CallVoice::Silent,
    }
}

#[test]
fn a8_who_spoke_is_here_for_a_quarter_of_an_hour() {
    let world = World::default();
    world.spoke(&place(1), &person(1, "Alice"), at(0));
    world.spoke(&place(1), &person(2, "Ben"), at(600));
    world.spoke(&place(1), &Author { is_bot: true, ..person(3, "Robot") }, at(700));
    world.spoke(&place(2), &person(4, "Cara"), at(700));
    let seen = world.snapshot();
    let (here, there) = (place(1), place(2));
    let names = |now| seen.for_place(&here).here(at(now)).map(|one| one.name.as_str()).collect::<Vec<_>>();
    assert_eq!(names(900), ["Ben", "Alice"]);
    assert_eq!(names(901), ["Ben"]);
    assert_eq!(names(1501), [""; 0]);
    assert_eq!(seen.for_place(&there).here(at(701)).count(), 1);
}

#[test]
fn a8_a_snapshot_never_changes() {
    let world = World::default();
    world.spoke(&place(1), &person(1, "Alice"), at(0));
    let before = world.snapshot();
    world.spoke(&place(1), &person(2, "Ben"), at(1));
    world.guild(&GuildId::from(7), |guild| guild.members = Some(3));
    let here = place(1);
    assert_eq!(before.for_place(&here).speakers().len(), 1);
    assert_eq!(before.for_place(&here).members(), None);
    assert_eq!(world.snapshot().for_place(&here).speakers().len(), 2);
    assert_eq!(world.snapshot().for_place(&here).members(), Some(3));
}

#[test]
fn who_is_in_calls_is_told_by_name_and_of_one_channel_alone_where_it_is_named() {
    let world = World::default();
    let guild = GuildId::from(7);
    let in_open_call = |id, name, channel| in_call(id, name, channel, Audience::Guild(GuildId::from(7)));
    let told = || {
        let (seen, here) = (world.snapshot(), place(1));
        let calls = seen.for_place(&here).calls();
        let people = calls.iter().flat_map(|call| &call.people);
        people.map(|one| format!("{} {:?}", one.name, one.voice)).collect::<Vec<_>>()
    };
    world.guild(&guild, |state| {
        state.tell_calls(None, [in_open_call(3, "Cara", 90), in_open_call(1, "Alice", 90)]);
    });
    world.speaking(&guild, &AccountId::discord(3), CallVoice::Speaking);
    world.guild(&guild, |state| {
        state.tell_calls(
            Some(&ChannelId::from(90)),
            [in_open_call(3, "Cara", 90), in_open_call(2, "Ben", 90)],
        );
    });
    assert_eq!(told(), ["Ben Silent", "Cara Speaking"], "and she goes on speaking");
    world.guild(&guild, |state| {
        state.tell_calls(Some(&ChannelId::from(91)), [in_open_call(4, "Dora", 91)]);
    });
    assert_eq!(told().len(), 3, "the other call goes on");
    world.guild(&guild, |state| state.tell_calls(None, []));
    assert!(told().is_empty());
}

#[test]
fn a8_a_call_in_a_hidden_channel_is_not_told_of() {
    let world = World::default();
    let open = Audience::Guild(GuildId::from(7));
    let hidden = Audience::Private(ChannelId::from(91));
    world.guild(&GuildId::from(7), |guild| {
        guild.calls = Arc::new(vec![
            in_call(1, "Alice", 90, open),
            in_call(2, "Ben", 91, hidden),
            in_call(3, "Cara", 90, Audience::Guild(GuildId::from(7))),
        ]);
    });
    world.speaking(&GuildId::from(7), &AccountId::discord(3), CallVoice::Speaking);
    let seen = world.snapshot();
    let here = place(1);
    let calls = seen.for_place(&here).calls();
    assert_eq!(calls.len(), 1);
    let names: Vec<_> = calls[0].people.iter().map(|one| (one.name.as_str(), one.voice)).collect();
    assert_eq!(names, [("Alice", CallVoice::Silent), ("Cara", CallVoice::Speaking)]);
    let inside = Place { audience: Audience::Private(ChannelId::from(91)), ..place(91) };
    assert_eq!(seen.for_place(&inside).calls().len(), 2, "whoever is in the hidden channel sees both");
    let elsewhere = Place { guild: Some(GuildId::from(8)), ..place(1) };
    assert!(seen.for_place(&elsewhere).calls().is_empty());
}

#[test]
fn a23_lessons_end_with_the_session_and_belong_to_whoever_asked() {
    let world = World::default();
    let (here, alice, ben) = (place(1), person(1, "Alice"), person(2, "Ben"));
    let count = |now, who: &Author| {
        world
            .snapshot()
            .for_place(&here)
            .lessons(&who.account, at(now))
            .map(|l| l.preference.name())
            .collect::<Vec<_>>()
    };
    world.spoke(&here, &alice, at(0));
    assert_eq!(world.wished(&here, &alice, "shorter please, no spoilers", Some(&5.into()), at(0)), 2);
    assert_eq!(count(10, &alice), ["shorter", "no_spoilers"]);
    assert_eq!(count(10, &ben), [""; 0]);
    world.wished(&here, &alice, "longer answers please", None, at(20));
    assert_eq!(count(20, &alice), ["no_spoilers", "longer"], "the newest of a sort wins");
    world.wished(&here, &alice, "spoilers are fine", None, at(21));
    assert_eq!(count(21, &alice), ["longer"]);
    assert_eq!(count(1801, &alice), [""; 0], "quiet for half an hour");
    world.spoke(&here, &alice, at(4000));
    assert_eq!(count(4000, &alice), [""; 0], "a new session");
}

#[test]
fn a8_typing_ends_with_the_message_or_after_a_while() {
    let world = World::default();
    let (here, alice) = (place(1), person(1, "Alice"));
    let seen =
        Sighting { account: alice.account.clone(), name: "Alice".to_owned(), is_bot: false, at: at(0) };
    world.typing(&here.channel, seen);
    let typing = |now| world.snapshot().for_place(&here).typing(at(now)).count();
    assert_eq!((typing(10), typing(11)), (1, 0));
    world.spoke(&here, &alice, at(5));
    assert_eq!(typing(6), 0);
}

#[test]
fn a8_a_channel_is_not_named_where_some_cannot_see_it() {
    let world = World::default();
    let card = |name: &str, audience: Audience| ChannelCard {
        name: name.to_owned(),
        audience,
        topic: None,
        is_nsfw: false,
    };
    world.guild(&GuildId::from(7), |guild| {
        let everybody = || Audience::Guild(GuildId::from(7));
        let few = |channel: u64| Audience::Private(ChannelId::from(channel));
        let cards = [
            (ChannelId::from(1), card("ferry", everybody())),
            (ChannelId::from(2), card("bridge", few(2))),
            (ChannelId::from(3), card("deck", few(3))),
            (ChannelId::from(4), card("deck", everybody())),
            (ChannelId::from(5), card("vault", few(5))),
        ];
        guild.channels = Arc::new(cards.into());
    });
    let snapshot = world.snapshot();
    let (here, there) = (place(1), Place { audience: Audience::Private(ChannelId::from(2)), ..place(2) });
    let named = |place: &Place| {
        let names = [
            (1, "#ferry"),
            (2, "#bridge"),
            (21, "#bridge -> rope"),
            (3, "#deck"),
            (4, "#deck"),
            (41, "#deck -> chair"),
            (6, "#harbour"),
        ];
        names.map(|(channel, name)| snapshot.for_place(place).may_name(&ChannelId::from(channel), name))
    };
    assert_eq!(named(&here), [true, false, false, false, true, true, true]);
    assert_eq!(named(&there), [true, true, true, false, true, true, true]);
    // Renamed since, with nothing said in it: the channel, and a thread of it.
    let under_its_old_name = [(5, "#ferry"), (5, "#cellar"), (51, "#cellar -> rope")];
    let may_name = |(channel, name)| snapshot.for_place(&here).may_name(&ChannelId::from(channel), name);
    assert_eq!(under_its_old_name.map(may_name), [false; 3]);
}

#[test]
fn a8_a_thread_has_its_channels_topic() {
    let world = World::default();
    world.guild(&GuildId::from(7), |guild| {
        let card = ChannelCard {
            name: "ferry".to_owned(),
            topic: Some("the night shift".to_owned()),
            audience: Audience::Guild(GuildId::from(7)),
            is_nsfw: false,
        };
        guild.channels = Arc::new([(ChannelId::from(1), card)].into());
    });
    let thread = Place { parent: Some(ChannelId::from(1)), ..place(55) };
    assert_eq!(world.snapshot().for_place(&thread).topic(), Some("the night shift"));
    assert_eq!(world.snapshot().for_place(&place(2)).topic(), None);
}

proptest! {
    #[test]
    fn a8_the_world_stays_bounded_and_the_newest_stands(
        events in prop::collection::vec((0_u64..6000, 0_u64..60, 0_i64..100_000), 1..400)
    ) {
        let world = World::default();
        for (channel, who, second) in &events {
            world.spoke(&place(*channel), &person(*who, "p"), at(*second));
            world.arrived(&GuildId::from(channel % 9), Arrival {
                account: AccountId::discord(*who), name: "p".to_owned(), at: at(*second), away_since: None,
            });
        }
        let seen = world.snapshot();
        prop_assert!(seen.channels.len() <= 2048);
        let (channel, who, second) = events.last().unwrap();
        let last = place(*channel);
        let speakers = seen.for_place(&last).speakers();
        prop_assert!(speakers.len() <= 32);
        prop_assert_eq!(&speakers.last().unwrap().account, &AccountId::discord(*who));
        prop_assert_eq!(speakers.last().unwrap().at, at(*second));
    }

    #[test]
    fn a_shelf_holds_the_last_value_of_what_it_holds(edits in prop::collection::vec((0_u16..5000, 0_u32..9), 0..3000)) {
        let mut shelf: BoundedList<u16, u32> = BoundedList::default();
        let mut truth = std::collections::HashMap::new();
        for (stamp, (key, value)) in edits.iter().enumerate() {
            shelf.edit(key, stamp as u64, |slot| *slot = *value);
            truth.insert(*key, *value);
            prop_assert_eq!(shelf.get(key), Some(value));
        }
        for (key, value) in &truth {
            prop_assert!(shelf.get(key).is_none_or(|held| held == value));
        }
        prop_assert!(shelf.len() <= 32 * 64);
    }
}

#[test]
fn readers_and_writers_do_not_wait_for_each_other() {
    let world = Arc::new(World::default());
    let here = place(1);
    std::thread::scope(|scope| {
        for writer in 0..4_u64 {
            let (world, here) = (Arc::clone(&world), here.clone());
            scope.spawn(move || {
                for second in 0..500 {
                    world.spoke(&here, &person(writer, "w"), at(second));
                }
            });
        }
        for _ in 0..500 {
            let seen = world.snapshot();
            assert!(seen.for_place(&here).here(at(1)).count() <= 4);
        }
    });
    assert_eq!(world.snapshot().for_place(&here).speakers().len(), 4);
}
