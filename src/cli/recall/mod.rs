//! `familiar recall`: what would be found for a question, and how well that is, measured from outside.

mod lookup;
mod pack;
mod protocol;
mod stdio;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;
use clap::Args;

pub(super) use lookup::opened_for_search;

use super::Switch;
use super::target::{existing, settings_of};
use crate::app::{model_here, reranker_of};
use crate::config::{FamiliarHome, Secrets};
use crate::embedding::{Embeddings, Reranking, open_embedder, open_reranker};

/// `familiar recall`.
#[derive(Debug, Args)]
pub(super) struct RecallArguments {
    /// Answer questions about conversations that are both given as JSON lines on standard input; nothing is kept
    #[arg(long, conflicts_with = "question")]
    stdio: bool,
    /// What to look up in everything a familiar has: what was said, notes, lore, summaries
    #[arg(required_unless_present = "stdio")]
    question: Option<String>,
    /// Which familiar; default: FAMILIAR_ID, else the only one there is
    #[arg(long, value_name = "ID")]
    familiar: Option<String>,
    /// At most so many finds
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    most: u16,
    /// Compare meanings too, by an embedding model; default: on where its folder is named, or the familiar's model is here
    #[arg(long, value_enum, value_name = "on|off")]
    embeddings: Option<Switch>,
    /// Where the embedding model's files are
    #[arg(long, value_name = "DIR")]
    model_folder: Option<PathBuf>,
    /// Have the best finds reranked by the cross-encoder in this folder; default: where the familiar's is wanted and here
    #[arg(long, value_name = "DIR")]
    rerank_folder: Option<PathBuf>,
}

/// Who asks by hand, or measures, waits until it is done.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the verb.
///
/// # Errors
/// When there is no such familiar, the store cannot be opened, or standard output cannot be written to.
pub(super) async fn run_recall(
    arguments: &RecallArguments,
    data_dir: &Path,
    secrets: &Secrets,
) -> anyhow::Result<ExitCode> {
    let is_off = arguments.embeddings == Some(Switch::Off);
    let named = arguments.model_folder.clone().filter(|_| !is_off);
    let must_be = arguments.embeddings == Some(Switch::On);
    let Some(question) = &arguments.question else {
        let reranking = rerank_model(arguments.rerank_folder.clone()).await?;
        return stdio::serve(model(named, must_be).await?, reranking).await;
    };
    let id = existing(arguments.familiar.as_deref(), data_dir, secrets)?;
    let home = FamiliarHome::new(data_dir, &id);
    let config = settings_of(home.clone()).ok().map(|config| config.current());
    let here = || model_here(&config.as_ref()?.memory.embeddings, data_dir);
    let judge_here = || reranker_of(&config.as_ref()?.providers.recall.rerank, data_dir);
    let folder = named.or_else(|| if is_off { None } else { here() });
    let embeddings = model(folder, must_be).await?;
    let reranking = rerank_model(arguments.rerank_folder.clone().or_else(judge_here)).await?;
    lookup::print_finds(&home, question, usize::from(arguments.most), embeddings, reranking).await?;
    Ok(ExitCode::SUCCESS)
}

async fn model(folder: Option<PathBuf>, must_be: bool) -> anyhow::Result<Option<Embeddings>> {
    match folder {
        Some(folder) => opened(folder).await.map(Some),
        None if must_be => bail!("name the folder of the model's files with --model-folder"),
        None => Ok(None),
    }
}

/// The model of a folder, on all processors: nothing else runs.
pub(in crate::cli) async fn opened(folder: PathBuf) -> anyhow::Result<Embeddings> {
    let model = tokio::task::spawn_blocking(move || open_embedder(&folder, processors())).await??;
    Ok(Embeddings::with(model, processors()))
}

/// The same of a model that puts finds in order. Whoever looks something up by hand waits for it.
async fn rerank_model(folder: Option<PathBuf>) -> anyhow::Result<Option<Reranking>> {
    let Some(folder) = folder else { return Ok(None) };
    let model = tokio::task::spawn_blocking(move || open_reranker(&folder, processors())).await??;
    Ok(Some(Reranking::with(model, processors(), PATIENCE)))
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}
