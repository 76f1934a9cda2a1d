//! The rehearsal model: answers without any language model, so that a first try needs no account.
//!
//! Owns what the character says when nothing better is connected: its own greeting and example lines, and words
//! found in the prompt. Must not know the network or the card's format; it sees its script and the messages
//! of a request. Deterministic: the same request gets the same reply. Start reading at [`RehearsalScript`].

mod answer;
mod deed;
mod heard;
mod own_words;
mod recall;
mod script;
mod topic;

use async_trait::async_trait;
use futures::{StreamExt as _, stream};
use tokio::time::Instant;

use super::{CompletionModel, CompletionRequest, CompletionStream, Delta, ModelDescription, ModelError};
use crate::clock::whole_millis;
use crate::domain::{FinishReason, ModelCall, Slot, TokenEncoding, Usage};
pub use script::{RehearsalExample, RehearsalScript};

/// The window a rehearsal claims: large enough that budgets behave as with a real model.
const WINDOW_TOKENS: u32 = 32_768;

impl RehearsalScript {
    /// The whole reply to a request, as [`CompletionModel::complete`] would stream it.
    pub fn reply(&self, request: &CompletionRequest) -> String {
        match request.slot {
            Slot::MainProse => answer::reply(self, &request.messages),
            // The side jobs have machine-read formats; nothing is a better answer there than something made up.
            _ => String::new(),
        }
    }
}

#[async_trait]
impl CompletionModel for RehearsalScript {
    fn describe(&self) -> ModelDescription {
        ModelDescription::plain("rehearsal", WINDOW_TOKENS, TokenEncoding::Estimate)
    }

    async fn complete(&self, request: CompletionRequest) -> Result<CompletionStream, ModelError> {
        let started = Instant::now();
        let reply = self.reply(&request);
        let pieces: Vec<String> = reply.split_inclusive(char::is_whitespace).map(str::to_owned).collect();
        let finished = Delta::Finished(ModelCall {
            first_token_ms: Some(whole_millis(started.elapsed())),
            total_ms: whole_millis(started.elapsed()),
            usage: Some(Usage { cost_usd: Some(0.0), ..Usage::default() }),
            finish: Some(FinishReason::Stop),
            ..ModelCall::new(request.slot, "rehearsal")
        });
        let deltas = pieces.into_iter().map(Delta::Text).chain([finished]).map(Ok);
        Ok(stream::iter(deltas).boxed())
    }
}

#[cfg(test)]
mod tests;
