//! The door: codes are made and taken, bonds are asked for, and every change is on disk before it is told.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Debug, Display};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt as _, stream};
use jiff::Timestamp;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout_at};

use super::BondEnd;
use super::bonds::{Bonds, CodeRefusal};
use super::callers::Membership;
use super::codes::{Codes, Tries};
use super::personas::{OwnPersonas, PlayedIn};
use crate::clock::SharedClock;
use crate::config::{FamiliarHome, write_atomic};
use crate::domain::{AccountId, GuildId, Persona, Place};
use crate::home::if_there;

/// A code to be given at the other end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    pub code: String,
    /// Until when it can be given.
    pub until: Timestamp,
}

/// Two ends that are joined now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedEnds {
    /// Where the code was asked for.
    pub from: BondEnd,
    /// Where it was given.
    pub with: BondEnd,
}

/// Why something of pairing did not work. A file that cannot be read stays as it is, and nothing is paired until somebody
/// mends or removes it. Where a change cannot be written nothing has changed. Only what lets more than before needs the second
/// copy of what people decided; whatever else that lacks is written with the next change or at the next start.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PairingError(String);

/// What is kept on disk. No code stands in it, only what proves one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct PairingFile {
    #[serde(default)]
    bonds: Bonds,
    #[serde(default)]
    codes: Codes,
    /// Who wants to be known nowhere.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    opted_out: BTreeSet<AccountId>,
    /// Who lets it learn from what they do with its replies.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    learns_from: BTreeSet<AccountId>,
    /// Who was told, alone with it, what is kept of what they write.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    told_alone: BTreeSet<AccountId>,
    /// Who people are in play, by account.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    personas: BTreeMap<String, OwnPersonas>,
}

impl PairingFile {
    fn consents(&self) -> Consents {
        Consents { opted_out: self.opted_out.clone(), learns_from: self.learns_from.clone() }
    }
}

/// Who wants to be known nowhere, and whom it may learn from: what stands a second time, beside the tombstones. A file that is
/// lost, or put back from an older backup, takes nobody back in who does not want it. Of the two copies the stricter counts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
struct Consents {
    opted_out: BTreeSet<AccountId>,
    learns_from: BTreeSet<AccountId>,
}

impl Consents {
    /// What of these and of the other copy holds: out is who is out in either, and it learns from whom it may by both.
    fn strictest(&self, other: &Self) -> Self {
        Self {
            opted_out: &self.opted_out | &other.opted_out,
            learns_from: &(&self.learns_from & &other.learns_from) - &other.opted_out,
        }
    }
}

/// People asked after at once, and how long that may take: whoever is not found in a server by then is not heard there
/// this time.
const ASKED_AT_ONCE: usize = 8;
const ASKING: Duration = Duration::from_secs(3);

/// Who is paired with what. One per familiar; whatever changes it writes a small file.
#[derive(Debug)]
pub struct Pairing {
    file: PathBuf,
    /// Where consents stand a second time.
    consents: PathBuf,
    clock: SharedClock,
    state: Mutex<PairingState>,
    membership: Mutex<Option<Arc<dyn Membership>>>,
}

#[derive(Debug, Default)]
struct PairingState {
    kept: PairingFile,
    /// Whether the file itself lets more than that, and only the second copy made it stricter.
    is_behind: bool,
    /// As the second copy has it, where there is one.
    consents: Option<Consents>,
    tries: Tries,
}

impl Pairing {
    /// What the familiar that lives there knows.
    ///
    /// # Errors
    /// When one of its files is there and cannot be read.
    pub fn of(home: &FamiliarHome, clock: SharedClock) -> Result<Self, PairingError> {
        let (file, twice) = (home.pairing_json(), home.consents_json());
        let mut kept: PairingFile = read(&file)?.unwrap_or_default();
        let consents = read::<Consents>(&twice)?;
        let in_file = kept.consents();
        let strictest = consents.as_ref().map_or_else(|| in_file.clone(), |second| in_file.strictest(second));
        let is_behind = strictest != in_file;
        Consents { opted_out: kept.opted_out, learns_from: kept.learns_from } = strictest;
        Ok(Self {
            file,
            consents: twice,
            clock,
            state: Mutex::new(PairingState { kept, is_behind, consents, tries: Tries::default() }),
            membership: Mutex::default(),
        })
    }

