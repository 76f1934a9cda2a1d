//! The words for months, days of the week and stretches of time, in the languages people mix into a chat.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, ToSpan as _};
use regex::{Captures, Regex};

use super::phrases::{Folded, Languages, Phrases, either, is_listed, listed_phrases, section_lines};
use super::spelling::fold;

/// Words by their number, from 1, as the lines of a section count them.
fn words_by_number(sections: &[&str]) -> HashMap<String, i8> {
    let mut all = HashMap::new();
    for section in sections {
        let (mut language, mut number) = (Languages::default(), 0);
        for (of, _, words) in section_lines(section) {
            number = if of == language { number + 1 } else { 1 };
            language = of;
            words.into_iter().for_each(|word| {
                all.entry(fold(word)).or_insert(number);
            });
        }
    }
    all
}

static MONTHS: LazyLock<HashMap<String, i8>> = LazyLock::new(|| words_by_number(&["months"]));

/// Short forms too, and those behind a day, which may be other words or somebody's name elsewhere.
static MONTHS_IN_DATES: LazyLock<HashMap<String, i8>> =
    LazyLock::new(|| words_by_number(&["months", "months in dates"]));

static WEEKDAYS: LazyLock<HashMap<String, i8>> = LazyLock::new(|| words_by_number(&["weekdays"]));

/// Short and inflected forms too, which may be other words elsewhere than in a list of days.
static WEEKDAYS_IN_LISTS: LazyLock<HashMap<String, i8>> =
    LazyLock::new(|| words_by_number(&["weekdays", "weekdays in lists"]));

/// What else is said in a list of days, and what it is in English.
static DAYS_IN_LISTS: LazyLock<HashMap<String, &str>> = LazyLock::new(|| {
    let mut all = HashMap::new();
    for (_, english, words) in section_lines("days in lists") {
        words.into_iter().for_each(|word| {
            all.entry(fold(word)).or_insert(english);
        });
    }
    all
});

/// Whether a word is a month's name.
pub fn is_month(word: &str) -> bool {
    MONTHS.contains_key(&fold(word))
}

/// The number of the month that a word means, 1 to 12.
pub fn month(word: &str) -> Option<i8> {
    MONTHS_IN_DATES.get(&fold(word)).copied()
}

/// Whether a word is a day's name.
pub fn is_weekday(word: &str) -> bool {
    WEEKDAYS.contains_key(&fold(word))
}

/// The number of the day of the week that a word means, Monday being 1.
pub fn weekday(word: &str) -> Option<i8> {
    WEEKDAYS.get(&fold(word)).copied()
}

/// The number of the day of the week that a word means in a list of days, Monday being 1: "Mo", "lun.".
pub fn weekday_in_list(word: &str) -> Option<i8> {
    WEEKDAYS_IN_LISTS.get(&fold(word)).copied()
}

/// What a word in a list of days means that names none: `to`, `beside`, `weekdays`, `weekends`, `daily`.
pub fn in_list_of_days(word: &str) -> Option<&'static str> {
    DAYS_IN_LISTS.get(&fold(word)).copied()
}

/// What the day of the week of this number is called, in every language, folded.
pub fn weekday_names(number: i8) -> impl Iterator<Item = &'static str> {
    WEEKDAYS.iter().filter(move |(_, known)| **known == number).map(|(name, _)| name.as_str())
}

/// What the month of this number is called, in every language, folded.
pub fn month_names(number: i8) -> impl Iterator<Item = &'static str> {
    MONTHS_IN_DATES.iter().filter(move |(_, known)| **known == number).map(|(name, _)| name.as_str())
}

/// What the months are called in a language.
pub fn months_in(language: Languages) -> impl Iterator<Item = &'static str> {
    let lines = section_lines("months").filter(move |(of, ..)| of.overlaps(language));
    lines.flat_map(|(.., words)| words)
}

