//! Who talks: people, other bots and webhooks, and what they do.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::places::Channel;
use super::state::{InteractionState, Nature, Posted, State, UserState, bits, intents};
use super::{BOT, DiscordWorld, wire};

/// Interaction types, from Discord's documentation.
const COMMAND: u8 = 2;
const COMPONENT: u8 = 3;
const AUTOCOMPLETE: u8 = 4;
const MODAL_SUBMIT: u8 = 5;

/// The type of a command's option that is a channel.
const CHANNEL_OPTION: u8 = 7;

/// The type of a command's option that is a command itself.
const SUB_COMMAND: u8 = 1;

/// Somebody who can talk.
#[derive(Clone)]
pub struct Person {
    world: DiscordWorld,
    id: u64,
    /// What Discord says their client is in.
    locale: &'static str,
}

/// A message, before it is said.
#[derive(Debug, Clone, Default)]
pub struct Said {
    text: String,
    answers: Option<u64>,
    mentions: Vec<u64>,
    extra: Vec<(String, Value)>,
}

impl Said {
    pub fn text(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// As an answer to a message.
    pub fn answering(mut self, message: u64) -> Self {
        self.answers = Some(message);
        self
    }

    /// Mentions somebody at the end.
    pub fn mentioning(self, person: &Person) -> Self {
        self.mentioning_id(person.id)
    }

    /// Mentions the bot at the end.
    pub fn mentioning_the_bot(self) -> Self {
        self.mentioning_id(BOT)
    }

    fn mentioning_id(mut self, id: u64) -> Self {
        self.text = format!("{} <@{id}>", self.text).trim().to_owned();
        self.mentions.push(id);
        self
    }

    /// With a file.
    pub fn with_file(self, name: &str, content_type: &str, size: u32) -> Self {
        let file = json!([{
            "id": "1", "filename": name, "size": size, "url": "https://cdn.invalid/f",
            "proxy_url": "https://cdn.invalid/f", "content_type": content_type
        }]);
        self.with("attachments", file)
    }

    /// With a field of Discord's message object as given.
    pub fn with(mut self, key: &str, value: Value) -> Self {
        self.extra.push((key.to_owned(), value));
        self
    }
}

/// How the bot answered a command or modal.
#[derive(Debug, Clone)]
pub struct Answer {
    pub content: String,
    /// Whether only the caller sees it.
    pub ephemeral: bool,
    /// Whether it was acknowledged first and filled in later.
    pub deferred: bool,
    /// Attached files: name and text.
    pub files: Vec<(String, String)>,
    /// Its rows of buttons and choices.
    pub components: Value,
}

impl Answer {
    /// The labels of its buttons, in order.
    pub fn buttons(&self) -> Vec<String> {
        let labels = parts(&self.components).filter(|part| part["type"] == 2);
        labels.map(|part| part["label"].as_str().unwrap().to_owned()).collect()
    }

    /// The labels and values of its choice.
    pub fn choices(&self) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let options = parts(&self.components).filter_map(|part| part["options"].as_array());
        options.flatten().map(|option| (text(&option["label"]), text(&option["value"]))).collect()
    }
}

/// The parts of rows of components.
fn parts(rows: &Value) -> impl Iterator<Item = &Value> {
    let rows = rows.as_array().into_iter().flatten();
    rows.flat_map(|row| row["components"].as_array().into_iter().flatten())
}

/// A form that the bot opened.
#[derive(Debug, Clone)]
pub struct Modal {
    pub title: String,
    /// The form's id.
    pub custom_id: String,
    /// What stands in its first field.
    pub value: String,
    /// The form as it came.
    pub data: Value,
    channel: u64,
}

impl Person {
    pub(super) fn born(world: &DiscordWorld, name: &str, nature: Nature) -> Self {
        let id = world.change(|state| {
            let id = state.id();
            state.users.insert(id, UserState { name: name.to_owned(), global_name: None, nature });
            id
        });
        Self { world: world.clone(), id, locale: "en-US" }
    }

