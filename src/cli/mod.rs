//! The command line: one file per verb.
//!
//! Owns arguments, exit codes and what is printed to a terminal. Must not hold any logic that another way in
//! would need too. Start reading at [`main`].

mod prompt;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A Discord companion that a server's people come to treat as one of them.
#[derive(Debug, Parser)]
#[command(name = "familiar", version)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Print the messages a turn would send, without any model.
    Prompt(prompt::PromptArguments),
}

/// Runs the verb that the arguments name. Exit code 0 when it did what was asked, 1 when it could not, 2 when the
/// arguments (or, for `prompt`, the sizes) do not allow it.
#[must_use]
pub fn main() -> ExitCode {
    match Arguments::parse().verb {
        Verb::Prompt(arguments) => prompt::run(&arguments),
    }
}
