//! How much a fact counts now (M4): whose word it is, how long ago, how often it was said, whether
//! something else took its place.
//!
//! Age makes a fact count less; it never removes one. Start at [`fact_worth`].

use jiff::civil::Date;

use super::data::{By, FactData, FactKind};

/// A superseded fact counts this much of what it did (M4).
const SUPERSEDED: f32 = 0.3;

/// What age leaves of a fact, at the least: who asks for it still finds it.
const OLDEST: f32 = 0.4;

/// How much often repeated facts gain at most (M4: activation up to 0.3).
const ACTIVATION: f32 = 0.3;

/// As often as ten times is often: log2(10) is 3.32 (M4).
const OFTEN: f32 = 3.32;

/// In which tier a fact stands: where its note lies (M4: 1.5 to 0.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    Canon,
    Person,
    Topic,
    Session,
}

impl Tier {
    /// Of a note by its path, and of a fact by whether anybody said it.
    pub fn of(path: &str, data: &FactData) -> Self {
        match path.split('/').next() {
            _ if data.by.is_none() && data.from.is_empty() => Self::Canon,
            Some("people") => Self::Person,
            Some("sessions") => Self::Session,
            _ => Self::Topic,
        }
    }

    fn weight(self) -> f32 {
        match self {
            Self::Canon => 1.5,
            Self::Person => 1.2,
            Self::Topic => 1.0,
            Self::Session => 0.6,
        }
    }
}

impl FactKind {
    /// How far its word goes, from a correction's 1.3 to something temporary's 0.5 (M4).
    pub fn authority(self) -> f32 {
        match self {
            Self::Correction => 1.3,
            Self::Preference => 1.1,
            Self::Fact => 1.0,
            Self::Promise | Self::Lesson => 0.9,
            Self::Claim => 0.7,
            Self::Ability => 0.5,
        }
    }

    /// After how many days it counts half; `None` for never (M4: 7, 30, 90 days, never).
    pub fn half_life(self) -> Option<f32> {
        match self {
            Self::Correction | Self::Fact => None,
            Self::Preference => Some(90.0),
            Self::Promise | Self::Claim | Self::Lesson => Some(30.0),
            Self::Ability => Some(7.0),
        }
    }
}

/// How often something was said, from 0 for once to 1 for ten times and more: log2(n) / 3.32 (M4).
pub fn reinforcement(times: usize) -> f32 {
    let times = u16::try_from(times.max(1)).unwrap_or(u16::MAX);
    (f32::from(times).log2() / OFTEN).min(1.0)
}

/// What age leaves of it, 1 to [`OLDEST`]. What was said often lasts up to twice as long.
fn fact_freshness(data: &FactData, today: Date) -> f32 {
    let (Some(half_life), Some(on)) = (data.kind.half_life(), data.on) else { return 1.0 };
    let days = i16::try_from(on.until(today).map_or(0, |span| span.get_days()).max(0)).unwrap_or(i16::MAX);
    let lasts = half_life * (1.0 + reinforcement(data.from.len()));
    OLDEST + (1.0 - OLDEST) * 0.5_f32.powf(f32::from(days) / lasts)
}