    /// The same person with their client in another language.
    pub fn reading(&self, locale: &'static str) -> Self {
        Self { locale, ..self.clone() }
    }

    pub fn id(&self) -> u64 {
        self.id
    }

    /// Sets the name shown everywhere.
    pub fn is_called(&self, global_name: &str) {
        self.world.change(|state| {
            state.users.get_mut(&self.id).unwrap().global_name = Some(global_name.to_owned());
        });
    }

    /// The direct messages with the bot.
    pub fn dm(&self) -> Channel {
        Channel::dm_with(&self.world, self.id)
    }

    /// Says something; gives the message's id.
    pub fn says(&self, channel: &Channel, said: impl Into<Said>) -> u64 {
        let said = said.into();
        self.world.change(|state| {
            let id = state.id();
            let message = self.message(state, id, channel.id(), &said);
            state.said(channel.id(), message);
            id
        })
    }

    /// Begins to type.
    pub fn types(&self, channel: &Channel) {
        self.world.change(|state| {
            let mut event = json!({
                "channel_id": channel.id().to_string(), "user_id": self.id.to_string(),
                "timestamp": jiff::Timestamp::now().as_second()
            });
            let mut intent = intents::DIRECT_MESSAGE_TYPING;
            if let Some(guild) = state.channels[&channel.id()].guild {
                event["guild_id"] = json!(guild.to_string());
                event["member"] = wire::member(state, guild, self.id);
                intent = intents::GUILD_MESSAGE_TYPING;
            }
            state.dispatch("TYPING_START", intent, event);
        });
    }

    /// Joins a call, also out of another one, or mutes in it.
    pub fn joins(&self, call: &Channel, muted: bool) {
        self.world.change(|state| {
            let guild = state.channels[&call.id()].guild.unwrap();
            state.moves(guild, self.id, Some(call.id()), muted);
        });
    }

    /// The server mutes them in the call that they are in.
    pub fn is_muted_by_the_server(&self, call: &Channel) {
        self.world.change(|state| {
            let guild = state.channels[&call.id()].guild.unwrap();
            let mut event = wire::voice_state(state, guild, self.id, Some(call.id()), false);
            event["mute"] = json!(true);
            state.dispatch("VOICE_STATE_UPDATE", intents::GUILD_VOICE_STATES, event);
        });
    }

    /// Leaves a call.
    pub fn leaves(&self, call: &Channel) {
        self.world.change(|state| {
            let guild = state.channels[&call.id()].guild.unwrap();
            state.moves(guild, self.id, None, false);
        });
    }

    /// Reacts to a message of a guild, by whoever wrote it.
    pub fn reacts(&self, channel: &Channel, message: u64, author: u64, emoji: &str) {
        self.reaction("MESSAGE_REACTION_ADD", channel, message, author, emoji);
    }

    /// Takes a reaction away again.
    pub fn takes_reaction_away(&self, channel: &Channel, message: u64, emoji: &str) {
        self.reaction("MESSAGE_REACTION_REMOVE", channel, message, self.id, emoji);
    }

    fn reaction(&self, what: &'static str, channel: &Channel, message: u64, author: u64, emoji: &str) {
        self.world.change(|state| {
            let guild = state.channels[&channel.id()].guild.unwrap();
            let event = json!({
                "user_id": self.id.to_string(), "channel_id": channel.id().to_string(),
                "message_id": message.to_string(), "guild_id": guild.to_string(),
                "member": wire::member(state, guild, self.id), "emoji": {"id": null, "name": emoji},
                "message_author_id": author.to_string(), "burst": false, "type": 0
            });
            state.dispatch(what, intents::GUILD_MESSAGE_REACTIONS, event);
        });
    }

    /// Begins to play something, where presences are told.
    pub fn plays(&self, guild: &super::places::Guild, game: &str) {
        self.world.change(|state| {
            let event = json!({
                "user": {"id": self.id.to_string()}, "guild_id": guild.id().to_string(), "status": "online",
                "activities": [{"name": game, "type": 0, "created_at": 0}], "client_status": {"desktop": "online"}
            });
            state.dispatch("PRESENCE_UPDATE", intents::GUILD_PRESENCES, event);
        });
    }

