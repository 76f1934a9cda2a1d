//! `[modes.<mode>]`: the figures of each channel mode (specs familiar-connect 1.4).

use std::collections::BTreeMap;
use std::time::Duration;

use super::choice::{Choice, choice_enum};
use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};
use super::typing::TypingSimulation;
use crate::domain::{ChannelMode, Layer, Section};

/// The modes as words, for the keys that name one.
pub(super) const MODE_CHOICES: &[Choice] = &[
    Choice { name: "full_rp", doc: "novel style, third person, long" },
    Choice { name: "text_conversation_rp", doc: "chat-room style, a couple of short lines" },
    Choice { name: "imitate_voice", doc: "one or two short sentences as if spoken" },
];

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "modes.<mode>.budget_tokens",
        kind: Kind::Count(500, 1_000_000),
        doc: "The whole prompt, in tokens.",
    },
    Key {
        path: "modes.<mode>.deadline",
        kind: Kind::Seconds(1.0, 600.0),
        doc: "How long gathering context and thinking may take before the reply starts with what is there.",
    },
    Key {
        path: "modes.<mode>.reserve_tokens",
        kind: Kind::Count(50, 100_000),
        doc: "Tokens of the model's window kept free for the reply.",
    },
    Key {
        path: "modes.<mode>.layers.<layer>",
        kind: Kind::Cap,
        doc: "The layer's share of the prompt, in tokens; 0 leaves it out.",
    },
    Key {
        path: "modes.<mode>.sections.<section>",
        kind: Kind::Count(0, 1_000_000),
        doc: "The most one section may take of its layer, in tokens; 0 leaves it out. Unset: no cap of its own.",
    },
    Key {
        path: "modes.<mode>.stepped_thinking",
        kind: Kind::Flag,
        doc: "Let a side model think about the situation before the reply.",
    },
    Key {
        path: "modes.<mode>.recast",
        kind: Kind::Flag,
        doc: "Polish the reply's style after it is written: a side model does; in `imitate_voice` and in calls the speech \
              form does, which asks no model.",
    },
    Key {
        path: "modes.<mode>.history_style",
        kind: Kind::Choice(HistoryStyle::CHOICES),
        doc: "How the passing of time is shown between older messages.",
    },
    Key {
        path: "modes.<mode>.typing_simulation",
        kind: Kind::Flag,
        doc: "Send replies in typed pieces in this mode.",
    },
];

choice_enum! {
    /// How the passing of time is shown in the history.
    pub enum HistoryStyle {
        Breadcrumbs = "breadcrumbs", "notes on what happened elsewhere, in gaps of five minutes and more";
        Clock = "clock", "`[HH:MM]` before each message, in `display_tz`";
        GapHints = "gap_hints", "\"(about N minutes later)\" after gaps of 30 seconds and more";
    }
}

/// The figures of one mode.
#[derive(Debug, Clone, PartialEq)]
pub struct ModeConfig {
    /// Which mode.
    pub mode: ChannelMode,
    /// The whole prompt, in tokens.
    pub budget_tokens: u32,
    /// Time for gathering and thinking, 1 to 600 s.
    pub deadline: Duration,
    /// Cap per layer in tokens; `None` is no cap, an absent layer has 0.
    pub layers: BTreeMap<Layer, Option<u32>>,
    /// Cap per section in tokens, where it has one.
    pub sections: BTreeMap<Section, u32>,
    /// Tokens of the model's window kept free for the reply.
    pub reserve_tokens: u32,
    /// How replies are typed.
    pub typing: TypingSimulation,
    /// How time is shown in the history.
    pub history_style: HistoryStyle,
    /// Whether a side model thinks first.
    pub stepped_thinking: bool,
    /// Whether a side model polishes the style.
    pub recast: bool,
}

impl ModeConfig {
    pub(super) fn resolve(view: View<'_>, mode: ChannelMode) -> Result<Self, Problem> {
        let key = |name: &str| format!("modes.{mode}.{name}");
        let mut layers = BTreeMap::new();
        for layer in Layer::ALL {
            let path = key(&format!("layers.{}", layer.as_str()));
            if view.node(&path).is_some() {
                layers.insert(layer, view.cap(&path)?);
            }
        }
        let mut sections = BTreeMap::new();
        for section in Section::OPTIONAL {
            if let Some(cap) = view.optional_count(&key(&format!("sections.{}", section.as_str())))? {
                sections.insert(section, cap);
            }
        }
        Ok(Self {
            mode,
            budget_tokens: view.count(&key("budget_tokens"))?,
            deadline: view.seconds(&key("deadline"))?,
            layers,
            sections,
            reserve_tokens: view.count(&key("reserve_tokens"))?,
            typing: TypingSimulation::resolve(view, mode)?,
            history_style: view.choice(&key("history_style"), HistoryStyle::from_word)?,
            stepped_thinking: view.flag(&key("stepped_thinking"))?,
            recast: view.flag(&key("recast"))?,
        })
    }
}
