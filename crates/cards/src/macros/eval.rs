//! What each macro means.
//!
//! Owns the list of known macros and their values; must not know how macros are found in a text (that is
//! `parse`). Start at [`Evaluation`].

use jiff::tz::{Offset, TimeZone};

use super::chance::{SplitMix, roll, seed};
use super::parse::{Head, MacroCall, MacroPiece, parse_macros};
use super::{Expander, MAX_FIELD_DEPTH, Variables, moment};

/// Longest run of `{{newline::n}}` or `{{space::n}}`.
const MAX_REPEAT: usize = 1_000;

/// A macro we know, by its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub(super) enum KnownMacro {
    Char,
    /// Whoever is not the character is, with one character, whom it talks to.
    #[strum(serialize = "user", serialize = "notchar")]
    User,
    #[strum(serialize = "group", serialize = "charifnotgroup")]
    Group,
    Original,
    Random,
    Pick,
    Roll,
    /// Nothing in prompts.
    #[strum(
        serialize = "//",
        serialize = "comment",
        serialize = "hidden_key",
        serialize = "noop",
        serialize = "banned"
    )]
    Nothing,
    /// Filled in when lore is placed; stays as written until then.
    Outlet,
    /// Opens a block, or stands for one by itself.
    If,
    /// Of a block; nothing where no block is.
    #[strum(serialize = "else", serialize = "/if")]
    Else,
    #[strum(disabled)]
    Variable(VariableChange, VariableScope),
    Reverse,
    Newline,
    Space,
    Trim,
    #[strum(disabled)]
    Field(MacroField),
    #[strum(serialize = "charversion", serialize = "char_version", serialize = "version")]
    Version,
    LastMessage,
    #[strum(serialize = "lastusermessage", serialize = "input")]
    LastUserMessage,
    LastCharMessage,
    Time,
    Date,
    Weekday,
    IsoTime,
    IsoDate,
    DateTimeFormat,
    #[strum(serialize = "idle_duration", serialize = "idleduration")]
    Idle,
}

/// What is done to a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VariableChange {
    Get,
    Set,
    Add,
    Increase,
    Decrease,
    /// What the words behind its sign say.
    AsWritten,
}

/// Whose a variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VariableScope {
    Chat,
    Global,
}

/// A card field, which may hold macros itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub(super) enum MacroField {
    #[strum(serialize = "description", serialize = "chardescription")]
    Description,
    #[strum(serialize = "personality", serialize = "charpersonality")]
    Personality,
    #[strum(serialize = "scenario", serialize = "charscenario")]
    Scenario,
    Persona,
    MesExamples,
    #[strum(serialize = "charprompt")]
    SystemPrompt,
    #[strum(serialize = "charinstruction", serialize = "charjailbreak")]
    PostHistory,
}

impl KnownMacro {
    /// By lower-cased name.
    pub(super) fn find(name: &str) -> Option<Self> {
        match name {
            "." => Some(Self::Variable(VariableChange::AsWritten, VariableScope::Chat)),
            "$" => Some(Self::Variable(VariableChange::AsWritten, VariableScope::Global)),
            _ if utc_offset_of_name(name).is_some() => Some(Self::Time),
            _ => {
                let field = || name.parse().ok().map(Self::Field);
                name.parse().ok().or_else(field).or_else(|| Self::of_variables(name))
            }
        }
    }

    fn of_variables(name: &str) -> Option<Self> {
        let changes = [
            ("get", VariableChange::Get),
            ("set", VariableChange::Set),
            ("add", VariableChange::Add),
            ("inc", VariableChange::Increase),
            ("dec", VariableChange::Decrease),
        ];
        let (change, rest) =
            changes.into_iter().find_map(|(verb, change)| Some((change, name.strip_prefix(verb)?)))?;
        match rest {
            "var" => Some(Self::Variable(change, VariableScope::Chat)),
            "globalvar" => Some(Self::Variable(change, VariableScope::Global)),
            _ => None,
        }
    }

    /// Whether it stands for what was said, which a live prompt puts nowhere but where it was said.
    pub(super) fn is_of_chat(self) -> bool {
        matches!(self, Self::LastMessage | Self::LastUserMessage | Self::LastCharMessage)
    }

    /// Whether it reads or sets a variable. A condition may name one without braces.
    pub(super) fn is_of_variables(self) -> bool {
        matches!(self, Self::Variable(..))
    }

