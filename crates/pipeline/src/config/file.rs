//! A file of settings as a whole: read where it may be missing, written so that it is never half written.

use std::fs;
use std::path::Path;

use super::error::ConfigError;
use crate::home::{self, if_there};

/// The text of a file; `None` when there is no such file.
pub(super) fn read_optional(path: &Path) -> Result<Option<String>, ConfigError> {
    let text = if_there(fs::read_to_string(path)).map_err(|error| ConfigError::io("read", path, error))?;
    // Some editors on Windows begin a file with a byte order mark, which TOML does not know.
    Ok(text.map(|text| text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)))
}

/// [`home::write_atomic`], with an error that names the file.
pub fn write_atomic(path: &Path, text: &str) -> Result<(), ConfigError> {
    home::write_atomic(path, text).map_err(|error| ConfigError::io("write", path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_text() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.toml");
        fs::write(&path, "\u{feff}mode = 1").unwrap();
        assert_eq!(read_optional(&path).unwrap().as_deref(), Some("mode = 1"));
        assert_eq!(read_optional(&dir.path().join("none")).unwrap(), None);
    }
}
