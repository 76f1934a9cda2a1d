//! What goes wrong, and what comes of it.

use std::time::Duration;

use familiar_connect::domain::{ModelErrorClass, Slot};
use familiar_connect::llm::Delta;
use futures::StreamExt as _;
use serde_json::json;

use super::{alone, alone_at, bench, config, next_text, with_fallback};
use crate::support::nobody::Nobody;
use crate::support::provider::{Ended, Gate, ProviderWorld, Reply};
use crate::support::time::{NEVER, gives_up, passes};

fn models(world: &ProviderWorld) -> Vec<String> {
    world.requests().iter().map(|request| request.model().to_owned()).collect()
}

#[tokio::test]
async fn a_short_retry_after_is_waited_for() {
    let (world, bench) = with_fallback().await;
    world.script(Reply::refuses(429, "slow down").header("retry-after", "0"));
    let heard = bench.ask().await.unwrap();
    assert_eq!(heard.text, "Understood.");
    assert_eq!(models(&world), ["first/model", "first/model"]);
    assert_eq!(heard.failed.len(), 1);
    assert_eq!(bench.slots.health().left_alone, []);
}

#[tokio::test]
async fn a_limit_without_a_time_is_tried_again_and_nobody_hears_of_it() {
    let (world, bench) = alone().await;
    world.script(Reply::refuses(429, "slow down"));
    assert_eq!(bench.ask().await.unwrap().text, "Understood.");
    assert_eq!(models(&world), ["first/model", "first/model"]);
    assert_eq!(bench.slots.health().left_alone, []);
}

#[tokio::test]
async fn a_long_retry_after_gives_way_and_freezes_until_then() {
    let (world, bench) = with_fallback().await;
    world.script(Reply::refuses(429, "slow down").header("retry-after", "90"));
    let heard = bench.ask().await.unwrap();
    assert_eq!(heard.report().model, "second/model");
    assert_eq!(heard.failed.len(), 1);
    assert_eq!(heard.failed[0].error.as_ref().unwrap().0, ModelErrorClass::RateLimited);

    bench.ask().await.unwrap();
    assert_eq!(models(&world), ["first/model", "second/model", "second/model"]);
    assert_eq!(bench.slots.slot(Slot::MainProse).describe().model, "second/model");
    let health = bench.slots.health();
    assert_eq!(health.left_alone[0].0.as_deref(), Some("first/model"));
    assert_eq!(health.last_error.unwrap().class, ModelErrorClass::RateLimited);
    assert_eq!(health.last_answer.unwrap().model, "second/model");

    bench.clock.advance(Duration::from_secs(90));
    bench.ask().await.unwrap();
    assert_eq!(models(&world).last().unwrap(), "first/model");
}

#[tokio::test]
async fn a29_a_server_error_is_retried_once_then_gives_way() {
    let (world, bench) = with_fallback().await;
    world.script(Reply::refuses(500, "boom"));
    world.script(Reply::refuses(502, "boom again"));
    let heard = bench.ask().await.unwrap();
    assert_eq!(models(&world), ["first/model", "first/model", "second/model"]);
    assert_eq!(heard.failed.len(), 2);
    assert_eq!(heard.report().model, "second/model");
}

#[tokio::test]
async fn a29_when_everything_fails_the_error_tells_of_every_attempt() {
    let (world, bench) = with_fallback().await;
    world.otherwise(Reply::refuses(503, "maintenance"));
    let error = bench.ask().await.unwrap_err();
    assert_eq!(error.class, ModelErrorClass::Server);
    assert_eq!(error.status, Some(503));
    assert!(error.message.contains("maintenance"), "{}", error.message);
    let asked: Vec<&str> = error.attempts.iter().map(|attempt| attempt.model.as_str()).collect();
    assert_eq!(asked, ["first/model", "first/model", "second/model", "second/model"]);

    // Trouble of the moment: somebody who speaks again gets a try.
    world.otherwise(Reply::says("Back."));
    assert_eq!(bench.ask().await.unwrap().text, "Back.");
    assert_eq!(bench.slots.health().left_alone.len(), 1, "only the other one is still left alone");
}