/// The day of a month that a word means: "7", "7th", "1er".
pub fn day_number(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = &word[digits.len()..];
    let day: i8 = digits.parse().ok()?;
    (matches!(suffix, "" | "st" | "nd" | "rd" | "th" | "er" | "o") && (1..=31).contains(&day)).then_some(day)
}

/// A day that words begin with: "7 may 2023", "24th of december", "may 7th", "2023 05 07". Its year, where that is said, its
/// month and its day.
pub fn day_named<S: AsRef<str>>(words: &[S]) -> Option<(Option<i16>, i8, i8)> {
    let word = |at: usize| words.get(at).map_or("", AsRef::as_ref);
    let year = |at: usize| word(at).parse().ok().filter(|_| word(at).len() == 4);
    // "12 de noviembre de 2026"
    let over = |at: usize| if word(at) == "of" { at + 1 } else { at };
    if let Some(day) = day_number(word(0)) {
        let named = over(1);
        return Some((year(over(named + 1)), month(word(named))?, day));
    }
    if let Some(named) = month(word(0)) {
        return Some((year(2), named, day_number(word(1))?));
    }
    Some((Some(year(0)?), word(1).parse().ok()?, day_number(word(2))?))
}

/// Which of the days is meant of which every year has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Towards {
    Future,
    Past,
}

impl Towards {
    /// The nearest of them; today's counts.
    pub fn nearest(self, today: Date, in_year: impl Fn(i16) -> Option<Date>) -> Option<Date> {
        let (years, is_there): (i16, fn(&Date, &Date) -> bool) = match self {
            Self::Future => (1, Date::ge),
            Self::Past => (-1, Date::le),
        };
        let this = in_year(today.year()).filter(|date| is_there(date, &today));
        this.or_else(|| in_year(today.year().checked_add(years)?))
    }

    /// A day by its month and day, of the year that is said or else the nearest.
    pub fn day(self, today: Date, (year, month, day): (Option<i16>, i8, i8)) -> Option<Date> {
        match year {
            Some(year) => Date::new(year, month, day).ok(),
            None => self.nearest(today, |year| Date::new(year, month, day).ok()),
        }
    }
}

/// The coming day of the week of this number; in a week where today is one.
pub fn coming_weekday(today: Date, weekday: i8) -> Option<Date> {
    let days = (i64::from(weekday) - i64::from(today.weekday().to_monday_one_offset()) - 1).rem_euclid(7) + 1;
    today.checked_add(days.days()).ok()
}

/// A part of a date that has a sign behind its number in languages without spaces: "月" in "3月14日".
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum DatePart {
    Year,
    Month,
    Day,
}

/// The signs, each with its part.
static DATE_SIGNS: LazyLock<Vec<(DatePart, &str)>> = LazyLock::new(|| {
    let of_part = |(_, part, signs): (Languages, &'static str, Vec<&'static str>)| {
        let part: Option<DatePart> = part.parse().ok();
        signs.into_iter().filter_map(move |sign| Some((part?, sign)))
    };
    section_lines("date signs").flat_map(of_part).collect()
});

fn date_signs(part: DatePart) -> impl Iterator<Item = &'static str> {
    DATE_SIGNS.iter().filter(move |(of, _)| *of == part).map(|(_, sign)| *sign)
}

/// Whether the sign of a part of a date stands behind a number in a text, or behind what stands in its place: "月" of "3月14日",
/// of "三月" and of "正月". Within other words it tells nothing.
pub fn has_date_sign(text: &str, part: DatePart) -> bool {
    let ends_in_number = |before: &str| {
        let last = before.trim_end().chars().next_back();
        last.is_some_and(|last| {
            last.is_numeric() || is_listed("before date signs", last.encode_utf8(&mut [0; 4]))
        })
    };
    date_signs(part).any(|sign| text.match_indices(sign).any(|(at, _)| ends_in_number(&text[..at])))
}

