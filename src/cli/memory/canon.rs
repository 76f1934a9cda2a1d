//! `familiar memory canon`: what is settled with one server or one person (specs mechanisms M19).

use std::process::ExitCode;

use anyhow::{Context as _, bail};

use crate::cli::out;
use crate::config::{Defaults, FamiliarHome, LiveConfig, write_atomic};

/// Longest paragraph that is taken, in characters.
const WORDS_MAX: usize = 2_000;

/// Prints what is settled there, or adds a paragraph to it.
pub(super) fn run(home: &FamiliarHome, place: &str, words: Option<&str>) -> anyhow::Result<ExitCode> {
    let is_number = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    let is_place = match place.split_once('-') {
        Some(("guild", id)) => is_number(id),
        Some(("dm", id)) => id == "operator" || is_number(id),
        _ => false,
    };
    if !is_place {
        bail!("{place:?} is no place; call it guild-<server id>, dm-<user id> or dm-operator");
    }
    let path = home.places_dir().join(format!("{place}.md"));
    let before = match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
    };
    let Some(words) = words.map(str::trim).filter(|words| !words.is_empty()) else {
        out::line(&super::readable(before.as_deref().unwrap_or("nothing is settled there")))?;
        return Ok(ExitCode::SUCCESS);
    };
    if words.chars().count() > WORDS_MAX {
        bail!("that is more than {WORDS_MAX} characters; write it into {} yourself", path.display());
    }
    let text = match &before {
        Some(before) => format!("{}\n\n{words}\n", before.trim_end()),
        None => format!("{words}\n"),
    };
    std::fs::create_dir_all(home.places_dir()).context("making the folder of places")?;
    write_atomic(&path, &text)?;
    // Read as the familiar will read it; what it would not take does not stay.
    if let Err(error) = LiveConfig::load(home.clone(), Defaults::embedded()) {
        match before {
            Some(before) => write_atomic(&path, &before)?,
            None => std::fs::remove_file(&path)?,
        }
        return Err(error.into());
    }
    out::line(&format!("{place} now has it, in {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}
