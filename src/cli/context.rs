//! `familiar context`: what a turn sent to the model, and why.

use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;

use super::report;
use super::target::existing;
use crate::app::open_history;
use crate::config::{FamiliarHome, Secrets};
use crate::domain::{ChannelId, TurnId};
use crate::history::HistoryOptions;
use crate::home::Commands;
use crate::session::answer_why;
use crate::trace::{Rights, TraceReader, render};

/// `familiar context`.
#[derive(Debug, Args)]
pub(super) struct ContextArgs {
    /// The turn, as `t42`; without it the last one
    pub turn: Option<TurnId>,
    /// Only turns of this channel
    #[arg(long, value_name = "ID")]
    pub channel: Option<ChannelId>,
    /// Which familiar; default: FAMILIAR_ID, else the only one there is
    #[arg(long, value_name = "ID")]
    pub familiar: Option<String>,
    /// List the newest turns, one line each, instead of showing one
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "20")]
    pub list: Option<usize>,
    /// Say what the turn did with these words: was it told them, did it leave them out, or not look them up?
    #[arg(long, value_name = "WORDS", conflicts_with_all = ["list", "json"])]
    pub why: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Prints the turn. Reading needs no lock, so this works while the familiar runs.
///
/// # Errors
/// When there is no such familiar or turn.
pub(super) async fn run_context(
    args: &ContextArgs,
    data_dir: &Path,
    secrets: &Secrets,
) -> anyhow::Result<ExitCode> {
    let home = FamiliarHome::new(data_dir, &existing(args.familiar.as_deref(), data_dir, secrets)?);
    let commands = Commands::of(&home);
    let path = home.traces_db();
    if !path.exists() && args.list.is_some() {
        return list_nothing(args);
    }
    if !path.exists() {
        bail!("{} has not spoken yet: there is no {}", home.id(), path.display());
    }
    let traces = TraceReader::open(&path)?;
    let channel = args.channel.as_ref();
    if let Some(most) = args.list {
        let newest = traces.newest(channel, most)?;
        if newest.is_empty() {
            return list_nothing(args);
        }
        for row in newest {
            report::write_line(&if args.json { serde_json::to_string(&row)? } else { render::short(&row) })?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let found = match args.turn {
        Some(turn) => traces.get(turn)?,
        // What asked no model, such as a greeting, was told nothing.
        None if args.why.is_some() => traces.latest_that_asked(channel)?,
        None => traces.newest(channel, 1)?.pop(),
    };
    let Some(trace) = found else {
        bail!(commands.in_text(report::NO_SUCH_TURN));
    };
    if let Some(words) = &args.why {
        let history = open_history(&home, HistoryOptions::new([])).await?;
        let answer = answer_why(&history, &trace, words, Rights::Operator).await?;
        // Only where nothing was sent does it name a command; else it quotes what people said.
        let answer = if trace.request.is_empty() { commands.in_text(&answer) } else { answer };
        report::write_line(&answer)?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = if args.json {
        serde_json::to_string_pretty(&trace)?
    } else {
        render::markdown(&trace, Rights::Operator)
    };
    report::write_line(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// To programs an empty list is no line at all.
fn list_nothing(args: &ContextArgs) -> anyhow::Result<ExitCode> {
    if !args.json {
        report::write_line(&match &args.channel {
            Some(channel) => {
                format!("no turn of channel {channel} is kept; without --channel all are listed")
            }
            None => "no turn is kept".to_owned(),
        })?;
    }
    Ok(ExitCode::SUCCESS)
}
