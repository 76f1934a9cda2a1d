//! `familiar list`: which familiars there are.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::report::{finish, without_control};
use crate::familiar::{Listed, list_familiars};
use crate::home::Commands;
use crate::text::short::counted;

/// What `familiar list` takes.
#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// Print the list as one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct ListReport {
    familiars: Vec<Listed>,
}

/// Lists the familiars. Exit code 1 when their folder cannot be read.
pub(super) fn run_list(arguments: &ListArguments, data_dir: &Path) -> ExitCode {
    let outcome = list_familiars(data_dir).map(|familiars| ListReport { familiars });
    finish("list", arguments.json, outcome, |report| {
        if report.familiars.is_empty() {
            return vec![Commands::new(data_dir, None).in_text(&format!(
                "no familiars in {}; make one with: familiar init <card>",
                data_dir.display()
            ))];
        }
        report.familiars.iter().map(familiar_line).collect()
    })
}

fn familiar_line(familiar: &Listed) -> String {
    if let Some(problem) = &familiar.problem {
        return format!("{}  cannot be loaded: {}", familiar.id, without_control(problem));
    }
    let called =
        familiar.nickname.as_ref().map(|name| format!(" ({})", without_control(name))).unwrap_or_default();
    format!(
        "{}  {}{called}  {}, {}",
        familiar.id,
        without_control(&familiar.name),
        counted(familiar.greetings as u64, "greeting"),
        counted(familiar.lorebooks as u64, "lorebook")
    )
}
