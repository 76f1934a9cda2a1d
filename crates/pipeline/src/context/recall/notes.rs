//! Everything that is noted: about people, topics and sessions, by what stands in it and about whom it is.

use std::fmt::Write as _;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::civil::Date;

use super::query::{IN_OWN_WORDS, QueryClass, RecallQuery};
use super::rank;
use super::{Found, RecallError, RecallSource};
use crate::domain::Visible;
use crate::memory::Memory;
use crate::memory::facts::{Tier, Validity, fact_worth};
use crate::memory::index::{FoundPassage, Hits, Passage};

/// The share of the question's words, and what being about somebody who is named, or of the time that is meant, adds.
const WORDS: f32 = 0.75;
const NAMED: f32 = 0.3;
const THEN: f32 = 0.2;

/// What a plain fact about a person counts, and how much more or less any other may.
const PLAIN: f32 = 1.2;
const COUNTS: (f32, f32) = (0.25, 1.3);

/// Passages called up by words before they are ranked.
const CALLED_UP: usize = 64;

/// What stands for the heading of what has none.
const TOP: &str = "top";

#[derive(Debug)]
pub struct NotesSource {
    pub memory: Arc<Memory>,
}

#[async_trait]
impl RecallSource for NotesSource {
    fn name(&self) -> &'static str {
        "notes"
    }

    fn weight(&self, class: QueryClass) -> f32 {
        match class {
            QueryClass::Person => 1.0,
            QueryClass::Fact | QueryClass::Relation => 0.8,
            QueryClass::Time => 0.5,
        }
    }

    /// Fewer of the same words find no other notes.
    fn takes(&self, query: &RecallQuery) -> bool {
        query.weight >= IN_OWN_WORDS
    }

    async fn warm_up(&self) {
        if let Err(error) = self.memory.keep_up().await {
            tracing::warn!(%error, "the notes could not be indexed yet; the first search tries again");
        }
    }

    async fn search(&self, query: &RecallQuery, visible: &Visible) -> Result<Vec<Found>, RecallError> {
        let notes = self.memory.seen_by(visible);
        let people = notes.people().await;
        let named: Vec<String> =
            people.named_in(&query.text).into_iter().map(|slug| format!("people/{slug}.md")).collect();
        let Hits { hits, standing_in } = notes.holding(&query.forms(), CALLED_UP).await?;
        Ok(passages(&hits, &standing_in, &named, query, visible))
    }
}

fn passages(
    hits: &[FoundPassage],
    standing_in: &[u32],
    named: &[String],
    query: &RecallQuery,
    visible: &Visible,
) -> Vec<Found> {
    let total = hits.len().max(10) as f32;
    // How rare a word is among what may be seen; what may not be seen does not count.
    let idf: Vec<f32> = standing_in.iter().map(|passages| rank::idf(*passages as f32, total)).collect();
    let asked: f32 = idf.iter().sum();
    let today = query.circumstances.now.to_zoned(query.circumstances.tz.clone()).date();
    // Only who asks about another time is told what held then.
    let asks_back = query.asks_when || query.window.is_some();
    let mut found: Vec<(f32, Found)> = hits
        .iter()
        .filter(|hit| was_known(&hit.passage, query))
        .filter_map(|hit| {
            let told = render_passage(&hit.passage, today, asks_back)?;
            let held: f32 = hit.held.iter().zip(&idf).filter(|(held, _)| **held).map(|(_, idf)| idf).sum();
            let share = if asked > 0.0 { held / asked } else { 0.0 };
            let is_named = named.iter().any(|path| path == hit.passage.path.as_str());
            let is_then = is_of_then(&hit.passage, query);
            let score = WORDS * share + if is_named { NAMED } else { 0.0 } + if is_then { THEN } else { 0.0 };
            let counts = passage_counts(&hit.passage, today);
            let found = note_find(&hit.passage, told, (score * counts).clamp(0.0, 1.0));
            // What was learnt further out comes later; it is no less likely to be meant (M5).
            Some((found.score * visible.weight(&hit.passage.audience), found))
        })
        .collect();
    found.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.key.cmp(&y.key)));
    found.truncate(query.circumstances.most);
    found.into_iter().map(|(_, found)| found).collect()
}

/// A passage's words, and what its key begins with. What does not hold now tells its time, and is not among what a prompt
/// shows of a whole note.
fn render_passage(passage: &Passage, today: Date, asks_back: bool) -> Option<(&'static str, String)> {
    let told = |words: String| Some(("another time: ", words));
    let day = |day: Date| day.strftime("%-d %B %Y").to_string();
    match passage.data.standing(today) {
        Validity::Holds => Some(("", passage.text.clone())),
        Validity::From(first) => told(format!("From {}: {}", day(first), passage.text)),
        Validity::Until(last) if asks_back => told(format!("Until {}: {}", day(last), passage.text)),
        Validity::Until(_) => None,
    }
}

/// How much a passage counts against a plain fact about a person, said once (M4): a correction, the
/// operator's word and what was said often more; what is old, temporary or superseded less.
fn passage_counts(passage: &Passage, today: Date) -> f32 {
    let tier = Tier::of(passage.path.as_str(), &passage.data);
    (fact_worth(&passage.data, tier, today) / PLAIN).clamp(COUNTS.0, COUNTS.1)
}

/// Whether all that a passage was learnt from had been said before what is being answered.
fn was_known(passage: &Passage, query: &RecallQuery) -> bool {
    passage.data.turns().all(|turn| query.circumstances.is_past(turn))
}

/// Whether a passage was learnt, or its session was held, in the time that is meant.
fn is_of_then(passage: &Passage, query: &RecallQuery) -> bool {
    let Some(window) = &query.window else { return false };
    let held = passage.path.is_in("sessions").then(|| passage.path.name().get(..10)?.parse().ok()).flatten();
    let day = |at: jiff::Timestamp| at.to_zoned(query.circumstances.tz.clone()).date();
    passage.data.on.or(held).is_some_and(|on: Date| (day(window.from)..=day(window.to)).contains(&on))
}

fn note_find(passage: &Passage, (when, words): (&str, String), score: f32) -> Found {
    let heading = passage.headings.last();
    let mut key = format!("{when}{} § {}", passage.path, heading.map_or(TOP, String::as_str));
    if passage.part > 0 {
        let _ = write!(key, " {}", passage.part + 1);
    }
    let source = match &passage.fact {
        Some(id) => format!("{key} #{id}"),
        None => key.clone(),
    };
    let text = match heading {
        Some(heading) => format!("{heading}: {words}"),
        None => words,
    };
    Found::known(key, text, passage.audience.clone(), source, score)
}
