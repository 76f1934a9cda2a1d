//! The command line: one file per verb.
//!
//! Owns arguments, exit codes and what is printed to a terminal. Must not hold any logic that another way in
//! would need too. Start reading at [`main`].

mod bench;
mod browser;
pub mod bundled;
mod context;
mod doctor;
mod export;
mod forget;
mod guide;
mod init;
mod list;
mod lore;
mod mcp;
mod memory;
mod prompt;
mod recall;
mod replay;
mod report;
mod run;
mod schedule;
mod simulate;
mod target;
mod voice;
mod window;

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::ExitCode;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{ArgAction, CommandFactory as _, Parser, Subcommand, ValueEnum};

use crate::config::Secrets;
use crate::documents::read_pdf_here;
use crate::home::DATA_DIR;
use crate::trace::logging::{self, LogFormat, LogLines, LogOptions, Verbosity};

/// A reader blocked on the keyboard cannot be woken; it is left behind after this.
const RUNTIME_GRACE: Duration = Duration::from_millis(200);

/// A Discord companion that a server's people come to treat as one of them. Without a verb: `run`.
#[derive(Debug, Parser)]
#[command(name = "familiar", version)]
struct Arguments {
    /// Where familiars live [default: FAMILIAR_DATA, else data]
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Log more; twice for everything
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
    /// Log lines as JSON
    #[arg(long, global = true)]
    log_json: bool,
    /// Those of `run`, for who gives no verb.
    #[command(flatten)]
    run: run::RunArgs,
    #[command(subcommand)]
    verb: Option<Verb>,
}

impl Arguments {
    /// The verb that is meant, with what was said of it before it.
    fn verb(self) -> Result<Verb, clap::Error> {
        match self.verb {
            None => Ok(Verb::Run(self.run)),
            Some(Verb::Run(args)) => Ok(Verb::Run(args.or(self.run))),
            Some(Verb::Chat(args)) => Ok(Verb::Chat(args.or(self.run))),
            Some(verb) if self.run == run::RunArgs::default() => Ok(verb),
            Some(_) => Err(Self::command().error(
                ErrorKind::ArgumentConflict,
                "`--familiar`, `--as` and `--without-history` may stand before the verb only for `run` and `chat`; with \
                 other verbs, put the options they have after the verb.",
            )),
        }
    }
}

/// What an option says that is on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Talk with a familiar here, and on Discord when DISCORD_TOKEN is set
    Run(run::RunArgs),
    /// Talk with a familiar here, without Discord
    Chat(run::RunArgs),
    /// Print the address that opens the window of a familiar that runs: in a browser of this machine
    Window(window::WindowArguments),
    /// Make a familiar from a character card, or by a few questions
    Init(init::InitArguments),
    /// List the familiars
    List(list::ListArguments),
    /// Write a familiar as a character card
    Export(export::ExportArguments),
    /// Work with lorebooks
    Lore(lore::LoreArguments),
    /// Have the hours written that a familiar keeps
    Schedule(schedule::ScheduleArgs),
    /// Look at the notes, and at what is derived from them
    Memory(memory::MemoryArguments),
    /// Forget a person, a topic, a channel or a fact everywhere, or take that back
    Forget(forget::ForgetArguments),
    /// Print the messages a turn would send that is written down in a file, without any model
    Prompt(prompt::PromptArguments),
    /// Show what a turn sent to the model, and why
    Context(context::ContextArgs),
    /// Run a past turn again, with another model or budget
    Replay(replay::ReplayArgs),
    /// Show what would be found for a question, and why
    Recall(recall::RecallArguments),
    /// Serve what a familiar remembers to your own assistants, by MCP on standard input and output; only reads
    Mcp(mcp::McpArgs),
    /// Look for what stands in a familiar's way, and say what to do
    Doctor(doctor::DoctorArgs),
    /// Try what would listen and speak in calls, without Discord
    Voice(voice::VoiceArguments),
    /// Measure how long things take here, with what is set up
    Bench(bench::BenchArguments),
    /// Play scenes from files, and say what happened and whether what was expected came true
    Simulate(simulate::SimulateArgs),
    /// Print a completion script for a shell
    Completions(doctor::CompletionsArgs),
    /// Read a PDF file on standard input as text; the program has itself do this, in a process of its own
    #[command(hide = true)]
    ReadPdf,
}

