//! What model calls used and cost, per day and slot; and small files of figures that may be lost but must never be torn.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::ModelError;
use crate::clock::SharedClock;
use crate::domain::{ModelErrorClass, Slot, Usage};
use crate::home::write_atomic;

/// Older days are forgotten.
const DAYS_KEPT: usize = 92;

/// One slot's figures, or a sum of several.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SlotUsage {
    /// Calls that were answered, broken-off ones included.
    pub calls: u64,
    pub prompt_tokens: u64,
    /// Of these, read from a provider's cache.
    pub cached_tokens: u64,
    /// Tokens out, reasoning included.
    pub completion_tokens: u64,
    /// US dollars: as reported, else by the prices that are known.
    pub cost_usd: f64,
    /// Tokens in and out that nobody knows the price of; they are in no other figure of money.
    #[serde(default)]
    pub unpriced_tokens: u64,
}

impl SlotUsage {
    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.prompt_tokens += other.prompt_tokens;
        self.cached_tokens += other.cached_tokens;
        self.completion_tokens += other.completion_tokens;
        self.cost_usd += other.cost_usd;
        self.unpriced_tokens += other.unpriced_tokens;
    }
}

/// What hearing and speaking used on one day.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SpeechUsage {
    /// Seconds of sound that were turned into text.
    pub heard_seconds: f64,
    /// US dollars for that.
    pub heard_usd: f64,
    /// Characters that were spoken.
    pub said_characters: u64,
    /// US dollars for that.
    pub said_usd: f64,
}

impl SpeechUsage {
    fn add(&mut self, other: &Self) {
        self.heard_seconds += other.heard_seconds;
        self.heard_usd += other.heard_usd;
        self.said_characters += other.said_characters;
        self.said_usd += other.said_usd;
    }

    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// What looking at pictures and making them used on one day.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PicturesUsage {
    /// Pictures that a model described.
    pub described: u64,
    /// Pictures that were asked for.
    pub made: u64,
    /// US dollars for both, as far as they are known.
    pub usd: f64,
}

impl PicturesUsage {
    fn add(&mut self, other: &Self) {
        self.described += other.described;
        self.made += other.made;
        self.usd += other.usd;
    }

    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// One day as it is kept.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Day {
    #[serde(flatten)]
    slots: BTreeMap<Slot, SlotUsage>,
    #[serde(default, skip_serializing_if = "SpeechUsage::is_none")]
    speech: SpeechUsage,
    #[serde(default, skip_serializing_if = "PicturesUsage::is_none")]
    pictures: PicturesUsage,
}

