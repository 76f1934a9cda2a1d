//! One question over all sources at once: the memory bus (specs mechanisms A12).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use tokio::time::{Instant, timeout};

use super::query::RecallQuery;
use super::rank;
use super::{Found, FoundLine, RecallSource, Seer};
use crate::domain::SearchFigures;
use crate::text::keywords;

/// Finds that begin with the same so many letters are the same (specs mechanisms Y14).
const FINGERPRINT: usize = 100;

/// What a question called up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recalled {
    /// The finds, best first.
    pub found: Vec<Found>,
    /// What each search came to.
    pub searches: Vec<SearchFigures>,
}

/// Everything that can be searched.
#[derive(Debug, Clone)]
pub struct Recall {
    sources: Vec<Arc<dyn RecallSource>>,
    deadline: Duration,
}

impl Recall {
    /// Searches these. A search that takes longer than `deadline` is left out, the others count.
    #[must_use]
    pub fn over(sources: Vec<Arc<dyn RecallSource>>, deadline: Duration) -> Self {
        Self { sources, deadline }
    }

    /// Gets every source ready for its first question.
    pub async fn warm_up(&self) {
        join_all(self.sources.iter().map(|source| source.warm_up())).await;
    }

    /// Looks a question up: as many (way to put it × source) searches as are allowed, the most promising, all at the
    /// same time; their orders joined, doubles merged, at most `query.most` finds. A source that fails or is late is
    /// named in the figures.
    pub async fn run(&self, query: &RecallQuery, seer: &Seer, searches: u32) -> Recalled {
        let variants = query.variants();
        let mut planned: Vec<(f32, &RecallQuery, &Arc<dyn RecallSource>)> = variants
            .iter()
            .flat_map(|variant| {
                self.sources
                    .iter()
                    .filter(|source| source.takes(variant))
                    .map(move |source| (variant.weight * source.weight(query.class), variant, source))
            })
            // What counts for nothing takes no search's place.
            .filter(|(weight, ..)| *weight > 0.0)
            .collect();
        planned.sort_by(|a, b| b.0.total_cmp(&a.0));
        planned.truncate(usize::try_from(searches).unwrap_or(usize::MAX));
        let runs = planned
            .iter()
            .map(|(weight, variant, source)| self.search(*weight, variant, source.as_ref(), seer));
        let mut searches = Vec::with_capacity(planned.len());
        let mut lists = Vec::with_capacity(planned.len());
        for (weight, found, figures) in join_all(runs).await {
            searches.push(figures);
            lists.push((weight, found));
        }
        let mut found = merged(&lists, query.circumstances.most, query.circumstances.least);
        for source in &self.sources {
            match timeout(self.deadline, source.complete(&mut found, query, seer)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(source = source.name(), %error, "finds are quoted alone"),
                Err(_) => tracing::warn!(source = source.name(), "finds are quoted alone: too late"),
            }
        }
        Recalled { found, searches }
    }

    async fn search(
        &self,
        weight: f32,
        query: &RecallQuery,
        source: &dyn RecallSource,
        seer: &Seer,
    ) -> (f32, Vec<Found>, SearchFigures) {
        let started = Instant::now();
        let (found, problem) = match timeout(self.deadline, source.search(query, seer)).await {
            Ok(Ok(found)) => (found, None),
            Ok(Err(error)) => {
                tracing::warn!(source = source.name(), %error, "a search failed");
                (Vec::new(), Some(error.to_string()))
            }
            Err(_) => (Vec::new(), Some("too late".to_owned())),
        };
        let figures = SearchFigures {
            query: query.text.clone(),
            source: source.name().to_owned(),
            hits: u32::try_from(found.len()).unwrap_or(u32::MAX),
            best: found.iter().map(|one| one.score).fold(0.0, f32::max),
            us: u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
            problem,
        };
        (weight, found, figures)
    }
}

/// One order out of many, without repetitions.
fn merged(lists: &[(f32, Vec<Found>)], most: usize, least: f32) -> Vec<Found> {
    let keys: Vec<(f32, Vec<&str>)> = lists
        .iter()
        .map(|(weight, found)| (*weight, found.iter().map(|one| one.key.as_str()).collect()))
        .collect();
    let fused = rank::reciprocal_rank_fusion(&keys);
    let mut best: HashMap<&str, &Found> = HashMap::new();
    for one in lists.iter().flat_map(|(_, found)| found) {
        let known = best.entry(one.key.as_str()).or_insert(one);
        if one.score > known.score {
            *known = one;
        }
    }
    let mut ordered: Vec<&Found> = best.into_values().filter(|one| one.score >= least).collect();
    let rank_of = |one: &Found| fused.get(one.key.as_str()).copied().unwrap_or(0.0);
    ordered.sort_by(|a, b| rank_of(b).total_cmp(&rank_of(a)).then_with(|| a.key.cmp(&b.key)));
    let whole = joined(&ordered);
    let terms: Vec<HashSet<String>> = whole.iter().map(hit_terms).collect();
    let relevance = rank::spread(&whole.iter().map(rank_of).collect::<Vec<f32>>());
    rank::diverse(&relevance, &terms, most).into_iter().map(|at| whole[at].clone()).collect()
}

/// Finds that lie in one exchange become one; finds of the same words too.
fn joined(ordered: &[&Found]) -> Vec<Found> {
    let mut whole: Vec<Found> = Vec::new();
    let mut fingerprints: HashSet<String> = HashSet::new();
    for found in ordered {
        let hits: Vec<_> = found.lines.iter().filter_map(|line| line.turn).collect();
        let within = whole.iter_mut().find(|known| {
            let holds =
                |hit| known.beside.contains(hit) || known.lines.iter().any(|line| line.turn == Some(*hit));
            !hits.is_empty() && hits.iter().all(holds)
        });
        if let Some(known) = within {
            known.lines.extend(found.lines.iter().cloned());
            known.beside.retain(|turn| !hits.contains(turn));
            continue;
        }
        if fingerprints.insert(fingerprint(&found.lines)) {
            whole.push((*found).clone());
        }
    }
    whole
}

fn fingerprint(lines: &[FoundLine]) -> String {
    let hit = lines.iter().find(|line| line.is_hit).map_or("", |line| line.text.as_str());
    hit.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(FINGERPRINT).collect()
}

fn hit_terms(found: &Found) -> HashSet<String> {
    found.lines.iter().filter(|line| line.is_hit).flat_map(|line| keywords::terms(&line.text)).collect()
}
