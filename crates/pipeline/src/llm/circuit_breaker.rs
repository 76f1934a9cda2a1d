//! Leaving models and servers alone for a while that failed (mechanisms, last section).
//!
//! Owns how long each class of a model's failures opens its circuit. Start reading at [`ModelBreakers`].

use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;

use super::ModelError;
use crate::clock::{SharedClock, doubled};
use crate::domain::{ModelErrorClass, Slot};
use crate::net::{Circuit, CircuitBreaker};

/// A limit of which nobody says when it ends: most count by seconds, so the first rest is short, and doubles.
const RATE_LIMITED: Duration = Duration::from_secs(5);
const SERVER: Duration = Duration::from_secs(300);
const NETWORK: Duration = Duration::from_secs(30);
const MODEL_MISSING: Duration = Duration::from_secs(3_600);
const AUTHENTICATION: Duration = Duration::from_secs(24 * 3_600);
/// "Until changed": nobody tells us when credit is bought, so a restart or a successful trial ends it.
const QUOTA: Duration = Duration::from_secs(365 * 24 * 3_600);
/// Consecutive failures double a pause from here …
const BACKOFF_BASE: Duration = Duration::from_secs(30);
const BACKOFF_CEILING: Duration = Duration::from_secs(3_600);
/// How soon something left alone for long may be tried again when nothing else is left: whoever mends a key or an account
/// tries it at once. Each failure in a row doubles it from here …
const TRIAL_BASE: Duration = Duration::from_secs(4);
/// … to so much: what is mended answers again soon, and one refused request costs next to nothing.
const TRIAL_CEILING: Duration = Duration::from_secs(8);

/// What a failure concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Model,
    Provider,
}

/// When the same question may be answered after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passes {
    /// Perhaps in a moment: the same model is worth one more try.
    Soon,
    /// By itself, some time.
    Later,
    /// Not before somebody has changed something.
    Never,
}

/// What follows from a class of failure, in the one table that retries, jobs and circuit breakers go by: when it passes, and
/// who is left alone for it, for how long; `None` where the request was at fault, not the model.
fn consequence(class: ModelErrorClass) -> (Passes, Option<(Reach, Duration)>) {
    match class {
        ModelErrorClass::RateLimited => (Passes::Soon, Some((Reach::Model, RATE_LIMITED))),
        ModelErrorClass::Server => (Passes::Soon, Some((Reach::Model, SERVER))),
        ModelErrorClass::Network | ModelErrorClass::BrokeOff => (Passes::Soon, Some((Reach::Model, NETWORK))),
        ModelErrorClass::Timeout | ModelErrorClass::Malformed | ModelErrorClass::WebPage => {
            (Passes::Later, Some((Reach::Model, NETWORK)))
        }
        ModelErrorClass::Empty | ModelErrorClass::Cancelled => (Passes::Later, None),
        ModelErrorClass::ModelMissing => (Passes::Never, Some((Reach::Model, MODEL_MISSING))),
        ModelErrorClass::Authentication | ModelErrorClass::KeyMissing => {
            (Passes::Never, Some((Reach::Provider, AUTHENTICATION)))
        }
        ModelErrorClass::Quota => (Passes::Never, Some((Reach::Provider, QUOTA))),
        ModelErrorClass::ContextLength
        | ModelErrorClass::ContentFilter
        | ModelErrorClass::BadRequest
        | ModelErrorClass::CostCap
        | ModelErrorClass::TokenCap => (Passes::Never, None),
    }
}

impl ModelError {
    /// Whether the same question may be answered later, without anybody changing anything.
    pub fn may_pass(&self) -> bool {
        self.passes() != Passes::Never
    }

    pub(crate) fn passes(&self) -> Passes {
        consequence(self.class).0
    }

    /// Whether it concerns the whole server, so that its other models need not be asked.
    pub(crate) fn concerns_provider(&self) -> bool {
        matches!(consequence(self.class).1, Some((Reach::Provider, _)))
    }

    /// How long something is left alone for it even where nothing else is left.
    fn trial_after(&self, length: Duration, consecutive: u32) -> Duration {
        match self.class {
            // The provider asked for this time, or it is one of seconds.
            ModelErrorClass::RateLimited => length,
            // Trouble of the moment: a person who speaks now deserves a try.
            _ if self.may_pass() => Duration::ZERO,
            _ => doubled(TRIAL_BASE, consecutive, TRIAL_CEILING).min(length),
        }
    }
}

/// A model that is left alone; `None` for every model of the server.
pub type OpenModel = (Option<String>, Circuit<Timestamp, ModelError>);

/// Whether a model may be asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MayAsk {
    Yes,
    /// Not while another one is free; a trial is allowed when nothing else is left.
    Trial,
    No(OpenModel),
}

