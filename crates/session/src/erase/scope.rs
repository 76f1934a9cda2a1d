//! What belongs to a request: in the stores, and in the sealed copies that earlier requests keep.
//!
//! A request for good reaches whatever it covers, in whosever copy it lies: a copy that holds nothing else is destroyed,
//! another is sealed anew without it, so that the rest can still be taken back. Start at [`resolve`].

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::sync::Arc;

use tokio::task::spawn_blocking;

use super::files;
use super::journal::{DoneEntry, Journal, JournalEntry, SealedCopy};
use super::posted::{self, Posted};
use super::request::{ForgetWhat, KeepCopy, Plan};
use super::stores::{EraseError, Forgotten, Stores};
use crate::clock::SystemClock;
use crate::domain::{AccountId, ChannelId, MessageId, StoredId};
use crate::history::{ForgetTurns, ForgetUntil, History, KeptTurn, SaidWords};
use crate::identity::Pairing;
use crate::memory::forget::{
    FactFound, ForgetError, ForgetNotes, NoteEdit, NotesPlan, chain_of, facts_of, planned, sparing,
    with_derived,
};
use crate::memory::store::{InvalidPath, NOTE_FOLDERS, NotePath};
use crate::text::echo::Echoes;
use crate::text::keywords::terms;

/// Everything a request covers in the stores.
#[derive(Debug)]
pub(super) struct ForgetScope {
    pub chosen: ForgetTurns,
    pub unwanted: ForgetNotes,
    pub notes: NotesPlan,
    /// What all of it said, to be found elsewhere.
    pub words: Arc<Echoes>,
    by_rule: Arc<Vec<SaidWords>>,
    /// What people said of it, where it is to go from sealed copies too.
    said: Echoes,
    /// What a person left behind besides.
    traces: usize,
    /// Messages of transcripts that hold any of it.
    pub transcripts: BTreeSet<MessageId>,
}

impl ForgetScope {
    /// How much that is in the stores.
    pub(super) fn plan(&self) -> Plan {
        Plan {
            messages: self.chosen.said.len(),
            replies: self.chosen.replies.len(),
            facts: self.notes.lines().count(),
            notes: self.notes.notes(),
            unread: self.notes.unread(),
            traces: self.traces,
            transcripts: self.transcripts.len(),
            copies: 0,
        }
    }

    /// For those who hold something of it in memory.
    pub(super) fn forgotten(&self) -> Forgotten {
        Forgotten {
            turns: Arc::new(self.chosen.turns().collect()),
            words: Arc::clone(&self.words),
            said: Arc::clone(&self.by_rule),
            people: self.unwanted.people.clone(),
        }
    }
}

/// What an order names; nothing where a tombstone asks, but what stands in the order itself.
impl JournalEntry {
    fn what(&self) -> Option<&ForgetWhat> {
        self.request.as_ref().map(|request| &request.what)
    }

    /// The accounts that are forgotten whole.
    pub(super) fn people(&self) -> BTreeSet<AccountId> {
        match self.what() {
            Some(ForgetWhat::Person(_)) => self.accounts.clone(),
            _ => BTreeSet::new(),
        }
    }

    /// The channel that is to be forgotten whole.
    pub(super) fn channel(&self) -> Option<&ChannelId> {
        match self.what() {
            Some(ForgetWhat::Channel(channel)) => Some(channel),
            _ => None,
        }
    }

    fn note(&self) -> Result<Option<NotePath>, InvalidPath> {
        match self.what() {
            Some(ForgetWhat::Topic(name)) => NotePath::new(format!("topics/{name}.md")).map(Some),
            Some(ForgetWhat::Note(path)) if path.is_note_in(&NOTE_FOLDERS) => Ok(Some(path.clone())),
            _ => Ok(None),
        }
    }

    /// What it covers by rule.
    fn said(&self) -> Vec<SaidWords> {
        let accounts = self.accounts.iter().cloned();
        match self.what() {
            Some(ForgetWhat::Person(_)) => accounts.map(SaidWords::By).collect(),
            Some(ForgetWhat::Words { words, .. }) => {
                accounts.map(|account| SaidWords::with(account, words)).collect()
            }
            Some(ForgetWhat::Channel(channel)) => vec![SaidWords::In(channel.clone())],
            Some(ForgetWhat::Fact(_) | ForgetWhat::Topic(_) | ForgetWhat::Note(_)) | None => Vec::new(),
        }
    }

    fn until(&self) -> ForgetUntil {
        ForgetUntil {
            at: self.at,
            newest: self.newest.map_or(0, |newest| newest.0),
            newest_pin: self.newest_pin.map_or(0, |newest| newest.0),
        }
    }

