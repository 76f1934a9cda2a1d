//! The time and the days: now, elsewhere, in a while, and how far away a day is.

use jiff::civil::{Date, Time};
use jiff::{Span, ToSpan, Zoned};

use super::{Fact, ReflexInput};
use crate::context::moments::day_in_words;
use crate::text::calendar::{self, Towards};
use crate::text::clock_time::clock_times;
use crate::text::cues::Cues;
use crate::text::phrases::{is_listed, phrases};
use crate::text::short::counted;
use crate::text::zones;

pub(super) fn time(input: &ReflexInput<'_>) -> Option<Fact> {
    if input.cues.after(phrases("zone_time")).and_then(zones::zone_at_start).is_some()
        || span_in(input).is_some()
    {
        return None;
    }
    let now = &input.now;
    Fact::of(format!("It is {} on {}.", now.strftime("%H:%M %Z"), day_in_words(now)))
}

pub(super) fn zone_time(input: &ReflexInput<'_>) -> Option<Fact> {
    let (name, zone) = zones::zone_at_start(input.cues.after(phrases("zone_time"))?)?;
    let there = input.now.with_time_zone(zone);
    Fact::of(format!(
        "In {} it is {} on {}.",
        zones::written(name),
        there.strftime("%H:%M %Z"),
        day_in_words(&there)
    ))
}

/// "18:00 Berlin time in Tokyo", "what is 6pm UTC in New York".
pub(super) fn convert(input: &ReflexInput<'_>) -> Option<Fact> {
    let text = input.utterance.get(..input.utterance.len().min(200)).unwrap_or(input.utterance);
    clock_times(text).into_iter().filter(|said| said.is_sure).find_map(|said| {
        let time = said.time()?;
        let behind = Cues::of(&text[said.bytes.end..]);
        let from_words = behind_in(behind.text()).unwrap_or(behind.text());
        let (from, from_zone) = zones::zone_at_start(from_words)?;
        let behind = from_words.strip_prefix(from)?.trim_start();
        let behind = match behind.split_once(' ') {
            Some((first, rest)) if is_listed("time at a place", first) => rest,
            _ => behind,
        };
        let (to, to_zone) = zones::zone_at_start(behind_in(behind)?)?;
        let there = input.now.with_time_zone(from_zone).date().to_datetime(time);
        let there = there.to_zoned(zones::zone_at_start(from)?.1).ok()?;
        let here = there.with_time_zone(to_zone);
        let shift = match here.date().cmp(&there.date()) {
            std::cmp::Ordering::Less => " the day before",
            std::cmp::Ordering::Equal => "",
            std::cmp::Ordering::Greater => " the next day",
        };
        Fact::of(format!(
            "{} in {} is {}{shift} in {}.",
            there.strftime("%H:%M"),
            zones::written(from),
            here.strftime("%H:%M"),
            zones::written(to)
        ))
    })
}

/// What stands behind the word for where or into what something is.
fn behind_in(words: &str) -> Option<&str> {
    let (first, rest) = words.split_once(' ')?;
    (first == "for" || is_listed("in a unit", first)).then_some(rest)
}

/// "in 20 minutes" as a time of day.
pub(super) fn in_a_while(input: &ReflexInput<'_>) -> Option<Fact> {
    let (words, span) = span_in(input)?;
    let then = input.now.checked_add(span).ok()?;
    let date =
        if then.date() == input.now.date() { String::new() } else { format!(" on {}", day_in_words(&then)) };
    Fact::of(format!("{words} from now it is {}{date}.", then.strftime("%H:%M %Z")))
}

/// A span that lies ahead: "in 20 minutes", "in drei Stunden", "3時間後".
fn span_in(input: &ReflexInput<'_>) -> Option<(String, Span)> {
    let english = calendar::time_in_english(input.utterance);
    let words: Vec<&str> = english.split_whitespace().collect();
    (0..words.len()).find_map(|at| {
        let is_ahead = words.get(at + 2) == Some(&"later")
            || at
                .checked_sub(1)
                .is_some_and(|before| words[before] == "in" || is_listed("after a while", words[before]));
        is_ahead.then_some(())?;
        let (count, unit, span) = calendar::span_at_start(&words[at..])?;
        Some((counted(count.unsigned_abs(), unit), span))
    })
}

/// Midnight of a day on the familiar's clock, for telling which day it is.
fn at_midnight(date: Date, now: &Zoned) -> Option<Zoned> {
    date.to_datetime(Time::midnight()).to_zoned(now.time_zone().clone()).ok()
}

/// Days that come round every year: what they are called, which in small letters is the section of what people write, month
/// and day. Easter moves and is reckoned.
const HOLIDAYS: [(&str, i8, i8); 16] = [
    ("New Year's Day", 1, 1),
    ("Epiphany", 1, 6),
    ("Valentine's Day", 2, 14),
    ("International Women's Day", 3, 8),
    ("St Patrick's Day", 3, 17),
    ("April Fools' Day", 4, 1),
    ("Earth Day", 4, 22),
    ("May Day", 5, 1),
    ("Independence Day (US)", 7, 4),
    ("German Unity Day", 10, 3),
    ("Halloween", 10, 31),
    ("Bonfire Night", 11, 5),
    ("Christmas Eve", 12, 24),
    ("Christmas Day", 12, 25),
    ("Boxing Day", 12, 26),
    ("New Year's Eve", 12, 31),
];
const EASTER: &str = "Easter Sunday";

