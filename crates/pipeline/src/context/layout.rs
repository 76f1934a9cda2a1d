//! How much of a prompt the one before it in the same conversation had already (A20).
//!
//! Owns a chain of hashes per conversation, one a paragraph, where its history began, and no words; and takes back what a
//! prompt promises of its next one where that was not so before. Start reading at [`LastPrompts`].

use std::collections::HashMap;

use parking_lot::Mutex;

use super::budget::HistoryBegan;
use super::chunk::MESSAGE_OVERHEAD_TOKENS;
use crate::domain::{ChannelId, ChatMessage, LayoutFigures};
use crate::llm::ModelDescription;
use crate::text::fixed_hash::fixed_hash;
use crate::text::tokens;

/// Conversations whose last prompt is remembered; beyond that the one that was quiet longest is forgotten.
const CONVERSATIONS_MAX: usize = 256;

/// Promises broken one after the other until no more is promised than what came again. One is broken by every cut of the
/// history, by every new summary and by whatever came too late, which can follow one another; three in a row mean that
/// something changes all the time.
const BROKEN_MAX: u32 = 3;

/// The last prompt of each conversation, as far as hashes tell.
#[derive(Debug, Default)]
pub(super) struct LastPrompts {
    chains: Mutex<Chains>,
}

#[derive(Debug, Default)]
struct Chains {
    of: HashMap<(ChannelId, String), LastPrompt>,
    turns: u64,
}

/// What is known of a conversation's last prompt.
#[derive(Debug)]
struct LastPrompt {
    turn: u64,
    chain: Vec<LayoutLink>,
    /// The message up to which the layout said that it would come again.
    promised: Option<usize>,
    /// Promises broken in a row.
    broken: u32,
    /// Where the history of the next one goes on.
    began: Option<HistoryBegan>,
}

/// A paragraph: the hash of everything up to and with it, and where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LayoutLink {
    so_far: u64,
    message: u32,
    byte: u32,
}

impl LastPrompts {
    /// Where the history began in the last prompt that a model had of a conversation.
    pub(super) fn began(&self, channel: &ChannelId, model: &ModelDescription) -> Option<HistoryBegan> {
        self.chains.lock().of.get(&(channel.clone(), model.model.clone()))?.began
    }

    /// Compares a prompt of `prompt_tokens` with the last one that its model had of its conversation, whose place it takes. Where what was
    /// to come again did not, time after time, the prompt is marked as far as it did.
    pub(super) fn compare(
        &self,
        channel: &ChannelId,
        messages: &mut [ChatMessage],
        model: &ModelDescription,
        prompt_tokens: u32,
        began: Option<HistoryBegan>,
    ) -> LayoutFigures {
        let chain = layout_links(messages);
        let promised = messages.iter().rposition(|message| message.cache_breakpoint);
        let mut chains = self.chains.lock();
        chains.turns += 1;
        let turn = chains.turns;
        let key = (channel.clone(), model.model.clone());
        let before = chains.of.remove(&key);
        let common = before.as_ref().map_or(0, |before| {
            before.chain.iter().zip(&chain).take_while(|(a, b)| a.so_far == b.so_far).count()
        });
        let differs_at = before.as_ref().and_then(|_| chain.get(common)).copied();
        let whole = differs_at.map_or(messages.len(), |link| link.message as usize);
        let broken = match &before {
            Some(before) if before.promised.is_some_and(|end| end >= whole) => before.broken + 1,
            _ => 0,
        };
        chains.of.insert(key, LastPrompt { turn, chain, promised, broken, began });
        if chains.of.len() > CONVERSATIONS_MAX
            && let Some(oldest) =
                chains.of.iter().min_by_key(|(_, last)| last.turn).map(|(key, _)| key.clone())
        {
            chains.of.remove(&oldest);
        }
        drop(chains);
        if broken >= BROKEN_MAX {
            mark_only(messages, whole);
        }
        let fresh = match (before.is_some(), differs_at) {
            (false, _) => prompt_tokens,
            (true, None) => 0,
            (true, Some(link)) => tokens_after(messages, model, &link).min(prompt_tokens),
        };
        LayoutFigures {
            stable_tokens: prompt_tokens - fresh,
            fresh_tokens: fresh,
            differs_at: differs_at.map(|link| (link.message, link.byte)),
        }
    }
}

/// Moves the end of what comes again to that of the first `whole` messages.
fn mark_only(messages: &mut [ChatMessage], whole: usize) {
    let (kept, changed) = messages.split_at_mut(whole.min(messages.len()));
    changed.iter_mut().for_each(|message| message.cache_breakpoint = false);
    if let Some(last) = kept.last_mut() {
        last.cache_breakpoint = true;
    }
}

