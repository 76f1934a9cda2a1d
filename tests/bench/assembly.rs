//! Prompt assembly as a turn does it: the real pipeline and providers over a history on disk, the bundled example as
//! the character, no model and no network.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion};
use familiar_connect::context::{Prompt, TurnRequest};
use familiar_connect::domain::{AccountId, Author, TokenEncoding};
use tokio::runtime::Runtime;

use crate::rig::Rig;
use crate::sizes;
use crate::table::{Table, micros, percentile};

impl Rig {
    async fn assemble(&self) -> Prompt {
        self.pipeline.assemble(&self.request, None).await.unwrap()
    }
}

/// Criterion's view: mean times, kept between runs for comparison.
pub fn bench(criterion: &mut Criterion, runtime: &Runtime) {
    let mut group = criterion.benchmark_group("assembly");
    let [_, _, longest] = sizes();
    let mut cases: Vec<(String, u64, &str, TokenEncoding)> = sizes()
        .map(|turns| (format!("{turns} turns"), turns, "", TokenEncoding::O200k))
        .into_iter()
        .collect();
    cases.push((format!("{longest} turns, estimated tokens"), longest, "", TokenEncoding::Estimate));
    cases.push((
        format!("{longest} turns, st layout"),
        longest,
        "[render]\nmode = \"st\"\n",
        TokenEncoding::O200k,
    ));
    for (name, turns, settings, encoding) in cases {
        let rig = Arc::new(runtime.block_on(Rig::new(turns, 0, settings, encoding)));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter_custom(|rounds| {
                let rig = Arc::clone(&rig);
                // On a worker thread, where turns run.
                let run = runtime.spawn(async move {
                    let started = Instant::now();
                    for _ in 0..rounds {
                        black_box(rig.assemble().await);
                    }
                    started.elapsed()
                });
                runtime.block_on(run).unwrap()
            });
        });
    }
    let rig = runtime.block_on(async {
        let rig = Rig::new(sizes()[0], 0, "", TokenEncoding::O200k).await;
        // Many askers, of whose answers the cache is full.
        for number in 1..=512_usize {
            let author = rig.request.author.clone().map(|author| Author {
                account: AccountId::discord(u64::try_from(number).unwrap()),
                ..author
            });
            let request = TurnRequest { author, ..rig.request.clone() };
            black_box(rig.pipeline.assemble(&request, None).await.unwrap());
        }
        rig
    });
    group.bench_function("what is warm, of a full cache", |bencher| {
        let TurnRequest { place, author, .. } = &rig.request;
        bencher.iter(|| rig.pipeline.warm_tokens(rig.request.utterance(), place, author.as_ref()));
    });
    group.finish();
}

/// The three lengths measured in turns, so that whatever else the machine does weighs on all alike: single calls,
/// their median and their tail, and how the median grows.
pub fn figures(runtime: &Runtime, rounds: usize) -> Table {
    let measured = runtime.spawn(async move {
        let mut rigs = Vec::new();
        for turns in sizes() {
            rigs.push((Rig::new(turns, 0, "", TokenEncoding::O200k).await, Vec::with_capacity(rounds)));
        }
        for (rig, _) in &rigs {
            for _ in 0..rounds.min(50) {
                black_box(rig.assemble().await);
            }
        }
        for _ in 0..rounds {
            for (rig, took) in &mut rigs {
                let started = Instant::now();
                black_box(rig.assemble().await);
                took.push(started.elapsed());
            }
        }
        let mut table = Table::new(
            "Prompt assembly, single calls",
            &["turns stored", "p50", "p95", "p99", "p50 growth", "messages", "prompt tokens"],
        );
        let mut before: Option<Duration> = None;
        for (rig, took) in &mut rigs {
            let prompt = rig.assemble().await;
            let p50 = percentile(took, 50);
            let growth = before.map_or_else(
                || "-".to_owned(),
                |was| format!("{:.2}x", p50.as_secs_f64() / was.as_secs_f64()),
            );
            before = Some(p50);
            table.row(&[
                rig.turns.to_string(),
                micros(p50),
                micros(percentile(took, 95)),
                micros(percentile(took, 99)),
                growth,
                prompt.messages().len().to_string(),
                prompt.figures().prompt_tokens.to_string(),
            ]);
        }
        let (longest, _) = rigs.pop().unwrap();
        (table, stages(&longest, rounds).await)
    });
    let (mut table, stages) = runtime.block_on(measured).unwrap();
    table.note(stages);
    table
}

/// Where the time goes, by the pipeline's own clocks: medians of each stage and provider.
async fn stages(rig: &Rig, rounds: usize) -> String {
    let mut spent = Spent::default();
    for _ in 0..rounds {
        spent.add(&rig.assemble().await);
    }
    format!("stages at {} turns, p50: {}", rig.turns, spent.medians())
}

/// What stages and providers took, by name.
#[derive(Default)]
pub struct Spent(BTreeMap<String, Vec<Duration>>);

impl Spent {
    pub fn add(&mut self, prompt: &Prompt) {
        for stage in &prompt.figures().stages {
            self.0.entry(stage.stage.clone()).or_default().push(Duration::from_micros(stage.us));
        }
        for provider in &prompt.figures().providers {
            let took = Duration::from_micros(provider.us);
            self.0.entry(format!("gather/{}", provider.provider)).or_default().push(took);
        }
    }

    pub fn medians(&mut self) -> String {
        let parts: Vec<String> = self
            .0
            .iter_mut()
            .map(|(name, took)| format!("{name} {}", micros(percentile(took, 50))))
            .collect();
        parts.join(", ")
    }
}
