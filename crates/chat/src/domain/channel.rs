//! How a channel is to be talked in, and the sections of its prompts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The three channel modes of the seed (familiar-connect 1.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", parse_err_ty = String, parse_err_fn = no_mode)]
pub enum ChannelMode {
    /// novel style, third person, long
    FullRp,
    /// chat-room style, a couple of short lines
    TextConversationRp,
    /// one or two short sentences as if spoken
    ImitateVoice,
}

impl ChannelMode {
    /// All modes, in the order they are documented.
    pub const ALL: [Self; 3] = [Self::FullRp, Self::TextConversationRp, Self::ImitateVoice];

    /// The name used in configuration files and for `modes/<mode>.md`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

fn no_mode(value: &str) -> String {
    format!("{value:?} is not a channel mode; use full_rp, text_conversation_rp or imitate_voice")
}

/// Whether a turn is read or heard.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, strum::IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Modality {
    /// what is written
    Text,
    /// what is spoken
    Voice,
}

/// The order in which a prompt is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RenderMode {
    /// one stable block, the chat, then what changes; keeps provider caches warm
    // memory 3.3
    Layered,
    /// SillyTavern's order, message for message
    // cards-and-lore 5
    St,
}

/// The budgeted layers of the seed (familiar-connect 1.4, 1.6). A layer says where a chunk's tokens are
/// accounted; how long the chunk survives there is its importance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Layer {
    /// Axioms of the program itself: what holds for every familiar.
    Core,
    Character,
    /// Found context: memories, lore, searches.
    Content,
    /// Summaries of older turns.
    HistorySummary,
    /// The newest turns, word for word.
    RecentHistory,
    /// Mode instructions, the channel's backdrop, the operator's sections and notes about places.
    AuthorNote,
    /// Text inserted a number of messages from the end.
    DepthInject,
}

impl Layer {
    /// All layers, in prompt order.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The name used in configuration files.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A part of a prompt that has a name of its own: to leave it out, to cap it, to find it in a trace
/// (A19, Y3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Section {
    /// Rules of the program itself.
    Axioms,
    /// What the model is told to do.
    Main,
    /// The world, where it stands beside the character.
    Lore,
    /// Who the character is.
    Description,
    /// What it is like.
    Personality,
    /// Where it is.
    Scenario,
    /// How it talks.
    Examples,
    /// How this channel is talked in.
    Mode,
    /// The operator's own sections (`prompts/sections`).
    House,
    /// What this guild or person has settled with it.
    Partner,
    /// What it can do here.
    Capabilities,
    /// What older turns came to.
    Summaries,
    /// The newest turns, word for word.
    History,
    /// The card's note near the end.
    Note,
    /// The world, as called up by what was said.
    CalledLore,
    /// Notes about people.
    People,
    /// What a search through earlier talk found.
    Recalled,
    /// What came back by its words.
    Peripheral,
    /// What goes on elsewhere.
    Meanwhile,
    /// Since you last spoke here.
    Awareness,
    /// What was asked for in this session.
    Lessons,
    /// Its mood.
    Mood,
    /// What the program knows for certain.
    Facts,
    /// The time, the place, who is here.
    Now,
    /// What had to be left out.
    Status,
    /// What it thought before answering.
    Thoughts,
    /// How-to notes that fit what was said.
    Skill,
    /// The shape the answer has to have.
    Format,
    /// The last word of the card.
    Obligations,
}

impl Section {
    /// All of them, in prompt order.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Those a prompt may go without. The rest is who the character is, who is answered, and what was said: no setting
    /// takes that away (Y3, A26).
    pub const OPTIONAL: [Self; 18] = [
        Self::Lore,
        Self::Scenario,
        Self::Examples,
        Self::Mode,
        Self::House,
        Self::Partner,
        Self::Capabilities,
        Self::Summaries,
        Self::Note,
        Self::CalledLore,
        Self::Recalled,
        Self::Peripheral,
        Self::Meanwhile,
        Self::Awareness,
        Self::Lessons,
        Self::Mood,
        Self::Facts,
        Self::Skill,
    ];

    /// The name in configuration and traces.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod section_tests {
    use super::*;

    #[test]
    fn y3_every_section_has_a_name_of_its_own() {
        let mut names: Vec<_> = Section::ALL.iter().map(|section| section.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Section::ALL.len());
    }
}
