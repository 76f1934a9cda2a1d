//! Which model is chosen when little is configured.

use std::time::Duration;

use familiar_connect::clock::ManualClock;
use familiar_connect::config::LlmConfig;
use familiar_connect::domain::Slot;
use familiar_connect::llm::{ChosenSource, LlmSetup, LocalKind, LocalPort, ModelSlots, discover_on};
use serde_json::json;

use super::{Bench, bench, config, setup};
use crate::support::nobody::Nobody;
use crate::support::provider::ProviderWorld;
use crate::support::time::{NEVER, passes};

async fn chosen(base_url: Option<String>, key: Option<&str>, ports: &[LocalPort]) -> Bench {
    chosen_by(&config(base_url), key, ports).await
}

async fn chosen_by(config: &LlmConfig, key: Option<&str>, ports: &[LocalPort]) -> Bench {
    let clock = ManualClock::at("2026-01-01T12:00:00Z".parse().unwrap());
    let state = tempfile::tempdir().unwrap();
    let setup = LlmSetup {
        api_key: key.map(|key| key.to_owned().into()),
        local_ports: ports,
        ..setup(config, state.path(), &clock)
    };
    let slots = ModelSlots::build(setup).await.unwrap();
    Bench { slots, clock, state }
}

#[tokio::test]
async fn a_local_server_is_found_and_asked_with_its_own_model() {
    let world = ProviderWorld::start().await;
    world.list_models(
        json!({"data": [{"id": "nomic-embed-text"}, {"id": "qwen3:8b", "max_model_len": 16_384}]}),
    );
    let nobody = Nobody::there();
    let ports = [
        LocalPort { kind: LocalKind::LmStudio, port: nobody.address().port() },
        LocalPort { kind: LocalKind::Vllm, port: world.port() },
    ];
    let bench = chosen(None, None, &ports).await;
    assert_eq!(bench.slots.choice().source, ChosenSource::Local(LocalKind::Vllm));
    assert_eq!(bench.slots.choice().model, "qwen3:8b");
    assert_eq!(bench.slots.slot(Slot::MoodEval).describe().context_window, 16_384);
    // In the list it costs what it costs where it is asked: nothing.
    let priced: Vec<_> =
        bench.slots.offered().into_iter().map(|(model, facts)| (model, facts.prices)).collect();
    let price = bench.slots.prices("qwen3:8b");
    assert!(price.is_some() && priced.contains(&("qwen3:8b".to_owned(), price)), "{priced:?}");
    assert_eq!(bench.ask().await.unwrap().text, "Understood.");
    let request = world.next_request().await;
    assert_eq!(request.model(), "qwen3:8b");
    assert_eq!(request.header("authorization"), None);
    let fields: Vec<&String> = request.body.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["model", "messages", "stream", "stream_options", "temperature", "max_tokens"]);
}

#[tokio::test]
async fn a_model_that_a_local_server_has_is_asked_where_somebody_named_it_and_no_other() {
    let world = ProviderWorld::start().await;
    let model = |id: &str| json!({"id": id, "object": "model"});
    world.list_models(json!({"data": [model("small:3b"), model("large:14b")]}));
    let ports = [LocalPort { kind: LocalKind::Ollama, port: world.port() }];
    let lacks = "Ollama has no lagre:14b, so small:3b is used; name one that it has: small:3b, large:14b.";
    for (named, main, lacks) in [
        (Some("large:14b"), "large:14b", None),
        (Some("large"), "large:14b", None),
        (Some("lagre:14b"), "small:3b", Some(lacks)),
        (None, "small:3b", None),
    ] {
        let mut config = config(None);
        for (slot, settings) in &mut config.slots {
            settings.model = "some/default".to_owned();
            settings.is_named = false;
            if let (Slot::MainProse, Some(named)) = (*slot, named) {
                (settings.model, settings.is_named) = (named.to_owned(), true);
            }
        }
        let bench = chosen_by(&config, None, &ports).await;
        let model = |slot| bench.slots.slot(slot).describe().model;
        assert_eq!((model(Slot::MainProse).as_str(), model(Slot::MemoryWriter).as_str()), (main, main));
        let advice = bench.slots.choice().advice.unwrap();
        match lacks {
            Some(lacks) => assert!(advice.starts_with(lacks) && advice.contains("4,096"), "{advice}"),
            None => assert!(!advice.contains("has no"), "{advice}"),
        }
    }
}

#[tokio::test]
async fn a_silent_port_behind_the_found_one_is_not_waited_for() {
    let world = ProviderWorld::start().await;
    world.list_models(json!({"data": [{"id": "qwen3:8b"}]}));
    // Takes connections and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let ports = [
        LocalPort { kind: LocalKind::Ollama, port: world.port() },
        LocalPort { kind: LocalKind::Vllm, port: silent.local_addr().unwrap().port() },
    ];
    let search = discover_on(&ports, Duration::from_secs(3600));
    let found =
        tokio::time::timeout(Duration::from_secs(10), search).await.expect("waits for the silent port");
    assert_eq!(found.unwrap().kind, LocalKind::Ollama);
}

