//! The sentences of a message that its author means: no quotations, no code, no stage directions, no questions.

use std::sync::LazyLock;

use regex::Regex;

use crate::text::names::without_calls;
use crate::text::sentences::Cutter;

/// A sentence longer than this is no plain statement, in characters.
const LONGEST: usize = 300;

/// Sentences of one message that are looked at.
const MOST: usize = 40;

/// What stands in the name of somebody else, or of a scene.
static NOT_MEANT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?s)```.*?(?:```|$)|`[^`\n]*`|\*[^*\n]+\*|"[^"\n]*"|“[^”\n]*”|„[^“\n]*“|«[^»\n]*»|(?m-s:^[ \t]*>.*$)"#).ok()
});

/// Words before a statement that change nothing about it.
static LEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?xi)^(?:(?:well|oh|ok|okay|hey|hi|hello|so|and|also|btw|by\ the\ way|fyi|yes|yeah|yep|please|listen|look|um|uh|
          actually|no|nope|nah|wait|sorry|correction|i\ was\ wrong|ach|ja|nein|doch|also|übrigens|bitte)
          (?:[,:;.!…\-–—]+\s*|\s+))+",
    )
    .ok()
});

/// Words by which somebody sets themselves right.
static AMENDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:actually|no|nope|nah|wait|sorry|correction|i was wrong|i mean|i meant|nein|doch)\b")
        .ok()
});

/// One sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// Without what leads up to it and without its full stop.
    pub body: String,
    /// Whether it begins by setting something right.
    pub amends: bool,
}

/// The sentences of a message.
pub fn sentences(text: &str) -> Vec<Sentence> {
    said_to(&[], text)
}

/// The sentences of a message, without these names where they call whoever bears them: "Pell, I live in Ghent" says the
/// same as "I live in Ghent".
pub fn said_to(names: &[String], text: &str) -> Vec<Sentence> {
    let Some(not_meant) = NOT_MEANT.as_ref() else { return Vec::new() };
    // Where something stood, no two halves may grow together.
    let meant = not_meant.replace_all(text, "\u{fffc}");
    let mut found = Vec::new();
    for line in meant.lines() {
        let mut cutter = Cutter::new();
        let mut cut = cutter.push(line);
        cut.extend(cutter.finish());
        for raw in cut {
            let whole = raw.trim();
            if whole.ends_with('?') || whole.contains('\u{fffc}') || whole.chars().count() > LONGEST {
                continue;
            }
            let plain = whole.replace('’', "'");
            let called = without_calls(&plain, names);
            let plain = called.trim_end_matches(['.', '!', '…', ' ', ')', ':']);
            let body = LEAD.as_ref().map_or_else(|| plain.into(), |lead| lead.replace(plain, ""));
            let head = &plain[..plain.len() - body.len()];
            let amends = AMENDS.as_ref().is_some_and(|amends| amends.is_match(head));
            // "Hey Pell, please remember …"
            let behind = without_calls(&body, names);
            let body = LEAD.as_ref().map_or_else(|| behind.as_str().into(), |lead| lead.replace(&behind, ""));
            if !body.trim().is_empty() && found.len() < MOST {
                found.push(Sentence { body: body.trim().to_owned(), amends });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_author_means_is_a_sentence() {
        let bodies = |text: &str| -> Vec<String> {
            sentences(text).into_iter().map(|sentence| sentence.body).collect()
        };
        assert_eq!(bodies("Hi! I live in Ghent. Do you?"), ["Hi", "I live in Ghent"]);
        assert_eq!(bodies("oh btw, I live in Ghent"), ["I live in Ghent"]);
        assert!(bodies("> I live in Ghent").is_empty());
        assert!(bodies("she said \"I live in Ghent\"").is_empty());
        assert!(bodies("*I live in Ghent*").is_empty());
        let amended = sentences("No, it's Saturday!");
        assert_eq!((amended[0].body.as_str(), amended[0].amends), ("it's Saturday", true));
        assert!(!sentences("It's Saturday")[0].amends);
    }
}
