//! Every lorebook format of cards-and-lore 4.1 into one model.

use serde::Serialize;
use serde_json::{Map, Value};

use super::file::to_character_book;
use super::known::note_unknown;
use super::{KeyLogic, LoreEntry, LorePosition, Lorebook};
use crate::coerce;
use crate::payload::{self, quoted_name};
use crate::refusal::{Limit, Refusal, RefusalKind};
use crate::text::counted;

/// What a lorebook was written as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum BookFormat {
    /// `character_book` of a card, or a bare `{name, entries}`.
    #[default]
    CharacterBook,
    /// The `lorebook_v3` wrapper.
    LorebookV3,
    /// A SillyTavern world file.
    World,
    /// Agnai's memory book.
    Agnai,
    /// A NovelAI lorebook.
    #[strum(serialize = "novelai")]
    NovelAi,
    /// A Risu lorebook.
    Risu,
}

impl BookFormat {
    /// The name in files and reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Reads a lorebook file of any format; second, one line for every lenient step.
///
/// # Errors
/// A [`Refusal`] when a limit is broken, the JSON does not parse, or it is no lorebook.
pub fn read_lorebook(bytes: &[u8]) -> Result<(Lorebook, Vec<String>), Refusal> {
    if Limit::File.exceeded_by(bytes.len()) {
        return Err(Refusal::limit(Limit::File, format!("the file is {} bytes long", bytes.len()))
            .at(Limit::File.value()));
    }
    let mut warnings = Vec::new();
    let value = if bytes.trim_ascii_start().starts_with(b"{")
        || bytes.starts_with(b"\xef\xbb\xbf")
        || bytes.starts_with(b"\xff\xfe")
        || bytes.starts_with(b"\xfe\xff")
    {
        payload::parse_json(bytes, &mut warnings)?
    } else {
        let extracted = crate::container::open_container(bytes)?;
        extracted.side_book.unwrap_or(extracted.value)
    };
    if detect(&value).is_none() {
        let kind = RefusalKind::NotALorebook;
        return Err(if value.get("data").is_some() || value.get("first_mes").is_some() {
            Refusal::new(kind, "this is a card, not a lorebook; import it with `familiar init`").at(0)
        } else {
            Refusal::new(kind, "this is not a lorebook of any known format").at(0)
        });
    }
    let book = book_from_value(&value, &mut warnings).map_err(|refusal| refusal.or_at(0))?;
    Ok((book, warnings))
}

/// The format of a standalone lorebook, `None` when it is none.
pub(crate) fn detect(value: &Value) -> Option<BookFormat> {
    let map = value.as_object()?;
    let word = |key: &str| map.get(key).and_then(Value::as_str);
    if word("spec") == Some("lorebook_v3") {
        return Some(BookFormat::LorebookV3);
    }
    if word("type") == Some("risu") && map.get("data").is_some_and(Value::is_array) {
        return Some(BookFormat::Risu);
    }
    let entries = map.get("entries")?;
    if !entries.is_array() && !entries.is_object() {
        return None;
    }
    const CARD_FIELDS: [&str; 7] =
        ["first_mes", "mes_example", "personality", "scenario", "char_name", "char_persona", "persona"];
    if CARD_FIELDS.iter().any(|field| map.contains_key(*field))
        || map.get("data").is_some_and(Value::is_object)
    {
        return None;
    }
    Some(entries_format(map, entries))
}

fn entries_format(map: &Map<String, Value>, entries: &Value) -> BookFormat {
    if map.contains_key("lorebookVersion") {
        return BookFormat::NovelAi;
    }
    if map.get("kind").and_then(Value::as_str) == Some("memory") {
        return BookFormat::Agnai;
    }
    let first = match entries {
        Value::Array(list) => list.first(),
        Value::Object(by_id) => by_id.values().next(),
        _ => None,
    };
    let has = |key: &str| first.is_some_and(|entry| entry.get(key).is_some());
    if has("key") && !has("keys") {
        BookFormat::World
    } else if has("keywords") && has("entry") {
        BookFormat::Agnai
    } else if has("text") && !has("content") {
        BookFormat::NovelAi
    } else if !has("keys") && entries.is_object() && (has("keysecondary") || has("uid")) {
        BookFormat::World
    } else {
        BookFormat::CharacterBook
    }
}

/// Reads a book from its JSON, embedded or standalone; a bare list of entries is one, too.
pub(crate) fn book_from_value(value: &Value, warnings: &mut Vec<String>) -> Result<Lorebook, Refusal> {
    let wrapped =
        value.as_object().filter(|map| map.get("spec").and_then(Value::as_str) == Some("lorebook_v3"));
    if let Some(map) = wrapped {
        let mut book = match map.get("data") {
            Some(data) => book_from_value(data, warnings)?,
            None => read_book(map, BookFormat::LorebookV3, "entries", warnings)?,
        };
        book.format = BookFormat::LorebookV3;
        return Ok(book);
    }
    match value {
        Value::Array(_) => {
            warnings.push("the lorebook is a bare list of entries".to_owned());
            let mut map = Map::new();
            map.insert("entries".to_owned(), value.clone());
            let format = entries_format(&map, value);
            read_book(&map, format, "entries", warnings)
        }
        Value::Object(map)
            if map.get("data").is_some_and(Value::is_array) && !map.contains_key("entries") =>
        {
            read_book(map, BookFormat::Risu, "data", warnings)
        }
        Value::Object(map) => {
            let format =
                map.get("entries").map_or(BookFormat::CharacterBook, |entries| entries_format(map, entries));
            read_book(map, format, "entries", warnings)
        }
        _ => Err(Refusal::new(RefusalKind::Damaged, "the lorebook is neither an object nor a list")),
    }
}

fn read_book(
    map: &Map<String, Value>,
    format: BookFormat,
    entries_key: &str,
    warnings: &mut Vec<String>,
) -> Result<Lorebook, Refusal> {
    let mut fields = EntryFields { map: map.clone(), book: true, odd: Vec::new() };
    let raw: Vec<Value> = match fields.map.shift_remove(entries_key) {
        Some(Value::Array(list)) => list,
        Some(Value::Object(by_id)) => {
            if format != BookFormat::World {
                warnings.push("the lorebook's entries are a map instead of a list".to_owned());
            }
            by_id.into_iter().map(|(key, entry)| with_id(entry, &key)).collect()
        }
        None | Some(Value::Null) => Vec::new(),
        Some(_) => {
            warnings.push("the lorebook's entries are neither a list nor a map; none were read".to_owned());
            Vec::new()
        }
    };
    if Limit::BookEntries.exceeded_by(raw.len()) {
        return Err(Refusal::limit(Limit::BookEntries, format!("the lorebook has {} entries", raw.len())));
    }
    let scan_depth = fields.take("scan_depth", coerce::as_count);
    let token_budget = fields.take("token_budget", coerce::as_count);
    let mut book = Lorebook {
        name: fields.text("name").trim().to_owned(),
        description: fields.text("description"),
        scan_depth,
        token_budget,
        recursive_scanning: fields.optional_switch("recursive_scanning"),
        format,
        entries: Vec::with_capacity(raw.len()),
        rest: Map::new(),
    };
    for (name, value) in fields.odd {
        warnings.push(format!("`{name}` of the lorebook cannot be {value}; it was left out"));
    }
    // SillyTavern keeps the whole source book here; our own copy of the original file serves the same end.
    book.rest = fields.map;
    let mut sections = Sections::default();
    for (index, entry) in raw.into_iter().enumerate() {
        let uid = u32::try_from(index).unwrap_or(u32::MAX);
        match entry {
            Value::Object(map) if is_folder(&map) => sections.open(&map, warnings),
            Value::Object(map) => {
                let mut entry = entry_of_fields(
                    EntryFields { map, book: format != BookFormat::World, odd: Vec::new() },
                    format,
                    warnings,
                );
                entry.uid = uid;
                entry.section = sections.of(&entry);
                check_size(&entry)?;
                book.entries.push(entry);
            }
            _ => warnings.push(format!("lorebook entry {uid} is not an object and was left out")),
        }
    }
    note_duplicate_ids(&book, warnings);
    note_unknown(&book, warnings);
    Ok(book)
}

/// A map's key is the entry's id where the entry has none of its own.
fn with_id(mut entry: Value, key: &str) -> Value {
    if let Value::Object(map) = &mut entry
        && !map.contains_key("uid")
        && !map.contains_key("id")
    {
        map.insert("uid".to_owned(), Value::String(key.to_owned()));
    }
    entry
}

fn check_size(entry: &LoreEntry) -> Result<(), Refusal> {
    let keys: usize = entry.keys.iter().chain(&entry.secondary_keys).map(String::len).sum();
    if Limit::Field.exceeded_by(entry.content.len().max(entry.title.len()).max(keys)) {
        return Err(Refusal::limit(Limit::Field, format!("lorebook entry {} is too large", entry.uid)));
    }
    Ok(())
}

fn note_duplicate_ids(book: &Lorebook, warnings: &mut Vec<String>) {
    let mut seen = std::collections::HashSet::new();
    let ids = book.entries.iter().filter_map(|entry| entry.source_id.as_ref());
    let doubled = ids.filter(|id| !seen.insert(*id)).count();
    let missing = book.entries.iter().filter(|entry| entry.source_id.is_none()).count();
    if doubled > 0 {
        let ids = counted(doubled as u64, "lorebook id");
        warnings.push(format!("used twice: {ids}; all entries are kept and renumbered"));
    }
    // The id is optional in most formats, so only a book that numbers some of its entries is worth a word.
    if missing > 0 && missing < book.entries.len() {
        warnings.push(format!("{missing} lorebook entries have no id; all entries are kept and renumbered"));
    }
}

/// Risu folder rows: headings for entries, never entries (cards-and-lore 3).
#[derive(Default)]
struct Sections {
    by_key: std::collections::HashMap<String, String>,
    current: Option<String>,
}

/// Risu starts a folder's key with this private-use character.
const FOLDER_KEY: &str = "\u{f000}folder:";

fn is_folder(map: &Map<String, Value>) -> bool {
    let marked = |value: &Value| value.as_str().is_some_and(|key| key.starts_with(FOLDER_KEY));
    let key = map.get("key").or_else(|| map.get("keys"));
    let keyed =
        key.is_some_and(|key| marked(key) || key.as_array().and_then(|k| k.first()).is_some_and(marked));
    keyed || book_mode(map) == Some("folder")
}

fn book_mode(map: &Map<String, Value>) -> Option<&str> {
    map.get("mode").or_else(|| map.get("extensions").and_then(|ext| ext.get("mode"))).and_then(Value::as_str)
}

impl Sections {
    fn open(&mut self, map: &Map<String, Value>, warnings: &mut Vec<String>) {
        let title = ["comment", "name"]
            .into_iter()
            .find_map(|key| map.get(key).and_then(Value::as_str).filter(|title| !title.trim().is_empty()))
            .unwrap_or("folder")
            .trim()
            .to_owned();
        warnings.push(format!("lorebook folder \"{title}\" is used as a heading, not as an entry"));
        let key = map.get("key").or_else(|| map.get("keys").map(|keys| keys.get(0).unwrap_or(keys)));
        if let Some(key) = key.and_then(Value::as_str) {
            self.by_key.insert(key.to_owned(), title.clone());
        }
        self.current = Some(title);
    }

