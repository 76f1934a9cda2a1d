//! Models whose chat templates take one order of roles, behind the servers that people run them with.

use familiar_connect::domain::{ChatMessage, ModelErrorClass, Role, Slot, ToolSpec};
use familiar_connect::llm::{CompletionRequest, Delta, ModelSlots, tool_tokens, tools_in_words};
use familiar_connect::text::tokens;
use futures::StreamExt as _;
use serde_json::json;

use super::{Bench, alone, alone_at, config, setup};
use crate::support::provider::{Filler, ProviderWorld, Reply, Strict, Template};

/// What a reply is asked for with: two instructions, a greeting, two people, a line at the end, a tool.
fn conversation() -> CompletionRequest {
    let said = |name: &str, words: &str| ChatMessage {
        name: Some(name.to_owned()),
        ..ChatMessage::new(Role::User, words)
    };
    let tool = ToolSpec {
        name: "dice".to_owned(),
        description: "Throws.".to_owned(),
        parameters: json!({"type": "object", "properties": {}}),
    };
    CompletionRequest {
        tools: vec![tool],
        ..CompletionRequest::new(
            Slot::MainProse,
            vec![
                ChatMessage::new(Role::System, "You are Mira."),
                ChatMessage::new(Role::System, "Be brief."),
                ChatMessage::new(Role::Assistant, "Welcome!"),
                said("Ben", "Ben: hi"),
                said("Ana", "Ana: hello"),
                ChatMessage::new(Role::Assistant, "Good evening."),
                said("Ana", "Ana: what time is it?"),
                ChatMessage::new(Role::System, "It is late."),
            ],
        )
    }
}

async fn asks(slots: &ModelSlots) -> String {
    let mut stream = slots.slot(Slot::MainProse).complete(conversation()).await.unwrap();
    let mut text = String::new();
    while let Some(delta) = stream.next().await {
        if let Delta::Text(words) = delta.unwrap() {
            text.push_str(&words);
        }
    }
    text
}

#[tokio::test]
async fn d25_what_a_strict_template_refuses_is_asked_again_as_it_wants_it_and_so_from_then_on() {
    for template in [Template::Gemma, Template::Mistral] {
        for filler in [Filler::LlamaCpp, Filler::LmStudio, Filler::Vllm] {
            let which = format!("{template:?} in {filler:?}");
            let world = ProviderWorld::start().await;
            world.is_strict(Strict { template, filler });
            let bench: Bench = alone_at(&world).await;
            assert_eq!(asks(&bench.slots).await, "Understood.", "{which}");
            let tried = world.requests().len();
            assert!(tried <= 4, "{which}: {tried}");
            assert_eq!(bench.slots.health().left_alone, [], "{which}");
            assert_eq!(bench.slots.health().last_error, None, "{which}: it was no trouble");

            assert_eq!(asks(&bench.slots).await, "Understood.", "{which}");
            bench.slots.flush().await;
            let mut config = config(Some(world.base_url()));
            config.slots.values_mut().for_each(|slot| slot.fallbacks.clear());
            let again = ModelSlots::build(setup(&config, bench.state.path(), &bench.clock)).await.unwrap();
            assert_eq!(asks(&again).await, "Understood.", "{which}");
            assert_eq!(world.requests().len(), tried + 2, "{which}: known, and after a restart too");

            let prompt = world.requests().pop().unwrap().prompt();
            let parts = [
                "You are Mira.",
                "Be brief.",
                "Welcome!",
                "Ben: hi",
                "Ana: hello",
                "Good evening.",
                "It is late.",
            ];
            let places: Vec<_> = parts.iter().map(|part| prompt.find(part)).collect();
            assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{which}: {prompt}");
        }
    }
}

#[tokio::test]
async fn d25_a_refusal_that_no_shape_helps_is_told() {
    let (world, bench) = alone().await;
    world.otherwise(Reply::json(
        500,
        &json!({"error": {"code": 500, "message": "Error: Jinja Exception: Unknown filter", "type": "server_error"}}),
    ));
    let error = bench.slots.slot(Slot::MainProse).complete(conversation()).await.err().unwrap();
    assert_eq!(error.class, ModelErrorClass::Server);
    assert!(error.message.contains("Unknown filter"), "{}", error.message);
    assert!(world.requests().len() <= 4, "{}", world.requests().len());
}

#[tokio::test]
async fn d26_a_model_that_is_refused_tools_is_told_of_them_in_words_and_calls_them_in_words() {
    let (world, bench) = alone().await;
    let describes = || bench.slots.slot(Slot::MainProse).describe().takes_tools();
    assert!(describes(), "nobody has said anything against it");
    world.script(Reply::refuses(400, "registry.ollama.ai/library/gemma:2b does not support tools"));
    assert_eq!(asks(&bench.slots).await, "Understood.");
    let asked = world.requests();
    assert_eq!(asked.iter().map(|one| one.body.get("tools").is_some()).collect::<Vec<_>>(), [true, false]);
    assert!(describes(), "in words it takes them");
    let recorded = bench.slots.told(&conversation());
    let sent = asked[1].body["messages"].as_array().unwrap();
    let sent: Vec<&str> = sent.iter().filter_map(|message| message["content"].as_str()).collect();
    let recorded_words: Vec<&str> = recorded.messages.iter().map(|message| &*message.content).collect();
    assert_eq!(recorded_words, sent, "the trace has what was sent");
    assert!(recorded.parameters.get("tools").is_none(), "{}", recorded.parameters);
    assert_eq!(recorded.parameters["tools_in_words"][0]["function"]["name"], "dice");
    let model = bench.slots.slot(Slot::MainProse).describe();
    let words = tools_in_words(&conversation().tools);
    assert_eq!(
        tool_tokens(&conversation().tools, &model),
        model.scale(tokens::count(model.encoding, &words))
    );
    let told = asked[1].body["messages"].to_string();
    assert!(told.contains("```tool") && told.contains("dice: Throws."), "{told}");

    let block = "Let me look.\n```tool\n{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}\n```";
    world.script(Reply::says(block));
    let mut stream = bench.slots.slot(Slot::MainProse).complete(conversation()).await.unwrap();
    let (mut said, mut called) = (String::new(), Vec::new());
    while let Some(delta) = stream.next().await {
        match delta.unwrap() {
            Delta::Text(words) => said.push_str(&words),
            Delta::ToolCall(call) => called.push((call.name, call.arguments)),
            _ => {}
        }
    }
    assert_eq!(said, "Let me look.\n");
    assert_eq!(called, [(Some("dice".to_owned()), r#"{"sides":6}"#.to_owned())]);

    // A model that cannot write such blocks gets no tools any more, and nobody sees its attempts.
    for _ in 0..3 {
        world.script(Reply::says("Hm.\n```tool\n{name: dice\n```"));
        assert_eq!(asks(&bench.slots).await, "Hm.\n");
    }
    assert!(!describes());
    asks(&bench.slots).await;
    let last = world.requests().pop().unwrap();
    assert!(!last.body["messages"].to_string().contains("```tool"), "{}", last.body);
}
