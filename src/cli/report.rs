//! How the verbs about familiars speak: JSON on stdout, or short lines; one line for a refusal.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;

use crate::familiar::{Refusal, RefusalKind};
pub(super) use crate::text::unicode::without_control;

/// The exit code of arguments, or of a file, that do not do. What could not be done, or is not there, is 1.
pub(super) const USAGE: u8 = 2;

/// Of a turn that is not kept.
pub(super) const NO_SUCH_TURN: &str =
    "there is no such turn; `familiar context --list` shows which there are";

fn refused(refusal: &Refusal) -> ExitCode {
    match refusal.kind {
        RefusalKind::Io | RefusalKind::Nobody => ExitCode::FAILURE,
        _ => ExitCode::from(USAGE),
    }
}

/// Prints a report, as one JSON object or in lines for people, and gives the exit code: 0, or 1 where it cannot be printed;
/// for a refusal 2, or 1 where a file failed or nobody is called so.
pub(super) fn finish<T: Serialize>(
    verb: &str,
    json: bool,
    outcome: Result<T, Refusal>,
    lines: impl Fn(&T) -> Vec<String>,
) -> ExitCode {
    match (outcome, json) {
        (Ok(report), true) => printed(verb, write_line(&as_json(&report))),
        (Ok(report), false) => match lines(&report).join("\n").as_str() {
            "" => ExitCode::SUCCESS,
            told => printed(verb, write_line(told)),
        },
        (Err(refusal), true) => {
            printed(verb, write_line(&as_json(&refusal)));
            refused(&refusal)
        }
        (Err(refusal), false) => {
            let _ = writeln!(io::stderr(), "familiar {verb}: {refusal}");
            refused(&refusal)
        }
    }
}

/// The exit code of what was printed: 0, or 1 where it could not be, which is told.
pub(super) fn printed(verb: &str, written: io::Result<()>) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "familiar {verb}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn as_json<T: Serialize>(report: &T) -> String {
    serde_json::to_string_pretty(report).unwrap_or_else(|error| format!("{{\"error\": \"{error}\"}}"))
}

/// What went wrong and why, each reason once: many errors say theirs in their own words already.
pub(super) fn reasons(error: &anyhow::Error) -> String {
    let mut said = error.to_string();
    for reason in error.chain().skip(1).map(ToString::to_string) {
        if !said.contains(&reason) {
            said = format!("{said}: {reason}");
        }
    }
    said
}

/// Why nothing is written there: a file that is there already is replaced only where that is wished for.
pub(super) fn stays_as_it_is(file: &Path, overwrite: bool) -> Option<String> {
    let is_kept = file.exists() && !overwrite;
    is_kept.then(|| format!("{} is already there; --overwrite replaces it", file.display()))
}

/// Tells how it goes on, beside the result.
pub(super) fn tell_progress(line: &str) {
    // Nobody can be told that standard error is closed.
    let _ = writeln!(io::stderr(), "{}", without_control(line));
}

/// Writes words as they come. A closed pipe is the reader's way of saying "enough".
///
/// # Errors
/// As [`write_line()`].
pub(super) fn write_words(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes a line.
///
/// # Errors
/// When writing fails for another reason than that nobody reads any more.
pub(super) fn write_line(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{}", text.trim_end_matches('\n')) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the diary cannot be opened: {0}")]
    struct SaysWhy(#[from] io::Error);

    #[test]
    fn a_reason_that_stands_in_the_words_already_is_not_said_again() {
        let why = || io::Error::other("it is locked");
        let once = anyhow::Error::from(SaysWhy(why())).context("starting");
        assert_eq!(reasons(&once), "starting: the diary cannot be opened: it is locked");
        assert_eq!(reasons(&anyhow::Error::from(why()).context("starting")), "starting: it is locked");
    }
}
