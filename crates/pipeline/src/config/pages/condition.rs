//! `when`: on what a section or a skill depends (Y3).
//!
//! Facts come in two sorts: those of a [`Setting`] are the same in every prompt of a conversation, those of an
//! [`Occasion`] may change from message to message. What hangs on the first sort alone may stand in the part of the
//! prompt that stays the same.

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::check::OneOrMany;
use crate::config::document::{Layers, ValueRelation};
use crate::config::error::Problem;
use crate::domain::{ChannelMode, Effort, Modality, PlaceKind, Slot};

/// How it is, as long as nobody edits a file, changes the channel or takes another model.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    pub mode: ChannelMode,
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
    pub modality: Modality,
    pub effort: Effort,
    pub slot: Slot,
    /// How many people spoke here lately.
    pub people: usize,
}

/// A table of facts, all of which have to hold.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
pub struct When {
    /// The channel's mode.
    mode: Option<OneOrMany<ChannelMode>>,
    /// What sort of place it is.
    place: Option<OneOrMany<PlaceWord>>,
    /// Whether Discord marks the channel as age-restricted.
    nsfw: Option<bool>,
    /// Whether the model may call tools.
    tools: Option<bool>,
    /// Part of the model's name, such as `"gemma"`; small and capital letters are the same.
    #[schemars(extend("x-words" = "a text or a list of texts, none blank"))]
    model: Option<OneOrMany<String>>,
    /// Whether the reply is written or spoken. May change from message to message.
    modality: Option<OneOrMany<Modality>>,
    /// Which model slot replies. May change from message to message.
    slot: Option<OneOrMany<Slot>>,
    effort: Option<EffortRange>,
    people: Option<PeopleRange>,
    /// At least one of these tables holds.
    #[schemars(extend("x-words" = "a table of conditions, or a list of such tables"))]
    any: Option<Box<OneOrMany<When>>>,
    /// All of these tables hold.
    #[schemars(extend("x-words" = "a table of conditions, or a list of such tables"))]
    all: Option<Box<OneOrMany<When>>>,
    /// None of these tables holds.
    #[schemars(extend("x-words" = "a table of conditions, or a list of such tables"))]
    not: Option<Box<OneOrMany<When>>>,
}

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
struct EffortRange {
    /// At least this hard. May change from message to message.
    #[schemars(range(min = 1, max = 10))]
    from: Option<u32>,
    /// At most this hard. May change from message to message.
    #[schemars(range(min = 1, max = 10))]
    to: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
struct PeopleRange {
    /// At least so many people spoke here lately. May change from message to message.
    #[schemars(range(min = 0, max = 1000))]
    from: Option<u32>,
    /// At most so many people spoke here lately. May change from message to message.
    #[schemars(range(min = 0, max = 1000))]
    to: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PlaceWord {
    /// anywhere in a server
    Guild,
    /// a server's channel itself
    Channel,
    /// a thread of a channel
    Thread,
    /// a post in a forum
    ForumPost,
    /// direct messages
    Dm,
    /// the terminal
    Terminal,
}

impl PlaceWord {
    fn is(self, place: PlaceKind) -> bool {
        match self {
            Self::Guild => place.is_in_guild(),
            Self::Channel => place == PlaceKind::GuildText,
            Self::Thread => place == PlaceKind::Thread,
            Self::ForumPost => place == PlaceKind::ForumPost,
            Self::Dm => place == PlaceKind::Dm,
            Self::Terminal => place == PlaceKind::Terminal,
        }
    }
}

/// What a page's `when` says: a table, or a list of tables of which one has to hold.
pub type Condition = OneOrMany<When>;

impl Default for OneOrMany<When> {
    fn default() -> Self {
        Self::One(When::default())
    }
}

impl OneOrMany<When> {
    /// Whether it holds there and now. Without an occasion nothing that may change holds.
    pub fn holds(&self, setting: &Setting<'_>, occasion: Option<&Occasion>) -> bool {
        self.as_slice().iter().any(|when| when.holds(setting, occasion))
    }

    /// The key of a fact in it that may change from message to message.
    pub fn passing(&self) -> Option<&'static str> {
        self.as_slice().iter().find_map(When::passing)
    }
}

impl When {
    fn holds(&self, setting: &Setting<'_>, occasion: Option<&Occasion>) -> bool {
        let among = |names: &OneOrMany<String>| {
            let model = setting.model.to_lowercase();
            names.as_slice().iter().any(|name| model.contains(&name.trim().to_lowercase()))
        };
        let joined = |joined: &Option<Box<OneOrMany<Self>>>, all: bool| {
            let mut each = joined.as_ref().map(|joined| joined.as_slice()).unwrap_or_default().iter();
            if all {
                each.all(|one| one.holds(setting, occasion))
            } else {
                each.any(|one| one.holds(setting, occasion))
            }
        };
        let now = |holds: &dyn Fn(&Occasion) -> bool| occasion.is_some_and(holds);
        is_one(&self.mode, |mode| *mode == setting.mode)
            && is_one(&self.place, |place| place.is(setting.place))
            && self.nsfw.is_none_or(|wanted| wanted == setting.is_nsfw)
            && self.tools.is_none_or(|wanted| wanted == setting.has_tools)
            && self.model.as_ref().is_none_or(among)
            && is_one(&self.modality, |one| now(&|occasion| occasion.modality == *one))
            && is_one(&self.slot, |one| now(&|occasion| occasion.slot == *one))
            && self.effort.as_ref().is_none_or(|range| {
                now(&|occasion| {
                    in_range(range.from, range.to).contains(&usize::from(occasion.effort.level()))
                })
            })
            && self.people.as_ref().is_none_or(|range| {
                now(&|occasion| in_range(range.from, range.to).contains(&occasion.people))
            })
            && (self.any.is_none() || joined(&self.any, false))
            && joined(&self.all, true)
            && !joined(&self.not, false)
    }

    fn passing(&self) -> Option<&'static str> {
        let own = [
            ("modality", self.modality.is_some()),
            ("slot", self.slot.is_some()),
            ("effort", self.effort.is_some()),
            ("people", self.people.is_some()),
        ];
        let own = own.into_iter().find_map(|(key, is_asked)| is_asked.then_some(key));
        let inner = [&self.any, &self.all, &self.not];
        own.or_else(|| inner.into_iter().flatten().find_map(|joined| joined.passing()))
    }
}

/// Whether one of several things that are asked for is so; where nothing is asked for it is.
fn is_one<T>(asked: &Option<OneOrMany<T>>, is: impl Fn(&T) -> bool) -> bool {
    asked.as_ref().is_none_or(|asked| asked.as_slice().iter().any(is))
}

fn in_range(from: Option<u32>, to: Option<u32>) -> RangeInclusive<usize> {
    let number = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    from.map_or(0, number)..=to.map_or(usize::MAX, number)
}

/// Refuses a range whose end lies before its beginning, however deep it stands.
pub(super) fn check_range(front: &Layers) -> Result<(), Problem> {
    let mut ranges = front.paths().filter_map(|path| path.strip_suffix(".from"));
    ranges.try_for_each(|range| {
        front.in_order(&format!("{range}.from"), &format!("{range}.to"), ValueRelation::AtMost)
    })
}