/// The models of one server, and the server itself, that are left alone.
#[derive(Debug)]
pub(crate) struct ModelBreakers {
    clock: SharedClock,
    /// Keyed by model; `None` is the server itself.
    breaker: Mutex<CircuitBreaker<Option<String>, Timestamp, ModelError>>,
}

impl ModelBreakers {
    pub(crate) fn new(clock: SharedClock) -> Self {
        Self { clock, breaker: Mutex::default() }
    }

    /// How long it is until then.
    pub(crate) fn until(&self, then: Timestamp) -> Duration {
        Duration::try_from(then.duration_since(self.clock.now())).unwrap_or_default()
    }

    pub(crate) fn failed(&self, model: &str, asked_for: Slot, error: &ModelError) {
        let Some((reach, usual)) = consequence(error.class).1 else { return };
        let key = (reach == Reach::Model).then(|| model.to_owned());
        let (now, mut breaker) = (self.clock.now(), self.breaker.lock());
        let is_limit = error.class == ModelErrorClass::RateLimited;
        let named = error.retry_after.filter(|_| is_limit);
        // Whoever speaks does not wait longer for what is tried behind the scenes meanwhile, nor because several who asked at
        // once met the same limit.
        let counts_already = |open: &Circuit<Timestamp, ModelError>| {
            asked_for.is_behind_the_scenes() || (is_limit && named.is_none() && open.trial_from > now)
        };
        if breaker.open(&key, now).is_some_and(counts_already) {
            return;
        }
        breaker.failed(key, now, error.clone(), |failures| {
            let base = if is_limit && named.is_none() { RATE_LIMITED } else { BACKOFF_BASE };
            let doubled = doubled(base, failures, BACKOFF_CEILING);
            // A provider that names its own time is believed the first time; nobody waits for longer, whatever a server says.
            let length = match named {
                Some(named) if failures == 1 => named,
                named => named.unwrap_or(usual).max(doubled),
            };
            let length = length.min(QUOTA);
            let trial_after = error.trial_after(length, failures);
            // Whoever asked tells of the failure; this says what follows from it.
            tracing::debug!(
                model,
                class = ?error.class,
                others_for_s = length.as_secs(),
                alone_for_s = trial_after.as_secs(),
                "left alone: {error}"
            );
            (length, trial_after)
        });
    }

    /// Settings were changed: whatever was wrong may be mended.
    pub(crate) fn reset(&self) {
        self.breaker.lock().reset();
    }

    /// The model and its server are well.
    pub(crate) fn succeeded(&self, model: &str) {
        let mut breaker = self.breaker.lock();
        breaker.worked(&None);
        breaker.worked(&Some(model.to_owned()));
    }

    pub(crate) fn may_ask(&self, model: &str) -> MayAsk {
        let now = self.clock.now();
        let breaker = self.breaker.lock();
        let open = [None, Some(model.to_owned())].into_iter().filter_map(|key| {
            let circuit = breaker.open(&key, now)?.clone();
            Some((key, circuit))
        });
        match open.max_by_key(|(_, circuit)| circuit.trial_from) {
            None => MayAsk::Yes,
            Some((_, circuit)) if circuit.trial_from <= now => MayAsk::Trial,
            Some(open) => MayAsk::No(open),
        }
    }

