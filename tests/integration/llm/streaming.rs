//! What a good answer looks like from inside, and what was sent for it.

use familiar_connect::config::Sampling;
use familiar_connect::domain::{FinishReason, ModelErrorClass, Slot, Usage};
use familiar_connect::llm::{Delta, ModelSlots};
use futures::StreamExt as _;
use serde_json::json;

use super::{alone, bench, config, next_text, request, session, setup};
use crate::support::provider::{Ended, Gate, ProviderWorld, Reply};

#[tokio::test]
async fn words_arrive_while_the_rest_is_still_being_written() {
    let (world, bench) = alone().await;
    let gate = Gate::closed();
    world.script(Reply::stream().processing().text("Hel").gate(&gate).text("lo").finish("stop"));
    let mut stream = bench.open().await.unwrap();
    assert_eq!(next_text(&mut stream).await, "Hel");
    gate.open();
    assert_eq!(next_text(&mut stream).await, "lo");
    let Some(Ok(Delta::Finished(report))) = stream.next().await else { panic!("not finished") };
    assert!(stream.next().await.is_none());
    assert_eq!(report.provider.as_deref(), Some("Fake"));
    assert_eq!(report.finish, Some(FinishReason::Stop));
    let request = world.next_request().await;
    let usage = Usage {
        prompt_tokens: u32::try_from(request.tokens()).unwrap(),
        completion_tokens: 2,
        ..Usage::default()
    };
    assert_eq!(report.usage, Some(usage), "only OpenRouter says what it cost");
    assert_eq!(request.ended().await, Ended::Whole);
}

#[tokio::test]
async fn openrouter_is_asked_with_its_extras_and_the_key() {
    let world = ProviderWorld::start().await;
    let bench = bench(&config(Some(world.openrouter_url()))).await;
    assert_eq!(bench.ask().await.unwrap().text, "Understood.");
    let request = world.next_request().await;
    assert_eq!(
        request.body,
        json!({
            "model": "first/model",
            "messages": [
                {"role": "system", "content": "You are Mira."},
                {"role": "user", "content": "Hello there"},
            ],
            "stream": true,
            "stream_options": {"include_usage": true},
            "temperature": 0.7,
            "max_tokens": 300,
            "usage": {"include": true},
            "session_id": session().as_str(),
        })
    );
    assert_eq!(request.path, "/api/v1/chat/completions");
    assert_eq!(request.header("authorization"), Some("Bearer sk-test-key"));
    assert_eq!(request.header("x-title"), Some("Familiar-Connect"));
    assert!(request.header("http-referer").is_some());
    let parameters = bench.slots.told(&super::request()).parameters;
    assert_eq!(parameters["session_id"], session().as_str());
    assert!(parameters.get("messages").is_none());
}

#[tokio::test]
async fn fc_2_7_sampling_is_sent_as_it_is_set_and_shown_with_the_parameters() {
    let world = ProviderWorld::start().await;
    let mut config = config(Some(world.openrouter_url()));
    for slot in config.slots.values_mut() {
        slot.sampling = Sampling {
            top_p: Some(0.9),
            top_k: Some(40),
            min_p: Some(0.05),
            presence_penalty: Some(0.5),
            frequency_penalty: Some(-0.25),
        };
    }
    let bench = bench(&config).await;
    bench.ask().await.unwrap();
    let request = world.next_request().await;
    let parameters = bench.slots.told(&super::request()).parameters;
    let wanted = [
        ("top_p", json!(0.9)),
        ("top_k", json!(40)),
        ("min_p", json!(0.05)),
        ("presence_penalty", json!(0.5)),
        ("frequency_penalty", json!(-0.25)),
    ];
    for (field, figure) in wanted {
        assert_eq!((&request.body[field], &parameters[field]), (&figure, &figure), "{field}");
    }
}

