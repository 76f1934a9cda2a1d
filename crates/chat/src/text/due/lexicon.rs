//! The words of each language for a moment, and what they are in English.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::text::calendar;
use crate::text::names::is_unspaced;
use crate::text::phrases::{Languages, language_codes, section_lines};
use crate::text::spelling::fold;

/// A part of a text that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DueToken {
    Number(i64),
    /// "15th".
    Ordinal(i8),
    Clock(i8, i8),
    Date(Option<i16>, i8, i8),
    Weekday(i8),
    Month(i8),
    /// In English.
    Word(&'static str),
}

#[derive(Debug)]
pub(super) struct Lexicon {
    pub language: Languages,
    is_english: bool,
    /// How something is said, folded, its words parted by one space; what that is in English.
    known: HashMap<String, &'static str>,
    /// The most words, or letters where no spaces part them, of anything in it.
    longest: usize,
}

/// One for each language.
pub(super) fn all() -> &'static [Lexicon] {
    static ALL: LazyLock<Vec<Lexicon>> = LazyLock::new(|| language_codes().map(Lexicon::of).collect());
    &ALL
}

impl Lexicon {
    fn of(code: &'static str) -> Self {
        let language = Languages::of(code);
        let mut known: HashMap<String, &'static str> = HashMap::new();
        // What is said of a moment ahead goes before what is said of time in general: "в" is "at" before an hour.
        let lines = section_lines("when ahead").chain(section_lines("when"));
        for (_, english, phrases) in lines.filter(|(of, ..)| of.overlaps(language)) {
            for phrase in phrases {
                known.entry(parted(&fold(phrase))).or_insert(english);
            }
        }
        let length = |phrase: &String| phrase.chars().count();
        let longest = known.keys().map(length).max().unwrap_or_default();
        Self { language, is_english: code == "en", known, longest }
    }

    /// A text in parts, all of which this language understands.
    pub(super) fn tokens(&self, folded: &str) -> Option<Vec<DueToken>> {
        let text: Vec<char> = parted(folded).chars().collect();
        let mut tokens = Vec::new();
        let mut at = 0;
        while at < text.len() {
            if text[at] == ' ' {
                at += 1;
                continue;
            }
            let (length, found) = self.longest_at(&text[at..])?;
            tokens.extend(found);
            at += length;
        }
        Some(tokens)
    }

    /// What stands at the beginning, the longest that is known, and how many letters it has.
    fn longest_at(&self, text: &[char]) -> Option<(usize, Vec<DueToken>)> {
        if let Some(marked) = read_mark(text) {
            return Some(marked);
        }
        let digits = text.iter().take_while(|letter| letter.is_ascii_digit()).count();
        if digits > 0 {
            let number = text[..digits].iter().collect::<String>().parse().ok()?;
            return Some((digits, vec![DueToken::Number(number)]));
        }
        for length in (1..=self.longest.min(text.len())).rev() {
            let phrase: String = text[..length].iter().collect();
            if let Some(english) = self.known.get(&phrase).filter(|_| ends_there(text, length)) {
                return Some((length, in_english(english)));
            }
        }
        let length = text.iter().position(|letter| *letter == ' ').unwrap_or(text.len());
        let word: String = text[..length].iter().collect();
        if let Some(day) = calendar::weekday(&word) {
            return Some((length, vec![DueToken::Weekday(day)]));
        }
        if let Some(month) = calendar::month(&word) {
            return Some((length, vec![DueToken::Month(month)]));
        }
        if let Some(together) = self.day_with_part(&word) {
            return Some((length, together));
        }
        let own = ENGLISH.iter().find(|known| self.is_english && **known == word)?;
        Some((length, vec![DueToken::Word(own)]))
    }

