//! Days: today, named days, and how far away they are.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday, date};

use super::clock::at_midnight;
use super::{Fact, ReflexInput};
use crate::context::moments::{counted, day};

const MONTHS: [(&str, i8); 33] = [
    ("january", 1),
    ("jan", 1),
    ("januar", 1),
    ("february", 2),
    ("feb", 2),
    ("februar", 2),
    ("march", 3),
    ("mar", 3),
    ("märz", 3),
    ("april", 4),
    ("apr", 4),
    ("may", 5),
    ("mai", 5),
    ("june", 6),
    ("jun", 6),
    ("juni", 6),
    ("july", 7),
    ("jul", 7),
    ("juli", 7),
    ("august", 8),
    ("aug", 8),
    ("september", 9),
    ("sep", 9),
    ("sept", 9),
    ("october", 10),
    ("oct", 10),
    ("oktober", 10),
    ("november", 11),
    ("nov", 11),
    ("december", 12),
    ("dec", 12),
    ("dezember", 12),
    ("dez", 12),
];

const WEEKDAYS: [(&str, Weekday); 14] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
    ("montag", Weekday::Monday),
    ("dienstag", Weekday::Tuesday),
    ("mittwoch", Weekday::Wednesday),
    ("donnerstag", Weekday::Thursday),
    ("freitag", Weekday::Friday),
    ("samstag", Weekday::Saturday),
    ("sonntag", Weekday::Sunday),
];

/// Days that come round every year: how people write them, what they are called, month and day. Easter moves and is
/// reckoned.
const HOLIDAYS: [(&[&str], &str, i8, i8); 16] = [
    (&["new years day", "new year", "new years", "neujahr"], "New Year's Day", 1, 1),
    (&["epiphany"], "Epiphany", 1, 6),
    (&["valentines day", "valentines", "valentinstag"], "Valentine's Day", 2, 14),
    (&["womens day", "frauentag"], "International Women's Day", 3, 8),
    (&["st patricks day", "saint patricks day"], "St Patrick's Day", 3, 17),
    (&["april fools", "april fools day"], "April Fools' Day", 4, 1),
    (&["earth day"], "Earth Day", 4, 22),
    (&["labour day", "may day", "tag der arbeit"], "May Day", 5, 1),
    (&["independence day", "fourth of july"], "Independence Day (US)", 7, 4),
    (&["tag der deutschen einheit", "german unity day"], "German Unity Day", 10, 3),
    (&["halloween"], "Halloween", 10, 31),
    (&["bonfire night", "guy fawkes"], "Bonfire Night", 11, 5),
    (&["christmas eve", "heiligabend", "heilig abend"], "Christmas Eve", 12, 24),
    (&["christmas", "christmas day", "xmas", "weihnachten"], "Christmas Day", 12, 25),
    (&["boxing day"], "Boxing Day", 12, 26),
    (&["new years eve", "silvester"], "New Year's Eve", 12, 31),
];

pub(super) const DATE: &[&str] = &[
    "what day is it",
    "what day is today",
    "what date is it",
    "what date is today",
    "whats the date",
    "what is the date",
    "todays date",
    "which day is it",
    "what day is tomorrow",
    "what day was yesterday",
    "what day is it tomorrow",
    "welcher tag ist heute",
    "welchen tag haben wir",
    "welches datum",
    "der wievielte ist heute",
    "welcher tag ist morgen",
];

pub(super) fn today(input: &ReflexInput<'_>) -> Option<Fact> {
    let (name, verb, shift) = if input.cues.any(&["tomorrow", "tag ist morgen"]) {
        ("Tomorrow", "is", 1)
    } else if input.cues.any(&["yesterday", "gestern"]) {
        ("Yesterday", "was", -1)
    } else {
        ("Today", "is", 0)
    };
    Fact::of(format!("{name} {verb} {}.", day(&input.now.checked_add(shift.days()).ok()?)))
}

pub(super) const SEASON: &[&str] = &["what season is it", "which season is it", "welche jahreszeit"];

pub(super) fn season(input: &ReflexInput<'_>) -> Option<Fact> {
    let (north, south) = match input.now.month() {
        3..=5 => ("spring", "autumn"),
        6..=8 => ("summer", "winter"),
        9..=11 => ("autumn", "spring"),
        _ => ("winter", "summer"),
    };
    Fact::of(format!("By the calendar it is {north} in the northern hemisphere and {south} in the southern."))
}

pub(super) const WEEK: &[&str] = &[
    "week number",
    "what week is it",
    "which week is it",
    "calendar week",
    "kalenderwoche",
    "welche woche haben wir",
    "welche kw",
];

pub(super) fn week(input: &ReflexInput<'_>) -> Option<Fact> {
    let week = input.now.date().iso_week_date();
    Fact::of(format!("This is calendar week {} of {} (ISO).", week.week(), week.year()))
}

