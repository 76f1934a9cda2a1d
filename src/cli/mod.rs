//! The command line: one file per verb.
//!
//! Owns arguments, exit codes and what is printed to a terminal. Must not hold any logic that another way in
//! would need too. Start reading at [`main`].

pub mod bundled;
mod export;
mod init;
mod list;
mod lore;
mod prompt;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A Discord companion that a server's people come to treat as one of them.
#[derive(Debug, Parser)]
#[command(name = "familiar", version)]
struct Arguments {
    /// Where familiars live.
    #[arg(long, global = true, value_name = "DIR", default_value = "data")]
    data_dir: PathBuf,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Make a familiar from a character card.
    Init(init::InitArguments),
    /// List the familiars.
    List(list::ListArguments),
    /// Write a familiar as a character card.
    Export(export::ExportArguments),
    /// Work with lorebooks.
    Lore(lore::LoreArguments),
    /// Print the messages a turn would send, without any model.
    Prompt(prompt::PromptArguments),
}

/// Runs the verb that the arguments name. Exit code 0 when it did what was asked, 1 when it could not, 2 when the
/// arguments, the file or (for `prompt`) the sizes do not allow it.
#[must_use]
pub fn main() -> ExitCode {
    let Arguments { data_dir, verb } = Arguments::parse();
    match verb {
        Verb::Init(arguments) => init::run(&arguments, &data_dir),
        Verb::List(arguments) => list::run(&arguments, &data_dir),
        Verb::Export(arguments) => export::run(&arguments, &data_dir),
        Verb::Lore(arguments) => lore::run(&arguments, &data_dir),
        Verb::Prompt(arguments) => prompt::run(&arguments),
    }
}
