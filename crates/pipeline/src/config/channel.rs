//! How one channel is talked in: what `character.toml` says, and the channel's own file over it (familiar-connect
//! 1.5). Start reading at [`ChannelConfig`].

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use super::document::Layers;
use super::error::ConfigError;
use super::mode::{Answers, CrossingTalks, ModeConfig, PlanConfig, TypingSimulation};
use super::settings::{Config, ReadDocuments, SourcesConfig};
use crate::domain::ChannelMode;
use crate::text::tongue::Tongue;

/// For how long it can be told to be quiet, in minutes: up to a week.
pub const QUIET_MINUTES: RangeInclusive<u32> = 1..=10_080;

/// Until when it is quiet that is told to be so for these minutes; without any for as long as nobody wakes it. `None` where
/// that is no number of minutes, or none of [`QUIET_MINUTES`].
pub fn quiet_until(minutes: &str, now: Timestamp) -> Option<Timestamp> {
    if minutes.is_empty() {
        return Some(Timestamp::MAX);
    }
    let minutes: u32 = minutes.parse().ok().filter(|minutes| QUIET_MINUTES.contains(minutes))?;
    now.checked_add(Duration::from_mins(minutes.into())).ok()
}

/// Longest backdrop, in characters: what Discord's input dialog holds.
pub const BACKDROP_MAX_CHARS: usize = 4000;

/// `channels/<id>.toml`. `[typing_simulation]` and `[plan.…]` take the same keys as in `character.toml`, over which it is
/// laid.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ChannelFile {
    /// The channel's mode. Required.
    #[schemars(required)]
    mode: Option<ChannelMode>,
    /// The channel's name when the file was written, for people only.
    #[schemars(length(max = 400))]
    channel_name: Option<String>,
    /// Where this channel's conversations take place, or how to behave in it. Stands in for the mode's
    /// instructions. Blank: the mode's instructions hold.
    #[schemars(length(max = BACKDROP_MAX_CHARS))]
    backdrop: Option<String>,
    /// Think about the situation before each reply here. Unset: as its mode says.
    stepped_thinking: Option<bool>,
    /// Polish each reply's style here. Unset: as its mode says.
    recast: Option<bool>,
    /// The language of what the program itself says here. Unset: as `character.toml` says.
    language: Option<Tongue>,
    /// What it answers of what is written here. Unset: as `character.toml` says.
    #[schemars(with = "Option<Answers>")]
    answers: Answers,
    /// What it does where two talks with it cross here. Unset: as `character.toml` says.
    #[schemars(with = "Option<CrossingTalks>")]
    crossing_talks: CrossingTalks,
    /// Until then it speaks here only when spoken to, and goes on with whoever does. `/quiet` and `/wake` write it.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    quiet_until: Option<Timestamp>,
    /// When it was told so: talks from before are over. Written with `quiet_until`.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    quiet_since: Option<Timestamp>,
    /// It may begin to speak here by itself, about what has come due, as `[own_messages]` says. `/speak-first` writes
    /// it.
    #[serde(default)]
    speaks_first: bool,
    /// It greets here, once, whoever is new on the server. `/speak-first` writes it.
    #[serde(default)]
    greets_newcomers: bool,
    #[schemars(with = "Option<SourcesConfig>")]
    sources: SourcesConfig,
    #[schemars(with = "Option<TypingSimulation>")]
    typing_simulation: TypingSimulation,
    #[schemars(with = "Option<PlanConfig>")]
    plan: PlanConfig,
}

/// The settings of one channel: its mode's figures, with what the channel does differently.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelConfig {
    pub mode: ChannelMode,
    /// The figures of its mode; whether it thinks and polishes, and how it types, may be the channel's own.
    pub figures: ModeConfig,
    /// The language of what the program itself says here; unset, it is that of the place.
    pub language: Option<Tongue>,
    /// What it answers of what is written here, unless it [is kept quiet](Self::is_kept_quiet).
    pub answers: Answers,
    pub crossing_talks: CrossingTalks,
    /// Which files that people send here are read.
    pub documents: ReadDocuments,
    /// Until when it only speaks when spoken to.
    pub quiet_until: Option<Timestamp>,
    /// When it was told so, where that is known.
    pub quiet_since: Option<Timestamp>,
    /// Whether it may begin to speak by itself.
    pub speaks_first: bool,
    /// Whether it greets whoever is new on its server.
    pub greets_newcomers: bool,
    pub plan: Arc<PlanConfig>,
    /// The channel's own scene or rules; never blank.
    pub backdrop: Option<String>,
    /// The channel's name as last written down, for people.
    pub channel_name: Option<String>,
    /// The mode's instructions: the familiar's own, else the default ones; empty when there are none.
    pub mode_instructions: Arc<str>,
}

impl ChannelConfig {
    /// What stands in the author's note: the channel's backdrop, else the mode's instructions, else nothing.
    pub fn author_note(&self) -> Option<&str> {
        let mode = Some(self.mode_instructions.as_ref()).filter(|text| !text.trim().is_empty());
        self.backdrop.as_deref().or(mode)
    }

    /// Whether it was told to be quiet here, and is at that moment.
    pub fn is_kept_quiet(&self, now: Timestamp) -> bool {
        self.kept_quiet_since(now).is_some()
    }

    /// When it was told to be quiet, where it is at that moment; ages ago where that is not known.
    pub fn kept_quiet_since(&self, now: Timestamp) -> Option<Timestamp> {
        self.quiet_until.filter(|until| now < *until)?;
        Some(self.quiet_since.unwrap_or(Timestamp::MIN))
    }

    /// A channel from the familiar's files, and from its own where that is laid over them. `instructions` are those of each
    /// mode.
    pub(super) fn resolve(
        layers: &Layers,
        instructions: &BTreeMap<ChannelMode, Arc<str>>,
    ) -> Result<Self, ConfigError> {
        let (config, own) = (Config::resolve(layers)?, layers.read::<ChannelFile>()?);
        let mode = own.mode.unwrap_or(config.default_mode);
        let of_mode = config.modes[&mode].clone();
        Ok(Self {
            mode,
            figures: ModeConfig {
                stepped_thinking: own.stepped_thinking.unwrap_or(of_mode.stepped_thinking),
                recast: own.recast.unwrap_or(of_mode.recast),
                typing: TypingSimulation { enabled: of_mode.typing.enabled, ..own.typing_simulation },
                ..of_mode
            },
            language: own.language,
            answers: own.answers,
            crossing_talks: own.crossing_talks,
            documents: own.sources.documents,
            quiet_until: own.quiet_until,
            quiet_since: own.quiet_since,
            speaks_first: own.speaks_first,
            greets_newcomers: own.greets_newcomers,
            plan: Arc::new(own.plan),
            backdrop: own.backdrop,
            channel_name: own.channel_name,
            mode_instructions: instructions.get(&mode).cloned().unwrap_or_default(),
        })
    }
}
