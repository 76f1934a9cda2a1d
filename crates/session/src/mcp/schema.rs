//! What a server says of a tool's arguments, as a model may be told: checked, cleaned and no longer than it may be. A schema
//! that a provider would refuse would take every tool from the model, so one that is not sound is left out with its tool.

use serde_json::{Map, Value, json};

use crate::text::screen::held;
use crate::text::short::{one_line, shortened};

/// What a schema may be, in bytes of JSON.
const SCHEMA_BYTES: usize = 8 * 1024;

/// Schemas within each other.
const DEPTH_MAX: usize = 12;

/// Characters of a description.
pub(super) const DESCRIPTION_CHARS: usize = 300;

/// Characters of an argument's name; providers take no more.
const NAME_CHARS: usize = 64;

const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// Why a schema cannot be used.
pub(super) type Unsound = &'static str;

/// The schema of a tool's arguments, cleaned.
pub(super) fn sound_schema(schema: &Map<String, Value>) -> Result<Value, Unsound> {
    // Counted before anything is looked at: what is too long is not worth a look.
    if serde_json::to_string(schema).map_or(usize::MAX, |text| text.len()) > SCHEMA_BYTES {
        return Err("its arguments are described in more than 8 KiB");
    }
    if schema.get("type") != Some(&json!("object")) {
        return Err("its arguments are no object");
    }
    if ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"].iter().any(|key| schema.contains_key(*key)) {
        return Err("its arguments are a choice of several objects");
    }
    let mut sound = sound_part(schema, 0)?;
    sound.entry("properties").or_insert_with(|| json!({}));
    Ok(Value::Object(sound))
}

/// Keeps what says which values fit, and what they are for; everything else is of no use to a model.
fn sound_part(schema: &Map<String, Value>, depth: usize) -> Result<Map<String, Value>, Unsound> {
    if depth > DEPTH_MAX {
        return Err("its arguments are nested too deeply");
    }
    let mut sound = Map::new();
    for (key, value) in schema {
        let kept = match (key.as_str(), value) {
            ("type", Value::String(one)) if TYPES.contains(&one.as_str()) => value.clone(),
            ("type", Value::Array(several)) if are_types(several) => value.clone(),
            ("description", Value::String(text)) => {
                shortened(&one_line(&held(text)), DESCRIPTION_CHARS).into()
            }
            ("properties" | "$defs" | "definitions", Value::Object(parts)) => {
                let named = parts.iter().map(|(name, part)| {
                    if !is_tool_name(name) {
                        return Err("an argument has a name that no model can write");
                    }
                    Ok((name.clone(), sound_value(part, depth)?))
                });
                Value::Object(named.collect::<Result<_, Unsound>>()?)
            }
            ("items" | "additionalProperties", part) => sound_value(part, depth)?,
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(parts)) if !parts.is_empty() => {
                let all = parts.iter().map(|part| sound_value(part, depth));
                Value::Array(all.collect::<Result<_, Unsound>>()?)
            }
            ("required", Value::Array(names)) if names.iter().all(Value::is_string) => value.clone(),
            ("enum", Value::Array(values)) if !values.is_empty() && values.iter().all(is_plain) => {
                Value::Array(values.iter().map(visible_value).collect())
            }
            ("const", value) if is_plain(value) => visible_value(value),
            ("$ref", Value::String(path)) if is_local_reference(path) => value.clone(),
            ("minimum" | "maximum", Value::Number(_)) => value.clone(),
            ("minLength" | "maxLength" | "minItems" | "maxItems", Value::Number(number))
                if number.is_u64() =>
            {
                value.clone()
            }
            (
                "type" | "properties" | "$defs" | "definitions" | "anyOf" | "oneOf" | "allOf" | "prefixItems"
                | "required" | "enum" | "const" | "$ref",
                _,
            ) => return Err("its arguments are described in a form that is no JSON schema"),
            _ => continue,
        };
        sound.insert(key.clone(), kept);
    }
    Ok(sound)
}

fn sound_value(part: &Value, depth: usize) -> Result<Value, Unsound> {
    match part {
        Value::Bool(_) => Ok(part.clone()),
        Value::Object(schema) => sound_part(schema, depth + 1).map(Value::Object),
        _ => Err("its arguments are described in a form that is no JSON schema"),
    }
}

