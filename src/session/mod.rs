//! One turn, whatever the modality.
//!
//! Owns the router, the actor per conversation, the speak-or-stay-silent policy and the run of a turn. Must not
//! know Discord, the terminal or any other rim: they hand in [`InboundEvent`](crate::domain::InboundEvent)s and
//! give an [`Outbox`] to speak through. Start reading at [`SessionHandle`].

mod ahead;
mod before;
mod conversation;
mod gates;
mod greeting;
mod handle;
mod hands;
mod meanwhile;
mod opening;
mod outbox;
mod policy;
mod replay;
mod reply;
mod rounds;
mod scene;
mod stream;
mod turn;
mod underway;
mod upkeep;
mod verdict;
mod waiting;

pub use ahead::EarlyAnswers;
pub use conversation::Then;
pub use handle::{GreetError, SessionHandle, SessionParts, SubmitError};
pub use meanwhile::Gone;
pub use outbox::{
    Delivered, Delivery, DeliveryError, DeliveryStyle, Foreseen, Notice, Outbox, Settled, TypingGuard,
};
pub use replay::{ReplayChanges, ReplayError, answer_why};
pub use upkeep::Upkeep;
