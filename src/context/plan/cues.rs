//! The words a message gives itself away by: English first, then German, French and Spanish (specs mechanisms A1).
//!
//! Owns the tables. A phrase is written as people write it; it is folded once, and `_` stands for any one word.
//! Start reading at [`find`].

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::fold;
use crate::text::phrases::sections;

/// What a phrase hints at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Cue {
    /// Hello and goodbye.
    Greeting,
    /// Words that make a greeting no question: "everyone", "how are you".
    Filler,
    /// Thanks, laughter, yes and no.
    Acknowledgement,
    /// Asks whether or what is remembered.
    Recall,
    /// A time that has passed.
    Past,
    /// Asks for all there is.
    Deep,
    /// A look back over a long time, or something to be thought up.
    Retrospective,
    /// Something to be done.
    Task,
    /// Holds several things against each other.
    Several,
    /// A question without its mark.
    Question,
    /// How people belong together.
    Relation,
    /// German function words: there, every noun has a capital.
    German,
    /// A verb in the past.
    PastVerb,
    /// Whoever speaks, and what is theirs.
    Own,
    /// Asks what to do, not what was.
    Advice,
    /// A verb that, at the beginning, is an order.
    Imperative,
    /// Wants something looked up or worked out.
    Reckoning,
    /// A piece of writing, a plan.
    Work,
    /// To think something up.
    Make,
    /// To go over what was.
    Review,
    /// A long time, or all of something.
    Span,
    /// All there is.
    All,
    /// Asks to be told.
    Tell,
    /// Asks what is known.
    Informed,
    /// Asks for what was said once.
    Anew,
}

impl Cue {
    /// All of them, with the names of their sections.
    const ALL: [(&'static str, Self); 25] = [
        ("greeting", Self::Greeting),
        ("filler", Self::Filler),
        ("acknowledgement", Self::Acknowledgement),
        ("recall", Self::Recall),
        ("past", Self::Past),
        ("deep", Self::Deep),
        ("retrospective", Self::Retrospective),
        ("task", Self::Task),
        ("several", Self::Several),
        ("question", Self::Question),
        ("relation", Self::Relation),
        ("german", Self::German),
        ("past_verb", Self::PastVerb),
        ("own", Self::Own),
        ("advice", Self::Advice),
        ("imperative", Self::Imperative),
        ("reckoning", Self::Reckoning),
        ("work", Self::Work),
        ("make", Self::Make),
        ("review", Self::Review),
        ("span", Self::Span),
        ("all", Self::All),
        ("tell", Self::Tell),
        ("informed", Self::Informed),
        ("anew", Self::Anew),
    ];
}

/// The phrases, section by section.
const PHRASES: &str = include_str!("cues.txt");

/// One place in a message where a phrase stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub cue: Cue,
    /// Its first word in the message.
    pub at: usize,
    /// How many words.
    pub len: usize,
}

struct Phrase {
    cue: Cue,
    rest: Vec<String>,
}

/// Phrases by their first word.
static INDEX: LazyLock<HashMap<String, Vec<Phrase>>> = LazyLock::new(|| {
    let mut index: HashMap<String, Vec<Phrase>> = HashMap::new();
    for (name, phrases) in sections(PHRASES) {
        let Some(&(_, cue)) = Cue::ALL.iter().find(|(known, _)| *known == name) else { continue };
        for phrase in phrases {
            let mut words = phrase
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|word| !word.is_empty())
                .map(fold);
            let Some(first) = words.next() else { continue };
            index.entry(first).or_default().push(Phrase { cue, rest: words.collect() });
        }
    }
    index
});

/// Every phrase in a message, in the order of its words.
pub(super) fn find(words: &[String]) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(phrases) = INDEX.get(word) else { continue };
        for phrase in phrases {
            let Some(follows) = words.get(at + 1..=at + phrase.rest.len()) else { continue };
            if phrase.rest.iter().zip(follows).all(|(cue, word)| cue == "_" || cue == word) {
                hits.push(Hit { cue: phrase.cue, at, len: phrase.rest.len() + 1 });
            }
        }
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::super::words::Words;
    use super::*;

    fn cues(text: &str) -> Vec<Cue> {
        find(&Words::of(text).folded).into_iter().map(|hit| hit.cue).collect()
    }

    #[test]
    fn a1_phrases_are_found_whatever_the_accents_and_the_apostrophes() {
        assert!(
            cues("WEISST du noch?").contains(&Cue::Recall) && cues("weißt du noch?").contains(&Cue::Recall)
        );
        assert!(cues("Te souviens‑tu du phare").contains(&Cue::Recall));
        assert!(cues("que hablamos ayer").contains(&Cue::Past));
        assert!(cues("what’s my name").contains(&Cue::Recall));
        assert!(cues("what did Ana say").contains(&Cue::Recall));
        assert!(!cues("she remembers").contains(&Cue::Recall));
    }

    #[test]
    fn a1_every_section_is_a_cue_and_no_phrase_stands_twice_in_one() {
        let names: Vec<&str> = sections(PHRASES).map(|(name, _)| name).collect();
        assert_eq!(names, Cue::ALL.map(|(name, _)| name));
        for (name, mut phrases) in sections(PHRASES) {
            assert!(phrases.len() >= 10, "{name}");
            phrases.sort_unstable();
            let before = phrases.len();
            phrases.dedup();
            assert_eq!(phrases.len(), before, "{name}");
        }
    }
}
