//! What is kept beside turns: what lasts of lore entries (cards-and-lore 4.2.10) and of what a card remembers by itself
//! (2.5), how the familiar feels (A9), what was thought before the last replies, and who came to a guild.
//!
//! Everybody in a guild can see who comes; nobody elsewhere is told.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Row, Transaction, params};

use super::rows::{audience_columns, is_seen};
use super::{History, HistoryError, Seen, Whole, rows};
use crate::domain::{
    AccountId, Affect, Audience, ChangePass, ChannelId, Coming, Feeling, GuildId, LoreEffect, Movement,
    Place, TurnId, WARMTH_LASTS,
};
use crate::sqlite::{from_sql, to_sql};

/// Effects kept per channel; entries with effects are few in any book.
const EFFECTS_MAX: usize = 2_000;

impl History {
    /// What lasts of earlier turns' lore in a channel.
    pub async fn lore_effects(&self, channel: &ChannelId) -> Result<Vec<LoreEffect>, HistoryError> {
        let effects = "SELECT book, uid, kind, entry_hash, started, ends, protected FROM lore_effects
             WHERE channel = ?1 ORDER BY book, uid, kind";
        let effect = |row: &Row<'_>| {
            let kind: String = row.get(2)?;
            let end: Option<i64> = row.get(5)?;
            Ok(kind.parse().ok().map(|kind| LoreEffect {
                book: row.get(0).unwrap_or_default(),
                uid: row.get(1).unwrap_or_default(),
                kind,
                hash: row.get::<_, [u8; 8]>(3).map_or(0, u64::from_le_bytes),
                start: row.get(4).map_or(0, from_sql),
                end: end.map_or(u64::MAX, from_sql),
                protected: row.get(6).unwrap_or_default(),
            }))
        };
        Ok(self.all(effects, [channel.to_string()], effect).await?.into_iter().flatten().collect())
    }

    /// Puts these effects in the place of all that a channel had.
    pub async fn keep_lore_effects(
        &self,
        channel: &ChannelId,
        effects: Vec<LoreEffect>,
    ) -> Result<(), HistoryError> {
        let channel = channel.clone();
        self.write(move |tx| {
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
        })
        .await
    }
}

impl Seen<'_> {
    /// What the card remembers by itself in a channel, by name.
    pub async fn card_variables(self, channel: &ChannelId) -> Result<BTreeMap<String, String>, HistoryError> {
        let variables = "SELECT name, value FROM card_variables WHERE channel = ?1
             AND (audience_kind, audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?2))";
        let bound = [channel.to_string(), rows::audience_pairs(self.visible)];
        let named = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        Ok(self.history.all(variables, bound, named).await?.into_iter().collect())
    }
}

impl History {
    /// Puts these values in the place of all that the card remembered in a channel. They may be made of what was said, and
    /// are for those who can see the place now.
    pub async fn keep_card_variables(
        &self,
        place: &Place,
        values: BTreeMap<String, String>,
    ) -> Result<(), HistoryError> {
        let (channel, (kind, key)) = (place.channel.clone(), audience_columns(&place.audience));
        self.write(move |tx| {
            tx.execute("DELETE FROM card_variables WHERE channel = ?1", [channel.as_str()])?;
            let mut insert = tx.prepare_cached(
                "INSERT INTO card_variables (channel, name, value, audience_kind, audience_key)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for (name, value) in values {
                insert.execute([channel.as_str(), &name, &value, kind, &key])?;
            }
            Ok(())
        })
        .await
    }

    /// How many of a channel's messages are the familiar's own; with `until`, were by then.
    pub async fn replies(&self, channel: &ChannelId, until: Option<Timestamp>) -> Result<u64, HistoryError> {
        let replies = "SELECT count(*) FROM turns
             WHERE channel = ?1 AND role = 'assistant' AND deleted_at_ms IS NULL AND at_ms <= ?2";
        let bound = (channel.to_string(), rows::milliseconds(until));
        self.one(replies, bound, |row| row.get(0).map(from_sql)).await
    }
}

/// Under which name the mood is kept; no account's key is empty.
const MOOD: &str = "";

/// How warmly somebody is thought of from now on, by a push of -1 to 1; with leave to remember anything about them.
#[derive(Debug, Clone, Copy)]
pub struct Warmth<'a> {
    pub leave: &'a ChangePass,
    pub by: &'a AccountId,
    pub push: f64,
}

