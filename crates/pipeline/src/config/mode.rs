//! How it talks in a channel, as `character.toml` says it for all and a channel's own file for one: the figures of a mode
//! (familiar-connect 1.4), the pace of typing (1.3, 1.9), what a message may cost (A2, A5, A10), and
//! what it answers. Start reading at [`ModeConfig`].

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

use super::check::{Seconds, named_tables, written_as};
use crate::domain::{Depth, Effort, Layer, Modality, Section, Slot};

/// The figures of one mode.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct ModeConfig {
    /// The whole prompt, in tokens. What the model is told of its tools comes on top; the x-ray says how much that is.
    #[schemars(range(min = 500, max = 1_000_000))]
    pub budget_tokens: u32,
    /// How long gathering context and thinking may take before the reply starts with what is there.
    #[serde(with = "Seconds")]
    #[schemars(range(min = 1.0, max = 600.0))]
    pub deadline: Duration,
    /// Tokens of the model's window kept free for the reply.
    #[schemars(range(min = 50, max = 100_000))]
    pub reserve_tokens: u32,
    /// How the passing of time is shown between older messages.
    pub history_style: HistoryStyle,
    /// Let a side model think about the situation before the reply.
    pub stepped_thinking: bool,
    /// Polish the reply's style after it is written: a side model does; in `imitate_voice` and in calls the speech
    /// form does, which asks no model.
    pub recast: bool,
    /// Send replies in typed pieces in this mode.
    pub typing_simulation: bool,
    /// How that is done.
    #[serde(skip)]
    pub typing: TypingSimulation,
    /// The layer's share of the prompt, in tokens; 0 leaves it out.
    // Without a number it has no cap, a layer that is not here has none of it.
    #[serde(deserialize_with = "caps")]
    #[schemars(schema_with = "layers")]
    pub layers: BTreeMap<Layer, Option<u32>>,
    /// The most one section may take of its layer, in tokens; 0 leaves it out. Unset: no cap of its own.
    #[serde(default)]
    #[schemars(schema_with = "sections")]
    pub sections: BTreeMap<Section, u32>,
}

fn layers(generator: &mut SchemaGenerator) -> Schema {
    named_tables::<Cap>(generator, "layer", Layer::ALL.iter().copied().map(Layer::as_str))
}

fn sections(generator: &mut SchemaGenerator) -> Schema {
    named_tables::<u32>(generator, "section", Section::OPTIONAL.map(Section::as_str))
}

/// How the passing of time is shown in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HistoryStyle {
    /// notes on what happened elsewhere, in gaps of five minutes and more
    Breadcrumbs,
    /// `[HH:MM]` before each message, in `display_tz`, with the day where it begins
    Clock,
    /// "(about N minutes later)" after gaps of 30 seconds and more
    GapHints,
}

/// Shares of layers: a number, or the word for no cap.
fn caps<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<Layer, Option<u32>>, D::Error> {
    #[derive(Deserialize)]
    struct Share(#[serde(with = "Cap")] Option<u32>);
    let written: BTreeMap<Layer, Share> = Deserialize::deserialize(from)?;
    Ok(written.into_iter().map(|(layer, share)| (layer, share.0)).collect())
}

written_as! {
    Cap: toml::Value => Option<u32>,
        {"type": ["integer", "string"], "minimum": 0, "maximum": 4_294_967_295_u32, "pattern": "^unlimited$",
         "x-words": "a whole number of tokens, or \"unlimited\""},
        |cap| cap.as_integer().and_then(|cap| u32::try_from(cap).ok());
}

/// How a reply is paced when it is sent like typing.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
pub struct TypingSimulation {
    /// Send a reply in pieces, with a typing indicator before each. Unset, each mode decides
    /// (`modes.<mode>.typing_simulation`); set, it holds for every mode that the same file does not name.
    #[serde(default)]
    pub enabled: bool,
    /// Typing speed, in characters per second.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub chars_per_second: f64,
    /// The shortest time spent typing one piece. Must not exceed `max_delay_s`.
    #[serde(rename = "min_delay_s", with = "Seconds")]
    #[schemars(range(min = 0.0, max = 60.0))]
    pub min_delay: Duration,
    /// The longest time spent typing one piece.
    #[serde(rename = "max_delay_s", with = "Seconds")]
    #[schemars(range(min = 0.0, max = 60.0))]
    pub max_delay: Duration,
    /// The pause after one piece, before typing the next.
    #[serde(rename = "inter_line_pause_s", with = "Seconds")]
    #[schemars(range(min = 0.0, max = 60.0))]
    pub inter_line_pause: Duration,
    /// A paragraph longer than this many characters is sent in groups of sentences of about this length. A reply
    /// is four messages at most.
    #[schemars(range(min = 40, max = 1900))]
    pub sentence_split_threshold: u32,
}

/// What messages may cost, for what is written and for what is heard.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct PlanConfig {
    pub text: PlanTable,
    pub voice: PlanTable,
}