    fn message(&self, state: &State, id: u64, channel: u64, said: &Said) -> Value {
        let mut message = wire::message(state, id, channel, self.id, &said.text);
        let guild = state.channels[&channel].guild;
        let mentions: Vec<Value> = said.mentions.iter().map(|id| wire::mention(state, guild, *id)).collect();
        message["mentions"] = Value::Array(mentions);
        if let Some(answered) = said.answers {
            message["type"] = json!(19);
            message["message_reference"] =
                json!({"type": 0, "message_id": answered.to_string(), "channel_id": channel.to_string()});
            message["referenced_message"] = state.messages.get(&answered).cloned().unwrap_or_default();
        }
        for (key, value) in &said.extra {
            message[key] = value.clone();
        }
        message
    }

    /// Changes what a message says. Discord sends the whole message again.
    pub fn edits(&self, channel: &Channel, message: u64, text: &str) {
        self.world.change(|state| {
            let mut edited = state.messages[&message].clone();
            edited["content"] = json!(text);
            edited["edited_timestamp"] = json!(wire::now());
            update(state, channel.id(), message, edited);
        });
    }

    /// Discord adds a link preview to a message: an update without an edit, which brings only what changed.
    pub fn gets_preview(&self, channel: &Channel, message: u64, embed: Value) {
        self.world.change(|state| {
            state.messages.get_mut(&message).unwrap()["embeds"] = json!([embed]);
            let mut event =
                json!({"id": message.to_string(), "channel_id": channel.id().to_string(), "embeds": [embed]});
            if let Some(guild) = state.channels[&channel.id()].guild {
                event["guild_id"] = guild.to_string().into();
            }
            let intent = state.messages_intent(channel.id());
            state.dispatch("MESSAGE_UPDATE", intent, event);
        });
    }

    /// Takes a message back.
    pub fn deletes(&self, channel: &Channel, message: u64) {
        self.world.change(|state| {
            state.messages.remove(&message);
            let mut event = json!({"id": message.to_string(), "channel_id": channel.id().to_string()});
            if let Some(guild) = state.channels[&channel.id()].guild {
                event["guild_id"] = guild.to_string().into();
            }
            let intent = state.messages_intent(channel.id());
            state.dispatch("MESSAGE_DELETE", intent, event);
        });
    }

    /// Whether Discord would let this person use a command in a channel.
    pub fn may_run(&self, channel: &Channel, command: &str) -> bool {
        self.world.look(|state| {
            let guild = state.channels[&channel.id()].guild;
            let name = command.trim_start_matches('/').split(' ').next();
            let registered = state
                .commands
                .get(&guild)
                .and_then(|commands| commands.iter().find(|command| command["name"].as_str() == name));
            let Some(registered) = registered else { return false };
            let needed: u64 = registered["default_member_permissions"]
                .as_str()
                .map_or(0, |permissions| permissions.parse().unwrap());
            state.permissions(self.id, channel.id()) & needed == needed
        })
    }

    /// Runs a slash command with options by name, and waits for its answer.
    pub async fn runs(&self, channel: &Channel, command: &str, options: Value) -> Answer {
        let id = self.interact(channel, COMMAND, command, &options, None);
        self.answer_to(id).await
    }

    /// Chooses a command in the menu of a message, and waits for its answer.
    pub async fn chooses_on(&self, channel: &Channel, message: u64, command: &str) -> Answer {
        let id = self.choose_on(channel, message, command);
        self.answer_to(id).await
    }

    /// Chooses a command in the menu of a message of their own, and how long it took until that was acknowledged.
    pub async fn looks_at(&self, channel: &Channel, command: &str) -> Duration {
        let message = self.says(channel, "look");
        let id = self.choose_on(channel, message, command);
        self.acknowledged(id, command).await
    }

