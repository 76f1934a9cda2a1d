//! Counting tokens, by encoding and script.

use std::hint::black_box;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput};
use familiar_connect::domain::TokenEncoding;
use familiar_connect::text::tokens;

use crate::corpus;
use crate::table::{Table, micros, percentile};

const ENCODINGS: [TokenEncoding; 3] = [TokenEncoding::O200k, TokenEncoding::Cl100k, TokenEncoding::Estimate];

/// About a thousand o200k tokens each.
fn texts() -> [(&'static str, String); 3] {
    let long = |lines: &[&str]| {
        let mut text = String::new();
        while tokens::count(TokenEncoding::O200k, &text) < 1000 {
            text.push_str(lines[text.len() % lines.len()]);
            text.push('\n');
        }
        text
    };
    let lines = corpus::LINES;
    [
        ("english", long(&[lines[0], lines[2], lines[11]])),
        ("japanese", long(&[lines[4]])),
        ("mixed", long(&lines)),
    ]
}

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tokens");
    for (name, text) in texts() {
        for encoding in ENCODINGS {
            group.throughput(Throughput::Elements(u64::from(tokens::count(encoding, &text))));
            group.bench_with_input(BenchmarkId::new(encoding.as_str(), name), &text, |bencher, text| {
                bencher.iter(|| tokens::count_anew(encoding, black_box(text)));
            });
        }
    }
    group.finish();
}

pub fn figures(rounds: usize) -> Table {
    let mut table =
        Table::new("Token counting, per 1,000 tokens", &["encoding", "english", "japanese", "mixed"]);
    let texts = texts();
    for encoding in ENCODINGS {
        let mut row = vec![encoding.as_str().to_owned()];
        for (_, text) in &texts {
            let count = tokens::count(encoding, text).max(1);
            let mut took: Vec<_> = (0..rounds)
                .map(|_| {
                    let started = Instant::now();
                    black_box(tokens::count_anew(encoding, black_box(text)));
                    started.elapsed() * 1000 / count
                })
                .collect();
            row.push(micros(percentile(&mut took, 50)));
        }
        table.row(&row);
    }
    table
}
