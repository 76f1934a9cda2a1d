//! Having something noted.

use std::fmt::Debug;

use async_trait::async_trait;

use super::tool::ToolError;
use crate::domain::{AccountId, ChangePass, Place, StoredId};
use crate::workers::{AskedNote, AskedNoteFate, Workers};

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

#[async_trait]
impl NoteTaker for Workers {
    async fn note(&self, leave: &ChangePass, wanted: NoteWanted) -> Result<String, ToolError> {
        let NoteWanted { place, by, asked, words, topic } = &wanted;
        let note = AskedNote { place, by, asked, words, topic: topic.as_deref() };
        match Self::note(self, leave, note).await {
            Ok(AskedNoteFate::Written) => Ok("it is noted".to_owned()),
            Ok(AskedNoteFate::Known) => Ok("that was noted already".to_owned()),
            Ok(AskedNoteFate::Proposed) => {
                Ok("it is noted once whoever runs the program says yes".to_owned())
            }
            Err(error) => Err(ToolError::Broken(error.to_string())),
        }
    }
}