#[tokio::test]
async fn a_plain_server_is_asked_without_openrouters_extras() {
    let (world, bench) = alone().await;
    bench.ask().await.unwrap();
    let request = world.next_request().await;
    for field in ["usage", "session_id", "provider"] {
        assert!(request.body.get(field).is_none(), "{field}");
    }
    assert_eq!(request.header("x-title"), None);
    assert_eq!(request.prompt(), "system: You are Mira.\nuser: Hello there\n");
    assert_eq!(request.last("user"), "Hello there");
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection_while_it_is_idle() {
    let (world, bench) = alone().await;
    world.script(Reply::stream().text("Once").stall());
    let mut stream = bench.open().await.unwrap();
    assert_eq!(next_text(&mut stream).await, "Once");
    let request = world.next_request().await;
    drop(stream);
    assert_eq!(request.ended().await, Ended::HungUp);
    assert_eq!(bench.slots.ledger().today().total().calls, 1, "what was generated is accounted for");
}

#[tokio::test]
async fn dropping_the_call_before_any_answer_closes_the_connection_and_is_counted_all_the_same() {
    let (world, bench) = alone().await;
    let gate = Gate::closed();
    world.script(Reply::says("too late").held(&gate));
    let call = tokio::spawn({
        let model = bench.slots.slot(Slot::MainProse);
        async move { model.complete(request()).await.map(drop) }
    });
    let request = world.next_request().await;
    call.abort();
    assert_eq!(request.ended().await, Ended::HungUp);
    let total = bench.slots.ledger().today().total();
    assert_eq!((total.calls, total.completion_tokens), (1, 0), "the prompt was read, and is charged for");
    assert!(total.prompt_tokens > 0, "{total:?}");
}

#[tokio::test]
async fn the_limit_on_requests_holds_until_a_stream_ends_or_is_dropped() {
    let world = ProviderWorld::start().await;
    let mut config = config(Some(world.base_url()));
    config.max_concurrent = 1;
    let bench = bench(&config).await;
    let gate = Gate::closed();
    world.script(Reply::stream().text("one").gate(&gate).finish("stop"));
    world.script(Reply::says("two"));
    let mut first = bench.open().await.unwrap();
    assert_eq!(next_text(&mut first).await, "one");
    let second = tokio::spawn({
        let model = bench.slots.slot(Slot::MoodEval);
        async move { model.complete(request()).await.map(drop) }
    });
    world.next_request().await;
    tokio::task::yield_now().await;
    assert_eq!(world.requests().len(), 1, "the second waits");
    gate.open();
    while first.next().await.is_some() {}
    second.await.unwrap().unwrap();
    assert_eq!(world.requests().len(), 2);
    // The second was dropped unread; that freed its place too.
    bench.ask().await.unwrap();
}

#[tokio::test]
async fn a_lowered_limit_ends_nothing_and_holds_from_the_next_request_on() {
    let world = ProviderWorld::start().await;
    let mut config = config(Some(world.base_url()));
    config.max_concurrent = 2;
    let bench = bench(&config).await;
    let gates = [Gate::closed(), Gate::closed()];
    for gate in &gates {
        world.script(Reply::stream().text("one").gate(gate).finish("stop"));
    }
    let (mut first, mut second) = (bench.open().await.unwrap(), bench.open().await.unwrap());
    assert_eq!((next_text(&mut first).await, next_text(&mut second).await), ("one".into(), "one".into()));
    config.max_concurrent = 1;
    bench.slots.reconfigure(&config, None).await.unwrap();
    let mut third = Box::pin(bench.ask());
    assert!(futures::poll!(&mut third).is_pending());
    gates[0].open();
    while first.next().await.is_some() {}
    assert!(futures::poll!(&mut third).is_pending(), "one still runs, and one may");
    assert_eq!(world.requests().len(), 2);
    gates[1].open();
    while second.next().await.is_some() {}
    third.await.unwrap();
    config.max_concurrent = 3;
    bench.slots.reconfigure(&config, None).await.unwrap();
    let streams = [bench.open().await.unwrap(), bench.open().await.unwrap(), bench.open().await.unwrap()];
    assert_eq!(streams.len(), 3, "raised, three run at once");
}

#[tokio::test]
async fn thinking_is_told_apart_in_every_shape() {
    let (world, bench) = alone().await;
    let reply = Reply::stream().reasoning("hm ").delta(&json!({"reasoning_content": "so "}));
    world.script(reply.text("<thi").text("nk>well</think>\n\nHel").text("lo").finish("stop"));
    let heard = bench.ask().await.unwrap();
    assert_eq!((heard.text.as_str(), heard.reasoning.as_str()), ("Hello", "hm so well"));
}

#[tokio::test]
async fn letters_split_over_network_chunks_stay_whole() {
    let (world, bench) = alone().await;
    let payload = format!("data: {}\n\n", json!({"choices": [{"delta": {"content": "naïve 爱 🦊"}}]}));
    let middle = payload.find('爱').unwrap() + 1;
    let gate = Gate::closed();
    let (head, tail) = payload.as_bytes().split_at(middle);
    world.script(Reply::stream().raw(head).gate(&gate).raw(tail).finish("stop"));
    let open = tokio::spawn({
        let model = bench.slots.slot(Slot::MainProse);
        async move { model.complete(request()).await }
    });
    gate.reached().await;
    gate.open();
    let mut stream = open.await.unwrap().unwrap();
    assert_eq!(next_text(&mut stream).await, "naïve 爱 🦊");
}

#[tokio::test]
async fn an_answer_may_lack_its_done_mark_its_words_or_its_stream() {
    let (world, bench) = alone().await;
    let last = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
    world.script(Reply::stream().text("no mark").payload(&last));
    assert_eq!(bench.ask().await.unwrap().text, "no mark");

    world.script(Reply::stream().finish("stop"));
    let heard = bench.ask().await.unwrap();
    assert_eq!(heard.text, "");
    assert_eq!(heard.report().finish, Some(FinishReason::Stop));

    let whole = json!({"choices": [{"message": {"content": "in one piece"}, "finish_reason": "stop"}],
                       "usage": {"prompt_tokens": 3, "completion_tokens": 4}});
    world.script(Reply::json(200, &whole));
    let heard = bench.ask().await.unwrap();
    assert_eq!(heard.text, "in one piece");
    assert_eq!(heard.report().usage.unwrap().completion_tokens, 4);
}

#[tokio::test]
async fn usage_is_accounted_per_slot_and_survives_a_restart() {
    let world = ProviderWorld::start().await;
    let config = config(Some(world.base_url()));
    let bench = bench(&config).await;
    for _ in 0..2 {
        let usage = json!({"prompt_tokens": 100, "completion_tokens": 10, "cost": 0.001,
            "prompt_tokens_details": {"cached_tokens": 60}});
        world.script(Reply::stream().text("Understood.").finish_with("stop", &usage));
        bench.ask().await.unwrap();
    }
    bench.slots.flush().await;
    let again = ModelSlots::build(setup(&config, bench.state.path(), &bench.clock)).await.unwrap();
    let today = again.ledger().today();
    assert_eq!(today, bench.slots.ledger().today());
    let main = today.slots[&Slot::MainProse];
    assert_eq!((main.calls, main.prompt_tokens, main.cached_tokens), (2, 200, 120));
    assert!((main.cost_usd - 0.002).abs() < 1e-9);
}

#[tokio::test]
async fn a_model_keeps_prompts_once_a_reply_in_this_run_said_so() {
    let world = ProviderWorld::start().await;
    let config = config(Some(world.base_url()));
    let bench = bench(&config).await;
    let keeps = |slots: &ModelSlots| slots.slot(Slot::MainProse).describe().keeps_prompts;
    for (cached, is_said) in [(0, false), (60, true), (0, true)] {
        let usage = json!({"prompt_tokens": 100, "completion_tokens": 10,
            "prompt_tokens_details": {"cached_tokens": cached}});
        world.script(Reply::stream().text("Understood.").finish_with("stop", &usage));
        bench.ask().await.unwrap();
        assert_eq!(keeps(&bench.slots), is_said);
    }
    bench.slots.flush().await;
    let again = ModelSlots::build(setup(&config, bench.state.path(), &bench.clock)).await.unwrap();
    assert!(!keeps(&again), "its server may be another one by now");
}

#[tokio::test]
async fn who_waits_for_a_place_is_not_asked_once_the_cap_is_reached() {
    let world = ProviderWorld::start().await;
    let mut config = config(Some(world.openrouter_url()));
    (config.max_concurrent, config.daily_cost_cap_usd) = (1, Some(1e-6));
    let bench = bench(&config).await;
    let gate = Gate::closed();
    world.script(Reply::stream().text("one").gate(&gate).finish("stop"));
    let mut first = bench.open().await.unwrap();
    assert_eq!(next_text(&mut first).await, "one");
    let second = tokio::spawn({
        let model = bench.slots.slot(Slot::MoodEval);
        async move { model.complete(request()).await.map(drop) }
    });
    tokio::task::yield_now().await;
    gate.open();
    while first.next().await.is_some() {}
    assert_eq!(second.await.unwrap().unwrap_err().class, ModelErrorClass::CostCap);
    assert_eq!(world.requests().len(), 1);
}

#[tokio::test]
async fn the_daily_cap_refuses_before_asking() {
    let world = ProviderWorld::start().await;
    let mut config = config(Some(world.openrouter_url()));
    config.daily_cost_cap_usd = Some(1e-6);
    let bench = bench(&config).await;
    bench.ask().await.unwrap();
    let error = bench.ask().await.unwrap_err();
    assert_eq!(error.class, ModelErrorClass::CostCap);
    assert!(error.message.contains("llm.daily_cost_cap_usd"), "{}", error.message);
    assert_eq!(world.requests().len(), 1);
    config.daily_cost_cap_usd = None;
    bench.slots.reconfigure(&config, None).await.unwrap();
    bench.ask().await.unwrap();
}

#[tokio::test]
async fn reported_usage_teaches_how_large_this_models_tokens_are() {
    let (world, bench) = alone().await;
    let model = bench.slots.slot(Slot::MainProse);
    let before = model.describe().token_ratio;
    let mut long = request();
    long.messages[0].content = "The lighthouse keeper counts the waves. ".repeat(100);
    world.script(Reply::stream().text("ok").finish_with("stop", &json!({"prompt_tokens": 50_000})));
    let mut stream = model.complete(long).await.unwrap();
    while stream.next().await.is_some() {}
    assert!(model.describe().token_ratio > before);
}

#[tokio::test]
async fn c17_a_model_of_unknown_price_is_capped_by_its_tokens_and_one_of_known_price_by_what_it_costs() {
    let world = ProviderWorld::start().await;
    let mut config = config(Some(world.base_url()));
    config.daily_cost_cap_usd = Some(1e-5);
    let unknown = bench(&config).await;
    unknown.ask().await.unwrap();
    let total = unknown.slots.ledger().today().total();
    assert_eq!(total.cost_usd.to_bits(), 0.0_f64.to_bits());
    assert_eq!(total.unpriced_tokens, total.prompt_tokens + total.completion_tokens);
    let error = unknown.ask().await.unwrap_err();
    assert_eq!(error.class, ModelErrorClass::TokenCap);
    assert!(error.message.contains("price_in_per_million"), "{}", error.message);
    assert_eq!(world.requests().len(), 1);

    // A cap of tokens needs none of dollars.
    (config.daily_cost_cap_usd, config.daily_token_cap) = (None, Some(5));
    let by_tokens = bench(&config).await;
    by_tokens.ask().await.unwrap();
    assert_eq!(by_tokens.ask().await.unwrap_err().class, ModelErrorClass::TokenCap);

    (config.daily_cost_cap_usd, config.daily_token_cap) = (Some(0.5), None);
    for slot in config.slots.values_mut() {
        (slot.price_in_per_million, slot.price_out_per_million) = (Some(10_000.0), Some(30_000.0));
    }
    let known = bench(&config).await;
    known.ask().await.unwrap();
    let total = known.slots.ledger().today().total();
    let wanted = total.prompt_tokens as f64 * 0.01 + total.completion_tokens as f64 * 0.03;
    assert!((total.cost_usd - wanted).abs() < 1e-9 && total.unpriced_tokens == 0, "{total:?}");
    while known.ask().await.is_ok() {}
    assert!(known.slots.ledger().today().total().cost_usd >= 0.5, "the cap closed, and not before");
}

#[tokio::test]
async fn c17_a_server_that_wants_no_key_costs_nothing_and_a_name_in_the_catalogue_its_price() {
    let world = ProviderWorld::start().await;
    let mut config = config(Some(world.base_url()));
    config.daily_token_cap = Some(1);
    let state = tempfile::tempdir().unwrap();
    let clock = familiar_connect::clock::ManualClock::at("2026-01-01T12:00:00Z".parse().unwrap());
    let own = super::Bench {
        slots: ModelSlots::build(familiar_connect::llm::LlmSetup {
            api_key: None,
            ..setup(&config, state.path(), &clock)
        })
        .await
        .unwrap(),
        clock,
        state,
    };
    own.ask().await.unwrap();
    own.ask().await.unwrap();
    assert_eq!(own.slots.ledger().today().total().unpriced_tokens, 0);

    config.slots.values_mut().for_each(|slot| slot.model = "z-ai/glm-5.2".to_owned());
    let catalogued = bench(&config).await;
    catalogued.ask().await.unwrap();
    let total = catalogued.slots.ledger().today().total();
    let wanted = total.prompt_tokens as f64 * 0.49e-6 + total.completion_tokens as f64 * 1.54e-6;
    assert!((total.cost_usd - wanted).abs() < 1e-12 && total.unpriced_tokens == 0, "{total:?}");
}