    fn of(&self, entry: &LoreEntry) -> Option<String> {
        let folder = entry.rest.get("folder").or_else(|| entry.rest.get("extensions")?.get("folder"));
        match folder.and_then(Value::as_str) {
            Some("") => None,
            Some(key) => self.by_key.get(key).cloned().or_else(|| self.current.clone()),
            None => self.current.clone(),
        }
    }
}

/// The fields of an entry or book, taken one by one; what is left over is the rest.
struct EntryFields {
    map: Map<String, Value>,
    /// Book style (snake case, `extensions`) rather than world style.
    book: bool,
    /// What stood there and could not be read: its name, and how it was written.
    odd: Vec<(String, String)>,
}

/// Whether a value says nothing, so that nobody misses what it might have been.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

fn note_odd(odd: &mut Vec<(String, String)>, name: &str, value: &Value) {
    if !is_blank(value) {
        odd.push((name.to_owned(), quoted_name(&value.to_string())));
    }
}

/// Where formats call a field otherwise than a character book does, letter case and underscores aside.
const OTHER_NAMES: [(&str, &str); 13] = [
    ("order", "insertion_order"),
    ("insertorder", "insertion_order"),
    ("weight", "insertion_order"),
    ("contextConfig.budgetPriority", "insertion_order"),
    ("key", "keys"),
    ("keywords", "keys"),
    ("keysecondary", "secondary_keys"),
    ("secondkey", "secondary_keys"),
    ("disable", "enabled"),
    ("text", "content"),
    ("entry", "content"),
    ("alwaysActive", "constant"),
    ("forceActivation", "constant"),
];

/// What an entry, read, holds for a field, and under which name; `None` for what stays empty.
fn field_taken(read: &Value, name: &str) -> Option<(String, String)> {
    let name = OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(name, |(_, name)| *name);
    let plain = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let maps = [read.get("extensions"), Some(read)].into_iter().flatten().filter_map(Value::as_object);
    let (name, value) = maps.flatten().find(|(known, _)| plain(known) == plain(name))?;
    (!is_blank(value)).then(|| (name.clone(), quoted_name(&value.to_string())))
}

/// One line for each field that could not be read: what it said, and what counts instead.
fn note_odd_fields(entry: &LoreEntry, odd: &[(String, String)], warnings: &mut Vec<String>) {
    if odd.is_empty() {
        return;
    }
    let read = to_character_book(entry);
    for (name, value) in odd {
        let instead = field_taken(&read, name).map_or_else(
            || "it was left out".to_owned(),
            |(name, value)| format!("`{name}` was taken as {value}"),
        );
        warnings.push(format!(
            "`{name}` of lorebook entry \"{}\" cannot be {value}; {instead}",
            quoted_name(&entry.label())
        ));
    }
}

impl EntryFields {
    /// Takes a field that `read` understands; one it does not understand stays among the rest.
    fn take<T>(&mut self, key: &str, read: impl Fn(&Value) -> Option<T>) -> Option<T> {
        let value = self.map.get(key)?;
        let Some(read) = read(value) else {
            note_odd(&mut self.odd, key, value);
            return None;
        };
        self.map.shift_remove(key);
        Some(read)
    }

