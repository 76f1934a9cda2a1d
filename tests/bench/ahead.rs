//! What fetching ahead spares (specs mechanisms A3): the way from a message to its prompt when nobody was seen to type,
//! and when what is read about whoever speaks was fetched while they typed.

use std::time::{Duration, Instant};

use familiar_connect::context::TurnRequest;
use familiar_connect::domain::{ProviderStatus, TokenEncoding};
use tokio::runtime::Runtime;

use crate::asking::{MESSAGES, request};
use crate::rig::Rig;
use crate::table::{Table, micros, percentile};
use crate::{is_measuring, sizes};

pub fn figures(runtime: &Runtime, rounds: usize) -> Table {
    // On a worker thread, where turns run.
    runtime.block_on(runtime.spawn(measured(rounds))).unwrap()
}

async fn measured(rounds: usize) -> Table {
    let notes = if is_measuring() { 10_000 } else { 30 };
    let mut table = Table::new(
        &format!("Fetched while somebody types, {} turns and {notes} notes: assembly, p50 (p95)", sizes()[2]),
        &["effort", "nothing fetched", "fetched ahead", "providers at hand"],
    );
    let rig = Rig::new(sizes()[2], notes, "", TokenEncoding::O200k).await;
    rig.pipeline.warm_up().await;
    for (effort, template) in MESSAGES {
        let (mut cold, mut warm) = (Vec::new(), Vec::new());
        let mut at_hand = 0;
        for round in 0..rounds as u64 {
            rig.pipeline.forget_all();
            // What is asked differs, so that no search is answered from the one before.
            cold.push(assembled(&rig, &request(&rig, effort, template, 2 * round)).await.0);
            rig.pipeline.prefetch(TurnRequest { pending: Vec::new(), ..rig.request.clone() });
            rig.pipeline.fetched().await;
            let took;
            (took, at_hand) = assembled(&rig, &request(&rig, effort, template, 2 * round + 1)).await;
            warm.push(took);
        }
        assert!(at_hand >= 5, "nothing was at hand");
        table.row(&[effort.to_string(), typical(&mut cold), typical(&mut warm), at_hand.to_string()]);
    }
    table
}

/// How long it took, and how many providers had nothing to read.
async fn assembled(rig: &Rig, request: &TurnRequest) -> (Duration, usize) {
    let started = Instant::now();
    let prompt = rig.pipeline.assemble(request, None).await.unwrap();
    let took = started.elapsed();
    let outcomes = prompt.figures().providers.iter();
    (took, outcomes.filter(|one| matches!(one.status, ProviderStatus::Cached { .. })).count())
}

fn typical(took: &mut [Duration]) -> String {
    format!("{} ({})", micros(percentile(took, 50)), micros(percentile(took, 95)))
}
