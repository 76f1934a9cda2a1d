//! Reminders: what is kept, for how many, who sees it, and what of its saying survives.

use std::sync::Arc;

use super::*;
use crate::domain::{ReminderId, ReminderKind};
use crate::history::{
    AlsoOf, Delivering, NewReminder, NoRoom, REMINDERS_MAX, REMINDERS_OF_ONE, REMINDERS_OF_SERVER,
    RITUALS_OF_ONE,
};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn asked(who: u64, words: &str, due: Option<i64>) -> NewReminder {
    NewReminder {
        kind: if due.is_some() { ReminderKind::Reminder } else { ReminderKind::OpenLoop },
        asker: person(who, "Alice"),
        place: guild_place(7),
        words: words.to_owned(),
        due: due.map(at),
        zone: "Europe/Berlin".to_owned(),
        recurrence: due.map(|_| "weekly 1,5 09:00".parse().unwrap()),
        made: at(10),
    }
}

fn alice() -> AccountId {
    AccountId::discord(1)
}

async fn words_of(history: &History, who: u64) -> Vec<String> {
    let kept = history.seen_by(&here()).reminders(&AccountId::discord(who), AlsoOf::Nobody).await.unwrap();
    kept.into_iter().map(|one| one.what.words).collect()
}

#[tokio::test]
async fn what_is_kept_is_there_after_a_restart_word_for_word() {
    let Scratch { history, folder } = scratch().await;
    let (feed, exam) = (asked(1, "feed the cat", Some(100)), asked(1, "exam", None));
    let first = history.remind(feed.clone()).await.unwrap().unwrap();
    history.remind(exam.clone()).await.unwrap().unwrap();
    history.close().await.unwrap();
    let history = History::open(&folder.path().join("history.db"), HistoryOptions::default()).await.unwrap();
    let kept = history.seen_by(&here()).reminders(&alice(), AlsoOf::Nobody).await.unwrap();
    assert_eq!(kept.iter().map(|one| one.what.clone()).collect::<Vec<_>>(), [feed, exam]);
    assert_eq!(history.whole().next_reminder(at(0)).await.unwrap(), Some(at(100)));
    assert_eq!(history.whole().reminders_due(at(99)).await.unwrap(), []);
    assert_eq!(
        history.whole().reminders_due(at(100)).await.unwrap().len(),
        1,
        "what has no moment is never due"
    );
    history.not_reminded(first, at(200)).await.unwrap();
    assert_eq!(history.whole().reminders_due(at(199)).await.unwrap(), []);
    assert_eq!(history.whole().next_reminder(at(100)).await.unwrap(), Some(at(200)));
    history.was_reminded(first, at(201), Some(at(900))).await.unwrap();
    let again = &history.seen_by(&here()).reminders(&alice(), AlsoOf::Nobody).await.unwrap()[0];
    assert_eq!((again.fired, again.what.due, again.tries), (Some(at(201)), Some(at(900)), 0));
    history.was_reminded(first, at(901), None).await.unwrap();
    assert_eq!(words_of(&history, 1).await, ["exam"]);
}

#[tokio::test]
async fn one_person_has_so_many_open_a_server_has_and_all_have_so_many() {
    let history = scratch().await;
    for number in 0..REMINDERS_OF_ONE {
        history.remind(asked(1, &format!("{number}"), Some(100))).await.unwrap().unwrap();
    }
    assert_eq!(history.remind(asked(1, "one more", Some(100))).await.unwrap(), Err(NoRoom::OfTheirs));
    for number in REMINDERS_OF_ONE..REMINDERS_MAX {
        let who = 2 + u64::from(number / REMINDERS_OF_ONE);
        let server = Some(GuildId::from(1 + u64::from(number / REMINDERS_OF_SERVER)));
        let theirs = asked(who, "theirs", Some(100));
        let theirs = NewReminder { place: Place { guild: server, ..theirs.place.clone() }, ..theirs };
        history.remind(theirs).await.unwrap().unwrap();
        if number + 1 == REMINDERS_OF_SERVER {
            let more = asked(999, "theirs", Some(100));
            assert_eq!(history.remind(more).await.unwrap(), Err(NoRoom::OfTheServer));
        }
    }
    let elsewhere = asked(999, "theirs", Some(100));
    let place = Place { guild: Some(GuildId::from(999)), ..elsewhere.place.clone() };
    let elsewhere = NewReminder { place, ..elsewhere };
    assert_eq!(history.remind(elsewhere).await.unwrap(), Err(NoRoom::ForAnybody));
}

