//! Facts that were found a moment ago.
//!
//! Owns the memory of facts, keyed by who asked, where, which detector and with what words, so that nobody is ever
//! told what was found for somebody else or somewhere else (the port of A27 keyed by the words alone). Start reading at
//! [`Reflexes`].

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

use super::{DETECTORS, Detector, Fact, Needs, ReflexInput};
use crate::context::moments::gap;
use crate::domain::{AccountId, ChannelId, Visible};

/// Facts remembered at most; when there are more, the memory starts anew.
const REMEMBERED: usize = 1024;

/// The detectors with their memory.
#[derive(Debug, Default)]
pub struct Reflexes {
    found: Mutex<HashMap<Key, (Timestamp, Option<Fact>)>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    caller: Option<AccountId>,
    channel: ChannelId,
    /// What may be told there changes from one moment to the next.
    visible: Visible,
    detector: &'static str,
    words: String,
}

impl Reflexes {
    /// The detectors a message may ask, before anything is looked up.
    pub fn asked<'a>(&self, input: &'a ReflexInput<'_>) -> impl Iterator<Item = &'static Detector> + 'a {
        DETECTORS.iter().filter(|detector| detector.cues.is_empty() || input.cues.any(detector.cues))
    }

    /// Whether something has to be looked up for a detector now.
    #[must_use]
    pub fn needs(&self, input: &ReflexInput<'_>, detector: &Detector) -> Needs {
        match detector.needs {
            Needs::Nothing => Needs::Nothing,
            _ if self.remembered(input, detector).is_some() => Needs::Nothing,
            needs => needs,
        }
    }

    /// What a detector finds, or found a moment ago.
    #[must_use]
    pub fn fact(&self, input: &ReflexInput<'_>, detector: &Detector) -> Option<Fact> {
        if let Some(found) = self.remembered(input, detector) {
            return found;
        }
        let found = (detector.find)(input);
        if !detector.ttl.is_zero() {
            let mut memory = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            if memory.len() >= REMEMBERED {
                memory.clear();
            }
            memory.insert(key(input, detector), (input.at(), found.clone()));
        }
        found
    }

    /// What every detector finds that needs nothing looked up, or whose look-ups are in `input`; highest priority
    /// first.
    #[must_use]
    pub fn facts(&self, input: &ReflexInput<'_>) -> Vec<(&'static Detector, Fact)> {
        let mut found: Vec<_> =
            self.asked(input).filter_map(|detector| Some((detector, self.fact(input, detector)?))).collect();
        found.sort_by_key(|(detector, _)| std::cmp::Reverse(detector.priority));
        found
    }

    fn remembered(&self, input: &ReflexInput<'_>, detector: &Detector) -> Option<Option<Fact>> {
        if detector.ttl.is_zero() {
            return None;
        }
        let memory = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, found) = memory.get(&key(input, detector))?;
        (gap(*at, input.at()) < detector.ttl && *at <= input.at()).then(|| found.clone())
    }
}

fn key(input: &ReflexInput<'_>, detector: &Detector) -> Key {
    Key {
        caller: input.author.map(|author| author.account.clone()),
        channel: input.place.channel.clone(),
        visible: Visible::at(input.place),
        detector: detector.name,
        words: input.cues.text().to_owned(),
    }
}
