//! Getting a model's files from a hub, once. A download that was interrupted goes on where it stopped; a file that is not
//! what it should be is thrown away.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::StreamExt as _;
use reqwest::header::RANGE;
use reqwest::{Client, Response, StatusCode};
use sha2::{Digest as _, Sha256};
use tokio::fs;
use tokio::io::AsyncWriteExt as _;
use tokio::task::spawn_blocking;

use super::model::digest_file;
use crate::clock::doubled;
use crate::config::{EMBEDDING_MODELS, EmbeddingsConfig, RerankModel};
use crate::net::{Bounds, ReadCut, bounded, innermost};
use crate::text::short::hex;

/// The weights come last: where they are, everything is.
const WEIGHTS: &str = "model.safetensors";

/// The files of a model, and whether it cannot do without.
const FILES: [(&str, bool); 6] = [
    ("config.json", true),
    ("tokenizer.json", true),
    ("sentence_bert_config.json", false),
    ("config_sentence_transformers.json", false),
    ("1_Pooling/config.json", false),
    (WEIGHTS, true),
];

/// Weights larger than this are no model for this purpose, and what takes longer is asked for again where it stopped.
const WEIGHTS_BOUNDS: Bounds = Bounds { bytes: 4 << 30, time: Duration::from_secs(6 * 3600) };

/// The same of the files beside them, which are read into memory whole.
const OTHERS_BOUNDS: Bounds = Bounds { bytes: 64 << 20, time: Duration::from_secs(600) };

fn bounds_of(file: &str) -> Bounds {
    if file == WEIGHTS { WEIGHTS_BOUNDS } else { OTHERS_BOUNDS }
}

/// How often a file is asked for before giving up.
const ATTEMPTS: u32 = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubModel {
    pub endpoint: String,
    /// The model's name, `owner/name`.
    pub model: String,
    pub revision: String,
    /// The SHA-256 of its weights in hexadecimal digits, where it is known.
    pub sha256: Option<String>,
}

/// A model that goes by a short name.
#[derive(Debug)]
struct Preset {
    name: &'static str,
    model: &'static str,
    revision: &'static str,
    sha256: &'static str,
}

/// Both have 384 numbers a text, and cosines that lie alike, by which ranking was set. How their tokens become one vector
/// and how long a text may be say files of theirs that are fetched with them.
const PRESETS: [Preset; 2] = [
    Preset {
        name: EMBEDDING_MODELS[0],
        model: "sentence-transformers/all-MiniLM-L6-v2",
        revision: "1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
        sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    },
    Preset {
        name: EMBEDDING_MODELS[1],
        model: "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
        revision: "e8f8c211226b894fcb81acc59f3b34ba3efd5f42",
        sha256: "eaa086f0ffee582aeb45b36e34cdd1fe2d6de2bef61f8a559a1bbc9bd955917b",
    },
];

/// The state of a model that is not named more closely.
const NEWEST: &str = "main";

/// Why a model could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// Its name or state cannot be part of an address.
    #[error("{0:?} is no model's name or revision")]
    Name(String),
    /// The hub could not be reached, or broke off again and again.
    #[error("{file} could not be downloaded: {reason}")]
    Unreachable {
        file: &'static str,
        /// What the connection said.
        reason: String,
    },
    /// The hub does not give the file away.
    #[error("the hub answered {status} for {file}")]
    Refused { file: &'static str, status: StatusCode },
    /// What came is not what should have come.
    #[error("{file} is not what it should be: {reason}")]
    Wrong { file: &'static str, reason: String },
    /// The file could not be written.
    #[error("{}: {source}", path.display())]
    Disk { path: PathBuf, source: io::Error },
}

impl FetchError {
    /// Whether the same again may work later, without anybody changing anything.
    fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Refused { status, .. } => {
                status.is_server_error() || *status == StatusCode::TOO_MANY_REQUESTS
            }
            Self::Name(_) | Self::Wrong { .. } | Self::Disk { .. } => false,
        }
    }
}

impl HubModel {
    /// Instead of a hub's address: nothing is fetched.
    pub const NONE: &'static str = "off";

