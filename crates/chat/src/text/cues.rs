//! Looking for turns of phrase in what somebody wrote, without caring for case, punctuation or spacing.
//!
//! Owns the one way words are made comparable. Must not know what a phrase means.

use super::names::is_unspaced;

/// Characters looked at; what somebody asks of a companion stands in a few lines.
const LOOKED_AT: usize = 1200;

/// A message, made comparable: lower case, words set apart by single spaces, apostrophes dropped (`what's` is
/// `whats`), everything else that is no letter or digit gone. Quoted lines (`> …`) and code blocks are left out: they
/// are not what the person says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cues {
    /// With a space at both ends.
    padded: String,
    /// Where words begin, by their first byte: hundreds of phrases are looked for in one message.
    starts: Vec<(u8, usize)>,
}

impl Cues {
    /// Reads the first 1,200 characters of a message.
    pub fn of(text: &str) -> Self {
        let mut padded = String::with_capacity(text.len().min(LOOKED_AT) + 2);
        padded.push(' ');
        let mut left = LOOKED_AT;
        for line in own_lines(text) {
            for character in line.chars().take(left).chain(['\n']) {
                match character {
                    '\'' | '’' | '‘' => {}
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

    pub fn text(&self) -> &str {
        self.padded.trim()
    }

    pub fn words(&self) -> usize {
        self.padded.split_whitespace().count()
    }

    /// Whether a phrase, written as this type writes it, stands in it: as whole words, and anywhere where its script sets no
    /// words apart or hangs particles on them.
    pub fn has(&self, phrase: &str) -> bool {
        self.find(phrase).is_some()
    }

    /// Whether any of the phrases does.
    pub fn any<P: AsRef<str>>(&self, phrases: &[P]) -> bool {
        phrases.iter().any(|phrase| self.has(phrase.as_ref()))
    }

    /// Whether the message begins with a phrase.
    pub fn begins(&self, phrase: &str) -> bool {
        self.text().strip_prefix(phrase).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    }

    /// What stands behind the first of the phrases that is found; may be empty.
    pub fn after<P: AsRef<str>>(&self, phrases: &[P]) -> Option<&str> {
        phrases.iter().map(AsRef::as_ref).find_map(|phrase| {
            let at = self.find(phrase)?;
            Some(self.padded[at + phrase.len()..].trim())
        })
    }

    /// What stands before the first of the phrases that is found; may be empty.
    pub fn before<P: AsRef<str>>(&self, phrases: &[P]) -> Option<&str> {
        phrases
            .iter()
            .map(AsRef::as_ref)
            .find_map(|phrase| self.find(phrase).map(|at| self.padded[..at].trim()))
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
