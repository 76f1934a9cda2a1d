//! Checking a file against the schema of its settings: unknown keys, wrong forms, ranges.
//!
//! The schema is derived from the structs that settings are read into, so that what is refused, what the reference page
//! says and what editors offer are the same thing. Every mistake of a file is told at once, which a deserialiser that
//! stops at the first one cannot do. Start reading at [`checked_document`].

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value as Json;
use toml::Value;

use super::document::{Document, SourceText, as_number, key_path, value_on_one_line};
use super::error::{ConfigError, Problem, closest, meant_or_all};

/// Settings that there were once: a file that still has one is told so, and read.
pub(super) const RETIRED: [&str; 6] = [
    "plan.text.quorum",
    "plan.voice.quorum",
    "providers.recall.condense",
    "recasting.min_chars",
    "sleep.max_proposals",
    "thinking.answer_tokens",
];

/// Models that find by meaning and go by a short name; all others go by their name on the hub.
pub const EMBEDDING_MODELS: [&str; 2] = ["english", "multilingual"];

/// In a schema: what is expected, in words that continue "must be …", where they do not follow from the rest.
pub(super) const WORDS: &str = "x-words";

/// In the schema of a table or value that stands under one of several names: what these names are.
pub(super) const NAMES: &str = "x-names";

/// The schema of a file's settings, everything in its place. A table that holds itself is a reference.
pub(super) fn schema_of<T: JsonSchema>() -> Json {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    drop_null(&mut schema);
    schema
}

/// TOML knows no null: what may be left out is what no table requires.
fn drop_null(schema: &mut Json) {
    match schema {
        Json::Object(entries) => {
            if let Some(Json::Array(types)) = entries.get_mut("type") {
                types.retain(|one| one != "null");
            }
            if let Some(Json::Array(any)) = entries.get_mut("anyOf") {
                any.retain(|one| one["type"] != "null");
                if let [Json::Object(only)] = any.as_mut_slice() {
                    let only = std::mem::take(only);
                    entries.remove("anyOf");
                    for (key, value) in only {
                        entries.entry(key).or_insert(value);
                    }
                }
            }
            entries.values_mut().for_each(drop_null);
        }
        Json::Array(items) => items.iter_mut().for_each(drop_null),
        _ => {}
    }
}

/// Parses a file and checks it. Whether all is there is not asked: files lie over each other.
pub(super) fn checked_document(source: &Arc<SourceText>, schema: &Json) -> Result<Document, ConfigError> {
    checked(Document::parse(source)?, schema)
}

/// A file without a mistake; else all of them.
pub(super) fn checked(document: Document, schema: &Json) -> Result<Document, ConfigError> {
    let table = Value::Table(document.values.clone());
    match check_value(&document, "", &table, schema) {
        problems if problems.is_empty() => Ok(document),
        problems => Err(ConfigError::Invalid(problems)),
    }
}

/// Every mistake of a value that stands somewhere in a file, such as `subscription[2]`, in the order in which they stand there.
pub(super) fn check_value(document: &Document, path: &str, value: &Value, schema: &Json) -> Vec<Problem> {
    let mut check = SchemaCheck { document, root: schema, problems: Vec::new() };
    check.value(path, value, schema);
    check.problems.sort_by_key(Problem::line_column);
    check.problems
}

/// The keys of a table that stands alone which have to be there and are not.
pub(super) fn missing_keys(document: &Document, path: &str, schema: &Json) -> Option<Problem> {
    let required = schema["required"].as_array()?.iter().filter_map(Json::as_str);
    let key = required.into_iter().find(|key| !document.has(&key_path(path, key)))?;
    let problem = Problem::at(&document.place(path), format!("`{key}` is missing")).labelled("in here");
    Some(problem.advised(format!("add a line `{key} = …`")))
}

/// The entries of a table's schema.
pub(super) fn properties(schema: &Json) -> impl Iterator<Item = (&str, &Json)> {
    schema["properties"].as_object().into_iter().flatten().map(|(name, property)| (name.as_str(), property))
}

/// A schema, or what it refers to.
pub(super) fn resolved<'s>(root: &'s Json, schema: &'s Json) -> &'s Json {
    let name = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
    match name {
        Some(name) => &root["$defs"][name],
        None if schema["$ref"] == "#" => root,
        None => schema,
    }
}

pub(super) fn is_table(schema: &Json) -> bool {
    schema.get("properties").is_some()
}

/// The schema of what stands under any name in a table where people choose the names.
pub(super) fn under_any_name(schema: &Json) -> Option<&Json> {
    schema.get("additionalProperties").filter(|any| any.is_object())
}

