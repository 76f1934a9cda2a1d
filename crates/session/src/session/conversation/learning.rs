//! What people do with replies, where they let it learn from that (M17): reactions, other answers wanted,
//! words set right, being talked over, and what becomes of joining in. Counted, never read.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;

use super::Conversation;
use super::going_back::GoBack;
use super::requests::Wanted;
use super::running::Running;
use crate::domain::{
    AccountId, Deed, InboundMessage, Learned, MessageId, Modality, Outcome, Reaction, Role, SilenceReason,
    Stance, Stands, StoredTurn, TurnId,
};
use crate::history::ReplyKnownBy;
use crate::session::learning;
use crate::session::policy::Decision;
use crate::session::turn::TurnEnd;
use crate::session::waiting::Call;
use crate::text::cues::Cues;
use crate::text::phrases::says;

/// Who says something only later has not passed over that it joined in: they were not there.
const JUDGED_WITHIN: Duration = Duration::from_secs(3600);

/// So many people are looked at for that.
const JUDGES_MAX: usize = 64;

/// Whoever says something only later has not talked over it.
const TALKED_OVER_WITHIN: Duration = Duration::from_secs(30);

/// A reply with which it joined in, and who has shown since what they make of that.
#[derive(Debug)]
pub(super) struct Joined {
    turn: TurnId,
    at: Timestamp,
    judged: BTreeSet<AccountId>,
}

impl Conversation {
    /// Reads anew what was learnt here, where anybody lets it learn, and tells the world of it.
    pub(super) async fn look_at_learned(&mut self) {
        self.learned = match self.parts.pairing.learns() {
            true => learning::learned(&self.parts, &self.place).await,
            false => Learned::default(),
        };
        let (world, learned) = (&self.parts.world, &self.learned);
        let told = world.snapshot();
        let told = told.for_place(&self.place);
        let knows_tools = told.liked_tools().map_or(learned.tools.is_empty(), |told| *told == *learned.tools);
        if told.liked_length() != learned.length || !knows_tools {
            world.likes(&self.place.channel, learned);
        }
    }

    /// Somebody did something with a reply. Counted where they let that be.
    pub(super) async fn responded(&self, reply: ReplyKnownBy, by: &AccountId, deed: Deed) {
        if !self.parts.pairing.learns_from(by) {
            return;
        }
        let at = self.parts.clock.now();
        match self.parts.history.respond(&self.place.channel, reply.clone(), by, deed, at).await {
            // While it was written down they said no more.
            Ok(true) if !self.parts.pairing.learns_from(by) => {
                self.responds_no_more(reply, Some(by), deed).await;
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "what somebody did with a reply could not be counted"),
        }
    }

    async fn responds_no_more(&self, reply: ReplyKnownBy, by: Option<&AccountId>, deed: Deed) {
        if let Err(error) = self.parts.history.respond_no_more(&self.place.channel, reply, by, deed).await {
            tracing::warn!(%error, "what somebody took back of a reaction is still counted");
        }
    }

    /// A reaction was put under a message, or taken away.
    pub(super) async fn counts_reaction(&self, reaction: &Reaction) {
        let Some(deed) = deed_of(&reaction.emoji) else { return };
        let reply = ReplyKnownBy::Message(reaction.message.clone());
        match reaction.stands {
            Stands::Put => self.responded(reply, &reaction.by, deed).await,
            Stands::TakenAway if self.parts.pairing.learns_from(&reaction.by) => {
                self.responds_no_more(reply, Some(&reaction.by), deed).await;
            }
            Stands::TakenAway => {}
        }
    }

    /// Reactions under a message were taken away, all or those of one emoji.
    pub(super) async fn counts_cleared(&self, message: &MessageId, emoji: Option<&str>) {
        for deed in [Deed::Liked, Deed::Disliked] {
            if emoji.is_none_or(|emoji| deed_of(emoji) == Some(deed)) && self.parts.pairing.learns() {
                self.responds_no_more(ReplyKnownBy::Message(message.clone()), None, deed).await;
            }
        }
    }

