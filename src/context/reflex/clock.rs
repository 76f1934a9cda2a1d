//! The time, here and elsewhere, now and in a while.

use jiff::civil::Time;
use jiff::{Span, ToSpan, Zoned};

use super::{Fact, ReflexInput};
use crate::context::moments::day;
use crate::text::phrases::phrases;
use crate::text::short::counted;
use crate::text::zones;

pub(super) fn time(input: &ReflexInput<'_>) -> Option<Fact> {
    if input.cues.after(phrases("zone_time")).and_then(zones::named).is_some() || span_in(input).is_some() {
        return None;
    }
    let now = &input.now;
    Fact::of(format!("It is {} on {}.", now.strftime("%H:%M %Z"), day(now)))
}

pub(super) fn zone_time(input: &ReflexInput<'_>) -> Option<Fact> {
    let (name, zone) = zones::named(input.cues.after(phrases("zone_time"))?)?;
    let there = input.now.with_time_zone(zone);
    Fact::of(format!("In {} it is {} on {}.", titled(name), there.strftime("%H:%M %Z"), day(&there)))
}

/// "18:00 Berlin time in Tokyo", "what is 6pm UTC in New York".
pub(super) fn convert(input: &ReflexInput<'_>) -> Option<Fact> {
    let text = input.utterance.get(..input.utterance.len().min(200)).unwrap_or(input.utterance);
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect();
    words.iter().enumerate().find_map(|(index, word)| {
        let mut rest = index + 1;
        let time = match words.get(rest) {
            Some(half @ (&"am" | &"pm")) => {
                rest += 1;
                clock_time(&format!("{word}{half}"))
            }
            Some(&"uhr") => {
                rest += 1;
                clock_time(word)
            }
            _ => clock_time(word).filter(|_| word.contains(':') || word.ends_with('m')),
        }?;
        let from_words = words.get(rest..)?.join(" ");
        let (from, from_zone) = zones::named(from_words.trim_start_matches("in "))?;
        let behind = from_words.trim_start_matches("in ").strip_prefix(from)?.trim_start();
        let behind = behind.trim_start_matches("time ").trim_start_matches("zeit ");
        let to_words = ["in ", "to ", "for ", "nach "].iter().find_map(|word| behind.strip_prefix(word))?;
        let (to, to_zone) = zones::named(to_words)?;
        let there = input.now.with_time_zone(from_zone).date().to_datetime(time);
        let there = there.to_zoned(zones::named(from)?.1).ok()?;
        let here = there.with_time_zone(to_zone);
        let shift = match here.date().cmp(&there.date()) {
            std::cmp::Ordering::Less => " the day before",
            std::cmp::Ordering::Equal => "",
            std::cmp::Ordering::Greater => " the next day",
        };
        Fact::of(format!(
            "{} in {} is {}{shift} in {}.",
            there.strftime("%H:%M"),
            titled(from),
            here.strftime("%H:%M"),
            titled(to)
        ))
    })
}

/// `18:00`, `6pm`, `6:30pm`, `18`.
fn clock_time(word: &str) -> Option<Time> {
    let (digits, half) = match word.strip_suffix("pm") {
        Some(digits) => (digits, Some(12)),
        None => match word.strip_suffix("am") {
            Some(digits) => (digits, Some(0)),
            None => (word, None),
        },
    };
    let (hours, minutes) = digits.split_once(':').unwrap_or((digits, "0"));
    let (hours, minutes): (i8, i8) = (hours.parse().ok()?, minutes.parse().ok()?);
    let hours = match half {
        Some(add) if (1..=12).contains(&hours) => hours % 12 + add,
        Some(_) => return None,
        None => hours,
    };
    Time::new(hours, minutes, 0, 0).ok()
}

/// "in 20 minutes" as a time of day.
pub(super) fn in_a_while(input: &ReflexInput<'_>) -> Option<Fact> {
    let (words, span) = span_in(input)?;
    let then = input.now.checked_add(span).ok()?;
    let date = if then.date() == input.now.date() { String::new() } else { format!(" on {}", day(&then)) };
    Fact::of(format!("{words} from now it is {}{date}.", then.strftime("%H:%M %Z")))
}

fn span_in(input: &ReflexInput<'_>) -> Option<(String, Span)> {
    let words = input.words();
    words.windows(3).find_map(|window| {
        let [before, count, unit] = window else { return None };
        if !matches!(*before, "in" | "for" | "after" | "nach") {
            return None;
        }
        let count = small_number(count)?;
        let (span, unit) = match *unit {
            "minute" | "minutes" | "min" | "mins" | "minuten" => (count.minutes(), "minute"),
            "hour" | "hours" | "h" | "stunde" | "stunden" => (count.hours(), "hour"),
            "day" | "days" | "tag" | "tage" | "tagen" => (count.days(), "day"),
            "week" | "weeks" | "woche" | "wochen" => ((count * 7).days(), "week"),
            "second" | "seconds" | "sekunden" => (count.seconds(), "second"),
            _ => return None,
        };
        Some((counted(count.unsigned_abs(), unit), span))
    })
}

/// A count up to 10,000, in digits or as a small word.
fn small_number(word: &str) -> Option<i64> {
    const WORDS: [(&str, i64); 16] = [
        ("a", 1),
        ("an", 1),
        ("one", 1),
        ("two", 2),
        ("three", 3),
        ("four", 4),
        ("five", 5),
        ("six", 6),
        ("ten", 10),
        ("twenty", 20),
        ("einer", 1),
        ("eine", 1),
        ("zwei", 2),
        ("drei", 3),
        ("fünf", 5),
        ("zehn", 10),
    ];
    let known = || WORDS.iter().find(|(known, _)| *known == word).map(|(_, count)| *count);
    word.parse().ok().or_else(known).filter(|count| (1..=10_000).contains(count))
}

/// A zone's name as people write it.
fn titled(name: &str) -> String {
    const SHORT: [&str; 16] = [
        "utc", "gmt", "cet", "cest", "mez", "bst", "est", "edt", "pst", "pdt", "ist", "jst", "kst", "aest",
        "uk", "nyc",
    ];
    if SHORT.contains(&name) {
        return name.to_uppercase();
    }
    let words = name.split(' ').map(|word| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    });
    words.collect::<Vec<String>>().join(" ")
}

/// Midnight of a day on the familiar's clock, for telling which day it is.
pub(super) fn at_midnight(date: jiff::civil::Date, now: &Zoned) -> Option<Zoned> {
    date.to_datetime(Time::midnight()).to_zoned(now.time_zone().clone()).ok()
}