    /// Takes a field from `extensions` (which SillyTavern wrote, and so counts first), else from the top.
    fn extended<T>(&mut self, keys: &[&str], read: impl Fn(&Value) -> Option<T> + Copy) -> Option<T> {
        let mut found = None;
        if self.book
            && let Some(Value::Object(extensions)) = self.map.get_mut("extensions")
        {
            for key in keys {
                let Some(written) = extensions.get(*key) else { continue };
                if let Some(value) = read(written) {
                    extensions.shift_remove(*key);
                    found.get_or_insert(value);
                } else {
                    note_odd(&mut self.odd, key, written);
                }
            }
        }
        for key in keys {
            // A second value that lost stays among the rest, so that nothing is dropped.
            if found.is_none() {
                found = self.take(key, read);
            }
        }
        found
    }

    fn text(&mut self, key: &str) -> String {
        self.take(key, coerce::as_text).map(|text| crate::text::unix_lines(&text)).unwrap_or_default()
    }

    fn optional_switch(&mut self, key: &str) -> Option<bool> {
        self.take(key, coerce::switch)
    }

    fn words(&mut self, key: &str) -> Option<Vec<String>> {
        self.take(key, |value| {
            let readable = matches!(value, Value::String(_) | Value::Null)
                || value
                    .as_array()
                    .is_some_and(|list| list.iter().all(|part| part.is_string() || part.is_number()));
            readable.then(|| coerce::short_texts(value))
        })
    }