pub(super) const YEAR: &[&str] = &[
    "what year is it",
    "which year is it",
    "what month is it",
    "which month is it",
    "what year are we in",
    "welches jahr haben wir",
    "welcher monat ist",
    "welchen monat haben wir",
];

pub(super) fn year(input: &ReflexInput<'_>) -> Option<Fact> {
    Fact::of(format!("It is {}.", input.now.strftime("%B %Y")))
}

pub(super) const LEAP: &[&str] = &["leap year", "schaltjahr"];

pub(super) fn leap(input: &ReflexInput<'_>) -> Option<Fact> {
    let year = years_in(&input.words()).next().unwrap_or_else(|| input.now.year());
    let is_leap = date(year, 1, 1).in_leap_year();
    Fact::of(format!("{year} is {} leap year.", if is_leap { "a" } else { "no" }))
}

pub(super) const UNTIL: &[&str] = &[
    "how many days until",
    "how many days till",
    "how many days to",
    "how many days is it until",
    "how many days are left until",
    "how long until",
    "how long till",
    "how long is it until",
    "how many sleeps until",
    "days until",
    "days left until",
    "countdown to",
    "when is",
    "when does",
    "wie viele tage bis",
    "wie viele tage noch bis",
    "wie viele tage sind es bis",
    "wie lange noch bis",
    "wie lange ist es bis",
    "wann ist",
];

pub(super) fn until(input: &ReflexInput<'_>) -> Option<Fact> {
    let words = input.after(UNTIL)?;
    let (name, target) = day_in(&words, input, Towards::Future)?;
    let today = input.now.date();
    let days = days_between(today, target);
    // "When is Monday?" is a question; "when is the 3 March meeting" is not one of ours.
    let shown = day(&at_midnight(target, &input.now)?);
    let called = if name.is_empty() { shown } else { format!("{name} ({shown})") };
    Fact::of(match days {
        0 => format!("{called} is today."),
        1 => format!("{called} is tomorrow."),
        days if days > 1 => format!("{called} is in {days} days."),
        days => format!("{called} was {} ago.", counted(days.unsigned_abs(), "day")),
    })
}

pub(super) const SINCE: &[&str] = &[
    "how long ago was",
    "how many days ago was",
    "how many days since",
    "how long since",
    "how many days have passed since",
    "how long has it been since",
    "wie lange ist es her seit",
    "wie viele tage seit",
    "wie lange ist es seit",
    "wie lange her ist der",
];

pub(super) fn since(input: &ReflexInput<'_>) -> Option<Fact> {
    let words = input.after(SINCE)?;
    let (name, target) = day_in(&words, input, Towards::Past)?;
    let today = input.now.date();
    let days = days_between(target, today);
    if days < 0 {
        return None;
    }
    let years = target.until((jiff::Unit::Year, today)).map(|span| span.get_years()).unwrap_or(0);
    let shown = day(&at_midnight(target, &input.now)?);
    let called = if name.is_empty() { shown } else { format!("{name} ({shown})") };
    let in_years = match years {
        0 => String::new(),
        years => format!(", {} and more", counted(u64::from(years.unsigned_abs()), "full year")),
    };
    Fact::of(
        format!("{called} was {} ago{in_years}.", counted(days.unsigned_abs(), "day"))
            .replace(" and more", ""),
    )
}

pub(super) const WEEKDAY: &[&str] = &[
    "what day of the week is",
    "what day of the week was",
    "what day of the week will",
    "what weekday is",
    "what weekday was",
    "which weekday is",
    "which weekday was",
    "what day is",
    "what day was",
    "what day will",
    "welcher wochentag ist",
    "welcher wochentag war",
    "an welchem wochentag",
];

pub(super) fn weekday(input: &ReflexInput<'_>) -> Option<Fact> {
    let words = input.after(WEEKDAY)?;
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

pub(super) const HOLIDAY: &[&str] = &[
    "is today a holiday",
    "is it a holiday",
    "is tomorrow a holiday",
    "what holiday is",
    "which holiday is",
    "any holidays",
    "next holiday",
    "upcoming holiday",
    "upcoming holidays",
    "ist heute feiertag",
    "ist heute ein feiertag",
    "nächster feiertag",
    "nächste feiertag",
];

pub(super) fn holiday(input: &ReflexInput<'_>) -> Option<Fact> {
    let today = input.now.date();
    let all = |year: i16| {
        let fixed = HOLIDAYS
            .iter()
            .filter_map(move |(_, name, month, day)| Some((*name, Date::new(year, *month, *day).ok()?)));
        fixed.chain(easter(year).map(|date| ("Easter Sunday", date)))
    };
    let mut coming: Vec<_> =
        all(today.year()).chain(all(today.year() + 1)).filter(|(_, date)| *date >= today).collect();
    coming.sort_by_key(|(_, date)| *date);
    let (name, next) = coming.first()?;
    if *next == today {
        return Fact::of(format!("Today is {name}."));
    }
    let shown = day(&at_midnight(*next, &input.now)?);
    Fact::of(format!(
        "Today is none of the widely known holidays; the next is {name} on {shown}, in {}.",
        counted(days_between(today, *next).unsigned_abs(), "day")
    ))
}

pub(super) const AGE: &[&str] = &["how old", "wie alt"];

pub(super) fn age(input: &ReflexInput<'_>) -> Option<Fact> {
    let words = input.after(&["born in", "born", "geboren in", "geboren"])?;
    let year = years_in(&words).next()?;
    let age = input.now.year() - year;
    (0..=130).contains(&age).then_some(())?;
    Fact::of(format!("Somebody born in {year} is {} or {age} years old now.", (age - 1).max(0)))
}

fn years_in<'a>(words: &'a [&str]) -> impl Iterator<Item = i16> + 'a {
    words
        .iter()
        .filter(|word| word.len() == 4)
        .filter_map(|word| word.parse().ok())
        .filter(|year| *year >= 1000)
}