/// Runs the verb that the arguments name. Exit code 0 when it did what was asked, 1 when it could not, 2 when the
/// arguments, the file or (for `prompt`) the sizes do not allow it.
pub fn main() -> ExitCode {
    crate::familiar::keep_new_files_private();
    match begin(Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

fn begin(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { verbose, log_json, .. } = arguments;
    let asked_dir = arguments.data_dir.clone();
    let verb = arguments.verb().unwrap_or_else(|error| error.exit());
    // Before anything of ours is read: it is to know nothing but the file.
    if matches!(verb, Verb::ReadPdf) {
        return Ok(read_pdf_here());
    }
    let secrets = match (Secrets::read(Path::new(".")), &verb) {
        // It reports a broken environment like everything else.
        (Err(error), Verb::Doctor(args)) => {
            return wait(doctor::run_doctor(args, data_dir(asked_dir, None), Err(error)));
        }
        (secrets, _) => secrets?,
    };
    let log = LogLines::default();
    // The doctor says itself what a log would repeat, and whoever plays a scene is not the operator's familiar.
    if !matches!(verb, Verb::Doctor(_) | Verb::Simulate(_)) || verbose > 0 {
        let options = LogOptions {
            format: if log_json { LogFormat::Json } else { LogFormat::Human },
            verbosity: Verbosity::from_count(verbose),
            redact: secrets.redactor(),
        };
        logging::init_logging(&options, log.clone())?;
    }
    let data_dir = data_dir(asked_dir, secrets.data_dir.clone());
    match verb {
        Verb::Run(args) => wait(run::run_familiar(&args, &data_dir, &secrets, run::Adapters::All, &log)),
        Verb::Chat(args) => {
            wait(run::run_familiar(&args, &data_dir, &secrets, run::Adapters::Terminal, &log))
        }
        Verb::Window(args) => window::run_window(&args, &data_dir, &secrets),
        Verb::Init(args) => init::run_init(&args, &data_dir, &secrets),
        Verb::List(args) => Ok(list::run_list(&args, &data_dir)),
        Verb::Export(args) => Ok(export::run_export(&args, &data_dir)),
        Verb::Lore(args) => wait(async { Ok(lore::run_lore(&args, &data_dir).await) }),
        Verb::Schedule(args) => wait(schedule::run_schedule(&args, &data_dir, &secrets)),
        Verb::Memory(args) => wait(memory::run_memory(&args, &data_dir, &secrets)),
        Verb::Forget(args) => wait(forget::run_forget(&args, &data_dir, &secrets)),
        Verb::Prompt(args) => Ok(prompt::run_prompt(&args)),
        Verb::Context(args) => wait(context::run_context(&args, &data_dir, &secrets)),
        Verb::Replay(args) => wait(replay::run_replay(&args, &data_dir, &secrets)),
        Verb::Recall(args) => wait(recall::run_recall(&args, &data_dir, &secrets)),
        Verb::Mcp(args) => wait(mcp::run_mcp(&args, &data_dir, &secrets)),
        Verb::Doctor(args) => wait(doctor::run_doctor(&args, data_dir, Ok(secrets))),
        Verb::Voice(args) => wait(voice::run_voice(&args, &data_dir, &secrets)),
        Verb::Bench(args) => wait(bench::run_bench(&args, &data_dir, &secrets)),
        Verb::Simulate(args) => simulate::run_simulate(&args, &data_dir, &secrets),
        Verb::Completions(args) => doctor::print_script(&args),
        Verb::ReadPdf => Ok(read_pdf_here()),
    }
}

fn data_dir(asked: Option<PathBuf>, said: Option<PathBuf>) -> PathBuf {
    asked.or(said).unwrap_or_else(|| PathBuf::from(DATA_DIR))
}

fn wait<T>(verb: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    // As one type: the whole of every verb would be compiled once for each way in which a runtime waits.
    let verb: Pin<Box<dyn Future<Output = anyhow::Result<T>>>> = Box::pin(verb);
    let ended = runtime.block_on(verb);
    runtime.shutdown_timeout(RUNTIME_GRACE);
    ended
}

/// One chain of reasons on standard error; configuration errors show the place in the file.
fn complain(error: &anyhow::Error) {
    let mut text = match error.downcast_ref::<crate::config::ConfigError>() {
        Some(config) if std::io::stderr().is_terminal() => config.terminal_report(),
        Some(config) => config.report(),
        None => format!("familiar: {}", report::reasons(error)),
    };
    text.push('\n');
    // Nobody can be told that standard error is closed.
    let _closed = std::io::stderr().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The help of a command and of all below it, as it is printed where the terminal is 100 columns wide.
    fn helps(command: &mut clap::Command, path: &str, into: &mut String) {
        into.push_str(&format!("== {path}\n{}\n", command.render_long_help()));
        for below in command.get_subcommands_mut().filter(|below| below.get_name() != "help") {
            let path = format!("{path} {}", below.get_name());
            helps(below, &path, into);
        }
    }

    #[test]
    fn every_verb_and_option_is_as_it_was() {
        let mut command = Arguments::command().term_width(100);
        command.build();
        let mut all = String::new();
        helps(&mut command, "familiar", &mut all);
        insta::assert_snapshot!(all);
    }
}