#[tokio::test]
async fn a_missing_model_with_a_numeric_code_is_told_from_a_bad_request() {
    let (world, bench) = alone().await;
    world.script(Reply::refuses(400, "first/model is not a valid model ID"));
    let error = bench.ask().await.unwrap_err();
    assert_eq!((error.class, error.status), (ModelErrorClass::ModelMissing, Some(400)));

    let bench = alone_at(&world).await;
    world.script(Reply::refuses(400, "temperature must be lower"));
    assert_eq!(bench.ask().await.unwrap_err().class, ModelErrorClass::BadRequest);
    assert_eq!(bench.slots.health().left_alone, [], "the model is not at fault");
}

#[tokio::test]
async fn a_refused_key_stops_every_model_of_the_server() {
    let (world, bench) = with_fallback().await;
    world.otherwise(Reply::refuses(401, "No auth credentials found for sk-test-key"));
    let error = bench.ask().await.unwrap_err();
    assert_eq!(error.class, ModelErrorClass::Authentication);
    assert!(!error.message.contains("sk-test-key"), "{}", error.message);
    assert_eq!(bench.ask().await.unwrap_err().class, ModelErrorClass::Authentication);
    assert_eq!(models(&world), ["first/model"], "neither the fallback nor the next turn asks");

    world.otherwise(Reply::says("Paid."));
    bench.clock.advance(Duration::from_secs(4));
    assert_eq!(bench.ask().await.unwrap().text, "Paid.", "a trial ends it");
}

#[tokio::test]
async fn whoever_changes_the_settings_has_what_failed_asked_again_at_once() {
    let world = ProviderWorld::start().await;
    let config = config(Some(world.base_url()));
    let bench = bench(&config).await;
    world.script(Reply::refuses(402, "Insufficient credits"));
    assert_eq!(bench.ask().await.unwrap_err().class, ModelErrorClass::Quota);
    let refused = bench.ask().await.unwrap_err();
    assert!(refused.to_string().contains("left alone until 12:00:04 UTC"), "{refused}");
    bench.slots.reconfigure(&config, None).await.unwrap();
    assert_eq!(bench.ask().await.unwrap().text, "Understood.");
}

