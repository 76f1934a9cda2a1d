//! A reply's words put in the place of those it had, where people read them and where they are stored.
//!
//! Owns the one way there: what is to be is written down, then shown, then stored as it is shown. Whoever kills the program in
//! between leaves a row that the next start finds and does again. Start reading at [`put`].

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;

use super::outbox::{
    Delivered, Delivery, DeliveryError, DeliveryStyle, Notice, Outbox, Outboxes, Replaced, TypingGuard,
};
use super::parts::SessionParts;
use super::stream::ReplyCutter;
use super::underway::HandedOver;
use crate::domain::{MessageId, Place, StoredId};
use crate::history::Repair;
use crate::text::defuse::without_invitations;

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PutInPlace {
    /// It reads so now, which may be nothing, and so it is stored. `refused` says why not all of it was taken.
    Stands {
        text: String,
        refused: Option<DeliveryError>,
    },
    Unchanged(NotPut),
}

/// Why nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotPut {
    /// Nobody took the request: the program is going down.
    NotTaken,
    /// It could not be written down.
    NotWrittenDown,
    /// A part of the reply is a file, which takes no other words.
    IsFile,
    /// The words are not for people of any age, who may read there.
    Unfit,
    /// Others read along, and whoever gives the words does not manage the place.
    NotManaging,
    Refused(DeliveryError),
}

#[derive(Debug, Clone)]
pub(super) struct StandingReply {
    pub id: StoredId,
    /// Its messages, first to last.
    pub messages: Vec<MessageId>,
}

/// Puts words in the place of a reply's; no words take it away.
pub(super) async fn put(
    parts: &SessionParts,
    way: &dyn Outbox,
    place: &Place,
    reply: &StandingReply,
    text: &str,
) -> PutInPlace {
    let typing = &parts.config.channel_in(place).figures.typing;
    let mut cutter = ReplyCutter::new(way.style(), typing);
    let mut pieces = cutter.push(text);
    pieces.extend(cutter.finish());
    pieces.retain(|piece| !piece.trim().is_empty());
    if !way.style().is_live() {
        for piece in &mut pieces {
            *piece = without_invitations(piece).into_owned();
        }
    }
    let repair = Repair {
        reply: reply.id,
        place: place.clone(),
        messages: reply.messages.clone(),
        pieces,
        once: format!("{:016x}", rand::random::<u64>()),
    };
    if let Err(error) = parts.history.begin_repair(&repair).await {
        tracing::warn!(%error, "what a reply is to say could not be written down");
        return PutInPlace::Unchanged(NotPut::NotWrittenDown);
    }
    match carry_out(parts, way, &repair).await {
        Ok(stands) => stands,
        Err(error) => {
            if let Err(error) = parts.history.drop_repair(reply.id).await {
                tracing::warn!(%error, "that a reply was not changed could not be written down");
            }
            PutInPlace::Unchanged(NotPut::Refused(error))
        }
    }
}

/// An error where nothing was changed.
async fn carry_out(
    parts: &SessionParts,
    way: &dyn Outbox,
    repair: &Repair,
) -> Result<PutInPlace, DeliveryError> {
    let Repair { reply, place, messages, pieces, once } = repair;
    let Replaced { standing, refused } = way.replace(place, messages, pieces, once).await?;
    let is_typed = parts.config.channel_in(place).figures.typing.enabled;
    let mut stands = HandedOver::default();
    for (message, words) in standing {
        stands.arrives(if is_typed { "\n\n" } else { "\n" }, &words, Some(message));
    }
    let HandedOver { text, messages, begins, .. } = stands;
    let (text, now) = (text.trim().to_owned(), parts.clock.now());
    match parts.history.close_repair(*reply, text.clone(), messages.clone(), begins, now).await {
        // It was forgotten meanwhile: nobody is to read on what is not remembered.
        Ok(false) => {
            way.replace(place, &messages, &[], once).await?;
            return Ok(PutInPlace::Stands { text: String::new(), refused: None });
        }
        Ok(true) => {
            parts.upkeep.workers.unlearn(vec![*reply]).await;
            parts.pipeline.cool();
            parts.upkeep.wake(place);
        }
        // The row stays: the next start does it again.
        Err(error) => tracing::error!(%error, "a changed reply could not be stored"),
    }
    Ok(PutInPlace::Stands { text, refused })
}

/// At a start, once there is a way to Discord: does again what a killed program was doing.
pub(super) async fn finish_repairs(parts: &SessionParts, ways: &Outboxes) {
    let open = match parts.history.open_repairs().await {
        Ok(open) => open,
        Err(error) => return tracing::error!(%error, "replies that were being changed could not be read"),
    };
    for repair in open {
        let Some(way) = ways.lasting(&repair.place) else { continue };
        // What cannot be reached now is tried again at the next start.
        if let Err(error) = carry_out(parts, way.as_ref(), &repair).await {
            tracing::warn!(channel = %repair.place.channel, %error, "a reply that was being changed when the program ended could not be looked at");
        }
    }
}

/// The way of another answer: nothing of it is seen before all of it is there.
#[derive(Debug)]
pub(super) struct InPlace {
    way: Arc<dyn Outbox>,
    pub reply: StandingReply,
    /// What became of it.
    became: Mutex<Option<PutInPlace>>,
    /// What there was to be told meanwhile.
    notice: Mutex<Option<Notice>>,
}

impl InPlace {
    pub(super) fn new(way: Arc<dyn Outbox>, reply: StandingReply) -> Self {
        Self { way, reply, became: Mutex::default(), notice: Mutex::default() }
    }

    /// All of the answer is there.
    pub(super) async fn put(&self, parts: &SessionParts, place: &Place, text: &str) {
        let became = put(parts, self.way.as_ref(), place, &self.reply, text).await;
        *self.became.lock() = Some(became);
    }

    /// What became of it; `None` where there was no other answer.
    pub(super) fn became(&self) -> Option<PutInPlace> {
        self.became.lock().take()
    }

    /// Why there was none, where that is to be told.
    pub(super) fn notice_taken(&self) -> Option<Notice> {
        self.notice.lock().take()
    }
}

#[async_trait]
impl Outbox for InPlace {
    fn style(&self) -> DeliveryStyle {
        self.way.style()
    }

    fn typing(&self, to: &Delivery) -> TypingGuard {
        self.way.typing(to)
    }

    async fn deliver(&self, _: &Delivery, _: &str, _: bool) -> Result<Delivered, DeliveryError> {
        Ok(Delivered::default())
    }

    /// Whoever wanted it is told by whoever asked for it.
    async fn notice(&self, _: &Delivery, notice: Notice) -> Result<(), DeliveryError> {
        *self.notice.lock() = Some(notice);
        Ok(())
    }

    fn is_watched(&self) -> bool {
        false
    }
}
