//! What a turn asks the pipeline for.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::config::ChannelConfig;
use crate::domain::{Author, Modality, Place, StoredTurn, TurnId};
use crate::llm::ModelDescription;

/// One turn's question: who said what, where, and for which model the prompt is.
#[derive(Debug, Clone)]
pub struct TurnRequest {
    /// The turn; seeds everything random in it, so that a replay gives the same prompt.
    pub turn: TurnId,
    /// Where.
    pub place: Place,
    /// How the channel is talked in.
    pub channel: Arc<ChannelConfig>,
    /// Written or heard.
    pub modality: Modality,
    /// The messages being answered, oldest first; already stored. Never evicted.
    pub pending: Vec<StoredTurn>,
    /// Whom the reply is for: the last person who spoke.
    pub author: Option<Author>,
    /// The names of everybody who spoke here lately, for whom `{{user}}` means.
    pub speakers: Vec<String>,
    /// Now.
    pub now: Timestamp,
    /// The time zone times are told in.
    pub display_tz: TimeZone,
    /// For which model.
    pub model: ModelDescription,
}
