//! Ways between people who are named together (A11).

use std::sync::Arc;

use async_trait::async_trait;

use super::query::{AS_THEY_WERE_SAID, QueryClass, RecallQuery};
use super::{Found, RecallError, RecallSource};
use crate::domain::Visible;
use crate::graph::{DayTeller, Graph, GraphError, NamedNode, Path, View, Viewer};

/// Of three who are named there are three pairs; of more, the first three people's.
const PEOPLE_MAX: usize = 3;

/// Ways told of a pair, where that is asked for.
const WAYS: usize = 2;

/// Looks up how people who are named are connected.
#[derive(Debug)]
pub struct GraphSource {
    pub graph: Arc<Graph>,
}

/// Ways between the people a question names, in its order, each once, by the key it is known by.
fn ways(view: &View<'_>, query: &RecallQuery) -> Result<Vec<(String, Path)>, GraphError> {
    let mut people: Vec<NamedNode> = Vec::new();
    for word in &query.named {
        let Some(one) = view.called(word)?.into_iter().next() else { continue };
        if people.len() < PEOPLE_MAX && !people.iter().any(|known| known.id == one.id) {
            people.push(one);
        }
    }
    let mut found = Vec::new();
    for (at, first) in people.iter().enumerate() {
        for second in &people[at + 1..] {
            let (from, to) = (std::slice::from_ref(&first.id), std::slice::from_ref(&second.id));
            let paths = match query.class {
                QueryClass::Relation => view.paths(from, to, WAYS)?,
                // Who asks for something else is told at most what is plain.
                _ => view.direct(&first.id, &second.id)?.into_iter().collect(),
            };
            for (number, path) in paths.into_iter().enumerate() {
                found.push((format!("graph/{}+{} {number}", first.id.key, second.id.key), path));
            }
        }
    }
    Ok(found)
}

#[async_trait]
impl RecallSource for GraphSource {
    fn name(&self) -> &'static str {
        "graph"
    }

    fn weight(&self, class: QueryClass) -> f32 {
        match class {
            QueryClass::Relation => 1.5,
            QueryClass::Person => 0.4,
            QueryClass::Fact | QueryClass::Time => 0.2,
        }
    }

    /// Another way to put it names the same people.
    fn takes(&self, query: &RecallQuery) -> bool {
        query.named.len() >= 2 && query.weight >= AS_THEY_WERE_SAID
    }

    async fn warm_up(&self) {
        if let Err(error) = self.graph.keep_up().await {
            tracing::warn!(%error, "the graph could not be made yet; the first search tries again");
        }
    }

    async fn search(&self, query: &RecallQuery, visible: &Visible) -> Result<Vec<Found>, RecallError> {
        let circumstances = &query.circumstances;
        let viewer =
            Viewer::of(visible.clone()).until(circumstances.until).without(circumstances.answered.clone());
        let (here, teller) = (visible.narrowest(), DayTeller::in_zone(circumstances.tz.clone()));
        let asked = if query.class == QueryClass::Relation { 0.85 } else { 0.45 };
        let query = query.clone();
        let mut found = Vec::new();
        for (key, path) in self.graph.ask(viewer, move |view| ways(view, &query)).await? {
            let (path, channels) = self.graph.as_written(path).await?;
            let Some(text) = teller.way(&path, &channels) else { continue };
            let audience = Visible::circle_of(path.audiences(), &here);
            let first = path.steps.iter().filter_map(|step| step.bonds.first()?.evidence.first());
            let evidence: Vec<String> = first.map(ToString::to_string).collect();
            let source =
                if evidence.is_empty() { key.clone() } else { format!("{key} ({})", evidence.join(", ")) };
            // The longer the way, the less it says.
            let score = asked / (1.0 + 0.15 * (path.steps.len() as f32 - 1.0));
            found.push(Found::known(key, text, audience, source, score));
        }
        Ok(found)
    }
}
