//! What this room needs of the sessions.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::domain::{
    AccountId, Author, ChannelId, Coming, InboundEvent, Learned, MessageId, NoPersona, Persona, Place,
    ReminderId, TurnTrace, Visible,
};
use crate::history::{Beginning, HistoryError, NewPin, Reminder};
use crate::session::{EarlyAnswers, GreetError, RepairRequest, Repaired, SessionHandle};
use crate::text::tongue::Tongue;
use crate::trace::Rights;

/// The way into the conversations. A trait because, beside the session's handle, tests of this adapter have one that keeps what
/// it is handed and holds a channel back, so that they see what comes in without a model.
#[async_trait]
pub trait Conversations: Send + Sync + Debug {
    /// Hands in an event; returns when its conversation has taken it.
    ///
    /// # Errors
    /// In words, when it was not taken: shutting down, or nothing to answer through.
    async fn submit(&self, event: InboundEvent) -> Result<(), String>;

    /// Hands in what was said in a place while nobody listened, oldest first: all of it is stored before any of it is
    /// answered.
    async fn said_meanwhile(&self, place: &Place, events: Vec<InboundEvent>);

    /// The newest message of a channel that is known; `None` where nothing is.
    async fn newest_known(&self, channel: &ChannelId) -> Option<MessageId>;

    /// A message of the familiar's own stands in a channel: it may have been killed before it knew.
    async fn found_own(&self, channel: &ChannelId, message: MessageId, text: String, at: jiff::Timestamp);

    /// A channel was read back to the last message that is known, or nothing is known in it.
    fn was_read_back(&self, channel: &ChannelId);

    /// What somebody asked to be reminded of, as far as it may be seen in a place, and where they manage it what everybody
    /// asked for there.
    ///
    /// # Errors
    /// When the history cannot be read.
    async fn reminders(
        &self,
        of: &AccountId,
        place: &Place,
        manages: bool,
    ) -> Result<Vec<Reminder>, HistoryError>;

    /// Takes one of them back; what it was, where it may be seen there.
    ///
    /// # Errors
    /// When the history cannot be written.
    async fn cancel_reminder(
        &self,
        id: ReminderId,
        of: &AccountId,
        place: &Place,
        manages: bool,
    ) -> Result<Option<Reminder>, HistoryError>;

    /// Repairs a reply; another answer is waited for.
    ///
    /// # Errors
    /// In words, when nothing could be done: shutting down.
    async fn repair(&self, place: &Place, request: RepairRequest) -> Result<Repaired, String>;

    /// From now on the conversation in a channel begins with what is said next. Where it began, and where it does now;
    /// `None` where nothing was said since.
    ///
    /// # Errors
    /// When the history cannot be written.
    async fn begin_conversation(
        &self,
        channel: &ChannelId,
    ) -> Result<Option<(Beginning, Beginning)>, HistoryError>;

    /// Takes that back; whether it was.
    ///
    /// # Errors
    /// When the history cannot be written.
    async fn begin_again(
        &self,
        channel: &ChannelId,
        from: Beginning,
        to: Beginning,
    ) -> Result<bool, HistoryError>;

    /// Discord can be reached: what a killed program was doing to its replies is done again. Only the first call does
    /// something.
    async fn finish_repairs(&self);

    /// The channels of the newest conversations alone with somebody, at most so many.
    async fn direct_messages(&self, most: usize) -> Vec<ChannelId>;

    /// A persona, where nobody would take whoever plays it for somebody else.
    ///
    /// # Errors
    /// [`NoPersona::Taken`] where its name is somebody else's.
    fn playable(&self, account: &AccountId, persona: Persona) -> Result<Persona, NoPersona>;

    /// Posts a greeting of the card; `which` counts from 0, `None` is the first.
    ///
    /// # Errors
    /// See [`GreetError`].
    async fn greet(&self, place: Place, which: Option<usize>) -> Result<(), GreetError>;

    /// What a turn did with some words, in Markdown, as anybody it answered may read it.
    ///
    /// # Errors
    /// When the history cannot be read.
    async fn why(&self, trace: &TurnTrace, words: &str) -> Result<String, HistoryError>;

    /// Somebody is about to say something: what an answer needs may be prepared.
    fn expect(&self, place: &Place, who: &Author);

    /// A place is no longer read: what is worth remembering of it need not wait for a pause.
    fn conclude(&self, place: &Place);

    /// Somebody reacted to one of the familiar's own messages.
    async fn reacted(&self, place: &Place, who: &Author, emoji: String);

    /// Somebody came to a guild, or left it. Whether they are new there.
    async fn came(&self, coming: Coming) -> bool;

    /// Greets somebody who is new, in a place that asks for it.
    async fn greet_newcomer(&self, place: &Place, whom: Author);

    /// These are the messages that are pinned in a place, and no others.
    async fn pinned(&self, place: Place, pins: Vec<NewPin>);

    /// What was learnt in a place from what people did with replies, as far as it may be seen there.
    async fn learned(&self, place: &Place) -> Learned;

