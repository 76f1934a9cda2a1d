//! Everything that was said where the asker may hear it. What comes back are exchanges: the turn that was found, what
//! it answers, and its neighbours (specs mechanisms A13).

use std::fmt::Write as _;
use std::sync::Arc;

use async_trait::async_trait;

use super::query::{QueryClass, RecallQuery};
use super::signals::{self, Scored};
use super::vectors::Encoder;
use super::{Found, FoundLine, RecallError, RecallSource, Seer};
use crate::history::{Heard, History, Survey, SurveyQuery};

/// Turns called up by words before they are ranked; beyond this ranking finds next to nothing more.
const CALLED_UP: u32 = 200;

/// Turns fetched on either side: two to stand in the window of a find, two more for theirs.
const AROUND: u32 = 4;

/// More are ranked than are asked for: finds of one exchange become one (specs mechanisms Y14, "candidates 3x").
const CANDIDATES: usize = 3;

/// Searches the history.
#[derive(Debug)]
pub struct ConversationSource {
    history: Arc<History>,
    encoder: Arc<dyn Encoder>,
}

impl ConversationSource {
    /// Searches `history`; `encoder` says how alike texts are.
    #[must_use]
    pub fn new(history: Arc<History>, encoder: Arc<dyn Encoder>) -> Self {
        Self { history, encoder }
    }
}

#[async_trait]
impl RecallSource for ConversationSource {
    fn name(&self) -> &'static str {
        "history"
    }

    fn weight(&self, class: QueryClass) -> f32 {
        match class {
            QueryClass::Time => 1.2,
            QueryClass::Fact | QueryClass::Person | QueryClass::Relation => 1.0,
        }
    }

    async fn search(&self, query: &RecallQuery, seer: &Seer) -> Result<Vec<Found>, RecallError> {
        let asked = SurveyQuery {
            text: if query.terms.is_empty() { String::new() } else { query.text.clone() },
            between: query.window.map(|window| (window.from, window.to)),
            shown: query.circumstances.shown.clone(),
            until: query.circumstances.until,
            most: CALLED_UP,
            around: AROUND,
        };
        let survey = self.history.survey(asked, seer.visible()).await?;
        if survey.found.is_empty() {
            return Ok(Vec::new());
        }
        let (query, encoder) = (query.clone(), Arc::clone(&self.encoder));
        let mut found = tokio::task::spawn_blocking(move || exchanges(&survey, &query, encoder.as_ref()))
            .await
            .map_err(|_| RecallError::BrokenOff)?;
        let lines = || found.iter().flat_map(|one| &one.lines);
        let messages = self.history.messages_of(lines().filter_map(|line| line.turn).collect()).await?;
        for line in found.iter_mut().flat_map(|one| &mut one.lines) {
            if let Some(message) = line.turn.and_then(|turn| messages.get(&turn)) {
                let _ = write!(line.source, " message {message}");
            }
        }
        Ok(found)
    }
}

fn exchanges(survey: &Survey, query: &RecallQuery, encoder: &dyn Encoder) -> Vec<Found> {
    signals::ranked(survey, query, encoder)
        .into_iter()
        .filter(|one| is_news(&survey.heard[one.at], query))
        .take(query.circumstances.most * CANDIDATES)
        .map(|one| exchange(&survey.heard, one, query))
        .collect()
}

/// Whether the prompt does not hold it already.
fn is_news(heard: &Heard, query: &RecallQuery) -> bool {
    let circumstances = &query.circumstances;
    !circumstances.answered.contains(&heard.turn.id)
        && !circumstances.shown.as_ref().is_some_and(|shown| shown.holds(&heard.channel, &heard.turn))
}

/// A turn with what it answers and what stands next to it.
fn exchange(heard: &[Heard], hit: Scored, query: &RecallQuery) -> Found {
    let before = signals::previous(heard, hit.at);
    let after = signals::next(heard, hit.at);
    let parent = heard[hit.at].answers.and_then(|to| {
        // What it answers is hidden where its audience was: then it was not called up.
        heard.iter().position(|other| other.turn.id == to)
    });
    let mut members: Vec<usize> = [parent, before, Some(hit.at), after].into_iter().flatten().collect();
    members.sort_unstable();
    members.dedup();
    let lines = members
        .into_iter()
        .filter(|at| *at == hit.at || is_news(&heard[*at], query))
        .map(|at| line(&heard[at], at == hit.at))
        .collect();
    Found { key: format!("turn {}", heard[hit.at].turn.id.0), lines, score: hit.likelihood }
}

fn line(heard: &Heard, is_hit: bool) -> FoundLine {
    let turn = &heard.turn;
    FoundLine {
        text: turn.content.clone(),
        author: turn.author.as_ref().map(|author| author.label().to_owned()),
        place: heard.channel_name.clone(),
        at: Some(turn.at),
        audience: turn.audience.clone(),
        source: format!("channel {} turn {}", heard.channel, turn.ordinal),
        turn: Some(turn.id),
        is_hit,
    }
}
