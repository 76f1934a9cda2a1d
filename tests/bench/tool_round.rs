//! What a round of tool calls costs beside what the tools do: reading arguments, the guards, finding the tool, the deadline.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion};
use familiar_connect::domain::{Audience, Caller, Slot, TokenEncoding, ToolCall, TurnId, Visible};
use familiar_connect::llm::{ModelDescription, ModelSource as _};
use familiar_connect::session::DeliveryStyle;
use familiar_connect::tools::{ToolBox, ToolContext, ToolTurn};
use tokio::runtime::Runtime;

use crate::corpus;
use crate::stage::Stage;
use crate::table::{Table, micros, percentile};

/// What is called: tools that take no time of their own, and calls that end before any tool is asked.
const CASES: [(&str, &[(&str, &str)]); 4] = [
    ("one call", &[("roll_dice", r#"{"dice": 2, "sides": 6}"#)]),
    (
        "four calls at once",
        &[
            ("roll_dice", "{}"),
            ("choose", r#"{"options": ["tea", "rum"]}"#),
            ("convert", r#"{"amount": 3, "from": "km", "to": "mi"}"#),
            ("time_in", r#"{"zone": "Asia/Tokyo"}"#),
        ],
    ),
    ("arguments that do not fit", &[("roll_dice", r#"{"dise": 2}"#)]),
    ("a search for tools", &[("tool_search", r#"{"query": "dice"}"#)]),
];

struct Rig {
    tools: Arc<ToolBox>,
    context: ToolContext,
    model: ModelDescription,
    _stage: Stage,
}

impl Rig {
    async fn new() -> Self {
        let stage = Stage::with("", DeliveryStyle::Messages { max_chars: 2000 }).await;
        let place = corpus::place();
        let visible = Visible::only([Audience::Canon, place.audience.clone()]);
        let context = ToolContext::new(
            Caller::Tenant.tools().unwrap(),
            TurnId(1),
            place,
            visible,
            corpus::said_at(1),
            TokenEncoding::CharsOver4,
        );
        let model = stage.models.slot(Slot::MainProse).describe();
        Self { tools: Arc::clone(&stage.tools), context, model, _stage: stage }
    }

    async fn round(&self, calls: &[ToolCall]) {
        black_box(self.tools.run(calls, &self.context, &mut ToolTurn::default()).await);
    }
}

fn calls(named: &[(&str, &str)]) -> Vec<ToolCall> {
    let call = |(at, (name, arguments)): (usize, &(&str, &str))| ToolCall {
        id: format!("c{at}"),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
    };
    named.iter().enumerate().map(call).collect()
}

pub fn bench(criterion: &mut Criterion, runtime: &Runtime) {
    let rig = Arc::new(runtime.block_on(Rig::new()));
    let mut group = criterion.benchmark_group("tools");
    for (name, named) in CASES {
        let calls = Arc::new(calls(named));
        group.bench_function(BenchmarkId::new("a round", name), |bencher| {
            bencher.iter_custom(|rounds| {
                let (rig, calls) = (Arc::clone(&rig), Arc::clone(&calls));
                let run = runtime.spawn(async move {
                    let started = Instant::now();
                    for _ in 0..rounds {
                        rig.round(&calls).await;
                    }
                    started.elapsed()
                });
                runtime.block_on(run).unwrap()
            });
        });
    }
    group.bench_function("what the model is told", |bencher| {
        bencher.iter(|| black_box(rig.tools.specs(&rig.context.place, &rig.model)));
    });
    group.finish();
}

/// The same as single rounds.
pub fn figures(runtime: &Runtime, rounds: usize) -> Table {
    let rig = runtime.block_on(Rig::new());
    let mut table = Table::new("A round of tool calls, without what the tools do", &["round", "p50", "p95"]);
    for (name, named) in CASES {
        let calls = calls(named);
        let mut took: Vec<_> = (0..rounds)
            .map(|_| {
                let started = Instant::now();
                runtime.block_on(rig.round(&calls));
                started.elapsed()
            })
            .collect();
        let cells = [name.to_owned(), micros(percentile(&mut took, 50)), micros(percentile(&mut took, 95))];
        table.row(&cells);
    }
    table
}
