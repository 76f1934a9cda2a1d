//! `channels/<id>.toml`: what one channel does differently (specs familiar-connect 1.5).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::error::Problem;
use super::familiar::{Answers, mode_from_word};
use super::mode::{HistoryStyle, MODE_CHOICES, ModeConfig};
use super::plan::{self, PlanConfig};
use super::read::View;
use super::schema::{Key, Kind};
use super::typing::{self, TypingSimulation};
use crate::domain::{ChannelMode, Layer, Section};

/// Longest backdrop, in characters: what Discord's input dialog holds.
pub const BACKDROP_MAX_CHARS: usize = 4000;

const TOP: &[Key] = &[
    Key { path: "mode", kind: Kind::Choice(MODE_CHOICES), doc: "The channel's mode. Required." },
    Key {
        path: "channel_name",
        kind: Kind::Prose(400),
        doc: "The channel's name when the file was written, for people only.",
    },
    Key {
        path: "backdrop",
        kind: Kind::Prose(BACKDROP_MAX_CHARS),
        doc: "Where this channel's conversations take place, or how to behave in it. Stands in for the mode's \
              instructions. Blank: the mode's instructions hold.",
    },
    Key {
        path: "stepped_thinking",
        kind: Kind::Flag,
        doc: "Think about the situation before each reply here. Unset: as its mode says.",
    },
    Key { path: "recast", kind: Kind::Flag, doc: "Polish each reply's style here. Unset: as its mode says." },
    Key {
        path: "answers",
        kind: Kind::Choice(Answers::CHOICES),
        doc: "What it answers of what is written here. Unset: as `character.toml` says.",
    },
    Key {
        path: "quiet_until",
        kind: Kind::Moment,
        doc: "Until then it speaks here only when spoken to, as with `answers = \"addressed\"`. `/quiet` and `/wake` write it.",
    },
];

/// Every key of a channel's file.
pub(super) fn keys() -> Vec<Key> {
    let plan = plan::keys();
    let keys: [&[Key]; 3] = [TOP, typing::KEYS, &plan];
    keys.concat()
}

/// The settings of one channel: its mode's figures, with what the channel does differently.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelConfig {
    /// The channel's mode.
    pub mode: ChannelMode,
    /// The whole prompt, in tokens.
    pub budget_tokens: u32,
    /// Time for gathering and thinking.
    pub deadline: Duration,
    /// Cap per layer in tokens; `None` is no cap, an absent layer has 0.
    pub layers: BTreeMap<Layer, Option<u32>>,
    /// Cap per section in tokens, where it has one.
    pub sections: BTreeMap<Section, u32>,
    /// Tokens of the model's window kept free for the reply.
    pub reserve_tokens: u32,
    /// What it answers of what is written here; [`Self::answers_at`] also knows `/quiet`.
    pub answers: Answers,
    /// Until when it only speaks when spoken to.
    pub quiet_until: Option<Timestamp>,
    /// How replies are typed.
    pub typing: TypingSimulation,
    /// How time is shown in the history.
    pub history_style: HistoryStyle,
    /// Whether a side model thinks first.
    pub stepped_thinking: bool,
    /// Whether a side model polishes the style.
    pub recast: bool,
    /// What a message may cost, by its effort.
    pub plan: Arc<PlanConfig>,
    /// The channel's own scene or rules, at most 4000 characters; never blank.
    pub backdrop: Option<String>,
    /// The channel's name as last written down, for people.
    pub channel_name: Option<String>,
    /// The mode's instructions: the familiar's own, else the default ones; empty when there are none.
    pub mode_instructions: Arc<str>,
}

impl ChannelConfig {
    /// What stands in the author's note: the channel's backdrop, else the mode's instructions, else nothing.
    #[must_use]
    pub fn author_note(&self) -> Option<&str> {
        let mode = Some(self.mode_instructions.as_ref()).filter(|text| !text.trim().is_empty());
        self.backdrop.as_deref().or(mode)
    }

    /// What it answers of what is written here at that moment.
    #[must_use]
    pub fn answers_at(&self, now: Timestamp) -> Answers {
        if self.quiet_until.is_some_and(|until| now < until) { Answers::Addressed } else { self.answers }
    }

    /// A channel that does nothing differently.
    pub(super) fn of_mode(
        figures: &ModeConfig,
        answers: Answers,
        plan: Arc<PlanConfig>,
        mode_instructions: Arc<str>,
    ) -> Self {
        let figures = figures.clone();
        Self {
            mode: figures.mode,
            budget_tokens: figures.budget_tokens,
            deadline: figures.deadline,
            layers: figures.layers,
            sections: figures.sections,
            reserve_tokens: figures.reserve_tokens,
            answers,
            quiet_until: None,
            typing: figures.typing,
            history_style: figures.history_style,
            stepped_thinking: figures.stepped_thinking,
            recast: figures.recast,
            plan,
            backdrop: None,
            channel_name: None,
            mode_instructions,
        }
    }

    /// A channel from the familiar's tree with the channel's file laid over it.
    pub(super) fn resolve(
        view: View<'_>,
        instructions: impl FnOnce(ChannelMode) -> Arc<str>,
    ) -> Result<Self, Problem> {
        let mode = view.choice("mode", mode_from_word)?;
        let mut figures = ModeConfig::resolve(view, mode)?;
        figures.stepped_thinking =
            view.optional_flag("stepped_thinking")?.unwrap_or(figures.stepped_thinking);
        figures.recast = view.optional_flag("recast")?.unwrap_or(figures.recast);
        let answers = view.choice("answers", Answers::from_word)?;
        Ok(Self {
            backdrop: view.optional_text("backdrop")?,
            channel_name: view.optional_text("channel_name")?,
            quiet_until: view.optional_moment("quiet_until")?,
            ..Self::of_mode(&figures, answers, Arc::new(PlanConfig::resolve(view)?), instructions(mode))
        })
    }
}
