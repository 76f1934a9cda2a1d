//! Settings: each with what it means, what it is and where that is written, changed by a field of its own; and the file they
//! stand in, changed as a whole.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::door::SentForm;
use super::edit::{EditPage, Edited, EditedSort, Notices, fits_into_a_form, for_file, text_mark};
use super::messages;
use super::models::{asked_instead, models_href};
use super::operator::records;
use super::pages::{PageHead, Refusal, Visitor, html_page, on_disk, status_of_settings};
use super::shared::Shared;
use super::slider::Slider;
use crate::config::{ConfigError, SettingInput, SettingKind, SettingListed, SettingsWritten};
use crate::domain::TurnTrace;

/// What people want to set first, as the reference has it.
const FIRST: [&str; 10] = [
    "display_tz",
    "aliases",
    "answers",
    "interjection",
    "chattiness",
    "default_mode",
    "llm.main_prose.model",
    "llm.daily_cost_cap_usd",
    "discord.operators",
    "discord.strangers",
];

/// So many of the newest turns that were not left silent are looked through for one that asked a model.
const TURNS: usize = 20;

/// What the file is called.
const FILE: &str = "character.toml";

#[derive(Debug, Template)]
#[template(path = "settings.html")]
struct SettingsPage {
    page: PageHead,
    /// Mistakes that stand in files now.
    mistakes: Vec<String>,
    /// Whether something was saved just now, by which no setting that stands here is another.
    is_saved: bool,
    /// Where the last turn's prompt is made with another budget.
    last_prompt: Option<String>,
    first: Vec<SettingView>,
    groups: Vec<SettingGroup>,
}

/// The settings of one table of the file.
#[derive(Debug)]
struct SettingGroup {
    name: String,
    settings: Vec<SettingView>,
}

#[derive(Debug, Clone)]
struct SettingView {
    key: String,
    value: String,
    /// Of a model, what is asked in its place.
    now: Option<String>,
    /// Where the familiar's file says something else.
    default: Option<String>,
    is_own: bool,
    meaning: String,
    allowed: String,
    /// Where it is changed by itself.
    change: Option<String>,
    /// Whether it was saved just now.
    is_saved: bool,
}

impl SettingView {
    fn of(listed: SettingListed) -> Self {
        let change = is_in_a_field(&listed).then(|| change_href(&listed.key));
        let unset = || messages::UNSET.to_owned();
        let default = listed.default.clone().unwrap_or_else(unset);
        Self {
            value: listed.value.unwrap_or_else(unset),
            now: None,
            is_saved: false,
            default: listed.is_own.then_some(default),
            is_own: listed.is_own,
            change,
            meaning: listed.meaning,
            allowed: listed.allowed,
            key: listed.key,
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct SavedQuery {
    /// What was saved just now, by its key; empty where it is no setting.
    saved: Option<String>,
}

pub(super) async fn settings_page(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Query(SavedQuery { saved }): Query<SavedQuery>,
) -> Result<Response, Refusal> {
    let config = Arc::clone(&shared.parts.config);
    let listed = of_file(move || config.list_settings()).await?;
    let now = shared.parts.health.asked();
    let shown = |listed| {
        let view = SettingView::of(listed);
        let is_saved = saved.as_ref() == Some(&view.key);
        SettingView { now: asked_instead(&now, &view.key, &view.value), is_saved, ..view }
    };
    let all: Vec<SettingView> = listed.into_iter().map(shown).collect();
    let is_saved = saved.is_some() && !all.iter().any(|one| one.is_saved);
    let first = FIRST.iter().filter_map(|key| all.iter().find(|one| one.key == *key).cloned()).collect();
    let mut groups: Vec<SettingGroup> = Vec::new();
    for mut setting in all {
        // Told once, where it stands first.
        setting.is_saved &= !FIRST.contains(&setting.key.as_str());
        let name = setting.key.rsplit_once('.').map(|(table, _)| table.to_owned());
        let name = name.unwrap_or_else(|| messages::AT_THE_TOP.to_owned());
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.settings.push(setting),
            None => groups.push(SettingGroup { name, settings: vec![setting] }),
        }
    }
    let mistakes = shared.parts.config.mistakes().iter().flat_map(|error| error.lines()).collect();
    Ok(html_page(&SettingsPage {
        page: shared.door.head("Settings", "/settings", &visitor),
        mistakes,
        is_saved,
        last_prompt: last_prompt(&shared, |_| true).await,
        first,
        groups,
    }))
}

/// Where what settings make of a prompt can be tried: on the newest turn of these that asked a model.
async fn last_prompt(shared: &Shared, is_one: impl Fn(&TurnTrace) -> bool) -> Option<String> {
    let turns = records(&shared.parts.traces).spoken(TURNS).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "the record of turns could not be read for the window");
        Vec::new()
    });
    let asked = turns.iter().find(|trace| !trace.request.is_empty() && is_one(trace))?;
    Some(format!("/xray/compare?one={}", asked.id))
}