impl Seen<'_> {
    /// How the familiar feels now, and how warmly about somebody: what may be seen of it, added up. Where several audiences
    /// moved it the same way that may come to more than 1.
    pub async fn affect(
        self,
        towards: Option<&AccountId>,
        half_life: Duration,
        now: Timestamp,
    ) -> Result<Affect, HistoryError> {
        let (person, visible) = (towards.map(AccountId::to_string), rows::audience_pairs(self.visible));
        self.history.read(move |tx| {
            let mut felt = tx.prepare_cached(
                "SELECT towards, valence, arousal, at_ms FROM feelings WHERE towards IN (?1, ?2)
                     AND (audience_kind, audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?3))",
            )?;
            let mut rows = felt.query(params![MOOD, person, visible])?;
            let mut affect = Affect::default();
            while let Some(row) = rows.next()? {
                if row.get_ref(0)?.as_str()? == MOOD {
                    let left = feeling_left(row, half_life, now)?;
                    affect.mood.valence += left.valence;
                    affect.mood.arousal += left.arousal;
                } else {
                    affect.warmth += feeling_left(row, half_life * WARMTH_LASTS, now)?.valence;
                }
            }
            Ok(affect)
        })
        .await
    }
}

impl History {
    /// Something moved it that was said or done before `audience`: the mood is pushed, and the warmth for whoever did it,
    /// where that may be remembered. What was there fades first. It counts where that audience may be seen.
    pub async fn moved(
        &self,
        audience: &Audience,
        mood: Feeling,
        warmth: Option<Warmth<'_>>,
        half_life: Duration,
        now: Timestamp,
    ) -> Result<(), HistoryError> {
        let (kind, key) = audience_columns(audience);
        let warm = |Warmth { by, push, .. }: Warmth<'_>| {
            (by.to_string(), Feeling { valence: push, arousal: 0.0 }, half_life * WARMTH_LASTS)
        };
        let pushes: Vec<(String, Feeling, Duration)> =
            [(MOOD.to_owned(), mood, half_life)].into_iter().chain(warmth.map(warm)).collect();
        let moved = move |tx: &Transaction<'_>| {
            let mut felt = tx.prepare_cached(
                "SELECT towards, valence, arousal, at_ms FROM feelings
                 WHERE towards = ?1 AND audience_kind = ?2 AND audience_key = ?3",
            )?;
            let mut keep = tx.prepare_cached(
                "INSERT OR REPLACE INTO feelings (towards, audience_kind, audience_key, valence, arousal, at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            for (towards, push, half_life) in pushes {
                let left = felt
                    .query_row(params![towards, kind, key], |row| feeling_left(row, half_life, now))
                    .optional()?;
                let Feeling { valence, arousal } = left.unwrap_or_default().pushed(push);
                keep.execute(params![towards, kind, key, valence, arousal, now.as_millisecond()])?;
            }
            Ok(())
        };
        self.write(moved).await
    }
}

/// What is left now of a feeling, in the columns behind whom it is towards.
fn feeling_left(row: &Row<'_>, half_life: Duration, now: Timestamp) -> rusqlite::Result<Feeling> {
    let kept = Feeling { valence: row.get(1)?, arousal: row.get(2)? };
    // A clock that was set back lets nothing fade.
    let gap = u64::try_from(now.as_millisecond().saturating_sub(row.get(3)?)).unwrap_or(0);
    Ok(kept.after(Duration::from_millis(gap), half_life))
}

/// Thoughts before one reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thoughts {
    pub turn: TurnId,
    /// Whom that reply answered, by the name in prompts.
    pub answered: Option<String>,
    pub content: String,
}

impl History {
    /// Keeps the thoughts of a reply that was said, and of earlier ones in that channel only so many that `keep`
    /// remain.
    pub async fn keep_thoughts(
        &self,
        place: &Place,
        thoughts: Thoughts,
        at: Timestamp,
        keep: u32,
    ) -> Result<(), HistoryError> {
        let (channel, (kind, key)) = (place.channel.clone(), audience_columns(&place.audience));
        self.write(move |tx| {
            tx.prepare_cached(
                "INSERT INTO thoughts (channel, turn, audience_kind, audience_key, answered, at_ms, content)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT (channel, turn) DO UPDATE SET content = excluded.content, at_ms = excluded.at_ms",
            )?
            .execute(params![
                channel.as_str(),
                to_sql(thoughts.turn.0),
                kind,
                key,
                thoughts.answered,
                at.as_millisecond(),
                thoughts.content
            ])?;
            tx.prepare_cached(
                "DELETE FROM thoughts WHERE channel = ?1 AND turn NOT IN
                    (SELECT turn FROM thoughts WHERE channel = ?1 ORDER BY at_ms DESC, turn DESC LIMIT ?2)",
            )?
            .execute(params![channel.as_str(), keep])
            .map(drop)
        }).await
    }
}

