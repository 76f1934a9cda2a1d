//! What went on in a channel lately, in a sentence or two: cached per channel and last turn, for other channels whose
//! people may hear of it (familiar-connect 1.7, "meanwhile elsewhere").

use jiff::Timestamp;
use rusqlite::{Row, params};

use crate::domain::{Audience, ChannelId, PlaceKind, StoredId, StoredTurn, TokenEncoding};
use crate::sqlite::to_sql;

use super::rooms::NEWEST;
use super::rows::{self, TURN_COLUMNS, TURN_JOINS, audience_columns};
use super::{History, HistoryError, Seen, Whole};

/// Digests kept per channel: gaps of the shown history look back that far.
const KEPT_PER_CHANNEL: u32 = 24;

#[derive(Debug, Clone, PartialEq)]
pub struct Digest {
    pub channel: ChannelId,
    /// The channel's name for people, as last seen.
    pub channel_name: Option<String>,
    /// Who could hear all of it.
    pub audience: Audience,
    /// The last turn it tells of.
    pub last_turn: StoredId,
    /// When that was said.
    pub last_at: Timestamp,
    /// A sentence or two.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct NewDigest {
    pub channel: ChannelId,
    /// Who could hear all of it.
    pub audience: Audience,
    /// The first channel ordinal it tells of.
    pub first_ordinal: u64,
    pub last_ordinal: u64,
    /// The last turn it tells of.
    pub last_turn: StoredId,
    /// When that was said.
    pub last_at: Timestamp,
    /// A sentence or two.
    pub text: String,
    pub writer: String,
    /// The [`fingerprint_of_turns`](super::fingerprint_of_turns) of what it was made from.
    pub inputs: String,
    pub made_at: Timestamp,
}

/// A channel that another may hear of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestChannel {
    pub channel: ChannelId,
    /// Who could hear its newest turn.
    pub audience: Audience,
    pub newest: StoredId,
    /// The last turn a digest tells of, if there is a digest.
    pub told: Option<StoredId>,
}

impl Seen<'_> {
    /// The guild channels other than `here` that were last talked in after `since` and may be heard of here, most
    /// recently active first. Only what a whole guild can see is ever told elsewhere: never a direct message, never
    /// a private channel, not even to those who could see it.
    pub async fn active_elsewhere(
        self,
        here: &ChannelId,
        since: Timestamp,
        most: usize,
    ) -> Result<Vec<DigestChannel>, HistoryError> {
        let sql = format!(
            "SELECT c.channel, t.audience_kind, t.audience_key, t.id,
                    (SELECT max(d.last_turn_id) FROM digests d WHERE d.channel = c.channel), c.kind
             {NEWEST} WHERE c.channel <> ?1 AND t.at_ms > ?2 ORDER BY t.at_ms DESC, t.id DESC"
        );
        let source = |row: &Row<'_>| {
            let source = DigestChannel {
                channel: rows::parse_column(row, 0)?,
                audience: rows::audience_at(row, 1)?,
                newest: StoredId(row.get(3)?),
                told: row.get::<_, Option<i64>>(4)?.map(StoredId),
            };
            let is_guild =
                matches!(source.audience, Audience::Guild(_)) && !one_to_one(&row.get::<_, String>(5)?);
            Ok(is_guild.then_some(source))
        };
        let bound = (here.to_string(), since.as_millisecond());
        let sources = self.history.all(sql, bound, source).await?.into_iter().flatten();
        Ok(sources.filter(|source| self.visible.includes(&source.audience)).take(most).collect())
    }
}

