use super::*;
use crate::domain::StoredId;
use crate::history::{Appended, Unstored};

#[tokio::test]
async fn a_stored_turn_reads_back_as_it_was_said() {
    let history = scratch().await;
    let stored = history.append(said(100, "hello there")).await.unwrap();
    assert_eq!(stored.ordinal, 1);
    assert_eq!(stored.author, Some(person(1, "Alice")));
    assert_eq!(stored.message, Some(MessageId::from(100)));
    assert_eq!(stored.at.as_second(), 100);
    assert_eq!(stored.tokens, 3);
    assert_eq!(history.seen_by(&here()).recent(&channel(), newest(5)).await.unwrap(), vec![stored]);
}

#[tokio::test]
async fn a_replayed_message_is_stored_once_and_known_the_second_time() {
    let history = scratch().await;
    let first = history.append(said(100, "hello")).await.unwrap();
    assert_eq!(history.store(said(100, "hello")).await.unwrap(), Appended::Known(first));
    assert_eq!(history.seen_by(&here()).recent(&channel(), newest(5)).await.unwrap().len(), 1);
    let next = history.append(said(101, "again")).await.unwrap();
    assert_eq!(next.ordinal, 2, "a replay takes no number");
}

#[tokio::test]
async fn the_same_message_id_in_another_channel_is_another_message() {
    let history = scratch_of(&[(100, "here")]).await;
    let elsewhere = NewTurn { place: guild_place(8), ..said(100, "there") };
    assert!(matches!(history.store(elsewhere).await.unwrap(), Appended::New(_)));
}

#[tokio::test]
async fn ordinals_run_per_channel_without_gaps() {
    let history = scratch().await;
    for message in 1..=6 {
        let place = guild_place(7 + message % 2);
        history.append(NewTurn { place, ..said(message, "x") }).await.unwrap();
    }
    for channel in [7_u64, 8] {
        let turns = history.seen_by(&here()).recent(&channel.into(), newest(10)).await.unwrap();
        assert_eq!(turns.iter().map(|turn| turn.ordinal).collect::<Vec<_>>(), vec![1, 2, 3]);
    }
}

#[tokio::test]
async fn turns_without_a_platform_id_are_all_kept() {
    let history = scratch().await;
    for _ in 0..2 {
        history.append(NewTurn { messages: vec![], ..said(1, "typed") }).await.unwrap();
    }
    assert_eq!(history.seen_by(&here()).recent(&channel(), newest(5)).await.unwrap().len(), 2);
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_program_that_never_closed() {
    let history = scratch().await;
    for message in 1..=50 {
        history.append(said(message, &format!("line {message}"))).await.unwrap();
    }
    // The files as a kill would leave them: copied while the writer is open, log and all.
    let after = TempDir::new().unwrap();
    for name in ["history.db", "history.db-wal"] {
        std::fs::copy(history.folder.path().join(name), after.path().join(name)).unwrap();
    }
    let reopened = History::open(&after.path().join("history.db"), HistoryOptions::default()).await.unwrap();
    let turns = reopened.seen_by(&here()).recent(&channel(), newest(100)).await.unwrap();
    assert_eq!(turns.len(), 50);
    assert_eq!(turns[49].content, "line 50");
}

#[tokio::test]
async fn closing_leaves_one_file_and_refuses_later_calls() {
    let history = scratch_of(&[(1, "kept")]).await;
    history.close().await.unwrap();
    assert!(history.append(said(2, "late")).await.is_err());
    assert!(!history.folder.path().join("history.db-wal").exists());
    let again =
        History::open(&history.folder.path().join("history.db"), HistoryOptions::default()).await.unwrap();
    assert_eq!(contents(&again.seen_by(&here()).recent(&channel(), newest(5)).await.unwrap()), vec!["kept"]);
}

#[tokio::test]
async fn what_could_not_be_stored_is_counted_until_something_is_stored_again() {
    let history = scratch().await;
    history.store(said(1, "the ferry is late")).await.unwrap();
    assert_eq!(history.unstored(), Unstored::default());
    let alter = async |sql: &'static str| history.write(move |tx| tx.execute_batch(sql)).await.unwrap();
    alter("CREATE TRIGGER refuses BEFORE INSERT ON turns BEGIN SELECT RAISE(ABORT, 'it is full'); END").await;
    history.store(said(2, "so I walk")).await.unwrap_err();
    history.store(said(3, "it rains")).await.unwrap_err();
    // What is known already is not written.
    history.store(said(1, "the ferry is late")).await.unwrap();
    assert_eq!(history.unstored(), Unstored { messages: 2, is_last: true });
    alter("DROP TRIGGER refuses").await;
    history.store(said(4, "there it is")).await.unwrap();
    assert_eq!(history.unstored(), Unstored { messages: 2, is_last: false });
}

#[tokio::test]
async fn whether_what_is_said_could_be_stored_again_is_tried_and_leaves_nothing() {
    let history = scratch().await;
    let alter = async |sql: &'static str| history.write(move |tx| tx.execute_batch(sql)).await.unwrap();
    alter("CREATE TRIGGER refuses BEFORE INSERT ON turns BEGIN SELECT RAISE(ABORT, 'it is full'); END").await;
    history.store(said(1, "the ferry is late")).await.unwrap_err();
    history.tries_storing().await;
    assert_eq!(history.unstored(), Unstored { messages: 1, is_last: true });
    alter("DROP TRIGGER refuses").await;
    history.tries_storing().await;
    assert_eq!(history.unstored(), Unstored { messages: 1, is_last: false });
    let first = history.append(said(2, "there it is")).await.unwrap();
    assert_eq!((first.id, first.ordinal), (StoredId(1), 1), "no number was given");
    let count = "SELECT count(*) FROM channels";
    let places: i64 = history.read(move |tx| tx.query_row(count, [], |row| row.get(0))).await.unwrap();
    assert_eq!(places, 1);
}

#[tokio::test]
async fn no_message_gets_a_number_that_notes_name_or_that_was_given() {
    let history = scratch_of(&[(1, "one")]).await;
    history.begin_behind(StoredId(45)).await.unwrap();
    assert_eq!(history.append(said(2, "two")).await.unwrap().id.0, 46);
    history.begin_behind(StoredId(3)).await.unwrap();
    assert_eq!(history.append(said(3, "three")).await.unwrap().id.0, 47);
}
