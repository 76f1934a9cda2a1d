//! From a card's JSON to one [`Card`]: which spec it follows, and the lenient rules of cards-and-lore 3.

use serde_json::{Map, Value};

use super::card::{Card, Spec};
use super::container::{self, Extracted};
use super::lore::{self, Lorebook};
use super::payload::quoted_name;
use super::refusal::{Limit, Refusal, RefusalKind};
use super::{DepthPrompt, assets, coerce};
use crate::Role;
use crate::text::{name_line, unix_lines};

/// The newest spec version whose fields are all known here.
const NEWEST_VERSION: f64 = 3.0;

/// Where a card's own fields stand and under which names.
struct Layout<'a> {
    spec: Spec,
    data: &'a Map<String, Value>,
    dialect: FieldDialect,
}

/// Names of the fields. Only the first is a spec; the others are what people really have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldDialect {
    Tavern,
    Pygmalion,
    Agnai,
    WebUi,
}

/// Reads a card from the bytes of any container; recognised by content.
///
/// # Errors
/// A [`Refusal`] of one line when a limit is broken or the bytes hold no readable card.
pub fn read_card(bytes: &[u8]) -> Result<Card, Refusal> {
    let extracted = container::open_container(bytes).map_err(|refusal| refusal.or_at(0))?;
    let offset = extracted.offset;
    interpret(extracted).map_err(|refusal| refusal.or_at(offset))
}

/// Reads the card in what was taken out of a container.
pub(crate) fn interpret(extracted: Extracted) -> Result<Card, Refusal> {
    let Extracted { container, value, picture, files, side_book, mut warnings, .. } = extracted;
    let Value::Object(root) = &value else {
        return Err(Refusal::new(
            RefusalKind::NotACard,
            "what stands in this file is no character card; export the character again, as a PNG or JSON card",
        ));
    };
    if let Some(format) = lore::detect(&value) {
        return Err(Refusal::new(
            RefusalKind::Lorebook,
            format!(
                "this is a lorebook ({}), not a card; add it to a familiar with `familiar lore import FILE --familiar ID`",
                format.as_str()
            ),
        ));
    }
    let layout = layout(root, &mut warnings)?;
    let mut reader = FieldReader { data: layout.data, warnings: &mut warnings, carriage_returns: Vec::new() };
    let mut card = reader.card(&layout)?;
    reader.note_line_ends();
    card.container = container;
    card.avatar = assets::avatar(layout.data, picture, &files, &mut warnings);
    if card.book.is_none()
        && let Some(book) = side_book
    {
        card.book = Some(lore::book_from_value(&book, &mut warnings)?);
        warnings.push("the lorebook comes from the picture's `naidata` text".to_owned());
    }
    if let (Some(linked), None) = (linked_world(layout.data), &card.book) {
        warnings.push(format!("the card names the world \"{linked}\", which is not in it; import that file with `familiar lore import`"));
    }
    for key in ["regex_scripts", "tavern_helper", "risuai", "TavernHelper_scripts"] {
        if layout.data.get("extensions").and_then(|ext| ext.get(key)).is_some() {
            warnings.push(format!("extension `{key}` is kept as data and never run"));
        }
    }
    check_limits(&card)?;
    card.raw = value;
    card.warnings = warnings;
    Ok(card)
}

/// Whether JSON has the shape of a card, of whatever spec.
pub(crate) fn holds_card(value: &Value) -> bool {
    let Value::Object(root) = value else { return false };
    lore::detect(value).is_none() && layout(root, &mut Vec::new()).is_ok()
}

fn linked_world(data: &Map<String, Value>) -> Option<&str> {
    data.get("extensions")?.get("world")?.as_str().filter(|world| !world.trim().is_empty())
}

const FLAT_FIELDS: [&str; 7] =
    ["name", "description", "personality", "scenario", "first_mes", "mes_example", "char_greeting"];

fn has_any(map: &Map<String, Value>, keys: &[&str]) -> bool {
    keys.iter().any(|key| map.contains_key(*key))
}

