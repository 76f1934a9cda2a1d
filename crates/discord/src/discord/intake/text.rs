//! Discord's markup as readable text, and taking words out of its cache.

use std::collections::HashSet;

use serde_json::json;
use serenity::all::{
    Cache, ChannelId, GuildId, Message, MessageId, MessageUpdateEvent, PartialMember, RoleId, User, UserId,
};

use super::order::CATCH_UP_WINDOW_MS;
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

/// Takes the words out of what is kept of a person's messages, and out of everybody's that are too old to be handed on: an
/// answer quotes what it answers. `known` are channels that the library may not list.
pub(in crate::discord) fn let_go_of_words(
    cache: &Cache,
    known: impl IntoIterator<Item = ChannelId>,
    person: UserId,
    now: jiff::Timestamp,
) {
    let mut channels: HashSet<ChannelId> = known.into_iter().collect();
    for guild in cache.guilds() {
        if let Some(guild) = cache.guild(guild) {
            channels.extend(guild.channels.keys().copied());
            channels.extend(guild.threads.iter().map(|thread| thread.id));
        }
    }
    let needed_from = now.as_millisecond() - CATCH_UP_WINDOW_MS;
    for channel in channels {
        // Collected first: the library holds its lock while somebody looks.
        let done_with: Vec<MessageId> = match cache.channel_messages(channel) {
            Some(messages) => {
                let is_done_with = |message: &&Message| {
                    message.author.id == person || message.id.created_at().timestamp_millis() < needed_from
                };
                messages.values().filter(is_done_with).map(|message| message.id).collect()
            }
            None => continue,
        };
        for message in done_with {
            match emptied(channel, message) {
                Ok(mut emptied) => drop(cache.update(&mut emptied)),
                Err(error) => tracing::warn!(%error, "a message in memory keeps its words"),
            }
        }
    }
}

/// The same message without words, as if it had been edited.
fn emptied(channel: ChannelId, message: MessageId) -> serde_json::Result<MessageUpdateEvent> {
    serde_json::from_value(json!({
        "id": message,
        "channel_id": channel,
        "content": "",
        "attachments": [],
        "embeds": [],
        "mentions": [],
        "referenced_message": null,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discord::intake::dm_place;

    fn read(content: &str) -> String {
        let cache = Cache::new();
        let bea: User = serde_json::from_value(serde_json::json!({
            "id": "5", "username": "bea", "discriminator": "0", "global_name": "Bea", "avatar": null,
            "member": {"nick": "Queen Bea", "roles": [], "deaf": false, "mute": false}
        }))
        .unwrap();
        let place = dm_place(ChannelId::new(2), UserId::new(5));
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

#[cfg(test)]
mod cached_tests {
    use serenity::all::MessageCreateEvent;
    use serenity::cache::Settings;

    use super::*;

    #[test]
    fn contradiction_16_no_words_of_a_forgotten_person_stay_in_the_librarys_memory() {
        let mut settings = Settings::default();
        settings.max_messages = 8;
        let cache = Cache::new_with_settings(settings);
        let now: jiff::Timestamp = "2026-03-01T20:00:00Z".parse().unwrap();
        // Discord's ids hold their time: milliseconds since 2015.
        let id_at = |at: jiff::Timestamp| {
            MessageId::new((at.as_millisecond() - 1_420_070_400_000).unsigned_abs() << 22)
        };
        let (alice, ben, channel) = (UserId::new(1), UserId::new(2), ChannelId::new(9));
        let say = |at: &str, who: UserId, answers: Option<Message>| {
            let mut message = Message::default();
            message.id = id_at(at.parse().unwrap());
            (message.channel_id, message.author.id) = (channel, who);
            message.content = format!("zebrafinch {who}");
            message.referenced_message = answers.map(Box::new);
            let mut event: MessageCreateEvent =
                serde_json::from_value(serde_json::to_value(&message).unwrap()).unwrap();
            cache.update(&mut event);
            message
        };
        let hers = say("2026-03-01T19:59:59Z", alice, None);
        let old = say("2026-03-01T19:00:00Z", ben, Some(hers.clone()));
        let new = say("2026-03-01T19:59:58Z", ben, None);
        let words = |message: &Message| cache.message(channel, message.id).unwrap().content.clone();
        assert!([&hers, &old, &new].into_iter().all(|message| words(message).contains("zebrafinch")));
        let_go_of_words(&cache, [channel], alice, now);
        assert_eq!((words(&hers), words(&old)), (String::new(), String::new()));
        assert!(cache.message(channel, old.id).unwrap().referenced_message.is_none());
        assert_eq!(words(&new), "zebrafinch 2", "what may still have to be handed on is whole");
        assert_eq!(cache.message(channel, hers.id).unwrap().author.id, alice, "its place in the order stays");
    }
}