/// How much a fact counts on a day, about 0.05 to 2.5; a plain fact about a person, said once, counts 1.2. To be
/// multiplied by how well it fits what is asked.
pub fn fact_worth(data: &FactData, tier: Tier, today: Date) -> f32 {
    // Importance 1 to 5 stands for how sure and how much it matters: 3 changes nothing.
    let confidence = 0.7 + 0.1 * f32::from(data.importance.unwrap_or(3));
    let superseded = if data.gone.is_some() { SUPERSEDED } else { 1.0 };
    // What the familiar promised itself does not outrank what a person says.
    let own = if data.by == Some(By::Familiar) { 0.9 } else { 1.0 };
    data.kind.authority()
        * confidence
        * fact_freshness(data, today)
        * superseded
        * own
        * tier.weight()
        * (1.0 + ACTIVATION * reinforcement(data.from.len()))
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan as _;
    use proptest::prelude::*;

    use super::*;
    use crate::domain::{AccountId, StoredId};
    use crate::memory::facts::Evidence;

    const TODAY: Date = jiff::civil::date(2026, 3, 1);

    fn fact(kind: FactKind, days_ago: i32, times: i64) -> FactData {
        FactData {
            kind,
            by: Some(By::Person(AccountId::discord(1))),
            on: TODAY.checked_sub(days_ago.days()).ok(),
            from: (0..times).map(|turn| Evidence::Turn(StoredId(turn))).collect(),
            ..FactData::default()
        }
    }

    fn of(data: &FactData) -> f32 {
        fact_worth(data, Tier::Person, TODAY)
    }

    #[test]
    fn m4_a_correction_outranks_a_fact_and_both_outrank_what_was_superseded() {
        let plain = fact(FactKind::Fact, 400, 1);
        let right = fact(FactKind::Correction, 400, 1);
        let old = FactData { gone: Some(TODAY), ..fact(FactKind::Correction, 0, 10) };
        assert!(of(&right) > of(&plain) && of(&plain) > of(&old));
        assert!((of(&right) / of(&plain) - 1.3).abs() < 1e-5, "authority 1.3");
        let stood = FactData { gone: None, ..old.clone() };
        assert!((of(&old) / of(&stood) - 0.3).abs() < 1e-5, "supersession 0.3");
        let ability = fact(FactKind::Ability, 0, 1);
        assert!((of(&ability) / of(&fact(FactKind::Fact, 0, 1)) - 0.5).abs() < 1e-5, "temporary 0.5");
    }

    #[test]
    fn m4_what_ages_counts_half_of_what_age_can_take_after_its_half_life() {
        let ratio = |kind, days| of(&fact(kind, days, 1)) / of(&fact(kind, 0, 1));
        assert!((ratio(FactKind::Ability, 7) - (OLDEST + (1.0 - OLDEST) / 2.0)).abs() < 1e-3);
        assert!((ratio(FactKind::Preference, 90) - ratio(FactKind::Claim, 30)).abs() < 1e-3);
        assert!((ratio(FactKind::Fact, 10_000) - 1.0).abs() < 1e-6, "what is so stays so");
        assert!(ratio(FactKind::Claim, 10_000) >= OLDEST - 1e-6, "age removes nothing");
    }

    #[test]
    fn m4_what_is_said_often_lasts_longer_and_counts_more() {
        assert_eq!(reinforcement(1), 0.0);
        assert!((reinforcement(10) - 1.0).abs() < 1e-3 && (reinforcement(2) - 1.0 / OFTEN).abs() < 1e-6);
        assert_eq!(reinforcement(10_000), 1.0);
        assert!((of(&fact(FactKind::Fact, 0, 10)) / of(&fact(FactKind::Fact, 0, 1)) - 1.3).abs() < 1e-3);
        let fades = |times| of(&fact(FactKind::Claim, 30, times)) / of(&fact(FactKind::Claim, 0, times));
        assert!(fades(10) > fades(1));
    }

    #[test]
    fn m4_where_a_fact_stands_counts() {
        let said = fact(FactKind::Fact, 0, 1);
        let by_hand = FactData::default();
        let tiers = [
            Tier::of("people/discord-1.md", &by_hand),
            Tier::of("people/discord-1.md", &said),
            Tier::of("topics/regatta.md", &said),
            Tier::of("sessions/2026-03-01-1-evening.md", &said),
        ];
        assert_eq!(tiers, [Tier::Canon, Tier::Person, Tier::Topic, Tier::Session]);
        assert!(tiers.map(Tier::weight).is_sorted_by(|a, b| a > b));
    }

    proptest! {
        #[test]
        fn m4_worth_is_positive_bounded_and_never_grows_with_age(
            kind in proptest::sample::select(FactKind::ALL.to_vec()), age in 0_i32..3_000, times in 0_i64..40, imp in 1_u8..=5
        ) {
            let at = |days| of(&FactData { importance: Some(imp), ..fact(kind, days, times) });
            prop_assert!((0.05..=2.6).contains(&at(age)));
            prop_assert!(at(age + 30) <= at(age) + 1e-6);
        }
    }
}
