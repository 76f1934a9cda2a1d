//! What each macro means.
//!
//! Owns the list of known macros and their values; must not know how macros are found in a text (that is
//! `parse`). Start at [`Evaluation`].

use jiff::tz::{Offset, TimeZone};

use super::chance::{Dice, roll, seed};
use super::parse::{Head, MacroCall, Piece, Separator, read};
use super::{Expander, MAX_FIELD_DEPTH, moment};

/// Longest run of `{{newline::n}}` or `{{space::n}}`.
const MAX_REPEAT: usize = 1_000;

/// A macro we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Char,
    User,
    Group,
    Original,
    Random,
    Pick,
    Roll,
    /// `//`, `comment`, `hidden_key`, `noop`: nothing in prompts.
    Nothing,
    Reverse,
    Newline,
    Space,
    Trim,
    Field(Field),
    Version,
    LastMessage,
    LastUserMessage,
    Time,
    Date,
    Weekday,
    IsoTime,
    IsoDate,
    DateTimeFormat,
    Idle,
}

/// A card field, which may hold macros itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Description,
    Personality,
    Scenario,
    Persona,
    MesExamples,
}

impl Known {
    /// By lower-cased name.
    pub(super) fn find(name: &str) -> Option<Self> {
        Some(match name {
            "char" => Self::Char,
            "user" => Self::User,
            "group" | "charifnotgroup" => Self::Group,
            "original" => Self::Original,
            "random" => Self::Random,
            "pick" => Self::Pick,
            "roll" => Self::Roll,
            "//" | "comment" | "hidden_key" | "noop" => Self::Nothing,
            "reverse" => Self::Reverse,
            "newline" => Self::Newline,
            "space" => Self::Space,
            "trim" => Self::Trim,
            "description" | "chardescription" => Self::Field(Field::Description),
            "personality" | "charpersonality" => Self::Field(Field::Personality),
            "scenario" | "charscenario" => Self::Field(Field::Scenario),
            "persona" => Self::Field(Field::Persona),
            "mesexamples" => Self::Field(Field::MesExamples),
            "charversion" | "char_version" | "version" => Self::Version,
            "lastmessage" => Self::LastMessage,
            "lastusermessage" => Self::LastUserMessage,
            "time" => Self::Time,
            "date" => Self::Date,
            "weekday" => Self::Weekday,
            "isotime" => Self::IsoTime,
            "isodate" => Self::IsoDate,
            "datetimeformat" => Self::DateTimeFormat,
            "idle_duration" | "idleduration" => Self::Idle,
            _ if utc_offset_of_name(name).is_some() => Self::Time,
            _ => return None,
        })
    }

