//! What a model does: texts in, vectors out.

use std::fmt::Debug;
use std::ops::Range;

/// One text as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    /// The text as a whole, of length 1: the scalar product of two is their cosine.
    pub vector: Vec<f32>,
    /// Its words one by one, for comparing word against word (memory 0.5).
    pub tokens: TokenVectors,
    /// Where in the text each of them stands, in bytes.
    pub spans: Vec<Range<usize>>,
}

/// The vectors of a text's tokens, each of length 1, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TokenVectors {
    dims: usize,
    numbers: Vec<f32>,
}

impl TokenVectors {
    /// Rows of `dims` numbers each, brought to length 1. What is over at the end and makes no whole row is left out.
    pub fn from_rows(dims: usize, mut numbers: Vec<f32>) -> Self {
        let whole = if dims == 0 { 0 } else { numbers.len() - numbers.len() % dims };
        numbers.truncate(whole);
        for row in numbers.chunks_exact_mut(dims.max(1)) {
            to_unit(row);
        }
        Self { dims, numbers }
    }

    pub fn len(&self) -> usize {
        self.rows().len()
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    pub fn rows(&self) -> std::slice::ChunksExact<'_, f32> {
        self.numbers.chunks_exact(self.dims.max(1))
    }
}

/// The scalar product; for vectors of length 1 their cosine.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    // Sixteen sums side by side, which a compiler turns into vector instructions; one alone it may not reorder.
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    let (left, right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = left.remainder().iter().zip(right.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in left.zip(right) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// Brings a vector to length 1; one that is all zeros stays.
pub fn to_unit(vector: &mut [f32]) {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        for number in vector {
            *number /= length;
        }
    }
}

/// What a text is for. Some models read a question in another way than what may answer it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// Somebody waits for what it finds: it goes before everything that is only to be kept.
    Question,
    /// Something that may be found.
    Passage,
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
    /// Which model; stored with every vector, since those of two models cannot be compared. Made out of the model's own
    /// bytes, so the same files are the same model wherever they lie.
    fn id(&self) -> &str;

    /// How many numbers a vector has.
    fn dims(&self) -> usize;

    /// The vectors of `texts`, in their order. The same text gives the same vector, alone or among others. What is
    /// longer than the model reads is cut off.
    ///
    /// # Errors
    /// [`EmbedError::Failed`].
    fn embed(&self, texts: &[&str], kind: TextKind) -> Result<Vec<Embedded>, EmbedError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn y11_rows_have_length_one_and_what_is_over_makes_none() {
        let tokens = TokenVectors::from_rows(2, vec![2.0, 0.0, 0.0, 3.0, 7.0]);
        assert_eq!(tokens.rows().collect::<Vec<_>>(), [[1.0, 0.0], [0.0, 1.0]]);
        assert_eq!((tokens.len(), TokenVectors::default().len()), (2, 0));
    }

    #[test]
    fn y11_a_product_leaves_no_number_out() {
        let a: Vec<f32> = (1..=37_u8).map(f32::from).collect();
        assert_eq!(dot(&a, &[1.0; 37]), 703.0);
        let mut unit = a.clone();
        to_unit(&mut unit);
        assert!((dot(&unit, &unit) - 1.0).abs() < 1e-5);
        let mut nothing = [0.0, 0.0];
        to_unit(&mut nothing);
        assert_eq!(nothing, [0.0, 0.0]);
    }
}
