//! Reading files that may be missing, and writing files that are never half written.

use std::fs;
use std::io;
use std::path::Path;

use super::error::ConfigError;

/// The text of a file; `None` when there is no such file.
pub(super) fn read_optional(path: &Path) -> Result<Option<String>, ConfigError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ConfigError::io("read", path, error)),
    }
}
