//! One Markdown file per entry: TOML front matter between `+++` lines, then the content untouched.
//!
//! Strings are written on one line with escapes, so that no content can end the front matter early.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::{BookFormat, LoreEntry, LorePosition, Lorebook};
use crate::Role;
use crate::coerce;
use crate::text::{FrontMatter, front_matter, slug};

/// The file that holds a book's own fields.
pub const BOOK_FILE: &str = "_book.toml";

const FENCE: &str = "+++";

/// What every entry's file says, whatever it is; the others are said where they are not as usual.
const NAMED_FIELDS: [&str; 8] =
    ["uid", "title", "keys", "selective", "enabled", "constant", "order", "position"];

/// Deepest nesting written as TOML; deeper values go into one string of JSON.
const MAX_TOML_DEPTH: usize = 16;

/// The folder name of a book.
pub fn folder_name(book: &str) -> String {
    let name = slug(book, 50);
    if name.is_empty() { "book".to_owned() } else { name }
}

/// Every file of a book by name, the book's own first.
pub fn book_files(book: &Lorebook) -> Vec<(String, String)> {
    let mut taken = HashSet::new();
    // The last number tried per stem, so that thousands of entries of one name stay cheap.
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut files = vec![(BOOK_FILE.to_owned(), book_header(book))];
    for entry in &book.entries {
        let stem = file_stem(entry);
        let mut name = stem.clone();
        while !taken.insert(name.clone()) {
            let number = numbers.entry(stem.clone()).or_insert(1);
            *number += 1;
            name = format!("{stem}-{number}");
        }
        files.push((format!("{name}.md"), entry_file(entry)));
    }
    files
}

/// `<order>-<title>`; a negative order is written `m0003`, since no file name should begin with a dash.
fn file_stem(entry: &LoreEntry) -> String {
    let title = slug(&entry.label(), 50);
    let sign = if entry.order < 0 { "m" } else { "" };
    let order = entry.order.unsigned_abs();
    if title.is_empty() {
        format!("{sign}{order:04}-entry-{}", entry.uid)
    } else {
        format!("{sign}{order:04}-{title}")
    }
}

fn book_header(book: &Lorebook) -> String {
    let mut out =
        String::from("# A lorebook. Each entry is a Markdown file beside this one; edit them freely.\n");
    front_matter_line(&mut out, "name", &json!(book.name));
    front_matter_line(&mut out, "description", &json!(book.description));
    front_matter_line(&mut out, "format", &json!(book.format.as_str()));
    for (key, value) in [
        ("scan_depth", json!(book.scan_depth)),
        ("token_budget", json!(book.token_budget)),
        ("recursive_scanning", json!(book.recursive_scanning)),
    ] {
        if !value.is_null() {
            front_matter_line(&mut out, key, &value);
        }
    }
    rest(&mut out, &book.rest);
    out
}

/// Reads a book's own fields; entries are read from their files.
pub fn parse_book_header(text: &str) -> Result<Lorebook, String> {
    let mut fields = parse_table(text)?;
    let mut text = |key: &str| match fields.shift_remove(key) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    let (name, description, format) = (text("name"), text("description"), text("format"));
    Ok(Lorebook {
        name,
        description,
        format: format.parse().unwrap_or(BookFormat::CharacterBook),
        scan_depth: fields.get("scan_depth").and_then(coerce::as_count),
        token_budget: fields.get("token_budget").and_then(coerce::as_count),
        recursive_scanning: fields.get("recursive_scanning").and_then(coerce::switch),
        entries: Vec::new(),
        rest: unwrap_rest(fields.get("st")),
    })
}

pub(crate) fn entry_file(entry: &LoreEntry) -> String {
    let mut out = format!("{FENCE}\n");
    let default = json!(LoreEntry::default());
    for (key, value) in json!(entry).as_object().into_iter().flatten() {
        if NAMED_FIELDS.contains(&key.as_str()) || default[key] != *value {
            front_matter_line(&mut out, key, value);
        }
    }
    rest(&mut out, &entry.rest);
    let _ = write!(out, "{FENCE}\n{}\n", entry.content);
    out
}

