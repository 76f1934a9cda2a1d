//! `when`: on what a section or a skill depends (specs mechanisms Y3).
//!
//! Facts come in two sorts, and the type of a condition says which it may ask for. A condition over [`Lasting`] facts
//! cannot look at anything that changes from message to message, so what hangs on it may stand in the part of the
//! prompt that stays the same. Start reading at [`Condition`].

use std::ops::RangeInclusive;

use crate::config::check::check_under;
use crate::config::choice::Choice;
use crate::config::error::{ConfigError, Problem};
use crate::config::familiar::mode_from_word;
use crate::config::mode::MODE_CHOICES;
use crate::config::plan::SLOTS;
use crate::config::read::{Order, View};
use crate::config::schema::{Key, Kind};
use crate::config::tree::{Item, Node};
use crate::domain::{ChannelMode, Effort, Modality, PlaceKind, Slot};

const PLACES: &[Choice] = &[
    Choice { name: "guild", doc: "anywhere in a server" },
    Choice { name: "channel", doc: "a server's channel itself" },
    Choice { name: "thread", doc: "a thread of a channel" },
    Choice { name: "forum_post", doc: "a post in a forum" },
    Choice { name: "dm", doc: "direct messages" },
    Choice { name: "terminal", doc: "the terminal" },
];

const MODALITIES: &[Choice] =
    &[Choice { name: "text", doc: "what is written" }, Choice { name: "voice", doc: "what is spoken" }];

/// Everything a `when` may hold.
pub(in crate::config) const KEYS: &[Key] = &[
    Key { path: "mode", kind: Kind::Words(MODE_CHOICES), doc: "The channel's mode." },
    Key { path: "place", kind: Kind::Words(PLACES), doc: "What sort of place it is." },
    Key { path: "nsfw", kind: Kind::Flag, doc: "Whether Discord marks the channel as age-restricted." },
    Key { path: "tools", kind: Kind::Flag, doc: "Whether the model may call tools." },
    Key {
        path: "model",
        kind: Kind::TextOrTexts,
        doc: "Part of the model's name, such as `\"gemma\"`; small and capital letters are the same.",
    },
    Key {
        path: "modality",
        kind: Kind::Words(MODALITIES),
        doc: "Whether the reply is written or spoken. May change from message to message.",
    },
    Key {
        path: "slot",
        kind: Kind::Words(SLOTS),
        doc: "Which model slot replies. May change from message to message.",
    },
    Key {
        path: "effort.from",
        kind: Kind::Count(1, 10),
        doc: "At least this hard. May change from message to message.",
    },
    Key {
        path: "effort.to",
        kind: Kind::Count(1, 10),
        doc: "At most this hard. May change from message to message.",
    },
    Key {
        path: "people.from",
        kind: Kind::Count(0, 1000),
        doc: "At least so many people spoke here lately. May change from message to message.",
    },
    Key {
        path: "people.to",
        kind: Kind::Count(0, 1000),
        doc: "At most so many people spoke here lately. May change from message to message.",
    },
    Key { path: "any", kind: Kind::Conditions, doc: "At least one of these tables holds." },
    Key { path: "all", kind: Kind::Conditions, doc: "All of these tables hold." },
    Key { path: "not", kind: Kind::Conditions, doc: "None of these tables holds." },
];

/// How it is, as long as nobody edits a file, changes the channel or takes another model: the same in every prompt of a
/// conversation that a provider could compare.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// The channel's mode.
    pub mode: ChannelMode,
    /// What sort of place.
    pub place: PlaceKind,
    /// Whether the channel is age-restricted.
    pub is_nsfw: bool,
    /// Whether the model may call tools.
    pub has_tools: bool,
    /// The model's name on the wire.
    pub model: &'a str,
}

/// How it is for this message.
#[derive(Debug, Clone, Copy)]
pub struct Occasion {
    /// Written or spoken.
    pub modality: Modality,
    /// How hard the message is.
    pub effort: Effort,
    /// Which slot replies.
    pub slot: Slot,
    /// How many people spoke here lately.
    pub people: usize,
}

