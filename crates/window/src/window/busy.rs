//! What the program is busy with: the tools that its newest turns called, and what waits in its queues.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::messages;
use super::shared::Shared;
use crate::domain::TurnTrace;

/// A tool, as the newest turns used it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToolUsed {
    pub name: String,
    pub called: usize,
    /// Of these, what did not work or was refused.
    pub failed: usize,
}

/// Those of these turns, by name.
pub(super) fn tools_of(traces: &[Arc<TurnTrace>]) -> Vec<ToolUsed> {
    let mut used: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for round in traces.iter().flat_map(|trace| trace.blackboard().rounds()) {
        for (call, result) in round.calls.iter().zip(&round.results) {
            let (called, failed) = used.entry(&call.name).or_default();
            *called += 1;
            *failed += usize::from(result.failed);
        }
    }
    let row =
        |(name, (called, failed)): (&str, (usize, usize))| ToolUsed { name: name.to_owned(), called, failed };
    used.into_iter().map(row).collect()
}

/// Something that waits its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Queue {
    /// For programs.
    pub id: &'static str,
    pub name: &'static str,
    pub waiting: usize,
    pub most: usize,
}

pub(super) fn queues(shared: &Shared) -> [Queue; 3] {
    let [writes, reads] = shared.parts.history.queues();
    let mailbox = shared.parts.session.fullest_mailbox();
    [
        ("mailbox", messages::FULLEST_MAILBOX, mailbox),
        ("history_writes", messages::HISTORY_WRITES, writes),
        ("history_reads", messages::HISTORY_READS, reads),
    ]
    .map(|(id, name, (waiting, most))| Queue { id, name, waiting, most })
}
