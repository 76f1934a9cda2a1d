//! The folder on the disk: which files there are, which changed, which may be read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::aliases::{self, Alias};
use super::roster::Listed;
use super::roster::PeopleRoster;
use crate::memory::watch::{Changes, FolderWatch, FollowMark};

/// Names for slugs, kept by whoever writes notes.
const ALIASES: &str = "_aliases.json";

/// Where people's notes lie in the memory folder.
const FOLDER: &str = "people";

/// A note above this is no note, in bytes.
const FILE_MAX: u64 = 256 * 1024;

/// The alias file may be larger, in bytes.
const ALIASES_MAX: u64 = 4 * 1024 * 1024;

/// Most files that are looked at.
const FILES_MAX: usize = 10_000;

/// Size and time: what tells that a file was edited.
type Stamp = (u64, Option<SystemTime>);

#[derive(Debug)]
pub(super) struct PeopleFolder {
    dir: PathBuf,
    watch: Arc<FolderWatch>,
    heard: FollowMark,
    notes: BTreeMap<String, (Stamp, Option<Arc<Listed>>)>,
    /// There are more files than are looked at.
    is_overfull: bool,
    aliases: (Option<Stamp>, Vec<Alias>),
    roster: Arc<PeopleRoster>,
}

impl PeopleFolder {
    pub(super) fn new(watch: Arc<FolderWatch>) -> Self {
        Self {
            dir: watch.root().join(FOLDER),
            watch,
            heard: FollowMark::default(),
            notes: BTreeMap::new(),
            is_overfull: false,
            aliases: (None, Vec::new()),
            roster: Arc::default(),
        }
    }

    /// The notes as they stand on the disk now. Blocks.
    pub(super) fn look(&mut self) -> Arc<PeopleRoster> {
        let has_changed = match self.watch.since(&mut self.heard) {
            Changes::Files(files) => {
                let own: Vec<&str> = files
                    .iter()
                    .filter_map(|file| file.strip_prefix(FOLDER)?.strip_prefix('/'))
                    .filter(|name| !name.contains('/'))
                    .collect();
                if own.is_empty() {
                    false
                } else if self.is_overfull {
                    self.look_at_all()
                } else {
                    let mut has_changed = false;
                    for name in own {
                        has_changed |= self.look_again_at(name);
                    }
                    (self.is_overfull && self.look_at_all()) || has_changed
                }
            }
            Changes::Unknown => self.look_at_all(),
        };
        if has_changed {
            let notes = self.notes.values().filter_map(|(_, note)| note.clone());
            self.roster = Arc::new(PeopleRoster::new(notes, &self.aliases.1));
        }
        Arc::clone(&self.roster)
    }

    fn look_at_all(&mut self) -> bool {
        let (files, is_overfull) = people_files(&self.dir);
        self.is_overfull = is_overfull;
        let before = self.notes.len();
        self.notes.retain(|slug, _| files.contains_key(slug));
        let mut has_changed = self.notes.len() != before;
        for (slug, stamp) in files {
            if self.notes.get(&slug).is_some_and(|(known, _)| *known == stamp) {
                continue;
            }
            self.take_in(slug, stamp);
            has_changed = true;
        }
        self.look_at_aliases() || has_changed
    }

    /// Looks at one file of which something was heard. It is read whatever its stamp says: two edits within one tick of
    /// the file system's clock have the same.
    fn look_again_at(&mut self, name: &str) -> bool {
        if name == ALIASES {
            self.read_aliases(file_stamp(&self.dir.join(ALIASES), ALIASES_MAX));
            return true;
        }
        let Some(slug) = name.strip_suffix(".md").filter(|slug| is_slug(slug)) else { return false };
        match file_stamp(&self.dir.join(name), FILE_MAX) {
            Some(stamp) if self.notes.len() < FILES_MAX || self.notes.contains_key(slug) => {
                self.take_in(slug.to_owned(), stamp);
                true
            }
            Some(_) => {
                self.is_overfull = true;
                false
            }
            None => self.notes.remove(slug).is_some(),
        }
    }

    fn take_in(&mut self, slug: String, stamp: Stamp) {
        let note = read_person(&self.dir.join(format!("{slug}.md")), &slug).map(Arc::new);
        self.notes.insert(slug, (stamp, note));
    }

    fn look_at_aliases(&mut self) -> bool {
        let stamp = file_stamp(&self.dir.join(ALIASES), ALIASES_MAX);
        let has_changed = stamp != self.aliases.0;
        if has_changed {
            self.read_aliases(stamp);
        }
        has_changed
    }

    fn read_aliases(&mut self, stamp: Option<Stamp>) {
        let path = self.dir.join(ALIASES);
        let aliases = match stamp.map(|_| fs::read(&path)) {
            Some(Ok(bytes)) => aliases::read_aliases(&bytes).unwrap_or_else(|error| {
                tracing::warn!(file = %path.display(), %error, "the names of people cannot be read");
                Vec::new()
            }),
            _ => Vec::new(),
        };
        self.aliases = (stamp, aliases);
    }
}

/// The notes' slugs and stamps, and whether there are more than are looked at. Only plain files that lie in the folder
/// itself: a link could lead out of it.
fn people_files(dir: &Path) -> (BTreeMap<String, Stamp>, bool) {
    let Ok(entries) = fs::read_dir(dir) else { return (BTreeMap::new(), false) };
    let mut notes = entries.filter_map(Result::ok).filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let slug = name.strip_suffix(".md").filter(|slug| is_slug(slug))?;
        Some((slug.to_owned(), file_stamp(&entry.path(), FILE_MAX)?))
    });
    let files = notes.by_ref().take(FILES_MAX).collect();
    (files, notes.next().is_some())
}

/// `<platform>-<id>`: letters, digits, `-` and `_` only.
fn is_slug(name: &str) -> bool {
    !name.starts_with('_') && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

fn file_stamp(path: &Path, most: u64) -> Option<Stamp> {
    let about = fs::symlink_metadata(path).ok()?;
    (about.is_file() && about.len() <= most).then(|| (about.len(), about.modified().ok()))
}

fn read_person(path: &Path, slug: &str) -> Option<Listed> {
    let file = fs::read(path).ok()?;
    match Listed::new(slug, &String::from_utf8_lossy(&file)) {
        Ok(note) => Some(note),
        Err(error) => {
            tracing::warn!(file = %path.display(), %error, "a note about a person is left out");
            None
        }
    }
}
