//! Reading a question together with each text that may answer it. A cross-encoder sees both at once, which no comparison of
//! vectors does; it takes milliseconds a text, so that only the best finds are given to it, and only for so long.

use std::fmt::{self, Debug};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokenizers::{Encoding, Tokenizer};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::bert::{Bert, BertShape, Head};
use super::model::{ModelError, fitting, model_name, read_json, tokenizer};
use super::weights::{Weights, WeightsError};

/// Tokens of a question and a text together that are read: a long question and a long message.
pub(super) const PAIR_TOKENS: usize = 192;

/// Texts that are read before it is looked whether somebody still waits.
const TEXTS_AT_ONCE: usize = 4;

/// Reads a question together with texts. Takes milliseconds a text: never called on an async thread.
pub trait Reranker: Send + Sync + Debug {
    /// Which model, for people.
    fn name(&self) -> &str;

    /// How well each of the texts answers the question, in their order: more is better, and what one question's texts are
    /// given compares.
    ///
    /// # Errors
    /// [`RerankError::Failed`].
    fn judge(&self, question: &str, texts: &[&str]) -> Result<Vec<f32>, RerankError>;
}

/// A model of the BERT kind with a head that judges, read from a folder.
#[derive(Debug)]
pub struct CrossEncoder {
    name: String,
    tokenizer: Tokenizer,
    bert: Bert,
    head: Head,
}

impl CrossEncoder {
    /// Reads `config.json`, `tokenizer.json` and `model.safetensors`.
    ///
    /// # Errors
    /// When a file is missing, damaged, or of a kind this program does not compute, such as one that does not judge.
    pub fn open(folder: &Path) -> Result<Self, ModelError> {
        let shape: BertShape = read_json(&folder.join("config.json"))?;
        let tokenizer = tokenizer(folder, PAIR_TOKENS.min(shape.max_tokens()))?;
        let path = folder.join("model.safetensors");
        let read = |weights: Weights| {
            let head = Head::read(&shape, &weights).map_err(|error| match error {
                WeightsError::Missing(weight) => WeightsError::Unsupported(format!(
                    "a model without {weight}: it embeds and does not judge"
                )),
                error => error,
            })?;
            Ok((Bert::read(shape, &weights)?, head))
        };
        let (bert, head) = Weights::open(&path)
            .and_then(read)
            .map_err(|error| ModelError::Unusable { path, reason: error.to_string() })?;
        Ok(Self { name: model_name(folder), tokenizer, bert, head })
    }
}

impl Reranker for CrossEncoder {
    fn name(&self) -> &str {
        &self.name
    }

    fn judge(&self, question: &str, texts: &[&str]) -> Result<Vec<f32>, RerankError> {
        let failed = |error: WeightsError| RerankError::Failed(error.to_string());
        let pairs: Result<Vec<Encoding>, _> =
            texts.iter().map(|text| self.tokenizer.encode((question, *text), true)).collect();
        let pairs = pairs.map_err(|error| RerankError::Failed(error.to_string()))?;
        let mut scores = Vec::with_capacity(pairs.len());
        let mut rest = pairs.as_slice();
        while !rest.is_empty() {
            let (batch, later) = rest.split_at(fitting(rest));
            let states = self.bert.last_layer(batch).map_err(failed)?;
            let mut first_tokens = Vec::with_capacity(batch.len() * self.bert.hidden_size());
            let mut at = 0;
            for pair in batch {
                // A pair without a token has nothing that could be judged.
                let end = (at + self.bert.hidden_size()).min(states.len());
                first_tokens.extend_from_slice(&states[at..end]);
                at += pair.len() * self.bert.hidden_size();
            }
            scores.extend(self.head.judge(&first_tokens).map_err(failed)?);
            rest = later;
        }
        Ok(scores)
    }
}

