//! When a question is about: "yesterday", "last Tuesday", "vor drei Tagen", "in March", "12.11.2026", read without a model.
//!
//! The result is a window that lifts what was said near it; it never shuts anything out (memory 1.5c).

use jiff::civil::{Date, Time, Weekday, time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

pub(super) use crate::text::calendar::asks_when;
use crate::text::calendar::{
    self, TimeUnit, Towards, dates_in_figures, day_named, day_number, month, tells_time, time_in_english,
    time_word_in_english,
};
use crate::text::keywords;

/// What is said this many days from the window counts a third (memory 2.3, "exp(-gap/5 days)").
const FADE_DAYS: f64 = 5.0;

/// A stretch of time that a question means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeWindow {
    pub from: Timestamp,
    pub to: Timestamp,
}

impl TimeWindow {
    /// How near a moment is, 1 within the window and fading over days outside it.
    pub fn nearness(&self, at: Timestamp) -> f32 {
        let seconds = if at < self.from {
            self.from.duration_since(at).as_secs()
        } else {
            at.duration_since(self.to).as_secs().max(0)
        };
        let days = seconds as f64 / 86_400.0;
        (-days / FADE_DAYS).exp() as f32
    }
}

/// Reads the first time expression of a text, as said at `now` by a clock in `tz`.
pub fn window_in(text: &str, now: Timestamp, tz: &TimeZone) -> Option<TimeWindow> {
    first_in(text, now, tz, |words, before, today| read_time(words, before, now, today, tz))
}

/// Reads the first date of a text that is named and not counted from today: "7 May 2023", "in March".
pub(super) fn named_in(text: &str, now: Timestamp, tz: &TimeZone) -> Option<TimeWindow> {
    first_in(text, now, tz, |words, before, today| named_date(words, before, today, tz))
}

/// A date in figures, else what `read` makes of the words from one on, of the one before them, and of today.
fn first_in(
    text: &str,
    now: Timestamp,
    tz: &TimeZone,
    read: impl Fn(&[String], Option<&str>, Date) -> Option<TimeWindow>,
) -> Option<TimeWindow> {
    let today = now.to_zoned(tz.clone()).date();
    let mut in_figures = dates_in_figures(text, tz).into_iter().filter(|one| one.is_sure);
    if let Some(date) = in_figures.find_map(|one| Towards::Past.day(today, one.date)) {
        return days_window(date, date, tz);
    }
    let words: Vec<String> = keywords::words(&time_in_english(text)).collect();
    let before = |at: usize| at.checked_sub(1).map(|before| words[before].as_str());
    (0..words.len()).find_map(|at| read(&words[at..], before(at), today))
}

fn read_time(
    words: &[String],
    before: Option<&str>,
    now: Timestamp,
    today: Date,
    tz: &TimeZone,
) -> Option<TimeWindow> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let first = word(0);
    let days_ago = |days: i64| today.checked_sub(Span::new().try_days(days).ok()?).ok();
    let day = |date: Date| days_window(date, date, tz);
    match first {
        "yesterday" => return part_of(days_ago(1)?, word(1), tz).or_else(|| day(days_ago(1)?)),
        "today" => return part_of(today, word(1), tz).or_else(|| day(today)),
        "tonight" => return part_of(today, "evening", tz),
        "this" => {
            return part_of(today, word(1), tz).or_else(|| match unit(word(1))? {
                TimeUnit::Week => days_window(monday(today)?, today, tz),
                TimeUnit::Month => days_window(today.first_of_month(), today.last_of_month(), tz),
                TimeUnit::Year => days_window(today.first_of_year(), today.last_of_year(), tz),
                TimeUnit::Fortnight => up_to(today, 1, TimeUnit::Fortnight, tz),
                TimeUnit::Second | TimeUnit::Minute | TimeUnit::Hour | TimeUnit::Day => None,
            });
        }
        "last" | "past" => return last(&words[1..], today, tz),
        "the" if word(1) == "day" && word(2) == "before" && word(3) == "yesterday" => {
            return day(days_ago(2)?);
        }
        "the" if word(1) == "other" && word(2) == "day" => {
            return days_window(days_ago(7)?, days_ago(1)?, tz);
        }
        "recently" | "lately" => return days_window(days_ago(14)?, today, tz),
        // "three days ago", "vor drei Tagen"
        _ if word(2) == "ago" => return ago(first, word(1), now, today, tz),
        "ago" => return ago(word(1), word(2), now, today, tz),
        "a" if word(1) == "couple" && word(2) == "of" && word(4) == "ago" => {
            return ago("2", word(3), now, today, tz);
        }
        // "la semana pasada"
        _ if word(1) == "last"
            && (unit(first).is_some() || weekday_word(first).is_some() || month(first).is_some()) =>
        {
            return last(&words[..1], today, tz);
        }
        _ => {}
    }
    let leads = matches!(before, Some("on" | "since" | "this" | "by"));
    if let Some(named) = weekday_word(first).filter(|_| leads) {
        return day(latest(today, named)?);
    }
    named_date(words, before, today, tz)
}