    fn choose_on(&self, channel: &Channel, message: u64, command: &str) -> u64 {
        self.world.change(|state| {
            let guild = state.channels[&channel.id()].guild;
            let is_there = |known: &Value| known["name"] == command && known["type"] == 3;
            assert!(state.commands[&guild].iter().any(is_there), "Discord would not offer {command} here");
            let resolved = json!({"messages": {message.to_string(): state.messages[&message]}});
            let data = json!({
                "id": "9002", "name": command, "type": 3, "target_id": message.to_string(), "resolved": resolved
            });
            self.interaction(state, channel.id(), COMMAND, data, None)
        })
    }

    /// Runs a slash command, and how long it took until it was acknowledged; whatever becomes of it.
    pub async fn calls(&self, channel: &Channel, command: &str, options: Value) -> Duration {
        let id = self.interact(channel, COMMAND, command, &options, None);
        self.acknowledged(id, command).await
    }

    /// Types into an option, and how long it took until something was offered.
    pub async fn is_offered(&self, channel: &Channel, command: &str, option: &str) -> Duration {
        let id = self.interact(channel, AUTOCOMPLETE, command, &json!({option: ""}), Some(option));
        self.acknowledged(id, command).await
    }

    /// Uses a part of an answer by its id, with what was chosen in it, and how long it took until that was acknowledged.
    pub async fn uses(&self, channel: &Channel, custom_id: &str, chosen: &[&str]) -> Duration {
        let id = self.world.change(|state| {
            let id = state.id();
            let message = wire::message(state, id, channel.id(), BOT, "");
            let kind = if chosen.is_empty() { 2 } else { 3 };
            let data = json!({"custom_id": custom_id, "component_type": kind, "values": chosen});
            self.interaction(state, channel.id(), COMPONENT, data, Some(message))
        });
        self.acknowledged(id, custom_id).await
    }

    /// Submits a form by its id, and how long it took until that was acknowledged.
    pub async fn sends_in(&self, channel: &Channel, custom_id: &str) -> Duration {
        let field = json!({"type": 4, "custom_id": "words", "value": "words"});
        let data = json!({"custom_id": custom_id, "components": [{"type": 1, "components": [field]}]});
        let id = self.world.change(|state| self.interaction(state, channel.id(), MODAL_SUBMIT, data, None));
        self.acknowledged(id, custom_id).await
    }

    async fn acknowledged(&self, id: u64, what: &str) -> Duration {
        self.world.wait(&format!("{what} to be acknowledged"), |state| state.interactions[&id].took).await
    }

    /// Runs a slash command that opens a form.
    pub async fn opens(&self, channel: &Channel, command: &str) -> Modal {
        let id = self.interact(channel, COMMAND, command, &json!({}), None);
        self.form(id, channel, command).await
    }

    async fn form(&self, id: u64, channel: &Channel, opened_by: &str) -> Modal {
        let what = format!("{opened_by} to open a form");
        let data = self.world.wait(&what, |state| state.interactions[&id].modal.clone()).await;
        Modal {
            title: data["title"].as_str().unwrap().to_owned(),
            custom_id: data["custom_id"].as_str().unwrap().to_owned(),
            value: data["components"][0]["components"][0]["value"].as_str().unwrap_or_default().to_owned(),
            channel: channel.id(),
            data,
        }
    }

    /// Presses a button under an answer; what the answer reads then.
    pub async fn presses(&self, channel: &Channel, answer: &Answer, label: &str) -> Answer {
        let id = self.press(channel, answer, label);
        self.answer_to(id).await
    }

    /// Presses a button that opens a form.
    pub async fn presses_for_form(&self, channel: &Channel, answer: &Answer, label: &str) -> Modal {
        let id = self.press(channel, answer, label);
        self.form(id, channel, label).await
    }

    fn press(&self, channel: &Channel, answer: &Answer, label: &str) -> u64 {
        let button = parts(&answer.components).find(|part| part["label"] == label);
        let button = button.unwrap_or_else(|| panic!("no button {label}: {answer:?}"));
        let data = json!({"custom_id": button["custom_id"], "component_type": 2});
        self.use_component(channel, answer, data)
    }

