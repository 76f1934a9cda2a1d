//! Who is in a call.
//!
//! Owns what the gateway told about that, and looking up whom it named without saying who they are. Must not know who may
//! be heard. Start reading at [`look`].

use std::collections::BTreeMap;
use std::time::Duration;

use serenity::all::{Cache, ChannelId, GuildId, Member, UserId};
use tokio::time::timeout;

use super::connection::account;
use crate::discord::rim::Rim;
use crate::domain::Author;

/// How long it is asked who somebody in the call is; what happens meanwhile waits.
const LOOK_UP: Duration = Duration::from_secs(2);

/// A person or bot in the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Present {
    pub author: Author,
}

impl Present {
    fn of(user: UserId, member: Option<&Member>) -> Self {
        Self {
            author: Author {
                account: account(user),
                display_name: member.map(|member| member.display_name().to_owned()),
                username: member.map(|member| member.user.name.clone()),
                is_bot: member.is_some_and(|member| member.user.bot),
            },
        }
    }

    /// Whether Discord has said who this is.
    pub fn is_known(&self) -> bool {
        self.author.username.is_some()
    }
}

/// Everybody in a call except the familiar. Whom the gateway did not introduce is taken from `known`, else looked up; who
/// cannot be is there without a name.
pub(super) async fn look(
    rim: &Rim,
    cache: &Cache,
    (guild, channel): (GuildId, ChannelId),
    known: &BTreeMap<UserId, Present>,
) -> BTreeMap<UserId, Present> {
    let mut now = present(cache, guild, channel);
    for (user, present) in &mut now {
        if let Some(known) = known.get(user).filter(|_| !present.is_known()) {
            *present = known.clone();
        }
    }
    let strangers = now.iter().filter(|(_, present)| !present.is_known()).map(|(user, _)| *user);
    let looked_up = futures::future::join_all(strangers.map(|user| look_up(rim, guild, user))).await;
    now.extend(looked_up.into_iter().flatten());
    now
}

async fn look_up(rim: &Rim, guild: GuildId, user: UserId) -> Option<(UserId, Present)> {
    let http = rim.deps.link.http()?;
    match timeout(LOOK_UP, http.get_member(guild, user)).await {
        Ok(Ok(member)) => Some((user, Present::of(user, Some(&member)))),
        Ok(Err(error)) => {
            tracing::debug!(%guild, %error, "somebody in the call is not known");
            None
        }
        Err(_) => None,
    }
}

/// The call that somebody is in.
pub(super) fn call_of(cache: &Cache, guild: GuildId, user: UserId) -> Option<ChannelId> {
    cache.guild(guild)?.voice_states.get(&user)?.channel_id
}

/// Everybody in a call except the familiar.
fn present(cache: &Cache, guild: GuildId, channel: ChannelId) -> BTreeMap<UserId, Present> {
    let own = cache.current_user().id;
    let Some(guild) = cache.guild(guild) else { return BTreeMap::new() };
    guild
        .voice_states
        .values()
        .filter(|voice| voice.channel_id == Some(channel) && voice.user_id != own)
        .map(|voice| {
            let member = voice.member.as_ref().or_else(|| guild.members.get(&voice.user_id));
            (voice.user_id, Present::of(voice.user_id, member))
        })
        .collect()
}