/// Reads an entry's file. One without front matter is an entry that only has content.
///
/// # Errors
/// One line that says what is wrong with the front matter.
pub fn parse_entry(text: &str) -> Result<LoreEntry, String> {
    let text = crate::text::unix_lines(text);
    let content = |body: &str| body.strip_suffix('\n').unwrap_or(body).to_owned();
    let (fields, body) = parse_front(&text)?;
    let default = LoreEntry::default();
    let get = |key: &str| fields.get(key);
    let text_of = |key: &str| get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let switch = |key: &str, default: bool| get(key).and_then(coerce::switch).unwrap_or(default);
    let number = |key: &str, default: u32| get(key).and_then(coerce::as_count).unwrap_or(default);
    let list = |key: &str| match get(key) {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(other) => coerce::short_texts(other),
        None => Vec::new(),
    };
    let mut entry = LoreEntry {
        uid: number("uid", 0),
        source_id: get("id").and_then(coerce::as_text),
        title: text_of("title"),
        section: get("section").and_then(Value::as_str).map(str::to_owned),
        keys: list("keys"),
        secondary_keys: list("secondary_keys"),
        selective: switch("selective", false),
        logic: text_of("logic").parse().unwrap_or(default.logic),
        enabled: switch("enabled", true),
        constant: switch("constant", false),
        order: get("order").and_then(coerce::integer).unwrap_or(default.order),
        priority: get("priority").and_then(coerce::integer),
        position: text_of("position").parse().unwrap_or(default.position),
        depth: number("depth", default.depth),
        role: get("role").and_then(coerce::as_role).unwrap_or(Role::System),
        scan_depth: get("scan_depth").and_then(coerce::as_count),
        case_sensitive: get("case_sensitive").and_then(coerce::switch),
        match_whole_words: get("match_whole_words").and_then(coerce::switch),
        probability: get("probability").and_then(Value::as_f64).unwrap_or(default.probability),
        use_probability: switch("use_probability", true),
        exclude_recursion: switch("exclude_recursion", false),
        prevent_recursion: switch("prevent_recursion", false),
        delay_until_recursion: number("delay_until_recursion", 0),
        group: text_of("group"),
        group_override: switch("group_override", false),
        group_weight: number("group_weight", default.group_weight),
        use_group_scoring: get("use_group_scoring").and_then(coerce::switch),
        sticky: get("sticky").and_then(coerce::as_count),
        cooldown: get("cooldown").and_then(coerce::as_count),
        delay: get("delay").and_then(coerce::as_count),
        vectorized: switch("vectorized", false),
        ignore_budget: switch("ignore_budget", false),
        triggers: list("triggers"),
        outlet_name: text_of("outlet_name"),
        content: content(body),
        rest: unwrap_rest(get("st")),
    };
    if switch("use_regex", false) {
        entry.keys_are_patterns();
    }
    Ok(entry)
}

/// The front matter (empty where there is none) and the body.
pub(crate) fn parse_front(text: &str) -> Result<(Map<String, Value>, &str), String> {
    match front_matter(text, FENCE) {
        FrontMatter::Closed { fields, body } => Ok((parse_table(&text[fields])?, &text[body..])),
        FrontMatter::Missing | FrontMatter::Unclosed => Ok((Map::new(), text)),
    }
}

fn parse_table(text: &str) -> Result<Map<String, Value>, String> {
    let table: toml::Table = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    match serde_json::to_value(table) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Ok(Map::new()),
        Err(error) => Err(error.to_string()),
    }
}

fn front_matter_line(out: &mut String, key: &str, value: &Value) {
    let _ = writeln!(out, "{key} = {}", toml_value(value));
}

/// The fields without a name of their own, under `[st]`.
fn rest(out: &mut String, rest: &Map<String, Value>) {
    if rest.is_empty() {
        return;
    }
    out.push_str("\n# Everything else the source said, kept for the way back.\n[st]\n");
    for (key, value) in rest {
        let _ = writeln!(out, "{} = {}", toml_string(key), toml_value(&wrapped(value)));
    }
}

/// TOML knows no null, no large unsigned numbers and a limited depth: such values become `{ json = "…" }`.
fn wrapped(value: &Value) -> Value {
    let own_shape = value.as_object().is_some_and(|map| map.len() == 1 && map.contains_key("json"));
    if own_shape || !fits(value, MAX_TOML_DEPTH) {
        json!({ "json": value.to_string() })
    } else {
        value.clone()
    }
}