/// Why texts were not put in order. They stay in the order they had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RerankError {
    #[error("the model is not ready yet")]
    NotReady,
    /// There is no model to be had, and why.
    #[error("{0}")]
    NoModel(String),
    #[error("busy with another question")]
    Busy,
    #[error("too late")]
    Late,
    /// The model or its tokeniser failed on these texts.
    #[error("the model failed: {0}")]
    Failed(String),
}

/// The one place to have texts put in order. Cheap to clone.
#[derive(Clone)]
pub struct Reranking(Arc<RerankingParts>);

struct RerankingParts {
    deadline: Duration,
    model: Arc<OnceLock<Result<LoadedReranker, String>>>,
    /// One question at a time: two would only make each other late.
    free: Arc<Semaphore>,
    _preparing: Option<AbortOnDropHandle<()>>,
}

#[derive(Debug, Clone)]
struct LoadedReranker {
    reranker: Arc<dyn Reranker>,
    pool: Arc<rayon::ThreadPool>,
}

impl LoadedReranker {
    fn on(reranker: Arc<dyn Reranker>, threads: usize) -> Result<Self, String> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.max(1))
            .thread_name(|number| format!("reranking {number}"))
            .build();
        Ok(Self { reranker, pool: Arc::new(pool.map_err(|error| error.to_string())?) })
    }
}

impl Debug for Reranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reranking").field(&self.0.model.get()).finish()
    }
}

impl Reranking {
    /// By a model that is there already, on `threads` threads (at least one). What takes longer than `deadline` is given
    /// up.
    pub fn with(reranker: Arc<dyn Reranker>, threads: usize, deadline: Duration) -> Self {
        let model = OnceLock::from(LoadedReranker::on(reranker, threads));
        Self::of(Arc::new(model), deadline, None)
    }

    /// By one that `prepare` brings, in the background.
    pub fn preparing(
        threads: usize,
        deadline: Duration,
        prepare: impl Future<Output = Result<Arc<dyn Reranker>, String>> + Send + 'static,
    ) -> Self {
        let model: Arc<OnceLock<Result<LoadedReranker, String>>> = Arc::default();
        let prepared = Arc::clone(&model);
        let task = tokio::spawn(async move {
            let ready = prepare.await.and_then(|reranker| LoadedReranker::on(reranker, threads));
            if let Err(reason) = &ready {
                tracing::warn!(%reason, "nothing reranks; finds stay in the order that their signals give");
            }
            let _ = prepared.set(ready);
        });
        Self::of(model, deadline, Some(AbortOnDropHandle::new(task)))
    }

    fn of(
        model: Arc<OnceLock<Result<LoadedReranker, String>>>,
        deadline: Duration,
        preparing: Option<AbortOnDropHandle<()>>,
    ) -> Self {
        let free = Arc::new(Semaphore::new(1));
        Self(Arc::new(RerankingParts { deadline, model, free, _preparing: preparing }))
    }

    /// Which model, once it is ready.
    pub fn name(&self) -> Option<&str> {
        self.0.model.get()?.as_ref().ok().map(|ready| ready.reranker.name())
    }

    /// How well each of the texts answers the question, in their order. Never waits for a model that is not ready, nor
    /// longer than `most` or its own deadline.
    ///
    /// # Errors
    /// [`RerankError`]; the order stays as it was.
    pub async fn judge(
        &self,
        question: String,
        texts: Vec<String>,
        most: Duration,
    ) -> Result<Vec<f32>, RerankError> {
        let LoadedReranker { reranker, pool } = match self.0.model.get() {
            None => return Err(RerankError::NotReady),
            Some(Err(reason)) => return Err(RerankError::NoModel(reason.clone())),
            Some(Ok(ready)) => ready.clone(),
        };
        let permit = Arc::clone(&self.0.free).try_acquire_owned().map_err(|_| RerankError::Busy)?;
        let gone = CancellationToken::new();
        let _waits = gone.clone().drop_guard();
        let judging = spawn_blocking(move || {
            // Whoever no longer waits leaves the model to the next question only when it has really stopped.
            let _permit = permit;
            pool.install(|| {
                let mut scores = Vec::with_capacity(texts.len());
                for some in texts.chunks(TEXTS_AT_ONCE) {
                    if gone.is_cancelled() {
                        return Err(RerankError::Late);
                    }
                    let some: Vec<&str> = some.iter().map(String::as_str).collect();
                    scores.extend(reranker.judge(&question, &some)?);
                }
                if scores.len() == texts.len() { Ok(scores) } else { Err(rerank_failed("it left texts out")) }
            })
        });
        match timeout(most.min(self.0.deadline), judging).await {
            Ok(Ok(judged)) => judged,
            Ok(Err(_)) => Err(rerank_failed("it broke off")),
            Err(_) => Err(RerankError::Late),
        }
    }
}