/// The words that a value may be, and what they mean, where it is one of a few.
pub(super) fn choices<'s>(schema: &'s Json) -> Option<Vec<(&'s str, &'s str)>> {
    if let Some(names) = schema["enum"].as_array() {
        return names.iter().map(|name| Some((name.as_str()?, ""))).collect();
    }
    let meaning = |choice: &'s Json| choice["description"].as_str().unwrap_or_default();
    schema["oneOf"]
        .as_array()?
        .iter()
        .map(|choice| Some((choice["const"].as_str()?, meaning(choice))))
        .collect()
}

/// What a value may be, continuing "must be …".
pub(super) fn allowed_values(schema: &Json) -> String {
    let bound = |key: &str| schema[key].as_f64().unwrap_or_default();
    if let Some(words) = schema[WORDS].as_str() {
        return words.to_owned();
    }
    if let Some(one) = schema["anyOf"].get(0) {
        return format!("{}, or a list of them", allowed_values(one));
    }
    let quoted =
        |names: Vec<&str>| names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    match (short_names(schema).map(quoted), text_form(schema)) {
        (Some(names), Some((_, words, _))) => return format!("{names} or {words}"),
        (Some(names), None) => return format!("one of {names}"),
        (None, Some((_, words, _))) => return words.to_owned(),
        (None, None) => {}
    }
    let range = match schema.get("maximum") {
        Some(_) => format!("from {} to {}", bound("minimum"), bound("maximum")),
        None => format!("of at least {}", bound("minimum")),
    };
    match (form_of(schema), schema["format"].as_str()) {
        ("boolean", _) => "true or false".to_owned(),
        ("integer", _) => format!("a whole number {range}"),
        ("number", Some("seconds")) => format!("a number of seconds {range}"),
        ("number", _) => format!("a number {range}"),
        ("array", _) if schema["items"]["format"] == "id" => "a list of ids (digits)".to_owned(),
        ("array", _) if schema["items"]["format"] == "variable" => {
            "a list of names of environment variables".to_owned()
        }
        ("array", _) => "a list of texts, none blank".to_owned(),
        ("object", _) => "a table of settings".to_owned(),
        _ => match schema["maxLength"].as_u64() {
            Some(max) => format!("text of at most {max} characters"),
            None => "text that is not blank".to_owned(),
        },
    }
}

/// The type in a schema; that a setting may be left out is no type of it.
fn form_of(schema: &Json) -> &str {
    let form = &schema["type"];
    form.as_str().or_else(|| form[0].as_str()).unwrap_or_default()
}

/// What a value is, for "…, but is …".
pub(super) fn value_form(value: &Value) -> String {
    match value {
        Value::Table(_) => "a table".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) if text.chars().count() > 60 => {
            format!("{} characters long", text.chars().count())
        }
        value => value_on_one_line(value),
    }
}

/// The words that a value may be, or may be among others.
fn short_names(schema: &Json) -> Option<Vec<&str>> {
    let choices = choices(schema).map(|all| all.into_iter().map(|(name, _)| name).collect());
    choices.or_else(|| (schema["format"] == "hub-model").then(|| EMBEDDING_MODELS.to_vec()))
}

struct SchemaCheck<'c> {
    document: &'c Document,
    /// The schema of the whole file.
    root: &'c Json,
    problems: Vec<Problem>,
}

