//! `[voice.interruption]`: being talked over (specs familiar-connect 1.3, 1.10).

use std::time::Duration;

use super::choice::choice_enum;
use super::error::Problem;
use super::read::{Order, View};
use super::schema::{Key, Kind};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "voice.interruption.interrupt_tolerance",
        kind: Kind::Choice(InterruptTolerance::CHOICES),
        doc: "How likely the familiar goes on talking when somebody briefly makes a sound over it of which no word is known. \
              Words stop it, whatever stands here; nods do not.",
    },
    Key {
        path: "voice.interruption.min_interruption_s",
        kind: Kind::Seconds(0.0, 600.0),
        doc: "Speech shorter than this does not count as an interruption.",
    },
    Key {
        path: "voice.interruption.short_long_boundary_s",
        kind: Kind::Seconds(0.0, 3600.0),
        doc: "From this length on an interruption is a turn of its own. Must be more than `min_interruption_s`.",
    },
];

/// What happens when somebody speaks while the familiar does.
#[derive(Debug, Clone, PartialEq)]
pub struct Interruption {
    /// Its stubbornness.
    pub tolerance: InterruptTolerance,
    /// Shorter speech is ignored; 0 to 600 s.
    pub min_interruption: Duration,
    /// Longer speech is a turn of its own; always above `min_interruption`.
    pub short_long_boundary: Duration,
}

choice_enum! {
    /// How likely it goes on talking through a short interruption.
    pub enum InterruptTolerance {
        VeryMeek = "very_meek", "goes on in 10% of cases";
        Meek = "meek", "20%";
        Average = "average", "30%";
        Stubborn = "stubborn", "45%";
        VeryStubborn = "very_stubborn", "60%";
    }
}

impl InterruptTolerance {
    /// The probability of going on, before mood (specs familiar-connect 1.3).
    #[must_use]
    pub fn keep_talking(self) -> f64 {
        match self {
            Self::VeryMeek => 0.10,
            Self::Meek => 0.20,
            Self::Average => 0.30,
            Self::Stubborn => 0.45,
            Self::VeryStubborn => 0.60,
        }
    }
}

impl Interruption {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        let (min, boundary) =
            ("voice.interruption.min_interruption_s", "voice.interruption.short_long_boundary_s");
        view.in_order(min, boundary, Order::LessThan)?;
        Ok(Self {
            tolerance: view
                .choice("voice.interruption.interrupt_tolerance", InterruptTolerance::from_word)?,
            min_interruption: view.seconds(min)?,
            short_long_boundary: view.seconds(boundary)?,
        })
    }
}
