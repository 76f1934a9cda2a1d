//! The one place to ask for vectors, whether there is a model or not.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use super::desk::Desk;
use super::embedder::{EmbedError, Embedded, Embedder, TextKind};

/// Whether vectors can be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbeddingState {
    Off,
    /// The model's files are being fetched: so many bytes of so many.
    Fetching {
        done: u64,
        /// In all, as far as is known.
        total: u64,
    },
    Loading,
    Ready {
        id: String,
        /// How many numbers a vector has.
        dims: usize,
    },
    /// There is no model to be had, and why; everything goes on by words alone.
    Failed(String),
}

/// Hands texts to the model. Cheap to clone; the model's thread ends with the last clone.
#[derive(Clone)]
pub struct Embeddings(Arc<EmbeddingsParts>);

struct EmbeddingsParts {
    desk: Arc<Desk>,
    standing: watch::Sender<EmbeddingState>,
    preparing: Mutex<Option<AbortOnDropHandle<()>>>,
}

impl Drop for EmbeddingsParts {
    fn drop(&mut self) {
        self.desk.close();
    }
}

impl fmt::Debug for Embeddings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Embeddings").field(&*self.0.standing.borrow()).finish()
    }
}

impl Embeddings {
    /// None: whoever asks goes on by words alone.
    pub fn off() -> Self {
        Self::at(EmbeddingState::Off)
    }

    /// With a model that is there already, on `threads` threads (at least one).
    pub fn with(embedder: Arc<dyn Embedder>, threads: usize) -> Self {
        let embeddings = Self::at(EmbeddingState::Loading);
        set_to_work(&embeddings.0.desk, &embeddings.0.standing, embedder, threads);
        embeddings
    }

    /// Without a model yet: `prepare` brings one, in the background, and says how far it is. Why none came is said to those
    /// who look at [`Self::changes`]; whoever prepares it logs it.
    pub fn preparing<F>(threads: usize, prepare: impl FnOnce(watch::Sender<EmbeddingState>) -> F) -> Self
    where
        F: Future<Output = Result<Arc<dyn Embedder>, String>> + Send + 'static,
    {
        let embeddings = Self::at(EmbeddingState::Loading);
        let (desk, standing) = (Arc::clone(&embeddings.0.desk), embeddings.0.standing.clone());
        let prepared = prepare(standing.clone());
        let task = AbortOnDropHandle::new(tokio::spawn(async move {
            match prepared.await {
                Ok(embedder) => set_to_work(&desk, &standing, embedder, threads),
                Err(reason) => {
                    standing.send_replace(EmbeddingState::Failed(reason));
                }
            }
        }));
        *embeddings.0.preparing.lock() = Some(task);
        embeddings
    }

    fn at(standing: EmbeddingState) -> Self {
        Self(Arc::new(EmbeddingsParts {
            desk: Arc::new(Desk::default()),
            standing: watch::Sender::new(standing),
            preparing: Mutex::new(None),
        }))
    }

    /// Whether vectors can be had now.
    pub fn standing(&self) -> EmbeddingState {
        self.0.standing.borrow().clone()
    }

    /// Tells when that changes.
    pub fn changes(&self) -> watch::Receiver<EmbeddingState> {
        self.0.standing.subscribe()
    }

    /// Waits until the model is ready or it is clear that none will be.
    pub async fn settled(&self) -> EmbeddingState {
        let mut changes = self.changes();
        let settled = changes.wait_for(|standing| {
            matches!(standing, EmbeddingState::Off | EmbeddingState::Ready { .. } | EmbeddingState::Failed(_))
        });
        match settled.await {
            Ok(standing) => standing.clone(),
            Err(_) => self.standing(),
        }
    }

    /// The vectors of texts, in their order. Never waits for a model that is not ready.
    ///
    /// # Errors
    /// [`EmbedError`]; whoever asked goes on by words alone.
    pub async fn embed(&self, texts: Vec<String>, kind: TextKind) -> Result<Vec<Embedded>, EmbedError> {
        if !matches!(*self.0.standing.borrow(), EmbeddingState::Ready { .. }) {
            return Err(EmbedError::NotReady);
        }
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        self.0.desk.hand_in(texts, kind)?.await.unwrap_or(Err(EmbedError::NotReady))
    }

    /// The vectors of one question.
    ///
    /// # Errors
    /// As [`embed`](Self::embed).
    pub async fn embed_question(&self, question: &str) -> Result<Embedded, EmbedError> {
        let embedded = self.embed(vec![question.to_owned()], TextKind::Question).await?;
        embedded.into_iter().next().ok_or(EmbedError::NotReady)
    }
}