    /// Whether only what is by or about the person whose it is goes.
    fn is_ones_own(&self) -> bool {
        self.request.as_ref().is_some_and(|request| request.whose().is_some())
    }

    /// Those of these facts that it names by itself, besides what belongs to a person or was learnt from what goes.
    fn facts<'a>(&self, all: &'a [FactFound]) -> Vec<&'a FactFound> {
        let is_theirs = |fact: &FactFound| self.accounts.iter().any(|account| fact.is_of(account));
        match self.what() {
            Some(ForgetWhat::Person(_) | ForgetWhat::Channel(_)) | None => Vec::new(),
            Some(ForgetWhat::Words { words, .. }) => {
                let wanted: BTreeSet<String> = terms(words).into_iter().collect();
                let is_meant =
                    |fact: &&FactFound| !wanted.is_empty() && is_theirs(fact) && fact.holds(&wanted);
                all.iter().filter(is_meant).collect()
            }
            Some(ForgetWhat::Fact(id)) => {
                let mut chain = id.parse().map(|id| chain_of(all, &id)).unwrap_or_default();
                chain.retain(|fact| !self.is_ones_own() || is_theirs(fact));
                chain
            }
            Some(ForgetWhat::Topic(name)) => {
                let note = format!("topics/{name}.md");
                all.iter().filter(|fact| fact.path.as_str() == note).collect()
            }
            Some(ForgetWhat::Note(path)) => all.iter().filter(|fact| fact.path == *path).collect(),
        }
    }

    /// Whether a turn from which a fact that goes was learnt goes with it; what others said stays where somebody asks for
    /// themselves.
    fn is_evidence(&self, turn: &KeptTurn) -> bool {
        !self.is_ones_own() || self.accounts.iter().any(|account| turn.is_by(account))
    }
}

/// The turns that these facts were learnt from.
fn turns_of(facts: &[&FactFound]) -> BTreeSet<StoredId> {
    facts.iter().flat_map(|fact| fact.turns()).collect()
}

/// Looks up what an order covers, as things stand. What was already removed is not among it.
pub(super) async fn resolve(stores: &Stores, order: &JournalEntry) -> Result<ForgetScope, EraseError> {
    let Stores { home, history, traces, memory } = stores;
    let note = order.note()?;
    let store = Arc::clone(memory.whole().store);
    let all = spawn_blocking(move || facts_of(&store, |_| true)).await??;
    let named = order.facts(&all);
    let turns = history.whole().kept(turns_of(&named).into_iter().collect()).await?;
    let goes = turns.iter().filter(|turn| order.is_evidence(turn)).map(|turn| StoredId(turn.id));
    let besides = order.turns.iter().copied().chain(goes).collect();
    let mut said_alone: BTreeSet<String> = named.iter().flat_map(|fact| terms(&fact.words)).collect();
    // Whoever told it is named in all that they told.
    let names = turns.iter().filter_map(|turn| turn.author.as_ref());
    let names = names.flat_map(|(_, name, shown)| [name, shown]).flatten().flat_map(|name| terms(name));
    for name in names {
        said_alone.remove(&name);
    }
    let people = order.people();
    let mut answered = HashSet::new();
    for person in &people {
        answered.extend(traces.answered(person).await?);
    }
    let mut chosen = history.chosen(order.said(), besides, answered, order.until()).await?;
    chosen.pins.extend(&order.pins);
    let mut words = history.whole().echoes_of(chosen.turns().collect()).await?;
    let pinned = history.whole().pinned_words(chosen.pins.clone()).await?;
    pinned.iter().for_each(|text| words.take(text));
    let posted = posted::known_posted(home, None)?;
    // Each transcript says by itself which people are in it and which channel it is of.
    let may_be_posted = !posted.is_empty() && people.is_empty() && order.channel().is_none();
    let is_for_good = order.keep() == KeepCopy::Nothing;
    let turns = match is_for_good || may_be_posted {
        true => history.whole().kept(chosen.said.iter().copied().collect()).await?,
        false => Vec::new(),
    };
    let mut said = Echoes::default();
    if is_for_good {
        let texts = turns.iter().flat_map(KeptTurn::texts).chain(pinned.iter().map(String::as_str));
        texts.for_each(|text| said.take(text));
    }
    let answers = match may_be_posted {
        true => history.whole().kept(chosen.replies.iter().copied().collect()).await?,
        false => Vec::new(),
    };
    let is_aloud = |turn: &&KeptTurn| may_be_posted && turn.modality == "voice";
    let aloud = turns.iter().chain(&answers).filter(is_aloud).collect::<Vec<_>>();
    let transcripts = transcripts(posted, order, &aloud);
    let known = order.facts.iter().filter_map(|id| id.parse().ok());
    let unwanted = ForgetNotes {
        people,
        turns: chosen.turns().collect(),
        facts: named.iter().map(|fact| fact.id.clone()).chain(known).collect(),
        notes: note.into_iter().chain(order.notes.iter().cloned()).collect(),
        ..ForgetNotes::default()
    };
    let unwanted = match order.what() {
        // What goes along is looked for once, and from then on stands in the order.
        Some(ForgetWhat::Fact(_)) => {
            sparing(&all, unwanted, |fact| order.facts.is_empty() && fact.shares(&said_alone))
        }
        _ => unwanted,
    };
    // What was made of it, and of nothing else, goes with it.
    let unwanted = with_derived(&all, unwanted);
    let store = Arc::clone(memory.whole().store);
    let (unwanted, notes) = spawn_blocking(move || {
        let notes = planned(&store, &unwanted)?;
        Ok::<_, ForgetError>((unwanted, notes))
    })
    .await??;
    notes.words().for_each(|text| text.lines().for_each(|line| words.take(line)));
    let mut traces = chosen.pins.len();
    for person in &unwanted.people {
        traces += history.left_traces(person).await?.len();
        traces += usize::from(files::settled_with(home, person).is_some());
        let pairing = Pairing::of(home, Arc::new(SystemClock)).map_err(io::Error::other)?;
        pairing.personas_of(person).all().for_each(|persona| words.take(&persona.description));
    }
    if !unwanted.people.is_empty() {
        let is_names = |edit: &&NoteEdit| edit.after.is_some() && edit.lines.is_empty() && !edit.is_unread();
        traces += notes.edits.iter().filter(is_names).count();
    }
    let (words, by_rule) = (Arc::new(words), Arc::new(order.said()));
    Ok(ForgetScope { chosen, unwanted, notes, words, by_rule, said, traces, transcripts })
}