    /// Chooses something under an answer; what the answer reads then.
    pub async fn picks(&self, channel: &Channel, answer: &Answer, value: &str) -> Answer {
        let choice = parts(&answer.components).find(|part| part["options"].is_array()).unwrap();
        let data = json!({"custom_id": choice["custom_id"], "component_type": 3, "values": [value]});
        let id = self.use_component(channel, answer, data);
        self.answer_to(id).await
    }

    fn use_component(&self, channel: &Channel, answer: &Answer, data: Value) -> u64 {
        self.world.change(|state| {
            let id = state.id();
            let message = wire::message(state, id, channel.id(), BOT, &answer.content);
            self.interaction(state, channel.id(), COMPONENT, data, Some(message))
        })
    }

    /// Submits a form with a text in its first field, and waits for its answer.
    pub async fn submits(&self, modal: &Modal, text: &str) -> Answer {
        let id = self.sends_words(modal, text);
        self.answer_to(id).await
    }

    /// Submits a form with a text in its first field; the interaction's number.
    pub fn sends_words(&self, modal: &Modal, text: &str) -> u64 {
        let field = &modal.data["components"][0]["components"][0]["custom_id"];
        let data = json!({
            "custom_id": modal.custom_id,
            "components": [{"type": 1, "components": [{"type": 4, "custom_id": field, "value": text}]}]
        });
        self.world.change(|state| self.interaction(state, modal.channel, MODAL_SUBMIT, data, None))
    }

    /// Presses a button under a message of the bot.
    pub async fn presses_under(&self, message: &Posted, label: &str) -> Answer {
        let id = self.world.change(|state| self.pressed_under(state, message, label));
        self.answer_to(id).await
    }

    /// Presses a button under a message of the bot that answers by changing the message; waits until that is acknowledged.
    pub async fn answers_under(&self, message: &Posted, label: &str) {
        let id = self.world.change(|state| self.pressed_under(state, message, label));
        self.acknowledged(id, label).await;
    }

    fn pressed_under(&self, state: &mut State, message: &Posted, label: &str) -> u64 {
        let rows = message.body["components"].as_array().cloned().unwrap_or_default();
        let buttons = rows.iter().flat_map(|row| row["components"].as_array().unwrap());
        let button = buttons.clone().find(|button| button["label"] == label);
        let custom_id =
            button.unwrap_or_else(|| panic!("no button {label:?}: {rows:?}"))["custom_id"].clone();
        let data = json!({"custom_id": custom_id, "component_type": 2});
        let whole = state.messages[&message.id].clone();
        self.interaction(state, message.channel, COMPONENT, data, Some(whole))
    }

    /// Types into a command's option; gives the names and values the bot offers.
    pub async fn completes(
        &self,
        channel: &Channel,
        command: &str,
        option: &str,
        typed: &str,
    ) -> Vec<(String, Value)> {
        let id = self.interact(channel, AUTOCOMPLETE, command, &json!({option: typed}), Some(option));
        let what = format!("choices for {command} {option}");
        let choices = self.world.wait(&what, |state| state.interactions[&id].choices.clone()).await;
        choices
            .into_iter()
            .map(|choice| (choice["name"].as_str().unwrap().to_owned(), choice["value"].clone()))
            .collect()
    }

