//! `familiar init` without a card: a few questions instead.
//!
//! Owns the questions; what is done with the answers is done by the same parts as everywhere. Must not show or log a
//! secret. Start reading at [`guest`].

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use inquire::{InquireError, Password, PasswordDisplayMode, Select, Text};
use secrecy::SecretString;

use super::bundled::{self, Example};
use super::report::{self, without_control};
use crate::config::{
    LiveConfig, LlmKeySource, OldSecret, SecretNoted, Secrets, may_be_key, note_secret, own_folder,
};
use crate::discord::{TokenState, application_of, check_up_discord, invite_link};
use crate::doctor::{KeyCheck, ModelsExamined, ReportScreen, examine_models};
use crate::home::Commands;
use crate::llm::{Spending, other_host};

const WHO: &str = "Who is it to be?";
const WHO_HELP: &str = "↑↓ and enter choose, typing filters; a card's path is asked for next";
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
const NO_KEY: &str = "That is no key: a key is one word, without spaces; Enter alone leaves it out.";
const KEY_UNTRIED: &str = "Whether its server takes it is not known yet: the server could not be asked, or says so only with an answer.";
const NO_OPENROUTER_KEY: &str = "OpenRouter could not be asked about this key, and it cannot be one of theirs, which begin with sk-or-: copy it \
                                 again; Enter alone leaves it out.";
const KEY_REFUSED: &str = "The server does not take this key: copy it again, or make a new one.";

const OPENAI_KEY_SEEN: &str = "There is an OPENAI_API_KEY; it is used once llm.base_url in character.toml names the server it is for \
                              (OpenAI's is https://api.openai.com/v1).";

/// So long Discord is asked about a token.
const DEADLINE: Duration = Duration::from_secs(10);

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
    let ours = bundled::EXAMPLES.iter().copied().map(GuideAnswer::Example);
    let answers = ours.chain([GuideAnswer::Own]).collect();
    // Whoever types the path of a card means the last answer, which nothing that is typed takes away.
    let score = |typed: &str, answer: &GuideAnswer, told: &str, at: usize| {
        let last = matches!(answer, GuideAnswer::Own).then_some(i64::MIN);
        (Select::<GuideAnswer>::DEFAULT_SCORER)(typed, answer, told, at).or(last)
    };
    let asked = Select::new(WHO, answers).with_scorer(&score).with_help_message(WHO_HELP).prompt();
    match unless_broken_off(asked)? {
        None => Ok(None),
        Some(GuideAnswer::Example(example)) => Ok(Some(Guest::Bundled(example))),
        Some(GuideAnswer::Own) => {
            // Asked anew with an empty field: a path that is dropped on the window would be added to the wrong one.
            loop {
                let asked = Text::new(WHERE).with_help_message(WHERE_HELP).prompt();
                let Some(written) = unless_broken_off(asked)? else { return Ok(None) };
                let card = path_of(&written, own_folder().as_deref());
                if card.is_file() {
                    return Ok(Some(Guest::Card(card)));
                }
                report::write_line(NO_SUCH_FILE)?;
            }
        }
    }
}

