//! Which familiar a verb is about, and its settings.
//!
//! Owns how a familiar is found by its name or as the only one. Must not know what is done with it. Start reading at
//! [`existing`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;

use crate::app::{App, Duty, StartOptions, WithoutHistory};
use crate::config::{ConfigError, Defaults, FamiliarHome, LiveConfig, Secrets};
use crate::domain::FamiliarId;
use crate::familiar::{Listed, Refusal, RefusalKind, called, list_familiars, slug};
use crate::home::Commands;

/// Opens a familiar for a verb that works beside one that runs: nothing is stored or posted.
///
/// # Errors
/// When there is no such familiar, or it cannot be opened.
pub(super) async fn looking_on(
    named: Option<&str>,
    data_dir: &Path,
    secrets: &Secrets,
) -> anyhow::Result<App> {
    let options = StartOptions {
        data_dir: data_dir.to_owned(),
        familiar: existing(named, data_dir, secrets)?,
        defaults_dir: defaults_dir(),
        without_history: WithoutHistory::default(),
        duty: Duty::LookOn,
    };
    App::start(options, secrets, None).await
}

/// The familiar that was asked for, else the only one.
///
/// # Errors
/// When there is none, or several and none was named; the message lists them.
pub(super) fn existing(
    named: Option<&str>,
    data_dir: &Path,
    secrets: &Secrets,
) -> anyhow::Result<FamiliarId> {
    match find_target(named, data_dir, secrets)? {
        RunTarget::It(id) => Ok(id),
        RunTarget::Several(names) => Err(several(&names)),
        RunTarget::None { wanted: Some(id), names } => Err(no_such(&id, &names, data_dir)),
        RunTarget::None { wanted: None, .. } => bail!(Commands::new(data_dir, None).in_text(&format!(
            "there is no familiar in {} yet; make one with: familiar init <card>",
            data_dir.join("familiars").display()
        ))),
    }
}

/// Whom a verb is about, as far as it can be told.
pub(super) enum RunTarget {
    It(FamiliarId),
    Several(Vec<String>),
    None { wanted: Option<FamiliarId>, names: Vec<String> },
}

/// Looks for the familiar that was named, else for the only one.
///
/// # Errors
/// When the name can be none or is that of several, or the folder of familiars cannot be read.
pub(super) fn find_target(
    named: Option<&str>,
    data_dir: &Path,
    secrets: &Secrets,
) -> anyhow::Result<RunTarget> {
    let here = list_familiars(data_dir)?;
    let written = named.or(secrets.familiar_id.as_ref().map(FamiliarId::as_str));
    if let Some(name) = written {
        match called(&here, name)[..] {
            [] => {}
            [known] => return Ok(RunTarget::It(known.id.clone())),
            ref alike => bail!(are_called(name, alike)),
        }
    }
    let wanted = written.map(FamiliarId::new).transpose()?;
    let names = || here.iter().map(|known| known.id.to_string()).collect::<Vec<_>>();
    match (wanted, here.as_slice()) {
        (None, [only]) => Ok(RunTarget::It(only.id.clone())),
        (None, [_, _, ..]) => Ok(RunTarget::Several(names())),
        (wanted, _) => Ok(RunTarget::None { wanted, names: names() }),
    }
}

/// The familiar that is [called] so, else the id itself: whoever needs it says that it is not there.
///
/// # Errors
/// When several are called so, or nobody and it can be no id, or the folder of familiars cannot be read.
pub(super) fn named(name: &str, data_dir: &Path) -> Result<FamiliarId, Refusal> {
    match called(&list_familiars(data_dir)?, name)[..] {
        [] => familiar_id(name),
        [known] => Ok(known.id.clone()),
        ref alike => Err(Refusal::new(RefusalKind::Conflict, are_called(name, alike))),
    }
}

/// A name is that of several.
fn are_called(name: &str, alike: &[&Listed]) -> String {
    let ids: Vec<&str> = alike.iter().map(|one| one.id.as_str()).collect();
    format!("several familiars are called {name:?} ({}): name one by its id", ids.join(", "))
}

/// An id from the command line: as it is, where it can be one.
pub(super) fn familiar_id(text: &str) -> Result<FamiliarId, Refusal> {
    FamiliarId::new(text).map_err(|invalid| {
        let hint = slug(text).map(|id| format!("; try {id}")).unwrap_or_default();
        Refusal::new(RefusalKind::Conflict, format!("{invalid}{hint}"))
    })
}

pub(super) fn several(names: &[String]) -> anyhow::Error {
    anyhow::anyhow!(
        "several familiars live here ({}): name one with --familiar or FAMILIAR_ID",
        names.join(", ")
    )
}

pub(super) fn no_such(id: &FamiliarId, names: &[String], data_dir: &Path) -> anyhow::Error {
    let there =
        if names.is_empty() { "is none yet".to_owned() } else { format!("are: {}", names.join(", ")) };
    let folder = data_dir.join("familiars");
    anyhow::anyhow!(Commands::new(data_dir, None).in_text(&format!(
        "there is no familiar {id} in {}; there {there}. Make one with: familiar init <card>",
        folder.display()
    )))
}

/// The settings of a familiar as it runs with them.
///
/// # Errors
/// See [`LiveConfig::load`].
pub(super) fn settings_of(home: FamiliarHome) -> Result<Arc<LiveConfig>, ConfigError> {
    LiveConfig::load(home, defaults_dir().map_or_else(Defaults::embedded, Defaults::from_dir))
}

/// In a checkout, `familiars/_default` may be edited; elsewhere the built-in copy of it holds.
pub(super) fn defaults_dir() -> Option<PathBuf> {
    let dir = PathBuf::from("familiars/_default");
    dir.is_dir().then_some(dir)
}
