//! The cache rules of every provider family, checked on requests as they came over the wire (memory 3.1).
//!
//! Knows nothing of how the program places its markers: the figures here are the specification's, read a second time.
//! Start reading at [`broken`]; [`ProviderCache`] plays the cache itself.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use familiar_connect::text::tokens;
use serde_json::Value;

use super::ChatRequest;

/// Anthropic looks back about this many blocks from each marker.
const LOOKBACK: usize = 20;

/// How a provider caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Explicit markers, up to four, each with a lookback.
    Anthropic,
    /// Explicit marker, the last one only; the system instruction cannot change.
    Gemini,
    /// By itself, from 1,024 tokens, kept together by `prompt_cache_key`.
    OpenAi,
    /// By itself.
    Automatic,
    /// No cache that a request could speak to: a server of one's own.
    Own,
}

impl Family {
    /// By the model asked for and the path it came to.
    pub fn of(request: &ChatRequest) -> Self {
        let model = request.model();
        let relayed = request.path.starts_with("/api/");
        match model.split_once('/') {
            Some(("anthropic", _)) => Self::Anthropic,
            Some(("google", _)) => Self::Gemini,
            Some(("openai", _)) if relayed => Self::OpenAi,
            Some(_) if relayed => Self::Automatic,
            _ => Self::Own,
        }
    }

    /// The shortest beginning a model keeps, in tokens.
    pub fn minimum(self, model: &str) -> u32 {
        let has = |parts: &[&str]| parts.iter().any(|part| model.contains(part));
        match self {
            Self::Anthropic if has(&["3.5-haiku"]) => 2_048,
            Self::Anthropic if has(&["sonnet-4", "opus-4.1"]) || model.ends_with("opus-4") => 1_024,
            Self::Anthropic => 4_096,
            Self::Gemini if has(&["flash"]) => 1_024,
            Self::Gemini => 4_096,
            Self::OpenAi => 1_024,
            Self::Automatic | Self::Own => 0,
        }
    }
}

/// A block as a provider sees it: who, what, and whether it is marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub words: String,
    pub role: String,
    pub marked: Option<String>,
    pub tokens: u32,
}

/// The blocks of a request, tools first, as providers order them.
pub fn blocks(body: &Value) -> Vec<Block> {
    let encoding = tokens::encoding_for_model(body["model"].as_str().unwrap_or_default());
    let block = |role: &str, words: String, marked| {
        let tokens = tokens::count(encoding, &words);
        Block { words, role: role.to_owned(), marked, tokens }
    };
    let tools = body["tools"].as_array().into_iter().flatten();
    let mut all: Vec<Block> = tools.map(|tool| block("tool", tool.to_string(), ttl(tool))).collect();
    for message in body["messages"].as_array().into_iter().flatten() {
        let named = message.get("name").and_then(Value::as_str).unwrap_or_default();
        let role = format!("{} {named}", message["role"].as_str().unwrap_or_default());
        let called = message.get("tool_calls").map(Value::to_string).unwrap_or_default();
        match &message["content"] {
            Value::Array(parts) => all.extend(parts.iter().map(|part| {
                block(role.trim(), part["text"].as_str().unwrap_or_default().to_owned() + &called, ttl(part))
            })),
            content => {
                let words = content.as_str().unwrap_or_default().to_owned() + &called;
                all.push(block(role.trim(), words, None));
            }
        }
    }
    all
}

fn ttl(part: &Value) -> Option<String> {
    let control = part.get("cache_control")?;
    Some(control["ttl"].as_str().unwrap_or("5m").to_owned())
}

fn markers(blocks: &[Block]) -> Vec<usize> {
    (0..blocks.len()).filter(|at| blocks[*at].marked.is_some()).collect()
}

fn size(blocks: &[Block]) -> u32 {
    blocks.iter().map(|block| block.tokens).sum()
}

