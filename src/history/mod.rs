//! What happened: every message, word for word, in `history.db`.
//!
//! Owns the append-only record of turns, its event log of edits and deletions, the token counts kept with each
//! turn, the summaries that stand for older turns, and full-text search over all of it. Must not know prompts, models or platforms. Start reading at
//! [`History`].

mod acquaintance;
mod ahead;
mod append;
mod around;
mod batch;
mod change;
mod comings;
mod conversation;
mod crystals;
mod deliveries;
mod digests;
mod feelings;
mod forget;
mod heard;
mod kept;
mod leaves;
mod lore;
mod passed_over;
mod places;
mod pulse;
mod query;
mod recent;
mod regards;
mod relation;
mod rows;
mod schema;
mod search;
mod store;
#[cfg(test)]
mod tests;
mod thoughts;
mod turn;
mod unread;
mod verify;
mod watermark;
mod window;

pub use crate::domain::Visible;
pub use crate::sqlite::set_aside_names;
pub use crate::sqlite::words::Held;
pub use acquaintance::{Acquaintance, Missed, Since};
pub use ahead::SaidAhead;
pub use around::HistoryStats;
pub use comings::{CameBack, KeptComing};
pub use conversation::{Conversation, HeardTurn, Uncovered};
pub use crystals::{
    Added, Crystal, CrystalId, CrystalLevel, NewCrystal, Summary, fingerprint_of_crystals,
    fingerprint_of_turns,
};
pub use deliveries::{Delivering, Unfinished};
pub use digests::{Digest, NewDigest, Source};
pub use feelings::Warmth;
pub use forget::{Chosen, Said};
pub use heard::{Followed, Heard, Mark, Shown, Told};
pub use kept::{KeptChannel, KeptFeeling, KeptMark, KeptState, KeptTurn};
pub use leaves::Leaf;
pub use passed_over::{Hindrance, KeptPassedOver, PassedOver, passed_over_in};
pub use places::Afterwards;
pub use pulse::{About, AsOf};
pub use query::RecentQuery;
pub use regards::{KeptReaction, KeptUnder, Regarded};
pub use relation::{Relation, SharedPlace};
pub use search::Found;
pub use store::{History, HistoryError, HistoryOptions, TokenCounter};
pub use thoughts::Thoughts;
pub use turn::{Appended, NewTurn};
pub use unread::Unread;
pub use verify::{Derived, HistoryDifference};
pub use window::{PlacedTurn, WindowQuery, rough_tokens};