    /// Whether its value changes from turn to turn.
    pub(super) fn is_volatile(self) -> bool {
        matches!(
            self,
            Self::Random
                | Self::Roll
                | Self::LastMessage
                | Self::LastUserMessage
                | Self::LastCharMessage
                | Self::Variable(..)
                | Self::Time
                | Self::Date
                | Self::Weekday
                | Self::IsoTime
                | Self::IsoDate
                | Self::DateTimeFormat
                | Self::Idle
        )
    }
}

/// One text being expanded.
pub(super) struct Evaluation<'e, 'a> {
    expander: &'e Expander<'a>,
    text: &'e str,
    /// Hash of the whole text, once a macro has asked for it.
    text_seed: Option<u64>,
    original: Option<&'e str>,
    original_spent: bool,
    /// Card fields that are being expanded around this text; a field never includes itself.
    fields: Vec<MacroField>,
}

impl<'e, 'a> Evaluation<'e, 'a> {
    pub(super) fn new(expander: &'e Expander<'a>, text: &'e str, original: Option<&'e str>) -> Self {
        Self { expander, text, text_seed: None, original, original_spent: false, fields: Vec::new() }
    }

    /// Reads and expands the whole text.
    pub(super) fn finish(mut self) -> String {
        let mut out = Output::default();
        self.write_pieces(&parse_macros(self.text), &mut out);
        out.text
    }

    fn write_pieces(&mut self, pieces: &[MacroPiece<'_>], out: &mut Output) {
        let mut at = 0;
        while let Some(piece) = pieces.get(at) {
            at += 1;
            match piece {
                MacroPiece::Text(text) | MacroPiece::Brace(text) => out.push(text),
                MacroPiece::Marker { name, raw } => match KnownMacro::find(name) {
                    Some(known) if self.expander.step() => {
                        if let Some(value) = self.name_value(known) {
                            self.put(value, out);
                        }
                    }
                    _ => out.push(raw),
                },
                MacroPiece::Macro(call) => match self.block(call, &pieces[at..]) {
                    Some(block) => {
                        let condition = call.head().map(|head| self.condition(&head, call));
                        let chosen =
                            if condition == Some(true) { 0..block.middle } else { block.other..block.end };
                        self.write_pieces(pieces[at..].get(chosen).unwrap_or_default(), out);
                        at += block.end + 1;
                    }
                    None => self.write_macro(call, out),
                },
            }
        }
    }

    /// The block that `call` opens over the pieces behind it: `{{if x}}…{{else}}…{{/if}}`.
    fn block(&self, call: &MacroCall<'_>, behind: &[MacroPiece<'_>]) -> Option<MacroBlock> {
        let name = |call: &MacroCall<'_>| call.head().map(|head| head.name);
        if name(call).as_deref() != Some("if") {
            return None;
        }
        let (mut depth, mut middle) = (0_u32, None);
        for (index, piece) in behind.iter().enumerate() {
            let MacroPiece::Macro(call) = piece else { continue };
            // A block that never ends is looked through once for each that opens in it.
            if !self.expander.step() {
                return None;
            }
            match name(call).as_deref() {
                Some("if") => depth += 1,
                Some("else") if depth == 0 => middle = middle.or(Some(index)),
                Some("/if") if depth == 0 => {
                    let other = middle.map_or(index, |middle| middle + 1);
                    return Some(MacroBlock { middle: middle.unwrap_or(index), other, end: index });
                }
                Some("/if") => depth -= 1,
                _ => {}
            }
        }
        None
    }

    /// Whether what a condition says holds. A bare word may be a macro, or a variable by its sign.
    fn condition(&mut self, head: &Head, call: &MacroCall<'_>) -> bool {
        let written = self.argument(head, call);
        let (is_negated, word) = match written.strip_prefix('!') {
            Some(rest) => (true, rest.trim()),
            None => (false, written.as_str()),
        };
        let is_bare = call.inner.len() == 1;
        let value = match word.strip_prefix(['.', '$']) {
            Some(name) if is_bare => {
                let reach = if word.starts_with('$') { VariableScope::Global } else { VariableScope::Chat };
                self.variables().get(&variable_key(name.trim(), reach))
            }
            _ => match KnownMacro::find(&word.to_ascii_lowercase()).filter(|_| is_bare) {
                Some(KnownMacro::Field(field)) => self.of_field(field),
                Some(known) => match self.name_value(known) {
                    Some(value) => value.to_owned(),
                    None => word.to_owned(),
                },
                None => word.to_owned(),
            },
        };
        is_truthy(&value) != is_negated
    }

