//! What of a turn's own tool use is sent again: the calls a model made and what came back (specs mechanisms Y7, Y8, Y10).
//!
//! Pure functions from a transcript to a smaller one that says the same: failed attempts that later succeeded become one
//! line, reads that were repeated are blanked where they stand, long results keep their head and their tail. Must not
//! know what a tool does. Start reading at [`prune`].
//!
//! Two things of Y10 do not arise here. Thinking is never sent again, because it never gets into a round: the stream's
//! reasoning is dropped as it comes. And the provider's cache is never cold: a transcript lives as long as one reply,
//! whose requests follow each other within minutes.

use std::collections::{HashMap, HashSet};

use crate::text::short::{one_line, shortened};

/// The longest result of a tool that is sent, in characters: the one cap there is (specs mechanisms Y4, Y10).
pub const RESULT_MAX_CHARS: usize = 10_000;

/// What is blanked may have at most this many tokens behind it: everything behind a change is paid for in full again
/// (Y10).
const SUFFIX_TOKENS: u32 = 8_000;

/// Blanking starts once the transcript takes this many tokens (Y10); below, the cache is worth more.
const BLANK_FROM_TOKENS: u32 = 3_000;

/// Most results blanked at once (Y10).
const BLANK_MAX: usize = 5;

/// So much is told of an attempt that failed where a later one did not, in characters.
const FAILED_CHARS: usize = 80;

/// Stands in the place of a result that a later one made obsolete.
const SUPERSEDED: &str = "[read again below]";

/// One entry of a turn's transcript, in the order it happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TranscriptEntry {
    /// The model called a tool.
    Call(PrunedCall),
    Result(PrunedResult),
    /// The model's words beside its calls.
    Text(String),
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrunedCall {
    /// Joins it to its result.
    pub id: String,
    pub tool: String,
    /// What the call asks for. What two calls of one tool with the same intent read is the same.
    pub intent: String,
    /// What the call was for, whatever the other arguments: the file, the query, the person. Two calls of one tool with the
    /// same are attempts at the same thing.
    pub attempt: String,
    /// Whether it only looks something up, so that a later look makes it obsolete.
    pub effect: CallEffect,
}

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEffect {
    Reads,
    /// Changes something; its result is never blanked.
    Acts,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrunedResult {
    /// The call it belongs to.
    pub call: String,
    pub ended: CallOutcome,
    /// What the model is told.
    pub text: String,
    pub tokens: u32,
}

/// How a call went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// It did what it was for.
    Well,
    Badly,
}

/// All of it, in the order that leaves most to the later steps. `count` counts tokens.
pub fn prune(mut transcript: Vec<TranscriptEntry>, count: &dyn Fn(&str) -> u32) -> Vec<TranscriptEntry> {
    shorten_failed_attempts(&mut transcript, count);
    cut_results(&mut transcript, count);
    blank_superseded(&mut transcript, count);
    transcript
}

/// A failed attempt goes when a later one of the same tool at the same thing succeeded. Its result keeps one line in
/// its place, so that the model knows what not to try again, and every call keeps a result (Y7).
fn shorten_failed_attempts(transcript: &mut [TranscriptEntry], count: &dyn Fn(&str) -> u32) {
    let calls = calls_by_id(transcript);
    let mut succeeded: HashSet<(&str, &str)> = HashSet::new();
    let mut obsolete: HashSet<usize> = HashSet::new();
    // From the end: a success only makes what came before it obsolete.
    for (at, entry) in transcript.iter().enumerate().rev() {
        let TranscriptEntry::Result(result) = entry else { continue };
        let Some(call) = calls.get(result.call.as_str()) else { continue };
        let key = (call.tool.as_str(), call.attempt.as_str());
        match result.ended {
            CallOutcome::Well => {
                succeeded.insert(key);
            }
            CallOutcome::Badly if succeeded.contains(&key) => {
                obsolete.insert(at);
            }
            CallOutcome::Badly => {}
        }
    }
    for at in obsolete {
        if let Some(TranscriptEntry::Result(result)) = transcript.get_mut(at) {
            let line = shortened(&one_line(&result.text), FAILED_CHARS);
            let text = format!("[failed, done below: {line}]");
            let tokens = count(&text);
            if tokens < result.tokens {
                *result = PrunedResult { text, tokens, ..result.clone() };
            }
        }
    }
}

