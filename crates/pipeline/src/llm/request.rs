//! The body of a request, with exactly the fields its receiver understands, and the name under which a provider sees a
//! conversation.

use async_openai::types::chat::{ChatCompletionTool, ChatCompletionTools, FunctionObject};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::endpoint::{CacheRules, ServerDialect};
use super::{
    CompletionRequest, ModelDescription, SentPicture, ToolChoice, ToolForm, sampling, tools_in_words,
};
use crate::config::{ReasoningEffort, SlotConfig};
use crate::domain::{ChannelId, ChatMessage, FamiliarId, Platform, Role, Salt, ToolRound, ToolSpec};
use crate::text::control::with_broken_tokens;
use crate::text::short::hex;
use crate::text::tokens;

/// Builds the JSON body that asks `model` to continue. The messages at the positions `marked` get a cache marker.
pub(crate) fn body(
    request: &CompletionRequest,
    settings: &SlotConfig,
    model: &str,
    dialect: ServerDialect,
    marked: &[usize],
) -> Value {
    let rules = CacheRules::of(model, dialect);
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    put("model", model.into());
    put("messages", request_messages(request, model, dialect, marked));
    if !request.tools.is_empty() {
        put("tools", request.tools.iter().map(tool).collect());
        if request.tool_choice == ToolChoice::Answer {
            put("tool_choice", "none".into());
        }
    }
    put("stream", true.into());
    put("stream_options", json!({"include_usage": true}));
    if let Some(temperature) = settings.temperature {
        put("temperature", temperature.into());
    }
    for (field, figure) in sampling::sent_figures(settings, model, dialect) {
        put(field.key(), figure);
    }
    // The job asks, the operator's limit wins where it is lower.
    let limit = [request.max_tokens, settings.max_tokens].into_iter().flatten().min();
    if let Some(limit) = limit {
        // OpenAI's reasoning models refuse the older name.
        let key = if dialect == ServerDialect::OpenAi { "max_completion_tokens" } else { "max_tokens" };
        put(key, limit.into());
    }
    if !request.stop.is_empty() {
        put("stop", request.stop.clone().into());
    }
    match (settings.reasoning, dialect) {
        (None, _) => {}
        (Some(ReasoningEffort::Off), ServerDialect::OpenRouter) => {
            put("reasoning", json!({"enabled": false}))
        }
        (Some(effort), ServerDialect::OpenRouter) => put("reasoning", json!({"effort": effort})),
        (Some(ReasoningEffort::Off), _) => put("reasoning_effort", "none".into()),
        (Some(effort), _) => put("reasoning_effort", json!(effort)),
    }
    if !settings.provider_order.is_empty()
        && matches!(dialect, ServerDialect::OpenRouter | ServerDialect::Compatible)
    {
        // Not `order`: with it OpenRouter no longer keeps a conversation on the provider whose cache is warm.
        put("provider", json!({"only": settings.provider_order}));
    }
    if dialect == ServerDialect::OpenRouter {
        put("usage", json!({"include": true}));
    }
    if let Some(session) = &request.session {
        if rules.takes_session {
            put("session_id", session.as_str().into());
        }
        if rules.takes_cache_key {
            put("prompt_cache_key", session.as_str().into());
        }
    }
    Value::Object(body)
}

/// The body without its messages: what a trace shows as parameters.
pub(crate) fn parameters(
    request: &CompletionRequest,
    settings: &SlotConfig,
    model: &str,
    dialect: ServerDialect,
) -> Value {
    let bare = CompletionRequest { messages: Vec::new(), rounds: Vec::new(), ..request.clone() };
    let mut body = body(&bare, settings, model, dialect, &[]);
    if let Some(body) = body.as_object_mut() {
        body.shift_remove("messages");
    }
    body
}

/// A tool as it is sent.
pub(crate) fn tool(spec: &ToolSpec) -> Value {
    let function = FunctionObject {
        name: spec.name.to_string(),
        description: Some(spec.description.to_string()),
        parameters: Some(spec.parameters.clone()),
        strict: None,
    };
    json!(ChatCompletionTools::Function(ChatCompletionTool { function }))
}

