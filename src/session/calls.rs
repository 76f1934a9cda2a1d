//! The tool calls of a streaming reply, put together from their fragments.

use std::collections::BTreeMap;

use crate::domain::ToolCall;
use crate::llm::ToolCallDelta;

/// Calls of one reply that are run; a model that asks for more is told to go on with these.
const MOST_CALLS: usize = 8;

/// Collects fragments until the stream ends.
#[derive(Debug, Default)]
pub(super) struct CallCollector {
    by_index: BTreeMap<u32, ToolCall>,
}

impl CallCollector {
    pub(super) fn push(&mut self, fragment: ToolCallDelta) {
        let call = self.by_index.entry(fragment.index).or_insert_with(|| ToolCall {
            id: String::new(),
            name: String::new(),
            arguments: String::new(),
        });
        if let Some(id) = fragment.id.filter(|id| !id.is_empty()) {
            call.id = id;
        }
        if let Some(name) = fragment.name.filter(|name| !name.is_empty()) {
            call.name = name;
        }
        call.arguments.push_str(&fragment.arguments);
    }

    /// The whole calls, in the model's order. Servers that give no ids get some, for the results must name theirs.
    pub(super) fn finish(self) -> Vec<ToolCall> {
        self.by_index
            .into_iter()
            .filter(|(_, call)| !call.name.is_empty())
            .take(MOST_CALLS)
            .map(|(index, call)| match call.id.is_empty() {
                true => ToolCall { id: format!("call_{index}"), ..call },
                false => call,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragment(index: u32, id: Option<&str>, name: Option<&str>, arguments: &str) -> ToolCallDelta {
        ToolCallDelta {
            index,
            id: id.map(str::to_owned),
            name: name.map(str::to_owned),
            arguments: arguments.to_owned(),
        }
    }

    #[test]
    fn fragments_of_several_calls_come_together_in_order() {
        let mut collector = CallCollector::default();
        collector.push(fragment(1, Some("b"), Some("choose"), "{\"op"));
        collector.push(fragment(0, None, Some("roll_dice"), ""));
        collector.push(fragment(1, Some(""), Some(""), "tions\":[]}"));
        collector.push(fragment(0, None, None, "{}"));
        collector.push(fragment(2, Some("c"), None, "{}"));
        let calls: Vec<_> =
            collector.finish().into_iter().map(|call| (call.id, call.name, call.arguments)).collect();
        let expected = [("call_0", "roll_dice", "{}"), ("b", "choose", "{\"options\":[]}")];
        assert_eq!(calls, expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())));
    }
}
