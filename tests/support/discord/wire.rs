//! The world's things as Discord's JSON. Complete enough for serenity, which silently drops an event it cannot read.

use serde_json::{Value, json};

use super::BOT;
use super::state::{ChannelState, GuildState, MemberState, Nature, Overwrite, RoleState, State};

/// A snowflake as JSON has it.
pub(super) fn id_of(value: &Value) -> u64 {
    value.as_str().unwrap().parse().unwrap()
}

pub(super) fn now() -> String {
    jiff::Timestamp::now().to_string()
}

pub(super) fn user(state: &State, id: u64) -> Value {
    let user = &state.users[&id];
    json!({
        "id": id.to_string(), "username": user.name, "discriminator": "0", "global_name": user.global_name,
        "avatar": null, "bot": user.nature == Nature::Bot, "flags": 0, "public_flags": 0
    })
}

/// A member without its user, as messages carry it.
pub(super) fn partial_member(member: &MemberState) -> Value {
    let roles: Vec<String> = member.roles.iter().map(u64::to_string).collect();
    json!({
        "nick": member.nick, "roles": roles, "joined_at": "2024-01-01T00:00:00Z", "premium_since": null,
        "deaf": false, "mute": false, "flags": 0, "avatar": null, "pending": false
    })
}

pub(super) fn member(state: &State, guild: u64, id: u64) -> Value {
    let mut member = partial_member(&state.guilds[&guild].members[&id]);
    member["user"] = user(state, id);
    member
}

fn overwrite(overwrite: &Overwrite) -> Value {
    json!({
        "id": overwrite.id.to_string(), "type": overwrite.kind,
        "allow": overwrite.allow.to_string(), "deny": overwrite.deny.to_string()
    })
}

pub(super) fn channel(state: &State, id: u64) -> Value {
    let channel = &state.channels[&id];
    let Some(guild) = channel.guild else {
        let recipient = channel.recipient.unwrap();
        return json!({
            "id": id.to_string(), "type": channel.kind, "last_message_id": null, "flags": 0,
            "recipients": [user(state, recipient)]
        });
    };
    let overwrites: Vec<Value> = channel.overwrites.iter().map(overwrite).collect();
    let mut json = json!({
        "id": id.to_string(), "type": channel.kind, "guild_id": guild.to_string(), "name": channel.name,
        "position": 0, "permission_overwrites": overwrites, "nsfw": channel.nsfw,
        "parent_id": channel.parent.map(|parent| parent.to_string()), "topic": channel.topic, "last_message_id": null,
        "rate_limit_per_user": 0, "flags": 0
    });
    if let Some(status) = &channel.status {
        json["status"] = json!(status);
    }
    if channel.user_limit > 0 {
        json["user_limit"] = json!(channel.user_limit);
    }
    if is_thread(channel) {
        json["owner_id"] = json!(BOT.to_string());
        json["message_count"] = json!(0);
        json["member_count"] = json!(1);
        json["thread_metadata"] = json!({
            "archived": channel.archived, "auto_archive_duration": 1440, "locked": channel.locked,
            "archive_timestamp": "2024-01-01T00:00:00Z"
        });
    }
    json
}

pub(super) fn is_thread(channel: &ChannelState) -> bool {
    matches!(channel.kind, 10..=12)
}

fn role(role: &RoleState) -> Value {
    let mut json = json!({
        "id": role.id.to_string(), "name": role.name, "color": 0,
        "colors": {"primary_color": 0, "secondary_color": null, "tertiary_color": null}, "hoist": false,
        "icon": null, "unicode_emoji": null, "position": 0, "permissions": role.permissions.to_string(),
        "managed": role.of_bot, "mentionable": false, "flags": 0
    });
    if role.of_bot {
        json["tags"] = json!({"bot_id": BOT.to_string()});
    }
    json
}

/// The application behind the bot.
pub(super) fn application(state: &State) -> Value {
    // The flags that end in _LIMITED: what an unverified bot gets when its switches are on.
    let content = if state.allows_message_content { 1 << 19 } else { 0 };
    let presence = if state.allows_presence { 1 << 13 | 1 << 15 } else { 0 };
    let flags = content | presence;
    json!({
        "id": BOT.to_string(), "name": state.users[&BOT].name, "icon": null, "description": "", "bot_public": true,
        "bot_require_code_grant": state.wants_code_grant, "verify_key": "0", "team": null, "flags": flags
    })
}

