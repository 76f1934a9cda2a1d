//! Notes about people, by what stands in them: the parts that hold the question's words or are about whom it names.

use std::sync::Arc;

use async_trait::async_trait;

use super::query::{QueryClass, RecallQuery};
use super::rank;
use super::{Found, FoundLine, RecallError, RecallSource, Seer};
use crate::memory::Memory;
use crate::memory::people::{Holding, Roster};

/// Being about somebody who is named is worth this share of the question's words.
const NAMED: f32 = 0.3;

/// Between a note's slug and the heading of one of its parts, and what stands for the heading of the first.
const FILE: &str = ".md § ";
const TOP: &str = "top";

/// Searches the notes about people.
#[derive(Debug)]
pub struct PeopleSource {
    memory: Arc<Memory>,
}

impl PeopleSource {
    /// Searches the people notes of `memory`.
    #[must_use]
    pub fn new(memory: Arc<Memory>) -> Self {
        Self { memory }
    }
}

/// A part of a note and how likely it is meant.
struct Part<'a> {
    holding: Holding<'a>,
    score: f32,
}

#[async_trait]
impl RecallSource for PeopleSource {
    fn name(&self) -> &'static str {
        "people"
    }

    fn weight(&self, class: QueryClass) -> f32 {
        match class {
            QueryClass::Person => 1.0,
            QueryClass::Fact | QueryClass::Relation => 0.8,
            QueryClass::Time => 0.5,
        }
    }

    async fn search(&self, query: &RecallQuery, seer: &Seer) -> Result<Vec<Found>, RecallError> {
        let roster = self.memory.people.current().await;
        let (query, seer) = (query.clone(), seer.clone());
        tokio::task::spawn_blocking(move || paragraphs(&roster, &query, &seer))
            .await
            .map_err(|_| RecallError::BrokenOff)
    }
}

fn paragraphs(roster: &Roster, query: &RecallQuery, seer: &Seer) -> Vec<Found> {
    let named = roster.named_in(&query.text);
    let mut parts: Vec<Part<'_>> = roster
        .holding(&query.terms)
        .into_iter()
        .filter(|holding| seer.visible().includes(&holding.note.audience))
        .map(|holding| Part { holding, score: 0.0 })
        .collect();
    // How rare a word is among what may be seen; what may not be seen does not count.
    let idf: Vec<f32> = (0..query.terms.len())
        .map(|at| {
            let standing_in = parts.iter().filter(|part| part.holding.held[at]).count();
            rank::idf(standing_in as f32, parts.len().max(10) as f32)
        })
        .collect();
    let asked: f32 = idf.iter().sum();
    for part in &mut parts {
        let held: f32 =
            part.holding.held.iter().zip(&idf).filter(|(held, _)| **held).map(|(_, idf)| idf).sum();
        let share = if asked > 0.0 { held / asked } else { 0.0 };
        let is_named = named.contains(&part.holding.note.slug.as_str());
        part.score = (0.75 * share + if is_named { NAMED } else { 0.0 }).clamp(0.0, 1.0);
    }
    parts.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| key(a).cmp(key(b))));
    parts.iter().take(query.circumstances.most).map(paragraph).collect()
}

/// What [`Found::key`] will be, letter for letter.
fn key<'a>(part: &'a Part<'_>) -> impl Iterator<Item = u8> + 'a {
    let Holding { note, section, .. } = &part.holding;
    let heading = section.heading.unwrap_or(TOP);
    note.slug.bytes().chain(FILE.bytes()).chain(heading.bytes())
}

fn paragraph(part: &Part<'_>) -> Found {
    let Part { holding: Holding { note, section, .. }, score } = part;
    let source = format!("people/{}{FILE}{}", note.slug, section.heading.unwrap_or(TOP));
    let text = match section.heading {
        Some(heading) => format!("{heading}: {}", section.text),
        None => section.text.to_owned(),
    };
    Found {
        key: source.clone(),
        lines: vec![FoundLine {
            text,
            author: None,
            place: None,
            at: None,
            audience: note.audience.clone(),
            source,
            turn: None,
            is_hit: true,
        }],
        score: *score,
    }
}
