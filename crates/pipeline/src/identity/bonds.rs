//! Who joined which places, and since when what a person says in one may be known in the others.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::domain::{AccountId, Audience, BondId, GuildId, Paired, Place};

/// Bonds that are looked at in one place; of more the newest count.
pub(super) const HEARD_MAX: usize = 256;

/// Places one person may join.
pub(super) const ENDS_MAX: usize = 16;

/// One end of a pairing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BondEnd {
    /// Alone with the familiar, from this account.
    Alone(AccountId),
    /// Everywhere in a guild.
    Guild(GuildId),
}

impl BondEnd {
    /// The end that a place is; `None` where nothing can be paired.
    pub fn of(place: &Place) -> Option<Self> {
        match (&place.guild, &place.audience) {
            (Some(guild), _) => Some(Self::Guild(guild.clone())),
            (None, Audience::Dm(account)) => Some(Self::Alone(account.clone())),
            (None, _) => None,
        }
    }

    fn account(&self) -> Option<&AccountId> {
        match self {
            Self::Alone(account) => Some(account),
            Self::Guild(_) => None,
        }
    }
}

/// The places that one person joined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Circle {
    ends: Vec<BondEnd>,
}

/// What an account says alone with the familiar, from one joining on to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct BondRow {
    id: BondId,
    of: AccountId,
    heard_in: Vec<BondEnd>,
}

/// What an account said before, where its person wants that known too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Past {
    of: AccountId,
    heard_in: Vec<BondEnd>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Bonds {
    #[serde(default)]
    last: u64,
    #[serde(default)]
    circles: Vec<Circle>,
    #[serde(default)]
    bonds: Vec<BondRow>,
    #[serde(default)]
    pasts: Vec<Past>,
}

/// Why a code was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CodeRefusal {
    /// Nothing can be paired in such a place.
    #[error("nothing can be paired here")]
    NotHere,
    /// There is no such code (any more), or it is not this account's to give here.
    #[error("that code does not work")]
    Wrong,
    #[error("too many wrong codes")]
    TooManyTries,
    /// It was asked for in this very place.
    #[error("that code is to be given somewhere else")]
    SamePlace,
    /// The two are joined already, or one of them with others.
    #[error("this is paired already")]
    Already,
    /// As many places as there may be.
    #[error("too many places are paired")]
    TooMany,
    /// Whoever gives it, or asks for one, wants nothing of theirs kept: of them only that stands in the file.
    #[error("who opted out is paired with nothing")]
    OptedOut,
}

impl Bonds {
    /// The circle of an account.
    fn circle_of(&self, account: &AccountId) -> Option<usize> {
        let alone = BondEnd::Alone(account.clone());
        self.circles.iter().position(|circle| circle.ends.contains(&alone))
    }

    /// Every end that is joined with an account's, without its own.
    pub(super) fn joined_with(&self, account: &AccountId) -> Vec<BondEnd> {
        let alone = BondEnd::Alone(account.clone());
        let circle = self.circle_of(account).map(|at| &self.circles[at]);
        circle.into_iter().flat_map(|circle| &circle.ends).filter(|end| **end != alone).cloned().collect()
    }

    /// Joins an account's end with another. What any of the circle's accounts says from now on has a bond of its own,
    /// so that nobody who joins hears what was said before.
    pub(super) fn join(&mut self, account: &AccountId, with: BondEnd) -> Result<(), CodeRefusal> {
        let at = match self.circle_of(account) {
            Some(at) => at,
            None => {
                self.circles.push(Circle { ends: vec![BondEnd::Alone(account.clone())] });
                self.circles.len() - 1
            }
        };
        // Another account that is joined elsewhere is a person of their own; two people do not become one by a code.
        let is_taken = matches!(&with, BondEnd::Alone(other) if self.circle_of(other).is_some());
        let full = self.circles[at].ends.len() >= ENDS_MAX;
        let circle = &mut self.circles[at];
        let refused = if is_taken || circle.ends.contains(&with) {
            Some(CodeRefusal::Already)
        } else if full {
            Some(CodeRefusal::TooMany)
        } else {
            circle.ends.push(with);
            None
        };
        if let Some(why) = refused {
            self.drop_idle();
            return Err(why);
        }
        let ends = self.circles[at].ends.clone();
        for end in &ends {
            let Some(of) = end.account() else { continue };
            self.last += 1;
            let heard_in = ends.iter().filter(|other| *other != end).cloned().collect();
            self.bonds.push(BondRow { id: BondId(self.last), of: of.clone(), heard_in });
        }
        Ok(())
    }

