//! The places in which something was said, for whoever looks at all of them.

use jiff::Timestamp;
use rusqlite::Row;

use super::rows::{audience_at, author_columns, millis_column, optional, parse_column};
use super::{History, HistoryError, Whole};
use crate::domain::{Author, ChannelId, Place, StoredId};

/// The columns of [`place_at`].
const PLACE: &str =
    "SELECT c.channel, c.platform, c.kind, c.guild, c.name, c.guild_name, t.audience_kind, t.audience_key";

/// Every channel with its newest turn that was not taken back.
pub(super) const NEWEST: &str = "FROM channels c JOIN turns t ON t.id = (
    SELECT n.id FROM turns n WHERE n.channel = c.channel AND n.deleted_at_ms IS NULL
    ORDER BY n.ordinal DESC LIMIT 1)";

pub(super) fn rooms_sql() -> String {
    format!(
        "{PLACE}, substr(t.content, 1, ?2), t.at_ms, t.id {NEWEST} WHERE +t.id < ?3 ORDER BY t.id DESC LIMIT ?1"
    )
}

/// Whose word is the newest in each of the channels `?1`, a list in JSON.
pub(super) const LAST_SPEAKERS: &str =
    "SELECT a.value, t.author_account, t.author_username, t.author_display FROM json_each(?1) a
    JOIN turns t ON t.id = (
        SELECT n.id FROM turns n WHERE n.channel = a.value AND n.deleted_at_ms IS NULL
          AND n.role = 'user' AND n.author_account IS NOT NULL
        ORDER BY n.ordinal DESC LIMIT 1)";

pub(super) fn place_sql() -> String {
    format!("{PLACE} {NEWEST} WHERE c.channel = ?1")
}

/// A place, and what was said there last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// As it was when that was said. Who else may see it is asked anew of its platform.
    pub place: Place,
    /// The beginning of it.
    pub last: String,
    pub at: Timestamp,
    /// Which message that is.
    pub newest: StoredId,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoomPage {
    pub rooms: Vec<Room>,
    /// Where there are more: before which message the next page begins.
    pub more: Option<StoredId>,
}

impl History {
    /// The places of which a condition holds, the last spoken in first. What it asks about is `?1`.
    pub(super) async fn places(
        &self,
        condition: &'static str,
        about: String,
        most: u32,
    ) -> Result<Vec<Place>, HistoryError> {
        let sql = format!("{PLACE} {NEWEST} WHERE {condition} ORDER BY t.id DESC LIMIT ?2");
        Ok(self.all(sql, (about, most), place_at).await?.into_iter().flatten().collect())
    }
}

impl Whole<'_> {
    /// At most so many places, those in which something was said last first, with so many characters of that; only those whose
    /// newest message is older than `before`. A place that cannot be read, of a later version, is passed over. One query.
    pub async fn rooms(
        self,
        before: Option<StoredId>,
        most: usize,
        chars: usize,
    ) -> Result<RoomPage, HistoryError> {
        let [looked_at, chars] =
            [most.saturating_add(1), chars].map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        let bound = [looked_at, chars, before.map_or(i64::MAX, |before| before.0)];
        self.0
            .read(move |tx| {
                let mut statement = tx.prepare_cached(&rooms_sql())?;
                let mut rows = statement.query(bound)?;
                let (mut page, mut read, mut last) = (RoomPage::default(), 0, None);
                while let Some(row) = rows.next()? {
                    if read == most {
                        page.more = last;
                        break;
                    }
                    let newest = StoredId(row.get(10)?);
                    (read, last) = (read + 1, Some(newest));
                    let Some(place) = place_at(row)? else { continue };
                    page.rooms.push(Room { place, last: row.get(8)?, at: millis_column(row, 9)?, newest });
                }
                Ok(page)
            })
            .await
    }

    /// Whoever spoke last in each of these channels; none for those in which nobody's word stands. One query.
    pub async fn last_speakers(
        self,
        channels: Vec<ChannelId>,
    ) -> Result<Vec<(ChannelId, Author)>, HistoryError> {
        let channels = serde_json::Value::from_iter(channels.iter().map(ChannelId::as_str)).to_string();
        let speaker = |row: &Row<'_>| {
            let channel = ChannelId::new(row.get::<_, String>(0)?).ok();
            Ok(channel.zip(author_columns(row, 1)?))
        };
        Ok(self.0.all(LAST_SPEAKERS, [channels], speaker).await?.into_iter().flatten().collect())
    }

    /// One of them; `None` where nothing that stands was said.
    pub async fn place_of(self, channel: &ChannelId) -> Result<Option<Place>, HistoryError> {
        let found = self.0.all(place_sql(), [channel.to_string()], place_at).await?;
        Ok(found.into_iter().flatten().next())
    }
}

/// Of the columns of [`PLACE`].
fn place_at(row: &Row<'_>) -> rusqlite::Result<Option<Place>> {
    let (platform, kind): (String, String) = (row.get(1)?, row.get(2)?);
    let Some((platform, kind)) = platform.parse().ok().zip(kind.parse().ok()) else { return Ok(None) };
    Ok(Some(Place {
        guild: optional(row, 3)?,
        channel_name: row.get(4)?,
        guild_name: row.get(5)?,
        ..Place::new(platform, parse_column(row, 0)?, kind, audience_at(row, 6)?)
    }))
}
