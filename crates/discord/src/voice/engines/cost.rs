//! What hearing and speaking cost, and the caps on it (voice 2.6).

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::EngineError;
use crate::clock::Uses;
use crate::domain::AccountId;
use crate::llm::{SpeechUsage, UsageLedger};
use crate::voice::frame::RATE;

/// The cap of a person counts over so long.
const HOUR: Duration = Duration::from_secs(3600);
/// Hearing is written to the account in steps of so much.
const STEP_SECONDS: f64 = 5.0;
/// People whose hour is counted; of whoever comes beyond them only the money is.
const PEOPLE_KEPT: usize = 4_096;

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Spoken {
    /// What people said was turned into text.
    Heard,
    Said,
}

/// What one engine costs and may cost.
#[derive(Debug)]
pub(crate) struct Meter {
    pub engine: &'static str,
    pub spoken: Spoken,
    /// US dollars per second heard, or per character said.
    pub price: f64,
    pub daily_cap_usd: Option<f64>,
    /// Seconds or characters per person and hour.
    pub hourly_cap: Option<f64>,
    pub ledger: Option<Arc<UsageLedger>>,
    pub hours: PeoplesHours,
}

/// What each person used of their hour.
#[derive(Debug)]
pub(crate) struct PeoplesHours(Mutex<Uses<AccountId, Instant>>);

impl Default for PeoplesHours {
    fn default() -> Self {
        Self(Mutex::new(Uses::new(HOUR, PEOPLE_KEPT)))
    }
}

impl Meter {
    /// Whether it is paid for, as far as is known.
    pub(super) fn costs(&self) -> bool {
        self.price > 0.0
    }

    /// Refuses what a cap does not allow. What runs already may overshoot.
    pub(super) fn allow(&self, person: Option<&AccountId>) -> Result<(), EngineError> {
        let (table, unit, per) = match self.spoken {
            Spoken::Heard => ("stt", "minutes", 60.0),
            Spoken::Said => ("tts", "characters", 1.0),
        };
        let today = self.ledger.as_ref().map(|ledger| ledger.today().speech).unwrap_or_default();
        let spent = match self.spoken {
            Spoken::Heard => today.heard_usd,
            Spoken::Said => today.said_usd,
        };
        if let Some(cap) = self.daily_cap_usd.filter(|cap| self.costs() && spent >= *cap) {
            let said = format!(
                "{} cost ${spent:.2} today and the cap is ${cap:.2}: raise {table}.daily_cap_usd, or wait until \
                 midnight UTC",
                self.engine
            );
            return Err(EngineError::OverCap { said });
        }
        let now = Instant::now();
        let used = person.and_then(|person| self.hours.0.lock().used(person, now));
        match (self.hourly_cap, used) {
            (Some(cap), Some(hour)) if hour.amount >= cap => Err(EngineError::OverHour {
                left: hour.until.duration_since(now),
                said: format!(
                    "one person may use {:.0} {unit} of {} in an hour ({table}.person_hour_{unit})",
                    cap / per,
                    self.engine
                ),
            }),
            _ => Ok(()),
        }
    }

    /// Writes down what was used. `cost` is what the service said it was, where it did.
    pub(super) fn count(&self, person: Option<&AccountId>, amount: f64, cost: Option<f64>) {
        if amount <= 0.0 && cost.is_none() {
            return;
        }
        if let Some(person) = person {
            self.hours.0.lock().spend(person.clone(), amount, Instant::now());
        }
        let Some(ledger) = &self.ledger else { return };
        let usd = cost.unwrap_or(amount * self.price);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of characters")]
        let used = match self.spoken {
            Spoken::Heard => SpeechUsage { heard_seconds: amount, heard_usd: usd, ..SpeechUsage::default() },
            Spoken::Said => SpeechUsage {
                said_characters: amount.max(0.0) as u64,
                said_usd: usd,
                ..SpeechUsage::default()
            },
        };
        ledger.record_speech(&used);
    }
}

