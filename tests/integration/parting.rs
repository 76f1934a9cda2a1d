//! What is unwritten when the program goes down: enough of it is written before, and fewer after the next start.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use familiar_connect::domain::AccountId;

use crate::binary::machine_with_mika;
use crate::support::binary::{Machine, Running};
use crate::support::provider::{ChatRequest, ProviderWorld, Reply};

/// The reply with its number, and the memory of the hens.
fn answer(request: &ChatRequest, replies: &AtomicUsize) -> Reply {
    let prompt = request.prompt();
    if !is_writer(request) {
        return Reply::says(&format!("Heard {}.", replies.fetch_add(1, Ordering::SeqCst) + 1));
    }
    let line = prompt.lines().rfind(|line| line.contains("hens by the quay"));
    let number = line.and_then(|line| line.trim_start_matches('[').split(']').next()?.parse::<u32>().ok());
    let Some(number) = number else { return Reply::says("{\"do\":\"nothing\"}") };
    Reply::says(&format!(
        "{{\"do\":\"add\",\"file\":\"Alice\",\"text\":\"Alice keeps two hens by the quay.\",\"from\":[{number}]}}"
    ))
}

fn is_writer(request: &ChatRequest) -> bool {
    request.prompt().contains("Known already:")
}

struct World {
    machine: Machine,
    provider: ProviderWorld,
    replies: Arc<AtomicUsize>,
}

impl World {
    async fn new() -> Self {
        let machine = machine_with_mika().await;
        let provider = ProviderWorld::start().await;
        let replies = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&replies);
        provider.answers(move |request| answer(request, &counted));
        Self { machine, provider, replies }
    }

    fn starts(&self) -> Running {
        self.machine.start_with(&["chat", "--as", "Alice"], &self.provider)
    }

    /// One life in which so many lines are answered, and which ends in order.
    async fn lives(&self, lines: &[&str]) {
        let mut mika = self.starts();
        for line in lines {
            let number = self.replies.load(Ordering::SeqCst) + 1;
            mika.answers(line, &format!("Heard {number}.")).await;
        }
        mika.leaves().await;
    }

    fn note(&self) -> String {
        let name = format!("familiars/mika/memory/people/{}.md", AccountId::operator().slug());
        std::fs::read_to_string(self.machine.data().join(name)).unwrap_or_default()
    }

    fn writers(&self) -> usize {
        self.provider.requests().iter().filter(|request| is_writer(request)).count()
    }
}

#[tokio::test]
async fn m6_ten_unwritten_turns_are_written_before_the_program_is_gone() {
    let world = World::new().await;
    world
        .lives(&[
            "there are two hens by the quay that are mine",
            "it rains",
            "soup again",
            "the river is high",
            "good night",
        ])
        .await;
    assert_eq!(world.writers(), 1);
    assert!(world.note().contains("Alice keeps two hens by the quay."), "{}", world.note());
}

#[tokio::test]
async fn m6_fewer_are_read_after_the_next_start() {
    let world = World::new().await;
    world.lives(&["there are two hens by the quay that are mine", "good night"]).await;
    assert_eq!(world.writers(), 0, "four turns are not worth a request");
    assert!(!world.note().contains("hens"), "{}", world.note());
    world.lives(&["it rains", "soup again", "good night"]).await;
    assert_eq!(world.writers(), 1);
    assert!(world.note().contains("Alice keeps two hens by the quay."), "{}", world.note());
}
