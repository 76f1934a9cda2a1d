//! One setting as somebody puts it into a field, and the text of `character.toml` with it. Every other line of that stays as
//! it was written.

use std::ops::Range;
use std::sync::Arc;

use toml::Value;

use super::super::document::{Document, Rank, SourceText, get};
use super::super::edit::Edit;
use super::super::error::ConfigError;
use super::LiveConfig;
use super::listed::{SettingKind, SettingListed};

/// What somebody wants of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingInput<'a> {
    /// As it stands in a field.
    Said(&'a str),
    /// What it is where the file says nothing.
    Default,
}

impl LiveConfig {
    /// A setting, and what it is as it would stand in a field; `None` where there is none of that name.
    pub fn setting(&self, key: &str) -> Result<Option<(SettingListed, String)>, ConfigError> {
        let listed = self.list_settings()?.into_iter().find(|one| one.key == key);
        let merged = self.state.load().layers.merged();
        let said = get(&merged, key).map(as_field_text).unwrap_or_default();
        Ok(listed.map(|listed| (listed, said)))
    }

    /// A text of `character.toml` with a setting as it is wished; `None` where it can only be written there. Nothing is
    /// written, and what is wished may be a mistake.
    ///
    /// # Errors
    /// When the text is no TOML, or the defaults cannot be read.
    pub fn settings_with(
        &self,
        text: &str,
        key: &str,
        input: SettingInput<'_>,
    ) -> Result<Option<String>, ConfigError> {
        let listed = self.list_settings()?.into_iter().find(|one| one.key == key);
        let Some(kind) = listed.map(|listed| listed.kind) else { return Ok(None) };
        Ok(match input {
            _ if kind == SettingKind::InTheFile => None,
            SettingInput::Said(said) => match kind.value(said) {
                Some(value) => Some(with_value(text, key, value)?),
                None => None,
            },
            SettingInput::Default => Some(without(text, key)?),
        })
    }
}

fn as_field_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(as_field_text).collect::<Vec<_>>().join("\n"),
        other => other.to_string(),
    }
}

fn source(text: &str) -> Arc<SourceText> {
    SourceText::of("character.toml", text, Rank::Familiar)
}

fn with_value(text: &str, key: &str, value: toml_edit::Value) -> Result<String, ConfigError> {
    let mut edit = Edit::of(&source(text))?;
    edit.set(key, value);
    Ok(edit.into_text())
}

fn without(text: &str, key: &str) -> Result<String, ConfigError> {
    let source = source(text);
    let document = Document::parse(&source)?;
    if !document.has(key) {
        return Ok(text.to_owned());
    }
    if let Some((lines, comment)) =
        lines_of_setting(text, document.key_place(key).span, document.place(key).span)
    {
        let mut text = text.to_owned();
        text.replace_range(lines, &comment);
        return Ok(text);
    }
    let mut edit = Edit::of(&source)?;
    edit.remove(key);
    Ok(edit.into_text())
}

/// The lines of a setting that shares them with no other, and what stays of them: the comment behind it.
fn lines_of_setting(text: &str, key: Range<usize>, value: Range<usize>) -> Option<(Range<usize>, String)> {
    let begins = text[..key.start].rfind('\n').map_or(0, |at| at + 1);
    if text[begins..key.start].contains(['{', ',', '=']) {
        return None;
    }
    let ends = text[value.end..].find('\n').map_or(text.len(), |at| value.end + at + 1);
    let beside = &text[value.end..ends];
    Some((begins..ends, if beside.contains('#') { beside.trim_start().to_owned() } else { String::new() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_put_where_it_stands_or_where_it_belongs_and_nothing_else_moves() {
        let text = "# mine\naliases = [\"Mi\"] # short\n\n# doors\n[window]\nport   = 9000 # high\n";
        let port = with_value(text, "window.port", 8000_i64.into()).unwrap();
        assert_eq!(port, text.replace("9000", "8000"));
        let added = with_value(text, "window.enabled", false.into()).unwrap();
        assert_eq!(added, format!("{text}enabled = false\n"));
        let model = with_value(text, "llm.main_prose.model", "a\"b".into()).unwrap();
        assert!(model.starts_with(text.trim_end()), "{model}");
        let read: toml::Table = model.parse().unwrap();
        assert_eq!(get(&read, "llm.main_prose.model").and_then(Value::as_str), Some("a\"b"));
        assert!(!model.contains("[llm]\n"), "{model}");
        let first = with_value("[window]\r\nport = 1\r\n", "answers", "all".into()).unwrap();
        assert_eq!(first, "answers = \"all\"\r\n[window]\r\nport = 1\r\n");
    }

    #[test]
    fn a_setting_goes_with_its_line_and_comments_stay() {
        let text = "# mine\naliases = [\n  \"Mi\", # one\n] # short\nanswers = \"all\"\n[window]\nport = 1\n";
        assert_eq!(
            without(text, "aliases").unwrap(),
            "# mine\n# short\nanswers = \"all\"\n[window]\nport = 1\n"
        );
        assert_eq!(without(text, "window.port").unwrap(), text.replace("port = 1\n", ""));
        assert_eq!(without(text, "window.enabled").unwrap(), text);
        assert_eq!(
            without("window.port = 1\nanswers = \"all\"", "window.port").unwrap(),
            "answers = \"all\""
        );
        let inline = without("window = { port = 1, enabled = true }\n", "window.port").unwrap();
        assert!(inline.contains("enabled = true") && !inline.contains("port"), "{inline}");
    }

    #[test]
    fn what_stands_in_a_field_becomes_what_the_setting_is() {
        let written = |kind: SettingKind, said: &str| kind.value(said).map(|value| value.to_string());
        for (kind, said, value) in [
            (SettingKind::Number, " 2 ", "2"),
            (SettingKind::Number, "2.5", "2.5"),
            (SettingKind::Number, "lots", "\"lots\""),
            (SettingKind::YesNo, "true", "true"),
            (SettingKind::Text, "2", "\"2\""),
            (SettingKind::Texts, "Mi\r\n\r\n M \n", "[\"Mi\", \"M\"]"),
        ] {
            assert_eq!(written(kind, said).as_deref(), Some(value), "{said}");
        }
        assert_eq!(written(SettingKind::InTheFile, "x"), None);
    }
}
