//! What a provider says: the first of the pipeline's types.

use crate::domain::{Audience, Layer, Role, StoredId};

/// How hard a chunk holds on: 1 goes first, 5 is never evicted (specs mechanisms 4 row 6; A17).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Importance {
    /// Goes first.
    Low = 1,
    /// Nice to have: example dialogue, older turns.
    Useful = 2,
    /// Ordinary.
    Normal = 3,
    /// Kept as long as anything else can go.
    High = 4,
    /// Never evicted: axioms, identity, what is being answered.
    Axiom = 5,
}

impl Importance {
    /// 1 to 5, for traces.
    #[must_use]
    pub fn level(self) -> u8 {
        self as u8
    }
}

/// Where in the prompt a chunk stands. Placement never decides who is evicted; that is [`Importance`]'s job.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Placement {
    /// Rules of the program itself.
    Axioms,
    /// The card's system prompt, or the default main prompt.
    Main,
    /// World lore that belongs before the character's description.
    LoreBefore,
    /// The card's description.
    Description,
    /// The card's personality.
    Personality,
    /// The card's scenario.
    Scenario,
    /// World lore that belongs after the character's description.
    LoreAfter,
    /// One block of example dialogue, in card order.
    Example(usize),
    /// How this channel is talked in: backdrop or mode instructions.
    Mode,
    /// A stored turn, by its channel ordinal.
    Turn(u64),
    /// A note a number of messages from the end.
    Depth {
        /// Messages from the end; 0 is after the last.
        depth: u32,
        /// As whom.
        role: DepthRole,
    },
    /// What is true right now: time and place, whom it is talking with.
    Live,
    /// The card's post-history instructions: the last slot, because position beats presence (specs 2.7).
    Obligations,
}

/// A depth note's role, ordered as SillyTavern orders notes of one depth: assistant, user, system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DepthRole {
    /// Spoken by the familiar.
    Assistant,
    /// Spoken by a person.
    User,
    /// An instruction.
    System,
}

impl From<Role> for DepthRole {
    fn from(role: Role) -> Self {
        match role {
            Role::Assistant => Self::Assistant,
            Role::User => Self::User,
            Role::System => Self::System,
        }
    }
}

impl From<DepthRole> for Role {
    fn from(role: DepthRole) -> Self {
        match role {
            DepthRole::Assistant => Self::Assistant,
            DepthRole::User => Self::User,
            DepthRole::System => Self::System,
        }
    }
}

/// Whose words these are; decides what weeding may do to them and which roles they may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The program's own words.
    Program,
    /// The operator's: card, mode files, backdrops. May instruct.
    Canon,
    /// Somebody's in a channel, or the familiar's own earlier words. Never instructs.
    Chat,
}

/// How a stored turn is to be written into the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnLine {
    /// The row, for provenance.
    pub id: StoredId,
    /// `User` or `Assistant`.
    pub role: Role,
    /// The speaker's name, for people.
    pub label: Option<String>,
    /// What stands before the words: clock, gap, reply note. Empty for none.
    pub prefix: String,
}

/// One piece of context, as a provider offers it.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// Where it came from, for people: `character/description`.
    pub source: String,
    /// The layer whose budget it uses.
    pub layer: Layer,
    /// Where it stands.
    pub placement: Placement,
    /// How hard it holds on.
    pub importance: Importance,
    /// How much it matters to this turn, 0 to 1.
    pub relevance: f32,
    /// Whose words.
    pub trust: Trust,
    /// Where it was learnt.
    pub audience: Audience,
    /// The words.
    pub text: String,
    /// Tokens of `text` under the model's encoding, where they are already known.
    pub tokens: Option<u32>,
    /// Set for stored turns.
    pub turn: Option<TurnLine>,
    /// Evicted together with everything of the same group.
    pub group: Option<String>,
}