    /// From now on this says who is where. Without anybody who does, nobody is anywhere.
    pub fn asks(&self, membership: Arc<dyn Membership>) {
        *self.membership.lock() = Some(membership);
    }

    /// A place as it is at this moment: who can see it, what else they could see, and what people paired with it who are
    /// still there. Whoever is found to have left a server is parted from it.
    pub async fn entered(self: &Arc<Self>, place: &Place) -> Place {
        let membership = self.membership.lock().clone();
        let Some(membership) = membership else { return self.with_paired(place.clone(), &BTreeSet::new()) };
        let mut there = BTreeSet::new();
        if let Some(guild) = &place.guild {
            let heard = self.state.lock().kept.bonds.heard_in(guild);
            let asked = stream::iter(heard).map(|account| async {
                let is_in = membership.is_in(&account, guild).await;
                (account, is_in)
            });
            let mut asked = asked.buffer_unordered(ASKED_AT_ONCE);
            let until = Instant::now() + ASKING;
            while let Ok(Some((account, is_in))) = timeout_at(until, asked.next()).await {
                match is_in {
                    Some(true) => drop(there.insert(account)),
                    Some(false) => self.has_left(account, guild.clone()).await,
                    None => {}
                }
            }
        }
        self.with_paired(membership.place_now(place).await, &there)
    }

    /// Whether somebody is in the server of a place; `None` where it has none, or nobody can say.
    pub async fn is_in(&self, account: &AccountId, place: &Place) -> Option<bool> {
        let membership = self.membership.lock().clone()?;
        membership.is_in(account, place.guild.as_ref()?).await
    }

    pub(super) fn with_paired(&self, place: Place, there: &BTreeSet<AccountId>) -> Place {
        let paired = self.state.lock().kept.bonds.at(&place, |account| there.contains(account));
        Place { paired, ..place }
    }

    /// Somebody left a guild: what they say alone is nothing for it any more. A failure is logged.
    pub async fn has_left(self: &Arc<Self>, account: AccountId, guild: GuildId) {
        let this = Arc::clone(self);
        let left = move || this.change(|kept, _| Ok(kept.bonds.part(&account, &BondEnd::Guild(guild))));
        let parted = tokio::task::spawn_blocking(left).await;
        if !matches!(parted, Ok(Ok(_))) {
            tracing::warn!(?parted, "somebody left a server, and what they paired there could not be parted");
        }
    }

    /// The ends that an account's own is joined with.
    pub fn joined_with(&self, account: &AccountId) -> Vec<BondEnd> {
        self.state.lock().kept.bonds.joined_with(account)
    }

    /// A code that joins this place with the one it is given in. Blocks.
    ///
    /// # Errors
    /// When it could not be kept; `Ok(Err(…))` where nothing can be paired.
    pub fn invite(
        &self,
        by: &AccountId,
        place: &Place,
    ) -> Result<Result<Invitation, CodeRefusal>, PairingError> {
        let Some(from) = end_of(by, place) else { return Ok(Err(CodeRefusal::NotHere)) };
        let now = self.clock.now();
        self.change(|kept, _| {
            if kept.opted_out.contains(by) {
                return Ok(Err(CodeRefusal::OptedOut));
            }
            let (code, until) = kept
                .codes
                .issue(by, from, now)
                .ok_or_else(|| PairingError("no random numbers could be had".to_owned()))?;
            Ok(Ok(Invitation { code, until }))
        })
    }