impl Seen<'_> {
    /// The newest thoughts of a channel, at most `most`, oldest first; only those from when the same people could see
    /// it as now.
    pub async fn thoughts(self, place: &Place, most: u32) -> Result<Vec<Thoughts>, HistoryError> {
        let newest = format!(
            "SELECT turn, answered, content FROM thoughts t
             WHERE channel = ?1 AND audience_kind = ?2 AND audience_key = ?3 AND {}
             ORDER BY at_ms DESC, turn DESC LIMIT ?4",
            is_seen("?5")
        );
        let (kind, key) = audience_columns(&place.audience);
        let bound = (place.channel.to_string(), kind, key, most, rows::audience_pairs(self.visible));
        let thoughts = |row: &Row<'_>| {
            let turn = TurnId(from_sql(row.get(0)?));
            Ok(Thoughts { turn, answered: row.get(1)?, content: row.get(2)? })
        };
        let mut read = self.history.all(newest, bound, thoughts).await?;
        read.reverse();
        Ok(read)
    }
}

/// Thoughts are made of what people said: when something of it is taken back or said otherwise, all of
/// them go.
pub(super) fn forget_thoughts(tx: &Transaction<'_>, channel: &ChannelId) -> rusqlite::Result<()> {
    tx.prepare_cached("DELETE FROM thoughts WHERE channel = ?1")?.execute([channel.as_str()]).map(drop)
}

/// The same, told again within so long, is the same: a platform tells some things in two ways.
const SAME_WITHIN_MS: i64 = 3_600_000;

/// Those who came lately are told of up to this many.
const TOLD_MAX: u32 = 64;

/// Somebody who came, and since when they had been away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CameBack {
    /// Who came, and when.
    pub coming: Coming,
    /// When they had left before, where they had.
    pub away_since: Option<Timestamp>,
    /// Whether they were never known to come there or leave before.
    pub is_new: bool,
}

impl History {
    /// Keeps that somebody came or left; whether that was news. With it, since when they had been away.
    pub async fn came(&self, coming: Coming) -> Result<Option<CameBack>, HistoryError> {
        self.write(move |tx| {
            let (guild, account) = (coming.guild.to_string(), coming.account.to_string());
            let (is_joining, at) = (coming.movement == Movement::Came, coming.at.as_millisecond());
            let last: Option<(bool, i64)> = tx
                .prepare_cached(
                    "SELECT is_joining, at_ms FROM comings WHERE guild = ?1 AND account = ?2 ORDER BY id DESC LIMIT 1",
                )?
                .query_row([&guild, &account], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            if last.is_some_and(|(was, then)| was == is_joining && (at - then).abs() <= SAME_WITHIN_MS) {
                return Ok(None);
            }
            tx.prepare_cached(
                "INSERT INTO comings (guild, account, name, is_joining, at_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![guild, account, coming.name, is_joining, at])?;
            let away_since = last.filter(|(was, _)| is_joining && !was).map(|(_, then)| then);
            let away_since = away_since.and_then(|then| Timestamp::from_millisecond(then).ok());
            Ok(Some(CameBack { is_new: is_joining && last.is_none(), coming, away_since }))
        }).await
    }
}

impl Whole<'_> {
    /// Who came since a moment and has not left, anywhere, the newest last; at most 64.
    pub async fn came_since(self, since: Timestamp) -> Result<Vec<CameBack>, HistoryError> {
        let came = "SELECT c.guild, c.account, c.name, c.at_ms,
                (SELECT iif(p.is_joining, NULL, p.at_ms) FROM comings p
                 WHERE p.guild = c.guild AND p.account = c.account AND p.id < c.id
                 ORDER BY p.id DESC LIMIT 1),
                NOT EXISTS (SELECT 1 FROM comings p
                 WHERE p.guild = c.guild AND p.account = c.account AND p.id < c.id)
             FROM comings c
             WHERE c.is_joining = 1 AND c.at_ms >= ?1 AND NOT EXISTS (
                SELECT 1 FROM comings n WHERE n.guild = c.guild AND n.account = c.account AND n.id > c.id)
             ORDER BY c.at_ms DESC LIMIT ?2";
        let come_back = |row: &Row<'_>| {
            let away: Option<i64> = row.get(4)?;
            Ok(CameBack {
                coming: Coming {
                    guild: rows::parse_column::<GuildId>(row, 0)?,
                    account: rows::parse_column::<AccountId>(row, 1)?,
                    name: row.get(2)?,
                    movement: Movement::Came,
                    at: rows::millis_column(row, 3)?,
                },
                away_since: away.and_then(|then| Timestamp::from_millisecond(then).ok()),
                is_new: row.get(5)?,
            })
        };
        let mut read = self.0.all(came, (since.as_millisecond(), TOLD_MAX), come_back).await?;
        read.reverse();
        Ok(read)
    }
}
