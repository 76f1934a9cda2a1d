//! `familiar lore`: working with lorebooks.

mod chat;
mod import;
mod scan;
mod test;
mod touched;

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand};

pub(super) use chat::ChatLine;
pub(super) use scan::{BUDGET_PERCENT, CONTEXT_TOKENS, REPLY_TOKENS, ScanTurn, book_in, budget};

/// What `familiar lore` takes.
#[derive(Debug, Args)]
pub(super) struct LoreArguments {
    #[command(subcommand)]
    verb: LoreVerb,
}

#[derive(Debug, Subcommand)]
enum LoreVerb {
    /// Add a lorebook file (SillyTavern, card book, V3, NovelAI, Agnai, Risu) to a familiar.
    Import(import::ImportArguments),
    /// Print which entries of a book a chat calls up, in what order, and why; and why not the others.
    Test(Box<test::TestArguments>),
}

/// Runs the verb. Exit code 2 when a file is refused.
pub(super) async fn run_lore(arguments: &LoreArguments, data_dir: &Path) -> ExitCode {
    match &arguments.verb {
        LoreVerb::Import(arguments) => import::run_lore_import(arguments, data_dir).await,
        LoreVerb::Test(arguments) => test::run_lore_test(arguments),
    }
}
