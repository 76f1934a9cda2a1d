//! Who may read a trace.

use crate::domain::{AccountId, TurnTrace};

/// What somebody is to this installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Runs it: whoever sits at the machine, or is named its owner on the platform.
    Operator,
    /// Anybody else.
    Person,
}

/// Whether `viewer` may read the trace: those whose words the turn answered, and the operator. Being in the channel
/// is not enough, for a trace also tells what the familiar remembers of the people it answered.
#[must_use]
pub fn may_see(trace: &TurnTrace, viewer: &AccountId, standing: Standing) -> bool {
    match standing {
        Standing::Operator => true,
        Standing::Person => trace.authors.contains(&viewer.to_string()),
    }
}
