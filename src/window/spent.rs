//! What answering each person has cost lately.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::messages;
use crate::domain::{AccountId, TurnTrace};
use crate::trace::render::{as_dollars, total_cost};

/// So many people are told of, those who cost most.
const PEOPLE: usize = 20;

/// A person's part.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SpentRow {
    pub name: String,
    pub turns: usize,
    pub cost: String,
}

/// By person, of these turns, the dearest first. What was said to several at once is shared out among them; what nobody asked
/// for is the program's.
pub(super) fn spent_on(traces: &[Arc<TurnTrace>], names: &HashMap<AccountId, String>) -> Vec<SpentRow> {
    let mut spent: BTreeMap<Option<&str>, (usize, f64)> = BTreeMap::new();
    for trace in traces {
        let Some(cost) = total_cost(trace).filter(|cost| *cost > 0.0) else { continue };
        let whom: Vec<Option<&str>> = match trace.authors.len() {
            0 => vec![None],
            _ => trace.authors.iter().map(|author| Some(author.as_str())).collect(),
        };
        for one in &whom {
            let (turns, usd) = spent.entry(*one).or_default();
            *turns += 1;
            *usd += cost / whom.len() as f64;
        }
    }
    let mut spent: Vec<(Option<&str>, (usize, f64))> = spent.into_iter().collect();
    spent.sort_by(|(_, (_, one)), (_, (_, other))| other.total_cmp(one));
    spent.truncate(PEOPLE);
    let name = |account: &str| {
        let known = account.parse().ok().and_then(|account: AccountId| names.get(&account).cloned());
        known.unwrap_or_else(|| account.to_owned())
    };
    let row = |(whom, (turns, usd)): (Option<&str>, (usize, f64))| SpentRow {
        name: whom.map_or_else(|| messages::UNASKED.to_owned(), name),
        turns,
        cost: as_dollars(usd),
    };
    spent.into_iter().map(row).collect()
}
