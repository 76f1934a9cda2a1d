//! The notes: lines that nobody sees because their comment cannot be read, and notes that cannot be read at all.

use std::path::Path;

use super::messages;
use super::report::Check;
use crate::config::FamiliarHome;
use crate::history::passed_over_in;
use crate::memory::{Memory, problems};

/// Problems that are named one by one.
const NAMED: usize = 8;

/// What no memory is made of any more. Nothing where nothing is known of that: whether the history can be read at all is
/// told elsewhere. Blocks on the disk.
pub(super) fn unwritten(home: &FamiliarHome) -> Option<Check> {
    let given_up =
        passed_over_in(&home.history_db()).ok()?.into_iter().filter(|one| one.not_before.is_none());
    let given_up = given_up.count();
    (given_up > 0).then(|| messages::memories_given_up(given_up))
}

/// Blocks on the disk.
pub(super) fn look(home: &FamiliarHome) -> Vec<Check> {
    let store = Memory::at(home).store;
    let (notes, found) = match problems(&store) {
        Ok(found) => found,
        Err(error) => return vec![messages::notes_unreadable(&error.to_string())],
    };
    if found.is_empty() {
        return if notes > 0 { vec![messages::notes_sound(notes)] } else { Vec::new() };
    }
    let mut checks: Vec<Check> = found
        .iter()
        .take(NAMED)
        .map(|problem| {
            let file = store.root().join(Path::new(problem.path.as_str()));
            messages::note_broken(&file, problem.line, &problem.reason)
        })
        .collect();
    if found.len() > NAMED {
        checks.push(messages::notes_broken_too(found.len() - NAMED));
    }
    checks
}
