//! Answers that are begun before whoever asks has finished.

use super::Conversation;
use crate::domain::InboundMessage;
use crate::session::outbox::Speculated;
use crate::session::speculation::{Early, Speculation};

impl Conversation {
    /// An answer is begun only where it would be given at once: nothing else is being answered, and the policy would let
    /// it speak.
    pub(super) async fn speculate(&mut self, speculation: u64, message: &InboundMessage) {
        let outbox = self.ways.to(&message.place);
        let refuse = || outbox.speculate(speculation, Speculated::NoMore { is_whole: false });
        if self.running.is_some() || self.waiting.is_called() || self.waits_until.is_some() {
            return refuse();
        }
        let recent = self.recent().await;
        let may =
            self.gate.has_room(&self.parts.config.current(), &self.place, Some(&message.author.account));
        let decision = self.decide(message, self.quiet_asked(message).as_ref(), &recent);
        if !may || !decision.is_awaited() {
            return refuse();
        }
        let (waiting, unsaid) = (&self.waiting, self.unsaid.clone());
        let early = Early { number: speculation, message, recent: &recent, waiting, unsaid, outbox };
        self.speculation = Some(Speculation::begin(&self.parts, &self.early, early));
    }
}
