//! Back to a card file. What nobody edited goes out exactly as it came in.

use std::collections::BTreeMap;
use std::io::{Cursor, Write as _};

use serde_json::{Map, Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::card::{Card, Picture, Spec, TEXT_FIELDS};
use crate::container::{self, Container, Extracted};
use crate::lore::{BookFormat, LoreEntry, Lorebook, file as lore_file};
use crate::refusal::{Limit, Refusal, RefusalKind};
use crate::{DepthPrompt, spec};

/// A small plain picture for a card that has none.
const BLANK: &[u8] = include_bytes!("container/blank.png");

/// What a card says now, where people may have edited it since it was read. What is missing here is empty now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CardEdits {
    /// Single text fields by the card's name for them, of [`TEXT_FIELDS`].
    pub fields: BTreeMap<&'static str, String>,
    /// Greetings by number; 0 is `first_mes`, then the alternates. Empty ones may be left out.
    pub greetings: BTreeMap<usize, String>,
    /// Greetings for groups by number.
    pub group_greetings: BTreeMap<usize, String>,
    /// The note that goes into the chat.
    pub depth_prompt: Option<DepthPrompt>,
    /// The card's own lorebook.
    pub book: Option<Lorebook>,
}

/// A card about to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct EditedCard {
    json: Value,
    spec: Spec,
}

impl EditedCard {
    /// A card's JSON, as it was read, with what the edits say now.
    ///
    /// # Errors
    /// A [`Refusal`] when `raw` is no card.
    pub fn new(raw: &Value, edits: &CardEdits) -> Result<Self, Refusal> {
        let card = spec::interpret(Extracted::bare(Container::Json, raw.clone()))?;
        let mut root = raw.as_object().cloned().unwrap_or_default();
        let nested = root.get("data").is_some_and(Value::is_object) && card.spec != Spec::V1;
        let mut data = match root.get("data") {
            Some(Value::Object(data)) if nested => data.clone(),
            _ => {
                // A flat card becomes a nested one; everything it said moves inside.
                let mut data = std::mem::take(&mut root);
                data.shift_remove("spec");
                data.shift_remove("spec_version");
                data
            }
        };
        write_fields(&mut data, &card, edits, nested);
        write_greetings(&mut data, &card, edits, nested);
        write_depth_prompt(&mut data, card.depth_prompt.as_ref(), edits.depth_prompt.as_ref());
        write_book(&mut data, card.book.as_ref(), edits.book.as_ref());
        root.insert("data".to_owned(), Value::Object(data));
        // Copies of fields at the root would now tell another story.
        for field in TEXT_FIELDS.into_iter().chain(["first_mes"]) {
            let changed = root.get(field).is_some_and(|old| root["data"].get(field) != Some(old));
            if changed && let Some(new) = root["data"].get(field).cloned() {
                root.insert(field.to_owned(), new);
            }
        }
        Ok(Self { json: Value::Object(root), spec: card.spec })
    }

