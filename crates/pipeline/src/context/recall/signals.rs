//! Which turns may be meant, in two steps: [`called_up`] orders everything that was said by numbers alone, [`ranked`] looks
//! at the texts of the best.

use std::collections::{HashMap, VecDeque};

use super::asked::WordRows;
use super::field::Field;
use super::index::{At, Turns};
use super::meaning::Meant;
use super::query::RecallQuery;
use super::rank;
use super::vectors::letters_in_common;
use super::weights::{Signal, Signals};
use crate::config::RecallMethod;
use crate::domain::{Role, StoredId};
use crate::embedding::TurnVectors;
use crate::history::{HeardMessage, Visible};
use crate::text::keywords;

/// So many turns have their texts looked at where a model says how well each says what is asked.
const LOOKED_AT: usize = 40;

/// Where only runs of letters are looked for in them, that moves no more than what is near the top anyway.
const LOOKED_AT_FOR_LETTERS: usize = 24;
const LEAST_LOOKED_AT: usize = 12;

/// Where words are held against words by what they mean, that finds most of what runs of letters would: these count so
/// much of what they count otherwise.
const LETTERS_BESIDE: f32 = 0.25;

/// A turn of more telling words than this is judged by its best passage of so many (memory 2.4: long messages).
const LONG: u32 = 60;
const PASSAGE: usize = 30;

/// A turn that may be meant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedTurn {
    pub turn: StoredId,
    /// For ordering; comparable within one question.
    pub score: f32,
    /// How likely it is meant, 0 to 1; comparable between questions.
    pub likelihood: f32,
    /// What speaks for it.
    pub(super) signals: Signals,
    /// The turn before it in the same session.
    pub(super) before: Option<StoredId>,
    /// The turn after it in the same session.
    pub(super) after: Option<StoredId>,
    /// How near it comes to the question in meaning; `None` without a model.
    cosine: Option<f32>,
    /// How much it weighs for where it was said, above 0 to 1.
    weight: f32,
    is_question: bool,
    tells_time: bool,
    length: u32,
}

impl RankedTurn {
    /// What speaks for it: each signal's name, its value from 0 to 1, and its weight in the score.
    pub fn why(&self) -> impl Iterator<Item = (&'static str, f32, f32)> + '_ {
        Signal::TABLE.iter().map(|(signal, name, weight)| (*name, self.signals.get(*signal), *weight))
    }
}

/// What a question calls up.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CalledUp {
    pub candidates: Vec<RankedTurn>,
    /// The words the question is about, with how much each tells.
    topics: Vec<(String, f32)>,
    /// All its words, likewise.
    words: Vec<(String, f32)>,
    /// Telling words of a turn on the average.
    average: f32,
    /// How much each token of the question tells; empty without a model.
    pub weights: Vec<f32>,
    /// The texts of so many of the best are to be looked at.
    looked_at: usize,
}

impl CalledUp {
    /// Whose texts are to be looked at.
    pub(super) fn to_look_at(&self) -> Vec<StoredId> {
        self.candidates.iter().take(self.looked_at).map(|one| one.turn).collect()
    }
}

