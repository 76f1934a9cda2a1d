//! Back from a familiar's folder to a card file. What nobody edited goes out exactly as it came in.

use std::io::{Cursor, Write as _};

use serde_json::{Map, Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::card::{Card, Spec};
use super::container::{self, Container, Extracted};
use super::layout::{FIELDS, ORIGINAL};
use super::lore::{LoreEntry, Lorebook, file as lore_file};
use super::on_disk::{self, OnDisk};
use super::refusal::{Limit, Refusal, RefusalKind};
use super::unpack::field_of;
use super::{DepthPrompt, install, spec};
use crate::config::FamiliarHome;
use crate::domain::Role;

/// What to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// A PNG with `chara` (V2) and `ccv3` (V3).
    Png,
    /// Bare JSON.
    Json,
    /// A zip with the card and its assets.
    Charx,
}

impl ExportFormat {
    /// The file name extension.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Json => "json",
            Self::Charx => "charx",
        }
    }
}

/// A card file and what should be said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// One line for everything that does not go along.
    pub notes: Vec<String>,
}

/// Writes a familiar as a card.
///
/// # Errors
/// When there is no such familiar or its files cannot be read or do not parse.
pub fn export(home: &FamiliarHome, format: ExportFormat) -> Result<Exported, Refusal> {
    if !home.root().is_dir() {
        return Err(Refusal::new(RefusalKind::Conflict, format!("there is no familiar {}", home.id())));
    }
    install::recover(home.root())?;
    let mut notes = Vec::new();
    let (card, spec) = card_json(home, &mut notes)?;
    let bytes = match format {
        ExportFormat::Json => pretty(&as_spec(&card, if spec == Spec::V3 { Spec::V3 } else { Spec::V2 })),
        ExportFormat::Png => png(home, &card, &mut notes)?,
        ExportFormat::Charx => charx(home, as_spec(&card, Spec::V3))?,
    };
    Ok(Exported { bytes, notes })
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

/// The card's JSON with what the files say now.
fn card_json(home: &FamiliarHome, notes: &mut Vec<String>) -> Result<(Value, Spec), Refusal> {
    let disk = OnDisk::read(home)?;
    let raw =
        disk.card.clone().unwrap_or_else(|| json!({"spec": "chara_card_v2", "name": home.id().as_str()}));
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
    write_fields(&mut data, &card, &disk, nested);
    write_greetings(&mut data, &card, &disk, nested);
    write_depth_prompt(&mut data, card.depth_prompt.as_ref(), disk.depth_prompt.as_ref());
    write_book(home, &mut data, &card, &disk, notes)?;
    root.insert("data".to_owned(), Value::Object(data));
    // Copies of fields at the root would now tell another story.
    for (field, _) in FIELDS.iter().chain([&("first_mes", "")]) {
        let changed = root.get(*field).is_some_and(|old| root["data"].get(*field) != Some(old));
        if changed && let Some(new) = root["data"].get(*field).cloned() {
            root.insert((*field).to_owned(), new);
        }
    }
    Ok((Value::Object(root), card.spec))
}

fn write_fields(data: &mut Map<String, Value>, card: &Card, disk: &OnDisk, nested: bool) {
    for (field, _) in FIELDS {
        let now = disk.fields.get(field).map(String::as_str).unwrap_or_default();
        set_text(data, field, field_of(card, field), now, nested);
    }
    if !nested {
        for (field, text) in [("creator", &card.creator), ("character_version", &card.character_version)] {
            set_text(data, field, "", text, nested);
        }
    }
}

/// Writes a field that was edited. A card that was not nested gets every field, since its own names may differ.
fn set_text(data: &mut Map<String, Value>, field: &str, before: &str, now: &str, nested: bool) {
    let needed = !nested && field != "nickname" && !data.contains_key(field);
    if before != now
        || needed
        || (!nested && data.get(field).and_then(Value::as_str) != Some(now) && data.contains_key(field))
    {
        data.insert(field.to_owned(), json!(now));
    }
}

fn write_greetings(data: &mut Map<String, Value>, card: &Card, disk: &OnDisk, nested: bool) {
    let first = disk.greetings.get(&0).map(String::as_str).unwrap_or_default();
    // White space alone has no file.
    let before = if card.first_mes.trim().is_empty() { "" } else { &card.first_mes };
    if before != first || !nested {
        data.insert("first_mes".to_owned(), json!(first));
    }
    let alternates = disk.greetings.iter().filter(|(number, _)| **number > 0);
    set_greetings(
        data,
        "alternate_greetings",
        &card.alternate_greetings,
        alternates.map(|(n, t)| (n - 1, t)),
        nested,
    );
    let group = disk.group_greetings.iter().map(|(number, text)| (*number, text));
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
    match now {
        Some(note) => {
            let role = match note.role {
                Role::System => "system",
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            extensions["depth_prompt"] = json!({"prompt": note.prompt, "depth": note.depth, "role": role});
        }
        None => {
            extensions["depth_prompt"] = json!({"prompt": "", "depth": 4, "role": "system"});
        }
    }
}

fn write_book(
    home: &FamiliarHome,
    data: &mut Map<String, Value>,
    card: &Card,
    disk: &OnDisk,
    notes: &mut Vec<String>,
) -> Result<(), Refusal> {
    let own = disk.record.as_ref().and_then(|record| record.book.clone());
    for other in on_disk::names(&home.lore_dir())? {
        if Some(&other) != own.as_ref() && home.lore_dir().join(&other).is_dir() {
            notes.push(format!("lorebook {other} is not the card's own and stays here"));
        }
    }
    let now = match own {
        Some(folder) => on_disk::read_book(&on_disk::book_dir(home, &folder), notes)?,
        None => None,
    };
    let before = card.book.as_ref();
    match (before, now) {
        (None, None) => {}
        (Some(_), None) => {
            data.shift_remove("character_book");
        }
        (before, Some(now)) => {
            if !before.is_some_and(|before| same_book(before, &now)) {
                let raw = data.get("character_book").cloned().unwrap_or(Value::Null);
                data.insert("character_book".to_owned(), rebuilt(&raw, before, now));
            }
        }
    }
    // The rebuilt and the untouched book both go under the spec's name.
    if let Some(book) = data.shift_remove("characterBook") {
        data.entry("character_book").or_insert(book);
    }
    Ok(())
}

fn same_book(before: &Lorebook, now: &Lorebook) -> bool {
    same_header(before, now) && before.entries == now.entries
}

fn same_header(before: &Lorebook, now: &Lorebook) -> bool {
    let header = |book: &Lorebook| Lorebook { entries: Vec::new(), ..book.clone() };
    header(before) == header(now)
}

/// An edited book: entries nobody touched stay as they were written, the others follow the card spec.
fn rebuilt(raw: &Value, before: Option<&Lorebook>, now: Lorebook) -> Value {
    let raw_entries: Vec<Value> = match raw.get("entries").or_else(|| raw.get("data")).unwrap_or(raw) {
        Value::Array(list) => list.clone(),
        Value::Object(by_id) => by_id.values().cloned().collect(),
        _ => Vec::new(),
    };
    let card_style = before.is_some_and(|book| book.format == super::BookFormat::CharacterBook);
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

fn png(home: &FamiliarHome, card: &Value, notes: &mut Vec<String>) -> Result<Vec<u8>, Refusal> {
    let picture = match on_disk::avatar(home)? {
        Some(("png", bytes)) => bytes,
        Some((kind, _)) => {
            notes.push(format!(
                "the portrait is a {kind} file and cannot be the PNG's picture; a blank one is used"
            ));
            blank_picture()?
        }
        None => {
            notes.push("there is no portrait; a blank picture is used".to_owned());
            blank_picture()?
        }
    };
    let (v2, v3) = (as_spec(card, Spec::V2).to_string(), as_spec(card, Spec::V3).to_string());
    // Base64 makes four characters of three bytes.
    let longest = v2.len().max(v3.len()).div_ceil(3).saturating_mul(4);
    if Limit::TextChunk.exceeded_by(longest) {
        return Err(Refusal::limit(
            Limit::TextChunk,
            "the card is too large for a PNG; export it as JSON or CHARX",
        ));
    }
    Ok(container::with_card(&picture, &[("chara", &v2), ("ccv3", &v3)]))
}

/// A small plain picture for a card that has none.
fn blank_picture() -> Result<Vec<u8>, Refusal> {
    const SIDE: u32 = 16;
    let refused =
        |error: png::EncodingError| Refusal::new(RefusalKind::Io, format!("cannot make a picture: {error}"));
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, SIDE, SIDE);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(refused)?;
    let pixels = usize::try_from(SIDE * SIDE).unwrap_or_default();
    writer.write_image_data(&vec![0x80; pixels]).map_err(refused)?;
    writer.finish().map_err(refused)?;
    Ok(bytes)
}

fn charx(home: &FamiliarHome, mut card: Value) -> Result<Vec<u8>, Refusal> {
    let failed = |error: zip::result::ZipError| {
        Refusal::new(RefusalKind::Io, format!("cannot write the zip: {error}"))
    };
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    let mut carried = false;
    for kind in ["charx", "jpg", "png", "webp"] {
        let Some(original) = on_disk::read_optional(&home.root().join(format!("{ORIGINAL}.{kind}")))? else {
            continue;
        };
        let Ok(mut archive) = container::open_zip(&original) else { continue };
        for index in 0..archive.len() {
            let Ok(entry) = archive.by_index_raw(index) else { continue };
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            if container::is_safe_entry(&name) && !entry.is_dir() && !entry.is_symlink() {
                zip.raw_copy_file(entry).map_err(failed)?;
                carried = true;
            }
        }
    }
    if !carried && let Some((kind, bytes)) = on_disk::avatar(home)? {
        let path = format!("assets/icon/image/main.{kind}");
        name_icon(&mut card, &path, kind);
        zip.start_file(path, options).map_err(failed)?;
        zip.write_all(&bytes).map_err(|error| failed(error.into()))?;
    }
    zip.start_file("card.json", options).map_err(failed)?;
    zip.write_all(&pretty(&card)).map_err(|error| failed(error.into()))?;
    Ok(zip.finish().map_err(failed)?.into_inner())
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
