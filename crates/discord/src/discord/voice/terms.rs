//! What was agreed about a call: with whom it stays and who may be heard.
//!
//! Owns consent, and how it is kept over a restart. Hearing somebody needs their own word: who calls the familiar in
//! gives it for themselves, others give it or not; where a moderator has it hear everybody, each is told first and may
//! decline. Must not know packets. Start reading at [`Terms::standing`].

use std::collections::BTreeSet;

use serenity::all::{ChannelId, GuildId, UserId};

use super::consent_filter::SpeakerStanding;
use crate::config::{CallTerms, Subscription, SubscriptionKind};
use crate::domain::AccountId;

/// Who is heard without having said so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::discord) enum Hears {
    #[default]
    WhoAgreed,
    /// Everybody who was told and has not declined.
    Everybody,
}

/// How it behaves among people who do not speak to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::discord) enum Manner {
    /// It speaks only when spoken to: in writing until that moment, in a call as long as the call lasts.
    Quiet { until: jiff::Timestamp },
    /// It may join in.
    JoinsIn,
}

/// What others may know of a call without asking it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Standpoint {
    pub channel: Option<ChannelId>,
    pub follows: Option<UserId>,
    pub agreed: Vec<UserId>,
}

impl Standpoint {
    /// Whether somebody gave their word that they may be heard.
    pub(super) fn has_agreed(&self, account: &AccountId) -> bool {
        self.agreed.iter().any(|user| AccountId::discord(user.get()) == *account)
    }
}

/// What was agreed about one call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Terms {
    pub follows: Option<UserId>,
    pub hears: Hears,
    agreed: BTreeSet<UserId>,
    declined: BTreeSet<UserId>,
    /// People of this call who are being told that it listens, and who were.
    marked: BTreeSet<UserId>,
    told: BTreeSet<UserId>,
    /// People who had themselves forgotten. Not written down: that would be a memory of them.
    forgotten: BTreeSet<UserId>,
}

impl Terms {
    /// Somebody calls the familiar in.
    pub(super) fn called_by(user: UserId, hears: Hears) -> Self {
        Self { follows: Some(user), hears, agreed: BTreeSet::from([user]), ..Self::default() }
    }

    /// People who declined in every call of the server.
    pub(super) fn without(mut self, declined: &[u64]) -> Self {
        let declined = declined.iter().copied().filter(|id| *id != 0).map(UserId::new);
        // Who calls it in wants to be heard now.
        self.declined.extend(declined.filter(|user| !self.agreed.contains(user)));
        self
    }

    /// As they were before a restart. Who is there is told anew.
    pub(super) fn kept(row: &CallTerms) -> Self {
        let users = |ids: &[u64]| ids.iter().copied().filter(|id| *id != 0).map(UserId::new).collect();
        Self {
            follows: row.follows.filter(|id| *id != 0).map(UserId::new),
            hears: if row.hears_everybody { Hears::Everybody } else { Hears::WhoAgreed },
            agreed: users(&row.heard),
            declined: users(&row.declined),
            ..Self::default()
        }
    }

    /// As a row of the subscriptions.
    pub(super) fn row(&self, guild: GuildId, channel: ChannelId) -> Subscription {
        let ids = |users: &BTreeSet<UserId>| users.iter().map(|user| user.get()).collect();
        Subscription {
            channel: channel.get().into(),
            kind: SubscriptionKind::Voice,
            guild: Some(guild.get().into()),
            call: CallTerms {
                follows: self.follows.map(UserId::get),
                heard: ids(&self.agreed),
                declined: ids(&self.declined),
                hears_everybody: self.hears == Hears::Everybody,
            },
        }
    }

    /// Somebody agrees or declines. Gives whether that is new.
    pub(super) fn says(&mut self, user: UserId, agrees: bool) -> bool {
        let (to, from) = if agrees {
            (&mut self.agreed, &mut self.declined)
        } else {
            (&mut self.declined, &mut self.agreed)
        };
        self.forgotten.remove(&user);
        let was_there = from.remove(&user);
        to.insert(user) || was_there
    }

    /// Somebody is forgotten: what they agreed to or declined is gone, and nothing of theirs is heard until they agree.
    pub(super) fn forget(&mut self, user: UserId) {
        self.agreed.remove(&user);
        self.declined.remove(&user);
        self.forgotten.insert(user);
        self.follows.take_if(|follows| *follows == user);
    }

    /// Somebody is about to be told that it listens.
    pub(super) fn mark(&mut self, user: UserId) {
        self.marked.insert(user);
    }

    /// Whether somebody was told, or is about to be.
    pub(super) fn is_marked(&self, user: UserId) -> bool {
        self.marked.contains(&user)
    }

    /// Somebody was told that it listens. Gives whether that is new.
    pub(super) fn tell(&mut self, user: UserId) -> bool {
        self.marked.insert(user);
        self.told.insert(user)
    }

