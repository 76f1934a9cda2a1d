//! What can be told from a message's words: what stands in it, by phrases of every language there is data for, and what it
//! is made of, in any (A1, A14).
//!
//! Owns how a message is read, once. Must not know what comes of it. Start reading at [`MessageWords`] and [`find_hits`].

use std::sync::LazyLock;

use strum::VariantArray as _;
use unicode_normalization::char::is_combining_mark;

use crate::context::contribution::Facet;
use crate::context::each_once;
use crate::domain::Attachment;
use crate::text::calendar::{is_month, is_weekday};
use crate::text::keywords::fold;
use crate::text::phrases::{Folded, Languages, Phrases, is_listed};
use crate::text::punctuation::QUESTION_MARKS;

/// What a phrase hints at, each the name of a section of phrases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::VariantArray, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Cue {
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
    /// A verb in the past.
    PastVerb,
    /// Whoever speaks, and what is theirs.
    Own,
    /// Asks what to do, not what was.
    Advice,
    /// A verb that, at the beginning, is an order.
    Imperative,
    /// Goes before such a verb: "can you".
    Polite,
    /// Between two numbers: "times".
    Sum,
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
    All,
    /// Asks to be told.
    Tell,
    /// Asks what is known.
    Informed,
    /// Asks for what was said once.
    Anew,
}

/// One place in a message where a phrase stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PhraseHit {
    pub cue: Cue,
    /// Its first word in the message.
    pub at: usize,
    pub len: usize,
    /// Its letters in the folded message.
    pub bytes: std::ops::Range<usize>,
}

/// Every phrase in a message, in the order of its words.
pub(super) fn find_hits(words: &MessageWords) -> Vec<PhraseHit> {
    static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
        let sections: Vec<&str> = Cue::VARIANTS.iter().map(Into::into).collect();
        Phrases::of(&sections)
    });
    let found = PHRASES.find(&words.comparable).into_iter();
    found
        .map(|one| PhraseHit { cue: Cue::VARIANTS[one.section], at: one.at, len: one.len, bytes: one.bytes })
        .collect()
}

/// Longer messages are judged by their beginning and their end: what is asked for stands there.
const HEAD_CHARS: usize = 600;
const TAIL_CHARS: usize = 300;

/// A message, read once.
#[derive(Debug)]
pub(super) struct MessageWords {
    /// The folded words of what was looked at, without attachment lines, in order.
    pub folded: Vec<String>,
    /// The same, as phrases are looked for in them.
    pub comparable: Folded,
    /// The same words as written.
    pub written: Vec<String>,
    /// Whether each begins a sentence.
    pub opens: Vec<bool>,
    /// Whether something stands between each and the next word: a comma, the end of a sentence, or of everything.
    pub pauses: Vec<bool>,
    /// Words in all, also those not looked at.
    pub count: usize,
    /// `?`, in any script.
    pub questions: usize,
    /// Lines that describe a file or an embed.
    pub attachments: usize,
    /// The share of the letters that stand between asterisks or as `/me`, 0 to 1.
    pub acted: f32,
    /// Said aside from the scene: `((…))`, `OOC:`.
    pub aside: bool,
}

impl MessageWords {
    pub(super) fn of(text: &str) -> Self {
        let mut attachments = 0;
        let mut kept = String::with_capacity(text.len().min(4 * (HEAD_CHARS + TAIL_CHARS)));
        for line in text.lines() {
            if Attachment::read(line).is_some() {
                attachments += 1;
                continue;
            }
            for word in line.split_whitespace() {
                if word.contains("://") {
                    continue;
                }
                kept.push_str(word);
                kept.push(' ');
            }
            kept.push('\n');
        }
        let count = kept.split_whitespace().count();
        let questions = kept.chars().filter(|c| QUESTION_MARKS.contains(c)).count();
        let acted = acted_share(&kept);
        let trimmed = kept.trim_start();
        let aside =
            trimmed.starts_with("((") || trimmed.get(..3).is_some_and(|ooc| ooc.eq_ignore_ascii_case("ooc"));
        let mut words = Self {
            folded: Vec::new(),
            comparable: Folded::of(""),
            written: Vec::new(),
            opens: Vec::new(),
            pauses: Vec::new(),
            count,
            questions,
            attachments,
            acted,
            aside,
        };
        words.split(ends_of(&kept));
        words.comparable = Folded::of_words(&words.folded).written_as(&kept);
        words
    }

