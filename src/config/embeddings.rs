//! `[memory.embeddings]`: the model that finds what means the same in other words.

use std::path::PathBuf;

use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "memory.embeddings.enabled",
        kind: Kind::Flag,
        doc: "Find what means the same in other words, with a small model on this machine. Without it memory is searched \
              by words alone. Holds from the next start on, like all of this table.",
    },
    Key {
        path: "memory.embeddings.folder",
        kind: Kind::Prose(1_000),
        doc: "A folder with the model's files (`config.json`, `tokenizer.json`, `model.safetensors`), used as it is. Empty: \
              they are fetched once and kept in the data folder, under `models`.",
    },
    Key {
        path: "memory.embeddings.model",
        kind: Kind::Text,
        doc: "Which model is fetched: a sentence encoder of the BERT kind, by its name on the hub.",
    },
    Key {
        path: "memory.embeddings.revision",
        kind: Kind::Text,
        doc: "Which state of it, so that tomorrow's is the same.",
    },
    Key {
        path: "memory.embeddings.sha256",
        kind: Kind::Prose(64),
        doc: "The SHA-256 of its `model.safetensors`; a file that has another is thrown away. Empty: not checked.",
    },
    Key {
        path: "memory.embeddings.endpoint",
        kind: Kind::Address,
        doc: "Where the hub is, or a mirror of it. Empty: nothing is fetched.",
    },
    Key {
        path: "memory.embeddings.threads",
        kind: Kind::Count(1, 64),
        doc: "How many processors the model may use at a time.",
    },
];

/// Where the embedding model comes from and what it may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingsConfig {
    /// Whether there is to be one.
    pub enabled: bool,
    /// A folder with its files.
    pub folder: Option<PathBuf>,
    /// Its name on the hub.
    pub model: String,
    /// Its state there.
    pub revision: String,
    /// What its weights hash to, in hexadecimal digits.
    pub sha256: Option<String>,
    /// Where the hub is; `None` where nothing is to be fetched.
    pub endpoint: Option<String>,
    /// Threads, 1 to 64.
    pub threads: u32,
}

impl EmbeddingsConfig {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self {
            enabled: view.flag("memory.embeddings.enabled")?,
            folder: view.optional_text("memory.embeddings.folder")?.map(PathBuf::from),
            model: view.text("memory.embeddings.model")?,
            revision: view.text("memory.embeddings.revision")?,
            sha256: view.optional_text("memory.embeddings.sha256")?,
            endpoint: view.optional_text("memory.embeddings.endpoint")?,
            threads: view.count("memory.embeddings.threads")?,
        })
    }
}
