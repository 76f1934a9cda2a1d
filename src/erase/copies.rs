//! Sealed copies that earlier wishes keep, looked through for what a later one wants gone for good.
//!
//! Such a wish reaches whatever it covers, in whosever copy it lies: a copy that holds nothing else is destroyed, another
//! is sealed anew without it, so that the rest can still be taken back. Start at [`holding`].

use std::collections::BTreeSet;

use super::eraser::EraseError;
use super::files;
use super::order::{Done, Folder, Order};
use super::resolve::Scope;
use super::seal::{self, Sealed};
use super::wish::{Asker, Plan, What, Wish};
use crate::domain::{AccountId, StoredId};
use crate::history::KeptTurn;
use crate::memory::forget::{FactFound, NotesPlan, Unwanted, facts_under_among, with_derived_among};
use crate::memory::store::NotePath;
use crate::text::echo::Echoes;
use crate::text::keywords;

/// One copy that holds some of it.
#[derive(Debug)]
pub(super) struct Held {
    done: Done,
    left: Sealed,
    /// What goes: its turns, and its notes.
    pub turns: Vec<KeptTurn>,
    pub notes: NotesPlan,
}

/// The copies that hold any of what an order covers. Copies that cannot be opened are left out.
pub(super) fn holding(folder: &Folder, order: &Order, scope: &Scope) -> Result<Vec<Held>, EraseError> {
    let Some(wish) = &order.wish else { return Ok(Vec::new()) };
    let mut held = Vec::new();
    for done in folder.done()? {
        let Ok(Some(copy)) = seal::open(folder, &done.id) else { continue };
        let mut unwanted = covered(&copy, wish, scope);
        unwanted.turns.extend(answers(&copy, &unwanted.turns));
        let (left, turns, notes) = without(copy.clone(), &unwanted)?;
        if left != copy {
            held.push(Held { done, left, turns, notes });
        }
    }
    Ok(held)
}

/// Takes it out of these copies, and destroys those that cannot be opened: nobody knows what is in them, and nobody gets it
/// back. Doing it again does nothing; a crash in the middle leaves a copy that cannot be opened.
pub(super) fn take_out(folder: &Folder, held: &[Held]) -> Result<(), EraseError> {
    for Held { done, left, .. } in held {
        if says_something(left) {
            seal::seal_anew(folder, &done.id, left)?;
            folder.put_done(&Done { plan: counted(left, done.plan), ..done.clone() })?;
        } else {
            folder.remove_done(&done.id)?;
        }
    }
    for done in folder.done()? {
        if seal::open(folder, &done.id).is_err() {
            folder.remove_done(&done.id)?;
        }
    }
    Ok(())
}

/// What of a copy a wish covers, by the rules by which it covers what stands in the stores.
fn covered(copy: &Sealed, wish: &Wish, scope: &Scope) -> Unwanted {
    let facts = copy.notes.facts_before();
    let (mut ids, mut notes) = (BTreeSet::new(), BTreeSet::new());
    let mut chosen: Vec<&FactFound> = Vec::new();
    let is_said: Box<dyn Fn(&KeptTurn) -> bool> = match &wish.what {
        What::Person(person) => said_by(person),
        What::Channel(channel) => {
            let channel = channel.as_str().to_owned();
            Box::new(move |turn| turn.channel == channel)
        }
        What::Words { person, words } => {
            let wanted: BTreeSet<String> = keywords::terms(words).into_iter().collect();
            let holds = move |text: &str| {
                let held: BTreeSet<String> = keywords::terms(text).into_iter().collect();
                !wanted.is_empty() && wanted.is_subset(&held)
            };
            chosen.extend(facts.iter().filter(|fact| fact.is_of(person) && holds(&fact.words)));
            let is_theirs = said_by(person);
            Box::new(move |turn| is_theirs(turn) && holds(&turn.content))
        }
        What::Fact(id) => {
            chosen.extend(chain(&facts, id, &wish.by));
            Box::new(|_| false)
        }
        What::Topic(name) => {
            let note = NotePath::new(format!("topics/{name}.md")).ok();
            chosen.extend(facts.iter().filter(|fact| Some(&fact.path) == note.as_ref()));
            notes.extend(note);
            Box::new(|_| false)
        }
    };
    ids.extend(chosen.iter().map(|fact| fact.id.clone()));
    let learnt_from: BTreeSet<StoredId> = chosen.iter().flat_map(|fact| fact.turns()).collect();
    let asker = match (&wish.by, &wish.what) {
        (_, What::Words { person, .. }) | (Asker::Person(person), _) => Some(person.to_string()),
        (Asker::Operator, _) => None,
    };
    let is_evidence = |turn: &KeptTurn| {
        let is_theirs = asker.as_ref().is_none_or(|asker| author(turn) == Some(asker));
        is_theirs && learnt_from.contains(&StoredId(turn.id))
    };
    let turns = copy.turns.iter().filter(|turn| is_said(turn) || is_evidence(turn));
    let base = &scope.unwanted;
    let unwanted = Unwanted {
        person: match &wish.what {
            What::Person(person) => Some(person.clone()),
            _ => None,
        },
        turns: turns.map(|turn| StoredId(turn.id)).chain(base.turns.iter().copied()).collect(),
        facts: ids.into_iter().chain(base.facts.iter().cloned()).collect(),
        notes: notes.into_iter().chain(base.notes.iter().cloned()).collect(),
    };
    with_derived_among(&facts, &unwanted)
}

