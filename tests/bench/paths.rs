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
use table::Table;

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
    if is_wanted("efforts") {
        efforts::figures(&runtime, rounds(200)).publish();
    }
    if is_wanted("plan") {
        plan::bench(&mut criterion);
    }
    if is_wanted("tokens") {
        counting::bench(&mut criterion);
        counting::figures(rounds(200)).publish();
    }
    if is_wanted("reply") {
        reply::bench(&mut criterion, &runtime);
        reply::figures(&runtime, rounds(300)).publish();
    }
    if is_wanted("cards") {
        cards::bench(&mut criterion);
        cards::figures(rounds(30)).publish();
    }
    if is_wanted("screen") {
        screen::bench(&mut criterion);
        screen::figures(rounds(100)).publish();
    }
    if is_wanted("budget") {
        budgeting::bench(&mut criterion);
        budgeting::figures(rounds(300)).publish();
    }
    if is_wanted("lore") {
        lore::bench(&mut criterion);
        lore::figures(rounds(300)).publish();
    }
    if is_wanted("world") {
        world::bench(&mut criterion, &runtime);
        world::figures(&runtime, rounds(2000)).publish();
    }
    if is_wanted("recall") {
        recalling::bench(&mut criterion, &runtime);
        recalling::figures(&runtime, rounds(200)).publish();
        recalling::figures_by_meaning(&runtime, rounds(200)).print();
    }
    if is_wanted("tools") {
        tool_round::bench(&mut criterion, &runtime);
        tool_round::figures(&runtime, rounds(500)).publish();
        tool_choice::figures(&runtime, rounds(5)).publish();
    }
    if is_wanted("notes") {
        remembering::figures(&runtime, rounds(200)).publish();
    }
    if is_wanted("graph") {
        graph::figures(&runtime, rounds(2000)).print();
    }
    if is_wanted("forgetting") {
        forgetting::figures(&runtime).publish();
    }
    if is_wanted("speakers") {
        speakers::figures(if is_measuring() { 60 } else { 2 }).publish();
    }
    if is_wanted("window") {
        windows::figures(&runtime, rounds(100)).iter().for_each(Table::publish);
    }
    if is_wanted("hanging") {
        let [few, _, many] = sizes();
        hanging::figures(&runtime, rounds(10), few, 30).print();
        let notes = if is_measuring() { 10_000 } else { 30 };
        hanging::figures(&runtime, rounds(10), many, notes).print();
    }
    if is_wanted("replay") {
        replay::figures(&runtime, if is_measuring() { usize::MAX } else { 60 }).publish();
    }
    criterion.final_summary();
}
