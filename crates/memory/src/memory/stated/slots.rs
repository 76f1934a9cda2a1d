//! What somebody can say of themselves: how it stands in a note, and how it is found there again.
//!
//! Must not know in which words it is said. Start at [`StatedSlot`].

use std::sync::LazyLock;

use regex::Regex;

use super::words::{begins_with, kin, kin_phrases, said_words};
use crate::memory::facts::FactKind;
use crate::text::calendar::{DatePart, has_date_sign, is_weekday, month};
use crate::text::phrases::Languages;

/// Longest value, in characters and in words.
const VALUE_CHARS: usize = 60;
const VALUE_WORDS: usize = 8;

/// The longest name in a script without capitals, in characters.
const PLAIN_NAME_CHARS: usize = 10;

/// How a value has to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Any,
    /// A person's or an animal's.
    Name,
    /// Only a name that is written like one.
    CapitalName,
    Day,
    /// Somewhere one can live.
    Place,
}

/// Whether a later value takes the place of an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// There is only one.
    One,
    /// There may be several; only a correction takes an earlier one's place.
    Several,
    /// That depends on whose name it is.
    ByKin,
}

/// One thing that is stated.
#[derive(Debug)]
pub(super) struct StatedSlot {
    /// The section of its patterns.
    pub section: &'static str,
    /// What it is called in a fact's comment, with `{k}`.
    key: &'static str,
    /// The words of the fact.
    pub words: &'static str,
    pub value: Value,
    holds: Holds,
    pub importance: u8,
    pub kind: FactKind,
}

const fn slot(
    (section, key): (&'static str, &'static str),
    words: &'static str,
    value: Value,
    holds: Holds,
    importance: u8,
) -> StatedSlot {
    StatedSlot { section, key, words, value, holds, importance, kind: FactKind::Fact }
}

static SLOTS: [StatedSlot; 15] = [
    slot(("name", "name"), "{who} goes by {v}.", Value::CapitalName, Holds::One, 5),
    slot(("my name", "name"), "{who} goes by {v}.", Value::Name, Holds::One, 5),
    slot(("home", "home"), "{who} lives in {v}.", Value::Place, Holds::One, 4),
    slot(("moved", "home"), "{who} lives in {v}.", Value::Place, Holds::One, 4),
    slot(("origin", "origin"), "{who} is from {v}.", Value::Place, Holds::One, 3),
    slot(("birthday", "birthday"), "{who}'s birthday is {v}.", Value::Day, Holds::One, 5),
    slot(("allergy", "allergy"), "{who} is allergic to {v}.", Value::Any, Holds::Several, 5),
    StatedSlot {
        kind: FactKind::Preference,
        ..slot(("favourite", "favourite-{k}"), "{who}'s favourite {k} is {v}.", Value::Any, Holds::One, 3)
    },
    slot(("called", "called-{k}"), "{who}'s {k} is called {v}.", Value::CapitalName, Holds::ByKin, 3),
    slot(("work as", "work"), "{who} works as {v}.", Value::Any, Holds::One, 3),
    slot(("work at", "work"), "{who} works at {v}.", Value::Any, Holds::One, 3),
    slot(("work for", "work"), "{who} works for {v}.", Value::Any, Holds::One, 3),
    slot(("pronouns", "pronouns"), "{who}'s pronouns are {v}.", Value::Any, Holds::One, 5),
    slot(("time-zone", "time-zone"), "{who}'s time zone is {v}.", Value::Any, Holds::One, 4),
    // Last: what it says is said of much else.
    slot(("diet", "diet"), "{who} is {v}.", Value::Any, Holds::One, 4),
];

/// A fact that says something of this sort.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedReading {
    at: usize,
    what: String,
    who: String,
    value: String,
}

/// The patterns of the facts.
static TOLD: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    let told = |slot: &StatedSlot| {
        let words = regex::escape(slot.words)
            .replace(r"\{who\}", "(?P<who>.+?)")
            .replace(r"\{k\}", "(?P<k>.+?)")
            .replace(r"\{v\}", "(?P<v>.+)");
        Regex::new(&format!("(?s)^{words}$")).ok()
    };
    SLOTS.iter().map(told).collect()
});

