//! Asking Discord how things stand, without connecting to the gateway.
//!
//! Owns the questions and what the answers mean; words for people are made elsewhere. Changes nothing on Discord.
//! Start reading at [`check_up_discord`].

use std::collections::HashMap;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream;
use jiff::{SignedDuration, Timestamp};
use secrecy::SecretString;
use serde_json::Value;
use serenity::all::{
    Channel, CurrentUser, GuildChannel, GuildId, Http, LightMethod, Member, PartialGuild, Request, Route,
};
use tokio::time::timeout;

use super::link::{RestFailure, failure, rest_client};
use super::permissions::{InThread, missing};
use crate::domain::ChannelId;
use crate::net::{Bounds, whole_body};

/// Questions about channels that run at once; Discord allows 50 requests a second for the whole bot.
const AT_ONCE: usize = 8;

/// Servers one answer lists at most (Discord's documentation, "Get Current User Guilds").
const SERVERS_PER_PAGE: u64 = 200;

/// `GATEWAY_MESSAGE_CONTENT` and `GATEWAY_MESSAGE_CONTENT_LIMITED` of an application's flags (Discord's
/// documentation, "Application Flags"). Either lets the bot ask for the intent; so with the others.
const MESSAGE_CONTENT_FLAGS: u64 = 1 << 18 | 1 << 19;
const PRESENCE_FLAGS: u64 = 1 << 12 | 1 << 13;
const MEMBERS_FLAGS: u64 = 1 << 14 | 1 << 15;

/// How much of an answer is read.
const ANSWER: Bounds = Bounds { bytes: 1024 * 1024, time: Duration::from_secs(10) };

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscordFindings {
    pub token: TokenState,
    /// What is switched on for the application; `None` when Discord did not say.
    pub switches: Option<Switches>,
    /// How many servers the bot is in, counted up to 200; `None` when Discord did not say.
    pub servers: Option<usize>,
    /// The channels that were asked about; `None` when the answers did not come in time.
    pub channels: Option<Vec<(ChannelId, ChannelState)>>,
    /// How far Discord's clock is ahead of ours; good to about a second.
    pub server_ahead: Option<SignedDuration>,
}

/// What is switched on for an application on the page of its bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    pub message_content: bool,
    pub presence: bool,
    pub members: bool,
    /// That an invitation needs a program of one's own: the usual link leads nowhere.
    pub code_grant: bool,
}

/// Whether the token is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenState {
    /// It is; the bot's name.
    Accepted(String),
    Refused,
    /// Whoever was asked answers otherwise than Discord; how, in words.
    Unreadable(String),
    /// Nobody could be asked; why, in words.
    Unknown(String),
}

/// Whether the bot can read and write in a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelState {
    /// It can. The channel's name.
    Open(String),
    /// It lacks these permissions, named as in Discord's settings page.
    Lacks { name: String, permissions: Vec<&'static str> },
    /// It cannot get at the channel at all; why, in words.
    Closed(String),
    /// Whoever was asked answers otherwise than Discord; how, in words.
    Unreadable(String),
    /// Discord did not say; why, in words.
    Unknown(String),
}

/// Asks Discord about the token, the switches, the servers and these channels (text channels, threads, posts; for calls
/// it says whether their chat can be used). Takes at most twice `deadline`.
pub async fn check_up_discord(
    token: &SecretString,
    api_base: Option<&str>,
    channels: &[ChannelId],
    deadline: Duration,
) -> DiscordFindings {
    let http = rest_client(token, api_base);
    let (token, server_ahead) = match timeout(deadline, who(&http)).await {
        Ok(Ok((user, ahead))) => (Ok(user), ahead),
        Ok(Err(error)) => (Err(token_state(&error)), None),
        Err(_) => (Err(TokenState::Unknown("Discord did not answer in time".to_owned())), None),
    };
    let user = match token {
        Ok(user) => user,
        Err(token) => {
            return DiscordFindings { token, switches: None, servers: None, channels: None, server_ahead };
        }
    };
    let (switches, servers, channels) = tokio::join!(
        timeout(deadline, switches(&http)),
        timeout(deadline, http.get_guilds(None, Some(SERVERS_PER_PAGE))),
        timeout(deadline, states(&http, &user, channels)),
    );
    DiscordFindings {
        token: TokenState::Accepted(user.name.clone()),
        switches: switches.ok().flatten(),
        servers: servers.ok().and_then(Result::ok).map(|servers| servers.len()),
        channels: channels.ok(),
        server_ahead,
    }
}

fn token_state(error: &serenity::Error) -> TokenState {
    match failure(error) {
        RestFailure::Unauthorised => TokenState::Refused,
        RestFailure::Unreadable(why) => TokenState::Unreadable(why),
        RestFailure::Closed(why) | RestFailure::Passing(why) | RestFailure::Other(why) => {
            TokenState::Unknown(why)
        }
    }
}

