//! What is said of Discord: whether it lets the bot in, where it reads and writes, and how the connection went.

use super::or_offline;
use crate::doctor::ReportScreen;
use crate::doctor::report::{DoctorCheck, Remedy};
use crate::domain::ChannelId;
use crate::text::short::counted;

pub(in super::super) fn no_token() -> DoctorCheck {
    let check = DoctorCheck::skipped(
        "discord_token",
        "DISCORD_TOKEN is not set: the familiar is in the terminal and the window only",
    );
    check.mended_by(Remedy::Discord)
}

pub(in super::super) fn discord_offline() -> DoctorCheck {
    DoctorCheck::skipped("discord_token", "not asked: --offline")
}

pub(in super::super) fn discord_needs_settings() -> DoctorCheck {
    DoctorCheck::skipped("discord_token", "not asked: the settings come first")
}

pub(in super::super) fn token_accepted(bot: &str) -> DoctorCheck {
    DoctorCheck::ok("discord_token", format!("Discord knows it as {bot}"))
}

pub(in super::super) fn token_refused() -> DoctorCheck {
    DoctorCheck::fail(
        "discord_token",
        "Discord does not accept it",
        "copy it again from https://discord.com/developers/applications (your application, Bot, Reset Token) into \
         DISCORD_TOKEN",
    )
}

pub(in super::super) fn discord_silent(why: &str, screen: ReportScreen) -> DoctorCheck {
    DoctorCheck::fail(
        "discord_token",
        why,
        format!("check the network, https://discordstatus.com and discord.api_base{}", or_offline(screen)),
    )
}

/// What can be asked only by a bot that is let in.
pub(in super::super) fn bot_not_examined() -> DoctorCheck {
    DoctorCheck::skipped(
        "discord_servers",
        "its switches, servers and channels are examined once Discord lets it in",
    )
}

pub(in super::super) fn intent_on() -> DoctorCheck {
    DoctorCheck::ok("discord_intent", "Message Content is switched on")
}

pub(in super::super) fn intent_off(application: Option<u64>) -> DoctorCheck {
    DoctorCheck::fail(
        "discord_intent",
        "Message Content is switched off: Discord will not let it in",
        format!(
            "switch on \"Message Content Intent\" at {} (Bot, Privileged Gateway Intents)",
            bot_page(application)
        ),
    )
}

pub(in super::super) fn presence_off(intents: &[&str], application: Option<u64>) -> DoctorCheck {
    let are = if intents.len() == 1 { "is" } else { "are" };
    DoctorCheck::fail(
        "discord_intent",
        format!(
            "discord.presence is on, and {} {are} switched off: Discord will not let it in",
            intents.join(" and ")
        ),
        format!(
            "switch on \"{}\" at {} (Bot, Privileged Gateway Intents), or set discord.presence = false",
            intents.join("\" and \""),
            bot_page(application)
        ),
    )
}

pub(in super::super) fn code_grant_on(application: Option<u64>) -> DoctorCheck {
    DoctorCheck::fail(
        "discord_servers",
        "\"Requires OAuth2 Code Grant\" is switched on: nobody can invite it",
        format!("switch that off at {} (Bot, Authorization Flow)", bot_page(application)),
    )
}

/// Where an application's switches are.
fn bot_page(application: Option<u64>) -> String {
    let page = application.map_or_else(String::new, |id| format!("/{id}/bot"));
    format!("https://discord.com/developers/applications{page}")
}

pub(in super::super) fn intent_not_known() -> DoctorCheck {
    DoctorCheck::skipped("discord_intent", "Discord did not say whether Message Content is switched on")
}

pub(in super::super) fn servers(count: usize) -> DoctorCheck {
    DoctorCheck::ok("discord_servers", format!("it is in {}", counted(count as u64, "server")))
}

pub(in super::super) fn no_server(invite: Option<&str>) -> DoctorCheck {
    DoctorCheck::warn(
        "discord_servers",
        "it is in no server yet",
        invite.map_or_else(
            || {
                "invite it from the developer portal (OAuth2, scopes bot and applications.commands)"
                    .to_owned()
            },
            |link| format!("invite it: {link}"),
        ),
    )
}

pub(in super::super) fn servers_not_known() -> DoctorCheck {
    DoctorCheck::skipped("discord_servers", "Discord did not say which servers it is in")
}

pub(in super::super) fn no_channel() -> DoctorCheck {
    DoctorCheck::warn(
        "discord_channels",
        "it reads no channel of a server",
        "use /subscribe-text in the channel where it should talk",
    )
}

pub(in super::super) fn channels_open(count: usize) -> DoctorCheck {
    DoctorCheck::ok(
        "discord_channels",
        format!("it can read and write in {}", counted(count as u64, "channel")),
    )
}

pub(in super::super) fn channel_lacks(id: &ChannelId, name: &str, permissions: &[&str]) -> DoctorCheck {
    DoctorCheck::fail(
        "discord_channels",
        format!("in #{name} ({id}) it lacks {}", permissions.join(", ")),
        "give its role that permission in the channel's settings (Edit Channel, Permissions)",
    )
}

pub(in super::super) fn channel_closed(id: &ChannelId, why: &str) -> DoctorCheck {
    DoctorCheck::fail(
        "discord_channels",
        format!("channel {id}: {why}"),
        "let the bot into it, or take the channel out of subscriptions.toml",
    )
}

pub(in super::super) fn channel_not_known(id: &ChannelId, why: &str) -> DoctorCheck {
    DoctorCheck::warn("discord_channels", format!("channel {id}: {why}"), "try again in a minute")
}

pub(in super::super) fn channels_not_known() -> DoctorCheck {
    DoctorCheck::warn("discord_channels", "Discord did not answer in time", "try again in a minute")
}

pub(in super::super) fn discord_unreadable(name: &'static str, what: &str) -> DoctorCheck {
    DoctorCheck::fail(
        name,
        what,
        "check discord.api_base: something answers there, and otherwise than Discord does; if it is meant to, whoever \
         runs it has to mend that",
    )
}

pub(in super::super) fn not_connected(why: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "discord_connection",
        format!("when it last tried, it did not get connected: {why}"),
        "check https://discordstatus.com and discord.api_base; it goes on trying every few minutes",
    )
}

pub(in super::super) fn events_unread(kind: &str, times: u64) -> DoctorCheck {
    DoctorCheck::warn(
        "discord_connection",
        format!(
            "{kind} came about {} in a form that cannot be read: nothing is known of what it told",
            counted(times, "time")
        ),
        "update the program; with a server of one's own in discord.api_base, that server sends it otherwise than Discord",
    )
}

pub(in super::super) fn server_undescribed(guild: u64) -> DoctorCheck {
    DoctorCheck::warn(
        "discord_connection",
        format!("Discord named server {guild} and did not say what is in it: nothing is heard there"),
        "wait if Discord has an outage (https://discordstatus.com), then start the program again",
    )
}

pub(in super::super) fn silent_there(channel: u64, why: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "discord_connection",
        format!("it is silent in channel {channel}: {why}"),
        "give its role Send Messages there (Edit Channel, Permissions); it speaks again as soon as that changes",
    )
}
