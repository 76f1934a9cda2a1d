//! The prompting view of a familiar: what its card says, field by field, macros still raw.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::card::Card;
use super::on_disk::OnDisk;
use super::refusal::Refusal;
use super::{coerce, install};
use crate::config::FamiliarHome;
use crate::domain::Role;
use crate::text::names::called_by;

/// A character as the context pipeline needs it. Loaded from `memory/self/*.md` (hand edits included), or straight
/// from a card for `familiar prompt`. Empty strings mean "the card says nothing here".
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Character {
    /// The card's name: the identity.
    pub name: String,
    /// V3 `nickname`; what `{{char}}` becomes where present (specs cards-and-lore 2.3).
    pub nickname: Option<String>,
    /// Replaces the default main prompt; may hold `{{original}}`.
    pub system_prompt: String,
    /// Who the character is.
    pub description: String,
    /// The short form of who the character is.
    pub personality: String,
    /// Where and when.
    pub scenario: String,
    /// Example dialogue, `<START>` blocks.
    pub mes_example: String,
    /// Instructions after the history; may hold `{{original}}`.
    pub post_history_instructions: String,
    /// ST's character note.
    pub depth_prompt: Option<DepthPrompt>,
    /// `first_mes`, then `alternate_greetings`.
    pub greetings: Vec<String>,
    /// V3 `group_only_greetings`.
    pub group_greetings: Vec<String>,
    /// What its maker says of it; only lore entries that ask for it look there.
    #[serde(default)]
    pub creator_notes: String,
    /// For `{{charVersion}}`.
    pub version: String,
    /// The operator's short version of who the character is (specs mechanisms A26); no card has one.
    #[serde(default)]
    pub short: Option<String>,
}

/// `extensions.depth_prompt`: a note inserted `depth` messages from the end (0 = after the last).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DepthPrompt {
    /// The note.
    pub prompt: String,
    /// Messages from the end.
    pub depth: u32,
    /// As whom.
    pub role: Role,
}

impl Character {
    /// What the character is called in prompts: the nickname, else the name.
    #[must_use]
    pub fn spoken_name(&self) -> &str {
        self.nickname.as_deref().map(str::trim).filter(|name| !name.is_empty()).unwrap_or(&self.name)
    }

    /// Every name it answers to, these included.
    #[must_use]
    pub fn names(&self, aliases: &[String]) -> Vec<String> {
        let mut names = aliases.to_vec();
        names.extend(called_by(&self.name));
        names.extend(called_by(self.spoken_name()));
        names
    }
}

impl From<&Card> for Character {
    /// The prompting view of a card that is not unpacked. Empty greetings are left out.
    fn from(card: &Card) -> Self {
        Self {
            name: coerce::one_line(&card.name),
            nickname: card.nickname.as_deref().map(coerce::one_line),
            system_prompt: card.system_prompt.clone(),
            description: card.description.clone(),
            personality: card.personality.clone(),
            scenario: card.scenario.clone(),
            mes_example: card.mes_example.clone(),
            post_history_instructions: card.post_history_instructions.clone(),
            depth_prompt: card.depth_prompt.clone(),
            greetings: card.greetings().map(str::to_owned).collect(),
            group_greetings: card
                .group_only_greetings
                .iter()
                .filter(|greeting| !greeting.trim().is_empty())
                .cloned()
                .collect(),
            creator_notes: card.creator_notes.clone(),
            version: card.character_version.clone(),
            short: None,
        }
    }
}

impl Character {
    /// Loads a character from its folder. The files are the truth: hand edits win over the card. A folder without any
    /// of them is a character that only has its id for a name.
    ///
    /// # Errors
    /// When an interrupted import cannot be finished, a file cannot be read, or the depth prompt's front matter is
    /// broken.
    pub fn load(home: &FamiliarHome) -> Result<Self, Refusal> {
        install::recover(home.root())?;
        Self::as_it_lies(home)
    }

    /// Reads a character without finishing an import that was interrupted; nothing is written.
    ///
    /// # Errors
    /// When a file cannot be read, or the depth prompt's front matter is broken.
    pub(super) fn as_it_lies(home: &FamiliarHome) -> Result<Self, Refusal> {
        let unpacked = OnDisk::read(home)?;
        let field = |name: &str| unpacked.fields.get(name).cloned().unwrap_or_default();
        let name = Some(coerce::one_line(&field("name"))).filter(|name| !name.is_empty());
        let full = |greetings: &std::collections::BTreeMap<usize, String>| {
            greetings.values().filter(|greeting| !greeting.trim().is_empty()).cloned().collect()
        };
        Ok(Self {
            name: name.unwrap_or_else(|| home.id().to_string()),
            nickname: Some(coerce::one_line(&field("nickname"))).filter(|name| !name.is_empty()),
            system_prompt: field("system_prompt"),
            description: field("description"),
            personality: field("personality"),
            scenario: field("scenario"),
            mes_example: field("mes_example"),
            post_history_instructions: field("post_history_instructions"),
            greetings: full(&unpacked.greetings),
            group_greetings: full(&unpacked.group_greetings),
            creator_notes: field("creator_notes"),
            depth_prompt: unpacked.depth_prompt,
            version: unpacked.card.as_ref().map(card_version).unwrap_or_default(),
            short: unpacked.short,
        })
    }
}

fn card_version(card: &Value) -> String {
    let data = card.get("data").filter(|data| data.is_object()).unwrap_or(card);
    data.get("character_version").and_then(coerce::text).map(|text| coerce::lines(&text)).unwrap_or_default()
}
