//! `familiar forget`: a person, a topic, a channel, a fact or a note, everywhere; and taking that back.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use clap::{Args, Subcommand};
use inquire::InquireError;

use super::guide::unless_broken_off;
use super::report::{self, without_control};
use super::target::existing;
use crate::app::open_history;
use crate::clock::SystemClock;
use crate::config::{FamiliarHome, Secrets};
use crate::domain::{AccountId, Author, ChannelId};
use crate::erase::{Asker, Eraser, ForgetRequest, ForgetWhat, KeepCopy, NobodyThere, Plan, Stores};
use crate::familiar::{LockError, lock_familiar};
use crate::history::{History, HistoryOptions};
use crate::home::Commands;
use crate::memory::Memory;
use crate::memory::store::{MemoryStore, NOTE_FOLDERS, NotePath};
use crate::terminal::{counted_parts, facts_going};
use crate::text::keywords::fold;
use crate::trace::{TraceOptions, TraceStore};

/// What `familiar forget` takes.
#[derive(Debug, Args)]
pub(super) struct ForgetArguments {
    /// Which familiar; default: FAMILIAR_ID, else the only one there is
    #[arg(id = "forget_familiar", long = "familiar", value_name = "ID", global = true)]
    familiar: Option<String>,
    /// Keep no copy, nor any that an earlier request still keeps: it cannot be undone, not even for seven days
    #[arg(long, global = true)]
    hard: bool,
    /// Do it without asking
    #[arg(short, long, global = true)]
    yes: bool,
    #[command(subcommand)]
    what: Forget,
}

#[derive(Debug, Subcommand)]
enum Forget {
    /// A person: all they said, what was answered to it, and what is noted of them
    Person {
        /// Their name as it was shown, or their account, as `discord:42` or `42`
        #[arg(value_name = "NAME|ACCOUNT")]
        who: String,
    },
    /// A topic: its note, and the messages it was learnt from
    Topic {
        /// The note's title, or its name, as `regatta` for topics/regatta.md
        name: String,
    },
    /// A channel: all that was said there, and what was learnt from it
    Channel {
        /// Its id
        id: ChannelId,
    },
    /// A fact, what it took the place of, and the messages they were learnt from
    Fact {
        /// Its id, the f= of its line
        id: String,
    },
    /// A note, as that of a talk, and the messages it was learnt from
    Note {
        /// Where it lies in memory/, as `sessions/2026-02-01.md`
        path: NotePath,
    },
    /// Take back the last one, within seven days
    Undo,
}

/// Runs the verb, with the familiar stopped. Exit code 1 when there was nothing to forget or to take back.
///
/// # Errors
/// When the familiar runs, or a store refuses.
pub(super) async fn run_forget(
    arguments: &ForgetArguments,
    data_dir: &Path,
    secrets: &Secrets,
) -> anyhow::Result<ExitCode> {
    let home = FamiliarHome::new(data_dir, &existing(arguments.familiar.as_deref(), data_dir, secrets)?);
    // While it runs, only it can let go of what it holds in memory.
    let _alone = lock_familiar(&home).map_err(|error| match error {
        LockError::Held { .. } => {
            anyhow!("{error}, or use Forget in its window, or /forget in its terminal or on Discord")
        }
        LockError::Io { .. } => error.into(),
    })?;
    let stores = Stores {
        history: Arc::new(open_history(&home, HistoryOptions::default()).await?),
        traces: Arc::new(TraceStore::open(&home.traces_db(), TraceOptions::default()).await?),
        memory: Arc::new(Memory::at(&home)),
        home,
    };
    let eraser =
        Eraser::new(stores.clone(), Arc::new(NobodyThere(stores.home.clone())), Arc::new(SystemClock));
    eraser.tidy().await?;
    let went = forget_now(arguments, &eraser, &stores).await;
    stores.memory.whole().index.close().await?;
    stores.history.close().await?;
    stores.traces.close().await?;
    went
}

async fn forget_now(
    arguments: &ForgetArguments,
    eraser: &Eraser,
    stores: &Stores,
) -> anyhow::Result<ExitCode> {
    let what = match &arguments.what {
        Forget::Person { who } => ForgetWhat::Person(person(&stores.history, who).await?),
        Forget::Topic { name } => ForgetWhat::Topic(topic(stores.memory.whole().store, name)?),
        Forget::Channel { id } => ForgetWhat::Channel(id.clone()),
        Forget::Fact { id } => ForgetWhat::Fact(id.clone()),
        Forget::Note { path } => ForgetWhat::Note(note(stores.memory.whole().store, path)?),
        Forget::Undo => return undo_forgetting(arguments, eraser).await,
    };
    let keep = if arguments.hard { KeepCopy::Nothing } else { KeepCopy::SevenDays };
    let request = ForgetRequest { what, by: Asker::Operator, keep };
    let (plan, first) = eraser.preview(&request).await?;
    if plan.is_empty() {
        report::write_line(&nothing_to_forget(&arguments.what))?;
        return Ok(ExitCode::FAILURE);
    }
    report::write_line(&format!("to be forgotten: {}", whole_plan(plan)))?;
    for fact in facts_going(&first.facts, plan.facts) {
        report::write_line(&without_control(&fact))?;
    }
    if !is_agreed(arguments, "Forget it everywhere?")? {
        report::write_line("nothing was changed")?;
        return Ok(ExitCode::FAILURE);
    }
    eraser.forget(request).await?;
    report::write_line(&Commands::of(&stores.home).in_text(match keep {
        KeepCopy::SevenDays => "forgotten; for seven days it can be taken back with: familiar forget undo",
        KeepCopy::Nothing => "forgotten",
    }))?;
    Ok(ExitCode::SUCCESS)
}

