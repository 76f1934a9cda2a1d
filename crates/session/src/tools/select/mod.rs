//! Which tools fit what is being answered, out of all there are (G9 to G12).
//!
//! Owns the ranking by words and likeness, and what is learnt from use. Must not know which tools are offered already. Start
//! reading at [`Selector`].

mod network;
mod rank;
mod shape;
mod signs;
mod usage;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, RwLock};

pub use rank::{Fit, Ranking, ToolText};
pub(super) use shape::TurnShape;
use signs::LineSign;
pub(super) use usage::NOTHING;
use usage::{LearntUse, UseCounts};

/// From this score on a tool is taken to be wanted.
pub(super) const WANTED: f32 = 0.2;

/// Of a message that neither asks nor is to have something done, and that no tool fits better, none is wanted.
pub(super) const PLAINLY_NONE: f32 = 0.1;

/// How much of a score what was learnt may add.
const LEARNT_SHARE: f32 = 0.2;

/// Counted turns after which they are written down.
const SAVE_EVERY: u32 = 16;

/// Counted turns after which everything is learnt anew.
const LEARN_EVERY: u32 = 64;

/// How the known tools go with a line.
#[derive(Debug, Clone)]
pub(super) struct Ranked {
    /// Names with scores, best first.
    pub(super) tools: Vec<(Arc<str>, f32)>,
    /// Whether it asks anything, or for something to be done.
    pub(super) asks: bool,
    pub(super) asks_for_deeds: bool,
    pub(super) shape: TurnShape,
    /// Who had a say: `words and likeness`, with what learnt beside it.
    pub(super) by: &'static str,
}

/// Ranks tools, and learns from what was used. One per process.
#[derive(Debug)]
pub(super) struct Selector {
    ranking: RwLock<Option<Arc<Ranking>>>,
    /// Held while the tools are got to know: whoever comes later knows more of them.
    getting_to_know: Mutex<()>,
    learning: Arc<Learning>,
}

/// What is learnt behind the replies.
#[derive(Debug)]
struct Learning {
    file: PathBuf,
    counts: Mutex<CountedUse>,
    learnt: RwLock<Option<Arc<LearntUse>>>,
    is_busy: AtomicBool,
}

#[derive(Debug)]
struct CountedUse {
    counts: UseCounts,
    /// Turns since the last time something was learnt.
    since: u32,
}

impl Selector {
    /// One that keeps its counts in a file, which need not exist.
    pub(super) fn new(file: PathBuf) -> Self {
        let counts = UseCounts::load(&file);
        let since = counts.turns().min(LEARN_EVERY);
        let learning = Learning {
            file,
            counts: Mutex::new(CountedUse { counts, since }),
            learnt: RwLock::default(),
            is_busy: AtomicBool::new(false),
        };
        Self { ranking: RwLock::default(), getting_to_know: Mutex::default(), learning: Arc::new(learning) }
    }

    /// How the tools that it knows go with a line; `None` as long as it knows none.
    pub(super) fn rank(&self, line: &str, is_private: bool) -> Option<Ranked> {
        let ranking = self.ranking.read().clone()?;
        let fit = ranking.fit(line);
        let by_words = ranking.names().map(|name| &**name).zip(fit.by_words.iter().copied());
        let shape = TurnShape::of(is_private, &fit.signs, by_words);
        let learnt = self.learning.learnt.read().clone();
        let chances =
            learnt.as_ref().map(|learnt| learnt.chances(&shape, ranking.names().map(|name| &**name)));
        let scores =
            fit.scores.iter().enumerate().map(|(at, score)| {
                score + LEARNT_SHARE * chances.as_ref().map_or(0.0, |chances| chances[at])
            });
        let mut tools: Vec<(Arc<str>, f32)> = ranking.names().cloned().zip(scores).collect();
        tools.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.cmp(b)));
        let by = match learnt.map(|learnt| learnt.name()) {
            None => "words and likeness",
            Some("table") => "words, likeness and the table of what was used",
            Some(_) => "words, likeness and the network of what was used",
        };
        let asks_for_deeds = fit.signs.contains(&LineSign::Request);
        let asks = asks_for_deeds || fit.signs.contains(&LineSign::Question);
        Some(Ranked { tools, asks, asks_for_deeds, shape, by })
    }

    /// Gets to know the tools that there are. Takes a while: not on the way of a reply.
    pub(super) fn get_to_know(&self, tools: impl FnOnce() -> Vec<ToolText>) {
        let _one_after_the_other = self.getting_to_know.lock();
        let tools = tools();
        if self.ranking.read().as_ref().is_some_and(|known| known.is_of(&tools)) {
            return;
        }
        let made = Arc::new(Ranking::of(tools));
        *self.ranking.write() = Some(made);
    }

    /// Counts what a turn of some shape used.
    pub(super) fn note(&self, shape: TurnShape, tool: &str) {
        let (is_to_save, is_to_learn) = {
            let mut counted = self.learning.counts.lock();
            counted.counts.note(shape, tool);
            counted.since += 1;
            (counted.since.is_multiple_of(SAVE_EVERY), counted.since >= LEARN_EVERY)
        };
        if (is_to_save || is_to_learn) && !self.learning.is_busy.swap(true, Ordering::AcqRel) {
            let learning = Arc::clone(&self.learning);
            on_blocking_thread(move || learning.catch_up(is_to_learn));
        }
    }
}

/// Does something that takes a while on a blocking thread; at once where there is no async runtime.
pub(super) fn on_blocking_thread(work: impl FnOnce() + Send + 'static) {
    match tokio::runtime::Handle::try_current() {
        Ok(runtime) => drop(runtime.spawn_blocking(work)),
        Err(_) => work(),
    }
}

impl Learning {
    /// Writes the counts down and, where it is time, learns from them.
    fn catch_up(&self, is_to_learn: bool) {
        let counts = {
            let mut counted = self.counts.lock();
            if is_to_learn {
                counted.since = 0;
            }
            counted.counts.clone()
        };
        if let Err(error) = counts.save(&self.file) {
            tracing::warn!(%error, file = %self.file.display(), "which tools were used could not be written down");
        }
        if is_to_learn && let Some((learnt, contest)) = LearntUse::from(&counts) {
            tracing::info!(
                winner = learnt.name(),
                table = contest.table,
                network = contest.network,
                turns = counts.turns(),
                kept = counts.len(),
                "learnt which tools are used; loss on what was held back, less is better"
            );
            *self.learnt.write() = Some(Arc::new(learnt));
        }
        self.is_busy.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests;
