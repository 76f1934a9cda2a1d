//! The default layout: one stable system block, then the chat, then what is true now, then obligations
//! (design, prompt order; specs memory 3.3). Everything above the volatile tail is byte for byte what the last turn
//! sent, so providers can cache it.

use super::budget::Budgeted;
use super::chunk::{Chunk, MESSAGE_OVERHEAD_TOKENS, NOTE_TOKENS, SEPARATOR_TOKENS};
use super::contribution::Placement;
use super::prompt::turn_message;
use crate::domain::{ChatMessage, LAYER_MARKER, Role};

/// Renders what survived.
pub(super) fn render(budgeted: &Budgeted) -> Vec<ChatMessage> {
    let mut ordered: Vec<&Chunk> = budgeted.kept.iter().collect();
    ordered.sort_by(|a, b| a.placement.cmp(&b.placement).then_with(|| a.source.cmp(&b.source)));

    let mut system = SystemBlock::default();
    let mut chat = Vec::new();
    let mut depth_notes = Vec::new();
    let mut live = Vec::new();
    let mut obligations = Vec::new();
    for chunk in ordered {
        if let Some(heading) = heading(&chunk.placement) {
            system.section(heading, &chunk.text);
            continue;
        }
        match &chunk.placement {
            Placement::Turn(_) => chat.extend(turn_message(chunk)),
            // A note inside the history would move every turn and spoil the cached prefix; the tail is where it acts
            // strongest anyway (specs familiar-connect 2.7, "position beats presence").
            Placement::Depth { role, .. } => {
                depth_notes.push(ChatMessage::new(Role::from(*role), chunk.text.trim()));
            }
            Placement::Crystal(_) => chat.push(ChatMessage::new(Role::User, chunk.text.trim())),
            Placement::Tail(_) => live.push(chunk.text.trim()),
            Placement::Obligations => obligations.push(chunk.text.trim()),
            _ => system.plain(&chunk.text),
        }
    }

    let mut messages = Vec::with_capacity(chat.len() + depth_notes.len() + 3);
    if let Some(block) = system.finish() {
        messages.push(ChatMessage { cache_breakpoint: true, ..ChatMessage::new(Role::System, block) });
    }
    if let Some(newest) = chat.last_mut() {
        newest.cache_breakpoint = true;
    }
    messages.extend(chat);
    if !live.is_empty() {
        messages.push(ChatMessage::new(Role::User, format!("[{}]", live.join("\n"))));
    }
    messages.extend(depth_notes);
    if !obligations.is_empty() {
        messages.push(ChatMessage::new(Role::System, obligations.join("\n\n")));
    }
    messages
}

/// What stands over a chunk in the stable block.
fn heading(placement: &Placement) -> Option<&'static str> {
    match placement {
        Placement::LoreBefore | Placement::LoreAfter => Some("The world"),
        Placement::Description => Some("Who you are"),
        Placement::Personality => Some("Personality"),
        Placement::Scenario => Some("Scenario"),
        Placement::Example(_) => Some("How you talk; examples, not part of this chat"),
        Placement::Mode => Some("How to write here"),
        Placement::Partner => Some("What you and the people here have settled"),
        Placement::Capabilities => Some("What you can do here"),
        _ => None,
    }
}

fn heading_line(heading: &str) -> String {
    format!("{LAYER_MARKER} {heading}⟧")
}

/// The tokens this layout adds to a chunk that is no turn, at most.
pub(super) fn dressing(placement: &Placement, count: &mut dyn FnMut(&str) -> u32) -> u32 {
    match placement {
        Placement::Main => SEPARATOR_TOKENS,
        Placement::Axioms
        | Placement::Tail(_)
        | Placement::Crystal(_)
        | Placement::Depth { .. }
        | Placement::Obligations => MESSAGE_OVERHEAD_TOKENS + SEPARATOR_TOKENS + NOTE_TOKENS,
        other => heading(other).map_or(0, |heading| count(&heading_line(heading))) + 2 * SEPARATOR_TOKENS,
    }
}

#[derive(Default)]
struct SystemBlock {
    text: String,
    heading: Option<&'static str>,
}

impl SystemBlock {
    fn plain(&mut self, text: &str) {
        self.heading = None;
        self.push(text.trim());
    }

    fn section(&mut self, heading: &'static str, text: &str) {
        if self.heading != Some(heading) {
            self.push(&heading_line(heading));
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
