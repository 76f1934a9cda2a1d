//! What speaks for a turn being the one that is meant. The signals and their weights were measured on long
//! conversations (specs memory 2.3, "Recipe of the fusion"): each is scaled to 0–1 within one question, then summed.
//!
//! In two steps: [`called_up`] orders everything that was said by numbers alone, [`ranked`] looks at the texts of the
//! best.

use std::collections::HashMap;

use super::field::Field;
use super::index::{At, Turns};
use super::query::RecallQuery;
use super::rank;
use super::vectors::Encoder;
use crate::config::RecallMethod;
use crate::domain::{Role, StoredId};
use crate::history::{Heard, Visible};

/// Runs of letters in common.
const LETTERS: f32 = 1.1;

/// So many turns have their texts looked at; that only moves what is near the top anyway.
const CALLED_UP: usize = 80;

/// A turn that may be meant.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    /// The stored turn.
    pub id: StoredId,
    /// For ordering; comparable within one question.
    pub score: f32,
    /// How likely it is meant, 0 to 1; comparable between questions.
    pub likelihood: f32,
    /// The turn before it in the same sitting.
    pub before: Option<StoredId>,
    /// The turn after it in the same sitting.
    pub after: Option<StoredId>,
    is_question: bool,
    tells_time: bool,
    length: u32,
}

/// The turns that may be meant by their words, their time and who said them, the best first. Nothing that stands before
/// everybody's eyes, and nothing that `visible` does not name.
pub(super) fn called_up(turns: &Turns, query: &RecallQuery, visible: &Visible) -> Vec<Candidate> {
    let field = Field::new(turns, query, visible);
    let is_fused = query.circumstances.method == RecallMethod::Fused;
    let scores = if is_fused { field.fused() } else { field.own() };
    let mut order: Vec<(f32, At)> = scores.into_iter().filter(|(_, at)| field.may_be_found(*at)).collect();
    let best_first = |a: &(f32, At), b: &(f32, At)| b.0.total_cmp(&a.0).then_with(|| b.1.cmp(&a.1));
    if order.len() > CALLED_UP {
        order.select_nth_unstable_by(CALLED_UP, best_first);
        order.truncate(CALLED_UP);
    }
    order.sort_by(best_first);
    order
        .into_iter()
        .map(|(score, at)| {
            let entry = turns.entry(at);
            let id_of = |at: At| turns.entry(at).id;
            Candidate {
                id: entry.id,
                score,
                likelihood: field.likelihood(at),
                before: field.sight.before(at).map(id_of),
                after: field.sight.after(at).map(id_of),
                is_question: entry.is_question,
                tells_time: entry.tells_time,
                length: entry.length,
            }
        })
        .collect()
}

/// The candidates in the order that the method of the question gives them, with their texts at hand. Those whose text
/// is missing were taken back meanwhile.
pub(super) fn ranked(
    mut candidates: Vec<Candidate>,
    texts: &HashMap<StoredId, Heard>,
    query: &RecallQuery,
    encoder: &dyn Encoder,
) -> Vec<Candidate> {
    candidates.retain(|one| texts.contains_key(&one.id));
    let contents: Vec<&str> = candidates.iter().map(|one| texts[&one.id].turn.content.as_str()).collect();
    let letters = || encoder.similarities(&query.text, &contents);
    let words: Vec<f32> = candidates.iter().map(|one| one.score).collect();
    let scores = match query.circumstances.method {
        RecallMethod::Text => words,
        RecallMethod::Vector => letters(),
        RecallMethod::Hybrid => rank::hybrid(&words, &letters()),
        RecallMethod::TimeWeighted => {
            let now = query.circumstances.now;
            let days = |one: &Candidate| now.duration_since(texts[&one.id].turn.at).as_secs_f32() / 86_400.0;
            rank::time_weighted(&words, &candidates.iter().map(days).collect::<Vec<_>>())
        }
        RecallMethod::Importance => {
            let matters: Vec<f32> = candidates.iter().map(|one| importance(one, texts)).collect();
            rank::by_importance(&words, &matters)
        }
        RecallMethod::Fused => {
            let letters = rank::normalised(letters());
            words.iter().zip(letters).map(|(words, letters)| words + LETTERS * letters).collect()
        }
    };
    for (one, score) in candidates.iter_mut().zip(scores) {
        one.score = score;
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.id.cmp(&a.id)));
    candidates
}

/// How much a turn matters in itself, 0 to 1: it says something, says it of somebody, was answered.
fn importance(one: &Candidate, texts: &HashMap<StoredId, Heard>) -> f32 {
    let heard = &texts[&one.id];
    let content = heard.turn.content.as_str();
    let was_answered = texts.values().any(|other| other.answers == Some(one.id));
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
