//! What turns cost, by whom they answered, summed up where they are kept: no record is read.
//!
//! Owns how a turn's cost is shared out. Must not know who is one person. Start at [`TraceStore::spent_since`].

use jiff::Timestamp;

use super::store::{TraceError, TraceStore};
use crate::domain::AccountId;
use crate::sqlite::from_sql;

/// What the turns cost that answered one account.
#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    /// `None` where nobody asked for them.
    pub account: Option<AccountId>,
    pub turns: u64,
    /// US dollars. What answered several at once is shared out among them.
    pub usd: f64,
}

impl TraceStore {
    /// What the kept turns cost that began at this time or later, by whom they answered.
    pub async fn spent_since(&self, since: Timestamp) -> Result<Vec<Spent>, TraceError> {
        let spent = self.database.read(move |tx| {
            tx.prepare_cached(
                "SELECT a.account, count(*), sum(t.cost_usd / max(1,
                     (SELECT count(*) FROM trace_authors b WHERE b.trace_id = t.id)))
                 FROM traces t LEFT JOIN trace_authors a ON a.trace_id = t.id
                 WHERE t.at_ms >= ?1 AND t.cost_usd > 0 GROUP BY a.account",
            )?
            .query_map([since.as_millisecond()], |row| {
                let account: Option<String> = row.get(0)?;
                let account = account.and_then(|account| account.parse().ok());
                Ok(Spent { account, turns: from_sql(row.get(1)?), usd: row.get(2)? })
            })?
            .collect()
        });
        Ok(spent.await?)
    }
}