/// One recorded request of one job of one conversation.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub request: ChatRequest,
    pub blocks: Vec<Block>,
    /// Before this request the history was cut, a summary was made or the like.
    pub cut: bool,
}

impl Recorded {
    /// As it came.
    pub fn new(request: ChatRequest) -> Self {
        Self { blocks: blocks(&request.body), request, cut: false }
    }

    /// The newest block that is marked.
    pub fn newest(&self) -> Option<usize> {
        markers(&self.blocks).last().copied()
    }

    /// Tokens of everything up to and with a block.
    pub fn up_to(&self, at: usize) -> u32 {
        size(&self.blocks[..=at])
    }

    /// How many blocks another request begins with as this one does.
    pub fn common(&self, other: &Self) -> usize {
        let same = |(a, b): &(&Block, &Block)| a.words == b.words && a.role == b.role;
        self.blocks.iter().zip(&other.blocks).take_while(same).count()
    }
}

/// Every rule that a conversation's requests break, in their order. `volatile` are words that may stand behind the last
/// marker only, `private` ones that no key may hold.
pub fn broken(recorded: &[Recorded], volatile: &[&str], private: &[&str]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (at, one) in recorded.iter().enumerate() {
        let mut say = |what: String| wrong.push(format!("request {at} ({}): {what}", one.request.model()));
        alone(one, volatile, private, &mut say);
        if let Some(before) = at.checked_sub(1).map(|before| &recorded[before]) {
            if key(&before.request) != key(&one.request) {
                say("the conversation has another key than before".to_owned());
            }
            if !one.cut {
                after(before, one, &mut say);
            }
        }
    }
    wrong
}

fn key(request: &ChatRequest) -> (&Value, &Value) {
    (&request.body["session_id"], &request.body["prompt_cache_key"])
}

/// What one request shows by itself.
fn alone(one: &Recorded, volatile: &[&str], private: &[&str], say: &mut dyn FnMut(String)) {
    let Recorded { request, blocks, .. } = one;
    let family = Family::of(request);
    let marked = markers(blocks);
    let most = match family {
        Family::Anthropic => 4,
        Family::Gemini => 1,
        Family::OpenAi | Family::Automatic | Family::Own => 0,
    };
    let written = request.body.to_string().matches("\"cache_control\"").count();
    if written > most {
        say(format!("{written} cache markers where {most} are taken"));
    }
    if written != marked.len() {
        say("a cache marker stands where no block is".to_owned());
    }
    let minimum = family.minimum(request.model());
    for at in &marked {
        let prefix = one.up_to(*at);
        if prefix < minimum {
            say(format!("block {at} is marked after {prefix} of {minimum} tokens"));
        }
        if blocks[*at].words.is_empty() {
            say(format!("block {at} is marked and empty"));
        }
    }
    let ttls: Vec<&str> = marked.iter().filter_map(|at| blocks[*at].marked.as_deref()).collect();
    if !ttls.is_sorted_by_key(|ttl| *ttl != "1h") {
        say(format!("a marker of an hour stands behind one of five minutes: {ttls:?}"));
    }
    if let Some(last) = marked.last() {
        let before: Vec<&str> = blocks[..=*last].iter().map(|block| block.words.as_str()).collect();
        for words in volatile.iter().copied().chain([TAIL]) {
            if before.iter().any(|block| block.contains(words)) {
                say(format!("{words:?} stands before the last marker"));
            }
        }
        let follows = blocks[last + 1..].iter().any(|block| block.role.starts_with("user"));
        if family == Family::Gemini && !follows {
            say("no later message of a person holds what changes".to_owned());
        }
    }
    keys(request, family, private, say);
    if !request.body["provider"]["order"].is_null() {
        say("provider.order switches sticky routing off".to_owned());
    }
}

/// How the message with what changes begins.
const TAIL: &str = "For this reply; nobody said this just now";

