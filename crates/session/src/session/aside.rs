//! Answers that were given in a thread of their own, because two talks crossed: where they stand, and what they answer.
//!
//! Owns how one is found from the other: the thread goes by the number of the message that it hangs on. Must not know when an
//! answer is given so. Start reading at [`talk_of`].

use super::parts::SessionParts;
use super::scene;
use crate::domain::{ChannelId, MessageId, Place, PlaceKind, StoredTurn};
use crate::history::Visible;

/// Where the last talk of a place goes on: in the thread in which what was said last was answered, else there.
pub(super) async fn talk_of(parts: &SessionParts, place: &Place) -> Place {
    if place.kind != PlaceKind::GuildText {
        return place.clone();
    }
    match scene::recent(parts, place).await.pop() {
        Some(newest) => answered_in(parts, place, &newest).await.unwrap_or_else(|| place.clone()),
        None => place.clone(),
    }
}

/// The thread in which something was answered that somebody said in a channel: it spoke first there. In one that people began
/// upon the same message they speak first, and what is said there is another talk. What it is called is not known here.
pub(super) async fn answered_in(parts: &SessionParts, place: &Place, said: &StoredTurn) -> Option<Place> {
    let message = said.message.as_ref().filter(|_| said.author.is_some())?;
    let thread = ChannelId::new(message.as_str()).ok().filter(|_| place.kind == PlaceKind::GuildText)?;
    let here = Visible::at(place);
    let seen = parts.history.seen_by(&here);
    let began = seen.began(&thread).await.unwrap_or_default();
    seen.last_assistant(&thread, parts.encoding()).await.ok().flatten().filter(|_| began)?;
    Some(Place {
        channel: thread,
        parent: Some(place.channel.clone()),
        kind: PlaceKind::Thread,
        channel_name: None,
        ..place.clone()
    })
}

/// What somebody said that a thread hangs on.
pub(super) async fn hangs_on(parts: &SessionParts, thread: &Place) -> Option<StoredTurn> {
    let parent = thread.parent.as_ref().filter(|_| thread.kind == PlaceKind::Thread)?;
    let message = MessageId::new(thread.channel.as_str()).ok()?;
    let here = Visible::at(thread);
    let found = parts.history.seen_by(&here).said_in(parent, &message, parts.encoding()).await;
    let (said, _) = found.ok().flatten()?;
    said.author.is_some().then_some(said)
}
