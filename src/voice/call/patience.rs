//! How long a recogniser that gets whole utterances is waited for.
//!
//! Owns the one deadline by which people are told that what they said is lost, and from which on nothing comes of it any more:
//! both or neither. Start reading at [`Patience::now`].

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::voice::turn::WHOLE_WITHIN;

/// At first: people are told within three seconds (specs voice 6).
const AT_FIRST: Duration = Duration::from_millis(2_900);

/// Of one call. A recogniser that is slow is waited for longer from then on, up to [`WHOLE_WITHIN`].
#[derive(Debug)]
pub(super) struct Patience(Mutex<Duration>);

impl Default for Patience {
    fn default() -> Self {
        Self(Mutex::new(AT_FIRST))
    }
}

impl Patience {
    /// How long the next answer is waited for.
    pub fn now(&self) -> Duration {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An answer took so long: the next may take half as long again.
    pub fn was_answered_after(&self, took: Duration) {
        self.set(took * 3 / 2);
    }

    /// No answer came in time. Whether it is slow or gone shows when it is waited for longer.
    pub fn was_too_short(&self) {
        self.set(self.now() * 2);
    }

    fn set(&self, time: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = time.clamp(AT_FIRST, WHOLE_WITHIN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_with_what_is_slow_and_has_both_ends() {
        let patience = Patience::default();
        let ms = Duration::from_millis;
        patience.was_answered_after(ms(500));
        assert_eq!(patience.now(), AT_FIRST);
        patience.was_too_short();
        assert_eq!(patience.now(), ms(5_800));
        patience.was_answered_after(ms(3_000));
        assert_eq!(patience.now(), ms(4_500));
        patience.was_too_short();
        assert_eq!(patience.now(), WHOLE_WITHIN);
    }
}
