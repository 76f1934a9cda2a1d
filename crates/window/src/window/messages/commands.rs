//! Where in the window that is done which a command does on Discord and at the keyboard.

use super::HOW_TO_FORGET;
use crate::terminal::{is_command, unknown_command};

const OF_A_CHANNEL: &str = "That is for a channel on Discord, and works there. In the window, Where it listens, under Rooms, \
                            chooses the channels that it reads.";

const OF_PAIRING: &str = "Pairing is for people on Discord, and works there. Accounts that are one person's are joined on the \
                          note of the person under Memory.";

/// Names of commands, and what is said to whoever types one.
const COMMANDS: [(&[&str], &str); 18] = [
    (
        &["help"],
        "Here everything has a button or a page: what changes the talk stands below it, what changes one message below the \
         message. Go to, at the side, finds the rest.",
    ),
    (&["reset"], "Begin anew, below the talk, does that. What was said stays remembered."),
    (
        &["again", "earlier", "later"],
        "Another answer, below the talk, does that; ‹ and › beside it go through those that were given.",
    ),
    (&["continue"], "Continue, below the talk, does that."),
    (&["undo"], "Take the last exchange back, below the talk, does that."),
    (&["edit", "delete"], "Edit and Take back, below each message, do that."),
    (&["memory", "privacy"], "All that is kept stands under Memory, person by person and topic by topic."),
    (&["forget"], HOW_TO_FORGET),
    (
        &["context", "why"],
        "Why this?, beside each reply, says why it is what it is. X-ray shows all that went into it.",
    ),
    (&["lore"], "The entries stand under Memory, in Lore; X-ray shows which of them a reply had at hand."),
    (&["reminders"], "That has no page here. Ask for it in your own words, as you would ask anybody."),
    (&["persona"], "Who you are in play stands below the field: press it to be somebody else."),
    (&["greet"], "Where the talk begins, a button lets it begin. Begin anew, below the talk, goes there."),
    (&["status", "where", "profile"], "How it is stands under Health; who it is, under Memory and Settings."),
    (&["quit", "exit", "bye"], "Closing this page leaves. The familiar goes on until its program is ended."),
    (
        &["quiet", "wake"],
        "Under Rooms, each channel has a button for that: Be quiet, or Let it join in again.",
    ),
    (&["pair", "pair-past", "unpair"], OF_PAIRING),
    (
        &[
            "branch",
            "channel-backdrop",
            "channel-full-rp",
            "channel-imitate-voice",
            "channel-text-conversation-rp",
            "speak-first",
            "subscribe-my-voice",
            "subscribe-text",
            "unsubscribe-text",
            "unsubscribe-voice",
        ],
        OF_A_CHANNEL,
    ),
];

/// To whoever begins a message with a command; `None` where it is talk.
pub(in crate::window) fn command_is_here(text: &str) -> Option<String> {
    let typed = text.split_whitespace().next()?.to_lowercase();
    let name = typed.strip_prefix('/').filter(|_| is_command(&typed))?;
    let known = COMMANDS.iter().find(|(names, _)| names.contains(&name));
    Some(known.map_or_else(|| unknown_command(&typed), |(_, told)| (*told).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_there_is_leads_somewhere_and_one_that_is_not_there_is_said_so() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/commands.md");
        let page = std::fs::read_to_string(page).unwrap();
        let rows = page.lines().filter(|line| line.starts_with("| `/"));
        let first = rows.filter_map(|row| row.split('|').nth(1));
        let commands: Vec<&str> =
            first.flat_map(|cell| cell.split('`')).filter(|word| word.starts_with('/')).collect();
        assert!(commands.len() > 40, "{commands:?}");
        for command in commands {
            let told = command_is_here(command).unwrap();
            assert!(!told.starts_with("There is no "), "{command}");
        }
        assert_eq!(command_is_here("/Help me"), command_is_here("/help"));
        let unknown = command_is_here("/Dance with me");
        assert_eq!(unknown.as_deref(), Some("There is no /dance here; /help shows what there is."));
        for talk in ["/me waves", "/home/ada/boat.txt is mine", "/", "help", "and/or", ""] {
            assert_eq!(command_is_here(talk), None, "{talk}");
        }
    }
}
