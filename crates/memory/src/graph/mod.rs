//! How people, topics, notes and messages are connected (G1 to G8, A11).
//!
//! Owns tables that are derived from the history and the notes, kept in step with both, and looked at only through a
//! [`Viewer`]: what everybody present could already see. Must not know prompts, models or adapters. Start reading at
//! [`Graph::ask`].

mod fold;
mod kinds;
mod notes;
mod one_person;
mod overview;
mod people;
#[cfg(test)]
mod tests;
mod told;
mod turns;
mod view;

pub use kinds::{EdgeKind, InvalidNode, NodeId, NodeKind, SourceId};
pub use notes::{NoteLink, note_links};
pub use overview::{Overview, Thing, Tie};
pub use people::{Acquainted, Expert, Mood, NotedAbout};
pub use told::{DayTeller, name_or_somebody};
pub use view::{Bond, Dependent, NamedNode, Neighbour, Path, PathStep, View, Viewer};

use std::collections::BTreeSet;
use std::fs;
use std::path;
use std::sync::Arc;

use rusqlite::{OptionalExtension as _, Row, params};
use rusqlite_migration::{M, Migrations};
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;
use tokio::task::JoinError;

use self::notes::PEOPLE;
use self::one_person::OnePerson;
use crate::domain::{StoredId, Visible};
use crate::history::{History, Mark};
use crate::memory::store::{NotePath, StoreError};
use crate::memory::{Memory, NotesFollower};
use crate::sqlite::{Database, DatabaseError, remove_database};
use crate::text::keywords;
use crate::text::names::prompt_label;
use crate::text::short::hex;

static MIGRATIONS: Migrations<'static> = Migrations::from_slice(STEPS);

/// A step that was released is never edited; add the next one.
const STEPS: &[M<'static>] = &[
    M::up(include_str!("schema/01_graph.sql")),
    M::up(include_str!("schema/02_tables.sql")),
    M::up(include_str!("schema/03_words.sql")),
    M::up(include_str!("schema/04_one_person.sql")),
    M::up(include_str!("schema/05_fold.sql")),
];

/// What messages and notes are read as changes with the program: a graph of another number is made anew.
const READS: i64 = 6;

/// Messages taken in at once.
const BATCH: u32 = 1_000;

/// Why the graph could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    #[error(transparent)]
    Notes(#[from] StoreError),
    /// The history could not be read, or the tables not be written or read.
    #[error(transparent)]
    Tables(#[from] DatabaseError),
    #[error("the look at the graph was broken off")]
    BrokenOff(#[from] JoinError),
}

impl From<rusqlite::Error> for GraphError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Tables(error.into())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub nodes: u32,
    /// What hangs together, by audience.
    pub edges: u32,
    pub messages: u32,
    pub notes: u32,
}

/// Something that the graph says and one made anew does not, or the other way round.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GraphDifference {
    pub said: String,
    /// Whether it is in the graph that was kept up to date.
    pub is_kept: bool,
}

/// The graph of one familiar: what it follows, and how far.
#[derive(Debug, Clone)]
pub struct Graph {
    history: Arc<History>,
    memory: Arc<Memory>,
    reached: Arc<Mutex<Reached>>,
}

#[derive(Debug, Default)]
struct Reached {
    file: Option<path::PathBuf>,
    tables: Option<Arc<Database>>,
    mark: Mark,
    notes: Option<NotesFollower>,
}

impl Reached {
    /// What there is goes, and all of it is read again.
    async fn begin_anew(&mut self) -> Result<(), GraphError> {
        if let Some(tables) = self.tables.take() {
            tables.close().await?;
        }
        if let Some(file) = self.file.take_if(|file| {
            remove_database(file);
            file.exists()
        }) {
            tracing::warn!(file = %file.display(), "the tables of the graph cannot be removed; others are made, for now");
        }
        self.notes = None;
        Ok(())
    }
}

impl Graph {
    /// Of this history and these notes. Its tables are made anew for it, and go with it.
    pub fn over(history: Arc<History>, memory: Arc<Memory>) -> Self {
        Self { history, memory, reached: Arc::default() }
    }

    /// Keeps its tables in `memory/.index/`, so that a start goes on where the last one stopped. To be said before
    /// anything is asked.
    pub async fn keep(&self) {
        let file = self.memory.whole().store.root().join(".index").join("graph.sqlite");
        self.reached.lock().await.file = Some(file);
    }