    /// Somebody wants a reply repaired.
    pub(super) async fn counts_repair_request(&self, reply: &StoredTurn, by: &AccountId, what: &Wanted) {
        let deed = match what {
            Wanted::Look | Wanted::GoOn | Wanted::GoBack(GoBack::Earlier | GoBack::Later) => return,
            Wanted::GoBack(GoBack::Again) => Deed::AskedAnew,
            Wanted::Words(_) => Deed::Corrected,
            Wanted::GoBack(GoBack::Undo) | Wanted::Delete => Deed::Deleted,
        };
        self.responded(ReplyKnownBy::Row(reply.id), by, deed).await;
    }

    /// What a message shows of what somebody makes of what was said before it.
    pub(super) async fn counts_message(
        &mut self,
        message: &InboundMessage,
        decision: &Decision,
        recent: &[StoredTurn],
    ) {
        let by = &message.author.account;
        // What was said over it is handed in behind it.
        let cut_off = self.cut_off.take_if(|_| message.modality == Modality::Voice);
        if message.author.is_bot || !self.parts.pairing.learns_from(by) {
            return;
        }
        if let Some((turn, _)) = cut_off.filter(|(_, at)| at.elapsed() <= TALKED_OVER_WITHIN) {
            self.responded(ReplyKnownBy::Turn(turn), by, Deed::CutOff).await;
        }
        match decision {
            // Whether it was to it, the turn finds.
            Decision::MayPass(_) | Decision::Speak(Call::TakenUp(_) | Call::Perhaps(_)) => {}
            Decision::Speak(Call::Addressed(_)) => {
                let reply = recent.iter().rev().find(|turn| turn.role == Role::Assistant);
                if let Some(reply) = reply.filter(|_| says("corrected", &Cues::of(&message.text))) {
                    self.responded(ReplyKnownBy::Row(reply.id), by, Deed::Corrected).await;
                }
            }
            Decision::Speak(Call::JoinIn(_)) | Decision::Silent(_) | Decision::IfQuiet(_) => {
                self.judges(by, message.at, Deed::PassedOver).await;
            }
        }
    }

    /// What a turn that is over shows of it.
    pub(super) async fn counts_turn(&mut self, running: &Running, end: &TurnEnd) {
        if !self.parts.pairing.learns() {
            return;
        }
        if end.spoke && !end.tools.is_empty() {
            let reply = ReplyKnownBy::Turn(running.turn);
            let kept = self.parts.history.used_tools(&self.place.channel, reply, end.tools.clone()).await;
            if let Err(error) = kept {
                tracing::warn!(%error, "which tools a reply used could not be kept");
            }
        }
        if running.modality == Modality::Voice {
            return;
        }
        if end.spoke && running.call.joins_in() && !self.place.is_one_to_one() {
            let at = self.parts.clock.now();
            self.joined = Some(Joined { turn: running.turn, at, judged: BTreeSet::new() });
            return;
        }
        let found_nothing =
            matches!(end.outcome, Outcome::Silent { reason: SilenceReason::FoundNothingToSay });
        let deed = match (end.spoke, found_nothing) {
            (true, _) => Deed::TakenUp,
            (false, true) => Deed::PassedOver,
            (false, false) => return,
        };
        for one in running.answers.iter().filter(|one| one.call.is_some()) {
            if let Some(author) = one.turn.author.as_ref().filter(|author| !author.is_bot) {
                self.judges(&author.account, one.turn.at, deed).await;
            }
        }
    }

    /// Somebody shows what they make of that it joined in: what they say first counts.
    async fn judges(&mut self, by: &AccountId, at: Timestamp, deed: Deed) {
        let Some(joined) = &mut self.joined else { return };
        let since = Duration::try_from(at.duration_since(joined.at)).unwrap_or_default();
        if since > JUDGED_WITHIN {
            self.joined = None;
            return;
        }
        let is_room = joined.judged.len() < JUDGES_MAX;
        if is_room && at >= joined.at && joined.judged.insert(by.clone()) {
            let turn = joined.turn;
            self.responded(ReplyKnownBy::Turn(turn), by, deed).await;
        }
    }
}

/// What an emoji under a reply says of it.
fn deed_of(emoji: &str) -> Option<Deed> {
    Some(match Stance::of_emoji(emoji)? {
        Stance::Agrees | Stance::Likes | Stance::Thanks => Deed::Liked,
        Stance::Against => Deed::Disliked,
    })
}