#[tokio::test]
async fn a_configured_url_wins_over_everything() {
    let world = ProviderWorld::start().await;
    let ports = [LocalPort { kind: LocalKind::Ollama, port: world.port() }];
    let bench = chosen(Some(world.base_url()), Some("sk-or-x"), &ports).await;
    assert_eq!(bench.slots.choice().source, ChosenSource::Configured);
    assert_eq!(bench.slots.choice().model, "first/model");
}

#[tokio::test]
async fn a_server_where_only_the_main_model_is_named_does_every_job_with_it() {
    let world = ProviderWorld::start().await;
    let mut config = config(Some(world.base_url()));
    for (slot, settings) in &mut config.slots {
        settings.fallbacks.clear();
        if !matches!(slot, Slot::MainProse | Slot::MoodEval) {
            settings.model = "some/default".to_owned();
            settings.is_named = false;
        }
    }
    config.slots.get_mut(&Slot::MoodEval).unwrap().model = "small/model".to_owned();
    let at_own_server = bench(&config).await;
    let model = |bench: &Bench, slot| bench.slots.slot(slot).describe().model;
    assert_eq!(model(&at_own_server, Slot::MemoryWriter), "first/model");
    assert_eq!(model(&at_own_server, Slot::MoodEval), "small/model");
    config.slots.get_mut(&Slot::MainProse).unwrap().model = "another/model".to_owned();
    at_own_server.slots.reconfigure(&config, None).await.unwrap();
    assert_eq!(model(&at_own_server, Slot::MemoryWriter), "another/model");
    config.base_url = None;
    assert_eq!(model(&bench(&config).await, Slot::MemoryWriter), "some/default", "OpenRouter has it");
}

/// Nobody named a model: all are those that come with the program.
fn unnamed(base_url: String) -> LlmConfig {
    let mut config = config(Some(base_url));
    for slot in config.slots.values_mut() {
        slot.model = "some/default".to_owned();
        (slot.is_named, slot.fallbacks_are_named) = (false, false);
    }
    config
}

#[tokio::test]
async fn d26_with_only_a_base_url_the_model_that_is_there_is_asked() {
    let world = ProviderWorld::start().await;
    world.list_models(json!({"data": [{"id": "nomic-embed-text"}, {"id": "qwen3:8b"}]}));
    let bench = bench(&unnamed(world.base_url())).await;
    assert_eq!(bench.slots.choice().model, "qwen3:8b");
    assert_eq!(bench.slots.choice().advice, None);
    bench.ask().await.unwrap();
    assert_eq!(world.next_request().await.model(), "qwen3:8b");
    assert_eq!(bench.slots.slot(Slot::MemoryWriter).describe().model, "qwen3:8b");

    world.list_models(json!({"data": [{"id": "gemma3:4b"}, {"id": "qwen3:8b"}]}));
    bench.clock.advance(Duration::from_secs(24 * 3600));
    passes(NEVER).await;
    bench.knows("gemma3:4b").await;
    assert_eq!(bench.slots.slot(Slot::MainProse).describe().model, "qwen3:8b", "as long as it is there");
    // Where each has its price, none is taken by chance.
    let paid = super::bench(&unnamed(world.base_url())).await.slots.choice();
    let clock = ManualClock::at("2026-01-01T12:00:00Z".parse().unwrap());
    let (state, config) = (tempfile::tempdir().unwrap(), unnamed(world.base_url()));
    let own = LlmSetup { api_key: None, ..setup(&config, state.path(), &clock) };
    let own = ModelSlots::build(own).await.unwrap().choice();
    assert_eq!((own.model.as_str(), paid.model.as_str()), ("gemma3:4b", "some/default"));
    for choice in [own, paid] {
        let advice = choice.advice.unwrap();
        assert!(advice.contains("qwen3:8b") && advice.contains("llm.main_prose.model"), "{advice}");
    }
}

#[tokio::test]
async fn d26_a_server_that_lists_its_models_later_is_asked_for_one_of_them_then() {
    let world = ProviderWorld::start().await;
    world.list_models(json!({"data": []}));
    let bench = bench(&unnamed(world.base_url())).await;
    world.list_models(json!({"data": [{"id": "qwen3:8b"}]}));
    bench.ask().await.unwrap();
    assert_eq!(world.next_request().await.model(), "qwen3:8b");
}

