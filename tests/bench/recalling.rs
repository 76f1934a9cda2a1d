//! Looking things up in a long history, by the pipeline's own parts.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion};
use familiar_connect::config::FamiliarHome;
use familiar_connect::context::recall::{
    Circumstances, ConversationSource, Recall, RecallQuery, RecallSource,
};
use familiar_connect::domain::{Audience, FamiliarId};
use familiar_connect::history::{History, HistoryOptions, Visible};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::rig;
use crate::table::{Table, micros, percentile};
use crate::{corpus, is_measuring, sizes, tiny_model};

struct Rig {
    recall: Recall,
    query: RecallQuery,
    visible: Visible,
    _folder: TempDir,
}

impl Rig {
    async fn new(turns: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(folder.path(), &FamiliarId::new("bench").unwrap());
        std::fs::create_dir_all(home.root()).unwrap();
        corpus::put_history(turns, &home).await;
        let options = HistoryOptions::new(corpus::ENCODINGS);
        let history = Arc::new(History::open(&home.history_db(), options).await.unwrap());
        let sources: Vec<Arc<dyn RecallSource>> = vec![Arc::new(ConversationSource::new(history, None))];
        let visible = Visible::only([Audience::Canon, corpus::place().audience]);
        let circumstances =
            Circumstances { least: 0.25, ..Circumstances::alone(corpus::said_at(turns + 1), 5) };
        Self {
            recall: Recall::over(sources, Duration::from_secs(5)),
            query: RecallQuery::new("where did Gwen leave the blue notebook last winter?", circumstances),
            visible,
            _folder: folder,
        }
    }
}

/// One search, as a turn does it.
pub fn bench(criterion: &mut Criterion, runtime: &Runtime) {
    let mut group = criterion.benchmark_group("recall");
    for turns in sizes() {
        let rig = Arc::new(runtime.block_on(Rig::new(turns)));
        group.bench_function(BenchmarkId::from_parameter(format!("{turns} turns")), |bencher| {
            bencher.iter_custom(|rounds| {
                let rig = Arc::clone(&rig);
                let run = runtime.spawn(async move {
                    let started = Instant::now();
                    for _ in 0..rounds {
                        black_box(rig.recall.run(&rig.query, &rig.visible, 1).await);
                    }
                    started.elapsed()
                });
                runtime.block_on(run).unwrap()
            });
        });
    }
    group.finish();
}

/// A question over everything there is at once: what was said, noted and summed up, the lore, how people hang together;
/// every way to put it to every source.
pub fn figures(runtime: &Runtime, rounds: usize) -> Table {
    let (turns, notes) = if is_measuring() { (100_000, 10_000) } else { (200, 20) };
    let title = format!("Recall over all sources: {turns} turns, {notes} notes");
    let mut table = Table::new(&title, &["question", "searches", "p50", "p95"]);
    by_all_sources(runtime, rounds, (turns, notes), "", &mut table);
    table
}

/// The same with an embedding model, of a few words, so that what is measured is what comes around its multiplications.
pub fn figures_by_meaning(runtime: &Runtime, rounds: usize) -> Table {
    let (turns, notes) = if is_measuring() { (10_000, 1_000) } else { (200, 20) };
    let title = format!("Recall over all sources with a tiny embedding model: {turns} turns, {notes} notes");
    let mut table = Table::new(&title, &["question", "searches", "p50", "p95"]);
    let folder = tempfile::tempdir().unwrap();
    tiny_model::put(folder.path());
    let settings = format!("[memory.embeddings]\nfolder = {:?}\n", folder.path().display().to_string());
    by_all_sources(runtime, rounds, (turns, notes), &settings, &mut table);
    table
}

fn by_all_sources(
    runtime: &Runtime,
    rounds: usize,
    (turns, notes): (u64, u64),
    settings: &str,
    table: &mut Table,
) {
    runtime.block_on(async {
        let rig = rig::Rig::new(turns, notes, settings, corpus::ENCODINGS[0]).await;
        let recall = &rig.stage.recall;
        recall.warm_up().await;
        let visible = Visible::only([Audience::Canon, corpus::place().audience]);
        for (question, searches) in [
            ("where did Gwen leave the blue notebook last winter?", 8),
            ("how do Gwen and Ana know each other, and what did they do together?", 16),
            ("where is the blue notebook? and who painted the door? what did Gwen say of the ferry?", 32),
        ] {
            let circumstances =
                Circumstances { least: 0.25, ..Circumstances::alone(corpus::said_at(turns + 1), 5) };
            let query = RecallQuery::new(question, circumstances);
            let mut times = Vec::new();
            let mut run = 0;
            for _ in 0..rounds {
                let started = Instant::now();
                let recalled = black_box(recall.run(&query, &visible, searches).await);
                times.push(started.elapsed());
                assert!(recalled.searches.iter().all(|search| search.problem.is_none()));
                run = recalled.searches.len();
            }
            table.row(&[
                question.to_owned(),
                format!("{run} of {searches}"),
                micros(percentile(&mut times, 50)),
                micros(percentile(&mut times, 95)),
            ]);
        }
    });
}
