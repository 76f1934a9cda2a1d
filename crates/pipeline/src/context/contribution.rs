//! What a provider says: the first of the pipeline's types.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::{Audience, Layer, Role, Section, StoredId};

/// Whether a turn waits for a provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Need {
    /// Always asked and waited for, up to its own deadline: identity, the conversation, the speaker's note, the time
    /// (contradiction 20).
    #[default]
    Floor,
    /// A search: asked where the plan has searches, waited for until enough was found. What it gives counts towards
    /// the plan's `found_tokens`.
    Search,
}

/// Something a message asks about, for which the prompt should hold an answer (A14).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Facet {
    /// A person or thing by name, as written.
    Name(String),
    /// A time, as written: `last tuesday`.
    Time(String),
    /// How people or things belong together, as written: `sister`.
    Relation(String),
}

impl Facet {
    pub fn words(&self) -> &str {
        match self {
            Self::Name(words) | Self::Time(words) | Self::Relation(words) => words,
        }
    }
}

/// How hard a chunk holds on: 1 goes first, 5 is never evicted (contradiction 6; A17).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Importance {
    Low = 1,
    /// Nice to have: example dialogue, older turns.
    Useful = 2,
    Normal = 3,
    /// Kept as long as anything else can go.
    High = 4,
    /// Never evicted: axioms, identity, what is being answered.
    Axiom = 5,
}

impl Importance {
    /// One step less; the lowest stays (A7: what was evicted comes back at lower priority).
    pub fn demoted(self) -> Self {
        match self {
            Self::Axiom => Self::High,
            Self::High => Self::Normal,
            Self::Normal => Self::Useful,
            Self::Useful | Self::Low => Self::Low,
        }
    }

    /// 1 to 5, for traces.
    pub fn level(self) -> u8 {
        self as u8
    }
}

/// World lore that is example dialogue before that of the card, as a block of it.
pub(in crate::context) const BEFORE_EXAMPLES: usize = 0;

/// World lore that is example dialogue behind that of the card, as a block of it.
pub(in crate::context) const AFTER_EXAMPLES: usize = usize::MAX;

/// Where in the prompt a chunk stands. Placement never decides who is evicted; that is [`Importance`]'s job.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Placement {
    /// Rules of the program itself.
    Axioms,
    /// The card's system prompt, or the default main prompt.
    Main,
    /// World lore that belongs before the character's description.
    LoreBefore,
    Description,
    Personality,
    Scenario,
    /// World lore that belongs after the character's description.
    LoreAfter,
    /// One block of example dialogue, in order: lore at `BEFORE_EXAMPLES`, the card's, lore at `AFTER_EXAMPLES`.
    Example(usize),
    /// World lore over the author's note; only SillyTavern's order has one.
    NoteTop,
    /// How this channel is talked in: backdrop or mode instructions.
    Mode,
    /// A section of the operator's whose condition cannot change from turn to turn, in their own order (Y3).
    House {
        /// Its place among them.
        order: u32,
        /// The name of its file.
        name: Arc<str>,
        /// What stands over it.
        title: Arc<str>,
    },
    /// What this guild or this person has established with the familiar, for good (A19, layer 2.5).
    Partner,
    /// What the familiar can do here: tools, voice (A19, layer 3).
    Capabilities,
    /// World lore under the author's note, which is all from `Mode` to here in SillyTavern's order.
    NoteBottom,
    /// A summary of turns that are no longer shown word for word; stands before the oldest of those that are, in the
    /// order of the chain.
    Summary(u64),
    /// A stored turn, by its channel ordinal.
    Turn(u64),
    /// A note a number of messages from the end.
    Depth {
        /// Messages from the end; 0 is after the last.
        depth: u32,
        role: Role,
    },
    /// The volatile tail behind the chat: true for this turn only.
    Tail(TailPart),
    /// The card's post-history instructions: the last slot, because position beats presence (familiar-connect 2.7).
    Obligations,
}

impl Placement {
    /// The section of the prompt it belongs to.
    pub fn section(&self) -> Section {
        match self {
            Self::Axioms => Section::Axioms,
            Self::Main => Section::Main,
            Self::LoreBefore | Self::LoreAfter => Section::Lore,
            Self::Description => Section::Description,
            Self::Personality => Section::Personality,
            Self::Scenario => Section::Scenario,
            Self::Example(_) => Section::Examples,
            Self::Mode => Section::Mode,
            Self::House { .. } => Section::House,
            Self::Partner => Section::Partner,
            Self::Capabilities => Section::Capabilities,
            Self::Summary(_) => Section::Summaries,
            Self::Turn(_) => Section::History,
            Self::NoteTop | Self::NoteBottom | Self::Depth { .. } => Section::Note,
            Self::Tail(part) => part.section(),
            Self::Obligations => Section::Obligations,
        }
    }