impl SchemaCheck<'_> {
    fn value(&mut self, path: &str, value: &Value, schema: &Json) {
        let (root, asked) = (self.root, schema);
        let schema = resolved(root, schema);
        let one = schema["anyOf"].get(0).map(|one| resolved(root, one));
        match (value, one) {
            (Value::Table(entries), _) if is_table(one.unwrap_or(schema)) => {
                for (name, entry) in entries {
                    self.entry(path, name, entry, one.unwrap_or(schema));
                }
            }
            (Value::Array(items), Some(one)) if !items.is_empty() => self.items(path, items, one),
            (Value::Array(items), None) if form_of(schema) == "array" => {
                self.items(path, items, &schema["items"]);
            }
            (_, Some(one)) if value_fits(value, one) => {}
            (_, None) if value_fits(value, schema) => {}
            _ => self.unusable(path, value, if asked.get(WORDS).is_some() { asked } else { schema }),
        }
    }

    fn items(&mut self, path: &str, items: &[Value], schema: &Json) {
        for (at, item) in items.iter().enumerate() {
            self.value(&format!("{path}[{at}]"), item, schema);
        }
    }

    fn entry(&mut self, path: &str, name: &str, value: &Value, table: &Json) {
        let path = key_path(path, name);
        match table["properties"].get(name).or(under_any_name(table)) {
            Some(property) => self.value(&path, value, property),
            None => self.unknown(&path, name, value, table),
        }
    }

    fn unusable(&mut self, path: &str, value: &Value, schema: &Json) {
        if schema["format"] == "variable" {
            // Probably the value itself, which must not be repeated in logs and bug reports.
            let what = format!("`{path}` must be {}", allowed_values(schema));
            self.problems.push(Problem::at(&self.document.place(path), what).of_secret());
            return;
        }
        let found = value_form(value);
        let what = format!("`{path}` must be {}, but is {found}", allowed_values(schema));
        let problem = Problem::at(&self.document.place(path), what);
        let one = schema["anyOf"].get(0).unwrap_or(schema);
        let meant = value.as_str().zip(short_names(one));
        let meant = meant.and_then(|(word, names)| closest(word, names));
        self.problems.push(match meant {
            Some(meant) => problem.advised(format!("did you mean {meant:?}?")),
            None => problem,
        });
    }

    fn unknown(&mut self, path: &str, name: &str, value: &Value, table: &Json) {
        if RETIRED.contains(&path) {
            tracing::warn!(setting = path, "this setting is no longer used and can be taken out of the file");
            return;
        }
        let mut keys = Vec::new();
        let mut named: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (key, property) in properties(table) {
            match resolved(self.root, property)[NAMES].as_str() {
                Some(noun) => named.entry(noun).or_default().push(key),
                None => keys.push(key),
            }
        }
        // Where one of several names may stand, a table is meant as one of them: `[llm.main_pros]`.
        let meant = named.into_iter().next().filter(|_| keys.is_empty() || value.is_table());
        let (noun, mut names) = meant.unwrap_or(("key", keys));
        names.sort_unstable();
        let problem = Problem::at(&self.document.key_place(path), format!("unknown {noun} `{path}`"))
            .labelled("not known here");
        let meant = closest(name, names.iter().copied());
        // A key's name that suggests a secret: it must not be repeated in logs and bug reports.
        if meant.is_none() && is_secret(path) {
            self.problems.push(problem.of_secret());
            return;
        }
        // A name that exists elsewhere is no slip of the pen; a whole table is no key that slipped below another header.
        let elsewhere = if value.is_table() { None } else { table_that_knows(self.root, name) };
        self.problems.push(problem.advised(match elsewhere {
            Some(header) if header.is_empty() => {
                "it belongs at the top of the file, above the first [table]".to_owned()
            }
            Some(header) => format!("it belongs under `[{header}]`"),
            None => meant_or_all(meant, &format!("the {noun}s here are"), &names),
        }));
    }
}

/// The table that does know a key of that name, as its header without brackets. The usual slip: a key written below a
/// table's header instead of above it.
fn table_that_knows(table: &Json, name: &str) -> Option<String> {
    let tables = || properties(table).filter(|(_, property)| is_table(property));
    if properties(table).any(|(key, property)| key == name && !is_table(property)) {
        return Some(String::new());
    }
    tables().find_map(|(key, inner)| {
        let header = table_that_knows(inner, name)?;
        Some(if header.is_empty() { key.to_owned() } else { format!("{key}.{header}") })
    })
}

fn is_secret(path: &str) -> bool {
    let path = path.to_lowercase();
    path.ends_with("key") || ["apikey", "token", "secret", "password"].iter().any(|word| path.contains(word))
}

/// Whether a value that is neither table nor list is what a schema asks for.
fn value_fits(value: &Value, schema: &Json) -> bool {
    if let Some(choices) = choices(schema) {
        return value.as_str().is_some_and(|word| choices.iter().any(|(name, _)| *name == word));
    }
    let form = &schema["type"];
    let may_be =
        |name: &str| form == name || form.as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let within = |value: f64| {
        schema["minimum"].as_f64().is_none_or(|min| value >= min)
            && schema["maximum"].as_f64().is_none_or(|max| value <= max)
    };
    match value {
        Value::Boolean(_) => may_be("boolean"),
        Value::Integer(_) => (may_be("integer") || may_be("number")) && as_number(value).is_some_and(within),
        Value::Float(value) => may_be("number") && within(*value),
        Value::String(text) => may_be("string") && text_fits(text, schema),
        _ => false,
    }
}

fn text_fits(text: &str, schema: &Json) -> bool {
    if let Some((_, _, fits)) = text_form(schema) {
        return fits(text);
    }
    match (schema["pattern"].as_str(), schema["maxLength"].as_u64()) {
        // The only patterns there are: a word that may stand in place of a number.
        (Some(pattern), _) => pattern == format!("^{text}$"),
        (None, Some(max)) => u64::try_from(text.chars().count()).is_ok_and(|length| length <= max),
        (None, None) => !text.trim().is_empty(),
    }
}

/// A form of texts: the `format` that schemas call it, what it is, besides a short name, in words that continue "must be …",
/// and whether a text is of it.
type TextForm = (&'static str, &'static str, fn(&str) -> bool);

