//! An old backup is put back.

use super::*;
use crate::domain::{ReminderId, ReminderKind};
use crate::history::{NewPin, NewReminder, NoRoom};

#[test]
fn an_old_backup_brings_back_nothing_of_anybody_who_was_forgotten() {
    run(async {
        let world = World::empty().await;
        world.live(&[]).await;
        let half_life = std::time::Duration::from_secs(3_600);
        let felt = async || {
            for person in 1..3 {
                let (by, mood) = (AccountId::discord(person), crate::domain::Feeling::default());
                let leave = crate::domain::Caller::Platform.change(&crate::domain::Audience::Canon).unwrap();
                let warmth = crate::history::Warmth { leave: &leave, by: &by, push: 0.5 };
                let history = &world.stores.history;
                history
                    .moved(&crate::domain::Audience::Canon, mood, Some(warmth), half_life, world.clock.now())
                    .await
                    .unwrap();
            }
        };
        felt().await;
        let state = world.stores.history.whole().kept_state().await.unwrap();
        for person in 1..3 {
            let what = ForgetWhat::Person(AccountId::discord(person));
            let request = ForgetRequest { what, by: Asker::Operator, keep: KeepCopy::Nothing };
            world.eraser().forget(request).await.unwrap();
        }
        assert_eq!(world.eraser().tidy().await.unwrap(), 0);
        world.stores.history.put_state(Vec::new(), state).await.unwrap();
        assert_eq!(world.eraser().tidy().await.unwrap(), 1, "both, in one go");
        let left = world.stores.history.whole().kept_state().await.unwrap();
        assert_eq!(left.comings.iter().map(|one| one.1.as_str()).collect::<Vec<_>>(), ["discord:3"]);
        assert!(left.feelings.iter().all(|one| one.0.is_empty()), "{:?}", left.feelings);
        assert_eq!(world.eraser().tidy().await.unwrap(), 0);
    });
}

#[test]
fn what_was_said_while_the_clock_was_fast_is_forgotten_and_no_backup_brings_it_back() {
    run(async {
        let world = World::empty().await;
        for (message, by, hours) in [(1, 1, 0), (2, 1, 1), (3, 2, 1)] {
            let turn = NewTurn {
                messages: vec![MessageId::from(message)],
                ..NewTurn::written(
                    place(8),
                    Some(account(by)),
                    format!("what of the {message}th gull"),
                    world.clock.now() + jiff::SignedDuration::from_hours(hours),
                    ChannelMode::FullRp,
                )
            };
            world.stores.history.append(turn).await.unwrap();
        }
        let backup = world.rows().await;
        let what = ForgetWhat::Person(AccountId::discord(1));
        let request = ForgetRequest { what, by: Asker::Operator, keep: KeepCopy::Nothing };
        world.eraser().forget(request).await.unwrap();
        let kept = world.rows().await;
        assert_eq!(kept.len(), 1, "only somebody else's is left");
        world.stores.history.put_back(backup).await.unwrap();
        world.eraser().tidy().await.unwrap();
        assert_eq!(world.rows().await, kept);
    });
}

impl World {
    async fn restart(&mut self) {
        let options = HistoryOptions::new([TokenEncoding::CharsOver4]);
        self.stores.history = Arc::new(History::open(&self.stores.home.history_db(), options).await.unwrap());
    }

    /// Whose pins there are, and whose reminders.
    async fn pinned_and_asked_for(&self) -> (Vec<String>, Vec<String>) {
        let history = &self.stores.history;
        let pins = history.whole().unstored_pins().await.unwrap();
        let reminders = history.whole().kept_state().await.unwrap().reminders;
        (
            pins.into_iter().map(|pin| pin.message).collect(),
            reminders.into_iter().map(|one| one.account).collect(),
        )
    }
}

fn account(number: u64) -> Author {
    Author::new(AccountId::discord(number))
}

async fn asks(history: &History, by: u64, made: jiff::Timestamp) -> Result<ReminderId, NoRoom> {
    let reminder = NewReminder {
        kind: ReminderKind::OpenLoop,
        asker: account(by),
        place: place(1),
        words: format!("the letter of {by}"),
        due: None,
        zone: "UTC".to_owned(),
        recurrence: None,
        made,
    };
    history.remind(reminder).await.unwrap()
}

#[test]
fn what_was_pinned_or_asked_for_while_the_clock_was_fast_is_forgotten_and_no_backup_brings_it_back() {
    run(async {
        let mut world = World::empty().await;
        let fast = world.clock.now() + jiff::SignedDuration::from_hours(1);
        let pin = |message: u64, by: u64| NewPin {
            message: message.into(),
            author: account(by),
            text: format!("what of the {message}th gull"),
            at: fast,
        };
        world.stores.history.put_pins(place(1), vec![pin(4, 1), pin(5, 2)]).await.unwrap();
        for by in 1..3 {
            asks(&world.stores.history, by, fast).await.unwrap();
        }
        let (file, backup) = (world.stores.home.history_db(), world.folder.path().join("backup"));
        world.stores.history.close().await.unwrap();
        fs::copy(&file, &backup).unwrap();
        world.restart().await;
        let what = ForgetWhat::Person(AccountId::discord(1));
        let request = ForgetRequest { what, by: Asker::Operator, keep: KeepCopy::Nothing };
        let plan = world.eraser().plan(&request).await.unwrap();
        assert_eq!(plan, Plan { traces: 2, ..Plan::default() }, "the pin and what she asked for");
        assert_eq!(world.eraser().forget(request).await.unwrap(), plan);
        let others = (vec!["5".to_owned()], vec!["discord:2".to_owned()]);
        assert_eq!(world.pinned_and_asked_for().await, others);
        world.stores.history.close().await.unwrap();
        fs::copy(&backup, &file).unwrap();
        world.restart().await;
        assert_eq!(world.eraser().tidy().await.unwrap(), 1);
        assert_eq!(world.pinned_and_asked_for().await, others);
        assert_eq!(world.eraser().tidy().await.unwrap(), 0, "nothing is left to do");
    });
}