    /// The model of the settings. Of one that goes by a short name state and hash are known.
    pub fn embedder(config: &EmbeddingsConfig) -> Self {
        let named = |preset: &&Preset| [preset.name, preset.model].contains(&config.model.as_str());
        let preset = PRESETS.iter().find(named);
        let pinned = preset.map_or(NEWEST, |preset| preset.revision);
        let revision = config.revision.clone().unwrap_or_else(|| pinned.to_owned());
        let known =
            preset.filter(|preset| preset.revision == revision).map(|preset| preset.sha256.to_owned());
        Self {
            endpoint: config.endpoint.clone().unwrap_or_default(),
            model: preset.map_or(&*config.model, |preset| preset.model).to_owned(),
            revision,
            sha256: config.sha256.clone().or(known),
        }
    }

    /// The model that reranks. The hashes of their weights are not known here: what is checked is the state they are asked
    /// for and, when they are read, their shape.
    pub fn reranker(model: RerankModel, endpoint: Option<&str>) -> Self {
        let (model, revision) = match model {
            RerankModel::English => {
                ("cross-encoder/ms-marco-MiniLM-L6-v2", "c5ee24cb16019beea0893ab7796b1df96625c6b8")
            }
            RerankModel::Multilingual => {
                ("cross-encoder/mmarco-mMiniLMv2-L12-H384-v1", "1427fd652930e4ba29e8149678df786c240d8825")
            }
        };
        Self {
            endpoint: endpoint.unwrap_or_default().to_owned(),
            model: model.to_owned(),
            revision: revision.to_owned(),
            sha256: None,
        }
    }

    /// The folder for its files under `models`.
    ///
    /// # Errors
    /// [`FetchError::Name`].
    pub fn folder(&self, models: &Path) -> Result<PathBuf, FetchError> {
        for name in [&self.model, &self.revision] {
            let is_plain = |part: &str| {
                !part.is_empty()
                    && !part.starts_with('.')
                    && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
            };
            if !name.split('/').all(is_plain) {
                return Err(FetchError::Name(name.clone()));
            }
        }
        Ok(models.join(self.model.replace('/', "--")).join(self.revision.replace('/', "--")))
    }

    /// Whether its files are there.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(WEIGHTS).exists()
    }

    /// Fetches what is missing in `folder`. `tell` hears of every piece: how many bytes of how many of the present file.
    /// After a failure it waits for `pause`, and twice as long each further time.
    ///
    /// # Errors
    /// [`FetchError`]; what came so far stays and is not fetched again.
    pub async fn fetch(
        &self,
        client: &Client,
        folder: &Path,
        pause: Duration,
        tell: impl Fn(u64, u64) + Send + Sync,
    ) -> Result<(), FetchError> {
        for (file, is_needed) in FILES {
            let path = folder.join(file);
            if fs::try_exists(&path).await.unwrap_or(false) {
                continue;
            }
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).await.map_err(on_disk(folder))?;
            }
            let mut attempt = 1;
            loop {
                let error = match self.one(client, file, &path, &tell).await {
                    Ok(()) => break,
                    Err(FetchError::Refused { status: StatusCode::NOT_FOUND, .. }) if !is_needed => break,
                    Err(error) => error,
                };
                if !error.may_pass() || attempt == ATTEMPTS {
                    return Err(error);
                }
                tracing::debug!(%error, attempt, "asking the model hub again");
                tokio::time::sleep(doubled(pause, attempt, OTHERS_BOUNDS.time)).await;
                attempt += 1;
            }
        }
        Ok(())
    }

    async fn one(
        &self,
        client: &Client,
        file: &'static str,
        path: &Path,
        tell: &(impl Fn(u64, u64) + Send + Sync),
    ) -> Result<(), FetchError> {
        let part = path.with_extension("part");
        let here = fs::metadata(&part).await.map_or(0, |metadata| metadata.len());
        let base = self.endpoint.trim_end_matches('/');
        let mut request = client.get(format!("{base}/{}/resolve/{}/{file}", self.model, self.revision));
        if here > 0 {
            request = request.header(RANGE, format!("bytes={here}-"));
        }
        let broken = |error: reqwest::Error| FetchError::Unreachable { file, reason: innermost(&error) };
        let response = request.send().await.map_err(broken)?;
        let status = response.status();
        if status == StatusCode::RANGE_NOT_SATISFIABLE {
            // It is longer than the file it should become.
            fs::remove_file(&part).await.map_err(on_disk(&part))?;
            return Err(FetchError::Unreachable {
                file,
                reason: "what was here is of another file".to_owned(),
            });
        }
        if !status.is_success() {
            return Err(FetchError::Refused { file, status });
        }
        let goes_on = status == StatusCode::PARTIAL_CONTENT && here > 0;
        let begins_at = if goes_on { here } else { 0 };
        let total = response.content_length().map(|rest| begins_at + rest);
        if total.is_some_and(|total| total > bounds_of(file).bytes) {
            return Err(FetchError::Wrong { file, reason: "it is far too large".to_owned() });
        }
        let written = append_response(response, &part, begins_at, total, file, tell).await?;
        if total.is_some_and(|total| written < total) {
            return Err(FetchError::Unreachable { file, reason: "the connection broke off".to_owned() });
        }
        let wanted = self.sha256.as_deref().filter(|_| file == WEIGHTS);
        if let Some(wanted) = wanted {
            let found = hash(&part).await.map_err(on_disk(&part))?;
            if !found.eq_ignore_ascii_case(wanted) {
                fs::remove_file(&part).await.map_err(on_disk(&part))?;
                return Err(FetchError::Wrong { file, reason: format!("its SHA-256 is {found}") });
            }
        }
        fs::rename(&part, path).await.map_err(on_disk(path))
    }
}