#[tokio::test]
async fn an_error_inside_the_stream_gives_way_only_before_the_first_word() {
    let (world, bench) = with_fallback().await;
    world.script(Reply::stream().processing().reasoning("hm").error(&json!(502), "upstream is gone"));
    let heard = bench.ask().await.unwrap();
    assert_eq!((heard.reasoning.as_str(), heard.text.as_str()), ("hm", "Understood."));
    assert_eq!(heard.failed[0].error.as_ref().unwrap().0, ModelErrorClass::Server);

    let bench = super::bench(&config(Some(world.base_url()))).await;
    world.script(Reply::stream().text("Once upon").error(&json!("server_error"), "upstream is gone"));
    let mut stream = bench.open().await.unwrap();
    assert_eq!(next_text(&mut stream).await, "Once upon");
    let error = stream.next().await.unwrap().unwrap_err();
    assert_eq!(error.class, ModelErrorClass::Server);
    assert_eq!(error.attempts.len(), 1);
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn a_first_token_that_does_not_come_gives_way() {
    let world = ProviderWorld::start().await;
    let mut config = config(Some(world.base_url()));
    config.first_token_timeout = NEVER;
    let bench = bench(&config).await;
    world.script_when(|request| request.model() == "first/model", Reply::stream().processing().stall());
    world.otherwise(Reply::refuses(400, "not me either"));
    let mut answer = Box::pin(bench.ask());
    let first = tokio::select! {
        answer = &mut answer => panic!("answered before its time: {answer:?}"),
        request = world.next_request() => request,
    };
    passes(NEVER).await;
    let error = answer.await.unwrap_err();
    assert_eq!(error.attempts[0].error.as_ref().unwrap().0, ModelErrorClass::Timeout);
    assert_eq!(models(&world), ["first/model", "second/model"]);
    assert_eq!(first.ended().await, Ended::HungUp);
}

#[tokio::test]
async fn a_stream_that_falls_silent_ends_in_a_timeout() {
    let world = ProviderWorld::start().await;
    let mut config = config(Some(world.base_url()));
    config.chunk_timeout = NEVER;
    config.first_token_timeout = 2 * NEVER;
    let bench = bench(&config).await;
    world.script(Reply::stream().text("Once").processing().stall());
    let mut stream = bench.open().await.unwrap();
    assert_eq!(next_text(&mut stream).await, "Once");
    assert_eq!(gives_up(stream.next()).await.unwrap().unwrap_err().class, ModelErrorClass::Timeout);
    assert_eq!(world.next_request().await.ended().await, Ended::HungUp);
}

#[tokio::test]
async fn garbage_gives_way() {
    let streams = ["data: {\"choices\": [\n\n", "data: 7\n\n", "data: [DONE]\n\n"];
    let replies = streams.into_iter().map(|garbage| Reply::stream().raw(garbage));
    for garbage in replies.chain([Reply::json(200, &json!("hello"))]) {
        let (world, bench) = with_fallback().await;
        world.script(garbage.clone());
        let heard = bench.ask().await.unwrap();
        assert_eq!(heard.report().model, "second/model", "{garbage:?}");
        assert_eq!(heard.failed[0].error.as_ref().unwrap().0, ModelErrorClass::Malformed, "{garbage:?}");
    }
}

#[tokio::test]
async fn a_server_that_is_none_for_models_is_named_with_what_to_look_at() {
    let (world, bench) = alone().await;
    world.otherwise(Reply::page("<!doctype html><title>Router</title>"));
    let error = bench.ask().await.unwrap_err();
    assert_eq!(error.class, ModelErrorClass::WebPage);
    assert_eq!(
        error.message,
        "127.0.0.1 does not answer as an OpenAI-compatible server does: a web page instead of an answer; is \
         llm.base_url right, up to /v1?"
    );
}

#[tokio::test]
async fn an_answer_whose_connection_is_closed_before_it_is_done_has_broken_off() {
    let (world, bench) = with_fallback().await;
    for nothing in [Reply::stream(), Reply::stream().processing()] {
        world.script(nothing);
        let heard = bench.ask().await.unwrap();
        assert_eq!((heard.report().model.as_str(), heard.failed.len()), ("first/model", 1), "tried again");
    }
    world.script(Reply::stream().text("Once upon").text(" a"));
    let mut stream = bench.open().await.unwrap();
    assert_eq!(next_text(&mut stream).await, "Once upon");
    assert_eq!(next_text(&mut stream).await, " a");
    let error = stream.next().await.unwrap().unwrap_err();
    assert_eq!(error.class, ModelErrorClass::BrokeOff);
    assert!(error.message.contains("broke off"), "{}", error.message);

    // Whoever says why it stopped was done, with `[DONE]` or without.
    let stop = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    for end in
        [Reply::stream().text("Done.").payload(&stop), Reply::stream().text("Done.").raw("data: [DONE]\n\n")]
    {
        world.script(end);
        let heard = bench.ask().await.unwrap();
        assert_eq!((heard.text.as_str(), heard.failed.len()), ("Done.", 0));
    }
}

#[tokio::test]
async fn a_connection_cut_before_the_first_word_is_tried_again_and_after_it_is_not() {
    let (world, bench) = with_fallback().await;
    world.script(Reply::stream().processing().cut());
    let heard = bench.ask().await.unwrap();
    assert_eq!(heard.report().model, "first/model");
    assert_eq!(heard.failed[0].error.as_ref().unwrap().0, ModelErrorClass::BrokeOff);

    world.script(Reply::stream().text("Once").cut());
    let mut stream = bench.open().await.unwrap();
    assert_eq!(next_text(&mut stream).await, "Once");
    let error = stream.next().await.unwrap().unwrap_err();
    assert_eq!(error.class, ModelErrorClass::BrokeOff);
}

#[tokio::test]
async fn f27_an_answer_that_is_cut_behind_its_beginning_and_before_its_first_word_is_asked_again_once() {
    let (world, bench) = alone().await;
    let begun = || Reply::stream().delta(&json!({"role": "assistant", "content": ""})).reasoning("hm");
    world.script(begun().cut());
    assert_eq!(bench.ask().await.unwrap().text, "Understood.");
    assert_eq!(models(&world), ["first/model", "first/model"]);
    world.script(begun().cut());
    world.script(begun().cut());
    assert_eq!(bench.ask().await.unwrap_err().class, ModelErrorClass::BrokeOff);
    assert_eq!(models(&world).len(), 4, "once");
}

#[tokio::test]
async fn f27_how_long_a_provider_wants_to_be_left_alone_is_known_then_and_later() {
    let (world, bench) = alone().await;
    world.script(Reply::refuses(429, "slow down").header("retry-after", "3600"));
    assert_eq!(bench.ask().await.unwrap_err().retry_after, Some(Duration::from_secs(3_600)));
    bench.clock.advance(Duration::from_secs(600));
    assert_eq!(bench.ask().await.unwrap_err().retry_after, Some(Duration::from_secs(3_000)));
    assert_eq!(world.requests().len(), 1);
}

#[tokio::test]
async fn g40_what_the_model_has_no_room_for_is_told_from_a_bad_request() {
    let world = ProviderWorld::start().await;
    world.list_models(json!({"data": [{"id": "first/model", "max_model_len": 320}]}));
    let bench = alone_at(&world).await;
    bench.ask().await.unwrap();
    let mut request = super::request();
    request.messages[1].content = "The tide turns. ".repeat(100);
    let error = bench.slots.slot(Slot::MainProse).complete(request).await.err().unwrap();
    assert_eq!(error.class, ModelErrorClass::ContextLength);
    assert_eq!(bench.slots.health().left_alone, [], "the model is not at fault");
}

#[tokio::test]
async fn the_window_that_a_refusal_names_is_kept_to() {
    let (world, bench) = alone().await;
    let window = || bench.slots.slot(Slot::MainProse).describe().context_window;
    assert!(window() > 4_096);
    world.script(Reply::refuses(400, "This model's maximum context length is 4096 tokens."));
    assert_eq!(bench.ask().await.unwrap_err().class, ModelErrorClass::ContextLength);
    assert_eq!(window(), 4_096);
}

#[tokio::test]
async fn an_unreachable_server_is_a_network_error_that_names_it() {
    let nobody = Nobody::there();
    let url = format!("http://{}/v1", nobody.address());
    let bench = bench(&config(Some(url.clone()))).await;
    let error = bench.ask().await.unwrap_err();
    assert_eq!(error.class, ModelErrorClass::Network);
    assert!(error.message.contains(&url), "{}", error.message);
    assert_eq!(error.attempts.len(), 4);
}

#[tokio::test]
async fn a_filter_that_leaves_nothing_gives_way_without_a_freeze() {
    let (world, bench) = with_fallback().await;
    world.script(Reply::stream().finish("content_filter"));
    let heard = bench.ask().await.unwrap();
    assert_eq!(heard.report().model, "second/model");
    assert_eq!(bench.slots.health().left_alone, []);
}

#[tokio::test]
async fn failed_attempts_come_first_in_the_stream() {
    let (world, bench) = with_fallback().await;
    world.script(Reply::refuses(404, "no such model"));
    let mut stream = bench.open().await.unwrap();
    assert!(matches!(stream.next().await, Some(Ok(Delta::AttemptFailed(_)))));
    assert_eq!(next_text(&mut stream).await, "Understood.");
}

#[tokio::test]
async fn the_world_itself_notices_what_no_provider_would_take() {
    let (world, bench) = alone().await;
    let mut request = super::request();
    request.messages[0].content = "  ".to_owned();
    request.messages[1].name = Some("not a name".to_owned());
    request.max_tokens = Some(0);
    let mut stream = bench.slots.slot(Slot::MainProse).complete(request).await.unwrap();
    while stream.next().await.is_some() {}
    let wrong = world.take_violations().join("\n");
    for part in ["max_tokens", "message 0 (system) says nothing", "not a name"] {
        assert!(wrong.contains(part), "{wrong}");
    }
}

#[tokio::test]
async fn whoever_waited_for_a_permit_does_not_ask_a_model_that_is_left_alone_meanwhile() {
    let world = ProviderWorld::start().await;
    let mut config = config(Some(world.base_url()));
    config.max_concurrent = 1;
    config.slots.values_mut().for_each(|slot| slot.fallbacks.clear());
    let bench = bench(&config).await;
    let gate = Gate::closed();
    world.script(Reply::refuses(429, "slow down").header("retry-after", "90").held(&gate));
    let (mut first, mut second) = (Box::pin(bench.ask()), Box::pin(bench.ask()));
    tokio::select! {
        answer = &mut first => panic!("answered before it was let through: {answer:?}"),
        () = gate.reached() => {}
    }
    assert!(futures::poll!(&mut second).is_pending(), "the only permit is taken");
    gate.open();
    assert_eq!(first.await.unwrap_err().class, ModelErrorClass::RateLimited);
    let refused = second.await.unwrap_err();
    assert_eq!(refused.class, ModelErrorClass::RateLimited);
    assert!(refused.to_string().contains("left alone until 12:01:30 UTC"), "{refused}");
    assert_eq!(models(&world), ["first/model"], "asked once");
}