    fn of_field(&mut self, field: MacroField) -> String {
        let mut out = Output::default();
        self.write_field(field, &mut out);
        out.text
    }

    fn variables(&self) -> &'a Variables {
        &self.expander.context.moment.variables
    }

    fn write_variable(
        &mut self,
        change: VariableChange,
        reach: VariableScope,
        head: &Head,
        call: &MacroCall<'_>,
        out: &mut Output,
    ) {
        let items = self.items(head, call, BlockSplit::Colons);
        let (name, value) = match items.split_first() {
            Some((name, rest)) => (name.as_str(), rest.join("::")),
            None => return,
        };
        let (name, change, value) = match change {
            VariableChange::AsWritten => as_written(name),
            _ => (name, change, value),
        };
        let (variables, key) = (self.variables(), variable_key(name, reach));
        let told = match change {
            VariableChange::Set => {
                variables.set(&key, &value);
                return;
            }
            VariableChange::Add => {
                variables.add(&key, &value);
                return;
            }
            VariableChange::Increase => variables.add(&key, "1"),
            VariableChange::Decrease => variables.add(&key, "-1"),
            VariableChange::Get | VariableChange::AsWritten => variables.get(&key),
        };
        self.put(&told, out);
    }

    fn write_macro(&mut self, call: &MacroCall<'_>, out: &mut Output) {
        // Braces around what cannot be a macro's name are the writer's own; beyond the allowance, too.
        let is_done = call.head().is_some_and(|head| match KnownMacro::find(&head.name) {
            Some(known) => self.expander.step() && self.write_known(known, &head, call, out),
            None => true,
        });
        if !is_done {
            out.push("{{");
            self.write_pieces(&call.inner, out);
            out.push("}}");
        }
    }

    /// Whether it was written; else it stays as it is in the text.
    fn write_known(
        &mut self,
        known: KnownMacro,
        head: &Head,
        call: &MacroCall<'_>,
        out: &mut Output,
    ) -> bool {
        match known {
            KnownMacro::Nothing | KnownMacro::Else => {}
            KnownMacro::Outlet => return false,
            KnownMacro::If => {
                let items = self.items(head, call, BlockSplit::Colons);
                let chosen = if items.first().is_some_and(|condition| is_truthy(condition)) { 1 } else { 2 };
                if let Some(chosen) = items.get(chosen) {
                    out.push(chosen);
                }
            }
            KnownMacro::Variable(change, reach) => self.write_variable(change, reach, head, call, out),
            KnownMacro::Random | KnownMacro::Pick => self.write_choice(known, head, call, out),
            KnownMacro::Roll
            | KnownMacro::Reverse
            | KnownMacro::Newline
            | KnownMacro::Space
            | KnownMacro::DateTimeFormat
            | KnownMacro::Time => {
                self.write_with_argument(known, head, call, out);
            }
            KnownMacro::Trim => out.trim_newlines(),
            KnownMacro::Original => match self.original {
                Some(original) if !self.original_spent => {
                    self.original_spent = true;
                    self.put(original, out);
                }
                Some(_) | None => {}
            },
            KnownMacro::Field(field) => self.write_field(field, out),
            other => {
                if let Some(value) = self.name_value(other) {
                    self.put(value, out);
                } else {
                    let value = self.moment_value(other);
                    self.put(&value, out);
                }
            }
        }
        true
    }

    fn name_value(&self, known: KnownMacro) -> Option<&'a str> {
        let context = self.expander.context;
        Some(match known {
            KnownMacro::Char => context.char_name,
            KnownMacro::User => context.user,
            KnownMacro::Group => context.group,
            KnownMacro::Version => context.card.version,
            KnownMacro::LastMessage => &context.moment.last_message,
            KnownMacro::LastUserMessage => &context.moment.last_user_message,
            KnownMacro::LastCharMessage => &context.moment.last_char_message,
            _ => return None,
        })
    }

    fn moment_value(&self, known: KnownMacro) -> String {
        let now = &self.expander.context.moment.now;
        match known {
            KnownMacro::Date => moment::format(now, "LL"),
            KnownMacro::Weekday => moment::format(now, "dddd"),
            KnownMacro::IsoTime => moment::format(now, "HH:mm"),
            KnownMacro::IsoDate => moment::format(now, "YYYY-MM-DD"),
            KnownMacro::Idle => {
                self.expander.context.moment.idle.map_or_else(|| "just now".to_owned(), moment::in_words)
            }
            _ => String::new(),
        }
    }

    fn write_field(&mut self, field: MacroField, out: &mut Output) {
        if self.fields.contains(&field) || self.fields.len() >= usize::from(MAX_FIELD_DEPTH) {
            return;
        }
        let card = self.expander.context.card;
        let text = match field {
            MacroField::Description => card.description,
            MacroField::Personality => card.personality,
            MacroField::Scenario => card.scenario,
            MacroField::Persona => card.persona,
            MacroField::MesExamples => card.mes_examples,
            MacroField::SystemPrompt => card.system_prompt,
            MacroField::PostHistory => card.post_history,
        };
        if !self.expander.afford(text.len()) {
            return;
        }
        // `{{original}}` belongs to the override that is being expanded, not to a field it mentions.
        let original = self.original.take();
        self.fields.push(field);
        self.write_pieces(&parse_macros(text.trim()), out);
        self.fields.pop();
        self.original = original;
    }

    fn write_with_argument(
        &mut self,
        known: KnownMacro,
        head: &Head,
        call: &MacroCall<'_>,
        out: &mut Output,
    ) {
        let argument = head.has_arguments.then(|| self.argument(head, call)).filter(|text| !text.is_empty());
        let now = &self.expander.context.moment.now;
        let value = match (known, argument.as_deref()) {
            (KnownMacro::Roll, Some(formula)) => {
                roll(formula, &mut self.dice("roll", call)).map(|total| total.to_string()).unwrap_or_default()
            }
            (KnownMacro::Reverse, Some(text)) => text.chars().rev().collect(),
            (KnownMacro::Newline | KnownMacro::Space, count) => {
                let unit = if known == KnownMacro::Newline { "\n" } else { " " };
                match count.map_or(Ok(1), str::parse::<usize>) {
                    Ok(times) => unit.repeat(times.min(MAX_REPEAT)),
                    Err(_) => return,
                }
            }
            (KnownMacro::DateTimeFormat, Some(pattern)) => moment::format(now, pattern),
            (KnownMacro::Time, argument) => {
                let offset = match argument {
                    Some(text) => utc_offset(&text.to_ascii_lowercase()),
                    None => utc_offset_of_name(&head.name),
                };
                match offset {
                    Some(offset) => moment::format(&now.with_time_zone(TimeZone::fixed(offset)), "LT"),
                    None => moment::format(now, "LT"),
                }
            }
            _ => return,
        };
        self.put(&value, out);
    }

    fn write_choice(&mut self, known: KnownMacro, head: &Head, call: &MacroCall<'_>, out: &mut Output) {
        if !head.has_arguments {
            return;
        }
        // A list of `::` if there is any behind the first, else of commas. Told before its macros are evaluated: nested, each
        // of them would be evaluated twice as often as the one around it.
        let split = if has_colons(head, call) { BlockSplit::Colons } else { BlockSplit::Commas };
        let items = self.items(head, call, split);
        let kind = if known == KnownMacro::Pick { "pick" } else { "random" };
        let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
        let chosen = usize::try_from(self.dice(kind, call).below(count)).unwrap_or(0);
        if let Some(item) = items.get(chosen) {
            out.push(item);
        }
    }

    fn dice(&mut self, kind: &str, call: &MacroCall<'_>) -> SplitMix {
        let text = *self.text_seed.get_or_insert_with(|| seed(&[self.text.as_bytes()]));
        let moment = self.expander.context.moment;
        let scope = if kind == "pick" { &moment.channel } else { &moment.turn };
        let field = self.fields.last().map_or(0_u8, |field| *field as u8 + 1);
        SplitMix::new(seed(&[
            kind.as_bytes(),
            scope.as_bytes(),
            &text.to_le_bytes(),
            &[field],
            &call.offset.to_le_bytes(),
        ]))
    }

    /// The one argument, nested macros expanded, trimmed.
    fn argument(&mut self, head: &Head, call: &MacroCall<'_>) -> String {
        let mut out = Output::default();
        if let Some((MacroPiece::Text(first), others)) = call.inner.split_first() {
            out.push(&first[head.rest..]);
            self.write_pieces(others, &mut out);
        }
        out.text.trim().to_owned()
    }

    /// The items of a list. Only what the card itself wrote separates: a comma in a value does not.
    fn items(&mut self, head: &Head, call: &MacroCall<'_>, split: BlockSplit) -> Vec<String> {
        let mut items = vec![String::new()];
        for (index, piece) in call.inner.iter().enumerate() {
            match piece {
                MacroPiece::Text(text) => {
                    let text = if index == 0 { &text[head.rest..] } else { text };
                    split.append(text, &mut items);
                }
                other => {
                    let mut out = Output::default();
                    self.write_pieces(std::slice::from_ref(other), &mut out);
                    if let Some(last) = items.last_mut() {
                        last.push_str(&out.text);
                    }
                }
            }
        }
        items.iter().map(|item| item.trim().to_owned()).collect()
    }

    fn put(&self, value: &str, out: &mut Output) {
        if self.expander.afford(value.len()) {
            out.push(value);
        }
    }
}