#[tokio::test]
async fn one_person_has_so_much_announced_in_a_channel_and_leaves_room_for_others() {
    let history = scratch().await;
    let ritual =
        |who: u64, words: &str| NewReminder { kind: ReminderKind::Ritual, ..asked(who, words, Some(100)) };
    for number in 0..RITUALS_OF_ONE {
        history.remind(ritual(1, &format!("{number}"))).await.unwrap().unwrap();
    }
    assert_eq!(history.remind(ritual(1, "one more")).await.unwrap(), Err(NoRoom::OfTheirRituals));
    history.remind(asked(1, "feed the cat", Some(100))).await.unwrap().unwrap();
    history.remind(ritual(2, "film night")).await.unwrap().unwrap();
    let elsewhere = NewReminder { place: guild_place(8), ..ritual(1, "tea") };
    history.remind(elsewhere).await.unwrap().unwrap();
    history.remind_as_manager(ritual(1, "one more")).await.unwrap().unwrap();
    history.remind_as_manager(ritual(1, "and one more")).await.unwrap().unwrap();
}

#[tokio::test]
async fn nobody_sees_or_cancels_what_is_not_theirs_or_was_asked_where_they_cannot_look() {
    let history = scratch().await;
    let alone =
        Place { audience: Audience::Dm(alice()), kind: PlaceKind::Dm, guild: None, ..guild_place(70) };
    let secret = NewReminder { place: alone.clone(), ..asked(1, "the surprise", Some(50)) };
    let secret = history.remind(secret).await.unwrap().unwrap();
    let open = history.remind(asked(1, "feed the cat", Some(100))).await.unwrap().unwrap();
    assert_eq!(words_of(&history, 1).await, ["feed the cat"]);
    assert_eq!(words_of(&history, 2).await, Vec::<String>::new());
    let ben = AccountId::discord(2);
    assert_eq!(history.cancel_reminder(open, &ben, AlsoOf::Nobody, &here()).await.unwrap(), None);
    // Whoever manages a channel has what was asked for there, before everybody, and nothing of another.
    let elsewhere = ChannelId::from(70);
    assert_eq!(history.seen_by(&here()).reminders(&ben, AlsoOf::Managed(&channel())).await.unwrap().len(), 1);
    assert_eq!(history.seen_by(&here()).reminders(&ben, AlsoOf::Managed(&elsewhere)).await.unwrap(), []);
    assert_eq!(
        history.cancel_reminder(open, &ben, AlsoOf::Managed(&elsewhere), &here()).await.unwrap(),
        None
    );
    assert_eq!(
        history.cancel_reminder(secret, &ben, AlsoOf::Managed(&elsewhere), &here()).await.unwrap(),
        None
    );
    assert_eq!(
        history.cancel_reminder(secret, &alice(), AlsoOf::Nobody, &here()).await.unwrap(),
        None,
        "not from the server"
    );
    assert_eq!(
        history.cancel_reminder(ReminderId(999), &alice(), AlsoOf::Nobody, &here()).await.unwrap(),
        None
    );
    // What is for everybody there is theirs too.
    let ritual = NewReminder { kind: ReminderKind::Ritual, ..asked(1, "film night", Some(100)) };
    let ritual = history.remind(ritual).await.unwrap().unwrap();
    for (also, count) in [(AlsoOf::Nobody, 0), (AlsoOf::Place(&elsewhere), 0), (AlsoOf::Place(&channel()), 1)]
    {
        assert_eq!(history.seen_by(&here()).reminders(&ben, also).await.unwrap().len(), count, "{also:?}");
        let taken = history.cancel_reminder(open, &ben, also, &here()).await.unwrap();
        assert_eq!(taken, None, "nothing else of theirs");
    }
    let taken = history.cancel_reminder(ritual, &ben, AlsoOf::Place(&channel()), &here()).await.unwrap();
    assert!(taken.is_some_and(|taken| taken.what.words == "film night"));
    let there = Visible::at(&alone);
    assert!(history.cancel_reminder(secret, &alice(), AlsoOf::Nobody, &there).await.unwrap().is_some());
    assert!(history.cancel_reminder(open, &alice(), AlsoOf::Nobody, &here()).await.unwrap().is_some());
    assert_eq!(words_of(&history, 1).await, Vec::<String>::new());
}

