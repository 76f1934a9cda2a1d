//! Which tools a conversation's model is told about (specs mechanisms Y16).
//!
//! A few are always there. Others come when the model looks for them, and the ones not used for longest leave when
//! there are too many. The set changes rarely and is sent in a fixed order, because tools stand in front of the prompt
//! and every change makes the provider read all of it anew.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::ChannelId;

/// Tools of one conversation, the ones that are always there included.
pub(super) const CEILING: usize = 20;

/// Conversations whose sets are remembered; the one that was quiet longest starts anew.
const CONVERSATIONS: usize = 256;

/// The active tools of every conversation, by name.
#[derive(Debug)]
pub(super) struct Activations {
    always: Vec<String>,
    sets: Mutex<Sets>,
}

#[derive(Debug, Default)]
struct Sets {
    by_channel: HashMap<ChannelId, VecDeque<String>>,
    /// Quiet longest first.
    order: VecDeque<ChannelId>,
}

impl Activations {
    pub(super) fn new(always: impl IntoIterator<Item = String>) -> Self {
        Self { always: always.into_iter().take(CEILING).collect(), sets: Mutex::default() }
    }

    /// Whether a conversation's model is told about a tool.
    pub(super) fn has(&self, channel: &ChannelId, name: &str) -> bool {
        self.always.iter().any(|always| always == name)
            || self.sets().by_channel.get(channel).is_some_and(|set| set.iter().any(|known| known == name))
    }

    /// Makes a tool active, or notes that it was used.
    pub(super) fn touch(&self, channel: &ChannelId, name: &str) {
        if self.always.iter().any(|always| always == name) {
            return;
        }
        let mut sets = self.sets();
        sets.order.retain(|known| known != channel);
        sets.order.push_back(channel.clone());
        if sets.order.len() > CONVERSATIONS
            && let Some(quietest) = sets.order.pop_front()
        {
            sets.by_channel.remove(&quietest);
        }
        let set = sets.by_channel.entry(channel.clone()).or_default();
        set.retain(|known| known != name);
        set.push_back(name.to_owned());
        while set.len() + self.always.len() > CEILING {
            set.pop_front();
        }
    }

    fn sets(&self) -> MutexGuard<'_, Sets> {
        self.sets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(from: usize, to: usize) -> impl Iterator<Item = String> {
        (from..to).map(|number| format!("tool_{number}"))
    }

    #[test]
    fn y16_the_tool_not_used_for_longest_leaves_and_the_constant_ones_stay() {
        let here = ChannelId::from(1);
        let activations = Activations::new(names(0, 3));
        for name in names(3, 20) {
            activations.touch(&here, &name);
        }
        activations.touch(&here, "tool_3");
        activations.touch(&here, "tool_20");
        assert!(activations.has(&here, "tool_0"), "always there");
        assert!(activations.has(&here, "tool_3"), "used again");
        assert!(!activations.has(&here, "tool_4"), "not used for longest");
        assert_eq!(names(0, 21).filter(|name| activations.has(&here, name)).count(), CEILING);
        assert!(!activations.has(&ChannelId::from(2), "tool_5"), "another conversation has its own");
    }

    #[test]
    fn y16_conversations_are_bounded() {
        let activations = Activations::new([]);
        for channel in 0..=CONVERSATIONS as u64 {
            activations.touch(&ChannelId::from(channel), "x");
        }
        assert!(!activations.has(&ChannelId::from(0), "x"));
        assert!(activations.has(&ChannelId::from(1), "x"));
        assert_eq!(activations.sets().by_channel.len(), CONVERSATIONS);
    }
}
