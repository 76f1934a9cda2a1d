//! Why an entry was called up or not, and what of it lasts beyond the turn.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::text::counted;

/// How much of an entry stands in the prompt (Y15): never half a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoreLevel {
    /// Its first sentence.
    Line,
    /// Its first paragraph.
    Paragraph,
    /// All of it.
    Full,
}

/// Where a key was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "in")]
pub enum KeySource {
    /// In a message of the chat.
    Message {
        /// Counted from the newest, which is 1.
        back: u32,
        /// Who said that message, by name.
        speaker: String,
    },
    /// In a field of the card that the entry asked to have read.
    Card {
        /// The field as people call it, such as `creator's notes`.
        field: String,
    },
    /// In the text of another entry.
    Entry {
        /// The book that holds that entry.
        book: String,
        /// What it is called.
        name: String,
    },
}

/// Why an entry was called up, or not (cards-and-lore 4.2, 4.3: "why did it not fire?").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum LoreWhy {
    /// Called up: it always is.
    Constant,
    /// Called up: a line of its own text forces it.
    Forced,
    /// Called up: a key was found.
    Key {
        /// The key, as written.
        key: String,
        /// The filter key that decided, where one did.
        filter: Option<String>,
        /// Where the key was found.
        at: KeySource,
    },
    /// Called up: it was a little while ago, and stays.
    Sticky {
        /// For so many more messages.
        left: u64,
    },
    /// Called up: its key was found once, and its text says that this is enough.
    Latched,
    /// Called up: it is about what was said, by a search over titles, keys and texts.
    Retrieved {
        /// How well it fits, 0 to 1.
        score: f32,
    },

    /// Not: none of its keys was found.
    NoKeyFound,
    /// Not: it has no keys and is not always on.
    NoKeys,
    /// Not: a key was found, but the filter keys say no.
    FilterKeys {
        /// The key that was found.
        key: String,
        /// The rule, as in the entry's file: `and_any`, `not_all`, `not_any`, `and_all`.
        logic: String,
    },
    /// Not: it is switched off.
    Disabled,
    /// Not: a line of its own text switches it off, or holds it back.
    HeldBack {
        /// Which line, without `@@`.
        by: String,
    },
    /// Not: it is for other characters.
    OtherCharacter,
    /// Not: it is for other kinds of turns.
    OtherTrigger {
        /// The kind this turn is of.
        trigger: String,
    },
    /// Not: the chat is too short yet.
    Delay {
        /// Messages until it may.
        left: u64,
    },
    /// Not: it rests after having been called up.
    Cooldown {
        /// Messages until it may again.
        left: u64,
    },
    /// Not: it waits for other entries to call it, and none did.
    WaitsForRecursion {
        /// In this round of such calls.
        level: u32,
    },
    /// Not: only another entry holds its key, and it does not let itself be called by those.
    NotByEntries {
        /// The key that only other entries' texts hold.
        key: String,
    },
    /// Not: its draw failed, for the whole turn.
    Roll {
        /// Its chance in percent.
        chance: f64,
        /// What was drawn, 0 to 100.
        rolled: f64,
    },
    /// Not: another entry of its group was taken.
    Group {
        /// The group that both belong to.
        group: String,
        /// The other entry; `None` where the group had been served before.
        winner: Option<String>,
    },
    /// Not: there was no room.
    Budget {
        /// What it needs, in tokens.
        needed: u32,
        /// What the lore may take in all, in tokens.
        limit: u32,
    },
    /// Called up, but left out of the prompt all the same.
    LeftOut {
        /// Continues "but …": "its layer was full".
        because: String,
    },
    /// Called up, but there is nothing left of its text.
    Empty,
    /// Called up, but its place is an outlet that no text of the card opens.
    NoOutlet {
        /// The name of the outlet that is missing.
        outlet: String,
    },
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message { back: 1, speaker } => write!(f, "the newest message ({speaker})"),
            Self::Message { back, speaker } => write!(f, "message {back} from the end ({speaker})"),
            Self::Card { field } => write!(f, "the card's {field}"),
            Self::Entry { name, .. } => write!(f, "the entry \"{name}\""),
        }
    }
}

