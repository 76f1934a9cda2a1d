//! `familiar memory`: the notes, as the operator sees them. All of them: on this machine nothing is hidden from whoever may
//! read the files.

mod carry;
mod graph;
mod verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::report::{self, without_control};
use super::target::existing;
use crate::config::{FamiliarHome, Secrets};
use crate::home::Commands;
use crate::memory::Memory;
use crate::memory::change::{ChangeFate, Pending};
use crate::memory::store::{AuditedWrite, Content, GrepOptions, HowFar, Listing, NotePath};

/// Writes looked through for those of one note.
const AUDITED: usize = 1_000;

/// What `familiar memory` takes.
#[derive(Debug, Args)]
pub(super) struct MemoryArguments {
    /// Which familiar; default: FAMILIAR_ID, else the only one there is
    #[arg(id = "memory_familiar", long = "familiar", value_name = "ID", global = true)]
    familiar: Option<String>,
    #[command(subcommand)]
    verb: MemoryVerb,
}

#[derive(Debug, Subcommand)]
enum MemoryVerb {
    /// List the notes: size in bytes, day of the last edit, path
    List {
        /// Only paths that match, as `people/*` or `**/*.md`
        glob: Option<String>,
    },
    /// Print a note as it stands in its file
    Show {
        /// Its path in the memory folder, as `people/discord-42.md`
        path: NotePath,
    },
    /// Print the lines of all notes that match a regular expression
    Grep {
        /// The expression, without look-around or backreferences
        pattern: String,
        /// Only in files whose path matches
        #[arg(long, value_name = "GLOB")]
        files: Option<String>,
        /// Take capitals and small letters for the same
        #[arg(short, long)]
        ignore_case: bool,
    },
    /// List what a model proposes to remember and nobody has looked at yet; with a name, print it
    Pending {
        /// Its name, as the list gives it
        name: Option<String>,
    },
    /// Write what was proposed, as far as its lines still stand in the file
    Approve {
        /// Its name, as `pending` gives it
        name: String,
    },
    /// Throw away what was proposed
    Reject {
        /// Its name, as `pending` gives it
        name: String,
    },
    /// List the messages no memory could be made of, when they are read again, and which were given up
    Unwritten {
        /// Have all of them read again, as soon as the familiar runs
        #[arg(long)]
        again: bool,
    },
    /// Print what is settled with one server or one person, or add a paragraph to it
    Canon {
        /// `guild-<server id>`, `dm-<user id>` or `dm-operator`
        place: String,
        /// What is settled from now on
        words: Option<String>,
    },
    /// List the writes to the notes, the newest last: when, what, which file, by whom, how large before and after
    Audit {
        /// Only of this note
        path: Option<NotePath>,
        /// So many at most
        #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1_000))]
        last: u16,
    },
    /// Prove that what is derived from notes and messages is what would be derived anew
    Verify {
        /// Make anew what is derived from messages, where it is not
        #[arg(long)]
        mend: bool,
        /// Have the embedding model in this folder read a sample of messages once more, and hold its vectors against those
        /// that are kept
        #[arg(long, value_name = "FOLDER")]
        model_folder: Option<PathBuf>,
    },
    /// Write everything that was said and is believed as JSON lines, to a file or to standard output
    Export {
        /// The file
        #[arg(long, alias = "output", value_name = "FILE")]
        out: Option<PathBuf>,
        /// Replace a file that is already there
        #[arg(long)]
        overwrite: bool,
        /// Only what was said in a month (UTC), as `2026-03`; no notes
        #[arg(long, value_name = "MONTH")]
        month: Option<String>,
    },
    /// Take such lines into a familiar without a history, or a chat of SillyTavern into any
    Import {
        /// The file
        file: PathBuf,
    },
    /// Show how people, topics and notes are connected
    Graph {
        #[command(subcommand)]
        verb: graph::GraphVerb,
    },
    /// Make the graph anew from the history and the notes
    Rebuild,
    /// List what was learnt from sessions, and what it came to
    Lessons,
    /// Print what people who let it learn did with its replies, as JSON lines without any words
    Corpus,
    /// Show what in the notes wants tidying: said twice, contradicting itself, long over
    Sleep {
        /// Do what the familiar does at night: put it where it waits for `approve` or `reject`
        #[arg(long)]
        now: bool,
    },
}