impl StatedSlot {
    /// The sections of their patterns, in the order in which they are tried.
    pub(super) fn sections() -> impl Iterator<Item = &'static str> {
        SLOTS.iter().map(|slot| slot.section)
    }

    /// The one whose patterns stand in this section.
    pub(super) fn of_section(section: &str) -> Option<&'static Self> {
        SLOTS.iter().find(|slot| slot.section == section)
    }

    /// The one that a section of patterns says the end of.
    pub(super) fn of_end(section: &str) -> Option<&'static Self> {
        SLOTS.iter().find(|slot| slot.key == section)
    }

    /// What it is called in the comment of a fact of `what`: `None` where there may be several.
    pub(super) fn key(&self, what: &str) -> Option<String> {
        let is_only = match self.holds {
            Holds::One => true,
            Holds::Several => false,
            Holds::ByKin => {
                let one = said_words("only one");
                kin(what).is_some_and(|kin| one.contains(&kin))
            }
        };
        is_only.then(|| self.key.replace("{k}", what).replace(' ', "-"))
    }
}

impl StatedReading {
    /// Reads the words of a fact.
    pub fn of(words: &str) -> Option<Self> {
        TOLD.iter().enumerate().find_map(|(at, told)| {
            let found = told.as_ref()?.captures(words)?;
            let of = |name| {
                found.name(name).map_or_else(String::new, |part: regex::Match<'_>| part.as_str().into())
            };
            let reading = Self { at, what: of("k"), who: of("who"), value: of("v") };
            // "Ana is called away" is of no diet.
            let is_one = SLOTS[at].section != "diet" || said_words("diets").contains(&reading.value.as_str());
            is_one.then_some(reading)
        })
    }

    /// Whether both say the same sort of thing of the same: two sisters' names.
    pub fn is_beside(&self, other: &Self) -> bool {
        let same = self.what.eq_ignore_ascii_case(&other.what)
            || kin(&self.what).is_some_and(|one| Some(one) == kin(&other.what));
        SLOTS[self.at].key == SLOTS[other.at].key && same
    }

    /// Whether it tells somebody's or something's name.
    pub fn names_another(&self) -> bool {
        SLOTS[self.at].section == "called"
    }

    /// Whether it tells the name of whoever said it.
    pub fn names_oneself(&self) -> bool {
        SLOTS[self.at].key == "name"
    }

    /// Whether only words of a certain look can be its value.
    pub fn is_particular(&self) -> bool {
        SLOTS[self.at].value != Value::Any
    }

    /// Whether its value can be put as "it is so": a favourite is something, a trade is not.
    pub fn is_something(&self) -> bool {
        SLOTS[self.at].words.contains(" is {v}") || SLOTS[self.at].words.contains(" are {v}")
    }

    pub fn value(&self) -> &str {
        &self.value
    }

    /// Of whom it says it.
    pub fn who(&self) -> &str {
        &self.who
    }

    /// What it says of them: `home`, `work as`, `called`.
    pub fn section(&self) -> &'static str {
        SLOTS[self.at].section
    }

    /// What of theirs it is about, in one of these languages where that is known: "cat" is "Katze". Blank where it is about
    /// themselves.
    pub fn what_in(&self, languages: Languages) -> &str {
        let own = kin_phrases().find(|(of, kin, _)| of.overlaps(languages) && *kin == self.what);
        own.map_or(self.what.as_str(), |(.., word)| word)
    }

    /// The words of the fact with another value; `None` where that cannot be one, or is the same.
    pub fn with(&self, value: &str) -> Option<String> {
        let slot = &SLOTS[self.at];
        let value = slot.value.of(value)?;
        let is_other = !value.eq_ignore_ascii_case(&self.value);
        is_other
            .then(|| slot.words.replace("{v}", &value).replace("{k}", &self.what).replace("{who}", &self.who))
    }
}