    /// The account that this code makes one person with whoever gives it alone with the familiar; `None` where it would not.
    pub fn other_account(&self, by: &AccountId, place: &Place, code: &str) -> Option<AccountId> {
        let now = self.clock.now();
        end_of(by, place).filter(|end| matches!(end, BondEnd::Alone(_)))?;
        let state = self.state.lock();
        let PairingState { kept, tries, .. } = &*state;
        // Whoever guesses learns no more here than by giving it.
        let may_try = !kept.opted_out.contains(by) && tries.are_left(by, now);
        let (_, open) = kept.codes.find(code, now).filter(|_| may_try)?;
        match &open.from {
            BondEnd::Alone(other) if other != by && !kept.opted_out.contains(other) => Some(other.clone()),
            BondEnd::Alone(_) | BondEnd::Guild(_) => None,
        }
    }

    /// Takes a code that `by` gives in a place. Blocks.
    ///
    /// # Errors
    /// When what it changed could not be kept; `Ok(Err(…))` where the code was not taken.
    pub fn redeem(
        &self,
        by: &AccountId,
        place: &Place,
        code: &str,
    ) -> Result<Result<JoinedEnds, CodeRefusal>, PairingError> {
        let Some(with) = end_of(by, place) else { return Ok(Err(CodeRefusal::NotHere)) };
        let now = self.clock.now();
        self.change(|kept, tries| {
            if kept.opted_out.contains(by) {
                return Ok(Err(CodeRefusal::OptedOut));
            }
            if !tries.are_left(by, now) {
                return Ok(Err(CodeRefusal::TooManyTries));
            }
            let Some((key, open)) = kept.codes.find(code, now).map(|(key, open)| (key, open.clone())) else {
                tries.wrong(by, now);
                return Ok(Err(CodeRefusal::Wrong));
            };
            // They asked for it before they opted out; nobody else is told so.
            if kept.opted_out.contains(&open.by) {
                return Ok(Err(CodeRefusal::Wrong));
            }
            if open.from == with {
                return Ok(Err(CodeRefusal::SamePlace));
            }
            // Only whoever asked for it opens a server to what they say alone; from another account a code makes the
            // two one person, and nothing else.
            let account = match (&open.from, &with) {
                (BondEnd::Alone(account), BondEnd::Alone(_)) => account,
                (BondEnd::Alone(account), BondEnd::Guild(_))
                | (BondEnd::Guild(_), BondEnd::Alone(account))
                    if open.by == *by && account == by =>
                {
                    account
                }
                _ => {
                    tries.wrong(by, now);
                    return Ok(Err(CodeRefusal::Wrong));
                }
            };
            let other = if matches!(open.from, BondEnd::Guild(_)) { open.from.clone() } else { with.clone() };
            if let Err(refusal) = kept.bonds.join(account, other) {
                return Ok(Err(refusal));
            }
            kept.codes.use_up(&key);
            Ok(Ok(JoinedEnds { from: open.from, with }))
        })
    }

    /// Lets what an account said before be known where it is paired now; where that is new. Blocks.
    pub fn share_past(&self, account: &AccountId) -> Result<Vec<BondEnd>, PairingError> {
        self.change(|kept, _| Ok(kept.bonds.share_past(account).unwrap_or_default()))
    }

    /// Takes this place out of what an account is paired with; whether it was in it. Blocks.
    ///
    /// # Errors
    /// When it could not be kept; then it is as it was.
    pub fn part(&self, account: &AccountId, place: &Place) -> Result<bool, PairingError> {
        let Some(end) = end_of(account, place) else { return Ok(false) };
        self.change(|kept, _| Ok(kept.bonds.part(account, &end)))
    }

    /// Whether somebody wants nothing of theirs read, kept or sent.
    pub fn has_opted_out(&self, account: &AccountId) -> bool {
        self.state.lock().kept.opted_out.contains(account)
    }

