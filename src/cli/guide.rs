//! `familiar init` without a card: a few questions instead.
//!
//! Owns the questions; what is done with the answers is done by the same parts as everywhere. Must not show or log a
//! secret. Start reading at [`guest`].

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use inquire::{InquireError, Password, PasswordDisplayMode, Select, Text};
use secrecy::SecretString;

use super::bundled::{self, Example};
use super::report::{self, without_control};
use crate::config::{LlmKeySource, SecretNoted, Secrets, note_secret};
use crate::discord::{TokenState, application_of, check_up_discord, invite_link};
use crate::llm::other_host;

const WHO: &str = "Who is it to be?";
const WHERE: &str = "Where is the card?";
const WHERE_HELP: &str =
    "a PNG, JSON, CHARX, JPEG, WEBP or YAML file; dropping it on this window writes its path";
const NO_SUCH_FILE: &str = "There is no such file.";
const TOKEN: &str = "Discord bot token";
const TOKEN_HELP: &str =
    "discord.com/developers/applications, your application, Bot, Reset Token; Enter leaves it out";
const NO_TOKEN: &str = "That does not look like a bot token; Enter alone leaves it out.";
const TOKEN_REFUSED: &str =
    "Discord does not accept this token: copy it again, or press Reset Token there for a new one.";
const KEY: &str = "OpenRouter key";
const KEY_HELP: &str =
    "openrouter.ai, Settings, Keys; Enter leaves it out, for a local server or a rehearsal";

const OPENAI_KEY_SEEN: &str = "There is an OPENAI_API_KEY; it is used once llm.base_url in character.toml names the server it is for \
                              (OpenAI's is https://api.openai.com/v1).";

/// So long Discord is asked about a token.
const DEADLINE: Duration = Duration::from_secs(10);

/// How far the questions went.
pub(super) enum GuideProgress {
    All,
    /// Somebody wanted no more of them.
    BrokenOff {
        /// The secrets that were written down before.
        kept: Vec<&'static str>,
    },
}

pub(super) enum Guest {
    Bundled(Example),
    /// Somebody from a file.
    Card(PathBuf),
}

enum GuideAnswer {
    Example(Example),
    Own,
}

impl fmt::Display for GuideAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Example(example) => write!(f, "{}, who comes with the program", example.name),
            Self::Own => write!(f, "a card of my own"),
        }
    }
}

/// Asks who it is to be. `None` when the person would rather not go on.
pub(super) fn guest() -> anyhow::Result<Option<Guest>> {
    let ours = bundled::examples().iter().copied().map(GuideAnswer::Example);
    let answers = ours.chain([GuideAnswer::Own]).collect();
    match unless_broken_off(Select::new(WHO, answers).prompt())? {
        None => Ok(None),
        Some(GuideAnswer::Example(example)) => Ok(Some(Guest::Bundled(example))),
        Some(GuideAnswer::Own) => {
            // Asked anew with an empty field: a path that is dropped on the window would be added to the wrong one.
            loop {
                let asked = Text::new(WHERE).with_help_message(WHERE_HELP).prompt();
                let Some(written) = unless_broken_off(asked)? else { return Ok(None) };
                let card = path_of(&written);
                if card.is_file() {
                    return Ok(Some(Guest::Card(card)));
                }
                report::write_line(NO_SUCH_FILE)?;
            }
        }
    }
}

