//! Ways between people who are named together (specs mechanisms A11).

use std::sync::Arc;

use async_trait::async_trait;

use super::query::{QueryClass, RecallQuery};
use super::{Found, FoundLine, RecallError, RecallSource, Seer};
use crate::domain::{Audience, Visible};
use crate::graph::{DayTeller, Graph, GraphError, Lens, NamedNode, Path, SourceId, View, name_or_somebody};

/// Of three who are named there are three pairs; of more, the first three people's.
const PEOPLE_MAX: usize = 3;

/// Ways told of a pair.
const WAYS: usize = 2;

/// Looks up how people who are named hang together.
#[derive(Debug)]
pub struct GraphSource {
    graph: Arc<Graph>,
}

impl GraphSource {
    pub fn new(graph: Arc<Graph>) -> Self {
        Self { graph }
    }
}

/// Ways between the people a question names, in its order, each once, told `here`.
fn ways(view: &View<'_>, query: &RecallQuery, here: &Audience) -> Result<Vec<Found>, GraphError> {
    let mut people: Vec<NamedNode> = Vec::new();
    for word in &query.named {
        let Some(one) = view.called(word)?.into_iter().next() else { continue };
        if people.len() < PEOPLE_MAX && !people.iter().any(|known| known.id == one.id) {
            people.push(one);
        }
    }
    let teller = DayTeller::in_zone(query.circumstances.tz.clone());
    let mut found = Vec::new();
    for (at, first) in people.iter().enumerate() {
        for second in &people[at + 1..] {
            let (from, to) = (std::slice::from_ref(&first.id), std::slice::from_ref(&second.id));
            for (number, way) in view.paths(from, to, WAYS)?.iter().enumerate() {
                let audience = Visible::circle_of(way.audiences(), here);
                found.extend(render_path(way, number, (first, second), audience, query, &teller));
            }
        }
    }
    Ok(found)
}

fn render_path(
    way: &Path,
    number: usize,
    (first, second): (&NamedNode, &NamedNode),
    audience: Audience,
    query: &RecallQuery,
    teller: &DayTeller,
) -> Option<Found> {
    let told = teller.path(way);
    if told.is_empty() {
        return None;
    }
    // By the names they have where this was learnt.
    let (start, end) = (&way.steps.first()?.from, &way.steps.last()?.to);
    let text = format!(
        "How {} and {} hang together: {}.",
        name_or_somebody(start),
        name_or_somebody(end),
        told.join("; ")
    );
    let key = format!("graph/{}+{} {number}", first.id.key, second.id.key);
    let evidence: Vec<SourceId> = way
        .steps
        .iter()
        .flat_map(|step| step.bonds.iter().take(1).flat_map(|bond| bond.evidence.first().cloned()))
        .collect();
    let asked = if query.class == QueryClass::Relation { 0.85 } else { 0.45 };
    // The longer the way, the less it says.
    let score = asked / (1.0 + 0.15 * (way.steps.len() as f32 - 1.0));
    Some(Found { lines: vec![graph_line(text, audience, &evidence, &key)], key, beside: Vec::new(), score })
}

fn graph_line(text: String, audience: Audience, evidence: &[SourceId], source: &str) -> FoundLine {
    let from: Vec<String> = evidence.iter().map(ToString::to_string).collect();
    let source = if from.is_empty() { source.to_owned() } else { format!("{source} ({})", from.join(", ")) };
    FoundLine { text, author: None, place: None, at: None, audience, source, turn: None, is_hit: true }
}

#[async_trait]
impl RecallSource for GraphSource {
    fn name(&self) -> &'static str {
        "graph"
    }

    fn weight(&self, class: QueryClass) -> f32 {
        match class {
            QueryClass::Relation => 0.9,
            // It would answer with nothing.
            QueryClass::Person | QueryClass::Fact | QueryClass::Time => 0.0,
        }
    }

    async fn warm_up(&self) {
        if let Err(error) = self.graph.keep_up().await {
            tracing::warn!(%error, "the graph could not be made yet; the first search tries again");
        }
    }

    async fn search(&self, query: &RecallQuery, seer: &Seer) -> Result<Vec<Found>, RecallError> {
        if query.class != QueryClass::Relation || query.named.len() < 2 {
            return Ok(Vec::new());
        }
        let circumstances = &query.circumstances;
        let lens = Lens::of(seer.visible().clone())
            .until(circumstances.until)
            .without(circumstances.answered.clone());
        let (query, here) = (query.clone(), seer.narrowest());
        Ok(self.graph.ask(lens, move |view| ways(view, &query, &here)).await?)
    }
}
