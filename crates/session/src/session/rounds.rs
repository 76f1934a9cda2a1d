//! What of a reply's tool calls is sent again with the next one: everything, pruned, and no more than the model holds.

use serde_json::Value;

use crate::context::pruning::{PrunedCall, head_and_tail, prune};
use crate::domain::{ToolCall, ToolRound};
use crate::text::clip::CUT_MARK;
use crate::tools::{ToolBox, canonical};

/// What role and delimiters of a message, or of a call, take, in tokens.
const AROUND: u32 = 8;

/// With less than this left another round would tell nothing, in tokens.
const LEAST_ROUND: u32 = 64;

/// What rounds may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct RoundsRoom {
    /// All of them together, in the model's tokens.
    pub tokens: u32,
    /// Rounds that one reply may have.
    pub most_rounds: usize,
}

#[derive(Debug)]
pub(super) struct Fitted {
    /// As they are sent.
    pub rounds: Vec<ToolRound>,
    /// There is no room for another one.
    pub is_full: bool,
}

/// Cuts what tools gave until all rounds fit: the model's window is the limit of every request, not only of the first
/// (contradiction 11). Every round but the last one allowed gets half of what is left at most, and what it
/// gets depends on no later one, so that what the provider has cached stays as it was. Long results are cut to head and
/// tail, the longest first. A round whose calls alone do not fit is left out, and with it all that follow.
pub(super) fn cut_to_fit(rounds: Vec<ToolRound>, room: RoundsRoom, count: &dyn Fn(&str) -> u32) -> Fitted {
    let mut left = room.tokens;
    let mut fitted = Fitted { rounds: Vec::with_capacity(rounds.len()), is_full: false };
    let mark = count(CUT_MARK);
    for (at, mut round) in rounds.into_iter().enumerate() {
        let sizes: Vec<u32> = round.results.iter().map(|result| count(&result.content)).collect();
        let calls = calls_size(&round, count);
        let least = sizes.iter().fold(calls, |sum, size| sum.saturating_add((*size).min(mark)));
        if least > left {
            fitted.is_full = true;
            return fitted;
        }
        let share = if at + 1 < room.most_rounds { (left / 2).max(least) } else { left };
        let most = level(&sizes, share - calls);
        left -= calls;
        for (result, size) in round.results.iter_mut().zip(sizes) {
            let kept = if size <= most {
                size
            } else {
                result.content = clipped(&result.content, most, count);
                count(&result.content)
            };
            left = left.saturating_sub(kept);
        }
        fitted.rounds.push(round);
    }
    fitted.is_full = left < LEAST_ROUND;
    fitted
}

/// A round without what came back, in tokens.
fn calls_size(round: &ToolRound, count: &dyn Fn(&str) -> u32) -> u32 {
    let calls = round.calls.iter().map(|call| {
        let words = [&call.id, &call.name, &call.arguments].map(|part| count(part));
        words.into_iter().fold(AROUND, u32::saturating_add)
    });
    let results = round.results.iter().map(|result| count(&result.call).saturating_add(AROUND));
    calls.chain(results).fold(count(&round.said).saturating_add(AROUND), u32::saturating_add)
}

/// The most that each may take so that all together take no more than `room`; what a short one does not need is the
/// others'.
fn level(sizes: &[u32], room: u32) -> u32 {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    let mut left = room;
    for (at, size) in sorted.iter().enumerate() {
        let each = left / u32::try_from(sorted.len() - at).unwrap_or(u32::MAX).max(1);
        if *size > each {
            return each;
        }
        left -= size;
    }
    u32::MAX
}

/// Head and tail in at most `most` tokens, or the mark alone.
fn clipped(text: &str, most: u32, count: &dyn Fn(&str) -> u32) -> String {
    let cut = |chars: usize| head_and_tail(text, chars).filter(|cut| count(cut) <= most);
    let (mut low, mut high) = (0, text.chars().count().saturating_sub(1));
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if cut(middle).is_some() { low = middle } else { high = middle - 1 }
    }
    cut(low).unwrap_or_else(|| CUT_MARK.to_owned())
}

/// The same rounds with what is worth sending: repeated reads blanked, failed attempts that later succeeded shortened,
/// long results cut to head and tail (Y7, Y10). Every call keeps its result.
pub(super) fn worth_sending(
    rounds: &[ToolRound],
    tools: &ToolBox,
    count: &dyn Fn(&str) -> u32,
) -> Vec<ToolRound> {
    let mut rounds = rounds.to_vec();
    // Ids tell calls apart within a round only, where a server gives none: each text goes back to where it was taken from.
    let (mut calls, mut taken_from) = (Vec::new(), Vec::new());
    for round in &mut rounds {
        let intents: Vec<String> = round.calls.iter().map(intent).collect();
        let words = [&round.said].into_iter().chain(&intents);
        let mut between = words.map(|words| count(words)).fold(0, u32::saturating_add);
        for ((call, result), intent) in round.calls.iter().zip(&mut round.results).zip(intents) {
            calls.push(PrunedCall {
                tool: call.name.clone(),
                intent,
                attempt: attempted(call),
                only_reads: tools.only_reads(&call.name),
                has_failed: result.failed,
                text: std::mem::take(&mut result.content),
                between: std::mem::take(&mut between),
            });
            taken_from.push(&mut result.content);
        }
    }
    prune(&mut calls, count);
    for (content, call) in taken_from.into_iter().zip(calls) {
        *content = call.text;
    }
    rounds
}

