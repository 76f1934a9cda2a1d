//! The body of a request, with exactly the fields its receiver understands.

use serde_json::{Map, Value, json};

use super::endpoint::Dialect;
use super::{CompletionRequest, ToolChoice};
use crate::config::{ReasoningEffort, SlotConfig};
use crate::domain::{ChatMessage, Role, ToolRound, ToolSpec};

/// OpenRouter accepts session ids up to this long (specs memory 3.1).
const SESSION_CHARS: usize = 256;

/// Anthropic takes up to four explicit cache markers (specs memory 3.1).
const MAX_BREAKPOINTS: usize = 4;

/// Characters per token, low, so that a prefix near the minimum still gets its marker.
const CHARS_PER_TOKEN: usize = 3;

/// Builds the JSON body that asks `model` to continue.
pub(crate) fn body(
    request: &CompletionRequest,
    settings: &SlotConfig,
    model: &str,
    dialect: Dialect,
) -> Value {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    put("model", model.into());
    put("messages", messages(request, model, dialect));
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
    // The job asks, the operator's limit wins where it is lower.
    let limit = [request.max_tokens, settings.max_tokens].into_iter().flatten().min();
    if let Some(limit) = limit {
        // OpenAI's reasoning models refuse the older name.
        let key = if dialect == Dialect::OpenAi { "max_completion_tokens" } else { "max_tokens" };
        put(key, limit.into());
    }
    if !request.stop.is_empty() {
        put("stop", request.stop.clone().into());
    }
    match (settings.reasoning, dialect) {
        (None, _) => {}
        (Some(ReasoningEffort::Off), Dialect::OpenRouter) => put("reasoning", json!({"enabled": false})),
        (Some(effort), Dialect::OpenRouter) => put("reasoning", json!({"effort": effort.as_str()})),
        (Some(ReasoningEffort::Off), _) => put("reasoning_effort", "none".into()),
        (Some(effort), _) => put("reasoning_effort", effort.as_str().into()),
    }
    if !settings.provider_order.is_empty() && matches!(dialect, Dialect::OpenRouter | Dialect::Compatible) {
        put("provider", json!({"order": settings.provider_order, "allow_fallbacks": false}));
    }
    if dialect == Dialect::OpenRouter {
        put("usage", json!({"include": true}));
        if let Some(session) = &request.session {
            put("session_id", session.chars().take(SESSION_CHARS).collect::<String>().into());
        }
    }
    Value::Object(body)
}

/// The body without its messages: what a trace shows as parameters.
pub(crate) fn parameters(
    request: &CompletionRequest,
    settings: &SlotConfig,
    model: &str,
    dialect: Dialect,
) -> Value {
    let bare = CompletionRequest { messages: Vec::new(), rounds: Vec::new(), ..request.clone() };
    let mut body = body(&bare, settings, model, dialect);
    if let Some(body) = body.as_object_mut() {
        body.shift_remove("messages");
    }
    body
}

fn tool(spec: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {"name": spec.name, "description": spec.description, "parameters": spec.parameters},
    })
}

/// The prompt, and behind it what was called and what came back.
fn messages(request: &CompletionRequest, model: &str, dialect: Dialect) -> Value {
    let prompt = prompt(&request.messages, model, dialect);
    prompt.into_iter().chain(request.rounds.iter().flat_map(round)).collect()
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
    let said = if round.said.is_empty() { Value::Null } else { Value::from(round.said.as_str()) };
    let asked = json!({"role": "assistant", "content": said, "tool_calls": calls});
    let results = round
        .results
        .iter()
        .map(|result| json!({"role": "tool", "tool_call_id": result.call, "content": result.content}));
    std::iter::once(asked).chain(results).collect()
}

