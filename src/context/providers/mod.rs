//! What contributes to a prompt: one file per provider.

mod awareness;
mod character;
mod company;
mod contradicted;
mod crystals;
mod facts;
mod format;
mod house;
mod lessons;
mod live_state;
mod lore;
mod meanwhile;
mod mode;
mod mood;
mod people;
mod recalled;
mod recent_history;
mod skills;
mod spilled;
mod warm;
mod whoever;

pub use awareness::AwarenessProvider;
pub use character::{CharacterProvider, CharacterSizes, character_macros, character_sizes};
pub(super) use character::{HouseWords, addressee_of, character_contributions, example_speaker, moment_of};
pub use company::CompanyProvider;
pub use contradicted::ContradictedProvider;
pub use facts::FactsProvider;
pub use format::FormatProvider;
pub use house::HouseProvider;
pub use lessons::LessonsProvider;
pub use live_state::LiveStateProvider;
pub(super) use live_state::quotable_line;
pub use lore::LoreProvider;
pub use meanwhile::MeanwhileProvider;
pub use mode::ModeProvider;
pub use mood::MoodProvider;
pub use people::PeopleProvider;
pub use recalled::RecallProvider;
pub(super) use recalled::only_reminds;
pub use recent_history::RecentHistoryProvider;
pub(super) use recent_history::turn_contributions;
pub use skills::{SkillsProvider, skills_at_hand};
pub use spilled::SpilledProvider;
pub use warm::WarmProvider;

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::contribution::Contribution;
use super::request::TurnRequest;
use crate::history::HistoryError;

/// Why a provider had nothing to give. The turn goes on without it (gathering fails open).
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ProviderError(pub String);

impl From<HistoryError> for ProviderError {
    fn from(error: HistoryError) -> Self {
        Self(error.to_string())
    }
}

/// A source of context. Providers run at the same time, each under its own deadline; where its pieces stand in the
/// prompt is said by each piece and has nothing to do with the order (specs mechanisms Y1, 4 row 4).
///
/// What a provider does not say about itself makes it the ordinary kind: asked every turn, waited for, its answer
/// never kept. Only searches need more than [`Self::contribute`].
#[async_trait]
pub trait ContextProvider: Send + Sync + Debug {
    /// Its name in traces.
    fn name(&self) -> &'static str;

    /// How long it may take.
    fn deadline(&self) -> Duration;

    /// What sort of context it gives; decides about which messages it is asked at all (A4).
    fn part(&self) -> Part {
        Part::Working
    }

    /// Whether a turn waits for it.
    fn need(&self) -> Need {
        Need::Floor
    }

    /// When it is asked.
    fn wave(&self) -> Wave {
        Wave::First
    }

    /// How long its answer to this turn holds, and what of the turn the answer depends on (A6). `None`: ask every time;
    /// also where the turn holds no question for it, as when somebody only begins to type and there are no words yet.
    fn kept(&self, _request: &TurnRequest) -> Option<Kept> {
        None
    }

    /// Reads ahead what it will need of the stores for a turn of this person here, whatever they say (A3): somebody begins
    /// to type, or to speak. The request has no message yet.
    ///
    /// # Errors
    /// When it could not read; the turn then reads for itself.
    async fn fetch(&self, _request: &TurnRequest) -> Result<(), ProviderError> {
        Ok(())
    }

    /// Whether all that it reads of the history for this turn was fetched ahead and still holds.
    fn is_at_hand(&self, _request: &TurnRequest) -> bool {
        false
    }

    /// Whether what it says cannot be found out again once the moment is over. A replay does not ask it, but takes what
    /// it said from the turn's record.
    fn tells_the_moment(&self) -> bool {
        false
    }

    /// What it has to say about this turn.
    ///
    /// # Errors
    /// When it could not find out; said in the trace, never fatal.
    async fn contribute(&self, request: &TurnRequest) -> Result<Vec<Contribution>, ProviderError>;

    /// What it has to say: about the turn, or about what is `open` of it. What it has while it still looks for more it
    /// may say to `so_far`: when nobody waits any longer, that is its answer (A10).
    ///
    /// # Errors
    /// As [`Self::contribute`].
    async fn answer(
        &self,
        request: &TurnRequest,
        open: Option<&[Facet]>,
        _so_far: &SoFar,
    ) -> Result<Vec<Contribution>, ProviderError> {
        match open {
            None => self.contribute(request).await,
            Some(open) => self.refine(request, open).await,
        }
    }

    /// A second, narrower question: what it knows about the parts of the message that the first wave left open (A14).
    /// Asked only of [`Wave::Both`] and [`Wave::Second`].
    ///
    /// # Errors
    /// As [`Self::contribute`].
    async fn refine(
        &self,
        _request: &TurnRequest,
        _missing: &[Facet],
    ) -> Result<Vec<Contribution>, ProviderError> {
        Ok(Vec::new())
    }
}

/// Where a provider says what it has before it has everything.
#[derive(Debug)]
pub struct SoFar(Option<mpsc::Sender<Vec<Contribution>>>);

impl SoFar {
    /// What is said here comes out there.
    pub(in crate::context) fn heard_by(listener: mpsc::Sender<Vec<Contribution>>) -> Self {
        Self(Some(listener))
    }

    /// Nobody listens: whoever asks waits for the whole answer.
    #[must_use]
    pub fn unheard() -> Self {
        Self(None)
    }

    /// Says everything that is there by now; it takes the place of what was said before.
    pub async fn tell(&self, pieces: Vec<Contribution>) {
        if let Some(listener) = &self.0 {
            // Nobody listens any more when the turn has gone on.
            let _unheard = listener.send(pieces).await;
        }
    }
}

/// What sort of context a provider gives (specs mechanisms A4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Who the familiar is: the card, the axioms.
    Identity,
    /// The scene and the channel.
    Project,
    /// This conversation: the turns, their summaries.
    Working,
    /// What is true right now: time, people present, attachments, reactions.
    Current,
    /// People and facts beyond those the floor brings.
    Spirit,
    /// What was searched for in everything kept.
    Neurons,
    /// What is new: since they last spoke here, and elsewhere.
    News,
}

/// Whether a turn waits for a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Need {
    /// Always asked and waited for, up to its own deadline: identity, the conversation, the speaker's note, the time
    /// (specs mechanisms 4 row 20).
    Floor,
    /// A search: asked where the plan has searches, waited for until enough was found. What it gives counts towards
    /// the plan's `found_tokens`.
    Search,
}

/// When a provider is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wave {
    /// Once, with everything.
    First,
    /// Once with everything, and again about what is still open.
    Both,
    /// Only about what is still open.
    Second,
}

/// How long an answer may be used again, and for which turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// For how long.
    pub lifetime: Lifetime,
    /// Everything of the turn that the answer depends on, besides who asks, who can see the place, and the model's
    /// way of counting: these are always part of the key. Empty where nothing else matters.
    pub key: String,
}

/// How long what a source says stays true (specs mechanisms A6, figures as given there).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lifetime {
    /// The state of the moment: 15 s.
    Flux,
    /// What is remembered: 300 s.
    Memory,
    /// What holds always: 3600 s.
    Axioms,
}

impl Lifetime {
    /// As a duration.
    #[must_use]
    pub fn duration(self) -> Duration {
        Duration::from_secs(match self {
            Self::Flux => 15,
            Self::Memory => 300,
            Self::Axioms => 3600,
        })
    }
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
    /// As written.
    #[must_use]
    pub fn words(&self) -> &str {
        match self {
            Self::Name(words) | Self::Time(words) | Self::Relation(words) => words,
        }
    }
}
