//! Which models are left alone for a while, and why (specs mechanisms, last section).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use super::ModelError;
use crate::clock::SharedClock;
use crate::domain::ModelErrorClass;

const RATE_LIMITED: Duration = Duration::from_secs(60);
const SERVER: Duration = Duration::from_secs(300);
const NETWORK: Duration = Duration::from_secs(30);
const MODEL_MISSING: Duration = Duration::from_secs(3_600);
const AUTHENTICATION: Duration = Duration::from_secs(24 * 3_600);
/// "Until changed": nobody tells us when credit is bought, so a restart or a successful trial thaws it.
const QUOTA: Duration = Duration::from_secs(365 * 24 * 3_600);
/// Consecutive failures double a freeze from here …
const BACKOFF_BASE: Duration = Duration::from_secs(30);
const BACKOFF_CEILING: Duration = Duration::from_secs(3_600);
/// How soon something frozen for long may be tried again when nothing else is left: whoever mends a key or an account
/// tries it at once. Each failure in a row doubles it from here …
const TRIAL_BASE: Duration = Duration::from_secs(4);
const TRIAL_CEILING: Duration = Duration::from_secs(60);

/// What a failure freezes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Model,
    Provider,
}

/// How long and how widely a class of failure freezes; `None` where the request was at fault, not the model.
fn penalty(error: &ModelError) -> Option<(Reach, Duration)> {
    match error.class {
        ModelErrorClass::RateLimited => Some((Reach::Model, error.retry_after.unwrap_or(RATE_LIMITED))),
        ModelErrorClass::Server => Some((Reach::Model, SERVER)),
        ModelErrorClass::Network
        | ModelErrorClass::BrokeOff
        | ModelErrorClass::Timeout
        | ModelErrorClass::Malformed
        | ModelErrorClass::WebPage => Some((Reach::Model, NETWORK)),
        ModelErrorClass::ModelMissing => Some((Reach::Model, MODEL_MISSING)),
        ModelErrorClass::Authentication | ModelErrorClass::KeyMissing => {
            Some((Reach::Provider, AUTHENTICATION))
        }
        ModelErrorClass::Quota => Some((Reach::Provider, QUOTA)),
        ModelErrorClass::ContextLength
        | ModelErrorClass::ContentFilter
        | ModelErrorClass::BadRequest
        | ModelErrorClass::CostCap
        | ModelErrorClass::Cancelled => None,
    }
}

/// Whether a failure concerns the whole server, so that its other models need not be asked.
pub(crate) fn concerns_provider(error: &ModelError) -> bool {
    matches!(penalty(error), Some((Reach::Provider, _)))
}

#[derive(Debug, Clone)]
struct Row {
    consecutive: u32,
    until: Timestamp,
    /// From when it may be asked where nothing else is left.
    trial_from: Timestamp,
    error: ModelError,
}

impl Row {
    fn frozen(&self, model: Option<String>) -> Frozen {
        Frozen {
            model,
            until: self.until,
            trial_from: self.trial_from,
            class: self.error.class,
            reason: self.error.message.clone(),
        }
    }
}

/// How long something is left alone even where nothing else is left.
fn trial_after(class: ModelErrorClass, length: Duration, consecutive: u32) -> Duration {
    match class {
        // The provider asked for this time.
        ModelErrorClass::RateLimited => length,
        // Trouble of the moment: a person who speaks now deserves a try.
        ModelErrorClass::Server
        | ModelErrorClass::Network
        | ModelErrorClass::BrokeOff
        | ModelErrorClass::Timeout
        | ModelErrorClass::Malformed
        | ModelErrorClass::WebPage => Duration::ZERO,
        _ => doubled(TRIAL_BASE, consecutive, TRIAL_CEILING).min(length),
    }
}

fn doubled(base: Duration, consecutive: u32, ceiling: Duration) -> Duration {
    base.saturating_mul(1 << consecutive.saturating_sub(1).min(16)).min(ceiling)
}

