//! How long scripted services take (voice 4, delay profiles).

use std::f64::consts::TAU;
use std::sync::Mutex;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

/// How far the 95th percentile of a normal distribution lies from its middle.
const P95: f64 = 1.645;

/// A time that varies: log-normal, by its median and its 95th percentile.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spread {
    pub median: Duration,
    pub p95: Duration,
}

impl Spread {
    pub fn ms(median: u64, p95: u64) -> Self {
        Self { median: Duration::from_millis(median), p95: Duration::from_millis(p95) }
    }
}

/// How long each service takes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Profile {
    pub name: &'static str,
    /// From a word's last sound to the partial transcript that holds it.
    pub partial: Duration,
    /// From the last sound to the final transcript, if it was asked for by then.
    pub settled: Spread,
    /// From the request to the model's first token.
    pub first_token: Spread,
    /// Between two words of the model.
    pub word: Duration,
    /// From the phrase to its first sound.
    pub first_sound: Spread,
    /// How many times faster than it is played sound is made; 0 for all at once.
    pub speed: f64,
}

impl Profile {
    /// Nothing takes any time.
    pub fn zero() -> Self {
        Self { name: "zero", ..Self::default() }
    }

    /// Good services of 2026. The model gives 235 tokens a second, four tokens for three words.
    pub fn cloud() -> Self {
        Self {
            name: "cloud-2026",
            partial: Duration::from_millis(150),
            settled: Spread::ms(247, 298),
            first_token: Spread::ms(412, 412),
            word: Duration::from_micros(1_000_000 * 4 / 3 / 235),
            first_sound: Spread::ms(188, 188),
            speed: 3.0,
        }
    }

    /// The same with the tail that models have: of twenty first tokens one takes nearly twice as long (voice 1), and
    /// so a little do first sounds.
    pub fn tailed() -> Self {
        let cloud = Self::cloud();
        let (first_token, first_sound) = (Spread::ms(412, 800), Spread::ms(188, 290));
        Self { name: "cloud-2026, with its tail", first_token, first_sound, ..cloud }
    }

    /// All of it on a fast machine in the same room: nothing crosses a network. The model gives 100 tokens a second.
    pub fn local() -> Self {
        Self {
            name: "fast-local",
            partial: Duration::from_millis(120),
            settled: Spread::ms(120, 120),
            first_token: Spread::ms(200, 200),
            word: Duration::from_micros(1_000_000 * 4 / 3 / 100),
            first_sound: Spread::ms(80, 80),
            speed: 3.0,
        }
    }

    /// The same with slow exceptions: each time's 95th percentile is three times as long.
    pub fn slow_tail() -> Self {
        let cloud = Self::cloud();
        let slower = |spread: Spread| Spread { p95: spread.p95 * 3, ..spread };
        Self {
            name: "slow-tail",
            settled: slower(cloud.settled),
            first_token: slower(cloud.first_token),
            first_sound: slower(cloud.first_sound),
            ..cloud
        }
    }
}

/// Draws times; the same seed gives the same ones.
#[derive(Debug)]
pub struct Delays {
    pub profile: Profile,
    chance: Mutex<StdRng>,
}

impl Delays {
    pub fn new(profile: Profile, seed: u64) -> Self {
        Self { profile, chance: Mutex::new(StdRng::seed_from_u64(seed)) }
    }

    /// One time.
    pub fn draw(&self, of: Spread) -> Duration {
        if of.median.is_zero() || of.p95 <= of.median {
            return of.median;
        }
        let mut chance = self.chance.lock().unwrap();
        let (one, two): (f64, f64) = (chance.random::<f64>().max(1e-12), chance.random());
        let normal = (-2.0 * one.ln()).sqrt() * (TAU * two).cos();
        let sigma = (of.p95.as_secs_f64() / of.median.as_secs_f64()).ln() / P95;
        // No service is arbitrarily slow, and none is faster than half of what is usual.
        of.median.mul_f64((normal * sigma).exp().clamp(0.5, 6.0))
    }
}
