//! The beginning of what a request covers, in its own words, for whoever may read all of it.
//!
//! Start reading at [`Preview`].

use std::collections::BTreeSet;

use super::files;
use super::scope::ForgetScope;
use super::stores::{EraseError, Stores};
use crate::domain::StoredId;
use crate::memory::facts::{FactData, FactId};
use crate::text::short::{one_line, shortened};

/// So many of each kind of what goes are shown by their words, and so much of each, in characters.
pub const FIRST: usize = 5;
const FIRST_CHARS: usize = 160;

/// Some of each kind of what a request covers, each on one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preview {
    /// What was said, the newest first.
    pub messages: Vec<String>,
    /// The familiar's own, in answer to them, the newest first.
    pub replies: Vec<String>,
    pub facts: Vec<String>,
    /// All facts that go, by their ids: for whoever may not read all of it.
    pub fact_ids: BTreeSet<FactId>,
    /// Notes that go whole, by their paths.
    pub notes: Vec<String>,
    /// What was settled with a person.
    pub files: Vec<String>,
}

impl Preview {
    /// At most [`FIRST`] of each kind; what several of these cover stands there once.
    pub(super) async fn of(stores: &Stores, scopes: &[ForgetScope]) -> Result<Self, EraseError> {
        let (said, replies) = turns_of(scopes);
        let messages = newest(stores, &said).await?;
        let replies = newest(stores, &replies).await?;
        Ok(Self { messages, replies, ..Self::besides_turns(stores, scopes) })
    }

    fn besides_turns(stores: &Stores, scopes: &[ForgetScope]) -> Self {
        let edits = || scopes.iter().flat_map(|scope| &scope.notes.edits);
        let people = scopes.iter().filter_map(|scope| scope.person.as_ref());
        let settled = people.filter_map(|person| files::settled_with(&stores.home, person));
        Self {
            fact_ids: edits()
                .flat_map(|edit| &edit.lines)
                .filter_map(|line| line.data.parse::<FactData>().ok()?.id)
                .collect(),
            facts: some(edits().flat_map(|edit| &edit.lines).map(|line| line.words.as_str())),
            notes: some(edits().filter(|edit| edit.is_whole_note()).map(|edit| edit.path.as_str())),
            files: settled.map(|file| short(&file.text)).take(FIRST).collect(),
            ..Self::default()
        }
    }
}

/// What was said, and the familiar's own that answers it.
fn turns_of(scopes: &[ForgetScope]) -> (BTreeSet<StoredId>, BTreeSet<StoredId>) {
    let said: BTreeSet<StoredId> =
        scopes.iter().flat_map(|scope| scope.chosen.said.iter().copied()).collect();
    let replies = scopes.iter().flat_map(|scope| scope.chosen.replies.iter().copied());
    let replies = replies.filter(|reply| !said.contains(reply)).collect();
    (said, replies)
}

/// For each that is shown so many are looked at: whoever takes much back has some left.
const LOOKED_AT: usize = 8;

/// The words of the newest of these turns; of those that were taken back there are none.
async fn newest(stores: &Stores, turns: &BTreeSet<StoredId>) -> Result<Vec<String>, EraseError> {
    let newest = turns.iter().rev().take(FIRST * LOOKED_AT).copied().collect();
    let mut kept = stores.history.whole().kept(newest).await?;
    kept.sort_by_key(|turn| std::cmp::Reverse(turn.id));
    let words = kept.into_iter().map(|turn| turn.content).filter(|words| !words.trim().is_empty());
    Ok(words.take(FIRST).map(|words| short(&words)).collect())
}

fn some<'a>(all: impl Iterator<Item = &'a str>) -> Vec<String> {
    all.collect::<BTreeSet<&str>>().into_iter().take(FIRST).map(short).collect()
}

fn short(words: &str) -> String {
    shortened(&one_line(words), FIRST_CHARS)
}