/// A fact that lasts, see [`Setting`].
#[derive(Debug, Clone, PartialEq)]
pub enum Lasting {
    /// One of these modes.
    Mode(Vec<ChannelMode>),
    /// One of these sorts of places.
    Place(Vec<PlaceKind>),
    /// Age-restricted, or not.
    Nsfw(bool),
    /// With tools, or without.
    Tools(bool),
    /// The model's name holds one of these, in lower case.
    Model(Vec<String>),
}

/// A fact about one message, see [`Occasion`].
#[derive(Debug, Clone, PartialEq)]
pub enum Passing {
    /// One of these.
    Modality(Vec<Modality>),
    /// One of these.
    Slot(Vec<Slot>),
    /// Within this range.
    Effort(RangeInclusive<u32>),
    /// Within this range.
    People(RangeInclusive<u32>),
}

impl Passing {
    /// The key it is written with.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            Self::Modality(_) => "modality",
            Self::Slot(_) => "slot",
            Self::Effort(_) => "effort",
            Self::People(_) => "people",
        }
    }
}

/// A fact of either sort.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// It lasts.
    Lasting(Lasting),
    /// It is about one message.
    Passing(Passing),
}

/// Facts joined by and, or and not.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition<T> {
    /// The fact.
    Is(T),
    /// Every one holds; also where there is none.
    All(Vec<Self>),
    /// At least one holds.
    Any(Vec<Self>),
    /// It does not hold.
    Not(Box<Self>),
}

impl<T> Condition<T> {
    /// What always holds.
    #[must_use]
    pub fn always() -> Self {
        Self::All(Vec::new())
    }

    fn holds_by(&self, fact: &impl Fn(&T) -> bool) -> bool {
        match self {
            Self::Is(it) => fact(it),
            Self::All(all) => all.iter().all(|one| one.holds_by(fact)),
            Self::Any(any) => any.iter().any(|one| one.holds_by(fact)),
            Self::Not(not) => !not.holds_by(fact),
        }
    }
}

impl Condition<Lasting> {
    /// Whether it holds there.
    #[must_use]
    pub fn holds(&self, setting: &Setting<'_>) -> bool {
        self.holds_by(&|fact| fact.holds(setting))
    }
}

impl Condition<Fact> {
    /// Whether it holds there and now.
    #[must_use]
    pub fn holds(&self, setting: &Setting<'_>, occasion: &Occasion) -> bool {
        self.holds_by(&|fact| match fact {
            Fact::Lasting(fact) => fact.holds(setting),
            Fact::Passing(fact) => fact.holds(occasion),
        })
    }

    /// The same over lasting facts alone.
    ///
    /// # Errors
    /// A fact in it that may change from message to message.
    pub fn lasting(&self) -> Result<Condition<Lasting>, &Passing> {
        Ok(match self {
            Self::Is(Fact::Passing(fact)) => return Err(fact),
            Self::Is(Fact::Lasting(fact)) => Condition::Is(fact.clone()),
            Self::All(all) => Condition::All(all.iter().map(Self::lasting).collect::<Result<_, _>>()?),
            Self::Any(any) => Condition::Any(any.iter().map(Self::lasting).collect::<Result<_, _>>()?),
            Self::Not(not) => Condition::Not(Box::new(not.lasting()?)),
        })
    }
}

impl Lasting {
    fn holds(&self, setting: &Setting<'_>) -> bool {
        match self {
            Self::Mode(modes) => modes.contains(&setting.mode),
            Self::Place(places) => places.contains(&setting.place),
            Self::Nsfw(wanted) => *wanted == setting.is_nsfw,
            Self::Tools(wanted) => *wanted == setting.has_tools,
            Self::Model(names) => {
                let model = setting.model.to_lowercase();
                names.iter().any(|name| model.contains(name))
            }
        }
    }
}

impl Passing {
    fn holds(&self, occasion: &Occasion) -> bool {
        match self {
            Self::Modality(modalities) => modalities.contains(&occasion.modality),
            Self::Slot(slots) => slots.contains(&occasion.slot),
            Self::Effort(range) => range.contains(&u32::from(occasion.effort.level())),
            Self::People(range) => range.contains(&u32::try_from(occasion.people).unwrap_or(u32::MAX)),
        }
    }
}

