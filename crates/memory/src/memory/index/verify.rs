//! Proof that the index kept up to date is the index made anew.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rusqlite::Transaction;

use super::rows::{self, PASSAGE_COLUMNS};
use super::{IndexError, NotesIndex};
use crate::memory::watch::FolderWatch;

/// A note about which the index says something else than one made anew.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    pub path: String,
    /// Whether it is in the index.
    pub is_kept: bool,
    /// Whether it is in one made anew.
    pub is_rebuilt: bool,
}

/// Everything an index says, by note: rows in a form that can be compared.
pub(super) type Said = BTreeMap<String, BTreeSet<String>>;

impl NotesIndex {
    /// Brings the index up to date, makes another anew beside it and compares them: none where they say the same.
    ///
    /// # Errors
    /// When the folder or a database cannot be used.
    pub async fn verify(&self) -> Result<Vec<Difference>, IndexError> {
        if !self.shared.store.root().is_dir() {
            return Ok(Vec::new());
        }
        self.keep_up().await?;
        let kept = self.said().await?;
        let path = &self.shared.folder;
        let folder = tempfile::Builder::new().prefix(".rebuilt-").tempdir_in(path);
        let folder = folder.map_err(|source| IndexError::Folder { path: path.clone(), source })?;
        let watch = Arc::new(FolderWatch::of(self.shared.store.root().to_owned()));
        let anew = Self::kept_in(folder.path().to_owned(), Arc::clone(&self.shared.store), watch);
        anew.keep_up().await?;
        let rebuilt = anew.said().await?;
        anew.close().await?;
        let paths: BTreeSet<&String> = kept.keys().chain(rebuilt.keys()).collect();
        let differing = paths.into_iter().filter(|path| kept.get(*path) != rebuilt.get(*path));
        let difference = |path: &String| Difference {
            path: path.clone(),
            is_kept: kept.contains_key(path),
            is_rebuilt: rebuilt.contains_key(path),
        };
        Ok(differing.map(difference).collect())
    }

    pub(super) async fn said(&self) -> Result<Said, IndexError> {
        Ok(self.shared.database().await?.read(index_contents).await?)
    }
}

fn index_contents(tx: &Transaction<'_>) -> rusqlite::Result<Said> {
    let mut said = Said::new();
    // Times are not compared: a file that was just written has none yet.
    for (path, file) in rows::indexed_files(tx)? {
        let row = format!("file {} {} {:?}", file.bytes, file.sha256, file.problem);
        said.entry(path.to_string()).or_default().insert(row);
    }
    let mut paths: BTreeMap<i64, (String, u32)> = BTreeMap::new();
    let mut passages = tx.prepare(&format!("SELECT {PASSAGE_COLUMNS}, id FROM passages"))?;
    let mut found = passages.query([])?;
    while let Some(row) = found.next()? {
        let passage = rows::passage(row)?;
        paths.insert(row.get(9)?, (passage.path.to_string(), passage.ordinal));
        said.entry(passage.path.to_string()).or_default().insert(format!("passage {passage:?}"));
    }
    let mut words = tx.prepare("SELECT doc, term FROM words_held")?;
    let mut held = words.query([])?;
    while let Some(row) = held.next()? {
        let (id, term): (i64, String) = (row.get(0)?, row.get(1)?);
        let (path, ordinal) = paths.get(&id).cloned().unwrap_or_else(|| ("(no note)".to_owned(), 0));
        said.entry(path).or_default().insert(format!("word {ordinal} {term}"));
    }
    Ok(said)
}
