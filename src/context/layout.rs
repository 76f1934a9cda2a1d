//! How much of a prompt the one before it in the same conversation had already (specs mechanisms A20; memory 3.4).
//!
//! Owns a chain of hashes per conversation, one a paragraph, and no words. Start reading at [`LastPrompts`].

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, PoisonError};

use super::chunk::MESSAGE_OVERHEAD_TOKENS;
use crate::domain::{ChannelId, ChatMessage, LayoutFigures};
use crate::llm::ModelDescription;
use crate::text::tokens;

/// Conversations whose last prompt is remembered; beyond that the one that was quiet longest is forgotten.
const CONVERSATIONS_MAX: usize = 256;

/// The last prompt of each conversation, as far as hashes tell.
#[derive(Debug, Default)]
pub(super) struct LastPrompts {
    chains: Mutex<Chains>,
}

#[derive(Debug, Default)]
struct Chains {
    of: HashMap<ChannelId, (u64, Vec<Link>)>,
    turns: u64,
}

/// A paragraph: the hash of everything up to and with it, and where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Link {
    so_far: u64,
    message: u32,
    byte: u32,
}

impl LastPrompts {
    /// Compares a prompt of `prompt_tokens` with the last one of its conversation, whose place it takes.
    pub(super) fn compare(
        &self,
        channel: &ChannelId,
        messages: &[ChatMessage],
        model: &ModelDescription,
        prompt_tokens: u32,
    ) -> LayoutFigures {
        let chain = chain(messages);
        let mut chains = self.chains.lock().unwrap_or_else(PoisonError::into_inner);
        chains.turns += 1;
        let now = chains.turns;
        let before = chains.of.insert(channel.clone(), (now, chain.clone()));
        if chains.of.len() > CONVERSATIONS_MAX
            && let Some(oldest) =
                chains.of.iter().min_by_key(|(_, (used, _))| *used).map(|(channel, _)| channel.clone())
        {
            chains.of.remove(&oldest);
        }
        drop(chains);
        let common = before.as_ref().map_or(0, |(_, before)| {
            before.iter().zip(&chain).take_while(|(a, b)| a.so_far == b.so_far).count()
        });
        let differs_at = before.is_some().then(|| chain.get(common)).flatten();
        let fresh = match (before.is_some(), differs_at) {
            (false, _) => prompt_tokens,
            (true, None) => 0,
            (true, Some(link)) => tokens_from(messages, model, link).min(prompt_tokens),
        };
        LayoutFigures {
            stable_tokens: prompt_tokens - fresh,
            fresh_tokens: fresh,
            differs_at: differs_at.map(|link| (link.message, link.byte)),
        }
    }
}

fn chain(messages: &[ChatMessage]) -> Vec<Link> {
    let mut hasher = DefaultHasher::new();
    let mut chain = Vec::new();
    for (number, message) in (0_u32..).zip(messages) {
        (message.role, &message.name).hash(&mut hasher);
        let mut byte = 0;
        for paragraph in message.content.split_inclusive("\n\n") {
            paragraph.hash(&mut hasher);
            chain.push(Link { so_far: hasher.finish(), message: number, byte });
            byte = byte.saturating_add(u32::try_from(paragraph.len()).unwrap_or(u32::MAX));
        }
    }
    chain
}

/// The tokens of everything from a paragraph on. Only this is counted: it is the small part.
fn tokens_from(messages: &[ChatMessage], model: &ModelDescription, link: &Link) -> u32 {
    let from = |number: u32, message: &ChatMessage| {
        let start = if number == link.message { link.byte as usize } else { 0 };
        tokens::count(model.encoding, message.content.get(start..).unwrap_or_default())
            + MESSAGE_OVERHEAD_TOKENS
    };
    let fresh = (0_u32..).zip(messages).filter(|(number, _)| *number >= link.message);
    model.scale(fresh.map(|(number, message)| from(number, message)).fold(0, u32::saturating_add))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Role, TokenEncoding};

    fn model() -> ModelDescription {
        ModelDescription {
            model: "test".to_owned(),
            context_window: 8_000,
            encoding: TokenEncoding::CharsOver4,
            token_ratio: 1.0,
            reasons_natively: false,
            takes_tools: false,
        }
    }

    fn prompt(parts: &[&str]) -> Vec<ChatMessage> {
        parts.iter().map(|part| ChatMessage::new(Role::User, *part)).collect()
    }

    #[test]
    fn a20_the_first_difference_is_found_to_the_paragraph() {
        let (prompts, channel) = (LastPrompts::default(), ChannelId::new("c").unwrap());
        let see = |parts: &[&str]| prompts.compare(&channel, &prompt(parts), &model(), 100);
        let first = see(&["one\n\ntwo\n\nthree", "hello"]);
        assert_eq!((first.stable_tokens, first.differs_at), (0, None));
        let grown = see(&["one\n\ntwo\n\nthree", "hello", "more"]);
        assert_eq!(grown.differs_at, Some((2, 0)));
        assert_eq!((grown.stable_tokens, grown.fresh_tokens), (95, 1 + 4));
        let changed = see(&["one\n\ntwo!\n\nthree", "hello", "more"]);
        assert_eq!(changed.differs_at, Some((0, 5)));
        let same = see(&["one\n\ntwo!\n\nthree", "hello", "more"]);
        assert_eq!((same.fresh_tokens, same.differs_at), (0, None));
        let elsewhere = prompts.compare(&ChannelId::new("d").unwrap(), &prompt(&["one"]), &model(), 100);
        assert_eq!(elsewhere.stable_tokens, 0);
    }

    #[test]
    fn a20_only_so_many_conversations_are_remembered() {
        let prompts = LastPrompts::default();
        for number in 0..CONVERSATIONS_MAX + 10 {
            prompts.compare(&ChannelId::new(format!("c{number}")).unwrap(), &prompt(&["x"]), &model(), 100);
        }
        assert_eq!(prompts.chains.lock().unwrap().of.len(), CONVERSATIONS_MAX);
        let known = |number: usize| {
            prompts.compare(&ChannelId::new(format!("c{number}")).unwrap(), &prompt(&["x"]), &model(), 100)
        };
        assert_eq!(known(CONVERSATIONS_MAX + 9).fresh_tokens, 0, "the newest are known");
        assert_eq!(known(0).stable_tokens, 0, "the oldest is not");
    }
}
