//! What somebody is told who asks in a message to be forgotten: the command, and a button that does the same.

use serenity::all::{ButtonStyle, CreateActionRow, CreateButton, CreateMessage};

use super::messages::{self, Tongue};

/// The button under what is told to whoever asks for it in a message.
pub(super) const ASK: &str = "forget|ask";

/// What somebody is told who asks for it in a message.
pub(super) fn forget_by_command(to: Tongue) -> CreateMessage {
    let button = CreateButton::new(ASK).label(messages::forget_me(to)).style(ButtonStyle::Secondary);
    CreateMessage::new()
        .content(messages::how_to_forget(to))
        .components(vec![CreateActionRow::Buttons(vec![button])])
}
