//! What a turn loses when a source hangs: by the real clock, how long after its deadline gathering goes on. The disk
//! hangs here: what would be written never is, and whoever waits for it waits for ever.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use familiar_connect::domain::TokenEncoding;
use familiar_connect::history::HistoryOptions;
use familiar_connect::text::tokens;
use tokio::runtime::Runtime;

use crate::chat::MESSAGES;
use crate::is_measuring;
use crate::rig::{Rig, request};
use crate::stage::is_late;
use crate::table::{Table, percentile};

/// Every mode waits this long at most.
const DEADLINE: Duration = Duration::from_secs(1);
/// So long a start is waited for.
const WARMING: Duration = Duration::from_secs(60);

const SETTINGS: &str = "[modes.text_conversation_rp]\ndeadline = 1.0\n";

/// Turns were not counted under this encoding, so that reading them has to write.
const ENCODING: TokenEncoding = TokenEncoding::Cl100k;

/// Holds up whoever counts until it is opened.
#[derive(Default)]
struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn pass(&self) {
        let mut is_open = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_open {
            is_open = self.opened.wait(is_open).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn open(&self) {
        *self.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.opened.notify_all();
    }
}

/// Single turns, each with the conversation's provider hanging, over so many turns and notes.
pub fn figures(runtime: &Runtime, rounds: usize, turns: u64, notes: u64) -> Table {
    let gate = Arc::new(Gate::default());
    let held = Arc::clone(&gate);
    let options = HistoryOptions {
        counter: Arc::new(move |encoding, text| {
            if encoding == ENCODING {
                held.pass();
            }
            tokens::count(encoding, text)
        }),
        ..HistoryOptions::new([TokenEncoding::Estimate])
    };
    let mut table = Table::new(
        &format!(
            "A source that hangs, deadline {} ms, {turns} turns and {notes} notes: gathering beyond it",
            DEADLINE.as_millis()
        ),
        &["effort", "late", "p50", "p95", "longest", "message to prompt, p50"],
    );
    let rows: Vec<[String; 6]> = runtime
        .block_on(runtime.spawn(async move {
            let rig = Rig::with(turns, notes, SETTINGS, ENCODING, options).await;
            if is_measuring() {
                // As a start does in the background, as far as the disk lets it.
                drop(tokio::time::timeout(WARMING, rig.stage.recall.warm_up()).await);
            }
            let mut rows = Vec::new();
            for (effort, template) in MESSAGES {
                let (mut beyond, mut all) = (Vec::new(), Vec::new());
                let mut late = Vec::new();
                for round in 0..rounds as u64 {
                    let request = request(&rig, effort, template, round);
                    let started = Instant::now();
                    let prompt = rig.stage.session.pipeline().assemble(&request, None).await.unwrap();
                    all.push(started.elapsed());
                    let figures = prompt.figures();
                    let gather = figures.stages.iter().find(|stage| stage.stage == "gather").unwrap();
                    beyond.push(Duration::from_micros(gather.us).saturating_sub(DEADLINE));
                    late = figures
                        .providers
                        .iter()
                        .filter(|one| is_late(one))
                        .map(|one| one.provider.clone())
                        .collect();
                }
                let millis = |took: Duration| format!("{:.1} ms", took.as_secs_f64() * 1_000.0);
                let [p50, p95, longest] = [50, 95, 100].map(|share| millis(percentile(&mut beyond, share)));
                let whole = millis(percentile(&mut all, 50));
                rows.push([effort.to_string(), late.join(", "), p50, p95, longest, whole]);
            }
            gate.open();
            rows
        }))
        .unwrap();
    for row in rows {
        table.row(&row);
    }
    table
}