/// Messages of transcripts that hold words of a person, stand in a channel, or may hold what was said aloud.
fn transcripts(all: Vec<Posted>, order: &JournalEntry, aloud: &[&KeptTurn]) -> BTreeSet<MessageId> {
    let people: BTreeSet<String> = order.people().iter().map(ToString::to_string).collect();
    let channel = order.channel();
    let holds = |one: &Posted| {
        let is_in_channel = channel.is_some_and(|channel| one.channel == *channel);
        let may_hold = |turn: &&KeptTurn| {
            let by = turn.author.as_ref().map(|(by, ..)| by.as_str());
            one.may_hold(&turn.channel, by, turn.at_ms)
        };
        !one.people.is_disjoint(&people)
            || (!one.is_unwanted && (is_in_channel || aloud.iter().any(may_hold)))
    };
    all.into_iter().filter(holds).map(|one| one.message).collect()
}

/// A sealed copy that holds some of what a later request wants gone for good.
#[derive(Debug)]
pub(super) struct HeldCopy {
    pub done: DoneEntry,
    left: SealedCopy,
    /// What goes: its turns, and its notes.
    pub turns: Vec<KeptTurn>,
    pub notes: NotesPlan,
}

/// The copies that hold any of what an order covers, where it keeps none itself. Copies that cannot be opened are left out.
pub(super) async fn holding(
    history: &History,
    journal: &Journal,
    order: &JournalEntry,
    scope: &ForgetScope,
) -> Result<Vec<HeldCopy>, EraseError> {
    if order.request.is_none() || order.keep() == KeepCopy::SevenDays {
        return Ok(Vec::new());
    }
    let mut copies = Vec::new();
    for done in journal.done()? {
        copies.extend(journal.open(&done.id).ok().flatten().map(|copy| (done, copy)));
    }
    let told_again = told_again(history, &copies, order).await?;
    let unwanted = covered(&copies, order, scope, &told_again);
    let mut held = Vec::new();
    for (done, copy) in copies {
        let mut left = copy.clone();
        let turns = left.history.take_out(|row| unwanted.turns.contains(&StoredId(row)), &unwanted.people);
        for person in &unwanted.people {
            left.files.retain(|file| file.path != files::settled_path(person));
        }
        let (kept, notes) = left.notes.without(&unwanted)?;
        left.notes = kept;
        if left != copy {
            held.push(HeldCopy { done, left, turns, notes });
        }
    }
    Ok(held)
}

