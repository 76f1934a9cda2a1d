//! The validator finds every rule that is broken: a request that keeps them all, and one broken rule at a time.

use serde_json::{Value, json};

use crate::support::provider::ChatRequest;
use crate::support::provider::cache_rules::{ProviderCache, Recorded, broken};

const KEY: &str = "0123456789abcdef0123456789abcdef";

fn marked(role: &str, words: &str) -> Value {
    json!({"role": role, "content": [
        {"type": "text", "text": words, "cache_control": {"type": "ephemeral"}}]})
}

fn plain(role: &str, words: &str) -> Value {
    json!({"role": role, "content": words})
}

/// More than the minimum of every family.
fn card() -> String {
    "The ferry keeps its own time and asks for nothing. ".repeat(600)
}

fn body(model: &str, messages: Vec<Value>) -> Value {
    json!({"model": model, "messages": messages, "session_id": KEY})
}

/// A request that keeps Anthropic's rules, with `lines` of chat.
fn claude(lines: usize) -> Value {
    let mut messages = vec![marked("system", &card())];
    messages.extend((1..lines).map(|line| plain("user", &format!("line {line}"))));
    messages.push(marked("user", &format!("line {lines}")));
    messages.push(plain("user", "⟦fc: For this reply; nobody said this just now⟧\nNow: noon"));
    messages.push(plain("system", "Stay on the ferry."));
    body("anthropic/claude-haiku-4.5", messages)
}

fn gemini(obligations: &str) -> Value {
    let messages = vec![
        marked("system", &card()),
        plain("user", "hello"),
        plain("user", "⟦fc: For this reply; nobody said this just now⟧\nNow: noon"),
        plain("system", obligations),
    ];
    body("google/gemini-2.5-pro", messages)
}

fn openai() -> Value {
    let mut body = body("openai/gpt-5", vec![plain("system", &card()), plain("user", "hello")]);
    body["prompt_cache_key"] = KEY.into();
    body
}

fn said_of(bodies: &[Value], cut: bool) -> Vec<String> {
    said_at("/api/v1/chat/completions", bodies, cut)
}

fn said_at(path: &str, bodies: &[Value], cut: bool) -> Vec<String> {
    let recorded: Vec<Recorded> = bodies
        .iter()
        .map(|body| Recorded { cut, ..Recorded::new(ChatRequest::made_up(path, body.clone())) })
        .collect();
    broken(&recorded, &["Stay on the ferry."], &["alice"])
}

#[track_caller]
fn finds(bodies: &[Value], what: &str) {
    let said = said_of(bodies, false);
    assert!(said.iter().any(|line| line.contains(what)), "{what:?} is not in {said:#?}");
}

fn with(mut body: Value, change: impl FnOnce(&mut Value)) -> Value {
    change(&mut body);
    body
}

#[test]
fn what_keeps_the_rules_passes() {
    assert_eq!(said_of(&[claude(3), claude(9), claude(29)], false), [""; 0]);
    assert_eq!(said_of(&[gemini("Stay."), gemini("Stay.")], false), [""; 0]);
    assert_eq!(said_of(&[openai(), openai()], false), [""; 0]);
    let own = with(claude(3), |body| {
        *body = json!({"model": "own", "messages": [plain("system", "hi")]});
    });
    assert_eq!(said_at("/v1/chat/completions", &[own], false), [""; 0]);
}

#[test]
fn markers_in_the_wrong_number_or_place_are_found() {
    let five = with(claude(3), |body| {
        let messages = body["messages"].as_array_mut().unwrap();
        for line in 0..3 {
            messages.insert(1, marked("user", &format!("more {line}")));
        }
    });
    finds(&[five], "5 cache markers where 4 are taken");
    let two = with(gemini("Stay."), |body| body["messages"][1] = marked("user", "hello"));
    finds(&[two], "2 cache markers where 1 are taken");
    let refused = with(openai(), |body| body["messages"][0] = marked("system", &card()));
    finds(&[refused], "1 cache markers where 0 are taken");
    let automatic = with(openai(), |body| {
        body["model"] = "deepseek/deepseek-v3.2".into();
        body["messages"][0] = marked("system", &card());
    });
    finds(&[automatic], "1 cache markers where 0 are taken");
    let top_level = with(claude(3), |body| body["cache_control"] = json!({"type": "ephemeral"}));
    finds(&[top_level], "stands where no block is");
    let empty = with(claude(3), |body| body["messages"][2] = marked("user", ""));
    finds(&[empty], "marked and empty");
}

