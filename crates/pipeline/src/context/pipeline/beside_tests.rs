//! What runs beside gathering, in paused time.

use std::time::Duration;

use async_trait::async_trait;
use tokio::time::sleep;

use super::*;
use crate::config::settled;
use crate::context::contribution::{Placement, TailPart, Trust};
use crate::context::plan::{Heard, HeardBy};
use crate::context::providers::{ContextAsk, Pieces, Profile};
use crate::context::request::tests::request_of;
use crate::domain::{ChannelId, Layer};
use crate::familiar::{Character, LiveCharacter};
use crate::history::{History, HistoryOptions};
use crate::memory::Memory;

#[derive(Debug)]
struct Hangs;

#[async_trait]
impl ContextProvider for Hangs {
    fn profile(&self) -> Profile {
        Profile::floor("hangs", 800)
    }

    async fn contribute(&self, _: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        std::future::pending().await
    }
}

async fn pipeline() -> (ContextPipeline, TurnRequest, tempfile::TempDir) {
    let (folder, config) = settled("").unwrap();
    let home = config.home().clone();
    let mika = Character { name: "Mika".to_owned(), ..Character::default() };
    let character = Arc::new(LiveCharacter::starting_as(mika, home.clone()));
    let channel = config.channel(&ChannelId::from(1));
    let text = "do you remember what we did at the harbour?";
    let request = request_of(Heard::said(text, HeardBy::Addressed, channel.mode), channel, 16_000);
    let gatherer = Gatherer::new(vec![Arc::new(Hangs)]);
    let history = Arc::new(History::open(&home.history_db(), HistoryOptions::default()).await.unwrap());
    let memory = Arc::new(Memory::at(&home));
    let parts = PipelineParts { character, config, history, memory, meaning: None, reranking: None };
    (ContextPipeline { gatherer, ..ContextPipeline::standard(parts) }, request, folder)
}

fn thought() -> Vec<Contribution> {
    let placement = Placement::Tail(TailPart::Thoughts);
    vec![Contribution::anywhere("thoughts", Layer::DepthInject, placement, Trust::Held, "- early")]
}

#[tokio::test(start_paused = true)]
async fn thinking_and_gathering_take_the_time_of_the_longer_one() {
    let (pipeline, request, _folder) = pipeline().await;
    let started = Instant::now();
    let beside = Box::pin(async {
        sleep(Duration::from_millis(700)).await;
        thought()
    });
    let prompt = pipeline.assemble(&request, Some(beside)).await.unwrap();
    assert_eq!(started.elapsed(), Duration::from_millis(800), "both at once");
    assert!(prompt.messages().iter().any(|message| message.content.contains("- early")), "{prompt:?}");
}

#[tokio::test(start_paused = true)]
async fn what_thinks_for_ever_is_left_out_at_the_plans_deadline() {
    let (pipeline, request, _folder) = pipeline().await;
    let started = Instant::now();
    let prompt = pipeline.assemble(&request, Some(Box::pin(std::future::pending()))).await.unwrap();
    assert_eq!(started.elapsed(), request.plan.deadline);
    assert!(prompt.messages().iter().all(|message| !message.content.contains("- early")));
}
