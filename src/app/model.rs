//! Which embedding model there is to be, bringing it up behind everything else, and the lines of the start.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::config::EmbeddingsConfig;
use crate::embedding::{Embedder, Embeddings, HubModel, Standing, TextModel};
use crate::llm::{ModelChoice, ModelSlots};

/// The hub is given up on when it is silent for so long.
const CONNECT: Duration = Duration::from_secs(10);

const SILENCE: Duration = Duration::from_secs(30);

/// How much longer it is waited with each failure.
const PAUSE: Duration = Duration::from_secs(2);

/// Brings up the model that the settings name. Returns at once; nothing waits for it.
pub(super) fn embeddings(config: &EmbeddingsConfig, data_dir: &Path) -> Embeddings {
    if !config.enabled {
        return Embeddings::off();
    }
    let (config, models) = (config.clone(), data_dir.join("models"));
    if config.folder.is_none() && config.endpoint.is_none() && !is_here(&config, &models) {
        tracing::debug!("no embedding model is here, and none is to be fetched");
        return Embeddings::off();
    }
    let threads = usize::try_from(config.threads).unwrap_or(1);
    Embeddings::preparing(threads, move |standing| async move {
        let folder = match config.folder.clone() {
            Some(folder) => folder,
            None => fetched(&config, &models, &standing).await?,
        };
        standing.send_replace(Standing::Loading);
        let opened = tokio::task::spawn_blocking(move || TextModel::open(&folder)).await;
        let model = opened.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        Ok(Arc::new(model) as Arc<dyn Embedder>)
    })
}

/// The folder of the familiar's embedding model, where it is wanted and has been fetched.
pub(crate) fn model_here(config: &EmbeddingsConfig, data_dir: &Path) -> Option<PathBuf> {
    let models = data_dir.join("models");
    let folder = || HubModel::embedder(config).folder(&models).ok().filter(|folder| HubModel::is_in(folder));
    config.enabled.then(|| config.folder.clone().or_else(folder)).flatten()
}

fn is_here(config: &EmbeddingsConfig, models: &Path) -> bool {
    HubModel::embedder(config).folder(models).is_ok_and(|folder| HubModel::is_in(&folder))
}

/// The folder of the hub's model, with its files.
async fn fetched(
    config: &EmbeddingsConfig,
    models: &Path,
    standing: &watch::Sender<Standing>,
) -> Result<PathBuf, String> {
    let hub = HubModel::embedder(config);
    let folder = hub.folder(models).map_err(|error| error.to_string())?;
    if HubModel::is_in(&folder) {
        return Ok(folder);
    }
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .read_timeout(SILENCE)
        .build()
        .map_err(|error| error.to_string())?;
    let tell = |done, total| {
        standing.send_replace(Standing::Fetching { done, total });
    };
    hub.fetch(&client, &folder, PAUSE, tell).await.map_err(|error| error.to_string())?;
    Ok(folder)
}

/// The lines about the model: which one, from where, and what would get a better one.
pub fn start_lines(choice: &ModelChoice) -> Vec<String> {
    std::iter::once(format!("Model: {choice}")).chain(choice.advice.clone()).collect()
}

/// The line about a model server of this machine that is not there.
pub async fn model_away(models: &ModelSlots) -> Option<String> {
    let base_url = models.choice().base_url?;
    models.is_away().await.then(|| {
        format!(
            "No model server answers at {base_url}: start it. Until then nothing that is said is answered."
        )
    })
}