impl Day {
    fn on(self, day: Date) -> DayUsage {
        let Self { slots, speech, pictures } = self;
        DayUsage { day, slots, speech, pictures }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct DayUsage {
    /// The day, in UTC.
    pub day: Date,
    /// By slot; slots that were not used are absent.
    pub slots: BTreeMap<Slot, SlotUsage>,
    pub speech: SpeechUsage,
    pub pictures: PicturesUsage,
}

impl DayUsage {
    /// US dollars of models, hearing, speaking and pictures together.
    pub fn cost_usd(&self) -> f64 {
        self.total().cost_usd + self.speech.heard_usd + self.speech.said_usd + self.pictures.usd
    }

    pub fn total(&self) -> SlotUsage {
        self.slots.values().fold(SlotUsage::default(), |mut sum, slot| {
            sum.add(slot);
            sum
        })
    }
}

/// The running account. Kept in memory, written through to `usage.json` after every call.
#[derive(Debug)]
pub struct UsageLedger {
    clock: SharedClock,
    days: Mutex<BTreeMap<Date, Day>>,
    keeper: FileKeeper,
}

impl UsageLedger {
    /// Continues the account kept in a folder.
    pub fn open(state_dir: &Path, clock: SharedClock) -> Self {
        let file = state_dir.join("usage.json");
        let days = read_json_or_none(&file).unwrap_or_default();
        Self { clock, days: Mutex::new(days), keeper: FileKeeper::new(file) }
    }

    /// Today's figures, by UTC days.
    pub fn today(&self) -> DayUsage {
        let day = self.day();
        self.days.lock().get(&day).cloned().unwrap_or_default().on(day)
    }

    /// The days that are still known, oldest first.
    pub fn days(&self) -> Vec<DayUsage> {
        self.days.lock().iter().map(|(day, kept)| kept.clone().on(*day)).collect()
    }

    /// Adds one call; `cost_usd` is `None` where nobody knows it.
    pub fn record(&self, slot: Slot, usage: &Usage, cost_usd: Option<f64>) {
        let tokens = u64::from(usage.prompt_tokens) + u64::from(usage.completion_tokens);
        let call = SlotUsage {
            calls: 1,
            prompt_tokens: u64::from(usage.prompt_tokens),
            cached_tokens: u64::from(usage.cached_tokens),
            completion_tokens: u64::from(usage.completion_tokens),
            cost_usd: cost_usd.unwrap_or_default(),
            unpriced_tokens: if cost_usd.is_none() { tokens } else { 0 },
        };
        self.keep(|today| today.slots.entry(slot).or_default().add(&call));
    }

    /// Adds what was heard or said.
    pub fn record_speech(&self, used: &SpeechUsage) {
        self.keep(|today| today.speech.add(used));
    }

    /// Adds what was seen or made.
    pub fn record_pictures(&self, used: &PicturesUsage) {
        self.keep(|today| today.pictures.add(used));
    }

    fn keep(&self, add: impl FnOnce(&mut Day)) {
        let today = self.day();
        let mut days = self.days.lock();
        add(days.entry(today).or_default());
        while days.len() > DAYS_KEPT {
            days.pop_first();
        }
        self.keeper.keep_json(&*days);
    }

    /// Refuses once today's cost has reached the cap. Calls that run already may overshoot it.
    pub fn check_cost(&self, cap_usd: Option<f64>) -> Result<(), ModelError> {
        let Some(cap) = cap_usd else { return Ok(()) };
        let spent = self.today().total().cost_usd;
        if spent < cap {
            return Ok(());
        }
        let words = format!(
            "today's model calls cost ${spent:.2} and the daily cap is ${cap:.2}; raise llm.daily_cost_cap_usd or \
             wait until midnight UTC"
        );
        Err(ModelError::new(ModelErrorClass::CostCap, words))
    }

    /// Refuses once today's tokens of models whose price is not known have reached the cap.
    pub fn check_tokens(&self, cap: Option<u64>) -> Result<(), ModelError> {
        let Some(cap) = cap else { return Ok(()) };
        let used = self.today().total().unpriced_tokens;
        if used < cap {
            return Ok(());
        }
        let words = format!(
            "today's calls took {used} tokens of models whose price is not known, and the daily cap is {cap}; set \
             their price_in_per_million and price_out_per_million, raise llm.daily_token_cap, or wait until midnight UTC"
        );
        Err(ModelError::new(ModelErrorClass::TokenCap, words))
    }

    /// Waits until everything recorded is on disk.
    pub async fn flush(&self) {
        self.keeper.flush().await;
    }

    fn day(&self) -> Date {
        self.clock.now().to_zoned(TimeZone::UTC).date()
    }
}

/// Reads a JSON file; `None` when it is absent or unreadable (the latter is logged).
pub(super) fn read_json_or_none<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let bytes = std::fs::read(path).ok()?;
    serde_json::from_slice(&bytes)
        .inspect_err(|error| {
            // The next write would replace it; what it holds (money spent today, say) is for a person to look at.
            let aside = path.with_extension("json.unreadable");
            let moved = std::fs::rename(path, &aside);
            tracing::warn!(file = %path.display(), aside = %aside.display(), ?moved, "unreadable, set aside: {error}");
        })
        .ok()
}

/// Keeps one file at the newest contents it was given. Contents that are overtaken before they are written are
/// skipped, so at most one write waits.
#[derive(Debug)]
pub struct FileKeeper {
    path: PathBuf,
    /// Whether its folder was there from the start: where it is gone since, somebody removed it, and it stays away.
    had_folder: bool,
    newest: Arc<Mutex<Option<Vec<u8>>>>,
    /// Held while writing, so that an older write never lands after a newer one.
    writing: Arc<Mutex<()>>,
}

impl FileKeeper {
    /// Keeps the file at `path`.
    pub fn new(path: PathBuf) -> Self {
        let had_folder = path.parent().is_some_and(Path::is_dir);
        Self { path, had_folder, newest: Arc::default(), writing: Arc::default() }
    }

