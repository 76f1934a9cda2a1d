//! What was said, by what it means: the vectors of all turns, kept in step with the history, and questions held against
//! them. Only adds to what words say; without a model, or until it has read a turn, words alone decide.
//!
//! Owns when turns are given to the model and where their vectors lie. Must not know ranking. Start at [`Meaning`].

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{RwLock, RwLockReadGuard};
use sha2::{Digest as _, Sha256};
use tokio::sync::{Mutex, Notify};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::task::AbortOnDropHandle;

use crate::domain::StoredId;
use crate::embedding::{
    EmbedError, Embedded, EmbeddingState, Embeddings, Matcher, Probe, ReadUpTo, Signs, TextKind, TurnVector,
    TurnVectors, VectorStore,
};
use crate::history::{HeardMessage, History, Mark, Told, Visible};
use crate::sqlite::DatabaseError;
use crate::text::short::hex;

/// Turns given to the model at a time: a quarter of a second's work.
const STRETCH: u32 = 64;

/// Vectors read from the file at a time.
const READ_AT_ONCE: u32 = 5_000;

/// A reply waits for a question's vector no longer than this.
const QUESTION_DEADLINE: Duration = Duration::from_millis(150);

/// Who measures waits longer, so that the same question always has the same answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// While the model has too much to do, so long until it is asked again.
const PAUSE: Duration = Duration::from_millis(100);

/// Of a long message so much is given to the model, which reads some 256 words of it at most, in characters.
const TEXT_MAX: usize = 2_000;

/// How much of the machine may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// All of it: somebody waits for the end.
    Full,
    /// Half of the time: replies and calls go on meanwhile.
    Beside,
}

/// Why the vectors are not in step.
#[derive(Debug, thiserror::Error)]
pub enum MeaningError {
    /// There is no model, or none yet.
    #[error("no embedding model is ready")]
    NotReady,
    /// The history could not be read, or the vectors' file not read or written.
    #[error(transparent)]
    Store(#[from] DatabaseError),
}

/// Whether at most one bit in fifty differs.
fn are_alike(one: &[u8], other: &[u8]) -> bool {
    let differing: u32 = one.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum();
    one.len() == other.len() && differing as usize * 50 <= one.len() * 8
}

/// A question as the model sees it.
#[derive(Debug)]
pub struct Meant {
    embedded: Embedded,
    probe: Probe,
}

impl Meant {
    /// The question as a whole.
    pub(super) fn probe(&self) -> &Probe {
        &self.probe
    }

    /// Where in the question's text each token stands, in bytes.
    pub(super) fn spans(&self) -> &[std::ops::Range<usize>] {
        &self.embedded.spans
    }
}

/// The meaning of everything that was said.
#[derive(Debug)]
pub struct Meaning {
    embeddings: Embeddings,
    file: PathBuf,
    deadline: Duration,
    /// One at a time catches up.
    catching_up: Mutex<()>,
    store: RwLock<Option<Arc<VectorStore>>>,
    vectors: RwLock<TurnVectors>,
}

impl Meaning {
    /// Asks `embeddings` and keeps what it says in `file`. Nothing is read yet.
    pub fn new(embeddings: Embeddings, file: PathBuf) -> Self {
        Self {
            embeddings,
            file,
            deadline: QUESTION_DEADLINE,
            catching_up: Mutex::default(),
            store: RwLock::default(),
            vectors: RwLock::default(),
        }
    }

    /// Waits for a question's vector as long as it takes, a minute at most: for measuring, where no reply waits.
    pub fn patient(self) -> Self {
        Self { deadline: PATIENCE, ..self }
    }

    /// Whether there is a model.
    pub fn embeddings(&self) -> &Embeddings {
        &self.embeddings
    }

    /// Gives the model what was said since the last time, up to the end of the history. What is done by the time this is
    /// dropped stays done. Gives the number of turns that were read.
    ///
    /// # Errors
    /// When there is no model, or a store cannot be used.
    pub async fn catch_up(&self, history: &History, pace: Pace) -> Result<u64, MeaningError> {
        let _alone = self.catching_up.lock().await;
        let store = self.opened(history).await?;
        let read = store.read_up_to().await?;
        let mut mark = Mark::new(read.turn, read.change);
        let mut turns = 0_u64;
        loop {
            let started = Instant::now();
            let followed = history.whole().follow(mark, STRETCH).await?;
            let count = followed.told.len() as u64;
            self.take(&store, followed.told, followed.mark).await?;
            mark = followed.mark;
            turns += count;
            if followed.is_all {
                if turns > 0 {
                    store.only_this_model().await?;
                }
                return Ok(turns);
            }
            if turns.is_multiple_of(6_400) {
                tracing::info!(turns, "the embedding model is reading what was said");
            }
            if pace == Pace::Beside {
                sleep(started.elapsed()).await;
            }
        }
    }

