//! The settings reference for people, made from the structs that settings are read into. Nothing of it is in the program:
//! a test writes it and fails where what is checked in is older.

use std::fmt::Write;
use std::path::Path;

use serde_json::Value as Json;
use toml::Table;

use super::channel::ChannelFile;
use super::check::{
    NAMES, allowed_values, choices, is_table, properties, resolved, schema_of, under_any_name,
};
use super::defaults::{CHARACTER, CHARACTER_TOML, Defaults};
use super::document::{get, key_path, value_on_one_line};
use super::pages::condition::When;
use super::pages::{PlaceNote, PromptSection, Skill};
use super::secrets::{Secrecy, VARIABLES};
use super::settings::Config;
use super::subscriptions::{ServerTerms, Subscription};

const HEAD: &str = "\
# Settings

<!-- Generated from the structs of settings in crates/pipeline/src/config. Change it there, then run
     UPDATE_REFERENCE=1 cargo test -p familiar-pipeline reference -->

A familiar is set up by files in `data/familiars/<id>/`. All of them are optional, and edits are noticed while the
familiar runs. A key that is not listed here is refused, with the line it stands on and the name that was probably
meant; until it is mended, the settings from before stay in force.

Defaults are written down in one place, [`familiars/_default/character.toml`](../../familiars/_default/character.toml).
A familiar's `character.toml` is laid over it key by key; lists are replaced whole.

No job of its own asks `interjection_decision`: whether to join in is left to the model that would reply. It is
there for a plan to name.

## Ten settings you will want first

| setting | what for |
|---|---|
| `display_tz` | it tells the time by your clock |
| `aliases` | what else people call it; hearing one counts as being addressed |
| `answers` | whom it answers where several people are: those who address it, whom it is talking with, or everybody |
| `interjection` | how soon it joins in by itself, or never |
| `chattiness` | when it joins in, in your own words |
| `default_mode` | novel style, chat-room style, or as if spoken; `/channel-full-rp` and its kin change one channel |
| `llm.main_prose.model` | the model that writes the replies |
| `llm.daily_cost_cap_usd` | what a day may cost at most |
| `discord.operators` | your own user id: what you say is the operator's |
| `discord.strangers` | who may write to it alone |
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

fn markdown() -> String {
    let defaults = Defaults::embedded().layers().unwrap().merged();
    let mut out = HEAD.to_owned();
    out.push_str("\n## `character.toml`\n");
    tables(&mut out, &CHARACTER, &CHARACTER, "", &defaults);
    out.push_str(CHANNEL_HEAD);
    keys(&mut out, &schema_of::<ChannelFile>());
    out.push_str(SUBSCRIPTIONS_HEAD);
    keys(&mut out, &schema_of::<Subscription>());
    out.push_str(SERVERS_HEAD);
    keys(&mut out, &schema_of::<ServerTerms>());
    out.push_str(PAGES_HEAD);
    for (heading, schema) in [
        ("`prompts/sections/*.md`", schema_of::<PromptSection>()),
        ("`skills/*.md`", schema_of::<Skill>()),
        ("`places/*.md`", schema_of::<PlaceNote>()),
    ] {
        let _ = write!(out, "\n### {heading}\n");
        keys(&mut out, &schema);
    }
    out.push_str(WHEN_HEAD);
    out.push_str("| key | value | meaning |\n|---|---|---|\n");
    let when = schema_of::<When>();
    for (path, schema) in leaves_of(&when, "") {
        let _ = writeln!(out, "| `{path}` | {} | {} |", value_words(schema), meaning(schema));
    }
    out.push_str(VARIABLES_HEAD);
    for (name, secrecy, doc) in VARIABLES {
        let secret = if secrecy == Secrecy::Secret { " Secret." } else { "" };
        let _ = writeln!(out, "| `{name}` | {doc}{secret} |");
    }
    out
}

/// What stands in a path for a name that people choose.
const ANY_NAME: &str = "<name>";

/// What is directly in a table: values first, then tables, of several that are alike the first, under what they are.
struct Entry<'s> {
    /// As it is headed: `<slot>` where it stands for several.
    shown: String,
    names: Vec<&'s str>,
    schema: &'s Json,
}

