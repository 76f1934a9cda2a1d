//! A text on one line, and no longer than there is room for it; numbers, times and bytes in few letters. Where sentences or
//! tokens count, see [`clip`](super::clip).

use std::time::Duration;

use familiar_cards::text::is_unspaced as is_unspaced_letter;

use super::names::is_unspaced;
use super::phrases::{Languages, line_in};
use super::tongue::Tongue;

pub use familiar_cards::text::{counted, one_line};

/// Its first so many characters.
pub fn beginning(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(at, _)| &text[..at])
}

/// All of it, or its first so many characters and a mark that there is more.
pub fn shortened(text: &str, most: usize) -> String {
    match beginning(text, most) {
        all if all.len() == text.len() => text.to_owned(),
        begun => format!("{}…", begun.trim_end()),
    }
}

/// Behind the first so many of a list: how many more it has, where it has any.
pub fn and_more(shown: usize, all: usize) -> Option<String> {
    let more = all.saturating_sub(shown);
    (more > 0).then(|| format!("… and {more} more"))
}

/// Bytes in hexadecimal digits, two each.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn thousands(number: u64) -> String {
    thousands_in(Tongue::English, number)
}

/// A number with its digits in threes, parted as the language parts them.
pub fn thousands_in(tongue: Tongue, number: u64) -> String {
    let mark = match tongue {
        Tongue::English | Tongue::Japanese => ',',
        Tongue::German | Tongue::Spanish | Tongue::Portuguese => '.',
        // A narrow space at which no line ends.
        Tongue::French => '\u{202f}',
    };
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(mark);
        }
        grouped.push(digit);
    }
    grouped
}

/// A number with so many places behind the mark that the language puts there.
pub fn decimal_in(tongue: Tongue, number: f64, places: usize) -> String {
    let written = format!("{number:.places$}");
    match tongue {
        Tongue::English | Tongue::Japanese => written,
        _ => written.replace('.', ","),
    }
}

/// A length of time to the minute, or to the hour where it is days: `4 h 12 min`.
pub fn lasts(duration: Duration) -> String {
    lasts_in(Tongue::English, duration)
}

/// The same as the language writes it.
pub fn lasts_in(tongue: Tongue, duration: Duration) -> String {
    lasts_among(tongue.language(), duration)
}

/// The same as the first of these languages writes it, of those that there is data for.
pub fn lasts_among(languages: Languages, duration: Duration) -> String {
    let minutes = duration.as_secs() / 60;
    let (days, hours, minutes) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    let [day, hour, minute, _] = units_of_time(languages);
    let before = space_before(minute);
    let between = if minute.contains(is_unspaced_letter) { "" } else { " " };
    match (days, hours) {
        (0, 0) => format!("{minutes}{before}{minute}"),
        (0, _) => format!("{hours}{before}{hour}{between}{minutes}{before}{minute}"),
        _ => format!("{days}{before}{day}{between}{hours}{before}{hour}"),
    }
}

/// Day, hour, minute and second as the first of these languages writes them behind a number.
fn units_of_time(languages: Languages) -> [&'static str; 4] {
    let units: Vec<&str> = line_in("units of time", languages).split(", ").collect();
    <[&str; 4]>::try_from(units).unwrap_or(["d", "h", "min", "s"])
}

/// What stands between a number and a unit of time.
fn space_before(unit: &str) -> &'static str {
    if unit.contains(is_unspaced) { "" } else { " " }
}

/// How long to wait, rounded up so that whoever waits for it has waited long enough: `20 s` up to a minute and a half, then as
/// [`lasts`] tells it.
pub fn wait_for(duration: Duration) -> String {
    wait_for_in(Tongue::English, duration)
}

/// The same as the language writes it.
pub fn wait_for_in(tongue: Tongue, duration: Duration) -> String {
    if duration <= Duration::from_secs(90) {
        let [.., second] = units_of_time(tongue.language());
        return format!("{}{}{second}", duration.as_millis().div_ceil(1000).max(1), space_before(second));
    }
    lasts_in(tongue, duration + Duration::from_secs(59))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters_and_only_where_it_is_too_long() {
        assert_eq!(one_line(" a\n\tb  c "), "a b c");
        assert_eq!((beginning("añb", 2), beginning("añ", 2), beginning("añ", 0)), ("añ", "añ", ""));
        let all = [(1, "day"), (2, "day"), (1, "entry"), (0, "entry"), (3, "greeting")];
        let all: Vec<_> = all.map(|(count, unit)| counted(count, unit)).into();
        assert_eq!(all, ["1 day", "2 days", "1 entry", "0 entries", "3 greetings"]);
        assert_eq!((shortened("añ b", 4), shortened("añ b", 3)), ("añ b".to_owned(), "añ…".to_owned()));
        assert_eq!(
            (and_more(2, 5).as_deref(), and_more(5, 5), and_more(5, 2)),
            (Some("… and 3 more"), None, None)
        );
    }

    #[test]
    fn numbers_and_lengths_of_time_are_written_as_each_language_writes_them() {
        let (long, short) = (Duration::from_secs(93_784), Duration::from_secs(20));
        let all = Tongue::ALL.map(|to| {
            let (number, money) = (thousands_in(to, 1_234_567), decimal_in(to, 0.5, 2));
            format!("{number} | {money} | {} | {}", lasts_in(to, long), wait_for_in(to, short))
        });
        assert_eq!(
            all,
            [
                "1,234,567 | 0.50 | 1 d 2 h | 20 s",
                "1.234.567 | 0,50 | 1 Tg. 2 Std. | 20 s",
                "1.234.567 | 0,50 | 1 d 2 h | 20 s",
                "1\u{202f}234\u{202f}567 | 0,50 | 1 j 2 h | 20 s",
                "1,234,567 | 0.50 | 1日2時間 | 20秒",
                "1.234.567 | 0,50 | 1 d 2 h | 20 s",
            ]
        );
        let all = ["de", "it", "ru", "zh", "ko", "xx"].map(|code| lasts_among(Languages::of(code), long));
        assert_eq!(all, ["1 Tg. 2 Std.", "1 g 2 h", "1 дн. 2 ч", "1天2小时", "1일 2시간", "1 d 2 h"]);
    }
}
