//! How well people are known, what was missed, and feelings.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::*;
use crate::domain::Affect;
use crate::domain::{Caller, Feeling, ReminderKind, StoredId};
use crate::history::{Acquaintance, Answered, Missed, NewReminder, Since, Visible, Warmth};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn guild() -> Visible {
    Visible::only([Audience::Canon, Audience::Guild(GuildId::from(1))])
}

#[tokio::test]
async fn a21_the_last_talk_is_the_one_before_what_is_being_answered() {
    let history = scratch().await;
    let alice = person(1, "Alice").account;
    history.append(said(100, "hello")).await.unwrap();
    history.append(said(200, "again")).await.unwrap();
    let now = history.append(said(900, "back")).await.unwrap();
    let known = history.seen_by(&guild()).acquaintance(&alice, Some(now.id), None).await.unwrap();
    assert_eq!(known, Acquaintance { messages: 3, first: Some(at(100)), last: Some(at(200)) });
    let stranger = person(9, "Zed").account;
    assert_eq!(
        history.seen_by(&guild()).acquaintance(&stranger, None, None).await.unwrap(),
        Acquaintance::default()
    );
}

#[tokio::test]
async fn a28_a_moment_of_the_past_counts_what_was_there_then() {
    let history = scratch().await;
    let alice = person(1, "Alice").account;
    history.append(said(100, "hello")).await.unwrap();
    let then = history.append(said(200, "again")).await.unwrap();
    history.append(said(900, "back")).await.unwrap();
    let known = history.seen_by(&guild()).acquaintance(&alice, Some(then.id), Some(then.id)).await.unwrap();
    assert_eq!(known, Acquaintance { messages: 2, first: Some(at(100)), last: Some(at(100)) });
}

#[tokio::test]
async fn a22_what_was_said_in_private_does_not_count_elsewhere() {
    let history = scratch().await;
    let alice = person(1, "Alice").account;
    history.append(said(500, "in the guild")).await.unwrap();
    let mut private = said(100, "psst");
    private.place.audience = Audience::Dm(alice.clone());
    private.place.channel = ChannelId::from(70);
    history.append(private).await.unwrap();
    let known = history.seen_by(&guild()).acquaintance(&alice, None, None).await.unwrap();
    assert_eq!((known.messages, known.first), (1, Some(at(500))));
    let dm = Visible::only([Audience::Canon, Audience::Dm(alice.clone())]);
    let known = history.seen_by(&dm).acquaintance(&alice, None, None).await.unwrap();
    assert_eq!((known.messages, known.first), (1, Some(at(100))));
}

#[tokio::test]
async fn a22_what_is_taken_back_no_longer_counts() {
    let history = scratch().await;
    let alice = person(1, "Alice").account;
    history.append(said(100, "one")).await.unwrap();
    history.append(said(200, "two")).await.unwrap();
    history.delete(&ChannelId::from(7), &[MessageId::from(200)], at(300)).await.unwrap();
    history.delete(&ChannelId::from(7), &[MessageId::from(200)], at(301)).await.unwrap();
    let known = history.seen_by(&guild()).acquaintance(&alice, None, None).await.unwrap();
    assert_eq!(known, Acquaintance { messages: 1, first: Some(at(100)), last: Some(at(100)) });
}

#[tokio::test]
async fn a24_what_was_missed_is_counted_by_speaker_without_ones_own_words() {
    let history = scratch().await;
    let channel = ChannelId::from(7);
    let by = |second: u64, number, name: &str| NewTurn {
        author: Some(person(number, name)),
        ..said(second, &format!("m{second}"))
    };
    let familiar = NewTurn { role: Role::Assistant, author: None, ..said(5, "hi") };
    assert_eq!(
        history.seen_by(&guild()).missed(&channel, Since::Familiar, None).await.unwrap(),
        Missed::default()
    );
    history.append(by(1, 1, "Alice")).await.unwrap();
    history.append(familiar).await.unwrap();
    for second in 10..16 {
        history.append(by(second, 2, "Ben")).await.unwrap();
    }
    history.append(by(20, 3, "Cara")).await.unwrap();
    let asking = history.append(by(30, 1, "Alice")).await.unwrap();
    let expected = vec![("Ben".to_owned(), 6), ("Cara".to_owned(), 1)];
    let missed = history.seen_by(&guild()).missed(&channel, Since::Familiar, Some(asking.id)).await.unwrap();
    assert_eq!((missed.since, missed.messages, missed.speakers), (Some(at(5)), 7, expected.clone()));
    let alice = Since::Person(person(1, "Alice").account);
    let missed = history.seen_by(&guild()).missed(&channel, alice, Some(asking.id)).await.unwrap();
    assert_eq!((missed.since, missed.speakers), (Some(at(1)), expected));
    let cara = Since::Person(person(3, "Cara").account);
    let missed =
        history.seen_by(&guild()).missed(&channel, cara, Some(StoredId(asking.id.0 + 1))).await.unwrap();
    assert_eq!(missed.speakers, [("Alice".to_owned(), 1)]);
}

