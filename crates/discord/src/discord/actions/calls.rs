//! Coming into a call, leaving it, and playing the server's sounds in it.

use std::sync::Arc;

use serenity::all::{Cache, ChannelId, GuildId, UserId};

use super::{ActionPlace, SOUNDS, or_lacks};
use crate::discord::adapter::Adapter;
use crate::discord::members::user;
use crate::discord::messages::{self, Tongue};
use crate::discord::refused::await_discord;
use crate::discord::standing::Standing;
use crate::discord::voice::calls::{CalledIn, Calls};
use crate::discord::voice::{call_of, may_join};
use crate::domain::Author;
use crate::session::ToolError;

/// Sounds that are named when one was asked for that is not among them.
const SOUNDS_NAMED: usize = 40;

/// Whether the server has muted somebody in its calls.
fn is_silenced(cache: &Cache, guild: GuildId, user: UserId) -> bool {
    let guild = cache.guild(guild);
    let state = guild.as_ref().and_then(|guild| guild.voice_states.get(&user));
    state.is_some_and(|state| state.mute || state.suppress)
}

/// The calls of a server, and who asks for something in one.
pub(super) struct CallAsker {
    adapter: Arc<Adapter>,
    calls: Arc<Calls>,
    guild: GuildId,
    user: UserId,
}

impl ActionPlace {
    fn asker(&self, who: &Author) -> Result<CallAsker, ToolError> {
        let guild =
            self.guild.ok_or_else(|| ToolError::broken("there are no calls here: only on a server"))?;
        let adapter =
            self.there.adapter().ok_or_else(|| ToolError::broken("there is no connection to Discord now"))?;
        let calls = adapter
            .calls
            .clone()
            .ok_or_else(|| ToolError::broken("calls are switched off by whoever runs the bot"))?;
        let user = user(&who.account).ok_or_else(|| ToolError::broken("whoever asks is not on Discord"))?;
        Ok(CallAsker { adapter, calls, guild, user })
    }

    /// The call that it would come into.
    pub(super) fn call_to_join(&self, who: &Author) -> Result<(CallAsker, ChannelId), ToolError> {
        let asker = self.asker(who)?;
        let to = call_of(&self.there.cache, asker.guild, asker.user);
        let to =
            to.ok_or_else(|| ToolError::broken("whoever asks is in no voice channel that you can see"))?;
        may_join(&asker.adapter, &self.there.cache, (asker.guild, to), Tongue::English)
            .map_err(ToolError::broken)?;
        Ok((asker, to))
    }

    /// The call that both are in.
    pub(super) fn shared_call(&self, who: &Author) -> Result<(CallAsker, ChannelId), ToolError> {
        let asker = self.asker(who)?;
        let call =
            asker.calls.channel(asker.guild).ok_or_else(|| ToolError::broken("you are in no call here"))?;
        if call_of(&self.there.cache, asker.guild, asker.user) != Some(call) {
            return Err(ToolError::broken(
                "whoever asks is not in your call, and only those in it may have a sound played",
            ));
        }
        if is_silenced(&self.there.cache, asker.guild, asker.user) {
            return Err(ToolError::broken("the server does not let whoever asks be heard in this call"));
        }
        if let Some(standing) = Standing::of_cached(&self.there.cache, asker.guild, call) {
            or_lacks(standing.missing(&SOUNDS))?;
        }
        Ok((asker, call))
    }

    /// The call that it would leave: whoever called it in may send it away, as by the command.
    pub(super) fn call_to_leave(&self, who: &Author) -> Result<CallAsker, ToolError> {
        let asker = self.asker(who)?;
        if asker.calls.channel(asker.guild).is_none() {
            return Err(ToolError::broken("you are in no call here"));
        }
        if asker.calls.follows(asker.guild) != Some(asker.user) {
            return Err(ToolError::broken(
                "somebody else called you in; whoever asks can use /unsubscribe-voice",
            ));
        }
        Ok(asker)
    }

    pub(super) async fn joins(&self, who: &Author) -> Result<String, ToolError> {
        let (CallAsker { adapter, calls, guild, user }, to) = self.call_to_join(who)?;
        match calls.call_in(&adapter, &self.there.cache, (guild, to), user, None).await {
            CalledIn::Joined => Ok(format!("you are in the call <#{to}> now and hear whoever asked")),
            CalledIn::HearsToo => Ok("you were in that call, and now hear whoever asked too".to_owned()),
            CalledIn::WasThere => Ok("you are in that call already and hear whoever asked".to_owned()),
            CalledIn::Elsewhere(call) => Err(ToolError::broken(messages::voice::is_elsewhere(
                // A model reads it.
                Tongue::English,
                &adapter.name(),
                call,
            ))),
            CalledIn::Failed(why) => Err(ToolError::broken(format!("the call could not be joined: {why}"))),
        }
    }

    pub(super) async fn leaves(&self, who: &Author) -> Result<String, ToolError> {
        let CallAsker { calls, guild, .. } = self.call_to_leave(who)?;
        match calls.end(guild).await {
            true => Ok("you have left the call".to_owned()),
            false => Err(ToolError::broken("you are in no call here")),
        }
    }

    pub(super) async fn plays(&self, who: &Author, name: &str) -> Result<String, ToolError> {
        let (CallAsker { guild, .. }, call) = self.shared_call(who)?;
        let http = &self.there.http;
        let mut sounds = await_discord("Use Soundboard", http.get_guild_soundboards(guild)).await?;
        sounds.retain(|sound| sound.available);
        let wanted = name.trim().to_lowercase();
        let sound = sounds.iter().find(|sound| sound.name.to_lowercase() == wanted);
        let Some(sound) = sound else {
            let mut names: Vec<&str> = sounds.iter().map(|sound| sound.name.as_str()).collect();
            names.sort_unstable();
            names.truncate(SOUNDS_NAMED);
            let there_are = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(ToolError::broken(format!(
                "this server has no sound of that name; it has {there_are}"
            )));
        };
        // Discord names no server for a sound of the call's own.
        await_discord("Use Soundboard", call.send_soundboard(http, sound.id, None)).await?;
        Ok("it is played".to_owned())
    }
}
