//! Whether somebody sounds finished: an end-of-turn model that listens to the last eight seconds.
//!
//! Owns the model of Smart Turn v3's kind, an ONNX file of the operator's, and its thread. It is optional: without one the
//! words decide alone. Must not know words, nor what is done about a turn. Start reading at [`EndOfTurnModel`].

mod log_mel;

use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rten::{Model, RunOptions, ThreadPool, Value};
use rten_tensor::NdTensorView;
use rten_tensor::prelude::*;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use self::log_mel::{LogMel, PITCHES, SAMPLES, STEPS};

/// A larger file is no such model: Smart Turn v3 has 8 MB, or 32 MB in full precision.
const LARGEST: u64 = 256 << 20;

/// From this probability on somebody counts as finished (Smart Turn's own threshold).
const FINISHED: f32 = 0.5;

/// Why there is no end-of-turn model.
#[derive(Debug, thiserror::Error)]
pub enum EndOfTurnError {
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// The file is no model of this kind.
    #[error("{} is no end-of-turn model: {reason}", path.display())]
    Unusable { path: PathBuf, reason: String },
}

pub struct EndOfTurnModel {
    model: Model,
    log_mel: LogMel,
    /// One thread: calls need the others.
    threads: Arc<ThreadPool>,
}

impl fmt::Debug for EndOfTurnModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndOfTurnModel").finish_non_exhaustive()
    }
}

impl EndOfTurnModel {
    /// Reads an ONNX file and lets it judge silence once. Takes some tenths of a second.
    ///
    /// # Errors
    /// When the file cannot be read, is larger than 256 MiB, is no ONNX file that this program computes, or gives no
    /// probability for a picture of 80 by 800.
    pub fn open(path: &Path) -> Result<Self, EndOfTurnError> {
        let unreadable = |source| EndOfTurnError::Unreadable { path: path.to_owned(), source };
        let unusable = |reason| EndOfTurnError::Unusable { path: path.to_owned(), reason };
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(unreadable)?;
        file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > LARGEST {
            return Err(unusable("it is far too large".to_owned()));
        }
        let model = Model::load(bytes).map_err(|error| unusable(error.to_string()))?;
        let threads = Arc::new(ThreadPool::with_num_threads(1));
        let opened = Self { model, log_mel: LogMel::default(), threads };
        opened.probability(&[]).map_err(unusable)?;
        Ok(opened)
    }

    /// Whether whoever made this sound, 16 kHz, the newest sample last, sounds finished. `None` where the model fails.
    /// Smart Turn takes 12 to 60 ms, its makers say: never called on an async thread.
    pub fn is_finished(&self, sound: &[i16]) -> Option<bool> {
        match self.probability(sound) {
            Ok(probability) => Some(probability >= FINISHED),
            Err(error) => {
                tracing::warn!(%error, "the end-of-turn model failed");
                None
            }
        }
    }

    fn probability(&self, sound: &[i16]) -> Result<f32, String> {
        let picture = self.log_mel.of(sound);
        let input = NdTensorView::from_data([1, PITCHES, STEPS], picture.as_slice());
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.threads)));
        let output = self.model.run_one(input.into(), Some(options)).map_err(|error| error.to_string())?;
        let Value::FloatTensor(output) = output else { return Err("it gives no number".to_owned()) };
        let first = output.iter().next().copied();
        first
            .filter(|found| (0.0..=1.0).contains(found) && output.len() == 1)
            .ok_or_else(|| "it gives no probability".to_owned())
    }
}

/// Pauses that are judged or wait for it; of more, words tell alone.
const AT_ONCE: usize = 4;

/// The model that the settings name, which is being read or has been. Cheap to clone.
#[derive(Debug, Clone)]
pub struct EndOfTurn {
    model: Arc<OnceLock<EndOfTurnModel>>,
    places: Arc<Semaphore>,
}

impl Default for EndOfTurn {
    fn default() -> Self {
        Self { model: Arc::default(), places: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

impl EndOfTurn {
    /// Reads a model behind everything else; until then, and where it cannot be read, which is logged, words decide alone.
    pub fn reading(path: PathBuf) -> Self {
        let here = Self::default();
        let slot = Arc::clone(&here.model);
        tokio::task::spawn_blocking(move || match EndOfTurnModel::open(&path) {
            // Nobody else fills it.
            Ok(model) => drop(slot.set(model)),
            Err(error) => tracing::warn!("turns in calls end by words alone: {error}"),
        });
        here
    }

    /// Whether there is one to ask.
    pub fn is_ready(&self) -> bool {
        self.model.get().is_some()
    }

    /// Asks it behind everything else; see [`EndOfTurnModel::is_finished`]. `None` where too many ask.
    fn ask(&self, sound: &VecDeque<i16>) -> Option<JoinHandle<Option<bool>>> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        let (model, sound) = (Arc::clone(&self.model), sound.iter().copied().collect::<Vec<_>>());
        Some(tokio::task::spawn_blocking(move || {
            let judged = model.get()?.is_finished(&sound);
            drop(place);
            judged
        }))
    }
}

/// What somebody says, as sound, and what the model makes of each pause in it.
#[derive(Debug)]
pub struct TurnSound {
    model: EndOfTurn,
    sound: VecDeque<i16>,
    asked: Option<JoinHandle<Option<bool>>>,
}

impl TurnSound {
    /// Of somebody who has said nothing so far.
    pub fn new(model: EndOfTurn) -> Self {
        Self { model, sound: VecDeque::new(), asked: None }
    }

    /// They say something; the last eight seconds of it are kept, and nothing where there is no model.
    pub fn hear(&mut self, samples: &[i16]) {
        if self.model.is_ready() {
            self.sound.extend(samples);
            self.sound.drain(..self.sound.len().saturating_sub(SAMPLES));
        }
    }

    /// They pause: the model is asked, and its answer comes by [`Self::judged`].
    pub fn pauses(&mut self) {
        if !self.sound.is_empty() {
            self.asked = self.model.ask(&self.sound);
        }
    }

    /// They go on: what the model thinks of the pause is no matter any more.
    pub fn goes_on(&mut self) {
        self.asked = None;
    }

    /// Their turn is over: nothing of it is kept.
    pub fn ends(&mut self) {
        self.asked = None;
        self.sound.clear();
    }

    /// Whether they sound finished, once the model has said so; never where it was not asked or fails. Can be dropped and
    /// asked again.
    pub async fn judged(&mut self) -> bool {
        if let Some(asked) = &mut self.asked {
            let answer = asked.await;
            self.asked = None;
            if let Ok(Some(is_finished)) = answer {
                return is_finished;
            }
        }
        std::future::pending().await
    }
}
