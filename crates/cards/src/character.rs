//! The prompting view of a card: what it says, field by field, macros still raw.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Role;
use crate::card::Card;
use crate::coerce;
use crate::lore::file::{parse_front, toml_string};
use crate::text::{name_line, unix_lines};

/// A character as prompts need it. Empty strings mean "the card says nothing here".
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Character {
    /// The card's name: the identity.
    pub name: String,
    /// V3 `nickname`; what `{{char}}` becomes where present (cards-and-lore 2.3).
    pub nickname: Option<String>,
    /// Replaces the default main prompt; may hold `{{original}}`.
    pub system_prompt: String,
    /// Who the character is.
    pub description: String,
    /// The short form of who the character is.
    pub personality: String,
    /// Where and when the chat takes place.
    pub scenario: String,
    /// Example dialogue, `<START>` blocks.
    pub mes_example: String,
    /// Instructions after the history; may hold `{{original}}`.
    pub post_history_instructions: String,
    /// SillyTavern's character note, as the card has it.
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
    /// Who the character is in few words, for prompts with little room. No card has one: whoever loads the character may
    /// write it.
    #[serde(default)]
    pub short: Option<String>,
}

/// `extensions.depth_prompt`: a note inserted `depth` messages from the end (0 = after the last).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DepthPrompt {
    /// The note's text; may hold macros.
    pub prompt: String,
    /// Messages from the end.
    pub depth: u32,
    /// The role it is sent as.
    pub role: Role,
}

impl Character {
    /// What the character is called in prompts: the nickname, else the name.
    #[must_use]
    pub fn spoken_name(&self) -> &str {
        self.nickname.as_deref().map(str::trim).filter(|name| !name.is_empty()).unwrap_or(&self.name)
    }
}

impl From<&Card> for Character {
    /// The prompting view of a card that is not unpacked. Empty greetings are left out.
    fn from(card: &Card) -> Self {
        Self {
            name: name_line(&card.name),
            nickname: card.nickname.as_deref().map(name_line),
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

impl DepthPrompt {
    /// As a file for people to edit: depth and role between `+++` lines, then the note.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let role = toml_string(self.role.as_str());
        format!("+++\ndepth = {}\nrole = {role}\n+++\n{}\n", self.depth, self.prompt)
    }

    /// Reads such a file; without front matter it is depth 4 as system. `None` when there is no note in it.
    ///
    /// # Errors
    /// One line that says what is wrong with the front matter.
    pub fn from_markdown(text: &str) -> Result<Option<Self>, String> {
        let text = unix_lines(text);
        let (front, body) = parse_front(&text)?;
        let prompt = body.strip_suffix('\n').unwrap_or(body).to_owned();
        if prompt.trim().is_empty() {
            return Ok(None);
        }
        let get = |key: &str| front.get(key).unwrap_or(&Value::Null);
        let depth = coerce::as_count(get("depth")).unwrap_or(4);
        let role = coerce::as_role(get("role")).unwrap_or(Role::System);
        Ok(Some(Self { prompt, depth, role }))
    }
}