fn author(turn: &KeptTurn) -> Option<&String> {
    turn.author.as_ref().map(|(account, ..)| account)
}

fn said_by(person: &AccountId) -> Box<dyn Fn(&KeptTurn) -> bool> {
    let person = person.to_string();
    Box::new(move |turn| author(turn) == Some(&person))
}

/// A fact and those whose place it took, as far as they are the asker's.
fn chain<'a>(facts: &'a [FactFound], id: &str, by: &Asker) -> Vec<&'a FactFound> {
    let Ok(id) = id.parse() else { return Vec::new() };
    let mut chain = facts_under_among(facts, &id);
    if let Asker::Person(person) = by {
        chain.retain(|fact| fact.is_of(person));
    }
    chain
}

/// The familiar's own turns of a copy that answer these: by the platform's reply, as the next thing said, or because they
/// repeat five of their words in a row.
fn answers(copy: &Sealed, to: &BTreeSet<StoredId>) -> BTreeSet<StoredId> {
    let asked: Vec<&KeptTurn> = copy.turns.iter().filter(|turn| to.contains(&StoredId(turn.id))).collect();
    let mut words = Echoes::default();
    asked.iter().for_each(|turn| words.take(&turn.content));
    let is_answer = |turn: &&KeptTurn| {
        let replies = |to: &&&KeptTurn| {
            let is_next = turn.channel == to.channel && turn.ordinal == to.ordinal + 1;
            is_next || turn.reply_to.as_ref().is_some_and(|id| to.messages.iter().any(|(own, ..)| own == id))
        };
        turn.role == "assistant"
            && (asked.iter().any(|to| replies(&to)) || words.are_repeated_in(&turn.content))
    };
    copy.turns.iter().filter(is_answer).map(|turn| StoredId(turn.id)).collect()
}

/// A copy without what is unwanted; and the turns and notes that went.
fn without(mut copy: Sealed, unwanted: &Unwanted) -> Result<(Sealed, Vec<KeptTurn>, NotesPlan), EraseError> {
    let is_unwanted = |row: i64| unwanted.turns.contains(&StoredId(row));
    let (gone, left): (Vec<_>, Vec<_>) = copy.turns.into_iter().partition(|turn| is_unwanted(turn.id));
    copy.turns = left;
    copy.under.reactions.retain(|(row, _)| !is_unwanted(*row));
    copy.under.regards.retain(|(row, ..)| !is_unwanted(*row));
    if let Some(person) = &unwanted.person {
        let (account, settled) = (person.to_string(), files::settled_path(person));
        for turn in &mut copy.turns {
            turn.regards.retain(|(by, ..)| *by != account);
            turn.reactions.retain(|(by, ..)| *by != account);
        }
        copy.feelings.retain(|(towards, ..)| *towards != account);
        copy.under.reactions.retain(|(_, (by, ..))| *by != account);
        copy.under.regards.retain(|(_, by, ..)| *by != account);
        copy.comings.retain(|(_, by, ..)| *by != account);
        copy.files.retain(|file| file.path != settled);
    }
    let (notes, taken) = copy.notes.without(unwanted)?;
    copy.notes = notes;
    Ok((copy, gone, taken))
}

/// Whether there is anything to be taken back: answers to what is gone are none.
fn says_something(copy: &Sealed) -> bool {
    let Sealed { turns, feelings, under, comings, notes, files } = copy;
    turns.iter().any(|turn| turn.role != "assistant")
        || !(feelings.is_empty() && under.reactions.is_empty() && under.regards.is_empty())
        || !(comings.is_empty() && notes.edits.is_empty() && files.is_empty())
}

fn counted(copy: &Sealed, before: Plan) -> Plan {
    let replies = copy.turns.iter().filter(|turn| turn.role == "assistant").count();
    Plan {
        messages: copy.turns.len() - replies,
        replies,
        facts: copy.notes.facts(),
        notes: copy.notes.notes(),
        ..before
    }
}
