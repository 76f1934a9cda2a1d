//! What screening costs: ingest and screening of as many pieces as a large prompt has.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion};
use familiar_connect::context::{Contribution, Placement, TailPart, Trust, ingest, screen};
use familiar_connect::domain::{Audience, ChannelId, Layer, Place, RenderMode, TokenEncoding};
use familiar_connect::llm::ModelDescription;

use crate::table::{Table, micros, percentile};

/// Pieces of a large prompt.
const PIECES: usize = 200;

/// Looked-up texts, which get the whole screen: three ordinary lines each, every tenth with a planted one.
fn offered() -> Vec<Contribution> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/screen");
    let lines = |file: &str| -> Vec<String> {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        text.lines().filter_map(|line| line.split_once('\t')).map(|(_, said)| said.to_owned()).collect()
    };
    let (attacks, ordinary) = (lines("attacks.txt"), lines("ordinary.txt"));
    (0..PIECES)
        .map(|number| {
            let said = |shift: usize| ordinary[(number * 3 + shift) % ordinary.len()].as_str();
            let last = if number % 10 == 0 { attacks[number % attacks.len()].as_str() } else { said(2) };
            Contribution::new(
                format!("recall/{number}"),
                Layer::Content,
                Placement::Tail(TailPart::Recalled),
                Trust::Held,
                Audience::Canon,
                [said(0), said(1), last].join("\n"),
            )
        })
        .collect()
}

fn model() -> ModelDescription {
    ModelDescription::plain("bench", 128_000, TokenEncoding::Estimate)
}

/// Criterion's view of the two stages together, on pieces that all have to be looked at.
pub fn bench(criterion: &mut Criterion) {
    let place = Place::terminal(ChannelId::new("bench").unwrap());
    let model = model();
    criterion.bench_function("screen/screen 200 pieces", |bencher| {
        bencher.iter_batched(
            || ingest(offered(), &model, RenderMode::Layered),
            |ingested| black_box(screen(ingested, &place)),
            BatchSize::LargeInput,
        );
    });
    criterion.bench_function("screen/ingest 200 pieces", |bencher| {
        bencher.iter_batched(
            offered,
            |offered| black_box(ingest(offered, &model, RenderMode::Layered)),
            BatchSize::LargeInput,
        );
    });
}

/// Single calls.
pub fn figures(rounds: usize) -> Table {
    let place = Place::terminal(ChannelId::new("bench").unwrap());
    let model = model();
    let (mut ingesting, mut screening): (Vec<Duration>, Vec<Duration>) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let offered = offered();
        let started = Instant::now();
        let ingested = black_box(ingest(offered, &model, RenderMode::Layered));
        ingesting.push(started.elapsed());
        let started = Instant::now();
        black_box(screen(ingested, &place));
        screening.push(started.elapsed());
    }
    let mut table =
        Table::new("Screening 200 looked-up pieces, single calls", &["stage", "p50", "p95", "p99"]);
    for (stage, took) in [("ingest", &mut ingesting), ("screen", &mut screening)] {
        let row = [50, 95, 99].map(|share| micros(percentile(took, share)));
        table.row(&[stage.to_owned(), row[0].clone(), row[1].clone(), row[2].clone()]);
    }
    table
}
