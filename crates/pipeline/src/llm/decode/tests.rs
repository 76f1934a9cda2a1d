use proptest::prelude::*;
use serde_json::json;

use super::*;

fn decode(payloads: &[Value]) -> (Vec<Delta>, Ending) {
    let mut decoder = Decoder::default();
    let mut deltas: Vec<Delta> =
        payloads.iter().flat_map(|payload| decoder.value(payload).unwrap()).collect();
    let (held, ending) = decoder.end();
    deltas.extend(held);
    (deltas, ending)
}

fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn text(words: &str) -> Delta {
    Delta::Text(words.to_owned())
}

fn thought(words: &str) -> Delta {
    Delta::Reasoning(words.to_owned())
}

#[test]
fn a_doubled_last_chunk_counts_once() {
    let last = json!({"choices": [{"delta": {"content": "!"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 14, "completion_tokens": 3, "cost": 0.5}});
    let (deltas, ending) = decode(&[delta(json!({"content": "Hi"})), last.clone(), last]);
    assert_eq!(deltas, [text("Hi"), text("!")]);
    assert_eq!(ending.finish, Some(FinishReason::Stop));
    let usage = ending.usage.unwrap();
    assert_eq!((usage.prompt_tokens, usage.completion_tokens, usage.cost_usd), (14, 3, Some(0.5)));
}

#[test]
fn usage_comes_in_every_spelling() {
    let (_, ending) = decode(&[json!({"provider": "Azure", "choices": [], "usage": {
        "prompt_tokens": 10, "completion_tokens": 20, "cost": "0.25", "cache_discount": -0.125,
        "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 5},
        "completion_tokens_details": {"reasoning_tokens": 6}}})]);
    let usage = Usage {
        prompt_tokens: 10,
        completion_tokens: 20,
        cached_tokens: 4,
        cache_write_tokens: 5,
        reasoning_tokens: 6,
        cost_usd: Some(0.25),
        cache_discount_usd: Some(-0.125),
    };
    assert_eq!(ending.usage, Some(usage));
    assert_eq!(ending.provider.as_deref(), Some("Azure"));
    let (_, ending) = decode(&[json!({"cache_discount": "0.5", "usage": {
        "input_tokens": 9, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 1}})]);
    let usage = ending.usage.unwrap();
    assert_eq!((usage.cached_tokens, usage.cache_write_tokens, usage.cache_discount_usd), (7, 1, Some(0.5)));
    let (_, ending) = decode(&[json!({"usage": {"prompt_tokens": null, "cost": -1}})]);
    assert_eq!(ending.usage, Some(Usage::default()));
}

#[test]
fn thinking_is_found_in_every_field() {
    let (deltas, _) = decode(&[
        delta(json!({"content": "", "reasoning": "a", "reasoning_details": [{"text": "a"}]})),
        delta(json!({"content": null, "reasoning_content": "b"})),
        delta(json!({"reasoning_details": [{"summary": "c"}, {"signature": "x"}]})),
        delta(json!({"content": "<think>d</think> Hi"})),
    ]);
    assert_eq!(deltas, [thought("a"), thought("b"), thought("c"), thought("d"), text("Hi")]);
}

#[test]
fn tool_calls_are_carried_in_fragments() {
    let (deltas, ending) = decode(&[
        delta(
            json!({"tool_calls": [{"index": 1, "id": "c1", "function": {"name": "look", "arguments": ""}}]}),
        ),
        delta(json!({"tool_calls": [{"index": 1, "function": {"arguments": "{\"a\":1}"}}]})),
        json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}),
    ]);
    let first = ToolCallDelta {
        index: 1,
        id: Some("c1".into()),
        name: Some("look".into()),
        arguments: String::new(),
    };
    let second = ToolCallDelta { index: 1, id: None, name: None, arguments: "{\"a\":1}".into() };
    assert_eq!(deltas, [Delta::ToolCall(first), Delta::ToolCall(second)]);
    assert_eq!(ending.finish, Some(FinishReason::ToolCalls));
}

#[test]
fn parts_refusals_and_whole_answers_are_words() {
    assert_eq!(decode(&[delta(json!({"content": [{"type": "text", "text": "Hi"}]}))]).0, [text("Hi")]);
    assert_eq!(decode(&[delta(json!({"content": "", "refusal": "No."}))]).0, [text("No.")]);
    let whole = json!({"choices": [{"message": {"content": "All of it"}, "finish_reason": "stop"}]});
    assert_eq!(decode(&[whole]).0, [text("All of it")]);
}

#[test]
fn an_empty_completion_is_an_ending_without_words() {
    let (deltas, ending) =
        decode(&[json!({"choices": [{"delta": {"content": ""}, "finish_reason": "stop"}]})]);
    assert_eq!(deltas, []);
    assert_eq!(ending.finish, Some(FinishReason::Stop));
}

#[test]
fn errors_inside_the_stream_are_errors() {
    let error = |payload: Value| Decoder::default().value(&payload).unwrap_err();
    let provider = |status, message: &str| {
        let message = message.to_owned();
        DecodeError::Provider(ApiErrorObject { status, message, ..ApiErrorObject::default() })
    };
    assert_eq!(
        error(json!({"error": {"code": 502, "message": "gone"}, "choices": [{"finish_reason": "error"}]})),
        provider(Some(502), "gone")
    );
    assert_eq!(
        error(json!({"choices": [{"error": {"code": 429, "message": "slow"}}]})),
        provider(Some(429), "slow")
    );
    assert!(matches!(error(json!({"choices": [{"finish_reason": "error"}]})), DecodeError::Provider(_)));
    assert_eq!(error(json!([1])), DecodeError::Malformed);
    let whole = json!({"choices": [{"error": null, "message": {"content": "Hi"}}]});
    assert_eq!(decode(&[whole]).0, [text("Hi")], "none is no error");
}

#[test]
fn finish_reasons_that_say_nothing_do_not_end_the_words() {
    let chunk = |words: &str| json!({"choices": [{"delta": {"content": words}, "finish_reason": ""}]});
    assert_eq!(decode(&[chunk("a"), chunk("b")]).0, [text("a"), text("b")]);
}

/// Payload-shaped garbage: the right keys with any values.
fn garbage() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[<>/a-z]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let keys = prop::sample::select(vec![
            "choices",
            "delta",
            "message",
            "content",
            "reasoning",
            "reasoning_details",
            "tool_calls",
            "function",
            "arguments",
            "index",
            "finish_reason",
            "usage",
            "prompt_tokens",
            "cost",
            "error",
            "code",
            "provider",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((keys, inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    })
}

proptest! {
    #[test]
    fn garbage_never_panics(payloads in prop::collection::vec(garbage(), 0..6), noise in ".{0,60}") {
        let mut decoder = Decoder::default();
        for payload in &payloads {
            let _ = decoder.value(payload);
        }
        let _ = decoder.value(&Value::from(noise));
        let _ = decoder.end();
    }
}
