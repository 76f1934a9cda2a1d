//! Secrets and the environment: the one place in the program that reads them (design, rule 10).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};

use super::error::{ConfigError, likest};
use super::file::{read_optional, write_atomic};
use super::llm::LlmConfig;
use crate::domain::FamiliarId;

/// Where ONNX Runtime is, by the variable that whatever loads it goes by.
#[cfg(feature = "fastembed")]
pub fn onnx_runtime() -> Option<PathBuf> {
    std::env::var_os("ORT_DYLIB_PATH").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The folder of whoever runs the program, which shells call `~`.
pub fn own_folder() -> Option<PathBuf> {
    std::env::home_dir()
}

/// Whether a variable's value may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Secrecy {
    Secret,
    Open,
}
use Secrecy::{Open, Secret};

/// Every variable of ours that is read, whether it is a secret, and what it is for. `NO_COLOR` is left to the terminal
/// libraries.
pub(super) const VARIABLES: [(&str, Secrecy, &str); 20] = [
    (
        "DISCORD_TOKEN",
        Secret,
        "The bot's token. Without it the familiar is in the terminal and the window only.",
    ),
    ("OPENROUTER_API_KEY", Secret, "The key for OpenRouter, or for whatever server `llm.base_url` names."),
    (
        "OPENAI_API_KEY",
        Secret,
        "Used when `OPENROUTER_API_KEY` is not set and `llm.base_url` names a server.",
    ),
    ("DEEPGRAM_API_KEY", Secret, "Deepgram, which listens."),
    ("CARTESIA_API_KEY", Secret, "Cartesia, which speaks."),
    ("ELEVENLABS_API_KEY", Secret, "ElevenLabs, which speaks."),
    ("AZURE_SPEECH_KEY", Secret, "Azure AI Speech, which speaks."),
    ("GEMINI_API_KEY", Secret, "Google Gemini, which speaks."),
    ("GOOGLE_API_KEY", Secret, "Used when `GEMINI_API_KEY` is not set."),
    (
        "SPEECH_API_KEY",
        Secret,
        "The servers that `stt.openai_url` and `tts.openai_url` name, where they are neither OpenAI nor OpenRouter.",
    ),
    ("BRAVE_SEARCH_API_KEY", Secret, "Brave, which searches the web where `tools.web.search` says so."),
    ("IMAGES_API_KEY", Secret, "The server that `tools.images.base_url` names, which makes pictures."),
    (
        "FAMILIAR_WINDOW_TOKEN",
        Secret,
        "What signs somebody in at the window, as often as they like; at least 20 characters. `window.address` may name an \
         address that others can reach only with it.",
    ),
    (
        "FAMILIAR_MCP_TOKEN",
        Secret,
        "What the operator's own assistants send to read the familiar's memory at the window's `/mcp`; at least 20 characters. \
         Without it there is none.",
    ),
    ("AZURE_SPEECH_REGION", Open, "Overrides `tts.azure_region` on this machine."),
    ("FAMILIAR_ID", Open, "The familiar to run when the command line names none."),
    ("FAMILIAR_DATA", Open, "The data folder when the command line names none."),
    ("FAMILIAR_LLM_BASE_URL", Open, "Overrides `llm.base_url` on this machine."),
    ("FAMILIAR_DISCORD_API_BASE", Open, "Overrides `discord.api_base` on this machine."),
    (
        "FAMILIAR_MODEL_HUB",
        Open,
        "Overrides `memory.embeddings.endpoint` on this machine; `off` fetches nothing.",
    ),
];

/// The locale for characters, in the order that POSIX gives (XBD 8.2).
const LOCALE_VARIABLES: [&str; 3] = ["LC_ALL", "LC_CTYPE", "LANG"];

/// The operating system's word for who sits at the keyboard; the second is Windows's. Not ours to document.
const USER_VARIABLES: [&str; 2] = ["USER", "USERNAME"];

/// Set by SSH: whoever sits there is at another machine. Not ours to document, like those below.
const REMOTE_VARIABLES: [&str; 3] = ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"];

