//! The numbers of a `model.safetensors`, by name. They are read out of the file one by one: the file as a whole is never in
//! memory, and of the largest table only the rows that are asked for.

use std::fs::File;
use std::io::{Error as IoError, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use parking_lot::Mutex;
use safetensors::Dtype;
use safetensors::tensor::Metadata;

/// A longer table of contents is none.
const CONTENTS_MAX: u64 = 100 << 20;

/// Why a model's files cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum WeightsError {
    /// The file is no safetensors file, or is cut off.
    #[error("model.safetensors is damaged: {0}")]
    Damaged(String),
    #[error("model.safetensors cannot be read: {0}")]
    Unreadable(#[from] IoError),
    #[error("the weight {0} is missing")]
    Missing(String),
    /// A weight has another size than `config.json` says.
    #[error("the weight {name} has {found} numbers instead of {expected}")]
    Size { name: String, found: usize, expected: usize },
    /// A kind of model this program does not compute.
    #[error("not supported: {0}")]
    Unsupported(String),
}

/// An open safetensors file.
#[derive(Debug)]
pub(super) struct Weights {
    file: File,
    contents: Metadata,
    /// Where the numbers begin.
    begin: u64,
}

#[derive(Debug, Clone, Copy)]
enum NumberFormat {
    F32,
    BF16,
}

impl NumberFormat {
    fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::BF16 => 2,
        }
    }

    fn number(self, bytes: &[u8]) -> f32 {
        match (self, bytes) {
            (Self::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
            (Self::BF16, &[a, b]) => f32::from_le_bytes([0, 0, a, b]),
            _ => 0.0,
        }
    }
}

impl Weights {
    /// Reads the file's table of contents.
    ///
    /// # Errors
    /// When it is none, or does not fit the file.
    pub(super) fn open(path: &Path) -> Result<Self, WeightsError> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let damaged = |what: &str| WeightsError::Damaged(what.to_owned());
        let mut size = [0; 8];
        file.read_exact(&mut size).map_err(|_| damaged("it has no table of contents"))?;
        let size = u64::from_le_bytes(size);
        if size > CONTENTS_MAX || size.saturating_add(8) > length {
            return Err(damaged("its table of contents does not end"));
        }
        let mut written = Vec::new();
        (&file).take(size).read_to_end(&mut written)?;
        let contents: Metadata =
            serde_json::from_slice(&written).map_err(|error| WeightsError::Damaged(error.to_string()))?;
        let begin = size + 8;
        if begin + contents.data_len() as u64 != length {
            return Err(damaged("it is cut off"));
        }
        Ok(Self { file, contents, begin })
    }

    /// One weight, of exactly so many numbers.
    ///
    /// # Errors
    /// When it is missing, has another size, or is stored in a way that is not read.
    pub(super) fn numbers(&self, name: &str, expected: usize) -> Result<Vec<f32>, WeightsError> {
        let numbers = self.rows(name, 1)?;
        if numbers.len() != expected {
            return Err(WeightsError::Size { name: name.to_owned(), found: numbers.len(), expected });
        }
        Ok(numbers)
    }

    /// A table of rows of `width` numbers, at least one.
    pub(super) fn rows(&self, name: &str, width: usize) -> Result<Vec<f32>, WeightsError> {
        let place = self.find(name, width)?;
        let mut bytes = vec![0; place.count * place.stored.bytes()];
        (&self.file).seek(SeekFrom::Start(place.at))?;
        (&self.file).read_exact(&mut bytes)?;
        Ok(bytes.chunks_exact(place.stored.bytes()).map(|one| place.stored.number(one)).collect())
    }

    /// The same, its rows to be read when they are needed.
    pub(super) fn table(&self, name: &str, width: usize) -> Result<Table, WeightsError> {
        let place = self.find(name, width)?;
        Ok(Table { file: Mutex::new(self.file.try_clone()?), place, width })
    }

    fn find(&self, name: &str, width: usize) -> Result<WeightSpan, WeightsError> {
        // Some models are stored with the name of their kind before every weight.
        let info = ["", "bert.", "roberta."]
            .iter()
            .find_map(|kind| self.contents.info(&format!("{kind}{name}")))
            .ok_or_else(|| WeightsError::Missing(name.to_owned()))?;
        let stored = match info.dtype {
            Dtype::F32 => NumberFormat::F32,
            Dtype::BF16 => NumberFormat::BF16,
            other => return Err(WeightsError::Unsupported(format!("weights stored as {other:?}"))),
        };
        let count: usize = info.shape.iter().product();
        if count == 0 || !count.is_multiple_of(width) {
            return Err(WeightsError::Size { name: name.to_owned(), found: count, expected: width });
        }
        Ok(WeightSpan { at: self.begin + info.data_offsets.0 as u64, count, stored })
    }
}

/// Where a weight lies.
#[derive(Debug, Clone, Copy)]
struct WeightSpan {
    at: u64,
    count: usize,
    stored: NumberFormat,
}

/// A table that stays in its file. The system keeps in memory what is often asked for, and can have it back.
#[derive(Debug)]
pub(super) struct Table {
    file: Mutex<File>,
    place: WeightSpan,
    width: usize,
}

impl Table {
    /// Adds a row; nothing beyond its last.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn add_row(&self, number: usize, to: &mut [f32]) -> Result<(), WeightsError> {
        let WeightSpan { at, count, stored } = self.place;
        if number >= count / self.width {
            return Ok(());
        }
        let mut bytes = vec![0; self.width * stored.bytes()];
        {
            let mut file = self.file.lock();
            file.seek(SeekFrom::Start(at + (number * bytes.len()) as u64))?;
            file.read_exact(&mut bytes)?;
        }
        for (to, one) in to.iter_mut().zip(bytes.chunks_exact(stored.bytes())) {
            *to += stored.number(one);
        }
        Ok(())
    }
}
