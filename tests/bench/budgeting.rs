//! Fitting a very full prompt, and calling back what had to leave (mechanisms, section 6: below 2 ms at 10,000
//! chunks kept aside).

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion};
use familiar_connect::context::{
    BudgetPlan, Contribution, HistoryCut, Placement, Recalling, Screened, TailPart, Trust, TurnLine,
    WarmCache, fit, ingest, screen,
};
use familiar_connect::domain::{Audience, Layer, RenderMode, Role, StoredId, TokenEncoding};
use familiar_connect::history::Visible;
use familiar_connect::llm::ModelDescription;

use crate::corpus::{self, rank, word};
use crate::table::{Table, micros, percentile};

/// Chunks of a very full prompt: half turns, half found.
const OFFERED: u64 = 2_000;

/// Chunks the spillover holds at most.
const SPILLED: u64 = 10_000;

/// The most that comes back at once.
const CALLED_BACK: Recalling = Recalling { most: 4, is_asked: true };

fn model() -> ModelDescription {
    ModelDescription::plain("bench", 128_000, TokenEncoding::Estimate)
}

fn text(number: u64) -> String {
    let words: Vec<String> = (0..16).map(|at| word(rank(number * 32 + at + 5_000_000))).collect();
    words.join(" ")
}

fn found(number: u64) -> Contribution {
    Contribution::new(
        format!("recalled/{number}"),
        Layer::Content,
        Placement::Tail(TailPart::Recalled),
        Trust::Held,
        Audience::Guild(7.into()),
        text(number),
    )
}

fn turn(number: u64) -> Contribution {
    let line = TurnLine {
        said_before: Some(number * 60),
        ..TurnLine::of(
            StoredId(i64::try_from(number).unwrap()),
            Role::User,
            Some(corpus::PEOPLE[usize::try_from(number % 7).unwrap()].to_owned()),
        )
    };
    Contribution {
        turn: Some(line),
        ..Contribution::new(
            format!("history/{number}"),
            Layer::RecentHistory,
            Placement::Turn(number),
            Trust::Chat,
            Audience::Guild(7.into()),
            text(number),
        )
    }
}

fn screened(contributions: Vec<Contribution>) -> Screened {
    screen(ingest(contributions, &model(), RenderMode::Layered), &corpus::place())
}

fn offered() -> Screened {
    screened((0..OFFERED / 2).map(turn).chain((OFFERED / 2..OFFERED).map(found)).collect())
}

fn plan(content: Option<u32>) -> BudgetPlan {
    BudgetPlan {
        layers: BTreeMap::from([(Layer::RecentHistory, None), (Layer::Content, content)]),
        history: HistoryCut::AtSteps { least_turns: 20 },
        ..BudgetPlan::uncapped(16_000, 128_000, 1_500)
    }
}

/// A spillover that holds all it can, of one place.
fn full() -> WarmCache {
    let spillover = WarmCache::default();
    let mut budgeted = fit(screened((0..SPILLED).map(found).collect()), &plan(Some(0))).unwrap();
    budgeted.spill_into(&spillover, &corpus::place());
    spillover
}

fn question(round: u64) -> String {
    let word = |at| word(rank(round * 8 + at + 88_000_000));
    format!("what was it with the {}, the {} and that {} by the {}?", word(0), word(1), word(2), word(3))
}

fn called_back(spillover: &WarmCache, round: u64) -> usize {
    let place = corpus::place();
    let visible = Visible::only([Audience::Canon, place.audience]);
    spillover.call_back(&question(round), &place.channel, &visible, CALLED_BACK).len()
}

/// Criterion's view: mean times, kept between runs for comparison.
pub fn bench(criterion: &mut Criterion) {
    criterion.bench_function(&format!("budget/{OFFERED} chunks"), |bencher| {
        bencher.iter_batched(
            offered,
            |screened| black_box(fit(screened, &plan(None))),
            BatchSize::LargeInput,
        );
    });
    let spillover = full();
    criterion.bench_function(&format!("budget/call back of {SPILLED} chunks"), |bencher| {
        let mut round = 0;
        bencher.iter(|| {
            round += 1;
            black_box(called_back(&spillover, round))
        });
    });
}

/// Single calls.
pub fn figures(rounds: usize) -> Table {
    let mut table = Table::new("Fitting and calling back, single calls", &["", "p50", "p95", "p99"]);
    let (mut fitting, mut calling): (Vec<Duration>, Vec<Duration>) = (Vec::new(), Vec::new());
    let spillover = full();
    let mut came_back = 0;
    for round in 0..rounds as u64 {
        let offered = offered();
        let started = Instant::now();
        let fitted = black_box(fit(offered, &plan(None)));
        fitting.push(started.elapsed());
        drop(fitted);
        let started = Instant::now();
        came_back += black_box(called_back(&spillover, round));
        calling.push(started.elapsed());
    }
    for (what, took) in [
        (format!("fitting {OFFERED} chunks into 16,000 tokens"), &mut fitting),
        (format!("calling back of {SPILLED} chunks kept aside"), &mut calling),
    ] {
        let row = [50, 95, 99].map(|share| micros(percentile(took, share)));
        table.row(&[&[what][..], &row].concat());
    }
    table.note(format!("{came_back} chunks came back in {rounds} calls"));
    table
}