    fn split(&mut self, (head, tail): (&str, &str)) {
        for part in [head, tail] {
            let mut opens = true;
            for piece in part.split_inclusive(|c: char| !c.is_alphanumeric() && !is_combining_mark(c)) {
                let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric() && !is_combining_mark(c));
                if !word.is_empty() {
                    self.folded.push(unstretched(&fold(word)));
                    self.written.push(word.to_owned());
                    self.opens.push(opens);
                    self.pauses.push(false);
                    opens = false;
                }
                if let Some(pause) = self.pauses.last_mut() {
                    *pause |=
                        piece.chars().next_back().is_some_and(|c| !c.is_alphanumeric() && !c.is_whitespace());
                }
                opens |=
                    piece.ends_with(['.', '!', '?', '\n', ':', '"', '“', '*', '¿', '¡', '。', '？', '！']);
            }
        }
    }
}

/// `heyyyy` is `hey`: a letter three times or more stands once. Numbers stay as they are.
fn unstretched(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    if !letters
        .windows(3)
        .any(|three| three[0] == three[1] && three[1] == three[2] && three[0].is_alphabetic())
    {
        return word.to_owned();
    }
    let mut short = String::with_capacity(word.len());
    let mut at = 0;
    while at < letters.len() {
        let run = letters[at..].iter().take_while(|c| **c == letters[at]).count();
        let kept = if run >= 3 && letters[at].is_alphabetic() { 1 } else { run };
        short.extend(std::iter::repeat_n(letters[at], kept));
        at += run;
    }
    short
}

fn acted_share(text: &str) -> f32 {
    let trimmed = text.trim();
    if trimmed.starts_with("/me ") {
        return 1.0;
    }
    // `**bold**` is emphasis, not action.
    let plain = trimmed.replace("**", "");
    let (mut inside, mut all) = (0_u16, 0_u16);
    let mut parts = plain.split('*').take(64).peekable();
    let mut is_action = false;
    while let Some(part) = parts.next() {
        let letters = u16::try_from(part.chars().filter(|c| c.is_alphanumeric()).count()).unwrap_or(u16::MAX);
        all = all.saturating_add(letters);
        // What follows an asterisk that is never closed is not acted.
        if is_action && parts.peek().is_some() {
            inside = inside.saturating_add(letters);
        }
        is_action = !is_action;
    }
    if all == 0 { 0.0 } else { f32::from(inside) / f32::from(all) }
}

/// The beginning and the end of a text that is too long to be looked at whole.
fn ends_of(text: &str) -> (&str, &str) {
    let Some((head, _)) = text.char_indices().nth(HEAD_CHARS) else { return (text, "") };
    let rest = &text[head..];
    let tail = rest.char_indices().rev().nth(TAIL_CHARS - 1).map_or(0, |(at, _)| at);
    (&text[..head], &rest[tail..])
}

/// More than this many are not followed up: a list of names is no question about each.
const FACETS_MAX: usize = 8;

/// Capitalised wherever they stand, and no names; days and months besides.
fn is_no_name(word: &str) -> bool {
    is_listed("capitals", word) || is_month(word) || is_weekday(word)
}

/// The facets of a message, each once, in the order they are named. `own_names` are the familiar's: it needs no search
/// to know itself.
pub fn facets(text: &str, speakers: &[String], own_names: &[String]) -> Vec<Facet> {
    let words = MessageWords::of(text);
    let hits = find_hits(&words);
    let mut facets: Vec<Facet> = names_in(&words, speakers, own_names).into_iter().map(Facet::Name).collect();
    let written = |hit: &PhraseHit| words.written[hit.at..hit.at + hit.len].join(" ").to_lowercase();
    facets.extend(hits.iter().filter(|hit| hit.cue == Cue::Past).map(|hit| Facet::Time(written(hit))));
    facets
        .extend(hits.iter().filter(|hit| hit.cue == Cue::Relation).map(|hit| Facet::Relation(written(hit))));
    let mut facets = each_once(facets);
    facets.truncate(FACETS_MAX);
    facets
}

