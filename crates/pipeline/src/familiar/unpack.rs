//! From a card to the files of a familiar's folder. Macros stay as written.

use std::collections::BTreeMap;

use familiar_cards::Card;
use familiar_cards::lore::file as lore_file;

use super::layout::{AVATAR, CARD_JSON, FIELDS, LORE, ORIGINAL, field_file, greeting_path};
use crate::text::unicode::without_control;

/// The files of an import by path from the familiar's root.
#[derive(Debug, Default)]
pub(crate) struct Unpacked {
    /// Files that people may edit: compared three ways.
    pub edited: BTreeMap<String, Vec<u8>>,
    /// Files that are the import's own: always replaced.
    pub own: BTreeMap<String, Vec<u8>>,
    /// The folder under `memory/lore` of the card's book.
    pub book: Option<String>,
}

/// Unpacks a card whose name is already settled.
pub(crate) fn unpack(card: &Card, original: &[u8]) -> Unpacked {
    let mut out = Unpacked::default();
    out.own.insert(format!("{ORIGINAL}.{}", card.container.extension()), original.to_vec());
    let mut json = serde_json::to_vec_pretty(&card.raw).unwrap_or_default();
    json.push(b'\n');
    out.own.insert(CARD_JSON.to_owned(), json);
    for (field, path) in FIELDS {
        let text = card.field(field);
        if !text.is_empty() {
            out.edited.insert(path.to_owned(), field_file(text));
        }
    }
    if let Some(note) = &card.depth_prompt {
        out.edited.insert(super::layout::DEPTH_PROMPT.to_owned(), note.to_markdown().into_bytes());
    }
    let greetings = std::iter::once(&card.first_mes).chain(&card.alternate_greetings);
    for (prefix, greetings) in
        [("", greetings.collect::<Vec<_>>()), ("group-", card.group_only_greetings.iter().collect())]
    {
        for (number, greeting) in greetings.into_iter().enumerate() {
            if !greeting.trim().is_empty() {
                out.edited.insert(greeting_path(prefix, number), field_file(greeting));
            }
        }
    }
    if let Some(avatar) = &card.avatar {
        out.edited.insert(format!("{AVATAR}.{}", avatar.extension), avatar.bytes.clone());
    }
    if let Some(book) = &card.book {
        let name = if book.name.is_empty() { &card.name } else { &book.name };
        let folder = lore_file::folder_name(name);
        for (file, text) in lore_file::book_files(book) {
            out.edited.insert(format!("{LORE}/{folder}/{file}"), text.into_bytes());
        }
        out.book = Some(folder);
    }
    out
}

/// The settings file of a new familiar: comments, and what the card gives.
pub(crate) fn character_toml(card: &Card) -> String {
    let quoted = lore_file::toml_string;
    let mut out = format!(
        "# Settings of {}. Every key is optional; what is not set here comes from the defaults.\n",
        without_control(&card.name)
    );
    for (what, text) in [("Card by", &card.creator), ("Card version", &card.character_version)] {
        if !text.trim().is_empty() {
            out.push_str(&format!("# {what} {}\n", without_control(text.trim())));
        }
    }
    out.push_str("\n# Other names it answers to.\n");
    match &card.nickname {
        Some(nickname) => out.push_str(&format!("aliases = [{}]\n", quoted(nickname))),
        None => out.push_str("# aliases = []\n"),
    }
    out
}