/// Appends what comes, from `begins_at` on. Gives the length of the file.
async fn append_response(
    response: Response,
    part: &Path,
    begins_at: u64,
    total: Option<u64>,
    file: &'static str,
    tell: &(impl Fn(u64, u64) + Send + Sync),
) -> Result<u64, FetchError> {
    let disk = on_disk(part);
    let mut out = fs::OpenOptions::new()
        .create(true)
        .append(begins_at > 0)
        .write(true)
        .truncate(begins_at == 0)
        .open(part)
        .await
        .map_err(&disk)?;
    let mut written = begins_at;
    let bounds = bounds_of(file);
    let most = total.unwrap_or(bounds.bytes).saturating_sub(begins_at);
    let mut pieces = bounded(response.bytes_stream(), Bounds { bytes: most, ..bounds });
    while let Some(piece) = pieces.next().await {
        let piece = match piece {
            Ok(piece) => piece,
            Err(cut) => {
                out.flush().await.map_err(&disk)?;
                return Err(match cut {
                    ReadCut::TooMuch(_) => FetchError::Wrong { file, reason: "it does not end".to_owned() },
                    ReadCut::TooLong(_) => FetchError::Unreachable { file, reason: cut.to_string() },
                    ReadCut::Broken(error) => FetchError::Unreachable { file, reason: innermost(&error) },
                });
            }
        };
        written += piece.len() as u64;
        out.write_all(&piece).await.map_err(&disk)?;
        tell(written, total.unwrap_or(0));
    }
    out.flush().await.map_err(&disk)?;
    out.sync_all().await.map_err(&disk)?;
    Ok(written)
}

async fn hash(path: &Path) -> io::Result<String> {
    let path = path.to_owned();
    let hashed = spawn_blocking(move || {
        let mut digest = Sha256::new();
        digest_file(&path, &mut digest)?;
        Ok(hex(&digest.finalize()))
    });
    hashed.await?
}

fn on_disk(path: &Path) -> impl Fn(io::Error) -> FetchError + '_ {
    |source| FetchError::Disk { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_models_name_leads_nowhere_else() {
        let at = |model: &str, revision: &str| {
            let hub = HubModel {
                endpoint: String::new(),
                model: model.to_owned(),
                revision: revision.to_owned(),
                sha256: None,
            };
            hub.folder(Path::new("models"))
        };
        assert_eq!(at("some/model", "abc").unwrap(), Path::new("models/some--model/abc"));
        for (model, revision) in [
            ("../x", "abc"),
            ("a/../b", "abc"),
            ("a//b", "abc"),
            ("", "abc"),
            ("a", "?x"),
            ("a", ".."),
            ("/a", "b"),
        ] {
            assert!(matches!(at(model, revision), Err(FetchError::Name(_))), "{model} {revision}");
        }
    }
}