#[tokio::test]
async fn d26_another_base_url_takes_effect_at_once_and_one_that_is_none_changes_nothing() {
    let (here, there) = (ProviderWorld::start().await, ProviderWorld::start().await);
    let mut config = config(Some(here.base_url()));
    let bench = bench(&config).await;
    let held = bench.slots.slot(Slot::MainProse);
    bench.ask().await.unwrap();
    config.base_url = Some("not an address".to_owned());
    let refused = bench.slots.reconfigure(&config, None).await.unwrap_err();
    assert!(refused.to_string().contains("not an address"), "{refused}");
    bench.ask().await.unwrap();
    assert_eq!(here.requests().len(), 2);

    config.base_url = Some(there.base_url());
    let choice = bench.slots.reconfigure(&config, None).await.unwrap().expect("it is told");
    assert_eq!(choice.base_url, Some(there.base_url()));
    bench.ask().await.unwrap();
    drop(held.complete(super::request()).await.unwrap());
    assert_eq!((here.requests().len(), there.requests().len()), (2, 2), "whoever holds a model too");
    assert_eq!(bench.slots.ledger().today().total().calls, 4, "the account goes on");
    assert!(bench.slots.reconfigure(&config, None).await.unwrap().is_none());
}

#[tokio::test]
async fn a_server_of_this_machine_that_comes_up_while_it_rehearses_is_found_when_it_looks_again() {
    let world = ProviderWorld::start().await;
    world.list_models(json!({"data": []}));
    let ports = [LocalPort { kind: LocalKind::Ollama, port: world.port() }];
    let bench = chosen(None, None, &ports).await;
    let held = bench.slots.slot(Slot::MainProse);
    assert_eq!(bench.slots.choice().source, ChosenSource::Rehearsal);
    assert!(bench.slots.reconfigure(&config(None), None).await.unwrap().is_none(), "nothing is new");
    let advice = bench.slots.choice().advice.unwrap();
    assert!(advice.contains("Ollama is there") && advice.contains("`ollama pull"), "{advice}");
    assert!(!advice.contains("start again"), "it looks by itself: {advice}");
    world.list_models(json!({"error": {"code": 503, "message": "loading"}}));
    let choice =
        bench.slots.reconfigure(&config(None), None).await.unwrap().expect("another trouble is told");
    assert!(choice.base_url.is_none() && choice.advice.unwrap().contains("answered 503: loading"));

    world.list_models(json!({"data": [{"id": "qwen3:8b"}]}));
    let choice = bench.slots.reconfigure(&config(None), None).await.unwrap().expect("it is told");
    assert_eq!((choice.source, choice.model.as_str()), (ChosenSource::Local(LocalKind::Ollama), "qwen3:8b"));
    drop(held.complete(super::request()).await.unwrap());
    assert_eq!(world.next_request().await.model(), "qwen3:8b");
    assert!(bench.slots.reconfigure(&config(None), None).await.unwrap().is_none(), "it stays");
}

#[tokio::test]
async fn a_key_alone_means_openrouter() {
    let world = ProviderWorld::start().await;
    let ports = [LocalPort { kind: LocalKind::Ollama, port: world.port() }];
    let bench = chosen(None, Some("sk-or-x"), &ports).await;
    assert_eq!(bench.slots.choice().source, ChosenSource::Key);
    assert!(!bench.slots.choice().rehearses());
    assert_eq!(bench.slots.choice().base_url.as_deref(), Some("https://openrouter.ai/api/v1"));
}

#[tokio::test]
async fn with_nothing_at_all_the_character_rehearses() {
    let bench = chosen(None, Some(" \n"), &[]).await;
    assert!(bench.slots.choice().rehearses());
    assert!(bench.slots.choice().advice.as_ref().unwrap().contains("OPENROUTER_API_KEY"));
    assert_eq!(bench.ask().await.unwrap().text, "Welcome!");
}

#[tokio::test]
async fn a_url_that_is_none_is_refused_in_words() {
    let clock = ManualClock::at("2026-01-01T12:00:00Z".parse().unwrap());
    let state = tempfile::tempdir().unwrap();
    let config = config(Some("localhost:1234".to_owned()));
    let error = ModelSlots::build(setup(&config, state.path(), &clock)).await.unwrap_err();
    assert!(error.to_string().contains("http://"), "{error}");
}

#[tokio::test]
async fn an_unknown_window_is_guessed_low_and_said_until_the_server_tells() {
    let world = ProviderWorld::start().await;
    let bench = chosen(Some(world.base_url()), None, &[]).await;
    assert_eq!(bench.slots.slot(Slot::MainProse).describe().context_window, 8_192);
    let notes = bench.slots.health().notes;
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(
        notes[0].contains("first/model") && notes[0].contains("llm.main_prose.context_window"),
        "{notes:?}"
    );

    world.list_models(json!({"data": [
        {"id": "first/model", "context_length": 32_000}, {"id": "second/model", "context_length": 64_000},
    ]}));
    bench.knows("second/model").await;
    assert_eq!(bench.slots.slot(Slot::MainProse).describe().context_window, 32_000);
    assert_eq!(bench.slots.health().notes, [] as [&str; 0]);
}
