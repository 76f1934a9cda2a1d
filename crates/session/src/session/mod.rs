//! One turn, whatever the modality.
//!
//! Owns the router, the actor per conversation, the speak-or-stay-silent policy and the run of a turn. Must not
//! know Discord, the terminal or any other adapter: they hand in [`InboundEvent`](crate::domain::InboundEvent)s and
//! give an [`Outbox`] to speak through. Start reading at [`SessionHandle`].

mod aside;
mod conversation;
mod decline;
mod forget_barrier;
mod gates;
mod greeting;
mod growing;
mod handle;
mod hours;
mod how_it_is;
mod in_place;
mod learning;
mod newcomers;
mod open_gate;
mod opening;
mod outbox;
mod own_messages;
mod own_words;
mod parts;
mod policy;
mod pre_reply;
mod read_back;
mod reminder_words;
mod reminders;
mod replay;
mod reply;
mod rounds;
mod said_before;
mod said_of_itself;
mod scene;
mod speculation;
mod stop;
mod stream;
mod turn;
mod turn_tools;
mod underway;
mod unsaid;
mod waiting;

pub use conversation::{
    Alternatives, GoBack, GreetingCame, RepairRequest, Repaired, SpokeUp, Then, Wanted, WentBack,
};
pub use forget_barrier::Gone;
pub use handle::SessionHandle;
pub use hours::{HoursMade, NoHours};
pub use in_place::NotPut;
pub use outbox::{
    Awaited, Delivered, Delivery, DeliveryError, DeliveryStyle, Notice, Outbox, Replaced, Settled,
    Speculated, TypingGuard, own_message_id,
};
pub use parts::{GreetError, SessionParts, SubmitError, Upkeep};
pub use replay::{Replay, ReplayAnswer, ReplayChanges, ReplayError, answer_why};
pub use speculation::EarlyAnswers;
pub use turn::reached;

/// The longest message that is taken from a keyboard or a page, in characters. Discord has a limit of its own.
pub const MESSAGE_CHARS_MAX: usize = 16_000;

// What an adapter needs to say what can be done in its places: part of its way out.
pub use crate::tools::{
    CONFIRM_WITHIN, Confirmation, Every, MeantMessage, POLL_ANSWER_CHARS, POLL_ANSWERS, POLL_HOURS,
    POLL_QUESTION_CHARS, PlaceAction, PlaceActions, PostedFile, Proposed, THREAD_NAME_CHARS, ToolError,
};
