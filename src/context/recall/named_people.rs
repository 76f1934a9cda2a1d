//! Notes about people, by what stands in them: the parts that hold the question's words or are about whom it names.

use std::sync::Arc;

use async_trait::async_trait;

use super::query::{QueryClass, RecallQuery};
use super::rank::{self, Bag};
use super::{Found, FoundLine, RecallError, RecallSource, Seer};
use crate::memory::Memory;
use crate::memory::people::{Note, Section};
use crate::text::keywords;

/// Being about somebody who is named is worth this share of the question's words.
const NAMED: f32 = 0.3;

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

struct Part<'a> {
    note: &'a Note,
    section: Section<'a>,
    bag: Bag,
    is_named: bool,
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
        let named = roster.named_in(&query.text);
        let mut parts: Vec<Part<'_>> = Vec::new();
        for note in roster.notes().filter(|note| seer.visible().includes(&note.audience)) {
            let is_named = named.contains(&note.slug.as_str());
            for section in note.sections() {
                let bag = bag(&section, &query.terms);
                if bag.counts.iter().any(|count| *count > 0.0) {
                    parts.push(Part { note, section, bag, is_named });
                }
            }
        }
        // How rare a word is among what may be seen; what may not be seen does not count.
        let idf: Vec<f32> = (0..query.terms.len())
            .map(|at| {
                let standing_in = parts.iter().filter(|part| part.bag.counts[at] > 0.0).count();
                rank::idf(standing_in as f32, parts.len().max(10) as f32)
            })
            .collect();
        let asked: f32 = idf.iter().sum();
        let mut found: Vec<Found> = parts
            .iter()
            .map(|part| {
                let held: f32 =
                    part.bag.counts.iter().zip(&idf).map(|(count, idf)| idf * count.min(1.0)).sum();
                let share = if asked > 0.0 { held / asked } else { 0.0 };
                let score = (0.75 * share + if part.is_named { NAMED } else { 0.0 }).clamp(0.0, 1.0);
                paragraph(part, score)
            })
            .collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
        found.truncate(query.circumstances.most);
        Ok(found)
    }
}

fn bag(section: &Section<'_>, terms: &[String]) -> Bag {
    let mut bag = Bag::empty(terms.len());
    let heading = section.heading.unwrap_or_default();
    for stem in keywords::terms(heading).into_iter().chain(keywords::terms(section.text)) {
        bag.length += 1.0;
        if let Some(at) = terms.iter().position(|term| *term == stem) {
            bag.counts[at] += 1.0;
        }
    }
    bag
}

fn paragraph(part: &Part<'_>, score: f32) -> Found {
    let heading = part.section.heading.unwrap_or("top");
    let source = format!("people/{}.md § {heading}", part.note.slug);
    let text = match part.section.heading {
        Some(heading) => format!("{heading}: {}", part.section.text),
        None => part.section.text.to_owned(),
    };
    Found {
        key: source.clone(),
        lines: vec![FoundLine {
            text,
            author: None,
            place: None,
            at: None,
            audience: part.note.audience.clone(),
            source,
            turn: None,
            is_hit: true,
        }],
        score,
    }
}
