//! `[plan.text]` and `[plan.voice]`: what a message of a given effort may cost (specs mechanisms A2, A5, A10).

use std::time::Duration;

use super::choice::Choice;
use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};
use crate::domain::{Depth, Effort, Modality, Slot};

/// The bands of effort, as they are called in the file.
pub(super) const BANDS: [&str; 5] = ["effort_1_2", "effort_3_4", "effort_5_6", "effort_7_8", "effort_9_10"];

const DEPTHS: &[Choice] = &[
    Choice { name: "axioms", doc: "the floor: character, time, place, who speaks, the conversation" },
    Choice { name: "fast", doc: "and a little of what was found" },
    Choice { name: "full", doc: "and everything ordinary" },
    Choice { name: "full_graph", doc: "and how people and things hang together" },
    Choice { name: "all_layers", doc: "and all there is room for" },
];

pub(super) const SLOTS: &[Choice] = &[
    Choice { name: "main_prose", doc: "the model that usually replies" },
    Choice { name: "post_process_style", doc: "that of `[llm.post_process_style]`" },
    Choice { name: "reasoning_context", doc: "that of `[llm.reasoning_context]`" },
    Choice { name: "history_summary", doc: "that of `[llm.history_summary]`" },
    Choice { name: "memory_search", doc: "that of `[llm.memory_search]`" },
    Choice { name: "memory_writer", doc: "that of `[llm.memory_writer]`" },
    Choice { name: "interjection_decision", doc: "that of `[llm.interjection_decision]`" },
    Choice { name: "mood_eval", doc: "that of `[llm.mood_eval]`" },
];

/// The keys of one modality; both take the same ones.
macro_rules! keys_of {
    ($modality:literal) => {
        [
            Key {
                path: concat!("plan.", $modality, ".effort_max"),
                kind: Kind::Count(1, 10),
                doc: "Harder messages are treated as if they were this hard.",
            },
            Key {
                path: concat!("plan.", $modality, ".quorum"),
                kind: Kind::Number(0.0, 1.0),
                doc: "Searching ends early once what was found is this sure to be enough.",
            },
            Key {
                path: concat!("plan.", $modality, ".reserve_tokens"),
                kind: Kind::Count(50, 100_000),
                doc: "Tokens of the model's window kept free for the reply. Unset, each mode decides; set, it is the \
                      most a mode may keep.",
            },
            Key {
                path: concat!("plan.", $modality, ".<effort>.slot"),
                kind: Kind::Choice(SLOTS),
                doc: "Which model writes the reply.",
            },
            Key {
                path: concat!("plan.", $modality, ".<effort>.depth"),
                kind: Kind::Choice(DEPTHS),
                doc: "How much of what the familiar has is laid out for the model.",
            },
            Key {
                path: concat!("plan.", $modality, ".<effort>.searches_scale"),
                kind: Kind::Number(0.0, 4.0),
                doc: "The number of searches a message of its sort gets, multiplied by this.",
            },
            Key {
                path: concat!("plan.", $modality, ".<effort>.found_tokens"),
                kind: Kind::Count(0, 1_000_000),
                doc: "The most that searches may fill of the prompt, in tokens.",
            },
            Key {
                path: concat!("plan.", $modality, ".<effort>.stepped_thinking"),
                kind: Kind::Flag,
                doc: "Think first, in modes that do (`modes.<mode>.stepped_thinking`).",
            },
            Key {
                path: concat!("plan.", $modality, ".<effort>.recast"),
                kind: Kind::Flag,
                doc: "Polish the style, in modes that do (`modes.<mode>.recast`).",
            },
            Key {
                path: concat!("plan.", $modality, ".<effort>.deadline"),
                kind: Kind::Seconds(0.05, 600.0),
                doc: "How long searching and thinking may take; never longer than the mode's own deadline.",
            },
        ]
    };
}

const TEXT: [Key; 10] = keys_of!("text");
const VOICE: [Key; 10] = keys_of!("voice");

pub(super) fn keys() -> Vec<Key> {
    [TEXT, VOICE].concat()
}

/// What messages may cost, for what is written and for what is heard.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanConfig {
    /// Written.
    pub text: PlanTable,
    /// Heard.
    pub voice: PlanTable,
}

/// The figures of one modality.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanTable {
    /// Harder messages count as this hard.
    pub effort_max: Effort,
    /// Gathering ends early at this confidence, 0 to 1.
    pub quorum: f32,
    /// The most that is kept free for the reply, in tokens; `None` leaves it to the mode.
    pub reserve_tokens: Option<u32>,
    /// By effort: 1–2, 3–4, 5–6, 7–8, 9–10.
    bands: [EffortBand; 5],
}

