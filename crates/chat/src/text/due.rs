//! When something is to be: "in 20 minutes", "tomorrow at 8", "jeden Montag", "明日の朝8時", read without a model in thirteen
//! languages.
//!
//! Owns which words for a moment that is to come are understood. Every word has to be: what is half understood is not read,
//! since a reminder at the wrong hour is worse than a question. Start reading at [`read_due`].

mod lexicon;
mod reading;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

use self::reading::DueReading;
use super::phrases::Folded;
use super::spelling::fold;
use crate::domain::Recurrence;

/// So far ahead something may be, in years.
pub const DUE_YEARS_MAX: i64 = 5;

/// Characters that are read.
const CHARS_MAX: usize = 120;

/// A moment that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueTime {
    /// The first time.
    pub at: Timestamp,
    pub recurrence: Option<Recurrence>,
}

/// Why words are no moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotDue {
    #[error(
        "that time cannot be read; these forms work: 2026-11-27 18:30, in 20 minutes, in 3 days, tomorrow at 8, on Friday at \
         18:30, on 7 May at 9 am, every day at 9, every weekday, every Monday, every month on the 15th"
    )]
    Form,
    #[error("that time has passed")]
    Past,
    #[error("that is further ahead than {DUE_YEARS_MAX} years")]
    TooFar,
    #[error("it can come again every day at most")]
    TooOften,
}

/// Reads a moment as it is said at `now` by a clock in `tz`: an ISO date and time, or words. Hours are those of a day of
/// twenty-four unless a part of the day or "pm" says otherwise; without an hour it is nine in the morning.
///
/// # Errors
/// See [`NotDue`].
pub fn read_due(text: &str, now: Timestamp, tz: &TimeZone) -> Result<DueTime, NotDue> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > CHARS_MAX {
        return Err(NotDue::Form);
    }
    let exact =
        text.parse::<Timestamp>().ok().or_else(|| Some(text.parse::<jiff::Zoned>().ok()?.timestamp()));
    if let Some(at) = exact {
        return within(DueTime { at, recurrence: None }, now, tz);
    }
    let words = fold(&reading::with_marks(&text.to_lowercase(), tz));
    let likely = Folded::of(text).languages();
    let (first, then): (Vec<_>, Vec<_>) =
        lexicon::all().iter().partition(|lexicon| lexicon.language.overlaps(likely));
    let mut why = NotDue::Form;
    for lexicon in first.into_iter().chain(then) {
        let Some(reading) = lexicon.tokens(&words).and_then(|tokens| DueReading::of(&tokens)) else {
            continue;
        };
        match reading.resolve(now, tz).and_then(|due| within(due, now, tz)) {
            Ok(due) => return Ok(due),
            Err(NotDue::Form) => {}
            Err(other) => why = other,
        }
    }
    Err(why)
}

fn within(due: DueTime, now: Timestamp, tz: &TimeZone) -> Result<DueTime, NotDue> {
    let last = now.to_zoned(tz.clone()).checked_add(DUE_YEARS_MAX.years()).map_err(|_| NotDue::TooFar)?;
    if due.at <= now {
        Err(NotDue::Past)
    } else if due.at > last.timestamp() {
        Err(NotDue::TooFar)
    } else {
        Ok(due)
    }
}

#[cfg(test)]
mod tests;
