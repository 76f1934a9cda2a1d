//! A text on one line, and no longer than there is room for it; numbers, times and bytes in few letters. Where sentences or
//! tokens count, see [`clip`](super::clip).

use std::time::Duration;

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

/// Bytes in hexadecimal digits, two each.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A length of time to the minute, or to the hour where it is days: `4 h 12 min`.
pub fn lasts(duration: Duration) -> String {
    let minutes = duration.as_secs() / 60;
    let (days, hours, minutes) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes} min"),
        (0, _) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

/// How long to wait, rounded up so that whoever waits for it has waited long enough: `20 s` up to a minute and a half, then as
/// [`lasts`] tells it.
pub fn wait_for(duration: Duration) -> String {
    if duration <= Duration::from_secs(90) {
        return format!("{} s", duration.as_millis().div_ceil(1000).max(1));
    }
    lasts(duration + Duration::from_secs(59))
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
    }
}
