//! Which familiars there are.

use std::path::Path;

use serde::Serialize;

use familiar_cards::Character;

use super::character::load_character;
use super::install::Record;
use super::layout::{LORE, RECORD};
use super::on_disk;
use crate::config::FamiliarHome;
use crate::domain::FamiliarId;
use familiar_cards::Refusal;

/// One familiar, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed {
    pub id: FamiliarId,
    pub name: String,
    /// What it is called in prompts, where that differs.
    pub nickname: Option<String>,
    pub greetings: usize,
    pub lorebooks: usize,
    /// Whether it came from a card.
    pub from_card: bool,
    /// What is wrong with it, if it cannot be loaded.
    pub problem: Option<String>,
}

/// Every familiar under a data directory, by id. Folders whose name is no id (temporary ones, say) are passed over.
///
/// # Errors
/// When the folder exists and cannot be read.
pub fn list_familiars(data_dir: &Path) -> Result<Vec<Listed>, Refusal> {
    let mut listed = Vec::new();
    for name in on_disk::file_names(&data_dir.join("familiars"))? {
        let Ok(id) = FamiliarId::new(name) else { continue };
        let home = FamiliarHome::new(data_dir, &id);
        if !home.root().is_dir() {
            continue;
        }
        let from_card = Record::read(&home.root().join(RECORD)).is_some();
        let lore = home.root().join(LORE);
        let lorebooks =
            on_disk::file_names(&lore)?.into_iter().filter(|book| lore.join(book).is_dir()).count();
        let (character, problem) = match load_character(&home) {
            Ok(character) => (character, None),
            Err(refusal) => {
                (Character { name: id.to_string(), ..Character::default() }, Some(refusal.to_string()))
            }
        };
        listed.push(Listed {
            id,
            nickname: character.nickname.clone().filter(|nickname| *nickname != character.name),
            name: character.name,
            greetings: character.greetings.len(),
            lorebooks,
            from_card,
            problem,
        });
    }
    Ok(listed)
}