/// Counts what one transcription hears; writes it down in steps, and the rest when dropped.
#[derive(Debug)]
pub(crate) struct Tally {
    meter: Arc<Meter>,
    person: Option<AccountId>,
    seconds: f64,
}

impl Tally {
    pub(super) fn new(meter: &Arc<Meter>, person: Option<&AccountId>) -> Self {
        Self { meter: Arc::clone(meter), person: person.cloned(), seconds: 0.0 }
    }

    pub(super) fn allow(&self) -> Result<(), EngineError> {
        self.meter.allow(self.person.as_ref())
    }

    /// Counts samples; asks the caps once a step is full.
    pub(super) fn heard(&mut self, samples: usize) -> Result<(), EngineError> {
        self.seconds += seconds_of_samples(samples);
        if self.seconds < STEP_SECONDS {
            return Ok(());
        }
        self.write();
        self.allow()
    }

    /// Writes down a whole utterance, at the service's own figure where it gave one.
    pub(super) fn utterance(&mut self, samples: usize, cost: Option<f64>) {
        self.meter.count(self.person.as_ref(), seconds_of_samples(samples), cost);
    }

    /// Writes down what is counted.
    pub(super) fn write(&mut self) {
        self.meter.count(self.person.as_ref(), std::mem::take(&mut self.seconds), None);
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        self.write();
    }
}

/// How long samples at [`RATE`] last.
#[expect(clippy::cast_precision_loss, reason = "an utterance is far below 2^52 samples")]
fn seconds_of_samples(samples: usize) -> f64 {
    samples as f64 / f64::from(RATE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;

    /// A meter that writes into an account in a folder of its own.
    fn meter(daily: Option<f64>, hourly: Option<f64>) -> (tempfile::TempDir, Arc<UsageLedger>, Arc<Meter>) {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Arc::new(UsageLedger::open(folder.path(), Arc::new(SystemClock)));
        let meter = Meter {
            engine: "Test",
            spoken: Spoken::Heard,
            price: 0.01,
            daily_cap_usd: daily,
            hourly_cap: hourly,
            ledger: Some(Arc::clone(&ledger)),
            hours: PeoplesHours::default(),
        };
        (folder, ledger, Arc::new(meter))
    }

    #[tokio::test(start_paused = true)]
    async fn hearing_is_written_in_steps_and_the_rest_at_the_end() {
        let (_folder, ledger, meter) = meter(None, None);
        let is_heard = |seconds: f64| (ledger.today().speech.heard_seconds - seconds).abs() < 1e-9;
        let mut tally = Tally::new(&meter, None);
        for _ in 0..6 {
            tally.heard(16_000).unwrap();
        }
        assert!(is_heard(5.0));
        drop(tally);
        assert!(is_heard(6.0));
        assert!((ledger.today().speech.heard_usd - 0.06).abs() < 1e-9);
    }

    #[tokio::test(start_paused = true)]
    async fn the_cap_of_a_person_is_an_hour_long_and_theirs_alone() {
        let (_folder, _ledger, meter) = meter(None, Some(120.0));
        let (ada, bo) = (AccountId::discord(1), AccountId::discord(2));
        meter.count(Some(&ada), 120.0, None);
        tokio::time::advance(HOUR / 3).await;
        let refused = meter.allow(Some(&ada)).unwrap_err();
        assert!(refused.to_string().contains("2 minutes"), "{refused}");
        assert!(matches!(refused, EngineError::OverHour { left, .. } if left == HOUR * 2 / 3), "{refused:?}");
        assert_eq!(meter.allow(Some(&bo)), Ok(()));
        tokio::time::advance(HOUR).await;
        assert_eq!(meter.allow(Some(&ada)), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn the_daily_cap_closes_at_its_figure() {
        let (_folder, _ledger, meter) = meter(Some(0.10), None);
        assert_eq!(meter.allow(None), Ok(()));
        meter.count(None, 4.0, Some(0.10));
        assert!(matches!(meter.allow(None), Err(EngineError::OverCap { said }) if said.contains("$0.10")));
    }
}