    /// An id as text.
    fn id(&mut self) -> Option<String> {
        for key in ["uid", "id"] {
            let id = self.take(key, |value| coerce::as_text(value).filter(|id| !id.is_empty()));
            if id.is_some() {
                return id;
            }
        }
        None
    }
}

fn entry_of_fields(mut fields: EntryFields, format: BookFormat, warnings: &mut Vec<String>) -> LoreEntry {
    let mut entry = match format {
        BookFormat::NovelAi => novel_ai(&mut fields),
        BookFormat::Agnai => agnai(&mut fields),
        BookFormat::Risu => risu(&mut fields),
        BookFormat::World => world(&mut fields, warnings),
        BookFormat::CharacterBook | BookFormat::LorebookV3 => character_book(&mut fields, warnings),
    };
    // An emptied `extensions` says nothing; the export writes its own.
    if fields.map.get("extensions").and_then(Value::as_object).is_some_and(Map::is_empty) {
        fields.map.shift_remove("extensions");
    }
    // Before the rest, where the odd values themselves stay.
    note_odd_fields(&entry, &fields.odd, warnings);
    entry.rest = fields.map;
    entry
}

fn character_book(fields: &mut EntryFields, warnings: &mut Vec<String>) -> LoreEntry {
    let keys_are_text = fields.map.get("keys").is_some_and(Value::is_string);
    let mut entry = LoreEntry { selective: false, ..LoreEntry::default() };
    entry.source_id = fields.id();
    entry.keys = fields.words("keys").or_else(|| fields.words("key")).unwrap_or_default();
    entry.secondary_keys =
        fields.words("secondary_keys").or_else(|| fields.words("keysecondary")).unwrap_or_default();
    if keys_are_text {
        warnings.push(format!("the keys of lorebook entry \"{}\" were one string", entry.label()));
    }
    entry.title = title(fields);
    entry.content = fields.text("content");
    if let Some(enabled) = fields.optional_switch("enabled") {
        entry.enabled = enabled;
    } else if let Some(disabled) = fields.optional_switch("disable") {
        entry.enabled = !disabled;
    }
    entry.order = fields
        .take("insertion_order", coerce::integer)
        .or_else(|| fields.take("order", coerce::integer))
        .unwrap_or(100);
    entry.priority = fields.take("priority", coerce::integer);
    // SillyTavern writes it into every entry it exports and never reads it; its keys are patterns between slashes.
    let is_sillytavern = fields.map.get("extensions").is_some_and(|extensions| {
        ["display_index", "selectiveLogic"].iter().any(|hand| extensions.get(*hand).is_some())
    });
    let use_regex = fields.optional_switch("use_regex").unwrap_or(false) && !is_sillytavern;
    let numbered = fields.extended(&["position"], |value| {
        coerce::integer(value).and_then(LorePosition::from_number).or_else(|| named_position(value))
    });
    // Both values may be there; ours is read from the first, and the card spec's own word is then implied.
    if numbered.is_some() && fields.map.get("position").and_then(named_position).is_some() {
        fields.map.shift_remove("position");
    }
    // What is not said to stand before the character stands after it (cards-and-lore 4.1).
    entry.position = numbered.unwrap_or(LorePosition::After);
    entry.constant = fields.optional_switch("constant").unwrap_or(false);
    entry.selective = fields.optional_switch("selective").unwrap_or(false);
    shared(fields, &mut entry);
    if use_regex {
        entry.keys_are_patterns();
    }
    entry
}

/// Comment, else name; both stay readable because the one not used stays among the rest.
fn title(fields: &mut EntryFields) -> String {
    let full = |value: &Value| coerce::as_text(value).filter(|text| !text.trim().is_empty());
    let found = fields.take("comment", full).or_else(|| fields.take("name", full));
    found.map(|title| crate::text::unix_lines(&title)).unwrap_or_default()
}

fn named_position(value: &Value) -> Option<LorePosition> {
    match value.as_str()?.trim() {
        "before_char" | "before_char_defs" | "before" => Some(LorePosition::Before),
        "after_char" | "after_char_defs" | "after" => Some(LorePosition::After),
        _ => None,
    }
}

fn world(fields: &mut EntryFields, warnings: &mut Vec<String>) -> LoreEntry {
    let keys_are_text = fields.map.get("key").is_some_and(|keys| keys.is_string() && !is_blank(keys));
    let mut entry = LoreEntry { source_id: fields.id(), ..LoreEntry::default() };
    entry.keys = fields.words("key").or_else(|| fields.words("keys")).unwrap_or_default();
    entry.secondary_keys =
        fields.words("keysecondary").or_else(|| fields.words("secondary_keys")).unwrap_or_default();
    entry.title = title(fields);
    if keys_are_text {
        warnings.push(format!("the keys of lorebook entry \"{}\" were one string", entry.label()));
    }
    entry.content = fields.text("content");
    entry.enabled = match fields.optional_switch("disable") {
        Some(disabled) => !disabled,
        None => fields.optional_switch("enabled").unwrap_or(true),
    };
    entry.order = fields
        .take("order", coerce::integer)
        .or_else(|| fields.take("insertion_order", coerce::integer))
        .unwrap_or(100);
    entry.position = fields
        .take("position", |value| {
            coerce::integer(value).and_then(LorePosition::from_number).or_else(|| named_position(value))
        })
        .unwrap_or(LorePosition::Before);
    entry.constant = fields.optional_switch("constant").unwrap_or(false);
    entry.selective = fields.optional_switch("selective").unwrap_or(true);
    shared(fields, &mut entry);
    entry
}

/// What SillyTavern's world files and a book's `extensions` have in common.
fn shared(fields: &mut EntryFields, entry: &mut LoreEntry) {
    if let Some(logic) = fields
        .extended(&["selectiveLogic", "selective_logic"], |v| KeyLogic::from_number(coerce::integer(v)?))
    {
        entry.logic = logic;
    }
    entry.depth = fields.extended(&["depth"], coerce::as_count).unwrap_or(4);
    entry.role = fields.extended(&["role"], coerce::as_role).unwrap_or(crate::Role::System);
    entry.scan_depth = fields.extended(&["scan_depth", "scanDepth"], coerce::as_count);
    entry.case_sensitive = fields.extended(&["case_sensitive", "caseSensitive"], coerce::switch);
    entry.match_whole_words = fields.extended(&["match_whole_words", "matchWholeWords"], coerce::switch);
    entry.use_group_scoring = fields.extended(&["use_group_scoring", "useGroupScoring"], coerce::switch);
    entry.probability = fields.extended(&["probability"], as_percent).unwrap_or(100.0);
    entry.use_probability =
        fields.extended(&["useProbability", "use_probability"], coerce::switch).unwrap_or(true);
    entry.exclude_recursion =
        fields.extended(&["exclude_recursion", "excludeRecursion"], coerce::switch).unwrap_or(false);
    entry.prevent_recursion =
        fields.extended(&["prevent_recursion", "preventRecursion"], coerce::switch).unwrap_or(false);
    entry.delay_until_recursion = fields
        .extended(&["delay_until_recursion", "delayUntilRecursion"], |value| {
            coerce::as_count(value).or_else(|| coerce::switch(value).map(u32::from))
        })
        .unwrap_or(0);
    entry.group = fields.extended(&["group"], |v| v.as_str().map(str::to_owned)).unwrap_or_default();
    entry.group_override =
        fields.extended(&["group_override", "groupOverride"], coerce::switch).unwrap_or(false);
    entry.group_weight = fields.extended(&["group_weight", "groupWeight"], coerce::as_count).unwrap_or(100);
    entry.sticky = fields.extended(&["sticky"], coerce::as_count);
    entry.cooldown = fields.extended(&["cooldown"], coerce::as_count);
    entry.delay = fields.extended(&["delay"], coerce::as_count);
    entry.vectorized = fields.extended(&["vectorized"], coerce::switch).unwrap_or(false);
    entry.ignore_budget =
        fields.extended(&["ignore_budget", "ignoreBudget"], coerce::switch).unwrap_or(false);
    entry.triggers = fields
        .extended(&["triggers"], |value| {
            value
                .as_array()
                .filter(|list| list.iter().all(Value::is_string))
                .map(|_| coerce::short_texts(value))
        })
        .unwrap_or_default();
    entry.outlet_name = fields
        .extended(&["outlet_name", "outletName"], |v| v.as_str().map(str::to_owned))
        .unwrap_or_default();
}

fn as_percent(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    (0.0..=100.0).contains(&number).then_some(number)
}

fn agnai(fields: &mut EntryFields) -> LoreEntry {
    let mut entry = LoreEntry { selective: false, ..LoreEntry::default() };
    entry.source_id = fields.id();
    entry.title = title(fields);
    entry.content = fields.text("entry");
    entry.keys = fields.words("keywords").unwrap_or_default();
    entry.enabled = fields.optional_switch("enabled").unwrap_or(true);
    // `weight` decides the place in the prompt, `priority` who stays when there is no room.
    entry.order = fields.take("weight", coerce::integer).unwrap_or(100);
    entry.priority = fields.take("priority", coerce::integer);
    entry
}

fn novel_ai(fields: &mut EntryFields) -> LoreEntry {
    let mut entry = LoreEntry { selective: false, ..LoreEntry::default() };
    entry.source_id = fields.id();
    let name = |value: &Value| coerce::as_text(value).filter(|text| !text.trim().is_empty());
    entry.title =
        fields.take("displayName", name).map(|title| crate::text::unix_lines(&title)).unwrap_or_default();
    entry.content = fields.text("text");
    entry.keys = fields.words("keys").unwrap_or_default();
    entry.enabled = fields.optional_switch("enabled").unwrap_or(true);
    entry.constant = fields.optional_switch("forceActivation").unwrap_or(false);
    // The budget priority is read and left in place: it sits inside a larger setting that is kept whole.
    if let Some(priority) = fields.map.get("contextConfig").and_then(|config| config.get("budgetPriority")) {
        match coerce::integer(priority) {
            Some(order) => entry.order = order,
            None => note_odd(&mut fields.odd, "contextConfig.budgetPriority", priority),
        }
    }
    entry
}

fn risu(fields: &mut EntryFields) -> LoreEntry {
    let mut entry = LoreEntry { selective: false, ..LoreEntry::default() };
    entry.source_id = fields.id();
    entry.title = title(fields);
    entry.content = fields.text("content");
    entry.keys = fields.words("key").unwrap_or_default();
    entry.secondary_keys = fields.words("secondkey").unwrap_or_default();
    entry.constant = fields.optional_switch("alwaysActive").unwrap_or(false);
    entry.selective = fields.optional_switch("selective").unwrap_or(false);
    entry.order = fields.take("insertorder", coerce::integer).unwrap_or(100);
    if fields.optional_switch("useRegex").unwrap_or(false) {
        entry.keys_are_patterns();
    }
    if let Some(chance) = fields.take("activationPercent", as_percent) {
        entry.probability = chance;
    }
    if let Some(enabled) = fields.optional_switch("enabled") {
        entry.enabled = enabled;
    }
    entry
}
