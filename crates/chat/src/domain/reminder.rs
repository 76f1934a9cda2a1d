//! What somebody asked to be reminded of, and when it comes again.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde::{Deserialize, Serialize};

use super::InvalidId;

/// Names one reminder, timer or open loop for as long as it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReminderId(pub i64);

impl fmt::Display for ReminderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", parse_err_ty = InvalidId, parse_err_fn = no_kind)]
pub enum ReminderKind {
    /// To be told again at a moment.
    Reminder,
    /// So long from now.
    Timer,
    /// What a place does again and again: told to everybody there.
    Ritual,
    /// Something unfinished that has no moment: it is spoken of when whoever told of it comes back.
    OpenLoop,
}

impl ReminderKind {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

fn no_kind(value: &str) -> InvalidId {
    invalid("kind of reminder", value)
}

/// On which days something comes again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repeats {
    Daily,
    /// Monday to Friday.
    Weekdays,
    /// On these days of the week, Monday being 1; in their order, each once.
    Weekly(Vec<i8>),
    /// On this day of every month; on its last day where it has fewer.
    Monthly(i8),
    /// On this month and day of every year; on 28 February where there is no 29th.
    Yearly(i8, i8),
}

impl Repeats {
    /// Whether it comes on a day.
    fn is_on(&self, date: Date) -> bool {
        let day_of_week = date.weekday().to_monday_one_offset();
        let is_day = |day: i8| date.day() == day.min(date.days_in_month());
        match self {
            Self::Daily => true,
            Self::Weekdays => day_of_week <= 5,
            Self::Weekly(days) => days.contains(&day_of_week),
            Self::Monthly(day) => is_day(*day),
            Self::Yearly(month, day) => date.month() == *month && is_day(*day),
        }
    }
}

/// What comes again: on which days, and at what time of the day by the clock of whoever asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recurrence {
    pub repeats: Repeats,
    pub at: Time,
}

/// Days that are looked through for the next; every year has each of its days.
const DAYS_MAX: i64 = 367;

impl Recurrence {
    /// The first time behind a moment. Eight o'clock stays eight o'clock when clocks are changed; a time that a day does not
    /// have is as much later as its clock jumps. `None` at the end of time.
    pub fn next(&self, after: Timestamp, tz: &TimeZone) -> Option<Timestamp> {
        let today = after.to_zoned(tz.clone()).date();
        (0..=DAYS_MAX).find_map(|days| {
            let date = today.checked_add(days.days()).ok()?;
            if !self.repeats.is_on(date) {
                return None;
            }
            let at = date.to_datetime(self.at).to_zoned(tz.clone()).ok()?.timestamp();
            (at > after).then_some(at)
        })
    }

    /// "every Monday and Friday at 08:00".
    pub fn in_words(&self) -> String {
        let days = match &self.repeats {
            Repeats::Daily => "every day".to_owned(),
            Repeats::Weekdays => "every weekday".to_owned(),
            Repeats::Weekly(days) => {
                let names: Vec<&str> = days.iter().map(|day| day_name(*day)).collect();
                format!("every {}", names.join(" and "))
            }
            Repeats::Monthly(day) => format!("every month on day {day}"),
            Repeats::Yearly(month, day) => format!("every year on {}", day_of_year(*month, *day)),
        };
        format!("{days} at {}", self.at.strftime("%H:%M"))
    }
}

fn day_name(number: i8) -> &'static str {
    const NAMES: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    usize::try_from(number - 1).ok().and_then(|at| NAMES.get(at)).copied().unwrap_or("a day")
}

fn day_of_year(month: i8, day: i8) -> String {
    // A leap year has every day.
    Date::new(2024, month, day).map_or_else(|_| format!("{day}"), |date| date.strftime("%-d %B").to_string())
}

impl fmt::Display for Recurrence {
    /// As it is kept: `daily 08:00`, `weekly 1,5 08:00`, `yearly 5-7 08:00`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.repeats {
            Repeats::Daily => f.write_str("daily")?,
            Repeats::Weekdays => f.write_str("weekdays")?,
            Repeats::Weekly(days) => {
                let days: Vec<String> = days.iter().map(ToString::to_string).collect();
                write!(f, "weekly {}", days.join(","))?;
            }
            Repeats::Monthly(day) => write!(f, "monthly {day}")?,
            Repeats::Yearly(month, day) => write!(f, "yearly {month}-{day}")?,
        }
        write!(f, " {}", self.at.strftime("%H:%M"))
    }
}