/// A long result keeps its beginning and its end: what a listing is and how it ends say more than its middle.
fn cut_results(transcript: &mut [TranscriptEntry], count: &dyn Fn(&str) -> u32) {
    for entry in transcript {
        if let TranscriptEntry::Result(result) = entry
            && let Some(text) = head_and_tail(&result.text, RESULT_MAX_CHARS)
        {
            result.tokens = count(&text);
            result.text = text;
        }
    }
}

/// Reads that a later read of the same repeats are blanked where they stand, so that everything before them stays the
/// same bytes. Only near the end: what stands behind is paid for again (Y10).
fn blank_superseded(transcript: &mut [TranscriptEntry], count: &dyn Fn(&str) -> u32) {
    let weigh = |entry: &TranscriptEntry| match entry {
        TranscriptEntry::Result(result) => result.tokens,
        TranscriptEntry::Text(text) => count(text),
        TranscriptEntry::Call(call) => count(&call.intent),
    };
    let weights: Vec<u32> = transcript.iter().map(weigh).collect();
    if weights.iter().fold(0, |sum: u32, tokens| sum.saturating_add(*tokens)) < BLANK_FROM_TOKENS {
        return;
    }
    let calls = calls_by_id(transcript);
    let mut read_later: HashSet<(&str, &str)> = HashSet::new();
    let mut chosen: Vec<usize> = Vec::new();
    let mut suffix: u32 = 0;
    let blank_tokens = count(SUPERSEDED);
    for (at, entry) in transcript.iter().enumerate().rev() {
        if let TranscriptEntry::Result(result) = entry
            && let Some(call) = calls.get(result.call.as_str())
            && call.effect == CallEffect::Reads
            && result.ended == CallOutcome::Well
        {
            let key = (call.tool.as_str(), call.intent.as_str());
            let affordable = suffix <= SUFFIX_TOKENS;
            if !read_later.insert(key)
                && affordable
                && result.tokens > blank_tokens
                && chosen.len() < BLANK_MAX
            {
                chosen.push(at);
            }
        }
        suffix = suffix.saturating_add(weights[at]);
    }
    for at in chosen {
        if let Some(TranscriptEntry::Result(result)) = transcript.get_mut(at) {
            SUPERSEDED.clone_into(&mut result.text);
            result.tokens = blank_tokens;
        }
    }
}

fn calls_by_id(transcript: &[TranscriptEntry]) -> HashMap<String, PrunedCall> {
    let calls = transcript.iter().filter_map(|entry| match entry {
        TranscriptEntry::Call(call) => Some((call.id.clone(), call.clone())),
        _ => None,
    });
    calls.collect()
}

/// A text of more than `most` characters as its head and its tail with a word on what is missing; `None` when it is not
/// longer. The whole is never longer than `most`, as far as `most` holds the word.
pub fn head_and_tail(text: &str, most: usize) -> Option<String> {
    const MARK_CHARS: usize = 48;
    let length = text.chars().count();
    if length <= most {
        return None;
    }
    let room = most.saturating_sub(MARK_CHARS);
    let (head, tail) = (room * 2 / 3, room - room * 2 / 3);
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(length - tail).collect();
    // Every line of a quotation has its mark.
    let is_quoted = text.starts_with("> ") || text.contains("\n> ");
    let end = end.split_once('\n').filter(|_| is_quoted).map_or(&*end, |(_, lines)| lines);
    let mark = if is_quoted && !end.starts_with("> ") { "> " } else { "" };
    Some(format!("{start}\n[… {} characters left out …]\n{mark}{end}", length - head - end.chars().count()))
}

#[cfg(test)]
mod tests;
