//! Reading files that may be missing, and writing files that are never half written.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::error::ConfigError;

/// The text of a file; `None` when there is no such file.
pub(super) fn read_optional(path: &Path) -> Result<Option<String>, ConfigError> {
    match fs::read_to_string(path) {
        // Some editors on Windows begin a file with a byte order mark, which TOML does not know.
        Ok(text) => Ok(Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ConfigError::io("read", path, error)),
    }
}
/// Replaces a file's text in one step: written beside it, flushed to the disk, renamed over it. When anything
/// fails, the old file is untouched. Missing folders are created.
pub(crate) fn write_atomic(path: &Path, text: &str) -> Result<(), ConfigError> {
    let failed = |error: io::Error| ConfigError::io("write", path, error);
    let dir = path.parent().ok_or_else(|| failed(io::Error::from(io::ErrorKind::InvalidInput)))?;
    fs::create_dir_all(dir).map_err(failed)?;
    let mut file = tempfile::Builder::new().prefix(".writing-").tempfile_in(dir).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    if let Ok(old) = fs::metadata(path) {
        // A temporary file is private to its owner; the file it replaces may have been shared on purpose.
        fs::set_permissions(file.path(), old.permissions()).map_err(failed)?;
    }
    file.persist(path).map_err(|error| failed(error.error))?;
    // The rename itself is only durable once the folder is; systems that cannot open folders do without.
    if let Ok(folder) = fs::File::open(dir) {
        let _ = folder.sync_all();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_folders_are_created() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("channels/7.toml");
        write_atomic(&path, "one").unwrap();
        write_atomic(&path, "two").unwrap();
        assert_eq!(read_optional(&path).unwrap().as_deref(), Some("two"));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_failed_write_leaves_what_was_there() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("busy");
        // A folder of that name cannot be replaced by a file: the last step, the rename, fails.
        fs::create_dir_all(target.join("inside")).unwrap();
        let error = write_atomic(&target, "new").unwrap_err();
        assert!(matches!(error, ConfigError::Io { action: "write", .. }), "{error}");
        assert!(target.join("inside").is_dir());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_text() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.toml");
        fs::write(&path, "\u{feff}mode = 1").unwrap();
        assert_eq!(read_optional(&path).unwrap().as_deref(), Some("mode = 1"));
        assert_eq!(read_optional(&dir.path().join("none")).unwrap(), None);
    }
}