/// Reads the `when` of a page's settings; without one it always holds.
pub(super) fn read(front: &Node) -> Result<Condition<Fact>, ConfigError> {
    let Some(node) = front.get(["when"]) else { return Ok(Condition::always()) };
    let mut problems = Vec::new();
    check_tables("when", node, &mut problems);
    if !problems.is_empty() {
        return Err(ConfigError::Invalid(problems));
    }
    Ok(Condition::Any(tables(node).map(table).collect::<Result<_, _>>()?))
}

/// The one table, or those of the list.
fn tables(node: &Node) -> impl Iterator<Item = &Node> {
    match &node.item {
        Item::List(items) => items.iter().collect::<Vec<_>>().into_iter(),
        _ => vec![node].into_iter(),
    }
}

fn check_tables(path: &str, node: &Node, problems: &mut Vec<Problem>) {
    for (index, one) in tables(node).enumerate() {
        let path = match node.item {
            Item::List(_) => format!("{path}[{index}]"),
            _ => path.to_owned(),
        };
        let wrong = check_under(&path, one, KEYS);
        if !wrong.is_empty() {
            problems.extend(wrong);
            continue;
        }
        for join in ["any", "all", "not"] {
            if let Some(inner) = one.get([join]) {
                check_tables(&format!("{path}.{join}"), inner, problems);
            }
        }
    }
}

/// Everything in one table holds.
fn table(node: &Node) -> Result<Condition<Fact>, Problem> {
    let view = View::new(node);
    let mut all = Vec::new();
    let mut lasting = |fact| all.push(Condition::Is(Fact::Lasting(fact)));
    let modes = view.words("mode", mode_from_word)?;
    if !modes.is_empty() {
        lasting(Lasting::Mode(modes));
    }
    let places = view.words("place", places_of)?;
    if !places.is_empty() {
        lasting(Lasting::Place(places.concat()));
    }
    if let Some(wanted) = view.optional_flag("nsfw")? {
        lasting(Lasting::Nsfw(wanted));
    }
    if let Some(wanted) = view.optional_flag("tools")? {
        lasting(Lasting::Tools(wanted));
    }
    let models = view.text_or_texts("model")?;
    if !models.is_empty() {
        lasting(Lasting::Model(models.iter().map(|name| name.trim().to_lowercase()).collect()));
    }
    let mut passing = |fact| all.push(Condition::Is(Fact::Passing(fact)));
    let modalities = view.words("modality", modality_of)?;
    if !modalities.is_empty() {
        passing(Passing::Modality(modalities));
    }
    let slots = view.words("slot", |word| word.parse().ok())?;
    if !slots.is_empty() {
        passing(Passing::Slot(slots));
    }
    if let Some(range) = range(view, "effort")? {
        passing(Passing::Effort(range));
    }
    if let Some(range) = range(view, "people")? {
        passing(Passing::People(range));
    }
    let joined = |key: &str| -> Result<Option<Vec<Condition<Fact>>>, Problem> {
        view.node(key).map(|node| tables(node).map(table).collect()).transpose()
    };
    all.extend(joined("any")?.map(Condition::Any));
    all.extend(joined("all")?.map(Condition::All));
    all.extend(joined("not")?.map(|none| Condition::Not(Box::new(Condition::Any(none)))));
    Ok(Condition::All(all))
}

fn range(view: View<'_>, key: &str) -> Result<Option<RangeInclusive<u32>>, Problem> {
    let (from, to) = (format!("{key}.from"), format!("{key}.to"));
    view.in_order(&from, &to, Order::AtMost)?;
    let (least, most) = (view.optional_count(&from)?, view.optional_count(&to)?);
    Ok((least.is_some() || most.is_some()).then(|| least.unwrap_or(0)..=most.unwrap_or(u32::MAX)))
}

fn places_of(word: &str) -> Option<Vec<PlaceKind>> {
    Some(match word {
        "guild" => PlaceKind::ALL.into_iter().filter(|kind| kind.is_in_guild()).collect(),
        "channel" => vec![PlaceKind::GuildText],
        "thread" => vec![PlaceKind::Thread],
        "forum_post" => vec![PlaceKind::ForumPost],
        "dm" => vec![PlaceKind::Dm],
        "terminal" => vec![PlaceKind::Terminal],
        _ => return None,
    })
}

fn modality_of(word: &str) -> Option<Modality> {
    match word {
        "text" => Some(Modality::Text),
        "voice" => Some(Modality::Voice),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
