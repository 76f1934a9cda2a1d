//! The beginning of what a request covers, in its own words, for whoever may read all of it.
//!
//! Start reading at [`Preview`].

use std::collections::BTreeSet;

use super::files;
use super::scope::ForgetScope;
use super::stores::{EraseError, Stores};
use crate::domain::StoredId;
use crate::memory::facts::FactId;
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
    /// At most [`FIRST`] of each kind.
    pub(super) async fn of(stores: &Stores, scope: &ForgetScope) -> Result<Self, EraseError> {
        let ForgetScope { chosen, unwanted, notes, .. } = scope;
        let messages = newest(stores, &chosen.said).await?;
        let replies = newest(stores, &chosen.replies).await?;
        let whole = notes.edits.iter().filter(|edit| edit.is_whole_note());
        let settled = unwanted.people.iter().filter_map(|person| files::settled_with(&stores.home, person));
        Ok(Self {
            messages,
            replies,
            facts: some(notes.lines().map(|line| line.words.as_str())),
            fact_ids: notes.fact_ids().collect(),
            notes: some(whole.map(|edit| edit.path.as_str())),
            files: settled.map(|file| short(&file.text)).take(FIRST).collect(),
        })
    }
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
