//! Carrying wishes out, store by store.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use jiff::Timestamp;
use tokio::sync::Mutex;

use super::living::{Forgotten, Living};
use super::order::{Done, Folder, Order, UNDO};
use super::resolve::{Scope, channels, resolve};
use super::seal::{self, Sealed};
use super::tombstone::{self, Gone, Tombstone};
use super::wish::{Keep, Plan, What, Wish};
use super::{copies, files, posted};
use crate::clock::SharedClock;
use crate::config::FamiliarHome;
use crate::domain::{AccountId, StoredId};
use crate::embedding::{VectorStoreError, forget_turns};
use crate::history::{History, HistoryError, KeptState, KeptUnder};
use crate::memory::Memory;
use crate::memory::forget::{ForgetError, carry_out};
use crate::memory::index::IndexError;
use crate::memory::store::{InvalidPath, StoreError};
use crate::trace::{TraceError, TraceStore, Wished};

/// Why something could not be forgotten. What was begun is finished at the next start.
#[derive(Debug, thiserror::Error)]
pub enum EraseError {
    /// They may not wish for that.
    #[error("that is not theirs to forget")]
    NotTheirs,
    /// There is no such name.
    #[error(transparent)]
    Name(#[from] InvalidPath),
    /// The history refused.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The records of turns refused.
    #[error(transparent)]
    Traces(#[from] TraceError),
    /// The notes refused.
    #[error(transparent)]
    Notes(#[from] ForgetError),
    /// The memory folder refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index of the notes refused.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The vectors' file refused.
    #[error(transparent)]
    Vectors(#[from] VectorStoreError),
    /// A file could not be read or written.
    #[error("what is to be forgotten cannot be written down or removed: {0}")]
    Io(#[from] io::Error),
    /// The program is going down.
    #[error("it was broken off")]
    BrokenOff,
}

/// What an order covers, and how far the history went when that was looked up.
struct Looked {
    scope: Scope,
    newest: StoredId,
}

/// Every store something can be forgotten in.
#[derive(Debug, Clone)]
pub struct Stores {
    /// Where the familiar lives.
    pub home: FamiliarHome,
    /// What was said.
    pub history: Arc<History>,
    /// The records of turns.
    pub traces: Arc<TraceStore>,
    /// What is believed.
    pub memory: Arc<Memory>,
}

/// Forgets. One at a time; share it in an `Arc`.
#[derive(Debug)]
pub struct Eraser {
    pub(super) stores: Stores,
    pub(super) living: Arc<dyn Living>,
    clock: SharedClock,
    pub(super) folder: Folder,
    pub(super) one_at_a_time: Mutex<()>,
}

impl Eraser {
    /// Over these stores, telling `living` what is let go of.
    #[must_use]
    pub fn new(stores: Stores, living: Arc<dyn Living>, clock: SharedClock) -> Self {
        let folder = Folder::of(&stores.home, *stores.history.salt());
        Self { stores, living, clock, folder, one_at_a_time: Mutex::default() }
    }

    /// How much a wish covers. Changes nothing.
    ///
    /// # Errors
    /// [`EraseError::NotTheirs`], or what a store says.
    pub async fn plan(&self, wish: &Wish) -> Result<Plan, EraseError> {
        let order = self.order(wish.clone())?;
        let scope = resolve(&self.stores, &order).await?;
        Ok(Plan { copies: self.copies(&order, &scope)?.len(), ..scope.plan() })
    }

    /// Carries a wish out. It is written down first: once this has begun, it is done, at the latest after the next start.
    ///
    /// # Errors
    /// [`EraseError::NotTheirs`], or what a store says; then it is finished at the next start.
    pub async fn forget(&self, wish: Wish) -> Result<Plan, EraseError> {
        let _one = self.one_at_a_time.lock().await;
        let mut order = self.order(wish)?;
        let looked = self.look(&order).await?;
        let scope = &looked.scope;
        order.turns = scope.turns();
        order.facts = scope.unwanted.facts.iter().map(ToString::to_string).collect();
        order.notes = scope.unwanted.notes.clone();
        order.plan = Plan { copies: self.copies(&order, scope)?.len(), ..scope.plan() };
        if order.plan.is_empty() && !may_cover_more(&order) {
            return Ok(order.plan);
        }
        self.folder.put_order(&order)?;
        self.carry_out(&order, looked).await?;
        Ok(order.plan)
    }

    /// At a start, and once a day: finishes what was begun, forgets again what an old backup brought back, and destroys the
    /// copies that are older than seven days. How many wishes were finished.
    ///
    /// # Errors
    /// What a store says; the next start tries again.
    pub async fn tidy(&self) -> Result<usize, EraseError> {
        let _one = self.one_at_a_time.lock().await;
        self.sweep()?;
        let mut finished = 0;
        for order in self.folder.orders()? {
            let looked = self.look(&order).await?;
            self.carry_out(&order, looked).await?;
            finished += 1;
        }
        finished += self.finish_undoing().await?;
        for order in tombstone::come_back(&self.stores, &self.folder).await? {
            let looked = self.look(&order).await?;
            self.folder.put_order(&order)?;
            self.carry_out(&order, looked).await?;
            finished += 1;
        }
        Ok(finished)
    }

    /// The copies of earlier wishes that hold any of it, where none is to be kept.
    fn copies(&self, order: &Order, scope: &Scope) -> Result<Vec<copies::Held>, EraseError> {
        match order.keep() {
            Keep::SevenDays => Ok(Vec::new()),
            Keep::Nothing => copies::holding(&self.folder, order, scope),
        }
    }

    fn order(&self, wish: Wish) -> Result<Order, EraseError> {
        if !wish.by.may_wish(&wish.what) {
            return Err(EraseError::NotTheirs);
        }
        let at = self.clock.now();
        Ok(Order {
            id: Folder::new_id(at),
            at,
            wish: Some(wish),
            turns: BTreeSet::new(),
            facts: BTreeSet::new(),
            notes: BTreeSet::new(),
            plan: Plan::default(),
            person: None,
        })
    }

    /// What an order covers, as things stand.
    async fn look(&self, order: &Order) -> Result<Looked, EraseError> {
        // Before, so that what is stored meanwhile is noticed.
        let newest = self.stores.history.newest().await?;
        Ok(Looked { scope: resolve(&self.stores, order).await?, newest })
    }

    /// Each step does nothing when it was done before, and none undoes an earlier one: a crash between two is healed by
    /// doing all of them again.
    async fn carry_out(&self, order: &Order, looked: Looked) -> Result<(), EraseError> {
        self.living.let_go(&looked.scope.forgotten()).await;
        let is_new = self.stores.history.newest().await.map(|newest| newest != looked.newest);
        // A reply that was being said while all of it was looked up is covered too, if it was stored by now.
        let scope = match is_new {
            Ok(false) => Ok(looked.scope.clone()),
            Ok(true) => resolve(&self.stores, order).await,
            Err(error) => Err(error.into()),
        };
        let forgotten = scope.as_ref().unwrap_or(&looked.scope).forgotten();
        let removed = match scope {
            Ok(scope) => self.keep_and_remove(order, &scope, &forgotten).await,
            Err(error) => Err(error),
        };
        // Whatever became of it: whoever waits must not wait for the next start.
        self.living.done(&forgotten).await;
        self.stores.traces.forgotten(self.clock.now());
        removed?;
        if let (Keep::SevenDays, Some(wish)) = (order.keep(), &order.wish) {
            self.folder.put_done(&Done {
                id: order.id.clone(),
                at: order.at,
                until: until(order.at),
                by: self.folder.asker(&wish.by),
                plan: order.plan,
                undoing: false,
            })?;
        }
        Ok(self.folder.remove_order(&order.id)?)
    }

    /// Writes down that it is forgotten, seals the copy where one is wanted, and takes it out of every store.
    async fn keep_and_remove(
        &self,
        order: &Order,
        scope: &Scope,
        forgotten: &Forgotten,
    ) -> Result<(), EraseError> {
        let Stores { home, history, .. } = &self.stores;
        let person = scope.person.clone().or_else(|| order.person.clone());
        let kept = history.kept(scope.chosen.turns().collect()).await?;
        if order.wish.is_some() {
            let held = self.copies(order, scope)?;
            let gone = Gone {
                turns: kept.iter().chain(held.iter().flat_map(|copy| &copy.turns)).collect(),
                notes: std::iter::once(&scope.notes).chain(held.iter().map(|copy| &copy.notes)).collect(),
            };
            // From here on an old backup cannot bring it back, whatever happens next.
            tombstone_once(&self.folder, Tombstone::of(&self.folder, order, &gone))?;
            if order.keep() == Keep::Nothing {
                copies::take_out(&self.folder, &held)?;
            }
        }
        if order.keep() == Keep::SevenDays {
            let KeptState { feelings, comings, .. } = history.kept_state().await?;
            let own = person.as_ref().map(ToString::to_string);
            let under = match &person {
                Some(person) => history.kept_under(person, scope.chosen.turns().collect()).await?,
                None => KeptUnder::default(),
            };
            let mut turns = kept;
            for turn in &mut turns {
                // Somebody else may have themselves forgotten before this is undone.
                turn.regards.retain(|(account, ..)| Some(account) == own.as_ref());
                turn.reactions.retain(|(account, ..)| Some(account) == own.as_ref());
            }
            let copy = Sealed {
                turns,
                feelings: feelings
                    .into_iter()
                    .filter(|(towards, ..)| Some(towards) == own.as_ref())
                    .collect(),
                under,
                comings: comings
                    .into_iter()
                    .filter(|(_, account, ..)| Some(account) == own.as_ref())
                    .collect(),
                notes: scope.notes.clone(),
                files: scope.person.iter().filter_map(|who| files::settled_with(home, who)).collect(),
            };
            seal::seal(&self.folder, &order.id, &copy)?;
        }
        let whole = match order.wish.as_ref().map(|wish| &wish.what) {
            Some(What::Channel(channel)) => BTreeSet::from([channel.clone()]),
            _ => BTreeSet::new(),
        };
        posted::forget(home, scope.person.as_ref(), &whole)?;
        posted::unwant(home, &scope.transcripts)?;
        self.remove(scope, person, forgotten).await
    }

    /// Takes it out of every store.
    async fn remove(
        &self,
        scope: &Scope,
        person: Option<AccountId>,
        forgotten: &Forgotten,
    ) -> Result<(), EraseError> {
        let Stores { home, history, traces, memory } = &self.stores;
        let wished = Wished { person: scope.person.clone(), words: Arc::clone(&scope.words) };
        traces.forget(&wished).await?;
        files::remove(home, scope.person.as_ref(), channels(scope), &scope.words)?;
        let (store, unwanted) = (Arc::clone(&memory.store), scope.unwanted.clone());
        blocking(move || carry_out(&store, &unwanted)).await??;
        let ids: Vec<_> = scope.chosen.turns().collect();
        history.forget(ids.clone(), person, Arc::clone(&scope.words)).await?;
        forget_turns(&home.embeddings_db(), ids).await?;
        self.living.scrub(forgotten).await?;
        memory.index.scrub().await?;
        history.scrub().await?;
        Ok(traces.scrub().await?)
    }

    /// Destroys what can no longer be undone, and what a crash left of it.
    fn sweep(&self) -> Result<(), EraseError> {
        let now = self.clock.now();
        for done in self.folder.done()? {
            if done.until < now {
                self.folder.remove_done(&done.id)?;
            }
        }
        let names = self.folder.names()?;
        for name in &names {
            let Some((id, ending)) = name.split_once('.') else { continue };
            let is_owned =
                ["order.json", "done.json"].iter().any(|owner| names.contains(&format!("{id}.{owner}")));
            if (matches!(ending, "key" | "sealed") && !is_owned) || name.starts_with(".writing-") {
                self.folder.remove(name)?;
            }
        }
        Ok(())
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

/// A wish that is finished after a crash covers less by then: its first tombstone holds.
fn tombstone_once(folder: &Folder, new: Tombstone) -> io::Result<()> {
    if tombstone::all(folder)?.iter().any(|known| known.id == new.id) {
        return Ok(());
    }
    tombstone::add(folder, &new)
}

/// A person may be known by name and nothing else, and of a channel there may be nothing left but what was posted of it.
fn may_cover_more(order: &Order) -> bool {
    matches!(order.wish.as_ref().map(|wish| &wish.what), Some(What::Person(_) | What::Channel(_)))
}

fn until(at: Timestamp) -> Timestamp {
    at.checked_add(UNDO).unwrap_or(Timestamp::MAX)
}

pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, EraseError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| EraseError::BrokenOff)
}
