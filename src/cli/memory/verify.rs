//! `familiar memory verify` (with `--mend`) and `familiar memory sleep`: what is derived is right, and what wants tidying.

use std::path::PathBuf;
use std::process::ExitCode;

use super::super::recall::opened;
use crate::app::{history_fails, open_history};
use crate::cli::report::{self, without_control};
use crate::cli::target::settings_of;
use crate::config::FamiliarHome;
use crate::context::recall::Meaning;
use crate::embedding::{Embeddings, kept_vectors};
use crate::history::{Derived, History, HistoryOptions};
use crate::home::Commands;
use crate::memory::Memory;
use crate::memory::facts::{FactData, FactKind, NotePage};
use crate::workers::sleep;

/// Messages read once more.
const SAMPLE: usize = 64;

/// Looks at every derived store, a line each. Exit code 1 where something differs.
pub(super) async fn verify(
    home: &FamiliarHome,
    mend: bool,
    model_folder: Option<PathBuf>,
    commands: &Commands,
) -> anyhow::Result<ExitCode> {
    let memory = Memory::at(home);
    let differences = memory.whole().index.verify().await?;
    memory.whole().index.close().await?;
    let mut is_right = differences.is_empty();
    if is_right {
        report::write_line("index of the notes: the same as made anew")?;
    }
    for one in &differences {
        let what = match (one.is_kept, one.is_rebuilt) {
            (true, false) => "is in the index and should not be",
            (false, true) => "is missing in the index",
            _ => "is not as in its file",
        };
        report::write_line(&format!("index of the notes: {} {what}", without_control(&one.path)))?;
    }
    if !is_right {
        report::write_line("stop the familiar and remove memory/.index; it is made anew at the next start")?;
    }
    if home.history_db().exists() {
        let history = open_history(home, HistoryOptions::default()).await?;
        is_right &= of_history(&history, mend, commands).await?;
        is_right &= of_vectors(home, &history).await?;
        if let Some(folder) = model_folder {
            is_right &= of_meaning(home, &history, opened(folder).await?).await?;
        }
        history.close().await.map_err(|error| history_fails(&error, commands))?;
        is_right &= super::graph::verify(home, mend, commands).await?;
    }
    Ok(if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn of_history(history: &History, mend: bool, commands: &Commands) -> anyhow::Result<bool> {
    let differences = history.verify().await.map_err(|error| history_fails(&error, commands))?;
    for (what, name) in [
        (Derived::Words, "index of what was said"),
        (Derived::Counts, "counts of what was said"),
        (Derived::Acquaintances, "counts of who said it"),
        (Derived::Summaries, "summaries"),
    ] {
        let mut own = differences.iter().filter(|one| one.what == what).peekable();
        if own.peek().is_none() {
            report::write_line(&format!("{name}: the same as made anew"))?;
        }
        for one in own {
            let place = if one.place.is_empty() {
                String::new()
            } else {
                format!(" in {}", without_control(&one.place))
            };
            report::write_line(&format!("{name}: not as made anew{place}"))?;
        }
    }
    if differences.is_empty() {
        return Ok(true);
    }
    if mend {
        history.rebuild().await?;
        report::write_line("made anew; summaries follow while the familiar runs")?;
        return Ok(history.verify().await?.is_empty());
    }
    report::write_line(&commands.in_text("to make it anew: familiar memory verify --mend"))?;
    Ok(false)
}

/// Whether the model still makes of messages what is kept of them.
async fn of_meaning(home: &FamiliarHome, history: &History, embeddings: Embeddings) -> anyhow::Result<bool> {
    let meaning = Meaning::new(embeddings, home.embeddings_db());
    let (compared, differing) = meaning.compare(history, SAMPLE).await?;
    for turn in &differing {
        report::write_line(&format!("vectors: the model makes something else of message t:{}", turn.0))?;
    }
    let alike = compared - differing.len();
    report::write_line(&format!("vectors: {alike} of {compared} messages read once more mean the same"))?;
    Ok(differing.is_empty())
}

async fn of_vectors(home: &FamiliarHome, history: &History) -> anyhow::Result<bool> {
    let mut is_right = true;
    let newest = history.newest_change().await?;
    for model in kept_vectors(&home.embeddings_db()).await? {
        if model.change < newest {
            report::write_line(&format!(
                "vectors of {}: behind; it reads on while the familiar runs",
                without_control(&model.name)
            ))?;
            continue;
        }
        let standing = history.standing_up_to(model.read).await?;
        let missing = standing.difference(&model.turns).count();
        // What was said since the model read on is not missing.
        let beyond = model.turns.difference(&standing).count();
        if missing + beyond + model.halves == 0 {
            report::write_line(&format!(
                "vectors of {}: every message it read has one",
                without_control(&model.name)
            ))?;
            continue;
        }
        is_right = false;
        report::write_line(&format!(
            "vectors of {}: {missing} missing, {beyond} of messages that are gone, {} in halves; stop the familiar and \
             remove memory/.index/embeddings.sqlite, it is made anew",
            without_control(&model.name),
            model.halves
        ))?;
    }
    Ok(is_right)
}

/// Every lesson and what lessons came to, with what it was read from.
pub(super) fn lessons(memory: &Memory) -> anyhow::Result<ExitCode> {
    let mut told = 0;
    for glob in ["sessions/lessons-*.md", "people/*.md"] {
        for file in memory.whole().store.glob(glob, None)?.files {
            let Ok(note) = memory.whole().store.read(&file.path) else { continue };
            let Ok(page) = NotePage::parse(&note.text) else { continue };
            for (id, block) in page.facts() {
                let Some(data) = block.data.as_ref().filter(|data| is_lesson(data)) else { continue };
                told += 1;
                let from: Vec<String> = data.from.iter().map(ToString::to_string).collect();
                let gone = if data.gone.is_some() { ", no longer" } else { "" };
                report::write_line(&format!(
                    "{}#{id}  {}  (from {}{gone})",
                    without_control(file.path.as_str()),
                    without_control(&block.words),
                    without_control(&from.join(", "))
                ))?;
            }
        }
    }
    if told == 0 {
        report::write_line("nothing was learnt from sessions yet")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn is_lesson(data: &FactData) -> bool {
    data.kind == FactKind::Lesson || data.rest.iter().any(|(key, _)| key == "lesson")
}

/// What wants tidying; with `now`, proposes it.
pub(super) async fn sleep(
    home: &FamiliarHome,
    memory: &Memory,
    now: bool,
    commands: &Commands,
) -> anyhow::Result<ExitCode> {
    let config = settings_of(home.clone())?.current();
    let history = open_history(home, HistoryOptions::default()).await?;
    let at = jiff::Timestamp::now();
    let today = at.to_zoned(config.display_tz.clone()).date();
    let tidied = if now {
        sleep::tidy_notes(&history, memory.whole().store, today, at, sleep::MOST_A_NIGHT).await?
    } else {
        sleep::found(&history, memory.whole().store, today, sleep::MOST_A_NIGHT).await?
    };
    history.close().await?;
    for finding in &tidied.proposed {
        report::write_line(&format!("{}: {}", finding.matter, without_control(&finding.why)))?;
    }
    if tidied.proposed.is_empty() {
        report::write_line("nothing wants tidying")?;
    }
    if tidied.known > 0 {
        report::write_line(&format!("{} more were proposed before", tidied.known))?;
    }
    if tidied.left > 0 {
        report::write_line(&format!("{} more are for another night", tidied.left))?;
    }
    for name in &tidied.names {
        report::write_line(
            &commands.in_text(&format!("it waits as {name}: familiar memory approve {name}")),
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
