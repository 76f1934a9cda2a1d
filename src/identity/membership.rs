//! Whom a platform knows where: what has to be asked before anything is used by right of being somewhere.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::domain::{AccountId, GuildId, Place};

/// Whoever can say who is where now. A platform's rim is one.
#[async_trait]
pub trait Membership: Send + Sync + Debug {
    /// The place as it is now: who can see it, and [what else](Place::sees) all of them could see. What is not known for
    /// certain is left out.
    async fn place_now(&self, place: &Place) -> Place;

    /// Whether an account is in a guild. `None` where nobody can say.
    async fn is_in(&self, account: &AccountId, guild: &GuildId) -> Option<bool>;
}
