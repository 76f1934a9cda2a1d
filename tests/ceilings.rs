//! What the way from a message to its request takes, in figures that are the same on every machine: SQL statements and
//! allocations on the heap, through the session, as a familiar's history grows. Times are measured elsewhere
//! (`cargo bench -- efforts`), tokens held in `tests/integration/ceilings.rs`.
//!
//! A ceiling stands a little above what was measured when it was last set. Whoever makes a turn dearer on purpose sets it
//! anew, and says in the commit what for. A binary of its own: its allocator and SQLite's count are those of the process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[path = "bench/busy.rs"]
mod busy;
#[allow(dead_code, reason = "the benches use more of it")]
#[path = "bench/chat.rs"]
mod chat;
#[path = "bench/corpus.rs"]
mod corpus;
#[path = "bench/notes.rs"]
mod notes;
#[allow(dead_code, unused_imports, reason = "the tests use more of it")]
#[path = "support/stage/mod.rs"]
mod stage;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "support/window.rs"]
mod window;
#[allow(dead_code, reason = "the benches use more of it")]
#[path = "bench/windowed.rs"]
mod windowed;

use std::alloc::System;
use std::collections::{BTreeSet, HashSet};

use familiar_connect::domain::{ChannelMode, TokenEncoding};
use familiar_connect::history::{History, HistoryOptions, NewTurn, SaidWords};
use familiar_connect::sqlite::statements_run;
use jiff::Timestamp;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

use chat::{Chat, MESSAGES, message};
use stage::{ferry, person};
use tokio::sync::Mutex;
use windowed::Windowed;

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Held by whoever counts: what is counted is the process's.
static ALONE: Mutex<()> = Mutex::const_new(());

/// Messages of each effort, of which the middle one counts.
const ROUNDS: u64 = 5;

/// So many greetings and everybody was answered once.
const GREETINGS: u64 = 40;

/// The most SQL statements and allocations by effort, of a familiar that knows little and of one that knows more.
const CEILINGS: [(u8, [u64; 2], [usize; 2]); 3] =
    [(3, [200, 210], [11_500, 13_500]), (5, [340, 360], [12_500, 14_000]), (9, [580, 840], [20_500, 28_000])];

#[tokio::test(start_paused = true)]
async fn y14_a_turn_takes_no_more_statements_and_allocations_than_it_did() {
    let _alone = ALONE.lock().await;
    let mut measured = Vec::new();
    for (at, (turns, notes)) in [(60, 7), (900, 60)].into_iter().enumerate() {
        let mut chat = Chat::new(turns, notes).await;
        // Whoever is answered for the first time that day is told what is due, which is looked for once.
        for round in 0..GREETINGS {
            chat.says(&message("hi Pell!", round)).await;
        }
        for (effort, statements_max, allocations_max) in CEILINGS {
            let (_, template) = MESSAGES.into_iter().find(|(of, _)| *of == effort).unwrap();
            let (mut statements, mut allocations) = (Vec::new(), Vec::new());
            for round in 0..ROUNDS {
                let region = Region::new(COUNTED);
                let (told, change) =
                    chat.says_until(&message(template, round), || region.change().allocations).await;
                statements.push(told.statements);
                allocations.push(change);
            }
            statements.sort_unstable();
            allocations.sort_unstable();
            let middle = usize::try_from(ROUNDS).unwrap() / 2;
            measured.push((
                format!(
                    "effort {effort}, {turns} turns: {statements:?} statements, {allocations:?} allocations"
                ),
                statements[middle] <= statements_max[at] && allocations[middle] <= allocations_max[at],
            ));
        }
    }
    println!("{measured:#?}");
    assert!(measured.iter().all(|(_, is_within)| *is_within), "{measured:#?}");
}

/// The most SQL statements and bytes that were read for a page which lists something, in the order of its lists.
const PAGES: [(u64, u64); 6] =
    [(8, 1_500_000), (8, 1_500_000), (8, 20_000), (18, 60_000), (4, 60_000), (4, 110_000)];

/// Bytes that the process has read, where the system says so.
fn bytes_read() -> u64 {
    let counted = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    counted.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse().ok()).unwrap_or_default()
}

#[test]
fn a_page_of_the_window_reads_what_it_shows_however_many_turns_and_notes_there_are() {
    let _alone = ALONE.blocking_lock();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let measured = runtime.block_on(pages_measured());
    // What is still read behind the scenes is not to be counted by whoever counts next.
    drop(runtime);
    println!("{measured:#?}");
    assert!(measured.iter().all(|(_, is_within)| *is_within), "{measured:#?}");
}

async fn pages_measured() -> Vec<(String, bool)> {
    let windowed = Windowed::new(60, 10_000, 9_900).await;
    let mut measured = Vec::new();
    for ((name, page), (statements_max, bytes_max)) in windowed.lists().into_iter().zip(PAGES) {
        let (mut statements, mut bytes) = (u64::MAX, u64::MAX);
        for _ in 0..ROUNDS {
            let before = (statements_run(), bytes_read());
            windowed.browser.loads(&page).await;
            statements = statements.min(statements_run() - before.0);
            bytes = bytes.min(bytes_read() - before.1);
        }
        let is_within = statements <= statements_max && bytes <= bytes_max;
        measured.push((format!("{name}: {statements} statements, {bytes} bytes"), is_within));
    }
    measured
}

/// What somebody said and was answered about other things.
const EXCHANGES: u64 = 300;

/// The most SQL statements in which it is found what goes with a word that was told and told again once. A statement for every
/// answer alone would be twice as many.
const FORGETTING: u64 = 150;

#[tokio::test]
async fn what_goes_with_a_word_is_found_in_few_statements_however_often_its_teller_was_answered() {
    let _alone = ALONE.lock().await;
    let folder = tempfile::tempdir().unwrap();
    let options = HistoryOptions::new([TokenEncoding::CharsOver4]);
    let history = History::open(&folder.path().join("history.db"), options).await.unwrap();
    let alice = person("alice");
    let exchanges = (0..EXCHANGES).map(|_| ("is the ferry late?", "As ever."));
    let about_her = [("my grandmother is Quillon", "Lovely."), ("who is my grandmother?", "Quillon.")];
    for (asked, answer) in exchanges.chain(about_her) {
        for (by, words) in [(Some(alice.clone()), asked), (None, answer)] {
            let (at, mode) = (Timestamp::UNIX_EPOCH, ChannelMode::TextConversationRp);
            history.append(NewTurn::written(ferry(), by, words, at, mode)).await.unwrap();
        }
    }
    let mut statements = u64::MAX;
    for _ in 0..ROUNDS {
        let (before, said) = (statements_run(), SaidWords::with(alice.account.clone(), "Quillon"));
        let chosen = history.chosen([said], BTreeSet::new(), HashSet::new(), Timestamp::now()).await.unwrap();
        statements = statements.min(statements_run() - before);
        assert_eq!((chosen.said.len(), chosen.replies.len()), (1, 2));
    }
    println!("{statements} statements");
    assert!(statements <= FORGETTING, "{statements} statements");
}
