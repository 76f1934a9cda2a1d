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
use super::posted;
use super::request::{ForgetRequest, ForgetWhat, KeepCopy, Plan};
use super::stores::{EraseError, Forgotten, Stores};
use crate::clock::SystemClock;
use crate::domain::{AccountId, MessageId, StoredId};
use crate::history::{ForgetTurns, ForgetUntil, KeptMessage, KeptTurn};
use crate::identity::Pairing;
use crate::memory::forget::{
    FactFound, ForgetError, ForgetNotes, NoteEdit, NotesPlan, facts_of, planned, sparing, with_derived,
};
use crate::memory::store::{NOTE_FOLDERS, NotePath};
use crate::text::echo::Echoes;
use crate::text::keywords::terms;

/// Everything a request covers in the stores.
#[derive(Debug)]
pub(super) struct ForgetScope {
    /// How far the history went before it was looked up.
    pub newest: StoredId,
    pub chosen: ForgetTurns,
    /// The messages of what was chosen, as what passes one on names it.
    messages: BTreeSet<(String, String)>,
    pub unwanted: ForgetNotes,
    pub notes: NotesPlan,
    /// What all of it said, to be found elsewhere.
    pub words: Arc<Echoes>,
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
            facts: self.notes.facts(),
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
            people: self.unwanted.people.clone(),
        }
    }
}

/// Looks up what an order covers, as things stand. What was already removed is not among it.
pub(super) async fn resolve(stores: &Stores, order: &JournalEntry) -> Result<ForgetScope, EraseError> {
    let Stores { home, history, traces, memory } = stores;
    let newest = history.newest().await?;
    let request = order.request.as_ref();
    let note = request.map_or(Ok(None), named_note)?;
    let store = Arc::clone(memory.whole().store);
    let all = spawn_blocking(move || facts_of(&store, |_| true)).await??;
    let named = request.map(|request| request.facts(&all, &order.accounts)).unwrap_or_default();
    let learnt_from: BTreeSet<StoredId> = named.iter().flat_map(|fact| fact.turns()).collect();
    let mut besides = order.turns.clone();
    let mut said_alone: BTreeSet<String> = named.iter().flat_map(|fact| terms(&fact.words)).collect();
    if let Some(request) = request {
        let turns = history.whole().kept(learnt_from.iter().copied().collect()).await?;
        let goes = turns.iter().filter(|turn| request.is_evidence(turn, &learnt_from, &order.accounts));
        besides.extend(goes.map(|turn| StoredId(turn.id)));
        // Whoever told it is named in all that they told.
        let names = turns.iter().filter_map(|turn| turn.author.as_ref());
        let names = names.flat_map(|(_, name, shown)| [name, shown]).flatten().flat_map(|name| terms(name));
        for name in names {
            said_alone.remove(&name);
        }
    }
    let said = request.map(|request| request.said(&order.accounts)).unwrap_or_default();
    let people = order.people();
    let mut answered = HashSet::new();
    for person in &people {
        answered.extend(traces.answered(person).await?);
    }
    let until = ForgetUntil {
        at: order.at,
        newest: order.newest.map_or(0, |newest| newest.0),
        newest_pin: order.newest_pin.map_or(0, |newest| newest.0),
    };
    let mut chosen = history.chosen(said, besides, answered, until).await?;
    chosen.pins.extend(&order.pins);
    let messages = history.whole().messages_of(chosen.turns().collect()).await?;
    let mut words = history.whole().echoes_of(chosen.turns().collect()).await?;
    let pinned = history.whole().pinned_words(chosen.pins.clone()).await?;
    pinned.iter().for_each(|text| words.take(text));
    let known = order.facts.iter().filter_map(|id| id.parse().ok());
    let unwanted = ForgetNotes {
        people,
        turns: chosen.turns().collect(),
        facts: named.iter().map(|fact| fact.id.clone()).chain(known).collect(),
        notes: note.into_iter().chain(order.notes.iter().cloned()).collect(),
        ..ForgetNotes::default()
    };
    let unwanted = match request.map(|request| &request.what) {
        // What goes along is looked for once, and from then on stands in the order.
        Some(ForgetWhat::Fact(_)) => {
            sparing(&all, unwanted, |fact| order.facts.is_empty() && fact.shares(&said_alone))
        }
        _ => unwanted,
    };
    // What was made of it, and of nothing else, goes with it.
    let unwanted = with_derived(&all, &unwanted);
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
    let transcripts = transcripts(stores, order, &chosen).await?;
    Ok(ForgetScope { newest, chosen, messages, unwanted, notes, words: Arc::new(words), traces, transcripts })
}

/// The note that a request names.
fn named_note(request: &ForgetRequest) -> Result<Option<NotePath>, EraseError> {
    match &request.what {
        ForgetWhat::Topic(name) => Ok(Some(NotePath::new(format!("topics/{name}.md"))?)),
        ForgetWhat::Note(path) if path.is_note_in(&NOTE_FOLDERS) => Ok(Some(path.clone())),
        _ => Ok(None),
    }
}

