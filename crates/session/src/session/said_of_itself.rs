//! What it said of how it is, kept for a while: whoever asks again is told the same, and no model is asked for it.
//!
//! Owns for how long, and when it no longer holds. Start reading at [`SaidOfItself::lately`].

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::domain::{ChannelId, ChannelMode};
use crate::familiar::DayPart;
use crate::text::tongue::Tongue;

/// What was said of it is said again for so long, and no model is asked there meanwhile.
const KEPT_FOR: Duration = Duration::from_secs(10 * 60);

/// Places whose words are kept; beyond that the keeping starts over.
const PLACES: usize = 256;

/// What it was last said to be, by place and language.
#[derive(Debug, Default)]
pub(super) struct SaidOfItself(Mutex<HashMap<(ChannelId, Tongue), Kept>>);

#[derive(Debug, Clone)]
struct Kept {
    of: StateFacts,
    until: Instant,
    words: Option<String>,
}

/// What is so now. Where some of it changes, what was said no longer holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StateFacts {
    pub mood: Option<&'static str>,
    pub day: Option<DayPart>,
    pub mode: ChannelMode,
    /// It was told to keep quiet there.
    pub is_quiet: bool,
}

impl SaidOfItself {
    /// What is to be said of these facts, where a model was asked about that place lately: its words where they still hold,
    /// else none. Nothing is kept where one may be asked, and from then on none may before the answer is there.
    pub(super) fn lately(
        &self,
        key: &(ChannelId, Tongue),
        facts: &StateFacts,
        now: Instant,
    ) -> Option<Option<String>> {
        let mut kept = self.0.lock();
        if let Some(kept) = kept.get(key).filter(|kept| now < kept.until) {
            return Some(kept.words.clone().filter(|_| kept.of == *facts));
        }
        if kept.len() >= PLACES && !kept.contains_key(key) {
            kept.clear();
        }
        kept.insert(key.clone(), Kept { of: facts.clone(), until: now + KEPT_FOR, words: None });
        None
    }

    pub(super) fn keep(&self, key: &(ChannelId, Tongue), words: &str) {
        if let Some(kept) = self.0.lock().get_mut(key) {
            kept.words = Some(words.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(mood: Option<&'static str>) -> StateFacts {
        StateFacts { mood, day: None, mode: ChannelMode::TextConversationRp, is_quiet: false }
    }

    #[test]
    fn one_model_is_asked_of_a_place_in_a_while_and_its_words_hold_for_its_mood() {
        let kept = SaidOfItself::default();
        let key = (ChannelId::new("ferry").unwrap(), Tongue::English);
        let (now, cheerful) = (Instant::now(), facts(Some("cheerful")));
        assert_eq!(kept.lately(&key, &cheerful, now), None, "it may be asked");
        assert_eq!(kept.lately(&key, &cheerful, now), Some(None), "and is being asked");
        kept.keep(&key, "Never better.");
        assert_eq!(kept.lately(&key, &cheerful, now), Some(Some("Never better.".to_owned())));
        assert_eq!(kept.lately(&key, &facts(None), now), Some(None), "that no longer holds");
        let elsewhere = (ChannelId::new("tower").unwrap(), Tongue::English);
        assert_eq!(kept.lately(&elsewhere, &cheerful, now), None);
        assert_eq!(kept.lately(&key, &cheerful, now + KEPT_FOR), None);
    }
}
