//! What speaks for a turn being the one that is meant. The signals and their weights were measured on long
//! conversations (specs memory 2.3, "Recipe of the fusion"): each is scaled to 0–1 within one question, then summed.

use std::collections::{HashMap, HashSet};

use jiff::SignedDuration;
use jiff::civil::Date;

use super::query::RecallQuery;
use super::rank::{self, Bag};
use super::time::tells_a_time;
use super::vectors::Encoder;
use crate::config::RecallMethod;
use crate::domain::{AccountId, Author, Role};
use crate::history::{Heard, Survey};
use crate::text::keywords;

/// The words of the turn and, in fractions, of those around it.
const WINDOW: f32 = 3.1;
/// Runs of letters in common.
const LETTERS: f32 = 1.1;
/// The words of the whole sitting.
const SITTING: f32 = 1.9;
/// Said by somebody the question names.
const SPEAKER: f32 = 2.2;
/// Said near the time the question means.
const DATE: f32 = 2.0;
/// Tells a time where the question asks for one.
const TIME_WORD: f32 = 1.8;
/// Follows a question in the same words.
const AFTER_QUESTION: f32 = 1.5;
/// Says something at length, up to thirty words.
const LENGTH: f32 = 1.6;
/// Is itself a question.
const IS_QUESTION: f32 = -0.6;

/// Shares of a neighbour one and two turns away.
const NEIGHBOURS: [f32; 2] = [0.5, 0.25];
/// A neighbour counts for so many words at most; a turn above so many words needs no neighbours (specs memory 0.4).
const NEIGHBOUR_WORDS: f32 = 30.0;
const OWN_WORDS: f32 = 60.0;

/// After a silence like this people sit down anew.
const SITTING_GAP: SignedDuration = SignedDuration::from_hours(3);

/// Ordinals of deleted messages between two turns do not part them.
const HOLES: u64 = 3;

/// A turn of the survey, scored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scored {
    /// Its place in [`Survey::heard`].
    pub at: usize,
    /// For ordering; comparable within one question.
    pub score: f32,
    /// How likely it is meant, 0 to 1; comparable between questions.
    pub likelihood: f32,
}

/// How alike texts are as a whole is looked at for so many of the best; it only moves what is near the top anyway.
const LETTERS_FOR: usize = 80;

/// The turns that may be meant, the best first.
pub(super) fn ranked(survey: &Survey, query: &RecallQuery, encoder: &dyn Encoder) -> Vec<Scored> {
    let field = Field::new(survey, query);
    if field.candidates.is_empty() {
        return Vec::new();
    }
    let scores = field.scores(query, encoder);
    let mut ranked: Vec<Scored> = field
        .candidates
        .iter()
        .zip(scores)
        .map(|(&at, score)| Scored { at, score, likelihood: field.likelihood(at, query) })
        .collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.at.cmp(&a.at)));
    ranked
}

/// The turn before this one in the same sitting.
pub(super) fn previous(heard: &[Heard], at: usize) -> Option<usize> {
    let before = at.checked_sub(1)?;
    let (a, b) = (&heard[before], &heard[at]);
    let is_next = a.channel == b.channel && b.turn.ordinal - a.turn.ordinal <= HOLES;
    (is_next && b.turn.at.duration_since(a.turn.at) <= SITTING_GAP).then_some(before)
}

/// The turn after this one in the same sitting.
pub(super) fn next(heard: &[Heard], at: usize) -> Option<usize> {
    let after = at + 1;
    (after < heard.len() && previous(heard, after) == Some(at)).then_some(after)
}

fn is_question(heard: &Heard) -> bool {
    heard.turn.content.trim_end().ends_with(['?', '？'])
}

struct Field<'a> {
    heard: &'a [Heard],
    idf: Vec<f32>,
    own: Vec<Bag>,
    window: Vec<Bag>,
    named: Vec<bool>,
    sitting: Vec<usize>,
    candidates: Vec<usize>,
}