    /// Writes soon, on a blocking thread; at once where there is no async runtime.
    pub fn keep_json<T: Serialize + ?Sized>(&self, contents: &T) {
        let Ok(mut bytes) = serde_json::to_vec_pretty(contents) else { return };
        bytes.push(b'\n');
        *self.newest.lock() = Some(bytes);
        let write = self.writer();
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(write)),
            Err(_) => write(),
        }
    }

    /// Waits until the newest contents are on disk.
    pub(super) async fn flush(&self) {
        // A writer that finds nothing new still waits for the one before it.
        if let Err(error) = tokio::task::spawn_blocking(self.writer()).await {
            tracing::warn!("a state file was not written: {error}");
        }
    }

    fn writer(&self) -> impl FnOnce() + Send + 'static {
        let (path, newest, writing) = (self.path.clone(), self.newest.clone(), self.writing.clone());
        let had_folder = self.had_folder;
        move || {
            let _turn = writing.lock();
            if had_folder && !path.parent().is_some_and(Path::is_dir) {
                tracing::warn!(file = %path.display(), "not written: its folder is gone");
                return;
            }
            let Some(bytes) = newest.lock().take() else { return };
            if let Err(error) = write_atomic(&path, &bytes) {
                tracing::warn!(file = %path.display(), "could not be written: {error}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::clock::ManualClock;

    fn usage() -> Usage {
        Usage { prompt_tokens: 100, completion_tokens: 10, cached_tokens: 60, ..Usage::default() }
    }

    fn clock() -> ManualClock {
        ManualClock::at("2026-01-01T23:59:00Z".parse().unwrap())
    }

    #[tokio::test]
    async fn figures_add_up_per_slot_and_day_and_survive_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let clock = clock();
        let ledger = UsageLedger::open(dir.path(), Arc::new(clock.clone()));
        ledger.record(Slot::MainProse, &usage(), Some(0.5));
        ledger.record(Slot::MainProse, &usage(), Some(0.25));
        ledger.record(Slot::MoodEval, &usage(), Some(0.0));
        clock.advance(Duration::from_secs(120));
        ledger.record(Slot::MainProse, &usage(), Some(1.0));
        ledger.flush().await;

        let again = UsageLedger::open(dir.path(), Arc::new(clock));
        assert_eq!(again.days(), ledger.days());
        let days = again.days();
        assert_eq!(days.len(), 2);
        assert_eq!(
            days[0].slots[&Slot::MainProse],
            SlotUsage {
                calls: 2,
                prompt_tokens: 200,
                cached_tokens: 120,
                completion_tokens: 20,
                cost_usd: 0.75,
                unpriced_tokens: 0,
            }
        );
        assert_eq!(days[0].total().calls, 3);
        assert_eq!(again.today(), days[1]);
    }

    #[tokio::test]
    async fn what_was_heard_and_said_stands_beside_the_slots_and_older_files_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let old = r#"{"2026-01-01": {"main_prose": {"calls": 3, "prompt_tokens": 1, "cached_tokens": 0,
            "completion_tokens": 1, "cost_usd": 0.5}}}"#;
        std::fs::write(dir.path().join("usage.json"), old).unwrap();
        let ledger = UsageLedger::open(dir.path(), Arc::new(clock()));
        assert_eq!(ledger.today().slots[&Slot::MainProse].calls, 3);
        let used = SpeechUsage { heard_seconds: 90.0, heard_usd: 0.25, said_characters: 40, said_usd: 0.125 };
        ledger.record_speech(&used);
        ledger.record_speech(&SpeechUsage { said_characters: 2, ..SpeechUsage::default() });
        ledger.flush().await;
        let today = UsageLedger::open(dir.path(), Arc::new(clock())).today();
        assert_eq!(today.speech, SpeechUsage { said_characters: 42, ..used });
        assert!((today.cost_usd() - 0.875).abs() < 1e-9);
        assert_eq!(ledger.check_cost(Some(0.6)), Ok(()), "the cap on models is one on models");
    }

    #[tokio::test]
    async fn pictures_are_counted_and_paid_for_across_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = UsageLedger::open(dir.path(), Arc::new(clock()));
        ledger.record_pictures(&PicturesUsage { made: 1, usd: 0.25, ..PicturesUsage::default() });
        ledger.record_pictures(&PicturesUsage { described: 1, ..PicturesUsage::default() });
        ledger.flush().await;
        let today = UsageLedger::open(dir.path(), Arc::new(clock())).today();
        assert_eq!(today.pictures, PicturesUsage { described: 1, made: 1, usd: 0.25 });
        assert!((today.cost_usd() - 0.25).abs() < 1e-9);
    }

    #[test]
    fn the_cap_closes_at_its_figure_and_opens_at_midnight_utc() {
        let dir = tempfile::tempdir().unwrap();
        let clock = clock();
        let ledger = UsageLedger::open(dir.path(), Arc::new(clock.clone()));
        ledger.record(Slot::MainProse, &usage(), Some(0.75));
        assert_eq!(ledger.check_cost(None), Ok(()));
        assert_eq!(ledger.check_cost(Some(1.0)), Ok(()));
        ledger.record(Slot::MainProse, &usage(), Some(0.25));
        let error = ledger.check_cost(Some(1.0)).unwrap_err();
        assert_eq!(error.class, ModelErrorClass::CostCap);
        assert!(error.message.contains("$1.00"), "{}", error.message);
        clock.advance(Duration::from_secs(60));
        assert_eq!(ledger.check_cost(Some(1.0)), Ok(()));
        assert!(ledger.check_cost(Some(0.0)).is_err(), "a cap of nothing allows nothing");
    }

    #[test]
    fn tokens_of_unknown_price_cost_nothing_that_is_known_and_have_a_cap_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = UsageLedger::open(dir.path(), Arc::new(clock()));
        ledger.record(Slot::MainProse, &usage(), None);
        ledger.record(Slot::MoodEval, &usage(), Some(0.0));
        let total = ledger.today().total();
        assert_eq!((total.unpriced_tokens, total.prompt_tokens), (110, 200));
        assert_eq!((ledger.check_cost(Some(0.01)), ledger.check_tokens(None)), (Ok(()), Ok(())));
        assert_eq!(ledger.check_tokens(Some(111)), Ok(()));
        let error = ledger.check_tokens(Some(110)).unwrap_err();
        assert_eq!(error.class, ModelErrorClass::TokenCap);
        assert!(error.message.contains("price_in_per_million"), "{}", error.message);
    }

    #[test]
    fn old_days_are_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let clock = clock();
        let ledger = UsageLedger::open(dir.path(), Arc::new(clock.clone()));
        for _ in 0..DAYS_KEPT + 3 {
            ledger.record(Slot::MoodEval, &usage(), Some(0.0));
            clock.advance(Duration::from_secs(24 * 3_600));
        }
        assert_eq!(ledger.days().len(), DAYS_KEPT);
    }
}

#[cfg(test)]
mod state_tests {
    use super::*;

    #[test]
    fn an_unreadable_file_is_set_aside_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("usage.json");
        std::fs::write(&file, "{\"2026-").unwrap();
        assert_eq!(read_json_or_none::<Vec<u32>>(&file), None);
        assert!(!file.exists());
        let kept = std::fs::read_to_string(folder.path().join("usage.json.unreadable")).unwrap();
        assert_eq!(kept, "{\"2026-");
    }

    #[tokio::test]
    async fn a_folder_that_somebody_removed_is_not_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let (there, new) = (folder.path().join("there"), folder.path().join("new"));
        std::fs::create_dir(&there).unwrap();
        let keepers = [&there, &new].map(|folder| FileKeeper::new(folder.join("usage.json")));
        std::fs::remove_dir(&there).unwrap();
        for keeper in &keepers {
            keeper.keep_json(&1);
            keeper.flush().await;
        }
        assert!(!there.exists() && new.join("usage.json").exists());
    }
}
