//! Prompts for receivers that do not take every order of roles.
//!
//! Owns two rewritings of a finished prompt: one system message instead of many (`render.system_messages = "merged"`), and
//! people and familiar in turns (`"alternate"`). Must not know who receives them.

use crate::domain::{ChatMessage, Role};

/// Joins the system messages that open a prompt, example dialogue included, into one, with blank lines between;
/// those that follow among the chat become user messages in brackets (cards-and-lore 5). Example lines get
/// their speaker back as `Name: `, since a joined message has no `name`.
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

/// Where instructions go in a prompt whose roles take turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instructions {
    /// Into one system message, which comes first.
    First,
    /// To the beginning of the first user message; there is no system message.
    InFirstUserMessage,
}

/// As [`merge_system_messages`], and then in turns: what one side says in a row becomes one message, and the first one is
/// the user's. What the familiar said before anybody else, its greeting, is told at the beginning of that one.
pub fn alternate(
    messages: Vec<ChatMessage>,
    user: &str,
    char_name: &str,
    instructions: Instructions,
) -> Vec<ChatMessage> {
    let mut messages = merge_system_messages(messages, user, char_name).into_iter().peekable();
    let mut head = messages.next_if(|message| message.role == Role::System);
    let mut before = Vec::new();
    if instructions == Instructions::InFirstUserMessage {
        before.extend(head.take().map(|head| head.content));
    }
    while let Some(greeting) = messages.next_if(|message| message.role == Role::Assistant) {
        before.push(format!("[You began with: {}]", greeting.content));
    }
    let mut turns: Vec<ChatMessage> = Vec::new();
    for message in messages {
        match turns.last_mut().filter(|last| last.role == message.role) {
            None => turns.push(message),
            Some(last) => {
                last.content = format!("{}\n{}", last.content, message.content);
                last.name = last.name.take().filter(|name| Some(name) == message.name.as_ref());
                last.cache_breakpoint = message.cache_breakpoint;
            }
        }
    }
    match turns.first_mut() {
        Some(first) if !before.is_empty() => {
            before.push(std::mem::take(&mut first.content));
            first.content = before.join("\n\n");
        }
        Some(_) => {}
        // Instructions alone: somebody has to say them.
        None => {
            before.splice(0..0, head.take().map(|head| head.content));
            turns.push(ChatMessage::new(Role::User, before.join("\n\n")));
        }
    }
    head.into_iter().chain(turns).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn merging_leaves_one_system_message_and_brackets_the_later_ones() {
        let named = |name: &str, words: &str| ChatMessage {
            name: Some(name.to_owned()),
            ..ChatMessage::new(Role::System, words)
        };
        let ends = |message: ChatMessage| ChatMessage { cache_breakpoint: true, ..message };
        let messages = vec![
            ChatMessage::new(Role::System, "MAIN"),
            ChatMessage::new(Role::System, "[Example Chat]"),
            named("example_user", "q"),
            named("example_assistant", "a"),
            ends(ChatMessage::new(Role::System, "[Start a new Chat]")),
            ends(ChatMessage::new(Role::User, "hi")),
            ChatMessage::new(Role::System, "PHI"),
        ];
        let mut with_note = messages.clone();
        with_note.insert(5, ChatMessage::new(Role::System, "NOTE"));
        assert_eq!(
            merge_system_messages(messages, "Alice", "Mar"),
            [
                ends(ChatMessage::new(
                    Role::System,
                    "MAIN\n\n[Example Chat]\n\nAlice: q\n\nMar: a\n\n[Start a new Chat]"
                )),
                ends(ChatMessage::new(Role::User, "hi")),
                ChatMessage::new(Role::User, "[System note: PHI]"),
            ]
        );
        let head = &merge_system_messages(with_note, "Alice", "Mar")[0];
        assert!(head.content.ends_with("NOTE") && !head.cache_breakpoint, "the note moves on with the chat");
        assert!(merge_system_messages(Vec::new(), "a", "b").is_empty());
    }

    fn prompt(parts: &[(Role, &str)]) -> Vec<ChatMessage> {
        parts.iter().map(|(role, words)| ChatMessage::new(*role, *words)).collect()
    }

    fn turns(parts: &[(Role, &str)], instructions: Instructions) -> Vec<(Role, String)> {
        let taken = alternate(prompt(parts), "Ben", "Mira", instructions);
        taken.into_iter().map(|message| (message.role, message.content)).collect()
    }

    const CHAT: [(Role, &str); 7] = [
        (Role::System, "Be Mira."),
        (Role::System, "Be brief."),
        (Role::Assistant, "Welcome!"),
        (Role::User, "Ben: hi"),
        (Role::User, "Ana: hello"),
        (Role::Assistant, "Good evening."),
        (Role::System, "It is late."),
    ];

    #[test]
    fn neighbours_are_joined_and_the_greeting_is_told() {
        let first = "[You began with: Welcome!]\n\nBen: hi\nAna: hello";
        let rest = [
            (Role::Assistant, "Good evening.".to_owned()),
            (Role::User, "[System note: It is late.]".to_owned()),
        ];
        let with_head = turns(&CHAT, Instructions::First);
        assert_eq!(
            with_head[..2],
            [(Role::System, "Be Mira.\n\nBe brief.".to_owned()), (Role::User, first.to_owned()),]
        );
        assert_eq!(with_head[2..], rest);
        let without = turns(&CHAT, Instructions::InFirstUserMessage);
        assert_eq!(without[0], (Role::User, format!("Be Mira.\n\nBe brief.\n\n{first}")));
        assert_eq!(without[1..], rest);
    }

    #[test]
    fn instructions_alone_are_said_by_the_user() {
        for instructions in [Instructions::First, Instructions::InFirstUserMessage] {
            let said = turns(&[(Role::System, "Sum up."), (Role::Assistant, "Yes?")], instructions);
            let content = said.last().unwrap();
            assert_eq!(content.0, Role::User);
            assert!(content.1.contains("Yes?"), "{said:?}");
            assert_eq!(
                turns(&[(Role::System, "Sum up.")], instructions),
                [(Role::User, "Sum up.".to_owned())]
            );
        }
    }

    #[test]
    fn the_name_stays_where_one_person_speaks_and_the_marker_where_the_words_end() {
        let mut messages = prompt(&[(Role::User, "a"), (Role::User, "b"), (Role::User, "c")]);
        for (message, name) in messages.iter_mut().zip(["Ben", "Ben", "Ana"]) {
            message.name = Some(name.to_owned());
        }
        messages[1].cache_breakpoint = true;
        let two = alternate(messages[..2].to_vec(), "u", "c", Instructions::First);
        assert_eq!((two[0].name.as_deref(), two[0].cache_breakpoint), (Some("Ben"), true));
        let three = alternate(messages, "u", "c", Instructions::First);
        assert_eq!((three[0].name.as_deref(), three[0].cache_breakpoint), (None, false));
    }

    proptest! {
        #[test]
        fn any_prompt_ends_up_in_turns_with_every_word_in_order(
            roles in prop::collection::vec(0_usize..3, 1..12), is_folded in any::<bool>(),
        ) {
            let parts: Vec<(Role, String)> = roles
                .iter()
                .enumerate()
                .map(|(at, role)| ([Role::System, Role::User, Role::Assistant][*role], format!("<{at}>")))
                .collect();
            let parts: Vec<(Role, &str)> = parts.iter().map(|(role, words)| (*role, words.as_str())).collect();
            let instructions = if is_folded { Instructions::InFirstUserMessage } else { Instructions::First };
            let taken = turns(&parts, instructions);
            let chat = usize::from(taken[0].0 == Role::System);
            prop_assert!(chat == 0 || !is_folded);
            for (at, (role, _)) in taken[chat..].iter().enumerate() {
                prop_assert_eq!(*role, if at % 2 == 0 { Role::User } else { Role::Assistant });
            }
            prop_assert!(taken.len() > chat);
            let said: String = taken.iter().map(|(_, words)| words.as_str()).collect();
            let places: Vec<_> = parts.iter().map(|(_, words)| said.find(words)).collect();
            prop_assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{}", said);
            // What is in turns stays as it is.
            let again: Vec<(Role, &str)> = taken.iter().map(|(role, words)| (*role, words.as_str())).collect();
            prop_assert_eq!(turns(&again, instructions), taken.clone());
        }
    }
}
