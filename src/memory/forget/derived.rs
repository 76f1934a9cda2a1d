//! What was made of facts goes with the last of them (specs mechanisms G2, "blast radius"): the edges `derived_from` and
//! `synthesized_into` of the graph, read from the notes themselves, so that it holds wherever no graph runs.

use std::collections::BTreeSet;

use super::find::{FactFound, facts_of};
use super::{ForgetError, Unwanted};
use crate::memory::facts::Evidence;
use crate::memory::store::MemoryStore;

/// The same with the facts that rest on nothing else any more, and those that rest on these. What has other evidence stays.
/// Blocks.
///
/// # Errors
/// When the folder cannot be looked at.
pub fn with_derived(store: &MemoryStore, unwanted: &Unwanted) -> Result<Unwanted, ForgetError> {
    Ok(with_derived_among(&facts_of(store, |_| true)?, unwanted))
}

/// The same among these facts, where they stand in no folder any more.
#[must_use]
pub fn with_derived_among(all: &[FactFound], unwanted: &Unwanted) -> Unwanted {
    let there: BTreeSet<String> = all.iter().map(name).collect();
    let goes = |fact: &FactFound| unwanted.covers(&fact.data) || unwanted.covers_note(&fact.path);
    let mut gone: BTreeSet<String> = all.iter().filter(|fact| goes(fact)).map(name).collect();
    let mut more = unwanted.clone();
    loop {
        let rests_on_nothing = |fact: &&FactFound| {
            let made_of: Vec<String> = fact.data.from.iter().filter_map(|from| part(fact, from)).collect();
            let is_gone = |part: &String| gone.contains(part) || !there.contains(part);
            !gone.contains(&name(fact))
                && made_of.len() == fact.data.from.len()
                && made_of.iter().any(|part| gone.contains(part))
                && made_of.iter().all(is_gone)
        };
        let next: Vec<&FactFound> = all.iter().filter(rests_on_nothing).collect();
        if next.is_empty() {
            return more;
        }
        let names: Vec<String> = next.iter().map(|fact| name(fact)).collect();
        more.facts.extend(next.into_iter().map(|fact| fact.id.clone()));
        gone.extend(names);
    }
}

/// A fact as others name it.
fn name(fact: &FactFound) -> String {
    format!("{}#{}", fact.path, fact.id)
}

/// The fact that this evidence names: `f:<note>#<id>`, or the id alone within one note.
fn part(fact: &FactFound, from: &Evidence) -> Option<String> {
    let Evidence::Other(other) = from else { return None };
    let part = other.strip_prefix("f:")?;
    Some(if part.contains('#') { part.to_owned() } else { format!("{}#{part}", fact.path) })
}
