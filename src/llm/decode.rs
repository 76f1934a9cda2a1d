//! From the JSON payloads of a stream to deltas, with `<think>…</think>` taken out of the words.
//!
//! Pure: bytes and framing are the transport's. Fields are picked leniently, because servers disagree about types
//! (numeric codes, `null` content, content as parts); only what is not JSON at all is an error. Servers that do not know a
//! model's thinking syntax pass it through as content. Tags may be split over chunks, so an ending that could still become
//! one is held back until it is decided.

use serde_json::Value;

use super::failure::ProviderError;
use super::{Delta, ToolCallDelta};
use crate::domain::{FinishReason, Usage};

/// Decodes one answer. Feed it every payload in order, then take [`Decoder::end`].
#[derive(Debug, Default)]
pub struct Decoder {
    think: ThinkSplitter,
    ending: Ending,
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
    /// Not JSON, or not an object.
    Malformed(String),
    /// The provider's own error, sent in place of words.
    Provider {
        /// `code`, where it is a number.
        status: Option<u16>,
        /// `code` or `type`, where it is a word.
        code: String,
        message: String,
    },
}

impl DecodeError {
    pub(crate) fn provider(error: ProviderError) -> Self {
        Self::Provider { status: error.status, code: error.code, message: error.message }
    }
}

impl Decoder {
    /// Decodes the data of one server-sent event.
    pub fn payload(&mut self, data: &str) -> Result<Vec<Delta>, DecodeError> {
        if data.trim() == "[DONE]" {
            return Ok(Vec::new());
        }
        let value: Value =
            serde_json::from_str(data).map_err(|error| DecodeError::Malformed(error.to_string()))?;
        self.value(&value)
    }