fn keys(request: &ChatRequest, family: Family, private: &[&str], say: &mut dyn FnMut(String)) {
    let relayed = request.path.starts_with("/api/");
    let direct = request.body.get("prompt_cache_key").is_some();
    match request.body.get("session_id").map(|key| key.as_str().unwrap_or_default()) {
        None if relayed => say("no session_id".to_owned()),
        Some(_) if !relayed => say("a session_id where nobody knows it".to_owned()),
        Some(key) if key.is_empty() || key.chars().count() > 256 => {
            say(format!("a session_id of {} characters", key.chars().count()));
        }
        Some(key) => {
            for words in private.iter().filter(|words| key.contains(**words)) {
                say(format!("the session_id holds {words:?}"));
            }
        }
        None => {}
    }
    if direct != (family == Family::OpenAi) {
        say(format!("prompt_cache_key is {}", if direct { "sent to a stranger" } else { "missing" }));
    }
}

/// What a request owes to the one before it.
fn after(before: &Recorded, now: &Recorded, say: &mut dyn FnMut(String)) {
    let family = Family::of(&now.request);
    let has = markers(&now.blocks);
    let common = before.common(now);
    let Some(newest) = before.newest() else { return };
    if common <= newest {
        let words = |of: &Recorded| {
            of.blocks.get(common).map(|block| block.words.chars().take(120).collect::<String>())
        };
        say(format!(
            "block {common} changed, which was marked as coming again (up to {newest}): {:?} is {:?}",
            words(before),
            words(now)
        ));
        return;
    }
    let found = |at: &usize| (at.saturating_sub(LOOKBACK)..=*at).contains(&newest);
    if family == Family::Anthropic && !has.iter().any(found) {
        say(format!("no marker of {has:?} finds the one at {newest}"));
    }
    let instructions = |blocks: &[Block]| -> Vec<String> {
        blocks.iter().filter(|block| block.role.starts_with("system")).map(|b| b.words.clone()).collect()
    };
    if family == Family::Gemini && instructions(&before.blocks) != instructions(&now.blocks) {
        say("the system instruction changed".to_owned());
    }
}

/// A provider's cache, for one conversation: what of a request it reads and what it writes.
#[derive(Debug, Default)]
pub struct ProviderCache {
    kept: HashSet<u64>,
}

/// What the cache made of a request, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Served {
    pub prompt: u32,
    pub cached: u32,
    pub written: u32,
}

impl ProviderCache {
    /// Serves a request by the rules of its family.
    pub fn serve(&mut self, one: &Recorded) -> Served {
        let Recorded { request, blocks, .. } = one;
        let family = Family::of(request);
        let around = u32::try_from(request.messages().len() * 4).unwrap();
        let prefix: Vec<u64> = hashes(blocks, request.model());
        let minimum = family.minimum(request.model());
        let ends: Vec<usize> = match family {
            Family::Anthropic => markers(blocks),
            Family::Gemini => markers(blocks).last().copied().into_iter().collect(),
            Family::OpenAi | Family::Automatic | Family::Own => (0..blocks.len()).collect(),
        };
        let long: Vec<usize> = ends.into_iter().filter(|at| one.up_to(*at) >= minimum).collect();
        let back = if family == Family::Anthropic { LOOKBACK } else { 0 };
        let hit = long
            .iter()
            .flat_map(|at| at.saturating_sub(back)..=*at)
            .filter(|at| self.kept.contains(&prefix[*at]))
            .max();
        self.kept.extend(long.iter().map(|at| prefix[*at]));
        let cached = hit.map_or(0, |at| one.up_to(at));
        let reached = long.last().map_or(0, |at| one.up_to(*at));
        Served { prompt: size(blocks) + around, cached, written: reached.saturating_sub(cached) }
    }
}

fn hashes(blocks: &[Block], model: &str) -> Vec<u64> {
    let mut hasher = DefaultHasher::new();
    model.hash(&mut hasher);
    let mut all = Vec::new();
    for block in blocks {
        (&block.role, &block.words).hash(&mut hasher);
        all.push(hasher.finish());
    }
    all
}
