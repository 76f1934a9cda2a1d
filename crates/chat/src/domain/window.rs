//! How full a part of a prompt is, judged (Y6).

use serde::{Deserialize, Serialize};

/// A verdict on measured tokens; grows with the danger of losing something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum WindowVerdict {
    Ok,
    /// From 70 % on: there is little room left.
    Warn,
    /// From 85 % on: there is next to none, and a reply may wait for some to be made.
    Overflow,
    /// From 95 % on: the next message pushes something out.
    Critical,
}

impl WindowVerdict {
    /// Judges `used` of `cap` tokens. A cap of 0 is full as soon as anything is used.
    pub fn of(used: u32, cap: u32) -> Self {
        let percent = (u64::from(used) * 100).checked_div(u64::from(cap));
        match percent.unwrap_or(u64::MAX) {
            _ if used == 0 => Self::Ok,
            95.. => Self::Critical,
            85.. => Self::Overflow,
            70.. => Self::Warn,
            _ => Self::Ok,
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
