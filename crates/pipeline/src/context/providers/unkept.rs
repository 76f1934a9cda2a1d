//! "Remember that the password is …": a secret is noted nowhere, and whoever asked is to hear so.
//!
//! Owns that the model knows of it, so that it promises nothing. Must not know what is noted. Start at
//! [`UnkeptProvider`].

use std::sync::Arc;

use async_trait::async_trait;

use super::{ContextAsk, ContextProvider, Pieces, Profile};
use crate::config::LiveConfig;
use crate::context::contribution::{Importance, TailPart, Trust};
use crate::context::request::TurnRequest;
use crate::domain::StoredTurn;
use crate::familiar::{LiveCharacter, names_of};
use crate::memory::stated::{asks_to_keep_secret, said_to};
use crate::text::names::prompt_label;
use crate::text::secrets::redact;

/// Contributes one line where somebody asks for a secret to be remembered.
#[derive(Debug)]
pub(crate) struct UnkeptProvider {
    pub(in crate::context) character: Arc<LiveCharacter>,
    pub(in crate::context) config: Arc<LiveConfig>,
}

#[async_trait]
impl ContextProvider for UnkeptProvider {
    fn profile(&self) -> Profile {
        Profile::at_hand("unkept")
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        // Few messages hold any: sentences are looked at in those alone.
        let with_secret = request.pending.iter().filter(|turn| !redact(&turn.content).kinds.is_empty());
        let asks = |turn: &&StoredTurn| {
            let names = names_of(&self.character.current(), &self.config.current().aliases);
            said_to(&names, &turn.content).iter().any(asks_to_keep_secret)
        };
        let asked = with_secret.filter(asks).find_map(|turn| turn.author.as_ref().filter(|by| !by.is_bot));
        let told = asked.map(|author| {
            let words = format!(
                "{} asked you to remember a secret, as a password or a key. Secrets are not written down, so you did \
                 not note it: say so in a few words, and do not repeat it.",
                prompt_label(author.label())
            );
            request.tail(TailPart::Facts, Importance::Normal, Trust::Program, "unkept/secret", words)
        });
        Ok(told.into_iter().collect())
    }
}
