//! `familiar schedule`: the hours a familiar keeps, written once by a model from its card.

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::report;
use super::target::looking_on;
use crate::app::App;
use crate::config::Secrets;

/// `familiar schedule`.
#[derive(Debug, Args)]
pub(super) struct ScheduleArgs {
    #[command(subcommand)]
    verb: ScheduleVerb,
}

#[derive(Debug, Subcommand)]
enum ScheduleVerb {
    /// Have the model write schedule.md from the card; never over one that is there
    Make {
        /// Which familiar; default: FAMILIAR_ID, else the only one there is
        #[arg(long, value_name = "ID")]
        familiar: Option<String>,
    },
}

/// Exit code 1 where there is a schedule already, or the model gave none that can be read: then nothing is written.
///
/// # Errors
/// See there.
pub(super) async fn run_schedule(
    args: &ScheduleArgs,
    data_dir: &Path,
    secrets: &Secrets,
) -> anyhow::Result<ExitCode> {
    let ScheduleVerb::Make { familiar } = &args.verb;
    let app = looking_on(familiar.as_deref(), data_dir, secrets).await?;
    let made = make(&app).await;
    app.stop(std::future::ready(()), || {}).await;
    made
}

async fn make(app: &App) -> anyhow::Result<ExitCode> {
    let made = app.session.make_hours().await?;
    let zone = app.config.current().display_tz.clone();
    let zone = zone.iana_name().unwrap_or("UTC").to_owned();
    report::write_line(&format!(
        "{}\n\nWritten to {}, by the clock of {zone}.",
        made.lines,
        made.path.display()
    ))?;
    Ok(ExitCode::SUCCESS)
}
