//! Discord's markup for names, as readable text.

use serenity::all::{Cache, ChannelId, GuildId, PartialMember, RoleId, User, UserId};

use super::place::{GuildFacts, in_guild};
use crate::domain::{Place, Visible};

/// Longest `<…>` that is looked at; longer ones are text. Discord's own longest (an animated emoji with a 32-character
/// name) has 58.
const MARKUP_MAX: usize = 100;

/// Who and what a message's `<@1>` and the like stand for.
pub(super) struct Names<'a> {
    pub cache: &'a Cache,
    pub guild: Option<GuildId>,
    /// Where it was said: channels that not everybody there can see have no names.
    pub place: &'a Place,
    /// People mentioned, as the message itself brings them.
    pub mentions: &'a [User],
    /// The bot's user and what the familiar is called.
    pub familiar: (UserId, &'a str),
}

impl Names<'_> {
    fn user(&self, id: UserId) -> String {
        if id == self.familiar.0 {
            return self.familiar.1.to_owned();
        }
        if let Some(user) = self.mentions.iter().find(|user| user.id == id) {
            return shown_name(user, user.member.as_deref());
        }
        let cached = self
            .guild
            .and_then(|guild| self.cache.guild(guild))
            .and_then(|guild| guild.members.get(&id).map(|member| member.display_name().to_owned()));
        cached.unwrap_or_else(|| "someone".to_owned())
    }

    fn role(&self, id: RoleId) -> String {
        self.guild
            .and_then(|guild| self.cache.guild(guild))
            .and_then(|guild| guild.roles.get(&id).map(|role| role.name.clone()))
            .map_or_else(|| "a role".to_owned(), |name| name.trim_start_matches('@').to_owned())
    }

    fn channel(&self, id: ChannelId) -> String {
        let named = self.guild.and_then(|guild| self.cache.guild(guild)).and_then(|guild| {
            let thread = || guild.threads.iter().find(|thread| thread.id == id);
            let channel = guild.channels.get(&id).or_else(thread)?;
            let its = in_guild(&GuildFacts::about(&guild, channel), channel);
            let is_seen =
                its.channel == self.place.channel || Visible::at(self.place).includes(&its.audience);
            is_seen.then(|| channel.name.clone())
        });
        named.unwrap_or_else(|| "a channel".to_owned())
    }
}

/// The name shown beside a message: nickname in the guild, else global name, else handle.
pub(super) fn shown_name(user: &User, member: Option<&PartialMember>) -> String {
    member
        .and_then(|member| member.nick.as_deref())
        .or(user.global_name.as_deref())
        .unwrap_or(&user.name)
        .to_owned()
}

/// The text with every mention, custom emoji, timestamp and command link written as a person reads it.
pub(super) fn readable(content: &str, names: &Names<'_>) -> String {
    let mut out = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let inside = rest[1..].find(['>', '<', '\n']).filter(|end| *end <= MARKUP_MAX);
        let shown = match inside {
            Some(end) if rest.as_bytes()[end + 1] == b'>' => {
                markup(&rest[1..=end], names).map(|shown| (shown, end + 2))
            }
            _ => None,
        };
        if let Some((shown, length)) = shown {
            out.push_str(&shown);
            rest = &rest[length..];
        } else {
            out.push('<');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out.trim().to_owned()
}

fn markup(inside: &str, names: &Names<'_>) -> Option<String> {
    if let Some(id) = inside.strip_prefix("@&") {
        return Some(format!("@{}", names.role(RoleId::new(snowflake(id)?))));
    }
    if let Some(id) = inside.strip_prefix("@!").or_else(|| inside.strip_prefix('@')) {
        return Some(format!("@{}", names.user(UserId::new(snowflake(id)?))));
    }
    if let Some(id) = inside.strip_prefix('#') {
        return Some(format!("#{}", names.channel(ChannelId::new(snowflake(id)?))));
    }
    if let Some(command) = inside.strip_prefix('/') {
        let (name, id) = command.rsplit_once(':')?;
        snowflake(id)?;
        return Some(format!("/{name}"));
    }
    if let Some(time) = inside.strip_prefix("t:") {
        let seconds = time.split(':').next()?.parse().ok()?;
        return Some(jiff::Timestamp::from_second(seconds).ok()?.strftime("%Y-%m-%d %H:%M UTC").to_string());
    }
    let emoji = inside.strip_prefix("a:").or_else(|| inside.strip_prefix(':'))?;
    let (name, id) = emoji.split_once(':')?;
    snowflake(id)?;
    Some(format!(":{name}:"))
}

fn snowflake(id: &str) -> Option<u64> {
    id.parse().ok().filter(|id| *id != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discord::intake::place::dm;

    fn read(content: &str) -> String {
        let cache = Cache::new();
        let bea: User = serde_json::from_value(serde_json::json!({
            "id": "5", "username": "bea", "discriminator": "0", "global_name": "Bea", "avatar": null,
            "member": {"nick": "Queen Bea", "roles": [], "deaf": false, "mute": false}
        }))
        .unwrap();
        let place = dm(ChannelId::new(2), UserId::new(5));
        let familiar = (UserId::new(1), "Ada");
        let names = Names { cache: &cache, guild: None, place: &place, mentions: &[bea], familiar };
        readable(content, &names)
    }

    #[test]
    fn mentions_become_names() {
        assert_eq!(read("<@1> meet <@!5>!"), "@Ada meet @Queen Bea!");
        assert_eq!(read("<@99> <@&3> <#4>"), "@someone @a role #a channel");
    }

    #[test]
    fn emoji_times_and_commands_become_readable() {
        assert_eq!(read("<:blob:123><a:wave_2:456>"), ":blob::wave_2:");
        assert_eq!(read("at <t:0:R>, use </greet:12>"), "at 1970-01-01 00:00 UTC, use /greet");
    }

    #[test]
    fn what_is_not_markup_stays() {
        for text in
            ["a < b > c", "<3", "<@>", "<@0>", "<https://x.y>", "Vec<u8>", "<<@x>", "é<ü", "<", "<:x:>"]
        {
            assert_eq!(read(text), text);
        }
        assert_eq!(read("<<@5>>"), "<@Queen Bea>");
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(content in "[<>@!#&:/a-z0-9é\n]{0,60}") {
            read(&content);
        }
    }
}
