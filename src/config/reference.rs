//! The settings reference for people, rendered from the same table of keys that the files are checked against.

use std::fmt::Write;

use super::channel;
use super::defaults::Defaults;
use super::error::ConfigError;
use super::familiar;
use super::pages::{condition, place_note, section as prompt_section, skill};
use super::schema::{Key, Kind, placeholder};
use super::secrets::{Secrecy, VARIABLES};
use super::servers;
use super::subscriptions;
use super::tree::Node;

const HEAD: &str = "\
# Settings

<!-- Generated from the table of keys in src/config. Change it there, then run
     UPDATE_REFERENCE=1 cargo test --lib reference -->

A familiar is set up by files in `data/familiars/<id>/`. All of them are optional, and edits are noticed while the
familiar runs. A key that is not listed here is refused, with the line it stands on and the name that was probably
meant; until it is mended, the settings from before stay in force.

Defaults are written down in one place, [`familiars/_default/character.toml`](../../familiars/_default/character.toml).
A familiar's `character.toml` is laid over it key by key; lists are replaced whole.

No job of its own asks `interjection_decision` or `mood_eval`: whether to join in is left to the model that
would reply, and moods are counted without one. They are there for a plan to name.
";

const CHANNEL_HEAD: &str = "
## `channels/<channel_id>.toml`

What one channel does differently. The slash commands for modes and backdrops write this file and leave the rest of it
alone. Without the file a channel has the familiar's `default_mode`. `[typing_simulation]` and `[plan.…]` take the same
keys as in `character.toml` and may hold only some of them.

The author's note of a channel is its backdrop; else the familiar's `modes/<mode>.md`; else the default
`modes/<mode>.md`; else nothing.
";

const SUBSCRIPTIONS_HEAD: &str = "
## `subscriptions.toml`

The channels a familiar listens in, one `[[subscription]]` each. Written by the slash commands. A malformed row is
reported and left as it is; the other rows are used.
";

const SERVERS_HEAD: &str = "
What holds in every call of a server stands in a `[[server]]`:
";

const PAGES_HEAD: &str = "
## Pages

Markdown files with these settings on top, between two lines of `+++`. All settings are optional; a file without them is
all text. [Prompts](../guides/prompts.md) tells what they are for.
";

const WHEN_HEAD: &str = "
### `when`

What one table names has to hold all together; of a list of tables one has to hold.

";

const VARIABLES_HEAD: &str = "
## Environment

Read from the process environment, else from `.env` in the working folder. Secrets have no other place.

| variable | meaning |
|---|---|
";

/// `docs/reference/configuration.md`.
///
/// # Errors
/// When the defaults that are built in cannot be read, which a test rules out.
pub fn markdown() -> Result<String, ConfigError> {
    let defaults = Defaults::embedded().tree()?;
    let mut out = HEAD.to_owned();
    out.push_str("\n## `character.toml`\n");
    let keys = familiar::keys();
    for (header, group) in groups(&keys) {
        section(&mut out, &header, &group, Some(&defaults));
    }
    out.push_str(CHANNEL_HEAD);
    let keys = channel::keys();
    for (header, group) in groups(&keys).into_iter().filter(|(header, _)| header.is_empty()) {
        section(&mut out, &header, &group, None);
    }
    out.push_str(SUBSCRIPTIONS_HEAD);
    section(&mut out, "", &subscriptions::KEYS.iter().collect::<Vec<_>>(), None);
    out.push_str(SERVERS_HEAD);
    section(&mut out, "", &servers::KEYS.iter().collect::<Vec<_>>(), None);
    out.push_str(PAGES_HEAD);
    pages(&mut out);
    out.push_str(VARIABLES_HEAD);
    for variable in VARIABLES {
        let secret = if variable.secrecy == Secrecy::Secret { " Secret." } else { "" };
        let _ = writeln!(out, "| `{}` | {}{secret} |", variable.name, variable.doc);
    }
    Ok(out)
}

