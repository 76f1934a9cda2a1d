//! A reply on its way, kept in the history as it is posted: whoever kills the program takes nothing from what people have
//! read.
//!
//! Must not know how words are posted. Start reading at [`Underway`].

use std::sync::Arc;

use jiff::Timestamp;

use super::forget_barrier::ForgetBarrier;
use super::outbox::DeliveryStyle;
use super::parts::SessionParts;
use super::replay;
use crate::domain::{CancelReason, MessageId, Modality, Outcome, Place, StoredId, TurnId, TurnTrace};
use crate::history::{Delivering, History, NewTurn, Unfinished};

/// What has been handed over so far.
#[derive(Debug, Default)]
pub(super) struct HandedOver {
    pub text: String,
    pub messages: Vec<MessageId>,
    /// Where the words of each message begin in the text as it is stored, without white space before it.
    pub begins: Vec<usize>,
    pub count: usize,
}

impl HandedOver {
    /// A piece has arrived, with this between it and what is there.
    pub(super) fn arrives(&mut self, gap: &str, piece: &str, message: Option<MessageId>) {
        if !self.text.is_empty() {
            self.text.push_str(gap);
        }
        if let Some(message) = message {
            self.begins.push(self.text.trim_start().len());
            self.messages.push(message);
        }
        self.text.push_str(piece);
    }
}

pub(super) struct Underway {
    history: Arc<History>,
    /// As it will be stored, but for its words and messages.
    reply: NewTurn,
    answers: Vec<StoredId>,
    forget_barrier: ForgetBarrier,
    style: DeliveryStyle,
    /// Its first message is edited as more of it comes.
    grows: bool,
    /// Something of it was written down.
    is_kept: bool,
}

impl Underway {
    pub(super) fn new(
        parts: &SessionParts,
        place: &Place,
        turn: TurnId,
        modality: Modality,
        answers: Vec<StoredId>,
        style: DeliveryStyle,
    ) -> Self {
        let reply = NewTurn {
            turn: Some(turn),
            modality,
            ..NewTurn::written(
                place.clone(),
                None,
                String::new(),
                parts.clock.now(),
                parts.config.channel_in(place).mode,
            )
        };
        let history = Arc::clone(&parts.history);
        let forget_barrier = ForgetBarrier::default();
        Self { history, reply, answers, forget_barrier, style, grows: false, is_kept: false }
    }

    /// The same of a conversation that may have to forget meanwhile.
    pub(super) fn behind(self, forget_barrier: ForgetBarrier) -> Self {
        Self { forget_barrier, ..self }
    }

    /// The familiar's own words as they arrived, to be stored.
    pub(super) fn reply(&self, content: String, messages: Vec<MessageId>, at: Timestamp) -> NewTurn {
        NewTurn { content, messages, at, ..self.reply.clone() }
    }

    /// A piece is about to be handed over behind what has arrived. Where nobody can tell whether a piece arrived it is
    /// written down as such; in a terminal nothing comes between the words and the screen, so there it counts.
    pub(super) async fn sends(&mut self, so_far: &str, messages: &[MessageId], piece: &str) {
        self.grows = false;
        match self.style {
            DeliveryStyle::Messages { .. } => self.keep(so_far.to_owned(), messages, Some(piece)).await,
            DeliveryStyle::Live => self.keep(format!("{so_far}{piece}"), messages, None).await,
            // What is handed over to be spoken is not yet heard; what was heard is known when the reply is over.
            DeliveryStyle::Spoken => {}
        }
    }

    pub(super) async fn sent(&mut self, so_far: &str, messages: &[MessageId]) {
        if matches!(self.style, DeliveryStyle::Messages { .. }) {
            self.keep(so_far.to_owned(), messages, None).await;
        }
    }

    /// The message that is there is about to read so.
    pub(super) async fn grows_to(&mut self, text: &str, messages: &[MessageId]) {
        self.grows = true;
        self.keep(text.to_owned(), messages, None).await;
    }

    async fn keep(&mut self, content: String, messages: &[MessageId], being_sent: Option<&str>) {
        let look = self.forget_barrier.look().await;
        if !look.may_keep(&self.answers, &content)
            || being_sent.is_some_and(|piece| !look.may_keep(&self.answers, piece))
        {
            return;
        }
        let now = Delivering {
            reply: self.reply(content, messages.to_vec(), self.reply.at),
            answers: self.answers.clone(),
            being_sent: being_sent.map(str::to_owned),
            grows: self.grows,
        };
        match self.history.delivering(now).await {
            Ok(()) => self.is_kept = true,
            // It goes on: whoever asked is better served by the reply than by its record.
            Err(error) => tracing::warn!(%error, "how far a reply has come could not be written down"),
        }
    }

    /// It is over and is not stored.
    pub(super) async fn is_dropped(&self) {
        let Some(turn) = self.reply.turn.filter(|_| self.is_kept) else { return };
        if let Err(error) = self.history.not_delivered(turn).await {
            tracing::warn!(%error, "the record of a reply that is not stored could not be removed");
        }
    }
}

/// At a start: what a program that was killed had posted becomes what it said, and its turns get the trace they lack.
pub(super) async fn close_unfinished(parts: &SessionParts) {
    let unfinished = match parts.history.close_deliveries().await {
        Ok(unfinished) => unfinished,
        Err(error) => {
            tracing::error!(%error, "replies that were cut off when the program ended could not be stored");
            return;
        }
    };
    if let Err(error) = parts.history.let_go_of_old_answers(parts.clock.now()).await {
        tracing::warn!(%error, "other answers that are old could not be let go of");
    }
    // Behind that: where some of another answer was seen, that is what it says now.
    match parts.history.bring_back_replaced().await {
        Ok(0) => {}
        Ok(replies) => tracing::info!(
            replies,
            "another answer did not come before the program ended; the one that stood is back"
        ),
        Err(error) => tracing::error!(%error, "replies that were to be replaced could not be brought back"),
    }
    for Unfinished { turn, place, text, messages, answers, authors, at } in unfinished {
        tracing::info!(%turn, messages, "a reply was cut off when the program ended; what had arrived is stored");
        let outcome = Outcome::Cancelled { reason: CancelReason::Killed, messages };
        let why = "it was answering when the program was killed";
        let trace = TurnTrace {
            pending: answers,
            authors: authors.iter().map(ToString::to_string).collect(),
            reply: Some(text),
            opened_at: at,
            ..replay::without_model(parts, &place, turn, why, outcome)
        };
        parts.traces.record(trace).await;
    }
}