/// Messages of transcripts that hold words of a person, stand in a channel, or may hold what was chosen.
async fn transcripts(
    stores: &Stores,
    order: &JournalEntry,
    chosen: &ForgetTurns,
) -> Result<BTreeSet<MessageId>, EraseError> {
    let all = posted::known_posted(&stores.home, None)?;
    if all.is_empty() {
        return Ok(BTreeSet::new());
    }
    let people: BTreeSet<String> = order.people().iter().map(ToString::to_string).collect();
    let channel = order.request.as_ref().and_then(ForgetRequest::channel);
    let aloud: Vec<KeptTurn> = match !people.is_empty() || channel.is_some() {
        true => Vec::new(),
        false => {
            let turns = stores.history.whole().kept(chosen.said.iter().copied().collect()).await?;
            turns.into_iter().filter(|turn| turn.modality == "voice").collect()
        }
    };
    let holds = |one: &posted::Posted| {
        let is_in_channel = channel.is_some_and(|channel| one.channel == *channel);
        let may_hold = |turn: &KeptTurn| {
            turn.author.as_ref().is_some_and(|(by, ..)| one.may_hold(&turn.channel, by, turn.at_ms))
        };
        !one.people.is_disjoint(&people)
            || (!one.is_unwanted && (is_in_channel || aloud.iter().any(may_hold)))
    };
    Ok(all.into_iter().filter(holds).map(|one| one.message).collect())
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
pub(super) fn holding(
    journal: &Journal,
    order: &JournalEntry,
    scope: &ForgetScope,
) -> Result<Vec<HeldCopy>, EraseError> {
    let Some(request) = order.request.as_ref().filter(|request| request.keep == KeepCopy::Nothing) else {
        return Ok(Vec::new());
    };
    let mut copies = Vec::new();
    for done in journal.done()? {
        copies.extend(journal.open(&done.id).ok().flatten().map(|copy| (done, copy)));
    }
    let all_covered = covered_in_all(&copies, request, &order.accounts, scope)?;
    let mut held = Vec::new();
    for ((done, copy), unwanted) in copies.into_iter().zip(all_covered) {
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
                facts: left.notes.facts(),
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

/// What of each copy a request covers. What passes a message on may lie in another copy than the message, and be passed on in a
/// third.
fn covered_in_all(
    copies: &[(DoneEntry, SealedCopy)],
    request: &ForgetRequest,
    accounts: &BTreeSet<AccountId>,
    scope: &ForgetScope,
) -> Result<Vec<ForgetNotes>, EraseError> {
    let mut gone = scope.messages.clone();
    loop {
        let all = copies.iter().map(|(_, copy)| covered(copy, request, accounts, &scope.unwanted, &gone));
        let all = all.collect::<Result<Vec<ForgetNotes>, EraseError>>()?;
        let mut stays: Vec<&KeptTurn> = Vec::new();
        for ((_, copy), unwanted) in copies.iter().zip(&all) {
            for turn in &copy.history.turns {
                if unwanted.turns.contains(&StoredId(turn.id)) {
                    gone.extend(turn.named());
                } else {
                    stays.push(turn);
                }
            }
        }
        if !stays.iter().any(|turn| turn.forwards.as_ref().is_some_and(|of| gone.contains(of))) {
            return Ok(all);
        }
    }
}

/// What of a copy a request covers, by the rules by which it covers what stands in the stores, where these messages go too.
fn covered(
    copy: &SealedCopy,
    request: &ForgetRequest,
    accounts: &BTreeSet<AccountId>,
    in_stores: &ForgetNotes,
    gone: &BTreeSet<(String, String)>,
) -> Result<ForgetNotes, EraseError> {
    let facts = copy.notes.facts_before();
    let named: Vec<&FactFound> = request.facts(&facts, accounts);
    let learnt_from: BTreeSet<StoredId> = named.iter().flat_map(|fact| fact.turns()).collect();
    let is_asked_for = |turn: &&KeptTurn| {
        request.covers(turn, accounts)
            || request.is_evidence(turn, &learnt_from, accounts)
            || in_stores.turns.contains(&StoredId(turn.id))
            || turn.forwards.as_ref().is_some_and(|of| gone.contains(of))
    };
    let asked: Vec<&KeptTurn> = copy.history.turns.iter().filter(is_asked_for).collect();
    let mut words = Echoes::default();
    asked.iter().flat_map(|turn| turn.texts()).for_each(|text| words.take(text));
    let answers = |turn: &&KeptTurn| {
        let replies_to = |to: &&KeptTurn| {
            let is_next = turn.channel == to.channel && turn.ordinal == to.ordinal + 1;
            is_next
                || turn
                    .reply_to
                    .as_ref()
                    .is_some_and(|id| to.messages.iter().any(|KeptMessage(own, ..)| own == id))
        };
        turn.role == "assistant" && (asked.iter().any(replies_to) || words.are_repeated_in(&turn.content))
    };
    let answers = copy.history.turns.iter().filter(answers);
    let turns = asked.iter().copied().chain(answers).map(|turn| StoredId(turn.id));
    let unwanted = ForgetNotes {
        people: in_stores.people.clone(),
        turns: turns.chain(in_stores.turns.iter().copied()).collect(),
        facts: named.iter().map(|fact| &fact.id).chain(&in_stores.facts).cloned().collect(),
        notes: named_note(request)?.into_iter().chain(in_stores.notes.iter().cloned()).collect(),
        spared: in_stores.spared.clone(),
    };
    Ok(with_derived(&facts, &unwanted))
}