    /// Everything that is left alone now.
    pub(crate) fn all_open(&self) -> Vec<OpenModel> {
        let breaker = self.breaker.lock();
        let open = breaker.all_open(self.clock.now());
        let mut open: Vec<_> = open.map(|(key, circuit)| (key.clone(), circuit.clone())).collect();
        open.sort_by(|a, b| a.0.cmp(&b.0));
        open
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::{Clock as _, ManualClock};

    fn table() -> (ModelBreakers, ManualClock) {
        let clock = ManualClock::at("2026-01-01T00:00:00Z".parse().unwrap());
        (ModelBreakers::new(Arc::new(clock.clone())), clock)
    }

    fn error(class: ModelErrorClass) -> ModelError {
        ModelError::new(class, "words")
    }

    fn seconds_left_alone(table: &ModelBreakers, clock: &ManualClock) -> i64 {
        table.all_open().first().map_or(0, |(_, open)| open.until.duration_since(clock.now()).as_secs())
    }

    #[test]
    fn every_class_is_left_alone_as_the_table_says() {
        use ModelErrorClass as C;
        let rows = [
            (C::RateLimited, 5),
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
            (C::TokenCap, 0),
            (C::Empty, 0),
            (C::Cancelled, 0),
        ];
        for (class, seconds) in rows {
            let (table, clock) = table();
            table.failed("m", Slot::MainProse, &error(class));
            assert_eq!(seconds_left_alone(&table, &clock), seconds, "{class:?}");
        }
    }

    #[test]
    fn every_class_passes_by_itself_or_does_not_and_only_trouble_of_the_moment_is_worth_another_try() {
        use ModelErrorClass as C;
        let soon = [C::RateLimited, C::Server, C::Network, C::BrokeOff];
        let later = [C::Timeout, C::Malformed, C::WebPage, C::Empty, C::Cancelled];
        for &class in C::ALL {
            let wanted = match class {
                class if soon.contains(&class) => Passes::Soon,
                class if later.contains(&class) => Passes::Later,
                _ => Passes::Never,
            };
            let error = error(class);
            assert_eq!(error.passes(), wanted, "{class:?}");
            assert_eq!(error.may_pass(), wanted != Passes::Never, "{class:?}");
            let of_all = [C::Authentication, C::KeyMissing, C::Quota].contains(&class);
            assert_eq!(error.concerns_provider(), of_all, "{class:?}");
        }
    }

    #[test]
    fn consecutive_failures_double_to_a_ceiling_and_a_success_resets() {
        let (table, clock) = table();
        let lengths: Vec<i64> = (0..9)
            .map(|_| {
                table.failed("m", Slot::MainProse, &error(ModelErrorClass::Network));
                seconds_left_alone(&table, &clock)
            })
            .collect();
        assert_eq!(lengths, [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
        table.succeeded("m");
        assert_eq!(table.may_ask("m"), MayAsk::Yes);
        table.failed("m", Slot::MainProse, &error(ModelErrorClass::Network));
        assert_eq!(seconds_left_alone(&table, &clock), 30);
    }

    #[test]
    fn the_providers_own_time_is_kept() {
        let (table, clock) = table();
        let limited =
            ModelError { retry_after: Some(Duration::from_secs(7)), ..error(ModelErrorClass::RateLimited) };
        table.failed("m", Slot::MainProse, &limited);
        assert_eq!(seconds_left_alone(&table, &clock), 7);
        assert!(matches!(table.may_ask("m"), MayAsk::No(_)));
        clock.advance(Duration::from_secs(7));
        assert_eq!(table.may_ask("m"), MayAsk::Yes);
    }

    #[test]
    fn a_limit_without_a_time_silences_for_seconds_and_counts_once_for_all_who_met_it_together() {
        let (table, clock) = table();
        let limited = error(ModelErrorClass::RateLimited);
        for seconds in [5, 10, 20] {
            for _ in 0..4 {
                table.failed("m", Slot::MainProse, &limited);
            }
            assert_eq!(seconds_left_alone(&table, &clock), seconds);
            assert!(matches!(table.may_ask("m"), MayAsk::No(_)));
            clock.advance(Duration::from_secs(seconds.unsigned_abs()));
            assert_eq!(table.may_ask("m"), MayAsk::Yes);
        }
    }

    #[test]
    fn a_bad_key_leaves_every_model_alone_until_a_trial_succeeds() {
        let (table, clock) = table();
        table.failed("m", Slot::MainProse, &error(ModelErrorClass::Authentication));
        assert!(matches!(table.may_ask("other"), MayAsk::No((None, _))));
        clock.advance(TRIAL_BASE);
        assert!(matches!(table.may_ask("other"), MayAsk::Trial));
        table.succeeded("other");
        assert_eq!(table.may_ask("m"), MayAsk::Yes);
    }

    #[test]
    fn who_mends_a_key_or_an_account_need_not_wait_and_who_does_not_is_asked_less_and_less() {
        for class in [ModelErrorClass::Authentication, ModelErrorClass::Quota] {
            let (table, clock) = table();
            for seconds in [4, 8, 8, 8] {
                table.failed("m", Slot::MainProse, &error(class));
                let MayAsk::No((_, open)) = table.may_ask("m") else { panic!("asked at once") };
                assert_eq!(open.trial_from.duration_since(clock.now()).as_secs(), seconds);
                clock.advance(Duration::from_secs(seconds.unsigned_abs()));
                assert!(matches!(table.may_ask("m"), MayAsk::Trial), "{class:?} after {seconds} s");
            }
            table.failed("m", Slot::MainProse, &error(class));
            table.reset();
            assert_eq!(table.may_ask("m"), MayAsk::Yes);
        }
    }

    #[test]
    fn what_fails_behind_the_scenes_meanwhile_makes_nobody_wait_longer() {
        let (table, clock) = table();
        let quota = error(ModelErrorClass::Quota);
        table.failed("m", Slot::MainProse, &quota);
        clock.advance(TRIAL_BASE);
        table.failed("m", Slot::MemoryWriter, &quota);
        assert_eq!(table.may_ask("m"), MayAsk::Trial);
        table.failed("m", Slot::MainProse, &quota);
        assert!(matches!(table.may_ask("m"), MayAsk::No(_)));
    }

    #[test]
    fn trouble_of_the_moment_may_be_tried_and_other_models_stay_free() {
        let (table, _clock) = table();
        table.failed("m", Slot::MainProse, &error(ModelErrorClass::Server));
        assert!(matches!(table.may_ask("m"), MayAsk::Trial));
        assert_eq!(table.may_ask("other"), MayAsk::Yes);
    }
}
