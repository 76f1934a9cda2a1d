//! The folder on the disk: which files there are, which changed, which may be read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::{Note, Roster};

/// Names for slugs, kept by whoever writes notes.
const ALIASES: &str = "_aliases.json";

/// A note above this is no note, in bytes.
const FILE_MAX: u64 = 256 * 1024;

/// The alias file may be larger, in bytes.
const ALIASES_MAX: u64 = 4 * 1024 * 1024;

/// Most files that are looked at.
const FILES_MAX: usize = 10_000;

/// Size and time: what tells that a file was edited.
type Stamp = (u64, Option<SystemTime>);

#[derive(Debug)]
pub(super) struct Folder {
    dir: PathBuf,
    notes: BTreeMap<String, (Stamp, Option<Arc<Note>>)>,
    aliases: (Option<Stamp>, BTreeMap<String, String>),
    roster: Arc<Roster>,
}

impl Folder {
    pub(super) fn new(dir: PathBuf) -> Self {
        Self { dir, notes: BTreeMap::new(), aliases: (None, BTreeMap::new()), roster: Arc::default() }
    }

    /// The notes as they stand on the disk now. Blocks.
    pub(super) fn look(&mut self) -> Arc<Roster> {
        let files = files(&self.dir);
        let before = self.notes.len();
        self.notes.retain(|slug, _| files.contains_key(slug));
        let mut has_changed = self.notes.len() != before;
        for (slug, stamp) in files {
            if self.notes.get(&slug).is_some_and(|(known, _)| *known == stamp) {
                continue;
            }
            let note = read(&self.dir.join(format!("{slug}.md")), &slug).map(Arc::new);
            self.notes.insert(slug, (stamp, note));
            has_changed = true;
        }
        has_changed |= self.look_at_aliases();
        if has_changed {
            let notes = self.notes.values().filter_map(|(_, note)| note.clone());
            self.roster = Arc::new(Roster::new(notes, &self.aliases.1));
        }
        Arc::clone(&self.roster)
    }

    fn look_at_aliases(&mut self) -> bool {
        let path = self.dir.join(ALIASES);
        let stamp = stamp(&path, ALIASES_MAX);
        if stamp == self.aliases.0 {
            return false;
        }
        let aliases = match stamp.map(|_| fs::read(&path)) {
            Some(Ok(bytes)) => serde_json::from_slice(&bytes).unwrap_or_else(|error| {
                tracing::warn!(file = %path.display(), %error, "the names of people cannot be read");
                BTreeMap::new()
            }),
            _ => BTreeMap::new(),
        };
        self.aliases = (stamp, aliases);
        true
    }
}

/// The notes' slugs and stamps. Only plain files that lie in the folder itself: a link could lead out of it.
fn files(dir: &Path) -> BTreeMap<String, Stamp> {
    let Ok(entries) = fs::read_dir(dir) else { return BTreeMap::new() };
    entries
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let slug = name.strip_suffix(".md").filter(|slug| is_slug(slug))?;
            Some((slug.to_owned(), stamp(&entry.path(), FILE_MAX)?))
        })
        .take(FILES_MAX)
        .collect()
}

/// `<platform>-<id>`: letters, digits, `-` and `_` only.
fn is_slug(name: &str) -> bool {
    !name.starts_with('_') && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

fn stamp(path: &Path, most: u64) -> Option<Stamp> {
    let about = fs::symlink_metadata(path).ok()?;
    (about.is_file() && about.len() <= most).then(|| (about.len(), about.modified().ok()))
}

fn read(path: &Path, slug: &str) -> Option<Note> {
    let file = fs::read(path).ok()?;
    match Note::parse(slug, &String::from_utf8_lossy(&file)) {
        Ok(note) => Some(note),
        Err(error) => {
            tracing::warn!(file = %path.display(), %error, "a note about a person is left out");
            None
        }
    }
}
