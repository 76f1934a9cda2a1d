//! Summaries of stretches of turns, singly and wherever they were made, for whoever looks something up in them.
//!
//! Must not know what they are read for. Start at [`History::leaves`].

use rusqlite::{Row, Transaction};

use super::crystals::{COLUMNS, Crystal, CrystalId, crystal};
use super::{History, HistoryError, Visible};
use crate::domain::ChannelId;

/// One summary of turns, with where they were said.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// The channel.
    pub channel: ChannelId,
    /// The channel's name for people, as last seen.
    pub channel_name: Option<String>,
    /// The summary. Whether another stands for it says `is_in_force`.
    pub crystal: Crystal,
    /// Whether it stands for its turns in its own channel, and no summary of summaries in its place.
    pub is_in_force: bool,
}

/// What is wanted: written, as opposed to excerpts of turns, and still true to its turns.
const WRITTEN: &str = "c.level = 0 AND c.stale = 0 AND c.text <> '' AND c.writer <> 'excerpts'";

const BESIDE: &str = "c.channel, (SELECT name FROM channels WHERE channel = c.channel),
    NOT EXISTS (SELECT 1 FROM crystals f WHERE f.channel = c.channel AND f.level = 1
      AND f.audience_kind = c.audience_kind AND f.audience_key = c.audience_key
      AND f.last_ordinal >= c.last_ordinal)";

impl History {
    /// These of them, where they still hold and may be seen, in their order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn leaves(&self, ids: Vec<CrystalId>, visible: &Visible) -> Result<Vec<Leaf>, HistoryError> {
        let visible = visible.clone();
        let read = move |tx: &Transaction<'_>| {
            let sql = format!("SELECT {COLUMNS}, {BESIDE} FROM crystals c WHERE c.id = ?1 AND {WRITTEN}");
            let mut single = tx.prepare_cached(&sql)?;
            let mut leaves: Vec<Leaf> = Vec::with_capacity(ids.len());
            for id in ids {
                let mut rows = single.query([id.0])?;
                let Some(row) = rows.next()? else { continue };
                let one = leaf(row)?;
                leaves.extend(visible.includes(&one.crystal.audience).then_some(one));
            }
            Ok(leaves)
        };
        Ok(self.database.read(read).await?)
    }
}

/// The columns behind those of the summary.
const CHANNEL: usize = 14;

fn leaf(row: &Row<'_>) -> rusqlite::Result<Leaf> {
    Ok(Leaf {
        channel: super::rows::parsed(row, CHANNEL)?,
        channel_name: row.get(CHANNEL + 1)?,
        is_in_force: row.get(CHANNEL + 2)?,
        crystal: crystal(row)?,
    })
}
