//! `familiar init` without a card: a few questions instead.
//!
//! Owns the questions; what is done with the answers is done by the same parts as everywhere. Must not show or log a
//! secret. Start reading at [`guest`].

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use inquire::validator::Validation;
use inquire::{InquireError, Password, PasswordDisplayMode, Select, Text};
use secrecy::SecretString;

use super::bundled::{self, Example};
use super::out;
use crate::config::{Noted, Secrets, note_secret};
use crate::discord::{application_of, invite_link};

const WHO: &str = "Who is it to be?";
const WHERE: &str = "Where is the card?";
const WHERE_HELP: &str =
    "a PNG, JSON, CHARX, JPEG, WEBP or YAML file; dropping it on this window writes its path";
const NO_SUCH_FILE: &str = "there is no such file";
const TOKEN: &str = "Discord bot token";
const TOKEN_HELP: &str =
    "discord.com/developers/applications, your application, Bot, Reset Token; Enter leaves it out";
const NO_TOKEN: &str = "that does not look like a bot token; Enter alone leaves it out";
const KEY: &str = "OpenRouter key";
const KEY_HELP: &str =
    "openrouter.ai, Settings, Keys; Enter leaves it out, for a local server or a rehearsal";

/// Who moves in.
pub(super) enum Guest {
    /// One of ours.
    Bundled(Example),
    /// Somebody from a file.
    Card(PathBuf),
}

enum Answer {
    Example(Example),
    Own,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Example(example) => write!(f, "{}, who comes with the program", example.name),
            Self::Own => write!(f, "a card of my own"),
        }
    }
}

/// Asks who it is to be. `None` when the person would rather not go on.
pub(super) fn guest() -> anyhow::Result<Option<Guest>> {
    let ours = bundled::examples().iter().copied().map(Answer::Example);
    let answers = ours.chain([Answer::Own]).collect();
    match broken_off(Select::new(WHO, answers).prompt())? {
        None => Ok(None),
        Some(Answer::Example(example)) => Ok(Some(Guest::Bundled(example))),
        Some(Answer::Own) => {
            let there = |written: &str| match path_of(written).is_file() {
                true => Ok(Validation::Valid),
                false => Ok(Validation::Invalid(NO_SUCH_FILE.into())),
            };
            let written = Text::new(WHERE).with_help_message(WHERE_HELP).with_validator(there).prompt();
            Ok(broken_off(written)?.map(|written| Guest::Card(path_of(&written))))
        }
    }
}

/// Asks for the secrets that are not there yet, writes them into the `.env` of a folder, and says how to go on.
pub(super) fn secrets(known: &Secrets, folder: &Path) -> anyhow::Result<()> {
    let file = folder.join(".env");
    let mut token = known.discord_token.clone();
    if token.is_none() {
        let looks_right = |written: &str| {
            let fits = written.trim().is_empty() || application_of(&SecretString::from(written)).is_some();
            Ok(if fits { Validation::Valid } else { Validation::Invalid(NO_TOKEN.into()) })
        };
        token = hidden(Password::new(TOKEN).with_help_message(TOKEN_HELP).with_validator(looks_right))?;
        note(&file, "DISCORD_TOKEN", token.as_ref())?;
    }
    if known.llm_api_key.is_none() {
        let key = hidden(Password::new(KEY).with_help_message(KEY_HELP))?;
        note(&file, "OPENROUTER_API_KEY", key.as_ref())?;
    }
    if let Some(application) = token.as_ref().and_then(application_of) {
        out::line(&format!("Invite it to a server: {}", invite_link(application)))?;
    }
    out::line("Next: familiar doctor looks whether all is in place; familiar starts.")?;
    Ok(())
}

fn hidden(question: Password<'_>) -> anyhow::Result<Option<SecretString>> {
    let written = question.with_display_mode(PasswordDisplayMode::Masked).without_confirmation().prompt();
    let written = broken_off(written)?.map(|written| written.trim().to_owned());
    Ok(written.filter(|written| !written.is_empty()).map(SecretString::from))
}

fn note(file: &Path, name: &str, value: Option<&SecretString>) -> anyhow::Result<()> {
    let Some(value) = value else { return Ok(()) };
    match note_secret(file, name, value)? {
        Noted::Written => out::line(&format!("{name} stands in {} now.", file.display()))?,
        Noted::AlreadyThere => out::line(&format!("{} has a {name} already; it stays.", file.display()))?,
    }
    Ok(())
}

/// Escape and Ctrl-C mean "no more", not that something went wrong.
fn broken_off<T>(answer: Result<T, InquireError>) -> anyhow::Result<Option<T>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(InquireError::OperationCanceled | InquireError::OperationInterrupted) => Ok(None),
        Err(error) => Err(error).context("asking"),
    }
}

/// Terminals put quotes around a path that is dropped on them, or a backslash before its spaces.
fn path_of(written: &str) -> PathBuf {
    let written = written.trim();
    let bare = written.trim_matches(['"', '\'']);
    if bare.len() < written.len() || cfg!(windows) {
        return PathBuf::from(bare);
    }
    PathBuf::from(bare.replace("\\ ", " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_terminals_write_them() {
        assert_eq!(path_of(" card.png "), PathBuf::from("card.png"));
        assert_eq!(path_of("'/a b/card.png'"), PathBuf::from("/a b/card.png"));
        assert_eq!(path_of("\"/a b/card.png\" "), PathBuf::from("/a b/card.png"));
        if !cfg!(windows) {
            assert_eq!(path_of("/a\\ b/card.png"), PathBuf::from("/a b/card.png"));
        }
    }
}
