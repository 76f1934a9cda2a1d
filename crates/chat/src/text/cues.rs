//! Looking for turns of phrase in what somebody wrote, without caring for case, punctuation or spacing.
//!
//! Owns the one way words are made comparable. Must not know what a phrase means.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

use super::names::is_unspaced;
use super::spelling::fold;

/// Characters looked at; what somebody asks of a companion stands in a few lines.
const LOOKED_AT: usize = 1200;

/// A message, made comparable: lower case, words set apart by single spaces, apostrophes dropped (`what's` is
/// `whats`), everything else that is no letter or digit gone. Quoted lines (`> …`) and code blocks are left out: they
/// are not what the person says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cues {
    written: SpacedWords,
    /// The same words without accents, where it has any: a phrase of several words may be written with or without them.
    bare: Option<SpacedWords>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SpacedWords {
    /// With a space at both ends.
    padded: String,
    /// Where words begin, by their first byte: hundreds of phrases are looked for in one message.
    starts: Vec<(u8, usize)>,
}

impl SpacedWords {
    fn of(padded: String) -> Self {
        let pairs = (1..).zip(padded.as_bytes().windows(2));
        let mut starts: Vec<(u8, usize)> = pairs
            .filter_map(|(at, pair)| match pair {
                [b' ', byte] if *byte != b' ' => Some((*byte, at)),
                _ => None,
            })
            .collect();
        starts.sort_unstable();
        Self { padded, starts }
    }

    fn find(&self, phrase: &str) -> Option<usize> {
        if phrase.chars().any(is_unspaced) {
            return self.padded.find(phrase);
        }
        let (bytes, first) = (self.padded.as_bytes(), *phrase.as_bytes().first()?);
        let from = self.starts.partition_point(|(byte, _)| *byte < first);
        let alike = self.starts[from..].iter().take_while(|(byte, _)| *byte == first);
        alike.map(|(_, at)| *at).find(|at| {
            bytes[*at..].starts_with(phrase.as_bytes()) && bytes.get(at + phrase.len()) == Some(&b' ')
        })
    }
}

impl Cues {
    /// Reads the first 1,200 characters of a message.
    pub fn of(text: &str) -> Self {
        let mut padded = String::with_capacity(text.len().min(LOOKED_AT) + 2);
        padded.push(' ');
        let mut left = LOOKED_AT;
        for line in own_lines(text) {
            for character in line.nfc().take(left).chain(['\n']) {
                match character {
                    '\'' | '’' | '‘' | '\u{300}'..='\u{36f}' => {}
                    letter if letter.is_alphanumeric() => padded.extend(letter.to_lowercase()),
                    _ if padded.ends_with(' ') => {}
                    _ => padded.push(' '),
                }
            }
            left = left.saturating_sub(line.chars().count());
        }
        if !padded.ends_with(' ') {
            padded.push(' ');
        }
        let bare = (!padded.is_ascii()).then(|| without_accents(&padded)).filter(|bare| *bare != padded);
        Self { written: SpacedWords::of(padded), bare: bare.map(SpacedWords::of) }
    }

    pub fn text(&self) -> &str {
        self.written.padded.trim()
    }

    pub fn words(&self) -> usize {
        self.written.padded.split_whitespace().count()
    }

    /// Whether a phrase, written as this type writes it, stands in it: as whole words, and anywhere where its script sets no
    /// words apart or hangs particles on them. One of several words that is written without accents is found with any.
    pub fn has(&self, phrase: &str) -> bool {
        self.find(phrase).is_some()
    }

    /// Whether a word that is written without accents stands in it, with any or none.
    pub fn has_bare(&self, word: &str) -> bool {
        self.bare.as_ref().unwrap_or(&self.written).find(word).is_some()
    }

    /// Whether any of the phrases does.
    pub fn any<P: AsRef<str>>(&self, phrases: &[P]) -> bool {
        phrases.iter().any(|phrase| self.has(phrase.as_ref()))
    }

