//! For whom was that? Who speaks in a call rarely says so.
//!
//! Owns the rules that tell "for the familiar" from "for somebody else" from "cannot be told" (specs voice 2.5), names as
//! recognisers garble them included. Must not know whose turn it is. Start reading at [`verdict`].

use std::time::Duration;

use crate::text::names::names_whole_word;
use crate::voice::endpoint::words;

/// Whoever was just answered goes on talking with the familiar for this long.
const STICKY: Duration = Duration::from_secs(12);

/// Two people who spoke within this are talking with each other.
const AMONG_THEMSELVES: Duration = Duration::from_secs(15);

/// Names follow these.
const GREETINGS: [&str; 12] =
    ["hey", "hi", "hello", "okay", "ok", "yo", "oh", "so", "and", "morning", "thanks", "hallo"];

/// Words for the one spoken to.
const YOU: [&str; 12] =
    ["you", "your", "yours", "you're", "you've", "you'd", "you'll", "yourself", "du", "dir", "dich", "dein"];

/// What is known about the moment.
#[derive(Debug, Clone, Default)]
pub struct Company<'a> {
    /// How many people who are no bots are in the call.
    pub people: usize,
    /// What the familiar is called.
    pub names: &'a [String],
    /// What the others are called, without the speaker.
    pub others: &'a [String],
    /// How long ago the familiar last answered this speaker, and whether that ended in a question.
    pub answered: Option<(Duration, bool)>,
    /// How long ago another person last spoke.
    pub other_spoke: Option<Duration>,
}

/// For whom it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The familiar, because …
    Familiar(&'static str),
    /// Somebody who was named.
    SomeoneElse,
    /// Cannot be told: it listens.
    Unclear,
}

impl Verdict {
    /// Whether an answer is expected.
    #[must_use]
    pub fn is_for_familiar(self) -> bool {
        matches!(self, Self::Familiar(_))
    }
}

/// Judges what was said.
#[must_use]
pub fn verdict(text: &str, company: &Company<'_>) -> Verdict {
    if company.names.iter().any(|name| names_whole_word(text, name)) {
        return Verdict::Familiar("its name was said");
    }
    let said = words(text);
    if company.others.iter().any(|other| is_called(&said, other)) {
        return Verdict::SomeoneElse;
    }
    if company.people <= 1 {
        return Verdict::Familiar("nobody else is here");
    }
    if company.names.iter().any(|name| sounds_like_a_call(&said, name)) {
        return Verdict::Familiar("its name was said, as far as could be heard");
    }
    let to_you = said.iter().any(|word| YOU.contains(&word.as_str()));
    let asks = text.trim_end().ends_with('?');
    if let Some((ago, asked)) = company.answered
        && ago <= STICKY
        && company.other_spoke.is_none_or(|other| other > ago)
        && (asked || to_you || asks || said.len() <= 3)
    {
        return Verdict::Familiar("they were just talking with it");
    }
    let alone_lately = company.other_spoke.is_none_or(|ago| ago > AMONG_THEMSELVES);
    if alone_lately && (asks || to_you) {
        return Verdict::Familiar("a question to nobody else");
    }
    Verdict::Unclear
}

/// Whether somebody is spoken to by this name: first or last, or behind a greeting.
fn is_called(said: &[String], name: &str) -> bool {
    let name = words(name);
    let Some(first) = name.first().filter(|word| word.chars().count() >= 2) else { return false };
    let greeted = said.first().is_some_and(|word| GREETINGS.contains(&word.as_str()));
    said.first() == Some(first)
        || (said.len() > 1 && said.last() == Some(first))
        || (greeted && said.get(1) == Some(first))
}

/// Whether a word where a name would stand sounds like this one.
fn sounds_like_a_call(said: &[String], name: &str) -> bool {
    let name = name.trim().to_lowercase();
    if name.contains(' ') || name.chars().count() < 3 {
        return false;
    }
    let greeted = said.first().is_some_and(|word| GREETINGS.contains(&word.as_str()));
    if greeted {
        let behind = said.get(1).into_iter().cloned();
        let joined = said.get(1).zip(said.get(2)).map(|(one, two)| format!("{one}{two}"));
        return behind.chain(joined).any(|heard| is_near(&heard, &name));
    }
    // Without a greeting ordinary words stand there as well: only a long name is taken for one.
    [said.first(), said.last()].into_iter().flatten().any(|heard| is_surely(heard, &name))
}

