//! What is done while nobody talks: once a night the notes are looked through, and what wants tidying is proposed
//! (specs mechanisms G5 "contradicts", M4). Nothing is changed without a yes.
//!
//! Owns when it is done, what it may cost, and that nothing is proposed twice. Must not know the rules, nor how a
//! proposal is carried out. Start reading at [`tidy`].

mod look;
mod night;
#[cfg(test)]
mod tests;

pub use look::{Finding, Matter, look};
pub(super) use night::Night;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::domain::StoredId;
use crate::history::{History, HistoryError};
use crate::memory::change::{PendingError, Proposal, Waiting};
use crate::memory::store::{MemoryStore, StoreError};

/// The name of the marks on what was proposed once.
const PROPOSED: &str = "sleep-proposed";

/// Why a night's work could not be done.
#[derive(Debug, thiserror::Error)]
pub enum SleepError {
    /// What was proposed before cannot be looked up.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The notes cannot be read.
    #[error(transparent)]
    Notes(#[from] StoreError),
    /// A proposal cannot be kept.
    #[error(transparent)]
    Proposal(#[from] PendingError),
    /// The program is going down.
    #[error("the night was broken off")]
    BrokenOff,
}

/// What a night came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tidied {
    /// What was proposed now.
    pub proposed: Vec<Finding>,
    /// Under which names it waits.
    pub names: Vec<String>,
    /// How much was found that had been proposed before.
    pub known: usize,
    /// How much is left for another night.
    pub left: usize,
}

/// What would be proposed, at most `most` findings: everything found that never was.
///
/// # Errors
/// When the notes or the history cannot be read.
pub async fn found(
    history: &History,
    store: &Arc<MemoryStore>,
    today: Date,
    most: usize,
) -> Result<Tidied, SleepError> {
    let looked = Arc::clone(store);
    let findings = tokio::task::spawn_blocking(move || look(&looked, today))
        .await
        .map_err(|_| SleepError::BrokenOff)??;
    let mut tidied = Tidied::default();
    for finding in findings {
        if history.watermark(PROPOSED, &finding.fingerprint()).await?.is_some() {
            tidied.known += 1;
        } else if tidied.proposed.len() < most {
            tidied.proposed.push(finding);
        } else {
            tidied.left += 1;
        }
    }
    Ok(tidied)
}

/// Looks the notes through and proposes what wants tidying, at most `most` findings, one proposal for each circle of
/// people. Broken off, the rest is proposed the next time.
///
/// # Errors
/// When the notes or the history cannot be read, or a proposal cannot be kept.
pub async fn tidy(
    history: &History,
    store: &Arc<MemoryStore>,
    today: Date,
    now: Timestamp,
    most: usize,
) -> Result<Tidied, SleepError> {
    let mut tidied = found(history, store, today, most).await?;
    let mut by_audience: BTreeMap<String, Vec<&Finding>> = BTreeMap::new();
    for finding in &tidied.proposed {
        by_audience.entry(finding.audience.to_string()).or_default().push(finding);
    }
    for findings in by_audience.into_values() {
        let Some(audience) = findings.first().map(|finding| finding.audience.clone()) else { continue };
        let mut matters: Vec<String> = findings.iter().map(|finding| finding.matter.to_string()).collect();
        matters.dedup();
        let proposal = Proposal {
            at: now,
            from: format!("sleep ({})", matters.join(", ")),
            audience,
            waiting: Waiting::Changes(findings.iter().flat_map(|finding| finding.changes.clone()).collect()),
        };
        let kept = Arc::clone(store);
        let name = tokio::task::spawn_blocking(move || proposal.keep(&kept)).await;
        tidied.names.push(name.map_err(|_| SleepError::BrokenOff)??);
        for finding in findings {
            history.advance_watermark(PROPOSED, &finding.fingerprint(), StoredId(1), now).await?;
        }
    }
    Ok(tidied)
}