/// Something that is left alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Frozen {
    /// The model; `None` for every model of the server.
    pub model: Option<String>,
    /// Until when, as long as another one is free.
    pub until: Timestamp,
    /// From when it is asked all the same where no other one is free.
    pub trial_from: Timestamp,
    pub class: ModelErrorClass,
    pub reason: String,
}

/// Whether a model may be asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Standing {
    Free,
    /// Not while another one is free; a trial is allowed when nothing else is left.
    Trial(Frozen),
    Frozen(Frozen),
}

/// The freezes of one server.
#[derive(Debug)]
pub(crate) struct FreezeTable {
    clock: SharedClock,
    /// Keyed by model; `None` is the server itself.
    rows: Mutex<HashMap<Option<String>, Row>>,
}

impl FreezeTable {
    pub(crate) fn new(clock: SharedClock) -> Self {
        Self { clock, rows: Mutex::default() }
    }

    /// How long it is until then.
    pub(crate) fn until(&self, then: Timestamp) -> Duration {
        Duration::try_from(then.duration_since(self.clock.now())).unwrap_or_default()
    }

    pub(crate) fn failed(&self, model: &str, error: &ModelError) {
        let Some((reach, figure)) = penalty(error) else { return };
        let key = (reach == Reach::Model).then(|| model.to_owned());
        let now = self.clock.now();
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let consecutive = rows.get(&key).map_or(1, |row| row.consecutive.saturating_add(1));
        let doubled = doubled(BACKOFF_BASE, consecutive, BACKOFF_CEILING);
        // A provider that names its own time is believed the first time.
        let named = consecutive == 1 && error.retry_after.is_some();
        let length = if named { figure } else { figure.max(doubled) };
        let after = |length| now.saturating_add(length).unwrap_or(Timestamp::MAX);
        let trial_after = trial_after(error.class, length, consecutive);
        // Whoever asked tells of the failure; this says what follows from it.
        tracing::debug!(
            model,
            class = ?error.class,
            others_for_s = length.as_secs(),
            alone_for_s = trial_after.as_secs(),
            "left alone: {error}"
        );
        let (until, trial_from) = (after(length), after(trial_after));
        rows.insert(key, Row { consecutive, until, trial_from, error: error.clone() });
    }

    /// Settings were changed: whatever was wrong may be mended.
    pub(crate) fn thaw(&self) {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Notes a success: the model and its server are well.
    pub(crate) fn succeeded(&self, model: &str) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.remove(&None);
        rows.remove(&Some(model.to_owned()));
    }

    /// Whether a model may be asked now.
    pub(crate) fn standing(&self, model: &str) -> Standing {
        let now = self.clock.now();
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let row = [None, Some(model.to_owned())]
            .into_iter()
            .filter_map(|key| rows.get(&key).map(|row| (key, row)))
            .filter(|(_, row)| row.until > now)
            .max_by_key(|(_, row)| row.trial_from);
        let Some((key, row)) = row else { return Standing::Free };
        let frozen = row.frozen(key);
        if row.trial_from <= now { Standing::Trial(frozen) } else { Standing::Frozen(frozen) }
    }