#[tokio::test]
async fn however_it_becomes_known_that_it_was_said_the_reminder_knows() {
    let history = scratch().await;
    let id = history.remind(asked(1, "feed the cat", Some(100))).await.unwrap().unwrap();
    history.reminding(id, TurnId(40)).await.unwrap();
    let is_said = async || history.whole().reminders_due(at(100)).await.unwrap()[0].is_said;
    assert!(!is_said().await);
    assert_eq!(history.extent().await.unwrap().0, TurnId(40), "no other turn gets its number");
    // The program is killed while Discord has the message and nobody knows.
    let reply = NewTurn { turn: Some(TurnId(40)), ..replied(&[], "") };
    let being_sent = Some("You wanted to feed the cat.".to_owned());
    history.delivering(Delivering { reply, answers: Vec::new(), being_sent, grows: false }).await.unwrap();
    history.close_deliveries().await.unwrap();
    assert!(!is_said().await);
    let text = "You wanted to feed the cat.".to_owned();
    assert!(history.arrived_after_all(&channel(), MessageId::from(5), text, at(101)).await.unwrap());
    assert!(is_said().await);
    // Another turn says nothing about it.
    let other = history.remind(asked(1, "the dog", Some(100))).await.unwrap().unwrap();
    history.reminding(other, TurnId(41)).await.unwrap();
    history.append(NewTurn { turn: Some(TurnId(42)), ..replied(&[9], "hm") }).await.unwrap();
    let due = history.whole().reminders_due(at(100)).await.unwrap();
    assert_eq!(due.iter().map(|one| one.is_said).collect::<Vec<_>>(), [true, false]);
}

#[tokio::test]
async fn what_somebody_asked_goes_with_them_and_comes_back_with_them() {
    let history = scratch().await;
    history.remind(asked(1, "feed the cat", Some(100))).await.unwrap().unwrap();
    history.remind(asked(2, "feed the dog", Some(100))).await.unwrap().unwrap();
    assert_eq!(history.left_traces(&alice()).await.unwrap(), [10_000]);
    let share = history.whole().kept_share(Vec::new(), Some(alice()), Default::default()).await.unwrap();
    assert!(share.says_something());
    history.forget(Vec::new(), Default::default(), Some(alice()), Default::default()).await.unwrap();
    assert_eq!(words_of(&history, 1).await, Vec::<String>::new());
    assert_eq!(words_of(&history, 2).await, ["feed the dog"]);
    for _ in 0..2 {
        history.put_share(share.clone()).await.unwrap();
        assert_eq!(words_of(&history, 1).await, ["feed the cat"]);
    }
    let state = history.whole().kept_state().await.unwrap();
    assert_eq!(state.reminders.len(), 2, "an export holds them");
}

#[tokio::test]
async fn forgetting_somebody_leaves_what_others_asked_for_and_forgetting_a_channel_nothing_of_it() {
    for (person, left) in [(Some(alice()), 1), (None, 0)] {
        let history = scratch().await;
        let turn = history.append(said(1, "hello there")).await.unwrap();
        history.remind(asked(2, "feed the dog", Some(100))).await.unwrap().unwrap();
        let share =
            history.whole().kept_share(vec![turn.id], person.clone(), Default::default()).await.unwrap();
        history.forget(vec![turn.id], Default::default(), person.clone(), Default::default()).await.unwrap();
        assert_eq!(words_of(&history, 2).await.len(), left, "{person:?}");
        history.put_share(share).await.unwrap();
        assert_eq!(words_of(&history, 2).await, ["feed the dog"], "undone, it is there: {person:?}");
    }
}

#[tokio::test]
async fn words_that_are_forgotten_are_in_no_reminder() {
    let history = scratch().await;
    history.remind(asked(1, "water the tall red tulips behind the house", Some(100))).await.unwrap().unwrap();
    history.remind(asked(1, "feed the cat", Some(100))).await.unwrap().unwrap();
    let mut words = crate::text::echo::Echoes::default();
    words.take("please water the tall red tulips behind the house for me");
    let words = Arc::new(words);
    let share = history.whole().kept_share(Vec::new(), None, Arc::clone(&words)).await.unwrap();
    history.forget(Vec::new(), Default::default(), None, words).await.unwrap();
    assert_eq!(words_of(&history, 1).await, ["feed the cat"]);
    history.put_share(share).await.unwrap();
    assert_eq!(words_of(&history, 1).await.len(), 2, "undone, both are there");
}