/// What a call is about: its arguments, however they are written and in whatever order. Of how much is wanted another reading
/// gives the same.
fn intent(call: &ToolCall) -> String {
    let mut arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    if let Some(fields) = arguments.as_object_mut() {
        fields.remove("limit");
        for value in fields.values_mut() {
            if let Value::String(text) = value {
                *text = text.trim().to_lowercase();
            }
        }
    }
    canonical(&arguments)
}

/// What an attempt was for, by its longest text: what was wrong with it is usually in the rest.
fn attempted(call: &ToolCall) -> String {
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    let texts = arguments.as_object().into_iter().flat_map(|fields| fields.values());
    let longest = texts.filter_map(Value::as_str).max_by_key(|text| text.chars().count());
    longest.map_or_else(|| canonical(&arguments), |text| text.trim().to_lowercase())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::ToolResult;

    #[test]
    fn what_a_call_is_about_are_all_its_texts() {
        let about = |arguments: &str| {
            intent(&ToolCall { id: String::new(), name: String::new(), arguments: arguments.to_owned() })
        };
        assert_eq!(about(r#"{"query": "Boats ", "limit": 5}"#), about(r#"{"limit": 9, "query": "boats"}"#));
        assert_ne!(about(r#"{"name": "Rules", "part": 1}"#), about(r#"{"name": "Rules", "part": 2}"#));
        assert_ne!(about(r#"{"by": "Ana", "which": "t:5"}"#), about(r#"{"by": "Ana", "which": "t:9"}"#));
        assert_eq!(about(r#"{"by": "Ana", "which": "t:5"}"#), about(r#"{"which": "t:5", "by": "Ana"}"#));
    }

    fn letters(text: &str) -> u32 {
        u32::try_from(text.chars().count().div_ceil(4)).unwrap()
    }

    fn round(said: &str, arguments: &str, results: &[String]) -> ToolRound {
        let calls = (0..results.len()).map(|at| ToolCall {
            id: format!("c{at}"),
            name: "memory_search".to_owned(),
            arguments: arguments.to_owned(),
        });
        let given = results.iter().enumerate().map(|(at, content)| ToolResult {
            call: format!("c{at}"),
            content: content.clone(),
            failed: false,
        });
        ToolRound { said: said.to_owned(), calls: calls.collect(), results: given.collect() }
    }

    fn size(rounds: &[ToolRound]) -> u32 {
        let results = rounds.iter().flat_map(|round| &round.results).map(|result| letters(&result.content));
        rounds.iter().map(|round| calls_size(round, &letters)).chain(results).sum()
    }

    #[test]
    fn a_short_result_gives_a_long_one_its_room_and_both_ends_of_it_stay() {
        let long = format!("BEGIN {} END", "rope ".repeat(2_000));
        let rounds = vec![round("", "{}", &["one find".to_owned(), long])];
        let fitted = cut_to_fit(rounds, RoundsRoom { tokens: 1_000, most_rounds: 1 }, &letters);
        let [short, long] = &fitted.rounds[0].results[..] else { panic!("{fitted:?}") };
        assert_eq!(short.content, "one find");
        let told = &long.content;
        assert!(told.starts_with("BEGIN") && told.ends_with("END") && told.contains("characters left out"));
        assert!((900..=1_000).contains(&size(&fitted.rounds)), "{}", size(&fitted.rounds));
        assert!(fitted.is_full);
    }

    #[test]
    fn a_later_round_changes_nothing_of_an_earlier_one() {
        let rounds: Vec<_> = (0..4).map(|_| round("", "{}", &["tar and twine ".repeat(200)])).collect();
        let fit = |rounds: &[ToolRound]| {
            cut_to_fit(rounds.to_vec(), RoundsRoom { tokens: 1_500, most_rounds: 4 }, &letters).rounds
        };
        let all = fit(&rounds);
        for many in 1..4 {
            assert_eq!(fit(&rounds[..many]), all[..many]);
        }
    }

    proptest! {
        #[test]
        fn y8_m11_rounds_never_take_more_than_there_is_and_every_call_keeps_a_result(
            room in 0_u32..6_000,
            most_rounds in 1_usize..6,
            given in prop::collection::vec(
                (0_usize..400, 0_usize..2_000, prop::collection::vec(0_usize..12_000, 1..4)), 1..6),
        ) {
            let rounds: Vec<_> = given
                .iter()
                .take(most_rounds)
                .map(|(said, arguments, results)| {
                    let results: Vec<_> = results.iter().map(|length| "aé ".repeat(length / 3)).collect();
                    round(&"s".repeat(*said), &"a".repeat(*arguments), &results)
                })
                .collect();
            let fitted = cut_to_fit(rounds.clone(), RoundsRoom { tokens: room, most_rounds }, &letters);
            prop_assert!(size(&fitted.rounds) <= room, "{} of {}", size(&fitted.rounds), room);
            prop_assert!(fitted.is_full || fitted.rounds.len() == rounds.len());
            for (fitted, whole) in fitted.rounds.iter().zip(&rounds) {
                prop_assert_eq!((&fitted.said, &fitted.calls), (&whole.said, &whole.calls));
                prop_assert_eq!(fitted.results.len(), whole.results.len());
                for (cut, whole) in fitted.results.iter().zip(&whole.results) {
                    let is_marked = cut.content.contains("left out") || cut.content == CUT_MARK;
                    prop_assert!(cut == whole || is_marked, "{:?}", cut.content);
                }
            }
        }
    }
}
