//! `familiar memory export` and `familiar memory import`: everything that was said and is believed, as JSON lines.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

use super::super::out;
use super::super::report::plain;
use crate::archive::{Span, export, import};
use crate::config::FamiliarHome;
use crate::history::{History, HistoryOptions};
use crate::memory::Memory;

/// Writes memories to a file, else to standard output. Works while the familiar runs.
pub(super) async fn write_out(
    home: &FamiliarHome,
    file: Option<&Path>,
    month: Option<&str>,
) -> anyhow::Result<ExitCode> {
    let span = month.map_or(Ok(Span::Everything), of_month)?;
    let history = History::open(&home.history_db(), HistoryOptions::default()).await?;
    let memory = Memory::at(home);
    match file {
        None => {
            let mut out = BufWriter::new(std::io::stdout());
            export(&history, &memory, span, &mut out).await?;
            out.flush()?;
        }
        Some(path) => {
            // Whole or not at all, and for the operator's eyes.
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))
                .with_context(|| format!("writing {}", path.display()))?;
            let mut out = BufWriter::new(file);
            let turns = export(&history, &memory, span, &mut out).await?;
            out.into_inner().map_err(std::io::IntoInnerError::into_error)?.persist(path)?;
            out::line(&format!("{turns} messages written to {}", plain(&path.display().to_string())))?;
        }
    }
    history.close().await?;
    Ok(ExitCode::SUCCESS)
}

/// Reads memories into a familiar without a history.
pub(super) async fn take_in(home: &FamiliarHome, file: &Path) -> anyhow::Result<ExitCode> {
    let _alone = crate::familiar::lock(home)?;
    let opened = File::open(file).with_context(|| format!("reading {}", file.display()))?;
    let history = History::open(&home.history_db(), HistoryOptions::default()).await?;
    let imported = import(&history, &Memory::at(home), &mut BufReader::new(opened)).await;
    history.close().await?;
    let imported = imported?;
    out::line(&format!("{} messages and {} notes taken in", imported.turns, imported.notes))?;
    Ok(ExitCode::SUCCESS)
}

/// `2026-03`, in UTC.
fn of_month(month: &str) -> anyhow::Result<Span> {
    let first: Date =
        format!("{month}-01").parse().with_context(|| format!("{} is no month", plain(month)))?;
    let moment = |date: Date| -> anyhow::Result<Timestamp> { Ok(date.to_zoned(TimeZone::UTC)?.timestamp()) };
    Ok(Span::Between(moment(first)?, moment(first.checked_add(1.month())?)?))
}
