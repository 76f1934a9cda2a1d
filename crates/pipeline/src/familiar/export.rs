//! Back from a familiar's folder to a card file.

use familiar_cards::write::EditedCard;
use familiar_cards::{Refusal, RefusalKind};
use serde_json::json;

use super::install;
use super::layout::ORIGINAL;
use super::on_disk::{self, OnDisk, broken_card};
use crate::config::FamiliarHome;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// A PNG with `chara` (V2) and `ccv3` (V3).
    Png,
    Json,
    /// A zip with the card and its assets.
    Charx,
}

impl ExportFormat {
    /// The file name extension.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Json => "json",
            Self::Charx => "charx",
        }
    }
}

/// A card file and what should be said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    pub bytes: Vec<u8>,
    /// One line for everything that does not go along.
    pub notes: Vec<String>,
}

/// Writes a familiar as a card.
///
/// # Errors
/// When there is no such familiar or its files cannot be read or do not parse.
pub fn export(home: &FamiliarHome, format: ExportFormat) -> Result<Exported, Refusal> {
    if !home.root().is_dir() {
        return Err(Refusal::new(RefusalKind::Nobody, format!("there is no familiar {}", home.id())));
    }
    install::recover(home.root())?;
    let mut notes = Vec::new();
    let OnDisk { mut edits, card, record, .. } = OnDisk::read(home)?;
    let broken = broken_card(home);
    if let Some(why) = &broken {
        notes.push(format!(
            "{why}; the parts of the card that are in no other file, such as its extensions, are missing"
        ));
    }
    let own = record.and_then(|record| record.book);
    for other in on_disk::file_names(&home.lore_dir())? {
        if Some(&other) != own.as_ref() && home.lore_dir().join(&other).is_dir() {
            notes.push(format!("lorebook {other} is not the card's own and stays here"));
        }
    }
    if let Some(folder) = own {
        edits.book = on_disk::read_book(&home.lore_dir().join(folder), &mut notes)?;
    }
    let raw = card
        .filter(|_| broken.is_none())
        .unwrap_or_else(|| json!({"spec": "chara_card_v2", "name": home.id().as_str()}));
    let card = EditedCard::new(&raw, &edits)?;
    let portrait = on_disk::portrait(home)?;
    let bytes = match format {
        ExportFormat::Json => card.to_json(),
        ExportFormat::Png => card.to_png(portrait.as_ref(), &mut notes)?,
        ExportFormat::Charx => card.to_charx(original(home)?.as_deref(), portrait.as_ref())?,
    };
    Ok(Exported { bytes, notes })
}

/// The imported file, where that may hold assets.
fn original(home: &FamiliarHome) -> Result<Option<Vec<u8>>, Refusal> {
    for kind in ["charx", "jpg", "png", "webp"] {
        if let Some(bytes) = install::read_if_there(&home.root().join(format!("{ORIGINAL}.{kind}")))? {
            return Ok(Some(bytes));
        }
    }
    Ok(None)
}
