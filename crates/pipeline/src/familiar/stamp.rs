//! What tells that files were edited, without reading them.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

/// Path, size and time of every file, in order.
pub(super) type Stamp = Vec<(PathBuf, u64, Option<SystemTime>)>;

/// The files that lie in these folders themselves; a folder that cannot be read has none. Blocks.
pub(super) fn stamp_of(folders: &[PathBuf]) -> Stamp {
    let mut stamp: Stamp = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flatten()
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let about = entry.metadata().ok()?;
            about.is_file().then(|| (entry.path(), about.len(), about.modified().ok()))
        })
        .collect();
    stamp.sort();
    stamp
}
