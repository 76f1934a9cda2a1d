//! `familiar window`: the address that opens the window of a familiar that runs.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;

use super::run::first_window_file;
use super::target::existing;
use crate::config::{FamiliarHome, Secrets};
use crate::familiar::{LockPresence, presence};
use crate::home::Commands;

/// What `familiar window` takes.
#[derive(Debug, Args)]
pub(super) struct WindowArguments {
    /// Which familiar (the name of its folder in data/familiars). Default: FAMILIAR_ID, else the only one there is
    #[arg(long, value_name = "ID")]
    familiar: Option<String>,
}

/// Prints the address. It signs one browser in, once; the next call prints another.
pub(super) fn run_window(
    arguments: &WindowArguments,
    data_dir: &Path,
    secrets: &Secrets,
) -> anyhow::Result<ExitCode> {
    let first_run = first_window_file(data_dir);
    if arguments.familiar.is_none() && first_run.exists() {
        return print_address(&first_run);
    }
    let id = existing(arguments.familiar.as_deref(), data_dir, secrets)?;
    let home = FamiliarHome::new(data_dir, &id);
    if presence(&home).context("looking whether it runs")? == LockPresence::Resting {
        bail!(
            Commands::of(&home)
                .in_text(&format!("{id} does not run, so its window is closed; start it with: familiar run"))
        );
    }
    let file = home.window_file();
    if !file.exists() {
        bail!(
            "{id} runs without a window: `familiar chat` opens none, and [window] enabled = false switches it off; its log \
             says where it could not be opened"
        );
    }
    print_address(&file)
}

fn print_address(file: &Path) -> anyhow::Result<ExitCode> {
    let address = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    writeln!(std::io::stdout().lock(), "{}", address.trim_end()).context("printing the address")?;
    Ok(ExitCode::SUCCESS)
}
