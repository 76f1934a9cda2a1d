//! One card, whatever it came in and whichever spec it follows.
//!
//! Owns the typed view of a card. Must not know the disk. Start at [`Card`], made by [`crate::read_card`].

use serde::Serialize;
use serde_json::Value;

use super::DepthPrompt;
use super::container::Container;
use super::lore::Lorebook;

/// The single text fields that people edit, under the names cards give them.
pub const TEXT_FIELDS: [&str; 9] = [
    "name",
    "nickname",
    "system_prompt",
    "description",
    "personality",
    "scenario",
    "mes_example",
    "post_history_instructions",
    "creator_notes",
];

/// Which generation of card it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Spec {
    /// Flat fields; also the cards of Pygmalion, Agnai and text-generation-webui.
    V1,
    /// `chara_card_v2`.
    V2,
    /// `chara_card_v3`.
    V3,
}

impl Spec {
    /// The name in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A picture that came with a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Its extension by content: `png`, `jpg`, `webp`, `gif` or `avif`.
    pub extension: &'static str,
    /// Its bytes, without card text.
    pub bytes: Vec<u8>,
}

/// A card as read. Texts have `\n` line ends and macros as written; empty means absent.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// What it came in.
    pub container: Container,
    /// The generation of the format that its fields follow.
    pub spec: Spec,
    /// The name, trimmed; may be empty (the importer then asks for one).
    pub name: String,
    /// V3 `nickname`.
    pub nickname: Option<String>,
    /// Who the character is.
    pub description: String,
    /// The short form of who the character is.
    pub personality: String,
    /// Where and when the chat takes place.
    pub scenario: String,
    /// The greeting that opens a chat.
    pub first_mes: String,
    /// Other greetings, in order; empty ones keep their place.
    pub alternate_greetings: Vec<String>,
    /// V3 greetings for groups.
    pub group_only_greetings: Vec<String>,
    /// Example dialogue, in `<START>` blocks.
    pub mes_example: String,
    /// Replaces the main prompt.
    pub system_prompt: String,
    /// Instructions after the history.
    pub post_history_instructions: String,
    /// For people; never prompted.
    pub creator_notes: String,
    /// Who made the card, by what it says.
    pub creator: String,
    /// The card's own version.
    pub character_version: String,
    /// Tags; never prompted.
    pub tags: Vec<String>,
    /// SillyTavern's character note, `extensions.depth_prompt`.
    pub depth_prompt: Option<DepthPrompt>,
    /// The lorebook that is part of the card.
    pub book: Option<Lorebook>,
    /// The portrait, where one came along.
    pub avatar: Option<Picture>,
    /// The card's JSON, whole.
    pub raw: Value,
    /// One line for every lenient step taken while reading.
    pub warnings: Vec<String>,
}

impl Card {
    /// `first_mes`, then the alternates, without empty ones.
    pub fn greetings(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.first_mes)
            .chain(&self.alternate_greetings)
            .map(String::as_str)
            .filter(|greeting| !greeting.trim().is_empty())
    }

    /// A single text field by the name cards give it, the two names included; empty where it says nothing.
    #[must_use]
    pub fn field(&self, name: &str) -> &str {
        match name {
            "name" => &self.name,
            "nickname" => self.nickname.as_deref().unwrap_or_default(),
            other => {
                self.fields().into_iter().find(|(field, _)| *field == other).map_or("", |(_, text)| text)
            }
        }
    }

    /// The single text fields under the names cards give them, in card order.
    #[must_use]
    pub fn fields(&self) -> [(&'static str, &str); 11] {
        [
            ("description", &self.description),
            ("personality", &self.personality),
            ("scenario", &self.scenario),
            ("first_mes", &self.first_mes),
            ("mes_example", &self.mes_example),
            ("system_prompt", &self.system_prompt),
            ("post_history_instructions", &self.post_history_instructions),
            ("creator_notes", &self.creator_notes),
            ("depth_prompt", self.depth_prompt.as_ref().map_or("", |note| &note.prompt)),
            ("creator", &self.creator),
            ("character_version", &self.character_version),
        ]
    }
}
