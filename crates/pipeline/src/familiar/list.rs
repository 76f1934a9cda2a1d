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
use crate::text::keywords::fold;
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

/// Those that are meant: by the id, else by the id in any case and without accents, else by a name or nickname written so. None
/// where it is nobody's; more than one where it is that of several.
pub fn called<'l>(listed: &'l [Listed], name: &str) -> Vec<&'l Listed> {
    let wanted = fold(name.trim());
    let has_name = |one: &&Listed| {
        let nickname = one.nickname.as_deref();
        fold(&one.name) == wanted || nickname.is_some_and(|nickname| fold(nickname) == wanted)
    };
    if let Some(exact) = listed.iter().find(|one| one.id.as_str() == name) {
        return vec![exact];
    }
    let by_id: Vec<&Listed> = listed.iter().filter(|one| fold(one.id.as_str()) == wanted).collect();
    let by_name: Vec<&Listed> = listed.iter().filter(has_name).collect();
    if by_id.len() == 1 || by_name.is_empty() { by_id } else { by_name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(id: &str, name: &str, nickname: Option<&str>) -> Listed {
        Listed {
            id: FamiliarId::new(id).unwrap(),
            name: name.to_owned(),
            nickname: nickname.map(str::to_owned),
            greetings: 0,
            lorebooks: 0,
            from_card: true,
            problem: None,
        }
    }

    fn ids(found: Vec<&Listed>) -> Vec<&str> {
        found.into_iter().map(|one| one.id.as_str()).collect()
    }

    #[test]
    fn one_is_found_by_an_id_or_name_without_accents_where_it_is_the_only_one() {
        let here = [
            one("brünhilde", "Brünhilde die Große", Some("Hilde")),
            one("søren", "Sam", None),
            one("sam", "Sam", None),
            one("sam-2", "SAM", None),
        ];
        for (name, id) in [
            ("brünhilde", &["brünhilde"][..]),
            ("Brunhilde", &["brünhilde"]),
            ("brunhilde die grosse", &["brünhilde"]),
            ("HILDE", &["brünhilde"]),
            ("soren", &["søren"]),
            ("Sam", &["sam"]),
            ("sam-2", &["sam-2"]),
            ("nobody", &[]),
            ("", &[]),
        ] {
            assert_eq!(ids(called(&here, name)), id, "{name}");
        }
        assert_eq!(ids(called(&here[1..2], "sam")), ["søren"]);
        assert_eq!(ids(called(&[one("a", "Sam", None), one("b", "sam", None)], "Sam")), ["a", "b"]);
    }
}
