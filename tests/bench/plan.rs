//! Judging a message, laying down its plan.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion};
use familiar_connect::context::{Heard, HeardBy, classify, facets};
use familiar_connect::domain::ChannelMode;

use crate::corpus;

const MESSAGES: &str = include_str!("../fixtures/intent/messages.tsv");

/// Criterion's view: one message of the labelled ones after another, and one as long as a platform lets through.
pub fn bench(criterion: &mut Criterion) {
    let names = ["Mika".to_owned()];
    let speakers = corpus::PEOPLE.map(str::to_owned);
    let heard = |text| Heard {
        names: &names,
        speakers: &speakers,
        ..Heard::said(text, HeardBy::Addressed, ChannelMode::TextConversationRp)
    };
    let labelled: Vec<&str> = MESSAGES.lines().filter_map(|line| line.rsplit('\t').next()).collect();
    let longest = "and then, what did we say about the lighthouse last Tuesday? ".repeat(66);
    let mut group = criterion.benchmark_group("plan");
    group.bench_function(BenchmarkId::new("classify", "labelled messages"), |bencher| {
        let mut next = labelled.iter().cycle();
        bencher.iter(|| next.next().map(|text| classify(black_box(&heard(text)))));
    });
    group.bench_function(BenchmarkId::new("classify", "4,000 characters"), |bencher| {
        bencher.iter(|| classify(black_box(&heard(&longest))));
    });
    group.bench_function(BenchmarkId::new("facets", "labelled messages"), |bencher| {
        let mut next = labelled.iter().cycle();
        bencher.iter(|| next.next().map(|text| facets(black_box(text), &speakers, &names)));
    });
    group.finish();
}
