//! How full a part of a prompt is, judged (specs mechanisms Y6).

use serde::{Deserialize, Serialize};

/// Percent from which on there is little room left.
const WARN: u64 = 70;

/// Percent from which on there is next to none, and a reply may wait for some to be made.
const OVERFLOW: u64 = 85;

/// Percent from which on the next message pushes something out.
const CRITICAL: u64 = 95;

/// A verdict on measured tokens; grows with the danger of losing something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum WindowVerdict {
    Ok,
    /// From 70 % on.
    Warn,
    /// From 85 % on.
    Overflow,
    /// From 95 % on.
    Critical,
}

impl WindowVerdict {
    /// Judges `used` of `cap` tokens. A cap of 0 is full as soon as anything is used.
    pub fn of(used: u32, cap: u32) -> Self {
        let share = |percent: u64| u64::from(cap) * percent <= u64::from(used) * 100;
        if used == 0 {
            Self::Ok
        } else if share(CRITICAL) {
            Self::Critical
        } else if share(OVERFLOW) {
            Self::Overflow
        } else if share(WARN) {
            Self::Warn
        } else {
            Self::Ok
        }
    }

    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What was measured, and the verdict on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowFigures {
    /// Tokens of the conversation that are not summed up.
    pub used: u32,
    /// Tokens there are for it.
    pub cap: u32,
    pub verdict: WindowVerdict,
}

impl WindowFigures {
    /// Judges `used` of `cap` tokens.
    pub fn of(used: u32, cap: u32) -> Self {
        Self { used, cap, verdict: WindowVerdict::of(used, cap) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn y6_the_verdict_follows_from_measured_tokens() {
        use WindowVerdict as V;
        for (used, verdict) in [
            (0, V::Ok),
            (699, V::Ok),
            (700, V::Warn),
            (849, V::Warn),
            (850, V::Overflow),
            (949, V::Overflow),
            (950, V::Critical),
            (5000, V::Critical),
        ] {
            assert_eq!(V::of(used, 1000), verdict, "{used}");
        }
        assert_eq!(V::of(1, 0), V::Critical);
        assert_eq!(V::of(0, 0), V::Ok);
        assert_eq!(V::of(u32::MAX, u32::MAX), V::Critical);
    }
}
