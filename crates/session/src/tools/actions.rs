//! What a tool can do in the place where it is called: the seam to the platform.

use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::time::Duration;

use async_trait::async_trait;

use super::error::ToolError;
use super::proposed::Proposed;
use crate::domain::{Author, MessageId, Place};

/// How long somebody may take to confirm something; after that it is denied.
pub const CONFIRM_WITHIN: Duration = Duration::from_secs(120);

/// Characters of what is confirmed: all of it is shown, or nobody is asked.
pub const CONFIRM_CHARS: usize = 1_500;

/// Nobody agrees to what they cannot read.
pub fn too_long_to_confirm() -> ToolError {
    ToolError::Broken(format!(
        "it is too long to be confirmed: at most {CONFIRM_CHARS} characters in all, of which marks such as * count twice"
    ))
}

/// Characters of a poll's question.
pub const POLL_QUESTION_CHARS: usize = 300;

/// How many answers a poll has.
pub const POLL_ANSWERS: RangeInclusive<usize> = 2..=10;

/// Characters of one of them.
pub const POLL_ANSWER_CHARS: usize = 55;

/// For how many hours a poll may be open.
pub const POLL_HOURS: RangeInclusive<u16> = 1..=768;

/// Characters of a thread's name.
pub const THREAD_NAME_CHARS: usize = 100;

/// Something to be done in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceAction {
    /// Puts an emoji under a message: itself, or `:name:` of one of the server's own.
    React {
        message: MessageId,
        emoji: String,
    },
    /// Asks everybody there; ends by itself after so many hours.
    Poll {
        question: String,
        answers: Vec<String>,
        hours: u16,
        several: bool,
    },
    Pin {
        message: MessageId,
    },
    /// Opens a thread, from a message where there is one.
    Thread {
        from: Option<MessageId>,
        name: String,
    },
    /// Posts something that was made or found.
    Post {
        text: String,
        file: Option<PostedFile>,
    },
    /// Shows how people have things forgotten; whoever wants it does it themselves.
    OfferToForget,
    /// Plays a sound of the server's in the call that it is in together with whoever asks.
    PlaySound {
        name: String,
    },
    /// Goes to where whoever asks is talking, and hears them.
    JoinCall,
    /// Leaves the call that whoever asks called it into.
    LeaveCall,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostedFile {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Something that somebody is asked before it is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmation {
    /// Who caused it; nobody else's press counts.
    pub who: Author,
    pub place: Place,
    pub what: Proposed,
    /// Whether it is asked because the model had read what others wrote.
    pub after_others_words: bool,
}

/// What can be done in the places of one platform.
#[async_trait]
pub trait PlaceActions: Send + Sync + Debug {
    /// Whether it could be done for whoever asks, before anybody is asked about it: nobody has done what they might not do
    /// themselves.
    ///
    /// # Errors
    /// Where it or whoever asks may not, or it does not fit; the words say which.
    async fn may(&self, _place: &Place, _who: &Author, _action: &PlaceAction) -> Result<(), ToolError> {
        Ok(())
    }

    /// Whether somebody manages the place; nobody does where that is not known.
    async fn manages(&self, _place: &Place, _who: &Author) -> bool {
        false
    }

    /// Does it for whoever asks, and says so in a few words for the model.
    ///
    /// # Errors
    /// Where it or whoever asks may not, or it cannot be done; the words say which.
    async fn act(&self, _place: &Place, _who: &Author, _action: PlaceAction) -> Result<String, ToolError> {
        Err(ToolError::Broken("that cannot be done here".to_owned()))
    }

    /// Where the picture is that is attached to a message; nothing where there is none.
    ///
    /// # Errors
    /// Where it could not be looked at.
    async fn picture(&self, _place: &Place, _message: &MessageId) -> Result<Option<String>, ToolError> {
        Ok(None)
    }

    /// Whether all of this can be read where somebody is asked.
    fn fits_a_question(&self, _what: &Proposed) -> bool {
        true
    }

    /// Whether whoever caused something presses yes within [`CONFIRM_WITHIN`]. No words anywhere stand for the press; time
    /// out, a place where nobody can be asked and every failure are a no.
    async fn confirms(&self, ask: Confirmation) -> bool;

    /// Where a message of a place can be looked at, for people.
    fn link(&self, _place: &Place, _message: &MessageId) -> Option<String> {
        None
    }
}