/// The figures of one modality.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct PlanTable {
    /// Harder messages are treated as if they were this hard.
    #[schemars(with = "u8", range(min = 1, max = 10))]
    pub effort_max: Effort,
    /// Tokens of the model's window kept free for the reply. Unset, each mode decides; set, it is the most a mode
    /// may keep.
    #[schemars(range(min = 50, max = 100_000))]
    pub reserve_tokens: Option<u32>,
    effort_1_2: EffortBand,
    effort_3_4: EffortBand,
    effort_5_6: EffortBand,
    effort_7_8: EffortBand,
    effort_9_10: EffortBand,
}

/// The figures of two neighbouring efforts.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[schemars(extend("x-names" = "effort"))]
pub struct EffortBand {
    /// Which model writes the reply.
    pub slot: Slot,
    /// How much of what the familiar has is laid out for the model.
    pub depth: Depth,
    /// The number of searches a message of its sort gets, multiplied by this.
    #[schemars(range(min = 0.0, max = 4.0))]
    pub searches_scale: f64,
    /// The most that searches may fill of the prompt, in tokens.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub found_tokens: u32,
    /// Think first, in modes that do (`modes.<mode>.stepped_thinking`).
    pub stepped_thinking: bool,
    /// Polish the style, in modes that do (`modes.<mode>.recast`).
    pub recast: bool,
    /// How long searching and thinking may take; never longer than the mode's own deadline.
    #[serde(with = "Seconds")]
    #[schemars(range(min = 0.05, max = 600.0))]
    pub deadline: Duration,
}

impl PlanConfig {
    pub fn table(&self, modality: Modality) -> &PlanTable {
        match modality {
            Modality::Text => &self.text,
            Modality::Voice => &self.voice,
        }
    }
}

impl PlanTable {
    /// The figures for an effort.
    pub fn band(&self, effort: Effort) -> &EffortBand {
        match effort.level() {
            ..=2 => &self.effort_1_2,
            3..=4 => &self.effort_3_4,
            5..=6 => &self.effort_5_6,
            7..=8 => &self.effort_7_8,
            9.. => &self.effort_9_10,
        }
    }
}

/// What it answers of what is written where several people are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answers {
    /// who mentions it, replies to it or says its name, and nobody else
    Addressed,
    /// also whom it is talking with, and it joins in as `interjection` says
    Conversation,
    /// everything that is not plainly for somebody else
    All,
}

/// How it answers in the second of two talks that cross.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CrossingTalks {
    /// as anything else
    Mixed,
    /// as a Discord reply, with the arrow to the message it answers
    Replies,
    /// in a thread that hangs on that message, one an hour for whoever wrote it; as a reply where none can be opened
    Threads,
}

#[cfg(test)]
mod tests {
    use super::super::defaults::Defaults;
    use super::super::settings::Config;
    use super::*;

    fn bands(table: &PlanTable) -> [EffortBand; 5] {
        [1, 3, 5, 7, 9].map(|effort| *table.band(Effort::new(effort)))
    }

    #[test]
    fn a2_the_default_tables_grow_with_the_effort_and_voice_stays_below_text() {
        let tree = Defaults::embedded().layers().unwrap();
        let plan = Config::resolve(&tree).unwrap().plan;
        for table in [&plan.text, &plan.voice] {
            for pair in bands(table).windows(2) {
                assert!(pair[0].found_tokens < pair[1].found_tokens);
                assert!(pair[0].deadline < pair[1].deadline && pair[0].depth < pair[1].depth);
            }
        }
        for (text, voice) in bands(&plan.text).iter().zip(bands(&plan.voice)) {
            assert!(voice.deadline < text.deadline && voice.found_tokens <= text.found_tokens);
            assert!(!voice.stepped_thinking && !voice.recast, "processors are off in voice");
        }
        assert_eq!((plan.text.effort_max.level(), plan.voice.effort_max.level()), (10, 6));
        assert_eq!((plan.text.reserve_tokens, plan.voice.reserve_tokens), (None, Some(300)));
    }
}
