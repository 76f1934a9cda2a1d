//! Documents that people sent and messages that are pinned (A4, A12): of each the passage that a question is
//! about. What fits little is told in a line, what fits well as its paragraph with those around it; the whole is for a tool.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;

use super::query::{IN_OWN_WORDS, QueryClass, RecallQuery};
use super::rank;
use super::{Found, FoundLine, RecallError, RecallSource};
use crate::context::DOCUMENT_SOURCE;
use crate::history::{History, HistoryError, SourceKind, SourcePassage, Visible};
use crate::text::sentences::sentences_of;
use crate::text::short::{one_line, shortened};

/// What a passage counts that holds all words of a question. It is somebody's own words, as a message is.
const WORDS: f32 = 0.8;

/// From so much on a passage is told as a paragraph, with those next to it; below in a line of so many characters.
const STRONG: f32 = 0.4;
const LINE_CHARS: usize = 240;

/// Passages of which words are read at most.
const HELD_MAX: usize = 4_096;

/// Passages of one document in one answer: a long one must not take every place.
const OF_ONE: usize = 3;

/// Candidates that are read for each find that is wanted: some are left out, as [`OF_ONE`] says.
const CANDIDATES: usize = 4;

#[derive(Debug)]
pub struct DocumentSource {
    pub history: Arc<History>,
}

impl DocumentSource {
    /// A passage as it is told: with those next to it where it fits well.
    async fn told(
        &self,
        passage: &SourcePassage,
        score: f32,
        query: &RecallQuery,
        idf: &[f32],
        visible: &Visible,
    ) -> Result<Found, HistoryError> {
        let key = format!("{} {}", source_key(passage), passage.ordinal);
        if score < STRONG {
            let text = best_sentence(&passage.text, &query.terms, idf);
            let lines = vec![passage_line(passage, &text, true)];
            return Ok(Found { key, lines, beside: Vec::new(), score });
        }
        let first = passage.ordinal.saturating_sub(1);
        let around = self.history.seen_by(visible).passages_of(passage.of.id, first, 3).await?;
        let is_next = |one: &&SourcePassage| one.ordinal.abs_diff(passage.ordinal) <= 1;
        let lines: Vec<FoundLine> = around
            .iter()
            .filter(is_next)
            .map(|one| passage_line(one, &one.text, one.ordinal == passage.ordinal))
            .collect();
        // It may have gone since it was found.
        let lines = if lines.is_empty() { vec![passage_line(passage, &passage.text, true)] } else { lines };
        Ok(Found { key, lines, beside: Vec::new(), score })
    }
}

#[async_trait]
impl RecallSource for DocumentSource {
    fn name(&self) -> &'static str {
        "documents"
    }

    fn weight(&self, class: QueryClass) -> f32 {
        match class {
            QueryClass::Fact => 0.9,
            QueryClass::Person | QueryClass::Relation => 0.6,
            QueryClass::Time => 0.6,
        }
    }

    /// Fewer of the same words find no other passages; and where there are none, nobody looks.
    fn takes(&self, query: &RecallQuery) -> bool {
        query.weight >= IN_OWN_WORDS && self.history.has_sources()
    }

    fn takes_a_place(&self) -> bool {
        false
    }

    async fn search(&self, query: &RecallQuery, visible: &Visible) -> Result<Vec<Found>, RecallError> {
        if query.terms.is_empty() {
            return Ok(Vec::new());
        }
        let (standing, total) =
            self.history.seen_by(visible).passages_holding(query.forms(), HELD_MAX).await?;
        let (holding, idf) = rank::shares(&standing, total, query.circumstances.most * CANDIDATES);
        let rows = holding.iter().map(|(row, _)| *row).collect();
        let passages = self.history.seen_by(visible).passages(rows).await?;
        let mut best: Vec<(f32, f32, SourcePassage)> = passages
            .into_iter()
            .filter(|(_, passage)| was_there(passage, query))
            .map(|(row, passage)| {
                let share = holding.iter().find(|(known, _)| *known == row).map_or(0.0, |(_, share)| *share);
                let score = (WORDS * share).clamp(0.0, 1.0);
                // What was learnt further out comes later (M5).
                (score * visible.weight(&passage.of.audience), score, passage)
            })
            .collect();
        best.sort_by(|(a, _, x), (b, _, y)| {
            b.total_cmp(a).then_with(|| y.of.at.cmp(&x.of.at)).then_with(|| x.ordinal.cmp(&y.ordinal))
        });
        let mut taken = BTreeMap::new();
        best.retain(|(.., passage)| {
            let of_one = taken.entry(passage.of.id).or_insert(0_usize);
            *of_one += 1;
            *of_one <= OF_ONE
        });
        best.truncate(query.circumstances.most);
        let mut found = Vec::new();
        for (_, score, passage) in &best {
            found.push(self.told(passage, *score, query, &idf, visible).await?);
        }
        Ok(found)
    }
}

/// Whether it had been sent when the question was put.
fn was_there(passage: &SourcePassage, query: &RecallQuery) -> bool {
    query.circumstances.until.is_none_or(|until| passage.of.at <= until)
}

fn source_key(passage: &SourcePassage) -> String {
    let kind = match passage.of.kind {
        SourceKind::Document => DOCUMENT_SOURCE,
        SourceKind::Pin => "pin/",
    };
    format!("{kind}{}", passage.of.id.0)
}

fn passage_line(passage: &SourcePassage, text: &str, is_hit: bool) -> FoundLine {
    let of = &passage.of;
    let from = match of.kind {
        SourceKind::Document if passage.heading.is_empty() => format!("in the file {}", of.name),
        SourceKind::Document => format!("in the file {} under {}", of.name, passage.heading),
        SourceKind::Pin => "pinned".to_owned(),
    };
    FoundLine {
        text: format!("({from}) {text}"),
        author: of.author.clone(),
        place: of.channel_name.clone().map(|name| (of.channel.clone(), name)),
        at: Some(of.at),
        audience: of.audience.clone(),
        source: format!("{} {} §{}", source_key(passage), of.name, passage.ordinal + 1),
        turn: None,
        is_hit,
    }
}

/// The sentence that holds the most of a question, in a line.
fn best_sentence(text: &str, terms: &[String], idf: &[f32]) -> String {
    let held = |sentence: &str| super::held(sentence, terms, idf);
    let best = sentences_of(text).into_iter().rev().max_by(|a, b| held(a).total_cmp(&held(b)));
    shortened(&one_line(best.unwrap_or(text)), LINE_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::keywords;

    #[test]
    fn the_sentence_is_told_that_holds_the_most_of_the_question() {
        let terms = keywords::terms("grappling actions");
        let idf = vec![1.0; terms.len()];
        let text = "Walking is free. Grappling costs two actions. Grappling tires.";
        assert_eq!(best_sentence(text, &terms, &idf), "Grappling costs two actions.");
        let long = "word ".repeat(200);
        assert!(best_sentence(&long, &terms, &idf).chars().count() <= LINE_CHARS + 1);
    }
}