const TEXT_FORMS: [TextForm; 8] = [
    ("uri", "an http:// or https:// address, or empty", is_address),
    ("uuid", "a UUID", is_uuid),
    ("ip", "an IP address, such as \"127.0.0.1\"", |text| text.parse::<IpAddr>().is_ok()),
    ("hub-model", "a name on the hub, as \"owner/name\"", is_hub_model),
    ("variable", "the name of an environment variable", is_variable),
    ("time-zone", "an IANA time zone, such as \"Europe/Berlin\"", |text| TimeZone::get(text).is_ok()),
    ("date-time", "a moment, such as \"2026-11-23T18:00:00Z\"", |text| text.parse::<Timestamp>().is_ok()),
    ("id", "an id (digits), as number or text", |text| text.parse::<u64>().is_ok_and(|id| id > 0)),
];

fn text_form(schema: &Json) -> Option<TextForm> {
    let format = schema["format"].as_str()?;
    TEXT_FORMS.into_iter().find(|(name, ..)| *name == format)
}

fn is_uuid(text: &str) -> bool {
    let fits = |(at, c): (usize, char)| match at {
        8 | 13 | 18 | 23 => c == '-',
        _ => c.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.char_indices().all(fits)
}

/// A short name, or `owner/name`.
fn is_hub_model(text: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && !part.contains(|c: char| c == '/' || c.is_whitespace());
    let is_on_hub = text.split_once('/').is_some_and(|(owner, name)| is_part(owner) && is_part(name));
    is_on_hub || EMBEDDING_MODELS.contains(&text)
}

fn is_variable(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.chars().all(fits) && text.starts_with(|c: char| !c.is_ascii_digit())
}

fn is_address(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_host =
        |host: &str| !host.is_empty() && !host.starts_with('/') && !host.contains(char::is_whitespace);
    text.is_empty() || host.is_some_and(is_host)
}

/// Declares how values are written that Rust has another type for: `#[serde(with = "Seconds")]`.
macro_rules! written_as {
    ($($(#[$doc:meta])* $name:ident: $written:ty => $read:ty, $schema:tt, |$value:ident| $from:expr;)+) => {
        $(
            $(#[$doc])*
            pub(super) struct $name;

            impl $name {
                pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<$read, D::Error> {
                    let $value = <$written as serde::Deserialize>::deserialize(from)?;
                    Ok($from)
                }
            }

            impl schemars::JsonSchema for $name {
                fn schema_name() -> std::borrow::Cow<'static, str> {
                    stringify!($name).into()
                }

                fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                    schemars::json_schema!($schema)
                }
            }
        )+
    };
}
pub(super) use written_as;

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

/// An id as number or text.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Id {
    Number(u64),
    Text(String),
}

impl Id {
    pub(super) fn number(&self) -> u64 {
        match self {
            Self::Number(number) => *number,
            Self::Text(text) => text.parse().unwrap_or_default(),
        }
    }
}

impl JsonSchema for Id {
    fn schema_name() -> Cow<'static, str> {
        "Id".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["integer", "string"], "format": "id", "minimum": 1})
    }
}

written_as! {
    Seconds: f64 => Duration, {"type": "number", "format": "seconds"}, |seconds| duration(seconds);
    SecondsOrNone: f64 => Option<Duration>, {"type": "number", "format": "seconds"},
        |seconds| Some(duration(seconds)).filter(|time| !time.is_zero());
    Hours: f64 => Duration, {"type": "number"}, |hours| duration(hours * 3600.0);
    Days: u32 => Duration, {"type": "integer"}, |days| Duration::from_secs(u64::from(days) * 86_400);
    Ids: Vec<Id> => Vec<u64>,
        {"type": "array", "items": {"type": ["integer", "string"], "format": "id", "minimum": 1}},
        |ids| ids.iter().map(Id::number).collect();
}

/// The schema of a table with a `V` under each of these names, or under any where people choose them. `noun` is what they are
/// names of.
pub(super) fn named_tables<V: JsonSchema>(
    generator: &mut SchemaGenerator,
    noun: &str,
    names: impl IntoIterator<Item = &'static str>,
) -> Schema {
    let mut one = generator.subschema_for::<V>();
    one.insert(NAMES.to_owned(), noun.into());
    let all: serde_json::Map<String, Json> =
        names.into_iter().map(|name| (name.to_owned(), one.clone().to_value())).collect();
    if all.is_empty() {
        return json_schema!({"type": "object", "properties": {}, "additionalProperties": one});
    }
    json_schema!({"type": "object", "properties": all})
}

/// One value or a list of such.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    pub(super) fn as_slice(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}