/// Asks for the secrets that are not there yet, writes them into the `.env` of a folder, and says how to go on. `named` is
/// the model server that the settings name.
pub(super) fn secrets(known: &Secrets, named: Option<&str>, folder: &Path) -> anyhow::Result<GuideProgress> {
    let file = folder.join(".env");
    let mut kept = Vec::new();
    let mut token = known.discord_token.clone();
    if token.is_none() {
        token = match token_from_somebody(known.discord_api_base.as_deref())? {
            Hidden::BrokenOff => return Ok(GuideProgress::BrokenOff { kept }),
            Hidden::LeftOut => None,
            Hidden::Written(token) => {
                note(&file, "DISCORD_TOKEN", &token)?;
                kept.push("DISCORD_TOKEN");
                Some(token)
            }
        };
    }
    // A key that no server is named for gets no model.
    if known.llm_key_source.is_none() || known.lacks_server(named) {
        if known.llm_key_source.is_some() {
            report::write_line(OPENAI_KEY_SEEN)?;
        }
        let wanted = WantedKey::of(known.llm_base_url.as_deref().or(named));
        match hidden(Password::new(&wanted.question).with_help_message(&wanted.help))? {
            Hidden::BrokenOff => return Ok(GuideProgress::BrokenOff { kept }),
            Hidden::LeftOut => {}
            Hidden::Written(key) => note(&file, wanted.source.variable(), &key)?,
        }
    }
    if let Some(application) = token.as_ref().and_then(application_of) {
        report::write_line(&format!("Invite it to a server: {}", invite_link(application)))?;
    }
    report::write_line("Next: familiar doctor looks whether all is in place; familiar starts.")?;
    Ok(GuideProgress::All)
}

/// The key that is asked for.
struct WantedKey {
    question: String,
    help: String,
    source: LlmKeySource,
}

impl WantedKey {
    /// The one for the server at a base URL, called by its host; without one OpenRouter's.
    fn of(base_url: Option<&str>) -> Self {
        match base_url.and_then(other_host) {
            Some(host) => Self {
                question: format!("Key for {host}"),
                help: format!("goes only to {host}; Enter leaves it out, for a server that wants none"),
                source: LlmKeySource::OpenAi,
            },
            None => {
                Self { question: KEY.to_owned(), help: KEY_HELP.to_owned(), source: LlmKeySource::OpenRouter }
            }
        }
    }
}

/// Asks until there is a token that Discord takes. One that nobody can be asked about is taken as it is.
fn token_from_somebody(api_base: Option<&str>) -> anyhow::Result<Hidden> {
    loop {
        let token = match hidden(Password::new(TOKEN).with_help_message(TOKEN_HELP))? {
            Hidden::Written(token) => token,
            other => return Ok(other),
        };
        // Said and asked anew with an empty field: what is pasted would be added to the wrong one, which nobody sees.
        if application_of(&token).is_none() {
            report::write_line(NO_TOKEN)?;
            continue;
        }
        let found = super::wait(async { Ok(check_up_discord(&token, api_base, &[], DEADLINE).await) })?;
        match found.token {
            TokenState::Refused => report::write_line(TOKEN_REFUSED)?,
            TokenState::Accepted(bot) => {
                report::write_line(&format!("Discord knows it as {}.", without_control(&bot)))?;
                return Ok(Hidden::Written(token));
            }
            TokenState::Unreadable(why) | TokenState::Unknown(why) => {
                report::write_line(&format!(
                    "Whether Discord takes it could not be asked: {}.",
                    without_control(&why)
                ))?;
                return Ok(Hidden::Written(token));
            }
        }
    }
}

/// What was typed where nobody may see it.
enum Hidden {
    Written(SecretString),
    LeftOut,
    BrokenOff,
}

fn hidden(question: Password<'_>) -> anyhow::Result<Hidden> {
    let asked = question.with_display_mode(PasswordDisplayMode::Masked).without_confirmation().prompt();
    if matches!(asked, Err(InquireError::OperationInterrupted)) {
        return Ok(Hidden::BrokenOff);
    }
    let written = unless_broken_off(asked)?.map(|written| written.trim().to_owned());
    let written = written.filter(|written| !written.is_empty()).map(SecretString::from);
    Ok(written.map_or(Hidden::LeftOut, Hidden::Written))
}

fn note(file: &Path, name: &str, value: &SecretString) -> anyhow::Result<()> {
    match note_secret(file, name, value)? {
        SecretNoted::Written => report::write_line(&format!("{name} stands in {} now.", file.display()))?,
        SecretNoted::AlreadyThere => {
            report::write_line(&format!("{} has a {name} already; it stays.", file.display()))?
        }
    }
    Ok(())
}

/// Escape and Ctrl-C mean "no more", not that something went wrong.
fn unless_broken_off<T>(answer: Result<T, InquireError>) -> anyhow::Result<Option<T>> {
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
