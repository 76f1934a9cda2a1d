//! Models as they lie in a folder: the files a model hub or a Python package ships.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};
use tokenizers::{Encoding, Tokenizer, TruncationParams};

use super::bert::{Bert, BertShape};
use super::embedder::{EmbedError, Embedded, Embedder, TextKind, TokenVectors, to_unit};
use super::weights::Weights;
use crate::text::short::hex;

/// Tokens of a text that are read where the model does not say: chat messages are shorter.
const USUAL_TOKENS: usize = 256;

/// Tokens that go through the model at once; more makes nothing faster and only takes memory.
const TOKENS_AT_ONCE: usize = 1_024;

/// Why a folder cannot be used as a model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file is missing or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// A file says nothing this program understands.
    #[error("{}: {reason}", path.display())]
    Unusable { path: PathBuf, reason: String },
}

/// A sentence encoder read from a folder.
#[derive(Debug)]
pub struct TextModel {
    id: String,
    tokenizer: Tokenizer,
    description: Description,
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

/// What of `config_sentence_transformers.json` matters.
#[derive(Debug, Default, Deserialize)]
struct PromptsFile {
    #[serde(default)]
    prompts: Prompts,
}

/// What the model wants to read before a text, so that it knows a question from what answers it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Prompts {
    #[serde(default)]
    pub(super) query: String,
    #[serde(default, alias = "document")]
    pub(super) passage: String,
}

impl Prompts {
    pub(super) fn before(&self, kind: TextKind) -> &str {
        match kind {
            TextKind::Question => &self.query,
            TextKind::Passage => &self.passage,
        }
    }
}

/// What a sentence encoder's files say beside its weights.
#[derive(Debug)]
pub(super) struct Description {
    /// Whether the first token's vector stands for the text; else the mean of all does.
    pub(super) is_first_token: bool,
    pub(super) prompts: Prompts,
    /// Tokens of a text that are read.
    pub(super) tokens: usize,
}

impl Description {
    /// Reads what of it is there.
    ///
    /// # Errors
    /// When a file is damaged.
    pub(super) fn of(folder: &Path) -> Result<Self, ModelError> {
        let sentence: SentenceFile = json_if_there(&folder.join("sentence_bert_config.json"))?;
        let pooling: PoolingFile = json_if_there(&folder.join("1_Pooling").join("config.json"))?;
        let PromptsFile { prompts } = json_if_there(&folder.join("config_sentence_transformers.json"))?;
        let tokens = sentence.max_seq_length.unwrap_or(USUAL_TOKENS);
        Ok(Self { is_first_token: pooling.pooling_mode_cls_token, prompts, tokens })
    }
}

/// Whether a folder's model is stored for ONNX Runtime alone.
pub(super) fn is_onnx(folder: &Path) -> bool {
    !folder.join("model.safetensors").exists() && onnx_in(folder).exists()
}

/// Where a folder's model for ONNX Runtime would be.
pub(super) fn onnx_in(folder: &Path) -> PathBuf {
    let below = folder.join("onnx").join("model.onnx");
    if below.exists() { below } else { folder.join("model.onnx") }
}

/// The name of a folder's model. A hub's models lie in folders named after them, each of their states in one of its own.
pub(super) fn model_name(folder: &Path) -> String {
    let is_named = |part: &&std::ffi::OsStr| part.len() != 40;
    let name = folder.iter().rev().find(is_named).unwrap_or(folder.as_os_str());
    name.to_string_lossy().replace("--", "/")
}

impl TextModel {
    /// The first of the files that a model cannot do without and that is not in the folder.
    pub fn missing_in(folder: &Path) -> Option<&'static str> {
        let weights =
            if cfg!(feature = "fastembed") && is_onnx(folder) { None } else { Some("model.safetensors") };
        ["config.json", "tokenizer.json"].into_iter().chain(weights).find(|file| !folder.join(file).exists())
    }

    /// Reads `config.json`, `tokenizer.json` and `model.safetensors`, and, where they are there, how long texts may be,
    /// how tokens become one vector and what stands before a text. Takes a few tenths of a second.
    ///
    /// # Errors
    /// When a file is missing, damaged, or of a kind this program does not compute.
    pub fn open(folder: &Path) -> Result<Self, ModelError> {
        let shape: BertShape = read_json(&folder.join("config.json"))?;
        let description = Description::of(folder)?;
        let most = description.tokens.min(shape.max_tokens());

        let mut digest = Sha256::new();
        digest.update(read_weights(&folder.join("tokenizer.json"))?);
        let tokenizer = tokenizer(folder, most)?;
        let path = folder.join("model.safetensors");
        digest_file(&path, &mut digest)
            .map_err(|source| ModelError::Unreadable { path: path.clone(), source })?;
        // Without them the id is what it was before they were read.
        digest.update(&description.prompts.query);
        digest.update(&description.prompts.passage);
        let bert = Weights::open(&path)
            .and_then(|weights| Bert::read(shape, &weights))
            .map_err(|error| ModelError::Unusable { path, reason: error.to_string() })?;

        let id = format!("{}x{most}-{}", bert.hidden_size(), hex(&digest.finalize()[..12]));
        Ok(Self { id, tokenizer, description, bert })
    }
}