impl<'a> Field<'a> {
    fn new(survey: &'a Survey, query: &RecallQuery) -> Self {
        let heard = survey.heard.as_slice();
        let own: Vec<Bag> = heard.iter().map(|one| bag(&one.turn.content, &query.terms)).collect();
        let around = headings(heard, query);
        let window = (0..heard.len()).map(|at| window(heard, &own, &around, at)).collect();
        let found: HashSet<_> = survey.found.iter().collect();
        let mut is_candidate = vec![false; heard.len()];
        for at in (0..heard.len()).filter(|at| found.contains(&heard[*at].turn.id)) {
            let (mut back, mut forth) = (Some(at), Some(at));
            for _ in 0..=NEIGHBOURS.len() {
                for one in [back, forth].into_iter().flatten() {
                    is_candidate[one] = true;
                }
                back = back.and_then(|at| previous(heard, at));
                forth = forth.and_then(|at| next(heard, at));
            }
        }
        let mut sitting = Vec::with_capacity(heard.len());
        for at in 0..heard.len() {
            // Between two finds a stretch may be missing, so only time and channel part sittings here.
            let continues = at > 0
                && heard[at - 1].channel == heard[at].channel
                && heard[at].turn.at.duration_since(heard[at - 1].turn.at) <= SITTING_GAP;
            let number = sitting.last().map_or(0, |last| last + usize::from(!continues));
            sitting.push(number);
        }
        Self {
            heard,
            idf: idf(survey, query, &around),
            own,
            window,
            named: named(heard, &query.text),
            sitting,
            candidates: (0..heard.len()).filter(|at| is_candidate[*at]).collect(),
        }
    }

    fn of<T: Clone>(&self, values: &[T]) -> Vec<T> {
        self.candidates.iter().map(|at| values[*at].clone()).collect()
    }

    fn scores(&self, query: &RecallQuery, encoder: &dyn Encoder) -> Vec<f32> {
        let words = || rank::bm25(&self.of(&self.own), &self.idf);
        let letters = || {
            let texts: Vec<&str> = self.candidates.iter().map(|at| self.content(*at)).collect();
            encoder.similarities(&query.text, &texts)
        };
        match query.circumstances.method {
            RecallMethod::Text => words(),
            RecallMethod::Vector => letters(),
            RecallMethod::Hybrid => rank::hybrid(&words(), &letters()),
            RecallMethod::TimeWeighted => {
                let now = query.circumstances.now;
                let days = |at: &usize| now.duration_since(self.heard[*at].turn.at).as_secs_f32() / 86_400.0;
                rank::time_weighted(&words(), &self.candidates.iter().map(days).collect::<Vec<_>>())
            }
            RecallMethod::Importance => {
                let matters: Vec<f32> = self.candidates.iter().map(|at| self.importance(*at)).collect();
                rank::by_importance(&words(), &matters)
            }
            RecallMethod::Fused => self.fused(query, encoder),
        }
    }

    fn content(&self, at: usize) -> &'a str {
        self.heard[at].turn.content.as_str()
    }

    fn fused(&self, query: &RecallQuery, encoder: &dyn Encoder) -> Vec<f32> {
        let window = rank::normalised(rank::bm25(&self.of(&self.window), &self.idf));
        let own = rank::normalised(rank::bm25(&self.own, &self.idf));
        let sittings = rank::normalised(self.sittings());
        let mut scores: Vec<f32> = self
            .candidates
            .iter()
            .zip(window)
            .map(|(&at, window)| {
                let turn = &self.heard[at].turn;
                let before = previous(self.heard, at);
                let after_question = before
                    .filter(|before| is_question(&self.heard[*before]))
                    .map_or(0.0, |before| own[before]);
                let near = query.window.map_or(0.0, |window| window.nearness(turn.at));
                let tells_time = query.asks_when && tells_a_time(&turn.content);
                WINDOW * window
                    + SITTING * sittings[self.sitting[at]]
                    + SPEAKER * f32::from(u8::from(self.named[at]))
                    + DATE * near
                    + TIME_WORD * f32::from(u8::from(tells_time))
                    + AFTER_QUESTION * after_question
                    + LENGTH * (self.own[at].length / 30.0).min(1.0)
                    + IS_QUESTION * f32::from(u8::from(is_question(&self.heard[at])))
            })
            .collect();
        let mut best: Vec<usize> = (0..scores.len()).collect();
        best.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        best.truncate(LETTERS_FOR);
        let texts: Vec<&str> = best.iter().map(|at| self.content(self.candidates[*at])).collect();
        let letters = rank::normalised(encoder.similarities(&query.text, &texts));
        for (at, letters) in best.into_iter().zip(letters) {
            scores[at] += LETTERS * letters;
        }
        scores
    }

    /// Each sitting as one text.
    fn sittings(&self) -> Vec<f32> {
        let count = self.sitting.last().map_or(0, |last| last + 1);
        let mut bags = vec![Bag::empty(self.idf.len()); count];
        for (at, own) in self.own.iter().enumerate() {
            bags[self.sitting[at]].add(own, 1.0);
        }
        rank::bm25(&bags, &self.idf)
    }

    /// How much a turn matters in itself, 0 to 1: it says something, says it of somebody, was answered.
    fn importance(&self, at: usize) -> f32 {
        let one = &self.heard[at];
        let content = one.turn.content.as_str();
        let was_answered = self.heard.iter().any(|other| other.answers == Some(one.turn.id));
        let names_something =
            content.split_whitespace().skip(1).any(|word| word.starts_with(char::is_uppercase));
        let signs = [
            (self.own[at].length >= 8.0, 0.2),
            (tells_a_time(content) || content.contains(|c: char| c.is_ascii_digit()), 0.2),
            (names_something, 0.15),
            (one.turn.role == Role::User, 0.1),
            (was_answered, 0.2),
            (!is_question(one), 0.15),
        ];
        signs.iter().filter(|(holds, _)| *holds).map(|(_, weight)| weight).sum()
    }

    /// The share of what the question tells that stands in the turn and around it, with what speaks for it besides.
    fn likelihood(&self, at: usize, query: &RecallQuery) -> f32 {
        let asked: f32 = self.idf.iter().sum();
        let held: f32 =
            self.window[at].counts.iter().zip(&self.idf).map(|(count, idf)| idf * count.min(1.0)).sum();
        let own: f32 =
            self.own[at].counts.iter().zip(&self.idf).map(|(count, idf)| idf * count.min(1.0)).sum();
        let share = if asked > 0.0 { 0.6 * held / asked + 0.4 * own / asked } else { 0.0 };
        let near = query.window.map_or(0.0, |window| window.nearness(self.heard[at].turn.at));
        let named = f32::from(u8::from(self.named[at]));
        (0.75 * share + 0.15 * named * share.sqrt() + 0.35 * near).clamp(0.0, 1.0)
    }
}