/// Whether it is changed here by itself.
fn is_in_a_field(listed: &SettingListed) -> bool {
    listed.kind != SettingKind::InTheFile && !is_for_the_file(&listed.key)
}

fn change_href(key: &str) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).append_pair("key", key).finish();
    format!("/settings/set?{query}")
}

#[derive(Debug, Template)]
#[template(path = "setting_field.html")]
struct FieldPage {
    page: PageHead,
    one: SettingView,
    kind: SettingKind,
    said: String,
    /// Of a model, where one is chosen from a list.
    models: Option<String>,
    /// Of a budget, where a prompt was made within it.
    slider: Option<Slider>,
    notice: Option<String>,
}

impl FieldPage {
    async fn of(
        shared: &Shared,
        page: PageHead,
        listed: SettingListed,
        said: String,
        notice: Option<String>,
    ) -> Self {
        let mode = listed.key.strip_prefix("modes.").and_then(|key| key.strip_suffix(".budget_tokens"));
        let slider = match (mode, said.parse()) {
            (Some(mode), Ok(tokens)) => {
                let last = last_prompt(shared, |trace| trace.mode.to_string() == mode).await;
                last.map(|last| Slider::around("value", Some(format!("{last}&budget=")), tokens))
            }
            _ => None,
        };
        let (kind, models) = (listed.kind.clone(), models_href(&listed.key));
        Self { page, kind, one: SettingView::of(listed), said, models, slider, notice }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct KeyQuery {
    #[serde(default)]
    key: String,
}

/// A setting that can be changed by itself, and what it is.
async fn in_a_field(shared: &Shared, key: String) -> Result<(SettingListed, String), Refusal> {
    let config = Arc::clone(&shared.parts.config);
    let found = of_file(move || config.setting(&key)).await?;
    found.filter(|(listed, _)| is_in_a_field(listed)).ok_or(Refusal(StatusCode::NOT_FOUND))
}

/// The field of one setting.
pub(super) async fn setting_field(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Query(KeyQuery { key }): Query<KeyQuery>,
) -> Result<Response, Refusal> {
    let (listed, said) = in_a_field(&shared, key).await?;
    let page = shared.door.head(&listed.key, "/settings", &visitor);
    Ok(html_page(&FieldPage::of(&shared, page, listed, said, None).await))
}

/// Shows what the file would be with what was put into the field. There it is saved.
pub(super) async fn post_setting(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    mut form: SentForm,
) -> Result<Response, Refusal> {
    let (said, is_default) = (form.take("value"), form.field("step") == "default");
    let (listed, _) = in_a_field(&shared, form.take("key")).await?;
    let (config, key, wanted) = (Arc::clone(&shared.parts.config), listed.key.clone(), said.clone());
    let (now, text, wrong) = of_file(move || {
        let now = config.settings_text()?;
        let input = if is_default { SettingInput::Default } else { SettingInput::Said(&wanted) };
        let text = config.settings_with(&now, &key, input)?;
        let wrong = text.as_ref().and_then(|text| config.check_settings(text).err());
        Ok((now, text, wrong))
    })
    .await?;
    let text = text.ok_or(Refusal(StatusCode::NOT_FOUND))?;
    let head = |title: &str| shared.door.head(title, "/settings", &visitor);
    let notice = match wrong {
        Some(error) => Some(messages::settings_wrong(&error.lines())),
        None if text == now => Some(messages::NOTE_UNCHANGED.to_owned()),
        None => None,
    };
    if notice.is_some() {
        let page = head(&listed.key);
        return Ok(html_page(&FieldPage::of(&shared, page, listed, said, notice).await));
    }
    let (page, text) = (head(messages::EDIT_SETTINGS), text.replace("\r\n", "\n"));
    Ok(html_page(&EditPage::of(page, edited(), (&now, text_mark(&now)), text, Notices::default())))
}

/// The file, in a field.
pub(super) async fn edit_settings(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Refusal> {
    let config = Arc::clone(&shared.parts.config);
    let now = of_file(move || config.settings_text()).await?;
    if !fits_into_a_form(&now) {
        return Err(Refusal(StatusCode::PAYLOAD_TOO_LARGE));
    }
    let page = shared.door.head(messages::EDIT_SETTINGS, "/settings", &visitor);
    let text = now.replace("\r\n", "\n");
    Ok(html_page(&EditPage::of(page, edited(), (&now, text_mark(&now)), text, Notices::default())))
}

/// Shows what would change and what is wrong with it, or saves what was looked at.
pub(super) async fn post_settings(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    mut form: SentForm,
) -> Result<Response, Refusal> {
    // Browsers end lines as letters do.
    let text = form.take("text").replace("\r\n", "\n");
    let (seen, looked, is_to_save) = (form.take("seen"), form.take("looked"), form.field("step") == "save");
    let config = Arc::clone(&shared.parts.config);
    let (text, now, notice, changed) = of_file(move || {
        let now = config.settings_text()?;
        let wanted = for_file(&text, &now);
        let changed = first_changed(&now, &wanted);
        let is_looked_at = looked == text_mark(&text);
        let notice = if text_mark(&now) != seen {
            Some((messages::SETTINGS_EDITED_MEANWHILE.to_owned(), false))
        } else if wanted == now {
            Some((messages::NOTE_UNCHANGED.to_owned(), false))
        } else if let Err(error) = config.check_settings(&wanted) {
            Some((messages::settings_wrong(&error.lines()), true))
        } else if kept_to_the_file(&now) != kept_to_the_file(&wanted) {
            Some((messages::ONLY_IN_THE_FILE.to_owned(), true))
        } else if !is_to_save {
            Some((String::new(), false))
        } else if !is_looked_at {
            Some((messages::LOOK_AGAIN.to_owned(), false))
        } else {
            match config.write_settings(&now, &wanted) {
                Ok(SettingsWritten::Done) => None,
                Ok(SettingsWritten::ChangedMeanwhile) => {
                    Some((messages::SETTINGS_EDITED_MEANWHILE.to_owned(), false))
                }
                Err(error) => Some((messages::not_saved(&error.lines().join(" ")), false)),
            }
        };
        Ok::<_, ConfigError>((text, config.settings_text()?, notice, changed))
    })
    .await?;
    let Some((words, is_wrong)) = notice else {
        // Where it stands, which says that it is saved.
        let key: String = form_urlencoded::byte_serialize(changed.unwrap_or_default().as_bytes()).collect();
        return Ok(Redirect::to(&format!("/settings?saved={key}#{key}")).into_response());
    };
    let page = shared.door.head(messages::EDIT_SETTINGS, "/settings", &visitor);
    let told =
        Notices { words: Some(words).filter(|words| !words.is_empty()).into_iter().collect(), is_wrong };
    Ok(html_page(&EditPage::of(page, edited(), (&now, text_mark(&now)), text, told)))
}

/// Whether a setting or table is changed in the file alone.
fn is_for_the_file(key: &str) -> bool {
    let mut names = key.split('.');
    let is_table = names.clone().next().is_some_and(|first| matches!(first, "mcp" | "window"));
    is_table || names.any(|name| name.contains("command") || name.contains("url"))
}

/// What is changed in the file alone, key by key: what starts programs, where keys are sent, and who reaches the window. A
/// browser's session is worth less than the machine's account.
fn kept_to_the_file(text: &str) -> Vec<(String, toml::Value)> {
    let mut said = said_in(text);
    said.retain(|(key, _)| is_for_the_file(key));
    said
}

/// The first setting that two files say differently.
fn first_changed(before: &str, after: &str) -> Option<String> {
    let (before, after) = (said_in(before), said_in(after));
    let in_one = |one: &[(String, toml::Value)], other: &[(String, toml::Value)]| {
        one.iter().find(|said| !other.contains(said)).map(|(key, _)| key.clone())
    };
    in_one(&after, &before).or_else(|| in_one(&before, &after))
}

/// What a file says, key by key. What is changed in the file alone stays whole.
fn said_in(text: &str) -> Vec<(String, toml::Value)> {
    fn collect(table: &toml::Table, above: &str, found: &mut Vec<(String, toml::Value)>) {
        for (name, value) in table {
            let key = format!("{above}{name}");
            match value {
                toml::Value::Table(inner) if !is_for_the_file(&key) => {
                    collect(inner, &format!("{key}."), found);
                }
                _ => found.push((key, value.clone())),
            }
        }
    }
    let mut found = Vec::new();
    // What cannot be read was refused before, or is.
    collect(&text.parse().unwrap_or_default(), "", &mut found);
    found
}

fn edited() -> Edited {
    Edited {
        action: "/settings/edit",
        back: "/settings".to_owned(),
        way: "/settings/edit".to_owned(),
        path: FILE.to_owned(),
        sort: EditedSort::Settings,
    }
}

/// Files are read and written where that holds up nobody.
async fn of_file<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ConfigError> + Send + 'static,
) -> Result<T, Refusal> {
    on_disk("the settings could not be read or written for the window", status_of_settings, work).await
}
