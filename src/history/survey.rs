//! What a question calls up from everything that was said: the turns that hold its words or fall into its time, with
//! what was said around them, and how common its words are. Ranking is the asker's.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::{Audience, ChannelId, ChannelMode, MessageId, StoredId, StoredTurn};
use crate::text::keywords;

use super::postings::{Place, by_words};
use super::rows;
use super::{History, HistoryError, Visible};

/// What is looked for.
#[derive(Debug, Clone)]
pub struct SurveyQuery {
    /// Plain text; words that tell little are left out beside words that tell much.
    pub text: String,
    /// The time that is meant, where one is: what was said then is called up whatever its words.
    pub between: Option<(Timestamp, Timestamp)>,
    /// What the prompt already shows word for word and need not be found.
    pub shown: Option<Shown>,
    /// What was said later is not looked at; `None` for up to now.
    pub until: Option<Timestamp>,
    /// Most turns found by words, and again by time.
    pub most: u32,
    /// How many turns before and after each come along.
    pub around: u32,
}

/// A stretch of a channel that is before everybody's eyes: its turns of one mode, from an ordinal on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The channel.
    pub channel: ChannelId,
    /// The mode whose turns are shown.
    pub mode: ChannelMode,
    /// Turns with a greater ordinal are shown.
    pub above: u64,
}

impl Shown {
    /// Whether a turn stands in it.
    #[must_use]
    pub fn holds(&self, channel: &ChannelId, turn: &StoredTurn) -> bool {
        *channel == self.channel && turn.mode == self.mode && turn.ordinal > self.above
    }
}

/// One turn, with where it was said.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// The channel.
    pub channel: ChannelId,
    /// The channel's name for people, as last seen.
    pub channel_name: Option<String>,
    /// The turn. Its tokens are not counted, and its message and what it answers are not read: [`History::messages_of`]
    /// tells them of the few that are quoted.
    pub turn: StoredTurn,
    /// The turn it answers.
    pub answers: Option<StoredId>,
}

/// What was called up.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// The turns and those around them, by channel and order of speaking.
    pub heard: Vec<Heard>,
    /// Which of them were found, best first by words, then those found by time.
    pub found: Vec<StoredId>,
    /// In how many turns each of the question's stems stands, in all.
    pub counts: Vec<(String, u64)>,
    /// How many turns there are in all, about.
    pub total: u64,
}

impl History {
    /// Calls up what a question may be about, from what `visible` names and nothing else: what is hidden neither
    /// comes along as context nor takes a visible turn's place.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn survey(&self, query: SurveyQuery, visible: &Visible) -> Result<Survey, HistoryError> {
        let visible = visible.clone();
        Ok(self.database.read(move |tx| survey(tx, &query, &visible)).await?)
    }

    /// The messages of turns, the first of each that still stands.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn messages_of(
        &self,
        turns: Vec<StoredId>,
    ) -> Result<HashMap<StoredId, MessageId>, HistoryError> {
        let messages = self.database.read(move |tx| {
            let mut first = tx.prepare_cached(
                "SELECT message FROM turn_messages WHERE turn_id = ?1 AND deleted_at_ms IS NULL
                 ORDER BY part LIMIT 1",
            )?;
            let mut messages = HashMap::with_capacity(turns.len());
            for turn in turns {
                let message = first.query_row([turn.0], |row| rows::parsed(row, 0)).optional()?;
                messages.extend(message.map(|message| (turn, message)));
            }
            Ok(messages)
        });
        Ok(messages.await?)
    }
}