    /// A day of the week and a part of it in one word, as German and Dutch write them: "Samstagabend".
    fn day_with_part(&self, word: &str) -> Option<Vec<DueToken>> {
        word.char_indices().find_map(|(at, _)| {
            let (day, part) = word.split_at(at);
            let day = calendar::weekday(day)?;
            let part = match *self.known.get(part)? {
                // Both say morning with their word for tomorrow.
                "tomorrow" => "morning",
                part @ ("morning" | "noon" | "afternoon" | "evening" | "night") => part,
                _ => return None,
            };
            Some(vec![DueToken::Weekday(day), DueToken::Word(part)])
        })
    }
}

/// Words of the reading that English says so itself.
const ENGLISH: [&str; 27] = [
    "in",
    "at",
    "every",
    "later",
    "next",
    "this",
    "today",
    "tomorrow",
    "tonight",
    "after",
    "second",
    "minute",
    "hour",
    "day",
    "week",
    "month",
    "year",
    "morning",
    "noon",
    "afternoon",
    "evening",
    "night",
    "midnight",
    "half",
    "quarter",
    "past",
    "to",
];

/// Whether a phrase ends where its last letter stands: where spaces part words, it has to be whole words.
fn ends_there(text: &[char], length: usize) -> bool {
    let (last, next) = (text[length - 1], text.get(length));
    is_unspaced(last) || next.is_none_or(|next| *next == ' ' || next.is_ascii_digit() || is_unspaced(*next))
}

/// A line's name as the parts it stands for: "hour later", "next week monday", "12-24" for a day of every year.
fn in_english(english: &'static str) -> Vec<DueToken> {
    let part = |word: &'static str| match (word.parse(), calendar::weekday(word), day_of_year(word)) {
        (Ok(number), ..) => DueToken::Number(number),
        (_, Some(day), _) => DueToken::Weekday(day),
        (.., Some((month, day))) => DueToken::Date(None, month, day),
        _ => DueToken::Word(word),
    };
    english.split(' ').map(part).collect()
}

/// "12-24", the month and the day.
fn day_of_year(word: &str) -> Option<(i8, i8)> {
    let (month, day) = word.split_once('-')?;
    Some((month.parse().ok()?, day.parse().ok()?))
}

/// What [`with_marks`](super::reading::with_marks) wrote, and how many letters it has.
fn read_mark(text: &[char]) -> Option<(usize, Vec<DueToken>)> {
    let length = text.iter().position(|letter| *letter == ' ').unwrap_or(text.len());
    let word: String = text[..length].iter().collect();
    let number = |digits: Option<&str>| digits.and_then(|digits| digits.parse::<i16>().ok());
    let small = |digits: Option<&str>| number(digits).and_then(|number| i8::try_from(number).ok());
    let token = if let Some(clock) = word.strip_prefix("clock") {
        DueToken::Clock(small(clock.get(..2))?, small(clock.get(2..))?)
    } else if let Some(date) = word.strip_prefix("date") {
        let year = number(date.get(..4))?;
        DueToken::Date((year > 0).then_some(year), small(date.get(4..6))?, small(date.get(6..))?)
    } else {
        DueToken::Ordinal(small(word.strip_prefix("nth"))?)
    };
    Some((length, vec![token]))
}

/// With one space wherever there is no letter, and between a figure and a letter.
fn parted(text: &str) -> String {
    let mut parted = String::with_capacity(text.len());
    let (mut begun, mut is_marked) = (0, false);
    let mut before = ' ';
    for letter in text.chars() {
        let letter = if letter.is_alphanumeric() { letter } else { ' ' };
        if letter == ' ' {
            is_marked = false;
            if before != ' ' {
                parted.push(' ');
            }
            begun = parted.len();
        } else {
            let begins = before == ' ';
            let changes = letter.is_ascii_digit() != before.is_ascii_digit();
            is_marked |= letter.is_ascii_digit() && MARKS.contains(&&parted[begun..]);
            if !begins && changes && !is_marked {
                parted.push(' ');
            }
            parted.push(letter);
        }
        before = letter;
    }
    parted.trim_end().to_owned()
}

/// Begin what is written in figures.
const MARKS: [&str; 3] = ["clock", "date", "nth"];
