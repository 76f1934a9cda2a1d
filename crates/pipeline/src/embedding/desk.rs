//! Where texts wait for the model. It works on a thread of its own; questions, for which somebody waits, go before
//! everything that is only to be kept.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;

use super::embedder::{EmbedError, Embedded, Embedder, TextKind};

/// Questions that may wait; each takes a few milliseconds.
const QUESTIONS: usize = 32;

/// Batches that may wait: their askers are workers, who can come back.
const BATCHES: usize = 4;

/// Texts of a batch that go through before questions are looked for again: some 20 ms of chat messages.
const TEXTS_AT_ONCE: usize = 8;

type Answer = oneshot::Sender<Result<Vec<Embedded>, EmbedError>>;

/// The queue in front of the model.
#[derive(Debug, Default)]
pub(super) struct Desk {
    waiting: Mutex<EmbeddingQueue>,
    came: Condvar,
}

#[derive(Debug, Default)]
struct EmbeddingQueue {
    questions: VecDeque<Batch>,
    batches: VecDeque<Batch>,
    closed: bool,
}

#[derive(Debug)]
struct Batch {
    texts: VecDeque<String>,
    done: Vec<Embedded>,
    answer: Answer,
}

impl Desk {
    /// Puts texts into the queue; the answer comes by itself.
    ///
    /// # Errors
    /// [`EmbedError::Busy`] where too much waits already, [`EmbedError::NotReady`] once closed.
    pub(super) fn hand_in(
        &self,
        texts: Vec<String>,
        kind: TextKind,
    ) -> Result<oneshot::Receiver<Result<Vec<Embedded>, EmbedError>>, EmbedError> {
        let (answer, told) = oneshot::channel();
        let mut waiting = self.waiting.lock();
        if waiting.closed {
            return Err(EmbedError::NotReady);
        }
        let (line, most) = match kind {
            TextKind::Question => (&mut waiting.questions, QUESTIONS),
            TextKind::Passage => (&mut waiting.batches, BATCHES),
        };
        // Whoever no longer waits takes no place.
        line.retain(|batch| !batch.answer.is_closed());
        if line.len() >= most {
            return Err(EmbedError::Busy);
        }
        line.push_back(Batch { done: Vec::with_capacity(texts.len()), texts: texts.into(), answer });
        drop(waiting);
        self.came.notify_one();
        Ok(told)
    }

    /// Ends the work; what waits is told so.
    pub(super) fn close(&self) {
        let mut waiting = self.waiting.lock();
        waiting.closed = true;
        waiting.questions.clear();
        waiting.batches.clear();
        drop(waiting);
        self.came.notify_all();
    }

    /// Works until closed, on the threads of a pool.
    pub(super) fn work(&self, embedder: &dyn Embedder, pool: &rayon::ThreadPool) {
        while let Some((kind, mut batch)) = self.next() {
            if batch.answer.is_closed() {
                continue;
            }
            let most = if kind == TextKind::Question { batch.texts.len() } else { TEXTS_AT_ONCE };
            let texts: Vec<String> = batch.texts.drain(..most.min(batch.texts.len())).collect();
            match embedded(embedder, &texts, kind, pool) {
                Ok(embedded) => {
                    batch.done.extend(embedded);
                    if batch.texts.is_empty() {
                        // Whoever asked may be gone meanwhile.
                        let _ = batch.answer.send(Ok(batch.done));
                    } else {
                        self.waiting.lock().batches.push_front(batch);
                    }
                }
                Err(error) => {
                    let _ = batch.answer.send(Err(error));
                }
            }
        }
    }

    fn next(&self) -> Option<(TextKind, Batch)> {
        let mut waiting = self.waiting.lock();
        loop {
            if waiting.closed {
                return None;
            }
            if let Some(question) = waiting.questions.pop_front() {
                return Some((TextKind::Question, question));
            }
            if let Some(batch) = waiting.batches.pop_front() {
                return Some((TextKind::Passage, batch));
            }
            self.came.wait(&mut waiting);
        }
    }
}

/// A model that breaks on a text must not take the thread with it: the next text may be fine.
fn embedded(
    embedder: &dyn Embedder,
    texts: &[String],
    kind: TextKind,
    pool: &rayon::ThreadPool,
) -> Result<Vec<Embedded>, EmbedError> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let ran = catch_unwind(AssertUnwindSafe(|| pool.install(|| embedder.embed(&texts, kind))));
    let embedded = ran.unwrap_or_else(|_| Err(EmbedError::Failed("it broke off".to_owned())))?;
    if embedded.len() != texts.len() {
        let amiss = format!("{} vectors for {} texts", embedded.len(), texts.len());
        return Err(EmbedError::Failed(amiss));
    }
    Ok(embedded)
}