    /// Lets what an account said before be known in the places it is joined with now. `None` where there are none, or
    /// where they know already.
    pub(super) fn share_past(&mut self, account: &AccountId) -> Option<Vec<BondEnd>> {
        let ends = self.joined_with(account);
        let at = match self.pasts.iter().position(|past| past.of == *account) {
            Some(at) => at,
            None => {
                self.pasts.push(Past { of: account.clone(), heard_in: Vec::new() });
                self.pasts.len() - 1
            }
        };
        let known = &mut self.pasts[at].heard_in;
        let new: Vec<BondEnd> = ends.into_iter().filter(|end| !known.contains(end)).collect();
        known.extend(new.iter().cloned());
        self.drop_idle();
        (!new.is_empty()).then_some(new)
    }

    /// Takes one end out of an account's circle: it hears nothing of the others any more, nor they of it. What was said
    /// alone stays known where it was said. Whether it was in it.
    pub(super) fn part(&mut self, account: &AccountId, end: &BondEnd) -> bool {
        let Some(at) = self.circle_of(account) else { return false };
        let ends = &mut self.circles[at].ends;
        let accounts: Vec<AccountId> = ends.iter().filter_map(BondEnd::account).cloned().collect();
        let Some(found) = ends.iter().position(|known| known == end) else { return false };
        ends.remove(found);
        for (of, heard_in) in self.all_heard().filter(|(of, _)| accounts.contains(of)) {
            heard_in.retain(|other| other != end && BondEnd::Alone(of.clone()) != *end);
        }
        self.drop_idle();
        true
    }

    /// Takes everything of an account out, as when a person is to be forgotten.
    pub(super) fn forget(&mut self, account: &AccountId) -> bool {
        let before = self.clone();
        self.part(account, &BondEnd::Alone(account.clone()));
        self.bonds.retain(|bond| bond.of != *account);
        self.pasts.retain(|past| past.of != *account);
        *self != before
    }

    /// A circle of one end joins nothing, and a circle without anybody alone with the familiar tells nothing.
    fn drop_idle(&mut self) {
        let mut lonely = Vec::new();
        self.circles.retain(|circle| {
            let tells = circle.ends.iter().any(|end| end.account().is_some());
            let is_idle = circle.ends.len() < 2 || !tells;
            if is_idle {
                lonely.extend(circle.ends.iter().cloned());
            }
            !is_idle
        });
        for (of, heard_in) in self.all_heard() {
            if lonely.contains(&BondEnd::Alone(of.clone())) {
                heard_in.clear();
            }
        }
        self.pasts.retain(|past| !past.heard_in.is_empty());
    }

    /// Every account with where its words are known: what it said since a joining, and what it said before.
    fn all_heard(&mut self) -> impl Iterator<Item = (&AccountId, &mut Vec<BondEnd>)> {
        let bonds = self.bonds.iter_mut().map(|bond| (&bond.of, &mut bond.heard_in));
        bonds.chain(self.pasts.iter_mut().map(|past| (&past.of, &mut past.heard_in)))
    }

    /// Whose words are known in a guild by pairing.
    pub(super) fn heard_in(&self, guild: &GuildId) -> BTreeSet<AccountId> {
        let end = BondEnd::Guild(guild.clone());
        let bonds = self.bonds.iter().filter(|bond| bond.heard_in.contains(&end)).map(|bond| &bond.of);
        let pasts = self.pasts.iter().filter(|past| past.heard_in.contains(&end)).map(|past| &past.of);
        bonds.chain(pasts).cloned().collect()
    }

    /// What is paired with a place now; in a guild only by whoever `is_there`.
    pub(super) fn at(&self, place: &Place, is_there: impl Fn(&AccountId) -> bool) -> Paired {
        let Some(end) = BondEnd::of(place) else { return Paired::default() };
        let is_own = |of: &AccountId| BondEnd::Alone(of.clone()) == end;
        let may_be_heard = |of: &AccountId| matches!(end, BondEnd::Alone(_)) || is_there(of);
        // What somebody said alone stays known there, whatever was joined or parted since.
        let newest = self.bonds.iter().rev().filter(|bond| may_be_heard(&bond.of));
        let heard = newest.filter(|bond| is_own(&bond.of) || bond.heard_in.contains(&end));
        let mut hears: Vec<Audience> = heard.take(HEARD_MAX).map(|bond| Audience::Shared(bond.id)).collect();
        let pasts = self.pasts.iter().filter(|past| past.heard_in.contains(&end) && may_be_heard(&past.of));
        hears.extend(pasts.map(|past| Audience::Dm(past.of.clone())));
        let Some(account) = end.account() else { return Paired { hears, ..Paired::default() } };
        let joined = self.joined_with(account);
        let accounts = joined.iter().filter_map(BondEnd::account).cloned();
        let current = self.bonds.iter().rev().find(|bond| bond.of == *account);
        let tells = current.filter(|bond| !bond.heard_in.is_empty()).map(|bond| Audience::Shared(bond.id));
        Paired { hears, tells, accounts: accounts.collect() }
    }
}