    /// Asks something, as of now: what happened since the last time is taken in first. This is the one way to read it.
    pub async fn ask<R, Q>(&self, viewer: Viewer, question: Q) -> Result<R, GraphError>
    where
        R: Send + 'static,
        Q: FnOnce(&View<'_>) -> Result<R, GraphError> + Send + 'static,
    {
        let tables = self.up_to_date().await?;
        tables
            .read(move |tx| {
                Ok(View::of(tx, viewer).map_err(GraphError::from).and_then(|view| question(&view)))
            })
            .await?
    }

    /// Calls the topics on a way by a word that somebody wrote, in what the way was read from; by themselves they are known
    /// by a stem. With it come the names of the channels in which that was said, the newest first. Whoever may see the way
    /// may see that.
    pub async fn as_written(&self, mut way: Path) -> Result<(Path, Vec<String>), GraphError> {
        let evidence = way.steps.iter().flat_map(|step| &step.bonds).flat_map(|bond| &bond.evidence);
        let said: BTreeSet<StoredId> = evidence.filter_map(SourceId::turn).collect();
        let visible = Visible::only(way.audiences());
        let heard = self.history.seen_by(&visible).heard(said.into_iter().rev().collect()).await?;
        let mut channels: Vec<String> = Vec::new();
        for name in heard.iter().filter_map(|one| one.channel_name.as_deref()).map(prompt_label) {
            if !channels.contains(&name) {
                channels.push(name);
            }
        }
        let noted = way.steps.iter().filter(|step| step.to.id.kind == NodeKind::Fact);
        let noted = noted.filter_map(|step| step.to.label.as_deref().map(str::to_owned));
        let texts: Vec<String> = heard.into_iter().map(|one| one.turn.content).chain(noted).collect();
        for topic in way.steps.iter_mut().map(|step| &mut step.to) {
            if topic.id.kind == NodeKind::Topic && topic.label.is_none() {
                let written = texts.iter().find_map(|text| keywords::written_as(text, &topic.id.key));
                topic.label = written.map(Into::into);
            }
        }
        Ok((way, channels))
    }

    /// Takes in what happened since the last time.
    pub async fn keep_up(&self) -> Result<(), GraphError> {
        self.up_to_date().await.map(drop)
    }

    /// Goes on to its end when nobody waits any more: a look at a long history that was given up would otherwise begin
    /// anew every time.
    async fn up_to_date(&self) -> Result<Arc<Database>, GraphError> {
        let graph = self.clone();
        tokio::spawn(async move { graph.take_in().await }).await?
    }

    /// Forgets all of it and makes it anew from the history and the notes.
    pub async fn rebuild(&self) -> Result<Counts, GraphError> {
        self.reached.lock().await.begin_anew().await?;
        self.counts().await
    }

    /// Something was forgotten: what is left is taken in, and nothing of the rest stays in the file.
    pub async fn forgotten(&self) -> Result<(), GraphError> {
        Ok(self.up_to_date().await?.scrub().await?)
    }

    /// Brings it up to date, makes another anew and compares the two: none where they say the same.
    pub async fn verify(&self) -> Result<Vec<GraphDifference>, GraphError> {
        let anew = Self::over(Arc::clone(&self.history), Arc::clone(&self.memory));
        anew.keep_up().await?;
        // What comes meanwhile is in the one and not in the other.
        let (kept, rebuilt) = (self.all_said().await?, anew.all_said().await?);
        let difference = |said: &String, is_kept: bool| GraphDifference { said: said.clone(), is_kept };
        let gone = kept.difference(&rebuilt).map(|said| difference(said, true));
        Ok(gone.chain(rebuilt.difference(&kept).map(|said| difference(said, false))).collect())
    }

    async fn all_said(&self) -> Result<BTreeSet<String>, GraphError> {
        Ok(self.up_to_date().await?.read(fold::all_said).await?)
    }

    /// Closes its tables. Later questions get an error.
    pub async fn close(&self) -> Result<(), GraphError> {
        match &self.reached.lock().await.tables {
            Some(tables) => Ok(tables.close().await?),
            None => Ok(()),
        }
    }

    pub async fn counts(&self) -> Result<Counts, GraphError> {
        let tables = self.up_to_date().await?;
        let counts = tables.read(|tx| {
            tx.query_row(
                "SELECT (SELECT count(*) FROM nodes WHERE kind <> 'label'),
                        (SELECT count(*) FROM edges WHERE kind NOT IN ('shown', 'reads')),
                        (SELECT count(*) FROM turns), (SELECT count(*) FROM notes)",
                [],
                |row| {
                    let (nodes, edges) = (row.get(0)?, row.get(1)?);
                    Ok(Counts { nodes, edges, messages: row.get(2)?, notes: row.get(3)? })
                },
            )
        });
        Ok(counts.await?)
    }

    /// Broken off anywhere, the next call takes in the rest.
    async fn take_in(&self) -> Result<Arc<Database>, GraphError> {
        let mut reached = self.reached.lock().await;
        loop {
            if let Some(tables) = self.opened(&mut reached).await? {
                self.follow_history(&mut reached, &tables).await?;
                if self.follow_notes(&mut reached, &tables).await? {
                    return Ok(tables);
                }
            }
            reached.begin_anew().await?;
        }
    }

    /// The tables, opened where they are not yet; `None` where they are damaged, or made of another history or by another
    /// version.
    async fn opened(&self, reached: &mut Reached) -> Result<Option<Arc<Database>>, GraphError> {
        if let Some(tables) = &reached.tables {
            return Ok(Some(Arc::clone(tables)));
        }
        let tables = match &reached.file {
            None => Database::temporary(&MIGRATIONS).await?,
            Some(file) => {
                if let Some(folder) = file.parent() {
                    // Where that fails, the file in it cannot be opened, which is told.
                    let _ = fs::create_dir_all(folder);
                }
                Database::open_or_anew(file, &MIGRATIONS, "the tables of the graph are made anew").await?
            }
        };
        let (own, people) = (history_name(&self.history), OnePerson::of(&self.memory).await);
        let place = tables.jot(move |tx| {
            let begin = "UPDATE place SET history = ?1, reads = ?2 WHERE history = ''";
            if tx.execute(begin, params![own, READS])? > 0 {
                people.keep(tx)?;
            }
            let own_place = "SELECT turn, change FROM place WHERE history = ?1 AND reads = ?2";
            let mark = |row: &Row<'_>| Ok(Mark::new(row.get(0)?, row.get(1)?));
            tx.query_row(own_place, params![own, READS], mark).optional()
        });
        let mark = place.await.or_else(|error| if error.is_damage() { Ok(None) } else { Err(error) })?;
        let Some(mark) = mark else {
            tables.close().await?;
            return Ok(None);
        };
        reached.mark = mark;
        Ok(Some(Arc::clone(reached.tables.insert(Arc::new(tables)))))
    }

    async fn follow_history(&self, reached: &mut Reached, tables: &Database) -> Result<(), GraphError> {
        loop {
            let followed = self.history.whole().follow(reached.mark, BATCH).await?;
            let mark = followed.mark;
            if mark != reached.mark || !followed.told.is_empty() {
                // What happened and how far it was followed, together or not at all. It can be made anew, so nobody waits
                // for the disk.
                let taken = tables.jot(move |tx| {
                    fold::take_turns(tx, &followed.told)?;
                    let (turn, change) = mark.numbers();
                    tx.execute("UPDATE place SET turn = ?1, change = ?2", params![turn, change]).map(drop)
                });
                taken.await?;
                reached.mark = mark;
            }
            if followed.is_all {
                return Ok(());
            }
        }
    }

    /// Whether the notes were taken in. Where two accounts became one person's by them, or two people's again, every message
    /// of theirs reads otherwise.
    async fn follow_notes(&self, reached: &mut Reached, tables: &Database) -> Result<bool, GraphError> {
        let mut notes = match reached.notes.take() {
            Some(notes) => notes,
            None => {
                let known = tables.read(|tx| {
                    let mut known = tx.prepare("SELECT path, sha256 FROM notes")?;
                    let rows = known.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
                    rows.collect::<rusqlite::Result<Vec<(String, String)>>>()
                });
                let known = known.await?.into_iter();
                self.memory
                    .follow_notes(known.filter_map(|(path, hash)| Some((NotePath::new(path).ok()?, hash))))
            }
        };
        let looked = tokio::task::spawn_blocking(move || (notes.told(), notes)).await;
        let (told, notes) = looked?;
        let told = told?;
        let tells_of_people = told.iter().any(|one| one.path().is_in(PEOPLE));
        if tells_of_people && OnePerson::of(&self.memory).await != tables.read(OnePerson::read).await? {
            return Ok(false);
        }
        if !told.is_empty() {
            tables.jot(move |tx| fold::take_notes(tx, &told)).await?;
        }
        // Where anything of this fails the follower is gone, and a new one tells of the same notes again.
        reached.notes = Some(notes);
        Ok(true)
    }
}

/// Which history it is: what was made of another is nobody's.
fn history_name(history: &History) -> String {
    hex(&Sha256::digest(history.salt().as_bytes())[..8])
}
