//! What a message asks about: names, times, relations. The prompt should hold something on each (specs mechanisms
//! A14).

use super::cues::{Cue, Hit, find};
use super::words::{Words, fold};
use crate::context::providers::Facet;
use crate::text::calendar::{is_month, is_weekday};

/// More than this many are not followed up: a list of names is no question about each.
const FACETS_MAX: usize = 8;

/// Capitalised in English wherever they stand, and no names; days and months besides.
const NO_NAMES: &[&str] = &[
    "i",
    "english",
    "german",
    "french",
    "spanish",
    "ok",
    "okay",
    "lol",
    "omg",
    "ooc",
    "discord",
    "christmas",
    "easter",
    "mr",
    "mrs",
    "ms",
    "dr",
    "who",
    "what",
    "when",
    "where",
    "why",
    "how",
    "ik",
    "idk",
    "btw",
    "tbh",
    "ngl",
    "imo",
    "wtf",
    "afk",
    "brb",
    "dm",
];

/// This many German function words make a message German, where every noun has a capital.
const GERMAN_WORDS: usize = 2;

fn is_no_name(word: &str) -> bool {
    NO_NAMES.contains(&word) || is_month(word) || is_weekday(word)
}

/// The facets of a message, each once, in the order they are named. `own_names` are the familiar's: it needs no search
/// to know itself.
#[must_use]
pub fn facets(text: &str, speakers: &[String], own_names: &[String]) -> Vec<Facet> {
    let words = Words::of(text);
    let hits = find(&words.folded);
    let mut facets: Vec<Facet> =
        names_in(&words, &hits, speakers, own_names).into_iter().map(Facet::Name).collect();
    let written = |hit: &Hit| words.written[hit.at..hit.at + hit.len].join(" ").to_lowercase();
    facets.extend(hits.iter().filter(|hit| hit.cue == Cue::Past).map(|hit| Facet::Time(written(hit))));
    facets
        .extend(hits.iter().filter(|hit| hit.cue == Cue::Relation).map(|hit| Facet::Relation(written(hit))));
    let mut seen = Vec::new();
    facets.retain(|facet| {
        let is_new = !seen.contains(facet);
        if is_new {
            seen.push(facet.clone());
        }
        is_new
    });
    facets.truncate(FACETS_MAX);
    facets
}

/// The people and things a message names, without the familiar: known speakers, and capitalised words inside
/// sentences.
pub(super) fn names_in(
    words: &Words,
    hits: &[Hit],
    speakers: &[String],
    own_names: &[String],
) -> Vec<String> {
    let of = |names: &[String]| -> Vec<String> {
        names
            .iter()
            .flat_map(|name| name.split_whitespace())
            .map(fold)
            .filter(|part| part.len() >= 3)
            .collect()
    };
    let (own, known) = (of(own_names), of(speakers));
    let german = hits.iter().filter(|hit| hit.cue == Cue::German).count();
    let is_shouting = words.written.iter().filter(|word| word.chars().all(char::is_uppercase)).count() * 2
        > words.written.len();
    let capitals_tell = german < GERMAN_WORDS && !is_shouting;
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

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
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
