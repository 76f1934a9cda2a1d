//! `familiar doctor`: looks for what stands in the way, and says what to do. And `familiar completions`.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use console::style;

use super::report::{self, without_control};
use super::{Arguments, target};
use crate::config::{ConfigError, FamiliarHome, Secrets};
use crate::doctor::{
    CheckStatus, DoctorCheck, DoctorReport, Patient, ReportScreen, examine, trouble_and_room_today,
};
use crate::home::Commands;
use crate::llm::{NetworkUse, USUAL_PORTS};

/// `familiar doctor`.
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// Which familiar; default: FAMILIAR_ID, else the only one there is
    #[arg(long, value_name = "ID")]
    pub familiar: Option<String>,
    /// Ask no server: neither Discord nor the models
    #[arg(long)]
    pub offline: bool,
    /// Tell what went wrong today instead, from the records of turns
    #[arg(long)]
    pub today: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Prints the report. Exit code 0 when nothing failed, 1 when something did.
///
/// # Errors
/// When the report cannot be written.
pub(super) async fn run_doctor(
    args: &DoctorArgs,
    data_dir: PathBuf,
    secrets: Result<Secrets, ConfigError>,
) -> anyhow::Result<ExitCode> {
    let commands = Commands::new(&data_dir, args.familiar.as_deref());
    let patient = Patient {
        data_dir,
        familiar: args.familiar.clone(),
        secrets,
        defaults_dir: target::defaults_dir(),
        reach: if args.offline { NetworkUse::Offline } else { NetworkUse::Online },
        local_ports: USUAL_PORTS,
        screen: if std::io::stdout().is_terminal() {
            ReportScreen::Terminal
        } else {
            ReportScreen::Elsewhere
        },
    };
    let report = if args.today { went_wrong(&patient).await? } else { examine(patient).await };
    let report = report.with_commands(&commands);
    if args.json {
        report::write_line(&serde_json::to_string_pretty(&report)?)?;
    } else {
        report::write_line(&report_lines(&report))?;
    }
    Ok(if report.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn went_wrong(patient: &Patient) -> anyhow::Result<DoctorReport> {
    let nothing = Secrets::default();
    let secrets = patient.secrets.as_ref().unwrap_or(&nothing);
    let id = target::existing(patient.familiar.as_deref(), &patient.data_dir, secrets)?;
    let home = FamiliarHome::new(&patient.data_dir, &id);
    let config = target::settings_of(home.clone())?.current();
    let tz = config.display_tz.clone();
    let look = move || trouble_and_room_today(&home, &tz, jiff::Timestamp::now());
    Ok(tokio::task::spawn_blocking(look).await??)
}

fn report_lines(report: &DoctorReport) -> String {
    let rows = report.checks.iter().map(check_line).chain([String::new(), report.summary()]);
    rows.collect::<Vec<_>>().join("\n")
}

fn check_line(check: &DoctorCheck) -> String {
    let status = match check.status {
        CheckStatus::Ok => style("ok  ").green(),
        CheckStatus::Skipped => style("skip").dim(),
        CheckStatus::Warn => style("warn").yellow(),
        CheckStatus::Fail => style("FAIL").red().bold(),
    };
    let name = check.name.replace('_', " ");
    // Names come from files and from Discord; a terminal would obey their control characters.
    let message = without_control(&check.message);
    let advice = check.advice.as_ref().map(|advice| format!("; {advice}")).unwrap_or_default();
    format!("{status} {name}: {message}{advice}")
}

/// `familiar completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// For which shell
    shell: Shell,
}

pub(super) fn print_script(args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "familiar", &mut script);
    report::write_line(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
