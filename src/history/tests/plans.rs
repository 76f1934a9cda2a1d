//! The queries of every turn must not grow with the age of a channel: what SQLite plans is what it does.

use super::*;
use crate::history::recent::{recent_in_mode_sql, recent_sql};

async fn plan(history: &Scratch, sql: String) -> String {
    let lines = history.database.read(move |tx| {
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
    for (sql, index) in [(recent_sql(), "turns_live "), (recent_in_mode_sql(), "turns_live_by_mode ")] {
        let plan = plan(&history, sql).await;
        assert!(plan.contains(index), "{plan}");
        for forbidden in ["SCAN", "TEMP B-TREE", "AUTOMATIC"] {
            assert!(!plan.contains(forbidden), "{forbidden}:\n{plan}");
        }
    }
}
