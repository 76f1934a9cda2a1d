//! What moderators and people change about a server: roles, who has them, who may see what, who is there.

use serde_json::json;

use super::people::Person;
use super::places::{Channel, Guild};
use super::state::{MemberState, Overwrite, RoleState, bits, intents};
use super::{BOT, wire};

/// A role that is given to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role(pub u64);

impl Guild {
    /// A new role that adds nothing to what everyone may do.
    pub fn role(&self, name: &str) -> Role {
        self.world().change(|state| {
            let id = state.id();
            let role = RoleState { id, name: name.to_owned(), permissions: 0, of_bot: false };
            state.guilds.get_mut(&self.id()).unwrap().roles.push(role);
            let created = wire::guild(state, self.id())["roles"].as_array().unwrap().last().unwrap().clone();
            let event = json!({"guild_id": self.id().to_string(), "role": created});
            state.dispatch("GUILD_ROLE_CREATE", intents::GUILDS, event);
            Role(id)
        })
    }

    /// Somebody who is elsewhere already joins.
    pub fn takes_in(&self, person: &Person) {
        self.world().change(|state| {
            state.guilds.get_mut(&self.id()).unwrap().members.insert(person.id(), MemberState::default());
            let mut event = wire::member(state, self.id(), person.id());
            event["guild_id"] = json!(self.id().to_string());
            state.dispatch("GUILD_MEMBER_ADD", intents::GUILD_MEMBERS, event);
        });
    }

    /// Somebody leaves. Without the privileged intent nobody is told.
    pub fn loses(&self, person: &Person) {
        self.world().change(|state| {
            state.guilds.get_mut(&self.id()).unwrap().members.remove(&person.id());
            let event = json!({"guild_id": self.id().to_string(), "user": wire::user(state, person.id())});
            state.dispatch("GUILD_MEMBER_REMOVE", intents::GUILD_MEMBERS, event);
        });
    }

    /// Gives a member exactly these roles. Without the privileged intent nobody is told.
    pub fn gives(&self, person: &Person, roles: &[Role]) {
        self.world().change(|state| {
            let members = &mut state.guilds.get_mut(&self.id()).unwrap().members;
            members.get_mut(&person.id()).unwrap().roles = roles.iter().map(|role| role.0).collect();
            let mut event = wire::member(state, self.id(), person.id());
            event["guild_id"] = json!(self.id().to_string());
            state.dispatch("GUILD_MEMBER_UPDATE", intents::GUILD_MEMBERS, event);
        });
    }
}

impl Channel {
    /// Only the bot and whoever has one of these roles sees this channel; without any, everybody.
    pub fn is_for(&self, roles: &[Role]) {
        self.change(|channel, guild| {
            channel.overwrites.clear();
            if !roles.is_empty() {
                let needed = bits::VIEW_CHANNEL | bits::CONNECT;
                channel.overwrites.push(Overwrite { id: guild, kind: 0, allow: 0, deny: needed });
                channel.overwrites.push(Overwrite { id: BOT, kind: 1, allow: needed, deny: 0 });
                let let_in =
                    roles.iter().map(|role| Overwrite { id: role.0, kind: 0, allow: needed, deny: 0 });
                channel.overwrites.extend(let_in);
            }
        });
    }

    /// It becomes age-restricted, or is no longer.
    pub fn is_restricted(&self, is: bool) {
        self.change(|channel, _| channel.nsfw = is);
    }

    /// It gets another name.
    pub fn is_renamed(&self, name: &str) {
        self.change(|channel, _| channel.name = name.to_owned());
    }

    fn change(&self, change: impl FnOnce(&mut super::state::ChannelState, u64)) {
        self.world.change(|state| {
            let channel = state.channels.get_mut(&self.id()).unwrap();
            let guild = channel.guild.unwrap();
            change(channel, guild);
            let event = if wire::is_thread(channel) { "THREAD_UPDATE" } else { "CHANNEL_UPDATE" };
            let updated = wire::channel(state, self.id());
            state.dispatch(event, intents::GUILDS, updated);
        });
    }
}
