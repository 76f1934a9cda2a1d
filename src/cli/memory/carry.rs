//! `familiar memory export`, `import`, `corpus`, `canon` and `unwritten`.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Cursor, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

use crate::app::open_history;
use crate::archive::{ImportedChat, Span, export, import_archive, import_chat, is_chat};
use crate::cli::report::{self, without_control};
use crate::cli::target::settings_of;
use crate::config::{FamiliarHome, write_atomic};
use crate::history::{Hindrance, History, HistoryOptions, PlacedResponse, passed_over_in};
use crate::home::Commands;
use crate::home::if_there;
use crate::memory::Memory;
use crate::text::short::counted;

/// Writes memories to a file, else to standard output. Works while the familiar runs.
pub(super) async fn write_out(
    home: &FamiliarHome,
    file: Option<&Path>,
    month: Option<&str>,
) -> anyhow::Result<ExitCode> {
    let span = month.map_or(Ok(Span::Everything), of_month)?;
    let history = open_history(home, HistoryOptions::default()).await?;
    let memory = Memory::at(home);
    match file {
        None => {
            let mut out = BufWriter::new(std::io::stdout());
            export(&history, &memory, span, &mut out).await?;
            out.flush()?;
        }
        Some(path) => {
            // Whole or not at all, and for the operator's eyes.
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))
                .with_context(|| format!("writing {}", path.display()))?;
            let mut out = BufWriter::new(file);
            let turns = export(&history, &memory, span, &mut out).await?;
            out.into_inner().map_err(std::io::IntoInnerError::into_error)?.persist(path)?;
            report::write_line(&format!(
                "{} written to {}",
                counted(turns as u64, "message"),
                without_control(&path.display().to_string())
            ))?;
        }
    }
    history.close().await?;
    Ok(ExitCode::SUCCESS)
}

/// Reads memories into a familiar without a history, or a chat of SillyTavern into any.
pub(super) async fn take_in(home: &FamiliarHome, file: &Path) -> anyhow::Result<ExitCode> {
    let _alone = crate::familiar::lock_familiar(home)?;
    let reading = || format!("reading {}", file.display());
    let mut opened = BufReader::new(File::open(file).with_context(reading)?);
    let mut first = String::new();
    opened.read_line(&mut first).with_context(reading)?;
    let is_chat = is_chat(&first);
    let mut whole = Cursor::new(first).chain(opened);
    let history = open_history(home, HistoryOptions::default()).await?;
    let told = if is_chat {
        chat_taken_in(home, &history, file, &mut whole).await
    } else {
        archive_taken_in(home, &history, &mut whole).await
    };
    history.close().await?;
    report::write_line(&told?)?;
    Ok(ExitCode::SUCCESS)
}

async fn archive_taken_in(
    home: &FamiliarHome,
    history: &History,
    from: &mut (dyn BufRead + Send),
) -> anyhow::Result<String> {
    let imported = import_archive(history, &Memory::at(home), from).await?;
    let (turns, notes) = (imported.turns as u64, imported.notes as u64);
    Ok(format!("{} and {} taken in", counted(turns, "message"), counted(notes, "note")))
}

async fn chat_taken_in(
    home: &FamiliarHome,
    history: &History,
    file: &Path,
    from: &mut (dyn BufRead + Send),
) -> anyhow::Result<String> {
    let zone = settings_of(home.clone())?.current().display_tz.clone();
    let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let chat = import_chat(history, from, name, &zone, Timestamp::now()).await?;
    let ImportedChat { channel, with, messages, left_out } = chat;
    let with = with.map(|name| format!(" with {}", without_control(&name))).unwrap_or_default();
    let messages = counted(messages as u64, "message");
    let told = format!("{messages}{with} taken in, as a talk of its own with you ({channel})");
    Ok(match left_out {
        0 => told,
        left_out => format!("{told}; {left_out} hidden or without words left out"),
    })
}

fn of_month(month: &str) -> anyhow::Result<Span> {
    let first: Date =
        format!("{month}-01").parse().with_context(|| format!("{} is no month", without_control(month)))?;
    let moment = |date: Date| -> anyhow::Result<Timestamp> { Ok(date.to_zoned(TimeZone::UTC)?.timestamp()) };
    Ok(Span::Between(moment(first)?, moment(first.checked_add(1.month())?)?))
}

/// Longest paragraph that is taken, in characters.
const WORDS_MAX: usize = 2_000;

