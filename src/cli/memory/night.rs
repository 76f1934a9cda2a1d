//! `familiar memory lessons` and `familiar memory sleep`: what sessions taught, and what wants tidying.

use std::process::ExitCode;

use crate::cli::out;
use crate::cli::report::plain;
use crate::config::{Defaults, FamiliarHome, LiveConfig};
use crate::history::{History, HistoryOptions};
use crate::memory::Memory;
use crate::memory::facts::{FactData, FactKind, Page};
use crate::workers::sleep;

/// Every lesson and what lessons came to, with what it was read from.
pub(super) fn lessons(memory: &Memory) -> anyhow::Result<ExitCode> {
    let mut told = 0;
    for glob in ["sessions/lessons-*.md", "people/*.md"] {
        for file in memory.store.glob(glob, None)?.files {
            let Ok(note) = memory.store.read(&file.path) else { continue };
            let Ok(page) = Page::parse(&note.text) else { continue };
            for (id, block) in page.facts() {
                let Some(data) = block.data.as_ref().filter(|data| is_lesson(data)) else { continue };
                told += 1;
                let from: Vec<String> = data.from.iter().map(ToString::to_string).collect();
                let gone = if data.gone.is_some() { ", no longer" } else { "" };
                out::line(&format!(
                    "{}#{id}  {}  (from {}{gone})",
                    plain(file.path.as_str()),
                    plain(&block.words),
                    plain(&from.join(", "))
                ))?;
            }
        }
    }
    if told == 0 {
        out::line("nothing was learnt from sessions yet")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn is_lesson(data: &FactData) -> bool {
    data.kind == FactKind::Lesson || data.rest.iter().any(|(key, _)| key == "lesson")
}

/// What wants tidying; with `now`, proposes it.
pub(super) async fn sleep(home: &FamiliarHome, memory: &Memory, now: bool) -> anyhow::Result<ExitCode> {
    let config = LiveConfig::load(home.clone(), Defaults::embedded())?.current();
    let most = usize::try_from(config.sleep.max_proposals)?;
    let history = History::open(&home.history_db(), HistoryOptions::default()).await?;
    let at = jiff::Timestamp::now();
    let today = at.to_zoned(config.display_tz.clone()).date();
    let tidied = if now {
        sleep::tidy(&history, &memory.store, today, at, most).await?
    } else {
        sleep::found(&history, &memory.store, today, most).await?
    };
    history.close().await?;
    for finding in &tidied.proposed {
        out::line(&format!("{}: {}", finding.matter, plain(&finding.why)))?;
    }
    if tidied.proposed.is_empty() {
        out::line("nothing wants tidying")?;
    }
    if tidied.known > 0 {
        out::line(&format!("{} more were proposed before", tidied.known))?;
    }
    if tidied.left > 0 {
        out::line(&format!("{} more are for another night", tidied.left))?;
    }
    for name in &tidied.names {
        out::line(&format!("it waits as {name}: familiar memory approve {name}"))?;
    }
    Ok(ExitCode::SUCCESS)
}
