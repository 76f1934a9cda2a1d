//! Moments and spans in words, the same wherever a prompt tells of time.

use std::time::Duration;

use jiff::civil::Time;
use jiff::{Timestamp, Zoned};

use crate::text::short::counted;

/// What people call this time of day.
pub(super) fn part_of_day(time: Time) -> &'static str {
    match time.hour() {
        5..=11 => "morning",
        12..=17 => "afternoon",
        18..=21 => "evening",
        _ => "night",
    }
}

/// A day and a time, `Sunday 1 March 2026, 20:00 UTC`.
pub(super) fn day_and_time(at: &Zoned) -> String {
    at.strftime("%A %-d %B %Y, %H:%M %Z").to_string()
}

/// A day, `Sunday 1 March 2026`.
pub(super) fn day_in_words(at: &Zoned) -> String {
    at.strftime("%A %-d %B %Y").to_string()
}

/// What stands before a line: `[20:00] `, and where its day is not plain, `[2026-03-01 20:00] `.
pub(super) fn clock(at: &Zoned, says_day: bool) -> String {
    at.strftime(if says_day { "[%F %H:%M] " } else { "[%H:%M] " }).to_string()
}

/// Whether a line begins with a [`clock`] that says no day.
pub(super) fn is_clock_alone(prefix: &str) -> bool {
    prefix.starts_with('[') && prefix.as_bytes().get(3) == Some(&b':')
}

/// How long before `now` something was; nothing for what is not before it.
pub(super) fn gap(then: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(now.duration_since(then)).unwrap_or(Duration::ZERO)
}

/// A span, rounded down to one unit: `40 minutes`, `9 days`, `3 months`.
pub(super) fn span_in_words(of: Duration) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    let seconds = of.as_secs();
    let (count, unit) = match seconds {
        0..MINUTE => (seconds, "second"),
        MINUTE..HOUR => (seconds / MINUTE, "minute"),
        HOUR..172_800 => (seconds / HOUR, "hour"),
        172_800..1_209_600 => (seconds / DAY, "day"),
        1_209_600..5_184_000 => (seconds / (7 * DAY), "week"),
        5_184_000..63_072_000 => (seconds / (30 * DAY), "month"),
        _ => (seconds / (365 * DAY), "year"),
    };
    counted(count, unit)
}

/// Names in a row: `Alice`, `Alice and Ben`, `Alice, Ben and 3 others`.
pub(super) fn names_in_a_row(names: &[String], most: usize) -> String {
    let (shown, rest) = names.split_at(names.len().min(most));
    let mut shown = shown.to_vec();
    if !rest.is_empty() {
        let word = if rest.len() == 1 { "other" } else { "others" };
        shown.push(format!("{} {word}", rest.len()));
    }
    match shown.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_rounded_down_to_one_unit() {
        let words = |seconds| span_in_words(Duration::from_secs(seconds));
        for (seconds, said) in [
            (0, "0 seconds"),
            (1, "1 second"),
            (59, "59 seconds"),
            (60, "1 minute"),
            (3600, "1 hour"),
            (86_400, "24 hours"),
            (172_799, "47 hours"),
            (172_800, "2 days"),
            (9 * 86_400, "9 days"),
            (14 * 86_400, "2 weeks"),
            (60 * 86_400, "2 months"),
            (729 * 86_400, "24 months"),
            (730 * 86_400, "2 years"),
        ] {
            assert_eq!(words(seconds), said);
        }
    }

    #[test]
    fn names_are_listed_as_people_do() {
        let names = |count: usize| (0..count).map(|n| format!("n{n}")).collect::<Vec<_>>();
        assert_eq!(names_in_a_row(&names(0), 3), "");
        assert_eq!(names_in_a_row(&names(1), 3), "n0");
        assert_eq!(names_in_a_row(&names(3), 3), "n0, n1 and n2");
        assert_eq!(names_in_a_row(&names(4), 3), "n0, n1, n2 and 1 other");
        assert_eq!(names_in_a_row(&names(9), 3), "n0, n1, n2 and 6 others");
    }
}