    fn interact(
        &self,
        channel: &Channel,
        kind: u8,
        command: &str,
        options: &Value,
        focused: Option<&str>,
    ) -> u64 {
        assert!(self.may_run(channel, command), "Discord would not offer {command} here");
        // `/lore why` is the sub-command `why` of `/lore`.
        let (name, sub) = match command.trim_start_matches('/').split_once(' ') {
            Some((name, sub)) => (name, Some(sub)),
            None => (command.trim_start_matches('/'), None),
        };
        self.world.change(|state| {
            let guild = state.channels[&channel.id()].guild;
            let mut registered =
                state.commands[&guild].iter().find(|command| command["name"] == name).unwrap().clone();
            if let Some(sub) = sub {
                let subs = registered["options"].as_array().unwrap();
                registered = subs.iter().find(|command| command["name"] == sub).unwrap().clone();
            }
            let options: Vec<Value> = options
                .as_object()
                .unwrap()
                .iter()
                .map(|(name, value)| {
                    let declared = registered["options"].as_array().unwrap();
                    let kind =
                        declared.iter().find(|option| option["name"] == *name).unwrap()["type"].clone();
                    match focused {
                        Some(_) => json!({"name": name, "type": kind, "value": value, "focused": true}),
                        None => json!({"name": name, "type": kind, "value": value}),
                    }
                })
                .collect();
            let resolved = self.resolved(state, &options);
            let options = match sub {
                Some(sub) => vec![json!({"name": sub, "type": SUB_COMMAND, "options": options})],
                None => options,
            };
            let data =
                json!({"id": "9001", "name": name, "type": 1, "options": options, "resolved": resolved});
            self.interaction(state, channel.id(), kind, data, None)
        })
    }

    /// The channels among a command's options, with what this person may do in them.
    fn resolved(&self, state: &State, options: &[Value]) -> Value {
        let mut channels = json!({});
        for option in options.iter().filter(|option| option["type"] == CHANNEL_OPTION) {
            let id = wire::id_of(&option["value"]);
            let mut channel = wire::channel(state, id);
            channel["permissions"] = json!(state.permissions(self.id, id).to_string());
            channels[id.to_string()] = channel;
        }
        json!({"channels": channels})
    }

    fn interaction(
        &self,
        state: &mut State,
        channel: u64,
        kind: u8,
        data: Value,
        message: Option<Value>,
    ) -> u64 {
        let id = state.id();
        state.interactions.insert(
            id,
            InteractionState {
                channel,
                under: message.as_ref().map(|message| wire::id_of(&message["id"])),
                begun: Some(Instant::now()),
                ..InteractionState::default()
            },
        );
        let app_permissions = match state.channels[&channel].guild {
            Some(_) => state.permissions(BOT, channel),
            None => bits::EVERYONE,
        };
        let mut event = json!({
            "id": id.to_string(), "application_id": BOT.to_string(), "type": kind,
            "token": format!("interaction-{id}"), "version": 1, "channel_id": channel.to_string(),
            "channel": wire::channel(state, channel), "data": data, "locale": self.locale,
            "app_permissions": app_permissions.to_string(), "entitlements": [],
            "authorizing_integration_owners": {}, "attachment_size_limit": 10_485_760
        });
        if let Some(message) = message {
            event["message"] = message;
        }
        match state.channels[&channel].guild {
            Some(guild) => {
                let mut member = wire::member(state, guild, self.id);
                member["permissions"] = json!(state.permissions(self.id, channel).to_string());
                event["member"] = member;
                event["guild_id"] = json!(guild.to_string());
                event["guild_locale"] = json!("en-US");
                event["context"] = json!(0);
            }
            None => {
                event["user"] = wire::user(state, self.id);
                event["context"] = json!(1);
            }
        }
        state.dispatch("INTERACTION_CREATE", 0, event);
        id
    }

    async fn answer_to(&self, id: u64) -> Answer {
        self.world
            .wait(&format!("an answer to interaction {id}"), |state| {
                let interaction = &state.interactions[&id];
                let message = interaction.message.as_ref()?;
                Some(Answer {
                    content: message["content"].as_str().unwrap_or_default().to_owned(),
                    ephemeral: interaction.ephemeral,
                    deferred: interaction.responded == Some(5),
                    files: interaction.files.clone(),
                    components: message["components"].clone(),
                })
            })
            .await
    }
}

fn update(state: &mut State, channel: u64, id: u64, message: Value) {
    state.messages.insert(id, message.clone());
    let (intent, seen) = (state.messages_intent(channel), state.visible(&message));
    state.dispatch("MESSAGE_UPDATE", intent, seen);
}

impl From<&str> for Said {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}
