//! What of all stores belongs to a wish.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::eraser::{EraseError, Stores, blocking};
use super::files;
use super::living::Forgotten;
use super::order::Order;
use super::posted::{self, Spoken};
use super::wish::{Asker, Plan, What};
use crate::domain::{AccountId, ChannelId, MessageId, StoredId};
use crate::history::{Chosen, Said};
use crate::memory::forget::{
    FactFound, ForgetError, NotesPlan, Unwanted, facts_of, facts_under, planned, with_derived,
};
use crate::memory::store::NotePath;
use crate::text::echo::Echoes;
use crate::text::keywords;

/// Everything a wish covers.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub person: Option<AccountId>,
    pub chosen: Chosen,
    pub unwanted: Unwanted,
    pub notes: NotesPlan,
    /// What all of it said, to be found elsewhere.
    pub words: Arc<Echoes>,
    /// What a person left behind besides.
    pub traces: usize,
    /// Messages of transcripts that hold any of it.
    pub transcripts: BTreeSet<MessageId>,
}

impl Scope {
    pub fn plan(&self) -> Plan {
        Plan {
            messages: self.chosen.said.len(),
            replies: self.chosen.replies.len(),
            facts: self.notes.facts(),
            notes: self.notes.notes(),
            traces: self.traces,
            transcripts: self.transcripts.len(),
            copies: 0,
        }
    }

    pub fn turns(&self) -> BTreeSet<StoredId> {
        self.chosen.turns().collect()
    }

    /// For those who hold something of it in memory.
    pub fn forgotten(&self) -> Forgotten {
        Forgotten {
            turns: Arc::new(self.turns()),
            words: Arc::clone(&self.words),
            person: self.person.clone(),
        }
    }
}

/// Looks up what an order covers, as things stand. What was already removed is not among it.
pub(super) async fn resolve(stores: &Stores, order: &Order) -> Result<Scope, EraseError> {
    let wish = order.wish.as_ref();
    let (person, said, facts, notes) = match wish.map(|wish| (&wish.what, &wish.by)) {
        Some((What::Person(person), _)) => {
            (Some(person.clone()), Said::By(person.clone()), Vec::new(), BTreeSet::new())
        }
        Some((What::Channel(channel), _)) => (None, Said::In(channel.clone()), Vec::new(), BTreeSet::new()),
        Some((What::Words { person, words }, _)) => {
            let facts = facts_with(stores, person, words).await?;
            (None, Said::With(person.clone(), words.clone()), facts, BTreeSet::new())
        }
        Some((What::Fact(id), by)) => {
            let facts = fact(stores, id, by).await?;
            let said = Said::These(evidence(stores, &facts, by).await?);
            (None, said, facts, BTreeSet::new())
        }
        Some((What::Topic(name), by)) => {
            let note = NotePath::new(format!("topics/{name}.md"))?;
            let path = note.clone();
            let facts = found(stores, move |fact| fact.path == path).await?;
            let said = Said::These(evidence(stores, &facts, by).await?);
            (None, said, facts, BTreeSet::from([note]))
        }
        None => (None, Said::These(Vec::new()), Vec::new(), BTreeSet::new()),
    };
    let answered = match &person {
        Some(person) => stores.traces.answered(person).await?,
        None => std::collections::HashSet::new(),
    };
    let history = &stores.history;
    let mut chosen = history.chosen(said, answered, order.at).await?;
    let known: Vec<StoredId> =
        order.turns.iter().copied().chain(evidence_of_words(stores, wish, &facts).await?).collect();
    let known = history.chosen(Said::These(known), std::collections::HashSet::new(), order.at).await?;
    join(&mut chosen, known);
    let own = Arc::new(history.words_of(chosen.said.iter().copied().collect()).await?);
    for repeats in history.repeating(own).await? {
        if !chosen.said.contains(&repeats) {
            chosen.replies.insert(repeats);
        }
    }
    let unwanted = Unwanted {
        person: person.clone(),
        turns: chosen.turns().collect(),
        facts: facts.iter().map(|fact| fact.id.clone()).chain(order.fact_ids()).collect(),
        notes: notes.into_iter().chain(order.notes.iter().cloned()).collect(),
    };
    let store = Arc::clone(&stores.memory.store);
    let (unwanted, notes) = blocking(move || {
        // What was made of it, and of nothing else, goes with it.
        let unwanted = with_derived(&store, &unwanted)?;
        let notes = planned(&store, &unwanted)?;
        Ok::<_, ForgetError>((unwanted, notes))
    })
    .await??;
    let mut words = history.echoes_of(chosen.turns().collect()).await?;
    notes.words().for_each(|text| text.lines().for_each(|line| words.take(line)));
    let traces = match &person {
        Some(person) => traces(stores, person, order, &notes).await?,
        None => 0,
    };
    let transcripts = transcripts(stores, wish.map(|wish| &wish.what), &chosen).await?;
    Ok(Scope { person, chosen, unwanted, notes, words: Arc::new(words), traces, transcripts })
}