/// What a model is told about its tools, in the form in which it is told, in that model's tokens.
pub fn tool_tokens(specs: &[ToolSpec], model: &ModelDescription) -> u32 {
    let count = |text: &str| tokens::count(model.encoding, text);
    let counted = match model.tool_form {
        _ if specs.is_empty() => 0,
        ToolForm::Text => count(&tools_in_words(specs)),
        ToolForm::Native | ToolForm::None => {
            specs.iter().fold(0, |sum: u32, spec| sum.saturating_add(count(&tool(spec).to_string())))
        }
    };
    model.scale(counted)
}

/// The prompt, and behind it what was called and what came back.
fn request_messages(
    request: &CompletionRequest,
    model: &str,
    dialect: ServerDialect,
    marked: &[usize],
) -> Value {
    let mut prompt = prompt_messages(&request.messages, model, dialect, marked);
    if let Some(last) = prompt.iter_mut().rfind(|message| message["role"] == Role::User.as_str()) {
        attach_pictures(last, &request.pictures);
    }
    prompt.into_iter().chain(request.rounds.iter().flat_map(round)).collect()
}

/// Puts pictures behind a message's words.
fn attach_pictures(message: &mut Value, pictures: &[SentPicture]) {
    if pictures.is_empty() {
        return;
    }
    let content = message["content"].take();
    let mut parts = match content {
        Value::Array(parts) => parts,
        words => vec![json!({"type": "text", "text": words})],
    };
    parts.extend(pictures.iter().map(|SentPicture { kind, bytes }| {
        let address = format!("data:image/{kind};base64,{}", STANDARD.encode(bytes));
        json!({"type": "image_url", "image_url": {"url": address}})
    }));
    message["content"] = Value::Array(parts);
}

fn round(round: &ToolRound) -> Vec<Value> {
    let calls: Vec<Value> = round
        .calls
        .iter()
        .map(|call| {
            json!({
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            })
        })
        .collect();
    let said = if round.said.is_empty() { Value::Null } else { Value::from(with_broken_tokens(&round.said)) };
    let asked = json!({"role": "assistant", "content": said, "tool_calls": calls});
    let results = round.results.iter().map(
        |result| json!({"role": "tool", "tool_call_id": result.call, "content": with_broken_tokens(&result.content)}),
    );
    std::iter::once(asked).chain(results).collect()
}

fn prompt_messages(
    messages: &[ChatMessage],
    model: &str,
    dialect: ServerDialect,
    marked: &[usize],
) -> Vec<Value> {
    let named = keeps_names(model, dialect);
    messages
        .iter()
        .enumerate()
        .map(|(position, message)| {
            // Whoever wrote it: a server that fills in a template would take a control token for one.
            let text = with_broken_tokens(&message.content);
            let content = if marked.contains(&position) {
                json!([{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}])
            } else {
                Value::from(text)
            };
            match &message.name {
                Some(name) if named && message.role != Role::System => {
                    json!({"role": message.role.as_str(), "name": name, "content": content})
                }
                _ => json!({"role": message.role.as_str(), "content": content}),
            }
        })
        .collect()
}

/// Through OpenRouter only some upstreams get to see `name`; the others refuse or drop it.
fn keeps_names(model: &str, dialect: ServerDialect) -> bool {
    match dialect {
        ServerDialect::OpenAi | ServerDialect::Compatible => true,
        ServerDialect::Local => false,
        ServerDialect::OpenRouter => {
            ["openai/", "deepseek/", "moonshotai/", "x-ai/"].iter().any(|vendor| model.starts_with(vendor))
        }
    }
}

/// Keeps one conversation on one upstream provider, so that its cache stays warm. The same for as long as the
/// conversation lasts, and nobody can tell from it which it is, since it is hashed with the installation's salt: 32 hexadecimal digits, far fewer than the 256
/// characters OpenRouter takes (memory 3.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionKey(String);

impl SessionKey {
    /// The key of a familiar's conversation in a channel.
    pub fn of(salt: &Salt, familiar: &FamiliarId, platform: Platform, channel: &ChannelId) -> Self {
        let words = format!("{familiar}/{}/{channel}", platform.as_str());
        Self::hashed(&[salt.as_bytes(), words.as_bytes()])
    }

