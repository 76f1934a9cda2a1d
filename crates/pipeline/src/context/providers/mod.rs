//! What contributes to a prompt: one file per provider.

mod awareness;
mod branched;
mod character;
mod company;
mod contradicted;
mod documents;
mod facts;
mod format;
mod house;
mod left_open;
mod live_state;
mod lore;
mod meanwhile;
mod mood;
mod people;
mod recalled;
mod recent_history;
mod returned;
mod safety;
mod skills;
mod unkept;
mod whoever;

pub(super) use awareness::AwarenessProvider;
use awareness::topics_since;
pub(super) use branched::BranchedProvider;
pub use character::{
    Addressee, CharacterSizes, addressee_of, character_macros, character_sizes, is_open, is_unfit_for,
};
pub(super) use character::{
    CharacterProvider, HouseWords, character_contributions, example_speaker, moment_of,
};
pub(super) use company::CompanyProvider;
pub(super) use contradicted::ContradictedProvider;
pub(super) use documents::DocumentsProvider;
pub(super) use facts::FactsProvider;
pub(super) use format::{FormatProvider, ModeProvider};
pub(super) use house::HouseProvider;
pub use live_state::noted_clock;
pub(super) use live_state::{LiveStateProvider, person_in_call, quotable_line};
pub(super) use lore::LoreProvider;
pub(super) use meanwhile::MeanwhileProvider;
pub use mood::mood_word;
pub(super) use mood::{LessonsProvider, MoodProvider};
pub(super) use people::PeopleProvider;
pub(super) use recalled::{RecallProvider, only_reminds};
pub(super) use recent_history::{RecentHistoryProvider, turn_contributions};
pub(super) use returned::{SpilledProvider, WarmProvider};
pub(super) use safety::SafetyProvider;
pub(super) use skills::SkillsProvider;
pub use skills::skills_at_hand;
pub(super) use unkept::UnkeptProvider;

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;

use super::contribution::{Contribution, Facet, Need};
use super::request::TurnRequest;
use super::warm::Lifetime;
use crate::domain::{ChannelMode, StoredTurn};
use crate::history::{Acquaintance, History, HistoryError, RecentQuery};

/// Why a provider had nothing to give. The turn goes on without it (gathering fails open).
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct ProviderError(pub String);

impl From<HistoryError> for ProviderError {
    fn from(error: HistoryError) -> Self {
        Self(error.to_string())
    }
}

/// A source of context. Providers run at the same time, each under its own deadline; where its pieces stand in the
/// prompt is said by each piece and has nothing to do with the order (Y1, contradiction 4).
#[async_trait]
pub(super) trait ContextProvider: Send + Sync + Debug {
    /// What it is called, and how it is asked.
    fn profile(&self) -> Profile;

    /// How long its answer to this turn holds, and what of the turn the answer depends on (A6). `None`: ask every time;
    /// also where the turn holds no question for it, as when somebody only begins to type and there are no words yet.
    fn kept(&self, _request: &TurnRequest) -> Option<AnswerReuse> {
        None
    }

    /// What it has to say about this turn.
    ///
    /// # Errors
    /// When it could not find out; said in the trace, never fatal.
    async fn contribute(&self, request: &TurnRequest, ask: &ContextAsk<'_>) -> Pieces;
}

/// What a provider has to say.
pub(super) type Pieces = Result<Vec<Contribution>, ProviderError>;

/// How a provider is asked.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Profile {
    /// Its name in traces.
    pub name: &'static str,
    /// Whether a turn waits for it.
    pub need: Need,
    /// Whether it tells what is new: since they last spoke here, and elsewhere (A4).
    pub is_news: bool,
    pub deadline: Duration,
    /// Whether it is asked again about what is still open (A14).
    pub looks_again: bool,
    /// Whether what it says cannot be found out again once the moment is over. A replay does not ask it, but takes what
    /// it said from the turn's record.
    pub tells_the_moment: bool,
    /// Whether it is asked while somebody still types, so that the pages of the history that it reads are in memory by
    /// then (A3).
    pub reads_ahead: bool,
    /// Whether it is asked in line, so that a busy machine cannot make late what it says without waiting.
    pub at_hand: bool,
}

/// For one that came to wait for something after all.
const AT_HAND_MS: u64 = 250;

impl Profile {
    /// Asked every turn and waited for, up to its own deadline.
    pub(super) fn floor(name: &'static str, deadline_ms: u64) -> Self {
        Self { name, deadline: Duration::from_millis(deadline_ms), ..Self::default() }
    }

    /// Asked every turn, and answering without waiting for anything: what it says never comes too late.
    pub(super) fn at_hand(name: &'static str) -> Self {
        Self { at_hand: true, ..Self::floor(name, AT_HAND_MS) }
    }

    /// Asked where the plan has searches, and waited for until enough was found.
    pub(super) fn search(name: &'static str, deadline_ms: u64) -> Self {
        Self { need: Need::Search, ..Self::floor(name, deadline_ms) }
    }

    pub(super) fn of_news(self) -> Self {
        Self { is_news: true, ..self }
    }

    /// Of what is true for this turn only.
    pub(super) fn of_the_moment(self) -> Self {
        Self { tells_the_moment: true, ..self }
    }

    pub(super) fn reading_ahead(self) -> Self {
        Self { reads_ahead: true, ..self }
    }
}

/// How well whoever is answered is known; nothing where nobody is.
async fn acquaintance(
    history: &History,
    request: &TurnRequest,
) -> Result<Option<Acquaintance>, HistoryError> {
    let Some(author) = &request.author else { return Ok(None) };
    let oldest = request.pending.first().map(|turn| turn.id);
    let visible = request.visible();
    history.seen_by(&visible).acquaintance(&author.account, oldest, request.last_row()).await.map(Some)
}

/// The newest messages here, in one mode or any, newest first; those being answered are always among them.
async fn newest(
    history: &History,
    request: &TurnRequest,
    mode: Option<ChannelMode>,
    most: u32,
) -> Result<Vec<StoredTurn>, HistoryError> {
    let query = RecentQuery { mode, max_turns: most, until: request.as_of, encoding: request.model.encoding };
    let mut turns = history.seen_by(&request.visible()).recent(&request.place.channel, query).await?;
    for pending in &request.pending {
        if !turns.iter().any(|turn| turn.id == pending.id) {
            turns.push(pending.clone());
        }
    }
    turns.sort_by_key(|turn| std::cmp::Reverse(turn.ordinal));
    Ok(turns)
}

/// What a provider is asked.
pub(super) struct ContextAsk<'a> {
    /// Only about what is still open; `None` for everything.
    pub open: Option<&'a [Facet]>,
    /// Takes what there is before there is everything: when nobody waits any longer, that is the answer (A10). It takes
    /// the place of what was told before.
    pub(in crate::context) so_far: Option<&'a (dyn Fn(Vec<Contribution>) + Send + Sync)>,
}

impl ContextAsk<'_> {
    /// About everything, by somebody who waits for the whole answer.
    #[cfg(test)]
    pub(crate) fn everything() -> Self {
        Self { open: None, so_far: None }
    }

    pub(in crate::context) fn tell(&self, pieces: Vec<Contribution>) {
        if let Some(so_far) = self.so_far {
            so_far(pieces);
        }
    }
}

/// How long an answer may be used again, and for which turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnswerReuse {
    pub lifetime: Lifetime,
    /// Everything of the turn that the answer depends on, besides who asks, who can see the place, and the model's
    /// way of counting: these are always part of the key. Empty where nothing else matters.
    pub key: String,
}
