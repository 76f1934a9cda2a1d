//! What Discord's answers mean.

use std::sync::Arc;

use super::messages;
use super::report::Check;
use crate::config::{LiveConfig, Secrets, SubscriptionKind};
use crate::discord::{
    ChannelState, ConnectionRecord, DiscordFindings, TokenState, application_of, invite_link,
};
use crate::domain::ChannelId;
use crate::llm::Reach;

/// The channels it writes in.
pub(super) fn channels(config: &LiveConfig) -> Vec<ChannelId> {
    let subscriptions = config.subscriptions();
    subscriptions
        .iter()
        .filter(|row| row.kind == SubscriptionKind::Text)
        .map(|row| row.channel.clone())
        .collect()
}

pub(super) fn judge(
    found: Option<&DiscordFindings>,
    config: Option<&Arc<LiveConfig>>,
    secrets: &Secrets,
    reach: Reach,
) -> Vec<Check> {
    let Some(token) = &secrets.discord_token else { return vec![messages::no_token()] };
    let Some(found) = found else {
        return vec![match (reach, config) {
            (Reach::Offline, _) => messages::discord_offline(),
            (Reach::Online, _) => messages::discord_needs_settings(),
        }];
    };
    let bot = match &found.token {
        TokenState::Accepted(bot) => bot,
        TokenState::Refused => return vec![messages::token_refused()],
        TokenState::Unreadable(why) => return vec![messages::discord_unreadable("discord_token", why)],
        TokenState::Unknown(why) => return vec![messages::discord_silent(why)],
    };
    let application = application_of(token);
    let mut checks = vec![
        messages::token_accepted(bot),
        match found.message_content {
            Some(true) => messages::intent_on(),
            Some(false) => messages::intent_off(application),
            None => messages::intent_not_known(),
        },
        match found.servers {
            Some(0) => messages::no_server(application.map(invite_link).as_deref()),
            Some(count) => messages::servers(count),
            None => messages::servers_not_known(),
        },
    ];
    match &found.channels {
        None => checks.push(messages::channels_not_known()),
        Some(channels) if channels.is_empty() => checks.push(messages::no_channel()),
        Some(channels) => checks.extend(of_channels(channels)),
    }
    checks
}

fn of_channels(channels: &[(ChannelId, ChannelState)]) -> Vec<Check> {
    let open = channels.iter().filter(|(_, state)| matches!(state, ChannelState::Open(_))).count();
    let mut checks = Vec::new();
    if open > 0 {
        checks.push(messages::channels_open(open));
    }
    checks.extend(channels.iter().filter_map(|(id, state)| match state {
        ChannelState::Open(_) => None,
        ChannelState::Lacks { name, permissions } => Some(messages::channel_lacks(id, name, permissions)),
        ChannelState::Closed(why) => Some(messages::channel_closed(id, why)),
        ChannelState::Unreadable(why) => {
            Some(messages::discord_unreadable("discord_channels", &format!("channel {id}: {why}")))
        }
        ChannelState::Unknown(why) => Some(messages::channel_not_known(id, why)),
    }));
    checks
}

/// Channels named one by one; beyond that something else is wrong.
const NAMED: usize = 8;

/// What the program itself wrote down of its connection, when it last ran.
pub(super) fn connection(record: &ConnectionRecord) -> Vec<Check> {
    let trouble = record.trouble.iter().map(|why| messages::not_connected(why));
    let unread = record.unread.iter().map(|(kind, times)| messages::events_unread(kind, *times));
    let undescribed = record.undescribed.iter().map(|guild| messages::server_undescribed(*guild));
    let refused = record.refused.iter().map(|(channel, why)| messages::silent_there(*channel, why));
    trouble.chain(unread.take(NAMED)).chain(undescribed.take(NAMED)).chain(refused.take(NAMED)).collect()
}