/// The turns that may be meant by their words, their time and who said them; those whose texts are to be looked at, and
/// `most` of them if that is more. Of `quoted` of them the texts are wanted anyway. Nothing that stands before everybody's eyes, and nothing that `visible` does not name.
/// `words` says where those of the question stand; `meant` is the question as an embedding model sees it, and the turns' vectors, where there is a model.
pub(super) fn called_up(
    turns: &Turns,
    query: &RecallQuery,
    words: &[WordRows],
    visible: &Visible,
    meant: Option<(&TurnVectors, &Meant)>,
    most: usize,
    quoted: usize,
) -> CalledUp {
    let looked_at = match (meant, query.circumstances.method) {
        (None, RecallMethod::Fused) => quoted.clamp(LEAST_LOOKED_AT, LOOKED_AT_FOR_LETTERS),
        _ => LOOKED_AT,
    };
    let field = Field::new(turns, query, words, visible, meant);
    let is_fused = query.circumstances.method == RecallMethod::Fused;
    let scores = if is_fused { field.fused() } else { field.own() };
    let found = scores.into_iter().filter(|(_, at)| field.may_be_found(*at));
    let found: Vec<(f32, At)> = found.collect();
    let best = found.iter().map(|(score, _)| *score).fold(f32::MIN_POSITIVE, f32::max);
    // Who asks for what means the same does not want the words to choose what is compared.
    let chosen_by = |score: f32, at: At| match (query.circumstances.method, field.cosine(at)) {
        (RecallMethod::Vector, Some(cosine)) => cosine,
        (RecallMethod::Hybrid, Some(cosine)) => rank::hybrid(&[score / best, 1.0], &[cosine, 1.0])[0],
        _ => score,
    };
    let mut order: Vec<(f32, f32, At)> = found
        .into_iter()
        .map(|(score, at)| (weighed(chosen_by(score, at), field.viewer.weight(at)), score, at))
        .collect();
    let best_first = |a: &(f32, f32, At), b: &(f32, f32, At)| b.0.total_cmp(&a.0).then_with(|| b.2.cmp(&a.2));
    let most = most.max(looked_at);
    if order.len() > most {
        order.select_nth_unstable_by(most, best_first);
        order.truncate(most);
    }
    order.sort_by(best_first);
    let candidate = |(_, score, at): (f32, f32, At)| {
        let entry = turns.entry(at);
        let id_of = |at: At| turns.entry(at).id;
        RankedTurn {
            turn: entry.id,
            score,
            likelihood: field.likelihood(at),
            signals: field.signals(at),
            before: field.viewer.before(at).map(id_of),
            after: field.viewer.after(at).map(id_of),
            cosine: field.cosine(at),
            weight: field.viewer.weight(at),
            is_question: entry.is_question,
            tells_time: entry.tells_time,
            length: entry.length,
        }
    };
    CalledUp {
        candidates: order.into_iter().map(candidate).collect(),
        topics: field.topics(),
        words: field.rarities(),
        average: field.average_turn(),
        weights: meant.map_or_else(Vec::new, |(_, meant)| field.weights(meant)),
        looked_at,
    }
}

/// The candidates in the order that the method of the question gives them. The first of them have their texts at hand,
/// or were taken back meanwhile; the others follow by their numbers alone. `matches` says how well each says in its own
/// words what is asked; empty without a model.
pub(super) fn ranked(
    called_up: CalledUp,
    texts: &HashMap<StoredId, HeardMessage>,
    query: &RecallQuery,
    matches: &HashMap<StoredId, f32>,
) -> Vec<RankedTurn> {
    let CalledUp { mut candidates, topics, words: asked, average, looked_at, .. } = called_up;
    let others = candidates.split_off(candidates.len().min(looked_at));
    candidates.retain(|one| texts.contains_key(&one.turn));
    let contents: Vec<&str> = candidates.iter().map(|one| texts[&one.turn].turn.content.as_str()).collect();
    let letters = || letters_in_common(&query.text, &contents);
    let alike = || {
        let cosines: Option<Vec<f32>> = candidates.iter().map(|one| one.cosine).collect();
        cosines.unwrap_or_else(letters)
    };
    // The index says where a word stands; how often it does, only the text.
    let counted = |(one, content): (&RankedTurn, &&str)| {
        let terms = keywords::terms(content);
        let often = |stem: &String| terms.iter().filter(|term| *term == stem).count() as f32;
        let each = asked
            .iter()
            .map(|(stem, idf)| idf * rank::saturated(rank::B, often(stem), one.length as f32, average));
        // A word may stand there in another form.
        each.sum::<f32>().max(one.score)
    };
    let words = || candidates.iter().zip(&contents).map(counted).collect::<Vec<f32>>();
    let scores = match query.circumstances.method {
        RecallMethod::Text => words(),
        RecallMethod::Vector => alike(),
        RecallMethod::Hybrid => rank::hybrid(&words(), &alike()),
        RecallMethod::TimeWeighted => {
            let now = query.circumstances.now;
            let days =
                |one: &RankedTurn| now.duration_since(texts[&one.turn].turn.at).as_secs_f32() / 86_400.0;
            rank::time_weighted(&words(), &candidates.iter().map(days).collect::<Vec<_>>())
        }
        RecallMethod::Importance => {
            let matters: Vec<f32> = candidates.iter().map(|one| importance(one, texts)).collect();
            rank::by_importance(&words(), &matters)
        }
        RecallMethod::Fused => {
            let letters = rank::normalised(letters());
            let share = if matches.is_empty() { 1.0 } else { LETTERS_BESIDE };
            let matches = spread_matches(&candidates, matches);
            for ((one, letters), matches) in candidates.iter_mut().zip(letters).zip(matches) {
                one.signals.set(Signal::Letters, share * letters);
                one.signals.set(Signal::Matches, matches);
                if one.length > LONG {
                    let share = best_passage(&texts[&one.turn].turn.content, &topics);
                    for signal in [Signal::Window, Signal::Cover] {
                        one.signals.set(signal, share * one.signals.get(signal));
                    }
                }
            }
            candidates.iter().map(|one| one.signals.score()).collect()
        }
    };
    for (one, score) in candidates.iter_mut().zip(scores) {
        one.score = score;
    }
    if query.circumstances.method == RecallMethod::Fused {
        candidates.extend(others);
    }
    for one in &mut candidates {
        one.score = weighed(one.score, one.weight);
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.turn.cmp(&a.turn)));
    candidates
}