    /// Uses what was read at another time, and reads on in nothing: for whoever only looks.
    ///
    /// # Errors
    /// When there is no model, or the file cannot be used.
    pub async fn load(&self, history: &History) -> Result<(), MeaningError> {
        self.opened(history).await.map(drop)
    }

    /// The file of the model that is ready, with its vectors in memory.
    async fn opened(&self, history: &History) -> Result<Arc<VectorStore>, MeaningError> {
        if let Some(store) = self.store() {
            return Ok(store);
        }
        let EmbeddingState::Ready { id, dims } = self.embeddings.standing() else {
            return Err(MeaningError::NotReady);
        };
        if let Some(folder) = self.file.parent() {
            // Where that fails, opening the file says so.
            let _ = tokio::fs::create_dir_all(folder).await;
        }
        // A history that was put in another's place gives its turns the same numbers.
        let salted = Sha256::digest(history.salt().as_bytes());
        let store = Arc::new(VectorStore::open(&self.file, &id, dims, &hex(&salted[..8])).await?);
        let mut vectors = TurnVectors::new(dims);
        each_vector(&store, |turn, vector| vectors.put(turn, &vector)).await?;
        *self.vectors.write() = vectors;
        *self.store.write() = Some(Arc::clone(&store));
        Ok(store)
    }

    /// Has the model read some turns once more, spread over all it has read, and holds what it makes of them against what is
    /// kept: how many were compared, and which differ. The last bits of a sum depend on the company a text is read in, so
    /// that a few signs may; more than one in fifty is another text or another model.
    ///
    /// # Errors
    /// When there is no model, or a store cannot be used.
    pub async fn compare(
        &self,
        history: &History,
        most: usize,
    ) -> Result<(usize, Vec<StoredId>), MeaningError> {
        let store = self.opened(history).await?;
        let mut kept: Vec<(StoredId, Signs)> = Vec::new();
        each_vector(&store, |turn, vector| kept.push((turn, vector))).await?;
        let step = kept.len().div_ceil(most.max(1)).max(1);
        let sample: Vec<(StoredId, Signs)> = kept.into_iter().step_by(step).collect();
        let turns = history.whole().kept(sample.iter().map(|(turn, _)| *turn).collect()).await?;
        let (mut compared, mut differing) = (0, Vec::new());
        for turn in turns.into_iter().filter(|turn| turn.deleted_at_ms.is_none()) {
            let id = StoredId(turn.id);
            let Some((_, kept)) = sample.iter().find(|(one, _)| *one == id) else { continue };
            let anew = self.alone(turn.content.chars().take(TEXT_MAX).collect()).await?;
            let is_alike =
                anew.is_some_and(|anew| are_alike(Signs::of(&anew.vector).as_bytes(), kept.as_bytes()));
            compared += 1;
            if !is_alike {
                differing.push(id);
            }
        }
        Ok((compared, differing))
    }

    fn store(&self) -> Option<Arc<VectorStore>> {
        self.store.read().clone()
    }

    async fn take(&self, store: &VectorStore, told: Vec<Told>, mark: Mark) -> Result<(), MeaningError> {
        let (mut standing, mut gone) = (Vec::new(), Vec::new());
        for told in told {
            match told {
                Told::Stands(heard) if !heard.turn.content.trim().is_empty() => standing.push(*heard),
                Told::Stands(heard) => gone.push(heard.turn.id),
                Told::Gone(turn) => gone.push(turn),
            }
        }
        // Of a turn that changed twice the last word counts.
        standing.retain(|heard| !gone.contains(&heard.turn.id));
        let turns = self.read_by_model(standing).await?;
        let (turn, change) = mark.numbers();
        store.keep(turns.clone(), gone.clone(), ReadUpTo { turn, change }).await?;
        let mut vectors = self.vectors.write();
        gone.into_iter().for_each(|turn| vectors.remove(turn));
        turns.iter().for_each(|one| vectors.put(one.turn, &one.vector));
        Ok(())
    }

    /// What the model makes of turns. One that breaks it has no vector, and is found by its words.
    async fn read_by_model(&self, turns: Vec<HeardMessage>) -> Result<Vec<TurnVector>, MeaningError> {
        let texts: Vec<String> =
            turns.iter().map(|heard| heard.turn.content.chars().take(TEXT_MAX).collect()).collect();
        let embedded = match self.patiently(texts.clone()).await {
            Ok(embedded) => embedded.into_iter().map(Some).collect(),
            Err(EmbedError::Failed(_)) => {
                let mut each = Vec::with_capacity(texts.len());
                for text in texts {
                    each.push(self.alone(text).await?);
                }
                each
            }
            Err(_) => return Err(MeaningError::NotReady),
        };
        let kept = turns.into_iter().zip(embedded).filter_map(|(heard, embedded)| {
            let embedded = embedded?;
            Some(TurnVector {
                turn: heard.turn.id,
                audience: heard.turn.audience,
                vector: Signs::of(&embedded.vector),
                tokens: Signs::of_tokens(&embedded.tokens),
            })
        });
        Ok(kept.collect())
    }