impl FromStr for Recurrence {
    type Err = InvalidId;

    fn from_str(value: &str) -> Result<Self, InvalidId> {
        read_kept(value).ok_or_else(|| invalid("recurrence", value))
    }
}

fn read_kept(value: &str) -> Option<Recurrence> {
    let (days, at) = value.rsplit_once(' ')?;
    let (hour, minute) = at.split_once(':')?;
    let at = Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()?;
    let day = |day: &str| day.parse().ok().filter(|day| (1..=31).contains(day));
    let repeats = match days.split_once(' ') {
        None if days == "daily" => Repeats::Daily,
        None if days == "weekdays" => Repeats::Weekdays,
        Some(("weekly", days)) => {
            let days: Option<Vec<i8>> = days.split(',').map(|one| day(one).filter(|day| *day <= 7)).collect();
            Repeats::Weekly(days?)
        }
        Some(("monthly", one)) => Repeats::Monthly(day(one)?),
        Some(("yearly", one)) => {
            let (month, one) = one.split_once('-')?;
            Repeats::Yearly(day(month).filter(|month| *month <= 12)?, day(one)?)
        }
        _ => return None,
    };
    Some(Recurrence { repeats, at })
}

fn invalid(kind: &'static str, value: &str) -> InvalidId {
    InvalidId { kind, value: value.to_owned(), reason: "nothing of this form is kept" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(kept: &str, after: &str) -> String {
        let tz = TimeZone::get("Europe/Berlin").unwrap();
        let recurrence: Recurrence = kept.parse().unwrap();
        assert_eq!(recurrence.to_string(), kept, "written and read again it is the same");
        let at = recurrence.next(after.parse().unwrap(), &tz).unwrap();
        at.to_zoned(tz).strftime("%a %F %H:%M %z").to_string()
    }

    #[test]
    fn what_comes_again_comes_at_the_same_time_of_the_day_when_clocks_are_changed() {
        assert_eq!(next("daily 08:00", "2026-03-28T07:00:00Z"), "Sun 2026-03-29 08:00 +0200");
        assert_eq!(next("daily 08:00", "2026-03-29T06:00:00Z"), "Mon 2026-03-30 08:00 +0200");
        assert_eq!(next("daily 08:00", "2026-10-24T06:00:00Z"), "Sun 2026-10-25 08:00 +0100");
        // There is no half past two on that day, and two of them on this one.
        assert_eq!(next("daily 02:30", "2026-03-28T12:00:00Z"), "Sun 2026-03-29 03:30 +0200");
        assert_eq!(next("daily 02:30", "2026-03-29T12:00:00Z"), "Mon 2026-03-30 02:30 +0200");
        assert_eq!(next("daily 02:30", "2026-10-24T12:00:00Z"), "Sun 2026-10-25 02:30 +0200");
        assert_eq!(next("daily 02:30", "2026-10-25T00:30:00Z"), "Mon 2026-10-26 02:30 +0100");
    }

    #[test]
    fn every_recurrence_finds_its_next_day() {
        for (kept, expected) in [
            ("weekdays 09:00", "Thu 2026-03-19 09:00 +0100"),
            ("weekly 3 20:00", "Wed 2026-03-18 20:00 +0100"),
            ("weekly 3 09:00", "Wed 2026-03-25 09:00 +0100"),
            ("weekly 1,5 09:00", "Fri 2026-03-20 09:00 +0100"),
            ("monthly 31 09:00", "Tue 2026-03-31 09:00 +0200"),
            ("monthly 17 09:00", "Fri 2026-04-17 09:00 +0200"),
            ("yearly 3-18 09:00", "Thu 2027-03-18 09:00 +0100"),
            ("yearly 2-29 09:00", "Sun 2027-02-28 09:00 +0100"),
        ] {
            assert_eq!(next(kept, "2026-03-18T15:30:00Z"), expected, "{kept}");
        }
        for bad in
            ["", "daily", "hourly 08:00", "weekly 08:00", "weekly 9 08:00", "monthly 0 08:00", "daily 25:00"]
        {
            assert!(bad.parse::<Recurrence>().is_err(), "{bad}");
        }
        let told: Recurrence = "weekly 1,5 09:00".parse().unwrap();
        assert_eq!(told.in_words(), "every Monday and Friday at 09:00");
    }
}
