//! A model as it lies in a folder: the files a model hub or a Python package ships.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};
use tokenizers::{Tokenizer, TruncationParams};

use super::bert::{Bert, BertShape};
use super::embedder::{EmbedError, Embedded, Embedder, EmbedderId};
use super::token_vectors::{TokenVectors, to_unit};
use super::weights::{Weights, WeightsError};

/// Tokens of a text that are read where the model does not say: chat messages are shorter.
const USUAL_TOKENS: usize = 256;

/// Tokens that go through the model at once; more makes nothing faster and only takes memory.
const TOKENS_AT_ONCE: usize = 1_024;

/// Why a folder cannot be used as a model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file is missing or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file says nothing this program understands.
    #[error("{}: {reason}", path.display())]
    Unusable {
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// How the tokens of a text become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pooling {
    Mean,
    /// The first of them.
    First,
}

/// A sentence encoder read from a folder.
#[derive(Debug)]
pub struct TextModel {
    id: EmbedderId,
    tokenizer: Tokenizer,
    pooling: Pooling,
    bert: Bert,
}

#[derive(Debug, Default, Deserialize)]
struct PoolingFile {
    #[serde(default)]
    pooling_mode_cls_token: bool,
}

#[derive(Debug, Default, Deserialize)]
struct SentenceFile {
    max_seq_length: Option<usize>,
}

impl TextModel {
    /// The first of the files that a model cannot do without and that is not in the folder.
    pub fn missing_in(folder: &Path) -> Option<&'static str> {
        ["config.json", "tokenizer.json", "model.safetensors"]
            .into_iter()
            .find(|file| !folder.join(file).exists())
    }

    /// Reads `config.json`, `tokenizer.json` and `model.safetensors`, and, where they are there, how long texts may be
    /// and how tokens become one vector. Takes a few tenths of a second.
    ///
    /// # Errors
    /// When a file is missing, damaged, or of a kind this program does not compute.
    pub fn open(folder: &Path) -> Result<Self, ModelError> {
        let config = folder.join("config.json");
        let shape: BertShape = json(&config)?;
        let sentence: SentenceFile = json_if_there(&folder.join("sentence_bert_config.json"))?;
        let pooling: PoolingFile = json_if_there(&folder.join("1_Pooling").join("config.json"))?;
        let pooling = if pooling.pooling_mode_cls_token { Pooling::First } else { Pooling::Mean };
        let most = sentence.max_seq_length.unwrap_or(USUAL_TOKENS).min(shape.max_tokens());

        let path = folder.join("tokenizer.json");
        let written = read(&path)?;
        let mut digest = Sha256::new();
        digest.update(&written);
        let tokenizer = tokenizer(&written, most)
            .map_err(|error| ModelError::Unusable { path, reason: error.to_string() })?;

        let path = folder.join("model.safetensors");
        let file = read(&path)?;
        digest.update(&file);
        let refused = |error: WeightsError| ModelError::Unusable { path, reason: error.to_string() };
        let bert = Weights::read(&file).and_then(|weights| Bert::read(shape, &weights)).map_err(refused)?;

        let id = EmbedderId::new(format!("{}x{most}-{}", bert.hidden_size(), hex(&digest.finalize()[..12])));
        Ok(Self { id, tokenizer, pooling, bert })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ModelError> {
    fs::read(path).map_err(|source| ModelError::Unreadable { path: path.to_owned(), source })
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<T, ModelError> {
    serde_json::from_slice(&read(path)?)
        .map_err(|error| ModelError::Unusable { path: path.to_owned(), reason: error.to_string() })
}

fn json_if_there<T: DeserializeOwned + Default>(path: &Path) -> Result<T, ModelError> {
    if path.exists() { json(path) } else { Ok(T::default()) }
}

fn tokenizer(written: &[u8], most: usize) -> Result<Tokenizer, tokenizers::Error> {
    let mut tokenizer = Tokenizer::from_bytes(written)?;
    // Texts of one batch go through the model side by side without padding.
    tokenizer.with_padding(None);
    tokenizer.with_truncation(Some(TruncationParams { max_length: most, ..TruncationParams::default() }))?;
    Ok(tokenizer)
}

pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// A text as the model's numbers.
struct Tokens {
    ids: Vec<u32>,
    /// Which of them frame the text rather than stand for its words.
    frame: Vec<bool>,
    /// Where in the text each stands, in bytes.
    spans: Vec<(usize, usize)>,
}

impl Embedder for TextModel {
    fn id(&self) -> &EmbedderId {
        &self.id
    }

    fn dims(&self) -> usize {
        self.bert.hidden_size()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedded>, EmbedError> {
        let mut tokens = Vec::with_capacity(texts.len());
        for text in texts {
            let encoding =
                self.tokenizer.encode(*text, true).map_err(|error| EmbedError::Failed(error.to_string()))?;
            tokens.push(Tokens {
                ids: encoding.get_ids().to_vec(),
                frame: encoding.get_special_tokens_mask().iter().map(|mask| *mask != 0).collect(),
                spans: encoding.get_offsets().to_vec(),
            });
        }
        let mut embedded = Vec::with_capacity(texts.len());
        let mut rest = tokens.as_slice();
        while !rest.is_empty() {
            let (batch, later) = rest.split_at(fitting(rest));
            let ids: Vec<&[u32]> = batch.iter().map(|one| one.ids.as_slice()).collect();
            let states = self.bert.run(&ids).map_err(|error| EmbedError::Failed(error.to_string()))?;
            let mut rows = states.chunks_exact(self.dims());
            embedded.extend(batch.iter().map(|one| self.pooled(one, &mut rows)));
            rest = later;
        }
        Ok(embedded)
    }
}

/// How many of the texts go through together; at least one.
fn fitting(texts: &[Tokens]) -> usize {
    let mut total = 0;
    let many = texts.iter().take_while(|text| {
        total += text.ids.len();
        total <= TOKENS_AT_ONCE
    });
    many.count().max(1)
}

impl TextModel {
    /// Takes a text's rows off and makes one vector of them.
    fn pooled<'a>(&self, tokens: &Tokens, rows: &mut impl Iterator<Item = &'a [f32]>) -> Embedded {
        let mut vector = vec![0.0; self.dims()];
        let (mut words, mut spans) = (Vec::new(), Vec::new());
        for (at, row) in rows.take(tokens.ids.len()).enumerate() {
            if self.pooling == Pooling::Mean || at == 0 {
                for (sum, number) in vector.iter_mut().zip(row) {
                    *sum += number;
                }
            }
            if !tokens.frame.get(at).copied().unwrap_or(false) {
                words.extend_from_slice(row);
                spans.extend(tokens.spans.get(at).map(|(from, to)| *from..*to));
            }
        }
        to_unit(&mut vector);
        Embedded { vector, tokens: TokenVectors::from_rows(self.dims(), words), spans }
    }
}