fn is_near(heard: &str, name: &str) -> bool {
    let length = name.chars().count();
    let apart = strsim::damerau_levenshtein(heard, name);
    apart <= (length / 4).max(1) || (sound(heard) == sound(name) && heard.chars().count() + 2 >= length)
}

fn is_surely(heard: &str, name: &str) -> bool {
    let length = name.chars().count();
    (length >= 6 && strsim::damerau_levenshtein(heard, name) <= length / 6)
        || (length >= 5 && sound(name).len() >= 3 && sound(heard) == sound(name))
}

/// What is left of a word when it is written as it sounds: consonants that sound alike are one, vowels go, the first
/// one stays as a mark.
fn sound(word: &str) -> String {
    let mut key = String::new();
    let plain =
        word.replace("ph", "f").replace("ck", "k").replace("sch", "s").replace("sh", "s").replace("th", "t");
    for letter in plain.chars() {
        let class = match letter {
            'b' | 'p' => 'p',
            'c' | 'k' | 'q' | 'g' => 'k',
            'd' | 't' => 't',
            'f' | 'v' => 'f',
            's' | 'z' | 'x' | 'j' => 's',
            'm' | 'n' => 'm',
            'l' => 'l',
            'r' => 'r',
            'a' | 'e' | 'i' | 'o' | 'u' | 'y' if key.is_empty() => 'a',
            other if !other.is_ascii() && other.is_alphabetic() => other,
            _ => continue,
        };
        if !key.ends_with(class) {
            key.push(class);
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str, company: &Company<'_>) -> bool {
        verdict(text, company).is_for_familiar()
    }

    fn names() -> Vec<String> {
        vec!["Mika".to_owned(), "Ottoline".to_owned()]
    }

    #[test]
    fn with_one_person_everything_is_for_the_familiar() {
        let names = names();
        let company = Company { people: 1, names: &names, ..Company::default() };
        assert!(judged("the weather is awful", &company));
    }

    #[test]
    fn in_a_group_names_decide_also_garbled_ones() {
        let (names, others) = (names(), vec!["Bob".to_owned(), "Ana Maria".to_owned()]);
        let company = Company {
            people: 3,
            names: &names,
            others: &others,
            other_spoke: Some(Duration::from_secs(2)),
            ..Company::default()
        };
        for text in [
            "what do you think Mika",
            "hey meeka what's up",
            "Hi Micah",
            "otoline come here",
            "okay me ka tell us",
        ] {
            assert!(judged(text, &company), "{text}");
        }
        for text in ["make a sandwich", "we make it", "the mike is on", "I like it a lot"] {
            assert_eq!(verdict(text, &company), Verdict::Unclear, "{text}");
        }
        for text in ["Bob what do you think?", "are you coming Bob", "hey Ana can you hear me?"] {
            assert_eq!(verdict(text, &company), Verdict::SomeoneElse, "{text}");
        }
    }

    #[test]
    fn who_was_just_answered_may_go_on_until_somebody_else_speaks() {
        let names = names();
        let base = Company { people: 3, names: &names, ..Company::default() };
        let just = Company { answered: Some((Duration::from_secs(4), false)), ..base.clone() };
        assert!(judged(
            "and why is that",
            &Company { answered: Some((Duration::from_secs(4), true)), ..base.clone() }
        ));
        assert!(judged("do you like it", &just));
        assert!(judged("why?", &just));
        assert!(!judged("I went to the market with my brother", &just));
        let between = Company { other_spoke: Some(Duration::from_secs(2)), ..just.clone() };
        assert!(!judged("do you like it", &between));
        let late = Company {
            answered: Some((Duration::from_secs(40), true)),
            other_spoke: Some(Duration::from_secs(5)),
            ..base
        };
        assert!(!judged("do you like it?", &late));
    }

    #[test]
    fn a_question_to_nobody_is_for_the_familiar_only_where_nobody_talks() {
        let names = names();
        let quiet = Company {
            people: 3,
            names: &names,
            other_spoke: Some(Duration::from_secs(60)),
            ..Company::default()
        };
        assert!(judged("is anybody there?", &quiet));
        let busy = Company { other_spoke: Some(Duration::from_secs(3)), ..quiet };
        assert!(!judged("is anybody there?", &busy));
    }
}
