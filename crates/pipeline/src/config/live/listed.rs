//! Every setting of `character.toml` for whoever looks at them all, and the file itself changed as a whole.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value as Json;
use toml_edit::Value;

use super::super::check::{allowed_values, choices, is_table, properties, resolved};
use super::super::defaults::{CHARACTER, character};
use super::super::document::{Rank, key_path, leaves};
use super::super::error::ConfigError;
use super::super::file::{read_optional, write_atomic};
use super::super::settings::Config;
use super::LiveConfig;
use crate::domain::Place;
use crate::text::short::one_line;

/// How a setting is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingKind {
    /// One of these words, with what each means where that is said.
    Choice(Vec<(String, String)>),
    YesNo,
    Number,
    Text,
    /// A number, or a word in its place.
    NumberOrWord,
    /// Several, one a line.
    Texts,
    /// A table, or something of several forms: it is written in the file.
    InTheFile,
}

impl SettingKind {
    fn of(schema: &Json) -> Self {
        if let Some(choices) = choices(schema) {
            let owned = |(word, meaning): (&str, &str)| (word.to_owned(), one_line(meaning));
            return Self::Choice(choices.into_iter().map(owned).collect());
        }
        let forms = forms_of(schema);
        let is_number = |form: &&str| ["integer", "number"].contains(form);
        match &forms[..] {
            ["boolean"] => Self::YesNo,
            ["array"] if forms_of(&schema["items"]).contains(&"string") => Self::Texts,
            // An id is kept as text: digits that no number holds.
            [_, ..] if schema["format"] == "id" => Self::Text,
            ["string"] => Self::Text,
            [_, ..] if forms.iter().all(is_number) => Self::Number,
            [_, ..] if forms.iter().all(|form| is_number(form) || *form == "string") => Self::NumberOrWord,
            _ => Self::InTheFile,
        }
    }

    /// What was said in a field, as a value; what it may not be is told by whoever checks the file.
    pub(super) fn value(&self, said: &str) -> Option<Value> {
        let said = said.replace("\r\n", "\n");
        let said = said.trim();
        let text = || Value::from(said);
        let whole = || said.parse::<i64>().ok().map(Value::from);
        let real = || said.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from);
        Some(match self {
            Self::Choice(_) | Self::Text => text(),
            Self::YesNo => said.parse::<bool>().map_or_else(|_| text(), Value::from),
            Self::Number | Self::NumberOrWord => whole().or_else(real).unwrap_or_else(text),
            Self::Texts => said.lines().map(str::trim).filter(|line| !line.is_empty()).collect(),
            Self::InTheFile => return None,
        })
    }
}

fn forms_of(schema: &Json) -> Vec<&str> {
    match &schema["type"] {
        Json::Array(forms) => forms.iter().filter_map(Json::as_str).collect(),
        form => form.as_str().into_iter().collect(),
    }
}

/// A setting as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingListed {
    /// `llm.main_prose.model`
    pub key: String,
    pub meaning: String,
    /// What it may be, continuing "must be …".
    pub allowed: String,
    /// How it is asked for.
    pub kind: SettingKind,
    /// As it would be written; `None` where it is unset.
    pub value: Option<String>,
    /// What it is where the familiar's own file says nothing.
    pub default: Option<String>,
    /// Whether the familiar's own file says it.
    pub is_own: bool,
}

/// Who says what a setting is in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingFrom {
    /// The program's defaults, or the operator's own in their place.
    Default,
    /// `character.toml`.
    Familiar,
    /// The file of the channel.
    Channel,
    /// The file of the channel that a thread or post belongs to.
    Parent,
}

/// A setting as it holds in one channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSetting {
    /// `modes.full_rp.budget_tokens`
    pub key: String,
    /// As it would be written; `None` where it is unset.
    pub value: Option<String>,
    pub from: SettingFrom,
}

/// What a channel's file says of its mode's own figures instead, behind the keys that `character.toml` has for them.
const OF_MODE: [&str; 5] = ["budget_tokens", "deadline", "history_style", "stepped_thinking", "recast"];

/// What else differs from channel to channel.
const OF_CHANNEL: [&str; 7] = [
    "answers",
    "crossing_talks",
    "quiet_until",
    "speaks_first",
    "greets_newcomers",
    "sources.documents",
    "backdrop",
];

/// What became of a text that was to be the settings.
#[derive(Debug)]
pub enum SettingsWritten {
    Done,
    /// The file is not as it was seen any more; nothing was written.
    ChangedMeanwhile,
}

impl LiveConfig {
    /// Every setting, in the order of the reference. What stands under names that people choose comes last.
    pub fn list_settings(&self) -> Result<Vec<SettingListed>, ConfigError> {
        let layers = self.state.load().layers.clone();
        let (defaults, values) = (leaves(&self.defaults.layers()?.merged()), leaves(&layers.merged()));
        let listed_as = |key: String, meaning: &str, allowed: String, kind: SettingKind| SettingListed {
            meaning: one_line(meaning),
            allowed,
            kind,
            value: values.get(&key).cloned(),
            default: defaults.get(&key).cloned(),
            is_own: layers.rank(&key) == Some(Rank::Familiar),
            key,
        };
        let mut listed = Vec::new();
        let mut others: BTreeSet<&String> = values.keys().collect();
        under(&CHARACTER, &CHARACTER, "", &mut |key, table, schema| {
            others.remove(&key);
            // What stands under any of several names is explained once, at the table.
            let explained = schema["description"].as_str().or(table["description"].as_str());
            let kind = SettingKind::of(schema);
            listed.push(listed_as(key, explained.unwrap_or_default(), allowed_values(schema), kind));
        });
        let in_the_file = |key: &String| listed_as(key.clone(), "", String::new(), SettingKind::InTheFile);
        listed.extend(others.into_iter().map(in_the_file));
        Ok(listed)
    }

