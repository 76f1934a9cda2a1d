//! What the familiar does at which hours: `schedule.md`, written by people.
//!
//! Owns how the file reads and what holds at a moment. Must not know what comes of it. Start reading at [`read_schedule`].

use std::sync::LazyLock;

use jiff::Zoned;
use jiff::civil::{DateTime, Weekday};
use regex::Regex;

use crate::text::calendar;
use crate::text::short::{one_line, shortened};

/// What is read of the file, in bytes.
pub(super) const SCHEDULE_BYTES_MAX: u64 = 64 * 1024;

/// Parts of a day at most.
const PARTS_MAX: usize = 64;

/// The longest words on what it is doing, in characters: they stand in every prompt of those hours.
const DOING_CHARS: usize = 160;

/// Minutes of a day.
const DAY: u16 = 24 * 60;

/// How a person is at hours of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wakefulness {
    Awake,
    Busy,
    Asleep,
}

impl Wakefulness {
    /// As the file names it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Awake => "awake",
            Self::Busy => "busy",
            Self::Asleep => "asleep",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayPart {
    /// Whether it begins on each day of the week, Monday first.
    days: [bool; 7],
    /// Minutes from midnight; what ends before it begins ends on the day after.
    from: u16,
    to: u16,
    pub wakefulness: Wakefulness,
    /// What it is doing, in the words of whoever wrote the file; may be empty.
    pub doing: String,
}

impl DayPart {
    fn holds(&self, at: DateTime) -> bool {
        let minute = u16::try_from(i32::from(at.hour()) * 60 + i32::from(at.minute())).unwrap_or_default();
        let begins_on = |day: Weekday| {
            let number = usize::try_from(day.to_monday_zero_offset()).unwrap_or_default();
            self.days.get(number).copied().unwrap_or_default()
        };
        let (today, yesterday) = (at.weekday(), at.weekday().previous());
        if self.from < self.to {
            return begins_on(today) && (self.from..self.to).contains(&minute);
        }
        (begins_on(today) && minute >= self.from) || (begins_on(yesterday) && minute < self.to)
    }

    /// When it ends, as a clock shows it.
    pub fn ends(&self) -> String {
        format!("{:02}:{:02}", self.to / 60 % 24, self.to % 60)
    }
}

/// The parts of its days. Where several hold the first one counts, and where none does it is awake and free.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Schedule {
    parts: Vec<DayPart>,
}

impl Schedule {
    /// The part that holds at a moment, by the clock that the moment is told in.
    pub fn at(&self, now: &Zoned) -> Option<&DayPart> {
        self.parts.iter().find(|part| part.holds(now.datetime()))
    }