    /// In another call: who agreed has agreed, but everybody is told anew.
    pub(super) fn elsewhere(self) -> Self {
        Self { marked: BTreeSet::new(), told: BTreeSet::new(), ..self }
    }

    /// Whether somebody may be heard now.
    pub(super) fn standing(&self, user: UserId, is_bot: bool) -> SpeakerStanding {
        let hears = match self.hears {
            Hears::WhoAgreed => self.agreed.contains(&user),
            Hears::Everybody => {
                self.agreed.contains(&user) || (self.told.contains(&user) && !self.declined.contains(&user))
            }
        };
        match (is_bot, hears && !self.forgotten.contains(&user)) {
            (true, _) => SpeakerStanding::Bot,
            (false, true) => SpeakerStanding::Heard,
            (false, false) => SpeakerStanding::Unheard,
        }
    }

    pub(super) fn has_declined(&self, user: UserId) -> bool {
        self.declined.contains(&user)
    }

    pub(super) fn declined(&self) -> impl Iterator<Item = UserId> {
        self.declined.iter().copied()
    }

    pub(super) fn agreed(&self) -> impl Iterator<Item = UserId> {
        self.agreed.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALICE: UserId = UserId::new(2);
    const BEN: UserId = UserId::new(3);

    #[test]
    fn only_the_caller_is_heard_until_others_agree() {
        let mut terms = Terms::called_by(ALICE, Hears::WhoAgreed);
        assert_eq!(terms.standing(ALICE, false), SpeakerStanding::Heard);
        terms.tell(BEN);
        assert_eq!(terms.standing(BEN, false), SpeakerStanding::Unheard, "to be told is not to agree");
        assert!(terms.says(BEN, true));
        assert!(!terms.says(BEN, true));
        assert_eq!(terms.standing(BEN, false), SpeakerStanding::Heard);
        assert!(terms.says(BEN, false));
        assert_eq!(terms.standing(BEN, false), SpeakerStanding::Unheard);
        assert!(terms.says(ALICE, false), "who called it in may decline as well");
        assert_eq!(terms.standing(ALICE, false), SpeakerStanding::Unheard);
    }

    #[test]
    fn where_everybody_is_heard_each_is_told_first_and_may_decline() {
        let mut terms = Terms::called_by(ALICE, Hears::Everybody);
        assert_eq!(terms.standing(BEN, false), SpeakerStanding::Unheard, "not told yet");
        terms.tell(BEN);
        assert_eq!(terms.standing(BEN, false), SpeakerStanding::Heard);
        assert_eq!(terms.standing(BEN, true), SpeakerStanding::Bot, "bots never");
        terms.says(BEN, false);
        assert_eq!(terms.standing(BEN, false), SpeakerStanding::Unheard);
    }

    #[test]
    fn who_declined_on_the_server_is_not_heard_where_everybody_is() {
        let mut terms = Terms::called_by(ALICE, Hears::Everybody).without(&[ALICE.get(), BEN.get(), 0]);
        terms.tell(BEN);
        assert_eq!(terms.standing(BEN, false), SpeakerStanding::Unheard);
        assert_eq!(terms.standing(ALICE, false), SpeakerStanding::Heard, "she has just called it in");
        terms.says(BEN, true);
        assert_eq!(terms.standing(BEN, false), SpeakerStanding::Heard);
    }

    #[test]
    fn who_is_forgotten_is_heard_no_more_and_leaves_no_trace() {
        for hears in [Hears::WhoAgreed, Hears::Everybody] {
            let mut terms = Terms::called_by(ALICE, hears);
            terms.tell(BEN);
            terms.says(BEN, true);
            terms.forget(BEN);
            assert_eq!(terms.standing(BEN, false), SpeakerStanding::Unheard);
            let row = terms.row(GuildId::new(9), ChannelId::new(10));
            assert_eq!((row.call.heard, row.call.declined), (vec![2], vec![]));
            terms.forget(ALICE);
            assert_eq!(terms.row(GuildId::new(9), ChannelId::new(10)).call.follows, None);
            terms.says(BEN, true);
            assert_eq!(terms.standing(BEN, false), SpeakerStanding::Heard, "who agrees anew is heard anew");
        }
    }

    #[test]
    fn a_restart_keeps_what_was_agreed_and_tells_everybody_anew() {
        let mut terms = Terms::called_by(ALICE, Hears::Everybody);
        terms.says(BEN, false);
        terms.tell(ALICE);
        let row = terms.row(GuildId::new(9), ChannelId::new(10));
        let kept = Terms::kept(&row.call);
        assert_eq!(kept.follows, Some(ALICE));
        assert_eq!(kept.standing(ALICE, false), SpeakerStanding::Heard);
        assert_eq!(kept.standing(BEN, false), SpeakerStanding::Unheard);
        assert!(!kept.is_marked(ALICE));
    }
}