/// Where programs show themselves; systems that always have a desktop set neither.
const DISPLAY_VARIABLES: [&str; 2] = ["DISPLAY", "WAYLAND_DISPLAY"];

/// The file beside the program that may hold the variables.
const DOTENV: &str = ".env";

/// What stands in a text where a secret was.
const MASK: &str = "[redacted]";

/// How like one of ours a name is that was meant to be it (Jaro-Winkler, 0 to 1): a word left out or a letter amiss.
const LIKE_OURS: f64 = 0.9;

/// The longest key or token there may be, in characters.
const KEY_CHARS: usize = 400;

/// Shortest value that is masked: shorter ones are no secrets, and masking them would shred ordinary text.
const MASKED_MIN_CHARS: usize = 6;

/// What the environment and `.env` say. `Debug` never shows a secret.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    pub discord_token: Option<SecretString>,
    /// The key for the model server.
    pub llm_api_key: Option<SecretString>,
    /// Which variable that key came from; an OpenRouter key alone is reason enough to use OpenRouter.
    pub llm_key_source: Option<LlmKeySource>,
    /// OpenAI's own key, whatever key the models use.
    pub openai_api_key: Option<SecretString>,
    /// Keys of speech services.
    pub speech: SpeechSecrets,
    /// The key for Brave's search.
    pub brave_key: Option<SecretString>,
    /// The key for what makes pictures.
    pub images_key: Option<SecretString>,
    /// What signs somebody in at the window.
    pub window_token: Option<SecretString>,
    /// What lets the operator's own assistants in at the window.
    pub mcp_token: Option<SecretString>,
    /// The familiar to run.
    pub familiar_id: Option<FamiliarId>,
    pub data_dir: Option<PathBuf>,
    pub llm_base_url: Option<String>,
    pub discord_api_base: Option<String>,
    pub model_hub: Option<String>,
    /// The account that started the program, for naming the person in the terminal.
    pub user_name: Option<String>,
    /// The locale of the terminal, as the system words it; not from `.env`.
    pub locale: Option<String>,
    /// Where programs are looked for, as the system words it; not from `.env`.
    pub search_path: Option<String>,
    /// Whether a browser that is opened here comes up before whoever sits at the keyboard; not from `.env`.
    pub has_desktop: bool,
    /// Names in `.env` that nothing reads and that look like ours.
    pub misspelt: Vec<MisspeltName>,
    /// The `.env` that was read, where others on this machine can read it too.
    pub readable_file: Option<PathBuf>,
    /// What `.env` says, by name.
    file: Arc<BTreeMap<String, SecretString>>,
    redactor: Redactor,
}

/// A name in `.env` that nothing reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MisspeltName {
    /// As it stands there.
    pub written: String,
    /// The one that was probably meant.
    pub meant: &'static str,
}

/// Keys of speech services. `Debug` never shows them.
#[derive(Debug, Clone, Default)]
pub struct SpeechSecrets {
    pub deepgram: Option<SecretString>,
    pub cartesia: Option<SecretString>,
    pub elevenlabs: Option<SecretString>,
    pub azure: Option<SecretString>,
    /// Azure's region, over `tts.azure_region`.
    pub azure_region: Option<String>,
    pub gemini: Option<SecretString>,
    /// Servers that the settings name.
    pub custom: Option<SecretString>,
}

/// Which variable the model key came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LlmKeySource {
    OpenRouter,
    OpenAi,
}

impl LlmKeySource {
    /// As it is called in the environment.
    pub fn variable(self) -> &'static str {
        match self {
            Self::OpenRouter => "OPENROUTER_API_KEY",
            Self::OpenAi => "OPENAI_API_KEY",
        }
    }
}