fn nothing_to_forget(what: &Forget) -> String {
    let named = match what {
        Forget::Person { who } => who.as_str(),
        Forget::Topic { name } => name,
        Forget::Channel { id } => id.as_str(),
        Forget::Fact { id } => id,
        Forget::Note { path } => path.as_str(),
        Forget::Undo => "undo",
    };
    format!("nothing found for {}", without_control(named))
}

/// A note that is there.
fn note(notes: &MemoryStore, path: &NotePath) -> anyhow::Result<NotePath> {
    if path.is_note_in(&NOTE_FOLDERS) && notes.read(path).is_ok() {
        return Ok(path.clone());
    }
    bail!("there is no note {path}; notes stand in {}", NOTE_FOLDERS.join(", "))
}

/// The name of the note that is called so, by its file or by its title.
fn topic(notes: &MemoryStore, called: &str) -> anyhow::Result<String> {
    let name = called.trim().trim_start_matches("topics/").trim_end_matches(".md");
    let wanted = fold(name);
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let listing = notes.glob("topics/*.md", after.as_ref())?;
        for file in &listing.files {
            let own = file.path.name().trim_end_matches(".md");
            if own == name {
                return Ok(own.to_owned());
            }
            let text = notes.read(&file.path)?.text;
            let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(own);
            if fold(title.trim()) == wanted {
                found.push(own.to_owned());
            }
        }
        after = listing.files.last().map(|file| file.path.clone()).filter(|_| listing.is_more);
        if after.is_none() {
            break;
        }
    }
    match found.as_slice() {
        [] => bail!("nothing found for {}", without_control(called)),
        [one] => Ok(one.clone()),
        several => bail!("several topics are called “{name}”: {}; say which", several.join(", ")),
    }
}

async fn undo_forgetting(arguments: &ForgetArguments, eraser: &Eraser) -> anyhow::Result<ExitCode> {
    let Some(plan) = eraser.undoable(&Asker::Operator)? else {
        report::write_line("there is nothing that could be taken back")?;
        return Ok(ExitCode::FAILURE);
    };
    report::write_line(&format!("to come back: {}", whole_plan(Plan { transcripts: 0, ..plan })))?;
    if !is_agreed(arguments, "Put it back?")? {
        report::write_line("nothing was changed")?;
        return Ok(ExitCode::FAILURE);
    }
    eraser.undo(&Asker::Operator).await?;
    report::write_line(
        "it is back; summaries are made anew when the familiar runs, records of turns are not",
    )?;
    Ok(ExitCode::SUCCESS)
}

fn is_agreed(arguments: &ForgetArguments, question: &str) -> anyhow::Result<bool> {
    if arguments.yes {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() {
        bail!("nobody can be asked here; add --yes");
    }
    agreed(inquire::Confirm::new(question).with_default(false).prompt())
}

/// Who breaks the question off did not agree.
fn agreed(answer: Result<bool, InquireError>) -> anyhow::Result<bool> {
    Ok(unless_broken_off(answer)?.unwrap_or(false))
}

/// `discord:42`, the number alone, or a name that somebody who spoke has or had.
async fn person(history: &History, who: &str) -> anyhow::Result<AccountId> {
    let who = who.trim();
    if let Ok(user) = who.parse::<u64>() {
        return Ok(AccountId::discord(user));
    }
    let authors = history.whole().authors().await?;
    let wanted = fold(who.trim_start_matches('@'));
    let is_meant = |author: &&Author| author.names().any(|name| fold(name) == wanted);
    let meant: BTreeMap<String, &Author> =
        authors.iter().filter(is_meant).map(|author| (author.account.to_string(), author)).collect();
    match meant.values().collect::<Vec<_>>().as_slice() {
        [one] => return Ok(one.account.clone()),
        [] => {}
        several => bail!(
            "several people are called “{}”: {}; say which by the account",
            without_control(who),
            known_people(several.iter().copied().copied())
        ),
    }
    // Somebody may be noted who never spoke; nobody may be called as accounts are written.
    if let Ok(account) = who.parse() {
        return Ok(account);
    }
    let people: BTreeMap<String, &Author> =
        authors.iter().map(|author| (author.account.to_string(), author)).collect();
    if people.is_empty() {
        bail!("nobody is called “{}”; nobody has spoken yet", without_control(who));
    }
    bail!("nobody is called “{}”; there are: {}", without_control(who), known_people(people.into_values()))
}

/// `Ana (discord:42), Ben (discord:43)`
fn known_people<'a>(people: impl Iterator<Item = &'a Author>) -> String {
    people
        .map(|one| format!("{} ({})", without_control(one.label()), one.account))
        .collect::<Vec<_>>()
        .join(", ")
}

fn whole_plan(plan: Plan) -> String {
    let Plan { messages, replies, facts, notes, unread, traces, transcripts, copies } = plan;
    counted_parts([
        (messages, "message"),
        (replies, "reply"),
        (facts, "fact"),
        (notes, "note"),
        (unread, "unreadable model answer"),
        (traces, "other trace"),
        (transcripts, "transcript message"),
        (copies, "sealed copy"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_is_broken_off_is_a_no_and_no_mistake() {
        for broken_off in [InquireError::OperationCanceled, InquireError::OperationInterrupted] {
            assert!(!agreed(Err(broken_off)).unwrap());
        }
        assert!(agreed(Ok(true)).unwrap());
        assert!(agreed(Err(InquireError::NotTTY)).is_err());
    }
}
