//! What Discord refuses with "Invalid Form Body": commands and components that break its rules
//! (its documentation, "Application Commands" and "Component Reference").

use std::collections::BTreeSet;

use serde_json::Value;

/// The types of options that are commands themselves.
const SUB_COMMAND: u64 = 1;
const SUB_COMMAND_GROUP: u64 = 2;

/// The type of a command in the menu of a message.
const MESSAGE_COMMAND: u64 = 3;

/// The types of options that may offer choices.
const CHOOSABLE: [u64; 3] = [3, 4, 10];

type Valid = Result<(), String>;

fn must(holds: bool, what: &str, of: &Value) -> Valid {
    if holds { Ok(()) } else { Err(format!("{what}: {of}")) }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn chars(value: &Value) -> usize {
    value.as_str().map_or(0, |text| text.chars().count())
}

fn is_name(value: &Value) -> bool {
    let fits = |char: char| char.is_alphanumeric() && !char.is_uppercase() || "-_'".contains(char);
    value.as_str().is_some_and(|name| (1..=32).contains(&name.chars().count()) && name.chars().all(fits))
}

fn are_unique(of: &[Value], key: &str) -> bool {
    of.iter().map(|one| one[key].as_str().unwrap_or_default()).collect::<BTreeSet<_>>().len() == of.len()
}

/// The commands of one guild, or the global ones.
pub(super) fn commands(commands: &[Value]) -> Valid {
    must(commands.len() <= 100 && are_unique(commands, "name"), "names", &Value::Null)?;
    let of_messages = commands.iter().filter(|command| command["type"] == MESSAGE_COMMAND).count();
    must(of_messages <= 5, "commands of messages", &Value::Null)?;
    for command in commands {
        must(are_localized(&command["name_localizations"], 32), "name in a locale", command)?;
        must(are_localized(&command["description_localizations"], 100), "description in a locale", command)?;
        if command["type"] == MESSAGE_COMMAND {
            must((1..=32).contains(&chars(&command["name"])), "name", command)?;
            must(
                chars(&command["description"]) == 0 && list(&command["options"]).is_empty(),
                "bare",
                command,
            )?;
            continue;
        }
        must(is_name(&command["name"]), "name", command)?;
        must((1..=100).contains(&chars(&command["description"])), "description", command)?;
        let permissions = &command["default_member_permissions"];
        must(
            permissions.is_null() || permissions.as_str().is_some_and(|bits| bits.parse::<u64>().is_ok()),
            "permissions",
            command,
        )?;
        options(&command["options"])?;
    }
    Ok(())
}

/// Discord's names of locales.
const LOCALES: [&str; 31] = [
    "id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr", "hr", "it", "lt", "hu", "nl", "no", "pl",
    "pt-BR", "ro", "fi", "sv-SE", "vi", "tr", "cs", "el", "bg", "ru", "uk", "hi", "th", "zh-CN", "ja", "ko",
];

/// Whether words in other locales are as long as they may be, and the locales are there.
fn are_localized(value: &Value, most: usize) -> bool {
    let Some(words) = value.as_object() else { return value.is_null() };
    words
        .iter()
        .all(|(locale, words)| LOCALES.contains(&locale.as_str()) && (1..=most).contains(&chars(words)))
}

fn options(value: &Value) -> Valid {
    let options = list(value);
    must(options.len() <= 25 && are_unique(options, "name"), "options", value)?;
    let is_command =
        |option: &&Value| [Some(SUB_COMMAND), Some(SUB_COMMAND_GROUP)].contains(&option["type"].as_u64());
    let commands = options.iter().filter(is_command).count();
    must(commands == 0 || commands == options.len(), "options beside sub-commands", value)?;
    let optional = options.iter().position(|option| option["required"] != true);
    let required = options.iter().rposition(|option| option["required"] == true);
    must(optional.is_none() || required.is_none() || required < optional, "required after optional", value)?;
    for option in options {
        must(is_name(&option["name"]), "name", option)?;
        must((1..=100).contains(&chars(&option["description"])), "description", option)?;
        must(are_localized(&option["description_localizations"], 100), "description in a locale", option)?;
        let choices = list(&option["choices"]);
        let may_offer = option["type"].as_u64().is_some_and(|kind| CHOOSABLE.contains(&kind));
        must(choices.len() <= 25, "choices", option)?;
        must(option["autocomplete"] != true || may_offer && choices.is_empty(), "autocomplete", option)?;
        must(
            option["max_length"].as_u64().is_none_or(|most| (1..=6000).contains(&most)),
            "max_length",
            option,
        )?;
        must(option["type"] == 3 || option["max_length"].is_null(), "max_length", option)?;
        self::options(&option["options"])?;
    }
    Ok(())
}

/// The rows under a message.
pub(super) fn rows(value: &Value) -> Valid {
    let rows = list(value);
    must(rows.len() <= 5, "rows", value)?;
    let mut ids = BTreeSet::new();
    for row in rows {
        must(row["type"] == 1, "a row", row)?;
        let parts = list(&row["components"]);
        must((1..=5).contains(&parts.len()), "parts of a row", row)?;
        for part in parts {
            let id = part["custom_id"].as_str().unwrap_or_default();
            must((1..=100).contains(&id.chars().count()) && ids.insert(id.to_owned()), "custom_id", part)?;
            match part["type"].as_u64() {
                Some(2) => must((1..=80).contains(&chars(&part["label"])), "label", part)?,
                Some(3) => choice(part, parts.len())?,
                _ => must(false, "a part of a message", part)?,
            }
        }
    }
    Ok(())
}

fn choice(part: &Value, beside: usize) -> Valid {
    let options = list(&part["options"]);
    must(beside == 1, "a choice has its row for itself", part)?;
    must((1..=25).contains(&options.len()) && are_unique(options, "value"), "options", part)?;
    must(chars(&part["placeholder"]) <= 150, "placeholder", part)?;
    options.iter().try_for_each(|option| {
        let fits = |key| (1..=100).contains(&chars(&option[key]));
        must(fits("label") && fits("value"), "an option", option)
    })
}

/// A form.
pub(super) fn form(form: &Value) -> Valid {
    must((1..=45).contains(&chars(&form["title"])), "title", form)?;
    must((1..=100).contains(&chars(&form["custom_id"])), "custom_id", form)?;
    let rows = list(&form["components"]);
    must((1..=5).contains(&rows.len()), "rows", form)?;
    for row in rows {
        let [field] = list(&row["components"]) else { return must(false, "one field a row", row) };
        must(field["type"] == 4 && (1..=100).contains(&chars(&field["custom_id"])), "a field", field)?;
        must((1..=45).contains(&chars(&field["label"])), "label", field)?;
        let most = field["max_length"].as_u64().unwrap_or(4000);
        must((1..=4000).contains(&most), "max_length", field)?;
        must(chars(&field["value"]) as u64 <= most && chars(&field["placeholder"]) <= 100, "value", field)?;
    }
    Ok(())
}

/// What is offered while somebody types.
pub(super) fn choices(value: &Value) -> Valid {
    let choices = list(value);
    must(choices.len() <= 25, "choices", value)?;
    choices.iter().try_for_each(|choice| {
        must((1..=100).contains(&chars(&choice["name"])), "name", choice)?;
        must(chars(&choice["value"]) <= 100, "value", choice)
    })
}
