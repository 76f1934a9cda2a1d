//! What one prompt takes from the heap: how many allocations and how many bytes, by how hard the message is and how long
//! the history. A binary of its own, because its allocator counts always and would slow down what the others time.
//!
//! Counted over the whole process, whichever thread works for the turn; what SQLite takes for itself is not Rust's and
//! not counted. Then what listening to people in a call takes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod busy;
#[allow(dead_code, reason = "the timing binaries use more of it")]
mod chat;
mod corpus;
mod notes;
mod parts;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../support/voice/sound.rs"]
mod sound;
mod speakers;
#[allow(dead_code, unused_imports, reason = "the tests use more of it")]
#[path = "../support/stage/mod.rs"]
mod stage;
#[allow(dead_code, reason = "the timing binaries use more of it")]
mod table;

use std::alloc::System;

use familiar_connect::voice::frame::{FRAME, RATE};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

use chat::{Chat, MESSAGES, message};
use parts::{is_measuring, is_wanted};
use speakers::{BATCH, CODED_SECONDS, Client, Ear};
use table::Table;

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    if is_wanted(&["allocations"]) {
        of_prompts(is_measuring());
    }
    if is_wanted(&["speakers"]) {
        of_speakers(if is_measuring() { 15 } else { 1 }).print();
    }
}

fn of_prompts(is_measuring: bool) {
    let (rounds, stored) = if is_measuring {
        (50, [(0, 0), (1_000, 100), (100_000, 10_000)])
    } else {
        (1, [(0, 0), (40, 10), (160, 30)])
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let mut table = Table::new(
        "Heap allocations from a message to its request, p50 (most)",
        &["effort", "stored", "allocations", "KiB allocated", "grown in place"],
    );
    for (turns, notes) in stored {
        let mut chat = runtime.block_on(Chat::new(turns, notes));
        for (effort, template) in MESSAGES {
            let mut counted = [Vec::new(), Vec::new(), Vec::new()];
            for round in 0..rounds + 5 {
                let region = Region::new(COUNTED);
                let change =
                    runtime.block_on(chat.says_until(&message(template, round), || region.change())).1;
                // The first ones fill what is kept between turns.
                if round >= 5 {
                    counted[0].push(change.allocations);
                    counted[1].push(change.bytes_allocated / 1024);
                    counted[2].push(change.reallocations);
                }
            }
            let row = counted.map(|mut values| typical(&mut values));
            table.row(&[&[effort.to_string(), format!("{turns} turns, {notes} notes")][..], &row].concat());
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

/// What it takes from the heap to listen to people: each frame, and each person.
fn of_speakers(rounds: usize) -> Table {
    let mut table = Table::new(
        &format!("Heap allocations of listening ({} s each)", rounds * CODED_SECONDS),
        &[
            "speakers",
            "a frame (aim: 0)",
            "of it the Opus decoder",
            "a frame given to a recogniser",
            "KiB held, each",
        ],
    );
    for count in [1_u64, 2, 4, 8] {
        let mut clients: Vec<Client> = (0..count).map(Client::new).collect();
        let region = Region::new(COUNTED);
        let mut ears: Vec<Ear> = clients.iter().map(|_| Ear::default()).collect();
        let made = region.change();
        let (quiet, grown) = a_frame(&mut clients, &mut ears, rounds * CODED_SECONDS);
        ears.iter_mut().for_each(Ear::is_listened_to);
        let (listened_to, grown_more) = a_frame(&mut clients, &mut ears, rounds * CODED_SECONDS);
        let kept = made.bytes_allocated as isize - made.bytes_deallocated as isize + grown + grown_more;
        table.row(&[
            count.to_string(),
            format!("{quiet:.3}"),
            format!("{:.3}", in_the_decoder(&mut clients)),
            format!("{listened_to:.3}"),
            format!("{:.0}", kept as f64 / 1024.0 / count as f64),
        ]);
    }
    table.note(
        "each voice is heard from its beginning to its end, the same number of times in every column"
            .to_owned(),
    );
    table
}

/// The same packets through the decoder alone.
fn in_the_decoder(clients: &mut [Client]) -> f64 {
    let (mut allocations, mut frames) = (0, 0);
    for client in clients {
        let mut decoder = opus2::Decoder::new(RATE, opus2::Channels::Mono).unwrap();
        let mut samples = [0; FRAME * 6];
        for _ in 0..CODED_SECONDS {
            client.prepare();
            while let Some(packet) = client.send() {
                let region = Region::new(COUNTED);
                decoder.decode(&packet.opus, &mut samples, false).unwrap();
                let change = region.change();
                allocations += change.allocations + change.reallocations;
                frames += 1;
            }
        }
    }
    f64::from(allocations as u32) / f64::from(frames)
}

/// How many allocations one frame of one person takes, once everything is as large as it gets, and how many bytes more
/// are held than before.
fn a_frame(clients: &mut [Client], ears: &mut [Ear], seconds: usize) -> (f64, isize) {
    const FIRST: usize = CODED_SECONDS;
    let (mut allocations, mut frames, mut grown) = (0, 0, 0_isize);
    for round in 0..seconds + FIRST {
        clients.iter_mut().for_each(Client::prepare);
        let region = Region::new(COUNTED);
        let (mut heard, mut packets) = (0, 0);
        for _ in 0..BATCH {
            for (client, ear) in clients.iter_mut().zip(ears.iter_mut()) {
                let Some(packet) = client.send() else { continue };
                packets += packet.opus.len() as isize;
                heard += ear.hears(packet);
            }
        }
        let change = region.change();
        // Packets were made before and are let go here.
        grown += change.bytes_allocated as isize - change.bytes_deallocated as isize + packets;
        if round >= FIRST {
            allocations += change.allocations + change.reallocations;
            frames += heard;
        }
    }
    (allocations as f64 / frames.max(1) as f64, grown)
}
