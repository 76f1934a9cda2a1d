//! `familiar init`: a card file becomes a familiar. Without one, questions are asked on a terminal.

use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use indicatif::ProgressBar;
use jiff::tz::TimeZone;

use super::guide::{self, Guest};
use super::report::{self, USAGE, finish, without_control};
use super::target::{familiar_id, settings_of};
use crate::config::{FamiliarHome, Secrets};
use crate::doctor::left_out_of_card;
use crate::domain::FamiliarId;
use crate::familiar::{
    Existing, ImportReport, ImportStatus, InitRequest, InitStep, Refusal, Writing, init, lives_by_clock_of,
};
use crate::home::Commands;
use crate::text::short::counted;

/// What `familiar init` takes.
#[derive(Debug, Args)]
pub(super) struct InitArguments {
    /// The card: PNG, JSON, CHARX, JPEG with a zip behind it, WEBP or YAML. Recognised by content.
    /// Without it, a few questions are asked.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The familiar's id (its folder's name); otherwise made from the name.
    #[arg(long, requires = "file")]
    id: Option<String>,
    /// The character's name; otherwise the card's.
    #[arg(long, requires = "file")]
    name: Option<String>,
    /// Take the new card where the familiar holds another one. Your edits are kept.
    #[arg(long, requires = "file")]
    overwrite: bool,
    /// Write nothing, only report.
    #[arg(long, requires = "file")]
    dry_run: bool,
    /// Print the report as one JSON object.
    #[arg(long, requires = "file")]
    json: bool,
}

/// Imports the card. Exit code 2 when it is refused, or when there is none and nobody can be asked.
///
/// # Errors
/// When a question cannot be asked, or an answer cannot be written down.
pub(super) fn run_init(
    arguments: &InitArguments,
    data_dir: &Path,
    secrets: &Secrets,
) -> anyhow::Result<ExitCode> {
    match &arguments.file {
        Some(file) => Ok(from_file(arguments, file, data_dir).0),
        None if io::stdin().is_terminal() && io::stdout().is_terminal() => {
            guided(arguments, data_dir, secrets)
        }
        None => {
            let mut err = io::stderr().lock();
            writeln!(err, "familiar init: name a card, as in: familiar init card.png")?;
            writeln!(err, "Without one a few questions are asked, and that needs a terminal.")?;
            Ok(ExitCode::from(USAGE))
        }
    }
}

/// The exit code, and who was made of the card.
fn from_file(arguments: &InitArguments, file: &Path, data_dir: &Path) -> (ExitCode, Option<FamiliarId>) {
    let imported = import_card(arguments, file, data_dir);
    let id = imported.as_ref().ok().map(|report| report.id.clone());
    (finish("init", arguments.json, imported, |report| import_lines(report, data_dir)), id)
}

fn guided(arguments: &InitArguments, data_dir: &Path, secrets: &Secrets) -> anyhow::Result<ExitCode> {
    let id = loop {
        match guide::guest()? {
            None => {
                report::write_line("Stopped; nothing was kept.")?;
                return Ok(ExitCode::FAILURE);
            }
            Some(Guest::Bundled(example)) => {
                let installed = example.moves_in(data_dir)?;
                let home = FamiliarHome::new(data_dir, &installed.id);
                report::write_line(&format!(
                    "{} lives in {}",
                    without_control(&installed.name),
                    home.root().display()
                ))?;
                break installed.id;
            }
            // What is wrong with a card has been said; another one may do.
            Some(Guest::Card(file)) => {
                if let (_, Some(id)) = from_file(arguments, &file, data_dir) {
                    break id;
                }
            }
        }
    };
    let config = settings_of(FamiliarHome::new(data_dir, &id))?;
    match guide::secrets(secrets, &config, Path::new("."), data_dir)? {
        None => Ok(ExitCode::SUCCESS),
        Some(kept) => {
            let kept: Vec<&str> = std::iter::once("the familiar").chain(kept).collect();
            report::write_line(&format!(
                "Stopped. Kept: {}. What is missing can be written into .env.",
                kept.join(", ")
            ))?;
            Ok(ExitCode::FAILURE)
        }
    }
}

fn import_card(arguments: &InitArguments, file: &Path, data_dir: &Path) -> Result<ImportReport, Refusal> {
    let request = InitRequest {
        file: file.to_path_buf(),
        data_dir: data_dir.to_path_buf(),
        id: arguments.id.as_deref().map(familiar_id).transpose()?,
        name: arguments.name.clone(),
        existing: if arguments.overwrite { Existing::Merge } else { Existing::Refuse },
        writing: if arguments.dry_run { Writing::DryRun } else { Writing::ForReal },
    };
    let spinner = match arguments.json {
        false => ProgressBar::new_spinner().with_message("reading"),
        true => ProgressBar::hidden(),
    };
    spinner.enable_steady_tick(Duration::from_millis(100));
    let outcome = init(&request, |step| {
        if !arguments.json {
            spinner.suspend(|| {
                let _ = writeln!(io::stderr(), "{}", step_line(&step));
            });
        }
    });
    spinner.finish_and_clear();
    let mut report = outcome?;
    if report.status == ImportStatus::Created {
        let home = FamiliarHome::new(data_dir, &report.id);
        lives_by_clock_of(&home, &TimeZone::system())
            .map_err(|error| Refusal::io("write", &home.character_toml(), &error))?;
    }
    if matches!(report.status, ImportStatus::Created | ImportStatus::Updated) {
        report.warnings.extend(left_out_of_card(&FamiliarHome::new(data_dir, &report.id)));
    }
    Ok(report)
}

fn step_line(step: &InitStep) -> String {
    match step {
        InitStep::Read { bytes } => format!("read {}", counted(*bytes as u64, "byte")),
        InitStep::Understood { container, name, lore_entries } => {
            let entries = counted(*lore_entries as u64, "lore entry");
            format!("found {} in a {container} card, {entries}", without_control(name))
        }
        InitStep::Writing { files } => format!("writing {}", counted(*files as u64, "file")),
    }
}

fn import_lines(report: &ImportReport, data_dir: &Path) -> Vec<String> {
    let path = report.path.display();
    let name = without_control(&report.name);
    let mut lines = vec![match report.status {
        ImportStatus::Created => format!("{name} lives in {path}"),
        ImportStatus::Updated => format!("{name} in {path} took the new card"),
        ImportStatus::Unchanged => format!("{name} in {path} already has this card; nothing to do"),
        ImportStatus::DryRun => format!("{name} would live in {path}"),
    }];
    lines.push(format!("{}; {}", report.greetings_told(), report.lore_told()));
    lines.extend(report.warnings.iter().map(|warning| format!("note: {}", without_control(warning))));
    if report.status == ImportStatus::Created {
        let commands = Commands::new(data_dir, Some(report.id.as_str()));
        lines.push(commands.in_text("start with: familiar run"));
    }
    lines
}