fn unwrap_rest(rest: Option<&Value>) -> Map<String, Value> {
    let Some(Value::Object(map)) = rest else { return Map::new() };
    let unwrapped = |value: &Value| {
        let text = value.as_object().filter(|map| map.len() == 1)?.get("json")?.as_str()?;
        serde_json::from_str(text).ok()
    };
    map.iter().map(|(key, value)| (key.clone(), unwrapped(value).unwrap_or_else(|| value.clone()))).collect()
}

fn fits(value: &Value, depth: usize) -> bool {
    match value {
        Value::Null => false,
        Value::Number(number) => number.as_i64().is_some() || number.is_f64(),
        Value::Array(list) => depth > 0 && list.iter().all(|value| fits(value, depth - 1)),
        Value::Object(map) => depth > 0 && map.values().all(|value| fits(value, depth - 1)),
        Value::Bool(_) | Value::String(_) => true,
    }
}

fn toml_value(value: &Value) -> String {
    match value {
        Value::String(text) => toml_string(text),
        Value::Array(list) => format!("[{}]", list.iter().map(toml_value).collect::<Vec<_>>().join(", ")),
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let pairs: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{} = {}", toml_string(key), toml_value(value)))
                .collect();
            format!("{{ {} }}", pairs.join(", "))
        }
        Value::Number(number) => float(number).unwrap_or_else(|| number.to_string()),
        Value::Bool(flag) => flag.to_string(),
        Value::Null => "\"\"".to_owned(),
    }
}

/// TOML wants digits after the point of a float, JSON writes `1e+30`.
fn float(number: &serde_json::Number) -> Option<String> {
    number.is_f64().then(|| number.as_f64()).flatten().map(|number| format!("{number:?}"))
}

/// A TOML basic string. JSON's escapes are TOML's; only DEL has to be added.
pub fn toml_string(text: &str) -> String {
    Value::String(text.to_owned()).to_string().replace('\u{7f}', "\\u007F")
}

/// The entry as a `character_book` of the V2 spec with SillyTavern's `extensions` has it.
pub(crate) fn to_character_book(entry: &LoreEntry) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| {
        map.insert(key.to_owned(), value);
    };
    put(
        "id",
        entry.source_id.as_ref().and_then(|id| id.parse::<i64>().ok()).map_or_else(
            || json!(entry.source_id.clone().unwrap_or_else(|| entry.uid.to_string())),
            |id| json!(id),
        ),
    );
    put("keys", json!(entry.keys));
    put("secondary_keys", json!(entry.secondary_keys));
    put("comment", json!(entry.title));
    put("content", json!(entry.content));
    put("enabled", json!(entry.enabled));
    put("constant", json!(entry.constant));
    put("selective", json!(entry.selective));
    put("insertion_order", json!(entry.order));
    put("use_regex", json!(entry.has_patterns()));
    put("position", json!(if entry.position == LorePosition::Before { "before_char" } else { "after_char" }));
    if let Some(priority) = entry.priority {
        put("priority", json!(priority));
    }
    let mut extensions = json!({
        "position": entry.position as usize,
        "selectiveLogic": entry.logic as usize,
        "depth": entry.depth,
        "role": match entry.role { Role::System => 0, Role::User => 1, Role::Assistant => 2 },
        "scan_depth": entry.scan_depth,
        "case_sensitive": entry.case_sensitive,
        "match_whole_words": entry.match_whole_words,
        "use_group_scoring": entry.use_group_scoring,
        "probability": entry.probability,
        "useProbability": entry.use_probability,
        "exclude_recursion": entry.exclude_recursion,
        "prevent_recursion": entry.prevent_recursion,
        "delay_until_recursion": entry.delay_until_recursion,
        "group": entry.group,
        "group_override": entry.group_override,
        "group_weight": entry.group_weight,
        "sticky": entry.sticky,
        "cooldown": entry.cooldown,
        "delay": entry.delay,
        "vectorized": entry.vectorized,
        "ignore_budget": entry.ignore_budget,
        "triggers": entry.triggers,
        "outlet_name": entry.outlet_name,
    });
    for (key, value) in &entry.rest {
        match (key.as_str(), value, &mut extensions) {
            ("extensions", Value::Object(more), Value::Object(known)) => {
                known.extend(more.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            _ => {
                map.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
    }
    map.insert("extensions".to_owned(), extensions);
    Value::Object(map)
}
