//! What of a reply's tool calls is sent again with the next one: everything, pruned.

use std::collections::HashMap;

use crate::context::pruning::{Cache, Call, Effect, Ended, Entry, ToolResult as Given, prune};
use crate::domain::{TokenEncoding, ToolCall, ToolRound};
use crate::text::tokens;
use crate::tools::ToolBox;

/// The same rounds with what is worth sending: repeated reads blanked, failed attempts that later succeeded shortened,
/// long results cut to head and tail (specs mechanisms Y7, Y10). Every call keeps its result.
pub(super) fn worth_sending(
    rounds: &[ToolRound],
    tools: &ToolBox,
    encoding: TokenEncoding,
) -> Vec<ToolRound> {
    let count = |text: &str| tokens::count(encoding, text);
    let mut transcript = Vec::new();
    for (at, round) in rounds.iter().enumerate() {
        for call in &round.calls {
            transcript.push(Entry::Call(Call {
                id: key(at, &call.id),
                tool: call.name.clone(),
                intent: intent(call),
                effect: if tools.only_reads(&call.name) { Effect::Reads } else { Effect::Acts },
            }));
        }
        for result in &round.results {
            transcript.push(Entry::Result(Given {
                call: key(at, &result.call),
                ended: if result.failed { Ended::Badly } else { Ended::Well },
                text: result.content.clone(),
                tokens: count(&result.content),
            }));
        }
    }
    let (pruned, _) = prune(transcript, Cache::Warm, &count);
    let told: HashMap<String, String> = pruned
        .into_iter()
        .filter_map(|entry| match entry {
            Entry::Result(result) => Some((result.call, result.text)),
            Entry::Call(_) | Entry::Text(_) | Entry::Reasoning(_) => None,
        })
        .collect();
    let mut rounds = rounds.to_vec();
    for (at, round) in rounds.iter_mut().enumerate() {
        for result in &mut round.results {
            if let Some(text) = told.get(&key(at, &result.call)) {
                result.content.clone_from(text);
            }
        }
    }
    rounds
}

/// Servers that give no ids number the calls of each round anew.
fn key(round: usize, call: &str) -> String {
    format!("{round}/{call}")
}

/// What a call is about: its first text argument, or everything where it has none.
fn intent(call: &ToolCall) -> String {
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    let first = arguments.as_object().and_then(|fields| fields.values().find_map(|value| value.as_str()));
    first.map_or_else(|| call.arguments.clone(), |text| text.trim().to_lowercase())
}
