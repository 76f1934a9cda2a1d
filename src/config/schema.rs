//! What a key may hold. One table of keys per concern; checking, help and the reference all read it.

use super::choice::Choice;
use crate::domain::{ChannelMode, Layer, Section, Slot};

/// One key of a settings file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    /// Dotted path. `<slot>`, `<mode>`, `<layer>`, `<section>` and `<effort>` stand for any of their names.
    pub path: &'static str,
    /// What it may hold.
    pub kind: Kind,
    /// Its meaning, one or two sentences, in Markdown.
    pub doc: &'static str,
}

/// What a key may hold.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Text; blank is refused.
    Text,
    /// Text that may be blank, up to so many characters.
    Prose(usize),
    /// `true` or `false`.
    Flag,
    /// A whole number in a range.
    Count(u32, u32),
    /// A number in a range.
    Number(f64, f64),
    /// A number in a range, or a word for leaving it to somebody else.
    NumberOr(&'static str, f64, f64),
    /// Seconds in a range.
    Seconds(f64, f64),
    /// One of a few words.
    Choice(&'static [Choice]),
    /// One of a few words, or a list of them.
    Words(&'static [Choice]),
    /// A list of texts, none blank.
    Texts,
    /// One text or a list of texts, none blank.
    TextOrTexts,
    /// `true`, `false`, or a word.
    FlagOr(&'static str),
    /// A list of the prompt's sections that it may go without.
    Sections,
    /// A table of conditions, or a list of such tables.
    Conditions,
    /// A list of ids, as numbers or texts.
    Ids,
    /// One id, as number or text.
    Id,
    /// A whole number, or `"unlimited"`.
    Cap,
    /// An IANA time zone name.
    Zone,
    /// A moment, with its offset from UTC.
    Moment,
    /// A UUID.
    Uuid,
    /// An `http://` or `https://` address; empty for none.
    Address,
}

impl Kind {
    /// The allowed values in words, continuing "must be …".
    pub(super) fn words(self) -> String {
        match self {
            Self::Text => "text that is not blank".to_owned(),
            Self::Prose(max) => format!("text of at most {max} characters"),
            Self::Flag => "true or false".to_owned(),
            Self::Count(min, u32::MAX) => format!("a whole number of at least {min}"),
            Self::Count(min, max) => format!("a whole number from {min} to {max}"),
            Self::Number(min, max) => format!("a number from {min} to {max}"),
            Self::NumberOr(word, min, max) => format!("a number from {min} to {max}, or {word:?}"),
            Self::Seconds(min, max) => format!("a number of seconds from {min} to {max}"),
            Self::Choice(choices) => {
                let names: Vec<_> = choices.iter().map(|choice| format!("{:?}", choice.name)).collect();
                format!("one of {}", names.join(", "))
            }
            Self::Words(choices) => format!("{}, or a list of them", Self::Choice(choices).words()),
            Self::Texts => "a list of texts, none blank".to_owned(),
            Self::TextOrTexts => "a text or a list of texts, none blank".to_owned(),
            Self::FlagOr(word) => format!("true, false or {word:?}"),
            Self::Sections => {
                let names: Vec<_> =
                    Section::OPTIONAL.iter().map(|section| format!("{:?}", section.as_str())).collect();
                format!("a list of sections, of {}", names.join(", "))
            }
            Self::Conditions => "a table of conditions, or a list of such tables".to_owned(),
            Self::Ids => "a list of ids (digits)".to_owned(),
            Self::Id => "an id (digits), as number or text".to_owned(),
            Self::Cap => "a whole number of tokens, or \"unlimited\"".to_owned(),
            Self::Zone => "an IANA time zone, such as \"Europe/Berlin\"".to_owned(),
            Self::Moment => "a moment, such as \"2026-11-23T18:00:00Z\"".to_owned(),
            Self::Uuid => "a UUID".to_owned(),
            Self::Address => "an http:// or https:// address, or empty".to_owned(),
        }
    }
}

/// The names a placeholder segment stands for, and what they are called.
pub(super) fn placeholder(segment: &str) -> Option<(&'static str, Vec<&'static str>)> {
    match segment {
        "<slot>" => Some(("model slot", Slot::ALL.iter().map(|slot| slot.as_str()).collect())),
        "<mode>" => Some(("channel mode", ChannelMode::ALL.iter().map(|mode| mode.as_str()).collect())),
        "<effort>" => Some(("effort", super::plan::BANDS.to_vec())),
        "<section>" => Some(("section", Section::OPTIONAL.iter().map(|section| section.as_str()).collect())),
        "<layer>" => Some(("layer", Layer::ALL.iter().map(|layer| layer.as_str()).collect())),
        _ => None,
    }
}
