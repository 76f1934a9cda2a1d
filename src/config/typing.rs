//! `[typing_simulation]`: writing like somebody at a keyboard (specs familiar-connect 1.3, 1.9).

use std::time::Duration;

use super::error::Problem;
use super::read::{Order, View};
use super::schema::{Key, Kind};
use crate::domain::ChannelMode;

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "typing_simulation.enabled",
        kind: Kind::Flag,
        doc: "Send a reply in pieces, with a typing indicator before each. Unset, each mode decides \
              (`modes.<mode>.typing_simulation`); set, it holds for every mode that the same file does not name.",
    },
    Key {
        path: "typing_simulation.chars_per_second",
        kind: Kind::Number(1.0, 1000.0),
        doc: "Typing speed, in characters per second.",
    },
    Key {
        path: "typing_simulation.min_delay_s",
        kind: Kind::Seconds(0.0, 60.0),
        doc: "The shortest time spent typing one piece. Must not exceed `max_delay_s`.",
    },
    Key {
        path: "typing_simulation.max_delay_s",
        kind: Kind::Seconds(0.0, 60.0),
        doc: "The longest time spent typing one piece.",
    },
    Key {
        path: "typing_simulation.inter_line_pause_s",
        kind: Kind::Seconds(0.0, 60.0),
        doc: "The pause after one piece, before typing the next.",
    },
    Key {
        path: "typing_simulation.sentence_split_threshold",
        kind: Kind::Count(40, 1900),
        doc: "A paragraph longer than this many characters is sent in groups of sentences of about this length. A reply is four \
              messages at most.",
    },
];

/// How a reply is paced when it is sent like typing.
#[derive(Debug, Clone, PartialEq)]
pub struct TypingSimulation {
    /// Whether it is paced at all.
    pub enabled: bool,
    /// Typing speed in characters per second, 1 to 1000.
    pub chars_per_second: f64,
    /// Shortest typing time of one piece, 0 to 60 s; never above `max_delay`.
    pub min_delay: Duration,
    /// Longest typing time of one piece, 0 to 60 s.
    pub max_delay: Duration,
    /// Pause between pieces, 0 to 60 s.
    pub inter_line_pause: Duration,
    /// Paragraphs above this many characters are split by sentence; 40 to 1900.
    pub sentence_split_threshold: u32,
}

impl TypingSimulation {
    /// The simulation for one mode. Whether it is on is said by the later layer; within one file the mode's own
    /// switch beats the general one.
    pub(super) fn resolve(view: View<'_>, mode: ChannelMode) -> Result<Self, Problem> {
        let general = "typing_simulation.enabled";
        let of_mode = format!("modes.{mode}.typing_simulation");
        let enabled =
            if view.rank(general) > view.rank(&of_mode) { view.flag(general)? } else { view.flag(&of_mode)? };
        view.in_order("typing_simulation.min_delay_s", "typing_simulation.max_delay_s", Order::AtMost)?;
        Ok(Self {
            enabled,
            chars_per_second: view.number("typing_simulation.chars_per_second")?,
            min_delay: view.seconds("typing_simulation.min_delay_s")?,
            max_delay: view.seconds("typing_simulation.max_delay_s")?,
            inter_line_pause: view.seconds("typing_simulation.inter_line_pause_s")?,
            sentence_split_threshold: view.count("typing_simulation.sentence_split_threshold")?,
        })
    }
}
