//! Servers that never stop, and such that drip.

use std::time::Duration;

use familiar_connect::domain::{FinishReason, ModelErrorClass};
use futures::StreamExt as _;
use serde_json::json;

use super::{alone, bench, config, next_text};
use crate::support::provider::{Ended, ProviderWorld, Reply};
use crate::support::time::{NEVER, gives_up};

fn payload(delta: serde_json::Value) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
}

#[tokio::test]
async fn c18_words_without_end_are_cut_off_as_at_a_limit_of_tokens() {
    let (world, bench) = alone().await;
    let chunk = payload(json!({"content": "and on it went, ".repeat(20)}));
    world.script(Reply::stream().text("So ").endless(chunk, Duration::ZERO));
    let heard = bench.ask().await.unwrap();
    assert!(heard.text.starts_with("So and on it went, "));
    assert!(heard.text.len() < 140_000, "{}", heard.text.len());
    assert_eq!(heard.report().finish, Some(FinishReason::Length));
    assert_eq!(world.next_request().await.ended().await, Ended::HungUp);
}

#[tokio::test]
async fn c18_an_answer_without_words_and_without_end_is_left_at_its_bound_of_bytes() {
    for endless in [payload(json!({"padding": "x".repeat(200_000)})), "x".repeat(200_000)] {
        let (world, bench) = alone().await;
        world.otherwise(Reply::stream().text("").endless(endless, Duration::ZERO));
        let error = bench.ask().await.unwrap_err();
        assert_eq!(error.class, ModelErrorClass::Malformed);
        assert!(error.message.contains("did not end within"), "{}", error.message);
        assert_eq!(world.next_request().await.ended().await, Ended::HungUp);
    }
}

#[tokio::test]
async fn c18_a_server_that_drips_is_given_up() {
    let world = ProviderWorld::start().await;
    let mut config = config(Some(world.base_url()));
    (config.first_token_timeout, config.chunk_timeout, config.answer_timeout) =
        (50 * NEVER, 50 * NEVER, 3 * NEVER);
    let bench = bench(&config).await;
    let drop = payload(json!({"content": "drip "}));
    world.script(Reply::stream().text("It ").endless(drop, NEVER / 2));
    let mut stream = bench.open().await.unwrap();
    assert_eq!(next_text(&mut stream).await, "It ");
    let error = loop {
        match gives_up(stream.next()).await.expect("it does not end well") {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert_eq!(error.class, ModelErrorClass::Timeout);
    assert!(error.message.contains("did not end within 10800s"), "{}", error.message);
    assert_eq!(world.next_request().await.ended().await, Ended::HungUp);
}

#[tokio::test]
async fn c18_a_list_of_models_without_end_is_no_list() {
    let world = ProviderWorld::start().await;
    let long = json!({"id": "x".repeat(9 * 1024 * 1024)});
    world.list_models(json!({"data": [{"id": "first/model", "context_length": 32_000}, long]}));
    // Where nobody named a model, the list is waited for.
    let mut config = config(Some(world.base_url()));
    config.slots.values_mut().for_each(|slot| slot.is_named = false);
    assert_eq!(bench(&config).await.slots.offered(), []);
}
