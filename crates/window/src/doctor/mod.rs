//! What stands in a familiar's way, looked for from outside: `familiar doctor`.
//!
//! Owns what is looked at and how it is judged. Changes nothing, takes no lock that lasts, and works while the
//! familiar runs. Must not know how other rooms find out what they report. Start reading at [`examine`].

mod files;
mod machine;
mod messages;
mod models;
mod report;
mod stores;
mod today;
mod tools;
mod voice;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;

use files::Home;

use crate::config::{ConfigError, FamiliarHome, LiveConfig, Secrets};
use crate::discord::{DiscordFindings, TokenState};
use crate::embedding::HubModel;
use crate::history::Unstored;
use crate::llm::{KeyState, LocalPort, ModelFinding, ModelFindings, NetworkUse, Spending, may_be_key_for};
use crate::mcp::McpStates;

pub use files::left_out_of_card;
pub use report::{CheckStatus, DoctorCheck, DoctorReport, Remedy};
pub use today::{trouble_and_room_today, troubles_today};

/// The longest wait for one server's answers or one database's check. Discord is asked twice in a row, so the whole
/// takes at most about twice as long.
const DEADLINE: Duration = Duration::from_millis(2_800);

/// Who is to be looked at.
#[derive(Debug)]
pub struct Patient {
    pub data_dir: PathBuf,
    /// The familiar that was named; else `FAMILIAR_ID`, else the only one.
    pub familiar: Option<String>,
    /// The environment, or why it could not be read.
    pub secrets: Result<Secrets, ConfigError>,
    /// A folder that is laid over the built-in defaults, when there is one.
    pub defaults_dir: Option<PathBuf>,
    /// Whether servers may be asked.
    pub reach: NetworkUse,
    /// Where to look for local model servers.
    pub local_ports: &'static [LocalPort],
    pub screen: ReportScreen,
}

/// Whether it is known what `.env` and the environment say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Environment {
    Known,
    Unknown,
}

/// Where the report goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportScreen {
    Terminal,
    /// To a file or a program.
    Elsewhere,
    /// To the window, which no terminal shows.
    Window,
    /// To the page of the window that takes a key.
    Setup,
}

/// Looks at everything, at once where that helps; takes six seconds at most where servers are silent.
pub async fn examine(patient: Patient) -> DoctorReport {
    let mut checks = Vec::new();
    let Patient { data_dir, familiar, secrets, defaults_dir, reach, local_ports, screen } = patient;
    let environment = if secrets.is_ok() { Environment::Known } else { Environment::Unknown };
    let secrets = secrets.unwrap_or_else(|error| {
        let file = match &error {
            ConfigError::Io { error, .. } => Some(error.kind()),
            _ => None,
        };
        checks.extend(error.lines().iter().map(|line| messages::environment_unreadable(line, file)));
        Secrets::default()
    });
    let misspelt = secrets.misspelt.iter();
    checks.extend(misspelt.map(|name| messages::environment_misspelt(&name.written, name.meant)));
    checks.extend(secrets.readable_file.iter().map(|path| messages::environment_readable(path)));
    let locale = secrets.locale.clone();
    let wanted = familiar.or_else(|| secrets.familiar_id.as_ref().map(ToString::to_string));
    let (machine_folder, models_folder) = (data_dir.clone(), data_dir.clone());
    let (home, machine) = tokio::join!(
        examine_blocking(move || Home::look(&data_dir, wanted.as_deref(), defaults_dir)),
        examine_blocking(move || machine::examine_machine(&machine_folder, locale.as_deref(), screen)),
    );
    let home = home.unwrap_or_default();
    checks.extend(home.checks);
    checks.extend(machine.unwrap_or_default());

    let config = home.config.as_ref();
    let known = config.filter(|_| environment == Environment::Known);
    let (stores, discord, models, voice, tools, servers) = tokio::join!(
        stores::databases(home.place, DEADLINE),
        ask_discord(config, &secrets, reach),
        ask_model_server(known, &secrets, reach, local_ports, Spending::Nothing),
        voice::try_engines(config, &secrets, environment, reach, DEADLINE),
        tools::half_set_up(known, &secrets, reach, DEADLINE),
        tools::mcp_servers(config, &secrets, environment, reach),
    );
    checks.extend(stores);
    let https_needed =
        reach == NetworkUse::Online && (secrets.discord_token.is_some() || secrets.llm_api_key.is_some());
    if https_needed || reach == NetworkUse::Offline {
        checks.push(machine::https());
    }
    match environment {
        Environment::Known => {
            checks.extend(models::discord_bot(discord.as_ref(), config, &secrets, reach, screen));
            // Of a bot that is not set up any more nothing is tried, whatever was written down of it.
            if let Some(config) = config.filter(|_| secrets.discord_token.is_some()) {
                let record = config.home().connection_json();
                let record = examine_blocking(move || crate::discord::ConnectionRecord::read(&record)).await;
                checks.extend(models::connection(&record.unwrap_or_default(), discord.as_ref()));
            }
            checks.extend(models::judge_models(models.as_ref(), config, &secrets, screen));
            checks.extend(config.and_then(|config| machine::window(config, &secrets)));
        }
        // Whatever is said of a key that may be there would be a guess.
        Environment::Unknown => {
            checks.extend(["discord_token", "model_server"].map(messages::needs_environment));
        }
    }
    if let Some(config) = config {
        let (wanted, hub) = (config.current().memory.embeddings.clone(), secrets.model_hub.clone());
        let rerank = config.current().providers.recall.rerank.clone();
        let asked = move || {
            let hub = hub.as_deref().or(wanted.endpoint.as_deref()).filter(|hub| *hub != HubModel::NONE);
            let embeddings = stores::embedding_model(&wanted, hub, &models_folder);
            std::iter::once(embeddings)
                .chain(stores::reranker(&rerank, hub, &models_folder))
                .collect::<Vec<_>>()
        };
        checks.extend(examine_blocking(asked).await.unwrap_or_default());
    }
    checks.extend(voice);
    checks.extend(tools);
    checks.extend(servers);
    if let (Some(config), Some(character)) = (config, home.character) {
        let model = models
            .as_ref()
            .and_then(|found| found.as_ref().ok())
            .and_then(|found| Some((found.models.first()?.clone(), found.server.clone())));
        let config = Arc::clone(config);
        checks.extend(
            examine_blocking(move || files::judge_card(&character, &config, model)).await.unwrap_or_default(),
        );
    }
    checks.push(machine::clock([
        discord.as_ref().and_then(|found| found.server_ahead),
        models.as_ref().and_then(|found| found.as_ref().ok()).and_then(|found| found.server_ahead),
    ]));
    DoctorReport { reach, ..DoctorReport::of(checks) }
}

