//! From the parts of a text to a moment.

use std::sync::LazyLock;

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan as _, Zoned};
use regex::{Captures, Regex};

use super::lexicon::DueToken;
use super::{DueTime, NotDue};
use crate::domain::{Recurrence, Repeats};
use crate::text::calendar::{self, TimeUnit};
use crate::text::clock_time::clock_times;

/// What is written in figures as one word each, so that nothing tears it apart: "18:30" as "clock1830".
pub(super) fn with_marks(text: &str, tz: &TimeZone) -> String {
    static ORDINALS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\b(\d{1,2})(?:st|nd|rd|th|er|º|ª)\b").ok());
    let Some(ordinals) = &*ORDINALS else { return text.to_owned() };
    let text = with_clock_marks(&with_date_marks(text, tz));
    ordinals.replace_all(&text, |found: &Captures<'_>| format!(" nth{:0>2} ", &found[1])).into_owned()
}

fn with_date_marks(text: &str, tz: &TimeZone) -> String {
    let mut marked = text.to_owned();
    for one in calendar::dates_in_figures(text, tz).into_iter().rev() {
        let (year, month, day) = one.date;
        let mark = format!(" date{:04}{month:02}{day:02} ", year.unwrap_or_default());
        marked.replace_range(one.bytes, &mark);
    }
    marked
}

/// Hours whose minutes stand in figures behind them; the words of others are read with the rest.
fn with_clock_marks(text: &str) -> String {
    let mut marked = text.to_owned();
    for one in clock_times(text).into_iter().rev() {
        let (figures, minute) = (one.figures, one.minute.unwrap_or_default());
        if text[figures.clone()].contains(|letter: char| !letter.is_ascii_digit()) {
            marked.replace_range(figures, &format!(" clock{:02}{minute:02} ", one.hour));
        }
    }
    marked
}

/// A part of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
enum Part {
    Morning,
    Noon,
    Afternoon,
    #[strum(serialize = "evening", serialize = "tonight")]
    Evening,
    Night,
    Midnight,
}

/// Where no hour is said.
const USUAL_HOUR: i8 = 9;

impl Part {
    /// The hour that is meant where none is said.
    fn hour(self) -> i8 {
        match self {
            Self::Morning => 8,
            Self::Noon => 12,
            Self::Afternoon => 15,
            Self::Evening => 19,
            Self::Night => 22,
            Self::Midnight => 0,
        }
    }
}

/// What a text says, before it is held against a clock.
#[derive(Debug, Default)]
pub(super) struct DueReading {
    /// Days from today.
    days: Option<i64>,
    named: Option<(Option<i16>, i8, i8)>,
    day_of_month: Option<i8>,
    weekdays: Vec<i8>,
    /// The next week, month or year.
    next: Option<Span>,
    /// So long from now, part by part.
    spans: Vec<(TimeUnit, i64)>,
    clock: Option<(i8, i8)>,
    part: Option<Part>,
    /// The hour was said before the part of the day, which says no more than which half of it is meant: "at 3 at night".
    is_hour_first: bool,
    /// "am" is `Some(false)`.
    is_pm: Option<bool>,
    is_every: bool,
    every: Option<TimeUnit>,
    on_workdays: bool,
    /// The next number is an hour.
    at: bool,
    /// The next number is a length of time.
    ahead: bool,
}

impl DueReading {
    /// `None` where anything is not understood.
    pub(super) fn of(tokens: &[DueToken]) -> Option<Self> {
        let mut reading = Self::default();
        let mut rest = tokens;
        while !rest.is_empty() {
            let taken = reading.take(rest)?;
            rest = rest.get(taken..)?;
        }
        Some(reading)
    }

    /// Takes in what stands at the beginning; how many parts that was.
    fn take(&mut self, rest: &[DueToken]) -> Option<usize> {
        let word = |at: usize| word_at(rest, at);
        match &rest[0] {
            // "18:30 h"
            DueToken::Clock(hour, minute) => {
                self.is_at(*hour, *minute).map(|()| 1 + usize::from(word(1) == "hour"))
            }
            DueToken::Date(year, month, day) => self.is_named(*year, *month, *day).map(|()| 1),
            DueToken::Ordinal(day) => {
                match rest.iter().skip(1).find(|token| **token != DueToken::Word("beside")) {
                    Some(DueToken::Month(_)) => self.day_and_month(*day, rest),
                    _ => once(&mut self.day_of_month, *day).map(|()| 1),
                }
            }
            // "In two weeks on Monday" may be either of two.
            DueToken::Weekday(_) if !self.spans.is_empty() => None,
            DueToken::Weekday(day) => {
                self.weekdays.push(*day);
                Some(1)
            }
            DueToken::Month(month) => {
                let day = match rest.get(1)? {
                    DueToken::Number(day) => i8::try_from(*day).ok()?,
                    DueToken::Ordinal(day) => *day,
                    _ => return None,
                };
                let (year, taken) = year_at(rest, 2);
                self.is_named(year, *month, day).map(|()| taken)
            }
            DueToken::Number(number) => self.number(*number, rest),
            DueToken::Word("half") if word(1) == "past" => self.around(rest.get(2)?, 30),
            DueToken::Word("half") if word(1) == "to" => self.around(rest.get(2)?, -30),
            DueToken::Word("quarter") if word(1) == "past" => self.around(rest.get(2)?, 15),
            DueToken::Word("quarter") if word(1) == "to" => self.around(rest.get(2)?, -15),
            DueToken::Word("day") if word(1) == "after" && word(2) == "tomorrow" => {
                once(&mut self.days, 2).map(|()| 3)
            }
            DueToken::Word(said) => self.word(said, rest),
        }
    }

    fn word(&mut self, said: &'static str, rest: &[DueToken]) -> Option<usize> {
        match said {
            "beside" | "on" | "of" | "the" | "this" => {}
            "a" => return self.number(1, rest),
            "at" => self.at = true,
            "every" => self.is_every = true,
            "weekday" => self.on_workdays = true,
            "in" => self.ahead = true,
            "later" if !self.spans.is_empty() => {}
            "oclock" if self.clock.is_some() => {}
            "am" => once(&mut self.is_pm, false)?,
            "pm" => once(&mut self.is_pm, true)?,
            "today" => once(&mut self.days, 0)?,
            "tomorrow" => once(&mut self.days, 1)?,
            "tonight" => {
                once(&mut self.days, 0)?;
                once(&mut self.part, Part::Evening)?;
            }
            "next" => {
                let unit = word_at(rest, 1).parse::<TimeUnit>().ok();
                if let Some(unit @ (TimeUnit::Week | TimeUnit::Month | TimeUnit::Year)) = unit {
                    once(&mut self.next, unit.times(1)?)?;
                    return Some(2);
                }
            }
            _ => {
                if let Ok(part) = said.parse::<Part>() {
                    once(&mut self.part, part)?;
                    self.is_hour_first = self.clock.is_some();
                } else {
                    return self.unit_alone(said.parse().ok()?, rest);
                }
            }
        }
        Some(1)
    }

    /// A unit without a number: "every day", "через час", "saat 8", "la semana próxima".
    fn unit_alone(&mut self, unit: TimeUnit, rest: &[DueToken]) -> Option<usize> {
        match (unit, rest.get(1)) {
            (TimeUnit::Hour, Some(DueToken::Number(_) | DueToken::Clock(..))) => self.at = true,
            (TimeUnit::Week | TimeUnit::Month | TimeUnit::Year, Some(DueToken::Word("next"))) => {
                once(&mut self.next, unit.times(1)?)?;
                return Some(2);
            }
            _ if self.is_every => once(&mut self.every, unit)?,
            (_, Some(DueToken::Word("later"))) => self.spans.push((unit, 1)),
            _ if self.ahead => {
                self.spans.push((unit, 1));
                self.ahead = false;
            }
            _ => return None,
        }
        Some(1)
    }

    fn number(&mut self, number: i64, rest: &[DueToken]) -> Option<usize> {
        let word = |at: usize| word_at(rest, at);
        let next = word(1);
        // "two and a half hours"
        if next == "half" && word(2) == "hour" {
            self.lasts_half_more(number);
            return Some(3);
        }
        let is_clock = next == "oclock" || (next == "hour" && self.tells_clock() && word(2) != "later");
        if is_clock {
            return self.hour(number, rest, 2);
        }
        if let Ok(unit) = next.parse::<TimeUnit>() {
            if unit == TimeUnit::Day && self.every == Some(TimeUnit::Month) {
                return once(&mut self.day_of_month, i8::try_from(number).ok()?).map(|()| 2);
            }
            // "une heure et demie"
            let half = 2 + usize::from(rest.get(2).is_some_and(is_beside));
            if unit == TimeUnit::Hour && word(half) == "half" {
                self.lasts_half_more(number);
                return Some(half + 1);
            }
            self.spans.push((unit, number));
            self.ahead = false;
            return Some(2);
        }
        let day = i8::try_from(number).ok().filter(|day| (1..=31).contains(day));
        let month = rest.iter().skip(1).find(|token| !is_beside(token));
        if let (Some(day), Some(DueToken::Month(_))) = (day, month)
            && !self.at
        {
            return self.day_and_month(day, rest);
        }
        let leads = next.parse::<Part>().is_ok() || matches!(next, "am" | "pm" | "half");
        if self.at
            || leads
            || (self.clock.is_none() && self.tells_day() && self.every != Some(TimeUnit::Month))
        {
            return self.hour(number, rest, 1);
        }
        once(&mut self.day_of_month, day.filter(|_| self.every == Some(TimeUnit::Month))?).map(|()| 1)
    }

    /// So many hours and a half.
    fn lasts_half_more(&mut self, hours: i64) {
        self.spans.extend([(TimeUnit::Hour, hours), (TimeUnit::Minute, 30)]);
        self.ahead = false;
    }

    /// An hour, and what stands behind it from `at` on: minutes, "half".
    fn hour(&mut self, number: i64, rest: &[DueToken], at: usize) -> Option<usize> {
        let hour = i8::try_from(number).ok()?;
        let at_word = |at: usize, word: &str| word_at(rest, at) == word;
        // "8 heures et demie"
        let behind = at + usize::from(rest.get(at).is_some_and(is_beside));
        self.at = false;
        if at_word(behind, "half") {
            return self.is_at(hour, 30).map(|()| behind + 1);
        }
        if at_word(behind, "quarter") && !at_word(behind + 1, "past") && !at_word(behind + 1, "to") {
            return self.is_at(hour, 15).map(|()| behind + 1);
        }
        if at_word(behind, "minus") && at_word(behind + 1, "quarter") {
            return self.is_at((hour + 23) % 24, 45).map(|()| behind + 2);
        }
        let minutes = match rest.get(at) {
            Some(DueToken::Number(minutes)) => {
                i8::try_from(*minutes).ok().filter(|minutes| (0..60).contains(minutes))
            }
            _ => None,
        };
        let is_named = at_word(at + 1, "minute");
        match minutes {
            // Nobody says "one nine" for 01:09; in Portuguese the "um" of "Montag um 9" would be a one.
            Some(..10) if !is_named => None,
            Some(minutes) => self.is_at(hour, minutes).map(|()| at + 1 + usize::from(is_named)),
            None => self.is_at(hour, 0).map(|()| at),
        }
    }

    /// So many minutes before or behind a full hour.
    fn around(&mut self, hour: &DueToken, minutes: i64) -> Option<usize> {
        let DueToken::Number(hour @ 1..=24) = hour else { return None };
        let minutes = hour * 60 + minutes;
        let (hour, minute) = (i8::try_from(minutes / 60).ok()?, i8::try_from(minutes % 60).ok()?);
        self.at = false;
        self.is_at(hour, minute).map(|()| 3)
    }

    fn is_at(&mut self, hour: i8, minute: i8) -> Option<()> {
        self.at = false;
        let is_one = (0..=24).contains(&hour) && (0..60).contains(&minute) && (hour < 24 || minute == 0);
        if is_one { once(&mut self.clock, (hour % 24, minute)) } else { None }
    }

    fn is_named(&mut self, year: Option<i16>, month: i8, day: i8) -> Option<()> {
        once(&mut self.named, (year, month, day))
    }

    /// "7 May 2027", "24th of December".
    fn day_and_month(&mut self, day: i8, rest: &[DueToken]) -> Option<usize> {
        let at = rest.iter().position(|token| matches!(token, DueToken::Month(_)))?;
        let DueToken::Month(month) = rest[at] else { return None };
        let (year, taken) = year_at(rest, at + 1);
        self.is_named(year, month, day).map(|()| taken)
    }

    /// Whether a number of hours is a time of the day here.
    fn tells_clock(&self) -> bool {
        !self.ahead && (self.at || self.tells_day())
    }

    fn tells_day(&self) -> bool {
        self.days.is_some()
            || self.named.is_some()
            || self.next.is_some()
            || !self.weekdays.is_empty()
            || self.part.is_some()
            || self.is_pm.is_some()
            || self.is_every
            || self.on_workdays
    }

    fn time(&self) -> Option<(Time, i64)> {
        let Some((hour, minute)) = self.clock else {
            let hour = self.part.map_or(USUAL_HOUR, Part::hour);
            return Some((Time::new(hour, 0, 0, 0).ok()?, i64::from(self.part == Some(Part::Midnight))));
        };
        // "Tomorrow at 3 at night" is a small hour of that day; "tomorrow night at 3" is one of the night that begins then.
        let is_of_named_day = self.is_hour_first
            && hour < 6
            && (self.named.is_some() || self.days.is_some_and(|days| days > 0));
        // Twelve at night, and the small hours of a night, are the next day's.
        let is_after_midnight = match self.part {
            Some(Part::Night | Part::Midnight) if is_of_named_day => false,
            Some(Part::Night | Part::Midnight) => hour < 6 || hour == 12,
            Some(Part::Evening) => self.is_pm.is_none() && (hour < 5 || hour == 12),
            _ => false,
        };
        let is_late = match self.part {
            Some(Part::Afternoon) => true,
            Some(Part::Evening) => !is_after_midnight,
            Some(Part::Night | Part::Midnight) => (6..12).contains(&hour),
            Some(Part::Noon) => hour < 4,
            _ => false,
        };
        let hour = match (self.is_pm, hour) {
            (Some(true), 1..=11) => hour + 12,
            (Some(false), 12) => 0,
            (None, 1..=11) if is_late => hour + 12,
            (None, 12) if is_after_midnight => 0,
            _ => hour,
        };
        Some((Time::new(hour, minute, 0, 0).ok()?, i64::from(is_after_midnight)))
    }

    /// The moment, as said at `now`.
    pub(super) fn resolve(&self, now: Timestamp, tz: &TimeZone) -> Result<DueTime, NotDue> {
        let local = now.to_zoned(tz.clone());
        let (time, days_more) = self.time().ok_or(NotDue::Form)?;
        if self.is_every || self.on_workdays {
            let recurrence = self.recurrence(local.date(), time, days_more > 0)?;
            let at = recurrence.next(now, tz).ok_or(NotDue::TooFar)?;
            return Ok(DueTime { at, recurrence: Some(recurrence) });
        }
        // "Friday in a week" counts its weeks from Friday.
        let is_other_day =
            self.next.is_some() || self.days.is_some() || self.named.is_some() || self.day_of_month.is_some();
        let is_weeks_on =
            !is_other_day && self.weekdays.len() == 1 && matches!(self.spans[..], [(TimeUnit::Week, 1..=52)]);
        let at = if self.spans.is_empty() || is_weeks_on {
            self.dated(&local, time, days_more)
        } else {
            self.next_after_now(&local, time)
        };
        Ok(DueTime { at: at.ok_or(NotDue::Form)?.timestamp(), recurrence: None })
    }

    fn recurrence(&self, today: Date, at: Time, is_next_day: bool) -> Result<Recurrence, NotDue> {
        if self.every.is_some_and(|unit| unit < TimeUnit::Day) {
            return Err(NotDue::TooOften);
        }
        if let Some((unit, _)) = self.spans.first() {
            return Err(if *unit < TimeUnit::Day { NotDue::TooOften } else { NotDue::Form });
        }
        // Friday at midnight is when Friday ends.
        let mut days: Vec<i8> =
            self.weekdays.iter().map(|day| if is_next_day { day % 7 + 1 } else { *day }).collect();
        days.sort_unstable();
        days.dedup();
        let repeats = match (self.every, self.named, self.day_of_month) {
            _ if self.on_workdays => Repeats::Weekdays,
            (None | Some(TimeUnit::Week), None, None) if !days.is_empty() => Repeats::Weekly(days),
            (None | Some(TimeUnit::Year), Some((None, month, day)), None) => Repeats::Yearly(month, day),
            (Some(TimeUnit::Month), None, Some(day)) => Repeats::Monthly(day),
            (Some(TimeUnit::Month), None, None) => Repeats::Monthly(today.day()),
            (Some(TimeUnit::Year), None, None) => Repeats::Yearly(today.month(), today.day()),
            (Some(TimeUnit::Week), None, None) => {
                Repeats::Weekly(vec![today.weekday().to_monday_one_offset()])
            }
            (Some(TimeUnit::Day), None, None) => Repeats::Daily,
            (None, None, None) if self.part.is_some() => Repeats::Daily,
            _ => return Err(NotDue::Form),
        };
        Ok(Recurrence { repeats, at })
    }

    /// "in 20 minutes", "in three days at nine".
    fn next_after_now(&self, local: &Zoned, time: Time) -> Option<Zoned> {
        if self.days.is_some() || self.named.is_some() || self.next.is_some() || !self.weekdays.is_empty() {
            return None;
        }
        let mut at = local.clone();
        for (unit, count) in &self.spans {
            at = at.checked_add(unit.times(*count)?).ok()?;
        }
        if self.clock.is_none() && self.part.is_none() {
            return Some(at);
        }
        if self.spans.iter().any(|(unit, _)| *unit < TimeUnit::Day) {
            return None;
        }
        at.date().to_datetime(time).to_zoned(local.time_zone().clone()).ok()
    }

    fn dated(&self, local: &Zoned, time: Time, days_more: i64) -> Option<Zoned> {
        let (today, tz) = (local.date(), local.time_zone());
        let moment = |date: Date| {
            let date = date.checked_add(days_more.days()).ok()?;
            date.to_datetime(time).to_zoned(tz.clone()).ok()
        };
        let days = |days: i64| today.checked_add(days.days()).ok();
        let is_ahead = |at: &Zoned| at.timestamp() > local.timestamp();
        if let Some((year, month, day)) = self.named {
            let in_year = |year: i16| Date::new(year, month, day).ok().and_then(moment);
            return match year {
                Some(year) => in_year(year),
                // A leap day may be some years away.
                None => (0..=8).filter_map(|years| in_year(today.year() + years)).find(is_ahead),
            };
        }
        if let Some(day) = self.day_of_month {
            let first = today.first_of_month();
            let month = |months: i64| first.checked_add(months.months()).ok();
            let of = |first: Date| Date::new(first.year(), first.month(), day).ok().and_then(moment);
            return (0..=12).filter_map(month).filter_map(of).find(is_ahead);
        }
        if let [day] = self.weekdays[..] {
            let weeks: i64 = self.spans.iter().map(|(_, count)| count).sum();
            let to = i64::from((day - today.weekday().to_monday_one_offset()).rem_euclid(7)) + 7 * weeks;
            if self.next.is_some() {
                // That day of the next week.
                let monday = 8 - i64::from(today.weekday().to_monday_one_offset());
                return days(monday + i64::from(day - 1)).and_then(moment);
            }
            return [to, to + 7].into_iter().filter_map(days).filter_map(moment).find(is_ahead);
        }
        if !self.weekdays.is_empty() {
            return None;
        }
        if let Some(next) = self.next {
            return today.checked_add(next).ok().and_then(moment);
        }
        if let Some(ahead) = self.days {
            // In the small hours the night that is on is meant, as long as its hour is still to come.
            let soonest = if ahead == 0 { days(-days_more) } else { None };
            let at = soonest.and_then(moment).filter(is_ahead).or_else(|| days(ahead).and_then(moment))?;
            // "Today at 8", said at noon.
            let is_open = ahead == 0 && self.part.is_none() && self.is_pm.is_none() && time.hour() < 12;
            let later = || at.checked_add(12.hours()).ok().filter(is_ahead);
            return if is_open && !is_ahead(&at) { later().or(Some(at)) } else { Some(at) };
        }
        (self.clock.is_some() || self.part.is_some())
            .then(|| [-days_more, 0, 1].into_iter().filter_map(days).filter_map(moment).find(is_ahead))
            .flatten()
    }
}

/// The word at a place, in English; empty where none is.
fn word_at(rest: &[DueToken], at: usize) -> &'static str {
    match rest.get(at) {
        Some(DueToken::Word(word)) => word,
        _ => "",
    }
}

fn is_beside(token: &DueToken) -> bool {
    matches!(token, DueToken::Word("beside" | "of" | "on" | "the"))
}

/// A year at a place, whatever small words stand before it, and where it ends.
fn year_at(rest: &[DueToken], at: usize) -> (Option<i16>, usize) {
    let over = at + usize::from(rest.get(at).is_some_and(is_beside));
    match rest.get(over) {
        Some(DueToken::Number(year @ 1970..=2200)) => (i16::try_from(*year).ok(), over + 1),
        _ => (None, at),
    }
}

/// Nothing is said twice.
fn once<T>(slot: &mut Option<T>, value: T) -> Option<()> {
    if slot.is_some() {
        return None;
    }
    *slot = Some(value);
    Some(())
}