/// Runs the verb. Reading needs no lock, so this works while the familiar runs. Exit code 1 when
/// `verify` finds a difference, or a change cannot be written.
///
/// # Errors
/// When there is no such familiar or note, or a pattern cannot be searched for.
pub(super) async fn run_memory(
    arguments: &MemoryArguments,
    data_dir: &Path,
    secrets: &Secrets,
) -> anyhow::Result<ExitCode> {
    let home = FamiliarHome::new(data_dir, &existing(arguments.familiar.as_deref(), data_dir, secrets)?);
    let commands = Commands::of(&home);
    let memory = Memory::at(&home);
    match &arguments.verb {
        MemoryVerb::List { glob } => print_notes(&memory, glob.as_deref()),
        MemoryVerb::Show { path } => {
            report::write_line(&without_controls(&memory.whole().store.read(path)?.text))?;
            Ok(ExitCode::SUCCESS)
        }
        MemoryVerb::Grep { pattern, files, ignore_case } => {
            let options =
                GrepOptions { files: files.clone(), ignore_case: *ignore_case, ..GrepOptions::default() };
            grep(&memory, pattern, &options)
        }
        MemoryVerb::Pending { name: None } => pending(&memory),
        MemoryVerb::Pending { name: Some(name) } => {
            report::write_line(&without_controls(&Pending::read(memory.whole().store, name)?.text))?;
            Ok(ExitCode::SUCCESS)
        }
        MemoryVerb::Approve { name } => approve(&memory, name),
        MemoryVerb::Reject { name } => {
            Pending::read(memory.whole().store, name)?.reject(memory.whole().store)?;
            report::write_line("thrown away")?;
            Ok(ExitCode::SUCCESS)
        }
        MemoryVerb::Canon { place, words } => carry::print_canon(&home, place, words.as_deref()),
        MemoryVerb::Audit { path, last } => audit(&memory, path.as_ref(), usize::from(*last)),
        MemoryVerb::Unwritten { again } => carry::unwritten(&home, *again, &commands).await,
        MemoryVerb::Verify { mend, model_folder } => {
            verify::verify(&home, *mend, model_folder.clone(), &commands).await
        }
        MemoryVerb::Export { out, overwrite, month } => {
            if let Some(why) = out.as_deref().and_then(|out| report::stays_as_it_is(out, *overwrite)) {
                report::tell_progress(&format!("familiar: {why}"));
                return Ok(ExitCode::from(report::USAGE));
            }
            carry::write_out(&home, out.as_deref(), month.as_deref()).await
        }
        MemoryVerb::Import { file } => carry::take_in(&home, file).await,
        MemoryVerb::Graph { verb } => graph::run_graph(&home, verb).await,
        MemoryVerb::Rebuild => graph::rebuild_graph(&home).await,
        MemoryVerb::Lessons => verify::lessons(&memory),
        MemoryVerb::Corpus => carry::corpus(&home).await,
        MemoryVerb::Sleep { now } => verify::sleep(&home, &memory, *now, &commands).await,
    }
}