/// The figures of two neighbouring efforts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EffortBand {
    /// Which model slot replies.
    pub slot: Slot,
    /// How much is laid out.
    pub depth: Depth,
    /// Multiplies the number of searches, 0 to 4.
    pub searches_scale: f64,
    /// The most searches may fill, in tokens.
    pub found_tokens: u32,
    /// Whether a side model may think first.
    pub stepped_thinking: bool,
    /// Whether a side model may polish.
    pub recast: bool,
    /// Time for searching and thinking, 0.05 to 600 s.
    pub deadline: Duration,
}

impl PlanConfig {
    /// The table of a modality.
    #[must_use]
    pub fn table(&self, modality: Modality) -> &PlanTable {
        match modality {
            Modality::Text => &self.text,
            Modality::Voice => &self.voice,
        }
    }

    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self { text: PlanTable::resolve(view, "text")?, voice: PlanTable::resolve(view, "voice")? })
    }
}

impl PlanTable {
    /// The figures for an effort.
    #[must_use]
    pub fn band(&self, effort: Effort) -> &EffortBand {
        let [lowest, low, middle, high, highest] = &self.bands;
        match effort.level() {
            ..=2 => lowest,
            3..=4 => low,
            5..=6 => middle,
            7..=8 => high,
            9.. => highest,
        }
    }

    fn resolve(view: View<'_>, modality: &str) -> Result<Self, Problem> {
        let key = |name: &str| format!("plan.{modality}.{name}");
        let band = |name: &str| EffortBand::resolve(view, &key(name));
        let [lowest, low, middle, high, highest] = BANDS;
        Ok(Self {
            effort_max: Effort::new(u8::try_from(view.count(&key("effort_max"))?).unwrap_or(u8::MAX)),
            #[expect(clippy::cast_possible_truncation, reason = "a share from 0 to 1 needs no more digits")]
            quorum: view.number(&key("quorum"))? as f32,
            reserve_tokens: view.optional_count(&key("reserve_tokens"))?,
            bands: [band(lowest)?, band(low)?, band(middle)?, band(high)?, band(highest)?],
        })
    }
}

impl EffortBand {
    fn resolve(view: View<'_>, table: &str) -> Result<Self, Problem> {
        let key = |name: &str| format!("{table}.{name}");
        Ok(Self {
            slot: view.choice(&key("slot"), |word| word.parse().ok())?,
            depth: view
                .choice(&key("depth"), |word| Depth::ALL.into_iter().find(|depth| depth.as_str() == word))?,
            searches_scale: view.number(&key("searches_scale"))?,
            found_tokens: view.count(&key("found_tokens"))?,
            stepped_thinking: view.flag(&key("stepped_thinking"))?,
            recast: view.flag(&key("recast"))?,
            deadline: view.seconds(&key("deadline"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::defaults::Defaults;
    use super::*;

    #[test]
    fn a2_every_slot_and_depth_there_is_can_be_written() {
        for slot in Slot::ALL {
            assert!(SLOTS.iter().any(|choice| choice.name == slot.as_str()), "{slot}");
        }
        for depth in Depth::ALL {
            assert!(DEPTHS.iter().any(|choice| choice.name == depth.as_str()), "{}", depth.as_str());
        }
    }

    #[test]
    fn a2_the_default_tables_grow_with_the_effort_and_voice_stays_below_text() {
        let tree = Defaults::embedded().tree().unwrap();
        let plan = PlanConfig::resolve(View::new(&tree)).unwrap();
        for table in [&plan.text, &plan.voice] {
            for pair in table.bands.windows(2) {
                assert!(pair[0].found_tokens < pair[1].found_tokens);
                assert!(pair[0].deadline < pair[1].deadline && pair[0].depth < pair[1].depth);
            }
        }
        for (text, voice) in plan.text.bands.iter().zip(&plan.voice.bands) {
            assert!(voice.deadline < text.deadline && voice.found_tokens <= text.found_tokens);
            assert!(!voice.stepped_thinking && !voice.recast, "processors are off in voice");
        }
        assert_eq!((plan.text.effort_max.level(), plan.voice.effort_max.level()), (10, 6));
        assert!((plan.text.quorum - 0.85).abs() < 1e-6 && (plan.voice.quorum - 0.70).abs() < 1e-6);
        assert_eq!((plan.text.reserve_tokens, plan.voice.reserve_tokens), (None, Some(300)));
    }
}