/// Where the parts of a block stand among the pieces behind its opening.
struct MacroBlock {
    /// Where what holds ends.
    middle: usize,
    /// Where what holds otherwise begins.
    other: usize,
    end: usize,
}

/// A variable's name in the store.
fn variable_key(name: &str, reach: VariableScope) -> String {
    match reach {
        VariableScope::Chat => name.to_owned(),
        VariableScope::Global => format!("${name}"),
    }
}

/// What the words behind a variable's sign ask for: `x`, `x = 5`, `x += 2`, `x++`, `x--`.
fn as_written(words: &str) -> (&str, VariableChange, String) {
    let end = words.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(words.len());
    // A hyphen belongs to a name only between its letters.
    let name = words[..end].trim_end_matches('-');
    let rest = words[name.len()..].trim();
    if rest == "++" {
        (name, VariableChange::Increase, String::new())
    } else if rest == "--" {
        (name, VariableChange::Decrease, String::new())
    } else if let Some(value) = rest.strip_prefix("+=") {
        (name, VariableChange::Add, value.trim().to_owned())
    } else if let Some(value) = rest.strip_prefix('=') {
        (name, VariableChange::Set, value.trim().to_owned())
    } else {
        (name, VariableChange::Get, String::new())
    }
}

/// SillyTavern's idea of what is so.
fn is_truthy(value: &str) -> bool {
    !matches!(value.trim().to_ascii_lowercase().as_str(), "" | "false" | "off" | "0")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockSplit {
    Colons,
    Commas,
}

impl BlockSplit {
    fn append(self, text: &str, items: &mut Vec<String>) {
        let mut rest = text;
        loop {
            let cut = match self {
                Self::Colons => rest.find("::").map(|at| (at, 2, "")),
                Self::Commas => rest.find([',', '\\']).map(|at| {
                    let tail = &rest[at..];
                    if tail.starts_with("\\,") {
                        (at, 2, ",")
                    } else if tail.starts_with('\\') {
                        (at, 1, "\\")
                    } else {
                        (at, 1, "")
                    }
                }),
            };
            let Some((at, width, kept)) = cut else {
                if let Some(last) = items.last_mut() {
                    last.push_str(rest);
                }
                return;
            };
            if let Some(last) = items.last_mut() {
                last.push_str(&rest[..at]);
                last.push_str(kept);
            }
            if kept.is_empty() {
                items.push(String::new());
            }
            rest = &rest[at + width..];
        }
    }
}

fn has_colons(head: &Head, call: &MacroCall<'_>) -> bool {
    call.inner.iter().enumerate().any(|(index, piece)| match piece {
        MacroPiece::Text(text) if index == 0 => text[head.rest..].contains("::"),
        MacroPiece::Text(text) => text.contains("::"),
        _ => false,
    })
}

/// `time_utc+2`.
fn utc_offset_of_name(name: &str) -> Option<Offset> {
    utc_offset(name.strip_prefix("time_")?)
}

/// `utc+2`, `utc-7`: whole hours.
fn utc_offset(text: &str) -> Option<Offset> {
    let hours: i8 = text.strip_prefix("utc")?.parse().ok()?;
    Offset::from_hours(hours).ok()
}

/// What has been written so far. `{{trim}}` eats the newlines on both sides of itself, those still to come too.
#[derive(Debug, Default)]
struct Output {
    text: String,
    eating: bool,
}

impl Output {
    fn push(&mut self, mut text: &str) {
        if self.eating {
            while let Some(rest) = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')) {
                text = rest;
            }
            if text.is_empty() {
                return;
            }
            self.eating = false;
        }
        self.text.push_str(text);
    }

    fn trim_newlines(&mut self) {
        while self.text.ends_with('\n') {
            self.text.pop();
            if self.text.ends_with('\r') {
                self.text.pop();
            }
        }
        self.eating = true;
    }
}