fn survey(tx: &Transaction<'_>, query: &SurveyQuery, visible: &Visible) -> rusqlite::Result<Survey> {
    let total: Option<i64> = tx
        .prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = 'turns'")?
        .query_row([], |row| row.get(0))
        .optional()?;
    let total = total.and_then(|seq| u64::try_from(seq).ok()).unwrap_or(0);
    let mut places = by_words(tx, query, visible, total)?;
    if let Some(between) = query.between {
        let known: HashSet<StoredId> = places.iter().map(|place| place.id).collect();
        places
            .extend(by_time(tx, query, between, visible)?.into_iter().filter(|new| !known.contains(&new.id)));
    }
    let heard = around(tx, query, &places, visible)?;
    let mut counts = Vec::new();
    let mut count = tx.prepare_cached("SELECT doc FROM turns_words WHERE term = ?1")?;
    for stem in keywords::terms(&query.text) {
        if counts.iter().all(|(known, _)| *known != stem) {
            let turns: Option<i64> = count.query_row([&stem], |row| row.get(0)).optional()?;
            counts.push((stem, turns.and_then(|turns| u64::try_from(turns).ok()).unwrap_or(0)));
        }
    }
    Ok(Survey { heard, found: places.into_iter().map(|place| place.id).collect(), counts, total })
}

/// Turns that may be found; the parameters are `?1` to `?5`.
pub(super) const FINDABLE: &str = "t.deleted_at_ms IS NULL AND t.at_ms <= ?5
    AND (t.audience_kind, t.audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?1))
    AND NOT (t.channel IS ?2 AND t.mode IS ?3 AND t.ordinal > ?4)";

fn by_time(
    tx: &Transaction<'_>,
    query: &SurveyQuery,
    (from, to): (Timestamp, Timestamp),
    visible: &Visible,
) -> rusqlite::Result<Vec<Place>> {
    let (channel, mode, above) = query.hidden_stretch();
    tx.prepare_cached(&format!(
        "SELECT t.id, t.channel, t.ordinal FROM turns t
         WHERE t.at_ms BETWEEN ?6 AND ?7 AND {FINDABLE} ORDER BY t.at_ms LIMIT ?8"
    ))?
    .query_map(
        params![
            visible.as_json(),
            channel,
            mode,
            above,
            query.until_ms(),
            from.as_millisecond(),
            to.as_millisecond(),
            query.most
        ],
        Place::read,
    )?
    .collect()
}

impl SurveyQuery {
    pub(super) fn until_ms(&self) -> i64 {
        self.until.map_or(i64::MAX, Timestamp::as_millisecond)
    }

    /// What need not be found: channel, mode, and the ordinal above which it begins.
    pub(super) fn hidden_stretch(&self) -> (Option<&str>, Option<&str>, i64) {
        match &self.shown {
            Some(shown) => {
                (Some(shown.channel.as_str()), Some(shown.mode.as_str()), crate::sqlite::to_sql(shown.above))
            }
            None => (None, None, i64::MAX),
        }
    }
}

/// The turns found, those next to them, and what they answer. Stretch by stretch, because a join over all of them makes
/// SQLite read the whole table first, for a filter that it believes to need.
fn around(
    tx: &Transaction<'_>,
    query: &SurveyQuery,
    found: &[Place],
    visible: &Visible,
) -> rusqlite::Result<Vec<Heard>> {
    let mut reader = Reader { visible, until: query.until_ms(), place: None, audience: None };
    let mut heard = Vec::new();
    let mut stretch = tx.prepare_cached(&heard_sql(STRETCH))?;
    for (channel, first, last) in stretches(found, i64::from(query.around)) {
        let mut rows = stretch.query(params![channel, first, last])?;
        while let Some(row) = rows.next()? {
            heard.extend(reader.heard(tx, row)?);
        }
    }
    let known: HashSet<StoredId> = heard.iter().map(|one| one.turn.id).collect();
    let are_found: HashSet<StoredId> = found.iter().map(|place| place.id).collect();
    let answered: HashSet<StoredId> = heard
        .iter()
        .filter(|one| are_found.contains(&one.turn.id))
        .filter_map(|one| one.answers.filter(|id| !known.contains(id)))
        .collect();
    let mut single = tx.prepare_cached(&heard_sql(SINGLE))?;
    for id in answered {
        let mut rows = single.query([id.0])?;
        while let Some(row) = rows.next()? {
            heard.extend(reader.heard(tx, row)?);
        }
    }
    heard.sort_by(|a, b| (&a.channel, a.turn.ordinal).cmp(&(&b.channel, b.turn.ordinal)));
    Ok(heard)
}

