//! Whom the familiar is dealing with, and what that lets them set in motion (M10, M11).
//!
//! Each of the three gates gives a pass that cannot be made in any other way. What a pass is for takes it as a parameter,
//! so that nothing can forget to ask.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{AccountId, Audience, InvalidId};

/// Whom the familiar is dealing with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Caller {
    /// A bot, a webhook, or nobody in particular: also whoever is not known to be somebody else
    /// (contradiction 15).
    #[default]
    Anonymous,
    /// A stranger who writes a direct message: nothing they say is remembered beyond the conversation, so nobody has to
    /// agree to it first.
    Public,
    /// Somebody in a server that is read, or whose direct messages are.
    Tenant,
    /// Whoever runs the familiar.
    Platform,
}

impl Caller {
    /// All of them, those who may the least first.
    pub const ALL: [Self; 4] = [Self::Anonymous, Self::Public, Self::Tenant, Self::Platform];

    /// The name in traces.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    fn is_known(self) -> bool {
        matches!(self, Self::Tenant | Self::Platform)
    }

    /// The reply gate: everybody may be answered, those who are not known only so often and in few words.
    pub fn reply(self) -> ReplyPass {
        ReplyPass { measure: if self.is_known() { ReplyMeasure::Full } else { ReplyMeasure::Small } }
    }

    /// The tool gate: may a reply to them use tools?
    pub fn tools(self) -> Option<ToolPass> {
        self.is_known().then_some(ToolPass(self))
    }

    /// The gate of changes: may what they say before `audience` change what is believed? Canon is the operator's, and
    /// what is off the record changes nothing.
    pub fn change(self, audience: &Audience) -> Option<ChangePass> {
        let may = match self {
            _ if audience.is_off_the_record() => false,
            Self::Platform => true,
            Self::Tenant => *audience != Audience::Canon,
            Self::Public | Self::Anonymous => false,
        };
        may.then_some(ChangePass(()))
    }
}

/// How much a reply may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyMeasure {
    /// What the message is worth.
    Full,
    /// Small talk in character.
    Small,
}

/// Leave to answer somebody. Made by [`Caller::reply`] alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyPass {
    measure: ReplyMeasure,
}

impl ReplyPass {
    /// How much the reply may be.
    pub fn measure(&self) -> ReplyMeasure {
        self.measure
    }
}

/// Leave to use tools for somebody. Made by [`Caller::tools`] alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolPass(Caller);

impl ToolPass {
    /// Whether it is for whoever runs the familiar.
    pub fn is_of_operator(&self) -> bool {
        self.0 == Caller::Platform
    }
}

/// Leave to change what is believed by what somebody said. Made by [`Caller::change`] alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangePass(());

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
    pub fn is_empty(&self) -> bool {
        self.hears.is_empty() && self.tells.is_none() && self.accounts.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{AccountId, GuildId};

    #[test]
    fn m10_what_each_caller_may() {
        let (guild, alone) = (Audience::Guild(GuildId::from(7)), Audience::Dm(AccountId::discord(1)));
        // Full reply, tools, changes of what was learnt, changes of canon.
        let table: Vec<_> = Caller::ALL
            .into_iter()
            .map(|caller| {
                (
                    caller.as_str(),
                    caller.reply().measure() == ReplyMeasure::Full,
                    caller.tools().is_some(),
                    caller.change(&guild).is_some() && caller.change(&alone).is_some(),
                    caller.change(&Audience::Canon).is_some(),
                )
            })
            .collect();
        assert_eq!(
            table,
            [
                ("anonymous", false, false, false, false),
                ("public", false, false, false, false),
                ("tenant", true, true, true, false),
                ("platform", true, true, true, true),
            ]
        );
    }

    #[test]
    fn what_is_off_the_record_changes_nothing_whoever_says_it() {
        let talk = crate::domain::Place::window().unwrap();
        let aside = talk.clone().off_the_record();
        assert!(Caller::ALL.into_iter().all(|caller| caller.change(&aside.audience).is_none()));
        assert!(Caller::Platform.change(&talk.audience).is_some());
        let (here, there) = (crate::domain::Visible::at(&aside), crate::domain::Visible::at(&talk));
        assert!(here.includes(&talk.audience) && !there.includes(&aside.audience));
        let channel = Audience::Private(crate::domain::ChannelId::from(7));
        assert!(Caller::Tenant.change(&channel).is_some(), "a closed channel of a server is another matter");
    }

    #[test]
    fn contradiction_15_whoever_is_not_known_may_the_least() {
        assert_eq!(Caller::default(), Caller::Anonymous);
        assert_eq!(Caller::ALL.into_iter().min(), Some(Caller::default()));
    }
}