/// SillyTavern's order of detection, then what others write (cards-and-lore 1.4).
fn layout<'a>(root: &'a Map<String, Value>, warnings: &mut Vec<String>) -> Result<Layout<'a>, Refusal> {
    let data = root.get("data").and_then(Value::as_object);
    if let Some(spec) = root.get("spec") {
        let name = spec.as_str().unwrap_or_default();
        let known = match name {
            "chara_card_v2" => Some(Spec::V2),
            "chara_card_v3" => Some(Spec::V3),
            _ => None,
        };
        note_version(root, warnings);
        let nested = data.filter(|data| known.is_some() || has_any(data, &FLAT_FIELDS));
        let (spec, data) = match nested {
            Some(data) => (known.unwrap_or(Spec::V3), data),
            None => {
                require(root, &FLAT_FIELDS)?;
                (known.unwrap_or(Spec::V1), root)
            }
        };
        if known.is_none() {
            let read_as = if nested.is_some() { "V3" } else { "V1" };
            warnings.push(format!(
                "the spec \"{}\" is unknown; the card was read as {read_as}",
                quoted_name(name)
            ));
        } else if nested.is_none() {
            warnings.push("the card says it has `data` and has none; its root fields were read".to_owned());
        }
        if nested.is_some() {
            note_disagreement(root, data, warnings);
        }
        return Ok(Layout { spec, data, dialect: FieldDialect::Tavern });
    }
    if let Some(data) = data.filter(|data| has_any(data, &FLAT_FIELDS)) {
        warnings.push("the card has `data` and no `spec`; it was read as V2".to_owned());
        note_disagreement(root, data, warnings);
        return Ok(Layout { spec: Spec::V2, data, dialect: FieldDialect::Tavern });
    }
    let agnai = root.get("kind").and_then(Value::as_str) == Some("character")
        || (root.contains_key("persona") && has_any(root, &["greeting", "sampleChat"]));
    let dialect = if agnai {
        FieldDialect::Agnai
    } else if root.contains_key("name") && has_any(root, &["context", "greeting", "example_dialogue"]) {
        FieldDialect::WebUi
    } else if has_any(root, &["name", "first_mes", "mes_example", "personality"]) {
        FieldDialect::Tavern
    } else if has_any(root, &["char_name", "char_persona", "char_greeting"]) {
        FieldDialect::Pygmalion
    } else if has_any(root, &["context", "greeting"]) {
        FieldDialect::WebUi
    } else {
        require(root, &["description"])?;
        FieldDialect::Tavern
    };
    let written = match dialect {
        FieldDialect::Tavern => None,
        FieldDialect::Pygmalion => Some("has Pygmalion's field names"),
        FieldDialect::Agnai => Some("is Agnai's own format"),
        FieldDialect::WebUi => Some("has text-generation-webui's field names"),
    };
    warnings.extend(written.map(|written| format!("the card {written}; it was read as V1")));
    Ok(Layout { spec: Spec::V1, data: root, dialect })
}

fn require(map: &Map<String, Value>, keys: &[&str]) -> Result<(), Refusal> {
    if has_any(map, keys) {
        return Ok(());
    }
    Err(Refusal::new(
        RefusalKind::NotACard,
        "what stands in this file is no character card: it has neither name, description nor first_mes; export the character \
         again, as a PNG or JSON card",
    ))
}

fn note_version(root: &Map<String, Value>, warnings: &mut Vec<String>) {
    let version = root.get("spec_version").and_then(coerce::as_text).unwrap_or_default();
    if let Ok(number) = version.trim().parse::<f64>()
        && number > NEWEST_VERSION
    {
        warnings
            .push(format!("spec_version {number} is newer than 3.0; unknown fields are kept in card.json"));
    }
}

fn note_disagreement(root: &Map<String, Value>, data: &Map<String, Value>, warnings: &mut Vec<String>) {
    let differ: Vec<&str> = ["name", "description", "personality", "scenario", "first_mes", "mes_example"]
        .into_iter()
        .filter(|key| root.get(*key).is_some_and(|at_root| data.get(*key) != Some(at_root)))
        .collect();
    if !differ.is_empty() {
        warnings.push(format!("root and `data` differ in {}; `data` counts", differ.join(", ")));
    }
}

/// Reads fields, remembering what had to be bent.
struct FieldReader<'a, 'w> {
    data: &'a Map<String, Value>,
    warnings: &'w mut Vec<String>,
    carriage_returns: Vec<String>,
}

