//! A journal: once a night, for each place in which it talked that day, an entry of its own about the day, noted for those who
//! were there.
//!
//! Owns what of a day it is about, and that nothing is noted by nobody's leave. Must not know the hour. Start reading at
//! [`keep_journal`].

use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;

use super::ask::{HourlyAllowance, SideQuestion, ask_worker_model};
use super::job::WorkerParts;
use super::wording;
use crate::config::PromptName;
use crate::domain::{Place, Role, Slot, StoredTurn};
use crate::history::HistoryError;
use crate::memory::change::{NoteChange, PageChange};
use crate::memory::facts::{By, Evidence, FactData, FactId, NotePage};
use crate::memory::store::{MemoryStore, NotePath};
use crate::text::names::prompt_label;
use crate::text::short::one_line;

/// The name of this job's marks.
const WATERMARK: &str = "journal";

/// Places written about in a night at most, those with the newest messages first.
const PLACES: usize = 20;

/// What a day is.
const A_DAY: Duration = Duration::from_secs(24 * 3600);

/// Messages that an entry is made of at most, the newest.
const TURNS: u32 = 60;

/// Fewer than this, or none of its own, are no day worth an entry.
const TURNS_LEAST: usize = 6;

/// Longest entry, in tokens: one to three sentences.
const TOKENS: u32 = 120;

/// Earlier entries that are shown, so that one agrees with the others.
const EARLIER: usize = 5;

/// What of the card is shown, in characters.
const CARD_CHARS: usize = 2_000;

/// Writes the entries of a day; of how many places.
pub(super) async fn keep_journal(
    parts: &WorkerParts,
    allowance: &HourlyAllowance,
    now: Timestamp,
) -> Result<usize, HistoryError> {
    let since = now.checked_sub(A_DAY).unwrap_or(now);
    let rooms = parts.history.whole().rooms(None, PLACES, 1).await?;
    let mut written = 0;
    for room in rooms.rooms.into_iter().filter(|room| room.at > since) {
        written += usize::from(write_day(parts, allowance, &room.place, since, now).await?);
    }
    Ok(written)
}

async fn write_day(
    parts: &WorkerParts,
    allowance: &HourlyAllowance,
    place: &Place,
    since: Timestamp,
    now: Timestamp,
) -> Result<bool, HistoryError> {
    let encoding = parts.models.slot(Slot::MainProse).describe().encoding;
    let history = parts.history.whole();
    let mut turns = history.newest_heard_by(&place.channel, &place.audience, TURNS, encoding).await?;
    let mark = parts.history.watermark(WATERMARK, place.channel.as_str()).await?;
    turns.retain(|turn| {
        turn.at > since && turn.audience == place.audience && mark.is_none_or(|mark| turn.id > mark)
    });
    let Some((turns, leave)) = parts.to_learn_from(place, turns) else {
        return Ok(false);
    };
    if turns.len() < TURNS_LEAST || !turns.iter().any(|turn| turn.role == Role::Assistant) {
        return Ok(false);
    }
    let Some(last) = turns.last().map(|turn| (turn.id, turn.at)) else { return Ok(false) };
    // Also where nothing comes of it: one try a night.
    parts.is_done(WATERMARK, place, last.0).await?;
    let config = parts.config.current();
    let character = parts.character.current();
    let own_name = character.spoken_name().to_owned();
    let day = last.1.to_zoned(config.display_tz.clone()).date();
    let Ok(note) = NotePath::new(format!("sessions/{}-{}-journal.md", day.strftime("%Y-%m"), place.channel))
    else {
        return Ok(false);
    };
    let (own, own_place) = (note.clone(), place.clone());
    let earlier = parts.with_notes("reading a journal", move |store| entries(store, &own, &own_place));
    let earlier = earlier.await.unwrap_or_default();
    let card: String = character.description.chars().take(CARD_CHARS).collect();
    let card = card.replace("{{char}}", &own_name);
    let transcript = wording::worded_transcript(&turns, &own_name, &config.display_tz);
    let question = SideQuestion {
        slot: Slot::HistorySummary,
        instructions: parts.config.prompt(PromptName::Journal).replace("{{char}}", &own_name),
        material: format!(
            "Who you are:\n{card}\n\nYour journal so far:\n{}\n\nThe day:\n{transcript}\n",
            earlier.join("\n")
        ),
        tokens: TOKENS,
    };
    let session = parts.session_key(place.platform, &place.channel);
    let answer = ask_worker_model(parts.models.as_ref(), allowance, &question, session).await;
    let text = match answer.text {
        Ok(text) => text,
        Err(error) => {
            tracing::warn!(?error, channel = %place.channel, "no journal was written of a day");
            return Ok(false);
        }
    };
    // News of its own is about the card as well as about the day.
    let mut lines = wording::worded_lines(&turns, &own_name);
    lines.extend(wording::lines_of_notes(earlier.iter().map(String::as_str).chain([card.as_str()])));
    let Some(text) = wording::from_answer(&text, &lines, &[], TOKENS, encoding) else {
        return Ok(false);
    };
    let change = entry(note, place, &own_name, one_line(&text), day, &turns);
    let changes = parts.still_said(vec![change]).await?;
    if changes.is_empty() {
        return Ok(false);
    }
    let hand = parts.hand(&leave, "its journal");
    let today = now.to_zoned(config.display_tz.clone()).date();
    let noted = parts.with_notes("writing a journal", move |store| hand.note(store, changes, today));
    Ok(noted.await.is_some())
}

/// The newest entries of that month, the oldest first. Blocks.
fn entries(store: &MemoryStore, note: &NotePath, place: &Place) -> Vec<String> {
    let Ok((text, _)) = store.read_or_none(note) else { return Vec::new() };
    let Ok(page) = NotePage::parse(&text) else { return Vec::new() };
    let own = page.facts().filter(|(_, block)| block.audience.as_ref() == Some(&place.audience));
    let mut words: Vec<String> = own.map(|(_, block)| format!("- {}", block.words)).collect();
    words.drain(..words.len().saturating_sub(EARLIER));
    words
}

fn entry(
    note: NotePath,
    place: &Place,
    own_name: &str,
    words: String,
    day: Date,
    turns: &[StoredTurn],
) -> NoteChange {
    // All that it was made of: whoever takes back any of it takes the entry back.
    let from = turns.iter().map(|turn| Evidence::Turn(turn.id)).collect();
    let data = FactData {
        id: Some(FactId::random()),
        to: Some(place.audience.clone()),
        by: Some(By::Familiar),
        on: Some(day),
        from,
        importance: Some(2),
        ..FactData::default()
    };
    let where_to = place.channel_name.as_deref().map(prompt_label).unwrap_or_else(|| "alone".to_owned());
    NoteChange {
        note,
        title: format!("{own_name}'s journal, {where_to}"),
        audience: place.audience.clone(),
        what: PageChange::Add { words, data },
    }
}
