//! What lasts in a channel of lore entries (specs cards-and-lore 4.2.10) and of what a card remembers by itself (2.5).

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::params;

use crate::domain::{ChannelId, LoreEffect, LoreEffectKind};
use crate::sqlite::{from_sql, to_sql};

use super::{History, HistoryError};

/// Effects kept per channel; entries with effects are few in any book.
const EFFECTS_MAX: usize = 2_000;

impl History {
    /// What lasts of earlier turns' lore in a channel.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn lore_effects(&self, channel: &ChannelId) -> Result<Vec<LoreEffect>, HistoryError> {
        let channel = channel.clone();
        let found = self.database.read(move |tx| {
            let mut statement = tx.prepare_cached(
                "SELECT book, uid, kind, entry_hash, started, ends, protected FROM lore_effects
                 WHERE channel = ?1 ORDER BY book, uid, kind",
            )?;
            let rows = statement.query_map([channel.as_str()], |row| {
                let kind: String = row.get(2)?;
                let end: Option<i64> = row.get(5)?;
                Ok(LoreEffectKind::from_name(&kind).map(|kind| LoreEffect {
                    book: row.get(0).unwrap_or_default(),
                    uid: row.get(1).unwrap_or_default(),
                    kind,
                    hash: row.get::<_, [u8; 8]>(3).map_or(0, u64::from_le_bytes),
                    start: row.get(4).map_or(0, from_sql),
                    end: end.map_or(u64::MAX, from_sql),
                    protected: row.get(6).unwrap_or_default(),
                }))
            })?;
            Ok(rows.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
        });
        Ok(found.await?)
    }

    /// Puts these effects in the place of all that a channel had.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn keep_lore_effects(
        &self,
        channel: &ChannelId,
        effects: Vec<LoreEffect>,
    ) -> Result<(), HistoryError> {
        let channel = channel.clone();
        let kept = self.database.write(move |tx| {
            tx.execute("DELETE FROM lore_effects WHERE channel = ?1", [channel.as_str()])?;
            let mut insert = tx.prepare_cached(
                "INSERT OR REPLACE INTO lore_effects
                 (channel, book, uid, kind, entry_hash, started, ends, protected)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            for effect in effects.into_iter().take(EFFECTS_MAX) {
                let end = (effect.end < u64::MAX).then(|| to_sql(effect.end));
                insert.execute(params![
                    channel.as_str(),
                    effect.book,
                    effect.uid,
                    effect.kind.as_str(),
                    effect.hash.to_le_bytes(),
                    to_sql(effect.start),
                    end,
                    effect.protected,
                ])?;
            }
            Ok(())
        });
        Ok(kept.await?)
    }

    /// What the card remembers by itself in a channel, by name.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn card_variables(
        &self,
        channel: &ChannelId,
    ) -> Result<BTreeMap<String, String>, HistoryError> {
        let channel = channel.clone();
        let found = self.database.read(move |tx| {
            let mut statement =
                tx.prepare_cached("SELECT name, value FROM card_variables WHERE channel = ?1")?;
            let rows = statement.query_map([channel.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        });
        Ok(found.await?)
    }

    /// Puts these values in the place of all that the card remembered in a channel.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn keep_card_variables(
        &self,
        channel: &ChannelId,
        values: BTreeMap<String, String>,
    ) -> Result<(), HistoryError> {
        let channel = channel.clone();
        let kept = self.database.write(move |tx| {
            tx.execute("DELETE FROM card_variables WHERE channel = ?1", [channel.as_str()])?;
            let mut insert = tx.prepare_cached("INSERT INTO card_variables VALUES (?1, ?2, ?3)")?;
            for (name, value) in values {
                insert.execute([channel.as_str(), &name, &value])?;
            }
            Ok(())
        });
        Ok(kept.await?)
    }

    /// How many of a channel's messages are the familiar's own; with `until`, were by then.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn replies(&self, channel: &ChannelId, until: Option<Timestamp>) -> Result<u64, HistoryError> {
        let channel = channel.clone();
        let until = super::conversation::milliseconds(until);
        let count = self.database.read(move |tx| {
            tx.prepare_cached(
                "SELECT count(*) FROM turns
                 WHERE channel = ?1 AND role = 'assistant' AND deleted_at_ms IS NULL AND at_ms <= ?2",
            )?
            .query_row(params![channel.as_str(), until], |row| row.get(0).map(from_sql))
        });
        Ok(count.await?)
    }
}
