//! One system message instead of many, for providers that accept only one (`render.system_messages = "merged"`).
//!
//! Owns this one rewriting of a finished prompt.

use crate::domain::{ChatMessage, Role};

/// Joins the system messages that open a prompt, example dialogue included, into one, with blank lines between;
/// those that follow among the chat become user messages in brackets (specs cards-and-lore 5). Example lines get
/// their speaker back as `Name: `, since a joined message has no `name`.
#[must_use]
pub fn merge_system_messages(messages: Vec<ChatMessage>, user: &str, char_name: &str) -> Vec<ChatMessage> {
    let opening = messages.iter().take_while(|message| message.role == Role::System).count();
    let mut rest = messages;
    let tail = rest.split_off(opening);
    let mut merged = Vec::with_capacity(tail.len() + 1);
    let joined =
        rest.iter().map(|message| labelled(message, user, char_name)).collect::<Vec<_>>().join("\n\n");
    if !joined.is_empty() {
        let mut head = ChatMessage::new(Role::System, joined);
        // What is joined behind the part that comes again does not.
        head.cache_breakpoint = rest.last().is_some_and(|message| message.cache_breakpoint);
        merged.push(head);
    }
    merged.extend(tail.into_iter().map(|message| match message.role {
        Role::System => ChatMessage {
            role: Role::User,
            name: None,
            content: format!("[System note: {}]", labelled(&message, user, char_name)),
            cache_breakpoint: message.cache_breakpoint,
        },
        Role::User | Role::Assistant => message,
    }));
    merged
}

fn labelled(message: &ChatMessage, user: &str, char_name: &str) -> String {
    match message.name.as_deref() {
        Some("example_user") => format!("{user}: {}", message.content),
        Some("example_assistant") => format!("{char_name}: {}", message.content),
        _ => message.content.clone(),
    }
}
