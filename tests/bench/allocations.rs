//! What one prompt takes from the heap: how many allocations and how many bytes, by how hard the message is and how long
//! the history. A binary of its own, because its allocator counts always and would slow down what the others time.
//!
//! Counted over the whole process, whichever thread works for the turn; what SQLite takes for itself is not Rust's and
//! not counted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod asking;
mod corpus;
mod notes;
mod rig;
#[allow(dead_code, reason = "the timing binaries use more of it")]
mod table;

use std::alloc::System;

use familiar_connect::domain::TokenEncoding;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

use asking::{MESSAGES, request};
use rig::Rig;
use table::Table;

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_measuring = arguments.iter().any(|argument| argument == "--bench")
        && !arguments.iter().any(|argument| argument == "--test");
    // A filter that names a part of another bench binary leaves this one out.
    if arguments.iter().any(|argument| !argument.starts_with('-') && !argument.contains("allocations")) {
        return;
    }
    let (rounds, sizes, notes) =
        if is_measuring { (50, [1_000, 10_000, 100_000], 10_000) } else { (1, [40, 80, 160], 30) };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let mut table = Table::new(
        &format!("Heap allocations of one prompt, {notes} notes, p50 (most)"),
        &["effort", "turns stored", "allocations", "KiB allocated", "grown in place"],
    );
    for turns in sizes {
        let rig = runtime.block_on(Rig::new(turns, notes, "", TokenEncoding::O200k));
        for (effort, template) in MESSAGES {
            let mut counted = [Vec::new(), Vec::new(), Vec::new()];
            for round in 0..rounds + 5 {
                let request = request(&rig, effort, template, round);
                let region = Region::new(COUNTED);
                let prompt = runtime.block_on(rig.pipeline.assemble(&request, None)).unwrap();
                let change = region.change();
                drop(prompt);
                // The first ones fill what is kept between turns.
                if round >= 5 {
                    counted[0].push(change.allocations);
                    counted[1].push(change.bytes_allocated / 1024);
                    counted[2].push(change.reallocations);
                }
            }
            let row = counted.map(|mut values| typical(&mut values));
            table.row(&[&[effort.to_string(), turns.to_string()][..], &row].concat());
        }
    }
    table.note("SQLite's own memory is not among it".to_owned());
    table.print();
}

fn typical(values: &mut [usize]) -> String {
    values.sort_unstable();
    let most = values.last().copied().unwrap_or_default();
    format!("{} ({most})", values[values.len() / 2])
}
