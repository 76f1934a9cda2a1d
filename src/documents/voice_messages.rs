//! Voice messages that people send: who hears them.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::domain::AccountId;

/// Who tells in words what is said in a voice message.
#[async_trait]
pub trait HearsVoiceMessages: Debug + Send + Sync {
    /// Whether there is anybody now.
    fn hears(&self) -> bool;

    /// What somebody says in the bytes of their voice message.
    ///
    /// # Errors
    /// In words for the model, when that could not be made out.
    async fn words_of(&self, message: Vec<u8>, who: &AccountId) -> Result<String, String>;
}
