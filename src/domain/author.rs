//! Who said something.

use serde::{Deserialize, Serialize};

use super::AccountId;

/// The account that wrote a message, with the names it had at that moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    /// The stable identity; names change, this does not.
    pub account: AccountId,
    /// The name shown in the channel (guild nickname, else the account's display name).
    pub display_name: Option<String>,
    /// The account's own handle.
    pub username: Option<String>,
    /// Bots and webhooks.
    pub is_bot: bool,
}

impl Author {
    /// The names it went by: the one shown, then the handle.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [self.display_name.as_deref(), self.username.as_deref()].into_iter().flatten()
    }

    /// The name to call this person in a prompt: display name, else handle, else account id
    /// (specs familiar-connect 1.11).
    #[must_use]
    pub fn label(&self) -> &str {
        self.names().find(|name| !name.trim().is_empty()).unwrap_or_else(|| self.account.id())
    }
}
