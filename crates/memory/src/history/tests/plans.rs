//! The queries of every turn must not grow with the age of a channel: what SQLite plans is what it does.

use super::*;
use crate::history::around::{count_sql, last_assistant_sql};
use crate::history::conversation::{COUNT_BEHIND, WEIGHT, behind_sql, recent_sql, window_sql};
use crate::history::heard::{SAID_SINCE, SINGLE};
use crate::history::people::{ACQUAINTANCE, LAST_SAID, MISSED, PEOPLE, SPOKE_AT};
use crate::history::rooms::{LAST_SPEAKERS, place_sql, rooms_sql};
use crate::history::store::NEWEST_TURN;

async fn plan(history: &Scratch, sql: String) -> String {
    let lines = history.read(move |tx| {
        let mut statement = tx.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
        for parameter in 1..=statement.parameter_count() {
            statement.raw_bind_parameter(parameter, "")?;
        }
        let mut rows = statement.raw_query();
        let mut lines = Vec::new();
        while let Some(row) = rows.next()? {
            lines.push(row.get::<_, String>(3)?);
        }
        Ok(lines)
    });
    lines.await.unwrap().join("\n")
}

#[tokio::test]
async fn recent_walks_an_index_and_scans_nothing() {
    let history = scratch().await;
    for (sql, index) in [
        (recent_sql(None), "turns_live "),
        (recent_sql(Some(ChannelMode::FullRp)), "turns_live_by_mode "),
        (window_sql(), "turns_live_by_mode "),
        (behind_sql(), "turns_live_by_mode "),
        (WEIGHT.to_owned(), "turns_live_by_mode "),
        (last_assistant_sql(), "turns_live_by_role "),
    ] {
        let plan = plan(&history, sql).await;
        assert!(plan.contains(index), "{plan}");
        for forbidden in ["SCAN t", "TEMP B-TREE", "AUTOMATIC"] {
            assert!(!plan.contains(forbidden), "{forbidden}:\n{plan}");
        }
    }
}

#[tokio::test]
async fn counting_what_no_summary_covers_walks_a_thousand_turns_of_an_index() {
    let history = scratch().await;
    let plan = plan(&history, COUNT_BEHIND.to_owned()).await;
    for index in
        ["turns_live (channel=? AND ordinal>? AND ordinal<?)", "PRIMARY KEY (channel=? AND thousand>?)"]
    {
        assert!(plan.contains(index), "{plan}");
    }
    assert!(!plan.contains("SCAN t") && !plan.contains("SCAN c"), "{plan}");
}

#[tokio::test]
async fn counting_what_came_since_the_last_reply_walks_two_indexes() {
    let history = scratch().await;
    let plan = plan(&history, count_sql()).await;
    assert!(plan.contains("turns_live_by_role ") && plan.contains("turns_replies "), "{plan}");
    assert!(!plan.contains("SCAN t") && !plan.contains("SCAN a"), "{plan}");
}

#[tokio::test]
async fn a21_how_well_somebody_is_known_is_looked_up_and_not_counted() {
    let history = scratch().await;
    for (sql, index) in [
        (ACQUAINTANCE, "SEARCH a USING PRIMARY KEY (account=? AND audience_kind=? AND audience_key=?)"),
        (
            LAST_SAID,
            "turns_live_by_person (author_account=? AND audience_kind=? AND audience_key=? AND id<?)",
        ),
        (MISSED, "turns_live_by_role (channel=? AND role=? AND ordinal>?)"),
    ] {
        let plan = plan(&history, sql.to_owned()).await;
        assert!(plan.contains(index), "{plan}");
        assert!(
            !plan.contains("SCAN t") && !plan.contains("SCAN a") && !plan.contains("TEMP B-TREE"),
            "{plan}"
        );
    }
}

#[tokio::test]
async fn y14_what_is_quoted_or_followed_is_read_without_looking_through_the_table() {
    let history = scratch().await;
    for sql in [SAID_SINCE, SINGLE] {
        let plan = plan(&history, sql.to_owned()).await;
        assert!(plan.contains("SEARCH t USING") && plan.contains("SEARCH m USING PRIMARY KEY"), "{plan}");
        // A Bloom filter is filled by reading all of a table.
        for forbidden in ["SCAN", "BLOOM", "TEMP B-TREE", "AUTOMATIC"] {
            assert!(!plan.contains(forbidden), "{forbidden}:\n{plan}");
        }
    }
}

#[tokio::test]
async fn a24_when_somebody_spoke_is_read_from_an_index() {
    let history = scratch().await;
    let plan = plan(&history, SPOKE_AT.to_owned()).await;
    assert!(
        plan.contains("COVERING INDEX") && plan.contains("author_account=? AND audience_kind=?"),
        "{plan}"
    );
    assert!(!plan.contains("SCAN t") && !plan.contains("AUTOMATIC"), "{plan}");
}

#[tokio::test]
async fn a11_who_there_is_is_looked_up_one_by_one() {
    let history = scratch().await;
    let plan = plan(&history, PEOPLE.to_owned()).await;
    assert!(plan.contains("turns_live_by_person (author_account=?"), "{plan}");
    for forbidden in ["SCAN t", "SCAN s", "AUTOMATIC"] {
        assert!(!plan.contains(forbidden), "{forbidden}:\n{plan}");
    }
}

#[tokio::test]
async fn the_newest_turn_is_found_from_the_end_of_the_history() {
    let history = scratch().await;
    assert_eq!(history.extent().await.unwrap(), (TurnId(0), None));
    // Of what was stored last: the clock may have been put back since.
    history.append(NewTurn { turn: Some(TurnId(7)), ..replied(&[9], "Aye.") }).await.unwrap();
    history.append(said(3, "hello")).await.unwrap();
    let said_last = Timestamp::from_second(3).unwrap();
    assert_eq!(history.extent().await.unwrap(), (TurnId(7), Some(said_last)));
    let plan = plan(&history, NEWEST_TURN.to_owned()).await;
    assert!(!plan.contains("TEMP B-TREE"), "{plan}");
}

#[tokio::test]
async fn of_each_room_only_the_newest_turn_is_looked_up_however_many_there_are() {
    let history = scratch().await;
    for sql in [rooms_sql(), place_sql(), LAST_SPEAKERS.to_owned()] {
        let plan = plan(&history, sql).await;
        assert!(
            plan.contains("INDEX turns_live") && plan.contains("SEARCH t USING INTEGER PRIMARY KEY"),
            "{plan}"
        );
        for forbidden in ["SCAN t", "SCAN n", "AUTOMATIC"] {
            assert!(!plan.contains(forbidden), "{forbidden}:\n{plan}");
        }
    }
}
