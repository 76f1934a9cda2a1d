//! The sentences of a message that its author means: no quotations, no code, no stage directions, no questions.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::forms::Forms;
use super::said::{Sentence, Unsaid};
use super::state::is_of_oneself;
use super::words::said_words;
use crate::text::calendar::is_month;
use crate::text::names::{is_unspaced, without_calls};
use crate::text::phrases::{either, is_listed};
use crate::text::punctuation::QUESTION_MARKS;
use crate::text::sentences::sentences_of;
use crate::text::unicode::lowered;

/// A sentence longer than this is no plain statement, in characters.
const LONGEST: usize = 300;

/// Sentences of one message that are looked at.
const MOST: usize = 40;

/// What stands in the name of somebody else, or of a scene.
static NOT_MEANT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?s)```.*?(?:```|$)|`[^`\n]*`|\*[^*\n]+\*|"[^"\n]*"|“[^”\n]*”|„[^“\n]*“|«[^»\n]*»|(?m-s:^[ \t]*>.*$)"#).ok()
});

/// Words before a statement that change nothing about it, and those by which somebody sets themselves right.
static LEADS: LazyLock<Option<Leads>> = LazyLock::new(|| {
    // The longest first, whichever list it stands in: "hey" is no "hey everyone".
    let list = |sections: &[&str]| {
        either(&sections.iter().flat_map(|section| said_words(section)).collect::<Vec<_>>())
    };
    let leads = list(&["leads", "greetings", "amends"]);
    let (greetings, amends) = (list(&["greetings"]), list(&["amends"]));
    let denies = list(&["amends before a comma"]);
    let mark = format!(r"\s*[,:;.!…\-–—、，。！～~){PICTURES}]+\s*");
    let before = format!(r"^[¡\s{PICTURES}]*");
    Some(Leads {
        head: Regex::new(&format!(r"{before}(?:(?:{leads})(?:{mark}|\s+)¡?|(?:{denies}){mark})*")).ok()?,
        greets: Regex::new(&format!(r"(?:^|[^\p{{L}}])(?:{greetings})(?:[^\p{{L}}]|$)")).ok()?,
        amends: Regex::new(&format!(r"(?:^|[^\p{{L}}])(?:{amends}|{denies})(?:[^\p{{L}}]|$)")).ok()?,
        no: Regex::new(&format!(r"^no\s+(?:{})(?:[^\p{{L}}'].*)?$", list(&["after no"]))).ok()?,
        alone: Regex::new(&format!(r"{before}(?:(?:{leads}|{denies})(?:{mark}|\s+)?)+$")).ok()?,
    })
});

/// Emoji, and what they are joined and coloured with.
const PICTURES: &str = r"\p{Extended_Pictographic}\p{Emoji_Modifier}\u{fe0f}\u{200d}";

/// For what is in lower case.
struct Leads {
    head: Regex,
    greets: Regex,
    amends: Regex,
    no: Regex,
    /// A sentence of such words alone: "No!"
    alone: Regex,
}

impl Leads {
    /// What of a sentence neither leads up to it nor calls anybody, and whether it sets something right.
    fn body_of(&self, plain: &str, names: &[String]) -> (String, bool) {
        let (head, amends) = self.of(plain);
        // "Hey Pell, please remember …"
        let behind = without_calls(plain[head..].trim(), names);
        let (head, amends_behind) = self.of(&behind);
        (behind[head..].trim().to_owned(), amends || amends_behind)
    }

    /// How long what leads up to a sentence is, and whether it sets something right.
    fn of(&self, plain: &str) -> (usize, bool) {
        let plain = lowered(plain);
        let mut head = self.head.find(&plain).map_or(0, |head| head.end());
        if self.no.is_match(&plain[head..]) {
            head += "no".len();
            head += plain[head..].len() - plain[head..].trim_start().len();
            head += self.head.find(&plain[head..]).map_or(0, |more| more.end());
        }
        (head, self.is_amending(&plain[..head]))
    }

    /// Whether what leads up to a sentence sets something right. "Sorry, hello Ana" calls Ana.
    fn is_amending(&self, head: &str) -> bool {
        let greeted = self.greets.find_iter(head).last().map_or(0, |greeting| greeting.end());
        self.amends.is_match(&head[greeted..])
    }
}

/// The sentences of a message.
pub fn message_sentences(text: &str) -> Vec<Sentence> {
    said_to(&[], text)
}

/// The sentences of a message, without these names where they call whoever bears them: "Pell, I live in Ghent" says the
/// same as "I live in Ghent".
pub fn said_to(names: &[String], text: &str) -> Vec<Sentence> {
    let (Some(not_meant), Some(leads)) = (NOT_MEANT.as_ref(), LEADS.as_ref()) else { return Vec::new() };
    // Where something stood, no two halves may grow together.
    let meant = not_meant.replace_all(text, "\u{fffc}");
    let one_star = text.matches('*').count() == 1;
    let (mut found, mut amended_before, mut about) = (Vec::new(), false, Unsaid::Oneself);
    for line in meant.lines() {
        for raw in sentences_of(&without_stops_of_days(line)) {
            let whole = raw.trim();
            if whole.contains('\u{fffc}') || whole.chars().count() > LONGEST {
                about = Unsaid::Another;
                continue;
            }
            let unmarked = whole.trim_end_matches(QUESTION_MARKS);
            let is_question = unmarked.len() < whole.len();
            let plain = unmarked.replace('’', "'").replace('¿', "");
            let called = without_calls(&plain, names);
            let plain = called.trim_end_matches(['.', '!', '…', ' ', ')', ':', '。', '！', '～', '~']);
            let starred = plain.strip_prefix('*').or_else(|| plain.strip_suffix('*')).filter(|_| one_star);
            let plain = starred.unwrap_or(plain).trim();
            let (body, amends) = leads.body_of(plain, names);
            if is_question && !is_request(&body) {
                about = Unsaid::Another;
                continue;
            }
            let lower = lowered(plain);
            if leads.alone.is_match(&lower) && starred.is_none() {
                amended_before |= leads.is_amending(&lower);
                continue;
            }
            let amends = amends || starred.is_some() || std::mem::take(&mut amended_before);
            if !body.is_empty() && found.len() < MOST {
                // Only where words are not set apart is anybody left out.
                let goes_on = !body.contains(is_unspaced) || is_of_oneself(&body);
                found.push(Sentence { body, amends, about, is_starred: starred.is_some() });
                about = if goes_on { about } else { Unsaid::Another };
            }
        }
    }
    found
}

/// "Am 5. Mai" without the full stop that makes an ordinal of a number, and ends nothing. A language that writes none begins
/// sentences with words that are months, too.
fn without_stops_of_days(line: &str) -> Cow<'_, str> {
    static DAY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b(\d{1,2})\.\s+(\p{L}+)").ok());
    let Some(day) = DAY.as_ref() else { return Cow::Borrowed(line) };
    day.replace_all(line, |found: &Captures<'_>| {
        let (day, word) = (&found[1], &found[2]);
        let begins =
            word.starts_with(char::is_uppercase) && is_listed("said: months that begin sentences", word);
        if is_month(word) && !begins { format!("{day} {word}") } else { found[0].to_owned() }
    })
}

/// "Can you remember that I sing alto?" is no question, whatever stands at its end.
fn is_request(body: &str) -> bool {
    Forms::get().is_some_and(|forms| forms.fitting(body).any(|form| form.section == "remember asked"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_author_means_is_a_sentence() {
        let bodies = |text: &str| -> Vec<String> {
            message_sentences(text).into_iter().map(|sentence| sentence.body).collect()
        };
        assert_eq!(bodies("Hi! I live in Ghent. Do you?"), ["I live in Ghent"]);
        assert_eq!(bodies("Hi 👋🏽 I live in Ghent"), ["I live in Ghent"]);
        assert_eq!(bodies("¡Hola! ¡Vivo en Madrid!"), ["Vivo en Madrid"]);
        assert!(!message_sentences("sorry, hello Ana")[0].amends);
        assert!(message_sentences("hello, sorry, Ana")[0].amends);
        assert_eq!(bodies("oh btw, I live in Ghent"), ["I live in Ghent"]);
        assert_eq!(bodies("mein Geburtstag ist am 5. Mai"), ["mein Geburtstag ist am 5 Mai"]);
        for begins in ["we sail on the 5. May we all come home", "WE SAIL ON THE 5. MARCH TO THE QUAY"] {
            assert_eq!(bodies(begins).len(), 2, "{begins}");
        }
        assert!(bodies("> I live in Ghent").is_empty());
        assert!(bodies("she said \"I live in Ghent\"").is_empty());
        assert!(bodies("*I live in Ghent*").is_empty());
        let amended = message_sentences("No, it's Saturday!");
        assert_eq!((amended[0].body.as_str(), amended[0].amends), ("it's Saturday", true));
        assert!(!message_sentences("It's Saturday")[0].amends);
        let amended = message_sentences("No! It's Saturday");
        assert_eq!((amended[0].body.as_str(), amended[0].amends), ("It's Saturday", true));
        let starred = message_sentences("*Ana");
        assert_eq!((starred[0].body.as_str(), starred[0].is_starred), ("Ana", true));
        assert_eq!(bodies("no i live in Ghent"), ["i live in Ghent"]);
        // Before a verb it denies it.
        assert_eq!(bodies("no vivo en Madrid"), ["no vivo en Madrid"]);
        assert_eq!(bodies("nie mieszkam w Krakowie"), ["nie mieszkam w Krakowie"]);
        assert_eq!(bodies("いや、妹の名前はアナです"), ["妹の名前はアナです"]);
    }
}
