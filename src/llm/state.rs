//! Small files of figures that may be lost but must never be torn: atomic replacement, off the async threads.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a JSON file; `None` when it is absent or unreadable (the latter is logged).
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let bytes = std::fs::read(path).ok()?;
    serde_json::from_slice(&bytes)
        .inspect_err(|error| {
            // The next write would replace it; what it holds (money spent today, say) is for a person to look at.
            let aside = path.with_extension("json.unreadable");
            let moved = std::fs::rename(path, &aside);
            tracing::warn!(file = %path.display(), aside = %aside.display(), ?moved, "unreadable, set aside: {error}");
        })
        .ok()
}

/// Replaces a file whole, creating its folder.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_data()?;
    file.persist(path)?;
    Ok(())
}

/// Keeps one file at the newest contents it was given. Contents that are overtaken before they are written are
/// skipped, so at most one write waits.
#[derive(Debug)]
pub(crate) struct Keeper {
    path: PathBuf,
    newest: Arc<Mutex<Option<Vec<u8>>>>,
    /// Held while writing, so that an older write never lands after a newer one.
    writing: Arc<Mutex<()>>,
}

impl Keeper {
    /// Keeps the file at `path`.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, newest: Arc::default(), writing: Arc::default() }
    }

    /// Writes soon, on a blocking thread; at once where there is no async runtime.
    pub(crate) fn keep_json<T: Serialize + ?Sized>(&self, contents: &T) {
        let Ok(mut bytes) = serde_json::to_vec_pretty(contents) else { return };
        bytes.push(b'\n');
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(bytes);
        let write = self.writer();
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(write)),
            Err(_) => write(),
        }
    }

    /// Waits until the newest contents are on disk.
    pub(super) async fn flush(&self) {
        // A writer that finds nothing new still waits for the one before it.
        if let Err(error) = tokio::task::spawn_blocking(self.writer()).await {
            tracing::warn!("a state file was not written: {error}");
        }
    }

    fn writer(&self) -> impl FnOnce() + Send + 'static {
        let (path, newest, writing) = (self.path.clone(), self.newest.clone(), self.writing.clone());
        move || {
            let _turn = writing.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(bytes) = newest.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
            if let Err(error) = replace(&path, &bytes) {
                tracing::warn!(file = %path.display(), "could not be written: {error}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreadable_file_is_set_aside_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("usage.json");
        std::fs::write(&file, "{\"2026-").unwrap();
        assert_eq!(read_json::<Vec<u32>>(&file), None);
        assert!(!file.exists());
        let kept = std::fs::read_to_string(folder.path().join("usage.json.unreadable")).unwrap();
        assert_eq!(kept, "{\"2026-");
    }
}