impl fmt::Display for LoreWhy {
    /// One clause without a full stop, for lists: "the key \"gate\" is in the newest message (Alice)".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant => f.write_str("always on"),
            Self::Forced => f.write_str("its text says @@activate"),
            Self::Key { key, filter: None, at } => write!(f, "the key \"{key}\" is in {at}"),
            Self::Key { key, filter: Some(filter), at } => {
                write!(f, "the key \"{key}\" is in {at}, and its filter key \"{filter}\" agrees")
            }
            Self::Sticky { left } => write!(f, "it stays for {}", counted(*left, "more message")),
            Self::Latched => f.write_str("its key was found before, and that is enough for it"),
            Self::Retrieved { score } => write!(f, "it is about what was said (score {score:.2})"),
            Self::NoKeyFound => f.write_str("none of its keys is in what was read"),
            Self::NoKeys => f.write_str("it has no keys and is not always on"),
            Self::FilterKeys { key, logic } => {
                write!(f, "the key \"{key}\" is there, but its filter keys say no ({})", rule(logic))
            }
            Self::Disabled => f.write_str("it is switched off"),
            Self::HeldBack { by } => write!(f, "its text says @@{by}"),
            Self::OtherCharacter => f.write_str("it is for other characters"),
            Self::OtherTrigger { trigger } => write!(f, "it is not for turns of the kind \"{trigger}\""),
            Self::Delay { left } => write!(f, "it waits for {}", counted(*left, "more message")),
            Self::Cooldown { left } => write!(f, "it rests for {}", counted(*left, "more message")),
            Self::WaitsForRecursion { level } => {
                write!(f, "it waits to be called by other entries (level {level}), and none did")
            }
            Self::NotByEntries { key } => {
                write!(f, "its key \"{key}\" is only in other entries, and those may not call it")
            }
            Self::Roll { chance, rolled } => {
                write!(f, "its draw failed ({rolled:.1} of 100, it has a chance of {chance:.0} %)")
            }
            Self::Group { group, winner: Some(winner) } => {
                write!(f, "\"{winner}\" was taken from the group \"{group}\"")
            }
            Self::Group { group, winner: None } => write!(f, "the group \"{group}\" was served before"),
            Self::Budget { needed, limit } => {
                write!(f, "no room: with it the lore would take {needed} of {limit} tokens")
            }
            Self::LeftOut { because } => write!(f, "it was called up, but {because}"),
            Self::Empty => f.write_str("nothing is left of its text"),
            Self::NoOutlet { outlet } => {
                write!(f, "its place is the outlet \"{outlet}\", which nothing opens")
            }
        }
    }
}

fn rule(logic: &str) -> &'static str {
    match logic {
        "and_all" => "all of them have to be there",
        "not_all" => "one of them has to be missing",
        "not_any" => "none of them may be there",
        _ => "one of them has to be there",
    }
}

/// What lasts of an entry in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum LoreEffectKind {
    /// It stays called up.
    Sticky,
    /// It rests, whatever keys are found.
    Cooldown,
    /// It is called up for good.
    LatchedOn,
    /// It is never called up again.
    LatchedOff,
}

impl LoreEffectKind {
    /// The name in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A timed effect of an entry in one channel (cards-and-lore 4.2.10). Lengths are the channel's count of
/// messages.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LoreEffect {
    /// The folder of the entry's book.
    pub book: String,
    /// The entry's number in it.
    pub uid: u32,
    /// Whether it holds the entry in or keeps it out.
    pub kind: LoreEffectKind,
    /// The entry as it was; another hash means that it was edited, and the effect is void.
    pub hash: u64,
    /// The chat's length when it began.
    pub start: u64,
    /// It ends when the chat is this long; `u64::MAX` for never.
    pub end: u64,
    /// It holds even where the chat has not grown: the rest that follows on a stay.
    pub protected: bool,
}