/// Work that reads files or counts tokens. `None` when it broke, which leaves its checks out.
async fn examine_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

/// What stands between a familiar and its model.
#[derive(Debug, Clone)]
pub struct ModelsExamined {
    pub checks: Vec<DoctorCheck>,
    /// No model is connected.
    pub rehearses: bool,
    /// What the server makes of the key.
    pub key: KeyState,
    /// Whether what is to answer was asked something small, and did.
    pub has_answered: bool,
    /// What answers; `None` where nothing does.
    pub main: Option<ModelFinding>,
    /// What else the server has, and that itself, where it is the operator's own.
    pub offered: Vec<String>,
}

/// What is made of a key that the models were looked at with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyCheck {
    Taken,
    /// The server could not be asked, or did not say.
    Untried,
    /// The server does not take it.
    Refused,
    /// OpenRouter could not be asked, and it cannot be one of theirs.
    NotOpenRouters,
}

impl ModelsExamined {
    /// What is made of the key that they were looked at with, for the server at that base URL, OpenRouter where none is named.
    pub fn made_of(&self, key: &SecretString, base_url: Option<&str>) -> KeyCheck {
        match self.key {
            KeyState::Refused => KeyCheck::Refused,
            KeyState::Known(_) => KeyCheck::Taken,
            _ if self.has_answered => KeyCheck::Taken,
            _ if may_be_key_for(base_url, key) => KeyCheck::Untried,
            _ => KeyCheck::NotOpenRouters,
        }
    }
}

/// Looks at the models alone, by these settings and keys, in words for that screen. Takes six seconds at most where a server
/// is silent.
pub async fn examine_models(
    config: &Arc<LiveConfig>,
    secrets: &Secrets,
    local_ports: &[LocalPort],
    spending: Spending,
    screen: ReportScreen,
) -> ModelsExamined {
    let found = ask_model_server(Some(config), secrets, NetworkUse::Online, local_ports, spending).await;
    let checks = models::judge_models(found.as_ref(), Some(config), secrets, screen);
    let found = found.and_then(Result::ok);
    ModelsExamined {
        checks,
        rehearses: found.as_ref().is_none_or(|found| found.server.rehearses()),
        key: found.as_ref().map_or(KeyState::Unknown, |found| found.key.clone()),
        offered: found.as_ref().map(|found| found.offered.clone()).unwrap_or_default(),
        has_answered: found.as_ref().is_some_and(ModelFindings::has_answered),
        main: found.and_then(|found| found.models.into_iter().next()),
    }
}