    /// What holds in a place, and which file says so; its mode comes first.
    pub fn list_channel(&self, place: &Place) -> Vec<ChannelSetting> {
        let mode = self.channel_in(place).mode;
        let state = self.state.load();
        let channels = self.channels.lock();
        let file = |id| channels.get(id).and_then(|channel| channel.sidecar.clone());
        let parent = || Some((file(place.parent.as_ref()?)?, SettingFrom::Parent));
        let (sidecar, is_of) =
            file(&place.channel).map(|own| (own, SettingFrom::Channel)).or_else(parent).unzip();
        drop(channels);
        let layers = sidecar.map_or_else(|| state.layers.clone(), |file| state.layers.with(&file));
        let values = leaves(&layers.merged());
        let setting = |key: String| ChannelSetting {
            value: values.get(&key).cloned(),
            from: match (layers.rank(&key), is_of) {
                (Some(Rank::Channel), Some(from)) => from,
                (Some(Rank::Familiar), _) => SettingFrom::Familiar,
                _ => SettingFrom::Default,
            },
            key,
        };
        let of_mode = OF_MODE.map(|name| {
            let own = setting(name.to_owned());
            if own.value.is_some() { own } else { setting(format!("modes.{mode}.{name}")) }
        });
        let first = match setting("mode".to_owned()) {
            unset if unset.value.is_none() => setting("default_mode".to_owned()),
            own => own,
        };
        [first].into_iter().chain(OF_CHANNEL.map(|key| setting(key.to_owned()))).chain(of_mode).collect()
    }

    /// The text of the familiar's own `character.toml`; empty where there is none. Blocks.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn settings_text(&self) -> Result<String, ConfigError> {
        Ok(read_optional(&self.home.character_toml())?.unwrap_or_default())
    }

    /// Whether a text could be the familiar's `character.toml`, judged as the file itself is. Nothing is changed.
    ///
    /// # Errors
    /// With every mistake and the line it stands on.
    pub fn check_settings(&self, text: &str) -> Result<(), ConfigError> {
        let file = character("character.toml", text, Rank::Familiar)?;
        Config::resolve(&self.defaults.layers()?.with(&Arc::new(file))).map(drop)
    }

    /// Puts a text in the place of `character.toml` if that still says what was `seen`, and takes it over. Blocks.
    ///
    /// # Errors
    /// As [`Self::check_settings`], or when it cannot be written. Nothing was changed.
    pub fn write_settings(&self, seen: &str, text: &str) -> Result<SettingsWritten, ConfigError> {
        self.check_settings(text)?;
        let writing = self.writing.lock();
        if self.settings_text()? != seen {
            return Ok(SettingsWritten::ChangedMeanwhile);
        }
        write_atomic(&self.home.character_toml(), text)?;
        drop(writing);
        self.reload();
        Ok(SettingsWritten::Done)
    }
}

/// Each value below a table, where everything has a name of its own.
fn under<'s>(root: &'s Json, table: &'s Json, path: &str, take: &mut impl FnMut(String, &'s Json, &'s Json)) {
    let (tables, values): (Vec<_>, Vec<_>) = properties(table)
        .map(|(name, schema)| (key_path(path, name), resolved(root, schema)))
        .partition(|(_, schema)| is_table(schema));
    for (key, schema) in values {
        take(key, table, schema);
    }
    for (key, schema) in tables {
        under(root, schema, &key, take);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settled;

    #[test]
    fn every_setting_says_what_it_means_and_where_it_is_written() {
        let (_dir, live) = settled("aliases = [\"Mi\"]\n\n[window]\nport = 9000\n").unwrap();
        let listed = live.list_settings().unwrap();
        let one = |key: &str| listed.iter().find(|one| one.key == key).unwrap();
        let port = one("window.port");
        assert_eq!(
            (port.value.as_deref(), port.default.as_deref(), port.is_own),
            (Some("9000"), Some("8737"), true)
        );
        assert!(!one("window.enabled").is_own && one("aliases").value.as_deref() == Some("[\"Mi\"]"));
        let unexplained = listed.iter().filter(|one| one.meaning.is_empty()).count();
        assert!(unexplained * 10 < listed.len(), "{unexplained} of {} say nothing", listed.len());
    }

    #[test]
    fn a_mistake_is_told_and_not_written_and_a_change_meanwhile_stays() {
        let text = "# mine\naliases = [\"Mi\"]\n";
        let (_dir, live) = settled(text).unwrap();
        let wrong = live.write_settings(text, "alias = [\"Mi\"]\n").unwrap_err();
        assert!(wrong.lines()[0].contains("character.toml:1:1"), "{:?}", wrong.lines());
        assert!(matches!(live.write_settings("other", "\n"), Ok(SettingsWritten::ChangedMeanwhile)));
        assert_eq!(live.settings_text().unwrap(), text);
        let changed = "# mine\naliases = [\"Mi\", \"M\"]\n";
        assert!(matches!(live.write_settings(text, changed), Ok(SettingsWritten::Done)));
        assert_eq!(live.settings_text().unwrap(), changed);
        let listed = live.list_settings().unwrap();
        assert!(listed.iter().any(|one| one.value.as_deref() == Some("[\"Mi\", \"M\"]")), "it holds at once");
    }
}