/// The pattern of a month and a day in figures with their signs, "11月12日" or "11월 12일", with groups of these names.
pub fn signed_date(month: &str, day: &str) -> String {
    let signs = |part| either(&date_signs(part).collect::<Vec<_>>());
    let (months, days) = (signs(DatePart::Month), signs(DatePart::Day));
    format!(r"(?P<{month}>\d{{1,2}})\s?(?:{months})\s?(?P<{day}>\d{{1,2}})\s?(?:{days})")
}

/// A date in figures: "2026-11-12", "12.11.2026", "12.11.", "12/11/26", "2026年11月12日", "11월 12일".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FigureDate {
    /// Its year, where that is said, its month and its day.
    pub date: (Option<i16>, i8, i8),
    /// Where it stands.
    pub bytes: Range<usize>,
    /// Whether it can be nothing else: "3/4" may be a share.
    pub is_sure: bool,
}

/// The dates in figures of a text. Between slashes the day comes first, but not where clocks are American; what can only be
/// read the other way round is.
pub fn dates_in_figures(text: &str, tz: &TimeZone) -> Vec<FigureDate> {
    static FIGURES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let figures = r"(?ix)
            \b(?P<year>(?:19|20)\d\d)-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?:t|\b)
            | \b(?P<first>\d{1,2})(?P<mark>[./])(?P<second>\d{1,2})(?:[./](?P<later>(?:19|20)?\d\d)\b|(?P<stop>\.)|\b)";
        let year = either(&date_signs(DatePart::Year).collect::<Vec<_>>());
        let signed = signed_date("moon", "sun");
        Regex::new(&format!(r"{figures} | (?:(?P<age>(?:19|20)\d\d)\s?(?:{year})\s?)?{signed}")).ok()
    });
    let found = FIGURES.iter().flat_map(|figures| figures.captures_iter(text));
    found.filter_map(|found| figure_date(text, &found, tz)).collect()
}

fn figure_date(text: &str, found: &Captures<'_>, tz: &TimeZone) -> Option<FigureDate> {
    let number = |name: &str| found.name(name).and_then(|digits| digits.as_str().parse::<i16>().ok());
    let bytes = found.get(0)?.range();
    let read = |year: Option<i16>, month: i16, day: i16, is_sure: bool| {
        let year = year.map(|year| if year < 100 { 2000 + year } else { year });
        let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
        let is_one = (1..=12).contains(&month) && (1..=31).contains(&day);
        is_one.then(|| FigureDate { date: (year, month, day), bytes: bytes.clone(), is_sure })
    };
    if let (Some(month), Some(day)) = (number("month").or(number("moon")), number("day").or(number("sun"))) {
        return read(number("year").or(number("age")), month, day, true);
    }
    let (first, second, year) = (number("first")?, number("second")?, number("later"));
    let is_slashed = &found["mark"] == "/";
    // "8.30" is a time of the day, "1.12.2" a version.
    let ends = found.name("stop").is_some() && !text[bytes.end..].starts_with(char::is_alphanumeric);
    if year.is_none() && !is_slashed && !ends {
        return None;
    }
    let month_first = is_slashed && writes_month_first(tz);
    let (day, month) = if month_first { (second, first) } else { (first, second) };
    let (day, month) = if month > 12 { (month, day) } else { (day, month) };
    read(year, month, day, year.is_some() || !is_slashed)
}

/// Clocks of places where the month is written before the day.
const AMERICAN: &str = "America/New_York America/Detroit America/Chicago America/Menominee America/Denver America/Boise \
    America/Phoenix America/Los_Angeles America/Anchorage America/Juneau America/Sitka America/Nome America/Adak \
    America/Indiana/Indianapolis America/Kentucky/Louisville America/North_Dakota/Center Pacific/Honolulu Pacific/Guam \
    US/Eastern US/Central US/Mountain US/Pacific US/Alaska US/Hawaii";

/// Whether dates in figures, between slashes, are written with the month first where clocks are these.
pub fn writes_month_first(tz: &TimeZone) -> bool {
    tz.iana_name().is_some_and(|zone| AMERICAN.split(' ').any(|one| one == zone))
}