fn are_types(several: &[Value]) -> bool {
    let is_type = |one: &Value| one.as_str().is_some_and(|one| TYPES.contains(&one));
    !several.is_empty() && several.len() <= TYPES.len() && several.iter().all(is_type)
}

/// Names as the strictest of the providers takes them.
fn is_tool_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    (1..=NAME_CHARS).contains(&name.len()) && name.chars().all(fits)
}

/// A reference into the schema itself; anything else would have to be fetched.
fn is_local_reference(path: &str) -> bool {
    let name = path.strip_prefix("#/$defs/").or_else(|| path.strip_prefix("#/definitions/"));
    name.is_some_and(is_tool_name)
}

fn is_plain(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

/// Words that a model is to write as they stand: nothing in them that nobody can see.
fn visible_value(value: &Value) -> Value {
    match value {
        Value::String(text) => crate::text::unicode::visible(text).into_owned().into(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sound(schema: Value) -> Result<Value, Unsound> {
        sound_schema(schema.as_object().unwrap())
    }

    #[test]
    fn a_schema_is_told_without_what_a_model_has_no_use_for() {
        let told = sound(json!({
            "$schema": "http://json-schema.org/draft-07/schema#", "title": "ReadArguments", "type": "object",
            "properties": {
                "path": {"type": "string", "title": "Path", "format": "uri", "default": "x", "x-odd": {"a": [1]},
                         "description": "Where\nit is\u{200b}. @everyone"},
                "how": {"anyOf": [{"type": "string", "enum": ["a", "b\u{200b}"]}, {"type": "null"}], "default": null},
                "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}, "maxItems": 4},
                "title": {"type": "string"},
            },
            "$defs": {"Line": {"type": "integer", "minimum": 1}},
            "required": ["path"], "additionalProperties": false,
        }));
        assert_eq!(
            told,
            Ok(json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Where it is. (at) everyone"},
                    "how": {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}]},
                    "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}, "maxItems": 4},
                    "title": {"type": "string"},
                },
                "$defs": {"Line": {"type": "integer", "minimum": 1}},
                "required": ["path"], "additionalProperties": false,
            }))
        );
        assert_eq!(sound(json!({"type": "object"})), Ok(json!({"type": "object", "properties": {}})));
        let long = "word ".repeat(100);
        let cut = sound(json!({"type": "object", "description": long})).unwrap();
        assert!(cut["description"].as_str().unwrap().chars().count() <= DESCRIPTION_CHARS + 1);
    }

    #[test]
    fn a_schema_that_lies_or_is_none_is_refused() {
        let mut deep = json!({"type": "string"});
        for _ in 0..40 {
            deep = json!({"type": "array", "items": deep});
        }
        for (wrong, why) in [
            (json!({}), "no object"),
            (json!({"type": "string"}), "no object"),
            (json!({"type": ["object", "null"]}), "no object"),
            (json!({"type": "object", "oneOf": [{"type": "object"}]}), "choice"),
            (json!({"type": "object", "properties": []}), "no JSON schema"),
            (json!({"type": "object", "properties": {"a": "string"}}), "no JSON schema"),
            (json!({"type": "object", "properties": {"a": {"type": "text"}}}), "no JSON schema"),
            (json!({"type": "object", "properties": {"a b": {}}}), "a name that no model"),
            (json!({"type": "object", "properties": {"": {}}}), "a name that no model"),
            (
                json!({"type": "object", "properties": {"a": {"$ref": "https://elsewhere.example/s"}}}),
                "no JSON schema",
            ),
            (json!({"type": "object", "properties": {"a": {"enum": []}}}), "no JSON schema"),
            (json!({"type": "object", "required": "a"}), "no JSON schema"),
            (json!({"type": "object", "properties": {"a": deep}}), "too deeply"),
            (json!({"type": "object", "x": "y".repeat(SCHEMA_BYTES)}), "8 KiB"),
        ] {
            let told = sound(wrong.clone()).unwrap_err();
            assert!(told.contains(why), "{wrong}: {told}");
        }
    }
}
