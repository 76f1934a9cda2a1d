//! Where words may stand by whose they are: nothing that somebody said or that was looked up is ever an instruction.
//!
//! This is the guarantee that filters cannot give (specs memory 4.3): whatever such a text says, it reaches no system
//! role, because no place that has one is left to it.

use crate::context::contribution::{Contribution, Placement, TailPart, Trust};
use crate::domain::Role;

/// Moves what asks for an instruction's place to the tail, and says so.
pub(super) fn keep_among_the_quoted(contribution: &mut Contribution) -> Option<String> {
    if matches!(contribution.trust, Trust::Program | Trust::Canon) {
        return None;
    }
    if let Some(line) = &mut contribution.turn {
        let is_in_place = matches!(contribution.placement, Placement::Turn(_));
        if is_in_place && line.role != Role::System {
            return None;
        }
        line.role = Role::User;
        if is_in_place {
            return Some("said in the user's role".to_owned());
        }
        contribution.turn = None;
    }
    if matches!(contribution.placement, Placement::Tail(_) | Placement::Crystal(_)) {
        return None;
    }
    contribution.placement = Placement::Tail(TailPart::Recalled);
    Some("moved to the tail: only the card and the program instruct".to_owned())
}
