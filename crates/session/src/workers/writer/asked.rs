//! What somebody wants noted in the middle of a talk: it has to be what they said, and passes the checks of everything that a
//! model wants written down.

use std::collections::BTreeSet;

use super::check::{Patch, check_patches};
use super::shown::{ShowError, gather};
use crate::domain::{AccountId, ChangePass, Place, StoredId, StoredTurn, TokenEncoding, Visible};
use crate::history::{HistoryError, RecentQuery};
use crate::identity::caller_in;
use crate::memory::change::ChangeFate;
use crate::memory::facts::FactKind;
use crate::workers::job::WorkerParts;
use crate::workers::noting::{NotingHand, change_notes};

/// Messages among which it looks for what somebody said.
const LOOKED_THROUGH: u32 = 40;

#[derive(Debug, Clone, Copy)]
pub struct AskedNote<'a> {
    pub place: &'a Place,
    /// Whose words it comes from.
    pub by: &'a AccountId,
    /// The messages in which they asked for it.
    pub asked: &'a [StoredId],
    pub words: &'a str,
    /// `None` for what is about themselves.
    pub topic: Option<&'a str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedNoteFate {
    Written,
    Known,
    /// It waits for the operator's yes.
    Proposed,
}

#[derive(Debug, thiserror::Error)]
pub enum AskedNoteError {
    #[error("nothing that they said here may be noted")]
    NothingSaid,
    #[error("it may not be noted: {0}")]
    Refused(&'static str),
    #[error("the note cannot be changed")]
    Closed,
    #[error("what was said cannot be read")]
    History(#[from] HistoryError),
    #[error("the notes cannot be read")]
    Notes,
}

impl From<ShowError> for AskedNoteError {
    fn from(error: ShowError) -> Self {
        tracing::warn!(%error, "a note that was asked for was not taken");
        Self::Notes
    }
}

/// Notes it, by leave of whoever asks.
pub(in crate::workers) async fn note_down(
    parts: &WorkerParts,
    leave: &ChangePass,
    note: AskedNote<'_>,
) -> Result<AskedNoteFate, AskedNoteError> {
    let turns = said_by(parts, note).await?;
    let Some(audience) = turns.last().map(|turn| turn.audience.clone()) else {
        return Err(AskedNoteError::NothingSaid);
    };
    let asked: BTreeSet<usize> = (1..)
        .zip(&turns)
        .filter(|(_, turn)| note.asked.contains(&turn.id))
        .map(|(number, _)| number)
        .collect();
    let shown = gather(parts, note.place, audience, turns, parts.clock.now()).await?;
    let person = parts.memory.person_of(note.by).await;
    // The message that says it, else those in which it was asked for.
    let mut checked = check_patches(&[patch(note, &person, Vec::new())], &shown);
    if checked.changes.is_empty() {
        checked = check_patches(&[patch(note, &person, asked.into_iter().collect())], &shown);
    }
    if checked.changes.is_empty() {
        return Err(AskedNoteError::Refused(checked.refused.first().copied().unwrap_or("it says nothing")));
    }
    let (hand, today) = (parts.hand(leave, "what somebody wanted noted"), shown.today);
    let written = parts.with_notes("taking a note", move |store| match &hand {
        NotingHand::Writes(leave) => change_notes(leave, store, &checked.changes, today).pop(),
        NotingHand::Proposes { .. } => {
            hand.note(store, checked.changes, today);
            None
        }
    });
    match written.await.ok_or(AskedNoteError::Notes)? {
        None => Ok(AskedNoteFate::Proposed),
        Some(ChangeFate::Written) => Ok(AskedNoteFate::Written),
        Some(ChangeFate::Known) => Ok(AskedNoteFate::Known),
        Some(ChangeFate::Overtaken) => Err(AskedNoteError::Closed),
        Some(ChangeFate::Refused(why)) => {
            tracing::warn!(%why, "a note that was asked for could not be written");
            Err(AskedNoteError::Closed)
        }
    }
}

fn patch(note: AskedNote<'_>, person: &str, from: Vec<usize>) -> Patch {
    let words = note.words.to_owned();
    match note.topic {
        Some(topic) => Patch::Topic { name: topic.to_owned(), words, importance: None, from },
        None => Patch::Add {
            file: format!("people/{person}"),
            words,
            kind: FactKind::Fact,
            importance: None,
            from,
            since: None,
            until: None,
        },
    }
}

/// What they said here lately before those who hear them now, the messages in which they asked included; only what
/// something may be learnt from.
async fn said_by(parts: &WorkerParts, note: AskedNote<'_>) -> Result<Vec<StoredTurn>, HistoryError> {
    let query =
        RecentQuery { mode: None, max_turns: LOOKED_THROUGH, until: None, encoding: TokenEncoding::Estimate };
    let visible = Visible::only([note.place.told_to().clone()]);
    let mut turns = parts.history.seen_by(&visible).recent(&note.place.channel, query).await?;
    let config = parts.config.current();
    turns.retain(|turn| {
        let is_theirs =
            turn.author.as_ref().is_some_and(|author| author.account == *note.by && !author.is_bot);
        is_theirs && caller_in(&config, note.place, turn.author.as_ref()).change(&turn.audience).is_some()
    });
    Ok(turns)
}
