//! What is said of the connection to Discord, as the program itself wrote it down.

use crate::doctor::report::DoctorCheck;
use crate::text::short::counted;

pub(in crate::doctor) fn discord_unreadable(name: &'static str, what: &str) -> DoctorCheck {
    DoctorCheck::fail(
        name,
        what,
        "check discord.api_base: something answers there, and otherwise than Discord does; if it is meant to, whoever \
         runs it has to mend that",
    )
}

pub(in crate::doctor) fn not_connected(why: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "discord_connection",
        format!("when it last tried, it did not get connected: {why}"),
        "check https://discordstatus.com and discord.api_base; it goes on trying every few minutes",
    )
}

pub(in crate::doctor) fn events_unread(kind: &str, times: u64) -> DoctorCheck {
    DoctorCheck::warn(
        "discord_connection",
        format!(
            "{kind} came about {} in a form that cannot be read: nothing is known of what it told",
            counted(times, "time")
        ),
        "update the program; with a server of one's own in discord.api_base, that server sends it otherwise than Discord",
    )
}

pub(in crate::doctor) fn server_undescribed(guild: u64) -> DoctorCheck {
    DoctorCheck::warn(
        "discord_connection",
        format!("Discord named server {guild} and did not say what is in it: nothing is heard there"),
        "wait if Discord has an outage (https://discordstatus.com), then start the program again",
    )
}

pub(in crate::doctor) fn silent_there(channel: u64, why: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "discord_connection",
        format!("it is silent in channel {channel}: {why}"),
        "give its role Send Messages there (Edit Channel, Permissions); it speaks again as soon as that changes",
    )
}
