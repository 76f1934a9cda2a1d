//! Reading JSON that means well: strings that are numbers, lists that are strings, switches that are words.
//!
//! Owns the coercions of cards-and-lore 3. Must not know fields. Start at [`as_text`].

use serde_json::Value;

use crate::Role;
use crate::text::unix_lines;

/// Text from whatever stands there; `None` when it is no text at all (an object).
#[must_use]
pub fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Array(parts) => {
            let parts: Option<Vec<String>> = parts.iter().map(as_text).collect();
            Some(parts?.join("\n"))
        }
        Value::Object(_) => None,
    }
}

/// A list of short texts: an array, or one string with commas.
pub(crate) fn short_texts(value: &Value) -> Vec<String> {
    let parts: Vec<String> = match value {
        Value::Array(parts) => parts.iter().filter_map(as_text).collect(),
        Value::String(list) => split_list(list),
        other => as_text(other).into_iter().collect(),
    };
    parts
        .into_iter()
        .map(|part| unix_lines(&part).trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

/// Splits at commas, but not inside a `/regular expression/`, where a comma is part of the pattern.
fn split_list(list: &str) -> Vec<String> {
    let (mut parts, mut current, mut in_pattern, mut escaped) = (Vec::new(), String::new(), false, false);
    for c in list.chars() {
        match c {
            '/' if !escaped && (in_pattern || current.trim().is_empty()) => {
                in_pattern = !in_pattern;
                current.push(c);
            }
            ',' if !in_pattern => parts.push(std::mem::take(&mut current)),
            _ => current.push(c),
        }
        escaped = c == '\\' && !escaped;
    }
    parts.push(current);
    if in_pattern {
        // It was no pattern after all.
        return list.split(',').map(str::to_owned).collect();
    }
    parts
}

/// A whole number from a number or a numeric string; fractions are cut off.
pub(crate) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| as_whole(number.as_f64()?)),
        Value::String(text) => {
            let text = text.trim();
            text.parse().ok().or_else(|| as_whole(text.parse().ok()?))
        }
        _ => None,
    }
}

fn as_whole(number: f64) -> Option<i64> {
    // Beyond 2^53 a float no longer names one whole number.
    let cut = number.trunc();
    (cut.abs() <= 9_007_199_254_740_992.0).then_some(cut as i64)
}

/// A count: a whole number that is not negative.
pub(crate) fn as_count(value: &Value) -> Option<u32> {
    u32::try_from(integer(value)?).ok()
}

/// A switch from a boolean, 0/1 or the words for it.
pub(crate) fn switch(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) => number.as_f64().map(|number| number != 0.0),
        Value::String(word) => match word.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Some(true),
            "false" | "0" | "no" | "off" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// A role by name or by SillyTavern's number (0 system, 1 user, 2 assistant).
pub(crate) fn as_role(value: &Value) -> Option<Role> {
    if let Some(number) = integer(value) {
        return match number {
            0 => Some(Role::System),
            1 => Some(Role::User),
            2 => Some(Role::Assistant),
            _ => None,
        };
    }
    match value.as_str()?.trim().to_ascii_lowercase().as_str() {
        "system" => Some(Role::System),
        "user" => Some(Role::User),
        "assistant" | "char" | "model" | "bot" => Some(Role::Assistant),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_come_as_arrays_or_with_commas_and_patterns_keep_theirs() {
        assert_eq!(short_texts(&json!(["a", 1, " b "])), ["a", "1", "b"]);
        assert_eq!(short_texts(&json!("a, b,,c")), ["a", "b", "c"]);
        assert_eq!(short_texts(&json!("/x{1,2}/i, b")), ["/x{1,2}/i", "b"]);
        assert_eq!(short_texts(&json!("/half, b")), ["/half", "b"]);
        assert!(short_texts(&json!(null)).is_empty());
    }

    #[test]
    fn numbers_come_as_strings_and_fractions() {
        assert_eq!(integer(&json!("12")), Some(12));
        assert_eq!(integer(&json!(3.9)), Some(3));
        assert_eq!(integer(&json!("")), None);
        assert_eq!(integer(&json!(1e300)), None);
        assert_eq!(as_count(&json!(-1)), None);
    }

    #[test]
    fn roles_come_as_names_and_numbers() {
        assert_eq!(as_role(&json!(2)), Some(Role::Assistant));
        assert_eq!(as_role(&json!("1")), Some(Role::User));
        assert_eq!(as_role(&json!("System")), Some(Role::System));
        assert_eq!(as_role(&json!("nobody")), None);
    }
}
