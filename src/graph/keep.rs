//! Keeping the graph in step with the history and the notes, log first.
//!
//! Owns the order: what happened is written into the log, together with how far it was followed, and only then taken into
//! the graph. Cut off anywhere, the next try tells the same again, which changes nothing. Start reading at
//! [`Graph::keep_up`].

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::Mutex as AsyncMutex;

use super::Graph;
use super::fold::{Event, Fold};
use super::log::GraphLog;
use super::notes::NoteSeen;
use super::turns::TurnSeen;
use crate::history::{History, Mark, Told};
use crate::memory::store::{NotePath, StoreError};
use crate::memory::{Memory, NoteTold, NotesFollower};
use crate::sqlite::DatabaseError;

/// The log, in the folder of what is derived.
pub(super) const FOLDER: &str = ".index";
pub(super) const FILE: &str = "graph.sqlite";

/// Messages taken in at once.
const BATCH: u32 = 1_000;

/// Why the graph could not be brought up to date. It answers as of before.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// The notes could not be.
    #[error(transparent)]
    Notes(#[from] StoreError),
    /// The folder of the log cannot be made.
    #[error("cannot make {}: {source}", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The history could not be read, or the log not written.
    #[error(transparent)]
    Log(#[from] DatabaseError),
    /// The program is going down.
    #[error("the look at the graph was broken off")]
    BrokenOff,
}

/// How large a graph is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Things.
    pub nodes: usize,
    /// What hangs together, by audience.
    pub edges: usize,
    /// Messages it was made of.
    pub messages: usize,
    /// Notes it was made of.
    pub notes: usize,
}

/// Something that the graph says and one made anew does not, or the other way round.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// What.
    pub said: String,
    /// Whether it is in the graph that was kept up to date.
    pub is_kept: bool,
}

/// What is followed, how far, and what was made of it.
#[derive(Debug)]
pub(super) struct Upkeep {
    history: Arc<History>,
    pub(super) memory: Arc<Memory>,
    pub(super) fold: Arc<RwLock<Fold>>,
    pub(super) keeper: AsyncMutex<Keeper>,
}

/// How far the history and the notes were followed.
#[derive(Debug, Default)]
pub(super) struct Keeper {
    file: Option<PathBuf>,
    pub(super) log: Option<Arc<GraphLog>>,
    pub(super) mark: Mark,
    notes: Option<NotesFollower>,
}

impl Keeper {
    pub(super) fn log_to(&mut self, file: PathBuf) {
        self.file = Some(file);
    }
}

impl Graph {
    /// Takes in what happened since the last time. What stands in the log is read first. Goes on to its end when nobody
    /// waits any more: a look at a large graph that was given up would otherwise begin anew every time.
    ///
    /// # Errors
    /// When the history, the notes or the log cannot be used.
    pub async fn keep_up(&self) -> Result<(), GraphError> {
        let upkeep = Arc::clone(&self.upkeep);
        tokio::spawn(async move { upkeep.keep_up().await }).await.map_err(|_| GraphError::BrokenOff)?
    }

    /// Forgets all of it, the log included, and makes it anew from the history and the notes.
    ///
    /// # Errors
    /// As [`Self::keep_up`].
    pub async fn rebuild(&self) -> Result<Counts, GraphError> {
        {
            let mut keeper = self.upkeep.keeper.lock().await;
            if keeper.log.is_none() {
                keeper.log = open(keeper.file.as_ref(), &self.upkeep.history).await?;
            }
            if let Some(log) = &keeper.log {
                log.clear(&own_name(&self.upkeep.history)).await?;
            }
            *self.upkeep.fold.write().unwrap_or_else(PoisonError::into_inner) = Fold::default();
            keeper.mark = Mark::default();
            keeper.notes = Some(self.upkeep.memory.follow_notes([]));
        }
        self.keep_up().await?;
        Ok(self.counts())
    }

    /// Something was forgotten: what is left is taken in, and nothing of the rest stays in the log's journal.
    ///
    /// # Errors
    /// As [`Self::keep_up`].
    pub async fn forgotten(&self) -> Result<(), GraphError> {
        self.keep_up().await?;
        let log = self.upkeep.keeper.lock().await.log.clone();
        if let Some(log) = log {
            log.settle().await?;
        }
        Ok(())
    }

    /// Brings it up to date, makes another anew and compares the two: none where they say the same.
    ///
    /// # Errors
    /// As [`Self::keep_up`].
    pub async fn verify(&self) -> Result<Vec<Difference>, GraphError> {
        self.keep_up().await?;
        let anew = Self::over(Arc::clone(&self.upkeep.history), Arc::clone(&self.upkeep.memory));
        anew.keep_up().await?;
        // What came meanwhile is in the one and not in the other.
        self.keep_up().await?;
        anew.keep_up().await?;
        let (kept, rebuilt) = (self.said(), anew.said());
        let difference = |said: &String, is_kept: bool| Difference { said: said.clone(), is_kept };
        let gone = kept.difference(&rebuilt).map(|said| difference(said, true));
        Ok(gone.chain(rebuilt.difference(&kept).map(|said| difference(said, false))).collect())
    }

