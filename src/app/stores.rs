//! Opening what cannot be made anew, and what is done where it is gone or damaged.
//!
//! Must not know what is stored. Start reading at [`open_stores`].

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use jiff::{SignedDuration, Timestamp};

use super::{Duty, WithoutHistory};
use crate::config::{FamiliarHome, Redactor};
use crate::domain::{TokenEncoding, TurnId};
use crate::history::{History, HistoryError, HistoryOptions};
use crate::home::Commands;
use crate::memory::{Memory, lost_history, newest_evidence_in};
use crate::sqlite::{FileHealth, quick_check, set_aside};
use crate::trace::{Numbering, TraceError, TraceOptions, TraceStore};

/// How long the record of turns is looked through before it is used, while the history is opened. A larger one is looked
/// through as far as that goes; all of it is what `familiar doctor` looks through.
const LOOK_WITHIN: Duration = Duration::from_millis(30);

/// A note that names a newer message than the history has was written no longer than this before the newest one there was
/// said, whatever the clocks told.
const CLOCKS_DIFFER: SignedDuration = SignedDuration::from_hours(24);

/// Opens a familiar's history. An error names the commands that help as they work when they are pasted.
pub(crate) async fn open_history(home: &FamiliarHome, options: HistoryOptions) -> anyhow::Result<History> {
    opened(home, options).await.map(|(history, _extent)| history)
}

/// As [`open_history`], with [`History::extent`]: where that cannot be read, nothing goes on with the rest.
async fn opened(
    home: &FamiliarHome,
    options: HistoryOptions,
) -> anyhow::Result<(History, (TurnId, Option<Timestamp>))> {
    let read = async {
        let history = History::open(&home.history_db(), options).await?;
        let extent = history.extent().await?;
        Ok::<_, HistoryError>((history, extent))
    };
    match read.await {
        Ok(read) => Ok(read),
        Err(error) => Err(history_fails(&error, &commands_of(home).await?)),
    }
}

async fn commands_of(home: &FamiliarHome) -> anyhow::Result<Commands> {
    let home = home.clone();
    Ok(tokio::task::spawn_blocking(move || Commands::of(&home)).await?)
}

/// What was wrong with the history, with the commands that help as they work when they are pasted.
pub(crate) fn history_fails(error: &HistoryError, commands: &Commands) -> anyhow::Error {
    anyhow!(commands.in_text(&error.to_string()))
}

/// Opens the history and the record of turns. Without its history a familiar that has learnt something does not start. A
/// record of turns that is damaged is set aside, and a new one begun.
pub(super) async fn open_stores(
    home: &FamiliarHome,
    encoding: TokenEncoding,
    redactor: Redactor,
    duty: Duty,
    without_history: WithoutHistory,
) -> anyhow::Result<(Arc<History>, Arc<TraceStore>)> {
    let may_stop = duty == Duty::Serve && without_history == WithoutHistory::Stop;
    if may_stop && !home.history_db().exists() {
        stop_if_lost(home).await?;
    }
    let path = home.traces_db();
    let looked_through = tokio::task::spawn_blocking(move || {
        let is_to_be_written = duty == Duty::Serve && path.exists();
        if is_to_be_written { quick_check(&path, LOOK_WITHIN) } else { FileHealth::Sound }
    });
    let (history, health) = tokio::join!(opened(home, HistoryOptions::new([encoding])), looked_through);
    let ((history, (newest, said_last)), health) = (history?, health?);
    let numbering = match duty {
        Duty::Serve => Numbering::Reserved,
        Duty::LookOn => Numbering::Untouched,
    };
    let options = TraceOptions { redact: Some(redactor), numbering, ..TraceOptions::default() };
    if duty == Duty::LookOn {
        let traces = TraceStore::open(&home.traces_db(), options).await?;
        return Ok((Arc::new(history), Arc::new(traces)));
    }
    if may_stop && said_last.is_none() {
        stop_if_lost(home).await?;
    }
    // Notes may name messages that are no more, after an older history was put back too; no other may get their numbers.
    let said_last = said_last.unwrap_or(Timestamp::UNIX_EPOCH);
    let since = said_last.checked_sub(CLOCKS_DIFFER).unwrap_or(Timestamp::MIN);
    let notes = home.clone();
    let named = tokio::task::spawn_blocking(move || {
        let memory = Memory::at(&notes);
        newest_evidence_in(memory.whole().store, since)
    });
    match named.await? {
        Ok(Some(named)) => history
            .begin_behind(named)
            .await
            .context("notes name newer messages than history.db has, and it cannot be written")?,
        Ok(None) => {}
        Err(error) => tracing::warn!(%error, "which messages notes name could not be looked up"),
    }
    // Numbers of turns stand in the history too.
    let options = TraceOptions { first: TurnId(newest.0 + 1), ..options };
    let traces = open_traces(home, options, health).await?;
    Ok((Arc::new(history), Arc::new(traces)))
}

async fn open_traces(
    home: &FamiliarHome,
    options: TraceOptions,
    health: FileHealth,
) -> anyhow::Result<TraceStore> {
    let path = home.traces_db();
    let complaint = match health {
        FileHealth::Damaged(complaints) => complaints.into_iter().next().unwrap_or_default(),
        FileHealth::Sound | FileHealth::Unfinished | FileHealth::Closed(_) | FileHealth::DiskFails(_) => {
            match TraceStore::open(&path, options.clone()).await {
                Ok(traces) => return Ok(traces),
                Err(TraceError::Database(error)) if error.is_damage() => error.to_string(),
                Err(error) => return Err(error.into()),
            }
        }
    };
    let aside = set_aside(&path).with_context(|| format!("setting {} aside", path.display()))?;
    tracing::warn!(
        complaint,
        "the record of turns is damaged; it was set aside as {} and a new one is begun: /context knows nothing of \
         earlier turns, and nothing else is lost",
        aside.display()
    );
    Ok(TraceStore::open(&path, options).await?)
}

/// Fails where notes outlived a history that holds no message.
pub(crate) async fn stop_if_lost(home: &FamiliarHome) -> anyhow::Result<()> {
    let of = home.clone();
    match tokio::task::spawn_blocking(move || lost_history(&of, false)).await?? {
        Some(lost) => bail!(commands_of(home).await?.in_text(&lost.to_string())),
        None => Ok(()),
    }
}