/// The bot's own account, and by the way how far the clocks are apart.
async fn who(http: &Http) -> serenity::Result<(CurrentUser, Option<SignedDuration>)> {
    let response = http.request(Request::new(Route::UserMe, LightMethod::Get)).await?;
    let date = response.headers().get("date").and_then(|date| date.to_str().ok());
    let ahead = date
        .and_then(|date| jiff::fmt::rfc2822::parse(date).ok())
        .map(|date| date.timestamp().duration_since(Timestamp::now()));
    // Whoever asks has a deadline of their own; what is not whole is no JSON.
    let (body, _) = whole_body(response.bytes_stream(), ANSWER).await;
    Ok((serde_json::from_slice(&body)?, ahead))
}

async fn switches(http: &Http) -> Option<Switches> {
    let request = Request::new(Route::Oauth2ApplicationCurrent, LightMethod::Get);
    let application: Value = http.fire(request).await.ok()?;
    let flags = application.get("flags")?.as_u64()?;
    Some(Switches {
        message_content: flags & MESSAGE_CONTENT_FLAGS != 0,
        presence: flags & PRESENCE_FLAGS != 0,
        members: flags & MEMBERS_FLAGS != 0,
        code_grant: application.get("bot_require_code_grant").and_then(Value::as_bool).unwrap_or_default(),
    })
}

/// A server and the bot as its member.
type Membership = Result<(PartialGuild, Member), RestFailure>;

async fn states(http: &Http, user: &CurrentUser, channels: &[ChannelId]) -> Vec<(ChannelId, ChannelState)> {
    let found: Vec<(ChannelId, Result<GuildChannel, ChannelState>)> = stream::iter(channels.iter().cloned())
        .map(|id| async move { (id.clone(), channel(http, &id).await) })
        .buffered(AT_ONCE)
        .collect()
        .await;
    let mut wanted: Vec<GuildId> =
        found.iter().filter_map(|(_, found)| found.as_ref().ok()).map(|channel| channel.guild_id).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let guilds: HashMap<GuildId, Membership> = stream::iter(wanted)
        .map(|guild| async move { (guild, membership(http, guild, user).await) })
        .buffered(AT_ONCE)
        .collect()
        .await;
    stream::iter(found)
        .map(|(id, found)| {
            let guilds = &guilds;
            async move {
                let state = match found {
                    Ok(channel) => standing(http, &channel, guilds.get(&channel.guild_id)).await,
                    Err(state) => state,
                };
                (id, state)
            }
        })
        .buffered(AT_ONCE)
        .collect()
        .await
}

async fn channel(http: &Http, id: &ChannelId) -> Result<GuildChannel, ChannelState> {
    let Some(id) = id.as_str().parse().ok().filter(|id| *id != 0).map(serenity::all::ChannelId::new) else {
        return Err(ChannelState::Closed("that is not the id of a Discord channel".to_owned()));
    };
    match http.get_channel(id).await {
        Ok(Channel::Guild(channel)) => Ok(channel),
        Ok(_) => Err(ChannelState::Closed("it is not a channel of a server".to_owned())),
        Err(error) => Err(channel_state(failure(&error))),
    }
}

fn channel_state(failure: RestFailure) -> ChannelState {
    match failure {
        RestFailure::Closed(why) => ChannelState::Closed(why),
        RestFailure::Unreadable(why) => ChannelState::Unreadable(why),
        RestFailure::Passing(why) | RestFailure::Other(why) => ChannelState::Unknown(why),
        RestFailure::Unauthorised => ChannelState::Unknown("the token was refused".to_owned()),
    }
}

async fn membership(http: &Http, guild: GuildId, user: &CurrentUser) -> Membership {
    let both = tokio::try_join!(http.get_guild(guild), http.get_member(guild, user.id));
    both.map_err(|error| failure(&error))
}

async fn standing(http: &Http, channel: &GuildChannel, guild: Option<&Membership>) -> ChannelState {
    let (guild, member) = match guild {
        Some(Ok((guild, member))) => (guild, member),
        Some(Err(failure)) => return channel_state(failure.clone()),
        None => return ChannelState::Unknown("its server was not found".to_owned()),
    };
    // A thread has no permissions of its own: those of its channel count.
    let parent = match (channel.thread_metadata.is_some(), channel.parent_id) {
        (true, Some(parent)) => match http.get_channel(parent).await {
            Ok(Channel::Guild(parent)) => Some(parent),
            Ok(_) => None,
            Err(error) => return channel_state(failure(&error)),
        },
        _ => None,
    };
    let in_thread = if parent.is_some() { InThread::Yes } else { InThread::No };
    let granted = guild.user_permissions_in(parent.as_ref().unwrap_or(channel), member);
    let name = channel.name.clone();
    match missing(granted, in_thread) {
        none if none.is_empty() => ChannelState::Open(name),
        permissions => ChannelState::Lacks { name, permissions },
    }
}
