//! What a person lets be known elsewhere, by pairing two places (specs mechanisms M14).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{AccountId, Audience, InvalidId};

/// One bond: from when on, and in which places, what a person says alone with the familiar may be known. Never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BondId(pub u64);

impl fmt::Display for BondId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for BondId {
    type Err = InvalidId;
    fn from_str(value: &str) -> Result<Self, InvalidId> {
        value.parse().map(Self).map_err(|_| InvalidId {
            kind: "bond",
            value: value.to_owned(),
            reason: "it is not a number",
        })
    }
}

/// What people paired with one place, as it is at this moment.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Paired {
    /// What may be known here besides what the place itself allows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hears: Vec<Audience>,
    /// Before whom what a person says here counts as said; `None` where nothing is paired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tells: Option<Audience>,
    /// Other accounts of the person who is alone here with the familiar.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accounts: Vec<AccountId>,
}

impl Paired {
    /// Whether nothing is paired.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hears.is_empty() && self.tells.is_none() && self.accounts.is_empty()
    }
}