/// How something is said of time in every language, by how it is said in English: "demain" for "tomorrow".
pub fn said_as(english: &str) -> impl Iterator<Item = &'static str> {
    let lines = section_lines("when").filter(move |(_, known, _)| *known == english);
    lines.flat_map(|(_, known, words)| std::iter::once(known).chain(words))
}

/// Whether a word counts a length of time, in full or short, in any language: "Stunden", "min".
pub fn is_unit_of_time(word: &str) -> bool {
    static UNITS: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let full = ["second", "minute", "hour", "day", "week", "month", "year"].into_iter().flat_map(said_as);
        // A single Latin letter may count something else: "g" are grams.
        let short = listed_phrases("units of time").map(|(_, unit)| unit).filter(|unit| unit.len() > 1);
        full.chain(short).map(|unit| fold(unit.trim_end_matches('.'))).collect()
    });
    UNITS.contains(&fold(word))
}

/// What is said of time in each language, and what it is in English.
static WHEN: LazyLock<(Vec<&str>, Phrases)> = LazyLock::new(|| {
    let all: Vec<_> = section_lines("when").collect();
    let each = || all.iter().enumerate();
    let known = each().flat_map(|(at, (of, _, words))| words.iter().map(move |word| (at, *of, *word)));
    (each().map(|(_, (_, english, _))| *english).collect(), Phrases::grouped(known))
});

/// A text with all that it says of time in English, in which alone it is read: "ago 3 day" for "hace tres días".
pub fn time_in_english(text: &str) -> String {
    folded_time_in_english(&Folded::of(text))
}

/// The same of a text that is folded already.
pub fn folded_time_in_english(text: &Folded) -> String {
    WHEN.1.replaced(text, |at| WHEN.0[at])
}

/// What a German word says of time, in English; any other word itself. Of more languages a word alone does not tell: "an" is
/// a year in French.
pub fn time_word_in_english(word: &str) -> &str {
    static WORDS: LazyLock<HashMap<String, &str>> = LazyLock::new(|| {
        let of = [Languages::of("en"), Languages::of("de")];
        let lines = section_lines("when").filter(|(language, ..)| of.contains(language));
        let words =
            lines.flat_map(|(_, english, words)| words.into_iter().map(move |word| (fold(word), english)));
        words.filter(|(word, english)| !word.contains(' ') && !english.contains(' ')).collect()
    });
    WORDS.get(word).copied().unwrap_or(word)
}

/// A unit of time, by its name in English.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum TimeUnit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    #[strum(serialize = "fortnight", serialize = "fortnights")]
    Fortnight,
    Month,
    Year,
}

impl TimeUnit {
    /// So many of it; `None` for more than a calendar holds.
    pub fn times(self, count: i64) -> Option<Span> {
        let span = Span::new();
        match self {
            Self::Second => span.try_seconds(count),
            Self::Minute => span.try_minutes(count),
            Self::Hour => span.try_hours(count),
            Self::Day => span.try_days(count),
            Self::Week => span.try_days(count.checked_mul(7)?),
            Self::Fortnight => span.try_days(count.checked_mul(14)?),
            Self::Month => span.try_months(count),
            Self::Year => span.try_years(count),
        }
        .ok()
    }
}

/// A count, from 1 to 10,000, and a unit of time, from seconds to weeks, at the beginning of English words: the count, the
/// unit's word and how long it is.
pub fn span_at_start<'w>(words: &[&'w str]) -> Option<(i64, &'w str, Span)> {
    let count = match *words.first()? {
        "a" | "an" => 1,
        number => number.parse().ok().filter(|count: &i64| (1..=10_000).contains(count))?,
    };
    let unit = *words.get(1)?;
    let read = unit.parse::<TimeUnit>().ok().filter(|read| *read <= TimeUnit::Week)?;
    Some((count, unit, read.times(count)?))
}

