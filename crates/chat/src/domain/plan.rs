//! What a turn is worth: how hard it is judged to be, and what may be spent on it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Modality, Slot};

/// How hard a message is to answer well, 1 (a greeting) to 10 (a retrospective over everything): A1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Effort(u8);

impl Effort {
    pub const MIN: Self = Self(1);
    /// The most that small talk takes.
    pub const SMALL_TALK: Self = Self(3);
    pub const MAX: Self = Self(10);

    /// Clamped into 1 to 10.
    pub fn new(level: u8) -> Self {
        Self(level.clamp(Self::MIN.0, Self::MAX.0))
    }

    pub fn level(self) -> u8 {
        self.0
    }
}

/// What sort of message it is; decides layers and how many searches are worth running (A4, A5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Category {
    Greeting,
    /// Small talk, or one plain question.
    SmallTalk,
    /// A line of play in a scene.
    Roleplay,
    /// Asks for something to be done.
    Task,
    /// Asks for something from before.
    Recall,
    /// Touches several people or topics.
    Several,
    /// "Tell me everything about …".
    Deep,
    /// A look back, or a creative plan.
    Retrospective,
}

impl Category {
    /// All categories, from the least to the most that is looked up.
    pub const ALL: [Self; 8] = [
        Self::Greeting,
        Self::SmallTalk,
        Self::Task,
        Self::Roleplay,
        Self::Recall,
        Self::Several,
        Self::Deep,
        Self::Retrospective,
    ];

    /// The name in configuration and traces.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How much of what the familiar has is laid out for the model (A2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Depth {
    /// the floor: character, time, place, who speaks, the conversation
    Axioms,
    /// and a little of what was found
    Fast,
    /// and everything ordinary
    Full,
    /// and how people and things are connected
    FullGraph,
    /// and all there is room for
    AllLayers,
}

/// What the words alone tell about a message, without asking a model (A1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    pub effort: Effort,
    pub category: Category,
    /// Something is asked, by a question mark or by the first words.
    #[serde(default)]
    pub asks: bool,
    /// The words speak to the familiar.
    pub addressed_to_me: bool,
    /// Why, in the order it was noticed.
    pub signs: Vec<String>,
}

/// What may be spent on a turn (A2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExecutionPlan {
    /// What was seen in the message.
    pub intent: Intent,
    pub modality: Modality,
    /// Which model slot writes the reply.
    pub slot: Slot,
    /// How much is laid out.
    pub depth: Depth,
    /// How many (query × source) searches may run (A5).
    pub searches: u32,
    /// What was still warm for whoever asked, in tokens: it spares searches.
    #[serde(default)]
    pub warm_tokens: u32,
    /// The most the prompt may take, in tokens: the lesser of what the channel allows and what the model holds beside
    /// its reply.
    pub budget_tokens: u32,
    /// Of these, the most that searches may fill: what the question needs. The floor, the conversation and the card
    /// are not counted here.
    #[serde(default)]
    pub found_tokens: u32,
    /// Kept free of the model's window for the reply, in tokens.
    #[serde(default)]
    pub reserve_tokens: u32,
    /// Kept free of the window for what the model is told about its tools, in tokens; 0 for a turn without tools.
    #[serde(default)]
    pub tool_tokens: u32,
    /// Kept free of the window for what the tools give, at least, in tokens; 0 for a turn without tools.
    #[serde(default)]
    pub result_tokens: u32,
    /// Whether a side model thinks first.
    pub stepped_thinking: bool,
    /// Whether a side model polishes the reply.
    pub recast: bool,
    /// How long gathering and thinking may take.
    pub deadline: Duration,
    /// Gathering stops early once this much confidence is reached, 0 to 1 (A10).
    pub quorum: f32,
    /// Why the figures are not simply those of the table, for people.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl ExecutionPlan {
    /// What of the window is not the prompt's: the reply's room, the tools and what they give, in tokens.
    pub fn kept_free(&self) -> u32 {
        self.reserve_tokens.saturating_add(self.tool_tokens).saturating_add(self.result_tokens)
    }
}

impl Depth {
    /// All depths, the least first.
    pub const ALL: [Self; 5] = [Self::Axioms, Self::Fast, Self::Full, Self::FullGraph, Self::AllLayers];

    /// The name in configuration and traces.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