pub(super) fn date_today(input: &ReflexInput<'_>) -> Option<Fact> {
    let (name, verb, shift) = if input.says("tomorrow") {
        ("Tomorrow", "is", 1)
    } else if input.says("yesterday") {
        ("Yesterday", "was", -1)
    } else {
        ("Today", "is", 0)
    };
    Fact::of(format!("{name} {verb} {}.", day_in_words(&input.now.checked_add(shift.days()).ok()?)))
}

pub(super) fn days_until(input: &ReflexInput<'_>) -> Option<Fact> {
    let words = input.after("countdown")?;
    // "When is Monday?" is a question; "when is the 3 March meeting" is not one of ours.
    let (name, target) = day_in(&words, input, Towards::Future)?;
    Fact::of(how_far(&name, target, &input.now)?)
}

/// How many days it is to a day, or was since it, on the clock of `now`: "Thursday 24 December 2026 is in 25 days." `name` is
/// what the day is called, and may be empty. `None` for a day that this clock does not reach.
pub fn how_far(name: &str, day: Date, now: &Zoned) -> Option<String> {
    let shown = day_in_words(&at_midnight(day, now)?);
    let called = if name.is_empty() { shown } else { format!("{name} ({shown})") };
    Some(match days_between(now.date(), day) {
        0 => format!("{called} is today."),
        1 => format!("{called} is tomorrow."),
        days if days > 1 => format!("{called} is in {days} days."),
        days => format!("{called} was {} ago.", counted(days.unsigned_abs(), "day")),
    })
}

pub(super) fn days_since(input: &ReflexInput<'_>) -> Option<Fact> {
    let words = input.after("since_date")?;
    let (name, target) = day_in(&words, input, Towards::Past)?;
    let today = input.now.date();
    let days = days_between(target, today);
    if days < 0 {
        return None;
    }
    let years = target.until((jiff::Unit::Year, today)).map(|span| span.get_years()).unwrap_or(0);
    let shown = day_in_words(&at_midnight(target, &input.now)?);
    let called = if name.is_empty() { shown } else { format!("{name} ({shown})") };
    let in_years = match years {
        0 => String::new(),
        years => format!(", {}", counted(u64::from(years.unsigned_abs()), "full year")),
    };
    Fact::of(format!("{called} was {} ago{in_years}.", counted(days.unsigned_abs(), "day")))
}

pub(super) fn weekday_today(input: &ReflexInput<'_>) -> Option<Fact> {
    let words = input.after("weekday_of")?;
    let (name, target) = day_in(&words, input, Towards::Future)?;
    if words.first().is_some_and(|word| matches!(*word, "today" | "tomorrow" | "yesterday" | "it")) {
        return None;
    }
    let shown = at_midnight(target, &input.now)?;
    let (called, weekday) = (shown.strftime("%-d %B %Y"), shown.strftime("%A"));
    let verb = if target < input.now.date() { "was" } else { "is" };
    Fact::of(match name.is_empty() {
        true => format!("{called} {verb} a {weekday}."),
        false => format!("{name}, {called}, {verb} a {weekday}."),
    })
}

/// The day some words begin with, and what it is called where it has a name.
fn day_in(words: &[&str], input: &ReflexInput<'_>, towards: Towards) -> Option<(String, Date)> {
    let today = input.now.date();
    let before = phrases("before a day");
    let words: Vec<&str> =
        words.iter().copied().skip_while(|word| before.iter().any(|before| before == word)).collect();
    let text = words.join(" ");
    let begins = |name: &str| {
        let names = phrases(&name.to_lowercase()).iter();
        let begun = names.filter(|name| {
            text.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        });
        begun.map(String::len).max()
    };
    let longest = HOLIDAYS
        .iter()
        .filter_map(|(name, month, day)| Some((begins(name)?, *name, *month, *day)))
        .max_by_key(|(length, ..)| *length);
    if let Some((_, name, month, day)) = longest {
        return Some((name.to_owned(), towards.day(today, (None, month, day))?));
    }
    if begins(EASTER).is_some() {
        return Some((EASTER.to_owned(), towards.nearest(today, easter)?));
    }
    if let Some(weekday) = words.first().and_then(|word| calendar::weekday(word)) {
        let date = calendar::coming_weekday(today, weekday)?;
        return (towards == Towards::Future && words.len() <= 2).then_some((String::new(), date));
    }
    if let [day, month, year, ..] = words.as_slice()
        && year.len() == 4
        && let (Ok(day), Ok(month), Ok(year)) = (day.parse(), month.parse(), year.parse())
    {
        return Some((String::new(), Date::new(year, month, day).ok()?));
    }
    Some((String::new(), towards.day(today, calendar::day_named(&words)?)?))
}

fn days_between(from: Date, to: Date) -> i64 {
    from.until((jiff::Unit::Day, to)).map(|span| i64::from(span.get_days())).unwrap_or(0)
}

/// Easter Sunday of a Gregorian year (the anonymous algorithm of 1876).
fn easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y % 19, y / 100, y % 100);
    let (d, e) = (b / 4, b % 4);
    let g = (8 * b + 13) / 25;
    let h = (19 * a + b - d - g + 15) % 30;
    let (i, k) = (c / 4, c % 4);
    let l = (32 + 2 * e + 2 * i - h - k) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let (month, day) = ((h + l - 7 * m + 114) / 31, (h + l - 7 * m + 114) % 31 + 1);
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}
