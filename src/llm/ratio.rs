//! How many of a model's tokens one of our estimated tokens is, learned from what providers report.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::state::{self, Keeper};

/// Before anything is known a prompt is taken to be larger than estimated, so that it fits.
pub(crate) const STARTING_RATIO: f64 = 1.15;
/// How much one report moves the figure.
const WEIGHT: f64 = 0.2;
/// Outside of this a report says more about the report than about the tokens.
const BOUNDS: (f64, f64) = (0.5, 3.0);
/// In short prompts the chat template outweighs the words.
const LEAST_TOKENS: u32 = 100;

/// Ratios by model; an exponentially weighted mean of reported over estimated prompt tokens
/// (specs mechanisms 4 row 12).
#[derive(Debug)]
pub(crate) struct TokenRatios {
    ratios: Mutex<BTreeMap<String, f64>>,
    /// Of whole requests, as reported while this program runs, and without caution.
    measured: Mutex<BTreeMap<String, f64>>,
    keeper: Keeper,
}

impl TokenRatios {
    /// Reads what was learned before; an unreadable file counts as nothing learned.
    pub(crate) fn open(state_dir: &Path) -> Self {
        let file: PathBuf = state_dir.join("token_ratios.json");
        let mut ratios: BTreeMap<String, f64> = state::read_json(&file).unwrap_or_default();
        ratios.retain(|_, ratio| ratio.is_finite());
        ratios.values_mut().for_each(|ratio| *ratio = ratio.clamp(BOUNDS.0, BOUNDS.1));
        Self { ratios: Mutex::new(ratios), measured: Mutex::default(), keeper: Keeper::new(file) }
    }

    /// The ratio for a model.
    pub(crate) fn ratio(&self, model: &str) -> f64 {
        let ratios = self.ratios.lock().unwrap_or_else(PoisonError::into_inner);
        ratios.get(model).copied().unwrap_or(STARTING_RATIO)
    }

    /// The ratio for a model as it was measured, without the caution of [`STARTING_RATIO`]: for what is of no use
    /// unless it is really long enough. 1.0 until this run of the program has seen a report.
    pub(crate) fn measured(&self, model: &str) -> f64 {
        let measured = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        measured.get(model).copied().unwrap_or(1.0)
    }

    /// Takes the measure of a whole request, of which `sent` is our count, tools and roles included.
    pub(crate) fn measure(&self, model: &str, reported: u32, sent: u32) {
        if reported == 0 || sent < LEAST_TOKENS {
            return;
        }
        let seen = (f64::from(reported) / f64::from(sent)).clamp(BOUNDS.0, BOUNDS.1);
        let mut measured = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        let ratio = measured.entry(model.to_owned()).or_insert(seen);
        *ratio += WEIGHT * (seen - *ratio);
    }

    /// Learns from one answer.
    pub(crate) fn observe(&self, model: &str, reported: u32, estimated: u32) {
        if reported == 0 || estimated < LEAST_TOKENS {
            return;
        }
        let seen = (f64::from(reported) / f64::from(estimated)).clamp(BOUNDS.0, BOUNDS.1);
        let mut ratios = self.ratios.lock().unwrap_or_else(PoisonError::into_inner);
        let ratio = ratios.entry(model.to_owned()).or_insert(STARTING_RATIO);
        *ratio += WEIGHT * (seen - *ratio);
        self.keeper.keep_json(&*ratios);
    }

    /// Waits until everything learned is on disk.
    pub(crate) async fn flush(&self) {
        self.keeper.flush().await;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ratios() -> (TokenRatios, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        (TokenRatios::open(dir.path()), dir)
    }

    #[test]
    fn contradiction_12_an_unknown_model_starts_conservative() {
        assert_eq!(ratios().0.ratio("m").to_bits(), STARTING_RATIO.to_bits());
    }

    #[test]
    fn short_prompts_and_absent_reports_teach_nothing() {
        let (ratios, _dir) = ratios();
        ratios.observe("m", 500, LEAST_TOKENS - 1);
        ratios.observe("m", 0, 1_000);
        assert_eq!(ratios.ratio("m").to_bits(), STARTING_RATIO.to_bits());
    }

    #[test]
    fn a_measure_holds_no_caution() {
        let (ratios, _dir) = ratios();
        assert_eq!(ratios.measured("m").to_bits(), 1.0f64.to_bits());
        ratios.measure("m", 50, LEAST_TOKENS - 1);
        ratios.measure("m", 0, 1_000);
        assert_eq!(ratios.measured("m").to_bits(), 1.0f64.to_bits());
        ratios.measure("m", 1_300, 1_000);
        assert!((ratios.measured("m") - 1.3).abs() < 1e-9);
        ratios.measure("m", 1_200, 1_000);
        assert!((ratios.measured("m") - 1.28).abs() < 1e-9);
    }

    #[tokio::test]
    async fn what_was_learned_survives_a_restart() {
        let (ratios, dir) = ratios();
        ratios.observe("m", 2_000, 1_000);
        let learned = ratios.ratio("m");
        ratios.flush().await;
        let again = TokenRatios::open(dir.path());
        assert_eq!(again.ratio("m").to_bits(), learned.to_bits());
        std::fs::write(dir.path().join("token_ratios.json"), b"{broken").unwrap();
        assert_eq!(TokenRatios::open(dir.path()).ratio("m").to_bits(), STARTING_RATIO.to_bits());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn it_converges_and_never_leaves_its_bounds(
            noise in prop::collection::vec((1u32..20_000, 100u32..20_000), 0..40), truth in 0.6f64..2.5,
        ) {
            let (ratios, _dir) = ratios();
            for (reported, estimated) in noise {
                ratios.observe("m", reported, estimated);
                prop_assert!((BOUNDS.0..=BOUNDS.1).contains(&ratios.ratio("m")));
            }
            let mut distance = (ratios.ratio("m") - truth).abs();
            for _ in 0..40 {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive count")]
                ratios.observe("m", (truth * 10_000.0) as u32, 10_000);
                let now = (ratios.ratio("m") - truth).abs();
                prop_assert!(now <= distance + 1e-4, "moved away from the truth");
                distance = now;
            }
            prop_assert!(distance < 0.01, "{distance}");
        }
    }
}
