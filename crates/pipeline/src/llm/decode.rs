//! From the JSON payloads of a stream to deltas, with `<think>…</think>` taken out of the words.
//!
//! Pure: bytes and framing are the transport's. Fields are picked leniently, because servers disagree about types
//! (numeric codes, `null` content, content as parts); only what is no object is an error.

use serde_json::Value;

use super::failure::ApiErrorObject;
use super::hidden::{Piece, THINKING, TagFilter};
use super::{Delta, ToolCallDelta};
use crate::domain::{FinishReason, Usage};

/// Decodes one answer. Feed it every payload in order, then take [`Decoder::end`].
#[derive(Debug)]
pub struct Decoder {
    think: TagFilter,
    ending: Ending,
}

impl Default for Decoder {
    fn default() -> Self {
        Self { think: TagFilter::of(THINKING), ending: Ending::default() }
    }
}

/// What is known once an answer has ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ending {
    /// Why the model stopped, where the server said.
    pub finish: Option<FinishReason>,
    /// As last reported; a doubled final chunk is not added up.
    pub usage: Option<Usage>,
    /// The upstream provider, where named.
    pub provider: Option<String>,
    pub payloads: u64,
}

/// A payload that ends the answer with an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecodeError {
    /// Not an object.
    Malformed,
    /// The provider's own error, sent in place of words.
    Provider(ApiErrorObject),
}

impl Decoder {
    /// What one payload brings.
    ///
    /// # Errors
    /// Where it is no object, or an error that the provider sent in place of words.
    pub fn value(&mut self, payload: &Value) -> Result<Vec<Delta>, DecodeError> {
        if !payload.is_object() {
            return Err(DecodeError::Malformed);
        }
        self.ending.payloads += 1;
        if let Some(provider) = payload.get("provider").and_then(Value::as_str) {
            self.ending.provider = Some(provider.to_owned());
        }
        if let Some(usage) = payload.get("usage").filter(|usage| usage.is_object()) {
            self.ending.usage = Some(read_usage(usage, payload));
        }
        if let Some(error) = ApiErrorObject::in_field(payload) {
            return Err(DecodeError::Provider(error));
        }
        let Some(choice) = payload.pointer("/choices/0") else { return Ok(Vec::new()) };
        if let Some(error) = ApiErrorObject::in_field(choice) {
            return Err(DecodeError::Provider(error));
        }
        // Some servers repeat the last chunk, words included, to attach the usage to it.
        let deltas = if self.ending.finish.is_none() { self.words(choice) } else { Vec::new() };
        match choice.get("finish_reason").and_then(Value::as_str) {
            None | Some("") => {}
            Some("error") => {
                let message = "the provider ended the answer with an error".to_owned();
                return Err(DecodeError::Provider(ApiErrorObject { message, ..ApiErrorObject::default() }));
            }
            Some(reason) => {
                self.ending.finish.get_or_insert_with(|| read_finish(reason));
            }
        }
        Ok(deltas)
    }

    /// Whether the server has said why the model stopped.
    pub fn is_finished(&self) -> bool {
        self.ending.finish.is_some()
    }

    /// The answer is over: what was held back, and what is known about it.
    pub fn end(self) -> (Vec<Delta>, Ending) {
        (into_deltas(self.think.last_pieces()).collect(), self.ending)
    }

    fn words(&mut self, choice: &Value) -> Vec<Delta> {
        // `message` is where an answer in one piece has what a stream has in `delta`.
        let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) else { return Vec::new() };
        let mut deltas = Vec::new();
        let thought = reasoning(delta);
        if !thought.is_empty() {
            deltas.push(Delta::Reasoning(thought));
        }
        for field in ["content", "refusal"] {
            let words = delta.get(field).map(text_of).unwrap_or_default();
            deltas.extend(into_deltas(self.think.pieces(&words)));
        }
        let calls = delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
        deltas.extend(calls.enumerate().map(|(position, call)| Delta::ToolCall(tool_call(position, call))));
        deltas
    }
}

fn into_deltas(pieces: Vec<Piece>) -> impl Iterator<Item = Delta> {
    pieces.into_iter().map(|piece| match piece {
        Piece::Words(words) => Delta::Text(words),
        Piece::Hidden(words) => Delta::Reasoning(words),
        Piece::HiddenSoFar => Delta::ThoughtAloud,
    })
}

/// `content` is a string, null, or a list of parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(words) => words.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        _ => String::new(),
    }
}

/// OpenRouter sends the same thought as `reasoning` and as `reasoning_details`; the first field that has words counts.
fn reasoning(delta: &Value) -> String {
    for field in ["reasoning", "reasoning_content"] {
        if let Some(words) = delta.get(field).and_then(Value::as_str).filter(|words| !words.is_empty()) {
            return words.to_owned();
        }
    }
    let details = delta.get("reasoning_details").and_then(Value::as_array);
    details
        .into_iter()
        .flatten()
        .filter_map(|detail| detail.get("text").or_else(|| detail.get("summary")).and_then(Value::as_str))
        .collect()
}

fn tool_call(position: usize, call: &Value) -> ToolCallDelta {
    let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str);
    let index = call.get("index").and_then(Value::as_u64).and_then(|index| u32::try_from(index).ok());
    let arguments = match call.pointer("/function/arguments") {
        Some(Value::String(piece)) => piece.clone(),
        // Some servers send the arguments as an object, all at once.
        Some(object @ Value::Object(_)) => object.to_string(),
        _ => String::new(),
    };
    ToolCallDelta {
        index: index.or_else(|| u32::try_from(position).ok()).unwrap_or_default(),
        id: text("/id").filter(|id| !id.is_empty()).map(str::to_owned),
        name: text("/function/name").filter(|name| !name.is_empty()).map(str::to_owned),
        arguments,
    }
}

fn read_finish(reason: &str) -> FinishReason {
    match reason {
        "stop" | "eos" | "end_turn" | "stop_sequence" => FinishReason::Stop,
        "length" | "max_tokens" => FinishReason::Length,
        "tool_calls" | "function_call" | "tool_use" => FinishReason::ToolCalls,
        "content_filter" => FinishReason::ContentFilter,
        other => FinishReason::Other(other.to_owned()),
    }
}

fn read_usage(usage: &Value, payload: &Value) -> Usage {
    let count = |pointers: &[&str]| {
        let found = pointers.iter().find_map(|pointer| usage.pointer(pointer).and_then(Value::as_u64));
        u32::try_from(found.unwrap_or_default()).unwrap_or(u32::MAX)
    };
    let number = |of: &Value, key: &str| {
        let value = of.get(key)?;
        let value: f64 = value.as_f64().or_else(|| value.as_str()?.parse().ok())?;
        value.is_finite().then_some(value)
    };
    Usage {
        prompt_tokens: count(&["/prompt_tokens", "/input_tokens"]),
        completion_tokens: count(&["/completion_tokens", "/output_tokens"]),
        cached_tokens: count(&[
            "/prompt_tokens_details/cached_tokens",
            "/prompt_cache_hit_tokens",
            "/cache_read_input_tokens",
        ]),
        cache_write_tokens: count(&[
            "/prompt_tokens_details/cache_write_tokens",
            "/cache_creation_input_tokens",
        ]),
        reasoning_tokens: count(&["/completion_tokens_details/reasoning_tokens"]),
        cost_usd: number(usage, "cost").filter(|cost| *cost >= 0.0),
        cache_discount_usd: number(usage, "cache_discount").or_else(|| number(payload, "cache_discount")),
    }
}

#[cfg(test)]
mod tests;
