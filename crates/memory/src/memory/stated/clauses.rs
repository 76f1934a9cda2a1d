//! A sentence that says several things of whoever speaks: "my name is Ana and my cat is called Miso".
//!
//! Owns where one such thing ends and the next begins. Must not know what any of them means. Start at [`clauses`].

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::plain::{is_led_up_to, is_stated};
use super::words::said_words;
use crate::text::phrases::{either, is_listed, listed_phrases};

/// Things of one sentence that are looked at.
const MOST: usize = 8;

/// Between two of them: a comma or "and". Whether something is stated behind it, its words tell.
static SEAM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = said_words("joins");
    let joins = either(&words);
    // Behind a comma a lone "i" is whoever speaks.
    let longer = either(&words.iter().copied().filter(|word| *word != "i").collect::<Vec<_>>());
    let also = either(&said_words("also"));
    Regex::new(&format!(
        r"(?i)(?:\s*[,;\u{{2013}}\u{{2014}}、，；]\s*(?:(?:{longer})\s+)?|\s+(?:{joins}|&)\s+)(?:(?:{also})\s+)?"
    ))
    .ok()
});

/// Somebody speaking of themselves.
static OF_ONESELF: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!(r"(?i)^(?:{})\s", either(&said_words("of oneself")))).ok());

/// "I'm Ana": who speaks is said to be somebody, or of some sort. Which of the two, a capital alone does not tell.
static SELF: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let others = either(&said_words("i am"));
    Regex::new(&format!(r"^(?:(?i:i'm|i am)|(?P<other>(?i:{others})))\s(?P<who>\p{{Lu}}[\p{{L}}'-]+)$")).ok()
});

/// The parts of a sentence, in order; a sentence that says one thing is its only part. One that goes on without saying again
/// who speaks has it said: "ich arbeite bei Airbus und wohne in Kiel".
pub(super) fn clauses(body: &str) -> Vec<Cow<'_, str>> {
    let (Some(seam), Some(of_oneself)) = (SEAM.as_ref(), OF_ONESELF.as_ref()) else {
        return vec![Cow::Borrowed(body)];
    };
    let seams: Vec<_> = seam.find_iter(body).collect();
    let (mut parts, mut from, mut left_out) = (Vec::new(), 0, None);
    for (at, seam) in seams.iter().enumerate() {
        if parts.len() + 1 == MOST {
            break;
        }
        let end = seams.get(at + 1).map_or(body.len(), |next| next.start());
        let (next, rest) = (&body[seam.end()..end], &body[seam.end()..]);
        let part = &body[from..seam.start()];
        let begins = of_oneself.is_match(rest) || is_stated(next) || is_stated(rest);
        let speaker = left_out.or_else(|| speaker_of(part)).filter(|_| !begins);
        let goes_on = speaker.filter(|who| is_stated(&format!("{who} {next}")));
        if (begins || goes_on.is_some()) && !is_led_up_to(&body[from..end], next) {
            parts.push(said_by(left_out, part));
            (from, left_out) = (seam.end(), goes_on);
        }
    }
    parts.push(said_by(left_out, &body[from..]));
    parts
}

/// The word by which somebody begins to speak of themselves: "I", also of "I'm".
fn speaker_of(part: &str) -> Option<&str> {
    let first = part.split(|c: char| !c.is_alphabetic()).next()?;
    is_listed("said: i", first).then_some(first)
}

/// A part with the word for whoever speaks, where that was left out.
fn said_by<'b>(left_out: Option<&str>, part: &'b str) -> Cow<'b, str> {
    match left_out {
        Some(who) => Cow::Owned(format!("{who} {part}")),
        None => Cow::Borrowed(part),
    }
}

/// Who somebody says they are, where a part says only that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Introduced<'a> {
    Named(&'a str),
    /// By a name, or as one of many: nobody can tell.
    Somehow,
}

/// Reads "I'm Ana". Before other things that are said of oneself it is an introduction; alone it may be anything.
pub(super) fn introduced(part: &str) -> Option<Introduced<'_>> {
    let found = SELF.as_ref()?.captures(part.trim())?;
    let who = found.name("who")?.as_str();
    let folded = who.to_lowercase();
    // In German every noun has a capital, elsewhere a people has; and an abbreviation has several.
    let is_doubtful = found.name("other").is_some()
        || !who.chars().skip(1).any(char::is_lowercase)
        || is_listed("sorts of people", &folded)
        // Names end so too; then a model has to tell.
        || listed_phrases("endings of sorts").any(|(_, ending)| folded.ends_with(ending));
    Some(if is_doubtful { Introduced::Somehow } else { Introduced::Named(who) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_cut_where_somebody_goes_on_about_themselves() {
        for (body, parts) in [
            ("my name is Ana and my cat is called Miso", vec!["my name is Ana", "my cat is called Miso"]),
            (
                "I'm Ana, I live in Porto and I'm allergic to nuts",
                vec!["I'm Ana", "I live in Porto", "I'm allergic to nuts"],
            ),
            ("I live in Porto, and also I work as a nurse", vec!["I live in Porto", "I work as a nurse"]),
            ("I'm allergic to nuts and shellfish", vec!["I'm allergic to nuts and shellfish"]),
            ("I live in Porto and icebergs are cold", vec!["I live in Porto and icebergs are cold"]),
            ("Me llamo Noor y vivo en Madrid", vec!["Me llamo Noor", "vivo en Madrid"]),
            (
                "Je m'appelle Noor et j'habite avec mes chats",
                vec!["Je m'appelle Noor", "j'habite avec mes chats"],
            ),
            ("mieszkam w Krakowie i mam na imię Noor", vec!["mieszkam w Krakowie", "mam na imię Noor"]),
            ("I live in Porto and work as a nurse", vec!["I live in Porto", "I work as a nurse"]),
            (
                "ich arbeite bei Airbus, wohne in Kiel und bin allergisch gegen Nüsse",
                vec!["ich arbeite bei Airbus", "ich wohne in Kiel", "ich bin allergisch gegen Nüsse"],
            ),
            (
                "my parents live in Porto and work as nurses",
                vec!["my parents live in Porto and work as nurses"],
            ),
            ("Last summer, I moved to Ghent", vec!["Last summer, I moved to Ghent"]),
            (
                "my name is Ana, last summer, I moved to Ghent",
                vec!["my name is Ana", "last summer, I moved to Ghent"],
            ),
            ("she was cold, I moved to Ghent", vec!["she was cold", "I moved to Ghent"]),
            ("", vec![""]),
        ] {
            assert_eq!(clauses(body), parts, "{body}");
        }
        let many = "I live in Porto and ".repeat(40);
        assert!(clauses(&many).len() <= MOST);
    }

    #[test]
    fn a_capital_alone_is_no_name() {
        assert_eq!(introduced("I'm Ana"), Some(Introduced::Named("Ana")));
        for doubtful in
            ["I'm German", "I'm Polish", "i am Sorry", "I'm INFP", "ich bin Lehrer", "I'm Kidding"]
        {
            assert_eq!(introduced(doubtful), Some(Introduced::Somehow), "{doubtful}");
        }
        for other in ["I'm tired", "I'm Ana Maria", "I'm not Ana", "you are Ana", "I'm"] {
            assert_eq!(introduced(other), None, "{other}");
        }
    }
}
