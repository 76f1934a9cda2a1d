//! What the program's paths cost: `cargo bench` measures, `cargo bench -- --test` only sees that everything runs.
//!
//! Criterion keeps its means in `target/criterion` for comparing runs; the tables at the end are single calls, taken
//! in turns where lengths are compared. `cargo bench -- efforts` runs one part.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod budgeting;
mod busy;
mod cards;
mod chat;
mod corpus;
mod counting;
mod efforts;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../support/cards.rs"]
mod files;
mod forgetting;
mod graph;
mod hanging;
mod lore;
mod notes;
mod parts;
mod plan;
mod recalling;
mod remembering;
mod replay;
mod reply;
mod rig;
mod screen;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../support/voice/sound.rs"]
mod sound;
mod speakers;
#[allow(dead_code, unused_imports, reason = "the tests use more of it")]
#[path = "../support/stage/mod.rs"]
mod stage;
mod table;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../support/tiny_model.rs"]
mod tiny_model;
mod tool_choice;
mod tool_round;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../support/window.rs"]
mod window;
mod windowed;
mod windows;
mod world;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::Criterion;
use parts::is_measuring;

/// Whether the arguments ask for this part.
fn is_wanted(part: &str) -> bool {
    parts::is_wanted(&[part])
}

/// How many turns are stored: each length ten times the last.
fn sizes() -> [u64; 3] {
    if is_measuring() { [1_000, 10_000, 100_000] } else { [40, 80, 160] }
}

/// How long each of the rounds takes.
fn timed<T>(rounds: usize, mut work: impl FnMut(usize) -> T) -> Vec<Duration> {
    let timed = |round| {
        let started = Instant::now();
        black_box(work(round));
        started.elapsed()
    };
    (0..rounds).map(timed).collect()
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(40)
        .without_plots()
        .configure_from_args();
    let rounds = |measuring: usize| if is_measuring() { measuring } else { 1 };
    let mut tables = Vec::new();
    if is_wanted("efforts") {
        tables.push(efforts::figures(&runtime, rounds(200)));
    }
    if is_wanted("plan") {
        plan::bench(&mut criterion);
    }
    if is_wanted("tokens") {
        counting::bench(&mut criterion);
        tables.push(counting::figures(rounds(200)));
    }
    if is_wanted("reply") {
        reply::bench(&mut criterion, &runtime);
        tables.push(reply::figures(&runtime, rounds(300)));
    }
    if is_wanted("cards") {
        cards::bench(&mut criterion);
        tables.push(cards::figures(rounds(30)));
    }
    if is_wanted("screen") {
        screen::bench(&mut criterion);
        tables.push(screen::figures(rounds(100)));
    }
    if is_wanted("budget") {
        budgeting::bench(&mut criterion);
        tables.push(budgeting::figures(rounds(300)));
    }
    if is_wanted("lore") {
        lore::bench(&mut criterion);
        tables.push(lore::figures(rounds(300)));
    }
    if is_wanted("world") {
        world::bench(&mut criterion);
        tables.push(world::figures(rounds(2000)));
    }
    if is_wanted("recall") {
        recalling::bench(&mut criterion, &runtime);
        tables.push(recalling::figures(&runtime, rounds(200)));
        tables.push(recalling::figures_by_meaning(&runtime, rounds(200)));
    }
    if is_wanted("tools") {
        tool_round::bench(&mut criterion, &runtime);
        tables.push(tool_round::figures(&runtime, rounds(500)));
        tables.push(tool_choice::figures(&runtime, rounds(5)));
    }
    if is_wanted("notes") {
        tables.push(remembering::figures(&runtime, rounds(200)));
    }
    if is_wanted("graph") {
        tables.push(graph::figures(&runtime, rounds(2000)));
    }
    if is_wanted("forgetting") {
        tables.push(forgetting::figures(&runtime));
    }
    if is_wanted("speakers") {
        tables.push(speakers::figures(if is_measuring() { 60 } else { 2 }));
    }
    if is_wanted("window") {
        tables.extend(windows::figures(&runtime, rounds(100)));
    }
    if is_wanted("hanging") {
        let [few, _, many] = sizes();
        tables.push(hanging::figures(&runtime, rounds(10), few, 30));
        let notes = if is_measuring() { 10_000 } else { 30 };
        tables.push(hanging::figures(&runtime, rounds(10), many, notes));
    }
    if is_wanted("replay") {
        tables.push(replay::figures(&runtime, if is_measuring() { usize::MAX } else { 60 }));
    }
    criterion.final_summary();
    for table in &tables {
        table.print();
    }
}
