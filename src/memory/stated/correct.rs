//! A sentence in which somebody sets right what they said before: "no, it's Saturday", "not Ghent, Bruges".
//!
//! Only where it is certain what is meant: one exact word for another, or the one day, time or number of a fact for
//! another of its sort.

use std::sync::LazyLock;

use regex::Regex;

use super::sentence::Sentence;
use crate::text::calendar::{is_month, is_weekday};

/// Longest thing that is put in another's place, in words.
const WORDS_MAX: usize = 4;

/// What is set right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Correction {
    /// This stood there and is wrong; that is right.
    Instead {
        /// What is wrong.
        wrong: String,
        /// What is right.
        right: String,
    },
    /// This is right, in the place of something of its sort.
    Rather(String),
}

static FORMS: LazyLock<Option<[Regex; 3]>> = LazyLock::new(|| {
    Some([
        Regex::new(r"(?i)^(?:it's |it is |that's |i meant? )?not (?:on |in |at )?(?P<wrong>[^,;]+?)[,;]?\s+(?:but|it's|it is|i meant?|sondern)\s+(?:on |in |at )?(?P<right>.+)$").ok()?,
        Regex::new(r"(?i)^(?:it's |it is |that's |i meant? )?(?:on |in |at )?(?P<right>[^,;]+?),?\s+not (?:on |in |at )?(?P<wrong>.+)$").ok()?,
        Regex::new(r"(?i)^(?:it's |it is |that's |that is |it was |i meant? |make that |make it |es ist )?(?:on |in |at |am )?(?P<right>.+)$").ok()?,
    ])
});

/// What a sentence sets right, where it does. Whoever does not say "no", "actually" or "I meant" is not taken to.
pub fn correction(sentence: &Sentence) -> Option<Correction> {
    let [not_but, but_not, rather] = FORMS.as_ref()?;
    let body = sentence.body.trim();
    let meant = body.to_lowercase();
    if !sentence.amends && !meant.starts_with("i mean") && !meant.starts_with("make ") {
        return None;
    }
    for form in [not_but, but_not] {
        if let Some(found) = form.captures(body) {
            let wrong = tidy(found.name("wrong")?.as_str());
            let right = tidy(found.name("right")?.as_str());
            return (is_short(&wrong) && is_short(&right) && wrong != right)
                .then_some(Correction::Instead { wrong, right });
        }
    }
    let right = tidy(rather.captures(body)?.name("right")?.as_str());
    (is_short(&right) && sorts(&right).len() == 1).then_some(Correction::Rather(right))
}

impl Correction {
    /// The words of a fact, set right; `None` where it does not say exactly one such thing.
    pub fn applied(&self, words: &str) -> Option<String> {
        match self {
            Self::Instead { wrong, right } => {
                let whole = Regex::new(&format!(r"(?i)\b{}\b", regex::escape(wrong))).ok()?;
                let mut found = whole.find_iter(words);
                let only = found.next()?;
                if found.next().is_some() {
                    return None;
                }
                Some(format!("{}{right}{}", &words[..only.start()], &words[only.end()..]))
            }
            Self::Rather(right) => {
                let (sort, new) = sorts(right).into_iter().next()?;
                let mut old = sorts(words).into_iter().filter(|(other, _)| *other == sort);
                let (_, only) = old.next()?;
                if old.next().is_some() || words[only.clone()].eq_ignore_ascii_case(&right[new.clone()]) {
                    return None;
                }
                Some(format!("{}{}{}", &words[..only.start], &right[new], &words[only.end..]))
            }
        }
    }
}

/// Sorts of things of which one can stand for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Weekday,
    Day,
    Time,
    Number,
}

static SORTS: LazyLock<Option<[(Sort, Regex); 5]>> = LazyLock::new(|| {
    Some([
        (
            Sort::Time,
            Regex::new(r"(?i)\b(?:\d{1,2}[:.]\d{2}(?:\s?[ap]m)?|\d{1,2}\s?(?:am|pm|uhr|o'clock))\b").ok()?,
        ),
        (Sort::Day, Regex::new(r"(?i)\b\d{1,2}(?:st|nd|rd|th|\.)?(?: of)? \p{L}+\b").ok()?),
        (Sort::Day, Regex::new(r"(?i)\b\p{L}+ \d{1,2}(?:st|nd|rd|th)?\b").ok()?),
        (Sort::Weekday, Regex::new(r"\b\p{L}{4,10}\b").ok()?),
        (Sort::Number, Regex::new(r"\b\d+\b").ok()?),
    ])
});

/// The days, times and numbers in a text, none of which is part of another.
fn sorts(text: &str) -> Vec<(Sort, std::ops::Range<usize>)> {
    let mut found: Vec<(Sort, std::ops::Range<usize>)> = Vec::new();
    for (sort, pattern) in SORTS.iter().flatten() {
        for one in pattern.find_iter(text) {
            let words = || one.as_str().split([' ', '.']).map(str::to_lowercase);
            let is_one = match sort {
                Sort::Time | Sort::Number => true,
                Sort::Day => words().any(|word| is_month(&word)),
                Sort::Weekday => words().all(|word| is_weekday(&word)),
            };
            let is_free = found.iter().all(|(_, taken)| taken.end <= one.start() || one.end() <= taken.start);
            if is_one && is_free {
                found.push((*sort, one.range()));
            }
        }
    }
    found
}

fn tidy(text: &str) -> String {
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

fn is_short(text: &str) -> bool {
    (1..=WORDS_MAX).contains(&text.split_whitespace().count()) && !text.contains(['{', '}', '<', '>'])
}

#[cfg(test)]
mod tests {
    use super::super::sentence::sentences;
    use super::*;

    fn corrected(said: &str, fact: &str) -> Option<String> {
        sentences(said).iter().find_map(correction)?.applied(fact)
    }

    #[test]
    fn m5_one_thing_is_put_in_the_place_of_another_of_its_sort() {
        let party = "Ana asked to remember: \u{201c}the party is on Friday at 7pm\u{201d}";
        assert_eq!(corrected("no, it's Saturday", party), Some(party.replace("Friday", "Saturday")));
        assert_eq!(corrected("Actually, make that 8pm.", party), Some(party.replace("7pm", "8pm")));
        assert_eq!(
            corrected("sorry, I meant Saturday, not Friday", party),
            Some(party.replace("Friday", "Saturday"))
        );
        let home = "Ana lives in Ghent.";
        assert_eq!(corrected("no, not Ghent, it's Bruges", home).as_deref(), Some("Ana lives in Bruges."));
        let birthday = "Ana's birthday is 14 June.";
        assert_eq!(corrected("no, it's 15 June", birthday).as_deref(), Some("Ana's birthday is 15 June."));
    }

    #[test]
    fn where_it_is_not_certain_nothing_is_set_right() {
        let party = "Ana asked to remember: \u{201c}the party is on Friday\u{201d}";
        for said in [
            "it's Saturday",
            "no, it's lovely",
            "actually I like Saturday more than any other day",
            "no, it's Friday",
            "no, it's 8pm",
            "no way",
            "no, not Monday, it's Saturday",
        ] {
            assert_eq!(corrected(said, party), None, "{said}");
        }
        assert_eq!(corrected("no, it's Saturday", "From Friday to Sunday."), None);
    }
}