    /// The key of something done about a conversation that must not move the conversation itself, such as a replay.
    pub fn beside(&self, what: &str) -> Self {
        Self::hashed(&[format!("{}/{what}", self.0).as_bytes()])
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn hashed(parts: &[&[u8]]) -> Self {
        let hash = parts.iter().fold(Sha256::new(), |hash, part| hash.chain_update(part)).finalize();
        Self(hex(&hash[..16]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ChannelId, FamiliarId, Platform, Salt, Slot, ToolCall, ToolResult};
    use crate::llm::SessionKey;

    fn settings() -> SlotConfig {
        SlotConfig {
            model: "z-ai/glm-5.1".into(),
            is_named: true,
            temperature: Some(0.7),
            fallbacks_are_named: true,
            ..SlotConfig::default()
        }
    }

    fn session() -> SessionKey {
        SessionKey::of(
            &Salt::new([0; 16]),
            &FamiliarId::new("mira").unwrap(),
            Platform::Terminal,
            &ChannelId::from(1),
        )
    }

    fn body(
        request: &CompletionRequest,
        settings: &SlotConfig,
        model: &str,
        dialect: ServerDialect,
    ) -> Value {
        super::body(request, settings, model, dialect, &[])
    }

    fn request(messages: Vec<ChatMessage>) -> CompletionRequest {
        CompletionRequest {
            max_tokens: Some(300),
            stop: vec!["\nAda:".into()],
            session: Some(session()),
            ..CompletionRequest::new(Slot::MainProse, messages)
        }
    }

    fn hello() -> CompletionRequest {
        let mut user = ChatMessage::new(Role::User, "Hi");
        user.name = Some("Ada".into());
        request(vec![ChatMessage::new(Role::System, "Be Mira."), user])
    }

    #[test]
    fn openrouter_gets_its_extras() {
        let pinned = SlotConfig {
            provider_order: vec!["Z.AI".into()],
            reasoning: Some(ReasoningEffort::Off),
            max_tokens: Some(200),
            ..settings()
        };
        assert_eq!(
            body(&hello(), &pinned, "z-ai/glm-5.1", ServerDialect::OpenRouter),
            json!({
                "model": "z-ai/glm-5.1",
                "messages": [
                    {"role": "system", "content": "Be Mira."},
                    {"role": "user", "content": "Hi"},
                ],
                "stream": true,
                "stream_options": {"include_usage": true},
                "temperature": 0.7,
                "max_tokens": 200,
                "stop": ["\nAda:"],
                "reasoning": {"enabled": false},
                "provider": {"only": ["Z.AI"]},
                "usage": {"include": true},
                "session_id": session().as_str(),
            })
        );
    }

    #[test]
    fn pictures_stand_behind_the_words_of_the_last_message() {
        let picture = SentPicture { kind: "png", bytes: [1, 2, 3].into() };
        let request = CompletionRequest { pictures: vec![picture], ..hello() };
        let body = body(&request, &settings(), "llama", ServerDialect::Local);
        let shown = json!([
            {"type": "text", "text": "Hi"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AQID"}},
        ]);
        assert_eq!(body["messages"][1]["content"], shown);
        assert_eq!(body["messages"][0]["content"], "Be Mira.");
        assert!(!format!("{request:?}").contains("[1, 2, 3]"), "no log has it");
    }

    #[test]
    fn a_local_server_gets_the_common_fields_only() {
        let pinned = SlotConfig { provider_order: vec!["x".into()], ..settings() };
        let body = body(&hello(), &pinned, "llama", ServerDialect::Local);
        let keys: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            ["model", "messages", "stream", "stream_options", "temperature", "max_tokens", "stop"]
        );
        assert_eq!(body["messages"][1], json!({"role": "user", "content": "Hi"}));
    }

    #[test]
    fn openai_gets_its_newer_names() {
        let thinking = SlotConfig { reasoning: Some(ReasoningEffort::High), ..settings() };
        let body = body(&hello(), &thinking, "gpt-5", ServerDialect::OpenAi);
        assert_eq!(body["max_completion_tokens"], 300);
        assert_eq!(body["reasoning_effort"], "high");
        assert_eq!(body["messages"][1]["name"], "Ada");
        assert!(body.get("max_tokens").is_none() && body.get("session_id").is_none());
    }

    #[test]
    fn tools_and_what_they_gave_are_sent_behind_the_prompt() {
        let call = ToolCall { id: "c1".into(), name: "dice".into(), arguments: "{}".into() };
        let result = ToolResult { call: "c1".into(), content: "1d6: 4".into(), failed: false };
        let request = CompletionRequest {
            tools: vec![ToolSpec {
                name: "dice".into(),
                description: "Throws.".into(),
                parameters: json!({"type": "object"}),
            }],
            rounds: vec![ToolRound { said: String::new(), calls: vec![call], results: vec![result] }],
            ..hello()
        };
        let body = body(&request, &settings(), "z-ai/glm-5.1", ServerDialect::OpenRouter);
        assert!(body.get("tool_choice").is_none());
        let last = CompletionRequest { tool_choice: ToolChoice::Answer, ..request };
        let refused = self::body(&last, &settings(), "z-ai/glm-5.1", ServerDialect::OpenRouter);
        assert_eq!(refused["tool_choice"], "none");
        assert_eq!(
            body["tools"],
            json!([{"type": "function", "function": {
                "name": "dice", "description": "Throws.", "parameters": {"type": "object"}}}])
        );
        assert_eq!(
            body["messages"].as_array().unwrap()[2..],
            [
                json!({"role": "assistant", "content": null, "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "dice", "arguments": "{}"}}]}),
                json!({"role": "tool", "tool_call_id": "c1", "content": "1d6: 4"}),
            ]
        );
    }

    #[test]
    fn parameters_are_the_body_without_messages() {
        let parameters = parameters(&hello(), &settings(), "m", ServerDialect::OpenRouter);
        assert!(parameters.get("messages").is_none());
        assert_eq!(parameters["temperature"], 0.7);
    }

    #[test]
    fn a_marked_message_becomes_parts_and_keeps_its_words() {
        let body =
            super::body(&hello(), &settings(), "anthropic/claude-opus-4.8", ServerDialect::OpenRouter, &[0]);
        let part = json!({"type": "text", "text": "Be Mira.", "cache_control": {"type": "ephemeral"}});
        assert_eq!(body["messages"][0], json!({"role": "system", "content": [part]}));
        assert_eq!(body["messages"][1]["content"], "Hi");
    }

    #[test]
    fn openai_is_told_the_conversation_wherever_it_is_asked() {
        let key = session();
        let direct = body(&hello(), &settings(), "gpt-5", ServerDialect::OpenAi);
        assert_eq!(direct["prompt_cache_key"], key.as_str());
        let relayed = body(&hello(), &settings(), "openai/gpt-5", ServerDialect::OpenRouter);
        assert_eq!(
            (&relayed["prompt_cache_key"], &relayed["session_id"]),
            (&key.as_str().into(), &key.as_str().into())
        );
        let other = body(&hello(), &settings(), "z-ai/glm-5.1", ServerDialect::OpenRouter);
        assert!(other.get("prompt_cache_key").is_none());
    }
}

#[cfg(test)]
mod session_key_tests {
    use super::*;

    fn key(familiar: &str, channel: &str) -> SessionKey {
        let familiar = FamiliarId::new(familiar).unwrap();
        SessionKey::of(&Salt::new([7; 16]), &familiar, Platform::Discord, &ChannelId::new(channel).unwrap())
    }

    #[test]
    fn a_key_is_constant_its_own_and_tells_nothing() {
        let here = key("mika", "123456789012345678");
        assert_eq!(here, key("mika", "123456789012345678"));
        let others = [key("mira", "123456789012345678"), key("mika", "2"), here.beside("replay")];
        assert!(others.iter().all(|other| *other != here));
        let elsewhere = |salt| {
            let (familiar, channel) =
                (FamiliarId::new("mika").unwrap(), ChannelId::from(123_456_789_012_345_678));
            SessionKey::of(&Salt::new(salt), &familiar, Platform::Discord, &channel)
        };
        assert_eq!(elsewhere([7; 16]), here);
        assert_ne!(elsewhere([8; 16]), here, "another installation's says nothing of this one");
        assert_eq!(here.as_str().len(), 32);
        assert!(here.as_str().chars().all(|letter| letter.is_ascii_hexdigit()));
    }
}
