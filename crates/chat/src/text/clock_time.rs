//! Hours of the day as people write them: "7pm", "19:30", "19h30", "19.30 Uhr", "午後7時", "7시".
//!
//! Owns which figures and words are an hour of the day; the words stand with those for a moment. Must not know what an hour
//! is told for. Start reading at [`clock_times`].

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Time;
use regex::{Captures, Regex};

use super::names::is_unspaced;
use super::phrases::{either, section_lines};

/// An hour of the day in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockTime {
    /// As it is written: of twelve hours or of twenty-four.
    pub hour: i8,
    /// Where they are said.
    pub minute: Option<i8>,
    /// What tells which half of the day is meant, in English: "pm", "evening".
    part: Option<&'static str>,
    /// Where all of it stands.
    pub bytes: Range<usize>,
    /// Where its figures do, without the words around them.
    pub figures: Range<usize>,
    /// Whether it can hardly be anything else: "7 hours" may say how long, and "19.30" may be a price.
    pub is_sure: bool,
}

impl ClockTime {
    /// By a clock of twenty-four hours.
    pub fn time(&self) -> Option<Time> {
        let hour = match (self.part, self.hour) {
            (Some("pm" | "afternoon" | "evening"), 1..=11) | (Some("night"), 6..=11) => self.hour + 12,
            (Some("am" | "morning" | "night"), 12) => 0,
            (_, hour) => hour,
        };
        Time::new(hour, self.minute.unwrap_or_default(), 0, 0).ok()
    }
}

/// The hours of the day in a text, in their order.
pub fn clock_times(text: &str) -> Vec<ClockTime> {
    static READER: LazyLock<Option<ClockReader>> = LazyLock::new(ClockReader::get);
    let has_figures = || text.bytes().any(|byte| byte.is_ascii_digit());
    let Some(reader) = READER.as_ref().filter(|_| has_figures()) else { return Vec::new() };
    reader.pattern.captures_iter(text).filter_map(|found| reader.read(text, &found)).collect()
}

/// How hours of the day are found, in all languages at once: people borrow each other's ways.
struct ClockReader {
    pattern: Regex,
    words: HashMap<String, &'static str>,
}

/// What tells the half of the day where it stands before the hour.
const LEADING: [&str; 6] = ["am", "pm", "morning", "afternoon", "evening", "night"];

impl ClockReader {
    fn get() -> Option<Self> {
        // A letter that is an hour of the day in many languages, whatever it counts in some.
        let mut words = HashMap::from([("h".to_owned(), "oclock"), ("hour".to_owned(), "hour")]);
        for (_, english, said) in section_lines("when ahead").chain(section_lines("when")) {
            for word in said.into_iter().filter(|word| !word.contains(' ')) {
                words.entry(as_known(word)).or_insert(english);
            }
        }
        let any_of = |of: &[&str], unspaced: bool| {
            let named = words
                .iter()
                .filter(|(word, english)| of.contains(english) && word.contains(is_unspaced) == unspaced);
            either(&named.map(|(word, _)| word.as_str()).collect::<Vec<_>>()).replace('\'', "['’]")
        };
        let (leads, behind) = (any_of(&LEADING, true), any_of(&["am", "pm", "oclock", "hour"], false));
        let signs = any_of(&["oclock", "hour"], true);
        let (minutes, half) = (any_of(&["minute"], true), any_of(&["half"], true));
        let pattern = Regex::new(&format!(
            r"(?ix) (?:(?P<lead>{leads})\s?)? (?P<hour>[0-9]{{1,2}}) (?:
                \s?(?P<sign>{signs})(?:\s?(?P<minutes>[0-9]{{1,2}})\s?(?:{minutes})|(?P<bare>[0-9]{{2}})|\s?(?P<half>{half}))?
                | (?P<marked>(?P<mark>[:.]|\s?h\s?)(?P<minute>[0-9]{{2}})(?::[0-9]{{2}})?)?(?:\s?(?P<word>{behind})\b)?
            )"
        ));
        Some(Self { pattern: pattern.ok()?, words })
    }

    fn read(&self, text: &str, found: &Captures<'_>) -> Option<ClockTime> {
        let named = |name: &str| found.name(name).map(|word| word.as_str());
        let known = |name: &str| self.words.get(&as_known(named(name)?)).copied();
        let (whole, hour) = (found.get(0)?, found.name("hour")?);
        let begin = found.name("lead").map_or(hour.start(), |lead| lead.start());
        let bytes = begin..whole.end();
        stands_alone(text, &bytes).then_some(())?;
        let written = ["minute", "minutes", "bare"].into_iter().find_map(named).map(str::parse::<i8>);
        let minute = written.transpose().ok()?.or_else(|| named("half").map(|_| 30));
        let told = known("word").or_else(|| known("sign"));
        let is_marked = named("mark").is_some_and(|mark| mark != ".");
        if told.is_none() && named("mark").is_none() {
            return None;
        }
        let one = ClockTime {
            hour: hour.as_str().parse().ok()?,
            minute,
            part: known("lead").or(told),
            bytes,
            figures: hour.start()..found.name("marked").map_or(hour.end(), |marked| marked.end()),
            is_sure: is_marked
                || told.is_some_and(|told| told != "hour" || named("mark").is_some())
                || named("lead").is_some(),
        };
        let is_one = (0..24).contains(&one.hour) || one.hour == 24 && minute.unwrap_or_default() == 0;
        (is_one && (0..60).contains(&minute.unwrap_or_default())).then_some(one)
    }
}

