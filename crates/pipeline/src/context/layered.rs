//! The default layout: one stable system block, then the chat, then what is true now, then obligations
//! (design, prompt order; memory 3.3). Everything above the volatile tail is byte for byte what the last turn
//! sent, so providers can cache it.

use jiff::tz::TimeZone;

use super::budget::Budgeted;
use super::chunk::{Chunk, MESSAGE_OVERHEAD_TOKENS, NOTE_TOKENS, SEPARATOR_TOKENS};
use super::contribution::{Contribution, Placement};
use super::quote;
use super::request::turn_message;
use super::tail::{self, Tail};
use crate::domain::{ChatMessage, LAYER_MARKER, Role};

/// What stands over the summaries.
const SUMMARIES: &str = "What was said here before, in short";

/// Renders what survived; times are told in `display_tz`.
pub(super) fn render(budgeted: &Budgeted, display_tz: &TimeZone) -> Vec<ChatMessage> {
    let mut system = SystemBlock::default();
    let mut summaries = Vec::new();
    let mut chat = Vec::new();
    let mut depth_notes = Vec::new();
    let mut tail = Tail::new(display_tz);
    let mut obligations = Vec::new();
    for chunk in in_prompt_order(&budgeted.kept) {
        match &chunk.placement {
            Placement::Turn(_) => chat.extend(turn_message(chunk)),
            Placement::Summary(_) => summaries.push(chunk),
            Placement::Tail(_) => tail.push(chunk),
            // Held text never stands where instructions do, wherever it was meant to stand.
            _ if !chunk.trust.may_instruct() => tail.push(chunk),
            // A note inside the history would move every turn and spoil the cached prefix; the tail is where it acts
            // strongest anyway (familiar-connect 2.7, "position beats presence").
            Placement::Depth { role, .. } => {
                depth_notes.push(ChatMessage::new(*role, chunk.text.trim()));
            }
            Placement::Obligations => obligations.push(chunk.text.trim()),
            other => match heading(other) {
                Some(heading) => system.section(heading, &chunk.text),
                None => system.plain(&chunk.text),
            },
        }
    }

    let mut messages = Vec::with_capacity(chat.len() + depth_notes.len() + 4);
    if let Some(block) = system.finish() {
        messages.push(ChatMessage { cache_breakpoint: true, ..ChatMessage::new(Role::System, block) });
    }
    messages.extend(summary_message(&summaries, display_tz));
    if let Some(newest) = chat.last_mut() {
        newest.cache_breakpoint = true;
    }
    messages.extend(chat);
    messages.extend(tail.finish().map(|text| ChatMessage::new(Role::User, text)));
    messages.extend(depth_notes);
    if !obligations.is_empty() {
        messages.push(ChatMessage::new(Role::System, obligations.join("\n\n")));
    }
    messages
}

/// By place; what was quoted by its date; the rest by source and words, so that no order is left to chance.
pub(super) fn in_prompt_order(kept: &[Chunk]) -> Vec<&Chunk> {
    let mut ordered: Vec<&Chunk> = kept.iter().collect();
    let said_at = |chunk: &Chunk| chunk.quoted.as_ref().and_then(|quoted| quoted.at);
    ordered.sort_by(|a, b| {
        a.placement
            .cmp(&b.placement)
            .then_with(|| said_at(a).cmp(&said_at(b)))
            .then_with(|| a.source.cmp(&b.source))
            .then_with(|| a.text.cmp(&b.text))
    });
    ordered
}

/// What older turns came to, as one quotation before the oldest turn that is shown.
fn summary_message(summaries: &[&Chunk], display_tz: &TimeZone) -> Option<ChatMessage> {
    if summaries.is_empty() {
        return None;
    }
    let mut text = marked_heading(SUMMARIES);
    for chunk in summaries {
        text.push('\n');
        text.push_str(&quote::as_quotation(chunk.text.trim(), chunk.quoted.as_ref(), display_tz));
    }
    Some(ChatMessage::new(Role::User, text))
}

/// What stands over a chunk in the stable block.
fn heading(placement: &Placement) -> Option<&str> {
    match placement {
        Placement::LoreBefore | Placement::LoreAfter => Some("The world"),
        Placement::Description => Some("Who you are"),
        Placement::Personality => Some("Personality"),
        Placement::Scenario => Some("Scenario"),
        Placement::Example(_) => Some("How you talk; examples, not part of this chat"),
        Placement::Mode => Some("How to write here"),
        Placement::House { title, .. } => Some(title),
        Placement::Partner => Some("What you and the people here have settled"),
        Placement::Capabilities => Some("What you can do here"),
        _ => None,
    }
}

fn marked_heading(heading: &str) -> String {
    format!("{LAYER_MARKER} {heading}⟧")
}

/// The tokens this layout adds to a contribution that is no turn, at most.
pub(super) fn layered_dressing(of: &Contribution, count: &mut dyn FnMut(&str) -> u32) -> u32 {
    match &of.placement {
        Placement::Summary(_) => {
            let quotation = quote::quote_dressing(of, count);
            (MESSAGE_OVERHEAD_TOKENS + SEPARATOR_TOKENS + count(&marked_heading(SUMMARIES)))
                .saturating_add(quotation)
        }
        placement if placement.is_volatile() || !of.trust.may_instruct() => tail::tail_dressing(of, count),
        Placement::Main => SEPARATOR_TOKENS,
        Placement::Axioms | Placement::Depth { .. } | Placement::Obligations => {
            MESSAGE_OVERHEAD_TOKENS + SEPARATOR_TOKENS + NOTE_TOKENS
        }
        other => heading(other).map_or(0, |heading| count(&marked_heading(heading))) + 2 * SEPARATOR_TOKENS,
    }
}

#[derive(Default)]
struct SystemBlock<'a> {
    text: String,
    heading: Option<&'a str>,
}

impl<'a> SystemBlock<'a> {
    fn plain(&mut self, text: &str) {
        self.heading = None;
        self.push(text.trim());
    }

    fn section(&mut self, heading: &'a str, text: &str) {
        if self.heading != Some(heading) {
            self.push(&marked_heading(heading));
            self.heading = Some(heading);
        }
        self.push(text.trim());
    }

    fn push(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(text);
    }

    fn finish(self) -> Option<String> {
        (!self.text.is_empty()).then_some(self.text)
    }
}