/// The pages with settings on top: their keys, and those of `when`.
fn pages(out: &mut String) {
    for (heading, keys) in [
        ("`prompts/sections/*.md`", prompt_section::KEYS),
        ("`skills/*.md`", skill::KEYS),
        ("`places/*.md`", place_note::KEYS),
    ] {
        let _ = write!(out, "\n### {heading}\n");
        section(out, "", &keys.iter().collect::<Vec<_>>(), None);
    }
    out.push_str(WHEN_HEAD);
    out.push_str("| key | value | meaning |\n|---|---|---|\n");
    for key in condition::KEYS {
        let _ = writeln!(out, "| `{}` | {} | {} |", key.path, value_words(key.kind), key.doc);
    }
}

/// The keys by the table they stand in, in order.
fn groups(keys: &[Key]) -> Vec<(String, Vec<&Key>)> {
    let mut groups: Vec<(String, Vec<&Key>)> = Vec::new();
    for key in keys {
        let header = key.path.rsplit_once('.').map_or("", |(header, _)| header);
        match groups.iter_mut().find(|(known, _)| known == header) {
            Some((_, group)) => group.push(key),
            None => groups.push((header.to_owned(), vec![key])),
        }
    }
    groups
}

/// One table of a file. `defaults` is absent for files that have none.
fn section(out: &mut String, header: &str, keys: &[&Key], defaults: Option<&Node>) {
    if !header.is_empty() {
        let _ = write!(out, "\n### `[{header}]`\n");
    }
    // Where a table stands for several, their defaults get a table of their own.
    let several = header.split('.').find_map(placeholder);
    let defaults_here = defaults.filter(|_| several.is_none());
    out.push('\n');
    out.push_str(match defaults_here {
        Some(_) => "| key | value | default | meaning |\n|---|---|---|---|\n",
        None => "| key | value | meaning |\n|---|---|---|\n",
    });
    for key in keys {
        let name = key.path.rsplit('.').next().unwrap_or(key.path);
        let value = value_words(key.kind);
        let _ = match defaults_here {
            Some(tree) => {
                let default = default_of(tree, key.path).unwrap_or_else(|| "unset".to_owned());
                writeln!(out, "| `{name}` | {value} | {default} | {} |", key.doc)
            }
            None => writeln!(out, "| `{name}` | {value} | {} |", key.doc),
        };
    }
    if let (Some(tree), Some((noun, names))) = (defaults, several) {
        several_defaults(out, tree, noun, &names, keys);
    }
}

/// The defaults of `[llm.<slot>]` and its like: a row per key, or per name where there are many names.
fn several_defaults(out: &mut String, tree: &Node, noun: &str, names: &[&str], keys: &[&Key]) {
    let rows: Vec<(String, Vec<Option<String>>)> = keys
        .iter()
        .flat_map(|key| last_names(key.path))
        .map(|path| {
            let name = path.rsplit('.').next().unwrap_or_default().to_owned();
            (name, names.iter().map(|of| default_of(tree, &fill_in(&path, of))).collect::<Vec<_>>())
        })
        .filter(|(_, values)| values.iter().filter(|value| value.is_some()).count() == names.len())
        .collect();
    let shown = |value: &Option<String>| value.clone().unwrap_or_default();
    let _ = write!(out, "\nDefaults by {noun}:\n\n");
    if names.len() > rows.len() {
        let heads: Vec<_> = rows.iter().map(|(name, _)| format!("`{name}`")).collect();
        let _ = writeln!(out, "| {noun} | {} |\n|---|{}", heads.join(" | "), "---|".repeat(heads.len()));
        for (index, of) in names.iter().enumerate() {
            let cells: Vec<_> = rows.iter().map(|(_, values)| shown(&values[index])).collect();
            let _ = writeln!(out, "| `{of}` | {} |", cells.join(" | "));
        }
    } else {
        let heads: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(out, "| key | {} |\n|---|{}", heads.join(" | "), "---|".repeat(heads.len()));
        for (name, values) in &rows {
            let cells: Vec<_> = values.iter().map(shown).collect();
            let _ = writeln!(out, "| `{name}` | {} |", cells.join(" | "));
        }
    }
}

