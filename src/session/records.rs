//! How what is said and what is replied become stored turns.

use jiff::Timestamp;

use crate::domain::{ChannelMode, InboundMessage, MessageId, Modality, Place, Role, TurnId};
use crate::history::NewTurn;

/// A person's message: the words, then one line per attachment.
pub(super) fn said(message: &InboundMessage, mode: ChannelMode) -> NewTurn {
    let mut content = message.text.clone();
    for attachment in &message.attachments {
        if !content.is_empty() {
            content.push('\n');
        }
        content.push_str(&attachment.line());
    }
    // What a person says may be meant for more than those who are here: who paired, wants it known elsewhere too.
    let place = Place { audience: message.place.told_to().clone(), ..message.place.clone() };
    NewTurn {
        place,
        role: Role::User,
        author: Some(message.author.clone()),
        content,
        at: message.at,
        mode,
        messages: message.message.clone().into_iter().collect(),
        reply_to: message.reply_to.clone(),
        turn: None,
        modality: message.modality,
    }
}

/// The familiar's own words, as they were delivered.
pub(super) fn replied(
    place: &Place,
    content: String,
    messages: Vec<MessageId>,
    at: Timestamp,
    mode: ChannelMode,
    turn: TurnId,
    modality: Modality,
) -> NewTurn {
    NewTurn {
        place: place.clone(),
        role: Role::Assistant,
        author: None,
        content,
        at,
        mode,
        messages,
        reply_to: None,
        turn: Some(turn),
        modality,
    }
}
