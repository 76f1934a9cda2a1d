use super::*;
use serde_json::{Value, json};

fn own() -> Own {
    Own { user: UserId::new(1), name: "Ada".to_owned() }
}

fn user(id: u64, name: &str) -> Value {
    json!({"id": id.to_string(), "username": name, "discriminator": "0", "global_name": null, "avatar": null})
}

fn parse(changes: &Value) -> Message {
    let mut message = json!({
        "id": "10", "channel_id": "2", "content": "hello", "timestamp": "2026-01-01T00:00:00Z",
        "edited_timestamp": null, "tts": false, "mention_everyone": false, "mentions": [],
        "mention_roles": [], "attachments": [], "embeds": [], "pinned": false, "type": 0, "author": user(3, "bea")
    });
    for (key, value) in changes.as_object().unwrap() {
        message[key] = value.clone();
    }
    serde_json::from_value(message).unwrap()
}

fn read(changes: &Value) -> Option<InboundMessage> {
    message(&Cache::new(), &parse(changes), dm_place(ChannelId::new(2), UserId::new(3)), &own())
}

fn hints_of(changes: &Value) -> TriggerHints {
    read(changes).unwrap().hints
}

fn replying_to(author: &Value) -> Value {
    json!({
        "type": 19, "message_reference": {"message_id": "9", "channel_id": "2"},
        "referenced_message": serde_json::to_value(parse(&json!({"id": "9", "author": author}))).unwrap()
    })
}

#[test]
fn the_shown_name_is_nickname_then_global_name_then_handle() {
    let name = |changes: &Value| read(changes).unwrap().author.display_name.unwrap();
    let member = json!({"nick": "Bee", "roles": [], "deaf": false, "mute": false});
    let mut with_global = user(3, "bea");
    with_global["global_name"] = json!("Bea");
    assert_eq!(name(&json!({"author": with_global, "member": member})), "Bee");
    assert_eq!(name(&json!({"author": with_global})), "Bea");
    assert_eq!(name(&json!({})), "bea");
}

#[test]
fn bots_and_webhooks_are_marked_as_such() {
    let mut bot = user(4, "bot");
    bot["bot"] = json!(true);
    assert!(read(&json!({"author": bot})).unwrap().author.is_bot);
    assert!(read(&json!({"webhook_id": "4"})).unwrap().author.is_bot);
    assert!(!read(&json!({})).unwrap().author.is_bot);
}

#[test]
fn joins_pins_and_empty_messages_say_nothing() {
    assert!(read(&json!({"type": 7})).is_none());
    assert!(read(&json!({"type": 6})).is_none());
    assert!(read(&json!({"content": " \n"})).is_none());
}

#[test]
fn a_reply_to_the_familiar_is_told_from_one_to_somebody_else() {
    let to_familiar = hints_of(&replying_to(&user(1, "ada")));
    assert!(to_familiar.replies_to_familiar && !to_familiar.addresses_someone_else);
    let to_other = hints_of(&replying_to(&user(5, "cyd")));
    assert!(!to_other.replies_to_familiar && to_other.addresses_someone_else);
    let mut to_deleted = replying_to(&user(5, "cyd"));
    to_deleted["referenced_message"] = Value::Null;
    assert!(hints_of(&to_deleted).addresses_someone_else);
}

#[test]
fn the_answered_message_is_referenced_but_a_forwarded_one_is_not() {
    let reply = read(&replying_to(&user(5, "cyd"))).unwrap();
    assert_eq!((reply.reply_to, reply.forwards), (Some(9_u64.into()), None));
    let forward = json!({"type": 0, "message_reference": {"type": 1, "message_id": "9", "channel_id": "2"}});
    let forward = read(&forward).unwrap();
    assert_eq!((forward.reply_to, forward.forwards), (None, Some((2_u64.into(), 9_u64.into()))));
}

#[test]
fn mentioning_the_familiar_wins_over_mentioning_others() {
    let both = hints_of(&json!({"mentions": [user(1, "ada"), user(5, "cyd")]}));
    assert!(both.mentions_familiar && !both.addresses_someone_else);
    let other = hints_of(&json!({"mentions": [user(5, "cyd")]}));
    assert!(!other.mentions_familiar && other.addresses_someone_else);
    assert_eq!(hints_of(&json!({})), TriggerHints::default());
}

#[test]
fn an_edit_carries_words_and_attachments_as_lines() {
    let message = parse(&json!({
        "content": "see <@1>",
        "embeds": [{"type": "link", "title": "A page", "description": "about tea"}]
    }));
    let place = dm_place(ChannelId::new(2), UserId::new(3));
    assert_eq!(full_text(&Cache::new(), &message, &place, &own()), "see @Ada\n> [embed: A page — about tea]");
}
