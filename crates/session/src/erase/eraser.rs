//! Carrying requests out, store by store, and taking them back.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;
use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use super::journal::{DoneEntry, Journal, JournalEntry, SealedCopy, UNDO};
use super::preview::Preview;
use super::request::{Asker, ForgetRequest, ForgetWhat, KeepCopy, Plan};
use super::scope::{ForgetScope, HeldCopy, holding, resolve, take_out_of_copies};
use super::stores::{EraseError, Forgotten, Stores};
use super::tombstone::{self, Tombstone};
use super::{files, posted};
use crate::clock::{SharedClock, SystemClock};
use crate::config::{FamiliarHome, forget_in_calls};
use crate::domain::{AccountId, StoredId};
use crate::embedding::forget_turns;
use crate::history::{OwnTurns, PlacedResponse};
use crate::home::if_there;
use crate::identity::Pairing;
use crate::memory::forget::{forget_in_notes, put_back};
use crate::memory::people::{JoinPlan, finish_joining, join, part, plan_join};
use crate::memory::store::MemoryStore;
use crate::trace::ErasedWords;

/// Forgets. One at a time; share it in an `Arc`.
#[derive(Debug)]
pub struct Eraser {
    stores: Stores,
    living: Arc<dyn Living>,
    clock: SharedClock,
    pub(super) journal: Journal,
    one_at_a_time: Mutex<()>,
}

impl Eraser {
    /// Over these stores, telling `living` what is let go of.
    pub fn new(stores: Stores, living: Arc<dyn Living>, clock: SharedClock) -> Self {
        let journal = Journal::of(&stores.home, *stores.history.salt());
        Self { stores, living, clock, journal, one_at_a_time: Mutex::default() }
    }

    /// How much a request covers. Changes nothing.
    pub async fn plan(&self, request: &ForgetRequest) -> Result<Plan, EraseError> {
        Ok(self.look(&self.order(request).await?).await?.0)
    }