fn set_to_work(
    desk: &Arc<Desk>,
    standing: &watch::Sender<EmbeddingState>,
    embedder: Arc<dyn Embedder>,
    threads: usize,
) {
    let ready = EmbeddingState::Ready { id: embedder.id().to_owned(), dims: embedder.dims() };
    let desk = Arc::clone(desk);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .thread_name(|number| format!("embedding {number}"))
        .build();
    let started = pool.map_err(|error| error.to_string()).and_then(|pool| {
        std::thread::Builder::new()
            .name("embedding".to_owned())
            .spawn(move || desk.work(&*embedder, &pool))
            .map_err(|error| error.to_string())
    });
    standing.send_replace(match started {
        Ok(_) => ready,
        Err(reason) => EmbeddingState::Failed(reason),
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::super::embedder::TokenVectors;
    use super::*;

    /// Counts letters. Waits where a text says so, and breaks where one says so.
    #[derive(Debug)]
    struct Letters {
        gate: Arc<Barrier>,
        seen: Arc<Mutex<Vec<String>>>,
    }

    impl Letters {
        fn new() -> (Arc<Self>, Arc<Barrier>, Arc<Mutex<Vec<String>>>) {
            let (gate, seen) = (Arc::new(Barrier::new(2)), Arc::default());
            let letters = Self { gate: Arc::clone(&gate), seen: Arc::clone(&seen) };
            (Arc::new(letters), gate, seen)
        }
    }

    impl Embedder for Letters {
        fn id(&self) -> &str {
            "letters"
        }

        fn dims(&self) -> usize {
            1
        }

        fn embed(&self, texts: &[&str], _: TextKind) -> Result<Vec<Embedded>, EmbedError> {
            self.seen.lock().extend(texts.iter().map(|text| (*text).to_owned()));
            if texts.contains(&"wait") {
                self.gate.wait();
                self.gate.wait();
            }
            assert!(!texts.contains(&"break"), "told to");
            Ok(texts
                .iter()
                .map(|text| Embedded {
                    vector: vec![text.len() as f32],
                    tokens: TokenVectors::default(),
                    spans: Vec::new(),
                })
                .collect())
        }
    }

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[tokio::test]
    async fn y11_without_a_model_the_answer_is_there_at_once() {
        let off = Embeddings::off();
        assert_eq!(off.embed_question("who?").await, Err(EmbedError::NotReady));
        assert_eq!(off.settled().await, EmbeddingState::Off);
        let failed = Embeddings::preparing(1, |_| async { Err("no network".to_owned()) });
        assert_eq!(failed.settled().await, EmbeddingState::Failed("no network".to_owned()));
        assert_eq!(failed.embed_question("who?").await, Err(EmbedError::NotReady));
    }

    #[tokio::test]
    async fn y11_questions_go_before_what_nobody_waits_for() {
        let (letters, gate, seen) = Letters::new();
        let embeddings = Embeddings::with(letters, 1);
        let mut many = vec!["wait".to_owned()];
        many.extend((0..20).map(|number| format!("turn {number}")));
        let batch = tokio::spawn({
            let embeddings = embeddings.clone();
            async move { embeddings.embed(many, TextKind::Passage).await }
        });
        tokio::task::spawn_blocking({
            let gate = Arc::clone(&gate);
            move || gate.wait()
        })
        .await
        .unwrap();
        let asked = embeddings.0.desk.hand_in(texts(&["who?"]), TextKind::Question).unwrap();
        gate.wait();
        assert_eq!(asked.await.unwrap().unwrap()[0].vector, [4.0]);
        let batch = batch.await.unwrap().unwrap();
        assert_eq!(batch.len(), 21);
        assert_eq!(batch[1].vector, [6.0]);
        let seen = seen.lock();
        let at = |text: &str| seen.iter().position(|one| one == text).unwrap();
        assert!(at("who?") < at("turn 19") && at("who?") > at("turn 0"), "{seen:?}");
    }

    #[tokio::test]
    async fn y11_a_text_that_breaks_the_model_breaks_nothing_else() {
        let (letters, _, _) = Letters::new();
        let embeddings = Embeddings::with(letters, 1);
        let broken = embeddings.embed(texts(&["break"]), TextKind::Question).await;
        assert!(matches!(broken, Err(EmbedError::Failed(_))), "{broken:?}");
        assert_eq!(embeddings.embed_question("well?").await.unwrap().vector, [5.0]);
    }

    #[tokio::test]
    async fn y11_more_than_the_model_gets_done_is_refused() {
        let (letters, gate, _) = Letters::new();
        let embeddings = Embeddings::with(letters, 1);
        let first = embeddings.0.desk.hand_in(texts(&["wait"]), TextKind::Question).unwrap();
        tokio::task::spawn_blocking({
            let gate = Arc::clone(&gate);
            move || gate.wait()
        })
        .await
        .unwrap();
        let more: Vec<_> =
            (0..40).map(|_| embeddings.0.desk.hand_in(texts(&["more"]), TextKind::Question)).collect();
        let refused = more.iter().filter(|one| matches!(one, Err(EmbedError::Busy))).count();
        assert_eq!(refused, 8, "32 may wait");
        gate.wait();
        assert!(first.await.unwrap().is_ok());
    }
}