/// The people and things a message names, without the familiar: known speakers, and capitalised words inside
/// sentences.
pub(super) fn names_in(words: &MessageWords, speakers: &[String], own_names: &[String]) -> Vec<String> {
    let of = |names: &[String]| -> Vec<String> {
        names
            .iter()
            .flat_map(|name| name.split_whitespace())
            .map(fold)
            .filter(|part| part.len() >= 3)
            .collect()
    };
    let (own, known) = (of(own_names), of(speakers));
    let is_shouting = words.written.iter().filter(|word| word.chars().all(char::is_uppercase)).count() * 2
        > words.written.len();
    // In German every noun has one.
    let is_german = words.comparable.languages() == Languages::of("de");
    let capitals_tell = !is_german && !is_shouting;
    let mut names: Vec<String> = Vec::new();
    let mut previous: Option<usize> = None;
    for (at, (word, written)) in words.folded.iter().zip(&words.written).enumerate() {
        if own.contains(word) || is_no_name(word) {
            continue;
        }
        let is_capital = written.chars().next().is_some_and(char::is_uppercase)
            && written.chars().count() >= 2
            && !words.opens[at]
            && capitals_tell;
        if !known.contains(word) && !is_capital {
            continue;
        }
        // "Old Harbour" is one name.
        if previous.is_some_and(|before| before + 1 == at)
            && is_capital
            && let Some(last) = names.last_mut()
        {
            last.push(' ');
            last.push_str(written);
        } else if !names.iter().any(|name| fold(name) == *word) {
            names.push(written.clone());
        }
        previous = Some(at);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cues(text: &str) -> Vec<Cue> {
        find_hits(&MessageWords::of(text)).into_iter().map(|hit| hit.cue).collect()
    }

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
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
    fn words_are_folded_and_counted() {
        let words = MessageWords::of(
            "Äh, wo ist Straße 7? See https://x.example now\n[image: cat.png, 120 KB]\n> [embed: Where — is it?]",
        );
        assert_eq!(words.folded, ["ah", "wo", "ist", "strasse", "7", "see", "now"]);
        assert_eq!((words.questions, words.attachments), (1, 2));
        assert_eq!(words.opens, [true, false, false, false, false, true, false]);
    }

    #[test]
    fn acting_is_told_from_emphasis_and_from_a_lonely_asterisk() {
        assert!(MessageWords::of("*smiles and waves*").acted > 0.99);
        assert!(MessageWords::of("/me waves").acted > 0.99);
        assert!(MessageWords::of("I said **no** twice").acted < 0.01);
        assert!(MessageWords::of("5 * 3 is fifteen").acted < 0.01);
        let half = MessageWords::of("*grins* abcde").acted;
        assert!((half - 0.5).abs() < 0.01, "{half}");
    }

    #[test]
    fn a_novel_is_looked_at_from_both_ends() {
        let words = MessageWords::of(&format!("start {} end", "word ".repeat(5000)));
        assert_eq!(words.count, 5002);
        assert!(words.folded.len() < 400);
        assert_eq!(words.folded.first().map(String::as_str), Some("start"));
        assert_eq!(words.folded.last().map(String::as_str), Some("end"));
    }

    #[test]
    fn a14_names_times_and_relations_are_facets() {
        let speakers = owned(&["Ana", "ben"]);
        let found = |text: &str| facets(text, &speakers, &owned(&["Mika"]));
        assert_eq!(
            found("Mika, how do ana and Ben know each other?"),
            [Facet::Name("ana".into()), Facet::Name("Ben".into()), Facet::Relation("know each other".into())]
        );
        assert_eq!(
            found("what did we do at the Old Harbour last Tuesday?"),
            [Facet::Name("Old Harbour".into()), Facet::Time("last tuesday".into())]
        );
        assert_eq!(found("How are you, Mika?"), []);
        assert_eq!(
            found("Was machst du heute mit dem Hund und der Katze?").len(),
            2,
            "the nouns are no names"
        );
    }
}