/// What stands beside "last": "night", "week", "Dienstag", "March".
fn last(words: &[String], today: Date, tz: &TimeZone) -> Option<TimeWindow> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let yesterday = today.yesterday().ok()?;
    if matches!(word(0), "night" | "evening") {
        let from = yesterday.to_datetime(time(18, 0, 0, 0)).to_zoned(tz.clone()).ok()?;
        let to = today.to_datetime(time(5, 0, 0, 0)).to_zoned(tz.clone()).ok()?;
        return Some(TimeWindow { from: from.timestamp(), to: to.timestamp() });
    }
    if let Some(named) = weekday_word(word(0)) {
        return latest(today, named).and_then(|date| days_window(date, date, tz));
    }
    if let Some(named) = month(word(0)) {
        let this_year = Date::new(today.year(), named, 1).ok()?;
        let first = if this_year.first_of_month() < today.first_of_month() {
            this_year
        } else {
            Date::new(today.year() - 1, named, 1).ok()?
        };
        return days_window(first, first.last_of_month(), tz);
    }
    if word(0).starts_with("weekend") {
        let saturday = latest(today, Weekday::Saturday)?;
        return days_window(saturday, saturday.tomorrow().ok()?, tz);
    }
    // "the past two weeks", "die letzten drei Tage": up to now.
    if let (Some(count), Some(named)) = (number_word(word(0)), unit(word(1))) {
        return up_to(today, count, named, tz);
    }
    match unit(word(0))? {
        TimeUnit::Fortnight => up_to(today, 1, TimeUnit::Fortnight, tz),
        TimeUnit::Week => {
            let start = monday(today)?.checked_sub(Span::new().days(7)).ok()?;
            days_window(start, start.checked_add(Span::new().days(6)).ok()?, tz)
        }
        TimeUnit::Month => {
            let end = today.first_of_month().yesterday().ok()?;
            days_window(end.first_of_month(), end, tz)
        }
        TimeUnit::Year => {
            let end = today.first_of_year().yesterday().ok()?;
            days_window(end.first_of_year(), end, tz)
        }
        TimeUnit::Second | TimeUnit::Minute | TimeUnit::Hour | TimeUnit::Day => None,
    }
}

/// The last so many units up to now.
fn up_to(today: Date, count: i64, named: TimeUnit, tz: &TimeZone) -> Option<TimeWindow> {
    days_window(so_far_back(today, count, named)?, today, tz)
}

/// The day so many units before today; hours reach back into yesterday, and less than an hour tells no day.
fn so_far_back(today: Date, count: i64, named: TimeUnit) -> Option<Date> {
    let back = match named {
        TimeUnit::Second | TimeUnit::Minute => return None,
        TimeUnit::Hour => Span::new().days(1),
        longer => longer.times(count)?,
    };
    today.checked_sub(back).ok()
}

/// So many units before now, as wide as the unit is vague.
fn ago(count: &str, named: &str, now: Timestamp, today: Date, tz: &TimeZone) -> Option<TimeWindow> {
    let (count, named) = (number_word(count)?, unit(named)?);
    let date = so_far_back(today, count, named)?;
    match named {
        TimeUnit::Second | TimeUnit::Minute => None,
        TimeUnit::Hour => {
            let middle = now.checked_sub(Span::new().try_hours(count).ok()?).ok()?;
            let slack = Span::new().minutes(45);
            Some(TimeWindow { from: middle.checked_sub(slack).ok()?, to: middle.checked_add(slack).ok()? })
        }
        TimeUnit::Day => days_window(date, date, tz),
        TimeUnit::Week | TimeUnit::Fortnight => {
            let slack = Span::new().days(3);
            days_window(date.checked_sub(slack).ok()?, date.checked_add(slack).ok()?, tz)
        }
        TimeUnit::Month => days_window(date.first_of_month(), date.last_of_month(), tz),
        TimeUnit::Year => days_window(date.first_of_year(), date.last_of_year(), tz),
    }
}