    /// Lets go of all that was learnt in a place; from how many responses that was.
    ///
    /// # Errors
    /// When the history cannot be written.
    async fn unlearn(&self, place: &Place) -> Result<usize, HistoryError>;

    /// The same of all that was learnt from one person, wherever.
    ///
    /// # Errors
    /// When the history cannot be written.
    async fn unlearn_from(&self, account: &AccountId) -> Result<usize, HistoryError>;

    /// Its mood in a word, as far as it shows before somebody; `None` where it is even or not known.
    async fn mood_word(&self, before: &Visible) -> Option<&'static str>;

    /// How it is, as the character says it there in this language; `None` where no model has words for it now.
    async fn how_it_is(&self, place: &Place, to: Tongue) -> Option<String>;

    /// Answers that were begun early in calls since the program started, and how many of them were given.
    fn early_answers(&self) -> EarlyAnswers;
}

#[async_trait]
impl Conversations for SessionHandle {
    async fn submit(&self, event: InboundEvent) -> Result<(), String> {
        Self::submit(self, event).await.map_err(|error| error.to_string())
    }

    async fn said_meanwhile(&self, place: &Place, events: Vec<InboundEvent>) {
        if let Err(error) = Self::submit_together(self, place, events, None).await {
            tracing::warn!(channel = %place.channel, %error, "what was said meanwhile was not taken");
        }
    }

    async fn newest_known(&self, channel: &ChannelId) -> Option<MessageId> {
        Self::newest_known(self, channel).await
    }

    async fn found_own(&self, channel: &ChannelId, message: MessageId, text: String, at: jiff::Timestamp) {
        Self::found_own(self, channel, message, text, at).await;
    }

    fn was_read_back(&self, channel: &ChannelId) {
        Self::was_read_back(self, channel);
    }

    async fn reminders(
        &self,
        of: &AccountId,
        place: &Place,
        manages: bool,
    ) -> Result<Vec<Reminder>, HistoryError> {
        Self::reminders(self, of, place, manages).await
    }

    async fn cancel_reminder(
        &self,
        id: ReminderId,
        of: &AccountId,
        place: &Place,
        manages: bool,
    ) -> Result<Option<Reminder>, HistoryError> {
        Self::cancel_reminder(self, id, of, place, manages).await
    }

    async fn repair(&self, place: &Place, request: RepairRequest) -> Result<Repaired, String> {
        Self::repair(self, place, request).await.map_err(|error| error.to_string())
    }

    async fn begin_conversation(
        &self,
        channel: &ChannelId,
    ) -> Result<Option<(Beginning, Beginning)>, HistoryError> {
        Self::begin_conversation(self, channel).await
    }

    async fn begin_again(
        &self,
        channel: &ChannelId,
        from: Beginning,
        to: Beginning,
    ) -> Result<bool, HistoryError> {
        Self::begin_again(self, channel, from, to).await
    }

    async fn finish_repairs(&self) {
        Self::finish_repairs(self).await;
    }

    async fn direct_messages(&self, most: usize) -> Vec<ChannelId> {
        Self::direct_messages(self, most).await
    }

    fn playable(&self, account: &AccountId, persona: Persona) -> Result<Persona, NoPersona> {
        Self::playable(self, account, persona)
    }

    async fn greet(&self, place: Place, which: Option<usize>) -> Result<(), GreetError> {
        Self::greet(self, place, which, None).await.map(drop)
    }

    async fn why(&self, trace: &TurnTrace, words: &str) -> Result<String, HistoryError> {
        Self::why(self, trace, words, Rights::Person).await
    }

    fn expect(&self, place: &Place, who: &Author) {
        SessionHandle::expect(self, place, who);
    }

    fn conclude(&self, place: &Place) {
        SessionHandle::conclude(self, place);
    }

    async fn reacted(&self, place: &Place, who: &Author, emoji: String) {
        SessionHandle::reacted(self, place, who, &emoji).await;
    }

    async fn came(&self, coming: Coming) -> bool {
        SessionHandle::came(self, coming).await
    }

    async fn greet_newcomer(&self, place: &Place, whom: Author) {
        SessionHandle::greet_newcomer(self, place, whom).await;
    }

    async fn pinned(&self, place: Place, pins: Vec<NewPin>) {
        SessionHandle::pinned(self, place, pins).await;
    }

    async fn learned(&self, place: &Place) -> Learned {
        Self::learned(self, place).await
    }

    async fn unlearn(&self, place: &Place) -> Result<usize, HistoryError> {
        Self::unlearn(self, place).await
    }

    async fn unlearn_from(&self, account: &AccountId) -> Result<usize, HistoryError> {
        Self::unlearn_from(self, account).await
    }

    async fn mood_word(&self, before: &Visible) -> Option<&'static str> {
        Self::mood_word(self, before).await
    }

    async fn how_it_is(&self, place: &Place, to: Tongue) -> Option<String> {
        Self::how_it_is(self, place, to).await
    }

    fn early_answers(&self) -> EarlyAnswers {
        SessionHandle::early_answers(self)
    }
}