/// Who said each turn and when, as words that a question may name.
fn headings(heard: &[Heard], query: &RecallQuery) -> Vec<Bag> {
    let mut people: HashMap<&str, Bag> = HashMap::new();
    let mut days: HashMap<Date, Bag> = HashMap::new();
    heard
        .iter()
        .map(|one| {
            let author = one.turn.author.as_ref().map_or("", |author| author.label());
            let mut heading = people.entry(author).or_insert_with(|| bag(author, &query.terms)).clone();
            let day = query.circumstances.tz.to_datetime(one.turn.at).date();
            let written = || bag(&day.strftime("%-d %B %Y").to_string(), &query.terms);
            heading.add(days.entry(day).or_insert_with(written), 1.0);
            heading
        })
        .collect()
}

/// Whose words each turn is, as far as the question names them.
fn named(heard: &[Heard], question: &str) -> Vec<bool> {
    let asked: Vec<String> = keywords::words(question).collect();
    let mut known: HashMap<&AccountId, bool> = HashMap::new();
    let is_named =
        |author: &Author| {
            let names = [author.display_name.as_deref(), author.username.as_deref()];
            names.into_iter().flatten().flat_map(|name| keywords::words(name).collect::<Vec<_>>()).any(
                |word| word.chars().count() > 1 && !keywords::is_stop_word(&word) && asked.contains(&word),
            )
        };
    heard
        .iter()
        .map(|one| {
            let author = one.turn.author.as_ref();
            author.is_some_and(|author| *known.entry(&author.account).or_insert_with(|| is_named(author)))
        })
        .collect()
}

fn bag(text: &str, terms: &[String]) -> Bag {
    let tally = keywords::tally(text, terms);
    Bag { counts: tally.counts.iter().map(|count| *count as f32).collect(), length: tally.length as f32 }
}

fn window(heard: &[Heard], own: &[Bag], around: &[Bag], at: usize) -> Bag {
    let mut window = own[at].clone();
    window.add(&around[at], 1.0);
    let fade = (OWN_WORDS / own[at].length.max(1.0)).min(1.0);
    let (mut back, mut forth) = (Some(at), Some(at));
    for share in NEIGHBOURS {
        back = back.and_then(|at| previous(heard, at));
        forth = forth.and_then(|at| next(heard, at));
        for neighbour in [back, forth].into_iter().flatten() {
            let cap = (NEIGHBOUR_WORDS / own[neighbour].length.max(1.0)).min(1.0);
            window.add(&own[neighbour], share * cap * fade);
        }
    }
    window
}

/// A speaker's name stands over all they say, so it tells as little as the share of turns that are theirs.
fn idf(survey: &Survey, query: &RecallQuery, around: &[Bag]) -> Vec<f32> {
    let total = survey.total.max(1) as f32;
    query
        .terms
        .iter()
        .enumerate()
        .map(|(at, term)| {
            let known = survey.counts.iter().find(|(stem, _)| stem == term);
            let in_texts = known.map_or(0.0, |(_, count)| *count as f32);
            let headed = around.iter().filter(|bag| bag.counts[at] > 0.0).count();
            let in_headings = total * headed as f32 / around.len().max(1) as f32;
            rank::idf(in_texts.max(in_headings), total)
        })
        .collect()
}