impl Secrets {
    /// Reads the environment and the `.env` in a folder. The environment wins; blank values count as unset. The
    /// process environment itself is not changed.
    ///
    /// # Errors
    /// When `.env` exists but cannot be read or understood, or `FAMILIAR_ID` cannot be a folder's name. The message
    /// never repeats what stands in the file.
    pub fn read(dotenv_dir: &Path) -> Result<Self, ConfigError> {
        let path = dotenv_dir.join(DOTENV);
        let file = dotenv(&path)?;
        let secrets = Self::from_lookup(|name| std::env::var(name).ok(), &file)?;
        Ok(Self { readable_file: others_may_read(&path).then_some(path), ..secrets })
    }

    fn from_lookup(
        environment: impl Fn(&str) -> Option<String>,
        file: &BTreeMap<String, String>,
    ) -> Result<Self, ConfigError> {
        let filled = |value: String| Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        let get = |name: &str| {
            environment(name).and_then(filled).or_else(|| file.get(name).cloned().and_then(filled))
        };
        let openrouter = get("OPENROUTER_API_KEY").map(|key| (key, LlmKeySource::OpenRouter));
        let key = openrouter.or_else(|| get("OPENAI_API_KEY").map(|key| (key, LlmKeySource::OpenAi)));
        let familiar_id = get("FAMILIAR_ID")
            .map(FamiliarId::new)
            .transpose()
            .map_err(|error| ConfigError::Refused { reason: format!("FAMILIAR_ID: {error}") })?;
        let secret = |name: &str| get(name).map(SecretString::from);
        let speech = SpeechSecrets {
            deepgram: secret("DEEPGRAM_API_KEY"),
            cartesia: secret("CARTESIA_API_KEY"),
            elevenlabs: secret("ELEVENLABS_API_KEY"),
            azure: secret("AZURE_SPEECH_KEY"),
            azure_region: get("AZURE_SPEECH_REGION"),
            gemini: secret("GEMINI_API_KEY").or_else(|| secret("GOOGLE_API_KEY")),
            custom: secret("SPEECH_API_KEY"),
        };
        let known = VARIABLES
            .into_iter()
            .filter(|(_, secrecy, _)| *secrecy == Secret)
            .filter_map(|(name, ..)| get(name));
        Ok(Self {
            misspelt: file.keys().filter_map(|name| misspelt(name)).collect(),
            discord_token: secret("DISCORD_TOKEN"),
            openai_api_key: secret("OPENAI_API_KEY"),
            speech,
            brave_key: secret("BRAVE_SEARCH_API_KEY"),
            images_key: secret("IMAGES_API_KEY"),
            window_token: secret("FAMILIAR_WINDOW_TOKEN"),
            mcp_token: secret("FAMILIAR_MCP_TOKEN"),
            llm_key_source: key.as_ref().map(|(_, source)| *source),
            llm_api_key: key.map(|(key, _)| SecretString::from(key)),
            familiar_id,
            data_dir: get("FAMILIAR_DATA").map(PathBuf::from),
            llm_base_url: get("FAMILIAR_LLM_BASE_URL"),
            discord_api_base: get("FAMILIAR_DISCORD_API_BASE"),
            model_hub: get("FAMILIAR_MODEL_HUB"),
            readable_file: None,
            user_name: USER_VARIABLES.into_iter().filter_map(&environment).find_map(filled),
            locale: LOCALE_VARIABLES.into_iter().filter_map(&environment).find_map(filled),
            search_path: environment("PATH"),
            has_desktop: has_desktop(&environment, cfg!(any(windows, target_os = "macos"))),
            file: Arc::new(
                file.iter().map(|(name, value)| (name.clone(), SecretString::from(value.clone()))).collect(),
            ),
            redactor: Redactor::new(known),
        })
    }

    /// The settings of models, with the server that the environment names in the place of theirs.
    pub fn over_llm(&self, named: &LlmConfig) -> LlmConfig {
        LlmConfig { base_url: self.llm_base_url.clone().or_else(|| named.base_url.clone()), ..named.clone() }
    }

    /// The key for the model server, where the settings name its address as `named`. An OpenAI key alone says nothing about
    /// OpenRouter: it goes only to a server that is named.
    pub fn llm_key_for(&self, named: Option<&str>) -> Option<&SecretString> {
        self.llm_api_key.as_ref().filter(|_| !self.lacks_server(named))
    }

