//! Looking things up in a long history, by the pipeline's own parts.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion};
use familiar_connect::config::FamiliarHome;
use familiar_connect::context::recall::{
    CharacterGrams, Circumstances, ConversationSource, Recall, RecallQuery, RecallSource, Seer,
};
use familiar_connect::domain::{AccountId, Audience, FamiliarId};
use familiar_connect::history::{History, HistoryOptions, Visible};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::{corpus, sizes};

struct Rig {
    recall: Recall,
    query: RecallQuery,
    seer: Seer,
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
        let sources: Vec<Arc<dyn RecallSource>> =
            vec![Arc::new(ConversationSource::new(history, Arc::new(CharacterGrams)))];
        let visible = Visible::only([Audience::Canon, corpus::place().audience]);
        let circumstances =
            Circumstances { least: 0.25, ..Circumstances::alone(corpus::said_at(turns + 1), 5) };
        Self {
            recall: Recall::over(sources, Duration::from_secs(5)),
            query: RecallQuery::new("where did Gwen leave the blue notebook last winter?", circumstances),
            seer: Seer::person(AccountId::discord(100), visible),
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
                        black_box(rig.recall.run(&rig.query, &rig.seer, 1).await);
                    }
                    started.elapsed()
                });
                runtime.block_on(run).unwrap()
            });
        });
    }
    group.finish();
}