fn rerank_failed(how: &str) -> RerankError {
    RerankError::Failed(how.to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    /// Likes long texts. Waits where a text says so, and breaks where one says so.
    #[derive(Debug)]
    struct Lengths(Arc<Barrier>);

    impl Reranker for Lengths {
        fn name(&self) -> &str {
            "lengths"
        }

        fn judge(&self, _: &str, texts: &[&str]) -> Result<Vec<f32>, RerankError> {
            if texts.contains(&"wait") {
                self.0.wait();
                self.0.wait();
            }
            assert!(!texts.contains(&"break"), "told to");
            Ok(texts.iter().map(|text| text.len() as f32).collect())
        }
    }

    const DEADLINE: Duration = Duration::from_millis(250);

    fn lengths() -> (Reranking, Arc<Barrier>) {
        let gate = Arc::new(Barrier::new(2));
        (Reranking::with(Arc::new(Lengths(Arc::clone(&gate))), 1, DEADLINE), gate)
    }

    async fn judged(reranking: &Reranking, texts: &[&str]) -> Result<Vec<f32>, RerankError> {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        reranking.judge("who?".to_owned(), texts, Duration::MAX).await
    }

    async fn passes(gate: &Arc<Barrier>) {
        let gate = Arc::clone(gate);
        spawn_blocking(move || gate.wait()).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn y14_a_judge_that_is_late_is_given_up_and_stops_by_itself() {
        let (reranking, gate) = lengths();
        let asking = tokio::spawn({
            let reranking = reranking.clone();
            async move { judged(&reranking, &["wait", "b", "c", "d", "break"]).await }
        });
        passes(&gate).await;
        assert_eq!(judged(&reranking, &["a"]).await, Err(RerankError::Busy), "one question at a time");
        tokio::time::advance(DEADLINE).await;
        assert_eq!(asking.await.unwrap(), Err(RerankError::Late));
        assert_eq!(judged(&reranking, &["a"]).await, Err(RerankError::Busy), "it has not stopped yet");
        passes(&gate).await;
        let free = Arc::clone(&reranking.0.free).acquire_owned().await.unwrap();
        drop(free);
        assert_eq!(judged(&reranking, &["a", "bcd"]).await, Ok(vec![1.0, 3.0]));
    }

    #[tokio::test]
    async fn y14_what_cannot_judge_says_why() {
        let (reranking, _) = lengths();
        assert!(matches!(judged(&reranking, &["break"]).await, Err(RerankError::Failed(_))));
        assert_eq!(judged(&reranking, &["fine"]).await, Ok(vec![4.0]));
        let none = Reranking::preparing(1, DEADLINE, async { Err("no network".to_owned()) });
        while none.0.model.get().is_none() {
            assert_eq!(judged(&none, &["a"]).await, Err(RerankError::NotReady));
            tokio::task::yield_now().await;
        }
        assert_eq!(judged(&none, &["a"]).await, Err(RerankError::NoModel("no network".to_owned())));
        assert_eq!(none.name(), None);
    }
}