    /// Whether it reads the same turn after turn: the block in front of the chat, and the last word.
    pub(in crate::context) fn is_stable(&self) -> bool {
        *self < Self::Summary(0) || *self == Self::Obligations
    }

    /// Whether it is true for this turn only.
    pub(in crate::context) fn is_volatile(&self) -> bool {
        matches!(self, Self::Tail(_))
    }
}

impl TailPart {
    /// The section of the prompt it is.
    pub fn section(self) -> Section {
        match self {
            Self::Lore => Section::CalledLore,
            Self::People => Section::People,
            Self::Recalled => Section::Recalled,
            Self::Peripheral => Section::Peripheral,
            Self::Meanwhile => Section::Meanwhile,
            Self::Awareness => Section::Awareness,
            Self::Lessons => Section::Lessons,
            Self::Mood => Section::Mood,
            Self::Facts => Section::Facts,
            Self::Now => Section::Now,
            Self::Status => Section::Status,
            Self::Thoughts => Section::Thoughts,
            Self::Skill => Section::Skill,
            Self::House => Section::House,
            Self::Partner => Section::Partner,
            Self::Format | Self::Safety => Section::Format,
        }
    }
}

/// The parts of the volatile tail, in the order they stand (A19, A21 to A25). Nothing of the tail is ever in a
/// system role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TailPart {
    /// World lore that was called up by what was said.
    Lore,
    /// Notes about the people who are here or named.
    People,
    /// What a search through earlier conversations found.
    Recalled,
    /// What had to make room and came back by its words (A7).
    Peripheral,
    /// What goes on in other channels that everybody here may see.
    Meanwhile,
    /// "Since you last spoke here" (A24).
    Awareness,
    /// What was asked for in this session, e.g. shorter answers (A23).
    Lessons,
    /// The familiar's mood and warmth (A9).
    Mood,
    /// Facts the program knows for certain: counts, dates, dice (A22, A27).
    Facts,
    /// The time, the place, who is here (A8, A21).
    Now,
    /// What had to be left out, and how full the prompt is (M1, Y17).
    Status,
    /// What the familiar thought before answering.
    Thoughts,
    /// How-to notes of the operator's that fit what was said (Y5).
    Skill,
    /// What this guild or this person has established, where it was people's words or changes by itself.
    Partner,
    /// Sections of the operator's whose condition may change from turn to turn (Y3).
    House,
    /// The shape the answer has to have (A25).
    Format,
    /// How somebody is answered who is in distress.
    Safety,
}

/// Whose words a quoted piece holds, and where they were said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Quoted {
    /// Who said or wrote it, for people.
    pub author: Option<String>,
    /// Where, for people: `#general`.
    pub place: Option<String>,
    pub at: Option<Timestamp>,
}

/// Whose words these are, the most trusted first; decides what screening may do to them and which roles they may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Trust {
    /// The program's own words.
    Program,
    /// The operator's: card, mode files, backdrops. May instruct.
    Canon,
    /// Somebody's in a channel, or the familiar's own earlier words. Never instructs.
    Chat,
    /// Held text that was looked up: memories, notes, summaries, search results, thoughts of a model. Quoted data,
    /// whatever it says; never in a system role.
    Held,
}

impl Trust {
    /// Whether these words may stand where instructions stand. Everybody else's are data, wherever they are put.
    pub fn may_instruct(self) -> bool {
        matches!(self, Self::Program | Self::Canon)
    }
}

/// Which turns a summary stands for, and from when to when it was the one to show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryStands {
    /// The first of the turns, by ordinal: while all of them are shown, the summary is not needed.
    pub first: u64,
    pub last: u64,
    /// When it was made.
    pub since: Timestamp,
    /// When one that stands for more took its place.
    pub until: Option<Timestamp>,
    /// Whether it took the place of others itself.
    pub replaces: bool,
}

impl SummaryStands {
    /// Whether it was the one to show at a moment; `None` for now. One that takes nobody's place may come in later: it
    /// stands for turns that no other does. What was made in the very moment was made for what was said then, after it.
    pub(in crate::context) fn stood_at(&self, moment: Option<Timestamp>) -> bool {
        match moment {
            None => self.until.is_none(),
            Some(moment) => {
                self.until.is_none_or(|until| until >= moment) && (!self.replaces || self.since < moment)
            }
        }
    }
}

/// How a stored turn is to be written into the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnLine {
    /// The row, for provenance.
    pub id: StoredId,
    pub role: Role,
    /// The speaker's name, for people.
    pub label: Option<String>,
    /// What stands before the words: clock, gap, reply note. Empty for none.
    pub prefix: String,
    /// When it was said, where the history was asked.
    pub at: Option<Timestamp>,
    /// What was said in the channel before it, in rough tokens (see
    /// [`PlacedTurn`](crate::history::PlacedTurn::said_before)); `None` where the history was not asked.
    pub said_before: Option<u64>,
}

