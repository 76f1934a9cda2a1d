//! The default layout: one stable system block, then the chat, then what is true now, then obligations
//! (design, prompt order; specs memory 3.3). Everything above the volatile tail is byte for byte what the last turn
//! sent, so providers can cache it.

use super::budget::Budgeted;
use super::chunk::Chunk;
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
        match &chunk.placement {
            Placement::Axioms | Placement::Main => system.plain(&chunk.text),
            Placement::LoreBefore | Placement::LoreAfter => system.section("The world", &chunk.text),
            Placement::Description => system.section("Who you are", &chunk.text),
            Placement::Personality => system.section("Personality", &chunk.text),
            Placement::Scenario => system.section("Scenario", &chunk.text),
            Placement::Example(_) => {
                system.section("How you talk; examples, not part of this chat", &chunk.text)
            }
            Placement::Mode => system.section("How to write here", &chunk.text),
            Placement::Turn(_) => chat.extend(turn_message(chunk)),
            // A note inside the history would move every turn and spoil the cached prefix; the tail is where it acts
            // strongest anyway (specs familiar-connect 2.7, "position beats presence").
            Placement::Depth { role, .. } => {
                depth_notes.push(ChatMessage::new(Role::from(*role), chunk.text.trim()));
            }
            Placement::Live => live.push(chunk.text.trim()),
            Placement::Obligations => obligations.push(chunk.text.trim()),
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
            self.push(&format!("{LAYER_MARKER} {heading}⟧"));
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
