//! What others on the machine may see of a familiar: nothing. What people told it in confidence lies in plain files.
//!
//! Owns the permissions of the data folder. Must not know what is in it. Start at [`make_private`].

use std::io;
use std::path::Path;

use crate::config::FamiliarHome;

/// From now on what this process makes is its user's alone: files 0600, folders 0700, whoever makes them (SQLite, a
/// library). To be called before the first thread starts. Does nothing where there are no such permissions.
pub fn keep_new_files_private() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
}

/// Takes the group's and everybody's rights to the data folder, and to the familiar's own with all that is in it where others
/// had any to that; how many files and folders had some. Links are left alone, and so is a data folder that everybody may put
/// files into (as `/tmp`).
///
/// # Errors
/// When something of it belongs to another user, or cannot be read. What comes before it is private then.
pub fn make_private(data_dir: &Path, home: &FamiliarHome) -> io::Result<usize> {
    #[cfg(unix)]
    return unix::make_private(data_dir, home.root());
    #[cfg(not(unix))]
    return Ok(0);
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, Metadata, Permissions};
    use std::io;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use crate::home::if_there;

    /// What the owner may do, and nobody else.
    const OWNERS: u32 = 0o7700;
    /// Everybody may put files here, and take away only their own.
    const STICKY: u32 = 0o1000;

    pub(super) fn make_private(data_dir: &Path, root: &Path) -> io::Result<usize> {
        let mut made = 0;
        for folder in [Some(data_dir), root.parent()].into_iter().flatten() {
            let facts = fs::metadata(folder)?;
            if facts.permissions().mode() & STICKY == 0 {
                made += tighten(folder, &facts)?;
            }
        }
        // Nobody else comes past a folder that is closed, and looking at each of ten thousand notes takes half a second.
        let is_closed = is_private(&fs::metadata(root)?);
        Ok(made + if is_closed { 0 } else { tighten_all(root)? })
    }

    fn is_private(facts: &Metadata) -> bool {
        facts.permissions().mode() & 0o7777 & !OWNERS == 0
    }

    fn tighten_all(path: &Path) -> io::Result<usize> {
        let facts = fs::symlink_metadata(path)?;
        if facts.is_symlink() {
            return Ok(0);
        }
        let mut made = tighten(path, &facts)?;
        if facts.is_dir() {
            for entry in fs::read_dir(path)? {
                // Somebody's editor may have put it away meanwhile.
                made += if_there(tighten_all(&entry?.path()))?.unwrap_or(0);
            }
        }
        Ok(made)
    }

    fn tighten(path: &Path, facts: &Metadata) -> io::Result<usize> {
        if is_private(facts) {
            return Ok(0);
        }
        let mode = facts.permissions().mode() & 0o7777;
        fs::set_permissions(path, Permissions::from_mode(mode & OWNERS))?;
        Ok(1)
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::domain::FamiliarId;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn what_an_older_version_left_open_is_closed_and_nothing_outside_is_touched() {
        let dir = tempfile::tempdir().unwrap();
        let (data, outside) = (dir.path().join("data"), dir.path().join("outside.txt"));
        let home = FamiliarHome::new(&data, &FamiliarId::new("ada").unwrap());
        let wal = home.root().join("history.db-wal");
        let note = home.memory_dir().join("people/alice.md");
        fs::create_dir_all(note.parent().unwrap()).unwrap();
        for file in [&wal, &note, &outside] {
            fs::write(file, "x").unwrap();
            fs::set_permissions(file, Permissions::from_mode(0o644)).unwrap();
        }
        fs::set_permissions(home.root(), Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink(&outside, home.root().join("link")).unwrap();
        assert!(make_private(&data, &home).unwrap() >= 3);
        assert_eq!([mode(&data), mode(home.root()), mode(note.parent().unwrap())], [0o700; 3]);
        assert_eq!([mode(&wal), mode(&note)], [0o600; 2]);
        assert_eq!(mode(&outside), 0o644);
        // Behind a closed folder nobody else reaches what lies in it: it is not looked through at every start.
        fs::set_permissions(&note, Permissions::from_mode(0o644)).unwrap();
        assert_eq!(make_private(&data, &home).unwrap(), 0);
        assert_eq!(mode(&note), 0o644);
    }

    #[test]
    fn a_folder_that_belongs_to_everybody_stays_everybodys() {
        let dir = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(dir.path(), &FamiliarId::new("ada").unwrap());
        fs::create_dir_all(home.root()).unwrap();
        fs::set_permissions(dir.path(), Permissions::from_mode(0o1777)).unwrap();
        make_private(dir.path(), &home).unwrap();
        assert_eq!(mode(dir.path()), 0o1777);
        assert_eq!(mode(home.root()), 0o700);
    }
}