pub(super) fn read_weights(path: &Path) -> Result<Vec<u8>, ModelError> {
    fs::read(path).map_err(|source| ModelError::Unreadable { path: path.to_owned(), source })
}

pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, ModelError> {
    serde_json::from_slice(&read_weights(path)?)
        .map_err(|error| ModelError::Unusable { path: path.to_owned(), reason: error.to_string() })
}

fn json_if_there<T: DeserializeOwned + Default>(path: &Path) -> Result<T, ModelError> {
    if path.exists() { read_json(path) } else { Ok(T::default()) }
}

/// The folder's tokeniser, which cuts off what is longer than `most` tokens. Texts of one batch go through the model side
/// by side without padding.
pub(super) fn tokenizer(folder: &Path, most: usize) -> Result<Tokenizer, ModelError> {
    let path = folder.join("tokenizer.json");
    let truncation = TruncationParams { max_length: most, ..TruncationParams::default() };
    let opened = Tokenizer::from_bytes(read_weights(&path)?).and_then(|mut tokenizer| {
        tokenizer.with_padding(None);
        tokenizer.with_truncation(Some(truncation))?;
        Ok(tokenizer)
    });
    opened.map_err(|error| ModelError::Unusable { path, reason: error.to_string() })
}

/// Goes through a file that may be too large for memory.
pub(super) fn digest_file(path: &Path, digest: &mut Sha256) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            read => digest.update(&buffer[..read]),
        }
    }
}

impl Embedder for TextModel {
    fn id(&self) -> &str {
        &self.id
    }

    fn dims(&self) -> usize {
        self.bert.hidden_size()
    }

    fn embed(&self, texts: &[&str], kind: TextKind) -> Result<Vec<Embedded>, EmbedError> {
        let prompt = self.description.prompts.before(kind);
        let texts: Vec<String> = texts.iter().map(|text| format!("{prompt}{text}")).collect();
        let encode = |text: &String| self.tokenizer.encode(text.as_str(), true);
        let encoded: Result<Vec<Encoding>, _> = texts.iter().map(encode).collect();
        let encoded = encoded.map_err(|error| EmbedError::Failed(error.to_string()))?;
        let mut embedded = Vec::with_capacity(encoded.len());
        let mut rest = encoded.as_slice();
        while !rest.is_empty() {
            let (batch, later) = rest.split_at(fitting(rest));
            let states =
                self.bert.last_layer(batch).map_err(|error| EmbedError::Failed(error.to_string()))?;
            let mut rows = states.chunks_exact(self.dims());
            let read = texts[embedded.len()..].iter().zip(batch);
            embedded.extend(read.map(|(text, one)| self.pooled(one, text, prompt.len(), &mut rows)));
            rest = later;
        }
        Ok(embedded)
    }
}

/// How many of the texts go through together; at least one.
pub(super) fn fitting(texts: &[Encoding]) -> usize {
    let mut total = 0;
    let many = texts.iter().take_while(|text| {
        total += text.len();
        total <= TOKENS_AT_ONCE
    });
    many.count().max(1)
}

impl TextModel {
    /// Takes a text's rows off and makes one vector of them. Its first `prompt` bytes are none of its words.
    fn pooled<'a>(
        &self,
        encoded: &Encoding,
        text: &str,
        prompt: usize,
        rows: &mut impl Iterator<Item = &'a [f32]>,
    ) -> Embedded {
        let mut vector = vec![0.0; self.dims()];
        let (mut words, mut spans) = (Vec::new(), Vec::new());
        let places = encoded.get_special_tokens_mask().iter().zip(encoded.get_offsets());
        for (at, ((frames, (from, to)), row)) in places.zip(rows).enumerate() {
            if at == 0 || !self.description.is_first_token {
                for (sum, number) in vector.iter_mut().zip(row) {
                    *sum += number;
                }
            }
            if *frames == 0 && *to > prompt {
                words.extend_from_slice(row);
                // SentencePiece counts the space before a word as its own.
                let piece = text.get(*from..*to).unwrap_or_default();
                let from = from + piece.len() - piece.trim_start().len();
                spans.push(from.saturating_sub(prompt)..to - prompt);
            }
        }
        to_unit(&mut vector);
        Embedded { vector, tokens: TokenVectors::from_rows(self.dims(), words), spans }
    }
}