/// Takes it out of these copies, and destroys those that cannot be opened: nobody knows what is in them, and nobody gets it
/// back. Doing it again does nothing; a crash in the middle leaves a copy that cannot be opened.
pub(super) fn take_out_of_copies(journal: &Journal, held: &[HeldCopy]) -> Result<(), EraseError> {
    for HeldCopy { done, left, .. } in held {
        if left.history.says_something() || !(left.notes.edits.is_empty() && left.files.is_empty()) {
            journal.seal(&done.id, left)?;
            let turns = &left.history.turns;
            let replies = turns.iter().filter(|turn| turn.role == "assistant").count();
            let plan = Plan {
                messages: turns.len() - replies,
                replies,
                facts: left.notes.lines().count(),
                notes: left.notes.notes(),
                unread: left.notes.unread(),
                ..done.plan
            };
            journal.put_done(&DoneEntry { plan, ..done.clone() })?;
        } else {
            journal.remove_done(&done.id)?;
        }
    }
    for done in journal.done()? {
        if journal.open(&done.id).is_err() {
            journal.remove_done(&done.id)?;
        }
    }
    Ok(())
}

fn turns_in(copies: &[(DoneEntry, SealedCopy)]) -> Vec<&KeptTurn> {
    copies.iter().flat_map(|(_, copy)| &copy.history.turns).collect()
}

/// The familiar's own in these copies that tell again what a request covers. What they were said to may lie in any of them, or
/// still be stored.
async fn told_again(
    history: &History,
    copies: &[(DoneEntry, SealedCopy)],
    order: &JournalEntry,
) -> Result<HashSet<i64>, EraseError> {
    let (said, turns) = (order.said(), turns_in(copies));
    let mut told_again = HashSet::new();
    for &own in &turns {
        let may_tell = |said: &SaidWords| own.texts().any(|text| said.is_told_in(text));
        if own.role != "assistant" || !said.iter().any(may_tell) {
            continue;
        }
        let stored = history.whole().kept_near(own.clone(), order.until()).await?;
        let near = || stored.iter().chain(turns.iter().copied());
        if said.iter().any(|said| said.covers_answer(own, near())) {
            told_again.insert(own.id);
        }
    }
    Ok(told_again)
}

/// What of these copies a request covers, by the rules by which it covers what stands in the stores. They are looked at as one:
/// what passes a message on may lie in another copy than the message, and be passed on in a third.
fn covered(
    copies: &[(DoneEntry, SealedCopy)],
    order: &JournalEntry,
    in_stores: &ForgetScope,
    told_again: &HashSet<i64>,
) -> ForgetNotes {
    let turns = turns_in(copies);
    let facts: Vec<FactFound> = copies.iter().flat_map(|(_, copy)| copy.notes.facts_before()).collect();
    let (said, named) = (order.said(), order.facts(&facts));
    let learnt_from = turns_of(&named);
    let mut unwanted = in_stores.unwanted.clone();
    unwanted.facts.extend(named.into_iter().map(|fact| fact.id.clone()));
    let mut gone = in_stores.chosen.messages.clone();
    let mut words = in_stores.said.clone();
    loop {
        let is_asked_for = |turn: &&KeptTurn| {
            said.iter().any(|said| said.covers(turn))
                || (learnt_from.contains(&StoredId(turn.id)) && order.is_evidence(turn))
                || in_stores.unwanted.turns.contains(&StoredId(turn.id))
                || turn.forwards.as_ref().is_some_and(|of| gone.contains(of))
        };
        let asked: Vec<&KeptTurn> = turns.iter().copied().filter(is_asked_for).collect();
        asked.iter().flat_map(|turn| turn.texts()).for_each(|text| words.take(text));
        let is_answer = |turn: &&KeptTurn| {
            let is_next_to = |to: &&KeptTurn| turn.channel == to.channel && turn.ordinal == to.ordinal + 1;
            turn.role == "assistant"
                && (asked.iter().any(|to| is_next_to(to) || turn.replies_to(to))
                    || told_again.contains(&turn.id)
                    || words.are_repeated_in(&turn.content))
        };
        let answers = turns.iter().copied().filter(is_answer);
        let going: Vec<&KeptTurn> = asked.iter().copied().chain(answers).collect();
        gone.extend(going.iter().flat_map(|turn| turn.named()));
        let known = unwanted.turns.len();
        unwanted.turns.extend(going.iter().map(|turn| StoredId(turn.id)));
        if unwanted.turns.len() == known {
            return with_derived(&facts, unwanted);
        }
    }
}
