//! Whether the arguments of a call fit what the server said of them, looked at before they leave.
//!
//! By hand and not by a crate: `jsonschema` 0.61 ends circles, but has no bound of steps. A schema of 1.6 KiB in which each
//! of 24 definitions names the next one twice keeps it busy for three seconds, and 8 KiB hold a hundred of them; whoever asks
//! meanwhile waits. It would also bring sixteen crates along that nothing else needs, two of them for patterns, which
//! [`sound_schema`](super::schema::sound_schema) keeps none of. What is not looked at here the server looks at itself.

use std::cell::Cell;

use serde_json::Value;

/// Schemas within each other; references may go round in circles.
const DEPTH_MAX: usize = 32;

/// Looks at a value by a schema, in all; circles may fork.
const LOOKS_MAX: u32 = 10_000;

/// Looks whether arguments fit a sound schema.
///
/// # Errors
/// What does not fit, and where, in words for the model.
pub(super) fn check_arguments(schema: &Value, arguments: &Value) -> Result<(), String> {
    Check { root: schema, looks: Cell::new(0) }.value(schema, arguments, "", 0)
}

struct Check<'s> {
    root: &'s Value,
    looks: Cell<u32>,
}

impl Check<'_> {
    fn value(&self, schema: &Value, value: &Value, at: &str, depth: usize) -> Result<(), String> {
        self.looks.set(self.looks.get().saturating_add(1));
        if depth > DEPTH_MAX || self.looks.get() > LOOKS_MAX {
            return Err(format!("{} is nested too deeply", argument_name(at)));
        }
        if schema == &Value::Bool(false) {
            return Err(format!("{} is not wanted", argument_name(at)));
        }
        let Some(rules) = schema.as_object() else { return Ok(()) };
        if let Some(path) = rules.get("$ref").and_then(Value::as_str) {
            let meant = path.strip_prefix('#').and_then(|path| self.root.pointer(path));
            self.value(meant.unwrap_or(&Value::Bool(true)), value, at, depth + 1)?;
        }
        if let Some(wanted) = rules.get("type")
            && !is_of(wanted, value)
        {
            return Err(format!("{} must be {}", argument_name(at), types(wanted)));
        }
        if let Some(Value::Array(values)) = rules.get("enum")
            && !values.contains(value)
        {
            let all: Vec<String> = values.iter().map(Value::to_string).collect();
            return Err(format!("{} must be one of {}", argument_name(at), all.join(", ")));
        }
        if let Some(only) = rules.get("const")
            && only != value
        {
            return Err(format!("{} must be {only}", argument_name(at)));
        }
        for key in ["anyOf", "oneOf"] {
            let Some(Value::Array(ways)) = rules.get(key) else { continue };
            let tried: Vec<_> = ways.iter().map(|way| self.value(way, value, at, depth + 1)).collect();
            if let (Some(Err(why)), false) = (tried.first(), tried.iter().any(Result::is_ok)) {
                return Err(why.clone());
            }
        }
        if let Some(Value::Array(all)) = rules.get("allOf") {
            for part in all {
                self.value(part, value, at, depth + 1)?;
            }
        }
        match value {
            Value::Object(fields) => self.object(rules, fields, at, depth),
            Value::Array(items) => self.array(rules, items, at, depth),
            Value::String(text) => {
                within(rules, ["minLength", "maxLength"], text.chars().count(), at, "characters")
            }
            Value::Number(number) => {
                let number = number.as_f64().unwrap_or_default();
                let bound = |key: &str| rules.get(key).and_then(Value::as_f64);
                if bound("minimum").is_some_and(|least| number < least) {
                    return Err(format!("{} must be at least {}", argument_name(at), rules["minimum"]));
                }
                if bound("maximum").is_some_and(|most| number > most) {
                    return Err(format!("{} must be at most {}", argument_name(at), rules["maximum"]));
                }
                Ok(())
            }
            Value::Null | Value::Bool(_) => Ok(()),
        }
    }

    fn object(
        &self,
        rules: &serde_json::Map<String, Value>,
        fields: &serde_json::Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> Result<(), String> {
        let required = rules.get("required").and_then(Value::as_array).into_iter().flatten();
        if let Some(missing) = required.filter_map(Value::as_str).find(|name| !fields.contains_key(*name)) {
            return Err(format!("{} is missing", argument_name(&below(at, missing))));
        }
        let known = rules.get("properties").and_then(Value::as_object);
        for (name, value) in fields {
            let at = below(at, name);
            match (known.and_then(|known| known.get(name)), rules.get("additionalProperties")) {
                (Some(schema), _) => self.value(schema, value, &at, depth + 1)?,
                (None, Some(Value::Bool(false))) => {
                    let names: Vec<&str> =
                        known.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
                    return Err(format!("there is no {}; there is {}", argument_name(&at), names.join(", ")));
                }
                (None, Some(schema)) => self.value(schema, value, &at, depth + 1)?,
                (None, None) => {}
            }
        }
        Ok(())
    }

    fn array(
        &self,
        rules: &serde_json::Map<String, Value>,
        items: &[Value],
        at: &str,
        depth: usize,
    ) -> Result<(), String> {
        within(rules, ["minItems", "maxItems"], items.len(), at, "items")?;
        let first = rules.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (number, item) in items.iter().enumerate() {
            if let Some(schema) = first.get(number).or_else(|| rules.get("items")) {
                self.value(schema, item, &format!("{at}[{number}]"), depth + 1)?;
            }
        }
        Ok(())
    }
}

/// How an argument is named where it does not fit.
fn argument_name(at: &str) -> String {
    if at.is_empty() { "the whole".to_owned() } else { format!("`{at}`") }
}