/// The guilds the bot is in, in short.
pub(super) fn own_guilds(state: &State) -> Value {
    let short = |(id, guild): (&u64, &GuildState)| {
        json!({
            "id": id.to_string(), "name": guild.name, "icon": null, "owner": false, "permissions": "0",
            "features": []
        })
    };
    state.guilds.iter().map(short).collect()
}

/// A guild as `GUILD_CREATE` brings it: its channels, its active threads, and of its members only the bot.
pub(super) fn guild(state: &State, id: u64) -> Value {
    let GuildState { name, roles, members, .. } = &state.guilds[&id];
    let of_guild = |wanted_thread: bool| -> Vec<Value> {
        state
            .channels
            .iter()
            .filter(|(_, channel)| {
                channel.guild == Some(id) && is_thread(channel) == wanted_thread && !channel.archived
            })
            .map(|(id, _)| self::channel(state, *id))
            .collect()
    };
    let owner = members.keys().find(|member| **member != BOT).unwrap_or(&BOT);
    let mut json = json!({
        "id": id.to_string(), "name": name, "icon": null, "icon_hash": null, "splash": null,
        "discovery_splash": null, "owner_id": owner.to_string(), "afk_channel_id": null, "afk_timeout": 300,
        "widget_enabled": false, "verification_level": 0, "default_message_notifications": 0,
        "explicit_content_filter": 0, "features": [], "mfa_level": 0, "application_id": null,
        "system_channel_id": null, "system_channel_flags": 0, "rules_channel_id": null,
        "vanity_url_code": null, "description": null, "banner": null, "premium_tier": 0,
        "preferred_locale": "en-US", "public_updates_channel_id": null, "nsfw_level": 0,
        "premium_progress_bar_enabled": false, "safety_alerts_channel_id": null, "incidents_data": null
    });
    let gateway_only = json!({
        "roles": roles.iter().map(role).collect::<Vec<_>>(), "emojis": super::doings::emojis(state, id), "stickers": [],
        "joined_at": "2024-01-01T00:00:00Z", "large": false, "unavailable": false,
        "member_count": members.len(), "voice_states": voice_states(state, id), "members": [member(state, id, BOT)],
        "channels": of_guild(false), "threads": of_guild(true), "presences": [], "stage_instances": [],
        "guild_scheduled_events": [], "soundboard_sounds": []
    });
    for (key, value) in gateway_only.as_object().unwrap() {
        json[key] = value.clone();
    }
    json
}

/// Who is in a call, as a guild brings it.
fn voice_states(state: &State, guild: u64) -> Vec<Value> {
    let voice = &state.guilds[&guild].voice;
    voice
        .iter()
        .map(|(user, (channel, muted))| voice_state(state, guild, *user, Some(*channel), *muted))
        .collect()
}

/// One person's voice state; without a channel they have left.
pub(super) fn voice_state(state: &State, guild: u64, user: u64, channel: Option<u64>, muted: bool) -> Value {
    let mut voice = json!({
        "guild_id": guild.to_string(), "channel_id": channel.map(|channel| channel.to_string()),
        "user_id": user.to_string(), "session_id": "v", "deaf": false, "mute": false, "self_deaf": false,
        "self_mute": muted, "self_video": false, "suppress": false, "request_to_speak_timestamp": null
    });
    if state.introduces_talkers || user == BOT {
        voice["member"] = member(state, guild, user);
    }
    voice
}

/// A message by somebody, with everything that is empty by default.
pub(super) fn message(state: &State, id: u64, channel: u64, author: u64, content: &str) -> Value {
    let mut message = json!({
        "id": id.to_string(), "channel_id": channel.to_string(), "author": user(state, author),
        "content": content, "timestamp": now(), "edited_timestamp": null, "tts": false,
        "mention_everyone": false, "mentions": [], "mention_roles": [], "attachments": [], "embeds": [],
        "pinned": false, "type": 0, "flags": 0, "components": []
    });
    if let Some(guild) = state.channels[&channel].guild {
        message["guild_id"] = json!(guild.to_string());
        if let Some(member) = state.guilds[&guild].members.get(&author) {
            message["member"] = partial_member(member);
        }
    }
    if state.users[&author].nature == Nature::Webhook {
        message["webhook_id"] = json!(author.to_string());
    }
    message
}

/// A user as a message's `mentions` bring them.
pub(super) fn mention(state: &State, guild: Option<u64>, id: u64) -> Value {
    let mut mention = user(state, id);
    if let Some(member) = guild.and_then(|guild| state.guilds[&guild].members.get(&id)) {
        mention["member"] = partial_member(member);
    }
    mention
}
