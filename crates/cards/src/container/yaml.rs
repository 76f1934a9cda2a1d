//! YAML characters of text-generation-webui. Anchors and aliases have no use in a card and are capped low, since
//! they are how a small file becomes a large one.

use serde_json::Value;

use crate::payload;
use crate::refusal::{Limit, Refusal, RefusalKind};

/// Parses YAML text into the JSON it stands for.
pub(super) fn parse(bytes: &[u8], warnings: &mut Vec<String>) -> Result<Value, Refusal> {
    if bytes.contains(&0) {
        return Err(Refusal::new(
            RefusalKind::NotACard,
            "this is no character card: one is a PNG, JSON, CHARX, JPEG, WEBP or YAML file",
        )
        .at(0));
    }
    if Limit::CardJson.exceeded_by(bytes.len()) {
        return Err(Refusal::limit(
            Limit::CardJson,
            format!("the card's text is {} bytes long", bytes.len()),
        )
        .at(Limit::CardJson.value()));
    }
    let text = payload::decode_text(bytes, warnings);
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 64,
            flow_nesting_limit: 64,
            max_nodes: 50_000,
            max_events: 200_000,
            max_aliases: 100,
            max_anchors: 100,
            max_documents: 1,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 10_000,
            max_replay_stack_depth: 16,
            max_alias_expansions_per_anchor: 100,
        },
        strict_booleans: true,
        with_snippet: false,
    };
    match serde_saphyr::from_str_with_options::<Value>(&text, options) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(Refusal::new(
            RefusalKind::NotACard,
            "this is no character card: one is a PNG, JSON, CHARX, JPEG, WEBP or YAML file",
        )
        .at(0)),
        Err(error) => Err(refusal(&error)),
    }
}

fn refusal(error: &serde_saphyr::Error) -> Refusal {
    let message = error.to_string();
    let first = message.lines().next().unwrap_or_default();
    let lower = message.to_ascii_lowercase();
    let offset = error.location().and_then(|location| location.span().byte_offset()).unwrap_or(0);
    if ["budget", "limit", "alias", "recursion", "nest"].iter().any(|word| lower.contains(word)) {
        return Refusal::limit(
            Limit::YamlNodes,
            format!("the card's YAML is nested or repeats itself too much: {first}"),
        )
        .at(offset);
    }
    Refusal::new(
        RefusalKind::NotACard,
        format!("this is no character card: read as YAML, it is not in order ({first})"),
    )
    .at(offset)
}
