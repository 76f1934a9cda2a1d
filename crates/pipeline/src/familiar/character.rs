//! The character as it lies in its folder.

use std::collections::BTreeMap;

use familiar_cards::text::{name_line, unix_lines};
use familiar_cards::{Character, Refusal, coerce};
use serde_json::Value;

use super::install;
use super::on_disk::OnDisk;
use crate::config::FamiliarHome;
use crate::text::names::called_by;

/// Loads a character from its folder. The files are the truth: hand edits win over the card. A folder without any of them
/// is a character that only has its id for a name.
///
/// # Errors
/// When an interrupted import cannot be finished, a file cannot be read, or the depth prompt's front matter is broken.
pub fn load_character(home: &FamiliarHome) -> Result<Character, Refusal> {
    install::recover(home.root())?;
    as_it_lies(home)
}

/// Reads a character without finishing an import that was interrupted; nothing is written.
///
/// # Errors
/// When a file cannot be read, or the depth prompt's front matter is broken.
pub(super) fn as_it_lies(home: &FamiliarHome) -> Result<Character, Refusal> {
    let OnDisk { edits, short, card, .. } = OnDisk::read(home)?;
    let field = |name: &str| edits.fields.get(name).cloned().unwrap_or_default();
    let named = |field: String| Some(name_line(&field)).filter(|name| !name.is_empty());
    let full = |greetings: &BTreeMap<usize, String>| {
        greetings.values().filter(|greeting| !greeting.trim().is_empty()).cloned().collect()
    };
    Ok(Character {
        name: named(field("name")).unwrap_or_else(|| home.id().to_string()),
        nickname: named(field("nickname")),
        system_prompt: field("system_prompt"),
        description: field("description"),
        personality: field("personality"),
        scenario: field("scenario"),
        mes_example: field("mes_example"),
        post_history_instructions: field("post_history_instructions"),
        greetings: full(&edits.greetings),
        group_greetings: full(&edits.group_greetings),
        creator_notes: field("creator_notes"),
        depth_prompt: edits.depth_prompt.clone(),
        version: card.as_ref().map(card_version).unwrap_or_default(),
        short,
    })
}

fn card_version(card: &Value) -> String {
    let data = card.get("data").filter(|data| data.is_object()).unwrap_or(card);
    data.get("character_version").and_then(coerce::as_text).map(|text| unix_lines(&text)).unwrap_or_default()
}

/// Every name a character answers to, `aliases` included.
pub fn names_of(character: &Character, aliases: &[String]) -> Vec<String> {
    let mut names = aliases.to_vec();
    names.extend(called_by(&character.name));
    names.extend(called_by(character.spoken_name()));
    names
}