fn entries<'s>(root: &'s Json, table: &'s Json) -> Vec<Entry<'s>> {
    let mut entries: Vec<Entry<'s>> = Vec::new();
    // Where people choose the names, one stands for all.
    let any = under_any_name(table).map(|schema| (ANY_NAME, schema));
    for (name, schema) in properties(table).chain(any) {
        let schema = resolved(root, schema);
        let shown = match schema[NAMES].as_str() {
            Some(noun) => format!("<{}>", noun.rsplit(' ').next().unwrap()),
            None => name.to_owned(),
        };
        match entries.iter_mut().find(|entry| entry.shown == shown) {
            Some(entry) => entry.names.push(name),
            None => entries.push(Entry { shown, names: vec![name], schema }),
        }
    }
    entries.sort_by_key(|entry| is_table(entry.schema));
    entries
}

/// A table with its values and defaults, then those below it.
fn tables(out: &mut String, root: &Json, table: &Json, header: &str, defaults: &Table) {
    let (below, here): (Vec<_>, Vec<_>) =
        entries(root, table).into_iter().partition(|entry| is_table(entry.schema));
    let first = header_of_first(root, header);
    if !here.is_empty() {
        if !header.is_empty() {
            let _ = write!(out, "\n### `[{header}]`\n");
        }
        let several = first != header;
        out.push_str(match several {
            false => "\n| key | value | default | meaning |\n|---|---|---|---|\n",
            true => "\n| key | value | meaning |\n|---|---|---|\n",
        });
        for entry in &here {
            let default = match (several, get(defaults, &key_path(&first, &entry.shown))) {
                (true, _) => String::new(),
                (false, Some(value)) => format!(" `{}` |", value_on_one_line(value)),
                (false, None) => " unset |".to_owned(),
            };
            // What stands under any of several names is explained once, at the table.
            let explained = if entry.schema.get("description").is_some() { entry.schema } else { table };
            let (value, meaning) = (value_words(entry.schema), meaning(explained));
            let _ = writeln!(out, "| `{}` | {value} |{default} {meaning} |", entry.shown);
        }
        if several {
            several_defaults(out, root, header, &here, defaults);
        }
    }
    for entry in &below {
        tables(out, root, entry.schema, &key_path(header, &entry.shown), defaults);
    }
}

/// The names that a part of a header stands for, and what they are.
fn stands_for<'s>(root: &'s Json, header: &str) -> Option<(&'s str, Vec<&'s str>)> {
    let mut table = root;
    for part in header.split('.') {
        let entry = entries(root, table).into_iter().find(|entry| entry.shown == part)?;
        if let Some(noun) = entry.schema[NAMES].as_str() {
            return Some((noun, entry.names));
        }
        table = entry.schema;
    }
    None
}

fn filled(header: &str, name: &str) -> String {
    let parts: Vec<&str> =
        header.split('.').map(|part| if part.starts_with('<') { name } else { part }).collect();
    parts.join(".")
}

fn header_of_first(root: &Json, header: &str) -> String {
    stands_for(root, header).map_or_else(|| header.to_owned(), |(_, names)| filled(header, names[0]))
}