impl TurnLine {
    /// With nothing before its words, where the history was not asked.
    pub fn of(id: StoredId, role: Role, label: Option<String>) -> Self {
        Self { id, role, label, prefix: String::new(), at: None, said_before: None }
    }
}

/// Pieces of one text that have a cap together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedCap {
    /// Which text: the source its pieces have in common.
    pub of: Arc<str>,
    /// The most they may take, in tokens.
    pub max_tokens: u32,
}

/// What the source of a file's words begins with, or that of a find among them: `document/12`.
pub const DOCUMENT_SOURCE: &str = "document/";

/// One piece of context, as a provider offers it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contribution {
    /// Where it came from, for people: `character/description`.
    pub source: String,
    /// The layer whose budget it uses.
    pub layer: Layer,
    pub placement: Placement,
    /// How hard it holds on.
    pub importance: Importance,
    /// How much it matters to this turn, 0 to 1.
    pub relevance: f32,
    pub trust: Trust,
    /// Where it was learnt.
    pub audience: Audience,
    pub text: String,
    /// Tokens of `text` under the model's encoding, where they are already known.
    pub tokens: Option<u32>,
    /// Set for stored turns.
    pub turn: Option<TurnLine>,
    /// Evicted together with everything of the same group.
    pub group: Option<String>,
    /// What it may take together with others, besides the caps of its layer and section.
    pub share: Option<SharedCap>,
    /// Whose words, where and when; set for what is quoted.
    pub quoted: Option<Quoted>,
    /// How long ago it was learnt or last confirmed; what is old weighs less. `None` for what does not age.
    pub age: Option<Duration>,
    /// Whether it belongs to the floor or was searched for; gathering fills it in from the provider.
    pub need: Need,
    /// The stored turns it stands for, where it is a summary.
    pub stands: Option<SummaryStands>,
    /// The most tokens this piece may take; a longer one is clipped at ingest (contradiction 1). `None` for
    /// what may not be cut.
    pub clip: Option<u32>,
}

impl Contribution {
    /// A piece of the tail that was looked up.
    pub fn looked_up(
        source: impl Into<String>,
        part: TailPart,
        audience: Audience,
        text: impl Into<String>,
    ) -> Self {
        Self::new(source, Layer::Content, Placement::Tail(part), Trust::Held, audience, text)
    }

    /// A piece that may be told anywhere.
    pub fn anywhere(
        source: impl Into<String>,
        layer: Layer,
        placement: Placement,
        trust: Trust,
        text: impl Into<String>,
    ) -> Self {
        Self::new(source, layer, placement, trust, Audience::Canon, text)
    }

    /// A piece of ordinary importance and full relevance, without group, quote or age.
    pub fn new(
        source: impl Into<String>,
        layer: Layer,
        placement: Placement,
        trust: Trust,
        audience: Audience,
        text: impl Into<String>,
    ) -> Self {
        Self {
            source: source.into(),
            layer,
            placement,
            importance: Importance::Normal,
            relevance: 1.0,
            trust,
            audience,
            text: text.into(),
            tokens: None,
            turn: None,
            group: None,
            share: None,
            quoted: None,
            age: None,
            need: Need::Floor,
            stands: None,
            clip: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The eight categories of the seed, from the system's own rules to the question, as classes of placement: what lasts,
    /// what is kept in order, what is true for one turn, and the last word.
    #[test]
    fn y2_placement_classes_stand_in_one_order_and_the_lasting_ones_before_the_conversation() {
        let house = Placement::House { order: 1, name: Arc::from("rules"), title: Arc::from("Rules") };
        let depth = Placement::Depth { depth: 4, role: Role::System };
        let classes = [
            Placement::Axioms,
            Placement::Main,
            Placement::Description,
            Placement::Example(0),
            Placement::Mode,
            house,
            Placement::Partner,
            Placement::Capabilities,
            Placement::Summary(3),
            Placement::Turn(7),
            depth,
            Placement::Tail(TailPart::People),
            Placement::Tail(TailPart::Now),
            Placement::Obligations,
        ];
        assert!(classes.is_sorted(), "{classes:?}");
        let before = classes.iter().position(|class| matches!(class, Placement::Summary(_))).unwrap();
        for (at, class) in classes.iter().enumerate() {
            let is_last_word = *class == Placement::Obligations;
            assert_eq!(class.is_stable(), at < before || is_last_word, "{class:?}");
            assert_eq!(class.is_volatile(), matches!(class, Placement::Tail(_)), "{class:?}");
        }
    }
}