    /// Whether its value changes from turn to turn.
    pub(super) fn is_volatile(self) -> bool {
        matches!(
            self,
            Self::Random
                | Self::Roll
                | Self::LastMessage
                | Self::LastUserMessage
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
    fields: Vec<Field>,
}

impl<'e, 'a> Evaluation<'e, 'a> {
    pub(super) fn new(expander: &'e Expander<'a>, text: &'e str, original: Option<&'e str>) -> Self {
        Self { expander, text, text_seed: None, original, original_spent: false, fields: Vec::new() }
    }

    /// Reads and expands the whole text.
    pub(super) fn finish(mut self) -> String {
        let mut out = Output::default();
        self.write_pieces(&read(self.text), &mut out);
        out.text
    }

    fn write_pieces(&mut self, pieces: &[Piece<'_>], out: &mut Output) {
        for piece in pieces {
            match piece {
                Piece::Text(text) | Piece::Brace(text) => out.push(text),
                Piece::Marker { name, raw } => match Known::find(name) {
                    Some(known) if self.expander.step() => {
                        if let Some(value) = self.name_value(known) {
                            self.put(value, out);
                        }
                    }
                    _ => out.push(raw),
                },
                Piece::Macro(call) => self.write_macro(call, out),
            }
        }
    }

    fn write_macro(&mut self, call: &MacroCall<'_>, out: &mut Output) {
        let understood = call.head().and_then(|head| Known::find(&head.name).map(|known| (known, head)));
        let done = match understood {
            Some((known, head)) if self.expander.step() => self.write_known(known, &head, call, out),
            _ => Done::No,
        };
        if done == Done::No {
            out.push("{{");
            self.write_pieces(&call.inner, out);
            out.push("}}");
        }
    }

    fn write_known(&mut self, known: Known, head: &Head, call: &MacroCall<'_>, out: &mut Output) -> Done {
        match known {
            Known::Nothing => return Done::Yes,
            Known::Random | Known::Pick => return self.write_choice(known, head, call, out),
            Known::Roll
            | Known::Reverse
            | Known::Newline
            | Known::Space
            | Known::DateTimeFormat
            | Known::Time => {
                return self.write_with_argument(known, head, call, out);
            }
            _ if head.separator != Separator::None => return Done::No,
            Known::Trim => out.trim_newlines(),
            Known::Original => match self.original {
                Some(original) if !self.original_spent => {
                    self.original_spent = true;
                    self.put(original, out);
                }
                Some(_) => {}
                None => return Done::No,
            },
            Known::Field(field) => self.write_field(field, out),
            other => {
                if let Some(value) = self.name_value(other) {
                    self.put(value, out);
                } else {
                    let value = self.moment_value(other);
                    self.put(&value, out);
                }
            }
        }
        Done::Yes
    }

    fn name_value(&self, known: Known) -> Option<&'a str> {
        let context = self.expander.context;
        Some(match known {
            Known::Char => context.char_name,
            Known::User => context.user,
            Known::Group => context.group,
            Known::Version => context.card.version,
            Known::LastMessage => &context.moment.last_message,
            Known::LastUserMessage => &context.moment.last_user_message,
            _ => return None,
        })
    }

    fn moment_value(&self, known: Known) -> String {
        let now = &self.expander.context.moment.now;
        match known {
            Known::Date => moment::format(now, "LL"),
            Known::Weekday => moment::format(now, "dddd"),
            Known::IsoTime => moment::format(now, "HH:mm"),
            Known::IsoDate => moment::format(now, "YYYY-MM-DD"),
            Known::Idle => {
                self.expander.context.moment.idle.map_or_else(|| "just now".to_owned(), moment::in_words)
            }
            _ => String::new(),
        }
    }

    fn write_field(&mut self, field: Field, out: &mut Output) {
        if self.fields.contains(&field) || self.fields.len() >= usize::from(MAX_FIELD_DEPTH) {
            return;
        }
        let card = self.expander.context.card;
        let text = match field {
            Field::Description => card.description,
            Field::Personality => card.personality,
            Field::Scenario => card.scenario,
            Field::Persona => card.persona,
            Field::MesExamples => card.mes_examples,
        };
        if !self.expander.afford(text.len()) {
            return;
        }
        // `{{original}}` belongs to the override that is being expanded, not to a field it mentions.
        let original = self.original.take();
        self.fields.push(field);
        self.write_pieces(&read(text.trim()), out);
        self.fields.pop();
        self.original = original;
    }

    fn write_with_argument(
        &mut self,
        known: Known,
        head: &Head,
        call: &MacroCall<'_>,
        out: &mut Output,
    ) -> Done {
        let argument = (head.separator != Separator::None)
            .then(|| self.argument(head, call))
            .filter(|text| !text.is_empty());
        let now = &self.expander.context.moment.now;
        let value = match (known, argument.as_deref()) {
            (Known::Roll, Some(formula)) => {
                roll(formula, &mut self.dice("roll", call)).map(|total| total.to_string()).unwrap_or_default()
            }
            (Known::Reverse, Some(text)) => text.chars().rev().collect(),
            (Known::Newline | Known::Space, count) => {
                let unit = if known == Known::Newline { "\n" } else { " " };
                match count.map_or(Ok(1), str::parse::<usize>) {
                    Ok(times) => unit.repeat(times.min(MAX_REPEAT)),
                    Err(_) => return Done::No,
                }
            }
            (Known::DateTimeFormat, Some(pattern)) => moment::format(now, pattern),
            (Known::Time, argument) => {
                let offset = match argument {
                    Some(text) => utc_offset(&text.to_ascii_lowercase()),
                    None => utc_offset_of_name(&head.name),
                };
                match offset {
                    Some(offset) => moment::format(&now.with_time_zone(TimeZone::fixed(offset)), "LT"),
                    None => moment::format(now, "LT"),
                }
            }
            _ => return Done::No,
        };
        self.put(&value, out);
        Done::Yes
    }

    fn write_choice(&mut self, known: Known, head: &Head, call: &MacroCall<'_>, out: &mut Output) -> Done {
        let items = match head.separator {
            Separator::None => return Done::No,
            Separator::List => self.items(head, call, Split::Colons),
            // The old form with one colon: a list of `::` if there is any, else of commas.
            Separator::Single if has_colons(head, call) => self.items(head, call, Split::Colons),
            Separator::Single => self.items(head, call, Split::Commas),
        };
        // A list with one item is the comma form written with two colons.
        let items = match items.as_slice() {
            [_] if head.separator == Separator::List => self.items(head, call, Split::Commas),
            _ => items,
        };
        let kind = if known == Known::Pick { "pick" } else { "random" };
        let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
        let chosen = usize::try_from(self.dice(kind, call).below(count)).unwrap_or(0);
        if let Some(item) = items.get(chosen) {
            out.push(item);
        }
        Done::Yes
    }

    fn dice(&mut self, kind: &str, call: &MacroCall<'_>) -> Dice {
        let text = *self.text_seed.get_or_insert_with(|| seed(&[self.text.as_bytes()]));
        let moment = self.expander.context.moment;
        let scope = if kind == "pick" { &moment.channel } else { &moment.turn };
        let field = self.fields.last().map_or(0_u8, |field| *field as u8 + 1);
        Dice::new(seed(&[
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
        if let Some((Piece::Text(first), others)) = call.inner.split_first() {
            out.push(&first[head.rest..]);
            self.write_pieces(others, &mut out);
        }
        out.text.trim().to_owned()
    }

    /// The items of a list. Only what the card itself wrote separates: a comma in a value does not.
    fn items(&mut self, head: &Head, call: &MacroCall<'_>, split: Split) -> Vec<String> {
        let mut items = vec![String::new()];
        for (index, piece) in call.inner.iter().enumerate() {
            match piece {
                Piece::Text(text) => {
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Done {
    Yes,
    /// The macro stays as it was written.
    No,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Split {
    Colons,
    Commas,
}

impl Split {
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
        Piece::Text(text) if index == 0 => text[head.rest..].contains("::"),
        Piece::Text(text) => text.contains("::"),
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
