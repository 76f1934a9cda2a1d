//! Between rows and the domain's nouns.

use std::str::FromStr;

use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Params, Row, Transaction};

use crate::domain::{
    AccountId, Audience, Author, BondId, ChannelId, GuildId, Place, ReplyParent, Role, StoredId, StoredTurn,
    TurnId, Visible,
};

use crate::sqlite::from_sql;
pub(super) use crate::sqlite::{parse_column, unreadable_column};

/// Longest quotation of an answered message, in characters (familiar-connect 2.3).
const SNIPPET_CHARS: usize = 80;

/// The columns every query for turns selects, in the order [`stored_turn`] reads them. `?1` is the token encoding's
/// name; the tables are `turns t`, and what a turn answers comes along in the same query.
pub(super) const TURN_COLUMNS: &str = "
    t.id, t.ordinal, t.role, t.author_account, t.author_username, t.author_display, t.author_is_bot,
    t.content, t.at_ms, t.mode, t.turn,
    (SELECT m.message FROM turn_messages m
      WHERE m.turn_id = t.id AND m.deleted_at_ms IS NULL ORDER BY m.part LIMIT 1),
    k.tokens,
    p.role, p.author_account, p.author_username, p.author_display, substr(p.content, 1, 400),
    p.at_ms, p.id, p.audience_kind, p.audience_key, t.audience_kind, t.audience_key";

/// How many columns [`TURN_COLUMNS`] are; a query's own come after them.
pub(super) const TURN_COLUMN_COUNT: usize = 24;

/// The joins that [`TURN_COLUMNS`] needs behind `FROM turns t`.
pub(super) const TURN_JOINS: &str = "
    LEFT JOIN turn_tokens k ON k.turn_id = t.id AND k.encoding = ?1
    LEFT JOIN turn_messages rm ON rm.channel = t.channel AND rm.message = t.reply_to
    LEFT JOIN turns p ON p.id = rm.turn_id AND p.deleted_at_ms IS NULL";

/// A turn as read, whose tokens may not have been counted under the encoding that was asked for.
#[derive(Debug)]
pub(super) struct ReadTurn {
    pub(super) turn: StoredTurn,
    pub(super) counted: bool,
}

pub(super) fn stored_turn(row: &Row<'_>) -> rusqlite::Result<ReadTurn> {
    let tokens: Option<u32> = row.get(12)?;
    let reply_to = match row.get::<_, Option<String>>(13)? {
        None => None,
        Some(role) => {
            let whom = if role == Role::Assistant.as_str() { None } else { author_columns(row, 14)? };
            let content: String = row.get(17)?;
            Some(ReplyParent {
                id: StoredId(row.get(19)?),
                audience: audience_at(row, 20)?,
                author: whom.map(|by| by.label().to_owned()),
                snippet: snippet(&content),
                at: millis_column(row, 18)?,
            })
        }
    };
    let turn = StoredTurn {
        message: optional(row, 11)?,
        reply_to,
        tokens: tokens.unwrap_or(0),
        ..bare_turn(row, audience_at(row, 22)?)?
    };
    Ok(ReadTurn { turn, counted: tokens.is_some() })
}

/// A turn by its own row alone, from the columns id, ordinal, role, the author's four, content, time, mode, turn.
pub(super) fn bare_turn(row: &Row<'_>, audience: Audience) -> rusqlite::Result<StoredTurn> {
    let is_bot = row.get(6)?;
    Ok(StoredTurn {
        id: StoredId(row.get(0)?),
        ordinal: from_sql(row.get(1)?),
        role: parse_column(row, 2)?,
        author: author_columns(row, 3)?.map(|by| Author { is_bot, ..by }),
        audience,
        content: row.get(7)?,
        at: millis_column(row, 8)?,
        mode: parse_column(row, 9)?,
        message: None,
        reply_to: None,
        turn: row.get::<_, Option<i64>>(10)?.map(|turn| TurnId(from_sql(turn))),
        tokens: 0,
    })
}

/// Reads account, username and display name from three columns.
pub(super) fn author_columns(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Author>> {
    let Some(account) = optional::<AccountId>(row, first)? else { return Ok(None) };
    Ok(Some(Author {
        account,
        username: row.get(first + 1)?,
        display_name: row.get(first + 2)?,
        is_bot: false,
    }))
}

/// The beginning of a text on one line, with `…` where something is missing.
pub(super) fn snippet(text: &str) -> String {
    let mut line = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
            length += 1;
        }
        for character in word.chars() {
            if length >= SNIPPET_CHARS - 1 {
                line.truncate(line.trim_end().len());
                line.push('…');
                return line;
            }
            line.push(character);
            length += 1;
        }
    }
    line
}

