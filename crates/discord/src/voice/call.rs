//! The seam between a call and whatever carries it.
//!
//! Owns what a bridge tells ([`CallEvent`]), what it is asked for ([`CallNotice`]) and the two ends of the line between
//! them. Must not know how packets come in or where text goes. Start reading at [`CallLine::open`].

mod actor;
mod hearing;
mod now;
mod speaker_task;
mod told;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use tokio::sync::{mpsc, oneshot};

pub use self::actor::{Call, CallFigures, CallParts};
pub use self::now::{CallDid, CallMoment, CallNow, CallTurn, CallsNow};
pub use self::told::{hints_of, turn_settings};

use super::frame::Packet;
use crate::domain::{AccountId, Author, InboundMessage, MessageId};
use crate::session::{Delivery, DeliveryError, Notice};
use familiar_voice::Playout;

/// Events that may wait. A packet that finds it full is dropped and counted; everything else waits for room.
const EVENTS: usize = 512;

/// Notices that may wait for the bridge.
const NOTICES: usize = 32;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Participant {
    /// Which account, with its names.
    pub author: Author,
    /// Whether they agreed to be heard, which bots never do. What they say is never decoded before.
    pub consents: bool,
    /// Whether their talking alone may stop the familiar: whoever called it in.
    pub can_stop: bool,
}

/// What a bridge tells.
#[derive(Debug, Clone)]
pub enum CallEvent {
    /// A packet of somebody who consents.
    Packet {
        account: AccountId,
        packet: Packet,
    },
    /// Somebody is in the call now, or was when the familiar came.
    Joined(Participant),
    Left(AccountId),
    /// Somebody typed in the call's own chat.
    Typed(Box<InboundMessage>),
    /// Somebody agreed to be heard, or no longer does: from now on nothing of theirs is kept.
    ConsentChanged {
        account: AccountId,
        consents: bool,
    },
    /// It is to speak only when spoken to, or may join in again.
    Quiet(bool),
    /// Nothing comes in or goes out for now; why, for the operator.
    Disconnected {
        reason: String,
    },
    /// It is carried again.
    Reconnected,
    Close,
}

/// What the text channel must be told. The words are the bridge's; `why` is a phrase for people.
#[derive(Debug)]
pub enum CallNotice {
    /// A reply, or the rest of one, that cannot be spoken. `posted` is told once it was posted.
    Written { to: Delivery, text: String, posted: oneshot::Sender<Result<Vec<MessageId>, DeliveryError>> },
    /// Something that is not the familiar speaking.
    Session { to: Delivery, notice: Notice },
    /// There is no speech recognition: it speaks, but hears nobody.
    HearsNothing { why: String },
    /// What somebody just said was not understood, for a reason that may pass. Told once until [`Self::HearsAgain`].
    MissesWords { why: String },
    /// What people say is understood again, after one of the above was told.
    HearsAgain,
    /// There is no voice: it hears, and answers in text. Told once until [`Self::SpeaksAgain`].
    HasNoVoice { why: String },
    /// It speaks again, after [`Self::HasNoVoice`] was told.
    SpeaksAgain,
    /// One person is not heard for now, everybody else is. Told once until that has passed.
    NotHeard { account: AccountId, why: String },
    /// One person is answered in text for now, everybody else aloud. Told once until that has passed.
    NotSpokenTo { account: AccountId, why: String },
    /// What somebody said who agreed to be heard, and when they began.
    Heard { author: Author, at: Timestamp, text: String },
    /// What was really heard of a reply.
    Said { text: String },
    /// What somebody says arrives, but nothing of it can be decoded.
    CannotDecode { account: AccountId },
}

/// The bridge's end of the line.
#[derive(Debug)]
pub struct CallLine {
    teller: CallTeller,
    /// What to play: one frame every 20 ms for as long as the call lasts.
    pub playout: Arc<Playout>,
    /// What to tell the text channel.
    pub notices: mpsc::Receiver<CallNotice>,
}

/// The call's end of the line.
#[derive(Debug)]
pub struct CallPort {
    /// What the bridge tells.
    pub events: mpsc::Receiver<CallEvent>,
    pub playout: Arc<Playout>,
    /// What the text channel is told.
    pub notices: mpsc::Sender<CallNotice>,
    /// Packets that found no room.
    pub dropped: Arc<AtomicU64>,
}

/// The bridge's way to tell something. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CallTeller {
    events: mpsc::Sender<CallEvent>,
    dropped: Arc<AtomicU64>,
}

impl CallLine {
    pub fn open() -> (Self, CallPort) {
        let (events, told) = mpsc::channel(EVENTS);
        let (notices, noticed) = mpsc::channel(NOTICES);
        let dropped = Arc::new(AtomicU64::new(0));
        let playout = Arc::new(Playout::new());
        let teller = CallTeller { events, dropped: Arc::clone(&dropped) };
        let port = CallPort { events: told, playout: Arc::clone(&playout), notices, dropped };
        (Self { teller, playout, notices: noticed }, port)
    }

    /// For whoever tells something besides the owner of the line, such as the handler of packets.
    pub fn teller(&self) -> CallTeller {
        self.teller.clone()
    }
}

impl CallTeller {
    /// A packet came in. Never waits; gives whether there was room.
    pub fn packet(&self, account: AccountId, packet: Packet) -> bool {
        let taken = self.events.try_send(CallEvent::Packet { account, packet }).is_ok();
        if !taken {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        taken
    }

    /// Anything else; waits for room. Gives whether the call still goes on.
    pub async fn tell(&self, event: CallEvent) -> bool {
        self.events.send(event).await.is_ok()
    }

    /// Packets that found no room so far.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn packets_that_find_no_room_are_counted_and_nothing_waits_for_them() {
        let (line, mut port) = CallLine::open();
        let teller = line.teller();
        let packet = Packet {
            ssrc: 1,
            sequence: 0,
            timestamp: 0,
            opus: Box::from([0_u8].as_slice()),
            arrived: tokio::time::Instant::now(),
        };
        for _ in 0..EVENTS {
            assert!(teller.packet(AccountId::discord(2), packet.clone()));
        }
        assert!(!teller.packet(AccountId::discord(2), packet));
        assert_eq!(teller.dropped(), 1);
        assert!(matches!(port.events.recv().await, Some(CallEvent::Packet { .. })));
    }
}
