//! Who reads records: somebody who asks for their own, or whoever keeps all of them.
//!
//! A record holds a whole prompt, and comes out of a [`TraceStore`] through one of these two. What answers people reads through
//! [`SeenTraces`]; the rooms that may name [`WholeTraces`] stand in `tests/architecture.rs`. A store itself tells numbers and
//! times of turns, which messages they answered, and in a few words why they spoke.

use std::sync::Arc;

use super::store::{FEW, Selection, Silences, TraceError, TraceStore, body_of, parse_trace, that_asked};
use crate::domain::{AccountId, Audience, ChannelId, GuildId, Place, TurnId, TurnTrace};

/// Somebody who asks for records, and from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceViewer {
    pub account: AccountId,
    pub channel: ChannelId,
    /// `None` where it is in no server.
    pub guild: Option<GuildId>,
}

/// The records that somebody may read: of turns that answered them. Being in the channel is not enough, for a record also tells
/// what the familiar remembers of the people it answered.
#[derive(Debug, Clone, Copy)]
pub struct SeenTraces<'a> {
    store: &'a TraceStore,
    viewer: &'a TraceViewer,
}

/// All records, whoever they are about: for the operator's eyes, and for what checks, replays or measures and answers nobody.
#[derive(Debug, Clone, Copy)]
pub struct WholeTraces<'a>(&'a TraceStore);

/// What somebody is given of a turn that answered them.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnSeen {
    Record(Arc<TurnTrace>),
    /// It was in another place, where they may not be let in any more.
    Elsewhere,
}

impl TraceStore {
    /// What may be shown to whoever asks.
    pub fn seen_by<'a>(&'a self, viewer: &'a TraceViewer) -> SeenTraces<'a> {
        SeenTraces { store: self, viewer }
    }

    /// Everything, for the operator and for what answers nobody.
    pub fn whole(&self) -> WholeTraces<'_> {
        WholeTraces(self)
    }
}

impl TraceViewer {
    /// Whether the turn answered what this person said.
    fn is_answered_by(&self, trace: &TurnTrace) -> bool {
        trace.authors.contains(&self.account.to_string())
    }

    /// Whether what stood in the prompt of a turn there can be read by whoever asks here. Who took part once may have
    /// lost the channel since, and a platform shows that only where it is asked: in the place itself, or for what the whole
    /// server can see.
    fn can_read(&self, place: &Place) -> bool {
        place.channel == self.channel
            || match &place.audience {
                Audience::Canon => true,
                Audience::Dm(account) => *account == self.account,
                Audience::Guild(guild) => self.guild.as_ref() == Some(guild),
                Audience::Private(_) | Audience::Restricted(_) | Audience::Shared(_) => false,
            }
    }
}

impl SeenTraces<'_> {
    /// One of their turns. A turn that is not kept, never was, or answered others is `None` alike, so that nothing is told of
    /// turns of others.
    ///
    /// # Errors
    /// When the database or the record cannot be read.
    pub async fn get(self, turn: TurnId) -> Result<Option<TurnSeen>, TraceError> {
        let found = self.store.whole().get(turn).await?;
        Ok(found.filter(|trace| self.viewer.is_answered_by(trace)).map(|trace| {
            if self.viewer.can_read(&trace.place) { TurnSeen::Record(trace) } else { TurnSeen::Elsewhere }
        }))
    }

    /// The newest of their turns in the channel where they ask, newest first.
    ///
    /// # Errors
    /// When the database or a record in it cannot be read.
    pub async fn newest(self, limit: usize) -> Result<Vec<Arc<TurnTrace>>, TraceError> {
        let (account, channel) = (Some(self.viewer.account.to_string()), Some(self.viewer.channel.clone()));
        self.store.newest(Selection { account, channel, ..Selection::default() }, limit).await
    }
}

impl WholeTraces<'_> {
    /// One turn's trace; `None` when there was no such turn or it is no longer kept.
    pub async fn get(self, turn: TurnId) -> Result<Option<Arc<TurnTrace>>, TraceError> {
        if let Some(trace) = self.0.ring.lock().iter().rev().find(|trace| trace.id == turn) {
            return Ok(Some(Arc::clone(trace)));
        }
        let body = self.0.database.read(move |tx| body_of(tx, turn)).await?;
        body.map(|body| parse_trace(turn, &body).map(Arc::new)).transpose()
    }

    /// The newest trace, of one channel or of all.
    pub async fn latest(self, channel: Option<&ChannelId>) -> Result<Option<Arc<TurnTrace>>, TraceError> {
        let of_channel = Selection { channel: channel.cloned(), ..Selection::default() };
        Ok(self.0.newest(of_channel, 1).await?.pop())
    }

    /// The newest trace of a channel that asked a model: greetings and silences do not. Where none of the newest did, the
    /// newest.
    pub async fn latest_that_asked(self, channel: &ChannelId) -> Result<Option<Arc<TurnTrace>>, TraceError> {
        let of_channel = Selection { channel: Some(channel.clone()), ..Selection::default() };
        Ok(that_asked(self.0.newest(of_channel, FEW).await?))
    }

    /// The newest traces, newest first.
    pub async fn list(self, limit: usize) -> Result<Vec<Arc<TurnTrace>>, TraceError> {
        self.0.newest(Selection::default(), limit).await
    }

    /// A page of a list, newest first: of one channel or of all, with or without silences, and of turns with smaller numbers
    /// than `before`.
    pub async fn page(
        self,
        channel: Option<&ChannelId>,
        silences: Silences,
        before: Option<TurnId>,
        limit: usize,
    ) -> Result<Vec<Arc<TurnTrace>>, TraceError> {
        let page = Selection { channel: channel.cloned(), before, silences, ..Selection::default() };
        self.0.newest(page, limit).await
    }

    /// The newest traces of turns that were not left silent, newest first, however many silences lie between.
    ///
    /// # Errors
    /// When the database or a record in it cannot be read.
    pub async fn spoken(self, limit: usize) -> Result<Vec<Arc<TurnTrace>>, TraceError> {
        self.0.newest(Selection { silences: Silences::LeftOut, ..Selection::default() }, limit).await
    }
}
