//! Writing a secret into `.env` for people who would rather be asked than edit.

use std::path::Path;

use secrecy::{ExposeSecret, SecretString};

use super::error::ConfigError;
use super::files::{read_optional, write_atomic};

/// What became of a secret that was to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noted {
    /// It stands in the file now.
    Written,
    /// The file has a value of that name already, which stays.
    AlreadyThere,
}

/// Writes `NAME=value` into a `.env`: onto the line that has the name without a value, else at the end. Everything
/// else in the file stays as it is. A file that is made is readable by its owner alone.
///
/// # Errors
/// When the value cannot stand on one line, or the file cannot be read or written. No message repeats the value.
pub fn note_secret(path: &Path, name: &str, value: &SecretString) -> Result<Noted, ConfigError> {
    let old = read_optional(path)?.unwrap_or_default();
    match with(&old, name, value.expose_secret().trim())? {
        None => Ok(Noted::AlreadyThere),
        Some(new) => write_atomic(path, &new).map(|()| Noted::Written),
    }
}

/// The new text; `None` where the name has a value already.
fn with(old: &str, name: &str, value: &str) -> Result<Option<String>, ConfigError> {
    let row = format!("{name}={}", quoted(name, value)?);
    let mut rows: Vec<&str> = old.lines().collect();
    let of_name: Vec<(usize, &str)> =
        rows.iter().enumerate().filter_map(|(at, line)| Some((at, assigned(line, name)?))).collect();
    if of_name.iter().any(|(_, value)| !value.is_empty()) {
        return Ok(None);
    }
    match of_name.last() {
        Some((at, _)) => rows[*at] = &row,
        None => rows.push(&row),
    }
    let mut text = rows.join(if old.contains("\r\n") { "\r\n" } else { "\n" });
    text.push('\n');
    Ok(Some(text))
}

/// What a line gives to a name, without quotes and remarks; `None` where it is about something else.
fn assigned<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let line = line.trim();
    let (left, right) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    let right = right.trim();
    let right = if right.starts_with('#') { "" } else { right };
    (left.trim() == name).then(|| right.trim_matches(['"', '\'']))
}

/// Single quotes keep `#`, `$` and spaces as they are.
fn quoted(name: &str, value: &str) -> Result<String, ConfigError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+/=:".contains(c);
    if value.chars().all(plain) {
        Ok(value.to_owned())
    } else if value.contains('\'') || value.chars().any(char::is_control) {
        Err(ConfigError::Refused {
            reason: format!("{name}: a value with a line break or a ' in it cannot stand in .env"),
        })
    } else {
        Ok(format!("'{value}'"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Secrets;

    fn note(path: &Path, name: &str, value: &str) -> Result<Noted, ConfigError> {
        note_secret(path, name, &SecretString::from(value.to_owned()))
    }

    #[test]
    fn a_new_file_is_private_and_read_back_as_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".env");
        assert_eq!(note(&path, "DISCORD_TOKEN", "abc.def-g_h").unwrap(), Noted::Written);
        assert_eq!(note(&path, "OPENAI_API_KEY", " sk-$1 #x\n").unwrap(), Noted::Written);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "DISCORD_TOKEN=abc.def-g_h\nOPENAI_API_KEY='sk-$1 #x'\n");
        let read = Secrets::read(dir.path()).unwrap();
        assert!(read.discord_token.is_some() && read.llm_api_key.is_some());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_copied_example_is_filled_in_where_it_is_blank() {
        let example = include_str!("../../.env.example");
        let new = with(example, "OPENROUTER_API_KEY", "sk-or-1").unwrap().unwrap();
        assert_eq!(new, example.replace("OPENROUTER_API_KEY=\n", "OPENROUTER_API_KEY=sk-or-1\n"));
    }

    #[test]
    fn values_remarks_and_line_ends_that_are_there_stay() {
        assert_eq!(with("# mine\nA=1\nexport B = 'x'", "B", "y").unwrap(), None);
        assert_eq!(
            with("# mine\r\nA=1\r\nB= # later\r\n", "B", "y").unwrap().unwrap(),
            "# mine\r\nA=1\r\nB=y\n"
        );
        assert_eq!(with("AB=1\n#B=2\n", "B", "y").unwrap().unwrap(), "AB=1\n#B=2\nB=y\n");
    }

    #[test]
    fn a_value_that_would_break_the_file_is_refused_without_being_repeated() {
        for value in ["it's secret", "secret\nNAME=other"] {
            let error = with("", "B", value).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