    /// Whether there is a model key that no server is named for.
    pub fn lacks_server(&self, named: Option<&str>) -> bool {
        let is_named = self.llm_base_url.as_deref().or(named).is_some_and(|url| !url.trim().is_empty());
        self.llm_key_source == Some(LlmKeySource::OpenAi) && !is_named
    }

    /// What a variable says that the settings name: by the environment, else by `.env` as it was read at the start. Blank
    /// counts as unset.
    pub fn variable(&self, name: &str) -> Option<SecretString> {
        let filled = |value: &SecretString| !value.expose_secret().trim().is_empty();
        let set = std::env::var(name).ok().map(SecretString::from).filter(filled);
        set.or_else(|| self.file.get(name).filter(|value| filled(value)).cloned())
    }

    /// Whether what a variable says is what `.env` says, and not the environment, which goes before it.
    pub fn is_by_file(&self, name: &str) -> bool {
        let filled = |value: &str| !value.trim().is_empty();
        let is_outside = std::env::var(name).is_ok_and(|value| filled(&value));
        !is_outside && self.file.get(name).is_some_and(|value| filled(value.expose_secret()))
    }

    /// The masking alone, for parts that must not hold the secrets' owner (logs, traces).
    pub fn redactor(&self) -> Redactor {
        self.redactor.clone()
    }
}

/// Masks known secrets in any text. Cheap to clone, and all clones know the same; `Debug` shows none of them.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// The longest first: one secret may be part of another.
    known: Arc<RwLock<Vec<SecretString>>>,
}

impl Redactor {
    /// Masks these; values shorter than six characters are no secrets and stay.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let redactor = Self::default();
        for secret in secrets {
            redactor.learn(&SecretString::from(secret));
        }
        redactor
    }

    /// Masks this one too from now on, in everything that has a clone of this.
    pub fn learn(&self, secret: &SecretString) {
        let length = secret.expose_secret().len();
        if secret.expose_secret().chars().count() >= MASKED_MIN_CHARS {
            let mut known = self.known.write();
            let at = known.partition_point(|other| other.expose_secret().len() >= length);
            known.insert(at, secret.clone());
        }
    }

    /// The text with every known secret masked.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let known = self.known.read();
        known.iter().map(ExposeSecret::expose_secret).fold(Cow::Borrowed(text), |text, secret| {
            if text.contains(secret) { Cow::Owned(text.replace(secret, MASK)) } else { text }
        })
    }
}

/// Whether somebody may have been given this as a key or token, by its form: one word of plain letters, 400 at most.
pub fn may_be_key(key: &SecretString) -> bool {
    let key = key.expose_secret();
    !key.is_empty() && key.len() <= KEY_CHARS && key.chars().all(|c| c.is_ascii_graphic())
}

/// No service gives out a key with a space in it: it was copied with something else. What signs in here somebody may make up
/// of words, and a bot's token may stand behind the word that Discord wants before it. Only what somebody hands in now is held
/// against it: a server on one's own machine takes "no key" for a key.
fn refuse_spaces(name: &str, value: &str) -> Result<(), ConfigError> {
    let value = value.strip_prefix("Bot ").unwrap_or(value);
    if name.starts_with("FAMILIAR_") || !value.contains(char::is_whitespace) {
        return Ok(());
    }
    Err(ConfigError::Refused {
        reason: format!("{name}: no key or token has a space in it; copy it once more"),
    })
}

/// Whether a base URL is of OpenAI's own service, which takes what servers like it do not.
pub fn is_openai(base_url: &str) -> bool {
    Url::parse(base_url).is_ok_and(|url| url.host_str() == Some("api.openai.com"))
}