    /// Closes the log. Later calls that bring it up to date get an error.
    ///
    /// # Errors
    /// When the last of the journal cannot be moved; nothing is lost then.
    pub async fn close(&self) -> Result<(), GraphError> {
        if let Some(log) = &self.upkeep.keeper.lock().await.log {
            log.close().await?;
        }
        Ok(())
    }

    /// Everything it says.
    pub(super) fn said(&self) -> BTreeSet<String> {
        self.upkeep.fold.read().unwrap_or_else(PoisonError::into_inner).store.said()
    }
}

impl Upkeep {
    pub(super) fn over(history: Arc<History>, memory: Arc<Memory>) -> Arc<Self> {
        Arc::new(Self { history, memory, fold: Arc::default(), keeper: AsyncMutex::default() })
    }

    /// Broken off anywhere, the next call takes in the rest.
    async fn keep_up(&self) -> Result<(), GraphError> {
        let mut keeper = self.keeper.lock().await;
        if keeper.notes.is_none() {
            self.begin(&mut keeper).await?;
        }
        loop {
            let followed = self.history.follow(keeper.mark, BATCH).await?;
            let mark = followed.mark;
            if !followed.told.is_empty() {
                let events = blocking(move || followed.told.into_iter().map(of_turn).collect()).await?;
                self.take(&keeper, events, mark).await?;
            } else if mark != keeper.mark {
                self.take(&keeper, Vec::new(), mark).await?;
            }
            keeper.mark = mark;
            if followed.is_all {
                break;
            }
        }
        let Some(mut notes) = keeper.notes.take() else { return Ok(()) };
        let (told, notes) = blocking(move || (notes.told(), notes)).await?;
        let told = match told {
            Ok(told) => told,
            Err(error) => {
                keeper.notes = Some(notes);
                return Err(error.into());
            }
        };
        if !told.is_empty() {
            let events = blocking(move || told.into_iter().map(of_note).collect()).await?;
            // Where this fails or is broken off, the follower is gone, and a new one tells of the same notes again.
            self.take(&keeper, events, keeper.mark).await?;
        }
        keeper.notes = Some(notes);
        Ok(())
    }

    /// Opens the log and takes in what stands in it.
    pub(super) async fn begin(&self, keeper: &mut Keeper) -> Result<(), GraphError> {
        if keeper.log.is_none() {
            keeper.log = open(keeper.file.as_ref(), &self.history).await?;
        }
        if let Some(log) = keeper.log.clone() {
            let place = log.place().await?;
            let mut after = 0;
            loop {
                let (events, last) = log.events(after).await?;
                let Some(last) = last else { break };
                after = last;
                self.apply(events).await?;
            }
            keeper.mark = place.mark;
        }
        let known: Vec<(NotePath, String)> = {
            let fold = self.fold.read().unwrap_or_else(PoisonError::into_inner);
            let known =
                fold.hashes().filter_map(|(path, hash)| Some((NotePath::new(path).ok()?, hash.to_owned())));
            known.collect()
        };
        keeper.notes = Some(self.memory.follow_notes(known));
        Ok(())
    }

    /// Log first, then the graph.
    async fn take(&self, keeper: &Keeper, events: Vec<Event>, mark: Mark) -> Result<(), GraphError> {
        let events = match &keeper.log {
            Some(log) => {
                log.append(&events, mark).await?;
                events
            }
            None => events,
        };
        self.apply(events).await
    }

    async fn apply(&self, events: Vec<Event>) -> Result<(), GraphError> {
        let fold: Arc<RwLock<Fold>> = Arc::clone(&self.fold);
        blocking(move || fold.write().unwrap_or_else(PoisonError::into_inner).take(events)).await
    }
}

async fn open(file: Option<&PathBuf>, history: &History) -> Result<Option<Arc<GraphLog>>, GraphError> {
    let Some(file) = file else { return Ok(None) };
    if let Some(folder) = file.parent() {
        let made = fs::create_dir_all(folder);
        made.map_err(|source| GraphError::Folder { path: folder.to_owned(), source })?;
    }
    Ok(Some(Arc::new(GraphLog::open(file, &own_name(history)).await?)))
}

/// Which history it is: the log of another is nobody's.
fn own_name(history: &History) -> String {
    use sha2::{Digest as _, Sha256};
    let digest = Sha256::digest(history.salt().as_bytes());
    digest.iter().take(8).fold(String::new(), |mut name, byte| {
        let _ = write!(name, "{byte:02x}");
        name
    })
}

pub(super) fn of_turn(told: Told) -> Event {
    match told {
        Told::Stands(heard) => Event::Turn(Box::new(TurnSeen::of(&heard))),
        Told::Gone(id) => Event::TurnGone { id: id.0 },
    }
}

fn of_note(told: NoteTold) -> Event {
    match told {
        NoteTold::Stands { path, text, hash } => Event::Note(NoteSeen::of(&path, &text, hash.to_string())),
        NoteTold::Gone(path) => Event::NoteGone { path: path.as_str().into() },
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, GraphError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| GraphError::BrokenOff)
}