/// Whether a folded word tells a time in whatever language: "last", "semaine".
pub fn tells_time(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<String>> =
        LazyLock::new(|| listed_phrases("time words").map(|(_, word)| fold(word)).collect());
    WORDS.contains(word)
}

/// Whether a text says when something is as seen from the day on which it is said: "tomorrow", "on friday", "last week".
pub fn counts_from_today(text: &str) -> bool {
    const FROM_TODAY: [&str; 8] =
        ["today", "tonight", "tomorrow", "yesterday", "ago", "last", "next", "recently"];
    let english = time_in_english(text);
    english.split_whitespace().any(|word| FROM_TODAY.contains(&word) || is_weekday(word))
}

/// Whether a question asks for a time.
pub fn asks_when(text: &str) -> bool {
    const LOOKED_AT: usize = 12;
    static ASKING: LazyLock<Phrases> =
        LazyLock::new(|| Phrases::of(&["asks when", "asks when anywhere", "asks which", "asks which time"]));
    let text = Folded::of(text);
    let found = ASKING.find(&text);
    let has = |section: usize, most: usize| {
        found.iter().any(|one| one.section == section && (one.at <= most || text.is_unspaced()))
    };
    has(0, 1) || has(1, LOOKED_AT) || (has(2, 1) && has(3, LOOKED_AT))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_date_in_figures_is_read_whichever_way_it_is_written() {
        let read = |text: &str, zone: &str| -> Vec<_> {
            let found = dates_in_figures(text, &TimeZone::get(zone).unwrap());
            found.into_iter().map(|one| (one.date, one.is_sure)).collect()
        };
        for (text, wanted, is_sure) in [
            ("on 2026-11-12", (Some(2026), 11, 12), true),
            ("at 2026-11-12T18:30", (Some(2026), 11, 12), true),
            ("am 12.11.26 war", (Some(2026), 11, 12), true),
            ("am 12.11., abends", (None, 11, 12), true),
            ("12/11/2026", (Some(2026), 11, 12), true),
            ("11/28", (None, 11, 28), false),
            ("2026年11月12日に", (Some(2026), 11, 12), true),
            ("11월 12일에", (None, 11, 12), true),
        ] {
            assert_eq!(read(text, "Europe/Berlin"), [(wanted, is_sure)], "{text}");
        }
        assert_eq!(read("12/11/2026", "America/Chicago"), [((Some(2026), 12, 11), true)]);
        for text in ["8.30", "version 1.12.2", "40.50.", "2026"] {
            assert!(read(text, "UTC").is_empty(), "{text}");
        }
    }

    #[test]
    fn a_sign_of_a_date_stands_behind_a_number() {
        let has = |text: &str| [DatePart::Month, DatePart::Day].map(|part| has_date_sign(text, part));
        for dated in [
            "3月14日",
            "三月十四日",
            "11월 12일에",
            "３月１４日",
            "正月三日",
            "元月一日",
            "十一月廿三日",
            "臘月卅日",
        ] {
            assert_eq!(has(dated), [true, true], "{dated}");
        }
        for word in ["월요일", "월급일", "생일", "月曜日", "毎月の休日"] {
            assert_eq!(has(word), [false, false], "{word}");
        }
    }

    #[test]
    fn a_day_without_a_year_is_the_nearest() {
        let today = date(2026, 3, 18);
        assert_eq!(Towards::Future.day(today, (None, 3, 18)), Some(today));
        assert_eq!(Towards::Future.day(today, (None, 3, 17)), Some(date(2027, 3, 17)));
        assert_eq!(Towards::Past.day(today, (None, 3, 19)), Some(date(2025, 3, 19)));
        assert_eq!(Towards::Past.day(today, (Some(2030), 3, 19)), Some(date(2030, 3, 19)));
        // A Wednesday.
        assert_eq!(coming_weekday(today, 3), Some(date(2026, 3, 25)));
        assert_eq!(coming_weekday(today, 1), Some(date(2026, 3, 23)));
    }
}