    /// The same, with the first of it in its own words: for whoever may read all of it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn preview(&self, request: &ForgetRequest) -> Result<(Plan, Preview), EraseError> {
        let (plan, scope) = self.look(&self.order(request).await?).await?;
        Ok((plan, Preview::of(&self.stores, &scope).await?))
    }

    async fn look(&self, order: &JournalEntry) -> Result<(Plan, ForgetScope), EraseError> {
        let scope = resolve(&self.stores, order).await?;
        let copies = holding(&self.stores.history, &self.journal, order, &scope).await?.len();
        Ok((Plan { copies, ..scope.plan() }, scope))
    }

    /// What a person said that is stored, the newest first, at most so many, and so many bytes: for them and nobody else.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn own_turns(
        &self,
        person: &AccountId,
        most: u32,
        bytes: usize,
    ) -> Result<OwnTurns, EraseError> {
        Ok(self.stores.history.whole().own_turns(person, most, bytes).await?)
    }

    /// What a person did with replies, as far as it was counted: for them and nobody else.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn own_responses(&self, person: &AccountId) -> Result<Vec<PlacedResponse>, EraseError> {
        Ok(self.stores.history.whole().all_responses(Some(person)).await?)
    }

    /// Carries a request out. It is written down first: once this has begun, it is done, at the latest after the next start.
    pub async fn forget(&self, request: ForgetRequest) -> Result<Plan, EraseError> {
        let _one = self.one_at_a_time.lock().await;
        // A person may be known by name and nothing else, and of a channel there may be nothing left but what was posted.
        let may_cover_more = matches!(request.what, ForgetWhat::Person(_) | ForgetWhat::Channel(_));
        let mut order = self.order(&request).await?;
        let (plan, scope) = self.look(&order).await?;
        if plan.is_empty() && !may_cover_more {
            return Ok(plan);
        }
        order.turns = scope.chosen.turns().collect();
        order.facts = scope.unwanted.facts.iter().map(ToString::to_string).collect();
        order.notes = scope.unwanted.notes.clone();
        order.plan = plan;
        self.journal.put_order(&order)?;
        self.carry_out(&order, &scope).await?;
        Ok(plan)
    }

    /// From now on one account is another's too, and what was noted of both stands in one note.
    pub async fn join(&self, kept: &AccountId, other: &AccountId) -> Result<JoinPlan, EraseError> {
        let _one = self.one_at_a_time.lock().await;
        let (store, kept, other) = (self.store(), kept.clone(), other.clone());
        Ok(spawn_blocking(move || join(&store, &kept, &other)).await??)
    }

    /// What that would do. Changes nothing.
    pub async fn plan_join(&self, kept: &AccountId, other: &AccountId) -> Result<JoinPlan, EraseError> {
        let (store, kept, other) = (self.store(), kept.clone(), other.clone());
        Ok(spawn_blocking(move || plan_join(&store, &kept, &other)).await??)
    }

    /// From now on they are two again; what was noted stays in the one note. Whether they were one.
    pub async fn part(&self, kept: &AccountId, other: &AccountId) -> Result<bool, EraseError> {
        let _one = self.one_at_a_time.lock().await;
        let (store, kept, other) = (self.store(), kept.clone(), other.clone());
        Ok(spawn_blocking(move || part(&store, &kept, &other)).await??)
    }

    fn store(&self) -> Arc<MemoryStore> {
        Arc::clone(self.stores.memory.whole().store)
    }

    /// At a start, and once a day: finishes what was begun, forgets again what an old backup brought back, and destroys the
    /// copies that are older than seven days. How many requests were finished.
    pub async fn tidy(&self) -> Result<usize, EraseError> {
        let _one = self.one_at_a_time.lock().await;
        self.journal.sweep(self.clock.now())?;
        let store = self.store();
        let mut finished = spawn_blocking(move || finish_joining(&store)).await??;
        for mut order in self.journal.orders()? {
            // An earlier version did not write the accounts down; what is carried out takes away whose they are.
            if let (true, Some(request)) = (order.accounts.is_empty(), &order.request) {
                order.accounts = self.accounts_of(request).await;
                self.journal.put_order(&order)?;
            }
        }
        for order in self.journal.orders()? {
            let scope = resolve(&self.stores, &order).await?;
            self.carry_out(&order, &scope).await?;
            finished += 1;
        }
        for done in self.journal.done()?.into_iter().rev().filter(|done| done.undoing) {
            self.put_back(&done).await?;
            finished += 1;
        }
        if let Some(order) = tombstone::come_back(&self.stores, &self.journal).await? {
            let scope = resolve(&self.stores, &order).await?;
            self.journal.put_order(&order)?;
            self.carry_out(&order, &scope).await?;
            finished += 1;
        }
        Ok(finished)
    }

    /// What this asker could take back now: the newest request, if there is one.
    pub fn undoable(&self, by: &Asker) -> Result<Option<Plan>, EraseError> {
        Ok(self.newest_of(by)?.map(|done| done.plan))
    }

    /// Takes back the newest request of this asker that still can be; `None` where there is none. What comes back is what had
    /// gone, without records of turns; summaries are made anew. Trying again does what is left.
    pub async fn undo(&self, by: &Asker) -> Result<Option<Plan>, EraseError> {
        let _one = self.one_at_a_time.lock().await;
        let Some(newest) = self.newest_of(by)? else { return Ok(None) };
        let mut all = self.journal.done()?;
        all.retain(|done| done.whole() == newest.whole());
        for done in &all {
            self.journal.put_done(&DoneEntry { undoing: true, ..done.clone() })?;
        }
        // What went last comes back first: it was taken out of what the others had left.
        for done in all.iter().rev() {
            self.put_back(done).await?;
        }
        Ok(Some(newest.plan))
    }

    fn newest_of(&self, by: &Asker) -> Result<Option<DoneEntry>, EraseError> {
        let (by, now) = (self.journal.asker(by), self.clock.now());
        let is_theirs = |done: &DoneEntry| done.by == by || done.accounts.contains(&by);
        let own = self.journal.done()?.into_iter().filter(|done| is_theirs(done) && done.until >= now);
        Ok(own.max_by_key(|done| done.at))
    }

    async fn put_back(&self, done: &DoneEntry) -> Result<(), EraseError> {
        let Stores { home, history, memory, .. } = &self.stores;
        if let Some(copy) = self.journal.open(&done.id)? {
            // First of all: what comes back must not be forgotten again at the next start.
            tombstone::remove_tombstone(&self.journal, &done.id)?;
            history.put_share(copy.history).await?;
            let store = Arc::clone(memory.whole().store);
            spawn_blocking(move || put_back(&store, &copy.notes)).await??;
            for file in &copy.files {
                files::put_back(home, file)?;
            }
            memory.whole().index.keep_up().await?;
            self.living.done(&Forgotten::default()).await;
        }
        Ok(self.journal.remove_done(&done.id)?)
    }

    /// A request as it is carried out.
    async fn order(&self, request: &ForgetRequest) -> Result<JournalEntry, EraseError> {
        if !request.is_allowed() {
            return Err(EraseError::NotTheirs);
        }
        Ok(JournalEntry {
            newest: Some(self.stores.history.newest().await?),
            newest_pin: Some(self.stores.history.newest_pin().await?),
            accounts: self.accounts_of(request).await,
            ..JournalEntry::new(self.clock.now(), Some(request.clone()))
        })
    }

    /// All accounts of the person whose it is; none where it is nobody's.
    async fn accounts_of(&self, request: &ForgetRequest) -> BTreeSet<AccountId> {
        match request.whose() {
            Some(person) => self.stores.memory.accounts_of(person).await.into_iter().collect(),
            None => BTreeSet::new(),
        }
    }

    /// Each step does nothing when it was done before, and none undoes an earlier one: a crash between two is healed by
    /// doing all of them again.
    async fn carry_out(&self, order: &JournalEntry, looked_up: &ForgetScope) -> Result<(), EraseError> {
        let mut forgotten = looked_up.forgotten();
        self.living.let_go(&forgotten).await;
        // What was being said or noted meanwhile is covered too, if it was stored by now.
        let removed = match resolve(&self.stores, order).await {
            Ok(scope) => {
                forgotten = scope.forgotten();
                self.keep_and_remove(order, &scope, &forgotten).await
            }
            Err(error) => Err(error),
        };
        // Whatever became of it: whoever waits must not wait for the next start.
        self.living.done(&forgotten).await;
        self.stores.traces.forgotten(self.clock.now());
        removed?;
        if let Some(request) = order.request.as_ref().filter(|request| request.keep == KeepCopy::SevenDays) {
            self.journal.put_done(&DoneEntry {
                id: order.id.clone(),
                at: order.at,
                until: order.at.checked_add(UNDO).unwrap_or(Timestamp::MAX),
                by: self.journal.asker(&request.by),
                accounts: match &request.by {
                    Asker::Operator => BTreeSet::new(),
                    Asker::Person(_) => order.accounts.iter().map(|own| self.journal.account(own)).collect(),
                },
                plan: order.plan,
                undoing: false,
                with: order.with.clone(),
            })?;
        }
        Ok(self.journal.remove_order(&order.id)?)
    }

    /// Writes down that it is forgotten, seals the copy where one is wanted, and takes it out of every store.
    async fn keep_and_remove(
        &self,
        order: &JournalEntry,
        scope: &ForgetScope,
        forgotten: &Forgotten,
    ) -> Result<(), EraseError> {
        let Stores { home, history, traces, memory } = &self.stores;
        // Of whom whatever else there is goes too.
        let people = if order.request.is_some() { &scope.unwanted.people } else { &order.accounts };
        let turns: Vec<StoredId> = scope.chosen.turns().collect();
        let words = Arc::clone(&scope.words);
        let share = history.whole().kept_share(turns.clone(), people.clone(), words).await?;
        if order.request.is_some() {
            let held: Vec<HeldCopy> = holding(history, &self.journal, order, scope).await?;
            let gone: Vec<_> = share.turns.iter().chain(held.iter().flat_map(|copy| &copy.turns)).collect();
            let notes: Vec<_> =
                [&scope.notes].into_iter().chain(held.iter().map(|copy| &copy.notes)).collect();
            let mut left = Vec::new();
            for person in people {
                left.extend(history.left_traces(person).await?.into_iter().map(|at_ms| (person, at_ms)));
            }
            let mut pins = history.whole().unstored_pins().await?;
            pins.retain(|pin| scope.chosen.pins.contains(&pin.id));
            // From here on an old backup cannot bring it back, whatever happens next.
            let tombstone = Tombstone::of(&self.journal, order, &gone, &notes, &left, &pins);
            tombstone::add_tombstone(&self.journal, tombstone)?;
            if order.keep() == KeepCopy::Nothing {
                take_out_of_copies(&self.journal, &held)?;
            }
        }
        // A copy that is there already was written before anything was touched, and stays.
        if order.keep() == KeepCopy::SevenDays && !matches!(self.journal.open(&order.id), Ok(Some(_))) {
            let files = people.iter().filter_map(|who| files::settled_with(home, who)).collect();
            self.journal
                .seal(&order.id, &SealedCopy { history: share, notes: scope.notes.clone(), files })?;
        }
        posted::forget_posted(home, &scope.unwanted.people, order.channel(), &scope.transcripts)?;

        let erased = ErasedWords { people: scope.unwanted.people.clone(), words: Arc::clone(&scope.words) };
        traces.forget(&erased).await?;
        files::remove_settled(home, &scope.unwanted.people, &scope.chosen.channels, &scope.words)?;
        let (store, unwanted) = (Arc::clone(memory.whole().store), scope.unwanted.clone());
        spawn_blocking(move || forget_in_notes(&store, &unwanted)).await??;
        let pins = scope.chosen.pins.clone();
        history.forget(turns.clone(), pins, people.clone(), Arc::clone(&scope.words)).await?;
        forget_turns(&home.embeddings_db(), turns).await?;
        self.living.scrub(forgotten).await?;
        memory.whole().index.scrub().await?;
        history.scrub().await?;
        Ok(traces.scrub().await?)
    }
}

