//! What a model does: texts in, vectors out.

use std::fmt::{self, Debug};
use std::ops::Range;

use super::token_vectors::TokenVectors;

/// Tells vectors of one model from those of another: they cannot be compared. Made out of the model's own bytes, so
/// the same files are the same model wherever they lie.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EmbedderId(String);

impl EmbedderId {
    /// An id as a model's reader makes it or a store kept it.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EmbedderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One text as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    /// The text as a whole, of length 1: the scalar product of two is their cosine.
    pub vector: Vec<f32>,
    /// Its words one by one, for comparing word against word (specs memory 0.5).
    pub tokens: TokenVectors,
    /// Where in the text each of them stands, in bytes.
    pub spans: Vec<Range<usize>>,
}

/// Why a text has no vector. Whoever asked goes on by words alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// There is no model: none is wanted, none could be had, or it is not ready yet.
    #[error("no embedding model is ready")]
    NotReady,
    /// More is waiting than the model gets done.
    #[error("the embedding model is busy")]
    Busy,
    /// The model or its tokeniser failed on these texts.
    #[error("the embedding model failed: {0}")]
    Failed(String),
}

/// Turns texts into vectors. Takes milliseconds a text: never called on an async thread.
pub trait Embedder: Send + Sync + Debug {
    /// Which model; stored with every vector.
    fn id(&self) -> &EmbedderId;

    /// How many numbers a vector has.
    fn dims(&self) -> usize;

    /// The vectors of `texts`, in their order. The same text gives the same vector, alone or among others. What is
    /// longer than the model reads is cut off.
    ///
    /// # Errors
    /// [`EmbedError::Failed`].
    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedded>, EmbedError>;
}
