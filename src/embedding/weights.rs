//! The numbers of a `model.safetensors`, by name.

use safetensors::{Dtype, SafeTensors};

/// Why a model's files cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum WeightsError {
    /// The file is no safetensors file, or is cut off.
    #[error("model.safetensors is damaged: {0}")]
    Damaged(#[from] safetensors::SafeTensorError),
    /// Some weight is not there.
    #[error("the weight {0} is missing")]
    Missing(String),
    /// A weight has another size than `config.json` says.
    #[error("the weight {name} has {found} numbers instead of {expected}")]
    Size {
        name: String,
        /// How many it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// A kind of model this program does not compute.
    #[error("not supported: {0}")]
    Unsupported(String),
}

/// A safetensors file in memory.
#[derive(Debug)]
pub(super) struct Weights<'a>(SafeTensors<'a>);

impl<'a> Weights<'a> {
    /// Reads the file's table of contents.
    ///
    /// # Errors
    /// [`WeightsError::Damaged`].
    pub(super) fn read(file: &'a [u8]) -> Result<Self, WeightsError> {
        Ok(Self(SafeTensors::deserialize(file)?))
    }

    /// One weight, of exactly so many numbers.
    ///
    /// # Errors
    /// When it is missing, has another size, or holds other than 32-bit numbers.
    pub(super) fn numbers(&self, name: &str, expected: usize) -> Result<Vec<f32>, WeightsError> {
        let numbers = self.rows(name, 1)?;
        if numbers.len() != expected {
            return Err(WeightsError::Size { name: name.to_owned(), found: numbers.len(), expected });
        }
        Ok(numbers)
    }

    /// A table of rows of `width` numbers, at least one.
    ///
    /// # Errors
    /// As [`numbers`](Self::numbers).
    pub(super) fn rows(&self, name: &str, width: usize) -> Result<Vec<f32>, WeightsError> {
        // Some models are stored with the name of their kind before every weight.
        let weight = self
            .0
            .tensor(name)
            .or_else(|_| self.0.tensor(&format!("bert.{name}")))
            .map_err(|_| WeightsError::Missing(name.to_owned()))?;
        let numbers: Vec<f32> = match weight.dtype() {
            Dtype::F32 => weight
                .data()
                .chunks_exact(4)
                .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
                .collect(),
            Dtype::BF16 => weight
                .data()
                .chunks_exact(2)
                .map(|bytes| f32::from_le_bytes([0, 0, bytes[0], bytes[1]]))
                .collect(),
            other => {
                return Err(WeightsError::Unsupported(format!("weights stored as {other:?}")));
            }
        };
        if numbers.is_empty() || !numbers.len().is_multiple_of(width) {
            return Err(WeightsError::Size { name: name.to_owned(), found: numbers.len(), expected: width });
        }
        Ok(numbers)
    }
}
