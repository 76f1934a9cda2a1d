//! Recorded traffic of a real provider, replayed over the wire.
//!
//! The recordings are not part of this project; where they are absent these tests are ignored.

use familiar_connect::domain::{FinishReason, ModelErrorClass, Slot};

use super::{Heard, alone};
use crate::support::provider::{ProviderWorld, Reply};
use crate::support::shared::shared;

/// The status and body of a recording's answer.
fn recording(name: &str) -> (u16, String) {
    let text = std::fs::read_to_string(shared("openrouter").join(name)).unwrap();
    // A file may hold several exchanges, one YAML document each; the first is enough here.
    let first = text.split("\n---").next().unwrap_or_default();
    let exchange: serde_json::Value = serde_saphyr::from_str(first).unwrap();
    let status = u16::try_from(exchange["then"]["status"].as_u64().unwrap()).unwrap();
    (status, exchange["then"]["body"].as_str().unwrap().to_owned())
}

async fn replay(name: &str) -> Heard {
    let (status, body) = recording(name);
    assert_eq!(status, 200, "{name}");
    let (world, bench) = alone().await;
    world.script(Reply::stream().raw(body));
    bench.ask().await.unwrap()
}

#[tokio::test]
#[cfg_attr(not(has_recordings), ignore = "needs openrouter of FAMILIAR_SHARED_FIXTURES")]
async fn a_plain_stream_with_a_doubled_end_gives_its_words_once() {
    let heard = replay("raw_stream_capture_matrix/stream_raw_exposes_terminal_cost_and_provider.yaml").await;
    assert_eq!(heard.text, "Pong");
    let report = heard.report();
    assert_eq!(report.provider.as_deref(), Some("Azure"));
    let usage = report.usage.unwrap();
    assert_eq!((usage.prompt_tokens, usage.completion_tokens), (14, 3));
    assert_eq!(usage.cost_usd, Some(3.9e-6));
}

#[tokio::test]
#[cfg_attr(not(has_recordings), ignore = "needs openrouter of FAMILIAR_SHARED_FIXTURES")]
async fn thinking_is_kept_apart_and_counted() {
    let name = "reasoning_usage_matrix/streaming_anthropic_routed_reports_reasoning_tokens.yaml";
    let heard = replay(name).await;
    assert_eq!(heard.text, "7.75");
    assert!(heard.reasoning.starts_with("Let me work through this step by step.\n\n1. The farmer"));
    assert_eq!(heard.report().usage.unwrap().reasoning_tokens, 497);
}

#[tokio::test]
#[cfg_attr(not(has_recordings), ignore = "needs openrouter of FAMILIAR_SHARED_FIXTURES")]
async fn every_recorded_stream_ends_with_a_reason_and_its_usage() {
    for name in [
        "streaming/example_streaming_prompt.yaml",
        "streaming_tools/raw_stream_surfaces_two_distinct_tool_calls_before_text.yaml",
        "tool_lifecycle_matrix/streaming_gpt41_parallel_model.yaml",
        "reasoning_tool_order_matrix/streaming_single.yaml",
        "refusal_matrix/streaming_raw_model_surfaces_refusal.yaml",
        "terminal_metadata_matrix/streaming_gpt_4o_mini_tiny_plain_one.yaml",
        "prompt_caching/streaming_probe.yaml",
    ] {
        let heard = replay(name).await;
        let report = heard.report();
        // One of them was asked for a single token.
        let expected = if name.contains("tiny") {
            matches!(report.finish, Some(FinishReason::Length))
        } else {
            matches!(report.finish, Some(FinishReason::Stop | FinishReason::ToolCalls))
        };
        assert!(expected, "{name}: {report:?}");
        assert!(report.usage.is_some_and(|usage| usage.cost_usd.is_some()), "{name}: {report:?}");
    }
}

#[tokio::test]
#[cfg_attr(not(has_recordings), ignore = "needs openrouter of FAMILIAR_SHARED_FIXTURES")]
async fn recorded_refusals_keep_their_status_and_class() {
    let name = "response_identity_edge/routed_failure_error_shape.yaml";
    let (status, body) = recording(name);
    let (world, bench) = alone().await;
    world.script(Reply::json(status, &serde_json::from_str(&body).unwrap()));
    let error = bench.ask().await.unwrap_err();
    assert_eq!((error.class, error.status), (ModelErrorClass::ModelMissing, Some(400)));
}

#[tokio::test]
#[cfg_attr(not(has_recordings), ignore = "needs openrouter of FAMILIAR_SHARED_FIXTURES")]
async fn the_recorded_model_list_agrees_with_the_built_in_one() {
    let name = "models/list_models_is_public_and_ignores_a_rejected_key.yaml";
    let (_, body) = recording(name);
    let world = ProviderWorld::start().await;
    let list: serde_json::Value = serde_json::from_str(&body).unwrap();
    let mut config = super::config(Some(world.base_url()));
    let main = config.slots.get_mut(&Slot::MainProse).unwrap();
    main.model = "z-ai/glm-5.2".to_owned();
    let built_in = super::bench(&config).await.slots.slot(Slot::MainProse).describe();
    world.list_models(list);
    // Only then its list is waited for.
    config.slots.get_mut(&Slot::MainProse).unwrap().is_named = false;
    let bench = super::bench(&config).await;
    assert!(bench.slots.offered().len() > 100);
    assert_eq!(bench.slots.slot(Slot::MainProse).describe(), built_in);
    assert_eq!(built_in.context_window, 1_048_576);
}
