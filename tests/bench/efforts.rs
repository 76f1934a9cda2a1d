//! From a message to the request that it becomes, through the session, by how hard the message is and how much is stored
//! (aims: p95 below 5, 10 and 40 ms at efforts 1 to 3, 5 and 9, and at most 1.5 times the empty familiar's).
//!
//! Every effort begins with a fresh familiar, and every round asks about other words, so that nothing is answered from what the
//! round before left behind.

use std::collections::BTreeMap;
use std::time::Duration;

use familiar_connect::domain::TurnTrace;
use tokio::runtime::Runtime;

use crate::chat::{Chat, MESSAGES, message};
use crate::is_measuring;
use crate::table::{Table, micros, percentile};

pub fn figures(runtime: &Runtime, rounds: usize) -> Table {
    // On a worker thread, where turns run.
    runtime.block_on(runtime.spawn(measured(rounds))).unwrap()
}

async fn measured(rounds: usize) -> Table {
    let mut table = Table::new(
        "From message to request, through the session",
        &[
            "effort",
            "stored",
            "p50",
            "p95",
            "p95, seen to type",
            "of empty, p95",
            "searches",
            "SQL statements",
            "prompt tokens",
        ],
    );
    let mut stored =
        if is_measuring() { vec![(0, 0), (1_000, 100), (100_000, 10_000)] } else { vec![(0, 0), (160, 30)] };
    if std::env::var_os("FAMILIAR_BENCH_MILLION").is_some() {
        stored.push((1_000_000, 10_000));
    }
    let mut empty = BTreeMap::new();
    for (turns, notes) in stored {
        for (effort, template) in MESSAGES {
            // What the efforts before said would make an empty familiar one with a past.
            let mut chat = Chat::new(turns, notes).await;
            for round in 0..rounds.min(10) as u64 {
                chat.says(&message(MESSAGES[3].1, 1_000_000 + round)).await;
            }
            let (mut took, mut typed, mut statements, mut spent) =
                (Vec::new(), Vec::new(), Vec::new(), Spent::default());
            let mut last = None;
            for round in 0..rounds as u64 {
                let told = chat.says(&message(template, 2 * round)).await;
                took.push(told.until_asked);
                statements.push(told.statements);
                spent.add(&told.trace);
                last = Some(told.trace);
                chat.types().await;
                typed.push(chat.says(&message(template, 2 * round + 1)).await.until_asked);
            }
            let trace = last.unwrap();
            assert_eq!(trace.assembly.as_ref().unwrap().plan.as_ref().unwrap().intent.effort.level(), effort);
            let p95 = percentile(&mut took, 95);
            let of_empty = p95.as_secs_f64() / empty.entry(effort).or_insert(p95).as_secs_f64();
            statements.sort_unstable();
            let assembly = trace.assembly.as_ref().unwrap();
            table.row(&[
                effort.to_string(),
                format!("{turns} turns, {notes} notes"),
                micros(percentile(&mut took, 50)),
                micros(p95),
                micros(percentile(&mut typed, 95)),
                format!("{of_empty:.2}"),
                assembly.searches.len().to_string(),
                statements[statements.len() / 2].to_string(),
                assembly.prompt_tokens.to_string(),
            ]);
            table.note(format!("effort {effort}, {turns} turns, p50: {}", spent.medians()));
        }
    }
    table
}

/// What stages, providers and searches took, by name.
#[derive(Default)]
struct Spent(BTreeMap<String, Vec<Duration>>);

impl Spent {
    fn add(&mut self, trace: &TurnTrace) {
        let Some(assembly) = &trace.assembly else { return };
        let stages = trace.stages.iter().chain(&assembly.stages).map(|stage| (stage.stage.clone(), stage.us));
        let providers = assembly.providers.iter().map(|one| (format!("gather/{}", one.provider), one.us));
        let searches = assembly.searches.iter().map(|one| (format!("search/{}", one.source), one.us));
        for (name, us) in stages.chain(providers).chain(searches) {
            self.0.entry(name).or_default().push(Duration::from_micros(us));
        }
    }

    fn medians(&mut self) -> String {
        let parts: Vec<String> = self
            .0
            .iter_mut()
            .map(|(name, took)| format!("{name} {}", micros(percentile(took, 50))))
            .collect();
        parts.join(", ")
    }
}
