//! `people/_aliases.json`: what people are called. Merged into what is there, never made anew: a name that was known
//! once stays known, and what somebody added by hand stays as they wrote it (familiar-connect 1.11).
//!
//! A name leads to an account's slug, to several where several have it, and to an object where it may not be known
//! everywhere: `{"ana": "discord-1", "sam": ["discord-2", {"is": "discord-3", "to": "guild:7"}]}`.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::domain::Audience;
use crate::memory::NoteProblem;
use crate::memory::store::{MemoryStore, NoteEditor, NotePath, StoreError};
use crate::text::short::one_line;

/// Where it lies in the memory folder.
pub(super) const FILE: &str = "people/_aliases.json";

/// Longest name, in characters.
const NAME_MAX: usize = 100;

/// Somebody else may write at the same time so often before it is given up.
const TRIES: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// As it is said; letters' case does not count.
    pub name: String,
    /// Whose: the note's name without `.md`.
    pub slug: String,
    /// Where it was learnt that they have it.
    pub audience: Audience,
}

/// Why names were not written down.
#[derive(Debug, thiserror::Error)]
pub enum AliasError {
    /// The file is no JSON object; somebody has to mend it first.
    #[error("people/_aliases.json cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The names a file holds. What is not understood is nobody's name.
pub(super) fn read_aliases(file: &[u8]) -> Result<Vec<Alias>, serde_json::Error> {
    let names: Map<String, Value> = serde_json::from_slice(file)?;
    let mut aliases = Vec::new();
    for (name, whose) in &names {
        let several = whose.as_array().map_or(std::slice::from_ref(whose), Vec::as_slice);
        aliases.extend(several.iter().filter_map(|whose| alias(name, whose)));
    }
    Ok(aliases)
}

fn alias(name: &str, whose: &Value) -> Option<Alias> {
    let (slug, audience) = match whose {
        Value::String(slug) => (slug.as_str(), Audience::Canon),
        Value::Object(fields) => {
            let slug = fields.get("is")?.as_str()?;
            // Without a word on it, it was written by hand; a word that is not understood is a doubt.
            let audience = match fields.get("to") {
                None => Audience::Canon,
                Some(to) => to.as_str()?.parse().ok()?,
            };
            (slug, audience)
        }
        _ => return None,
    };
    Some(Alias { name: name.to_owned(), slug: slug.to_owned(), audience })
}

/// The file with more names in it; `None` where it holds them all.
///
/// # Errors
/// When what is there is no JSON object.
pub fn merged(file: &str, new: &[Alias]) -> Result<Option<String>, serde_json::Error> {
    let mut names: Map<String, Value> =
        if file.trim().is_empty() { Map::new() } else { serde_json::from_str(file)? };
    let mut is_changed = false;
    for one in new {
        let name = folded_name(one);
        if name.is_empty() {
            continue;
        }
        // By hand it may stand there in capitals.
        let key = names.keys().find(|known| known.to_lowercase() == name).cloned().unwrap_or(name);
        let known =
            names.get(&key).map(|whose| whose.as_array().map_or(std::slice::from_ref(whose), Vec::as_slice));
        let is_known = known.unwrap_or_default().iter().filter_map(|whose| alias(&key, whose)).any(|known| {
            known.slug == one.slug && (known.audience == one.audience || known.audience == Audience::Canon)
        });
        if is_known {
            continue;
        }
        let entry = match one.audience {
            Audience::Canon => json!(one.slug),
            ref audience => json!({"is": one.slug, "to": audience.to_string()}),
        };
        match names.get_mut(&key) {
            None => drop(names.insert(key, entry)),
            Some(Value::Array(several)) => several.push(entry),
            Some(single) => *single = json!([single.take(), entry]),
        }
        is_changed = true;
    }
    if !is_changed {
        return Ok(None);
    }
    Ok(Some(serde_json::to_string_pretty(&Value::Object(names))? + "\n"))
}

/// On one line, in lower case.
fn folded_name(alias: &Alias) -> String {
    let name = one_line(&alias.name).to_lowercase();
    name.chars().filter(|c| !c.is_control()).take(NAME_MAX).collect()
}

/// What is wrong with the file, where something is. Blocks.
pub(in crate::memory) fn problem(store: &MemoryStore) -> Option<NoteProblem> {
    let path = NotePath::new(FILE).ok()?;
    let reason = match store.read_bytes(&path) {
        Ok(file) => read_aliases(&file).err()?.to_string(),
        Err(StoreError::NotFound { .. }) => return None,
        Err(error) => error.to_string(),
    };
    Some(NoteProblem { path, line: None, reason })
}

/// Writes names down beside those that are there, and tells whether there was anything to write. Blocks.
///
/// # Errors
/// When the file is no JSON object (it stays as it is), or the store refuses.
pub fn remember(store: &MemoryStore, new: &[Alias], source: NoteEditor) -> Result<bool, AliasError> {
    rewrite(store, source, |file| merged(file, new))
}

/// Strikes a name out again that was written down by mistake, where it was learnt before those people. Blocks.
///
/// # Errors
/// As [`remember`].
pub fn unlearn(store: &MemoryStore, gone: &Alias, source: NoteEditor) -> Result<(), AliasError> {
    let wrong = folded_name(gone);
    let is_it = |name: &str, whose: &Value| {
        name == wrong
            && alias(name, whose)
                .is_some_and(|known| known.slug == gone.slug && known.audience == gone.audience)
    };
    rewrite(store, source, |file| without(file, is_it)).map(drop)
}

/// Whether the file was written anew: not where `change` gives nothing to write.
fn rewrite(
    store: &MemoryStore,
    source: NoteEditor,
    change: impl Fn(&str) -> Result<Option<String>, serde_json::Error>,
) -> Result<bool, AliasError> {
    let path = NotePath::new(FILE).map_err(StoreError::from)?;
    let mut tries = 1;
    loop {
        let (file, seen) = store.read_or_none(&path)?;
        let Some(file) = change(&file)? else { return Ok(false) };
        match store.write_if_unchanged(&path, seen, &file, source) {
            Ok(_) => return Ok(true),
            // Somebody else wrote: what they wrote is read again.
            Err(StoreError::Changed { .. }) if tries < TRIES => tries += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

/// The file without the names of these slugs; `None` where it holds none of them.
///
/// # Errors
/// When what is there is no JSON object.
pub(crate) fn without_aliases(
    file: &str,
    slugs: &BTreeSet<String>,
) -> Result<Option<String>, serde_json::Error> {
    without(file, |_, whose| {
        let named = whose.as_str().or_else(|| whose.get("is").and_then(Value::as_str));
        named.is_some_and(|slug| slugs.contains(slug))
    })
}

/// The file without those of a name that are meant; `None` where it holds none of them.
fn without(file: &str, is_meant: impl Fn(&str, &Value) -> bool) -> Result<Option<String>, serde_json::Error> {
    if file.trim().is_empty() {
        return Ok(None);
    }
    let names: Map<String, Value> = serde_json::from_str(file)?;
    let mut left = Map::new();
    let mut is_changed = false;
    for (name, whose) in names {
        match whose {
            Value::Array(several) => {
                let count = several.len();
                let mut others: Vec<Value> =
                    several.into_iter().filter(|whose| !is_meant(&name, whose)).collect();
                is_changed |= others.len() != count;
                match others.len() {
                    0 => {}
                    1 => drop(left.insert(name, others.remove(0))),
                    _ => drop(left.insert(name, Value::Array(others))),
                }
            }
            single if is_meant(&name, &single) => is_changed = true,
            single => drop(left.insert(name, single)),
        }
    }
    if !is_changed {
        return Ok(None);
    }
    Ok(Some(serde_json::to_string_pretty(&Value::Object(left))? + "\n"))
}

/// One file with the names of another that it has not; `None` where it has them all or either cannot be read.
pub(crate) fn merged_files(file: &str, other: &str) -> Option<String> {
    merged(file, &read_aliases(other.as_bytes()).ok()?).ok().flatten()
}
