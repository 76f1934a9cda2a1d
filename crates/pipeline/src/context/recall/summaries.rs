//! What a model summed up of earlier turns (A12): a fact that was said in passing may stand nowhere else
//! in these words. Summaries that stand in the prompt anyway are not looked up.

use std::sync::Arc;

use async_trait::async_trait;

use super::query::{IN_OWN_WORDS, QueryClass, RecallQuery};
use super::rank;
use super::{Found, RecallError, RecallSource};
use crate::history::{History, Leaf, SummaryId, Visible};

/// Lines of one summary that are told: those that hold the most of the question.
const LINES: usize = 3;

/// The share of the question's words, and what being of the time that is meant adds. A summary is second hand: what was
/// really said outdoes it.
const WORDS: f32 = 0.7;
const THEN: f32 = 0.15;

/// Candidates that are read for each find that is wanted: some stand in the prompt anyway.
const CANDIDATES: usize = 3;

/// Summaries of which words are read at most.
const HELD_MAX: usize = 4_096;

#[derive(Debug)]
pub struct SummarySource {
    pub history: Arc<History>,
}

#[async_trait]
impl RecallSource for SummarySource {
    fn name(&self) -> &'static str {
        "summaries"
    }

    fn weight(&self, class: QueryClass) -> f32 {
        match class {
            QueryClass::Time => 0.45,
            QueryClass::Fact | QueryClass::Person | QueryClass::Relation => 0.5,
        }
    }

    /// Fewer of the same words find no other summaries.
    fn takes(&self, query: &RecallQuery) -> bool {
        query.weight >= IN_OWN_WORDS
    }

    async fn search(&self, query: &RecallQuery, visible: &Visible) -> Result<Vec<Found>, RecallError> {
        if query.terms.is_empty() {
            return Ok(Vec::new());
        }
        let (standing, total) = self.history.seen_by(visible).leaves_holding(query.forms(), HELD_MAX).await?;
        // Of equals the newer: what holds now was summed up last.
        let (holding, idf) = rank::shares(&standing, total, query.circumstances.most * CANDIDATES);
        let ids: Vec<SummaryId> = holding.iter().map(|(id, _)| *id).collect();
        let leaves = self.history.seen_by(visible).leaves(ids).await?;
        let share = |leaf: &Leaf| {
            holding.iter().find(|(id, _)| *id == leaf.summary.id).map_or(0.0, |(_, share)| *share)
        };
        let scored = |leaf: &Leaf| {
            let then = if leaf_is_of_then(leaf, query) { THEN } else { 0.0 };
            (WORDS * share(leaf) + then).clamp(0.0, 1.0)
        };
        let news = leaves.iter().filter(|leaf| leaf_is_news(leaf, query));
        let mut best: Vec<(f32, f32, &Leaf)> = news
            .map(|leaf| {
                let score = scored(leaf);
                // What was learnt further out comes later (M5).
                (score * visible.weight(&leaf.summary.audience), score, leaf)
            })
            .collect();
        best.sort_by(|(a, _, x), (b, _, y)| b.total_cmp(a).then_with(|| summary_key(x).cmp(&summary_key(y))));
        best.truncate(query.circumstances.most);
        Ok(best.into_iter().map(|(_, score, leaf)| summary_find(leaf, score, query, &idf)).collect())
    }
}

/// Whether the prompt does not hold it anyway, and it had been made when the question was put.
fn leaf_is_news(leaf: &Leaf, query: &RecallQuery) -> bool {
    let circumstances = &query.circumstances;
    let is_shown =
        leaf.is_in_force && circumstances.shown.as_ref().is_some_and(|shown| shown.channel == leaf.channel);
    !is_shown && circumstances.until.is_none_or(|until| leaf.summary.made_at <= until)
}

fn leaf_is_of_then(leaf: &Leaf, query: &RecallQuery) -> bool {
    let summary = &leaf.summary;
    query.window.is_some_and(|window| summary.first_at <= window.to && summary.last_at >= window.from)
}

/// The lines that hold the most of the question, in their order.
fn best_lines(text: &str, terms: &[String], idf: &[f32]) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut best: Vec<(usize, f32)> =
        lines.iter().map(|line| super::held(line, terms, idf)).enumerate().collect();
    best.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.cmp(b)));
    best.truncate(LINES);
    best.retain(|(_, held)| *held > 0.0);
    best.sort_by_key(|(at, _)| *at);
    best.iter().map(|(at, _)| lines[*at]).collect::<Vec<_>>().join("\n")
}

fn summary_key(leaf: &Leaf) -> String {
    let summary = &leaf.summary;
    format!("summary/{} {}-{}", leaf.channel, summary.first_ordinal, summary.last_ordinal)
}

fn summary_find(leaf: &Leaf, score: f32, query: &RecallQuery, idf: &[f32]) -> Found {
    let summary = &leaf.summary;
    let key = summary_key(leaf);
    let (text, source) =
        (best_lines(&summary.text, &query.terms, idf), format!("{key} by {}", summary.writer));
    let mut found = Found::known(key, text, summary.audience.clone(), source, score);
    for line in &mut found.lines {
        line.place = leaf.channel_name.clone().map(|name| (leaf.channel.clone(), name));
        line.at = Some(summary.last_at);
    }
    found
}
