//! What Discord's library keeps of messages in memory, for their order: nothing of it outlives a wish to be forgotten.
//!
//! Owns which of these words are still needed. Who is in a server, and under which name, is Discord's to tell and stays.
//! Start at [`let_go_of_words`].

use std::collections::HashSet;

use serde_json::json;
use serenity::all::{Cache, ChannelId, Message, MessageId, MessageUpdateEvent, UserId};

use super::order::CATCH_UP_WINDOW_MS;

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
