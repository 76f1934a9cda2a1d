//! One process per familiar.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};

use crate::config::FamiliarHome;
use crate::domain::FamiliarId;
use crate::home::if_there;

/// Holds the familiar for as long as it lives.
#[derive(Debug)]
pub struct FamiliarLock {
    _file: File,
}

/// Why the familiar could not be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("familiar {id} is in use by {}; stop it first", holder(*pid))]
    Held {
        id: FamiliarId,
        /// The process that holds it, where it said so.
        pid: Option<u32>,
    },
    /// The lock file could not be opened or written.
    #[error("cannot lock familiar {id}: its folder cannot be written")]
    Io { id: FamiliarId, source: std::io::Error },
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

/// Locks a familiar for this process. The lock goes with the process, however that ends.
///
/// # Errors
/// [`LockError::Held`] when another process has it, [`LockError::Io`] when the folder is missing or not writable.
pub fn lock_familiar(home: &FamiliarHome) -> Result<FamiliarLock, LockError> {
    let id = || home.id().clone();
    let failed = |source| LockError::Io { id: id(), source };
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(home.lock_file())
        .map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(LockError::Held { id: id(), pid: written_pid(&mut file) });
        }
        Err(TryLockError::Error(source)) => return Err(failed(source)),
    }
    file.set_len(0).and_then(|()| file.rewind()).map_err(failed)?;
    writeln!(file, "{}", std::process::id()).map_err(failed)?;
    Ok(FamiliarLock { _file: file })
}

/// Whether a process has the familiar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockPresence {
    Running {
        /// Which, where it said so.
        pid: Option<u32>,
    },
    Resting,
}

/// Looks whether a process has the familiar. The look itself shares the lock for an instant and creates nothing.
///
/// # Errors
/// When the lock file is there and cannot be read or asked.
pub fn presence(home: &FamiliarHome) -> std::io::Result<LockPresence> {
    let Some(mut file) = if_there(File::open(home.lock_file()))? else { return Ok(LockPresence::Resting) };
    match file.try_lock_shared() {
        Ok(()) => Ok(LockPresence::Resting),
        Err(TryLockError::WouldBlock) => Ok(LockPresence::Running { pid: written_pid(&mut file) }),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Who the holder of the lock said it is.
fn written_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok().and_then(|_| text.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_who_looks_sees_the_holder_and_disturbs_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(dir.path(), &FamiliarId::new("ada").unwrap());
        std::fs::create_dir_all(home.root()).unwrap();
        assert_eq!(presence(&home).unwrap(), LockPresence::Resting);
        assert!(!home.lock_file().exists());
        let held = lock_familiar(&home).unwrap();
        assert_eq!(presence(&home).unwrap(), LockPresence::Running { pid: Some(std::process::id()) });
        drop(held);
        assert_eq!(presence(&home).unwrap(), LockPresence::Resting);
        assert!(lock_familiar(&home).is_ok());
    }

    #[test]
    fn a_second_lock_names_the_holder_and_the_first_release_frees_it() {
        let dir = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(dir.path(), &FamiliarId::new("ada").unwrap());
        assert!(matches!(lock_familiar(&home), Err(LockError::Io { .. })));
        std::fs::create_dir_all(home.root()).unwrap();
        let first = lock_familiar(&home).unwrap();
        match lock_familiar(&home) {
            Err(LockError::Held { pid, .. }) => assert_eq!(pid, Some(std::process::id())),
            other => panic!("{other:?}"),
        }
        drop(first);
        assert!(lock_familiar(&home).is_ok());
    }
}
