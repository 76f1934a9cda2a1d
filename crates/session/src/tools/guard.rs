//! Ends circles: a model that calls the same thing over and over (mechanisms, last section: same call 3,
//! repeated tool 5, oscillating 3, drifting 10).

use std::collections::BTreeMap;

use serde_json::Value;

use crate::domain::ToolCall;

/// The same tool with the same arguments, as often as it may be asked for.
const SAME_CALL: usize = 3;

/// The same tool, whatever the arguments.
const SAME_TOOL: usize = 5;

/// Times two calls may take turns.
const OSCILLATION: usize = 3;

/// Calls of one reply in all.
const ALL_CALLS: usize = 10;

/// What one reply has called so far.
#[derive(Debug, Default)]
pub(super) struct LoopGuard {
    seen: Vec<(String, String)>,
}

impl LoopGuard {
    /// Notes a call, with its arguments where they are JSON; the words for the model when it must not run.
    pub(super) fn refuse(&mut self, call: &ToolCall, arguments: Option<&Value>) -> Option<&'static str> {
        let written = || call.arguments.trim().to_owned();
        self.seen.push((call.name.clone(), arguments.map_or_else(written, canonical)));
        let newest = self.seen.last()?;
        let same_call = self.seen.iter().filter(|seen| *seen == newest).count();
        let same_tool = self.seen.iter().filter(|(name, _)| *name == newest.0).count();
        if self.seen.len() > ALL_CALLS {
            Some("no more calls in this reply: answer with what you have")
        } else if same_call > SAME_CALL {
            Some("this call was made before and gives the same again: answer with what you have")
        } else if same_tool > SAME_TOOL {
            Some("this tool was called often enough: answer with what you have")
        } else if self.oscillates() {
            Some("these two calls go in a circle: answer with what you have")
        } else {
            None
        }
    }

    /// The newest calls are A B A B A B and one more of them.
    fn oscillates(&self) -> bool {
        let newest: Vec<_> = self.seen.iter().rev().take(2 * OSCILLATION).collect();
        newest.len() == 2 * OSCILLATION
            && newest[0] != newest[1]
            && newest.chunks(2).all(|pair| pair[0] == newest[0] && pair[1] == newest[1])
    }
}

/// Arguments that differ in spaces or the order of keys are the same.
pub(crate) fn canonical(arguments: &Value) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let ordered: BTreeMap<_, _> = fields.iter().collect();
                let ordered = ordered.into_iter().map(|(key, value)| (key.clone(), sorted(value)));
                Value::Object(ordered.collect())
            }
            Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
            other => other.clone(),
        }
    }
    sorted(arguments).to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever a model calls, in circles or drifting from one thing to the next: no more runs than the bounds say.
        #[test]
        fn nothing_runs_more_often_than_the_bounds_say(calls in prop::collection::vec((0_usize..4, 0_usize..3), 0..40)) {
            let mut guard = LoopGuard::default();
            let mut ran: Vec<(usize, usize)> = Vec::new();
            for (name, arguments) in calls {
                let made = call(["a", "b", "c", "d"][name], &arguments.to_string());
                if refuse(&mut guard, &made).is_none() {
                    ran.push((name, arguments));
                }
            }
            prop_assert!(ran.len() <= ALL_CALLS);
            for one in &ran {
                prop_assert!(ran.iter().filter(|other| *other == one).count() <= SAME_CALL);
                prop_assert!(ran.iter().filter(|other| other.0 == one.0).count() <= SAME_TOOL);
            }
            let circles = ran.windows(2 * OSCILLATION).filter(|run| {
                run[0] != run[1] && run.chunks(2).all(|pair| pair == &run[..2])
            });
            prop_assert_eq!(circles.count(), 0);
        }
    }

    fn call(name: &str, arguments: &str) -> ToolCall {
        ToolCall { id: "1".to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
    }

    fn refuse(guard: &mut LoopGuard, call: &ToolCall) -> Option<&'static str> {
        guard.refuse(call, serde_json::from_str(&call.arguments).ok().as_ref())
    }

    #[test]
    fn the_same_call_runs_three_times_however_it_is_written() {
        let mut guard = LoopGuard::default();
        for arguments in [r#"{"a":1,"b":2}"#, r#"{ "b": 2, "a": 1 }"#, r#"{"a":1,"b":2}"#] {
            assert_eq!(refuse(&mut guard, &call("x", arguments)), None);
        }
        assert!(refuse(&mut guard, &call("x", r#"{"b":2,"a":1}"#)).is_some());
    }

    #[test]
    fn one_tool_runs_five_times() {
        let mut guard = LoopGuard::default();
        for number in 0..5 {
            assert_eq!(refuse(&mut guard, &call("x", &number.to_string())), None);
        }
        assert!(refuse(&mut guard, &call("x", "5")).is_some());
    }

    #[test]
    fn two_calls_that_take_turns_are_stopped() {
        let mut guard = LoopGuard::default();
        let refused: Vec<bool> =
            (0..6).map(|turn| refuse(&mut guard, &call(["a", "b"][turn % 2], "{}")).is_some()).collect();
        assert_eq!(refused, [false, false, false, false, false, true]);
    }

    #[test]
    fn a_reply_has_ten_calls() {
        let mut guard = LoopGuard::default();
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
        let allowed = names.iter().filter(|name| refuse(&mut guard, &call(name, "{}")).is_none()).count();
        assert_eq!(allowed, 10);
    }
}
