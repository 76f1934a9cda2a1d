//! The program is killed at any moment, again and again: what it acknowledged is there, and what is derived heals.
//!
//! Some times in every run of the tests. At full size, as in the README: `FAMILIAR_KILLS=200 cargo test --release --test
//! integration killed -- --nocapture`.

use std::time::Duration;

use familiar_connect::config::FamiliarHome;
use familiar_connect::domain::*;
use familiar_connect::history::{History, HistoryOptions, Visible};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use crate::support::binary::Machine;
use crate::support::provider::{ChatRequest, ProviderWorld, Reply};
use crate::support::stage::CARD;

/// Kills where nobody asks for more.
const KILLS: u64 = 4;

/// Lines of one life that are answered before the one that may not be.
const LINES_MAX: u64 = 3;

/// What somebody says; every number once.
fn line(number: u64) -> String {
    format!("my locker number {number} holds a rope. locker{number} is locked with code{number}code")
}

/// Answers with the number of the newest line, which is the largest; older ones may be quoted behind it.
fn heard(request: &ChatRequest) -> Reply {
    let prompt = request.prompt();
    let numbers = prompt.split("my locker number ").skip(1).filter_map(|rest| {
        rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<u64>().ok()
    });
    Reply::says(&format!("Heard {}.", numbers.max().unwrap_or_default()))
}

fn kills() -> u64 {
    std::env::var("FAMILIAR_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS)
}

#[tokio::test]
async fn m7_nothing_that_was_acknowledged_is_lost_whenever_the_program_is_killed() {
    let machine = Machine::new();
    std::fs::write(machine.path().join("mika.json"), CARD).unwrap();
    machine.run(&["init", "mika.json"]).await.assert_success();
    let provider = ProviderWorld::start().await;
    provider.answers(heard);
    let base = provider.base_url();
    let environment =
        [("FAMILIAR_LLM_BASE_URL", base.as_str()), ("OPENROUTER_API_KEY", "sk-test-only-0123456789")];
    let mut chance = StdRng::seed_from_u64(7);
    let (mut said, mut acknowledged): (u64, Vec<u64>) = (0, Vec::new());
    for kill in 1..=kills() {
        let mut mika = machine.start(&["chat", "--as", "Alice"], &environment);
        for _ in 0..chance.random_range(0..=LINES_MAX) {
            said += 1;
            mika.types(&line(said)).await;
            mika.shows(&format!("Heard {said}.")).await;
            acknowledged.push(said);
        }
        // One more, and the end comes somewhere between its arrival and the last thing that is done about it.
        said += 1;
        mika.types(&line(said)).await;
        mika.is_killed_within(Duration::from_micros(chance.random_range(0..400_000))).await;
        if mika.screen().contains(&format!("Heard {said}.")) {
            acknowledged.push(said);
        }
        all_is_there(&machine, &acknowledged).await;
        println!("killed {kill} times, {} lines acknowledged, {said} said", acknowledged.len());
    }
    // What is derived is as if it were made anew, after one orderly life.
    let mut mika = machine.start(&["chat", "--as", "Alice"], &environment);
    said += 1;
    mika.types(&line(said)).await;
    mika.shows(&format!("Heard {said}.")).await;
    mika.hangs_up();
    assert!(mika.ends().await.success(), "{}", mika.log());
    let verified = machine.run(&["memory", "verify"]).await;
    assert!(verified.status.success(), "{}\n{}", verified.out, verified.err);
    all_is_there(&machine, &acknowledged).await;
}

/// Every line that was answered stands in the history, once, and is found by its words.
async fn all_is_there(machine: &Machine, acknowledged: &[u64]) {
    let home = FamiliarHome::new(&machine.data(), &FamiliarId::new("mika").unwrap());
    let history =
        History::open(&home.history_db(), HistoryOptions::new([TokenEncoding::CharsOver4])).await.unwrap();
    let place = Place::terminal(ChannelId::new("terminal").unwrap());
    let visible = Visible::at(&place);
    for number in acknowledged {
        let found = history
            .search(&format!("code{number}code"), &visible, 5, TokenEncoding::CharsOver4)
            .await
            .unwrap();
        let exact = found.iter().filter(|found| found.turn.content == line(*number)).count();
        assert_eq!(exact, 1, "line {number}: {found:?}");
    }
    history.close().await.unwrap();
}
