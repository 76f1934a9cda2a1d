//! The first run: who it is to be, what it thinks with, where it is met. The last two can be gone back to while it runs.

mod connect;
pub(super) mod steps;
mod token;
mod who;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRef, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use parking_lot::Mutex;
use secrecy::{ExposeSecret as _, SecretString};
use tokio_util::sync::CancellationToken;

use super::door::{Door, SentForm};
use super::pages::{Refusal, on_disk, status_of_settings};
use crate::config::{Defaults, FamiliarHome, LiveConfig, LlmConfig, Redactor, Secrets};
use crate::doctor::{BotExamined, ModelsExamined};
use crate::domain::FamiliarId;
use crate::familiar::ImportReport;
use crate::llm::LocalPort;

pub(super) use connect::{discord_page, model_page, post_discord, post_model};
pub(super) use who::{came_page, picture, post_card, post_example, post_name, who_page};

/// So long is waited until what is served here ends.
const GOES_WITHIN: Duration = Duration::from_secs(20);

/// What setting up works with.
#[derive(Debug, Clone)]
pub struct SetupParts {
    /// Where familiars live.
    pub data_dir: PathBuf,
    /// A folder that is laid over the built-in defaults, when there is one.
    pub defaults_dir: Option<PathBuf>,
    /// The folder whose `.env` keeps keys.
    pub env_dir: PathBuf,
    /// Who comes with the program, the first of them where nobody chooses; nobody where somebody lives here already.
    pub examples: Arc<[ExampleCard]>,
    /// Where local model servers are looked for.
    pub local_ports: &'static [LocalPort],
    /// Masks what is entered here wherever the program logs.
    pub redactor: Redactor,
    /// Cancelled when the program is to go on with what was set up.
    pub ready: CancellationToken,
}

/// A card that comes with the program.
#[derive(Debug, Clone)]
pub struct ExampleCard {
    pub id: FamiliarId,
    pub name: String,
    /// What its file is called, and what is in it.
    pub file: (String, Vec<u8>),
}

/// How far it is set up. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Setup(Arc<SetupState>);

#[derive(Debug)]
struct SetupState {
    door: Door,
    parts: SetupParts,
    /// Who runs, or was chosen here.
    familiar: Mutex<Option<FamiliarId>>,
    /// How who was chosen here came in.
    came: Mutex<Option<ImportReport>>,
    /// The last look at the models, and by what.
    models: Mutex<Option<(ModelsBy, ModelsExamined)>>,
    bot: Mutex<Option<BotExamined>>,
    /// The keys that were kept here, which who runs already has not read.
    kept: Mutex<BTreeSet<&'static str>>,
    /// Held while a card is taken in, or a server is asked: once at a time.
    busy: tokio::sync::Mutex<()>,
}

/// What a look at the models depends on: where one of these is another now, it says nothing any more.
#[derive(Debug)]
struct ModelsBy {
    llm: LlmConfig,
    key: Option<SecretString>,
}

impl ModelsBy {
    fn of(config: &LiveConfig, secrets: &Secrets) -> Self {
        Self { llm: secrets.over_llm(&config.current().llm), key: secrets.llm_api_key.clone() }
    }
}

impl PartialEq for ModelsBy {
    fn eq(&self, other: &Self) -> bool {
        let key = |by: &Self| by.key.as_ref().map(|key| key.expose_secret().to_owned());
        self.llm == other.llm && key(self) == key(other)
    }
}

impl FromRef<Setup> for Door {
    fn from_ref(setup: &Setup) -> Self {
        setup.door().clone()
    }
}

impl Setup {
    pub(super) fn new(door: Door, parts: SetupParts, familiar: Option<FamiliarId>) -> Self {
        Self(Arc::new(SetupState {
            door,
            parts,
            familiar: Mutex::new(familiar),
            came: Mutex::default(),
            models: Mutex::default(),
            bot: Mutex::default(),
            kept: Mutex::default(),
            busy: tokio::sync::Mutex::default(),
        }))
    }

    /// `None` until somebody was.
    pub fn chosen(&self) -> Option<FamiliarId> {
        self.0.familiar.lock().clone()
    }

    pub(super) fn door(&self) -> &Door {
        &self.0.door
    }

    fn parts(&self) -> &SetupParts {
        &self.0.parts
    }

    /// Whether it is a first run, and not a look back.
    fn is_first_run(&self) -> bool {
        self.0.door.character.is_none()
    }

    /// Whether a variable was given here a value that who runs has not read.
    fn is_unread(&self, name: &str) -> bool {
        !self.is_first_run() && self.0.kept.lock().contains(name)
    }

    /// Where these pages stand among the others.
    fn place<'p>(&self, page: &'p str) -> &'p str {
        if self.is_first_run() { page } else { "/settings" }
    }

    /// The settings of who was chosen, else the defaults; and the keys as they stand now.
    async fn known(&self) -> Result<(Arc<LiveConfig>, Secrets), Refusal> {
        let parts = self.parts().clone();
        let first = parts.examples.first().map(|example| example.id.clone());
        let Some(familiar) = self.chosen().or(first) else { return Err(Refusal(StatusCode::NOT_FOUND)) };
        on_disk("the settings or .env could not be read for the window", status_of_settings, move || {
            let defaults = parts.defaults_dir.map_or_else(Defaults::embedded, Defaults::from_dir);
            let config = LiveConfig::load(FamiliarHome::new(&parts.data_dir, &familiar), defaults)?;
            Ok((config, Secrets::read(&parts.env_dir)?))
        })
        .await
    }

    /// The keys as they stand now.
    async fn secrets(&self) -> Result<Secrets, Refusal> {
        let folder = self.parts().env_dir.clone();
        on_disk(".env could not be read for the window", status_of_settings, move || Secrets::read(&folder))
            .await
    }
}

/// Goes on with what was set up. Without a familiar there is nothing to go on with.
pub(super) async fn post_go(State(setup): State<Setup>, _: SentForm) -> Result<Response, Refusal> {
    if setup.chosen().is_none() {
        return Ok(Redirect::to(steps::WHO).into_response());
    }
    // Settings with a mistake would end the program where it comes up anew.
    setup.known().await?;
    setup.parts().ready.cancel();
    // Whoever is told where to go on asks there at once, and is to be heard by what comes next at this port.
    let _longer = tokio::time::timeout(GOES_WITHIN, setup.door().stop.cancelled()).await;
    Ok(([(header::CONNECTION, "close")], Redirect::to("/talk")).into_response())
}