fn print_notes(memory: &Memory, glob: Option<&str>) -> anyhow::Result<ExitCode> {
    let (mut after, mut is_empty) = (None, true);
    loop {
        let Listing { files, is_more, overfull } = match glob {
            Some(glob) => memory.whole().store.glob(glob, after.as_ref())?,
            None => memory.whole().store.list(None, after.as_ref())?,
        };
        for file in &files {
            let day = file.modified.map_or_else(|| "-".to_owned(), |at| at.strftime("%F").to_string());
            report::write_line(&format!(
                "{:>8}  {day:<10}  {}",
                file.bytes,
                without_control(file.path.as_str())
            ))?;
        }
        is_empty &= files.is_empty();
        after = files.last().map(|file| file.path.clone());
        if !is_more {
            if is_empty {
                report::write_line(if glob.is_some() {
                    "no note is called so"
                } else {
                    "there are no notes"
                })?;
            }
            for folder in overfull {
                report::write_line(&format!("{folder} holds more files than are looked at"))?;
            }
            return Ok(ExitCode::SUCCESS);
        }
    }
}

fn grep(memory: &Memory, pattern: &str, options: &GrepOptions) -> anyhow::Result<ExitCode> {
    let found = memory.whole().store.grep(pattern, options)?;
    for one in &found.lines {
        report::write_line(&format!(
            "{}:{}: {}",
            without_control(one.path.as_str()),
            one.line,
            without_control(&one.text)
        ))?;
    }
    match found.how_far {
        HowFar::Everything => {}
        HowFar::Full => report::write_line("there are more; ask for less")?,
        HowFar::OutOfTime => report::write_line("it took too long; not all notes were searched")?,
    }
    if found.lines.is_empty() {
        report::write_line("no note holds that")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn audit(memory: &Memory, of: Option<&NotePath>, last: usize) -> anyhow::Result<ExitCode> {
    // Of one note: among the newest thousand writes.
    let mut entries = memory.whole().store.audit(if of.is_some() { AUDITED } else { last })?;
    entries.retain(|entry| of.is_none_or(|of| entry.path == *of));
    if entries.is_empty() {
        report::write_line("nothing was written")?;
    }
    let first = entries.len().saturating_sub(last);
    for entry in &entries[first..] {
        let what = match entry.op {
            AuditedWrite::Write => "written",
            AuditedWrite::Append => "added to",
            AuditedWrite::Delete => "removed",
            AuditedWrite::Failed => "failed",
        };
        let source: &str = entry.source.into();
        let size = |content: &Option<Content>| {
            content
                .as_ref()
                .map_or_else(|| "nothing".to_owned(), |content| format!("{} bytes", content.bytes))
        };
        report::write_line(&format!(
            "{}  {what:<8}  {source:<8}  {}  ({} before, {} after)",
            entry.at.strftime("%F %H:%M:%S UTC"),
            without_control(entry.path.as_str()),
            size(&entry.before),
            size(&entry.after)
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn pending(memory: &Memory) -> anyhow::Result<ExitCode> {
    let waiting = Pending::all(memory.whole().store)?;
    if waiting.is_empty() {
        report::write_line("nothing waits")?;
    }
    for one in waiting {
        let what = match one.changes() {
            Ok(changes) => format!("{} changes", changes.len()),
            Err(error) => error.to_string(),
        };
        report::write_line(&format!("{}  {}", without_control(&one.name), without_control(&what)))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn approve(memory: &Memory, name: &str) -> anyhow::Result<ExitCode> {
    let waiting = Pending::read(memory.whole().store, name)?;
    let changes = waiting.changes()?;
    let fates = waiting.approve(memory.whole().store, jiff::Zoned::now().date())?;
    let mut code = ExitCode::SUCCESS;
    for (change, fate) in changes.iter().zip(fates) {
        let what = match fate {
            ChangeFate::Written => "written".to_owned(),
            ChangeFate::Known => "known already".to_owned(),
            ChangeFate::Overtaken => "left out: the note was changed since".to_owned(),
            ChangeFate::Refused(why) => {
                code = ExitCode::FAILURE;
                format!("cannot be written: {why}")
            }
        };
        report::write_line(&format!(
            "{}: {}",
            without_control(change.note.as_str()),
            without_control(&what)
        ))?;
    }
    Ok(code)
}

/// Without what would steer the terminal.
fn without_controls(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && !matches!(c, '\n' | '\t') { ' ' } else { c }).collect()
}
