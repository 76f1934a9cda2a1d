//! The whole way from bytes to deltas, in any chunking.

use std::convert::Infallible;

use futures::{FutureExt as _, stream};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::llm::attempt::payloads;

/// What a server answers in these chunks.
fn canned(chunks: Vec<Vec<u8>>) -> reqwest::Response {
    let body = reqwest::Body::wrap_stream(stream::iter(chunks.into_iter().map(Ok::<_, Infallible>)));
    http::Response::builder().header("content-type", "text/event-stream").body(body).unwrap().into()
}

/// Text, thought and tool arguments joined, and how it ended.
#[derive(Debug, PartialEq, Default)]
struct Heard {
    text: String,
    thought: String,
    arguments: String,
    ending: Option<Result<Ending, ModelErrorClass>>,
}

async fn hear(chunks: Vec<Vec<u8>>) -> Heard {
    let endpoint = Endpoint::new("http://127.0.0.1:9/v1", None).unwrap();
    let minute = Duration::from_secs(60);
    let patience = AttemptPatience { first: minute, between: minute, whole: minute };
    let (response, at) = (canned(chunks), endpoint.clone());
    let opening = async move { payloads(response, &at, minute).await }.boxed();
    let mut attempt = Attempt::new(opening, Slot::MainProse, "m".into(), None, patience);
    let mut heard = Heard::default();
    loop {
        match attempt.next(&endpoint).await {
            Ok(AttemptStep::Delta(Delta::Text(words))) => heard.text.push_str(&words),
            Ok(AttemptStep::Delta(Delta::Reasoning(words))) => heard.thought.push_str(&words),
            Ok(AttemptStep::Delta(Delta::ToolCall(call))) => heard.arguments.push_str(&call.arguments),
            Ok(AttemptStep::Delta(_)) => {}
            Ok(AttemptStep::Done(ending)) => {
                heard.ending = Some(Ok(ending));
                return heard;
            }
            Err(error) => {
                heard.ending = Some(Err(error.class));
                return heard;
            }
        }
    }
}

fn run(chunks: Vec<Vec<u8>>) -> Heard {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(hear(chunks))
}

fn cut(bytes: &[u8], mut cuts: Vec<usize>) -> Vec<Vec<u8>> {
    cuts.retain(|at| *at <= bytes.len());
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| bytes[pair[0]..pair[1]].to_vec()).collect()
}

/// Everything a stream may hold, modelled on recorded ones.
fn wire(line_end: &str) -> String {
    let delta = |delta: Value| json!({"provider": "P", "choices": [{"delta": delta, "finish_reason": null}]});
    let last = json!({"choices": [{"delta": {"content": ""}, "finish_reason": "stop"}]});
    let mut usage = last.clone();
    usage["usage"] = json!({"prompt_tokens": 7, "completion_tokens": 9, "cost": 0.5});
    let call =
        json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{\"é\":1}"}}]});
    let payloads = [
        delta(json!({"content": "", "reasoning": "hm\n"})),
        delta(json!({"content": "<thi"})),
        delta(json!({"content": "nk>so</think> Grüß"})),
        delta(json!({"content": " dich, 爱 🦊"})),
        delta(call),
        last,
        usage,
    ];
    let mut wire = format!(": OPENROUTER PROCESSING{line_end}{line_end}");
    for payload in payloads {
        wire.push_str(&format!("data: {payload}{line_end}{line_end}"));
    }
    wire.push_str(&format!("data: [DONE]{line_end}{line_end}"));
    wire
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_chunking_of_the_bytes_gives_the_same_answer(
        cuts in prop::collection::vec(0usize..1_200, 0..60), crlf in any::<bool>(),
    ) {
        let wire = wire(if crlf { "\r\n" } else { "\n" });
        let heard = run(cut(wire.as_bytes(), cuts));
        prop_assert_eq!(heard.text.as_str(), "Grüß dich, 爱 🦊");
        prop_assert_eq!(heard.thought.as_str(), "hm\nso");
        prop_assert_eq!(heard.arguments.as_str(), "{\"é\":1}");
        let ending = heard.ending.unwrap().unwrap();
        prop_assert_eq!(ending.usage.unwrap().completion_tokens, 9);
        prop_assert_eq!(ending.provider.as_deref(), Some("P"));
    }

    #[test]
    fn damaged_bytes_end_the_answer_and_never_the_program(
        damage in prop::collection::vec((0usize..1_200, any::<u8>()), 1..8),
        cuts in prop::collection::vec(0usize..1_200, 0..8), end in 0usize..1_300,
    ) {
        let mut bytes = wire("\n").into_bytes();
        for (at, byte) in damage {
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
        }
        bytes.truncate(end);
        prop_assert!(run(cut(&bytes, cuts)).ending.is_some());
    }

    #[test]
    fn noise_is_no_answer(noise in prop::collection::vec(any::<u8>(), 0..200)) {
        let ending = run(vec![noise]).ending;
        prop_assert!(matches!(ending, Some(Err(ModelErrorClass::Malformed | ModelErrorClass::BrokeOff))), "{:?}", ending);
    }
}

#[test]
fn one_byte_at_a_time_is_enough() {
    let wire = wire("\n").into_bytes();
    let whole = run(vec![wire.clone()]);
    let single = run(wire.into_iter().map(|byte| vec![byte]).collect());
    assert_eq!(single, whole);
}
