//! Standard output, for verbs that print: a closed pipe is a normal end, not an error.

use std::io::{self, Write as _};

/// Writes words as they come.
///
/// # Errors
/// As [`line()`].
pub fn words(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes a line.
///
/// # Errors
/// When writing fails for another reason than that nobody reads any more.
pub fn line(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{}", text.trim_end_matches('\n')) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
