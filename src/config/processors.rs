//! `[thinking]` and `[recasting]`: what happens around the main model (specs cards-and-lore 6).

use std::time::Duration;

use super::choice::choice_enum;
use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "thinking.calls",
        kind: Kind::Choice(ThinkingCalls::CHOICES),
        doc: "How many requests thoughts and plans take.",
    },
    Key {
        path: "thinking.keep",
        kind: Kind::Count(0, 10),
        doc: "How many earlier sets of thoughts of a channel are kept and thought on from; 0 keeps none.",
    },
    Key {
        path: "thinking.answer_tokens",
        kind: Kind::Count(32, 2000),
        doc: "The longest thoughts of one request, in tokens.",
    },
    Key {
        path: "thinking.timeout",
        kind: Kind::Seconds(0.1, 120.0),
        doc: "How long thinking may take; a reply never waits for it longer than the mode's `deadline`.",
    },
    Key {
        path: "recasting.passes",
        kind: Kind::Choice(RecastPasses::CHOICES),
        doc: "Which passes polish a reply, in this order.",
    },
    Key {
        path: "recasting.min_chars",
        kind: Kind::Count(0, 100_000),
        doc: "Shorter replies are left as they are. Characters.",
    },
    Key {
        path: "recasting.timeout",
        kind: Kind::Seconds(0.1, 120.0),
        doc: "How long all passes together may take; after that the reply is sent as far as it was polished.",
    },
];

choice_enum! {
    /// How thoughts and plans are asked for.
    pub enum ThinkingCalls {
        One = "one", "both together, while context is gathered";
        Each = "each", "one after the other, the plans knowing the thoughts";
    }
}

choice_enum! {
    /// Which passes a reply goes through.
    pub enum RecastPasses {
        Both = "both", "whether the character would say it so, then the rhythm of its sentences";
        Behaviour = "behaviour", "only whether the character would say it so";
        Rhythm = "rhythm", "only the rhythm of its sentences";
    }
}

/// How thinking before a reply is done.
#[derive(Debug, Clone, PartialEq)]
pub struct ThinkingConfig {
    /// In one request or two.
    pub calls: ThinkingCalls,
    /// Earlier sets that are kept per channel, 0 to 10.
    pub keep: u32,
    /// The longest answer of one request, in tokens.
    pub answer_tokens: u32,
    /// For all requests together, 0.1 to 120 s.
    pub timeout: Duration,
}

impl ThinkingConfig {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self {
            calls: view.choice("thinking.calls", ThinkingCalls::from_word)?,
            keep: view.count("thinking.keep")?,
            answer_tokens: view.count("thinking.answer_tokens")?,
            timeout: view.seconds("thinking.timeout")?,
        })
    }
}

/// How a reply is polished.
#[derive(Debug, Clone, PartialEq)]
pub struct RecastConfig {
    /// Which passes.
    pub passes: RecastPasses,
    /// Replies of fewer characters are left alone.
    pub min_chars: u32,
    /// For all passes together, 0.1 to 120 s.
    pub timeout: Duration,
}

impl RecastConfig {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self {
            passes: view.choice("recasting.passes", RecastPasses::from_word)?,
            min_chars: view.count("recasting.min_chars")?,
            timeout: view.seconds("recasting.timeout")?,
        })
    }
}