    /// Decodes one payload that is parsed already.
    pub fn value(&mut self, payload: &Value) -> Result<Vec<Delta>, DecodeError> {
        if !payload.is_object() {
            return Err(DecodeError::Malformed("a payload that is no object".to_owned()));
        }
        self.ending.payloads += 1;
        if let Some(provider) = payload.get("provider").and_then(Value::as_str) {
            self.ending.provider = Some(provider.to_owned());
        }
        if let Some(usage) = payload.get("usage").filter(|usage| usage.is_object()) {
            self.ending.usage = Some(read_usage(usage, payload));
        }
        if payload.get("error").is_some_and(|error| !error.is_null()) {
            return Err(ProviderError::read(payload).map_or_else(
                || DecodeError::Malformed("an error without words".to_owned()),
                DecodeError::provider,
            ));
        }
        let Some(choice) = payload.pointer("/choices/0") else { return Ok(Vec::new()) };
        if let Some(error) = ProviderError::read(choice).filter(|_| choice.get("error").is_some()) {
            return Err(DecodeError::provider(error));
        }
        // Some servers repeat the last chunk, words included, to attach the usage to it.
        let deltas = if self.ending.finish.is_none() { self.words(choice) } else { Vec::new() };
        match choice.get("finish_reason").and_then(Value::as_str) {
            None | Some("") => {}
            Some("error") => {
                let message = "the provider ended the answer with an error".to_owned();
                return Err(DecodeError::provider(ProviderError { message, ..ProviderError::default() }));
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
    pub fn end(mut self) -> (Vec<Delta>, Ending) {
        (pieces(self.think.finish()).collect(), self.ending)
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
            deltas.extend(pieces(self.think.push(&words)));
        }
        let calls = delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
        deltas.extend(calls.enumerate().map(|(position, call)| Delta::ToolCall(tool_call(position, call))));
        deltas
    }
}

fn pieces(pieces: Vec<Piece>) -> impl Iterator<Item = Delta> {
    pieces.into_iter().map(|piece| match piece {
        Piece::Text(words) => Delta::Text(words),
        Piece::Thought(words) => Delta::Reasoning(words),
        Piece::ThoughtAloud => Delta::ThoughtAloud,
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

/// The tags that models use, opening and closing.
const TAGS: &[(&str, &str)] = &[("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// A piece of content, told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Thought(String),
    /// All text so far was thinking.
    ThoughtAloud,
}

/// Splits content into text and thought.
#[derive(Debug, Default)]
pub(super) struct ThinkSplitter {
    /// The closing tag that is awaited, inside a thought.
    closing: Option<&'static str>,
    /// An ending that may be the beginning of a tag.
    held: String,
    /// White space after a thought belongs to neither.
    trim_next: bool,
    /// A thought was told apart, or given up on: what is text stays text.
    is_told_apart: bool,
    last: Option<char>,
}

impl ThinkSplitter {
    /// The pieces that are decided with this chunk.
    pub(super) fn push(&mut self, chunk: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut text = std::mem::take(&mut self.held);
        text.push_str(chunk);
        let mut rest = text.as_str();
        loop {
            let found = match self.closing {
                Some(closing) => rest.find(closing).map(|at| (at, closing, None)),
                None => TAGS
                    .iter()
                    .flat_map(|(open, close)| [(*open, Some(*close)), (*close, None)])
                    .filter_map(|(tag, closing)| rest.find(tag).map(|at| (at, tag, closing)))
                    .min_by_key(|(at, _, _)| *at),
            };
            let Some((at, tag, next)) = found else { break };
            self.emit(&rest[..at], &mut pieces);
            // Servers that put the opening tag into the prompt pass on the closing one alone. Behind a backtick it is a
            // word about tags.
            let is_lone = self.closing.is_none() && next.is_none();
            if is_lone && !self.is_told_apart && self.last != Some('`') {
                pieces.push(Piece::ThoughtAloud);
            }
            self.is_told_apart = true;
            self.trim_next = next.is_none();
            self.closing = next;
            rest = &rest[at + tag.len()..];
        }
        let decided = rest.len() - self.undecided(rest);
        self.emit(&rest[..decided], &mut pieces);
        self.held = rest[decided..].to_owned();
        pieces
    }

    /// The end of the content: what was held back is what it looks like.
    pub(super) fn finish(&mut self) -> Vec<Piece> {
        let held = std::mem::take(&mut self.held);
        let mut pieces = Vec::new();
        self.emit(&held, &mut pieces);
        pieces
    }

    fn emit(&mut self, words: &str, pieces: &mut Vec<Piece>) {
        if self.closing.is_some() {
            if !words.is_empty() {
                pieces.push(Piece::Thought(words.to_owned()));
            }
            return;
        }
        let words = if self.trim_next { words.trim_start() } else { words };
        if !words.is_empty() {
            self.trim_next = false;
            self.last = words.chars().last();
            pieces.push(Piece::Text(words.to_owned()));
        }
    }

    /// Bytes at the end of `rest` that could be the beginning of a tag.
    fn undecided(&self, rest: &str) -> usize {
        let Some(at) = rest.rfind('<') else { return 0 };
        let tail = &rest[at..];
        let could_be = match self.closing {
            Some(closing) => closing.starts_with(tail),
            None => TAGS.iter().any(|(open, close)| open.starts_with(tail) || close.starts_with(tail)),
        };
        if could_be { tail.len() } else { 0 }
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod think_tests {
    use proptest::prelude::*;

    use super::*;

    /// Text and thought, each joined.
    fn split(chunks: &[&str]) -> (String, String) {
        let mut splitter = ThinkSplitter::default();
        let mut pieces: Vec<Piece> = chunks.iter().flat_map(|chunk| splitter.push(chunk)).collect();
        pieces.extend(splitter.finish());
        let mut both = (String::new(), String::new());
        for piece in pieces {
            match piece {
                Piece::Text(words) => both.0.push_str(&words),
                Piece::Thought(words) => both.1.push_str(&words),
                Piece::ThoughtAloud => both.1.push_str(&std::mem::take(&mut both.0)),
            }
        }
        both
    }

    fn pair(text: &str, thought: &str) -> (String, String) {
        (text.to_owned(), thought.to_owned())
    }

    #[test]
    fn thoughts_leave_the_text_whole() {
        assert_eq!(split(&["<think>hm</think>\n\nHello"]), pair("Hello", "hm"));
        assert_eq!(split(&["<th", "ink>h", "m</thi", "nk>", "\n", "\nHel", "lo"]), pair("Hello", "hm"));
        assert_eq!(split(&["One <thinking>x</thinking> two"]), pair("One two", "x"));
        assert_eq!(split(&["<think>never closed"]), pair("", "never closed"));
    }

    #[test]
    fn other_angle_brackets_are_text() {
        assert_eq!(split(&["a < b, <3 and <thin"]), pair("a < b, <3 and <thin", ""));
        assert_eq!(split(&["<", "t", "able>"]), pair("<table>", ""));
        assert_eq!(split(&["<think>a < b</think>c"]), pair("c", "a < b"));
    }

    #[test]
    fn a_closing_tag_without_an_opening_one_is_dropped() {
        assert_eq!(split(&["</think>Hello"]), pair("Hello", ""));
    }

    proptest! {
        #[test]
        fn chunking_never_changes_the_result(
            parts in prop::collection::vec(prop_oneof![
                Just("<think>".to_owned()), Just("</think>".to_owned()), Just("<".to_owned()),
                Just("</thinking>".to_owned()), Just("<thinking>".to_owned()), "[a-z< é]{0,6}",
            ], 0..12),
            cuts in prop::collection::vec(0usize..80, 0..12),
        ) {
            let whole = parts.concat();
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|at| *at <= whole.len() && whole.is_char_boundary(*at)).collect();
            cuts.extend([0, whole.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&str> = cuts.windows(2).map(|pair| &whole[pair[0]..pair[1]]).collect();
            prop_assert_eq!(split(&chunks), split(&[&whole]));
        }
    }
}