fn below(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

fn within(
    rules: &serde_json::Map<String, Value>,
    [least, most]: [&str; 2],
    count: usize,
    at: &str,
    of: &str,
) -> Result<(), String> {
    let bound =
        |key: &str| rules.get(key).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok());
    match (bound(least), bound(most)) {
        (Some(least), _) if count < least => {
            Err(format!("{} must have at least {least} {of}", argument_name(at)))
        }
        (_, Some(most)) if count > most => {
            Err(format!("{} must have at most {most} {of}", argument_name(at)))
        }
        _ => Ok(()),
    }
}

fn is_of(wanted: &Value, value: &Value) -> bool {
    match wanted {
        Value::Array(several) => several.iter().any(|one| is_of(one, value)),
        Value::String(one) => match one.as_str() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            "number" => value.is_number(),
            "integer" => {
                value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|it| it.fract() == 0.0)
            }
            _ => true,
        },
        _ => true,
    }
}

fn types(wanted: &Value) -> String {
    match wanted {
        Value::Array(several) => several.iter().map(types).collect::<Vec<_>>().join(" or "),
        Value::String(one) => one.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_is_named_with_what_would() {
        let schema = json!({
            "type": "object", "required": ["path"], "additionalProperties": false,
            "properties": {
                "path": {"type": "string", "minLength": 1, "maxLength": 5},
                "mode": {"enum": ["head", "tail"]},
                "lines": {"type": "integer", "minimum": 1, "maximum": 9},
                "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "edits": {"type": "array", "maxItems": 2, "items": {"$ref": "#/$defs/Edit"}},
            },
            "$defs": {"Edit": {"type": "object", "required": ["old"], "properties": {"old": {"type": "string"}}}},
        });
        let check = |arguments: Value| check_arguments(&schema, &arguments);
        for fits in [
            json!({"path": "a"}),
            json!({"path": "a", "mode": "tail", "lines": 9.0, "maybe": null, "edits": [{"old": "x", "new": 1}]}),
        ] {
            assert_eq!(check(fits), Ok(()));
        }
        for (wrong, told) in [
            (json!([]), "the whole must be object"),
            (json!({}), "`path` is missing"),
            (json!({"path": 4}), "`path` must be string"),
            (json!({"path": ""}), "`path` must have at least 1 characters"),
            (json!({"path": "abcdef"}), "`path` must have at most 5 characters"),
            (json!({"path": "a", "mode": "x"}), "`mode` must be one of \"head\", \"tail\""),
            (json!({"path": "a", "lines": 10}), "`lines` must be at most 9"),
            (json!({"path": "a", "lines": 1.5}), "`lines` must be integer"),
            (json!({"path": "a", "maybe": 4}), "`maybe` must be string"),
            (json!({"path": "a", "edits": [{}]}), "`edits[0].old` is missing"),
            (json!({"path": "a", "edits": [1, 2, 3]}), "`edits` must have at most 2 items"),
            (json!({"path": "a", "pth": 1}), "there is no `pth`; there is path, mode, lines, maybe, edits"),
        ] {
            assert_eq!(check(wrong), Err(told.to_owned()));
        }
    }

    #[test]
    fn references_in_circles_end() {
        let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}},
                            "$defs": {"A": {"$ref": "#/$defs/A"}}});
        assert!(check_arguments(&schema, &json!({"a": 1})).unwrap_err().contains("too deeply"));
        let forks = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}},
                           "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}]}}});
        let wide = sound_and_checked(&forks);
        assert!(wide.is_err(), "{wide:?}");
    }

    #[test]
    fn definitions_that_double_at_every_step_end() {
        let mut defs = serde_json::Map::new();
        for at in 0..60 {
            let next = json!({"$ref": format!("#/$defs/D{}", at + 1)});
            defs.insert(format!("D{at}"), json!({"allOf": [next.clone(), next]}));
        }
        defs.insert("D60".to_owned(), json!({"type": "integer"}));
        let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/D10"}}, "$defs": defs});
        assert!(sound_and_checked(&schema).unwrap_err().contains("too deeply"));
        let wide =
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/D46"}}, "$defs": schema["$defs"]});
        assert!(
            sound_and_checked(&wide).unwrap_err().contains("too deeply"),
            "2^14 looks, none of them deep"
        );
    }

    fn sound_and_checked(schema: &Value) -> Result<(), String> {
        let sound = super::super::schema::sound_schema(schema.as_object().unwrap())?;
        check_arguments(&sound, &json!({"a": 1}))
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            prop_oneof![Just("object"), Just("string"), Just("#/$defs/a"), Just("\u{200b}")]
                .prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            let key = prop_oneof![
                Just("type"),
                Just("properties"),
                Just("items"),
                Just("anyOf"),
                Just("$ref"),
                Just("$defs"),
                Just("required"),
                Just("enum"),
                Just("a"),
                Just("minimum"),
                Just("additionalProperties")
            ];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((key, inner), 0..5).prop_map(|fields| {
                    Value::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
                }),
            ]
        })
    }

    proptest! {
        /// Whatever a server says and whatever a model writes: no panic, and an answer.
        #[test]
        fn any_schema_meets_any_arguments(schema in any_json(), arguments in any_json()) {
            let mut fields = schema.as_object().cloned().unwrap_or_default();
            fields.insert("type".to_owned(), json!("object"));
            if let Ok(sound) = super::super::schema::sound_schema(&fields) {
                prop_assert!(sound["properties"].is_object());
                let _either = check_arguments(&sound, &arguments);
            }
        }
    }
}
