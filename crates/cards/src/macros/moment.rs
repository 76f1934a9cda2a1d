//! Dates and spans as the time macros write them.
//!
//! Owns the subset of moment.js's format tokens that cards use, in English, and its rounding of spans to words;
//! must not know macros.

use std::time::Duration;

use jiff::Zoned;

/// Formats `now`; words in square brackets stay, what is no token stays.
pub(super) fn format(now: &Zoned, pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        if first == '['
            && let Some(end) = rest.find(']')
        {
            out.push_str(&rest[1..end]);
            rest = &rest[end + 1..];
            continue;
        }
        // The longest that stands here.
        let mut tokens = (1..=4).rev().filter_map(|length| rest.get(..length));
        match tokens.find_map(|token| Some((token, written(now, token)?))) {
            Some((token, words)) => {
                out.push_str(&words);
                rest = &rest[token.len()..];
            }
            None => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    out
}

/// What a token stands for; `None` for what is none.
fn written(now: &Zoned, token: &str) -> Option<String> {
    let hour12 = match now.hour() % 12 {
        0 => 12,
        hour => hour,
    };
    let hour24 = if now.hour() == 0 { 24 } else { now.hour() };
    let seconds = now.offset().seconds();
    let (sign, offset) = (if seconds < 0 { '-' } else { '+' }, seconds.unsigned_abs() / 60);
    Some(match token {
        "YYYY" => format!("{:04}", now.year()),
        "YY" => format!("{:02}", now.year().rem_euclid(100)),
        "MMMM" => now.strftime("%B").to_string(),
        "MMM" => now.strftime("%b").to_string(),
        "MM" => format!("{:02}", now.month()),
        "Mo" => ordinal(now.month().into()),
        "M" => now.month().to_string(),
        "DDDD" => format!("{:03}", now.day_of_year()),
        "DDD" => now.day_of_year().to_string(),
        "DD" => format!("{:02}", now.day()),
        "Do" => ordinal(now.day().into()),
        "D" => now.day().to_string(),
        "dddd" => now.strftime("%A").to_string(),
        "ddd" => now.strftime("%a").to_string(),
        "dd" => now.strftime("%a").to_string()[..2].to_owned(),
        "d" => now.weekday().to_sunday_zero_offset().to_string(),
        "HH" => format!("{:02}", now.hour()),
        "H" => now.hour().to_string(),
        "hh" => format!("{hour12:02}"),
        "h" => hour12.to_string(),
        "kk" => format!("{hour24:02}"),
        "k" => hour24.to_string(),
        "mm" => format!("{:02}", now.minute()),
        "m" => now.minute().to_string(),
        "ss" => format!("{:02}", now.second()),
        "s" => now.second().to_string(),
        "SSS" => format!("{:03}", now.millisecond()),
        "A" => (if now.hour() < 12 { "AM" } else { "PM" }).to_owned(),
        "a" => (if now.hour() < 12 { "am" } else { "pm" }).to_owned(),
        "ZZ" => format!("{sign}{:02}{:02}", offset / 60, offset % 60),
        "Z" => format!("{sign}{:02}:{:02}", offset / 60, offset % 60),
        "X" => now.timestamp().as_second().to_string(),
        "Q" => ((now.month() - 1) / 3 + 1).to_string(),
        "LT" => format(now, "h:mm A"),
        "LTS" => format(now, "h:mm:ss A"),
        "L" => format(now, "MM/DD/YYYY"),
        "LL" => format(now, "MMMM D, YYYY"),
        "LLL" => format(now, "MMMM D, YYYY h:mm A"),
        "LLLL" => format(now, "dddd, MMMM D, YYYY h:mm A"),
        _ => return None,
    })
}

fn ordinal(number: i16) -> String {
    let ending = match (number % 10, number % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// A span in words, with moment.js's thresholds: "a few seconds", "20 minutes", "3 days".
pub(super) fn in_words(span: Duration) -> String {
    let seconds = span.as_secs_f64();
    let rounded = |unit: f64| (seconds / unit).round();
    let (minutes, hours, days) = (rounded(60.0), rounded(3600.0), rounded(86_400.0));
    let months = rounded(86_400.0 * 30.436_875);
    let years = rounded(86_400.0 * 365.242_5);
    if seconds.round() < 45.0 {
        "a few seconds".to_owned()
    } else if minutes <= 1.0 {
        "a minute".to_owned()
    } else if minutes < 45.0 {
        format!("{minutes} minutes")
    } else if hours <= 1.0 {
        "an hour".to_owned()
    } else if hours < 22.0 {
        format!("{hours} hours")
    } else if days <= 1.0 {
        "a day".to_owned()
    } else if days < 26.0 {
        format!("{days} days")
    } else if months <= 1.0 {
        "a month".to_owned()
    } else if months < 11.0 {
        format!("{months} months")
    } else if years <= 1.0 {
        "a year".to_owned()
    } else {
        format!("{years} years")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at() -> Zoned {
        jiff::civil::date(2026, 3, 1).at(0, 5, 9, 7_000_000).in_tz("UTC").unwrap()
    }

    #[test]
    fn tokens_read_as_in_moment() {
        assert_eq!(format(&at(), "YYYY-MM-DD HH:mm:ss.SSS"), "2026-03-01 00:05:09.007");
        assert_eq!(format(&at(), "dddd, MMMM Do YYYY [at] h:mm A"), "Sunday, March 1st 2026 at 12:05 AM");
        assert_eq!(
            format(&at(), "L | LT | LL | LLLL"),
            "03/01/2026 | 12:05 AM | March 1, 2026 | Sunday, March 1, 2026 12:05 AM"
        );
        assert_eq!(format(&at(), "DDD ddd Z é ["), "60 Sun +00:00 é [");
    }

    #[test]
    fn spans_are_rounded_to_words() {
        let words = |seconds| in_words(Duration::from_secs(seconds));
        assert_eq!(words(3), "a few seconds");
        assert_eq!(words(60), "a minute");
        assert_eq!(words(20 * 60), "20 minutes");
        assert_eq!(words(3600), "an hour");
        assert_eq!(words(5 * 3600), "5 hours");
        assert_eq!(words(86_400), "a day");
        assert_eq!(words(3 * 86_400), "3 days");
        assert_eq!(words(40 * 86_400), "a month");
        assert_eq!(words(400 * 86_400), "a year");
        assert_eq!(words(u64::MAX / 1_000_000_000), "585 years");
    }
}