#[tokio::test]
async fn a9_feelings_fade_and_outlive_the_program() {
    let history = scratch().await;
    let (alice, ben) = (person(1, "Alice").account, person(2, "Ben").account);
    let half_life = Duration::from_secs(3600);
    let glad = Feeling { valence: 0.4, arousal: 0.2 };
    let leave = Caller::Tenant.change(&guild_place(7).audience).unwrap();
    let warmth = Warmth { leave: &leave, by: &alice, push: 0.5 };
    let before = guild_place(7).audience;
    history.moved(&before, glad, Some(warmth), half_life, at(0)).await.unwrap();
    history.close().await.unwrap();
    let again =
        History::open(&history.folder.path().join("history.db"), HistoryOptions::default()).await.unwrap();
    let felt = async |by| again.seen_by(&here()).affect(Some(by), half_life, at(3600)).await.unwrap();
    let towards_alice = felt(&alice).await;
    let Affect { mood, warmth: warm } = towards_alice;
    assert!((mood.valence - 0.2).abs() < 1e-9 && (mood.arousal - 0.1).abs() < 1e-9, "{mood:?}");
    assert!(warm > 0.49, "warmth lasts longer than a mood: {warm}");
    let towards_ben = felt(&ben).await;
    assert!(towards_ben.warmth == 0.0 && towards_ben.mood.valence > 0.0, "{towards_ben:?}");
    let gloomy = Feeling { valence: -0.5, arousal: 0.0 };
    again.moved(&before, gloomy, None, half_life, at(3600)).await.unwrap();
    assert_eq!(felt(&ben).await.warmth, 0.0, "a stranger moves its mood and nothing else");
    let warmth = Warmth { leave: &leave, by: &ben, push: -0.3 };
    again.moved(&before, gloomy, Some(warmth), half_life, at(3600)).await.unwrap();
    let hurt = felt(&ben).await;
    assert!(hurt.mood.valence < 0.0 && hurt.warmth == -0.3, "{hurt:?}");
}

#[tokio::test]
async fn contradiction_8_a_feeling_counts_where_those_may_be_seen_before_whom_it_was_moved() {
    let history = scratch().await;
    let ben = person(2, "Ben").account;
    let half_life = Duration::from_secs(3600);
    let (alone, server) = (Audience::Dm(ben.clone()), guild_place(7).audience);
    let leave = Caller::Tenant.change(&server).unwrap();
    let hurt = Feeling { valence: -0.4, arousal: 0.3 };
    let warmth = |push| Some(Warmth { leave: &leave, by: &ben, push });
    history.moved(&alone, hurt, warmth(-0.5), half_life, at(0)).await.unwrap();
    let felt = async |visible: &Visible| {
        history.seen_by(visible).affect(Some(&ben), half_life, at(0)).await.unwrap()
    };
    assert_eq!(felt(&here()).await, Affect::default(), "what was said alone shows nowhere else");
    let own = Visible::only([alone]);
    assert_eq!(felt(&own).await, Affect { mood: hurt, warmth: -0.5 });
    let glad = Feeling { valence: 0.1, arousal: 0.0 };
    history.moved(&server, glad, warmth(0.2), half_life, at(0)).await.unwrap();
    assert_eq!(felt(&here()).await, Affect { mood: glad, warmth: 0.2 });
    let both = felt(&Visible::only(own.audiences().cloned().chain([server]))).await;
    assert!((both.warmth + 0.3).abs() < 1e-9 && (both.mood.valence + 0.3).abs() < 1e-9, "{both:?}");
    history.forget(Vec::new(), Default::default(), Some(ben.clone()), Arc::default()).await.unwrap();
    assert_eq!(felt(&own).await, Affect::default(), "nor is the mood left that they alone moved");
}

#[tokio::test]
async fn a24_whom_it_answered_is_known_and_a_reminder_answers_nobody() {
    let history = scratch().await;
    let (alice, ben) = (person(1, "Alice").account, person(2, "Ben").account);
    let channel = ChannelId::from(7);
    let own = |second: u64, turn: u64| NewTurn {
        role: Role::Assistant,
        author: None,
        turn: Some(TurnId(turn)),
        ..said(second, &format!("own {turn}"))
    };
    let answered = async |who: &AccountId| {
        let seen = guild();
        history.seen_by(&seen).answered_here(&channel, Some(who), None).await.unwrap()
    };
    assert_eq!(answered(&alice).await, Answered::default());
    history.append(said(10, "hello")).await.unwrap();
    history.append(own(20, 1)).await.unwrap();
    history.append(NewTurn { author: Some(person(2, "Ben")), ..said(30, "so") }).await.unwrap();
    let reminder = NewReminder {
        kind: ReminderKind::Reminder,
        asker: person(2, "Ben"),
        place: guild_place(7),
        words: "feed the cat".to_owned(),
        due: Some(at(35)),
        zone: "UTC".to_owned(),
        recurrence: None,
        made: at(1),
    };
    let id = history.remind(reminder).await.unwrap().unwrap();
    history.reminding(id, TurnId(2)).await.unwrap();
    history.append(own(40, 2)).await.unwrap();
    assert_eq!(answered(&alice).await, Answered { anybody: Some(at(20)), them: Some(at(20)) });
    assert_eq!(answered(&ben).await, Answered { anybody: Some(at(20)), them: None });
}