/// Which of the days a year has is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Towards {
    Future,
    Past,
}

/// The day some words begin with, and what it is called where it has a name.
fn day_in(words: &[&str], input: &ReflexInput<'_>, towards: Towards) -> Option<(String, Date)> {
    let today = input.now.date();
    let words: Vec<&str> = words
        .iter()
        .copied()
        .skip_while(|word| {
            matches!(
                *word,
                "the"
                    | "next"
                    | "on"
                    | "last"
                    | "zum"
                    | "dem"
                    | "den"
                    | "der"
                    | "am"
                    | "nächsten"
                    | "nächster"
            )
        })
        .collect();
    let text = words.join(" ");
    let begins =
        |name: &str| text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let of_year = |month: i8, day: i8| -> Option<Date> {
        let this = Date::new(today.year(), month, day).ok();
        let near = |date: &Date| if towards == Towards::Future { *date >= today } else { *date <= today };
        let other = if towards == Towards::Future { today.year() + 1 } else { today.year() - 1 };
        this.filter(near).or_else(|| Date::new(other, month, day).ok())
    };
    let longest = HOLIDAYS
        .iter()
        .flat_map(|(names, called, month, day)| names.iter().map(move |name| (*name, *called, *month, *day)))
        .filter(|(name, ..)| begins(name))
        .max_by_key(|(name, ..)| name.len());
    if let Some((_, called, month, day)) = longest {
        return Some((called.to_owned(), of_year(month, day)?));
    }
    if begins("easter") || begins("ostern") {
        let years = if towards == Towards::Future {
            [today.year(), today.year() + 1]
        } else {
            [today.year(), today.year() - 1]
        };
        let near = |date: &Date| if towards == Towards::Future { *date >= today } else { *date <= today };
        return Some(("Easter Sunday".to_owned(), years.into_iter().filter_map(easter).find(near)?));
    }
    if let Some((_, weekday)) = words.first().and_then(|word| WEEKDAYS.iter().find(|(name, _)| name == word))
    {
        let date = (1..=7)
            .filter_map(|ahead| today.checked_add(ahead.days()).ok())
            .find(|date| date.weekday() == *weekday);
        return (towards == Towards::Future && words.len() <= 2).then_some((String::new(), date?));
    }
    if let [year, month, day, ..] = words.as_slice()
        && year.len() == 4
        && let (Ok(year), Ok(month), Ok(day)) = (year.parse(), month.parse(), day.parse())
    {
        return Some((String::new(), Date::new(year, month, day).ok()?));
    }
    if let [day, month, year, ..] = words.as_slice()
        && year.len() == 4
        && let (Ok(day), Ok(month), Ok(year)) = (day.parse(), month.parse(), year.parse())
    {
        return Some((String::new(), Date::new(year, month, day).ok()?));
    }
    let (day, month, rest) = day_and_month(&words)?;
    let year = words.get(rest).filter(|word| word.len() == 4).and_then(|word| word.parse::<i16>().ok());
    let date = match year {
        Some(year) => Date::new(year, month, day).ok()?,
        None => of_year(month, day)?,
    };
    Some((String::new(), date))
}

/// "24 december", "24th of december", "december 24th"; and how many words that took.
fn day_and_month(words: &[&str]) -> Option<(i8, i8, usize)> {
    let number = |word: &&str| -> Option<i8> {
        let digits = word.trim_end_matches(|c: char| c.is_alphabetic());
        let ending = &word[digits.len()..];
        matches!(ending, "" | "st" | "nd" | "rd" | "th").then(|| digits.parse().ok()).flatten()
    };
    let month = |word: &&str| MONTHS.iter().find(|(name, _)| name == word).map(|(_, month)| *month);
    match words {
        [day, "of", name, ..] => Some((number(day)?, month(name)?, 3)),
        [first, second, ..] => match (number(first), month(second)) {
            (Some(day), Some(month)) => Some((day, month, 2)),
            _ => Some((number(second)?, month(first)?, 2)),
        },
        _ => None,
    }
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
