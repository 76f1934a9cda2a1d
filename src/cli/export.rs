//! `familiar export`: a familiar becomes a card file again.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::report::{finish, stays_as_it_is};
use super::target::named;
use crate::config::FamiliarHome;
use crate::familiar::{ExportFormat, Refusal, RefusalKind, export};

/// What `familiar export` takes.
#[derive(Debug, Args)]
pub(super) struct ExportArguments {
    /// Which familiar.
    #[arg(value_name = "ID")]
    id: String,
    /// As what; otherwise by the output file's ending, else PNG.
    #[arg(long, value_enum)]
    format: Option<ExportAs>,
    /// Where to; otherwise `<ID>.<ending>` in the current folder. `-` is standard output.
    #[arg(long, short, alias = "output", value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace a file that is already there.
    #[arg(long)]
    overwrite: bool,
    /// Print the report as one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportAs {
    /// A picture with the card inside.
    Png,
    /// Bare JSON.
    Json,
    /// A zip with assets.
    Charx,
}

#[derive(Debug, Serialize)]
struct ExportReport {
    id: String,
    output: PathBuf,
    bytes: usize,
    notes: Vec<String>,
}

/// Exports. Exit code 2 when it is refused, 1 when there is no such familiar or the file cannot be written.
pub(super) fn run_export(arguments: &ExportArguments, data_dir: &Path) -> ExitCode {
    let to_stdout = arguments.out.as_deref() == Some(Path::new("-"));
    finish("export", arguments.json, write_card(arguments, data_dir), |report| {
        let mut lines = Vec::new();
        if !to_stdout {
            let output = std::path::absolute(&report.output).unwrap_or_else(|_| report.output.clone());
            lines.push(format!("wrote {} ({} bytes)", output.display(), report.bytes));
            lines.extend(report.notes.iter().map(|note| format!("note: {note}")));
        }
        lines
    })
}

fn write_card(arguments: &ExportArguments, data_dir: &Path) -> Result<ExportReport, Refusal> {
    let id = named(&arguments.id, data_dir)?;
    let home = FamiliarHome::new(data_dir, &id);
    let format = format(arguments)?;
    let exported = export(&home, format)?;
    let output =
        arguments.out.clone().unwrap_or_else(|| PathBuf::from(format!("{id}.{}", format.extension())));
    let failed = |error: &io::Error| Refusal::io("write", &output, error);
    if output == Path::new("-") {
        io::stdout().lock().write_all(&exported.bytes).map_err(|error| failed(&error))?;
    } else {
        if let Some(why) = stays_as_it_is(&output, arguments.overwrite) {
            return Err(Refusal::new(RefusalKind::Conflict, why));
        }
        fs::write(&output, &exported.bytes).map_err(|error| failed(&error))?;
    }
    Ok(ExportReport { id: id.to_string(), output, bytes: exported.bytes.len(), notes: exported.notes })
}

/// As it was asked for, else by the output's ending. An ending that says something else is no card's.
fn format(arguments: &ExportArguments) -> Result<ExportFormat, Refusal> {
    let asked = arguments.format.map(|format| match format {
        ExportAs::Png => ExportFormat::Png,
        ExportAs::Json => ExportFormat::Json,
        ExportAs::Charx => ExportFormat::Charx,
    });
    let ending = arguments.out.as_deref().and_then(Path::extension);
    match (asked, ending.map(|ending| ending.to_string_lossy().to_ascii_lowercase())) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(ExportFormat::Png),
        (None, Some(ending)) => {
            let all = [ExportFormat::Png, ExportFormat::Json, ExportFormat::Charx];
            all.into_iter().find(|format| format.extension() == ending).ok_or_else(|| {
                Refusal::new(
                    RefusalKind::Conflict,
                    format!(
                        "a card is no .{ending} file; it ends in {}, or --format says which it is",
                        all.map(|one| format!(".{}", one.extension())).join(", ")
                    ),
                )
            })
        }
    }
}
