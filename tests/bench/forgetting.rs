//! One person forgotten in a long history: somebody who said three things, and one of the seven who said it all. Looked
//! up, carried out with a copy, taken back; the files are written anew each time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use familiar_connect::clock::SystemClock;
use familiar_connect::config::FamiliarHome;
use familiar_connect::domain::{AccountId, FamiliarId, MessageId};
use familiar_connect::erase::{Asker, Eraser, ForgetRequest, ForgetWhat, KeepCopy, NobodyThere, Stores};
use familiar_connect::history::{History, HistoryOptions, NewTurn};
use familiar_connect::memory::Memory;
use familiar_connect::trace::{TraceOptions, TraceStore};
use tokio::runtime::Runtime;

use crate::stage::{known_as, said_at};
use crate::table::{Table, micros};
use crate::{corpus, notes, rig, sizes};

/// Somebody whom the corpus does not know.
const STRANGER: u64 = 4_242;

/// People with notes.
const NOTES: u64 = 100;

async fn took<T, E: std::fmt::Debug>(work: impl Future<Output = Result<T, E>>) -> (Duration, T) {
    let started = Instant::now();
    let done = work.await.unwrap();
    (started.elapsed(), done)
}

async fn stores(turns: u64, home: &FamiliarHome) -> Stores {
    corpus::put_history(turns, home).await;
    notes::put(NOTES, home);
    let history = History::open(&home.history_db(), HistoryOptions::new(corpus::ENCODINGS)).await.unwrap();
    for number in 0..3 {
        let text = format!("I only passed through here once, {number} years ago");
        let (at, message) = (corpus::said_at(turns + 1 + number), MessageId::from(1_000_000_000 + number));
        let author = Some(known_as(STRANGER, "Quillon"));
        let said = NewTurn { author, ..said_at(&corpus::place(), "", &text, at, message) };
        history.append(said).await.unwrap();
    }
    // What was counted before is counted: the first question is not the one that pays for it.
    rig::recent(&history).await;
    Stores {
        history: Arc::new(history),
        traces: Arc::new(TraceStore::open(&home.traces_db(), TraceOptions::default()).await.unwrap()),
        memory: Arc::new(Memory::at(home)),
        home: home.clone(),
    }
}

pub fn figures(runtime: &Runtime) -> Table {
    let mut table = Table::new(
        "Forgetting one person",
        &["turns stored", "turns forgotten", "looked up", "forgotten", "taken back"],
    );
    for turns in sizes() {
        let folder = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(folder.path(), &FamiliarId::new("bench").unwrap());
        std::fs::create_dir_all(home.root()).unwrap();
        runtime.block_on(async {
            let stores = stores(turns, &home).await;
            let living = Arc::new(NobodyThere(home.clone()));
            let eraser = Eraser::new(stores.clone(), living, Arc::new(SystemClock));
            for account in [STRANGER, 100] {
                let person = AccountId::discord(account);
                let by = Asker::Person(person.clone());
                let request = ForgetRequest {
                    what: ForgetWhat::Person(person),
                    by: by.clone(),
                    keep: KeepCopy::SevenDays,
                };
                let (planned, plan) = took(eraser.plan(&request)).await;
                let (forgot, done) = took(eraser.forget(request)).await;
                assert!(done == plan && done.messages >= 3, "{done:?}");
                let (undid, undone) = took(eraser.undo(&by)).await;
                assert!(undone.is_some());
                table.row(&[
                    turns.to_string(),
                    (done.messages + done.replies).to_string(),
                    micros(planned),
                    micros(forgot),
                    micros(undid),
                ]);
            }
            stores.history.close().await.unwrap();
            stores.traces.close().await.unwrap();
        });
    }
    table.note("Nothing runs beside it; in a program that does, conversations let go first.".to_owned());
    table
}