impl FieldReader<'_, '_> {
    fn card(&mut self, layout: &Layout<'_>) -> Result<Card, Refusal> {
        let agnai = layout.dialect == FieldDialect::Agnai;
        // For each field: the names it goes by, the first present one counts.
        let names: [&[&str]; 6] = match layout.dialect {
            FieldDialect::Tavern => [
                &["name", "char_name"],
                &["description", "char_persona"],
                &["personality"],
                &["scenario", "world_scenario"],
                &["first_mes", "char_greeting"],
                &["mes_example", "example_dialogue"],
            ],
            FieldDialect::Pygmalion => [
                &["char_name"],
                &["char_persona"],
                &["personality"],
                &["world_scenario", "scenario"],
                &["char_greeting"],
                &["example_dialogue"],
            ],
            FieldDialect::Agnai => {
                [&["name"], &[], &["personality"], &["scenario"], &["greeting"], &["sampleChat"]]
            }
            FieldDialect::WebUi => [
                &["name"],
                &["context", "description"],
                &["personality"],
                &["scenario", "world_scenario"],
                &["greeting", "first_mes"],
                &["example_dialogue", "mes_example"],
            ],
        };
        let [name, description, personality, scenario, first_mes, mes_example] =
            names.map(|names| self.first(names));
        let mut card = Card {
            container: super::Container::Json,
            spec: layout.spec,
            name: name_line(&name),
            nickname: Some(name_line(&self.text("nickname"))).filter(|name| !name.is_empty()),
            description: if agnai { self.persona() } else { description },
            personality,
            scenario,
            first_mes,
            alternate_greetings: self.greetings(&["alternate_greetings", "alternateGreetings"]),
            group_only_greetings: self.greetings(&["group_only_greetings"]),
            mes_example,
            system_prompt: self.first(&["system_prompt", "systemPrompt"]),
            post_history_instructions: self.first(&["post_history_instructions", "postHistoryInstructions"]),
            creator_notes: self.first(if agnai {
                &["creator_notes", "description"]
            } else {
                &["creator_notes", "creatorcomment", "creatorComment"]
            }),
            creator: self.text("creator"),
            character_version: self.first(&["character_version", "characterVersion"]),
            tags: self.tags(),
            depth_prompt: self.depth_prompt(),
            book: self.book()?,
            avatar: None,
            raw: Value::Null,
            warnings: Vec::new(),
        };
        if card.spec == Spec::V1 {
            self.rewrite_you(&mut card);
        }
        self.note_dates();
        Ok(card)
    }

    /// The first of the names that holds text.
    fn first(&mut self, names: &[&str]) -> String {
        for name in names {
            let text = self.text(name);
            if !text.is_empty() {
                return text;
            }
        }
        String::new()
    }

    fn text(&mut self, name: &str) -> String {
        let Some(value) = self.data.get(name) else { return String::new() };
        let Some(text) = coerce::as_text(value) else {
            self.warnings.push(format!("`{name}` is not text; it is kept in card.json only"));
            return String::new();
        };
        match value {
            Value::String(_) => {}
            Value::Null => self.warnings.push(format!("`{name}` is null; it was read as empty")),
            _ => self.warnings.push(format!("`{name}` is not a string; it was turned into one")),
        }
        self.line_ends(name, &text)
    }

    fn line_ends(&mut self, name: &str, text: &str) -> String {
        if text.contains('\r') {
            self.carriage_returns.push(name.to_owned());
        }
        unix_lines(text)
    }

    fn note_line_ends(&mut self) {
        self.carriage_returns.dedup();
        if !self.carriage_returns.is_empty() {
            let fields = self.carriage_returns.join(", ");
            self.warnings.push(format!("CRLF line ends became LF in {fields}"));
        }
    }

    fn greetings(&mut self, names: &[&str]) -> Vec<String> {
        let Some((name, value)) = names.iter().find_map(|name| Some((*name, self.data.get(*name)?))) else {
            return Vec::new();
        };
        let list = match value {
            Value::Array(list) => list.clone(),
            Value::Null => {
                self.warnings.push(format!("`{name}` is null; it was read as an empty list"));
                return Vec::new();
            }
            Value::String(one) if one.trim().is_empty() => return Vec::new(),
            Value::String(_) => {
                self.warnings.push(format!("`{name}` is one string instead of a list"));
                vec![value.clone()]
            }
            _ => {
                self.warnings.push(format!("`{name}` is not a list; it is kept in card.json only"));
                return Vec::new();
            }
        };
        let mut greetings = Vec::with_capacity(list.len());
        for greeting in &list {
            match coerce::as_text(greeting) {
                Some(text) => greetings.push(self.line_ends(name, &text)),
                None => self.warnings.push(format!("an item of `{name}` is not text and was left out")),
            }
        }
        greetings
    }

    fn tags(&mut self) -> Vec<String> {
        let Some(value) = self.data.get("tags") else { return Vec::new() };
        if value.is_string() {
            self.warnings.push("`tags` is one string with commas instead of a list".to_owned());
        }
        coerce::short_texts(value)
    }

    fn depth_prompt(&mut self) -> Option<DepthPrompt> {
        let note = self.data.get("extensions").and_then(|ext| ext.get("depth_prompt")).or_else(|| {
            // Agnai's own name for the same thing.
            self.data.get("insert")
        })?;
        let prompt = note.get("prompt").and_then(coerce::as_text)?;
        let prompt = self.line_ends("depth_prompt", &prompt);
        if prompt.trim().is_empty() {
            return None;
        }
        let depth = self.bent(note.get("depth"), "depth", coerce::as_count, Value::is_number).unwrap_or(4);
        let role =
            self.bent(note.get("role"), "role", coerce::as_role, Value::is_string).unwrap_or(Role::System);
        Some(DepthPrompt { prompt, depth, role })
    }

