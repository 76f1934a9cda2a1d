//! The short codes by which somebody shows that two places are theirs: asked for at one, given at the other.

use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;
use rand::TryRngCore as _;
use rand::rngs::OsRng;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::BondEnd;
use crate::clock::Uses;
use crate::domain::AccountId;
use crate::text::short::hex;

/// Characters of a code (M14).
pub const CODE_LENGTH: usize = 6;

/// How long a code can be given (M14).
pub const CODE_LIFETIME: Duration = Duration::from_secs(600);

/// Wrong codes one account may give within [`TRIES_WINDOW`].
pub const TRIES_EACH: u32 = 5;

/// Wrong codes all accounts together may give within [`TRIES_WINDOW`]: a guess in 2³⁰ stays one whoever guesses.
pub(super) const TRIES_ALL: u32 = 100;

/// How long wrong codes count.
pub const TRIES_WINDOW: Duration = Duration::from_secs(600);

/// Codes that can be given at the same time, one for each account.
pub(super) const CODES_MAX: usize = 1_024;

/// Accounts whose wrong codes are counted.
const GUESSERS_MAX: usize = 4_096;

/// Letters and digits that nobody takes for one another; 32 of them, so that each is five bits.
const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// How often a code is hashed: some milliseconds for one, long for all there can be.
const ROUNDS: u32 = 4_096;

/// A code that can still be given, without the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OpenCode {
    pub by: AccountId,
    pub from: BondEnd,
    pub until: Timestamp,
}

/// What is kept of the codes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Codes {
    /// Mixed into every hash.
    #[serde(default)]
    salt: String,
    /// By the hash of the code.
    #[serde(default)]
    open: HashMap<String, OpenCode>,
}

impl Codes {
    /// A new code for an account; an earlier one of theirs is worth nothing any more. `None` where no randomness was to be
    /// had.
    pub(super) fn issue(
        &mut self,
        by: &AccountId,
        from: BondEnd,
        now: Timestamp,
    ) -> Option<(String, Timestamp)> {
        let until = now.checked_add(CODE_LIFETIME).ok()?;
        if self.salt.is_empty() {
            self.salt = hex(&random::<16>()?);
        }
        let code: String = random::<CODE_LENGTH>()?
            .iter()
            .map(|byte| char::from(ALPHABET[usize::from(byte % 32)]))
            .collect();
        self.open.retain(|_, open| open.by != *by && open.until > now);
        if self.open.len() >= CODES_MAX {
            // The one that ends first has had its time.
            let first = self.open.iter().min_by_key(|(_, open)| open.until).map(|(hash, _)| hash.clone());
            first.and_then(|hash| self.open.remove(&hash));
        }
        self.open.insert(self.hash(&code), OpenCode { by: by.clone(), from, until });
        Some((code, until))
    }

    /// The open code that was given, and the key to [use it up](Self::use_up).
    pub(super) fn find(&self, given: &str, now: Timestamp) -> Option<(String, &OpenCode)> {
        let hash = self.hash(&normalized_code(given)?);
        let open = self.open.get(&hash).filter(|open| open.until > now)?;
        Some((hash, open))
    }

    /// A code works once.
    pub(super) fn use_up(&mut self, key: &str) {
        self.open.remove(key);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// Takes an account's code back.
    pub(super) fn forget(&mut self, account: &AccountId) {
        self.open.retain(|_, open| open.by != *account);
    }

    fn hash(&self, code: &str) -> String {
        let mut hash = Sha256::digest(format!("{}\n{code}", self.salt).as_bytes());
        for _ in 1..ROUNDS {
            hash = Sha256::digest(hash);
        }
        hex(&hash)
    }
}

/// A code as it was meant: capitals, without what people put between. `None` for what can be none.
fn normalized_code(given: &str) -> Option<String> {
    let code: String =
        given.chars().filter(|c| !c.is_whitespace() && *c != '-').map(|c| c.to_ascii_uppercase()).collect();
    let is_code = code.len() == CODE_LENGTH && code.bytes().all(|byte| ALPHABET.contains(&byte));
    is_code.then_some(code)
}

/// Bytes of the system's own source of randomness.
fn random<const N: usize>() -> Option<[u8; N]> {
    let mut bytes = [0; N];
    OsRng.try_fill_bytes(&mut bytes).ok()?;
    Some(bytes)
}

/// The wrong codes that count, of each account and, by `None`, of all together.
#[derive(Debug)]
pub(super) struct Tries(Uses<Option<AccountId>, Timestamp>);

impl Default for Tries {
    fn default() -> Self {
        // What all may give together ends long before there is no room for another guesser.
        Self(Uses::new(TRIES_WINDOW, GUESSERS_MAX))
    }
}

impl Tries {
    /// Whether an account may try.
    pub(super) fn are_left(&self, account: &AccountId, now: Timestamp) -> bool {
        let wrong = |whose| self.0.used(&whose, now).map_or(0.0, |wrong| wrong.amount);
        wrong(Some(account.clone())) < f64::from(TRIES_EACH) && wrong(None) < f64::from(TRIES_ALL)
    }

    /// Counts a wrong one.
    pub(super) fn wrong(&mut self, account: &AccountId, now: Timestamp) {
        for whose in [None, Some(account.clone())] {
            self.0.spend(whose, 1.0, now);
        }
    }
}