/// "7 May 2023", "May 7th", "2023-05-07", "in March", "March 2023", "in 2022".
fn named_date(words: &[String], before: Option<&str>, today: Date, tz: &TimeZone) -> Option<TimeWindow> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    if let Some(named) = day_named(words) {
        let date = Towards::Past.day(today, named)?;
        return days_window(date, date, tz);
    }
    if let Some(named) = month(word(0)) {
        let first_day = match year(word(if word(1) == "of" { 2 } else { 1 })) {
            Some(year) => Date::new(year, named, 1).ok()?,
            // "may" and "march" are months only where somebody says so.
            None if matches!(before, Some("in" | "since" | "during" | "of")) => {
                Towards::Past.day(today, (None, named, 1))?
            }
            None => return None,
        };
        return days_window(first_day, first_day.last_of_month(), tz);
    }
    let year = year(word(0))?;
    if matches!(before, Some("in" | "since" | "during" | "year")) {
        return days_window(Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?, tz);
    }
    None
}

/// Whether a folded word is about time: an answer to "when" usually holds one.
pub(super) fn is_time_word(word: &str) -> bool {
    tells_time(word)
        || weekday_word(word).is_some()
        || month(word).is_some_and(|_| word.len() > 3)
        || year(word).is_some()
        || ordinal_day(word)
}

pub(super) fn unit(word: &str) -> Option<TimeUnit> {
    time_word_in_english(word).parse().ok()
}

pub(super) fn number_word(word: &str) -> Option<i64> {
    match time_word_in_english(word) {
        "a" => Some(1),
        number => number.parse().ok().filter(|number| (0..=10_000).contains(number)),
    }
}

fn weekday_word(word: &str) -> Option<Weekday> {
    Weekday::from_monday_one_offset(calendar::weekday(word)?).ok()
}

fn ordinal_day(word: &str) -> bool {
    word.len() > 2 && word.ends_with(|c: char| c.is_ascii_alphabetic()) && day_number(word).is_some()
}

pub(super) fn year(word: &str) -> Option<i16> {
    let year: i16 = word.parse().ok()?;
    (word.len() == 4 && (1970..=2100).contains(&year)).then_some(year)
}

/// "morning", "abend": some hours of a day.
fn part_of(date: Date, named: &str, tz: &TimeZone) -> Option<TimeWindow> {
    let (from, to) = match named {
        "morning" => (4, 12),
        "noon" => (11, 14),
        "afternoon" => (12, 18),
        "evening" | "night" => (17, 23),
        _ => return None,
    };
    let moment = |at: Time| Some(date.to_datetime(at).to_zoned(tz.clone()).ok()?.timestamp());
    Some(TimeWindow { from: moment(time(from, 0, 0, 0))?, to: moment(time(to, 59, 59, 0))? })
}

fn days_window(from: Date, to: Date, tz: &TimeZone) -> Option<TimeWindow> {
    let from = from.to_zoned(tz.clone()).ok()?.timestamp();
    let to = to.tomorrow().ok()?.to_zoned(tz.clone()).ok()?.timestamp();
    Some(TimeWindow { from, to })
}

fn monday(today: Date) -> Option<Date> {
    today.checked_sub(Span::new().days(i64::from(today.weekday().to_monday_zero_offset()))).ok()
}