/// What the key of a bond begins with, and that of an age-restricted channel.
const SHARED: &str = "shared-";
const RESTRICTED: &str = "restricted-";

/// The two columns of an audience.
pub(super) fn audience_columns(audience: &Audience) -> (&'static str, String) {
    match audience {
        Audience::Canon => ("canon", String::new()),
        Audience::Guild(guild) => ("guild", guild.to_string()),
        Audience::Private(channel) => ("private", channel.to_string()),
        Audience::Dm(account) => ("dm", account.to_string()),
        // The tables know four kinds. No channel of any platform has such an id.
        Audience::Restricted(channel) => ("private", format!("{RESTRICTED}{channel}")),
        Audience::Shared(bond) => ("private", format!("{SHARED}{bond}")),
    }
}

/// The channel has a row, whether anything was said there or not.
pub(super) fn know_channel(tx: &Transaction<'_>, place: &Place) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT OR IGNORE INTO channels (channel, platform, kind, guild, name, guild_name, last_ordinal)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)",
    )?
    .execute(channel_columns(place))
    .map(drop)
}

/// A channel's columns up to its names, in their order.
pub(super) fn channel_columns(place: &Place) -> impl Params {
    (
        place.channel.as_str(),
        place.platform.as_str(),
        <&str>::from(place.kind),
        place.guild.as_ref().map(|guild| guild.as_str()),
        place.channel_name.as_deref(),
        place.guild_name.as_deref(),
    )
}

/// A bound that may be absent.
pub(super) fn milliseconds(until: Option<Timestamp>) -> i64 {
    until.map_or(i64::MAX, Timestamp::as_millisecond)
}

/// What may be seen: pairs of the two columns, as JSON for one bound parameter.
pub(super) fn audience_pairs(visible: &Visible) -> String {
    let pairs: Vec<_> = visible.audiences().map(audience_columns).collect();
    serde_json::json!(pairs).to_string()
}

/// That a turn `t` may be seen, where this parameter holds its [`audience_pairs`].
pub(super) fn is_seen(parameter: &str) -> String {
    format!(
        "(t.audience_kind, t.audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each({parameter}))"
    )
}

/// Back from the two columns.
fn parse_audience(kind: &str, key: &str) -> Option<Audience> {
    match kind {
        "canon" => Some(Audience::Canon),
        "guild" => GuildId::new(key).ok().map(Audience::Guild),
        "private" => match (key.strip_prefix(SHARED), key.strip_prefix(RESTRICTED)) {
            (Some(bond), _) => bond.parse::<BondId>().ok().map(Audience::Shared),
            (None, Some(channel)) => ChannelId::new(channel).ok().map(Audience::Restricted),
            (None, None) => ChannelId::new(key).ok().map(Audience::Private),
        },
        "dm" => AccountId::from_str(key).ok().map(Audience::Dm),
        _ => None,
    }
}

/// Reads an audience from two columns.
pub(super) fn audience_at(row: &Row<'_>, first: usize) -> rusqlite::Result<Audience> {
    let (kind, key): (String, String) = (row.get(first)?, row.get(first + 1)?);
    parse_audience(&kind, &key).ok_or_else(|| unreadable_column(first))
}

/// A column of milliseconds.
pub(super) fn millis_column(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    Timestamp::from_millisecond(row.get(column)?).map_err(|_| unreadable_column(column))
}

pub(super) fn optional<T: FromStr>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>> {
    row.get::<_, Option<String>>(column)?
        .map(|text| text.parse().map_err(|_| unreadable_column(column)))
        .transpose()
}

/// The numbers of rows as a JSON array, for `json_each`.
pub(super) fn row_numbers(turns: &[StoredId]) -> String {
    serde_json::json!(turns).to_string()
}

/// Rows that leave the database whole do so as JSON, which SQLite writes and reads itself.
pub(super) fn to_json(value: &impl serde::Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

pub(super) fn from_json<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    serde_json::from_str(row.get_ref(column)?.as_str()?)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}
