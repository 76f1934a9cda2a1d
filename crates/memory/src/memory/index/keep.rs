//! Keeping the index in step with the files: what the kernel told of, else whatever has another size, time or content.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::task::spawn_blocking;
use tokio::time::Instant;

use super::passages::{Passage, is_indexed, passages};
use super::rows::{self, FileRow};
use super::{IndexError, Shared};
use crate::memory::store::{ContentHash, MemoryStore, NoteFile, NotePath, StoreError};
use crate::memory::watch::{Changes, FollowMark};

/// Files taken in by one transaction.
const BATCH: usize = 256;

/// Where nobody tells of changes, everything is looked at so often at most: an edit is found within a second.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A file this fresh may be written again without another time to show for it.
const FRESH_NS: i128 = 2_000_000_000;

/// What was heard and looked at so far.
#[derive(Debug, Default)]
pub(super) struct IndexKeeper {
    heard: FollowMark,
    looked: Option<Instant>,
}

/// What has to be done about a file.
enum IndexTask {
    Put(FileRow, Vec<(Passage, String)>),
    Touch(FileRow),
    Forget,
}

impl Shared {
    pub(super) async fn keep_up(self: &Arc<Self>) -> Result<(), IndexError> {
        if !self.store.root().is_dir() {
            return Ok(());
        }
        let mut keeper = self.keeper.lock().await;
        let (shared, mut heard) = (Arc::clone(self), std::mem::take(&mut keeper.heard));
        let asked = spawn_blocking(move || {
            let changes = shared.watch.since(&mut heard);
            (changes, shared.watch.is_watching(), heard)
        });
        let (changes, is_watching, heard) = asked.await?;
        keeper.heard = heard;
        let done = match changes {
            Changes::Files(names) => {
                let paths: Vec<NotePath> = names
                    .into_iter()
                    .filter_map(|name| NotePath::new(name).ok())
                    .filter(is_indexed)
                    .collect();
                self.take_in(paths).await
            }
            Changes::Unknown => {
                let is_recent = keeper.looked.is_some_and(|looked| looked.elapsed() < LOOK_EVERY);
                if is_recent && !is_watching {
                    return Ok(());
                }
                let done = self.look_at_all().await;
                keeper.looked = Some(Instant::now());
                done
            }
        };
        if done.is_err() {
            // What was heard is not in the index: the next look is at everything.
            keeper.heard = FollowMark::default();
        }
        done
    }

    /// Every file whose size or time is not as it was is read again.
    async fn look_at_all(self: &Arc<Self>) -> Result<(), IndexError> {
        let known = self.database().await?.read(rows::indexed_files).await?;
        let shared = Arc::clone(self);
        let changed = spawn_blocking(move || changed_files(&shared.store, &known)).await??;
        self.take_in(changed).await
    }

    async fn take_in(self: &Arc<Self>, paths: Vec<NotePath>) -> Result<(), IndexError> {
        if paths.is_empty() {
            return Ok(());
        }
        let database = self.database().await?;
        for batch in paths.chunks(BATCH) {
            let wanted = batch.to_vec();
            let known = database
                .read({
                    let wanted = wanted.clone();
                    move |tx| rows::files_of(tx, &wanted)
                })
                .await?;
            let shared = Arc::clone(self);
            let tasks = spawn_blocking(move || -> Vec<(NotePath, IndexTask)> {
                wanted
                    .into_iter()
                    .filter_map(|path| {
                        let task = task(&shared.store, &path, known.get(&path))?;
                        Some((path, task))
                    })
                    .collect()
            })
            .await?;
            if tasks.is_empty() {
                continue;
            }
            database
                .write(move |tx| {
                    tasks.iter().try_for_each(|(path, task)| match task {
                        IndexTask::Put(file, passages) => rows::replace_file(tx, path, file, passages),
                        IndexTask::Touch(file) => rows::touch(tx, path, file),
                        IndexTask::Forget => rows::remove_file(tx, path),
                    })
                })
                .await?;
        }
        Ok(())
    }
}

/// Files that came, went, or have another size or time.
fn changed_files(
    store: &MemoryStore,
    known: &HashMap<NotePath, FileRow>,
) -> Result<Vec<NotePath>, StoreError> {
    let files: BTreeMap<NotePath, NoteFile> =
        store.walk(None)?.files.into_iter().filter(|(path, _)| is_indexed(path)).collect();
    let gone = known.keys().filter(|path| !files.contains_key(*path)).cloned();
    let is_other = |file: &&NoteFile| {
        let stamp = known.get(&file.path).map(|row| (row.bytes, row.modified_ns));
        stamp.is_none_or(|(bytes, modified)| {
            bytes != file.bytes || modified.is_none() || modified != file.modified.and_then(nanoseconds)
        })
    };
    let mut paths: Vec<NotePath> = files.values().filter(is_other).map(|file| file.path.clone()).collect();
    paths.extend(gone);
    Ok(paths)
}

/// What has to be done about a file, as it is now; nothing where the index has it so.
fn task(store: &MemoryStore, path: &NotePath, known: Option<&FileRow>) -> Option<IndexTask> {
    if !is_indexed(path) {
        // Another version of the program had it in.
        return known.map(|_| IndexTask::Forget);
    }
    let stamp = store.stamp(path);
    let (bytes, problem) = match (&stamp, store.read_bytes(path)) {
        (None, _) | (_, Err(StoreError::NotFound { .. } | StoreError::NotPlain { .. })) => {
            return known.map(|_| IndexTask::Forget);
        }
        (Some(_), Ok(bytes)) => (bytes, None),
        (Some(_), Err(error)) => (Vec::new(), Some(error.to_string())),
    };
    let stamp = stamp?;
    let modified =
        stamp.modified.filter(|at| (Timestamp::now().as_nanosecond() - at.as_nanosecond()) > FRESH_NS);
    let mut file = FileRow {
        bytes: stamp.bytes,
        modified_ns: modified.and_then(nanoseconds),
        sha256: ContentHash::of(&bytes).to_string(),
        problem,
    };
    if let Some(known) = known.filter(|known| known.sha256 == file.sha256 && file.problem.is_none()) {
        let is_same = known.bytes == file.bytes && known.modified_ns == file.modified_ns;
        return (!is_same).then_some(IndexTask::Touch(file));
    }
    let found = match passages(path, &String::from_utf8_lossy(&bytes)) {
        Ok(found) => found,
        Err(error) => {
            tracing::warn!(file = path.as_str(), %error, "a note cannot be found");
            file.problem = Some(error.to_string());
            Vec::new()
        }
    };
    Some(IndexTask::Put(file, found))
}

fn nanoseconds(at: Timestamp) -> Option<i64> {
    i64::try_from(at.as_nanosecond()).ok()
}