/// A word as it is known, whichever apostrophe is in it; the dot behind "p.m." ends a sentence as well.
fn as_known(word: &str) -> String {
    word.to_lowercase().replace('’', "'").trim_end_matches('.').to_owned()
}

/// Whether nothing of a word or of a longer number stands around a part of a text.
fn stands_alone(text: &str, part: &Range<usize>) -> bool {
    let joins = |letter: char| letter.is_alphanumeric() && !is_unspaced(letter);
    let parts = |letter: char| matches!(letter, '.' | ':' | ',');
    let (mut before, mut behind) = (text[..part.start].chars().rev(), text[part.end..].chars());
    let is_led = before.next().is_some_and(|letter| {
        joins(letter) || parts(letter) && before.next().is_some_and(|letter| letter.is_ascii_digit())
    });
    let goes_on = behind.next().is_some_and(|letter| {
        joins(letter) || parts(letter) && behind.next().is_some_and(|letter| letter.is_ascii_digit())
    });
    !is_led && (!goes_on || text[part.clone()].ends_with(is_unspaced))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<(String, String, bool)> {
        let shown = |one: ClockTime| {
            let time = one.time().map(|time| time.strftime("%H:%M").to_string());
            (text[one.bytes.clone()].to_owned(), time.unwrap_or_default(), one.is_sure)
        };
        clock_times(text).into_iter().map(shown).collect()
    }

    #[test]
    fn an_hour_is_read_as_each_language_writes_it() {
        for (text, written, time) in [
            ("it begins at 7pm", "7pm", "19:00"),
            ("it begins at 7 pm, I think", "7 pm", "19:00"),
            ("by 12 a.m. at last", "12 a.m", "00:00"),
            ("at 7 o’clock", "7 o’clock", "07:00"),
            ("at 19:30, not before", "19:30", "19:30"),
            ("at 6:30PM", "6:30PM", "18:30"),
            ("um 19 Uhr", "19 Uhr", "19:00"),
            ("gegen 19.30 Uhr", "19.30 Uhr", "19:30"),
            ("à 19h", "19h", "19:00"),
            ("à 19h30", "19h30", "19:30"),
            ("às 19 h 30", "19 h 30", "19:30"),
            ("om 19.30 uur", "19.30 uur", "19:30"),
            ("в 19:30", "19:30", "19:30"),
            ("金曜日の7時", "7時", "07:00"),
            ("午後7時に始まる", "午後7時", "19:00"),
            ("朝7時半", "朝7時半", "07:30"),
            ("聚会在下午7点", "下午7点", "19:00"),
            ("7点30分", "7点30分", "07:30"),
            ("파티는 오후 7시예요", "오후 7시", "19:00"),
            ("7点30见", "7点30", "07:30"),
            ("7時3人で", "7時", "07:00"),
            ("at 18:30:15 sharp", "18:30:15", "18:30"),
            ("7시 30분에", "7시 30분", "07:30"),
        ] {
            assert_eq!(read(text), [(written.to_owned(), time.to_owned(), true)], "{text}");
        }
    }

    #[test]
    fn what_may_be_something_else_is_told_from_it() {
        for text in ["7 hours", "las 7 horas", "в 7 часов", "om 7 uur", "it costs 19.30", "3時間", "3시간"]
        {
            assert!(read(text).iter().all(|(.., is_sure)| !is_sure) && !read(text).is_empty(), "{text}");
        }
        for text in [
            "99:99",
            "2 days",
            "17%",
            "1d6",
            "2026",
            "version 1.12.2",
            "25 Uhr",
            "30.11",
            "v19:30",
            "100点",
            "7",
        ] {
            assert!(read(text).is_empty(), "{text}");
        }
        assert_eq!(read("from 19:00 to 7 am").len(), 2);
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in "([0-9]{1,3}|[:.h時点시]| |pm|uhr|午後|\\PC){0,40}") {
            for one in clock_times(&text) {
                prop_assert!(text.get(one.bytes.clone()).is_some() && text.get(one.figures.clone()).is_some());
                prop_assert!(one.bytes.start <= one.figures.start && one.figures.end <= one.bytes.end);
            }
        }
    }
}