    /// Whether the message begins with a phrase.
    pub fn begins(&self, phrase: &str) -> bool {
        self.in_either(phrase, |text| {
            text.strip_prefix(phrase).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    }

    /// Whether the message ends with a phrase, be it within a word.
    pub fn ends(&self, phrase: &str) -> bool {
        self.in_either(phrase, |text| text.ends_with(phrase))
    }

    /// What stands behind the first of the phrases that is found; may be empty.
    pub fn after<P: AsRef<str>>(&self, phrases: &[P]) -> Option<&str> {
        phrases.iter().map(AsRef::as_ref).find_map(|phrase| {
            let found = self.find(phrase)?;
            Some(self.written.padded[found.end..].trim())
        })
    }

    /// What stands before the first of the phrases that is found; may be empty.
    pub fn before<P: AsRef<str>>(&self, phrases: &[P]) -> Option<&str> {
        phrases
            .iter()
            .map(AsRef::as_ref)
            .find_map(|phrase| self.find(phrase).map(|found| self.written.padded[..found.start].trim()))
    }

    /// Where a phrase stands among the words as they are written.
    fn find(&self, phrase: &str) -> Option<Range<usize>> {
        if let Some(at) = self.written.find(phrase) {
            return Some(at..at + phrase.len());
        }
        let bare = self.bare.as_ref().filter(|_| is_several_words(phrase))?;
        // Both have the same words.
        let before = bare.padded[..bare.find(phrase)?].matches(' ').count();
        let mut spaces = self.written.padded.match_indices(' ').map(|(at, _)| at);
        let start = spaces.nth(before.checked_sub(1)?)? + 1;
        Some(start..spaces.nth(phrase.matches(' ').count())?)
    }

    /// Whether something holds of the words as they are written or, for a phrase of several, without accents.
    fn in_either(&self, phrase: &str, holds: impl Fn(&str) -> bool) -> bool {
        let bare = self.bare.as_ref().filter(|_| is_several_words(phrase));
        holds(self.text()) || bare.is_some_and(|bare| holds(bare.padded.trim()))
    }
}

fn is_several_words(phrase: &str) -> bool {
    phrase.contains(' ') && !phrase.chars().any(is_unspaced)
}

/// The words of a text as [`Cues`] writes it, each without accents; none is lost.
pub(super) fn without_accents(comparable: &str) -> String {
    let bare = |word: &str| {
        let mut bare = fold(word);
        bare.retain(char::is_alphanumeric);
        if bare.is_empty() { word.to_owned() } else { bare }
    };
    comparable.split(' ').map(bare).collect::<Vec<_>>().join(" ")
}

/// What the person says, without quoted lines and code blocks.
pub fn own_words(text: &str) -> String {
    own_lines(text).collect::<Vec<_>>().join("\n")
}

fn own_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !is_fence && !in_code && !line.trim_start().starts_with('>')
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn phrases_are_found_as_whole_words_whatever_stands_around_them() {
        let cues = Cues::of("So… WHAT’s  the Time,\nMika?");
        assert_eq!(cues.text(), "so whats the time mika");
        assert!(cues.has("whats the time") && cues.begins("so"));
        assert!(!cues.has("the tim") && !cues.has("hats the time") && !cues.begins("s"));
        assert_eq!(cues.after(&["no such", "whats the"]), Some("time mika"));
        assert_eq!(cues.before(&["time"]), Some("so whats the"));
        // The first whole one, behind words that only begin like it.
        assert_eq!(Cues::of("timely times, time after time").after(&["time"]), Some("after time"));
    }

    #[test]
    fn accents_are_those_of_the_message_whichever_a_phrase_of_several_words_has() {
        for text in ["¿Y qué hora es en España, tío?", "y que\u{301} hora es en Espan\u{303}a, ti\u{301}o"]
        {
            let cues = Cues::of(text);
            assert_eq!(cues.text(), "y qué hora es en españa tío");
            assert_eq!(cues.after(&["que hora es en"]), Some("españa tío"));
            assert_eq!(cues.before(&["hora es"]), Some("y qué"));
            assert!(cues.begins("y que hora") && cues.ends("espana tio") && cues.has_bare("tio"));
            assert!(!cues.has("que") && !cues.has("tio") && !cues.begins("y que ho"));
        }
        assert!(Cues::of("el perro").has("el") && !Cues::of("él").has("el"), "another word");
    }

    #[test]
    fn quotes_and_code_are_not_what_the_person_says() {
        assert_eq!(Cues::of("> what time is it?\n```\nroll 2d6\n```\nlol").text(), "lol");
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in "\\PC{0,200}|.{0,50}", phrase in "[a-z ]{1,6}") {
            let cues = Cues::of(&text);
            prop_assert!(!cues.text().contains("  "));
            prop_assert!(cues.after(&[&phrase]).is_none_or(|rest| !rest.starts_with(' ')));
        }
    }
}
