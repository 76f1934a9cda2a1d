//! `familiar lore import`: a lorebook file for a familiar.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::touched::{book_entries, changed, depending};
use crate::cli::report::{finish, reasons, without_control};
use crate::cli::target::named;
use crate::config::FamiliarHome;
use crate::familiar::{
    Existing, ImportStatus, LoreReport, Refusal, Writing, entries_told, import_lorebook, read_bounded,
};

/// What `familiar lore import` takes.
#[derive(Debug, Args)]
pub(super) struct ImportArguments {
    /// The lorebook.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Whose.
    #[arg(long, value_name = "ID")]
    familiar: String,
    /// The book's name, where it has none of its own; otherwise the file's.
    #[arg(long)]
    name: Option<String>,
    /// Take the new book where another one of that name is. Your edits are kept.
    #[arg(long)]
    overwrite: bool,
    /// Write nothing, only report.
    #[arg(long)]
    dry_run: bool,
    /// Print the report as one JSON object.
    #[arg(long)]
    json: bool,
}

/// Imports the book. Exit code 2 when it is refused.
pub(super) async fn run_lore_import(arguments: &ImportArguments, data_dir: &Path) -> ExitCode {
    finish("lore import", arguments.json, import_book(arguments, data_dir).await, book_lines)
}

/// The report, and what hangs on what was changed.
#[derive(Debug, Serialize)]
struct LoreImportReport {
    #[serde(flatten)]
    report: LoreReport,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dependents: Vec<String>,
}

async fn import_book(arguments: &ImportArguments, data_dir: &Path) -> Result<LoreImportReport, Refusal> {
    let home = FamiliarHome::new(data_dir, &named(&arguments.familiar, data_dir)?);
    let before = book_entries(&home, None);
    let report = import(arguments, &home)?;
    let touched = match report.status {
        ImportStatus::Unchanged => Vec::new(),
        // Which of them would read otherwise is not known before it is done.
        ImportStatus::DryRun => book_entries(&home, Some(&report.folder)).into_keys().collect(),
        ImportStatus::Created | ImportStatus::Updated => changed(&before, &book_entries(&home, None)),
    };
    let dependents = depending(&home, &touched).await.unwrap_or_else(|error| {
        vec![format!("what depends on the entries that changed cannot be told: {}", reasons(&error))]
    });
    Ok(LoreImportReport { report, dependents })
}

fn import(arguments: &ImportArguments, home: &FamiliarHome) -> Result<LoreReport, Refusal> {
    let bytes = read_bounded(&arguments.file)?;
    let stem = arguments.file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = arguments.name.clone().or(stem).unwrap_or_default();
    let existing = if arguments.overwrite { Existing::Merge } else { Existing::Refuse };
    let writing = if arguments.dry_run { Writing::DryRun } else { Writing::ForReal };
    import_lorebook(home, &bytes, &name, existing, writing)
}

fn book_lines(told: &LoreImportReport) -> Vec<String> {
    let report = &told.report;
    let name = without_control(&report.name);
    let what = match report.status {
        ImportStatus::Created => "was added to",
        ImportStatus::Updated => "was updated for",
        ImportStatus::Unchanged => "is already there for",
        ImportStatus::DryRun => "would be added to",
    };
    let mut lines = vec![format!(
        "{name} {what} {}: {}",
        report.id,
        entries_told(report.lore_entries, report.lore_disabled)
    )];
    lines.extend(report.lore_features.iter().cloned());
    lines.extend(report.warnings.iter().map(|warning| format!("note: {}", without_control(warning))));
    lines.extend(told.dependents.iter().map(|line| without_control(line).to_string()));
    lines
}
