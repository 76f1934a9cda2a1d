//! `familiar recall "question"`: what would be found, and what speaks for each find. For the operator, who may see
//! everything: a prompt is only ever shown what its place may see.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::app::open_history;
use crate::cli::report::{self, without_control};
use crate::cli::target::settings_of;
use crate::config::{FamiliarHome, LiveConfig};
use crate::context::recall::{
    Circumstances, Found, FoundLine, Meaning, PipelineParts, RankedTurn, Recall, RecallQuery,
};
use crate::domain::StoredId;
use crate::embedding::{Embeddings, Reranking};
use crate::familiar::{LiveCharacter, LiveLore};
use crate::graph::Graph;
use crate::history::HistoryOptions;
use crate::memory::Memory;
use crate::text::keywords;

/// Of a line so much is shown, in characters.
const SHOWN: usize = 200;

/// Searches of the question: every source in every way to put it.
const SEARCHES: u32 = 32;

/// Turns whose reasons are worked out for each find that is shown: a find may be any of the candidates.
const REASONS: usize = 6;

/// What a familiar has, its graph and its lore, opened to be searched; a model is asked about what it has read so far.
///
/// # Errors
/// When a store or its card cannot be opened.
pub(in crate::cli) async fn opened_for_search(
    home: &FamiliarHome,
    config: Arc<LiveConfig>,
    meaning: Option<Meaning>,
    reranking: Option<Reranking>,
) -> anyhow::Result<(PipelineParts, Arc<Graph>, Arc<LiveLore>)> {
    let history = Arc::new(open_history(home, HistoryOptions::default()).await?);
    if let Some(meaning) = &meaning {
        meaning.load(&history).await?;
    }
    let memory = Arc::new(Memory::at(home));
    let graph = Arc::new(Graph::over(Arc::clone(&history), Arc::clone(&memory)));
    let lore = Arc::new(LiveLore::load(home.clone()));
    let character = Arc::new(LiveCharacter::load(home.clone())?);
    let meaning = meaning.map(Arc::new);
    Ok((PipelineParts { character, config, history, memory, meaning, reranking }, graph, lore))
}

/// Looks the question up in everything the familiar has and prints what was found. With a model, what it has read so far
/// is found by its meaning too.
pub(super) async fn print_finds(
    home: &FamiliarHome,
    question: &str,
    most: usize,
    embeddings: Option<Embeddings>,
    reranking: Option<Reranking>,
) -> anyhow::Result<()> {
    let path = home.history_db();
    anyhow::ensure!(path.exists(), "{} has heard nothing yet: there is no {}", home.id(), path.display());
    let meaning = embeddings.map(|embeddings| Meaning::new(embeddings, home.embeddings_db()).patient());
    let config = settings_of(home.clone())?;
    let (parts, graph, lore) = opened_for_search(home, config, meaning, reranking).await?;
    let history = &parts.history;
    let said = Arc::new(parts.conversations());
    let recall = Recall::of(&parts, &graph, &lore, Arc::clone(&said));
    let visible = history.whole().visible().await?;
    let circumstances =
        Circumstances { tz: TimeZone::system(), ..Circumstances::alone(Timestamp::now(), most) };
    let query = RecallQuery::new(question, circumstances);
    let mut recalled = recall.run(&query, &visible, SEARCHES).await;
    // Whoever looks a word up looks for what is noted of it; small talk that holds it too comes behind.
    let asked: HashSet<String> = keywords::terms(question).into_iter().collect();
    recalled.found.sort_by_key(|found| !is_noted(found, &asked));
    if recalled.found.is_empty() {
        report::write_line("Nothing holds any of these words, or was said at that time.")?;
    }
    let mut reasons = query.clone();
    reasons.circumstances.most = most.saturating_mul(REASONS);
    let ranked = said.ranked(&reasons, &visible).await?;
    let ranked: HashMap<StoredId, RankedTurn> = ranked.into_iter().map(|one| (one.turn, one)).collect();
    for (rank, found) in (1..).zip(&recalled.found) {
        for line in render_find(rank, found, &ranked) {
            report::write_line(&line)?;
        }
    }
    if let Some(problem) = recalled.reranked.and_then(|figures| figures.problem) {
        report::write_line(&format!("The finds were not reranked: {problem}"))?;
    }
    for search in recalled.searches.iter().filter(|search| search.problem.is_some()) {
        let problem = search.problem.as_deref().unwrap_or_default();
        report::write_line(&format!("{} could not be searched: {problem}", search.source))?;
    }
    Ok(())
}

/// Whether a note is found that holds every word that is asked for.
fn is_noted(found: &Found, asked: &HashSet<String>) -> bool {
    let holds = |line: &FoundLine| asked.is_subset(&keywords::terms(&line.text).into_iter().collect());
    !asked.is_empty() && found.lines.iter().any(|line| line.is_hit && line.turn.is_none() && holds(line))
}

/// One find: what was found, what is quoted with it, and on a line of its own where it comes from and what speaks for it,
/// most telling first.
fn render_find(rank: u32, found: &Found, ranked: &HashMap<StoredId, RankedTurn>) -> Vec<String> {
    let mut told = Vec::new();
    let (hits, beside): (Vec<&FoundLine>, Vec<&FoundLine>) = found.lines.iter().partition(|line| line.is_hit);
    for (at, hit) in hits.iter().enumerate() {
        let number = if at == 0 { format!("{rank}.") } else { "   and".to_owned() };
        told.push(format!("{number} {}", render_line(hit)));
    }
    told.extend(beside.iter().map(|line| format!("   beside it: {}", render_line(line))));
    let from: Vec<&str> = hits.iter().map(|line| line.source.as_str()).collect();
    let signals =
        hits.iter().find_map(|line| ranked.get(&line.turn?)).map_or_else(String::new, render_ranking);
    told.push(format!("   likelihood {:.2}, {}{signals}", found.score, without_control(&from.join(", "))));
    told
}

fn render_ranking(one: &RankedTurn) -> String {
    let mut why: Vec<(f32, String)> = one
        .why()
        .filter(|(_, value, _)| *value > 0.0)
        .map(|(name, value, weight)| (value * weight, format!("{name} {value:.2} × {weight}")))
        .collect();
    why.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    if why.is_empty() {
        return String::new();
    }
    let why: Vec<String> = why.into_iter().map(|(_, told)| told).collect();
    format!(": {:.2} = {}", one.score, why.join(", "))
}

/// `2026-05-04 Ana, in guild:7: the words`.
fn render_line(line: &FoundLine) -> String {
    let day = line.at.map(|at| format!("{} ", TimeZone::system().to_datetime(at).date()));
    let who = match (&line.author, line.turn) {
        (Some(author), _) => without_control(author),
        (None, Some(_)) => "the familiar".to_owned(),
        (None, None) => "noted".to_owned(),
    };
    let text: String = without_control(&line.text).chars().take(SHOWN).collect();
    format!("{}{who}, in {}: {text}", day.unwrap_or_default(), line.audience)
}