/// Whether a browser can come up before whoever sits there, by what the system says; some always have a desktop.
fn has_desktop(environment: impl Fn(&str) -> Option<String>, always_has_one: bool) -> bool {
    let says = |name: &str| environment(name).is_some_and(|value| !value.trim().is_empty());
    // Set by whatever runs programs with nobody before them.
    let is_job = says("CI") || REMOTE_VARIABLES.into_iter().any(says);
    !is_job && (always_has_one || DISPLAY_VARIABLES.into_iter().any(says))
}

/// What a name that nothing reads was probably meant to be; `None` where it is read, or is somebody else's.
fn misspelt(written: &str) -> Option<MisspeltName> {
    if VARIABLES.iter().any(|(name, ..)| *name == written) {
        return None;
    }
    let name = written.to_uppercase().replace('-', "_");
    let meant = likest(&name, VARIABLES.map(|(name, ..)| name), LIKE_OURS)?;
    Some(MisspeltName { written: written.to_owned(), meant })
}

/// The variables a `.env` sets; none when there is no such file.
fn dotenv(path: &Path) -> Result<BTreeMap<String, String>, ConfigError> {
    let text = read_optional(path)?.unwrap_or_default();
    let rows = dotenvy::from_read_iter(text.as_bytes());
    rows.collect::<Result<_, _>>().map_err(|error| unreadable_env(path, &text, error))
}

/// The library's own message repeats the line, which may hold a secret.
fn unreadable_env(path: &Path, text: &str, error: dotenvy::Error) -> ConfigError {
    match error {
        dotenvy::Error::LineParse(line, _) => {
            // The library hands over the part it stumbled on, which is the line or the end of it.
            let part = line.lines().next().unwrap_or_default();
            let number = text.lines().position(|row| row.contains(part)).map_or(0, |at| at + 1);
            ConfigError::Refused {
                reason: format!(
                    "{}:{number}: this line is not NAME=value; put values with spaces, # or $ into single quotes",
                    path.display()
                ),
            }
        }
        _ => ConfigError::io("read", path, io::Error::from(io::ErrorKind::InvalidData)),
    }
}

/// Whether the file is there and its group or everybody may read it.
#[cfg(unix)]
fn others_may_read(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|facts| facts.permissions().mode() & 0o044 != 0)
}

#[cfg(not(unix))]
fn others_may_read(_: &Path) -> bool {
    false
}

/// What became of a secret that was to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretNoted {
    /// It stands in the file now.
    Written,
    /// The file has a value of that name already, which stays.
    AlreadyThere,
}

/// What becomes of a value that a secret's name has in the file already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldSecret {
    Stays,
    /// The new one comes in its place.
    Goes,
}

/// Writes `NAME=value` into a `.env`: onto the line that has the name, else at the end. Everything else in the file stays as
/// it is. From then on the file is readable by its owner alone.
///
/// # Errors
/// When the value is no key or cannot stand on one line, or the file cannot be read or written. No message repeats the
/// value.
pub fn note_secret(
    path: &Path,
    name: &str,
    value: &SecretString,
    there: OldSecret,
) -> Result<SecretNoted, ConfigError> {
    let old = read_optional(path)?.unwrap_or_default();
    let value = value.expose_secret().trim();
    refuse_spaces(name, value)?;
    match with_secret(&old, name, value, there)? {
        None => Ok(SecretNoted::AlreadyThere),
        Some(new) => {
            write_atomic(path, &new)?;
            close_to_others(path).map_err(|error| ConfigError::io("write", path, error))?;
            Ok(SecretNoted::Written)
        }
    }
}

