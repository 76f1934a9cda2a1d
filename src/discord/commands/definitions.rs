//! What Discord is told about the commands: names, descriptions, options, and who is offered them.
//!
//! Owns the list. What a command does is beside it, in a file of its own; `dispatch` brings the two together. Start
//! reading at [`all_commands`].

use serenity::all::{
    ChannelType, CommandOptionType, CommandType, CreateCommand, CreateCommandOption, InteractionContext,
    Permissions,
};

use super::{forget, pair};
use crate::config::QUIET_MINUTES;
use crate::discord::messages;
use crate::domain::{PERSONA_CHARS, PERSONA_NAME_CHARS};
use crate::session::THREAD_NAME_CHARS;

/// Alone with somebody it is theirs.
const RESET: &str = "Begin the conversation here anew; what was said before stays remembered";

/// So is this.
const SPEAK_FIRST: &str = "Let it begin to speak here by itself, about days and birthdays it was told of";

/// Every command, as a guild is given it.
pub(super) fn all_commands() -> Vec<CreateCommand> {
    let of_guilds = [
        managing("subscribe-text", "Read this channel and its threads, and answer when spoken to")
            .add_option(a_channel()),
        managing("unsubscribe-text", "Stop reading this channel").add_option(a_channel()),
        command(
            "subscribe-my-voice",
            "Join the call I am in and listen to me; in a call it is in already, listen to me too",
        )
        .add_option(yes_or_no("everybody", "Listen to everybody who does not decline; needs Manage Channels"))
        .add_option(yes_or_no(
            "every_call",
            "Keep `everybody` so for every call on this server; needs Manage Server",
        )),
        command(
            "unsubscribe-voice",
            "Leave the call, or where somebody else called it in, listen to me no longer",
        ),
        command("quiet", "Here and in this server's call, speak only when spoken to").add_option(
            option(CommandOptionType::Integer, "minutes", "For so many minutes; until /wake if left out")
                .min_int_value((*QUIET_MINUTES.start()).into())
                .max_int_value((*QUIET_MINUTES.end()).into()),
        ),
        command("wake", "Here and in this server's call, join in again"),
        managing("speak-first", SPEAK_FIRST).add_option(on_or_off()),
        managing("channel-full-rp", "Write long, novel-style replies in this channel"),
        managing(
            "channel-text-conversation-rp",
            "Write a couple of short lines, as in a chat room, in this channel",
        ),
        managing("channel-imitate-voice", "Write one or two short sentences, as if spoken, in this channel"),
        managing("channel-backdrop", "Say what is going on in this channel"),
        managing("reset", RESET),
        command("branch", "Go on in a thread of its own, which knows what was said here before").add_option(
            text_option("name", "What the thread is called").max_length(chars(THREAD_NAME_CHARS)),
        ),
        command("profile", "Its card's picture and name on Discord; what it is called on this server")
            .add_option(sub("picture", "The card's picture, everywhere on Discord; for whoever runs the bot"))
            .add_option(sub("name", "The card's name, everywhere on Discord; for whoever runs the bot"))
            .add_option(
                sub("nickname", "What it is called on this server")
                    .add_sub_option(text_option("name", "The card's name if left out").max_length(32)),
            ),
        CreateCommand::new(messages::BRANCH).kind(CommandType::Message),
    ];
    of_guilds.into_iter().chain(personal()).chain([of_messages()]).collect()
}

/// Those that make sense with one person.
pub(super) fn for_dms() -> Vec<CreateCommand> {
    personal()
        .into_iter()
        .chain([
            command("speak-first", SPEAK_FIRST).add_option(on_or_off()),
            command("reset", RESET),
            of_messages(),
        ])
        .map(|command| command.contexts(vec![InteractionContext::BotDm]))
        .collect()
}