    /// From now on nothing of an account's is read; whether that is new. Holds until [`Self::opt_in`], also when the person is
    /// forgotten: who wants to be forgotten and left alone is named in the two copies of this and nowhere else. Blocks.
    pub fn opt_out(&self, account: &AccountId) -> Result<bool, PairingError> {
        self.change(|kept, _| {
            kept.learns_from.remove(account);
            Ok(kept.opted_out.insert(account.clone()))
        })
    }

    /// What an account says is read again; whether it was not. Blocks.
    ///
    /// # Errors
    /// When it could not be kept; then it is not read yet.
    pub fn opt_in(&self, account: &AccountId) -> Result<bool, PairingError> {
        self.change(|kept, _| Ok(kept.opted_out.remove(account)))
    }

    /// Whether somebody was told, alone with it, what is kept of what they write.
    pub fn was_told_alone(&self, account: &AccountId) -> bool {
        self.state.lock().kept.told_alone.contains(account)
    }

    /// They are told so now; whether that is new. Blocks.
    pub fn tells_alone(&self, account: &AccountId) -> Result<bool, PairingError> {
        self.change(|kept, _| Ok(kept.told_alone.insert(account.clone())))
    }

    /// Whether somebody lets it learn from what they do with its replies. Nobody does who has not said so.
    pub fn learns_from(&self, account: &AccountId) -> bool {
        self.state.lock().kept.learns_from.contains(account)
    }

    pub fn learns(&self) -> bool {
        !self.state.lock().kept.learns_from.is_empty()
    }

    /// From now on it may learn from what an account does with its replies, until [`Self::ends_learning`] or they are
    /// forgotten; whether that is new. Whoever has opted out is not listened to. Blocks.
    pub fn lets_learn(&self, account: &AccountId) -> Result<bool, PairingError> {
        self.change(|kept, _| {
            Ok(!kept.opted_out.contains(account) && kept.learns_from.insert(account.clone()))
        })
    }

    /// From now on it may not; whether it could. Blocks.
    pub fn ends_learning(&self, account: &AccountId) -> Result<bool, PairingError> {
        self.change(|kept, _| Ok(kept.learns_from.remove(account)))
    }

    /// Who somebody is in play in a place; nobody where they want to be known nowhere.
    pub fn persona_at(&self, account: &AccountId, place: &Place) -> Option<Persona> {
        let state = self.state.lock();
        let kept = &state.kept;
        let known = kept.personas.get(&account.to_string()).filter(|_| !kept.opted_out.contains(account));
        known?.at(place).cloned()
    }

    pub fn personas_of(&self, account: &AccountId) -> OwnPersonas {
        self.state.lock().kept.personas.get(&account.to_string()).cloned().unwrap_or_default()
    }

    /// From now on somebody is this in play there; whether there is room for it. Blocks.
    pub fn set_persona(
        &self,
        account: &AccountId,
        played_in: PlayedIn,
        persona: Persona,
    ) -> Result<bool, PairingError> {
        self.change(|kept, _| {
            Ok(kept.personas.entry(account.to_string()).or_default().set(played_in, persona))
        })
    }

    /// The same, and it is kept to be taken up again. Blocks.
    pub fn play(
        &self,
        account: &AccountId,
        played_in: PlayedIn,
        persona: Persona,
    ) -> Result<bool, PairingError> {
        self.change(|kept, _| {
            let own = kept.personas.entry(account.to_string()).or_default();
            own.keep(persona.clone());
            Ok(own.set(played_in, persona))
        })
    }

    /// Lets go of whom somebody could be, wherever they are that; whether there was any. Blocks.
    pub fn drop_persona(&self, account: &AccountId, persona: &Persona) -> Result<bool, PairingError> {
        self.lets_go(account, |known| known.let_go(persona))
    }

    /// Somebody is nobody else there any more; whether they were. Blocks.
    pub fn clear_persona(&self, account: &AccountId, played_in: &PlayedIn) -> Result<bool, PairingError> {
        self.lets_go(account, |known| known.clear(played_in))
    }

