//! Calls, measured from end to end: `cargo bench --bench voice` measures, with `-- --test` it only sees that everything
//! runs. The program's own composition, the real voice library on the loopback interface, real clients of scripted
//! services (voice 4 and 6). `cargo bench --bench voice -- zero turns=50` runs one part with so many turns.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[path = "voice/crowd.rs"]
mod crowd;
#[path = "voice/figures.rs"]
mod figures;
#[path = "voice/log.rs"]
mod log;
#[path = "voice/overlap.rs"]
mod overlap;
mod parts;
#[path = "voice/receiving.rs"]
mod receiving;
#[allow(dead_code, unused_imports, reason = "the tests use more of it")]
#[path = "../support/mod.rs"]
mod support;
#[allow(dead_code, reason = "other benches use more of it")]
mod table;
#[path = "voice/turns.rs"]
mod turns;

use std::time::Duration;

use figures::Figures;
use log::Log;
use parts::is_measuring;
use support::talk::{Profile, TalkOptions, TongueKind};
use support::voice::{Committer, VoiceOptions};
use tokio::time::{Instant, sleep_until};
use turns::Lines;

/// Time passes: all this happens in real time.
async fn pass(time: Duration) {
    sleep_until(Instant::now() + time).await;
}

/// Whether the arguments ask for this part.
fn is_wanted(part: &str) -> bool {
    parts::is_wanted(&[part, "voice"])
}

/// How many turns: what was asked for, else as many as figures need.
fn turns_of(measuring: usize) -> usize {
    let asked = std::env::args().find_map(|word| word.strip_prefix("turns=")?.parse().ok());
    if is_measuring() { asked.unwrap_or(measuring) } else { 2 }
}

fn main() {
    if !parts::CALLS.into_iter().any(is_wanted) {
        return;
    }
    let log = Log::open();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let plain = |profile: Profile| TalkOptions { profile, ..TalkOptions::default() };
    let encrypted = |profile: Profile| TalkOptions {
        voice: VoiceOptions::encrypted(Committer::People),
        ..plain(profile)
    };
    let (zero, cloud) = (Profile::zero(), Profile::cloud());
    let mut tables = Vec::new();
    let profiles = [
        ("zero", plain(zero), 200, "no delays"),
        ("cloud", plain(cloud), 200, "cloud-2026"),
        (
            "spoken-ahead",
            TalkOptions { settings: "speak_ahead = \"always\"\n".to_owned(), ..plain(cloud) },
            200,
            "cloud-2026, first phrases spoken early",
        ),
        (
            "revised",
            TalkOptions { mishears: 4, ..plain(cloud) },
            200,
            "cloud-2026, the last word of every fourth question revised",
        ),
        ("tailed", plain(Profile::tailed()), 200, "cloud-2026 with its tail"),
        (
            "mixed",
            plain(Profile::tailed()),
            200,
            "cloud-2026 with its tail; statements, fillers, no punctuation",
        ),
        ("local", plain(Profile::local()), 100, "fast-local"),
        ("slow", plain(Profile::slow_tail()), 60, "slow-tail"),
        ("dave", encrypted(zero), 60, "no delays, members encrypt"),
        ("dave-cloud", encrypted(cloud), 60, "cloud-2026, members encrypt"),
    ];
    for (part, options, count, title) in profiles {
        if is_wanted(part) {
            let lines = if part == "mixed" { Lines::Mixed } else { Lines::Questions };
            let measured = runtime.block_on(turns::measure(&options, &log, turns_of(count), lines));
            let is_aimed =
                part.ends_with("cloud") || matches!(part, "revised" | "spoken-ahead" | "tailed" | "mixed");
            tables.push(measured.table(title, is_aimed));
        }
    }
    let untimed = TalkOptions { tongue: TongueKind::OpenAi, ..plain(cloud) };
    let overlaps = [
        ("overlap", plain(cloud), "the voice times its words", (1, 0.99)),
        ("dave-overlap", encrypted(cloud), "the voice times its words, members encrypt", (1, 0.99)),
        ("untimed", untimed, "the voice does not time its words", (2, 0.95)),
    ];
    for (part, options, title, aim) in overlaps {
        if is_wanted(part) {
            let measured = runtime.block_on(overlap::measure(&options, &log, turns_of(100), aim.0));
            tables.push(measured.table(title, aim));
        }
    }
    if is_wanted("receiving") {
        let seconds = if is_measuring() { 60 } else { 3 };
        let mut figures = Figures::new("Hearing");
        runtime.block_on(receiving::measure(&log, Duration::from_secs(seconds), &mut figures));
        tables.push(figures.table());
    }
    if is_wanted("crowd") {
        let (rekeys, joins) = if is_measuring() { (50, 8) } else { (2, 1) };
        let mut figures = Figures::new("Company");
        runtime.block_on(crowd::overlapping(&mut figures));
        runtime.block_on(crowd::rekeys(&log, rekeys, &mut figures));
        runtime.block_on(crowd::joins(joins, &mut figures));
        tables.push(figures.table());
    }
    for table in &tables {
        table.print();
    }
}
