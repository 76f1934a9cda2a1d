//! The whole of what the program does between a message and its prompt, by how hard the message is (specs mechanisms
//! section 6: p95 below 5, 20 and 60 ms at efforts 1 to 3, 5 and 9, with 100,000 turns and 10,000 notes stored).
//!
//! Every round asks about other words, so that nothing is answered from what the round before left behind.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use familiar_connect::context::Prompt;
use familiar_connect::domain::{ProviderStatus, TokenEncoding};
use tokio::runtime::Runtime;

use crate::asking::{MESSAGES, request};
use crate::assembly::Spent;
use crate::rig::Rig;
use crate::table::{Table, micros, percentile};
use crate::{is_measuring, sizes};

/// Notes there are about people.
fn notes() -> u64 {
    if is_measuring() { 10_000 } else { 30 }
}

pub fn figures(runtime: &Runtime, rounds: usize) -> Vec<Table> {
    // On a worker thread, where turns run.
    runtime.block_on(runtime.spawn(measured(rounds))).unwrap()
}

async fn measured(rounds: usize) -> Vec<Table> {
    let mut growth = Table::new(
        &format!("The same over the length of the history, {} notes, p50 (p95)", notes()),
        &["effort", "turns stored", "judging and planning", "assembly"],
    );
    let mut longest = Table::new(
        &format!("From message to prompt, {} turns and {} notes", sizes()[2], notes()),
        &["effort", "searches", "p50", "p95", "p99", "found", "prompt tokens"],
    );
    for turns in sizes() {
        let rig = Rig::new(turns, notes(), "", TokenEncoding::O200k).await;
        let started = Instant::now();
        rig.pipeline.warm_up().await;
        growth.note(format!(
            "{turns} turns and all notes were read in {} s, as a start does in the background",
            seconds(started.elapsed())
        ));
        for (effort, template) in MESSAGES {
            let mut took = Took::default();
            for round in 0..rounds.min(10) as u64 {
                took.prompt = Some(asked(&rig, effort, template, 1_000_000 + round).await.2);
            }
            for round in 0..rounds as u64 {
                let (planning, all, prompt) = asked(&rig, effort, template, round).await;
                took.planning.push(planning);
                took.all.push(all);
                took.spent.add(&prompt);
                for search in &prompt.figures().searches {
                    let each = took.searches.entry(search.source.clone()).or_default();
                    each.push(Duration::from_micros(search.us));
                }
                took.prompt = Some(prompt);
            }
            growth.row(&[
                effort.to_string(),
                turns.to_string(),
                typical(&mut took.planning),
                typical(&mut took.all),
            ]);
            if turns == sizes()[2] {
                took.tell(effort, &mut longest);
            }
        }
    }
    vec![longest, growth]
}

/// Judging and planning, everything, and what came out.
async fn asked(rig: &Rig, effort: u8, template: &str, round: u64) -> (Duration, Duration, Prompt) {
    let started = Instant::now();
    let request = request(rig, effort, template, round);
    let planning = started.elapsed();
    let prompt = rig.pipeline.assemble(&request, None).await.unwrap();
    (planning, started.elapsed(), prompt)
}

#[derive(Default)]
struct Took {
    planning: Vec<Duration>,
    all: Vec<Duration>,
    spent: Spent,
    /// What each search took, by its source.
    searches: BTreeMap<String, Vec<Duration>>,
    prompt: Option<Prompt>,
}

impl Took {
    fn tell(&mut self, effort: u8, table: &mut Table) {
        let Some(prompt) = &self.prompt else { return };
        let figures = prompt.figures();
        let found: usize = figures
            .providers
            .iter()
            .filter(|provider| ["recall", "spillover"].contains(&provider.provider.as_str()))
            .map(|provider| match provider.status {
                ProviderStatus::Ok { contributions } | ProviderStatus::Cached { contributions } => {
                    contributions
                }
                _ => 0,
            })
            .sum();
        let [p50, p95, p99] = [50, 95, 99].map(|share| micros(percentile(&mut self.all, share)));
        table.row(&[
            effort.to_string(),
            figures.searches.len().to_string(),
            p50,
            p95,
            p99,
            found.to_string(),
            figures.prompt_tokens.to_string(),
        ]);
        let searches: Vec<String> = self
            .searches
            .iter_mut()
            .map(|(source, took)| format!("{source} {}", micros(percentile(took, 50))))
            .collect();
        table.note(format!("effort {effort}, p50: {}", self.spent.medians()));
        table.note(format!("effort {effort}, each search, p50: {}", searches.join(", ")));
    }
}

fn seconds(took: Duration) -> String {
    format!("{:.2}", took.as_secs_f64())
}

fn typical(took: &mut [Duration]) -> String {
    format!("{} ({})", micros(percentile(took, 50)), micros(percentile(took, 95)))
}
