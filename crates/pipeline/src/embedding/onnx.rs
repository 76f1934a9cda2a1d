//! Models that are stored for ONNX Runtime, run by it through fastembed: only in builds with the feature `fastembed`. The
//! library is no part of the program; it is loaded when the first such model is opened.

use std::fmt::{self, Debug};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use fastembed::{
    InitOptionsUserDefined, Pooling, RerankInitOptionsUserDefined, TextEmbedding, TextRerank, TokenizerFiles,
    UserDefinedEmbeddingModel, UserDefinedRerankingModel,
};
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};

use super::embedder::{EmbedError, Embedded, Embedder, TextKind, TokenVectors, to_unit};
use super::model::{Description, ModelError, model_name, onnx_in, read_weights};
use super::rerank::{PAIR_TOKENS, RerankError, Reranker};
use crate::config::onnx_runtime;
use crate::text::short::hex;

/// By which name the library is looked for where none is set.
const LIBRARY: &str = if cfg!(windows) {
    "onnxruntime.dll"
} else if cfg!(target_os = "macos") {
    "libonnxruntime.dylib"
} else {
    "libonnxruntime.so"
};

/// An encoder by fastembed. It tells nothing of a text's words one by one, so that only texts as a whole are compared.
pub(super) struct OnnxEmbedder {
    id: String,
    dims: usize,
    description: Description,
    /// Runs one batch at a time.
    model: Mutex<TextEmbedding>,
}

impl Debug for OnnxEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnnxEmbedder").field("id", &self.id).finish_non_exhaustive()
    }
}

impl OnnxEmbedder {
    /// Reads `model.onnx` (or `onnx/model.onnx`), `config.json`, `tokenizer.json`, `tokenizer_config.json` and
    /// `special_tokens_map.json`.
    ///
    /// # Errors
    /// When a file is missing or not understood, or ONNX Runtime is not there.
    pub(super) fn open(folder: &Path, threads: usize) -> Result<Self, ModelError> {
        let path = onnx_in(folder);
        let file = read_weights(&path)?;
        loaded(&path)?;
        let description = Description::of(folder)?;
        let tokenizer = tokenizer_files(folder)?;
        let mut digest = Sha256::new();
        digest.update(&tokenizer.tokenizer_file);
        digest.update(&file);
        digest.update(&description.prompts.query);
        digest.update(&description.prompts.passage);
        let pooling = if description.is_first_token { Pooling::Cls } else { Pooling::Mean };
        let options =
            InitOptionsUserDefined::new().with_max_length(description.tokens).with_intra_threads(threads);
        let model = UserDefinedEmbeddingModel::new(file, tokenizer).with_pooling(pooling);
        let opened = TextEmbedding::try_new_from_user_defined(model, options).and_then(|mut model| {
            let dims = model.embed(["?"], None)?.first().map_or(0, Vec::len);
            Ok((model, dims))
        });
        let (model, dims) =
            opened.map_err(|error| ModelError::Unusable { path, reason: error.to_string() })?;
        let id = format!("onnx-{dims}-{}", hex(&digest.finalize()[..12]));
        Ok(Self { id, dims, description, model: Mutex::new(model) })
    }
}

impl Embedder for OnnxEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn embed(&self, texts: &[&str], kind: TextKind) -> Result<Vec<Embedded>, EmbedError> {
        let prompt = self.description.prompts.before(kind);
        // One by one: padded to the length of another, a text would not have quite the same vector.
        let mut model = self.model.lock();
        let mut embedded = Vec::with_capacity(texts.len());
        for text in texts {
            let vectors = model.embed([format!("{prompt}{text}")], None);
            let vectors = vectors.map_err(|error| EmbedError::Failed(error.to_string()))?;
            embedded.extend(vectors.into_iter().map(|mut vector| {
                to_unit(&mut vector);
                Embedded { vector, tokens: TokenVectors::default(), spans: Vec::new() }
            }));
        }
        Ok(embedded)
    }
}

/// A cross-encoder by fastembed.
pub(super) struct OnnxReranker {
    name: String,
    model: Mutex<TextRerank>,
}

impl Debug for OnnxReranker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnnxReranker").field("name", &self.name).finish_non_exhaustive()
    }
}

impl OnnxReranker {
    /// As [`OnnxEmbedder::open`].
    pub(super) fn open(folder: &Path, threads: usize) -> Result<Self, ModelError> {
        let path = onnx_in(folder);
        let file = read_weights(&path)?;
        loaded(&path)?;
        let options =
            RerankInitOptionsUserDefined::new().with_max_length(PAIR_TOKENS).with_intra_threads(threads);
        let model = UserDefinedRerankingModel::new(file, tokenizer_files(folder)?);
        let model = TextRerank::try_new_from_user_defined(model, options)
            .map_err(|error| ModelError::Unusable { path, reason: error.to_string() })?;
        Ok(Self { name: model_name(folder), model: Mutex::new(model) })
    }
}

impl Reranker for OnnxReranker {
    fn name(&self) -> &str {
        &self.name
    }

    fn judge(&self, question: &str, texts: &[&str]) -> Result<Vec<f32>, RerankError> {
        let mut model = self.model.lock();
        let judged = model.rerank(question, texts, false, None);
        let mut judged = judged.map_err(|error| RerankError::Failed(error.to_string()))?;
        judged.sort_by_key(|one| one.index);
        Ok(judged.into_iter().map(|one| one.score).collect())
    }
}

fn tokenizer_files(folder: &Path) -> Result<TokenizerFiles, ModelError> {
    let file = |name: &str| read_weights(&folder.join(name));
    Ok(TokenizerFiles {
        tokenizer_file: file("tokenizer.json")?,
        config_file: file("config.json")?,
        special_tokens_map_file: file("special_tokens_map.json")?,
        tokenizer_config_file: file("tokenizer_config.json")?,
    })
}

/// Loads the library, once in a program; asked for by a model, it would end the program where it is missing.
fn loaded(model: &Path) -> Result<(), ModelError> {
    static LOADED: OnceLock<Result<(), String>> = OnceLock::new();
    let library = || onnx_runtime().unwrap_or_else(|| PathBuf::from(LIBRARY));
    let load = || {
        // The environment is fastembed's to make; here it is only seen whether there can be one.
        ort::init_from(library()).map(drop).map_err(|error| error.to_string())
    };
    LOADED.get_or_init(load).clone().map_err(|error| ModelError::Unusable {
        path: model.to_owned(),
        reason: format!(
            "it needs ONNX Runtime, which cannot be loaded from {} ({error}); put the path of the library into ORT_DYLIB_PATH",
            library().display()
        ),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::embedding::{open_embedder, open_reranker};

    /// Where ONNX Runtime is not there, what to set is named; where it is, the next file that is missing.
    #[test]
    fn y11_a_model_for_onnx_runtime_says_what_it_lacks() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("model.onnx"), b"no model").unwrap();
        let lacking = match loaded(folder.path()) {
            Ok(()) => "tokenizer.json",
            Err(_) => "put the path of the library into ORT_DYLIB_PATH",
        };
        for error in
            [open_embedder(folder.path(), 1).unwrap_err(), open_reranker(folder.path(), 1).unwrap_err()]
        {
            assert!(error.to_string().contains(lacking), "{error}");
        }
    }
}
