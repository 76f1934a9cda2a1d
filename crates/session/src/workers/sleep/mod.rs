//! What is done while nobody talks: once a night the notes are looked through, and what wants tidying is proposed
//! (G5 "contradicts", M4). Nothing is changed without a yes.
//!
//! Owns when it is done, what it may cost, and that nothing is proposed twice. Must not know the rules, nor how a
//! proposal is carried out. Start reading at [`tidy_notes`].

mod look;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;
use jiff::{Span, Timestamp, Zoned};
use parking_lot::Mutex;
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::domain::StoredId;
use crate::history::{History, HistoryError};
use crate::memory::change::{PendingChange, PendingError, Proposal};
use crate::memory::store::{MemoryStore, StoreError};
use crate::workers::ask::HourlyAllowance;
use crate::workers::job::WorkerParts;
use crate::workers::journal::keep_journal;
pub use look::{Finding, Matter, findings};

/// The name of the marks on what was proposed once.
const PROPOSED: &str = "sleep-proposed";

/// So many findings are proposed in one night at most: as many as somebody looks through with care.
pub const MOST_A_NIGHT: usize = 20;

/// Why a night's work could not be done.
#[derive(Debug, thiserror::Error)]
pub enum SleepError {
    /// What was proposed before cannot be looked up.
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error(transparent)]
    Notes(#[from] StoreError),
    #[error(transparent)]
    Proposal(#[from] PendingError),
    #[error("the night was broken off")]
    BrokenOff(#[from] JoinError),
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
pub async fn found(
    history: &History,
    store: &Arc<MemoryStore>,
    today: Date,
    most: usize,
) -> Result<Tidied, SleepError> {
    let looked = Arc::clone(store);
    let findings = spawn_blocking(move || findings(&looked, today)).await??;
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
pub async fn tidy_notes(
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
            waiting: PendingChange::Changes(
                findings.iter().flat_map(|finding| finding.changes.clone()).collect(),
            ),
        };
        let kept = Arc::clone(store);
        tidied.names.push(spawn_blocking(move || proposal.keep(&kept)).await??);
        for finding in findings {
            history.advance_watermark(PROPOSED, &finding.fingerprint(), StoredId(1), now).await?;
        }
    }
    Ok(tidied)
}

/// How often it is asked whether it is time.
const LOOK_EVERY: Duration = Duration::from_secs(600);

/// Nobody must have said anything for so long.
const QUIET: Duration = Duration::from_secs(1200);

/// A night's work may take so long; what is not done then is done the next night.
const AT_MOST: Duration = Duration::from_secs(300);

/// The name of the mark on the last night, a day's number.
const NIGHTS: &str = "sleep";

/// The same of the journal.
const JOURNALS: &str = "journal-nights";

/// What a night's journal may cost: model calls, and tokens sent.
const JOURNAL_CALLS: u32 = 20;
const JOURNAL_TOKENS: u32 = 100_000;

/// Waits for the night.
#[derive(Debug)]
pub(in crate::workers) struct Night {
    parts: WorkerParts,
    allowance: HourlyAllowance,
    heard: Mutex<Option<Instant>>,
}

impl Night {
    pub(in crate::workers) fn new(parts: WorkerParts) -> Arc<Self> {
        let allowance = HourlyAllowance::of(JOURNAL_CALLS, JOURNAL_TOKENS);
        Arc::new(Self { parts, allowance, heard: Mutex::default() })
    }

    /// Somebody said something. Never waits.
    pub(in crate::workers) fn heard(&self) {
        *self.heard.lock() = Some(Instant::now());
    }

    /// Keeps the nights until it is told to stop.
    pub(in crate::workers) async fn keep(self: Arc<Self>, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.look() => {}
            }
        }
    }

    async fn look(&self) {
        let config = self.parts.config.current();
        if !self.is_quiet() {
            return;
        }
        let now = self.parts.clock.now();
        let here = now.to_zoned(config.display_tz.clone());
        let night = night_of(&here, config.sleep.hour);
        if config.sleep.journal && self.is_due(JOURNALS, night).await {
            self.keep_journal(now).await;
            self.done(JOURNALS, night, now).await;
        }
        if !config.sleep.enabled || !self.is_due(NIGHTS, night).await {
            return;
        }
        let (history, store) = (&self.parts.history, self.parts.memory.whole().store);
        let work = tidy_notes(history, store, here.date(), now, MOST_A_NIGHT);
        match tokio::time::timeout(AT_MOST, work).await {
            Ok(Ok(tidied)) => render_tidied(&tidied),
            Ok(Err(error)) => tracing::warn!(%error, "the notes could not be looked through"),
            Err(_) => {
                tracing::warn!("looking the notes through took too long; the rest is for another night")
            }
        }
        // Also after a failure: one try a night.
        self.done(NIGHTS, night, now).await;
    }

    async fn keep_journal(&self, now: Timestamp) {
        match tokio::time::timeout(AT_MOST, keep_journal(&self.parts, &self.allowance, now)).await {
            Ok(Ok(0)) => {}
            Ok(Ok(places)) => tracing::info!(places, "the day's journal is written"),
            Ok(Err(error)) => tracing::warn!(%error, "no journal could be written"),
            Err(_) => tracing::warn!("writing the journal took too long"),
        }
    }

    /// Whether a night has not been seen to.
    async fn is_due(&self, work: &str, night: Date) -> bool {
        let last = self.parts.history.watermark(work, "").await;
        matches!(last, Ok(last) if last.is_none_or(|StoredId(day)| day < epoch_day(night)))
    }

    async fn done(&self, work: &str, night: Date, now: Timestamp) {
        let marked = self.parts.history.advance_watermark(work, "", StoredId(epoch_day(night)), now).await;
        if let Err(error) = marked {
            tracing::warn!(%error, "a night could not be marked as done");
        }
    }

    fn is_quiet(&self) -> bool {
        let heard = *self.heard.lock();
        heard.is_none_or(|heard| heard.elapsed() >= QUIET)
    }
}

/// The day of the night that was begun last: before the hour it is still yesterday's.
fn night_of(here: &Zoned, hour: u32) -> Date {
    let today = here.date();
    if u32::try_from(here.hour()).unwrap_or(0) >= hour {
        today
    } else {
        today.checked_sub(Span::new().days(1)).unwrap_or(today)
    }
}

fn epoch_day(day: Date) -> i64 {
    let first = jiff::civil::date(1970, 1, 1);
    i64::from((day - first).get_days())
}

fn render_tidied(tidied: &Tidied) {
    if !tidied.names.is_empty() {
        tracing::info!(
            found = tidied.proposed.len(),
            left = tidied.left,
            "the notes were looked through; what is proposed waits: familiar memory pending"
        );
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod night_tests {
    use super::*;

    #[test]
    fn a_night_begins_at_its_hour_by_the_familiars_clock() {
        let at = |time: &str| time.parse::<Zoned>().unwrap();
        let night = |time: &str| night_of(&at(time), 4).to_string();
        assert_eq!(night("2026-03-02T03:59[Europe/Berlin]"), "2026-03-01");
        assert_eq!(night("2026-03-02T04:00[Europe/Berlin]"), "2026-03-02");
        assert_eq!(night("2026-03-02T23:00[Europe/Berlin]"), "2026-03-02");
        assert_eq!(epoch_day(jiff::civil::date(1970, 1, 11)), 10);
    }
}
