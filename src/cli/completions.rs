//! `familiar completions`: what the shell needs to complete our verbs.

use std::process::ExitCode;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::{Arguments, out};

/// `familiar completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// For which shell
    shell: Shell,
}

/// Prints the script.
pub(super) fn run(args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "familiar", &mut script);
    out::line(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
