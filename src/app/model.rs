//! Which embedding model there is to be, bringing it up behind everything else, and the lines of the start.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use familiar_cards::macros::Moment;
use jiff::Zoned;

use crate::config::{EmbeddingsConfig, RerankConfig, Secrets};
use crate::context::outlets::closed;
use crate::context::{Addressee, character_macros};
use crate::embedding::{
    Embedder, EmbeddingState, Embeddings, HubModel, Reranking, open_embedder, open_reranker,
};
use crate::familiar::Character;
use crate::llm::{ModelChoice, ModelSlots, RehearsalScript};
use crate::trace::logging::TOLD;

/// The hub is given up on when it is silent for so long.
const CONNECT: Duration = Duration::from_secs(10);

const SILENCE: Duration = Duration::from_secs(30);

/// How much longer it is waited with each failure.
const PAUSE: Duration = Duration::from_secs(2);

/// What the rehearsal may say: the character's lines with their macros filled in, dice and clocks once. Whom it will answer is
/// not known yet.
pub(super) fn rehearsal_of(character: &Character, now: Zoned) -> RehearsalScript {
    let user = Addressee::named("{{user}}");
    let moment = Moment::new(now, String::new(), String::new());
    RehearsalScript::new(character.spoken_name(), &character.greetings, &character.mes_example)
        .filled(|line| closed(character_macros(character, &user, &moment, line)))
}

/// Brings up the model that the settings name. Returns at once; nothing waits for it.
pub(super) fn embeddings(config: &EmbeddingsConfig, data_dir: &Path) -> Embeddings {
    if !config.enabled {
        return Embeddings::off();
    }
    let (config, models) = (config.clone(), data_dir.join("models"));
    let hub = HubModel::embedder(&config);
    if config.folder.is_none() && config.endpoint.is_none() && folder_in(&hub, &models).is_none() {
        tracing::debug!("no embedding model is here, and none is to be fetched");
        return Embeddings::off();
    }
    let threads = threads(&config);
    Embeddings::preparing(threads, move |standing| async move {
        let prepared = async {
            let tell = |done, total| {
                standing.send_replace(EmbeddingState::Fetching { done, total });
            };
            let folder = match config.folder {
                Some(folder) => folder,
                None => fetched(&hub, &models, tell).await?,
            };
            standing.send_replace(EmbeddingState::Loading);
            let opened = tokio::task::spawn_blocking(move || open_embedder(&folder, threads)).await;
            opened.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
        };
        let prepared: Result<Arc<dyn Embedder>, String> = prepared.await;
        if let Err(reason) = &prepared {
            tracing::warn!(target: TOLD, %reason, "no embedding model; memory is searched by words alone");
        }
        prepared
    })
}

/// Brings up the model that puts finds in order, where the settings want one. Returns at once; nothing waits for it.
pub(super) fn reranking(
    config: &RerankConfig,
    embeddings: &EmbeddingsConfig,
    data_dir: &Path,
) -> Option<Reranking> {
    let RerankConfig { folder, deadline, .. } = config.enabled.then(|| config.clone())?;
    let (hub, models) =
        (HubModel::reranker(config.model, embeddings.endpoint.as_deref()), data_dir.join("models"));
    let is_fetched = !hub.endpoint.is_empty();
    let threads = threads(embeddings);
    Some(Reranking::preparing(threads, deadline, async move {
        let folder = match folder {
            Some(folder) => folder,
            None if !is_fetched && folder_in(&hub, &models).is_none() => {
                return Err("the model is not here, and nothing is fetched".to_owned());
            }
            None => fetched(&hub, &models, |_, _| {}).await?,
        };
        let opened = tokio::task::spawn_blocking(move || open_reranker(&folder, threads)).await;
        opened.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
    }))
}

fn threads(config: &EmbeddingsConfig) -> usize {
    usize::try_from(config.threads).unwrap_or(1)
}

/// The folder of the familiar's embedding model, where it is wanted and has been fetched.
pub(crate) fn model_here(config: &EmbeddingsConfig, data_dir: &Path) -> Option<PathBuf> {
    let fetched = || folder_in(&HubModel::embedder(config), &data_dir.join("models"));
    config.enabled.then(|| config.folder.clone().or_else(fetched)).flatten()
}