/// The last day of that name before today.
fn latest(today: Date, named: Weekday) -> Option<Date> {
    let back = i64::from(today.weekday().since(named));
    today.checked_sub(Span::new().days(if back == 0 { 7 } else { back })).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-03-18T15:30:00Z";

    fn dates(text: &str) -> Option<(String, String)> {
        let tz = TimeZone::get("Europe/Berlin").unwrap();
        let window = window_in(text, NOW.parse().unwrap(), &tz)?;
        let show = |at: Timestamp| at.to_zoned(tz.clone()).strftime("%F %H:%M").to_string();
        Some((show(window.from), show(window.to)))
    }

    #[test]
    fn a13_times_are_read_in_english_and_german() {
        for (text, from, to) in [
            ("what did I say yesterday?", "2026-03-17 00:00", "2026-03-18 00:00"),
            ("Was habe ich gestern gesagt?", "2026-03-17 00:00", "2026-03-18 00:00"),
            ("vorgestern war was?", "2026-03-16 00:00", "2026-03-17 00:00"),
            ("who was here this morning", "2026-03-18 04:00", "2026-03-18 12:59"),
            ("wer war heute früh da", "2026-03-18 04:00", "2026-03-18 12:59"),
            ("what was that last night", "2026-03-17 18:00", "2026-03-18 05:00"),
            ("last Tuesday you told me", "2026-03-17 00:00", "2026-03-18 00:00"),
            ("letzten Mittwoch", "2026-03-11 00:00", "2026-03-12 00:00"),
            ("as we said on Friday", "2026-03-13 00:00", "2026-03-14 00:00"),
            ("three days ago", "2026-03-15 00:00", "2026-03-16 00:00"),
            ("vor drei Tagen", "2026-03-15 00:00", "2026-03-16 00:00"),
            ("2 weeks ago", "2026-03-01 00:00", "2026-03-08 00:00"),
            ("a couple of days ago", "2026-03-16 00:00", "2026-03-17 00:00"),
            ("last week", "2026-03-09 00:00", "2026-03-16 00:00"),
            ("letzte Woche", "2026-03-09 00:00", "2026-03-16 00:00"),
            ("last month", "2026-02-01 00:00", "2026-03-01 00:00"),
            ("what happened in March?", "2026-03-01 00:00", "2026-04-01 00:00"),
            ("im Dezember", "2025-12-01 00:00", "2026-01-01 00:00"),
            ("in May 2023", "2023-05-01 00:00", "2023-06-01 00:00"),
            ("on 7 May 2023", "2023-05-07 00:00", "2023-05-08 00:00"),
            ("on May 7th, 2023", "2023-05-07 00:00", "2023-05-08 00:00"),
            ("am 7. Mai", "2025-05-07 00:00", "2025-05-08 00:00"),
            ("on 2023-05-07", "2023-05-07 00:00", "2023-05-08 00:00"),
            ("back in 2022", "2022-01-01 00:00", "2023-01-01 00:00"),
            ("two hours ago", "2026-03-18 13:45", "2026-03-18 15:15"),
            ("the other day", "2026-03-11 00:00", "2026-03-18 00:00"),
            ("what did we do in the past two weeks?", "2026-03-04 00:00", "2026-03-19 00:00"),
            ("in den letzten drei Tagen", "2026-03-15 00:00", "2026-03-19 00:00"),
            ("the last fortnight", "2026-03-04 00:00", "2026-03-19 00:00"),
            ("a fortnight ago", "2026-03-01 00:00", "2026-03-08 00:00"),
            ("on 12.11.2025?", "2025-11-12 00:00", "2025-11-13 00:00"),
            ("was war am 12.11.25?", "2025-11-12 00:00", "2025-11-13 00:00"),
            ("am 12.11. hast du gelacht", "2025-11-12 00:00", "2025-11-13 00:00"),
            ("on 12/11/2025", "2025-11-12 00:00", "2025-11-13 00:00"),
            ("on 11/28/2025", "2025-11-28 00:00", "2025-11-29 00:00"),
            ("2025年11月12日は何をした", "2025-11-12 00:00", "2025-11-13 00:00"),
            ("11월 12일에 뭐 했어", "2025-11-12 00:00", "2025-11-13 00:00"),
            ("¿qué dije el 12 de noviembre?", "2025-11-12 00:00", "2025-11-13 00:00"),
            ("el 12 de noviembre de 2024", "2024-11-12 00:00", "2024-11-13 00:00"),
            ("le 1er août 2025", "2025-08-01 00:00", "2025-08-02 00:00"),
            ("12 ноября", "2025-11-12 00:00", "2025-11-13 00:00"),
            ("12 listopada", "2025-11-12 00:00", "2025-11-13 00:00"),
            ("12 Kasım 2025", "2025-11-12 00:00", "2025-11-13 00:00"),
            ("¿qué hicimos ayer?", "2026-03-17 00:00", "2026-03-18 00:00"),
            ("¿qué cenamos anoche?", "2026-03-17 18:00", "2026-03-18 05:00"),
            ("¿y antes de ayer?", "2026-03-16 00:00", "2026-03-17 00:00"),
            ("la semana pasada", "2026-03-09 00:00", "2026-03-16 00:00"),
            ("qu'as-tu fait l'année dernière ?", "2025-01-01 00:00", "2026-01-01 00:00"),
            ("что было вчера?", "2026-03-17 00:00", "2026-03-18 00:00"),
            ("dün ne yaptık", "2026-03-17 00:00", "2026-03-18 00:00"),
            ("昨日は何をした？", "2026-03-17 00:00", "2026-03-18 00:00"),
            ("一昨日の話", "2026-03-16 00:00", "2026-03-17 00:00"),
            ("上个月发生了什么", "2026-02-01 00:00", "2026-03-01 00:00"),
            ("어제는 뭐 했어?", "2026-03-17 00:00", "2026-03-18 00:00"),
        ] {
            assert_eq!(dates(text), Some((from.to_owned(), to.to_owned())), "{text}");
        }
    }

    #[test]
    fn a13_between_slashes_the_month_comes_first_where_clocks_are_american() {
        let read = |zone: &str| {
            let tz = TimeZone::get(zone).unwrap();
            let window = window_in("on 12/11/2025", NOW.parse().unwrap(), &tz)?;
            Some(window.from.to_zoned(tz).date().to_string())
        };
        assert_eq!(read("America/Chicago").as_deref(), Some("2025-12-11"));
        assert_eq!(read("America/Sao_Paulo").as_deref(), Some("2025-11-12"));
        assert_eq!(read("Asia/Tokyo").as_deref(), Some("2025-11-12"));
    }

    #[test]
    fn a_date_that_is_named_goes_before_one_that_is_counted_from_today() {
        let now = NOW.parse().unwrap();
        let window =
            named_in("what did she start recently, as she said on 3 June 2023?", now, &TimeZone::UTC);
        assert_eq!(window.map(|window| window.from), Some("2023-06-03T00:00:00Z".parse().unwrap()));
        assert_eq!(named_in("what did she start recently?", now, &TimeZone::UTC), None);
    }

    #[test]
    fn words_that_only_look_like_times_are_none() {
        for text in [
            "may I come in?",
            "march on!",
            "at last",
            "it lasts",
            "2022 of them",
            "sun and sat",
            "vor allem",
            "version 1.12.2 of it",
            "wer war hier?",
            "d'un coup",
            "3/4 of them",
            "",
        ] {
            assert_eq!(dates(text), None, "{text}");
        }
    }

    #[test]
    fn a13_a_window_lifts_what_is_near_and_shuts_nothing_out() {
        let window = TimeWindow {
            from: "2026-03-10T00:00:00Z".parse().unwrap(),
            to: "2026-03-11T00:00:00Z".parse().unwrap(),
        };
        let near = |at: &str| window.nearness(at.parse().unwrap());
        assert_eq!(near("2026-03-10T12:00:00Z"), 1.0);
        assert!((near("2026-03-16T00:00:00Z") - (-1.0f32).exp()).abs() < 0.01);
        assert!((near("2026-03-05T00:00:00Z") - (-1.0f32).exp()).abs() < 0.01);
        assert!(near("2025-01-01T00:00:00Z") >= 0.0);
    }

    #[test]
    fn questions_for_a_time_are_told_from_others() {
        for (text, asks) in [
            ("When did Ana move?", true),
            ("Wann ist Ana umgezogen?", true),
            ("How long has she lived there?", true),
            ("Which year was it?", true),
            ("What did she do then?", false),
            ("I know when to stop", false),
        ] {
            assert_eq!(asks_when(text), asks, "{text}");
        }
        let tells = |text: &str| keywords::words(text).any(|word| is_time_word(&word));
        assert!(tells("we went there on the 7th") && tells("last summer"));
        assert!(!tells("may I have some tea"));
    }
}
