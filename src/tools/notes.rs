//! Having something noted: the seam to whoever writes notes.

use std::fmt::Debug;

use async_trait::async_trait;

use super::tool::ToolError;
use crate::domain::{AccountId, ChangePass, Place, StoredId};

/// Something that somebody wants remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteWanted {
    pub place: Place,
    /// Whose words it comes from: they are answered.
    pub by: AccountId,
    /// The messages that are answered.
    pub asked: Vec<StoredId>,
    /// One sentence, as it is to stand.
    pub words: String,
    /// What it is about, where that is not whoever asks.
    pub topic: Option<String>,
}

/// Who writes notes. What is written down passes the same checks as everything else that a model wants noted.
#[async_trait]
pub trait NoteTaker: Send + Sync + Debug {
    /// Notes it before those who heard it, and says so in a few words for the model.
    ///
    /// # Errors
    /// Where it was not noted; the words say why.
    async fn note(&self, leave: &ChangePass, wanted: NoteWanted) -> Result<String, ToolError>;
}