/// What stands between a familiar and Discord.
#[derive(Debug, Clone)]
pub struct BotExamined {
    pub checks: Vec<DoctorCheck>,
    /// What Discord makes of the token; nothing where it was not asked.
    pub token: Option<TokenState>,
    /// Where somebody invites it to their server.
    pub invite: Option<String>,
}

/// Looks at the bot of Discord alone, in words for that screen. Takes six seconds at most where Discord is silent.
pub async fn examine_bot(config: &Arc<LiveConfig>, secrets: &Secrets, screen: ReportScreen) -> BotExamined {
    let found = ask_discord(Some(config), secrets, NetworkUse::Online).await;
    let application = secrets.discord_token.as_ref().and_then(crate::discord::application_of);
    BotExamined {
        checks: models::discord_bot(found.as_ref(), Some(config), secrets, NetworkUse::Online, screen),
        token: found.map(|found| found.token),
        invite: application.map(crate::discord::invite_link),
    }
}

async fn ask_discord(
    config: Option<&Arc<LiveConfig>>,
    secrets: &Secrets,
    reach: NetworkUse,
) -> Option<DiscordFindings> {
    let (config, token) = (config?, secrets.discord_token.as_ref()?);
    if reach == NetworkUse::Offline {
        return None;
    }
    let current = config.current();
    let base = secrets.discord_api_base.as_ref().or(current.discord.api_base.as_ref());
    let channels = models::text_channels(config);
    Some(crate::discord::check_up_discord(token, base.map(String::as_str), &channels, DEADLINE).await)
}

async fn ask_model_server(
    config: Option<&Arc<LiveConfig>>,
    secrets: &Secrets,
    reach: NetworkUse,
    local_ports: &[LocalPort],
    spending: Spending,
) -> Option<Result<ModelFindings, crate::llm::LlmSetupError>> {
    let config = config?;
    let llm = secrets.over_llm(&config.current().llm);
    let ask = crate::llm::ModelCheckUp {
        config: &llm,
        api_key: secrets.llm_key_for(llm.base_url.as_deref()),
        local_ports,
        state_dir: config.home().root(),
        clock: Arc::new(crate::clock::SystemClock),
        reach,
        spending,
        deadline: DEADLINE,
    };
    Some(crate::llm::check_up(ask).await)
}

/// Whether the running familiar can keep what is said: the room on its disk, and what could not be stored. Blocks on the disk.
pub fn storage_now(home: &FamiliarHome, unstored: Unstored) -> Vec<DoctorCheck> {
    let disk = machine::disk_at(home.root());
    std::iter::once(disk).chain(messages::unstored(unstored)).collect()
}

/// How the servers are that give the running familiar tools.
pub fn mcp_now(states: &McpStates) -> Vec<DoctorCheck> {
    states.now().iter().map(|(server, state)| messages::mcp_check(server, state)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::KeyAccount;

    #[test]
    fn a_key_that_nobody_could_be_asked_about_is_held_to_the_form_of_openrouters() {
        let made = |state: KeyState, key: &str, base_url: Option<&str>| {
            let examined = ModelsExamined {
                checks: Vec::new(),
                rehearses: false,
                key: state,
                has_answered: false,
                main: None,
                offered: Vec::new(),
            };
            let with_key = |examined: &ModelsExamined| examined.made_of(&SecretString::from(key), base_url);
            let after_an_answer = ModelsExamined { has_answered: true, ..examined.clone() };
            (with_key(&examined), with_key(&after_an_answer))
        };
        let taken = KeyState::Known(KeyAccount::default());
        for openrouter in [None, Some("https://openrouter.ai/api/v1")] {
            let unlike = made(KeyState::Unknown, "not-a-key", openrouter);
            assert_eq!(unlike, (KeyCheck::NotOpenRouters, KeyCheck::Taken));
            let like = made(KeyState::Unknown, "sk-or-v1-0123", openrouter);
            assert_eq!(like, (KeyCheck::Untried, KeyCheck::Taken));
            assert_eq!(made(taken.clone(), "not-a-key", openrouter).0, KeyCheck::Taken);
            assert_eq!(made(KeyState::Refused, "sk-or-v1-0123", openrouter).0, KeyCheck::Refused);
        }
        let others = made(KeyState::Unknown, "not-a-key", Some("http://127.0.0.1:9/v1"));
        assert_eq!(others.0, KeyCheck::Untried);
    }
}
