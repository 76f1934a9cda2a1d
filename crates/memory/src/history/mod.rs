//! What happened: every message, word for word, in `history.db`.
//!
//! Owns the append-only record of turns, its event log of edits and deletions, the token counts kept with each
//! turn, the summaries that stand for older turns, and full-text search over all of it. Must not know prompts, models or platforms. Start reading at
//! [`History`].

mod answers;
mod append;
mod around;
mod beginnings;
mod conversation;
mod deliveries;
mod digests;
mod forget;
mod heard;
mod jobs;
mod kept;
mod people;
mod reactions;
mod reminders;
mod repairs;
mod responses;
mod rooms;
mod rows;
mod search;
mod seen;
mod sources;
mod state;
mod store;
mod summaries;
#[cfg(test)]
mod tests;
mod verify;

pub use crate::domain::Visible;
pub use crate::sqlite::set_aside_names;
pub use crate::sqlite::words::Held;
pub use answers::{ANSWERED_MAX, AnswersTo};
pub use append::{Appended, NewTurn};
pub use around::SaidAhead;
pub use beginnings::Beginning;
pub use conversation::{ConversationAt, PlacedTurn, RecentQuery, Uncovered, WindowQuery, rough_tokens};
pub use deliveries::{Delivering, Unfinished};
pub use digests::{Digest, DigestChannel, NewDigest};
pub use forget::{ForgetTurns, ForgetUntil, SaidWords};
pub use heard::{Followed, HeardMessage, Mark, OpenStretch, Told};
pub use jobs::{
    Afterwards, Hindrance, KeptPassedOver, PassedOver, Unread, has_messages_in, has_reminders_in,
    passed_over_in,
};
pub use kept::{
    KeptChannel, KeptComing, KeptFeeling, KeptMark, KeptMessage, KeptReaction, KeptShare, KeptState,
    KeptTurn, KeptUnder,
};
pub use people::{Acquaintance, Answered, Missed, OwnFile, OwnTurn, OwnTurns, Since};
pub use reactions::ReactionStance;
pub use reminders::{
    AlsoOf, KeptReminder, NewReminder, NoRoom, REMINDER_CHARS, REMINDERS_MAX, REMINDERS_OF_ONE,
    REMINDERS_OF_SERVER, RITUALS_OF_ONE, Reminder,
};
pub use repairs::Repair;
pub use responses::{PlacedResponse, RESPONSES_OF_CHANNEL, ReplyKnownBy};
pub use rooms::{Room, RoomPage};
pub use search::FoundTurn;
pub use seen::{Seen, Whole};
pub use sources::{
    Begun, DOCUMENTS_A_DAY, DocumentText, KeptSource, NewDocument, NewPassage, NewPin, SourceId, SourceKind,
    SourceOf, SourcePassage, SourceState, UnstoredPin,
};
pub use state::{CameBack, Thoughts, Warmth};
pub use store::{History, HistoryError, HistoryOptions, TokenCounter, Unstored, is_newer_history};
pub use summaries::{
    Added, KeptSummary, Leaf, NewSummary, Summary, SummaryId, SummaryLevel, fingerprint_of_summaries,
    fingerprint_of_turns,
};
pub use verify::{Derived, HistoryDifference};