/// A score by where it was said; nothing that speaks against a turn speaks less against it further out.
fn weighed(score: f32, weight: f32) -> f32 {
    if score > 0.0 { score * weight } else { score }
}

/// The matches of the candidates between 0 for the worst of them and 1 for the best. One that the model has not read yet
/// counts as the average, so that being new is no fault.
fn spread_matches(candidates: &[RankedTurn], matches: &HashMap<StoredId, f32>) -> Vec<f32> {
    let known: Vec<f32> = candidates.iter().filter_map(|one| matches.get(&one.turn).copied()).collect();
    let (worst, best) =
        known.iter().fold((f32::MAX, f32::MIN), |(worst, best), one| (worst.min(*one), best.max(*one)));
    if best <= worst {
        return vec![0.0; candidates.len()];
    }
    let average = known.iter().sum::<f32>() / known.len() as f32;
    let of = |one: &RankedTurn| matches.get(&one.turn).copied().unwrap_or(average);
    candidates.iter().map(|one| (of(one) - worst) / (best - worst)).collect()
}

/// Of what a text has of the question, the share that stands within one run of [`PASSAGE`] telling words.
fn best_passage(text: &str, topics: &[(String, f32)]) -> f32 {
    let mut within: VecDeque<(usize, usize)> = VecDeque::new();
    let mut counts = vec![0_u32; topics.len()];
    let mut is_there = vec![false; topics.len()];
    let mut best = 0.0_f32;
    for (place, term) in keywords::terms(text).iter().enumerate() {
        while within.front().is_some_and(|(first, _)| first + PASSAGE <= place) {
            within.pop_front().into_iter().for_each(|(_, topic)| counts[topic] -= 1);
        }
        if let Some(topic) = topics.iter().position(|(stem, _)| stem == term) {
            within.push_back((place, topic));
            counts[topic] += 1;
            is_there[topic] = true;
            let held = counts.iter().zip(topics).filter(|(count, _)| **count > 0);
            best = best.max(held.map(|(_, (_, idf))| idf).sum());
        }
    }
    let there: f32 = is_there.iter().zip(topics).filter(|(is, _)| **is).map(|(_, (_, idf))| idf).sum();
    // What is there by its synonyms alone may stand anywhere.
    if there > 0.0 { best / there } else { 1.0 }
}

/// How much a turn matters in itself, 0 to 1: it says something, says it of somebody, was answered.
fn importance(one: &RankedTurn, texts: &HashMap<StoredId, HeardMessage>) -> f32 {
    let heard = &texts[&one.turn];
    let content = heard.turn.content.as_str();
    let was_answered = texts.values().any(|other| other.answers == Some(one.turn));
    let names_something = content.split_whitespace().skip(1).any(|word| word.starts_with(char::is_uppercase));
    let signs = [
        (one.length >= 8, 0.2),
        (one.tells_time || content.contains(|c: char| c.is_ascii_digit()), 0.2),
        (names_something, 0.15),
        (heard.turn.role == Role::User, 0.1),
        (was_answered, 0.2),
        (!one.is_question, 0.15),
    ];
    signs.iter().filter(|(holds, _)| *holds).map(|(_, weight)| weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_judged_by_its_best_passage() {
        let topics = [("ferri".to_owned(), 2.0), ("rope".to_owned(), 1.0), ("absent".to_owned(), 1.0)];
        let filler = "pebble ".repeat(70);
        assert_eq!(best_passage(&format!("the ferry and its rope {filler}"), &topics), 1.0);
        assert_eq!(best_passage(&format!("the ferry {filler} the rope"), &topics), 2.0 / 3.0);
        assert_eq!(best_passage("", &topics), 1.0);
        assert_eq!(best_passage("anything", &[]), 1.0);
    }
}