    /// Takes something of what somebody plays away, and all of it once nothing is left; whether there was any.
    fn lets_go(
        &self,
        account: &AccountId,
        away: impl FnOnce(&mut OwnPersonas) -> bool,
    ) -> Result<bool, PairingError> {
        self.change(|kept, _| {
            let Some(known) = kept.personas.get_mut(&account.to_string()) else { return Ok(false) };
            let was_there = away(known);
            if known.is_empty() {
                kept.personas.remove(&account.to_string());
            }
            Ok(was_there)
        })
    }

    /// Takes everything of an account out, as when a person is to be forgotten; whether there was anything. Blocks.
    pub fn forget(&self, account: &AccountId) -> Result<bool, PairingError> {
        self.change(|kept, _| {
            kept.codes.forget(account);
            kept.told_alone.remove(account);
            let had_persona = kept.personas.remove(&account.to_string()).is_some();
            let let_learn = kept.learns_from.remove(account);
            Ok(kept.bonds.forget(account) || had_persona || let_learn)
        })
    }

    /// Makes a change that is on disk before anybody sees it; what cannot be written has not happened.
    fn change<R>(
        &self,
        change: impl FnOnce(&mut PairingFile, &mut Tries) -> Result<R, PairingError>,
    ) -> Result<R, PairingError> {
        let mut state = self.state.lock();
        let mut kept = state.kept.clone();
        let done = change(&mut kept, &mut state.tries)?;
        if kept == state.kept {
            return Ok(done);
        }
        // Wherever this is broken off, the stricter of the two copies is what holds: what lets more than before has to stand
        // in both, and in the second one first. Anything else holds by the file alone.
        let consents = kept.consents();
        if state.kept.consents().strictest(&consents) != consents {
            self.keep_second(&mut state, consents.clone())?;
        }
        write(&self.file, &kept)?;
        state.kept = kept;
        state.is_behind = false;
        if let Err(error) = self.keep_second(&mut state, consents) {
            tracing::warn!(%error, "who opted out is noted in one place only");
        }
        Ok(done)
    }

    /// From now on what people decided about themselves stands in both places, also where an earlier version of the program
    /// kept it in one, or one of the two is older than the other. Blocks.
    ///
    /// # Errors
    /// When it could not be kept; then it stands where it stood.
    pub fn keep_twice(&self) -> Result<(), PairingError> {
        let mut state = self.state.lock();
        if state.is_behind {
            write(&self.file, &state.kept)?;
            state.is_behind = false;
        }
        let consents = state.kept.consents();
        self.keep_second(&mut state, consents)
    }

    /// The second copy says this, too.
    fn keep_second(&self, state: &mut PairingState, consents: Consents) -> Result<(), PairingError> {
        if state.consents.clone().unwrap_or_default() != consents {
            write(&self.consents, &consents)?;
            state.consents = Some(consents);
        }
        Ok(())
    }
}

fn read<T: DeserializeOwned>(file: &Path) -> Result<Option<T>, PairingError> {
    let unreadable = |why: &dyn Display| PairingError(format!("{}: {why}", file.display()));
    let text = if_there(std::fs::read_to_string(file)).map_err(|error| unreadable(&error))?;
    text.map(|text| serde_json::from_str(&text)).transpose().map_err(|error| unreadable(&error))
}

fn write(file: &Path, kept: &impl Serialize) -> Result<(), PairingError> {
    let unwritten =
        |why: &dyn Display| PairingError(format!("{} could not be written: {why}", file.display()));
    let text = serde_json::to_string_pretty(kept).map_err(|error| unwritten(&error))?;
    write_atomic(file, &(text + "\n")).map_err(|error| unwritten(&error))
}

/// The end that a place is for somebody: a direct message only for whoever it is with.
fn end_of(account: &AccountId, place: &Place) -> Option<BondEnd> {
    BondEnd::of(place).filter(|end| !matches!(end, BondEnd::Alone(with) if with != account))
}