/// The path with its last segment spelled out where that is a placeholder.
fn last_names(path: &str) -> Vec<String> {
    let (header, last) = path.rsplit_once('.').unwrap_or(("", path));
    match placeholder(last) {
        Some((_, names)) => names.iter().map(|name| format!("{header}.{name}")).collect(),
        None => vec![path.to_owned()],
    }
}

/// The path with its placeholder replaced by a name.
fn fill_in(path: &str, name: &str) -> String {
    let segments: Vec<_> =
        path.split('.').map(|segment| if placeholder(segment).is_some() { name } else { segment }).collect();
    segments.join(".")
}

fn default_of(tree: &Node, path: &str) -> Option<String> {
    tree.get(path.split('.')).map(|node| format!("`{}`", node.item))
}

fn value_words(kind: Kind) -> String {
    match kind {
        Kind::Choice(choices) | Kind::Words(choices) => {
            let words: Vec<_> =
                choices.iter().map(|choice| format!("`{:?}`: {}", choice.name, choice.doc)).collect();
            let list = if matches!(kind, Kind::Words(_)) { "<br>or a list of them" } else { "" };
            format!("{}{list}", words.join("<br>"))
        }
        other => other.words(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::defaults::CHARACTER_TOML;
    use super::*;

    #[test]
    fn the_reference_that_is_checked_in_is_the_one_the_keys_make() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/configuration.md");
        let made = markdown().unwrap();
        if std::env::var_os("UPDATE_REFERENCE").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &made).unwrap();
        }
        let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(checked_in == made, "run UPDATE_REFERENCE=1 cargo test --lib reference");
    }

    #[test]
    fn the_default_file_names_every_key_under_a_comment() {
        let lines: Vec<&str> = CHARACTER_TOML.lines().collect();
        // The comment block right above each line that sets (or, commented out, could set) a key.
        let comment_from = |from: usize, name: &str| {
            let is_key = |line: &&str| line.trim_start_matches("# ").starts_with(&format!("{name} = "));
            let at = from + lines[from..].iter().position(is_key)?;
            let above = lines[..at].iter().rev().take_while(|line| line.starts_with('#'));
            Some(above.copied().collect::<Vec<_>>().join("\n")).filter(|comment| !comment.is_empty())
        };
        // Two tables may have a key of one name; of several tables with the same keys the first one explains them.
        let comment_above = |table: &str, name: &str| {
            let first = |segment| placeholder(segment).map_or(segment, |(_, names)| names[0]);
            let table = table.split('.').map(first).collect::<Vec<_>>().join(".");
            let own = lines.iter().position(|line| **line == *format!("[{table}]"));
            own.and_then(|from| comment_from(from, name)).or_else(|| comment_from(0, name))
        };
        for key in familiar::keys() {
            let (table, name) = key.path.rsplit_once('.').unwrap_or(("", key.path));
            for name in placeholder(name).map_or(vec![name], |(_, names)| names) {
                let comment = comment_above(table, name);
                assert!(comment.is_some(), "{} is not explained", key.path);
                let comment = comment.unwrap_or_default();
                let facts: Vec<String> = match key.kind {
                    Kind::Count(min, max) => vec![min.to_string(), max.to_string()],
                    Kind::Number(min, max) => vec![min.to_string(), max.to_string()],
                    Kind::Seconds(_, max) => vec!["Seconds".to_owned(), max.to_string()],
                    Kind::Choice(choices) => {
                        choices.iter().map(|choice| format!("{:?}", choice.name)).collect()
                    }
                    _ => Vec::new(),
                };
                for fact in facts {
                    assert!(comment.contains(&fact), "the comment of {} does not say {fact}", key.path);
                }
            }
        }
    }

    #[test]
    fn every_required_default_is_set() {
        let tree = Defaults::embedded().tree().unwrap();
        familiar::Config::resolve(super::super::read::View::new(&tree)).unwrap();
    }
}