    pub fn len(&self) -> usize {
        self.parts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

/// Reads a schedule: the lines of its lists; everything else in the file is for people. Beside it a sentence for each line
/// that cannot be read, which is left out.
pub fn read_schedule(text: &str) -> (Schedule, Vec<String>) {
    let (mut parts, mut problems) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let Some(item) = ["- ", "* ", "+ "].iter().find_map(|mark| line.trim().strip_prefix(mark)) else {
            continue;
        };
        if parts.len() == PARTS_MAX {
            problems
                .push(format!("line {number}: more than {PARTS_MAX} parts of a day; the rest is left out"));
            break;
        }
        match read_day_part(item) {
            Ok(part) => parts.push(part),
            Err(why) => problems.push(format!("line {number}: {why}")),
        }
    }
    (Schedule { parts }, problems)
}

/// One line, as `Mon-Fri 09:00-12:00 busy: mending nets at the slip`.
fn read_day_part(item: &str) -> Result<DayPart, String> {
    static HOURS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(\d{1,2}):(\d{2})\s*[-–—]\s*(\d{1,2}):(\d{2})").ok());
    let shape = || {
        format!(
            "“{}” is no part of a day; write it as “- Mon-Fri 09:00-12:00 busy: mending nets”",
            shortened(item, 60)
        )
    };
    let found = HOURS.as_ref().and_then(|hours| hours.captures(item)).ok_or_else(shape)?;
    let whole = found.get(0).ok_or_else(shape)?;
    let [from, to] = [(1, 2), (3, 4)].map(|(hour, minute)| minute_of_day(&found[hour], &found[minute]));
    let (from, to) = (from?, to?);
    if from == to || from == DAY {
        return Err(format!("{} has no length; write 00:00-24:00 for a whole day", whole.as_str()));
    }
    let days = days(item.get(..whole.start()).unwrap_or_default())?;
    let behind = item.get(whole.end()..).unwrap_or_default().trim();
    let (word, doing) = behind.split_once(':').unwrap_or((behind, ""));
    let wakefulness = match word.trim().to_lowercase().as_str() {
        "awake" => Wakefulness::Awake,
        "busy" => Wakefulness::Busy,
        "asleep" => Wakefulness::Asleep,
        other => {
            return Err(format!("“{}” behind the hours; it is awake, busy or asleep", shortened(other, 40)));
        }
    };
    let doing = one_line(doing.trim());
    if doing.chars().count() > DOING_CHARS {
        return Err(format!("more than {DOING_CHARS} characters of what it is doing"));
    }
    Ok(DayPart { days, from, to, wakefulness, doing })
}

/// Minutes from midnight.
fn minute_of_day(hour: &str, minute: &str) -> Result<u16, String> {
    let time = hour.parse::<u16>().ok().zip(minute.parse::<u16>().ok());
    let time = time.filter(|(_, minute)| *minute < 60).map(|(hour, minute)| hour * 60 + minute);
    time.filter(|time| *time <= DAY).ok_or_else(|| format!("{hour}:{minute} is no time of a day"))
}

/// Days by their names in any language the program speaks, `Mon-Fri`, `Mo bis Fr`, `weekdays`, `weekends`; every day where none is
/// named.
fn days(words: &str) -> Result<[bool; 7], String> {
    let mut days = [false; 7];
    let mut mark = |from: usize, to: usize| {
        let mut day = from;
        loop {
            days[day] = true;
            if day == to {
                return;
            }
            day = (day + 1) % 7;
        }
    };
    // "Mon - Fri" as "Mon-Fri".
    let words = words.split(['-', '–', '—', '~', '〜', '～']).map(str::trim).collect::<Vec<_>>().join("-");
    let mut named = words.split([',', ' ', '\t']).map(str::trim).filter(|word| !word.is_empty()).peekable();
    if named.peek().is_none() {
        return Ok([true; 7]);
    }
    // The day named last, and whether a word behind it has the days run on to the next one.
    let (mut last, mut runs_on, mut is_daily) = (None, false, false);
    for word in named {
        let word = word.trim_end_matches(':');
        match calendar::in_list_of_days(word) {
            Some("weekdays") => mark(0, 4),
            Some("weekends") => mark(5, 6),
            Some("daily") => is_daily = true,
            Some("to") => runs_on = last.is_some(),
            Some(_) => {}
            None => {
                let (from, to) = match day(word) {
                    Ok(day) => (day, day),
                    Err(why) => {
                        word.split_once('-').map_or(Err(why), |(from, to)| Ok((day(from)?, day(to)?)))?
                    }
                };
                mark(last.filter(|_| runs_on).unwrap_or(from), to);
                (last, runs_on) = (Some(to), false);
            }
        }
    }
    if is_daily && days == [false; 7] {
        return Ok([true; 7]);
    }
    if runs_on || days == [false; 7] {
        return Err(format!("“{}” names no day of the week", shortened(&words, 40)));
    }
    Ok(days)
}

/// The number of a day, Monday 0.
fn day(word: &str) -> Result<usize, String> {
    let word = word.trim_end_matches('.');
    let named = calendar::weekday_in_list(word).and_then(|number| usize::try_from(number - 1).ok());
    let unknown = || format!("“{}” is no day of the week", shortened(&word.to_lowercase(), 40));
    named.filter(|day| *day < 7).ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Schedule {
        let (schedule, problems) = read_schedule(text);
        assert_eq!(problems, Vec::<String>::new());
        schedule
    }

    fn at(schedule: &Schedule, moment: &str) -> Option<(&'static str, String)> {
        let now: Zoned = format!("{moment}[Europe/Berlin]").parse().unwrap();
        schedule.at(&now).map(|part| (part.wakefulness.word(), part.doing.clone()))
    }

    #[test]
    fn a_night_belongs_to_the_day_it_begins_on_and_the_first_line_that_holds_counts() {
        let schedule = read(
            "# Pell's days\n\nOn feast days she does as she likes.\n\
             - Fri, Sat 23:00–08:00 asleep: in the bunk\n\
             - Sun-Thu 22:00-06:00 asleep\n\
             * weekdays 08:30-12:00 busy: mending nets: the big one first\n\
             - 12:00-24:00 awake: about on the quay\n",
        );
        let asleep = |doing: &str| Some(("asleep", doing.to_owned()));
        // 6 March 2026 is a Friday.
        assert_eq!(at(&schedule, "2026-03-06T22:30:00"), Some(("awake", "about on the quay".to_owned())));
        assert_eq!(at(&schedule, "2026-03-07T07:59:00"), asleep("in the bunk"));
        assert_eq!(at(&schedule, "2026-03-07T08:00:00"), None, "the night is over");
        assert_eq!(at(&schedule, "2026-03-08T07:59:00"), asleep("in the bunk"));
        assert_eq!(at(&schedule, "2026-03-08T23:30:00"), asleep(""));
        assert_eq!(at(&schedule, "2026-03-09T05:59:00"), asleep(""), "it began on Sunday");
        assert_eq!(
            at(&schedule, "2026-03-09T09:00:00"),
            Some(("busy", "mending nets: the big one first".to_owned()))
        );
        assert_eq!(at(&schedule, "2026-03-07T09:00:00"), None, "not on a Saturday");
    }

    #[test]
    fn days_are_named_in_any_language_and_may_run_over_the_end_of_the_week() {
        for days in [
            "Sat - Mon",
            "every Sunday",
            "weekend",
            "Sonntag",
            "dimanche",
            "domingo",
            "воскресенье",
            "日曜日",
            "Sun",
            "Sat-Mon",
            "Sa. and Sunday",
            "Sa-So",
            "am Wochenende",
            "von Samstag bis Montag",
            "le week-end",
            "du samedi au lundi",
            "los domingos",
            "sábado y domingo",
            "sexta-feira a domingo",
            "sabato e domenica",
            "za t/m ma",
            "sob, nd",
            "с пятницы по воскресенье",
            "cumartesi-pazar",
            "周六 至 周日",
            "土〜日",
            "주말",
        ] {
            let (schedule, problems) = read_schedule(&format!("- {days} 10:00-11:00 busy"));
            assert_eq!(problems, Vec::<String>::new(), "{days}");
            assert!(at(&schedule, "2026-03-08T10:30:00").is_some(), "{days}");
            assert!(at(&schedule, "2026-03-11T10:30:00").is_none(), "{days}");
        }
    }

    #[test]
    fn weekdays_are_named_in_many_ways() {
        for days in [
            "Mo-Fr",
            "Montag bis Freitag",
            "werktags",
            "lun. - ven.",
            "lunes a viernes",
            "пн-пт",
            "月-金",
            "Mon to Fri",
        ] {
            let schedule = read(&format!("- {days} 10:00-11:00 busy"));
            assert!(at(&schedule, "2026-03-04T10:30:00").is_some(), "{days}");
            assert!(at(&schedule, "2026-03-07T10:30:00").is_none(), "{days}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_line_and_left_out() {
        let (schedule, problems) = read_schedule(
            "- 9-12 busy\n- 09:00-12:00 working\n- Mox 09:00-12:00 busy\n- bis 09:00-10:00 busy\n- 25:00-26:00 busy\n- 09:00-09:00 busy\n\
             - 10:00-11:00 busy\n",
        );
        assert_eq!(schedule.len(), 1);
        insta::assert_snapshot!(problems.join("\n"), @r"
        line 1: “9-12 busy” is no part of a day; write it as “- Mon-Fri 09:00-12:00 busy: mending nets”
        line 2: “working” behind the hours; it is awake, busy or asleep
        line 3: “mox” is no day of the week
        line 4: “bis” names no day of the week
        line 5: 25:00 is no time of a day
        line 6: 09:00-09:00 has no length; write 00:00-24:00 for a whole day
        ");
        let long = format!("- 10:00-11:00 busy: {}", "nets ".repeat(50));
        assert_eq!(read_schedule(&long).1, ["line 1: more than 160 characters of what it is doing"]);
    }
}