fn layout_links(messages: &[ChatMessage]) -> Vec<LayoutLink> {
    let mut so_far = 0;
    let mut chain = Vec::new();
    for (number, message) in (0_u32..).zip(messages) {
        so_far = fixed_hash((so_far, message.role, &message.name));
        let mut byte = 0;
        for paragraph in message.content.split_inclusive("\n\n") {
            so_far = fixed_hash((so_far, paragraph));
            chain.push(LayoutLink { so_far, message: number, byte });
            byte = byte.saturating_add(u32::try_from(paragraph.len()).unwrap_or(u32::MAX));
        }
    }
    chain
}

/// The tokens of everything from a paragraph on. Only this is counted: it is the small part.
fn tokens_after(messages: &[ChatMessage], model: &ModelDescription, link: &LayoutLink) -> u32 {
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
        ModelDescription::plain("test", 8_000, TokenEncoding::CharsOver4)
    }

    fn prompt(parts: &[&str]) -> Vec<ChatMessage> {
        parts.iter().map(|part| ChatMessage::new(Role::User, *part)).collect()
    }

    #[test]
    fn a20_the_first_difference_is_found_to_the_paragraph() {
        let (prompts, channel) = (LastPrompts::default(), ChannelId::new("c").unwrap());
        let see = |parts: &[&str]| prompts.compare(&channel, &mut prompt(parts), &model(), 100, None);
        let first = see(&["one\n\ntwo\n\nthree", "hello"]);
        assert_eq!((first.stable_tokens, first.differs_at), (0, None));
        let grown = see(&["one\n\ntwo\n\nthree", "hello", "more"]);
        assert_eq!(grown.differs_at, Some((2, 0)));
        assert_eq!((grown.stable_tokens, grown.fresh_tokens), (95, 1 + 4));
        let changed = see(&["one\n\ntwo!\n\nthree", "hello", "more"]);
        assert_eq!(changed.differs_at, Some((0, 5)));
        let same = see(&["one\n\ntwo!\n\nthree", "hello", "more"]);
        assert_eq!((same.fresh_tokens, same.differs_at), (0, None));
        let elsewhere =
            prompts.compare(&ChannelId::new("d").unwrap(), &mut prompt(&["one"]), &model(), 100, None);
        assert_eq!(elsewhere.stable_tokens, 0);
    }

    #[test]
    fn a20_only_so_many_conversations_are_remembered() {
        let prompts = LastPrompts::default();
        for number in 0..CONVERSATIONS_MAX + 10 {
            prompts.compare(
                &ChannelId::new(format!("c{number}")).unwrap(),
                &mut prompt(&["x"]),
                &model(),
                100,
                None,
            );
        }
        assert_eq!(prompts.chains.lock().of.len(), CONVERSATIONS_MAX);
        let known = |number: usize| {
            prompts.compare(
                &ChannelId::new(format!("c{number}")).unwrap(),
                &mut prompt(&["x"]),
                &model(),
                100,
                None,
            )
        };
        assert_eq!(known(CONVERSATIONS_MAX + 9).fresh_tokens, 0, "the newest are known");
        assert_eq!(known(0).stable_tokens, 0, "the oldest is not");
    }

    #[test]
    fn a20_what_breaks_its_promise_time_after_time_is_promised_no_more() {
        let (prompts, channel) = (LastPrompts::default(), ChannelId::new("c").unwrap());
        let see = |parts: &[&str]| {
            let mut messages = prompt(parts);
            messages[2].cache_breakpoint = true;
            prompts.compare(&channel, &mut messages, &model(), 100, None);
            messages.iter().position(|message| message.cache_breakpoint)
        };
        assert_eq!(see(&["card", "a", "b"]), Some(2));
        assert_eq!(see(&["card", "a", "b", "c"]), Some(2), "kept");
        assert_eq!(see(&["card", "b", "c", "d"]), Some(2), "cut once");
        assert_eq!(see(&["card", "b", "c", "d", "e"]), Some(2), "kept again");
        assert_eq!(see(&["card", "c", "d", "e"]), Some(2));
        assert_eq!(see(&["card", "x", "d", "e"]), Some(2));
        assert_eq!(see(&["card", "d", "e", "f"]), Some(0), "cut with every turn");
        assert_eq!(see(&["card", "e", "f", "g"]), Some(0));
        assert_eq!(see(&["another", "e", "f", "g"]), None, "nothing came again");
        assert_eq!(see(&["another", "e", "f", "g", "h"]), Some(2), "it does again");
    }
}