/// The running program. It is told twice: before the stores are touched, so that what is being answered lets go of it, and
/// after, so that nothing that was read in between stays. A trait because commands forget too, and beside them nothing runs
/// ([`NobodyThere`]).
#[async_trait]
pub trait Living: Send + Sync + Debug {
    /// Lets go of it. When this returns, everything of it that is stored at all is stored: what is on its way is not any
    /// more where it holds any of it.
    async fn let_go(&self, forgotten: &Forgotten);

    /// The stores are done: what else lies in files (a graph, who paired what, who agreed to be heard) forgets it too, and leaves nothing of it
    /// there.
    async fn scrub(&self, _forgotten: &Forgotten) -> io::Result<()> {
        Ok(())
    }

    /// It is done: what was made of it is to be made anew from what is left.
    async fn done(&self, forgotten: &Forgotten);
}

/// Nothing runs: a command works on the files alone. What of them is derived and has no way of its own to forget is removed
/// and made anew at the next start.
#[derive(Debug, Clone)]
pub struct NobodyThere(pub FamiliarHome);

/// Derived files that forget by themselves.
const FORGETTING: [&str; 2] = ["notes.sqlite", "embeddings.sqlite"];

#[async_trait]
impl Living for NobodyThere {
    async fn let_go(&self, _forgotten: &Forgotten) {}

    async fn scrub(&self, forgotten: &Forgotten) -> io::Result<()> {
        for person in &forgotten.people {
            let pairing = Pairing::of(&self.0, Arc::new(SystemClock)).map_err(io::Error::other)?;
            pairing.forget(person).map_err(io::Error::other)?;
            forget_in_calls(&self.0, person).map_err(io::Error::other)?;
        }
        let entries = if_there(fs::read_dir(self.0.memory_dir().join(".index")))?;
        for entry in entries.into_iter().flatten() {
            let entry = entry?;
            let name = entry.file_name();
            let is_kept = FORGETTING.iter().any(|kept| name.to_string_lossy().starts_with(kept));
            if !is_kept && entry.file_type()?.is_file() {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    async fn done(&self, _forgotten: &Forgotten) {}
}