#[test]
fn a_marker_on_too_few_tokens_is_found() {
    let short = with(claude(3), |body| body["messages"][0] = marked("system", "Be Mika."));
    finds(&[short], "of 4096 tokens");
}

#[test]
fn lifetimes_in_the_wrong_order_are_found() {
    let hour = |body: &mut Value, at: usize| {
        body["messages"][at]["content"][0]["cache_control"]["ttl"] = "1h".into();
    };
    finds(&[with(claude(3), |body| hour(body, 3))], "behind one of five minutes");
    assert_eq!(said_of(&[with(claude(3), |body| hour(body, 0))], false), [""; 0]);
}

#[test]
fn what_changes_before_the_last_marker_is_found() {
    let tail = with(claude(3), |body| {
        let words = body["messages"][4]["content"].as_str().unwrap().to_owned();
        body["messages"][4] = marked("user", &words);
    });
    finds(&[tail], "For this reply; nobody said this just now\" stands before the last marker");
    let obligations = with(claude(3), |body| body["messages"][5] = marked("system", "Stay on the ferry."));
    finds(&[obligations], "\"Stay on the ferry.\" stands before the last marker");
    let clock = |time: &str| {
        with(claude(3), |body| body["messages"][0] = marked("system", &format!("It is {time}. {}", card())))
    };
    finds(&[clock("12:00"), clock("12:01")], "block 0 changed, which was marked");
    let tools = with(claude(3), |body| body["tools"] = json!([{"type": "function"}]));
    finds(&[claude(3), tools], "block 0 changed, which was marked");
    assert_eq!(said_of(&[clock("12:00"), clock("12:01")], true), [""; 0], "a declared cut may");
}

#[test]
fn a_marker_that_no_longer_finds_the_last_one_is_found() {
    finds(&[claude(3), claude(40)], "finds the one at 3");
}

#[test]
fn geminis_tail_rule_is_checked() {
    finds(&[gemini("Stay."), gemini("Go.")], "the system instruction changed");
    let nothing_follows = with(gemini("Stay."), |body| {
        body["messages"].as_array_mut().unwrap().truncate(1);
    });
    finds(&[nothing_follows], "no later message of a person");
}

#[test]
fn keys_and_routing_are_checked() {
    let key = |key: Value| with(claude(3), |body| body["session_id"] = key);
    let gone = with(claude(3), |body| {
        body.as_object_mut().unwrap().remove("session_id");
    });
    finds(&[gone], "no session_id");
    finds(&[key("x".repeat(257).into())], "a session_id of 257 characters");
    finds(&[key("".into())], "a session_id of 0 characters");
    finds(&[key("alice-1".into())], "holds \"alice\"");
    finds(&[claude(3), key("another".into())], "another key than before");
    let stranger = with(claude(3), |body| body["prompt_cache_key"] = KEY.into());
    finds(&[stranger], "sent to a stranger");
    let missing = with(openai(), |body| {
        body.as_object_mut().unwrap().remove("prompt_cache_key");
    });
    finds(&[missing], "prompt_cache_key is missing");
    let ordered = with(claude(3), |body| body["provider"] = json!({"order": ["x"]}));
    finds(&[ordered], "provider.order");
    let own = json!({"model": "own", "messages": [plain("user", "hi")], "session_id": KEY});
    let said = said_at("/v1/chat/completions", &[own], false);
    assert!(said[0].contains("where nobody knows it"), "{said:?}");
}

#[test]
fn the_cache_reads_what_it_wrote_and_nothing_else() {
    let mut cache = ProviderCache::default();
    let mut serve = |body: Value| {
        let served = cache.serve(&Recorded::new(ChatRequest::made_up("/api/v1/chat/completions", body)));
        (served.cached, served.written)
    };
    let (none, first) = serve(claude(3));
    assert_eq!(none, 0);
    assert_eq!(serve(claude(3)), (first, 0), "the same again");
    let (read, written) = serve(claude(5));
    assert_eq!(read, first, "found from behind");
    assert!(written > 0 && written < 20);
    let far = serve(claude(60)).0;
    assert!(far > 0 && far < read, "only the stable block: the rest is too far back");
}
