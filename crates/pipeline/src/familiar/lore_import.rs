//! `familiar lore import`: a lorebook file into a familiar's folder, with the same care as a card.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use familiar_cards::lore::file::{book_files, folder_name};
use familiar_cards::lore::{BookFormat, read_lorebook};
use familiar_cards::{Refusal, RefusalKind};

use super::init::{Existing, Writing};
use super::install::{self, FileChange, Record, sha256};
use super::layout::LORE;
use super::lock_familiar;
use super::report::{ImportStatus, feature_lines};
use crate::config::FamiliarHome;
use crate::domain::FamiliarId;

/// What became of a lorebook. Its JSON is an interface: names stay.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoreReport {
    /// Whose it is now.
    pub id: FamiliarId,
    pub name: String,
    /// Its folder under `memory/lore`.
    pub folder: String,
    pub format: BookFormat,
    /// Its entries, disabled ones included.
    pub lore_entries: usize,
    /// Disabled ones among them.
    pub lore_disabled: usize,
    /// What its entries ask for, one line each.
    pub lore_features: Vec<String>,
    /// One line for every lenient step.
    pub warnings: Vec<String>,
    pub status: ImportStatus,
}

/// Adds a lorebook to a familiar. `name` is used where the book has none.
///
/// # Errors
/// A [`Refusal`] of one line: a broken limit, no lorebook, no such familiar, or another book of that name.
pub fn import_lorebook(
    home: &FamiliarHome,
    bytes: &[u8],
    name: &str,
    existing: Existing,
    writing: Writing,
) -> Result<LoreReport, Refusal> {
    if !home.root().is_dir() {
        return Err(Refusal::new(RefusalKind::Nobody, format!("there is no familiar {}", home.id())));
    }
    let (mut book, warnings) = read_lorebook(bytes)?;
    if book.name.is_empty() {
        name.trim().clone_into(&mut book.name);
    }
    let folder = folder_name(&book.name);
    let hash = sha256(bytes);
    let mut report = LoreReport {
        id: home.id().clone(),
        name: book.name.clone(),
        folder: folder.clone(),
        format: book.format,
        lore_entries: book.entries.len(),
        lore_disabled: book.entries.iter().filter(|entry| !entry.enabled).count(),
        lore_features: feature_lines(&book),
        warnings,
        status: ImportStatus::DryRun,
    };
    let under = |file: &str| format!("{LORE}/{folder}/{file}");
    let record_path = under(".import.json");
    let old = Record::read(&home.root().join(&record_path));
    if old.as_ref().is_some_and(|old| old.sha256 == hash) {
        report.status = ImportStatus::Unchanged;
        return Ok(report);
    }
    refuse_other(home.root(), &under(""), &folder, existing)?;
    if writing == Writing::DryRun {
        return Ok(report);
    }
    let _lock =
        lock_familiar(home).map_err(|error| Refusal::new(RefusalKind::Conflict, error.to_string()))?;
    let new: BTreeMap<String, Vec<u8>> =
        book_files(&book).into_iter().map(|(file, text)| (under(&file), text.into_bytes())).collect();
    let record = Record {
        sha256: hash,
        name: book.name,
        book: Some(folder.clone()),
        files: new.iter().map(|(path, bytes)| (path.clone(), sha256(bytes))).collect(),
    };
    report.status = if old.is_some() { ImportStatus::Updated } else { ImportStatus::Created };
    let (mut change, kept): (FileChange, _) =
        install::three_way(home.root(), &old.map(|old| old.files).unwrap_or_default(), new)?;
    for file in kept.iter().filter(|file| file.conflict) {
        report.warnings.push(format!("your version of {} was kept", file.path));
    }
    change.write.insert(record_path, record.to_bytes());
    change.write.insert(under(".original.json"), bytes.to_vec());
    install::update(home.root(), &change)?;
    Ok(report)
}

fn refuse_other(root: &Path, dir: &str, folder: &str, existing: Existing) -> Result<(), Refusal> {
    if existing == Existing::Merge || !root.join(dir).exists() {
        return Ok(());
    }
    Err(Refusal::new(
        RefusalKind::Conflict,
        format!(
            "there is another lorebook {folder} already; --overwrite takes this one and keeps your edits, --name gives it another name"
        ),
    ))
}