fn prompt(messages: &[ChatMessage], model: &str, dialect: Dialect) -> Vec<Value> {
    let marked = breakpoints(messages, model, dialect);
    let named = keeps_names(model, dialect);
    messages
        .iter()
        .enumerate()
        .map(|(position, message)| {
            let content = if marked.contains(&position) {
                json!([{"type": "text", "text": message.content, "cache_control": {"type": "ephemeral"}}])
            } else {
                Value::from(message.content.as_str())
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

/// Which messages get an explicit cache marker: the last ones marked by the prompt's layout, where the provider
/// wants markers and the prefix is long enough to be cached at all.
fn breakpoints(messages: &[ChatMessage], model: &str, dialect: Dialect) -> Vec<usize> {
    // A relay that knows a model by OpenRouter's name wants OpenRouter's markers.
    let relays = matches!(dialect, Dialect::OpenRouter | Dialect::Compatible);
    let Some((minimum, most)) = explicit_caching(model).filter(|_| relays) else {
        return Vec::new();
    };
    let mut prefix_chars = 0;
    let mut found = Vec::new();
    for (position, message) in messages.iter().enumerate() {
        prefix_chars += message.content.chars().count();
        if message.cache_breakpoint
            && !message.content.is_empty()
            && prefix_chars >= minimum * CHARS_PER_TOKEN
        {
            found.push(position);
        }
    }
    found.split_off(found.len().saturating_sub(most))
}

/// The shortest prefix a model caches, in tokens, and how many markers count (specs memory 3.1).
fn explicit_caching(model: &str) -> Option<(usize, usize)> {
    let name = model.trim_start_matches('~');
    if let Some(claude) = name.strip_prefix("anthropic/") {
        let minimum = if claude.contains("3.5-haiku") || claude.contains("3-haiku") {
            2_048
        } else if claude.contains("sonnet") || claude.ends_with("opus-4") || claude.contains("opus-4.1") {
            1_024
        } else {
            4_096
        };
        return Some((minimum, MAX_BREAKPOINTS));
    }
    // Of several markers only the last counts with Gemini.
    let gemini = name.strip_prefix("google/gemini")?;
    Some((if gemini.contains("flash") { 1_024 } else { 4_096 }, 1))
}

/// Through OpenRouter only some upstreams get to see `name`; the others refuse or drop it.
fn keeps_names(model: &str, dialect: Dialect) -> bool {
    match dialect {
        Dialect::OpenAi | Dialect::Compatible => true,
        Dialect::Local => false,
        Dialect::OpenRouter => {
            ["openai/", "deepseek/", "moonshotai/", "x-ai/"].iter().any(|vendor| model.starts_with(vendor))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Slot, ToolCall, ToolResult};

    fn settings() -> SlotConfig {
        SlotConfig {
            model: "z-ai/glm-5.1".into(),
            temperature: Some(0.7),
            fallbacks: vec![],
            provider_order: vec![],
            max_tokens: None,
            context_window: None,
            reasoning: None,
        }
    }

    fn request(messages: Vec<ChatMessage>) -> CompletionRequest {
        CompletionRequest {
            slot: Slot::MainProse,
            messages,
            max_tokens: Some(300),
            stop: vec!["\nAda:".into()],
            session: Some("c1".into()),
            tools: vec![],
            rounds: vec![],
            tool_choice: ToolChoice::Auto,
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
            body(&hello(), &pinned, "z-ai/glm-5.1", Dialect::OpenRouter),
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
                "provider": {"order": ["Z.AI"], "allow_fallbacks": false},
                "usage": {"include": true},
                "session_id": "c1",
            })
        );
    }

    #[test]
    fn a_local_server_gets_the_common_fields_only() {
        let pinned = SlotConfig { provider_order: vec!["x".into()], ..settings() };
        let body = body(&hello(), &pinned, "llama", Dialect::Local);
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
        let body = body(&hello(), &thinking, "gpt-5", Dialect::OpenAi);
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
        let body = body(&request, &settings(), "z-ai/glm-5.1", Dialect::OpenRouter);
        assert!(body.get("tool_choice").is_none());
        let last = CompletionRequest { tool_choice: ToolChoice::Answer, ..request };
        let refused = super::body(&last, &settings(), "z-ai/glm-5.1", Dialect::OpenRouter);
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
        let parameters = parameters(&hello(), &settings(), "m", Dialect::OpenRouter);
        assert!(parameters.get("messages").is_none());
        assert_eq!(parameters["temperature"], 0.7);
    }

    fn marked(lengths: &[usize]) -> Vec<ChatMessage> {
        lengths
            .iter()
            .map(|length| ChatMessage {
                cache_breakpoint: true,
                ..ChatMessage::new(Role::User, "x".repeat(*length))
            })
            .collect()
    }

    #[test]
    fn cache_markers_stand_where_the_provider_wants_them() {
        let place =
            |model: &str, lengths: &[usize]| breakpoints(&marked(lengths), model, Dialect::OpenRouter);
        assert_eq!(place("anthropic/claude-sonnet-4.6", &[3_100, 10, 10]), [0, 1, 2]);
        assert_eq!(place("anthropic/claude-sonnet-4.6", &[3_000, 100, 10]), [1, 2], "too short to be cached");
        assert_eq!(place("anthropic/claude-haiku-4.5", &[3_100, 10_000]), [1]);
        assert_eq!(
            place("anthropic/claude-opus-4.8", &[20_000, 1, 1, 1, 1, 1]),
            [2, 3, 4, 5],
            "four at most"
        );
        assert_eq!(place("google/gemini-3-flash-preview", &[9_000, 1, 1]), [2], "only the last counts");
        assert_eq!(place("z-ai/glm-5.1", &[90_000]), [0usize; 0], "caches by itself");
        assert_eq!(breakpoints(&marked(&[90_000]), "anthropic/claude-opus-4", Dialect::Local), [0usize; 0]);
    }

    #[test]
    fn a_marked_message_becomes_parts_and_keeps_its_words() {
        let request = request(marked(&[20_000]));
        let body = body(&request, &settings(), "anthropic/claude-opus-4.8", Dialect::OpenRouter);
        let part = &body["messages"][0]["content"][0];
        assert_eq!(part["text"], "x".repeat(20_000));
        assert_eq!(part["cache_control"], json!({"type": "ephemeral"}));
    }

    #[test]
    fn long_session_ids_are_cut_to_what_is_accepted() {
        let mut request = hello();
        request.session = Some("é".repeat(400));
        let body = body(&request, &settings(), "m", Dialect::OpenRouter);
        assert_eq!(body["session_id"].as_str().unwrap().chars().count(), SESSION_CHARS);
    }
}
