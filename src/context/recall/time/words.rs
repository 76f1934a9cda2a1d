//! Words about time: units and numbers in English and German, days and years.

use jiff::civil::Weekday;

use crate::text::calendar::month;

/// Whether a folded word is about time: an answer to "when" usually holds one.
#[must_use]
pub fn is_time_word(word: &str) -> bool {
    TIME_WORDS.contains(&word)
        || weekday(word).is_some()
        || month(word).is_some_and(|_| word.len() > 3)
        || year(word).is_some()
        || ordinal_day(word)
}

const TIME_WORDS: &[&str] = &[
    "yesterday",
    "today",
    "tonight",
    "tomorrow",
    "last",
    "next",
    "ago",
    "week",
    "weekend",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "morning",
    "since",
    "recently",
    "gestern",
    "heute",
    "morgen",
    "vorgestern",
    "woche",
    "wochen",
    "monat",
    "monate",
    "jahr",
    "jahre",
    "letzten",
    "letzte",
    "letztes",
    "seit",
    "neulich",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Hour,
    Day,
    Week,
    Fortnight,
    Month,
    Year,
}

pub fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "hour" | "hours" | "stunde" | "stunden" => Unit::Hour,
        "day" | "days" | "tag" | "tage" | "tagen" => Unit::Day,
        "week" | "weeks" | "woche" | "wochen" => Unit::Week,
        "fortnight" | "fortnights" => Unit::Fortnight,
        "month" | "months" | "monat" | "monate" | "monaten" => Unit::Month,
        "year" | "years" | "jahr" | "jahre" | "jahren" => Unit::Year,
        _ => return None,
    })
}

pub fn number(word: &str) -> Option<i64> {
    const WORDS: &[(&[&str], i64)] = &[
        (&["a", "an", "one", "ein", "einer", "einem"], 1),
        (&["two", "zwei"], 2),
        (&["three", "drei", "few", "paar"], 3),
        (&["four", "vier"], 4),
        (&["five", "funf"], 5),
        (&["six", "sechs"], 6),
        (&["seven", "sieben"], 7),
        (&["eight", "acht"], 8),
        (&["nine", "neun"], 9),
        (&["ten", "zehn"], 10),
    ];
    if let Ok(digits) = word.parse::<i64>() {
        return (0..=10_000).contains(&digits).then_some(digits);
    }
    WORDS.iter().find(|(names, _)| names.contains(&word)).map(|(_, number)| *number)
}

pub fn day_number(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = &word[digits.len()..];
    let day: i8 = digits.parse().ok()?;
    (matches!(suffix, "" | "st" | "nd" | "rd" | "th" | "er" | "o") && (1..=31).contains(&day)).then_some(day)
}

fn ordinal_day(word: &str) -> bool {
    word.len() > 2 && word.ends_with(|c: char| c.is_ascii_alphabetic()) && day_number(word).is_some()
}

pub fn year(word: &str) -> Option<i16> {
    let year: i16 = word.parse().ok()?;
    (word.len() == 4 && (1970..=2100).contains(&year)).then_some(year)
}

pub fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" | "montag" => Weekday::Monday,
        "tuesday" | "dienstag" => Weekday::Tuesday,
        "wednesday" | "mittwoch" => Weekday::Wednesday,
        "thursday" | "donnerstag" => Weekday::Thursday,
        "friday" | "freitag" => Weekday::Friday,
        "saturday" | "samstag" | "sonnabend" => Weekday::Saturday,
        "sunday" | "sonntag" => Weekday::Sunday,
        _ => return None,
    })
}