impl Whole<'_> {
    /// The newest turns of a channel that exactly `audience` could hear, oldest first: a run that ends where somebody
    /// else could.
    pub async fn newest_heard_by(
        self,
        channel: &ChannelId,
        audience: &Audience,
        most: u32,
        encoding: TokenEncoding,
    ) -> Result<Vec<StoredTurn>, HistoryError> {
        let sql = format!(
            "SELECT {TURN_COLUMNS} FROM turns t {TURN_JOINS}
             WHERE t.channel = ?2 AND t.deleted_at_ms IS NULL ORDER BY t.ordinal DESC LIMIT ?3"
        );
        let bound = (encoding.as_str(), channel.to_string(), most);
        let read = self.0.all(sql, bound, rows::stored_turn).await?;
        let mut read: Vec<_> = read.into_iter().take_while(|read| read.turn.audience == *audience).collect();
        read.reverse();
        self.0.with_tokens(read, encoding).await
    }
}

impl History {
    /// Keeps a digest, unless what it was made from changed meanwhile; whether it was kept. The oldest of its channel
    /// make room.
    pub async fn add_digest(&self, new: NewDigest) -> Result<bool, HistoryError> {
        self.write(move |tx| {
            if super::summaries::of_turns(tx, &new.channel, new.first_ordinal, new.last_ordinal)? != new.inputs {
                return Ok(false);
            }
            let (kind, key) = audience_columns(&new.audience);
            tx.prepare_cached(
                "INSERT OR REPLACE INTO digests (channel, audience_kind, audience_key, first_ordinal, last_ordinal,
                    last_turn_id, last_at_ms, text, writer, made_at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                new.channel.as_str(),
                kind,
                key,
                to_sql(new.first_ordinal),
                to_sql(new.last_ordinal),
                new.last_turn.0,
                new.last_at.as_millisecond(),
                new.text,
                new.writer,
                new.made_at.as_millisecond(),
            ])?;
            tx.prepare_cached(
                "DELETE FROM digests WHERE channel = ?1 AND id NOT IN
                    (SELECT id FROM digests WHERE channel = ?1 ORDER BY last_turn_id DESC LIMIT ?2)",
            )?
            .execute(params![new.channel.as_str(), KEPT_PER_CHANNEL])?;
            Ok(true)
        }).await
    }
}

impl Seen<'_> {
    /// The digests of other guild channels that may be heard of here and end after `since`, oldest first; with `until`,
    /// of those that are still kept the ones that were made by then.
    pub async fn digests(
        self,
        here: &ChannelId,
        since: Timestamp,
        until: Option<Timestamp>,
    ) -> Result<Vec<Digest>, HistoryError> {
        let kept = "SELECT d.channel, d.audience_kind, d.audience_key, d.last_turn_id, d.last_at_ms, d.text, c.name, c.kind,
                    t.audience_kind, t.audience_key
             FROM digests d JOIN channels c ON c.channel = d.channel JOIN turns t ON t.id = (
                SELECT n.id FROM turns n WHERE n.channel = c.channel AND n.deleted_at_ms IS NULL
                ORDER BY n.ordinal DESC LIMIT 1)
             WHERE d.channel <> ?1 AND d.last_at_ms > ?2 AND d.made_at_ms <= ?3
             ORDER BY d.last_at_ms, d.id";
        let visible = self.visible.clone();
        let digest = move |row: &Row<'_>| {
            let learnt = rows::audience_at(row, 1)?;
            // Asked again now: a channel that was closed to the guild since is not told of any more.
            let now = rows::audience_at(row, 8)?;
            let may =
                |audience: &Audience| matches!(audience, Audience::Guild(_)) && visible.includes(audience);
            if !may(&learnt) || !may(&now) || one_to_one(&row.get::<_, String>(7)?) {
                return Ok(None);
            }
            Ok(Some(Digest {
                channel: rows::parse_column(row, 0)?,
                channel_name: row.get(6)?,
                audience: learnt,
                last_turn: StoredId(row.get(3)?),
                last_at: rows::millis_column(row, 4)?,
                text: row.get(5)?,
            }))
        };
        let bound = (here.to_string(), since.as_millisecond(), rows::milliseconds(until));
        Ok(self.history.all(kept, bound, digest).await?.into_iter().flatten().collect())
    }
}

fn one_to_one(kind: &str) -> bool {
    [PlaceKind::Dm, PlaceKind::Terminal].map(<&str>::from).contains(&kind)
}
