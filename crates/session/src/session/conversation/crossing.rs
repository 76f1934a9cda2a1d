//! What becomes of an answer where two talks with the familiar cross.

use super::Conversation;
use crate::config::CrossingTalks;
use crate::domain::Modality;
use crate::session::policy::is_second_talk;
use crate::session::waiting::{Call, Unanswered};

impl Conversation {
    /// How what is asked is set apart from another talk: only what somebody surely asked in writing is.
    pub(super) async fn apart(&mut self, asking: &Unanswered, call: Call) -> CrossingTalks {
        let wanted = self.parts.config.channel_in(&self.place).crossing_talks;
        let is_asked = call.is_awaited() && asking.modality == Modality::Text;
        if wanted == CrossingTalks::Mixed || !is_asked || self.place.is_one_to_one() {
            return CrossingTalks::Mixed;
        }
        if !is_second_talk(&asking.turn, &self.recent().await, &self.spoken_to) {
            return CrossingTalks::Mixed;
        }
        let who = asking.turn.author.as_ref().zip(asking.turn.message.as_ref());
        let may_part = !asking.is_unsure
            && wanted == CrossingTalks::Threads
            && who.is_some_and(|(by, message)| self.parted.may(&by.account, message, asking.turn.at));
        if may_part { CrossingTalks::Threads } else { CrossingTalks::Replies }
    }
}
