//! What a message that was meant for the familiar leaves with it besides its words: wishes for this session (specs
//! mechanisms A23) and feelings (A9).
//!
//! Owns when something counts as meant for it. Must not know how a wish or a sign is read. Start reading at
//! [`taken_in`].

use std::time::Duration;

use jiff::Timestamp;

use super::handle::SessionParts;
use crate::domain::{Author, Feeling, InboundMessage, Place, Role, StoredTurn};
use crate::history::{Visible, Warmth};
use crate::identity::caller;
use crate::world::{Sign, reaction_sign, signs};

/// Being away for longer than this makes coming back an event.
const LONG_ABSENCE: Duration = Duration::from_secs(7 * 24 * 3600);

/// A message that speaks to the familiar. A failure is logged; no reply fails for a mood.
pub(super) async fn taken_in(parts: &SessionParts, message: &InboundMessage, stored: &StoredTurn) {
    let id = message.message.as_ref();
    parts.world.wished(&message.place, &message.author, &message.text, id, message.at);
    if message.author.is_bot || !parts.config.current().affect.enabled {
        return;
    }
    let mut signs = signs(&message.text);
    if is_back(parts, message, stored).await {
        signs.push(Sign::Return);
    }
    feel(parts, &message.place, &message.author, &signs, message.at).await;
}

/// After a start: who spoke here before, and what they asked for in messages that the familiar answered before anybody else
/// spoke. Without the history nothing is known of before, and that is all.
pub(super) async fn remembered(parts: &SessionParts, place: &Place, recent: &[StoredTurn]) {
    let is_answered = |at: usize| {
        let mut after = recent[at + 1..].iter();
        after.find(|turn| turn.author != recent[at].author).is_some_and(|turn| turn.role == Role::Assistant)
    };
    let answered: Vec<usize> = (0..recent.len()).filter(|at| is_answered(*at)).collect();
    let rows = answered.iter().map(|at| recent[*at].id).collect();
    let messages = parts.history.messages_of(rows).await.unwrap_or_default();
    for (at, turn) in recent.iter().enumerate() {
        let Some(author) = &turn.author else { continue };
        parts.world.spoke(place, author, turn.at);
        if answered.contains(&at) {
            parts.world.wished(place, author, &turn.content, messages.get(&turn.id), turn.at);
        }
    }
}

/// A reaction to one of the familiar's own messages.
pub(super) async fn reacted(parts: &SessionParts, place: &Place, who: &Author, emoji: &str) {
    if parts.config.current().affect.enabled
        && let Some(sign) = reaction_sign(emoji)
    {
        feel(parts, place, who, &[sign], parts.clock.now()).await;
    }
}

async fn is_back(parts: &SessionParts, message: &InboundMessage, stored: &StoredTurn) -> bool {
    let visible = Visible::at(&message.place);
    let known = parts.history.acquaintance(&message.author.account, &visible, Some(stored.id), None).await;
    let last = known.ok().and_then(|known| known.last);
    last.and_then(|last| Duration::try_from(message.at.duration_since(last)).ok())
        .is_some_and(|gap| gap > LONG_ABSENCE)
}

/// It is moved by whoever it is; how warmly it thinks of them is remembered only of whom anything may be.
async fn feel(parts: &SessionParts, place: &Place, who: &Author, signs: &[Sign], at: Timestamp) {
    if signs.is_empty() {
        return;
    }
    let mood = signs.iter().fold(Feeling::default(), |sum, sign| sum.pushed(sign.on_mood()));
    let push = signs.iter().map(|sign| sign.on_warmth()).sum::<f64>().clamp(-0.2, 0.2);
    let config = parts.config.current();
    let leave = caller(&config, place, Some(who)).change(place.told_to());
    let warmth = leave.as_ref().map(|leave| Warmth { leave, by: &who.account, push });
    if let Err(error) = parts.history.moved(mood, warmth, config.affect.half_life, at).await {
        tracing::warn!(%error, "a feeling could not be stored");
    }
}
