//! What writes and imports leave behind when the program is killed.
//!
//! Owns the names of temporary files. Must not know what was to be in them. Start at [`sweep`].

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::config::FamiliarHome;

/// How names of files begin that are written beside their place and then renamed into it.
const HALF_WRITTEN: [&str; 2] = [".tmp", ".writing-"];

/// How names of folders begin in which a new familiar is built.
const HALF_BUILT: &str = ".import-";

/// A familiar is built in seconds; a folder that nothing was done to for so long has nobody.
const ABANDONED_AFTER: Duration = Duration::from_secs(3_600);

/// Removes what was left behind; how many files and folders that were. To be called by whoever holds the familiar's lock:
/// nobody else writes its files then. What cannot be removed is passed over. Blocks.
pub fn sweep(home: &FamiliarHome) -> usize {
    let mut removed = 0;
    for folder in [home.root().to_owned(), home.channels_dir(), home.modes_dir(), home.forgotten_dir()] {
        for (path, name) in leftover_entries(&folder) {
            let is_left = HALF_WRITTEN.iter().any(|beginning| name.starts_with(beginning));
            removed += usize::from(is_left && path.is_file() && fs::remove_file(&path).is_ok());
        }
    }
    // Another familiar may be on its way into the same house.
    for (path, name) in home.root().parent().map(leftover_entries).unwrap_or_default() {
        let is_left = name.starts_with(HALF_BUILT) && path.is_dir() && is_abandoned(&path);
        removed += usize::from(is_left && fs::remove_dir_all(&path).is_ok());
    }
    removed
}

fn leftover_entries(folder: &Path) -> Vec<(std::path::PathBuf, String)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.path(), entry.file_name().into_string().ok()?))).collect()
}

fn is_abandoned(path: &Path) -> bool {
    let touched = fs::metadata(path).and_then(|facts| facts.modified());
    touched.is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age > ABANDONED_AFTER))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::FamiliarId;

    #[test]
    fn what_kills_left_goes_and_nothing_else() {
        let data = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(data.path(), &FamiliarId::new("ada").unwrap());
        fs::create_dir_all(home.channels_dir()).unwrap();
        let house = home.root().parent().unwrap();
        for left in [".tmpA1b2C3", "channels/.writing-x9", "usage.json", ".lock", ".import-commit"] {
            fs::write(home.root().join(left), "x").unwrap();
        }
        for built in [".import-old", ".import-now"] {
            fs::create_dir_all(house.join(built).join("new")).unwrap();
        }
        let long_ago = SystemTime::now() - 2 * ABANDONED_AFTER;
        fs::File::open(house.join(".import-old")).unwrap().set_modified(long_ago).unwrap();
        assert_eq!(sweep(&home), 3);
        let mut left: Vec<String> = leftover_entries(home.root()).into_iter().map(|(_, name)| name).collect();
        left.sort();
        assert_eq!(left, [".import-commit", ".lock", "channels", "usage.json"]);
        assert!(leftover_entries(&home.channels_dir()).is_empty());
        assert!(house.join(".import-now").exists() && !house.join(".import-old").exists());
        assert_eq!(sweep(&home), 0);
    }
}