#[cfg(unix)]
fn close_to_others(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn close_to_others(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The new text; `None` where the name has a value already that stays.
fn with_secret(old: &str, name: &str, value: &str, there: OldSecret) -> Result<Option<String>, ConfigError> {
    let row = format!("{name}={}", single_quoted(name, value)?);
    let mut rows: Vec<&str> = old.lines().collect();
    let of_name: Vec<(usize, &str)> =
        rows.iter().enumerate().filter_map(|(at, line)| Some((at, assigned(line, name)?))).collect();
    if there == OldSecret::Stays && of_name.iter().any(|(_, value)| !value.is_empty()) {
        return Ok(None);
    }
    // The last one counts.
    match of_name.last() {
        Some((at, _)) => rows[*at] = &row,
        None => rows.push(&row),
    }
    let mut text = rows.join(if old.contains("\r\n") { "\r\n" } else { "\n" });
    text.push('\n');
    Ok(Some(text))
}

/// What a line gives to a name, without quotes and remarks; `None` where it is about something else.
fn assigned<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let line = line.trim();
    let (left, right) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    let right = right.trim();
    let right = if right.starts_with('#') { "" } else { right };
    (left.trim() == name).then(|| right.trim_matches(['"', '\'']))
}

/// Single quotes keep `#`, `$` and spaces as they are.
fn single_quoted(name: &str, value: &str) -> Result<String, ConfigError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+/=:".contains(c);
    if value.chars().all(plain) {
        Ok(value.to_owned())
    } else if value.contains('\'') || value.chars().any(char::is_control) {
        Err(ConfigError::Refused {
            reason: format!("{name}: a value with a line break or a ' in it cannot stand in .env"),
        })
    } else {
        Ok(format!("'{value}'"))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(environment: &[(&str, &str)], file: &str) -> Result<Secrets, ConfigError> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(DOTENV), file).unwrap();
        let file = dotenv(&dir.path().join(DOTENV))?;
        let lookup = |name: &str| {
            environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        Secrets::from_lookup(lookup, &file)
    }

    #[test]
    fn the_environment_beats_the_file_and_blank_counts_as_unset() {
        let secrets = read(
            &[("DISCORD_TOKEN", "from-environment"), ("OPENROUTER_API_KEY", " ")],
            "DISCORD_TOKEN=from-file\nOPENROUTER_API_KEY=\nOPENAI_API_KEY='sk-$1#x'\nFAMILIAR_ID=ada\n",
        )
        .unwrap();
        assert_eq!(secrets.discord_token.as_ref().unwrap().expose_secret(), "from-environment");
        assert_eq!(secrets.llm_api_key.as_ref().unwrap().expose_secret(), "sk-$1#x");
        assert_eq!(secrets.llm_key_source, Some(LlmKeySource::OpenAi));
        assert_eq!(secrets.familiar_id.unwrap().as_str(), "ada");
    }

    #[test]
    fn a_browser_comes_up_only_at_a_desktop_that_somebody_sits_at() {
        let has = |always, said: &[(&str, &str)]| {
            let lookup = |name: &str| {
                said.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            has_desktop(lookup, always)
        };
        assert!(has(true, &[]) && has(false, &[("DISPLAY", ":0")]));
        assert!(has(false, &[("WAYLAND_DISPLAY", "wayland-0"), ("CI", "")]));
        assert!(!has(false, &[]) && !has(false, &[("DISPLAY", "")]), "a server without a screen");
        for elsewhere in ["CI", "SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"] {
            let said = [("DISPLAY", ":0"), (elsewhere, "1")];
            assert!(!has(true, &said) && !has(false, &said), "{elsewhere}");
        }
        let file = read(&[], "DISPLAY=:0\n").unwrap();
        assert_eq!(file.has_desktop, cfg!(any(windows, target_os = "macos")), "the file says nothing of it");
    }

    #[test]
    fn an_openai_key_goes_only_to_a_server_that_is_named() {
        let openai = read(&[], "OPENAI_API_KEY=oa-123456\n").unwrap();
        assert!(openai.llm_key_for(None).is_none() && openai.lacks_server(Some(" ")));
        assert!(openai.llm_key_for(Some("https://api.openai.com/v1")).is_some());
        let both = read(&[], "OPENROUTER_API_KEY=or-123456\nOPENAI_API_KEY=oa-123456\n").unwrap();
        assert_eq!(both.llm_key_for(None).unwrap().expose_secret(), "or-123456");
    }

    #[test]
    fn the_openrouter_key_comes_first_and_both_are_masked() {
        let secrets = read(&[], "OPENROUTER_API_KEY=or-123456\nOPENAI_API_KEY=oa-123456\n").unwrap();
        assert_eq!(secrets.llm_key_source, Some(LlmKeySource::OpenRouter));
        assert_eq!(secrets.redactor.redact("a or-123456 b oa-123456"), "a [redacted] b [redacted]");
    }

    #[test]
    fn secrets_never_show() {
        let secrets = read(&[], "DISCORD_TOKEN=tok-abcdef\nOPENAI_API_KEY=tok-abcdef-longer\n").unwrap();
        let shown = format!("{secrets:?} {:?}", secrets.redactor());
        assert!(!shown.contains("tok-abcdef"), "{shown}");
        assert_eq!(secrets.redactor.redact("Bot tok-abcdef-longer tok-abcdef"), "Bot [redacted] [redacted]");
        assert!(matches!(secrets.redactor.redact("nothing to hide"), Cow::Borrowed(_)));
        assert_eq!(read(&[("DISCORD_TOKEN", "the")], "").unwrap().redactor.redact("the end"), "the end");
    }

    #[test]
    fn a_broken_line_is_pointed_at_without_being_repeated() {
        let error = read(&[], "# keys\nDISCORD_TOKEN=good\nOPENAI_API_KEY=sk secret word\n").unwrap_err();
        let shown = error.to_string();
        assert!(shown.contains(".env:3: this line is not NAME=value"), "{shown}");
        assert!(!shown.contains("secret word"), "{shown}");
        assert!(matches!(read(&[("FAMILIAR_ID", "../x")], ""), Err(ConfigError::Refused { .. })));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_name() {
        let secrets = read(&[], "\u{feff}DISCORD_TOKEN=good\n").unwrap();
        assert_eq!(secrets.discord_token.unwrap().expose_secret(), "good");
    }

    #[test]
    fn a_key_with_a_space_in_it_is_refused_without_being_repeated_and_spaces_around_it_are_not() {
        assert!(read(&[("OPENAI_API_KEY", "not needed")], "").is_ok(), "it worked so far");
        let file = "OPENROUTER_API_KEY = \"sk-or-1\"\nFAMILIAR_WINDOW_TOKEN='a sentence of the operator'\n\
                    DISCORD_TOKEN='Bot abc'\n";
        let secrets = read(&[], file).unwrap();
        assert_eq!(secrets.llm_api_key.unwrap().expose_secret(), "sk-or-1");
        assert!(secrets.window_token.is_some());
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".env");
        let error = note(&path, "OPENAI_API_KEY", "sk or").unwrap_err().to_string();
        assert_eq!(error, "OPENAI_API_KEY: no key or token has a space in it; copy it once more");
        assert!(!path.exists());
    }

    #[test]
    fn a_key_is_one_word_of_plain_letters() {
        let may_be = |key: &str| may_be_key(&SecretString::from(key.to_owned()));
        assert!(may_be("sk-or-v1-0123") && may_be(&"k".repeat(400)));
        for none in ["", "sk or", "sk-or-…", &"k".repeat(401)] {
            assert!(!may_be(none), "{none}");
        }
    }

    #[test]
    fn a_missing_file_is_no_error() {
        let dir = tempfile::tempdir().unwrap();
        assert!(dotenv(&dir.path().join(DOTENV)).unwrap().is_empty());
    }

    #[test]
    fn the_example_names_every_secret_and_nothing_else() {
        let example = include_str!("../../../../.env.example");
        let named: Vec<_> =
            example.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
        let secret: Vec<_> =
            VARIABLES.iter().filter(|(_, secrecy, _)| *secrecy == Secret).map(|(name, ..)| *name).collect();
        assert_eq!(named, secret);
    }

    #[test]
    fn a_name_that_looks_like_ours_is_told_with_what_was_meant() {
        let meant = |written| misspelt(written).map(|name| name.meant);
        for (written, ours) in [
            ("OPENROUTER_KEY", "OPENROUTER_API_KEY"),
            ("openrouter_api_key", "OPENROUTER_API_KEY"),
            ("OPENROUTER_APIKEY", "OPENROUTER_API_KEY"),
            ("OPENAI_KEY", "OPENAI_API_KEY"),
            ("DISCORD_TOKN", "DISCORD_TOKEN"),
            ("DISCORD_BOT_TOKEN", "DISCORD_TOKEN"),
            ("DEEPGRAM_KEY", "DEEPGRAM_API_KEY"),
            ("ELEVEN_LABS_API_KEY", "ELEVENLABS_API_KEY"),
            ("FAMILIAR_DATA_DIR", "FAMILIAR_DATA"),
        ] {
            assert_eq!(meant(written), Some(ours), "{written}");
        }
        for others in ["PATH", "RUST_LOG", "ANTHROPIC_API_KEY", "MISTRAL_API_KEY", "POSTGRES_PASSWORD", "TZ"]
        {
            assert_eq!(meant(others), None, "{others}");
        }
        assert!(VARIABLES.iter().all(|(name, ..)| misspelt(name).is_none()));
    }

    fn note(path: &Path, name: &str, value: &str) -> Result<SecretNoted, ConfigError> {
        note_secret(path, name, &SecretString::from(value.to_owned()), OldSecret::Stays)
    }

    #[test]
    fn a_new_file_is_private_and_read_back_as_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".env");
        assert_eq!(note(&path, "DISCORD_TOKEN", "abc.def-g_h").unwrap(), SecretNoted::Written);
        assert_eq!(note(&path, "OPENAI_API_KEY", " sk-$1#x\n").unwrap(), SecretNoted::Written);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "DISCORD_TOKEN=abc.def-g_h\nOPENAI_API_KEY='sk-$1#x'\n");
        let read = Secrets::read(dir.path()).unwrap();
        assert!(read.discord_token.is_some() && read.llm_api_key.is_some());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn what_the_file_says_can_be_replaced_there() {
        let secrets = read(&[], "KEY_OF_A_TEST=sk-1\nBLANK_OF_A_TEST= \n").unwrap();
        assert!(secrets.is_by_file("KEY_OF_A_TEST"));
        assert!(!secrets.is_by_file("BLANK_OF_A_TEST") && !secrets.is_by_file("NONE_OF_A_TEST"));
        // Whoever runs a test has this one.
        let secrets = read(&[], "PATH=/nowhere\n").unwrap();
        assert!(!secrets.is_by_file("PATH"), "the environment goes before it");
    }

    #[test]
    fn a_copied_example_is_filled_in_where_it_is_blank() {
        let example = include_str!("../../../../.env.example");
        let new = with_secret(example, "OPENROUTER_API_KEY", "sk-or-1", OldSecret::Stays).unwrap().unwrap();
        assert_eq!(new, example.replace("OPENROUTER_API_KEY=\n", "OPENROUTER_API_KEY=sk-or-1\n"));
    }

    #[test]
    fn values_remarks_and_line_ends_that_are_there_stay() {
        assert_eq!(with_secret("# mine\nA=1\nexport B = 'x'", "B", "y", OldSecret::Stays).unwrap(), None);
        assert_eq!(
            with_secret("# mine\r\nA=1\r\nB= # later\r\n", "B", "y", OldSecret::Stays).unwrap().unwrap(),
            "# mine\r\nA=1\r\nB=y\n"
        );
        let replaced = with_secret("# mine\nB=x # old\nA=1\n", "B", "y", OldSecret::Goes);
        assert_eq!(replaced.unwrap().unwrap(), "# mine\nB=y\nA=1\n");
        assert_eq!(
            with_secret("AB=1\n#B=2\n", "B", "y", OldSecret::Stays).unwrap().unwrap(),
            "AB=1\n#B=2\nB=y\n"
        );
    }

    #[test]
    fn a_value_that_would_break_the_file_is_refused_without_being_repeated() {
        for value in ["it's secret", "secret\nNAME=other"] {
            let error = with_secret("", "B", value, OldSecret::Stays).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