    /// Bare JSON: version 3 for a card of version 3, else version 2.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        pretty(&as_spec(&self.json, if self.spec == Spec::V3 { Spec::V3 } else { Spec::V2 }))
    }

    /// A PNG with `chara` (version 2) and `ccv3` (version 3). What does not go along is said in `notes`.
    ///
    /// # Errors
    /// A [`Refusal`] when the card is too large for a text chunk.
    pub fn to_png(&self, portrait: Option<&Picture>, notes: &mut Vec<String>) -> Result<Vec<u8>, Refusal> {
        let picture = match portrait {
            Some(Picture { extension: "png", bytes }) => bytes.as_slice(),
            other => {
                notes.push(other.map_or_else(
                    || "there is no portrait; a blank picture is used".to_owned(),
                    |picture| {
                        let kind = picture.extension;
                        format!("the portrait is a {kind} file and cannot be the PNG's picture; a blank one is used")
                    },
                ));
                BLANK
            }
        };
        let (v2, v3) = (as_spec(&self.json, Spec::V2).to_string(), as_spec(&self.json, Spec::V3).to_string());
        // Base64 makes four characters of three bytes.
        let longest = v2.len().max(v3.len()).div_ceil(3).saturating_mul(4);
        if Limit::TextChunk.exceeded_by(longest) {
            return Err(Refusal::limit(
                Limit::TextChunk,
                "the card is too large for a PNG; export it as JSON or CHARX",
            ));
        }
        Ok(container::with_card(picture, &[("chara", &v2), ("ccv3", &v3)]))
    }

    /// A zip with the card and its assets: those of `original`, where that is a zip (or has one behind a picture), else the
    /// portrait.
    ///
    /// # Errors
    /// A [`Refusal`] when the zip cannot be written.
    pub fn to_charx(&self, original: Option<&[u8]>, portrait: Option<&Picture>) -> Result<Vec<u8>, Refusal> {
        let failed = |error: zip::result::ZipError| {
            Refusal::new(RefusalKind::Io, format!("cannot write the zip: {error}"))
        };
        let mut card = as_spec(&self.json, Spec::V3);
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default();
        let mut carried = false;
        if let Some(Ok(mut archive)) = original.map(container::open_zip) {
            for index in 0..archive.len() {
                let Ok(entry) = archive.by_index_raw(index) else { continue };
                let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
                if container::is_safe_entry(&name) && !entry.is_dir() && !entry.is_symlink() {
                    zip.raw_copy_file(entry).map_err(failed)?;
                    carried = true;
                }
            }
        }
        if !carried && let Some(Picture { extension, bytes }) = portrait {
            let path = format!("assets/icon/image/main.{extension}");
            name_icon(&mut card, &path, extension);
            zip.start_file(path, options).map_err(failed)?;
            zip.write_all(bytes).map_err(|error| failed(error.into()))?;
        }
        zip.start_file("card.json", options).map_err(failed)?;
        zip.write_all(&pretty(&card)).map_err(|error| failed(error.into()))?;
        Ok(zip.finish().map_err(failed)?.into_inner())
    }
}