    /// Reads a setting leniently and says so where that was needed.
    fn bent<T>(
        &mut self,
        value: Option<&Value>,
        what: &str,
        read: impl Fn(&Value) -> Option<T>,
        proper: impl Fn(&Value) -> bool,
    ) -> Option<T> {
        let value = value?;
        let found = read(value);
        if found.is_none() {
            self.warnings
                .push(format!("the depth prompt's {what} ({value}) is not usable; the default counts"));
        } else if !proper(value) {
            self.warnings.push(format!("the depth prompt's {what} was written as {value}"));
        }
        found
    }

    fn book(&mut self) -> Result<Option<Lorebook>, Refusal> {
        let book = ["character_book", "characterBook"].into_iter().find_map(|name| self.data.get(name));
        match book {
            None | Some(Value::Null) => Ok(None),
            Some(value @ (Value::Object(_) | Value::Array(_))) => {
                let empty = value.as_object().is_some_and(Map::is_empty);
                if empty { Ok(None) } else { lore::book_from_value(value, self.warnings).map(Some) }
            }
            Some(_) => {
                self.warnings
                    .push("`character_book` is not a lorebook; it is kept in card.json only".to_owned());
                Ok(None)
            }
        }
    }

    /// Agnai's persona: plain text, or attributes with values.
    fn persona(&mut self) -> String {
        let Some(persona) = self.data.get("persona") else { return String::new() };
        let Some(attributes) = persona.get("attributes").and_then(Value::as_object) else {
            return self.text("persona");
        };
        let plain = persona.get("kind").and_then(Value::as_str) == Some("text");
        let lines: Vec<String> = attributes
            .iter()
            .map(|(name, values)| {
                let values = coerce::as_text(values).unwrap_or_default();
                if plain || name == "text" {
                    values
                } else {
                    format!("{name}: {}", values.replace('\n', ", "))
                }
            })
            .collect();
        crate::text::unix_lines(&lines.join("\n"))
    }

    /// V1 cards of Pygmalion's time wrote `You:` for the user.
    fn rewrite_you(&mut self, card: &mut Card) {
        let mut changed = Vec::new();
        let fields = [
            ("description", &mut card.description),
            ("scenario", &mut card.scenario),
            ("first_mes", &mut card.first_mes),
            ("mes_example", &mut card.mes_example),
        ];
        for (name, text) in fields {
            if text.lines().any(|line| line.starts_with("You:")) {
                let lines: Vec<String> = text
                    .split('\n')
                    .map(|line| {
                        line.strip_prefix("You:")
                            .map_or_else(|| line.to_owned(), |rest| format!("{{{{user}}}}:{rest}"))
                    })
                    .collect();
                *text = lines.join("\n");
                changed.push(name);
            }
        }
        if !changed.is_empty() {
            self.warnings.push(format!("\"You:\" became \"{{{{user}}}}:\" in {}", changed.join(", ")));
        }
    }

    /// Unix seconds by the spec; Risu writes milliseconds (cards-and-lore 2.3).
    fn note_dates(&mut self) {
        for name in ["creation_date", "modification_date"] {
            if self.data.get(name).and_then(Value::as_f64).is_some_and(|date| date > 1e11) {
                self.warnings.push(format!("`{name}` is in milliseconds instead of seconds"));
            }
        }
    }
}

fn check_limits(card: &Card) -> Result<(), Refusal> {
    for list in [&card.alternate_greetings, &card.group_only_greetings] {
        if Limit::Greetings.exceeded_by(list.len()) {
            return Err(Refusal::limit(
                Limit::Greetings,
                format!("the card has {} greetings of one kind", list.len()),
            ));
        }
    }
    let single = card
        .fields()
        .into_iter()
        .chain([("name", card.name.as_str()), ("nickname", card.nickname.as_deref().unwrap_or_default())]);
    let many = card.alternate_greetings.iter().map(|text| ("alternate_greetings", text.as_str()));
    let group = card.group_only_greetings.iter().map(|text| ("group_only_greetings", text.as_str()));
    for (name, text) in single.chain(many).chain(group) {
        if Limit::Field.exceeded_by(text.len()) {
            return Err(Refusal::limit(Limit::Field, format!("`{name}` is {} bytes long", text.len())));
        }
    }
    Ok(())
}