/// Asks for the secrets that are not there yet, writes them into the `.env` of a folder, and says how to go on with the
/// familiar that lives in `data_dir`. `config` are its settings: they may name a model server. Where somebody wanted no more
/// of the questions: the secrets that were written down before.
pub(super) fn secrets(
    known: &Secrets,
    config: &Arc<LiveConfig>,
    folder: &Path,
    data_dir: &Path,
) -> anyhow::Result<Option<Vec<&'static str>>> {
    let settings = config.current();
    let named = settings.llm.base_url.as_deref();
    let file = folder.join(".env");
    let mut kept = Vec::new();
    let mut token = known.discord_token.clone();
    if token.is_none() {
        token = match token_from_somebody(known.discord_api_base.as_deref())? {
            Hidden::BrokenOff => return Ok(Some(kept)),
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
        match key_from_somebody(known, config, &wanted)? {
            Hidden::BrokenOff => return Ok(Some(kept)),
            Hidden::LeftOut => {}
            Hidden::Written(key) => note(&file, wanted.source.variable(), &key)?,
        }
    }
    if let Some(application) = token.as_ref().and_then(application_of) {
        report::write_line(&format!("Invite it to a server: {}", invite_link(application)))?;
    }
    let commands = Commands::new(data_dir, Some(config.home().id().as_str()));
    report::write_line(
        &commands.in_text("Next: `familiar doctor` checks that all is in place; `familiar run` starts it."),
    )?;
    Ok(None)
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

/// Asks until there is a key that its server does not refuse. One that nobody can be asked about is taken as it is, where it
/// may be one of that server's.
fn key_from_somebody(
    known: &Secrets,
    config: &Arc<LiveConfig>,
    wanted: &WantedKey,
) -> anyhow::Result<Hidden> {
    let base_url = known.over_llm(&config.current().llm).base_url;
    loop {
        let key = match hidden(Password::new(&wanted.question).with_help_message(&wanted.help))? {
            Hidden::Written(key) => key,
            other => return Ok(other),
        };
        // Keys that clear a line elsewhere write a letter here, which nobody sees.
        if !may_be_key(&key) {
            report::write_line(NO_KEY)?;
            continue;
        }
        let found = super::wait(async { Ok(examined_with(known, config, wanted.source, &key).await) })?;
        match found.made_of(&key, base_url.as_deref()) {
            KeyCheck::Taken => return Ok(Hidden::Written(key)),
            KeyCheck::Untried => {
                report::write_line(KEY_UNTRIED)?;
                return Ok(Hidden::Written(key));
            }
            KeyCheck::Refused => report::write_line(KEY_REFUSED)?,
            KeyCheck::NotOpenRouters => report::write_line(NO_OPENROUTER_KEY)?,
        }
    }
}

async fn examined_with(
    known: &Secrets,
    config: &Arc<LiveConfig>,
    source: LlmKeySource,
    key: &SecretString,
) -> ModelsExamined {
    let mut secrets = known.clone();
    (secrets.llm_api_key, secrets.llm_key_source) = (Some(key.clone()), Some(source));
    examine_models(config, &secrets, &[], Spending::Nothing, ReportScreen::Terminal).await
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
    match note_secret(file, name, value, OldSecret::Stays)? {
        SecretNoted::Written => report::write_line(&format!("{name} stands in {} now.", file.display()))?,
        SecretNoted::AlreadyThere => {
            report::write_line(&format!("{} has a {name} already; it stays.", file.display()))?
        }
    }
    Ok(())
}

/// Escape and Ctrl-C mean "no more", not that something went wrong.
pub(super) fn unless_broken_off<T>(answer: Result<T, InquireError>) -> anyhow::Result<Option<T>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(InquireError::OperationCanceled | InquireError::OperationInterrupted) => Ok(None),
        Err(error) => Err(error).context("asking"),
    }
}

/// Terminals put quotes around a path that is dropped on them, or a backslash before its spaces; who types one writes `~` for
/// the `own` folder, as in a shell.
fn path_of(written: &str, own: Option<&Path>) -> PathBuf {
    let written = written.trim();
    let bare = written.trim_matches(['"', '\'']);
    if bare.len() < written.len() || cfg!(windows) {
        return PathBuf::from(bare);
    }
    let plain = bare.replace("\\ ", " ");
    match (plain.strip_prefix("~/"), own) {
        (Some(below), Some(own)) => own.join(below),
        _ => PathBuf::from(plain),
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;
    use crate::config::{Defaults, FamiliarHome};
    use crate::domain::FamiliarId;

    #[tokio::test]
    async fn a_key_that_its_server_refuses_is_found_out_before_it_is_kept() {
        crate::net::install_tls();
        let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut known = Secrets::default();
        known.llm_base_url = Some(format!("http://{}/v1", server.local_addr().unwrap()));
        let serves = tokio::spawn(async move {
            loop {
                let (mut caller, _) = server.accept().await.unwrap();
                let mut asked = vec![0; 4_096];
                let read = caller.read(&mut asked).await.unwrap();
                let takes = String::from_utf8_lossy(&asked[..read]).contains("Bearer sk-right\r\n");
                let (status, body) =
                    if takes { ("200 OK", "{\"data\":[]}") } else { ("401 Unauthorized", "{}") };
                let answer = format!(
                    "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                );
                caller.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        let folder = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(folder.path(), &FamiliarId::new("mika").unwrap());
        let config = LiveConfig::load(home, Defaults::embedded()).unwrap();
        let base_url = known.llm_base_url.as_deref();
        for (key, refused) in [("sk-wrongusk-right", true), ("sk-right", false)] {
            let key = SecretString::from(key);
            let found = examined_with(&known, &config, LlmKeySource::OpenAi, &key).await;
            assert_eq!(found.made_of(&key, base_url) == KeyCheck::Refused, refused);
        }
        serves.abort();
    }

    #[test]
    fn paths_are_read_as_terminals_write_them() {
        let path_of = |written| path_of(written, Some(Path::new("/home/ada")));
        assert_eq!(path_of(" card.png "), PathBuf::from("card.png"));
        assert_eq!(path_of("'/a b/card.png'"), PathBuf::from("/a b/card.png"));
        assert_eq!(path_of("\"/a b/card.png\" "), PathBuf::from("/a b/card.png"));
        if !cfg!(windows) {
            assert_eq!(path_of("/a\\ b/card.png"), PathBuf::from("/a b/card.png"));
            assert_eq!(path_of("~/my\\ cards/a.png"), PathBuf::from("/home/ada/my cards/a.png"));
            assert_eq!(path_of("~ada/a.png"), PathBuf::from("~ada/a.png"));
        }
    }
}
