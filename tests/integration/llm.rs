//! The models as the rest of the program sees them, against the provider world.

mod bounds;
mod choosing;
mod failing;
mod recorded;
mod streaming;
mod templates;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use familiar_connect::clock::ManualClock;
use familiar_connect::config::{LlmConfig, SlotConfig};
use familiar_connect::domain::{ChannelId, FamiliarId, ModelCall, Platform, Salt, Slot};
use familiar_connect::llm::{
    CompletionRequest, CompletionStream, Delta, LlmSetup, ModelError, ModelSlots, RehearsalScript, SessionKey,
};
use futures::StreamExt as _;

use crate::support::provider::{PATIENCE, ProviderWorld};
use crate::support::time::NEVER;

/// Models built for a test, and what they stand on.
struct Bench {
    slots: ModelSlots,
    clock: ManualClock,
    state: tempfile::TempDir,
}

fn slot_config(model: &str) -> SlotConfig {
    SlotConfig {
        model: model.to_owned(),
        is_named: true,
        temperature: Some(0.7),
        fallbacks_are_named: true,
        ..SlotConfig::default()
    }
}

/// Every slot asks `first/model`, then `second/model`.
fn config(base_url: Option<String>) -> LlmConfig {
    let slot = SlotConfig { fallbacks: vec!["second/model".to_owned()], ..slot_config("first/model") };
    LlmConfig {
        base_url,
        max_concurrent: 4,
        daily_cost_cap_usd: None,
        daily_token_cap: None,
        first_token_timeout: NEVER,
        chunk_timeout: NEVER,
        answer_timeout: 100 * NEVER,
        slots: Slot::ALL.iter().map(|name| (*name, slot.clone())).collect::<BTreeMap<_, _>>(),
    }
}

fn setup<'a>(config: &'a LlmConfig, state: &Path, clock: &ManualClock) -> LlmSetup<'a> {
    LlmSetup {
        config,
        api_key: Some("sk-test-key".to_owned().into()),
        clock: Arc::new(clock.clone()),
        state_dir: state.to_owned(),
        rehearsal: RehearsalScript::new("Mira", &["Welcome!".to_owned()], ""),
        local_ports: &[],
        local_patience: NEVER,
    }
}

async fn bench(config: &LlmConfig) -> Bench {
    let clock = ManualClock::at("2026-01-01T12:00:00Z".parse().unwrap());
    let state = tempfile::tempdir().unwrap();
    let slots = ModelSlots::build(setup(config, state.path(), &clock)).await.unwrap();
    Bench { slots, clock, state }
}

/// A provider, and a bench at it with a second model in every chain.
async fn with_fallback() -> (ProviderWorld, Bench) {
    let world = ProviderWorld::start().await;
    let bench = bench(&config(Some(world.base_url()))).await;
    (world, bench)
}

/// A provider, and a bench at it with only one model in every chain.
async fn alone() -> (ProviderWorld, Bench) {
    let world = ProviderWorld::start().await;
    let bench = alone_at(&world).await;
    (world, bench)
}

async fn alone_at(world: &ProviderWorld) -> Bench {
    let mut config = config(Some(world.base_url()));
    config.slots.values_mut().for_each(|slot| slot.fallbacks.clear());
    bench(&config).await
}

fn session() -> SessionKey {
    SessionKey::of(
        &Salt::new([0; 16]),
        &FamiliarId::new("mira").unwrap(),
        Platform::Discord,
        &ChannelId::from(1),
    )
}

fn request() -> CompletionRequest {
    CompletionRequest {
        max_tokens: Some(300),
        session: Some(session()),
        ..CompletionRequest::instructed(Slot::MainProse, "You are Mira.", "Hello there")
    }
}

impl Bench {
    /// Waits until its server has listed this model. It is asked behind the scenes.
    async fn knows(&self, model: &str) {
        let listed = async {
            while self.slots.offered().iter().all(|(offered, _)| offered != model) {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, listed).await.unwrap();
    }

    async fn open(&self) -> Result<CompletionStream, ModelError> {
        self.slots.slot(Slot::MainProse).complete(request()).await
    }

    /// One completion to its end.
    async fn ask(&self) -> Result<Heard, ModelError> {
        let mut stream = self.open().await?;
        let mut heard = Heard::default();
        while let Some(delta) = stream.next().await {
            heard.take(delta?);
        }
        Ok(heard)
    }
}

/// Everything a completion gave.
#[derive(Debug, Default)]
struct Heard {
    text: String,
    reasoning: String,
    failed: Vec<ModelCall>,
    finished: Vec<ModelCall>,
}

impl Heard {
    fn take(&mut self, delta: Delta) {
        match delta {
            Delta::Text(words) => self.text.push_str(&words),
            Delta::Reasoning(words) => self.reasoning.push_str(&words),
            Delta::ThoughtAloud => self.text.clear(),
            Delta::ToolCall(_) => {}
            Delta::AttemptFailed(report) => self.failed.push(report),
            Delta::Finished(report) => self.finished.push(report),
        }
    }

    /// The one report of the attempt that succeeded.
    fn report(&self) -> &ModelCall {
        assert_eq!(self.finished.len(), 1, "{self:?}");
        &self.finished[0]
    }
}

/// The next delta, which must be text.
async fn next_text(stream: &mut CompletionStream) -> String {
    match stream.next().await {
        Some(Ok(Delta::Text(words))) => words,
        other => panic!("expected text, got {other:?}"),
    }
}