fn pretty(value: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// The card under the strings of a spec; V3 also demands two fields that older cards have not.
fn as_spec(card: &Value, spec: Spec) -> Value {
    let mut card = card.clone();
    let (name, version) = if spec == Spec::V3 { ("chara_card_v3", "3.0") } else { ("chara_card_v2", "2.0") };
    card["spec"] = json!(name);
    // A newer version of the same spec keeps its number: its fields are all still there.
    let newer = card.get("spec_version").and_then(Value::as_str).and_then(|v| v.parse::<f64>().ok());
    let keep = spec == Spec::V3 && newer.is_some_and(|number| number > 3.0);
    if !keep {
        card["spec_version"] = json!(version);
    }
    if spec == Spec::V3
        && let Some(data) = card.get_mut("data").and_then(Value::as_object_mut)
    {
        data.entry("group_only_greetings").or_insert_with(|| json!([]));
    }
    card
}

fn write_fields(data: &mut Map<String, Value>, card: &Card, edits: &CardEdits, nested: bool) {
    for field in TEXT_FIELDS {
        let now = edits.fields.get(field).map(String::as_str).unwrap_or_default();
        set_text(data, field, card.field(field), now, nested);
    }
    if !nested {
        for (field, text) in [("creator", &card.creator), ("character_version", &card.character_version)] {
            set_text(data, field, "", text, nested);
        }
    }
}

/// Writes a field that was edited. A card that was not nested gets every field, since its own names may differ.
fn set_text(data: &mut Map<String, Value>, field: &str, before: &str, now: &str, nested: bool) {
    let says_otherwise = data.get(field).map_or(field != "nickname", |written| written.as_str() != Some(now));
    if before != now || (!nested && says_otherwise) {
        data.insert(field.to_owned(), json!(now));
    }
}

fn write_greetings(data: &mut Map<String, Value>, card: &Card, edits: &CardEdits, nested: bool) {
    let first = edits.greetings.get(&0).map(String::as_str).unwrap_or_default();
    // White space alone has no file.
    let before = if card.first_mes.trim().is_empty() { "" } else { &card.first_mes };
    if before != first || !nested {
        data.insert("first_mes".to_owned(), json!(first));
    }
    let alternates = edits.greetings.iter().filter(|(number, _)| **number > 0);
    set_greetings(
        data,
        "alternate_greetings",
        &card.alternate_greetings,
        alternates.map(|(n, t)| (n - 1, t)),
        nested,
    );
    let group = edits.group_greetings.iter().map(|(number, text)| (*number, text));
    set_greetings(data, "group_only_greetings", &card.group_only_greetings, group, true);
}

fn set_greetings<'a>(
    data: &mut Map<String, Value>,
    field: &str,
    before: &[String],
    now: impl Iterator<Item = (usize, &'a String)>,
    nested: bool,
) {
    let now: Vec<(usize, &String)> = now.collect();
    let had: Vec<(usize, &String)> =
        before.iter().enumerate().filter(|(_, greeting)| !greeting.trim().is_empty()).collect();
    if now != had || (!nested && !data.get(field).is_some_and(Value::is_array)) {
        let texts: Vec<&String> = now.into_iter().map(|(_, text)| text).collect();
        data.insert(field.to_owned(), json!(texts));
    }
}

fn write_depth_prompt(
    data: &mut Map<String, Value>,
    before: Option<&DepthPrompt>,
    now: Option<&DepthPrompt>,
) {
    if before == now {
        return;
    }
    let extensions = data.entry("extensions").or_insert_with(|| json!({}));
    if !extensions.is_object() {
        *extensions = json!({});
    }
    let (prompt, depth, role) =
        now.map_or(("", 4, "system"), |note| (note.prompt.as_str(), note.depth, note.role.as_str()));
    extensions["depth_prompt"] = json!({"prompt": prompt, "depth": depth, "role": role});
}

fn write_book(data: &mut Map<String, Value>, before: Option<&Lorebook>, now: Option<&Lorebook>) {
    match now {
        _ if before == now => {}
        None => {
            data.shift_remove("character_book");
        }
        Some(now) => {
            let raw = data.get("character_book").cloned().unwrap_or(Value::Null);
            data.insert("character_book".to_owned(), rebuilt(&raw, before, now));
        }
    }
    // The rebuilt and the untouched book both go under the spec's name.
    if let Some(book) = data.shift_remove("characterBook") {
        data.entry("character_book").or_insert(book);
    }
}

/// An edited book: entries nobody touched stay as they were written, the others follow the card spec.
fn rebuilt(raw: &Value, before: Option<&Lorebook>, now: &Lorebook) -> Value {
    let raw_entries: Vec<Value> = match raw.get("entries").or_else(|| raw.get("data")).unwrap_or(raw) {
        Value::Array(list) => list.clone(),
        Value::Object(by_id) => by_id.values().cloned().collect(),
        _ => Vec::new(),
    };
    let card_style = before.is_some_and(|book| book.format == BookFormat::CharacterBook);
    let old = |entry: &LoreEntry| {
        let known = before?.entries.iter().find(|old| *old == entry)?;
        raw_entries.get(usize::try_from(known.uid).ok()?).filter(|_| card_style).cloned()
    };
    let entries: Vec<Value> = now
        .entries
        .iter()
        .map(|entry| old(entry).unwrap_or_else(|| lore_file::to_character_book(entry)))
        .collect();
    let mut book = now.rest.clone();
    book.shift_remove("data");
    book.shift_remove("type");
    for (key, value) in [
        ("name", json!(now.name)),
        ("description", json!(now.description)),
        ("scan_depth", json!(now.scan_depth)),
        ("token_budget", json!(now.token_budget)),
        ("recursive_scanning", json!(now.recursive_scanning)),
    ] {
        if !value.is_null() {
            book.insert(key.to_owned(), value);
        }
    }
    book.entry("extensions").or_insert_with(|| json!({}));
    book.insert("entries".to_owned(), Value::Array(entries));
    Value::Object(book)
}

/// Points the card's main icon at the file that was put into the zip.
fn name_icon(card: &mut Value, path: &str, kind: &str) {
    let Some(data) = card.get_mut("data").and_then(Value::as_object_mut) else { return };
    let assets = data.entry("assets").or_insert_with(|| json!([]));
    if !assets.is_array() {
        *assets = json!([]);
    }
    let Some(list) = assets.as_array_mut() else { return };
    let icon = json!({"type": "icon", "uri": format!("embeded://{path}"), "name": "main", "ext": kind});
    let is_main = |asset: &Value| asset["type"] == "icon" && asset["name"] == "main";
    match list.iter_mut().find(|asset| is_main(asset)) {
        Some(asset) => *asset = icon,
        None => list.push(icon),
    }
}