/// The same of the model that puts finds in order.
pub(crate) fn reranker_of(config: &RerankConfig, data_dir: &Path) -> Option<PathBuf> {
    let fetched = || folder_in(&HubModel::reranker(config.model, None), &data_dir.join("models"));
    config.enabled.then(|| config.folder.clone().or_else(fetched)).flatten()
}

/// Where a hub's model lies, if it has been fetched.
fn folder_in(hub: &HubModel, models: &Path) -> Option<PathBuf> {
    hub.folder(models).ok().filter(|folder| HubModel::is_in(folder))
}

/// The folder of the hub's model, with its files.
async fn fetched(
    hub: &HubModel,
    models: &Path,
    tell: impl Fn(u64, u64) + Send + Sync,
) -> Result<PathBuf, String> {
    let folder = hub.folder(models).map_err(|error| error.to_string())?;
    if HubModel::is_in(&folder) {
        return Ok(folder);
    }
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .read_timeout(SILENCE)
        .build()
        .map_err(|error| error.to_string())?;
    hub.fetch(&client, &folder, PAUSE, tell).await.map_err(|error| error.to_string())?;
    Ok(folder)
}

/// The lines about the model: which one, from where, and what would get a better one; and names in `.env` that nothing
/// reads, as one of them may have been meant to get it. `base_url` is the one that the settings name.
pub fn start_lines(choice: &ModelChoice, base_url: Option<&str>, secrets: &Secrets) -> Vec<String> {
    let mut lines = vec![format!("Model: {choice}")];
    if secrets.lacks_server(base_url) {
        lines.push(KEY_LACKS_SERVER.to_owned());
    } else {
        lines.extend(choice.advice.clone());
    }
    let misspelt = secrets.misspelt.iter();
    lines.extend(misspelt.map(|name| {
        format!("Nothing reads {} in .env; did you mean {}? Then rename it.", name.written, name.meant)
    }));
    lines
}

/// A key that nobody said a server for goes nowhere.
const KEY_LACKS_SERVER: &str = "OPENAI_API_KEY is set, but llm.base_url names no server, so it is not used. For OpenAI, set \
                                llm.base_url to https://api.openai.com/v1 and name a model as llm.main_prose.model.";

/// The line about a model server of this machine that is not there.
pub async fn model_away(models: &ModelSlots) -> Option<String> {
    let base_url = models.choice().base_url?;
    models.is_away().await.then(|| {
        format!(
            "No model server answers at {base_url}: start it. Until then nothing that is said is answered."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{LlmKeySource, MisspeltName};
    use crate::llm::ChosenSource;

    #[test]
    fn the_rehearsal_shows_nobody_a_macro_of_the_card() {
        let character = Character {
            name: "Edda".to_owned(),
            scenario: "the mill".to_owned(),
            greetings: vec!["{{user}} smells {{random::oat,oat}} in {{scenario}}. {{nonsense}}".to_owned()],
            mes_example: "{{user}}: Bread?\n{{char}}: {{random::Rye,Rye}} for {{user}}.".to_owned(),
            ..Character::default()
        };
        let script = rehearsal_of(&character, jiff::Timestamp::UNIX_EPOCH.to_zoned(jiff::tz::TimeZone::UTC));
        assert_eq!(script.greetings[0].trim(), "{{user}} smells oat in the mill.");
        assert_eq!(script.examples[0].line, "Rye for {{user}}.");
    }

    #[test]
    fn the_start_tells_of_a_key_without_a_server_and_of_names_that_nothing_reads() {
        let choice = ModelChoice {
            source: ChosenSource::Rehearsal,
            model: "rehearsal".to_owned(),
            base_url: None,
            advice: Some("connect one".to_owned()),
        };
        let mut secrets = Secrets::default();
        assert_eq!(start_lines(&choice, None, &secrets)[1..], ["connect one"]);
        secrets.llm_key_source = Some(LlmKeySource::OpenAi);
        secrets.misspelt =
            vec![MisspeltName { written: "OPENROUTER_KEY".to_owned(), meant: "OPENROUTER_API_KEY" }];
        let told = start_lines(&choice, None, &secrets);
        assert!(told[1].starts_with("OPENAI_API_KEY is set, but llm.base_url names no server"), "{told:?}");
        assert_eq!(
            told[2],
            "Nothing reads OPENROUTER_KEY in .env; did you mean OPENROUTER_API_KEY? Then rename it."
        );
    }
}