/// Prints what is settled there, or adds a paragraph to it.
pub(super) fn print_canon(home: &FamiliarHome, place: &str, words: Option<&str>) -> anyhow::Result<ExitCode> {
    let is_number = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    let is_place = match place.split_once('-') {
        Some(("guild", id)) => is_number(id),
        Some(("dm", id)) => id == "operator" || is_number(id),
        _ => false,
    };
    if !is_place {
        bail!("{place:?} is no place; call it guild-<server id>, dm-<user id> or dm-operator");
    }
    let path = home.places_dir().join(format!("{place}.md"));
    let before =
        if_there(std::fs::read_to_string(&path)).with_context(|| format!("reading {}", path.display()))?;
    let Some(words) = words.map(str::trim).filter(|words| !words.is_empty()) else {
        report::write_line(&super::without_controls(
            before.as_deref().unwrap_or("nothing is settled there"),
        ))?;
        return Ok(ExitCode::SUCCESS);
    };
    if words.chars().count() > WORDS_MAX {
        bail!("that is more than {WORDS_MAX} characters; write it into {} yourself", path.display());
    }
    let text = match &before {
        Some(before) => format!("{}\n\n{words}\n", before.trim_end()),
        None => format!("{words}\n"),
    };
    std::fs::create_dir_all(home.places_dir()).context("making the folder of places")?;
    write_atomic(&path, &text)?;
    // Read as the familiar will read it; what it would not take does not stay.
    if let Err(error) = settings_of(home.clone()) {
        match before {
            Some(before) => write_atomic(&path, &before)?,
            None => std::fs::remove_file(&path)?,
        }
        return Err(error.into());
    }
    report::write_line(&format!("{place} now has it, in {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Above what people opted in to, where it is read first: beside the lines, not among them.
const CORPUS_WARNING: &str = "These are counts that people let the familiar keep, without words. Discord's developer policy \
     forbids training models on message content: do not join them with messages, and do not train on messages. Who ends it or is \
     forgotten is in no later list; delete earlier ones then.";

/// A line for each thing that somebody who let it learn did with a reply.
pub(super) async fn corpus(home: &FamiliarHome) -> anyhow::Result<ExitCode> {
    report::tell_progress(CORPUS_WARNING);
    if !home.history_db().exists() {
        return Ok(ExitCode::SUCCESS);
    }
    let history = open_history(home, HistoryOptions::default()).await?;
    let responses = history.whole().all_responses(None).await;
    history.close().await?;
    for PlacedResponse { channel, audience, response } in responses? {
        let line = serde_json::json!({
            "at": response.at,
            "by": response.by.to_string(),
            "channel": channel.as_str(),
            "audience": audience.to_string(),
            "reply": response.turn.map(|turn| turn.to_string()),
            "reply_characters": response.chars,
            "deed": response.deed.as_str(),
            "tools": response.tools,
        });
        report::write_line(&line.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A line for each stretch; with `again`, has all of them read again.
pub(super) async fn unwritten(
    home: &FamiliarHome,
    again: bool,
    commands: &Commands,
) -> anyhow::Result<ExitCode> {
    if !home.history_db().exists() {
        report::write_line("nothing was said yet")?;
        return Ok(ExitCode::SUCCESS);
    }
    if again {
        let history = open_history(home, HistoryOptions::default()).await?;
        let count = history.read_again().await?;
        history.close().await?;
        let words =
            if count == 0 { "nothing waits" } else { "they are read again after the next message there" };
        report::write_line(words)?;
        return Ok(ExitCode::SUCCESS);
    }
    let all = passed_over_in(&home.history_db())?;
    if all.is_empty() {
        report::write_line("nothing waits")?;
    }
    for one in all {
        let why = match one.why {
            Hindrance::Failed => "the model failed",
            Hindrance::Refused => "the model refused",
            Hindrance::Empty => "the model answered nothing",
            Hindrance::Unreadable => "the answer could not be read",
            Hindrance::Unwritten => "it could not be written",
        };
        let next = match one.not_before {
            Some(at) => format!("is read again from {} on", at.strftime("%F %H:%M UTC")),
            None => commands.in_text("given up; `familiar memory unwritten --again` has it read again"),
        };
        let tried = match one.tries {
            0 => "not read again yet".to_owned(),
            tries => format!("read again {} in vain", counted(tries.into(), "time")),
        };
        let waits = one.answer.map(|name| format!(", the answer waits as {name}")).unwrap_or_default();
        report::write_line(&format!(
            "{}  since {}, {tried}: {why}{}; {next}",
            without_control(one.channel.as_str()),
            one.since.strftime("%F %H:%M UTC"),
            without_control(&waits)
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
