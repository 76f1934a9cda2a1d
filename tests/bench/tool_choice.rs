//! Choosing the tools of a turn.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use familiar_connect::clock::SystemClock;
use familiar_connect::llm::UsageLedger;
use familiar_connect::net::{Outside, install_tls};
use familiar_connect::tools::{OutsideParts, Ranking, ToolText, VisionServer};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::stage::Stage;
use crate::table::{Table, micros, percentile};

const TURNS: &str = include_str!("../fixtures/tools/turns.jsonl");
const CONNECTED: &str = include_str!("../fixtures/tools/connected.json");

/// The program's own, those that need settings included.
async fn built_in() -> Vec<ToolText> {
    install_tls();
    let folder = tempfile::tempdir().unwrap();
    let outside = OutsideParts {
        way: Some(Outside::new().unwrap()),
        vision: Some(VisionServer { base_url: "http://127.0.0.1:9/v1/".to_owned(), key: None }),
        ledger: Some(Arc::new(UsageLedger::open(folder.path(), Arc::new(SystemClock)))),
        ..OutsideParts::default()
    };
    Stage::looking_outside("", outside).await.tools.texts()
}

/// Those of programs that are connected.
fn connected() -> Vec<ToolText> {
    let text = |tool: &Value, field: &str| tool[field].as_str().unwrap().into();
    let all: Vec<Value> = serde_json::from_str(CONNECTED).unwrap();
    let told = all.iter().map(|tool| ToolText {
        name: text(tool, "name"),
        description: text(tool, "description"),
        parameters: tool["parameters"].clone(),
    });
    told.collect()
}

/// What it adds before a model is asked: each labelled turn, ranked so many times.
pub fn figures(runtime: &Runtime, rounds: usize) -> Table {
    let lines: Vec<String> = TURNS
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["text"].as_str().unwrap().to_owned())
        .collect();
    let mut table = Table::new("Choosing tools", &["Ranking", "p50", "p95"]);
    let own = runtime.block_on(built_in());
    let all: Vec<ToolText> = own.iter().cloned().chain(connected()).collect();
    for tools in [own, all] {
        // With the search, which is always offered.
        let name = format!("{} tools", tools.len() + 1);
        let begun = Instant::now();
        let ranking = Ranking::of(tools);
        let made = begun.elapsed();
        let mut took = Vec::new();
        for _ in 0..rounds {
            took.extend(lines.iter().map(|line| {
                let begun = Instant::now();
                black_box(ranking.fit(black_box(line)));
                begun.elapsed()
            }));
        }
        let cells = [name.clone(), micros(percentile(&mut took, 50)), micros(percentile(&mut took, 95))];
        table.row(&cells);
        table.row(&[format!("getting to know {name}, once, behind the scenes"), micros(made), String::new()]);
    }
    table
}