/// What a person left behind besides what they said and what is noted of them.
async fn traces(
    stores: &Stores,
    person: &AccountId,
    order: &Order,
    notes: &NotesPlan,
) -> Result<usize, EraseError> {
    let left = stores.history.left_traces(person, order.at).await?;
    let names = notes.edits.iter().filter(|edit| edit.after.is_some() && edit.lines.is_empty()).count();
    Ok(left + names + usize::from(files::settled_with(&stores.home, person).is_some()))
}

/// Messages of transcripts that hold words of a person, stand in a channel, or may hold what was chosen.
async fn transcripts(
    stores: &Stores,
    what: Option<&What>,
    chosen: &Chosen,
) -> Result<BTreeSet<MessageId>, EraseError> {
    let all = posted::known(&stores.home, None)?;
    if all.is_empty() {
        return Ok(BTreeSet::new());
    }
    match what {
        Some(What::Person(person)) => {
            let person = person.to_string();
            let theirs = all.into_iter().filter(|one| one.people.contains(&person));
            Ok(theirs.map(|one| one.message).collect())
        }
        Some(What::Channel(channel)) => {
            let there = all.into_iter().filter(|one| one.channel == *channel && !one.is_unwanted);
            Ok(there.map(|one| one.message).collect())
        }
        Some(What::Fact(_) | What::Topic(_) | What::Words { .. }) | None => {
            let turns = stores.history.kept(chosen.said.iter().copied().collect()).await?;
            let aloud = turns.into_iter().filter(|turn| turn.modality == "voice");
            let spoken: Vec<Spoken> = aloud
                .filter_map(|turn| {
                    let (by, ..) = turn.author?;
                    Some(Spoken { channel: turn.channel, by, at_ms: turn.at_ms })
                })
                .collect();
            Ok(posted::holding(&stores.home, &spoken)?)
        }
    }
}

fn join(chosen: &mut Chosen, more: Chosen) {
    chosen.said.extend(more.said);
    chosen.replies.extend(more.replies);
    chosen.channels.extend(more.channels);
    let said = chosen.said.clone();
    chosen.replies.retain(|reply| !said.contains(reply));
}

async fn found(
    stores: &Stores,
    is_wanted: impl Fn(&FactFound) -> bool + Send + 'static,
) -> Result<Vec<FactFound>, EraseError> {
    let store = Arc::clone(&stores.memory.store);
    Ok(blocking(move || facts_of(&store, is_wanted)).await??)
}

/// The facts by or about a person that hold all the words.
async fn facts_with(stores: &Stores, person: &AccountId, words: &str) -> Result<Vec<FactFound>, EraseError> {
    let wanted: BTreeSet<String> = keywords::terms(words).into_iter().collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let person = person.clone();
    found(stores, move |fact| fact.is_of(&person) && fact.holds(&wanted)).await
}

/// A fact and those whose place it took, as far as they are the asker's.
async fn fact(stores: &Stores, id: &str, by: &Asker) -> Result<Vec<FactFound>, EraseError> {
    let Ok(id) = id.parse() else { return Ok(Vec::new()) };
    let store = Arc::clone(&stores.memory.store);
    let mut facts = blocking(move || facts_under(&store, &id)).await??;
    if let Asker::Person(person) = by {
        facts.retain(|fact| fact.is_of(person));
    }
    Ok(facts)
}

/// The messages facts were learnt from; of a person's wish only their own.
async fn evidence(stores: &Stores, facts: &[FactFound], by: &Asker) -> Result<Vec<StoredId>, EraseError> {
    let turns: Vec<StoredId> = facts.iter().flat_map(FactFound::turns).collect();
    let Asker::Person(person) = by else { return Ok(turns) };
    let account = person.to_string();
    let kept = stores.history.kept(turns).await?;
    let is_theirs =
        |turn: &crate::history::KeptTurn| turn.author.as_ref().is_some_and(|(by, ..)| *by == account);
    Ok(kept.into_iter().filter(is_theirs).map(|turn| StoredId(turn.id)).collect())
}

/// What the facts found by words were learnt from, besides the messages that hold the words.
async fn evidence_of_words(
    stores: &Stores,
    wish: Option<&super::wish::Wish>,
    facts: &[FactFound],
) -> Result<Vec<StoredId>, EraseError> {
    match wish.map(|wish| &wish.what) {
        Some(What::Words { person, .. }) => evidence(stores, facts, &Asker::Person(person.clone())).await,
        _ => Ok(Vec::new()),
    }
}

/// The channels of a set of turns that were chosen.
pub(super) fn channels(scope: &Scope) -> &BTreeSet<ChannelId> {
    &scope.chosen.channels
}
