//! `[memory_writer]` and `[providers.history]`: what is kept in view and what is written down.

use std::time::Duration;

use super::choice::choice_enum;
use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "providers.history.window_size",
        kind: Kind::Count(1, 1000),
        doc: "As far as they fit, at least this many of the channel's newest messages are in the prompt word for word.",
    },
    Key {
        path: "providers.history.compaction",
        kind: Kind::Choice(Compaction::CHOICES),
        doc: "Who sums up what a conversation has no room for.",
    },
    Key {
        path: "providers.recall.method",
        kind: Kind::Choice(RecallMethod::CHOICES),
        doc: "How what was said earlier is ranked when it is looked up.",
    },
    Key {
        path: "providers.recall.condense",
        kind: Kind::Flag,
        doc: "Let the model of `[llm.memory_search]` tell in a few lines what was found and has no room: for hard written \
              messages (effort 7 and more), and only where nothing thinks before the reply.",
    },
    Key {
        path: "providers.recall.filter",
        kind: Kind::Flag,
        doc: "Let the model of `[llm.memory_search]` say first what of the finds helps, or which pattern to search the notes \
              for: one or two requests that the reply waits for, never in a call, and only where nothing thinks before the \
              reply.",
    },
    Key {
        path: "memory_writer.turn_threshold",
        kind: Kind::Count(1, 10_000),
        doc: "After this many new messages memories are written.",
    },
    Key {
        path: "memory_writer.idle_timeout",
        kind: Kind::Seconds(1.0, 604_800.0),
        doc: "After this long without a message memories are written, however few are new.",
    },
    Key {
        path: "memory_writer.dry_run",
        kind: Kind::Flag,
        doc: "Write nothing into the notes unseen, neither what a model proposes nor what people plainly say; leave it in \
              `memory/sessions/.pending/` for `familiar memory approve`.",
    },
];

choice_enum! {
    /// How candidates of a search are ordered (specs mechanisms Y11).
    pub enum RecallMethod {
        Fused = "fused", "words, runs of letters, who said it, when, and what stands around it, weighed together";
        Text = "text", "by words alone";
        Vector = "vector", "by how alike the texts are as a whole";
        Hybrid = "hybrid", "words and likeness, four to six";
        TimeWeighted = "time", "by words, what is old counting less";
        Importance = "importance", "by words, what matters in itself counting more";
    }
}

choice_enum! {
    /// Who sums older messages up (specs mechanisms Y6).
    pub enum Compaction {
        Auto = "auto", "the program, in time";
        Soft = "soft", "the model, when it asks for it by the tool `make_room`; until then older messages are left out";
        Hybrid = "hybrid", "the model by that tool, and the program once 85 % of the room are taken";
    }
}

/// When memories are written.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryWriterConfig {
    /// New messages that trigger it.
    pub turn_threshold: u32,
    /// Quiet that triggers it, 1 s to 7 days.
    pub idle_timeout: Duration,
    /// What a model proposes waits for a yes.
    pub dry_run: bool,
}

impl MemoryWriterConfig {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self {
            turn_threshold: view.count("memory_writer.turn_threshold")?,
            idle_timeout: view.seconds("memory_writer.idle_timeout")?,
            dry_run: view.flag("memory_writer.dry_run")?,
        })
    }
}
