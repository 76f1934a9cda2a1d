//! What a stored message says about what hangs together, apart from its words.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::stance::Stance;
use super::store::{AudienceKey, as_text};
use crate::domain::{Regard, Role, StoredId};
use crate::history::Heard;
use crate::text::cues::Cues;
use crate::text::keywords;

/// Topics of one message.
const TOPICS: usize = 6;

/// Names called in one message.
const MENTIONS: usize = 4;

/// A stem of fewer letters says little.
const STEM_MIN: usize = 3;

/// Characters of a message that are looked at.
const TEXT_MAX: usize = 1_200;

/// Turns of phrase behind which stands what somebody knows about.
const KNOWS: &[&str] = &[
    "i work as a",
    "i work as an",
    "i work with",
    "i work in",
    "im a",
    "i am a",
    "im an",
    "i am an",
    "i teach",
    "i study",
    "i studied",
    "i play",
    "i know a lot about",
    "i know about",
    "im good at",
    "i am good at",
    "i build",
    "i repair",
    "i grow",
    "i breed",
    "i keep",
    "i collect",
    "ich arbeite als",
    "ich arbeite mit",
    "ich bin ein",
    "ich bin eine",
    "ich spiele",
    "ich studiere",
    "ich kenne mich aus mit",
    "ich unterrichte",
    "ich züchte",
    "ich sammle",
];

/// Words after such a phrase that are still what is known.
const KNOWN_WORDS: usize = 3;

/// A message as the graph knows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TurnSeen {
    pub id: i64,
    pub channel: Arc<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_name: Option<Arc<str>>,
    pub ordinal: u64,
    /// In milliseconds.
    pub at: i64,
    /// `None` for the familiar and for bots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<Speaker>,
    #[serde(with = "as_text")]
    pub audience: AudienceKey,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<i64>,
    #[serde(default, skip_serializing_if = "is_plain")]
    pub stance: Stance,
    /// Folded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<Arc<str>>,
    /// Stems.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<Arc<str>>,
    /// Stems of what they say they know about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub knows: Vec<Arc<str>>,
    /// Whose reactions say what to it, since when in milliseconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regards: Vec<(Arc<str>, Regard, i64)>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_plain(stance: &Stance) -> bool {
    stance.is_none()
}

/// Who said it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Speaker {
    pub slug: Arc<str>,
    /// The name shown first.
    pub names: Vec<Arc<str>>,
}

impl TurnSeen {
    pub(super) fn of(heard: &Heard) -> Self {
        let turn = &heard.turn;
        let who = turn.author.as_ref().filter(|author| turn.role == Role::User && !author.is_bot);
        let text: String = match who {
            Some(_) => turn.content.chars().take(TEXT_MAX).collect(),
            None => String::new(),
        };
        let who = who.map(|author| {
            let mut names: Vec<Arc<str>> = vec![author.label().into()];
            names.extend(author.username.as_deref().filter(|name| *name != author.label()).map(Arc::from));
            Speaker { slug: author.account.slug().into(), names }
        });
        let cues = Cues::of(&text);
        Self {
            id: turn.id.0,
            channel: heard.channel.as_str().into(),
            channel_name: heard.channel_name.as_deref().map(Arc::from),
            ordinal: turn.ordinal,
            at: turn.at.as_millisecond(),
            who,
            audience: AudienceKey(turn.audience.clone()),
            answers: heard.answers.map(|StoredId(id)| id),
            stance: Stance::of(&text),
            mentions: mentions(&text),
            topics: each_once(keywords::terms(&said(&text)).into_iter().filter(|stem| tells(stem)), TOPICS),
            knows: knows(&cues),
            regards: heard
                .regards
                .iter()
                .map(|one| (one.by.slug().into(), one.regard, one.at.as_millisecond()))
                .collect(),
        }
    }
}

/// Whether a stem says what something is about.
pub(super) fn tells(stem: &str) -> bool {
    stem.chars().count() >= STEM_MIN && !stem.chars().all(char::is_numeric)
}

/// Each once, in order, at most so many.
pub(super) fn each_once(stems: impl Iterator<Item = String>, most: usize) -> Vec<Arc<str>> {
    let mut each: Vec<Arc<str>> = Vec::new();
    for stem in stems {
        if each.len() == most {
            break;
        }
        if !each.iter().any(|known| **known == *stem) {
            each.push(stem.into());
        }
    }
    each
}

/// Without quoted lines and addresses: these are not the person's words.
fn said(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('>'));
    let words = lines.flat_map(str::split_whitespace).filter(|word| !word.contains("://"));
    words.collect::<Vec<_>>().join(" ")
}

/// Names that are called with an @, as far as one word of them goes.
fn mentions(text: &str) -> Vec<Arc<str>> {
    let called = text.match_indices('@').filter_map(|(at, _)| {
        let is_address = text[..at].ends_with(|c: char| c.is_alphanumeric());
        let name: String = text[at + 1..]
            .chars()
            .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
            .collect();
        let name = keywords::fold(name.trim_end_matches(['.', '-']));
        (!is_address && name.chars().count() > 1).then_some(name)
    });
    each_once(called, MENTIONS)
}

fn knows(cues: &Cues) -> Vec<Arc<str>> {
    let Some(rest) = cues.after(KNOWS) else { return Vec::new() };
    let words: String = rest.split(' ').take(KNOWN_WORDS).collect::<Vec<_>>().join(" ");
    each_once(keywords::terms(&words).into_iter().filter(|stem| tells(stem)), KNOWN_WORDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(each: Vec<Arc<str>>) -> Vec<String> {
        each.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn g3_names_with_an_at_are_called_and_addresses_are_not() {
        assert_eq!(words(mentions("@Ben and @queen_bea: ask @Ben. x@example.org @")), ["ben", "queen_bea"]);
    }

    #[test]
    fn g4_what_somebody_says_they_know_about_is_read() {
        let knows = |text: &str| words(knows(&Cues::of(text)));
        assert_eq!(knows("I keep bees behind the house"), ["bee", "behind"]);
        assert_eq!(knows("Ich spiele Cello."), ["cello"]);
        assert!(knows("the ferry is late").is_empty());
    }

    #[test]
    fn g4_quotations_and_addresses_are_no_topics() {
        assert_eq!(said("> the bees\nhoney https://x.org/bees"), "honey");
    }
}
