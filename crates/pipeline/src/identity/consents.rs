//! A second copy of what people decided about themselves, beside the tombstones: a file that is lost, or put back from an
//! older backup, takes nobody back in who does not want it. Of the two copies the stricter counts.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::domain::AccountId;

/// Who wants to be known nowhere, and whom it may learn from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Consents {
    pub opted_out: BTreeSet<AccountId>,
    pub learns_from: BTreeSet<AccountId>,
}

impl Consents {
    /// What of these and of the other copy holds: out is who is out in either, and it learns from whom it may by both.
    pub(super) fn strictest(&self, other: &Self) -> Self {
        Self {
            opted_out: &self.opted_out | &other.opted_out,
            learns_from: &(&self.learns_from & &other.learns_from) - &other.opted_out,
        }
    }
}