/// The defaults of `[llm.<slot>]` and its like: a row per key, or per name where there are many names.
fn several_defaults(out: &mut String, root: &Json, header: &str, here: &[Entry<'_>], defaults: &Table) {
    let (noun, names) = stands_for(root, header).unwrap();
    let keys = here.iter().flat_map(|entry| entry.names.iter().copied());
    let default = |of: &str, key: &str| {
        get(defaults, &key_path(&filled(header, of), key))
            .map(|value| format!("`{}`", value_on_one_line(value)))
    };
    let rows: Vec<(&str, Vec<String>)> = keys
        .filter_map(|key| Some((key, names.iter().map(|of| default(of, key)).collect::<Option<Vec<_>>>()?)))
        .collect();
    if rows.is_empty() {
        return;
    }
    let _ = write!(out, "\nDefaults by {noun}:\n\n");
    let mut line = |first: &str, cells: &[String]| {
        let _ = writeln!(out, "| {first} | {} |", cells.join(" | "));
    };
    let quoted = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    let dashes = |count: usize| vec!["---".to_owned(); count];
    if names.len() > rows.len() {
        line(noun, &quoted(&rows.iter().map(|(key, _)| *key).collect::<Vec<_>>()));
        line("---", &dashes(rows.len()));
        for (index, of) in names.iter().enumerate() {
            line(&format!("`{of}`"), &rows.iter().map(|(_, row)| row[index].clone()).collect::<Vec<_>>());
        }
    } else {
        line("key", &quoted(&names));
        line("---", &dashes(names.len()));
        for (key, row) in &rows {
            line(&format!("`{key}`"), row);
        }
    }
}

/// The values of a file that has no defaults.
fn keys(out: &mut String, schema: &Json) {
    out.push_str("\n| key | value | meaning |\n|---|---|---|\n");
    for entry in entries(schema, schema).iter().filter(|entry| !is_table(entry.schema)) {
        let (value, meaning) = (value_words(entry.schema), meaning(entry.schema));
        let _ = writeln!(out, "| `{}` | {value} | {meaning} |", entry.shown);
    }
}

/// Every value below a table that does not hold itself.
fn leaves_of<'s>(table: &'s Json, path: &str) -> Vec<(String, &'s Json)> {
    let below = |(name, schema): (&str, &'s Json)| {
        let path = key_path(path, name);
        if is_table(schema) { leaves_of(schema, &path) } else { vec![(path, schema)] }
    };
    properties(table).flat_map(below).collect()
}

/// Every value below a table; of several tables that are alike only the first, which explains them.
fn explained<'s>(table: &'s Json, path: &str) -> Vec<(String, &'s Json)> {
    let below = |entry: Entry<'s>| match is_table(entry.schema) {
        true => explained(entry.schema, &key_path(path, entry.names[0])),
        false => entry.names.iter().map(|name| (key_path(path, name), entry.schema)).collect(),
    };
    entries(table, table).into_iter().flat_map(below).collect()
}

fn meaning(schema: &Json) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ")
}

fn value_words(schema: &Json) -> String {
    let one = schema["anyOf"].get(0);
    match choices(one.unwrap_or(schema)).filter(|choices| choices.iter().all(|(_, doc)| !doc.is_empty())) {
        Some(choices) => {
            let described = |(name, doc): &(&str, &str)| format!("`{name:?}`: {}", doc.replace('\n', " "));
            let all: Vec<_> = choices.iter().map(described).collect();
            format!("{}{}", all.join("<br>"), if one.is_some() { "<br>or a list of them" } else { "" })
        }
        None => allowed_values(schema),
    }
}

#[test]
#[cfg(test)]
fn the_reference_that_is_checked_in_is_the_one_the_structs_make() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/configuration.md");
    let made = markdown();
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(checked_in == made, "run UPDATE_REFERENCE=1 cargo test -p familiar-pipeline reference");
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
        let header = format!("[{table}]");
        let own = lines.iter().position(|line| line.trim_start_matches("# ") == header);
        own.and_then(|from| comment_from(from, name)).or_else(|| comment_from(0, name))
    };
    for (path, schema) in explained(&CHARACTER, "") {
        let (table, name) = path.rsplit_once('.').unwrap_or(("", &path));
        let comment = comment_above(table, name).unwrap_or_default();
        assert!(!comment.is_empty(), "{path} is not explained");
        let mut facts: Vec<String> =
            choices(schema).unwrap_or_default().iter().map(|(word, _)| format!("{word:?}")).collect();
        let bounds = if schema["format"] == "seconds" { &["maximum"][..] } else { &["minimum", "maximum"] };
        let is_plain = schema.get("x-words").is_none();
        facts.extend(
            bounds
                .iter()
                .filter_map(|key| schema[key].as_f64())
                .filter(|_| is_plain && schema.get("maximum").is_some())
                .map(|it| it.to_string()),
        );
        facts.extend((schema["format"] == "seconds").then(|| "Seconds".to_owned()));
        for fact in facts {
            assert!(comment.contains(&fact), "the comment of {path} does not say {fact}");
        }
    }
}

#[test]
fn every_required_default_is_set() {
    Config::resolve(&Defaults::embedded().layers().unwrap()).unwrap();
}