    /// Everything that is frozen now.
    pub(crate) fn frozen(&self) -> Vec<Frozen> {
        let now = self.clock.now();
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let mut frozen: Vec<Frozen> = rows
            .iter()
            .filter(|(_, row)| row.until > now)
            .map(|(key, row)| row.frozen(key.clone()))
            .collect();
        frozen.sort_by(|a, b| a.model.cmp(&b.model));
        frozen
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::{Clock as _, ManualClock};

    fn table() -> (FreezeTable, ManualClock) {
        let clock = ManualClock::at("2026-01-01T00:00:00Z".parse().unwrap());
        (FreezeTable::new(Arc::new(clock.clone())), clock)
    }

    fn error(class: ModelErrorClass) -> ModelError {
        ModelError::new(class, "words")
    }

    fn seconds_frozen(table: &FreezeTable, clock: &ManualClock) -> i64 {
        table.frozen().first().map_or(0, |frozen| frozen.until.duration_since(clock.now()).as_secs())
    }

    #[test]
    fn every_class_freezes_as_the_table_says() {
        use ModelErrorClass as C;
        let rows = [
            (C::RateLimited, 60),
            (C::Server, 300),
            (C::Network, 30),
            (C::BrokeOff, 30),
            (C::Timeout, 30),
            (C::Malformed, 30),
            (C::WebPage, 30),
            (C::ModelMissing, 3_600),
            (C::Authentication, 24 * 3_600),
            (C::KeyMissing, 24 * 3_600),
            (C::Quota, 365 * 24 * 3_600),
            (C::ContextLength, 0),
            (C::ContentFilter, 0),
            (C::BadRequest, 0),
            (C::CostCap, 0),
            (C::Cancelled, 0),
        ];
        for (class, seconds) in rows {
            let (table, clock) = table();
            table.failed("m", &error(class));
            assert_eq!(seconds_frozen(&table, &clock), seconds, "{class:?}");
        }
    }

    #[test]
    fn consecutive_failures_double_to_a_ceiling_and_a_success_resets() {
        let (table, clock) = table();
        let lengths: Vec<i64> = (0..9)
            .map(|_| {
                table.failed("m", &error(ModelErrorClass::Network));
                seconds_frozen(&table, &clock)
            })
            .collect();
        assert_eq!(lengths, [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
        table.succeeded("m");
        assert_eq!(table.standing("m"), Standing::Free);
        table.failed("m", &error(ModelErrorClass::Network));
        assert_eq!(seconds_frozen(&table, &clock), 30);
    }

    #[test]
    fn the_providers_own_time_is_kept() {
        let (table, clock) = table();
        let limited =
            ModelError { retry_after: Some(Duration::from_secs(7)), ..error(ModelErrorClass::RateLimited) };
        table.failed("m", &limited);
        assert_eq!(seconds_frozen(&table, &clock), 7);
        assert!(matches!(table.standing("m"), Standing::Frozen(_)));
        clock.advance(Duration::from_secs(7));
        assert_eq!(table.standing("m"), Standing::Free);
    }

    #[test]
    fn a_bad_key_freezes_every_model_until_a_trial_succeeds() {
        let (table, clock) = table();
        table.failed("m", &error(ModelErrorClass::Authentication));
        assert!(matches!(table.standing("other"), Standing::Frozen(Frozen { model: None, .. })));
        clock.advance(TRIAL_BASE);
        assert!(matches!(table.standing("other"), Standing::Trial(_)));
        table.succeeded("other");
        assert_eq!(table.standing("m"), Standing::Free);
    }

    #[test]
    fn who_mends_a_key_or_an_account_need_not_wait_and_who_does_not_is_asked_less_and_less() {
        for class in [ModelErrorClass::Authentication, ModelErrorClass::Quota] {
            let (table, clock) = table();
            for seconds in [4, 8, 16, 32, 60, 60] {
                table.failed("m", &error(class));
                let Standing::Frozen(frozen) = table.standing("m") else { panic!("asked at once") };
                assert_eq!(frozen.trial_from.duration_since(clock.now()).as_secs(), seconds);
                clock.advance(Duration::from_secs(seconds.unsigned_abs()));
                assert!(matches!(table.standing("m"), Standing::Trial(_)), "{class:?} after {seconds} s");
            }
            table.failed("m", &error(class));
            table.thaw();
            assert_eq!(table.standing("m"), Standing::Free);
        }
    }

    #[test]
    fn trouble_of_the_moment_may_be_tried_and_other_models_stay_free() {
        let (table, _clock) = table();
        table.failed("m", &error(ModelErrorClass::Server));
        assert!(matches!(table.standing("m"), Standing::Trial(_)));
        assert_eq!(table.standing("other"), Standing::Free);
    }
}