    /// What the model makes of one text; `None` where it cannot read it.
    async fn alone(&self, text: String) -> Result<Option<Embedded>, MeaningError> {
        match self.patiently(vec![text]).await {
            Ok(mut embedded) => Ok(embedded.pop()),
            Err(EmbedError::Failed(error)) => {
                tracing::warn!(%error, "the embedding model cannot read a message");
                Ok(None)
            }
            Err(_) => Err(MeaningError::NotReady),
        }
    }

    async fn patiently(&self, texts: Vec<String>) -> Result<Vec<Embedded>, EmbedError> {
        loop {
            match self.embeddings.embed(texts.clone(), TextKind::Passage).await {
                Err(EmbedError::Busy) => sleep(PAUSE).await,
                answer => return answer,
            }
        }
    }

    /// The question as the model sees it; `None` where there is no model, or it takes too long.
    pub async fn of_question(&self, text: &str) -> Option<Meant> {
        self.store()?;
        let embedded = timeout(self.deadline, self.embeddings.embed_question(text)).await.ok()?.ok()?;
        Some(Meant { probe: Probe::new(&embedded.vector), embedded })
    }

    /// The vectors as they stand. Whether a turn may be seen is for whoever reads them.
    pub(super) fn read(&self) -> RwLockReadGuard<'_, TurnVectors> {
        self.vectors.read()
    }

    /// How well each of these turns says what is asked, word against word, `weights` telling how much each token of the
    /// question counts. Turns the model has not read are missing.
    pub(super) async fn matches(
        &self,
        meant: &Meant,
        weights: &[f32],
        turns: Vec<StoredId>,
        visible: &Visible,
    ) -> HashMap<StoredId, f32> {
        let Some(store) = self.store() else { return HashMap::new() };
        let seen = visible.clone();
        let tokens = match store.tokens(turns, move |audience| seen.includes(audience)).await {
            Ok(tokens) => tokens,
            Err(error) => {
                tracing::warn!(%error, "the vectors of words could not be read");
                return HashMap::new();
            }
        };
        let matcher = Matcher::new(&meant.embedded.tokens, weights);
        let matched = tokio::task::spawn_blocking(move || {
            let each = tokens
                .into_iter()
                .filter_map(|(turn, tokens)| matcher.best_matches_in(&tokens).map(|match_| (turn, match_)));
            each.collect()
        });
        matched.await.unwrap_or_default()
    }
}

/// Takes every vector of a file, turn by turn.
async fn each_vector(
    store: &VectorStore,
    mut take: impl FnMut(StoredId, Signs) + Send,
) -> Result<(), DatabaseError> {
    let mut after = StoredId(i64::MIN);
    loop {
        let read = store.vectors(after, READ_AT_ONCE).await?;
        let Some((last, _)) = read.last() else { return Ok(()) };
        after = *last;
        read.into_iter().for_each(|(turn, vector)| take(turn, vector));
    }
}

/// Reads on whenever it is told that something was said. Stops when dropped; what was read stays read.
#[derive(Debug)]
pub struct MeaningReader {
    came: Arc<Notify>,
    _task: AbortOnDropHandle<()>,
}

impl MeaningReader {
    /// Starts reading as soon as the model is ready.
    pub fn start(meaning: Arc<Meaning>, history: Arc<History>) -> Self {
        let came = Arc::new(Notify::new());
        let task = tokio::spawn(read_on(meaning, history, Arc::clone(&came)));
        Self { came, _task: AbortOnDropHandle::new(task) }
    }

    /// Something was said. Never waits.
    pub fn wake(&self) {
        self.came.notify_one();
    }
}

async fn read_on(meaning: Arc<Meaning>, history: Arc<History>, came: Arc<Notify>) {
    if !matches!(meaning.embeddings().settled().await, EmbeddingState::Ready { .. }) {
        return;
    }
    loop {
        match meaning.catch_up(&history, Pace::Beside).await {
            Ok(0) => {}
            Ok(turns) => tracing::debug!(turns, "the embedding model has read on"),
            Err(MeaningError::NotReady) => return,
            Err(error) => tracing::warn!(%error, "what was said could not be given to the embedding model"),
        }
        came.notified().await;
    }
}