impl Value {
    /// The value as it is written down, where it is one.
    pub(super) fn of(self, value: &str) -> Option<String> {
        let words: Vec<&str> = value.split_whitespace().collect();
        let is_small = value.chars().count() <= VALUE_CHARS && words.len() <= VALUE_WORDS;
        if words.is_empty() || !is_small || begins_with(value, "pointing") {
            return None;
        }
        let is_one = match self {
            Self::Any => true,
            Self::Place => !begins_with(value, "nowhere"),
            Self::Day => is_day(&words),
            Self::Name | Self::CapitalName => {
                let is_capital =
                    words.iter().all(|word| word.chars().next().is_some_and(|c| !c.is_lowercase()));
                let is_word = |word: &&str| {
                    word.chars().all(|c| c.is_alphanumeric() || matches!(c, '\'' | '-' | '.' | '・' | '·'))
                };
                let has_case = value.chars().any(|c| c.is_lowercase() || c.is_uppercase());
                let is_plain_name = has_case || value.chars().count() <= PLAIN_NAME_CHARS;
                words.len() <= 3
                    && words.iter().all(is_word)
                    && is_plain_name
                    && (self == Self::Name || is_capital)
                    && !is_weekday(&value.to_lowercase())
            }
        };
        is_one.then(|| value.to_owned())
    }
}

/// A day of the year: a month with a number beside it ("14 de junio"), or numbers with marks between them.
fn is_day(words: &[&str]) -> bool {
    let plain = |word: &&str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let has_digit = |words: &[&str]| words.iter().any(|word| word.chars().any(|c| c.is_ascii_digit()));
    let is_numbered = |at: usize| has_digit(&words[at.saturating_sub(2)..words.len().min(at + 3)]);
    let is_named = (0..words.len()).any(|at| month(&plain(&words[at])).is_some() && is_numbered(at));
    // A space may stand before the sign: "11 월 12 일".
    let is_dated = is_named || (has_digit(words) && has_date_sign(&words.join(" "), DatePart::Month));
    let is_figures = words.len() == 1
        && words[0].contains(['/', '.', '-'])
        && words[0].chars().all(|c| c.is_ascii_digit() || matches!(c, '/' | '.' | '-'));
    let weekday_alone = words.len() == 1 && is_weekday(&plain(&words[0]));
    is_dated || is_figures || weekday_alone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_read_back_by_what_it_says() {
        let sister = StatedReading::of("Alice's little sister is called Eva.").unwrap();
        assert_eq!((sister.what.as_str(), sister.value()), ("little sister", "Eva"));
        assert_eq!(sister.with("Ana").as_deref(), Some("Alice's little sister is called Ana."));
        assert_eq!((sister.with("Eva"), sister.with("annoying")), (None, None));
        assert!(sister.is_beside(&StatedReading::of("Alice's sister is called Noor.").unwrap()));
        assert!(!sister.is_beside(&StatedReading::of("Alice's cat is called Noor.").unwrap()));
        assert_eq!((sister.who(), sister.section()), ("Alice", "called"));
        let cat = StatedReading::of("Alice's cat is called Noor.").unwrap();
        assert_eq!((cat.what_in(Languages::of("de")), cat.what_in(Languages::of("ja"))), ("Katze", "猫"));
        assert_eq!(sister.what_in(Languages::of("de")), "little sister");
        assert_eq!(StatedReading::of("Alice is late."), None);
        assert!(StatedReading::of("Alice is vegan.").is_some());
    }

    #[test]
    fn of_a_mother_there_is_one_and_of_sisters_there_may_be_several() {
        let called = StatedSlot::of_section("called").unwrap();
        assert_eq!(called.key("mum").as_deref(), Some("called-mum"));
        assert_eq!(called.key("sister"), None);
        assert_eq!(StatedSlot::of_section("home").unwrap().key("").as_deref(), Some("home"));
    }
}