fn personal() -> [CreateCommand; 13] {
    [
        command("memory", "What is noted about you, as far as it may be seen here")
            .add_option(text_option("about", "Only what holds these words").max_length(100)),
        command("reminders", "What you asked to be reminded of, as far as it may be seen here; cancel it"),
        command("forget", "What you said here and elsewhere, and what is noted of it")
            .add_option(sub("me", "Everything you ever said, and everything noted about you"))
            .add_option(
                sub("what", "What you said that holds certain words, and what is noted of it")
                    .add_sub_option(
                        text_option("words", "Words; your messages and facts that hold all of them go")
                            .required(true)
                            .max_length(forget::WORDS_MAX),
                    ),
            )
            .add_option(sub("undo", "Take the last one back, within seven days")),
        command("privacy", "What is stored of you and who gets it; a copy of it, and opting out"),
        command("context", "Why it said what it said: the record of one of your own turns")
            .add_option(
                text_option("turn", "A turn of yours, like t42; your last one here if left out")
                    .set_autocomplete(true),
            )
            .add_option(
                text_option("why", "Words: was it told them, did it leave them out, or not look them up?")
                    .max_length(200),
            ),
        command("lore", "World lore: what was called up, and why").add_option(
            sub("why", "Which lore your last turn here called up, and why; or why one entry did or did not")
                .add_sub_option(
                    text_option("entry", "An entry; everything that was called up if left out")
                        .set_autocomplete(true),
                ),
        ),
        command("greet", "Say one of the character's greetings").add_option(
            option(CommandOptionType::Integer, "number", "Which greeting; the first if left out")
                .min_int_value(1)
                .set_autocomplete(true),
        ),
        command("pair", "Link your direct messages with this server, or with another account of yours")
            .add_option(
                text_option("code", "The code you were given elsewhere; without one you get one")
                    .max_length(pair::CODE_MAX),
            ),
        command("pair-past", "Let what you told it before pairing be known where you paired, too"),
        command("unpair", "End what you paired with this place"),
        command("persona", "Who you are in play, here or everywhere")
            .add_option(
                sub("set", "Say who you are; whoever talks here with it may learn that")
                    .add_sub_option(
                        text_option("name", "What you are called in play")
                            .required(true)
                            .max_length(chars(PERSONA_NAME_CHARS)),
                    )
                    .add_sub_option(
                        text_option("description", "Who that is, in your own words")
                            .max_length(chars(PERSONA_CHARS)),
                    )
                    .add_sub_option(yes_or_no(
                        "everywhere",
                        "Wherever you have set no other; just here if left out",
                    )),
            )
            .add_option(sub("show", "Who you are here, and everywhere else"))
            .add_option(sub("clear", "Be yourself again").add_sub_option(yes_or_no(
                "everywhere",
                "The one that holds everywhere; the one here if left out",
            ))),
        command("status", "How it is, and how it writes here"),
        command("help", "What this bot does and which commands it has"),
    ]
}

/// A bound as Discord is told it.
fn chars(most: usize) -> u16 {
    u16::try_from(most).unwrap_or(u16::MAX)
}

/// Stands in the menu of a message.
fn of_messages() -> CreateCommand {
    CreateCommand::new(messages::REPAIR).kind(CommandType::Message)
}

fn command(name: &str, description: &str) -> CreateCommand {
    CreateCommand::new(name).description(description)
}

/// A command offered to those who manage channels, unless the server's own settings say otherwise.
fn managing(name: &str, description: &str) -> CreateCommand {
    command(name, description).default_member_permissions(Permissions::MANAGE_CHANNELS)
}

fn option(kind: CommandOptionType, name: &str, description: &str) -> CreateCommandOption {
    CreateCommandOption::new(kind, name, description)
}

fn sub(name: &str, description: &str) -> CreateCommandOption {
    option(CommandOptionType::SubCommand, name, description)
}

fn text_option(name: &str, description: &str) -> CreateCommandOption {
    option(CommandOptionType::String, name, description)
}

fn yes_or_no(name: &str, description: &str) -> CreateCommandOption {
    option(CommandOptionType::Boolean, name, description)
}

fn on_or_off() -> CreateCommandOption {
    yes_or_no("on", "Whether it may").required(true)
}

/// Another channel than the one a command is used in.
fn a_channel() -> CreateCommandOption {
    let readable = vec![
        ChannelType::Text,
        ChannelType::News,
        ChannelType::Voice,
        ChannelType::Forum,
        ChannelType::PublicThread,
        ChannelType::PrivateThread,
        ChannelType::NewsThread,
    ];
    option(CommandOptionType::Channel, "channel", "Another channel or forum; this one if left out")
        .channel_types(readable)
}
