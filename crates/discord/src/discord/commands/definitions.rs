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
use crate::discord::messages::{self, Tongue, described, in_other_tongues};
use crate::domain::{PERSONA_CHARS, PERSONA_NAME_CHARS};
use crate::session::THREAD_NAME_CHARS;

/// What stands in the menu of a message; Discord says it of who used it, in whatever language they read it.
pub(super) const BRANCH: &str = "Go on in a thread";
pub(super) const REPAIR: &str = "Repair this reply";

/// Every command, as a guild is given it.
pub(super) fn all_commands() -> Vec<CreateCommand> {
    let of_guilds = [
        managing("subscribe-text").add_option(a_channel()),
        managing("unsubscribe-text").add_option(a_channel()),
        command("subscribe-my-voice")
            .add_option(yes_or_no("subscribe-my-voice everybody"))
            .add_option(yes_or_no("subscribe-my-voice every_call")),
        command("unsubscribe-voice"),
        command("quiet").add_option(
            number("quiet minutes")
                .min_int_value((*QUIET_MINUTES.start()).into())
                .max_int_value((*QUIET_MINUTES.end()).into()),
        ),
        command("wake"),
        managing("speak-first")
            .add_option(yes_or_no("speak-first on").required(true))
            .add_option(yes_or_no("speak-first newcomers")),
        managing("channel-full-rp"),
        managing("channel-text-conversation-rp"),
        managing("channel-imitate-voice"),
        managing("channel-backdrop"),
        managing("reset"),
        command("branch").add_option(text("branch name").max_length(chars(THREAD_NAME_CHARS))),
        command("profile")
            .add_option(sub("profile picture"))
            .add_option(sub("profile name"))
            .add_option(sub("profile nickname").add_sub_option(text("profile nickname name").max_length(32))),
        in_menu(BRANCH, messages::branch),
    ];
    of_guilds.into_iter().chain(personal()).chain([in_menu(REPAIR, messages::repair)]).collect()
}

/// Those that make sense with one person.
pub(super) fn for_dms() -> Vec<CreateCommand> {
    let theirs = [
        // Alone with somebody these are theirs.
        command("speak-first").add_option(yes_or_no("speak-first on").required(true)),
        command("reset"),
        in_menu(REPAIR, messages::repair),
    ];
    let all = personal().into_iter().chain(theirs);
    all.map(|command| command.contexts(vec![InteractionContext::BotDm])).collect()
}

fn personal() -> [CreateCommand; 13] {
    [
        command("memory").add_option(text("memory about").max_length(100)),
        command("reminders"),
        command("forget")
            .add_option(sub("forget me"))
            .add_option(
                sub("forget what")
                    .add_sub_option(text("forget what words").required(true).max_length(forget::WORDS_MAX)),
            )
            .add_option(sub("forget undo")),
        command("privacy"),
        command("context")
            .add_option(text("context turn").set_autocomplete(true))
            .add_option(text("context why").max_length(200)),
        command("lore")
            .add_option(sub("lore why").add_sub_option(text("lore why entry").set_autocomplete(true))),
        command("greet").add_option(number("greet number").min_int_value(1).set_autocomplete(true)),
        command("pair").add_option(text("pair code").max_length(pair::CODE_MAX)),
        command("pair-past"),
        command("unpair"),
        command("persona")
            .add_option(
                sub("persona set")
                    .add_sub_option(
                        text("persona set name").required(true).max_length(chars(PERSONA_NAME_CHARS)),
                    )
                    .add_sub_option(text("persona set description").max_length(chars(PERSONA_CHARS)))
                    .add_sub_option(yes_or_no("persona set everywhere")),
            )
            .add_option(sub("persona show"))
            .add_option(sub("persona clear").add_sub_option(yes_or_no("persona clear everywhere"))),
        command("status"),
        command("help"),
    ]
}

/// A bound as Discord is told it.
fn chars(most: usize) -> u16 {
    u16::try_from(most).unwrap_or(u16::MAX)
}

/// Stands in the menu of a message, under a name that people read.
fn in_menu(name: &str, named: fn(Tongue) -> String) -> CreateCommand {
    let command = CreateCommand::new(name).kind(CommandType::Message);
    in_other_tongues(named).fold(command, |command, (locale, name)| command.name_localized(locale, name))
}

fn command(name: &str) -> CreateCommand {
    let command = CreateCommand::new(name).description(described(Tongue::English, name));
    in_other_tongues(|to| described(to, name))
        .fold(command, |command, (locale, words)| command.description_localized(locale, words))
}

/// A command offered to those who manage channels, unless the server's own settings say otherwise.
fn managing(name: &str) -> CreateCommand {
    command(name).default_member_permissions(Permissions::MANAGE_CHANNELS)
}

/// An option, by the names of the commands that it belongs to and its own.
fn option(kind: CommandOptionType, path: &str) -> CreateCommandOption {
    let name = path.rsplit(' ').next().unwrap_or_default();
    let option = CreateCommandOption::new(kind, name, described(Tongue::English, path));
    in_other_tongues(|to| described(to, path))
        .fold(option, |option, (locale, words)| option.description_localized(locale, words))
}

fn sub(path: &str) -> CreateCommandOption {
    option(CommandOptionType::SubCommand, path)
}

fn text(path: &str) -> CreateCommandOption {
    option(CommandOptionType::String, path)
}

fn number(path: &str) -> CreateCommandOption {
    option(CommandOptionType::Integer, path)
}

fn yes_or_no(path: &str) -> CreateCommandOption {
    option(CommandOptionType::Boolean, path)
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
    option(CommandOptionType::Channel, "channel").channel_types(readable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_command_in_every_language() {
        for to in Tongue::ALL {
            let help = messages::help(to, "Ada");
            for command in all_commands() {
                let told = serde_json::to_value(&command).unwrap();
                let name = told["name"].as_str().unwrap();
                let is_in_menu = told["description"].is_null();
                assert!(
                    is_in_menu || name == "help" || help.contains(&format!("`/{name}")),
                    "{to:?}: {name}"
                );
            }
        }
    }
}