/// Channel, first and last ordinal of everything within so many turns of a find, each turn once.
fn stretches(found: &[Place], around: i64) -> Vec<(&str, i64, i64)> {
    let mut ordinals: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for place in found {
        ordinals.entry(place.channel.as_str()).or_default().push(place.ordinal);
    }
    let mut stretches: Vec<(&str, i64, i64)> = Vec::new();
    for (channel, mut ordinals) in ordinals {
        ordinals.sort_unstable();
        for ordinal in ordinals {
            let (first, last) = (ordinal - around, ordinal + around);
            match stretches.last_mut() {
                Some((known, _, end)) if *known == channel && first <= *end => *end = last,
                _ => stretches.push((channel, first, last)),
            }
        }
    }
    stretches
}

pub(super) const STRETCH: &str = "t.channel = ?1 AND t.ordinal BETWEEN ?2 AND ?3";
pub(super) const SINGLE: &str = "t.id = ?1";

pub(super) fn heard_sql(which: &str) -> String {
    format!(
        "SELECT t.id, t.ordinal, t.role, t.author_account, t.author_username, t.author_display, t.author_is_bot,
            t.content, t.at_ms, t.mode, t.turn, t.audience_kind, t.audience_key, t.channel, m.turn_id
         FROM turns t LEFT JOIN turn_messages m ON m.channel = t.channel AND m.message = t.reply_to
         WHERE {which} AND t.deleted_at_ms IS NULL ORDER BY t.ordinal"
    )
}

/// Reads turns that may be seen. Most of them share channel and audience with the one before, which are then not made
/// out again.
struct Reader<'a> {
    visible: &'a Visible,
    until: i64,
    place: Option<(ChannelId, Option<String>)>,
    audience: Option<(String, String, Audience)>,
}

impl Reader<'_> {
    /// `None` for what may not be seen.
    fn heard(&mut self, tx: &Transaction<'_>, row: &Row<'_>) -> rusqlite::Result<Option<Heard>> {
        let audience = self.audience(row)?;
        if row.get::<_, i64>(8)? > self.until || !self.visible.includes(&audience) {
            return Ok(None);
        }
        let (channel, channel_name) = self.place(tx, row)?;
        let turn = rows::bare_turn(row, audience)?;
        Ok(Some(Heard { channel, channel_name, turn, answers: row.get::<_, Option<i64>>(14)?.map(StoredId) }))
    }

    fn audience(&mut self, row: &Row<'_>) -> rusqlite::Result<Audience> {
        let (kind, key) = (row.get_ref(11)?.as_str()?, row.get_ref(12)?.as_str()?);
        if let Some((known_kind, known_key, audience)) = &self.audience
            && known_kind == kind
            && known_key == key
        {
            return Ok(audience.clone());
        }
        let audience = rows::audience_at(row, 11)?;
        self.audience = Some((kind.to_owned(), key.to_owned(), audience.clone()));
        Ok(audience)
    }

    fn place(
        &mut self,
        tx: &Transaction<'_>,
        row: &Row<'_>,
    ) -> rusqlite::Result<(ChannelId, Option<String>)> {
        let channel = row.get_ref(13)?.as_str()?;
        if let Some(known) = self.place.as_ref().filter(|(known, _)| known.as_str() == channel) {
            return Ok(known.clone());
        }
        let name = tx
            .prepare_cached("SELECT name FROM channels WHERE channel = ?1")?
            .query_row([channel], |row| row.get(0))?;
        let place = (rows::parsed(row, 13)?, name);
        self.place = Some(place.clone());
        Ok(place)
    }
}
